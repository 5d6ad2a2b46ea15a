"""Winnow: the textbook's to the last bit, right where weights overflow, and within its bounds."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from helpers import textbook
from helpers.strategies import WIDTHS, Data, labels, layouts, orders, precisions, seeds, ties
from novikoff import Winnow, _core, guarantees, play, sources
from novikoff.guarantees.verdict import Verdict
from novikoff.learners import BalancedWinnow, Multiplicative, Winnow1, Winnow2
from novikoff.learners.multiplicative import OF_VARIANT, VARIANTS
from novikoff.ledger import readings
from novikoff.ledger.ledger import Ledger
from novikoff.sources import block
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample
from novikoff.stream.rows import DenseRows

few = settings(max_examples=40)
HUGE = np.finfo(np.float64).max


@st.composite
def boolean_data(draw: st.DrawFn) -> Data:
    """Rows of zeros and ones, with rows that come again, and any labels."""
    width, n = draw(st.sampled_from(WIDTHS)), draw(st.integers(1, 30))
    dice = np.random.default_rng(draw(seeds))
    X = (dice.random((n, width)) < draw(st.sampled_from((0.1, 0.5, 0.9)))).astype(np.float64)
    return Data(X[dice.integers(0, n, n)], draw(labels(n)))


def shown(data: Data, order: NDArray[np.int64] | None, *, bias: bool) -> list[textbook.Shown]:
    where = range(len(data)) if order is None else order.tolist()
    points = [[Fraction(float(x)) for x in [*row, *[1.0] * bias]] for row in data.X]
    return [(i, points[i], int(data.y[i])) for i in where]


def assert_played(learner: Multiplicative, ledger: Ledger, book: textbook.Winnowed) -> None:
    made = zip(ledger.rows.tolist(), map(Fraction, ledger.scores.tolist()), strict=True)
    assert list(made) == book.mistakes
    assert [Fraction(w) for w in learner.weights.tolist()] == book.weights
    assert ledger.rule == "multiplicative"


@settings(max_examples=120)
@given(st.data())
def test_winnow1_and_winnow2_are_the_textbook(draws: st.DataObject) -> None:
    data, order, tie = draws.draw(boolean_data()), None, draws.draw(ties)
    order = draws.draw(orders(len(data)))
    alpha = draws.draw(st.sampled_from((2, 4)))
    theta = draws.draw(st.sampled_from((0.5, 1.0, 2.0, 3.0, 7.25)))
    some = data.block(draws.draw(layouts), draws.draw(precisions), order=order)
    for kind, demotion in ((Winnow1, Fraction(0)), (Winnow2, Fraction(1, alpha))):
        learner = kind(data.dim, alpha=float(alpha), threshold=theta, ties=tie)
        ledger = play(some, learner).ledger
        book = textbook.winnow(
            shown(data, order, bias=False),
            alpha=Fraction(alpha),
            threshold=Fraction(theta),
            demotion=demotion,
            ties=tie,
        )
        assert_played(learner, ledger, book)


@settings(max_examples=120)
@given(st.data())
def test_balanced_winnow_is_the_textbook(draws: st.DataObject) -> None:
    """On attributes −1, 0 and 1, whose weights stay within 53 bits in a run as short as this."""
    data = draws.draw(boolean_data())
    signs = np.random.default_rng(draws.draw(seeds)).choice((-1.0, 1.0), data.X.shape)
    data = Data((data.X * signs)[:12], data.y[:12])
    order, tie, bias = draws.draw(orders(len(data))), draws.draw(ties), draws.draw(st.booleans())
    theta = draws.draw(st.sampled_from((0.0, 0.0, 0.5, -3.0)))
    learner = BalancedWinnow(data.dim, alpha=2.0, threshold=theta, ties=tie, bias=bias)
    some = data.block(draws.draw(layouts), draws.draw(precisions), order=order)
    ledger = play(some, learner).ledger
    book = textbook.balanced_winnow(
        shown(data, order, bias=bias), alpha=Fraction(2), threshold=Fraction(theta), ties=tie
    )
    assert_played(learner, ledger, book)


def exact_score(learner: Multiplicative, x: NDArray[np.float64]) -> Fraction:
    """w·x − θ with the learner's own powers, which are whole, in rationals."""
    base, s = Fraction(learner.alpha), -Fraction(learner.threshold)
    point = [*x.tolist(), *[1.0] * learner.bias]
    for p, x_j in zip(learner.powers.tolist(), point, strict=True):
        if x_j and p > -math.inf:
            up = base ** int(p)
            s += Fraction(x_j) * (up - 1 / up if learner.variant == "balanced" else up)
    return s


