"""Which columns are at fault: a direction with few coefficients that separates the same rows.

A reader wants the level of a category, or the measurement, that predicts the label. Floating point
suggests a direction, which is used if exact arithmetic shows that it separates the same rows.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog

from novikoff.guarantees.certificate import Sparse
from novikoff.guarantees.exact.arithmetic import ExactVector
from novikoff.guarantees.exact.rows import Entries
from novikoff.separability.exact_linear import Undecided
from novikoff.separability.face import Face
from novikoff.separability.points import Points
from novikoff.stream.rows import DenseRows, Positions, Vector

_MOST_NUMBERS, _MOST_COLUMNS = 200_000, 300  # of a linear program, which is to take a second
_MOST_TRIED = 12  # columns that are left out one by one
_MOST_ALONE = 50  # columns that are tried alone
_BITS = (4, 8, 12, 16, 24, 32, 44, 52, None)  # of rounded weights, tried until they separate
_NO_CONSTANT = 1e-3  # what the constant costs in place of a column, which costs 1


def columns_alone(points: Points) -> tuple[int, ...]:
    """The columns each of which separates every row, with the constant if there is one."""
    if abs(int(points.labels.sum())) == len(points):  # one label: the constant separates it
        return ()
    (least, low), (high, most) = _extremes(points)
    rising, falling = high < low, most < least
    if not points.bias:
        rising, falling = (high < 0) & (low > 0), (most < 0) & (least > 0)
    return tuple(np.flatnonzero(rising | falling).tolist())


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
    if points.rows.values.size > _MOST_NUMBERS or points.length > _MOST_COLUMNS:
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


def _extremes(points: Points) -> tuple[Vector, Vector]:
    """The least and the greatest value of each column, first among −1, then among +1."""
    dim = points.rows.dim
    low, high = np.full((2, dim), np.inf), np.full((2, dim), -np.inf)
    for k, sign in enumerate((-1, 1)):
        at = np.flatnonzero(points.labels == sign)
        if isinstance(points.rows, DenseRows):
            values = points.rows.values[at]
            low[k], high[k] = (
                values.min(axis=0, initial=np.inf),
                values.max(axis=0, initial=-np.inf),
            )
            continue
        e = Entries.of(points.rows, at, bias=False).nonzero
        np.minimum.at(low[k], e.columns, e.values)
        np.maximum.at(high[k], e.columns, e.values)
        some_zero = np.bincount(e.columns, minlength=dim) < len(at)
        low[k][some_zero] = np.minimum(low[k][some_zero], 0.0)
        high[k][some_zero] = np.maximum(high[k][some_zero], 0.0)
    return low, high


def _single(points: Points, separated: int) -> Iterator[ExactVector]:
    """Weights of one column that put no row on its wrong side; without the constant first.

    A column that needs no constant separates as many rows as it has values other than 0.
    """
    low, high = _extremes(points)
    e = Entries.of(points.rows, np.arange(len(points)), bias=False).nonzero
    fits = np.bincount(e.columns, minlength=points.rows.dim) == separated
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
        w = self._solved(columns, until - time.monotonic())
        if w is None:
            return None
        with np.errstate(over="ignore"):
            scaled = np.abs(w) * self.sizes
        used = np.flatnonzero(scaled > 1e-7 * scaled.max())
        try:
            face = Face(self.points, used)
            face.add(self.face.multipliers)
        except Undecided:
            return None
        coordinates = face.coordinates(w)
        if not coordinates.any() or not np.isfinite(coordinates).all():
            return None
        for bits in _BITS:
            found = face.weights(coordinates, bits=bits)
            if found.integers.any() and (self.points.signs(found) == self.separated).all():
                return found
        return None

    def _solved(self, columns: Positions, seconds: float) -> Vector | None:
        if seconds <= 0 or not len(columns):
            return None
        k, sizes = len(columns), self.sizes[columns]
        rows, on_face = (m[:, columns].tocsr() for m in (self.rows, self.on_face))
        for m in (rows, on_face):
            m.data /= sizes[m.indices]
        cost = np.where(columns < self.points.rows.dim, 1.0, _NO_CONSTANT)
        answer = linprog(
            np.tile(cost, 2),
            A_ub=sparse.hstack([-rows, rows], format="csr"),
            b_ub=-np.ones(rows.shape[0]),
            A_eq=sparse.hstack([on_face, -on_face], format="csr"),
            b_eq=np.zeros(on_face.shape[0]),
            method="highs",
            options={"time_limit": seconds},
        )
        if answer.x is None or answer.status != 0:
            return None
        w = np.zeros(self.points.length)
        with np.errstate(over="ignore"):
            w[columns] = (answer.x[:k] - answer.x[k:]) / sizes
        return w if np.isfinite(w).all() else None
