"""No run exceeds what the losses of a comparator allow, and the best comparator is found."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.strategies import Data, dyadic_data, dyadic_weights, layouts
from helpers.textbook import Point, dot, perceptron
from novikoff import guarantees, sources
from novikoff.learners import Additive
from novikoff.ledger import readings
from novikoff.ledger.ledger import Ledger, NotKept
from novikoff.runs.loop import play
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample
from novikoff.stream.order import Shuffled, arranged

RATES = st.sampled_from((1.0, 0.5, 0.75))


CLASS_WEIGHTS = st.sampled_from(((1.0, 1.0), (1.0, 1.0), (1.0, 0.5), (3.0, 2.0), (0.25, 1.0)))


GAMMAS = st.fractions(Fraction(1, 9), 200, max_denominator=9)


# No two of these are orthogonal, but each is to the sum of those before it, which is why it is
# mistaken; and the last is the opposite of the first, so nothing separates them.
OPPOSED = [[1, -1, 1, -1], [-1, -1, 1, 1], [-1, -1, -1, 1], [-1, 1, 1, 1], [-1, 1, -1, 1]]


def run_on(block: Block, learner: Additive, epochs: int = 1) -> Ledger:
    return play([block], learner, epochs=epochs).ledger


@dataclass(frozen=True)
class Textbook:
    """The sums of the theorems in Fractions, from the mistakes of the textbook's perceptron."""

    M: int
    stretch: Fraction
    c2: Fraction
    over_mistakes: tuple[Fraction, Fraction]
    over_rounds: tuple[Fraction, Fraction]

    @classmethod
    def of(
        cls,
        data: Data,
        u: list[Fraction],
        gamma: Fraction,
        *,
        bias: bool = False,
        rate: float = 1.0,
        class_weights: tuple[float, float] = (1.0, 1.0),
        epochs: int = 1,
    ) -> Textbook:
        ones = [1.0] * bias
        X: list[Point] = [[Fraction(v) for v in [*x.tolist(), *ones]] for x in data.X]
        y = data.y.tolist()
        played = perceptron(
            list(zip(range(len(X)), X, y, strict=True)),
            start=[Fraction(0)] * len(u),
            rate=Fraction(rate),
            class_weights=(Fraction(class_weights[0]), Fraction(class_weights[1])),
            epochs=epochs,
        )
        loss = [max(Fraction(0), 1 - yi * dot(u, x) / gamma) for x, yi in zip(X, y, strict=True)]
        mistaken = [i for _, i, _ in played.mistakes]
        seen = {y[i] for i in mistaken}
        sizes = {s: Fraction(class_weights[s > 0]) for s in seen}
        a, b = min(sizes.values()), max(sizes.values())
        R2 = max(dot(X[i], X[i]) for i in mistaken)
        counts = [sizes.get(s, a) / a * played.epochs for s in y]
        return cls(
            len(mistaken),
            b / a,
            b / a * R2 * dot(u, u) / gamma**2,
            (
                sum((sizes[y[i]] / a * loss[i] for i in mistaken), Fraction(0)),
                sum((sizes[y[i]] / a * loss[i] ** 2 for i in mistaken), Fraction(0)),
            ),
            (
                sum((n * f for n, f in zip(counts, loss, strict=True)), Fraction(0)),
                sum((n * f**2 for n, f in zip(counts, loss, strict=True)), Fraction(0)),
            ),
        )


def l1_allows(M: int, c2: Fraction, loss: Fraction) -> bool:
    """Whether M − Σℓ ≤ c√M."""
    return loss >= M or (M - loss) ** 2 <= c2 * M


def l2_allows(M: int, c2: Fraction, loss: Fraction) -> bool:
    """Whether √M ≤ c + √Σℓ²."""
    rest = M - c2 - loss
    return rest <= 0 or rest**2 <= 4 * c2 * loss