def with_powers(learner: Multiplicative, powers: list[float]) -> Multiplicative:
    settings, arrays = learner.state()
    return Multiplicative.restored(settings, {**arrays, "powers": np.array(powers, dtype=float)})


def assert_signs(learner: Multiplicative, X: NDArray[np.float64]) -> None:
    scores = learner.scores(DenseRows(X))
    assert scores.tobytes() == learner.scores(DenseRows(X).sparse()).tobytes()
    for x, s in zip(X, scores.tolist(), strict=True):
        exact = exact_score(learner, x)
        assert np.sign(s) == (exact > 0) - (exact < 0)
        assert abs(s) <= HUGE
        if HUGE > abs(exact) > 1:
            assert math.isclose(s, exact, rel_tol=1e-12)
        elif abs(exact) > HUGE:
            assert abs(s) == HUGE


@settings(max_examples=100)
@given(st.data())
def test_scores_have_the_right_sign_where_weights_overflow(draws: st.DataObject) -> None:
    """Powers of thousands, some of which cancel and leave what is below them to decide."""
    dim = draws.draw(st.integers(1, 9))
    power = st.sampled_from((0, 1, -1, 3, 700, -700, 1023, 1024, -1024, 2000, -2000, 5001, -5001))
    powers = draws.draw(st.lists(power.map(float), min_size=dim, max_size=dim))
    alpha = draws.draw(st.sampled_from((2.0, 4.0)))
    theta = draws.draw(st.sampled_from((0.5, 1.0, 8.0)))
    dice = np.random.default_rng(draws.draw(seeds))
    X = (dice.random((9, dim)) < 0.6).astype(np.float64)
    # a row that is finite after all is left to the sum that rounds
    far = np.array([abs(p) * math.log2(alpha) >= 1024 for p in powers])
    large = X[(X[:, far & (np.array(powers) > 0)] > 0).any(axis=1)]
    assert_signs(with_powers(Winnow2(dim, alpha=alpha, threshold=theta), powers), large)
    decided = X[(X[:, far] > 0).any(axis=1)]
    signed = decided * dice.choice((-1.0, 1.0), decided.shape)
    for bias in (False, True):
        start = BalancedWinnow(dim, alpha=alpha, bias=bias)
        assert_signs(with_powers(start, powers), signed)


def test_a_weight_that_is_no_float_does_not_touch_rows_without_its_attribute() -> None:
    """A dense row has it as 0 times infinity, a sparse one not at all: the bits are the same."""
    dice = np.random.default_rng(0)
    X = np.abs(dice.standard_normal((200, 9)))
    X[:, 0] = 0.0
    for start in (Winnow2(9, alpha=1.7), BalancedWinnow(9, alpha=1.7)):
        far, near = (with_powers(start, [p, *range(-4, 4)]) for p in (5000.0, 0.0))
        scores = near.scores(DenseRows(X)).tobytes()
        assert far.scores(DenseRows(X)).tobytes() == scores
        assert far.scores(DenseRows(X).sparse()).tobytes() == scores


def test_a_small_attribute_of_a_large_weight_counts_for_what_it_is() -> None:
    """2^1030 is no float; times 1e-300 it is 1.15e10."""
    for theta, sign in ((1e10, 1), (1e11, -1)):
        learner = with_powers(Winnow2(1, threshold=theta), [1030.0])
        (score,) = learner.scores(DenseRows(np.array([[1e-300]]))).tolist()
        assert np.sign(score) == sign
        assert math.isclose(score, Fraction(1e-300) * 2**1030 - Fraction(theta), rel_tol=1e-12)


@given(alpha=st.floats(1.0001, 100), p=st.floats(-100, 100) | st.floats(-1e-3, 1e-3))
def test_a_power_that_is_not_whole_is_what_the_library_of_c_says(alpha: float, p: float) -> None:
    """To a hundred roundings; near 0 too, where the two weights of balanced Winnow cancel."""
    t = p * math.log(alpha)
    (plain,) = with_powers(Winnow2(1, alpha=alpha), [p]).weights.tolist()
    assert math.isclose(plain, math.exp(t), rel_tol=1e-13 * max(1, abs(t)))
    start = BalancedWinnow(1, alpha=alpha, bias=False)
    (signed,) = with_powers(start, [p]).weights.tolist()
    assert math.isclose(signed, 2 * math.sinh(t), rel_tol=1e-13 * max(1, abs(t)))


