"""Linear threshold functions: Σ wᵢxᵢ ≥ t with integer weights, and all of few variables.

Concepts as linear threshold units: weights, margin, and what a perceptron can err.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement, permutations, product
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from novikoff.concepts.classes import ConceptClass, TooLarge, Words, packed
from novikoff.concepts.examples import Truths, every_example, truths
from novikoff.concepts.functions import (
    AtLeast,
    Concept,
    Conjunction,
    Disjunction,
    expect_concept,
    variable,
)
from novikoff.guarantees import mistake_bound
from novikoff.stream.rows import Positions

Integers: TypeAlias = NDArray[np.int64]

# OEIS A000609, threshold functions of n variables; n = 9 by Gruzling (2006).
KNOWN_COUNTS = {
    1: 4,
    2: 14,
    3: 104,
    4: 1882,
    5: 94572,
    6: 15028134,
    7: 8378070864,
    8: 17561539552946,
    9: 144130531453121108,
}
MOST_ENUMERATED = 5
_LARGEST_WEIGHT = 5  # no threshold function of five variables needs more
MOST_WEIGHTS = 1_000_000
_MOST_SUM = 1 << 62


@dataclass(frozen=True, eq=False)
class LinearThreshold(Concept):
    """Σ wᵢxᵢ ≥ t, with an integer weight for each variable from x₁ on.

    >>> print(LinearThreshold((2, 1, 0, -3), 2))
    2x₁ + x₂ − 3x₄ ≥ 2
    """

    weights: tuple[int, ...]
    threshold: int

    def __post_init__(self) -> None:
        for number in (*self.weights, self.threshold):
            if not isinstance(number, int | np.integer) or isinstance(number, bool):
                raise ValueError(f"weights and threshold are integers, not {number!r}")
        weights, threshold = list(map(int, self.weights)), int(self.threshold)
        if sum(map(abs, weights)) + abs(threshold) > _MOST_SUM:
            raise ValueError("the weights and the threshold together exceed 2^62")
        while weights and not weights[-1]:
            weights.pop()
        if len(weights) > MOST_WEIGHTS:
            raise ValueError(f"{len(weights):,} weights: at most {MOST_WEIGHTS:,} variables here")
        object.__setattr__(self, "weights", tuple(weights))
        object.__setattr__(self, "threshold", threshold)

    @property
    def variables(self) -> tuple[int, ...]:
        """The numbers of the variables with a weight, in increasing order."""
        return tuple(i for i, w in enumerate(self.weights, start=1) if w)

    def of(self, values: Truths) -> Truths:
        """Whether the weights of what is on add up to the threshold."""
        w = np.array([w for w in self.weights if w], dtype=np.int64)
        return np.asarray(values.astype(np.int64) @ w >= self.threshold)

    def __str__(self) -> str:
        terms = "".join(
            f" {'−' if w < 0 else '+'} {abs(w) if abs(w) > 1 else ''}{variable(i)}"
            for i, w in enumerate(self.weights, start=1)
            if w
        )
        left = terms.removeprefix(" + ").replace(" − ", "−", int(terms.startswith(" −"))) or "0"
        return f"{left} ≥ {str(self.threshold).replace('-', '−')}"


class LinearThresholds(ConceptClass):
    """All the linear threshold functions of n variables, each once, by their truth tables.

    Attributes
    ----------
    weights, thresholds
        Σ wᵢxᵢ ≥ t for each of them, with the smallest weights that were found.
    """

    def __init__(self, n: int) -> None:
        if n < 1:
            raise ValueError(f"there must be at least one variable, got {n=}")
        if n > MOST_ENUMERATED:
            count = f": {KNOWN_COUNTS[n]:,}" if n in KNOWN_COUNTS else ""
            raise TooLarge(
                f"there are too many linear threshold functions of {n} variables{count}; "
                f"up to {MOST_ENUMERATED} they are enumerated, and any list of them is a class "
                "(concept_list)"
            )
        self.n = n
        self.weights, self.thresholds = _every_threshold_function(n)
        self.size = len(self.thresholds)

    def __str__(self) -> str:
        return f"linear threshold functions of {self.n} variable{'s' * (self.n > 1)}"

    def concept(self, place: int) -> LinearThreshold:
        """The function at this place."""
        self.expect_place(place)
        return LinearThreshold(tuple(self.weights[place].tolist()), int(self.thresholds[place]))

    def say(self, x: Truths) -> Words:
        """What every function says of the example, as bits."""
        return packed(self.weights @ truths(x, self.n) >= self.thresholds)

    def say_some(self, places: Positions, x: Truths) -> Truths:
        """What the functions at these places say of the example."""
        found: Truths = self.weights[places] @ truths(x, self.n) >= self.thresholds[places]
        return found


def linear_thresholds(n: int) -> LinearThresholds:
    """The linear threshold functions of n ≤ 5 variables: 4, 14, 104, 1882, 94572.

    >>> linear_thresholds(3)
    <linear threshold functions of 3 variables: 104 concepts>

    References
    ----------
    Muroga (1971), Threshold Logic and its Applications: they are found from those with weights
    w₁ ≥ w₂ ≥ … ≥ 0 by renaming and negating variables, and for n ≤ 5 no weight exceeds 5.
    """
    return LinearThresholds(n)


@lru_cache(maxsize=MOST_ENUMERATED)
def _every_threshold_function(n: int) -> tuple[Integers, Integers]:
    """Weights and threshold of each, in the order of their truth tables as numbers."""
    w, t = _first_of_each(*_decreasing(n))
    orders = np.array(list(permutations(range(n))))
    w, t = _first_of_each(w[:, orders].reshape(-1, n), np.repeat(t, len(orders)))
    # where x becomes 1 − x, the weight w becomes −w and w leaves the threshold
    signs = np.array(list(product((1, -1), repeat=n)))
    turned = (w[:, None, :] * signs).reshape(-1, n)
    lowered = (t[:, None] + np.minimum(w[:, None, :] * signs, 0).sum(axis=2)).ravel()
    weights, thresholds = _first_of_each(turned, lowered)
    weights.flags.writeable = thresholds.flags.writeable = False  # every such class shares them
    return weights, thresholds


def _decreasing(n: int) -> tuple[Integers, Integers]:
    """Weights w₁ ≥ … ≥ wₙ ≥ 0 with each threshold that matters, the smallest first."""
    found = [
        (sum(w), w, t)
        for w in combinations_with_replacement(range(_LARGEST_WEIGHT, -1, -1), n)
        for t in range(sum(w) + 2)
    ]
    found.sort()
    weights = np.array([w for _, w, _ in found], dtype=np.int64)
    return weights, np.array([t for *_, t in found], dtype=np.int64)


def _first_of_each(w: Integers, t: Integers) -> tuple[Integers, Integers]:
    """The first way to write each function, by the numbers of their truth tables."""
    examples = every_example(n := w.shape[1]).astype(np.int64)
    said = w @ examples.T >= t[:, None]
    tables = said @ (1 << np.arange(1 << n, dtype=np.int64))
    _, first = np.unique(tables, return_index=True)
    return w[first], t[first]


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