@settings(max_examples=120)
@given(st.data(), dyadic_data(), layouts, st.booleans(), RATES, CLASS_WEIGHTS, GAMMAS)
def test_the_bounds_are_the_largest_numbers_that_the_textbook_allows(
    more: st.DataObject,
    data: Data,
    layout: Any,
    bias: bool,
    rate: float,
    class_weights: tuple[float, float],
    gamma: Fraction,
) -> None:
    u = more.draw(dyadic_weights(data.dim + bias).filter(np.any))
    epochs = more.draw(st.sampled_from((1, 1, 4)))
    block = data.block(layout)
    learner = Additive(data.dim, bias=bias, rate=rate, class_weights=class_weights)
    ledger = run_on(block, learner, epochs)
    exact = [Fraction(v) for v in u.tolist()]
    passes = len(ledger.epoch_ends)
    t = Textbook.of(
        data, exact, gamma, bias=bias, rate=rate, class_weights=class_weights, epochs=passes
    )
    l1 = guarantees.l1_bound(ledger, u, gamma)
    l2 = guarantees.l2_bound(ledger, u, gamma)
    assert (l1.loss, l2.loss) == t.over_mistakes
    assert l1.mistakes == t.M
    assert l1.margin == gamma
    assert l1.witness == tuple(exact)
    assert l1_allows(l1.bound, t.c2, l1.loss)
    assert not l1_allows(l1.bound + 1, t.c2, l1.loss)
    assert l2_allows(l2.bound, t.c2, l2.loss)
    assert not l2_allows(l2.bound + 1, t.c2, l2.loss)
    assert l1.holds
    assert l2.holds
    if ledger.epoch_ends == [len(data)]:
        fs = guarantees.freund_schapire(ledger, block, u, gamma)
        assert fs.loss == t.over_rounds[1]
        assert l2_allows(fs.bound, t.c2, fs.loss)
        assert not l2_allows(fs.bound + 1, t.c2, fs.loss)
        assert fs.bound >= l2.bound >= l2.mistakes
        assert fs.radius_squared == l2.radius_squared


def test_a_thousand_noisy_runs_stay_within_every_bound() -> None:
    dice = np.random.default_rng(11)
    slack = []
    for _ in range(1000):
        n, d = int(dice.integers(1, 40)), int(dice.integers(1, 5))
        X, u = dice.integers(-3, 4, (n, d)), dice.integers(-3, 4, d)
        y = np.where((X @ u > 0) ^ (dice.random(n) < 0.2), 1, -1)
        block = sources.block(X, y)
        ledger = run_on(block, Additive(d))
        u[0] += not u.any()
        gamma = Fraction(int(dice.integers(1, 60)), 4)
        bounds = (
            guarantees.l1_bound(ledger, u, gamma),
            guarantees.l2_bound(ledger, u, gamma),
            guarantees.freund_schapire(ledger, block, u, gamma),
        )
        assert all(b.holds for b in bounds)
        slack.append([b.bound - b.mistakes for b in bounds])
    assert (np.array(slack) == 0).any(axis=0)[0]


@pytest.mark.parametrize("gamma", [1, Fraction(10, 9), 2, 7, 1000])
@pytest.mark.parametrize("n", [1, 2, 3, 7, 10, 50, 99])
def test_the_identity_meets_every_bound_exactly_with_losses(n: int, gamma: Fraction | int) -> None:
    """Each loss is 1 − 1/γ and c is √n/γ, so that n(1 − 1/γ) + c√n = n = (c + √n(1 − 1/γ))²."""
    block = sources.tight(n)
    ledger = run_on(block, Additive(n, rate=0.5))
    l1 = guarantees.l1_bound(ledger, [1] * n, gamma)
    l2 = guarantees.l2_bound(ledger, [1] * n, gamma)
    fs = guarantees.freund_schapire(ledger, block, [1] * n, gamma)
    assert l1.bound == l2.bound == fs.bound == ledger.n_mistakes == n
    loss = 1 - Fraction(1) / gamma
    assert [l1.loss, l2.loss, fs.loss] == [n * loss, n * loss**2, n * loss**2]


@pytest.mark.parametrize("gamma", [8, 9, 31, 10**6])
def test_examples_that_nothing_separates_meet_the_l1_bound_exactly(gamma: int) -> None:
    ledger = run_on(sources.block(OPPOSED, [1] * 5), Additive(4))
    l1 = guarantees.l1_bound(ledger, [-3, -1, 1, 3], gamma)
    assert l1.loss == 5 - Fraction(-4 + 8 + 6 + 6 + 4, gamma)
    assert l1.bound == l1.mistakes == 5
    # and it is no accident of rounding down: with c = R‖u‖/γ the inequality is an equality
    assert (5 - l1.loss) ** 2 == 5 * l1.radius_squared * l1.witness_squared / gamma**2