@given(st.floats(1, 1e308, exclude_min=True) | st.floats(1, 1 + 1e-9, exclude_min=True))
@settings(max_examples=120)
def test_the_logarithm_of_the_base_is_rounded_once(alpha: float) -> None:
    tiny, weight = np.array([2.0**-60]), np.empty(1)
    _core.weights_of(alpha=alpha, balanced=True, powers=tiny, out=weight)  # 2 · tiny · ln α
    with ctx.workprec(200):
        assert weight[0] * 2.0**59 == float(arb(alpha).log())


@pytest.mark.parametrize(("alpha", "theta"), [(2.0, 2.0**1000), (1.0625, 1e300), (1.5, 5.0)])
def test_an_attribute_is_promoted_until_it_alone_exceeds_the_threshold(
    alpha: float, theta: float
) -> None:
    """⌊log_α θ⌋ + 1 times, thousands of them one by one."""
    needed = 0
    while Fraction(alpha) ** needed <= Fraction(theta):
        needed += 1
    for learner in (
        Winnow1(1, alpha=alpha, threshold=theta),
        Winnow2(1, alpha=alpha, threshold=theta),
    ):
        run = play(block(np.ones((needed + 5, 1)), [1] * (needed + 5)), learner)
        assert run.ledger.rounds.tolist() == list(range(1, needed + 1))


@pytest.mark.parametrize("seed", range(5))
def test_a_run_whose_weights_are_no_floats_makes_the_mistakes_of_exact_arithmetic(
    seed: int,
) -> None:
    """Labels that nothing explains, and mistakes that count hundreds: powers of thousands."""
    dice = np.random.default_rng(seed)
    X = dice.integers(-2, 3, (150, 6)).astype(np.float64)
    y = dice.choice((-1, 1), 150).astype(np.int8)
    some = Block(DenseRows(X), y, importances=dice.integers(1, 400, 150).astype(np.float64))
    learner, beyond = BalancedWinnow(6, alpha=2.0), 0
    for t in range(150):
        powers = np.abs(learner.powers)
        far = powers[-1] >= 1024 or (powers[:-1][X[t] != 0] >= 1024).any()
        exact = exact_score(learner, X[t])
        _, made = learner.learn(some, t, t + 1)
        if far:
            beyond += 1
            assert len(made) == (int(y[t]) * exact <= 0)
    assert beyond > 20


def disjunction(dice: np.random.Generator, n: int, k: int, rows: int) -> Data:
    """Rows of a density of their own, labelled by the disjunction of k attributes."""
    X = (dice.random((rows, n)) < 10.0 ** -dice.uniform(0, 2, (rows, 1))).astype(np.float64)
    relevant = dice.permutation(n)[:k]
    return Data(X, np.where(X[:, relevant].any(axis=1), 1, -1).astype(np.int8))


@settings(max_examples=120)
@given(seed=seeds, n=st.integers(1, 60), draws=st.data())
def test_winnow_on_disjunctions_stays_within_its_bounds(
    seed: int, n: int, draws: st.DataObject
) -> None:
    """Whatever a tie says: several thousand runs in all."""
    dice, k = np.random.default_rng(seed), draws.draw(st.integers(1, n))
    alpha = draws.draw(st.sampled_from((1.25, 1.5, 2.0, 3.0, 10.0)))
    theta = draws.draw(
        st.sampled_from((math.nextafter(1 / alpha, 1), 1.0, 2.5, n / 2 + 1, float(n), 3.0 * n))
    )
    some = disjunction(dice, n, k, 80).block(draws.draw(layouts))
    tie = draws.draw(ties)
    one = play(some, Winnow1(n, alpha=alpha, threshold=theta, ties=tie), epochs=20)
    assert len(one.ledger) <= guarantees.winnow1_bound(n, k, alpha=alpha, threshold=theta).bound
    plain = play(some, Winnow1(n, threshold=max(n / 2, 0.5), ties=tie), epochs=20)
    bound = guarantees.winnow1_bound(n, k, threshold=max(n / 2, 0.5)).bound
    assert len(plain.ledger) <= bound
    doubling = play(some, Winnow2(n, ties=tie), epochs=20)
    assert len(doubling.ledger) <= guarantees.doubling_bound(n, k).bound
    delta = Fraction(1)
    general = play(some, Winnow2(n, alpha=1.5, threshold=max(theta, 1.0), ties=tie), epochs=20)
    bound = guarantees.winnow2_bound(n, k, delta, max(theta, 1.0)).bound
    assert len(general.ledger) <= bound


