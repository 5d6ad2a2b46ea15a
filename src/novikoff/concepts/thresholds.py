"""Linear threshold functions: Σ wᵢxᵢ ≥ t with integer weights, and all of few variables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations_with_replacement, permutations, product
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from novikoff.concepts.attributes import Truths, every_example, truths
from novikoff.concepts.classes import ConceptClass, TooLarge, Words, packed
from novikoff.concepts.functions import Concept, variable
from novikoff.rows import Positions

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
