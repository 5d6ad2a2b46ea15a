"""Concepts as linear threshold units, with the mistake bound of a perceptron that learns one."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from novikoff.concepts.functions import Concept, LinearThreshold, OfLiterals, expect_width
from novikoff.guarantees import mistake_bound

_MOST_SUMS = 1 << 24


@dataclass(frozen=True, slots=True)
class ThresholdUnit:
    """Weights u for which the sign of u·x is the concept, and the perceptron's mistake bound."""

    concept: Concept
    weights: tuple[int, ...]  # n integers, and the weight of the constant last
    radius_squared: int  # R² = n + 1, the squared length of the example of ones
    margin_squared: Fraction  # γ² = (least |u·x|)²/‖u‖², exactly
    bound: int  # ⌊R²/γ²⌋

    def __str__(self) -> str:
        rule = LinearThreshold(self.weights[:-1], -self.weights[-1])
        return (
            f"{self.concept} as {rule}: at most {self.bound} mistakes "
            f"(R² = {self.radius_squared}, γ² = {self.margin_squared})"
        )


def threshold_unit(concept: Concept, n: int | None = None) -> ThresholdUnit:
    """The concept as a linear threshold unit, with its exact margin and mistake bound.

    A conjunction, a disjunction and "at least r of k" get weights of the best margin
    (docs/proofs.md). A `LinearThreshold` keeps its weights, doubled, and the constant lies midway
    between the nearest sums on its two sides; `certify` finds the widest margin. The examples have
    `n` attributes, by default the fewest that the concept needs. References: Novikoff (1962),
    Theorem 1; Littlestone (1988), for these functions as threshold units.
    """
    n = expect_width(concept, n)
    if isinstance(concept, LinearThreshold):
        weights, constant, margin = _centred(concept)
    else:
        literals, r = _counted(concept)
        if not 1 <= r <= len(literals):
            raise _constant(concept, r < 1)
        weights = {abs(i): 2 if i > 0 else -2 for i in literals}
        constant, margin = 2 * (sum(i < 0 for i in literals) - r) + 1, 1
    u = (*(weights.get(i, 0) for i in range(1, n + 1)), constant)
    squared = sum(a * a for a in u)
    return ThresholdUnit(
        concept,
        u,
        radius_squared=n + 1,
        margin_squared=Fraction(margin**2, squared),
        bound=mistake_bound(n + 1, squared, margin),
    )


def _counted(concept: Concept) -> tuple[list[int], int]:
    """Literals and r, when the concept is that at least r of them are true."""
    if not isinstance(concept, OfLiterals):
        raise ValueError(
            f"{concept}: only conjunctions, disjunctions, 'at least r of' and linear thresholds "
            "have a threshold unit here; for other concepts, certify their labelled examples"
        )
    given = concept.literals
    single = [i for i in given if -i not in given]
    return single, concept.needed - (len(given) - len(single)) // 2


def _centred(concept: LinearThreshold) -> tuple[dict[int, int], int, int]:
    """Doubled weights by variable, the constant midway between the nearest sums, and the margin."""
    w, t = concept.weights, concept.threshold
    lowest, span = sum(a for a in w if a < 0), sum(map(abs, w))
    if span > _MOST_SUMS:
        raise ValueError(
            f"{concept}: the weights add up to {span:,}; at most {_MOST_SUMS:,} is supported"
        )
    if not lowest < t <= lowest + span:
        raise _constant(concept, t <= lowest)
    reached = 1  # bit s is 1 if some example has the sum lowest + s
    for a in w:
        reached |= reached << abs(a)
    place = t - lowest
    above = reached >> place
    least_above = t + (above & -above).bit_length() - 1
    most_below = lowest + (reached & ((1 << place) - 1)).bit_length() - 1
    doubled = {i: 2 * a for i, a in enumerate(w, start=1)}
    return doubled, -(least_above + most_below), least_above - most_below


def _constant(concept: Concept, value: bool) -> ValueError:
    return ValueError(
        f"{concept} is {'true' if value else 'false'} on every example, so all examples have one "
        "label and there is no margin"
    )