@settings(max_examples=120)
@given(seed=seeds, n=st.integers(2, 40), draws=st.data())
def test_winnow2_on_r_of_k_stays_within_its_bound(seed: int, n: int, draws: st.DataObject) -> None:
    """μ is 1/r on each of the k, so Σμ = k/r and δ = 1/r."""
    dice, k = np.random.default_rng(seed), draws.draw(st.integers(1, n))
    r = draws.draw(st.integers(1, k))
    theta = draws.draw(st.sampled_from((1.0, 2.5, n / 2 + 1, float(n), 3.0 * n)))
    X = (dice.random((120, n)) < dice.random((120, 1))).astype(np.float64)
    y = np.where(X[:, dice.permutation(n)[:k]].sum(axis=1) >= r, 1, -1).astype(np.int8)
    learner = Winnow2(n, alpha=1 + 1 / (2 * r), threshold=theta, ties=draws.draw(ties))
    run = play(Data(X, y).block(), learner, epochs=30)
    bound = guarantees.winnow2_bound(n, Fraction(k, r), Fraction(1, r), theta)
    assert len(run.ledger) <= bound.bound


@pytest.mark.parametrize("n", [1, 2, 3, 64, 100, 1000, 1025])
def test_a_sequence_comes_within_two_of_winnow1s_bound(n: int) -> None:
    """So no constant of α(log_α θ + 1) + n/θ can be smaller by more than that, for any n and θ."""
    for t in range(n.bit_length()):
        theta = 1 << t
        some = sources.forcing_winnow1(n, theta)
        run = play(some, Winnow1(n, threshold=theta))
        assert len(run.ledger) == len(some) == 2 * t + n // theta
        assert len(run.ledger) == guarantees.winnow1_bound(n, 1, threshold=theta).bound - 2
        assert (some.labels > 0).tolist() == [0 in some.rows.row(i)[0] for i in range(len(some))]
        assert not run.ledger.scores.any()


@pytest.mark.parametrize("m", [1, 2, 3, 6, 10, 14])
def test_a_sequence_makes_winnow2_err_three_times_for_each_doubling_of_n(m: int) -> None:
    some = sources.forcing_winnow2(1 << m)
    run = play(some, Winnow2(1 << m))
    assert len(run.ledger) == len(some) == 3 * m
    assert len(run.ledger) == guarantees.doubling_bound(1 << m, 1).bound - 5
    assert (some.labels > 0).tolist() == [0 in some.rows.row(i)[0] for i in range(len(some))]
    assert not run.ledger.scores.any()


def test_the_forcing_sequences_are_asked_for_with_powers_of_two() -> None:
    with pytest.raises(ValueError, match="threshold must be a power of two up to n=10, not 3"):
        sources.forcing_winnow1(10, 3)
    with pytest.raises(ValueError, match="not 16"):
        sources.forcing_winnow1(10, 16)
    with pytest.raises(ValueError, match="power of two from 2, not 12"):
        sources.forcing_winnow2(12)


@pytest.mark.parametrize(("n", "k"), [(2, 1), (16, 3), (1024, 7), (1_000_000, 5), (10**6, 999)])
def test_with_two_and_half_of_n_the_bound_is_2k_log_n_plus_2(n: int, k: int) -> None:
    bound = guarantees.winnow1_bound(n, k).bound
    assert 2 ** (bound - 2) <= n ** (2 * k) < 2 ** (bound - 1)


