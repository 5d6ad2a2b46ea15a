"""The best comparator is searched for in floating point, and what it proves is exact."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.strategies import Data, dyadic_data, dyadic_weights, layouts
from helpers.textbook import dot
from novikoff import guarantees, sources
from novikoff.learners import Additive
from novikoff.ledger import readings
from novikoff.ledger.ledger import Ledger
from novikoff.runs.loop import play
from novikoff.stream.blocks import Block
from novikoff.stream.order import Shuffled
from novikoff.stream.problems import BadExample

CLASS_WEIGHTS = st.sampled_from(((1.0, 1.0), (1.0, 1.0), (1.0, 0.5), (0.25, 1.0)))


def run_on(block: Block, learner: Additive, epochs: int = 1) -> Ledger:
    return play([block], learner, epochs=epochs).ledger


def noisy(n: int, d: int, *, flipped: float = 0.1, seed: int = 0) -> Block:
    dice = np.random.default_rng(seed)
    X, u = dice.integers(-9, 10, (n, d)), dice.integers(-9, 10, d)
    return sources.block(X, np.where((X @ u > 0) ^ (dice.random(n) < flipped), 1, -1))


def data_of(block: Block) -> Data:
    return Data(np.asarray(block.rows.values, dtype=np.float64), block.signs)


def claimed(
    ledger: Ledger, data: Data, u: list[Fraction], gamma: Fraction
) -> tuple[Fraction, Fraction, Fraction]:
    """The c², Σℓ and Σℓ² over every round of the theorems, from scratch."""
    sizes: dict[int, Fraction] = {}
    for step in ledger.steps.tolist():
        y = 1 if step > 0 else -1
        sizes[y] = max(sizes.get(y, Fraction(0)), abs(Fraction(step)))
    a, b = min(sizes.values()), max(sizes.values())
    loss, square, lengths = Fraction(0), Fraction(0), []
    for x, y in zip(data.X.tolist(), data.y.tolist(), strict=True):
        row = [Fraction(v) for v in [*x, *[1.0] * ledger.bias]]
        lengths.append(dot(row, row))
        short = max(Fraction(0), 1 - y * dot(row, u) / gamma)
        times = sizes.get(y, a) / a * len(ledger.epoch_ends)
        loss, square = loss + times * short, square + times * short**2
    R2 = max(lengths[i] for i in ledger.rows.tolist())
    return b / a * R2 * dot(u, u) / gamma**2, loss, square


def l1_allows(M: int, c2: Fraction, loss: Fraction) -> bool:
    """Whether M − Σℓ ≤ c√M."""
    return loss >= M or (M - loss) ** 2 <= c2 * M


def l2_allows(M: int, c2: Fraction, loss: Fraction) -> bool:
    """Whether √M ≤ c + √Σℓ²."""
    rest = M - c2 - loss
    return rest <= 0 or rest**2 <= 4 * c2 * loss


@given(st.data(), dyadic_data(), layouts, st.booleans(), CLASS_WEIGHTS, st.sampled_from((1, 1, 3)))
def test_what_is_found_is_exactly_what_its_theorem_says_and_holds(
    more: st.DataObject,
    data: Data,
    layout: Any,
    bias: bool,
    class_weights: tuple[float, float],
    epochs: int,
) -> None:
    u = more.draw(dyadic_weights(data.dim + bias).filter(np.any))
    block = data.block(layout)
    learner = Additive(data.dim, bias=bias, class_weights=class_weights)
    ledger = run_on(block, learner, epochs)
    for best in (
        guarantees.best_comparator(ledger, block),
        guarantees.best_comparator(ledger, block, [u, -u]),
    ):
        assert best.margin is not None
        c2, loss, _ = claimed(ledger, data, list(best.witness), best.margin)
        assert best.loss == loss
        assert best.holds
        assert l1_allows(best.bound, c2, loss)
        assert not l1_allows(best.bound + 1, c2, loss)


@pytest.mark.parametrize("epochs", [1, 4])
@pytest.mark.parametrize("seed", range(4))
def test_no_margin_on_a_fine_grid_and_no_square_does_better(epochs: int, seed: int) -> None:
    block = noisy(60, 3, seed=seed)
    ledger = run_on(block, Additive(3), epochs)
    data = data_of(block)
    path = [readings.final(ledger), readings.average(ledger), np.array([1.0, 0.0, 0.0])]
    best = guarantees.best_comparator(ledger, block, path)
    for u in path:
        exact = [Fraction(v) for v in u.tolist()]
        largest = float(np.abs(data.X @ u).max())
        for gamma in np.geomspace(largest / 100, largest * 100, 50).tolist():
            c2, loss, square = claimed(ledger, data, exact, Fraction(gamma))
            assert l1_allows(best.bound, c2, loss)
            assert l2_allows(best.bound, c2, square)


@pytest.mark.parametrize("seed", range(3))
def test_the_margin_found_is_the_best_to_a_mistake(seed: int) -> None:
    block = noisy(3000, 3, seed=seed)
    ledger = run_on(block, Additive(3))
    u = np.array([1.0, 2.0, -1.0])
    best = guarantees.best_comparator(ledger, block, [u])
    data = data_of(block)
    margins = data.y * (data.X @ u)
    reach = float(np.sqrt(float(best.radius_squared) * 6))
    gammas = np.geomspace(reach / 60, reach * 3000, 4000)
    losses = np.array([np.maximum(0, 1 - margins / gamma).sum() for gamma in gammas])
    c = reach / gammas
    assert best.bound <= ((c / 2 + np.sqrt(c * c / 4 + losses)) ** 2).min()


def test_the_weights_of_the_run_and_their_averages_are_tried() -> None:
    block = noisy(2000, 5, flipped=0.2, seed=1)
    ledger = run_on(block, Additive(5))
    by_default = guarantees.best_comparator(ledger, block).bound
    average, last = (
        guarantees.best_comparator(ledger, block, [reading(ledger)]).bound
        for reading in (readings.average, readings.final)
    )
    assert average < 0.95 * last
    assert by_default <= 1.001 * average  # which is rounded to 20 bits


@given(dyadic_data(), st.data(), st.fractions(Fraction(1, 9), 40, max_denominator=9))
def test_at_a_smaller_margin_the_l1_bound_is_no_more_than_the_l2_bound(
    data: Data, more: st.DataObject, gamma: Fraction
) -> None:
    u = more.draw(dyadic_weights(data.dim).filter(np.any))
    block = data.block()
    ledger = run_on(block, Additive(data.dim))
    exact = [Fraction(v) for v in u.tolist()]
    c2, _, square = claimed(ledger, data, exact, gamma)
    c, q = math.sqrt(c2), math.sqrt(square)
    smaller = gamma * Fraction(1 - q / (c + q) / 2) if q else gamma
    c2, loss, _ = claimed(ledger, data, exact, smaller)
    l1 = float(loss + c2 / 2) + math.sqrt(c2 * (loss + c2 / 4))
    assert l1 <= (c + q) ** 2 * (1 + 1e-12)  # the margin and both roots are rounded
    by_squares = guarantees.freund_schapire(ledger, block, u, gamma)
    assert guarantees.best_comparator(ledger, block, [u]).bound <= by_squares.bound


def test_a_comparator_that_is_wrong_everywhere_still_gives_the_number_of_rounds() -> None:
    """Its best margin is infinite, so the search must go far beyond the margins of the data."""
    block = sources.block([[0, -2]], [-1])
    ledger = run_on(block, Additive(2))
    assert guarantees.best_comparator(ledger, block, [[1.5, -3.125]]).bound == 1


@pytest.mark.parametrize("n", [1, 2, 9, 49, 50])
def test_the_identity_is_met_with_its_own_weights_and_without_loss(n: int) -> None:
    block = sources.tight(n)
    best = guarantees.best_comparator(run_on(block, Additive(n)), block)
    assert best.bound == best.mistakes == n
    assert best.loss == 0
    assert len(set(best.witness)) == 1


def test_on_noisy_data_it_says_more_than_the_number_of_rounds_and_l1_over_the_mistakes_more() -> (
    None
):
    block = noisy(5000, 10, seed=1)
    for epochs in (1, 3):
        ledger = run_on(block, Additive(10, bias=True), epochs)
        best = guarantees.best_comparator(ledger, block)
        assert best.margin is not None
        assert best.holds
        assert best.bound < 0.6 * ledger.n_rounds
        over_mistakes = guarantees.l1_bound(ledger, best.witness, best.margin)
        assert len(ledger) <= over_mistakes.bound < best.bound


def test_separable_data_are_bounded_as_novikoff_would_or_better() -> None:
    u = np.array([3.0, -1.0, 2.0])
    (block,) = sources.separable(500, u, margin=0.1, seed=2)
    ledger = run_on(block, Additive(3), 100)
    everywhere = guarantees.achieved_margin(u, block)
    R2 = guarantees.novikoff(ledger, u).radius_squared
    best = guarantees.best_comparator(ledger, block, [u])
    assert best.bound <= guarantees.mistake_bound(
        R2, everywhere.weights_squared, everywhere.smallest
    )


def test_the_comparator_is_the_one_given_however_it_is_written() -> None:
    block = noisy(200, 3)
    ledger = run_on(block, Additive(3))
    plain = guarantees.best_comparator(ledger, block, [[1, 2, 3]])
    for u in (
        [Fraction(1, 7), Fraction(2, 7), Fraction(3, 7)],
        [10**400, 2 * 10**400, 3 * 10**400],
    ):
        scaled = guarantees.best_comparator(ledger, block, [u])
        assert scaled.witness == tuple(u)
        assert scaled.bound == plain.bound
        assert scaled.unit_margin == pytest.approx(plain.unit_margin)


def test_the_better_of_two_comparators_is_found() -> None:
    dice = np.random.default_rng(4)
    X = dice.integers(-9, 10, (500, 3))
    block = sources.block(X, np.where(X[:, 1] >= 0, 1, -1))
    ledger = run_on(block, Additive(3))
    poor, good = [1, 0, 0], [0, 2, 0]
    for path in ([poor, good], [good, poor]):
        assert list(guarantees.best_comparator(ledger, block, path).witness) == good


def test_a_run_that_mistook_nothing_but_zeros_has_a_bound() -> None:
    block = sources.block([[0, 0], [0, 0], [0, 0]], [1, -1, 1])
    best = guarantees.best_comparator(run_on(block, Additive(2), 2), block)
    assert [best.bound, best.mistakes, best.radius_squared] == [6, 6, 0]
    # a tie may count as right: then of these two only the zeros are mistaken
    block = sources.block([[0, 0], [3, 4]], [-1, 1])
    ledger = run_on(block, Additive(2, ties="positive"))
    best = guarantees.best_comparator(ledger, block, [[3, 4]])
    assert [best.bound, best.mistakes, best.radius_squared] == [1, 1, 0]


def test_an_interrupted_pass_counts_as_a_whole_one() -> None:
    block = noisy(100, 3)
    learner = Additive(3)
    ledger = play([block], learner).ledger
    stop, mistakes = learner.learn(block, 0, 50)
    ledger.record(mistakes, stop)
    ledger.store(block)
    best = guarantees.best_comparator(ledger, block)
    assert best.margin is not None
    _, once, _ = claimed(ledger, data_of(block), list(best.witness), best.margin)
    assert best.loss == 2 * once


def test_rows_in_an_order_that_changes_with_the_pass_are_the_same_data() -> None:
    block = noisy(300, 4)
    stream = Shuffled(block, seed=1, again=True)
    ledger = play(stream, Additive(4), epochs=3).ledger
    assert guarantees.best_comparator(ledger, stream) == guarantees.best_comparator(ledger, block)


@pytest.mark.parametrize("size", [5e-324, 1e-200, 1e150])
def test_data_of_any_size_have_a_best_comparator(size: float) -> None:
    scaled = sources.block(np.eye(5) * size, [1] * 5)
    best = guarantees.best_comparator(run_on(scaled, Additive(5)), scaled)
    assert (best.bound, best.mistakes) == (5, 5)


def test_a_row_whose_label_is_changed_between_passes_is_not_in_the_data() -> None:
    row, learner = np.array([[1.0, 2.0]]), Additive(2)
    ledger = play(sources.block(row, [1]), learner).ledger
    play(sources.block(row, [-1]), learner, ledger=ledger)
    assert ledger.labels.tolist() == [1, -1]
    for y in (-1, 1):
        with pytest.raises(BadExample, match="not the data of the run"):
            guarantees.best_comparator(ledger, sources.block(row, [y]))
    assert guarantees.l1_bound(ledger, [1, 1], 3).loss == 0 + 2


def test_comparators_must_be_some_and_not_zero() -> None:
    block = noisy(20, 3)
    ledger = run_on(block, Additive(3))
    none: list[list[list[int]]] = [[], [[0, 0, 0]], [[1, 2, 3], [0, 0, 0]]]
    for path in none:
        with pytest.raises(ValueError, match="there must be comparators"):
            guarantees.best_comparator(ledger, block, path)
    with pytest.raises(ValueError, match="2 numbers; it needs one for each of the 3 features"):
        guarantees.best_comparator(ledger, block, [[1, 2]])
