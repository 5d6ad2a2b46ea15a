"""An exact linear program for what floating point cannot decide: near ties, very different sizes.

Of some points, either weights separate all, or positive multiples of some sum to zero (Gordan
1873). The simplex method finds one or the other. It looks for multipliers λ ≥ 0 with Σ λ = 1 for
which the sum of all |coordinates| of Σ λ p is least; when that is 0, they are found. Until then the
dual weights w have ⟨w,p⟩ > 0 on the points in use, and a point with ⟨w,p⟩ ≤ 0 comes in next: as in
the perceptron, a mistake. If there is none, w separates.

Numbers are integers over one denominator (Edmonds 1967), and ties are broken in the order of the
rows of the inverse (Dantzig, Orden & Wolfe 1955), so that no basis comes twice and the method ends.
"""

from __future__ import annotations

import math
import time

import flint
import numpy as np

from novikoff.guarantees.certificate import Sparse
from novikoff.guarantees.exact.arithmetic import ExactVector, Integers
from novikoff.separability.exact_linear import MOST_NUMBERS, Undecided, too_large
from novikoff.separability.face import Face
from novikoff.separability.points import Progress
from novikoff.stream.rows import Positions


def alternative(
    face: Face, outside: Positions, *, until: float, progress: Progress
) -> ExactVector | Sparse:
    """Weights orthogonal to the face that separate all points outside it; or multipliers.

    The positive multiples of points outside the face then sum to a point of its span.
    """
    points, vectors = face.points, face.orthogonal_vectors()
    size = len(vectors) + 1
    if size * size > MOST_NUMBERS:
        raise too_large(f"a linear program in {size - 1:,} dimensions", size * size, MOST_NUMBERS)

    def coordinates(row: int) -> tuple[Integers, int]:
        """Those of the point of a row, as integers, and the number by which they were divided."""
        z = points.whole(np.array([row]))[0].tolist()
        p = [sum(x * z[j] for j, x in v.items()) for v in vectors]
        common = math.gcd(*p)
        return np.array([flint.fmpz(x // common) for x in p], dtype=object), common

    row = int(outside[0])
    start, divided = coordinates(row)
    # in coordinates in which the first basis, of this point and a unit for each |coordinate|, is I
    turn = np.array([-1 if x < 0 else 1 for x in start], dtype=object)
    right = np.concatenate([[1], turn * start])
    basis, scales = [row] + [-1] * (size - 1), {row: divided}
    inverse = np.array([[flint.fmpz(i == j) for j in range(size)] for i in range(size)])
    under, pivots = flint.fmpz(1), 0
    while True:
        if time.monotonic() >= until:
            raise Undecided("the time limit was reached")
        progress(f"exact linear program: {pivots:,} pivots, {size - 1:,} dimensions")
        dual = sum((inverse[i] for i in range(size) if basis[i] < 0), np.zeros(size, dtype=object))
        if dual @ right == 0:
            levels = inverse @ right
            found = {i: levels[k] for k, i in enumerate(basis) if i >= 0 and levels[k]}
            whole = math.lcm(*(scales[i] for i in found))
            return {i: int(x) * (whole // scales[i]) for i, x in sorted(found.items())}
        weights = face.combined(map(int, turn * dual[1:]))
        wrong = outside[points.signs(weights)[outside] <= 0]
        if len(wrong) == 0:
            return weights
        with np.errstate(all="ignore"):
            scores = points.scores(weights.floats())[wrong] / points.exact.norms[wrong]
        row = int(wrong[np.argmin(np.nan_to_num(scores))])
        p, scales[row] = coordinates(row)
        change = inverse @ np.concatenate([[1], turn * (start - p)])
        leaving = _first_to_reach_zero(np.column_stack([inverse @ right, inverse]), change)
        kept, pivot = inverse[leaving].copy(), change[leaving]
        inverse = (pivot * inverse - np.outer(change, kept)) // under
        inverse[leaving], under, basis[leaving] = kept, pivot, row
        pivots += 1


def _first_to_reach_zero(rows: Integers, change: Integers) -> int:
    """Of the rows with a positive change, the one that is least, divided by it, in their order."""
    best = -1
    for i in np.flatnonzero(change > 0).tolist():
        if best >= 0:
            pairs = zip(rows[i], rows[best], strict=True)
            differences = (a * change[best] - b * change[i] for a, b in pairs)
            if next(x for x in differences if x) > 0:
                continue
        best = i
    return best