def test_no_smaller_loss_would_do() -> None:
    ledger = run_on(sources.block(OPPOSED, [1] * 5), Additive(4))
    l1 = guarantees.l1_bound(ledger, [-3, -1, 1, 3], 8)
    c2 = l1.radius_squared * l1.witness_squared / 64
    assert l1_allows(5, c2, l1.loss)
    assert not l1_allows(5, c2, l1.loss - Fraction(1, 10**30))
    tight = guarantees.l2_bound(run_on(sources.tight(7), Additive(7)), [1] * 7, 2)
    c2 = Fraction(7, 4)
    assert l2_allows(7, c2, tight.loss)
    assert not l2_allows(7, c2, tight.loss - Fraction(1, 10**30))


def test_class_weights_count_the_losses_of_the_heavier_class_more_and_the_bounds_are_met() -> None:
    n, labels = 10, [1, -1] * 5
    block = sources.block(np.eye(n), labels)
    ledger = run_on(block, Additive(n, class_weights=(1023 / 1024, 1.0)))
    for gamma in (1, 2):
        l1 = guarantees.l1_bound(ledger, labels, gamma)
        assert l1.loss == 5 * (1 + Fraction(1024, 1023)) * (1 - Fraction(1, gamma))
        assert l1.bound == guarantees.l2_bound(ledger, labels, gamma).bound == n
        assert guarantees.freund_schapire(ledger, block, labels, gamma).bound == n
    heavy = run_on(block, Additive(n, class_weights=(1.0, 4.0)))
    l1 = guarantees.l1_bound(heavy, labels, 2)
    assert l1.loss == 5 * Fraction(1, 2) + 4 * 5 * Fraction(1, 2)
    # c² = (4/1) · 10/4, and 12.5 + 5 + √(10 · (12.5 + 2.5)) = 29.7…
    assert l1.bound == 29


def test_as_gamma_grows_the_bounds_of_the_mistakes_tend_to_their_number_and_say_nothing() -> None:
    dice = np.random.default_rng(5)
    X, y = dice.integers(-9, 10, (300, 4)), dice.choice([-1, 1], 300)
    block = sources.block(X, y)
    ledger = run_on(block, Additive(4))
    for u in ([1, 0, 0, 0], [-3, 1, 4, 1]):
        for guarantee in (guarantees.l1_bound, guarantees.l2_bound):
            assert guarantee(ledger, u, 10**6).bound == len(ledger)
        assert guarantees.freund_schapire(ledger, block, u, 10**6).bound == 300


def test_without_loss_the_bounds_are_novikoffs() -> None:
    block = sources.block([[2, 1], [-1, 3], [1, -1]], [1, 1, 1])
    ledger = run_on(block, Additive(2))
    novikoff = guarantees.novikoff(ledger, [3, 2])
    assert novikoff.margin is not None
    l1 = guarantees.l1_bound(ledger, [3, 2], novikoff.margin)
    l2 = guarantees.l2_bound(ledger, [3, 2], novikoff.margin)
    assert l1.bound == l2.bound == novikoff.bound
    assert l1.loss == l2.loss == 0


def test_the_bounds_do_not_depend_on_the_length_of_the_comparator() -> None:
    block = sources.block([[1, 0], [0, 1], [1, 1], [1, 1]], [1, 1, 1, -1])
    ledger = run_on(block, Additive(2))
    for guarantee in (guarantees.l1_bound, guarantees.l2_bound):
        bounds = [guarantee(ledger, [2 * c, 3 * c], c) for c in (1, 7, Fraction(1, 3), 0.125)]
        assert len({(b.bound, b.loss, b.unit_margin) for b in bounds}) == 1
    fs = [guarantees.freund_schapire(ledger, block, [2 * c, 3 * c], c) for c in (1, Fraction(1, 3))]
    assert len({(b.bound, b.loss) for b in fs}) == 1


