"""Examples that count more than others, and some that do not count."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.strategies import (
    Data,
    Layout,
    Precision,
    dyadic_data,
    dyadic_importances,
    dyadic_options,
    float_data,
    layouts,
    precisions,
    seeds,
    separable_data,
)
from novikoff import certify, guarantees
from novikoff.guarantees.verdict import Verdict
from novikoff.learners import Additive
from novikoff.ledger import readings
from novikoff.runs.loop import play
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample
from novikoff.stream.order import Shuffled, arranged
from novikoff.stream.rows import DenseRows, Vector

few = settings(max_examples=40)
# no weights separate these
TANGLED = Data(np.array([[2, 1], [-1, 3], [1, -2], [3, 1.0]]), np.array([1, -1, 1, -1], np.int8))


def drawn(seed: int, n: int) -> Vector:
    """Importances with all their bits in use, some of them 0."""
    dice = np.random.default_rng(seed)
    return np.where(dice.random(n) < 0.2, 0.0, dice.lognormal(0, 2, n))


@few
@given(draws=st.data())
def test_an_importance_is_a_scaled_example(draws: st.DataObject) -> None:
    """Without a margin, with the constant written out as a column that is scaled as well."""
    data = draws.draw(dyadic_data())
    options = draws.draw(dyadic_options(data.dim))
    options["margin"] = 0.0
    each = st.lists(st.sampled_from((0.25, 1.0, 1.5, 3.0)), min_size=len(data), max_size=len(data))
    h = np.array(draws.draw(each))
    bias, weighed = options["bias"], Additive(data.dim, **options)
    options["bias"] = False
    scaled = Additive(data.dim + bias, **options)
    X = np.column_stack([data.X, np.ones(len(data))]) if bias else data.X
    run = play(data.block(draws.draw(layouts), importances=h), weighed, epochs=3)
    other = play(Data(X * h[:, None], data.y).block(draws.draw(layouts)), scaled, epochs=3)
    assert weighed.weights.tolist() == scaled.weights.tolist()
    assert run.verdict == other.verdict
    assert run.ledger.rounds.tolist() == other.ledger.rounds.tolist()
    assert (run.ledger.scores * h[run.ledger.rows]).tolist() == other.ledger.scores.tolist()
    if run.verdict is not Verdict.CYCLE:  # scaled rows have multipliers of their own
        assert run.cycle is other.cycle is None


@few
@given(data=float_data(), layout=layouts, precision=precisions, averaging=st.booleans())
def test_importances_of_one_change_no_bit(
    data: Data, layout: Layout, precision: Precision, averaging: bool
) -> None:
    ones = np.ones(len(data))
    with_ones, without = (
        Additive(data.dim, bias=True, rate=0.3, class_weights=(0.7, 1.1), averaging=averaging)
        for _ in range(2)
    )
    run = play(data.block(layout, precision, importances=ones), with_ones, epochs=2)
    other = play(data.block(layout, precision), without, epochs=2)
    assert with_ones.weights.tobytes() == without.weights.tobytes()
    assert run.ledger.steps.tobytes() == other.ledger.steps.tobytes()


@few
@given(data=float_data(), layout=layouts, precision=precisions, seed=seeds)
def test_the_ledger_gives_the_learner_back_whatever_the_importances(
    data: Data, layout: Layout, precision: Precision, seed: int
) -> None:
    learner = Additive(data.dim, bias=True, margin=0.3, rate=0.7, averaging=True)
    some = data.block(layout, precision, importances=drawn(seed, len(data)))
    run = play(Shuffled(some, seed=1), learner, epochs=3)
    assert readings.final(run.ledger).tobytes() == learner.weights.tobytes()
    assert readings.average(run.ledger).tobytes() == learner.average.tobytes()
    assert some.importances is not None
    expected = some.importances[run.ledger.rows] * run.ledger.labels
    assert run.ledger.steps.tolist() == expected.tolist()


@few
@given(data=float_data(), seed=seeds)
def test_an_arranged_block_keeps_each_row_its_importance(data: Data, seed: int) -> None:
    some = data.block(importances=drawn(seed, len(data)))
    straight, moved = Additive(data.dim), Additive(data.dim)
    one = play(Shuffled(some, seed=0), straight).ledger
    laid_out = arranged(some, seed)
    assert laid_out.numbers is not None
    assert some.importances is not None
    other = play(laid_out, moved).ledger
    assert other.steps.tolist() == (other.labels * some.importances[other.rows]).tolist()
    assert one.n_rounds == other.n_rounds


@few
@given(data=float_data(), seed=seeds)
def test_without_its_rows_of_importance_zero_a_run_is_the_same(data: Data, seed: int) -> None:
    h = drawn(seed, len(data))
    kept = np.flatnonzero(h)
    all_of_them, others = Additive(data.dim), Additive(data.dim)
    ledger = play(data.block(importances=h), all_of_them).ledger
    assert ledger.n_rounds == len(data)
    assert (h[ledger.rows] > 0).all()
    if len(kept):
        play(Block(data.rows().take(kept), data.y[kept], importances=h[kept]), others)
    assert all_of_them.weights.tobytes() == others.weights.tobytes()


def test_a_row_of_importance_zero_is_still_refused_when_it_cannot_be_scored() -> None:
    some = Block(
        DenseRows(np.array([[1.0], [np.nan]])), np.ones(2, np.int8), importances=np.zeros(2)
    )
    with pytest.raises(BadExample, match="row 1"):
        play(some, Additive(1))


@few
@given(separated=separable_data(), draws=st.data())
def test_the_bounds_hold_with_importances(
    separated: tuple[Data, Vector], draws: st.DataObject
) -> None:
    data, u = separated
    h = draws.draw(dyadic_importances(len(data)))
    some = data.block(importances=h)
    run = play(some, Additive(data.dim, bias=False), epochs=10_000)
    assert run.verdict is Verdict.SEPARATED
    made = len(run.ledger)
    assert guarantees.novikoff(run.ledger, u).bound >= made
    assert guarantees.adaptive(run.ledger, u).bound >= made
    assert guarantees.l1_bound(run.ledger, u, 1).bound >= made
    assert guarantees.l2_bound(run.ledger, u, 1).bound >= made
    assert guarantees.from_start(run.ledger, u).bound >= made
    assert guarantees.best_comparator(run.ledger, some).bound >= made
    assert guarantees.sandwich(run.ledger, u).holds
    once = play(some, Additive(data.dim)).ledger
    assert guarantees.freund_schapire(once, some, u, 1).bound >= len(once)


@few
@given(seed=seeds, draws=st.data())
def test_a_cycle_with_importances_is_a_proof(seed: int, draws: st.DataObject) -> None:
    each = st.lists(st.sampled_from((0.5, 1.0, 1.5, 3.0)), min_size=4, max_size=4)
    h = np.array(draws.draw(each))
    run = play(Shuffled(TANGLED.block(importances=h), seed=seed), Additive(2), epochs=10_000)
    assert run.verdict is Verdict.CYCLE
    assert run.cycle is not None
    total = [Fraction(0)] * 2
    for row, n in zip(run.cycle.rows.tolist(), run.cycle.multipliers, strict=True):
        assert n > 0
        assert n % Fraction(h[row]) == 0  # a whole number of its steps
        x, y = TANGLED.X[row], int(TANGLED.y[row])
        total = [t + n * y * Fraction(x_j) for t, x_j in zip(total, x.tolist(), strict=True)]
    assert total == [0, 0]


def test_separability_asks_about_every_row_of_weight_above_0() -> None:
    found = certify(TANGLED.block())
    assert certify(TANGLED.block(importances=np.full(4, 0.5))).verdict == found.verdict
    with pytest.raises(BadExample, match="there are no examples"):
        certify(TANGLED.block(importances=np.zeros(4)))


@pytest.mark.parametrize("wrong", [-1.0, math.nan, math.inf])
def test_an_importance_is_finite_and_not_negative(wrong: float) -> None:
    rows, y = DenseRows(np.ones((3, 1))), np.ones(3, np.int8)
    with pytest.raises(BadExample, match=f"row 12: importance {wrong!r} must be finite"):
        Block(rows, y, 10, importances=np.array([1.0, 1.0, wrong]))


def test_there_is_one_importance_a_row() -> None:
    rows, y = DenseRows(np.ones((3, 1))), np.ones(3, np.int8)
    with pytest.raises(BadExample, match=r"3 rows but importances of shape \(2,\)"):
        Block(rows, y, importances=np.ones(2))
    with pytest.raises(BadExample, match="importances must be float64, not int64"):
        Block(rows, y, importances=np.ones(3, np.int64))


def test_a_step_too_large_for_a_float_is_refused_and_nothing_learned() -> None:
    some = Block(
        DenseRows(np.ones((2, 1))), np.array([1, -1], np.int8), importances=np.full(2, 1e9)
    )
    learner = Additive(1, class_weights=(1e300, 1.0))
    with pytest.raises(BadExample, match="row 1: its importance times the rate is too large"):
        play(some, learner)
    assert learner.weights.tolist() == [1e9]
    assert learner.rounds == 1


def test_a_step_too_small_for_a_float_is_no_mistake() -> None:
    some = Block(DenseRows(np.ones((1, 1))), np.ones(1, np.int8), importances=np.array([1e-300]))
    assert len(play(some, Additive(1, class_weights=(1.0, 1e-300))).ledger) == 0


def test_an_example_says_what_it_counts() -> None:
    some = TANGLED.block(importances=np.array([0.0, 2.0, 1.0, 3.0]))
    assert [e.importance for e in some] == [0.0, 2.0, 1.0, 3.0]
    assert [e.importance for e in TANGLED.block()] == [1.0] * 4
