"""From the mistakes of a first pass to the risk: the formulas, rounded upwards; the refusals."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff import Perceptron, guarantees, sources
from novikoff.learners import Additive
from novikoff.ledger.ledger import Ledger
from novikoff.runs.loop import play
from novikoff.stream.rows import Vector

COUNTS = st.integers(1, 10**7).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))
CONFIDENCES = st.fractions(Fraction(1, 1000), Fraction(9999, 10000))


def exp(x: Fraction) -> Decimal:
    return (Decimal(x.numerator) / x.denominator).exp()


def azuma_holds(v: float, n: int, M: int, delta: Fraction) -> bool:
    """Whether v ≥ M/n + √(ln(1/δ)/2n), read backwards: e^(2n(v − M/n)²) ≥ 1/δ."""
    over = Fraction(v) - Fraction(M, n)
    with localcontext() as context:
        context.prec = 80
        return over >= 0 and exp(2 * n * over**2) * delta.numerator >= delta.denominator


def bernstein_holds(v: float, n: int, M: int, delta: Fraction) -> bool:
    """Whether nv − M ≥ 36L + 2√(ML), where L = ln((M + 3)/δ): solved for √L, and then for δ."""
    with localcontext() as context:
        context.prec = 80
        over = Fraction(v) * n - M
        if over < 0:
            return False
        excess = Decimal(over.numerator) / over.denominator
        root = (Decimal(4 * M) + 4 * 36 * excess).sqrt() / 72 - Decimal(4 * M).sqrt() / 72
        return (root * root).exp() * delta.numerator >= (M + 3) * delta.denominator


@given(COUNTS, CONFIDENCES)
def test_each_value_is_the_least_float_that_its_formula_allows(
    counts: tuple[int, int], confidence: Fraction
) -> None:
    n, M = counts
    delta = 1 - confidence
    risk = guarantees.average_risk(n, M, confidence=confidence)
    for value, holds in ((risk.azuma, azuma_holds), (risk.bernstein, bernstein_holds)):
        assert value == 1 or holds(value, n, M, delta)
        assert not holds(math.nextafter(value, 0), n, M, delta)
    # the smaller of two may fail when either does, so each is given half of δ
    halved = guarantees.average_risk(n, M, confidence=1 - delta / 2)
    assert risk.value == min(halved.azuma, halved.bernstein)
    assert risk.value >= min(risk.azuma, risk.bernstein)


def test_the_values_are_those_computed_by_hand() -> None:
    risk = guarantees.average_risk(100, 10)
    assert risk.azuma == pytest.approx(0.1 + 0.122387, abs=1e-6)  # √(ln 20/200)
    assert risk.bernstein == 1  # 0.1 + 0.36 ln 260 + … = 2.25
    risk = guarantees.average_risk(100_000, 0, confidence=Fraction(97, 100))
    assert risk.azuma == pytest.approx(0.0041872, abs=1e-7)  # √(ln(100/3)/200000)
    assert risk.bernstein == pytest.approx(0.00165786, abs=1e-8)  # 0.00036 ln 100
    risk = guarantees.average_risk(100_000, 997, confidence=Fraction(9, 10))
    L = math.log(10_000)
    by_hand = (997 + 36 * L + 2 * math.sqrt(997 * L)) / 100_000
    assert risk.bernstein == pytest.approx(by_hand, rel=1e-14)


def test_few_mistakes_in_many_rounds_are_for_bernstein_and_many_for_azuma() -> None:
    few = guarantees.average_risk(10**6, 30)
    many = guarantees.average_risk(10**4, 3000)
    assert few.value < few.azuma
    assert few.bernstein < few.value < 2 * few.bernstein
    assert many.azuma < many.value < many.bernstein


@given(COUNTS, CONFIDENCES, CONFIDENCES)
def test_more_mistakes_and_more_confidence_do_not_make_the_risk_smaller(
    counts: tuple[int, int], one: Fraction, other: Fraction
) -> None:
    n, M = counts
    low, high = sorted((one, other))
    risk = guarantees.average_risk(n, M, confidence=low)
    for larger in (
        guarantees.average_risk(n, min(n, M + 1), confidence=low),
        guarantees.average_risk(n, M, confidence=high),
    ):
        assert larger.azuma >= risk.azuma
        assert larger.bernstein >= risk.bernstein
        assert larger.value >= risk.value


def test_the_printed_risk_is_rounded_upwards_or_called_useless() -> None:
    risk = guarantees.average_risk(10_000, 700)
    assert 0.0835 < risk.value < 0.0836
    assert str(risk) == (
        "average risk at most 0.0836 with confidence 0.95, from 700 mistakes in 10,000 rounds"
    )
    small = guarantees.average_risk(10**8, 300)
    assert float(str(small).split()[4]) >= small.value
    nothing = guarantees.average_risk(1, 0)
    assert nothing.azuma == nothing.bernstein == nothing.value == 1
    assert str(nothing) == ("0 mistakes in 1 round give no useful risk bound with confidence 0.95")
    assert str(replace(risk, value=0.1)).startswith("average risk at most 0.101 ")  # 0.1 + 5.6e-18


def test_impossible_counts_and_confidences_are_refused() -> None:
    for rounds, mistakes in ((0, 0), (5, 6), (5, -1)):
        with pytest.raises(ValueError, match="0 <= mistakes <= rounds"):
            guarantees.average_risk(rounds, mistakes)
    for confidence in (0, 1, -0.5, 95):
        with pytest.raises(ValueError, match="between 0 and 1"):
            guarantees.average_risk(10, 1, confidence=confidence)
    with pytest.raises(ValueError, match="not a finite number"):
        guarantees.average_risk(10, 1, confidence=math.nan)


def played(epochs: int = 3, **options: object) -> Ledger:
    stream = sources.separable(400, [3.0, 1.0, -2.0], margin=0.01, seed=0)
    return play(stream, Additive(3, **options), epochs=epochs).ledger  # type: ignore[arg-type]


def test_only_the_first_pass_counts_however_many_there_are() -> None:
    ledger = played()
    assert len(ledger.epoch_ends) > 1
    first = guarantees.risk_bound(ledger, confidence=0.9)
    assert first == guarantees.risk_bound(played(1), confidence=0.9)
    assert (first.rounds, first.mistakes) == (400, ledger.epoch_mistakes[0])
    assert first.mistakes < len(ledger)
    assert first == guarantees.average_risk(400, first.mistakes, confidence=0.9)


def test_counts_suffice_for_any_start_and_margin() -> None:
    learner = Additive(3)
    stream = sources.separable(400, [3.0, 1.0, -2.0], margin=0.01, seed=0)
    counts = play(stream, learner, ledger=learner.open_ledger("counts")).ledger
    assert guarantees.risk_bound(counts) == guarantees.risk_bound(played())
    assert guarantees.risk_bound(played(start=np.array([1.0, 0.0, 0.0]))).rounds == 400
    wide = guarantees.risk_bound(played(margin=1.0))
    assert wide.mistakes == played(1, margin=1.0).n_mistakes


def test_a_learner_that_had_played_before_is_refused() -> None:
    stream = sources.separable(50, [3.0, 1.0], margin=0.01, seed=0)
    learner = Additive(2)
    play(stream, learner)
    with pytest.raises(ValueError, match="had met 50 examples before .* already depend"):
        guarantees.risk_bound(play(stream, learner).ledger)


def test_an_unfinished_pass_is_refused() -> None:
    with pytest.raises(ValueError, match="no pass was finished in 0 rounds"):
        guarantees.risk_bound(Additive(2).open_ledger())


def test_a_row_met_twice_in_the_first_pass_is_refused() -> None:
    block = sources.block([[1.0, 0.0], [1.0, 0.0]], [1, -1])
    ledger = play(replace(block, order=np.array([0, 1, 0, 1])), Additive(2)).ledger
    with pytest.raises(ValueError, match="row 0 came twice in the first pass: the weights"):
        guarantees.risk_bound(ledger)


def weights_of_rounds(ledger: Ledger, X: Vector) -> tuple[Vector, Vector]:
    """Every weight vector of a run, and the number of rounds it was tested in."""
    moves = ledger.steps[:, None] * X[ledger.rows]
    w = np.vstack([np.zeros(X.shape[1]), np.cumsum(moves, axis=0)])
    ends = np.concatenate([[0], ledger.rounds, [ledger.n_rounds]])
    return w, np.diff(ends).astype(np.float64)


@pytest.mark.parametrize(("noise", "n"), [(0.0, 100), (0.1, 100), (0.4, 300)])
def test_the_average_risk_of_runs_on_independent_draws_is_within_the_bounds(
    noise: float, n: int
) -> None:
    """The points are a grid without 0 and labels are flipped by chance, so each risk is exact."""
    dice = np.random.default_rng(17)
    grid = np.stack(np.meshgrid(*[np.arange(-2.0, 3)] * 3), axis=-1).reshape(-1, 3)
    grid = grid[grid @ [3, -2, 7] != 0]
    truth = np.sign(grid @ [3, -2, 7])
    runs, confidence = 200, 0.8
    broken, without_the_rest = np.zeros(3), 0
    for _ in range(runs):
        drawn = dice.integers(0, len(grid), n)
        y = truth[drawn] * np.where(dice.random(n) < noise, -1, 1)
        ledger = play(sources.block(grid[drawn], y), Additive(3)).ledger
        w, rounds = weights_of_rounds(ledger, grid[drawn])
        scores = w @ grid.T
        wrong_if_true = (scores * truth <= 0).mean(axis=1)
        wrong_if_flipped = (scores * truth >= 0).mean(axis=1)
        risks = (1 - noise) * wrong_if_true + noise * wrong_if_flipped
        risk = float(rounds @ risks) / n
        bound = guarantees.risk_bound(ledger, confidence=confidence)
        broken += [risk > v for v in (bound.azuma, bound.bernstein, bound.value)]
        without_the_rest += risk > bound.mistakes / n
    assert (broken <= (1 - confidence) * runs).all()
    # M/n alone is a fair guess and no bound
    assert 0.3 * runs < without_the_rest < 0.7 * runs


def test_examples_of_weight_0_give_no_bound_in_blocks_and_one_by_one() -> None:
    block = sources.block([[1.0], [1.0], [2.0]], [1, -1, 1])
    block = replace(block, importances=np.array([1.0, 0.0, 1.0]))
    ledger = play(block, Additive(1)).ledger
    with pytest.raises(ValueError, match="weight 0"):
        guarantees.risk_bound(ledger)
    again = Ledger.restored(*ledger.state())
    assert again.has_weightless
    clf = Perceptron()
    for weight in (1.0, 0.0):
        clf.learn_one({"x": 1.0}, weight > 0, weight=weight)
    assert clf.ledger_.has_weightless
    assert "weight 0" in str(clf.summary())
