"""Linear programs: which rows separate, and by which columns; in floating point, and exactly.

Those in floating point, solved by HiGHS, only suggest: weights are used if exact arithmetic shows
that they separate the same rows. A reader wants the level of a category, or the measurement, that
predicts the label; so of many directions one with few coefficients is shown. The exact program is
for what floating point cannot decide: near ties, and numbers of very different sizes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any

import flint
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog

from novikoff.guarantees.certificate import Sparse
from novikoff.guarantees.exact.arithmetic import ExactVector, Integers
from novikoff.separability.exact_linear import MOST_NUMBERS, Inexact, Undecided, too_large
from novikoff.separability.face import Face
from novikoff.separability.points import Points, Progress, matrix_of
from novikoff.stream.rows import DenseRows, Positions, Vector

_UNSOLVED = "a linear program was not solved"
_FEW_NUMBERS, _FEW_COLUMNS = 200_000, 300  # of a program of few columns, which takes a second
_MOST_TRIED = 12  # columns that are left out one by one
_MOST_ALONE = 50  # columns that are tried alone
_NO_CONSTANT = 1e-3  # what the constant costs in place of a column, which costs 1


def _optimum(cost: Vector, until: float, **constraints: Any) -> Any:
    if (left := until - time.monotonic()) <= 0:
        raise Undecided("the time limit was reached")
    given: dict[str, Any] = {**constraints, "options": {"time_limit": left}}
    answer: Any = linprog(cost, **given)  # by HiGHS, which is the default
    if answer.x is None or answer.status != 0:
        raise Inexact(f"{_UNSOLVED}: {answer.message}")
    return answer


@dataclass(frozen=True, slots=True)
class Support:
    """Weights that separate as many points as possible, and multipliers for the others.

    `shares` are the multipliers for points scaled to size 1: at least 1 on the others.
    """

    weights: Vector
    separated: NDArray[np.bool_]
    multipliers: Vector
    shares: Vector


def maximal_support(
    points: sparse.csr_array[Any], *, until: float, balanced: bool = False
) -> Support:
    """Maximise Σ s over 0 ≤ s ≤ 1 and ⟨w,z⟩ ≥ s, with w free.

    Every point that some weights separate, with no point on its wrong side, gets s = 1, because
    weights may grow. The others get s = 0, and their dual multipliers are at least 1: λ + μ ≥ 1,
    where μ belongs to s ≤ 1, with Σ λ z = 0.

    Points and columns are scaled to size 1 first and back afterwards, which does not change the
    answer; weights and multipliers are each determined up to a positive factor. `balanced` brings
    numbers of very different sizes nearer to 1 before that.

    After Konis (2007), who bounds w instead of s; that can miss separable points.
    """
    used, indices = np.unique(points.indices, return_inverse=True)
    n, k = points.shape[0], len(used)
    z = sparse.csr_array((points.data.copy(), indices, points.indptr), shape=(n, k))
    of_row = np.repeat(np.arange(n), np.diff(z.indptr))
    rows, columns = np.ones(n), np.ones(k)
    with np.errstate(all="ignore"):
        for middle in [True] * 8 * balanced + [False]:
            by_column = _sizes(z.indices, z.data, k, middle=middle)
            z.data /= by_column[z.indices]
            by_row = _sizes(of_row, z.data, n, middle=middle)
            z.data /= by_row[of_row]
            rows, columns = rows * by_row, columns * by_column
    sizes = np.concatenate([rows, columns])
    if not (np.isfinite(z.data).all() and np.isfinite(sizes).all() and (sizes > 0).all()):
        raise Inexact(f"{_UNSOLVED}: the numbers differ too much in size for floating point")
    answer = _optimum(
        np.concatenate([np.zeros(k), -np.ones(n)]),
        until,
        A_ub=sparse.hstack([-z, sparse.eye_array(n)], format="csr"),
        b_ub=np.zeros(n),
        bounds=[(None, None)] * k + [(0.0, 1.0)] * n,
    )
    # only ratios matter, and the sizes may be too small to divide by
    weights = np.zeros(points.shape[1])
    weights[used] = answer.x[:k] * (columns.min(initial=1.0) / columns)
    shares = np.maximum(0.0, -answer.ineqlin.marginals)
    multipliers = shares * (rows.min(initial=1.0) / rows)
    return Support(weights, answer.x[k:] > 0.5, multipliers, shares)


def _sizes(which: NDArray[Any], values: Vector, count: int, *, middle: bool) -> Vector:
    """The largest magnitude in each group, or its geometric mean with the smallest, ignoring 0.

    Both are rounded to powers of two, and 1 in a group of zeros. Logarithms are taken from the
    exponents, because `np.log2` has other bits on other processors.
    """
    some = values != 0
    mantissas, exponents = np.frexp(np.abs(values[some]))
    logs = exponents - (mantissas < math.sqrt(0.5)).astype(np.float64)
    high, low = np.full(count, -np.inf), np.full(count, np.inf)
    np.maximum.at(high, which[some], logs)
    np.minimum.at(low, which[some], logs)
    nearest = np.where(np.isinf(high), 0.0, np.round((high + low) / 2) if middle else high)
    sizes: Vector = np.ldexp(1.0, np.clip(nearest, -1070, 1020).astype(np.int64))
    return sizes


def columns_alone(points: Points) -> tuple[int, ...]:
    """The columns each of which separates every row, with the constant if there is one."""
    counts = np.array([[np.count_nonzero(points.labels == sign)] for sign in (-1, 1)])
    if not counts.all():  # one label: the constant separates it
        return ()
    columns = np.flatnonzero((points.used == counts).any(axis=0))  # 0 has one label at most
    if len(columns) == 0:
        return ()
    (least, low), (high, most) = _extremes(points, columns)
    rising, falling = high < low, most < least
    if not points.bias:
        rising, falling = (high < 0) & (low > 0), (most < 0) & (least > 0)
    return tuple(columns[rising | falling].tolist())


def few_columns(
    points: Points, face: Face, separated: NDArray[np.bool_], until: float
) -> ExactVector | None:
    """Weights with few columns that separate these rows and put the others on the hyperplane.

    One column is tried first, then the least sum of sizes (an ℓ1 linear program), leaving out one
    column after another. None if no exact weights were found, or there are too many numbers.
    """
    for w in islice(_single(points, int(separated.sum())), _MOST_ALONE):
        if (points.signs(w) == separated).all():
            return w
    if points.rows.values.size > _FEW_NUMBERS or points.length > _FEW_COLUMNS:
        return None
    program = _Program(points, face, separated)
    best = program.exact(columns := np.arange(points.length), until)
    tried: set[int] = set()
    while best is not None and len(tried) < _MOST_TRIED:
        columns = np.flatnonzero(best.integers)
        left = [j for j in columns.tolist() if j not in tried and j < points.rows.dim]
        if not left:
            break
        sizes = np.abs(best.floats()) * program.sizes
        worst = min(left, key=lambda j: (sizes[j], -j))
        tried.add(worst)
        best = program.exact(columns[columns != worst], until) or best
    return best


def _extremes(points: Points, columns: Positions) -> tuple[Vector, Vector]:
    """The least and the greatest value of these columns, first among −1, then among +1."""
    low, high = (np.full((2, len(columns)), end) for end in (np.inf, -np.inf))
    is_dense = isinstance(points.rows, DenseRows)
    values = points.rows.values if is_dense else matrix_of(points.rows)
    if len(columns) < points.rows.dim:
        values = values[:, columns]
    for k, sign in enumerate((-1, 1)):
        if len(at := np.flatnonzero(points.labels == sign)):
            ends = values[at].min(axis=0), values[at].max(axis=0)
            low[k], high[k] = ends if is_dense else (end.toarray().ravel() for end in ends)
    return low, high


def _single(points: Points, separated: int) -> Iterator[ExactVector]:
    """Weights of one column that put no row on its wrong side; without the constant first.

    A column that needs no constant separates as many rows as it has values other than 0.
    """
    low, high = _extremes(points, np.arange(points.rows.dim))
    fits = points.used.sum(axis=0) == separated
    found: list[tuple[bool, int, int, Fraction]] = []
    for sign, below, above in ((1, high[0], low[1]), (-1, high[1], low[0])):
        meet = (below == above) & np.isfinite(below)
        meet &= np.where(below == 0, fits, points.bias)
        for j in np.flatnonzero(meet).tolist():
            found += [(below[j] != 0, j, sign, Fraction(below[j]))]
    for _, j, sign, at in sorted(found, key=lambda one: one[:3]):
        w: Sparse = {j: sign * at.denominator}
        if at:
            w = {**w, points.rows.dim: -sign * at.numerator}
        yield ExactVector.sparse(w, points.length)


class _Program:
    """Minimise Σ|w| over columns of size 1, with ⟨w,z⟩ = 0 on the face and ≥ 1 on other rows."""

    def __init__(self, points: Points, face: Face, separated: NDArray[np.bool_]) -> None:
        self.points, self.face, self.separated = points, face, separated
        self.rows = points.matrix(np.flatnonzero(separated))
        self.on_face = points.matrix(face.basis)
        largest = abs(sparse.vstack([self.rows, self.on_face])).max(axis=0).toarray().ravel()
        self.sizes: Vector = np.where(largest > 0, largest, 1.0)

    def exact(self, columns: Positions, until: float) -> ExactVector | None:
        """Exact weights in these columns; None if there are none, or they are not found."""
        k, sizes, w = len(columns), self.sizes[columns], np.zeros(self.points.length)
        if k == 0:
            return None
        rows, on_face = (m[:, columns].tocsr() for m in (self.rows, self.on_face))
        for m in (rows, on_face):
            m.data /= sizes[m.indices]
        try:
            answer = _optimum(
                np.tile(np.where(columns < self.points.rows.dim, 1.0, _NO_CONSTANT), 2),
                until,
                A_ub=sparse.hstack([-rows, rows], format="csr"),
                b_ub=-np.ones(rows.shape[0]),
                A_eq=sparse.hstack([on_face, -on_face], format="csr"),
                b_eq=np.zeros(on_face.shape[0]),
            )
            scaled = answer.x[:k] - answer.x[k:]
            with np.errstate(over="ignore"):
                w[columns] = scaled / sizes
            large = np.abs(scaled) > 1e-7 * np.abs(scaled).max()
            face = Face(self.points, columns[large])
            face.add(self.face.multipliers)
        except Undecided:
            return None
        coordinates = face.coordinates(w)
        if not coordinates.any() or not np.isfinite(coordinates).all():
            return None
        for found in face.roundings(coordinates):
            if found.integers.any() and (self.points.signs(found) == self.separated).all():
                return found
        return None


def alternative(
    face: Face, outside: Positions, *, until: float, progress: Progress
) -> ExactVector | Sparse:
    """Weights orthogonal to the face that separate all points outside it; or multipliers.

    Either weights separate all, or positive multiples of some sum to a point of the face's span
    (Gordan 1873). The simplex method finds one or the other. It looks for multipliers λ ≥ 0 with
    Σ λ = 1 for which the sum of all |coordinates| of Σ λ p is least; when that is 0, they are
    found. Until then the dual weights w have ⟨w,p⟩ > 0 on the points in use, and a point with
    ⟨w,p⟩ ≤ 0 comes in next: as in the perceptron, a mistake. If there is none, w separates.

    Numbers are integers over one denominator (Edmonds 1967), and ties are broken in the order of
    the rows of the inverse (Dantzig, Orden & Wolfe 1955), so that no basis comes twice and the
    method ends.
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