def test_numbers_of_all_sizes_are_added_up_exactly() -> None:
    X = np.array([[1e150, 0.0], [-1e150, 1e-150], [0.0, 0.0], [2.0**53 + 2, 0.1]])
    data = Data(X, np.array([1, 1, -1, -1], dtype=np.int8))
    ledger = run_on(data.block(), Additive(2, bias=True))
    u = [Fraction(1), Fraction(10**301), Fraction(-1, 3)]
    t = Textbook.of(data, u, Fraction(7, 5), bias=True)
    assert guarantees.l1_bound(ledger, u, Fraction(7, 5)).loss == t.over_mistakes[0]
    assert guarantees.l2_bound(ledger, u, Fraction(7, 5)).loss == t.over_mistakes[1]
    fs = guarantees.freund_schapire(ledger, data.block(), u, Fraction(7, 5))
    assert fs.loss == t.over_rounds[1]


def test_a_loss_is_counted_however_small() -> None:
    ledger = run_on(sources.block([[1.0]], [1]), Additive(1))
    gamma = 1 + Fraction(1, 2**200)
    assert guarantees.l1_bound(ledger, [1], gamma).loss == 1 - 1 / gamma > 0


def one_pass(**options: Any) -> tuple[Block, Ledger]:
    dice = np.random.default_rng(2)
    X, y = dice.integers(-5, 6, (200, 3)), dice.choice([-1, 1], 200)
    block = sources.block(X, y)
    return block, run_on(block, Additive(3, **options))


def test_a_block_may_be_given_in_any_order_and_in_pieces() -> None:
    block, _ = one_pass()
    mixed = arranged(block, 7)
    ledger = run_on(mixed, Additive(3))
    first, second = (
        Block(block.rows.take(np.arange(a, b)), block.labels[a:b], a)
        for a, b in ((0, 80), (80, 200))
    )
    given: list[Any] = [mixed, block, [first, second], replace(block, order=np.arange(200)[::-1])]
    bounds = [guarantees.freund_schapire(ledger, data, [1, 2, 3], 4) for data in given]
    assert len(set(bounds)) == 1
    best = [guarantees.best_comparator(ledger, data) for data in given]
    assert len({b.bound for b in best}) == 1


def test_an_example_counts_as_often_as_it_is_met_in_the_pass() -> None:
    order = np.array([0, 1, 1, 3, 1])
    block = replace(sources.block([[1.0], [1.0], [9.0], [2.0]], [1, -1, -1, 1]), order=order)
    ledger = run_on(block, Additive(1))
    fs = guarantees.freund_schapire(ledger, block, [1], 3)
    # margins 1, −1, −1, 2, −1 and not −9
    assert fs.loss == Fraction((3 - 1) ** 2 + 3 * (3 + 1) ** 2 + (3 - 2) ** 2, 9)


def test_positions_are_enough_when_there_are_rows() -> None:
    block, kept = one_pass()
    learner = Additive(3)
    places = play([block], learner, ledger=learner.open_ledger("positions")).ledger
    for guarantee in (guarantees.l1_bound, guarantees.l2_bound):
        expected = guarantee(kept, [1, 2, 3], 4)
        assert guarantee(places.with_examples(block), [1, 2, 3], 4) == expected
        with pytest.raises(NotKept):
            guarantee(places, [1, 2, 3], 4)
    fs = guarantees.freund_schapire(places, block, [1, 2, 3], 4)
    assert fs == guarantees.freund_schapire(kept, block, [1, 2, 3], 4)
    assert guarantees.best_comparator(places, block, [[1, 2, 3]]).holds
    with pytest.raises(NotKept):
        guarantees.best_comparator(places, block)


def test_freund_and_schapire_is_refused_for_more_or_less_than_one_pass() -> None:
    block, ledger = one_pass()
    twice = run_on(block, Additive(3), 2)
    with pytest.raises(ValueError, match="one whole pass; the run made 2 in 400.*l2_bound"):
        guarantees.freund_schapire(twice, block, [1, 2, 3], 4)
    learner = Additive(3)
    unfinished = learner.open_ledger()
    unfinished.record(learner.learn(block, 0, 100)[1], 100, block)
    with pytest.raises(ValueError, match="one whole pass; the run made 0 in 100"):
        guarantees.freund_schapire(unfinished, block, [1, 2, 3], 4)
    assert guarantees.freund_schapire(ledger, block, [1, 2, 3], 4).holds


