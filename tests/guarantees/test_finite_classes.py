"""The bounds of finite classes: exact, never exceeded, and met, so no constant could be smaller."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from novikoff import play
from novikoff.concepts import (
    Adversary,
    Consistent,
    EliminateConjunction,
    Halving,
    WeightedMajority,
    against_con,
    against_elimination,
    against_halving,
    conjunctions,
    disjunctions,
    parities,
)
from novikoff.concepts.classes import ConceptClass
from novikoff.concepts.examples import every_example, labelled
from novikoff.guarantees import (
    ClassBound,
    consistent_bound,
    elimination_bound,
    halving_bound,
    weighted_majority_bound,
)
from novikoff.guarantees.exact.arithmetic import Number


@given(st.integers(1, 10**40))
@example(75_287_520)
@example(2**60)
@example(2**60 - 1)
def test_halving_is_the_logarithm_rounded_down(size: int) -> None:
    bound = halving_bound(size).bound
    assert 2**bound <= size < 2 ** (bound + 1)


def test_halving_on_the_monotone_conjunctions_of_5_of_100_errs_26_times_at_most() -> None:
    assert halving_bound(conjunctions(100, k=5, monotone=True).size).bound == 26


@pytest.mark.parametrize("n", [1, 4, 9])
def test_halving_meets_its_bound(n: int) -> None:
    hard = against_halving(n)
    made = play(hard.block, Halving(hard.concepts)).ledger.n_mistakes
    bound = halving_bound(hard.concepts.size)
    assert made == bound.bound
    assert bound.holds(made)
    assert not bound.holds(made + 1)


@pytest.mark.parametrize("n", [2, 7, 30])
def test_any_consistent_concept_meets_its_bound(n: int) -> None:
    hard = against_con(n)
    made = play(hard.block, Consistent(hard.concepts)).ledger.n_mistakes
    assert made == consistent_bound(hard.concepts.size).bound


@pytest.mark.parametrize("monotone", [True, False])
@pytest.mark.parametrize("n", [1, 6, 50])
def test_elimination_meets_its_bound(n: int, monotone: bool) -> None:
    hard = against_elimination(n, monotone=monotone)
    made = play(hard.block, EliminateConjunction(n, monotone=monotone)).ledger.n_mistakes
    assert made == elimination_bound(n, monotone=monotone).bound


@pytest.mark.parametrize("size", [1, 2, 3, 10, 200])
def test_a_random_consistent_concept_errs_the_logarithm_times_on_average(size: int) -> None:
    # on `against_con` the examples rule out one concept after the other: of c that are left each
    # is drawn with chance 1/c, and the one that r others outlive errs and leaves those r
    mean = [Fraction(0)]
    for c in range(2, size + 1):
        mean.append(sum((1 + mean[r - 1] for r in range(1, c)), Fraction(0)) / c)
    expected = consistent_bound(size).expected
    assert expected is not None
    assert float(mean[-1]) <= expected <= float(mean[-1]) + 0.43  # 1 − Euler's constant


betas = st.fractions(Fraction(1, 1000), Fraction(999, 1000), max_denominator=1000)


@given(st.integers(1, 10**30), st.integers(0, 60), betas)
def test_weighted_majority_is_the_largest_number_that_the_weights_allow(
    size: int, best: int, beta: Fraction
) -> None:
    bound = weighted_majority_bound(size, best, beta).bound
    shrinks = 2 / (1 + beta)
    assert shrinks**bound * beta**best <= size < shrinks ** (bound + 1) * beta**best


@pytest.mark.parametrize("beta", [Fraction(1, 2), 0.5, np.float64(0.5)], ids=repr)
def test_weighted_majority_tells_classes_apart_that_differ_by_one_concept(beta: Number) -> None:
    for most in range(5, 300):
        enough = -(-(4**most) // 3**most)  # concepts for which (4/3)ᴹ ≤ |C| just holds
        assert weighted_majority_bound(enough, 0, beta).bound == most
        assert weighted_majority_bound(enough - 1, 0, beta).bound == most - 1


def test_weighted_majority_has_a_bound_also_where_beta_is_nearly_1() -> None:
    bound = weighted_majority_bound(4, 0, 1 - 2.0**-40).bound
    assert bound == 3_048_493_539_142  # 2 ln 2 / -ln(1 - 2^-41), rounded down
    assert weighted_majority_bound(1, 0, 1 - 2.0**-40).bound == 0


@pytest.mark.parametrize("n", [1, 3, 6])
def test_weighted_majority_meets_its_bound_where_a_concept_is_always_right(n: int) -> None:
    hard, beta = against_halving(n), Fraction(1, 1000)
    made = play(hard.block, WeightedMajority(hard.concepts, beta)).ledger.n_mistakes
    assert made == weighted_majority_bound(hard.concepts.size, 0, beta).bound == n


@given(
    st.sampled_from([parities(3), disjunctions(3, monotone=True), conjunctions(2)]),
    st.lists(st.tuples(st.integers(0, 7), st.booleans()), min_size=1, max_size=25),
    st.sampled_from([Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)]),
)
def test_weighted_majority_stays_within_its_bound_on_any_labels(
    concepts: ConceptClass, drawn: list[tuple[int, bool]], beta: Fraction
) -> None:
    X = every_example(concepts.n)[[i % (1 << concepts.n) for i, _ in drawn]]
    y = np.array([label for _, label in drawn])
    best = int((concepts.evaluate(X) != y[:, None]).sum(axis=0).min())
    made = play(labelled(X, y), WeightedMajority(concepts, beta)).ledger.n_mistakes
    assert weighted_majority_bound(concepts.size, best, beta).holds(made)


def test_an_adversary_does_not_force_more_than_the_bounds() -> None:
    for concepts in (conjunctions(3), disjunctions(4, monotone=True), parities(4)):
        for make, bound in ((Consistent, consistent_bound), (Halving, halving_bound)):
            learner = make(concepts)
            made = play(Adversary(concepts).against(learner), learner).ledger.n_mistakes
            assert bound(concepts.size).holds(made)


def test_bounds_print_what_they_say() -> None:
    assert str(ClassBound("a theorem", 1234)) == "a theorem: at most 1,234 mistakes"
    assert str(consistent_bound(3)).endswith(
        "at most 2 mistakes, 1.09861 expected if drawn at random"
    )
    assert consistent_bound(10**400).expected == pytest.approx(400 * math.log(10), rel=1e-12)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: halving_bound(0), "size=0"),
        (lambda: consistent_bound(-1), "size=-1"),
        (lambda: elimination_bound(0, monotone=True), "n=0"),
        (lambda: weighted_majority_bound(0, 0, 0.5), "size=0"),
        (lambda: weighted_majority_bound(5, -1, 0.5), "cannot make -1 mistakes"),
        (lambda: weighted_majority_bound(5, 1, 1), "β must be between 0 and 1, got 1"),
        (lambda: weighted_majority_bound(5, 1, 0), "β must be between 0 and 1, got 0"),
        (lambda: weighted_majority_bound(5, 1, math.nan), "β is nan, which is not a finite number"),
    ],
)
def test_impossible_class_sizes_and_factors_are_refused(
    make: Callable[[], object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        make()
