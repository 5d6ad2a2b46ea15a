"""Linear threshold functions, Σ wᵢxᵢ ≥ t, and the mistake bound of a perceptron that learns one."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement, permutations, product
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from novikoff.concepts.classes import ConceptClass, TooLarge, Words, expect_variables, packed
from novikoff.concepts.examples import Truths, every_example
from novikoff.concepts.functions import Concept, Disjunction, OfLiterals, expect_width, variable
from novikoff.guarantees import mistake_bound
from novikoff.stream.printing import plural
from novikoff.stream.rows import Positions

Integers: TypeAlias = NDArray[np.int64]

# of n variables, too many to enumerate: OEIS A000609; n = 9 by Gruzling (2006)
_COUNTS = {6: 15028134, 7: 8378070864, 8: 17561539552946, 9: 144130531453121108}
MOST_ENUMERATED = 5
_LARGEST_WEIGHT = 5  # enough for every threshold function of five variables
MOST_WEIGHTS = 1_000_000
_MOST_SUM = 1 << 62
_MOST_SUMS = 1 << 24


@dataclass(frozen=True, eq=False)
class LinearThreshold(Concept):
    """True where Σ wᵢxᵢ ≥ t, with an integer weight for each variable from x₁ on."""

    weights: tuple[int, ...]
    threshold: int

    def __post_init__(self) -> None:
        for number in (*self.weights, self.threshold):
            if not isinstance(number, int | np.integer) or isinstance(number, bool):
                raise ValueError(f"weights and threshold must be integers, not {number!r}")
        weights, threshold = list(map(int, self.weights)), int(self.threshold)
        if sum(map(abs, weights)) + abs(threshold) > _MOST_SUM:
            raise ValueError("the weights and the threshold add up to more than 2^62")
        while weights and not weights[-1]:
            weights.pop()
        if len(weights) > MOST_WEIGHTS:
            raise ValueError(f"{len(weights):,} weights; at most {MOST_WEIGHTS:,} are supported")
        object.__setattr__(self, "weights", tuple(weights))
        object.__setattr__(self, "threshold", threshold)
        object.__setattr__(self, "variables", tuple(i for i, w in enumerate(weights, 1) if w))

    def values(self, inputs: Truths) -> Truths:
        """Whether the weighted sum reaches the threshold."""
        w = np.array([w for w in self.weights if w], dtype=np.int64)
        return np.asarray(inputs.astype(np.int64) @ w >= self.threshold)

    def __str__(self) -> str:
        terms = "".join(
            f" {'−' if w < 0 else '+'} {abs(w) if abs(w) > 1 else ''}{variable(i)}"
            for i, w in enumerate(self.weights, start=1)
            if w
        )
        left = terms.removeprefix(" + ").replace(" − ", "−", int(terms.startswith(" −"))) or "0"
        return f"{left} ≥ {str(self.threshold).replace('-', '−')}"


class _LinearThresholds(ConceptClass):
    """The functions in the order of their truth tables, each with the smallest weights found."""

    def __init__(self, n: int) -> None:
        expect_variables(n)
        if n > MOST_ENUMERATED:
            count = f": {_COUNTS[n]:,}" if n in _COUNTS else ""
            raise TooLarge(
                f"there are too many linear threshold functions of {n} variables{count}; "
                f"take at most {MOST_ENUMERATED} variables, or list some with concept_list"
            )
        self.name, self.n = f"linear threshold functions of {plural(n, 'variable')}", n
        self.weights, self.thresholds = _every_threshold_function(n)
        self.size = len(self.thresholds)

    def _concept(self, place: int) -> LinearThreshold:
        return LinearThreshold(tuple(self.weights[place].tolist()), int(self.thresholds[place]))

    def _packed_values(self, x: Truths) -> Words:
        return packed(self.weights @ x >= self.thresholds)

    def _values(self, places: Positions, x: Truths) -> Truths:
        return np.asarray(self.weights[places] @ x >= self.thresholds[places])


def linear_thresholds(n: int) -> ConceptClass:
    """The linear threshold functions of n ≤ 5 variables: 4, 14, 104, 1882, 94572 (Muroga 1971)."""
    return _LinearThresholds(n)


@lru_cache(maxsize=MOST_ENUMERATED)
def _every_threshold_function(n: int) -> tuple[Integers, Integers]:
    """The weights and threshold of each function, in the order of their truth tables."""
    # weights w₁ ≥ … ≥ wₙ ≥ 0 with every threshold that matters, smallest weights first
    decreasing = combinations_with_replacement(range(_LARGEST_WEIGHT, -1, -1), n)
    found = sorted((sum(w), w, t) for w in decreasing for t in range(sum(w) + 2))
    w, t = _first_of_each(np.array([w for _, w, _ in found]), np.array([t for *_, t in found]))
    orders = np.array(list(permutations(range(n))))
    w, t = _first_of_each(w[:, orders].reshape(-1, n), np.repeat(t, len(orders)))
    # replacing x by 1 − x turns the weight w into −w and lowers the threshold by w
    signs = np.array(list(product((1, -1), repeat=n)))
    turned = (w[:, None, :] * signs).reshape(-1, n)
    lowered = (t[:, None] + np.minimum(w[:, None, :] * signs, 0).sum(axis=2)).ravel()
    weights, thresholds = _first_of_each(turned, lowered)
    weights.flags.writeable = thresholds.flags.writeable = False  # shared by all such classes
    return weights, thresholds


def _first_of_each(w: Integers, t: Integers) -> tuple[Integers, Integers]:
    """The first weights and threshold of each function, in the order of their truth tables."""
    examples = every_example(n := w.shape[1]).astype(np.int64)
    values = w @ examples.T >= t[:, None]
    tables = values @ (1 << np.arange(1 << n, dtype=np.int64))
    _, first = np.unique(tables, return_index=True)
    return w[first], t[first]


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
    r = 1 if isinstance(concept, Disjunction) else getattr(concept, "r", len(given))
    single = [i for i in given if -i not in given]
    return single, r - (len(given) - len(single)) // 2


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
