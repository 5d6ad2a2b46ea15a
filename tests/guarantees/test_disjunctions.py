"""The margins and the bounds of disjunctions are the best there are."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest

from helpers.proofs import run_on
from novikoff import guarantees, sources
from novikoff.learners import Additive


def test_the_forcing_sequence_has_the_witness_of_its_disjunction() -> None:
    ledger = run_on(sources.forcing_disjunction(20, 4), Additive(20, bias=True), 1)
    assert guarantees.novikoff(ledger, guarantees.k_disjunction(20, 4).witness).holds


def labelled_points(n: int, k: int, constant: bool) -> list[tuple[tuple[int, ...], int]]:
    """Every point of {0,1}^n with the label of x₁ ∨ … ∨ x_k, 0 only when there is a constant."""
    points = itertools.product((0, 1), repeat=n)
    return [
        ((*x, 1) if constant else x, 1 if any(x[:k]) else -1) for x in points if constant or any(x)
    ]


def optimal_multipliers(n: int, k: int, constant: bool) -> dict[tuple[int, ...], Fraction]:
    """A convex combination of the points whose length is the best margin."""
    if constant:
        out = {tuple(int(j in (i, n)) for j in range(n + 1)): Fraction(2) for i in range(k)}
        out[(*[0] * n, 1)] = Fraction(2 * k + 1)
    else:
        rest = range(k, n)
        out = {
            tuple(int(j == i or j >= k) for j in range(n)): Fraction(n - k + 1) for i in range(k)
        }
        for i in rest:
            out[tuple(int(j == i) for j in range(n))] = Fraction(k * (n - k + 1) + 1)
    total = sum(out.values())
    return {x: m / total for x, m in out.items()}


@pytest.mark.parametrize("constant", [True, False])
@pytest.mark.parametrize(("n", "k"), [(n, k) for n in range(1, 7) for k in range(1, n + 1)])
def test_no_vector_separates_a_disjunction_better(n: int, k: int, constant: bool) -> None:
    d = guarantees.k_disjunction(n, k, constant=constant)
    points = labelled_points(n, k, constant)
    assert min(y * sum(p * q for p, q in zip(x, d.witness, strict=True)) for x, y in points) == 1
    assert d.witness_squared == sum(p * p for p in d.witness)
    assert d.radius_squared == max(sum(x) for x, _ in points) == n + constant
    multipliers = optimal_multipliers(n, k, constant)
    assert sum(multipliers.values()) == 1
    label = dict(points)
    combined = [
        sum(m * label[x] * x[j] for x, m in multipliers.items()) for j in range(n + constant)
    ]
    assert sum(c * c for c in combined) == d.margin_squared == Fraction(1, d.witness_squared)
    assert d.bound == d.radius_squared * d.witness_squared


def test_the_bounds_for_disjunctions_are_the_formulas() -> None:
    for n, k in ((1, 1), (10, 3), (100, 5)):
        assert guarantees.k_disjunction(n, k).bound == (n + 1) * (4 * k + 1)
        assert guarantees.k_disjunction(n, k).margin_squared == Fraction(1, 4 * k + 1)
    assert guarantees.disjunction(1).bound == 2 * 5
    assert guarantees.disjunction(9).bound == 10 * 37
    assert guarantees.disjunction(9).k == 9
    through_the_origin = [
        guarantees.k_disjunction(9, k, constant=False).bound for k in range(1, 10)
    ]
    assert guarantees.disjunction(9, constant=False).bound == max(through_the_origin)
    assert str(guarantees.k_disjunction(4, 2)) == (
        "a disjunction of 2 of 4 attributes: at most 45 mistakes (R² = 5, γ² = 1/9)"
    )


@pytest.mark.parametrize(("n", "k"), [(3, 0), (3, 4), (0, 0)])
def test_a_disjunction_has_some_of_its_attributes(n: int, k: int) -> None:
    with pytest.raises(ValueError, match="1 <= k <= n"):
        guarantees.k_disjunction(n, k)
    with pytest.raises(ValueError, match="at least one attribute"):
        guarantees.disjunction(0)


def test_a_sequence_forced_on_a_disjunction_stays_within_its_bound() -> None:
    n, k = 40, 3
    ledger = run_on(sources.forcing_disjunction(n, k), Additive(n, bias=True), 1)
    d = guarantees.k_disjunction(n, k)
    # the target is attribute 1 or one of the last k − 1, which are never on
    bound = guarantees.novikoff(ledger, [2] + [0] * (n - k) + [2] * (k - 1) + [-1])
    assert bound.witness_squared == d.witness_squared
    assert bound.margin == 1
    assert (n - k) // 2 <= len(ledger) <= bound.bound <= d.bound
