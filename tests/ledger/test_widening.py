"""A learner that meets new features on the way is one that knew of them from the start."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.strategies import Data, Options, dyadic_data, dyadic_options, float_data
from novikoff.learners import Additive
from novikoff.ledger import readings
from novikoff.ledger.weights import parted, whole, widened
from novikoff.runs.loop import Run, play
from novikoff.stream.blocks import Block
from novikoff.stream.rows import DenseRows, SparseRows

few = settings(max_examples=40)


def grown(data: Data, dims: list[int], options: Options, *, averaging: bool) -> tuple[Run, Run]:
    """The run of a learner that grows to these widths on its way, and of one that was wide."""
    last = dims[-1]
    X = np.zeros((len(data), last))
    for a, dim in enumerate(dims):  # part a of the rows has only the features known by then
        part = slice(a * len(data) // len(dims), (a + 1) * len(data) // len(dims))
        X[part, : min(dim, data.dim)] = data.X[part, :dim]
    start = options["start"]
    growing = Additive(dims[0], averaging=averaging, **options)
    if start is not None:
        options = {**options, "start": widened(start, last, bias=options["bias"])}
    wide = Additive(last, averaging=averaging, **options)
    run, ledger = None, growing.open_ledger()
    for a, dim in enumerate(dims):
        growing.widen(dim)
        ledger.widen(dim)
        part = slice(a * len(data) // len(dims), (a + 1) * len(data) // len(dims))
        if len(data.y[part]):
            rows = DenseRows(np.ascontiguousarray(X[part, :dim]))
            stored = rows if a % 2 else rows.sparse()
            run = play(Block(stored, data.y[part], part.start), growing, ledger=ledger)
    assert run is not None
    at_once = play(Block(DenseRows(X), data.y), wide)
    assert growing.weights.tobytes() == wide.weights.tobytes()
    if averaging:
        assert growing.average.tobytes() == wide.average.tobytes()
    return run, at_once


def assert_same(run: Run, other: Run) -> None:
    for name in ("rounds", "rows", "scores", "steps", "squares"):
        assert getattr(run.ledger, name).tobytes() == getattr(other.ledger, name).tobytes(), name
    assert readings.final(run.ledger).tobytes() == readings.final(other.ledger).tobytes()
    assert readings.average(run.ledger).tobytes() == readings.average(other.ledger).tobytes()


@few
@given(draws=st.data())
def test_a_widened_learner_is_one_that_was_wide_exactly_on_dyadic_numbers(
    draws: st.DataObject,
) -> None:
    data = draws.draw(dyadic_data())
    dims = sorted(draws.draw(st.lists(st.integers(1, 30), min_size=1, max_size=4)))
    options = draws.draw(dyadic_options(dims[0]))
    assert_same(*grown(data, dims, options, averaging=draws.draw(st.booleans())))


@few
@given(draws=st.data())
def test_widths_that_are_multiples_of_eight_give_the_same_bits(draws: st.DataObject) -> None:
    data = draws.draw(float_data())
    dims = sorted(draws.draw(st.lists(st.sampled_from((8, 16, 24, 40)), min_size=1, max_size=4)))
    options = draws.draw(dyadic_options(dims[0]))
    options["rate"], options["class_weights"] = 0.3, (0.7, 1.1)
    assert_same(*grown(data, dims, options, averaging=draws.draw(st.booleans())))


def test_features_cannot_be_removed() -> None:
    learner = Additive(5, bias=True)
    with pytest.raises(ValueError, match="cannot reduce 5 features to 4"):
        learner.widen(4)
    assert learner.dim == 5
    with pytest.raises(ValueError, match="cannot reduce 5 features to 4"):
        learner.open_ledger().widen(4)
    with pytest.raises(ValueError, match="rows of 5 features cannot be narrowed to 4"):
        DenseRows(np.ones((1, 5))).sparse().widened(4)


def test_wider_rows_are_the_same_memory() -> None:
    rows = DenseRows(np.eye(3)).sparse()
    wide = rows.widened(9)
    assert wide.dim == 9
    assert rows.dim == 3
    assert isinstance(wide, SparseRows)
    assert np.shares_memory(wide.values, rows.values)
    assert np.shares_memory(wide.indices, rows.indices)
    assert np.shares_memory(wide.starts, rows.starts)


def test_wider_rows_put_in_order_leave_the_narrow_ones_alone() -> None:
    rows = SparseRows(np.ones(2), np.array([1, 0]), np.array([0, 2]), 2)
    wide = rows.widened(4)
    wide.put_in_order()
    assert wide.indices.tolist() == [0, 1]
    assert rows.indices.tolist() == [1, 0]


def test_a_learner_whose_weights_are_in_a_file_is_widened_in_a_copy() -> None:
    learner = Additive(2, bias=True, start=np.array([1.0, 2.0, 3.0]))
    learner._w.flags.writeable = False
    learner.widen(3)
    assert learner.weights.tolist() == [1.0, 2.0, 0.0, 3.0]


@given(dim=st.integers(0, 9), more=st.integers(0, 9), bias=st.booleans())
def test_weights_taken_apart_are_put_together_again(dim: int, more: int, bias: bool) -> None:
    w = np.arange(1, dim + bias + 1, dtype=np.float64)
    wide = widened(w, dim + more, bias=bias)
    features, constant = parted(wide, dim, bias=bias)
    assert features.tolist() == w[:dim].tolist()
    assert whole(features, constant, bias=bias).tolist() == w.tolist()


def test_a_feature_in_use_is_not_trimmed() -> None:
    with pytest.raises(ValueError, match="feature 2 has a weight, so 1 features are too few"):
        parted(np.array([1.0, 0.0, 5.0, 0.0, 7.0]), 1, bias=True)
    with pytest.raises(ValueError, match="dim must be between 0 and 4, not 5"):
        parted(np.array([1.0, 0.0, 5.0, 0.0, 7.0]), 5, bias=True)
