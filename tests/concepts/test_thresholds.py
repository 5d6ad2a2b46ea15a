"""Concepts as threshold units: exact margins, and bounds no run of the perceptron exceeds."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.boolean_concepts import concepts, cube, literals_of_different_variables, value
from novikoff import Additive, certify, guarantees, play, sources
from novikoff.concepts import (
    AtLeast,
    Concept,
    Conjunction,
    Disjunction,
    LinearThreshold,
    Parity,
    ThresholdUnit,
    at_least,
    conjunctions,
    disjunctions,
    every_example,
    linear_thresholds,
    parse,
    threshold_unit,
)
from novikoff.concepts.examples import labels_of


def signed_at_least(n: int) -> list[Concept]:
    """At least r of some k of n variables, each plain or negated, for all 1 ≤ r ≤ k."""
    signed = [c.literals for c in conjunctions(n) if isinstance(c, Conjunction) and c.literals]
    return [AtLeast(some, r) for some in signed for r in range(1, len(some) + 1)]


def least_score(unit: ThresholdUnit, concept: Concept, n: int) -> int:
    """The smallest of the scores on the concept's side, over every example."""
    u = unit.weights
    scores = (
        (1 if value(concept, x) else -1) * (sum(a * b for a, b in zip(u, (*x, 1), strict=True)))
        for x in cube(n)
    )
    return min(scores)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_no_weights_have_a_wider_margin_than_the_units(n: int) -> None:
    X = every_example(n).astype(float)
    known = dict[tuple[int, ...], Fraction]()
    both = [c for family in (conjunctions, disjunctions) for c in family(n) if c.variables]
    for concept in [*both, *signed_at_least(n)]:
        y = labels_of(concept.evaluate(X))
        if (key := tuple(y.tolist())) not in known:
            margin = certify(X, y, margin_rtol=0).margin
            assert margin is not None
            assert margin.at_least_squared == margin.at_most_squared
            known[key] = margin.at_least_squared
        unit = threshold_unit(concept, n)
        assert unit.margin_squared == known[key]
        assert unit.radius_squared == n + 1 == max(sum(x) + 1 for x in cube(n))
        assert unit.bound == (n + 1) / known[key]


@given(concepts(5))
def test_a_unit_has_the_sign_of_its_concept_and_its_margin_is_the_least_score(
    concept: Concept,
) -> None:
    constant = len({value(concept, x) for x in cube(5)}) == 1
    kinds = (Conjunction, Disjunction, AtLeast, LinearThreshold)
    if constant or not isinstance(concept, kinds):
        with pytest.raises(ValueError, match="on every example|only conjunctions"):
            threshold_unit(concept, 5)
        return
    unit = threshold_unit(concept, 5)
    score, squared = least_score(unit, concept, 5), sum(a * a for a in unit.weights)
    assert len(unit.weights) == 6
    assert score > 0
    assert unit.margin_squared == Fraction(score**2, squared)
    assert unit.bound == 6 * squared // score**2


def test_every_threshold_function_is_its_own_unit() -> None:
    for concept in linear_thresholds(3):
        if len({value(concept, x) for x in cube(3)}) == 2:
            assert least_score(threshold_unit(concept, 3), concept, 3) > 0


@pytest.mark.parametrize(("n", "k"), [(1, 1), (5, 2), (100, 5), (7, 7)])
def test_monotone_disjunctions_have_the_bound_that_is_known(n: int, k: int) -> None:
    known = guarantees.k_disjunction(n, k)
    unit = threshold_unit(Disjunction(tuple(range(1, k + 1))), n)
    assert unit.bound == known.bound
    assert unit.margin_squared == known.margin_squared
    assert unit.weights == known.witness


@given(st.data())
def test_the_perceptron_stays_within_the_units_bound(data: st.DataObject) -> None:
    n = 8
    some = data.draw(literals_of_different_variables(n))
    concept = AtLeast(some, data.draw(st.integers(1, len(some))))
    dice = np.random.default_rng(data.draw(st.integers(0, 1 << 20)))
    X = (dice.random((600, n)) < dice.random()).astype(float)
    block = sources.block(X, labels_of(concept.evaluate(X)))
    run = play(block, Additive(n, bias=True), epochs=30)
    assert run.ledger.n_mistakes <= threshold_unit(concept, n).bound


def test_a_variable_both_plain_and_negated_counts_as_one_that_is_true() -> None:
    assert threshold_unit(AtLeast((1, -1, 2, 3), 2)).weights == (0, 2, 2, -1)
    assert least_score(threshold_unit(AtLeast((1, -1, 2, 3), 3)), parse("x2 & x3"), 3) == 1


@pytest.mark.parametrize(
    ("concept", "message"),
    [
        (Conjunction(()), "⊤ is true on every example"),
        (Disjunction(()), "⊥ is false on every example"),
        (Conjunction((1, -1)), "x₁ ∧ ¬x₁ is false on every example"),
        (Disjunction((1, 2, -1)), "is true on every example"),
        (AtLeast((1, 2), 3), "is false on every example"),
        (AtLeast((1, 2), 0), "is true on every example"),
        (LinearThreshold((1, 1), 3), "is false on every example"),
        (LinearThreshold((1, -1), -1), "is true on every example"),
        (Parity((1, 2)), "only conjunctions, disjunctions"),
        (LinearThreshold((1 << 25,), 1), "the weights add up to 33,554,432"),
    ],
)
def test_concepts_without_a_unit_are_refused(concept: Concept, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        threshold_unit(concept, 4)


def test_fewer_attributes_than_the_concept_needs_are_refused() -> None:
    with pytest.raises(ValueError, match="depends on x7, but there are only 3 variables"):
        threshold_unit(Conjunction((7,)), 3)
    assert len(threshold_unit(Conjunction((7,))).weights) == 8


def test_a_unit_prints_its_rule_and_bound() -> None:
    assert str(threshold_unit(parse("x2 & !x3"), 3)) == (
        "x₂ ∧ ¬x₃ as 2x₂ − 2x₃ ≥ 1: at most 36 mistakes (R² = 4, γ² = 1/9)"
    )


def test_at_least_families_have_units() -> None:
    assert {threshold_unit(c, 6).bound for c in at_least(2, 6, k=3)} == {7 * (12 + 9)}