def test_data_that_cannot_be_those_of_the_run_are_refused() -> None:
    block, ledger = one_pass()
    wrong: list[tuple[Block, str]] = [
        (replace(block, order=np.arange(199)), "has 199 rounds.*ended at rounds 200"),
        (replace(block, labels=-block.labels), "another label"),
        (replace(block, first=1000), "row .* is missing"),
        (sources.block(np.ones((200, 2)), block.labels), "2 features, the ledger 3"),
    ]  # fmt: skip
    for data, reason in wrong:
        with pytest.raises(BadExample, match=reason):
            guarantees.freund_schapire(ledger, data, [1, 2, 3], 4)
        with pytest.raises(BadExample, match=reason):
            guarantees.best_comparator(ledger, data)


def test_runs_and_comparators_that_the_theorems_do_not_cover_are_refused() -> None:
    block, ledger = one_pass()
    refused: list[tuple[dict[str, Any], str]] = [
        ({"start": np.ones(3)}, "did not start at w = 0"),
        ({"margin": 20.0}, "right by .* larger margin"),
    ]
    for options, reason in refused:
        _, other = one_pass(**options)
        for guarantee in (guarantees.l1_bound, guarantees.l2_bound):
            with pytest.raises(ValueError, match=reason):
                guarantee(other, [1, 2, 3], 4)
        with pytest.raises(ValueError, match=reason):
            guarantees.freund_schapire(other, block, [1, 2, 3], 4)
        with pytest.raises(ValueError, match=reason):
            guarantees.best_comparator(other, block)
    for u, gamma, reason in (
        ([0, 0, 0], 1, "all 0"),
        ([1, 2, 3], 0, "positive"),
        ([1, 2], 1, "2 numbers; it needs one for each of the 3 features"),
    ):
        with pytest.raises(ValueError, match=reason):
            guarantees.l1_bound(ledger, u, gamma)


def test_a_run_without_mistakes_needs_no_comparator() -> None:
    empty = Additive(2).open_ledger()
    empty.record(empty.mistakes, 3)
    empty.close_epoch()
    nothing = sources.block([[1, 0]] * 3, [1] * 3)
    for bound in (
        guarantees.l1_bound(empty, [1, 1], 1),
        guarantees.l2_bound(empty, [1, 1], 1),
        guarantees.freund_schapire(empty, nothing, [1, 1], 1),
        guarantees.best_comparator(empty, nothing),
        guarantees.best_comparator(empty, nothing, [[2, 1]]),
    ):
        assert [bound.bound, bound.mistakes, bound.loss] == [0, 0, 0]
        assert bound.margin is None
        assert bound.holds
        assert str(bound).endswith("no mistakes")
    assert list(bound.witness) == [2, 1]


def test_a_printed_bound_has_its_loss_and_tells_if_it_is_broken() -> None:
    ledger = run_on(sources.block(OPPOSED, [1] * 5), Additive(4))
    l1 = guarantees.l1_bound(ledger, [-3, -1, 1, 3], 8)
    assert str(l1) == (
        "Gentile 2003, L1: at most 5 mistakes, 5 made (R = 2, γ = 1.78885, loss = 2.5)"
    )
    assert "more than the bound" in str(replace(l1, mistakes=6))
    assert "loss = 1×10⁹⁰⁰)" in str(replace(l1, loss=Fraction(10**900)))


STEP_RATIOS = st.sampled_from(((1.0, 1.0), (1.0, 1.0), (1.0, 0.5), (0.25, 1.0)))


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


@given(st.data(), dyadic_data(), layouts, st.booleans(), STEP_RATIOS, st.sampled_from((1, 1, 3)))
def test_the_bound_of_the_best_comparator_is_exact_and_holds(
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


def test_on_noisy_data_the_bound_is_well_below_the_number_of_rounds() -> None:
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
    ledger.record(mistakes, stop, block)
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


def test_comparators_must_be_given_and_not_zero() -> None:
    block = noisy(20, 3)
    ledger = run_on(block, Additive(3))
    none: list[list[list[int]]] = [[], [[0, 0, 0]], [[1, 2, 3], [0, 0, 0]]]
    for path in none:
        with pytest.raises(ValueError, match="there must be comparators"):
            guarantees.best_comparator(ledger, block, path)
    with pytest.raises(ValueError, match="2 numbers; it needs one for each of the 3 features"):
        guarantees.best_comparator(ledger, block, [[1, 2]])
