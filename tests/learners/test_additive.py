"""The additive rule: the order of its sums, rows it cannot use, and settings it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.flawed_rows import FLAWS, Flawed, anywhere, every_flaw, good, sparse
from helpers.strategies import Data, Layout, Precision, layouts, precisions, seeds
from novikoff.learners import Additive
from novikoff.ledger import readings
from novikoff.runs.loop import play
from novikoff.sources import block
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample
from novikoff.stream.rows import SparseRows


def eight_lanes(numbers: list[float], others: list[float]) -> float:
    """The sum of products as the core promises to take it, on any machine."""
    a = [0.0] * 8
    for j, (number, other) in enumerate(zip(numbers, others, strict=True)):
        a[j % 8] += number * other
    return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]))


@settings(max_examples=25)
@given(
    seed=seeds,
    width=st.integers(1, 40),
    bias=st.booleans(),
    layout=layouts,
    precision=precisions,
)
def test_the_bits_do_not_depend_on_the_instruction_set(
    seed: int, width: int, bias: bool, layout: Layout, precision: Precision
) -> None:
    """Python's floats take the sums one by one; the core must round as they do."""
    dice = np.random.default_rng(seed)
    X = dice.standard_normal((30, width)) * 10.0 ** dice.uniform(-3, 3, (30, width))
    X = X.astype(precision).astype(np.float64)
    data = Data(X, np.where(dice.random(30) < 0.5, 1, -1).astype(np.int8))
    ledger = play([data.block(layout, precision)], learner := Additive(width, bias=bias)).ledger

    w = [0.0] * (width + bias)
    scores, squares = [], []
    for x, y in zip(X.tolist(), data.y.tolist(), strict=True):
        point = x + [1.0] * bias
        s = eight_lanes(point, w)
        if y * s <= 0:
            w = [w_j + y * x_j for w_j, x_j in zip(w, point, strict=True)]
            scores.append(s)
            squares.append(eight_lanes(point, point))
    assert learner.weights.tolist() == w
    assert ledger.scores.tolist() == scores
    assert ledger.squares.tolist() == squares
    asked = [eight_lanes(x + [1.0] * bias, w) for x in X.tolist()]
    assert learner.scores(data.rows(layout, precision)).tolist() == asked


def test_a_first_row_that_begins_before_the_entries_is_refused() -> None:
    rows = sparse()
    rows.starts[0] = -1
    learner = Additive(5)
    with pytest.raises(BadExample, match="row 0: .* out of bounds"):
        learner.learn(Block(rows, good().y), 0, 10)
    with pytest.raises(BadExample, match="row 0: .* out of bounds"):
        learner.scores(rows)
    assert learner.rounds == 0


@every_flaw
@anywhere
def test_a_bad_row_leaves_a_complete_ledger(flawed: Flawed, bad: int) -> None:
    """Everything before it has been learned and can be read from the ledger."""
    learner = Additive(5, bias=True, averaging=True)
    ledger = learner.open_ledger()
    with pytest.raises(BadExample, match=rf"row {bad}\b"):
        play([Block(flawed.spoil(bad), good().y)], learner, ledger=ledger, epochs=3)
    assert ledger.n_rounds == learner.rounds == bad
    assert readings.final(ledger).tobytes() == learner.weights.tobytes()
    assert readings.average(ledger).tobytes() == learner.average.tobytes()


def test_a_run_continues_after_a_bad_row() -> None:
    """With the same ledger and other data, as a service does that skips what it cannot use."""
    learner = Additive(5)
    ledger = learner.open_ledger()
    with pytest.raises(BadExample):
        play([Block(FLAWS["NaN"].spoil(4), good().y)], learner, ledger=ledger)
    other = Data(good().X[::-1] - 1.0, good().y)
    play([other.block(first=10)], learner, ledger=ledger)
    assert ledger.n_rounds == 14
    assert readings.final(ledger).tobytes() == learner.weights.tobytes()


@pytest.mark.parametrize("which", ["NaN", "infinity in a CSR", "index too large"])
@anywhere
def test_a_bad_row_is_named_when_the_order_is_mixed(which: str, bad: int) -> None:
    order = np.random.default_rng(2).permutation(10)
    learner = Additive(5)
    with pytest.raises(BadExample, match=rf"row {bad}\b"):
        play([Block(FLAWS[which].spoil(bad), good().y, order=order)], learner)
    assert order[learner.rounds] == bad