def test_known_values_of_the_bounds() -> None:
    """Worked out by hand where the logarithm is whole, and to thirty digits where it is not."""
    assert guarantees.winnow1_bound(1024, 3).bound == 2 * 3 * 10 + 2
    assert guarantees.winnow1_bound(27, 2, alpha=3, threshold=9).bound == 3 * 2 * (2 + 1) + 3
    assert guarantees.winnow1_bound(8, 1, alpha=4, threshold=8).bound == 4 + 6 + 1  # log₄ 8 = 3/2
    assert guarantees.winnow1_bound(10, 4, alpha=2, threshold=Fraction(1, 2)).bound == 0 + 20
    assert guarantees.winnow1_bound(100, 5).bound == 68  # 10 log₂ 100 = 66.43
    assert guarantees.winnow1_bound(1, 1, alpha=1.1, threshold=1).bound == 2
    assert guarantees.doubling_bound(1, 1).bound == 5
    assert guarantees.doubling_bound(1024, 4).bound == 2 + 12 * 11
    assert guarantees.doubling_bound(100, 5).bound == 116  # 2 + 15 · 7.6438
    assert guarantees.winnow2_bound(10, 3, 1, 1).bound == 80 + 15
    assert guarantees.winnow2_bound(100, 5, 1).bound == 8 + 25 + 322  # 70 ln 100 = 322.36
    assert guarantees.winnow2_bound(7, 0, Fraction(1, 2), 7).bound == 32


def test_a_bound_that_is_an_integer_is_not_rounded_down() -> None:
    """Where the logarithm is rational no interval decides it; where it nearly is, one does."""
    for a, q in ((Fraction(9, 4), 3), (Fraction(8), 2), (Fraction(3, 2), 5)):
        theta = a**q
        exact = a * 6 * (q + 1) + 100 / theta
        assert guarantees.winnow1_bound(100, 6, alpha=a, threshold=theta).bound == exact // 1
    n, theta = 2**40, Fraction(2) ** 40
    assert guarantees.winnow1_bound(n, 1, threshold=theta).bound == 2 * 41 + 1
    below = theta - Fraction(1, 10**40)
    assert guarantees.winnow1_bound(n, 1, threshold=below).bound == 2 * 41


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: guarantees.winnow1_bound(3, 4),
        lambda: guarantees.winnow1_bound(3, 0),
        lambda: guarantees.winnow1_bound(3, 1, alpha=1),
        lambda: guarantees.winnow1_bound(3, 1, threshold=0.25),
        lambda: guarantees.winnow2_bound(3, -1, 0.5),
        lambda: guarantees.winnow2_bound(3, 1, 0),
        lambda: guarantees.winnow2_bound(3, 1, 1.5),
        lambda: guarantees.winnow2_bound(3, 1, 0.5, 0.5),
        lambda: guarantees.doubling_bound(0, 1),
    ],
)
def test_bounds_of_what_the_theorems_do_not_cover_are_refused(wrong: object) -> None:
    assert callable(wrong)
    with pytest.raises(ValueError, match="need"):
        wrong()


def test_bounds_say_what_they_are_about() -> None:
    assert str(guarantees.winnow2_bound(1000, Fraction(5, 2), Fraction(1, 2), 50)) == (
        "Winnow2: at most 1,212 mistakes (5/2 of 1,000 attributes, α = 5/4, θ = 50)"
    )


@pytest.mark.parametrize("kind", [Winnow1, Winnow2])
def test_a_negative_attribute_is_refused_by_name(kind: type[Winnow1 | Winnow2]) -> None:
    learner = kind(3, threshold=2.0)
    X = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, -0.5]])
    for rows in (DenseRows(X), DenseRows(X).sparse()):
        some = Block(rows, np.ones(2, np.int8), first=70)
        assert learner.learn(some, 0, 2)[0] == 1
        before = learner.powers.tolist()
        with pytest.raises(BadExample, match=r"row 71, column 2 holds -0.5, .* balanced"):
            learner.learn(some, 1, 2)
        with pytest.raises(BadExample, match="row 1, column 2"):
            learner.scores(rows)
        assert learner.powers.tolist() == before


def test_a_power_too_large_for_a_float_is_refused_and_nothing_learned() -> None:
    learner = with_powers(BalancedWinnow(2, bias=False), [1e308, 1.5e308])
    some = block([[1.0, -1.0], [1e308, -1e308]], [1, 1])
    assert learner.learn(some, 0, 2)[0] == 1
    before = learner.powers.tolist()
    with pytest.raises(BadExample, match=r"row 1: .*largest feature 1e\+308"):
        learner.learn(some, 1, 2)
    assert learner.powers.tolist() == before


