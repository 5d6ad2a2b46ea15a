"""Concepts as linear threshold units: weights, margin, and what a perceptron can err."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from novikoff.concepts.functions import AtLeast, Concept, Conjunction, Disjunction, expect_concept
from novikoff.concepts.thresholds import LinearThreshold
from novikoff.guarantees import mistake_bound

_MOST_SUMS = 1 << 24


@dataclass(frozen=True, slots=True)
class ThresholdUnit:
    """Weights u whose sign is the concept on every example of n attributes and a constant 1.

    Attributes
    ----------
    weights
        n integers, and last the constant's.
    radius_squared
        R² = n + 1, the example with every attribute on.
    margin_squared
        γ² = (least |u·x|)²/‖u‖², exactly.
    bound
        ⌊R²/γ²⌋: no run of the perceptron, with a constant feature, on examples that the concept
        labels, makes more mistakes (Novikoff 1962, Theorem 1).
    """

    concept: Concept
    weights: tuple[int, ...]
    radius_squared: int
    margin_squared: Fraction
    bound: int

    def __str__(self) -> str:
        rule = LinearThreshold(self.weights[:-1], -self.weights[-1])
        return (
            f"{self.concept} as {rule}: at most {self.bound} mistakes "
            f"(R² = {self.radius_squared}, γ² = {self.margin_squared})"
        )


def threshold_unit(concept: Concept, n: int | None = None) -> ThresholdUnit:
    """A conjunction, a disjunction or "at least r of k" as a linear threshold unit, exactly.

    All three say that at least r of k literals are true (r = k and r = 1 for the first two). With
    m of them negated, the weights 2 on the plain, −2 on the negated and 2m − (2r − 1) on the
    constant give twice the number of true literals less 2r − 1: at least 1 or at most −1. So
    ‖u‖² = 4k + (2(r − m) − 1)² at margin 1, and no weights do better. For turning one literal, when
    r − 1 of the others are true, takes the score from −1 or less to 1 or more, so its weight is at
    least 2 in size; and on the example 0, where m literals are true, the score is the constant,
    which is 1 + 2(m − r) or more if m ≥ r, as turning m − r of them leaves it at 1 or more, and
    −1 − 2(r − 1 − m) or less if m < r, in the same way.

    A `LinearThreshold` keeps its weights, doubled; the constant is put in the middle between the
    sums that the examples reach on its two sides. The margin is then that of these weights,
    which need not be the widest there is: `certify` finds that.

    Parameters
    ----------
    n
        How many attributes the examples have; by default as many as the concept needs.

    Examples
    --------
    >>> print(threshold_unit(Disjunction((1, 2)), 100))
    x₁ ∨ x₂ as 2x₁ + 2x₂ ≥ 1: at most 909 mistakes (R² = 101, γ² = 1/9)

    References
    ----------
    Novikoff (1962), Theorem 1; Littlestone (1988) for these functions as threshold units.
    """
    expect_concept(concept)
    n = concept.width if n is None else n
    if n < concept.width:
        raise ValueError(f"{concept} depends on x{concept.width}, and there are {n} attributes")
    if isinstance(concept, LinearThreshold):
        return _unit(concept, n, *_centred(concept))
    literals, r = _counted(concept)
    if not 1 <= r <= len(literals):
        raise _constant(concept, r < 1)
    weights = {abs(i): 2 if i > 0 else -2 for i in literals}
    negated = sum(i < 0 for i in literals)
    by_variable = [weights.get(i, 0) for i in range(1, n + 1)]
    return _unit(concept, n, by_variable, 2 * (negated - r) + 1, 1)


def _unit(
    concept: Concept, n: int, weights: Sequence[int], constant: int, margin: int
) -> ThresholdUnit:
    u = (*weights, *(0,) * (n - len(weights)), constant)
    squared = sum(a * a for a in u)
    return ThresholdUnit(
        concept,
        u,
        radius_squared=n + 1,
        margin_squared=Fraction(margin**2, squared),
        bound=mistake_bound(n + 1, squared, margin),
    )


def _counted(concept: Concept) -> tuple[list[int], int]:
    """The literals of which at least so many must be true; a variable both ways is always one."""
    if isinstance(concept, Conjunction):
        given, r = concept.literals, len(concept.literals)
    elif isinstance(concept, Disjunction):
        given, r = concept.literals, 1
    elif isinstance(concept, AtLeast):
        given, r = concept.literals, concept.r
    else:
        raise ValueError(
            f"{concept}: only conjunctions, disjunctions, at least r of k and linear thresholds "
            "become threshold units here; certify decides whether other data can be separated"
        )
    single = [i for i in given if -i not in given]
    return single, r - (len(given) - len(single)) // 2


def _centred(concept: LinearThreshold) -> tuple[list[int], int, int]:
    """The weights doubled, the constant between the nearest sums on both sides, and the margin."""
    w, t = concept.weights, concept.threshold
    lowest, span = sum(a for a in w if a < 0), sum(map(abs, w))
    if span > _MOST_SUMS:
        raise ValueError(f"{concept}: the weights add up to {span:,}, more than {_MOST_SUMS:,}")
    if not lowest < t <= lowest + span:
        raise _constant(concept, t <= lowest)
    reached = 1  # bit s: some example has the sum lowest + s
    for a in w:
        reached |= reached << abs(a)
    place = t - lowest
    above = reached >> place
    least_above = t + (above & -above).bit_length() - 1
    most_below = lowest + (reached & ((1 << place) - 1)).bit_length() - 1
    return [2 * a for a in w], -(least_above + most_below), least_above - most_below


def _constant(concept: Concept, value: bool) -> ValueError:
    return ValueError(
        f"{concept} is {'true' if value else 'false'} of every example: with one label there is "
        "no margin between two"
    )
