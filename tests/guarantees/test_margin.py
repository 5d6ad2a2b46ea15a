"""Margins and the bounds of margin perceptrons are exact, and some run meets them."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.proofs import CLASS_WEIGHTS, RATES, SEPARABLE, Textbook, ledger_of, run_on
from helpers.strategies import Data
from novikoff import guarantees, sources
from novikoff.guarantees.verdict import Verdict
from novikoff.learners import Additive
from novikoff.ledger import readings
from novikoff.runs.loop import play
from novikoff.stream.input_problems import BadExample
from novikoff.stream.order import arranged
from novikoff.stream.rows import Vector


def test_a_margin_that_the_rate_does_not_divide_exactly_is_still_the_runs_margin() -> None:
    block = sources.block([[0.1, 0.7], [0.3, 0.2]], [1, 1])
    for rate in (0.1, 0.3, 0.7, 1.1):
        for margin in (0.1, 0.3, 1 / 3, 0.7):
            ledger = run_on(block, Additive(2, rate=rate, margin=margin))
            assert guarantees.margin_perceptron(ledger, [1, 1], margin).holds
    # 3.9/1.3 is 3 in floating point, and 3 · 1.3 is more than 3.9
    ledger = ledger_of([[1.0]], [1], rate=1.3, margin=3.9)
    assert ledger.scores[-1] > 3.9
    assert guarantees.margin_perceptron(ledger, [1], 3.9).holds
    with pytest.raises(ValueError, match="used a larger margin"):
        guarantees.margin_perceptron(ledger, [1], 3.9 * (1 - 2.0**-49))


def test_unit_margin_and_radius_give_three_over_gamma_squared_and_a_third_of_gamma() -> None:
    block = sources.block([[1, 0], [0.6, 0.8]], [1, 1])
    learner = Additive(2, margin=1.0)
    promise = guarantees.margin_perceptron(run_on(block, learner), [2, 1], 1)
    gamma_squared = promise.margin**2 / 5 if promise.margin is not None else 0
    assert promise.radius_squared == Fraction(0.6) ** 2 + Fraction(0.8) ** 2 > 1
    assert promise.bound == 3 / gamma_squared // 1
    unit = sources.block([[1, 0], [0, 1], [0, -1]], [1, 1, -1])
    learner = Additive(2, margin=1.0)
    promise = guarantees.margin_perceptron(run_on(unit, learner), [1, 1], 1)
    assert promise.bound == 6  # 3/γ² with γ² = 1/2
    assert promise.promised_squared == Fraction(1, 2) / 9  # (γ/3)²
    assert promise.promised == pytest.approx(math.sqrt(0.5) / 3, rel=1e-15)
    assert guarantees.achieved_margin(learner.weights, unit).exceeds(promise.promised_squared)
    assert "after a clean pass the margin exceeds 0.235702" in str(promise)
    assert "at most 6 updates" in str(promise)  # some were right, by no more than η


@pytest.mark.parametrize("rate", [1.0, 2.0, 0.25])
def test_three_updates_meet_the_margin_bound_exactly(rate: float) -> None:
    # w·z is 0, 3 and 4 at the three updates, never above η = 4, and w ends near the witness
    rows: list[list[float]] = [[-2, 1, 2], [0, 3, 0], [2, 1, 2]]
    eta = 4 * rate
    ledger = ledger_of(rows, [1, 1, 1], rate=rate, margin=eta)
    promise = guarantees.margin_perceptron(ledger, [0, 1, 1], eta)
    assert promise.bound == promise.mistakes == 3
    assert (9 + 4) * 2 // 9 == 2  # what half of 2η would allow
    assert promise.promised_squared == Fraction(3 * 4, 9 + 2 * 4) ** 2 / 2
    assert guarantees.from_start(ledger, [0, 1, 1], margin=eta).bound == 3


@given(SEPARABLE, RATES, st.sampled_from((0.25, 1.0, 6.0, 40.0)), CLASS_WEIGHTS, st.booleans())
def test_margin_runs_stay_within_the_bound_and_keep_the_promise(
    drawn: tuple[Data, Vector],
    rate: float,
    eta: float,
    class_weights: tuple[float, float],
    bias: bool,
) -> None:
    data, v = drawn
    u = [*v.tolist(), *[0.0] * bias]
    learner = Additive(data.dim, bias=bias, rate=rate, margin=eta, class_weights=class_weights)
    run = play([data.block()], learner, epochs=100_000)
    assert run.verdict is Verdict.SEPARATED
    promise = guarantees.margin_perceptron(run.ledger, u, eta)
    t = Textbook.of(run.ledger, data.X, u)
    a, b, h = min(t.steps), max(t.steps), Fraction(eta)
    assert promise.holds
    assert promise.threshold == h
    assert promise.bound == (b * t.r2 + 2 * h) * t.u2 // (a * t.gamma**2)
    assert promise.promised_squared == (t.gamma * h / (b * t.r2 + 2 * h)) ** 2 / t.u2
    achieved = guarantees.achieved_margin(learner.weights, data.block())
    assert achieved.exceeds(promise.promised_squared)
    assert achieved.smallest > h
    assert promise.bound == guarantees.from_start(run.ledger, u, margin=eta).bound
    assert guarantees.sandwich(run.ledger, u, margin=eta).holds


def test_with_margin_0_the_margin_bound_is_novikoffs_and_promises_nothing() -> None:
    ledger = run_on(sources.tight(5), Additive(5))
    promise = guarantees.margin_perceptron(ledger, [1] * 5, 0)
    assert promise.bound == 5
    assert promise.promised_squared == 0


def test_no_margin_exceeds_what_the_mistakes_allow() -> None:
    for n in (1, 2, 9, 30):
        learner = Additive(n, rate=0.7)
        ledger = run_on(sources.tight(n), learner)
        ceiling = guarantees.margin_at_most(ledger)
        assert ceiling.squared == Fraction(1, n)
        achieved = guarantees.achieved_margin([1] * n, sources.tight(n))
        assert achieved.smallest**2 == ceiling.squared * achieved.weights_squared
        assert not achieved.exceeds(ceiling.squared)
    assert str(ceiling) == "no margin exceeds 0.182574 (proved by 30 mistakes)"


def test_steps_of_other_sizes_and_other_starts_weigh_the_mistakes() -> None:
    labels = [1, -1]
    weighted = run_on(sources.block(np.eye(2), labels), Additive(2, class_weights=(3.0, 1.0)))
    assert guarantees.margin_at_most(weighted).squared == Fraction(1 + 9, (1 + 3) ** 2)
    start = np.array([-3.0, 5.0])
    moved = run_on(sources.block(np.eye(2), [1, 1]), Additive(2, start=start))
    assert moved.rows.tolist() == [0, 0, 0, 0]
    assert guarantees.margin_at_most(moved).squared == 1


@given(SEPARABLE, RATES, CLASS_WEIGHTS, st.sampled_from((0.0, 2.0)))
def test_the_best_margin_lies_between_what_was_achieved_and_what_is_allowed(
    drawn: tuple[Data, Vector], rate: float, class_weights: tuple[float, float], eta: float
) -> None:
    data, u = drawn
    learner = Additive(data.dim, rate=rate, class_weights=class_weights, margin=eta)
    ledger = run_on(data.block("csr of int64"), learner, 100_000)
    ceiling = guarantees.margin_at_most(ledger)
    t = Textbook.of(ledger, data.X, u)
    w = t.weights()[-1]
    assert ceiling.squared == t.dot(w, w) / sum(t.steps) ** 2
    for v in (u, learner.weights, readings.average(ledger)):
        if np.any(v):
            assert not guarantees.achieved_margin(v, data.block()).exceeds(ceiling.squared)


def test_the_row_of_a_margin_is_named_by_its_place_in_the_data() -> None:
    block = sources.block([[5.0], [1.0], [3.0]], [1, 1, 1])
    for seed in range(6):
        assert guarantees.achieved_margin([1.0], arranged(block, seed)).row == 1


def test_the_achieved_margin_is_exact_and_names_its_row() -> None:
    block = sources.block([[3, 0], [0, 1], [-1, -2]], [1, 1, -1], first=100)
    achieved = guarantees.achieved_margin([Fraction(1), Fraction(1, 3)], block)
    assert (achieved.row, achieved.smallest) == (101, Fraction(1, 3))
    assert achieved.weights_squared == Fraction(10, 9)
    assert achieved.value == pytest.approx(1 / math.sqrt(10), rel=1e-15)
    assert str(achieved) == "margin 0.316228, at row 101"
    assert not achieved.exceeds(Fraction(1, 10) + Fraction(1, 10**30))
    assert not achieved.exceeds(Fraction(1, 10))
    assert achieved.exceeds(Fraction(1, 10) - Fraction(1, 10**30))
    wrong = guarantees.achieved_margin([1, -1], block)
    assert (wrong.row, wrong.smallest) == (101, Fraction(-1))
    assert wrong.value == pytest.approx(-math.sqrt(0.5))
    for second in (-1, -0.125, 0):
        not_right = guarantees.achieved_margin([1, second], block)
        assert not not_right.exceeds(Fraction(0))
    assert not_right.value == 0


def test_one_extra_weight_belongs_to_the_constant() -> None:
    block = sources.block([[1.0], [3.0]], [-1, 1])
    achieved = guarantees.achieved_margin([1, -2], block)
    assert [achieved.smallest, achieved.weights_squared] == [1, 5]
    with pytest.raises(ValueError, match="3 weights do not fit rows of 1 features"):
        guarantees.achieved_margin([1, 2, 3], block)


def test_zero_weights_and_empty_blocks_have_no_margin() -> None:
    with pytest.raises(ValueError, match="have no margin"):
        guarantees.achieved_margin([0, 0], sources.tight(2))
    with pytest.raises(BadExample, match="no rows"):
        guarantees.achieved_margin([1.0], sources.block(np.zeros((0, 1)), []))
    with pytest.raises(BadExample, match="NaN"):
        guarantees.achieved_margin([0, 1], sources.block([[math.nan, 1.0]], [1]))