@every_flaw
@anywhere
def test_a_bad_row_is_not_scored(flawed: Flawed, bad: int) -> None:
    learner = Additive(5)
    learner.learn(good().block(), 0, 10)
    with pytest.raises(BadExample, match=rf"row {bad}\b"):
        learner.scores(flawed.spoil(bad))


@pytest.mark.parametrize("which", ["index too large", "NaN in a CSR"])
def test_an_untidy_row_before_a_bad_one_is_learned(which: str) -> None:
    rows = FLAWS[which].spoil(6)
    assert isinstance(rows, SparseRows)
    rows.indices[:2], rows.values[:2] = rows.indices[1::-1].copy(), rows.values[1::-1].copy()
    learner, other = Additive(5), Additive(5)
    other.learn(good().block(), 0, 6)
    with pytest.raises(BadExample, match=r"row 106\b"):
        play([Block(rows, good().y, first=100)], learner)
    assert learner.weights.tobytes() == other.weights.tobytes()
    assert learner.rounds == other.rounds


def test_a_bad_row_is_refused_by_the_vote() -> None:
    learner = Additive(5)
    ledger = play([good().block()], learner).ledger
    with pytest.raises(BadExample, match=r"row 4\b"):
        readings.vote(ledger, FLAWS["index too large"].spoil(4))


@pytest.mark.parametrize("place", [10, -1, 2**62])
def test_an_order_that_names_no_row_is_refused(place: int) -> None:
    order = np.arange(10)
    order[3] = place
    learner = Additive(5)
    some = Block(good().rows(), good().y, order=order)
    assert learner.learn(some, 0, 10)[0] == 3
    with pytest.raises(BadExample, match="there is no such row"):
        learner.learn(some, 3, 10)


def test_a_score_too_large_for_a_float_is_refused() -> None:
    learner = Additive(2)
    some = block([[1e160, 0.0], [1e160, 0.0], [1.0, 1.0]], [1, -1, 1])
    assert learner.learn(some, 0, 3)[0] == 1
    with pytest.raises(BadExample, match=r"row 1: the score is too large .*1e\+160"):
        learner.learn(some, 1, 3)
    assert learner.weights.tolist() == [1e160, 0.0]


def test_a_score_that_is_infinitely_right_is_refused_too() -> None:
    learner = Additive(1)
    with pytest.raises(BadExample, match=r"row 1\b"):
        play([block([[1e160], [1e160]], [1, 1])], learner)


def test_rows_of_another_length_are_refused() -> None:
    learner = Additive(3)
    with pytest.raises(BadExample, match="rows have 5 features, the learner has 3"):
        learner.learn(good().block(), 0, 1)
    assert learner.rounds == 0


def test_the_average_needs_averaging() -> None:
    with pytest.raises(ValueError, match="averaging=True"):
        _ = Additive(3).average


@pytest.mark.parametrize("rate", [0.0, -1.0, np.inf, np.nan])
def test_a_rate_is_positive_and_finite(rate: float) -> None:
    with pytest.raises(ValueError, match="rate"):
        Additive(3, rate=rate)


@pytest.mark.parametrize("margin", [-1.0, np.inf, np.nan])
def test_a_margin_is_finite_and_not_negative(margin: float) -> None:
    with pytest.raises(ValueError, match="margin"):
        Additive(3, margin=margin)


@pytest.mark.parametrize("weights", [(0.0, 1.0), (1.0, -1.0), (np.nan, 1.0), (1.0, np.inf)])
def test_class_weights_are_positive_and_finite(weights: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="class weights"):
        Additive(3, class_weights=weights)


@pytest.mark.parametrize("start", [[1.0, 2.0], [1.0, 2.0, np.nan], [[1.0, 2.0, 3.0]]])
def test_a_start_is_one_finite_weight_a_feature(start: list[float]) -> None:
    with pytest.raises(ValueError, match="start must hold 3 finite weights"):
        Additive(3, start=np.array(start))


def test_a_tie_rule_has_one_of_three_names() -> None:
    with pytest.raises(ValueError, match="mistake, positive, negative"):
        Additive(3, ties="zero")  # type: ignore[arg-type]


def test_the_start_given_is_not_written_to() -> None:
    start = np.array([1.0, -1.0])
    play([block([[1.0, 1.0]] * 3, [1, -1, 1])], Additive(2, start=start), epochs=3)
    assert start.tolist() == [1.0, -1.0]