def test_powers_whose_difference_is_infinite_are_compared() -> None:
    """The core subtracts them; without sanitizers an index out of bounds would not show."""
    clf = Winnow().fit([[1.7e308, 0.0], [0.0, 1.7e308]], [1, -1])
    assert clf.predict([[1.0, 0.0], [0.0, 1.0], [1.0, 2.0]]).tolist() == [1, -1, -1]
    assert clf.decision_function([[1.0, 1.0]]).tolist() == [0.0]


def test_an_attribute_winnow1_has_erased_stays_so() -> None:
    learner = Winnow1(2, threshold=0.5)
    play(block([[1.0, 0.0]], [-1]), learner)
    assert learner.powers.tolist() == [-math.inf, 0.0]
    play(block([[1.0, 0.0]] * 9, [1] * 9), learner)
    assert learner.powers.tolist() == [-math.inf, 0.0]
    assert learner.weights.tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"alpha": 1.0}, "alpha must be a finite number above 1, not 1.0"),
        ({"alpha": math.inf}, "alpha"),
        ({"threshold": 0.0}, "threshold must be a finite number above 0, not 0.0"),
        ({"threshold": math.nan}, "threshold"),
        ({"ties": "no"}, "ties must be one of mistake, positive, negative"),
        ({"class_weights": (0.0, 1.0)}, "class weights"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused(options: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Winnow2(3, **options)  # type: ignore[arg-type]


@few
@given(seed=seeds, draws=st.data())
def test_a_widened_winnow_is_one_that_was_wide(seed: int, draws: st.DataObject) -> None:
    dice = np.random.default_rng(seed)
    X = np.abs(dice.standard_normal((30, 24)))
    X[:15, 8:] = 0
    y = dice.choice((-1, 1), 30).astype(np.int8)
    variant = draws.draw(st.sampled_from(VARIANTS))
    growing, wide = (OF_VARIANT[variant](dim, alpha=1.3, threshold=5.0) for dim in (8, 24))
    play(block(np.ascontiguousarray(X[:15, :8]), y[:15]), growing)
    growing.widen(24)
    play(block(X[15:], y[15:]), growing)
    play(block(X, y), wide)
    assert growing.powers.tobytes() == wide.powers.tobytes()
    assert growing.weights.tobytes() == wide.weights.tobytes()


@few
@given(seed=seeds, variant=st.sampled_from(VARIANTS))
def test_a_stored_winnow_goes_on_to_the_same_bit(seed: int, variant: str) -> None:
    dice = np.random.default_rng(seed)
    data = block(np.abs(dice.standard_normal((40, 9))), dice.choice((-1, 1), 40))
    straight = {
        "winnow1": Winnow1(9, ties="positive"),
        "winnow2": Winnow2(9, class_weights=(0.5, 2.0)),
        "balanced": BalancedWinnow(9, threshold=0.25),
    }[variant]
    straight.learn(data, 0, 20)
    settings, arrays = straight.state()
    again = Multiplicative.restored(settings, {k: a.copy() for k, a in arrays.items()})
    for learner in (straight, again):
        learner.learn(data, 20, 40)
    assert again.powers.tobytes() == straight.powers.tobytes()
    assert again.weights.tobytes() == straight.weights.tobytes()
    assert again.state()[0] == straight.state()[0]


@pytest.mark.parametrize("kind", [Winnow2, BalancedWinnow])
def test_only_winnow1_has_weights_that_were_erased(kind: type[Winnow2 | BalancedWinnow]) -> None:
    settings, arrays = kind(2).state()
    with pytest.raises(ValueError, match="powers are not finite"):
        Multiplicative.restored(settings, {**arrays, "powers": np.array([0.0, -np.inf])})


def test_a_run_that_returns_to_its_weights_is_not_called_a_proof() -> None:
    """With a threshold the sums of mistakes being 0 proves nothing: θ is not among them."""
    some = block([[1.0, 0.0], [1.0, 0.0]], [1, -1])
    assert play(some, Winnow2(2, threshold=1.5), epochs=50).verdict is Verdict.BUDGET


def test_what_rests_on_sums_of_weights_is_refused_for_powers() -> None:
    run = play(block([[1.0, 0.0]], [1]), BalancedWinnow(2))
    for reading in (readings.final, readings.average):
        with pytest.raises(ValueError, match="weights that are a sum of the mistakes"):
            reading(run.ledger)
