"""What is known to be inseparable: rows with multipliers that sum to zero, and all their span.

If Σ λ z = 0 with λ > 0 on some points, weights that have no point on its wrong side must have all
of these on the hyperplane, and with them their span U. So only weights orthogonal to U are left,
and only points outside U can still be separated. Everything here is exact.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from novikoff.guarantees.certificate import Sparse
from novikoff.guarantees.exact.arithmetic import ExactVector, Integers, integers
from novikoff.separability.exact_linear import (
    expect_room,
    independent_columns,
    independent_rows,
    solve,
)
from novikoff.separability.points import Points
from novikoff.stream.rows import Positions, Vector

_BITS = (4, 12, 24, 40)  # how finely multipliers are rounded, until the rest come out positive


@dataclass(frozen=True, slots=True)
class _Frame:
    """Some points in the columns they touch, and independent ones of both, the first there are."""

    rows: Positions
    touched: Positions
    z: Integers
    independent: Positions
    pivots: Positions

    @classmethod
    def of(cls, points: Points, rows: Positions, columns: Positions) -> _Frame:
        touched = np.intersect1d(points.touched_by(rows), columns)
        expect_room(len(rows), len(touched))
        z = points.whole(rows, touched)
        independent = independent_rows(z)
        return cls(rows, touched, z, independent, independent_columns(z[independent]))

    @property
    def square(self) -> Integers:
        """The independent rows in as many independent columns."""
        return np.ascontiguousarray(self.z[np.ix_(self.independent, self.pivots)])


class Face:
    """Multipliers λ > 0 with Σ λ z = 0, a basis of the span U of their rows, what is orthogonal.

    `columns` are the coordinates that matter: weights are 0 in the others.
    """

    def __init__(self, points: Points, columns: Positions) -> None:
        self.points, self.columns = points, columns
        self.multipliers: dict[int, int] = {}
        self.basis = np.zeros(0, dtype=np.int64)
        self.pivots = np.zeros(0, dtype=np.int64)
        self.touched = np.zeros(0, dtype=np.int64)
        self.complement: list[Sparse] = []

    def add(self, multipliers: Mapping[int, int]) -> None:
        """Take in rows whose multiples, by positive numbers, sum to zero exactly."""
        together = np.concatenate([self.basis, np.array(sorted(multipliers), dtype=np.int64)])
        self._span(_Frame.of(self.points, together, self.columns))
        self.multipliers = _sum(self.multipliers, multipliers)

    def add_rounded(self, rows: Positions, near: Vector) -> bool:
        """Take in rows whose positive multiples sum to zero as far as floating point can tell.

        Of the first rows that are independent the multipliers are solved for exactly, those of the
        rest being rounded; whether they come out positive is returned, and nothing is done if not.
        The sum need only be in U: what it is there is made up for by the multipliers of U's own
        basis, to which enough of what sums to zero already is added to keep them positive.
        """
        frame = _Frame.of(self.points, np.concatenate([self.basis, rows]), self.columns)
        known = len(self.basis)
        fixed = np.setdiff1d(np.arange(len(frame.rows)), frame.independent)
        square = np.ascontiguousarray(frame.square.T)
        for bits in _BITS:
            sizes, exponents = np.frexp(near[fixed - known])
            rounded = np.ldexp(np.rint(np.ldexp(sizes, bits)), exponents - bits)
            given = integers(rounded)[0].astype(object)
            right = -(given @ frame.z[np.ix_(fixed, frame.pivots)].astype(object))
            if len(fixed) == 0:
                right = np.zeros(len(frame.pivots), dtype=object)
            solution, under = solve(square, right.reshape(-1, 1))
            found: list[int] = solution[:, 0].tolist()
            if all(x > 0 for x in found[known:]):
                lifted = self._lifted(dict(zip(self.basis.tolist(), found[:known], strict=True)))
                solved = frame.rows[frame.independent[known:]].tolist()
                fresh = dict(zip(solved, found[known:], strict=True))
                rest = dict(zip(frame.rows[fixed].tolist(), (under * given).tolist(), strict=True))
                together = _sum(_sum(lifted, fresh), rest)
                if not self.points.sum_is_zero(together):  # the prime missed a dimension
                    return False
                common = math.gcd(*together.values())
                self._span(frame)
                self.multipliers = {i: x // common for i, x in together.items()}
                return True
        return False

    def _lifted(self, change: Mapping[int, int]) -> dict[int, int]:
        """The multipliers with these changes, and so much of the zero sum that all stay > 0."""
        times = max([1, *(-x // self.multipliers[i] + 1 for i, x in change.items())])
        return {i: times * x + change.get(i, 0) for i, x in self.multipliers.items()}

    def _span(self, frame: _Frame) -> None:
        """Let U be the span of these rows."""
        self.basis, self.touched = frame.rows[frame.independent], frame.touched
        self.pivots = frame.touched[frame.pivots]
        free = np.setdiff1d(np.arange(len(frame.touched)), frame.pivots)
        sums, under = solve(frame.square, frame.z[np.ix_(frame.independent, free)])
        self.complement = [
            orthogonal_vector(int(frame.touched[f]), under, self.pivots, -sums[:, k])
            for k, f in enumerate(free.tolist())
        ]

    @property
    def untouched(self) -> Positions:
        """The columns that matter in which all of U is 0."""
        return np.setdiff1d(self.columns, self.touched)

    @property
    def is_everything(self) -> bool:
        """Whether U is the whole space, so that no point lies outside it."""
        return len(self.pivots) == len(self.columns)

    def outside(self) -> NDArray[np.bool_]:
        """Which points are not in U, exactly."""
        mask = np.zeros(self.points.length, dtype=np.bool_)
        mask[self.untouched] = True
        return self.points.touching(mask) | ~self.points.orthogonal_to(self.complement)

    def orthogonal(self) -> sparse.csc_array[Any]:
        """A basis of the weights orthogonal to U, in floating point, one a column."""
        length = self.points.length
        vectors = [_floats(v) for v in self.complement]
        columns = [np.array(list(v), dtype=np.int64) for v in self.complement]
        alone = self.untouched
        columns += [alone[k : k + 1] for k in range(len(alone))]
        vectors += [np.ones(1)] * len(alone)
        starts = np.concatenate([[0], np.cumsum([len(c) for c in columns])]).astype(np.int64)
        data = np.concatenate([np.zeros(0), *vectors])
        where = np.concatenate([np.zeros(0, dtype=np.int64), *columns])
        return sparse.csc_array((data, where, starts), shape=(length, len(columns)))

    def weights(self, coordinates: Vector, *, bits: int | None) -> ExactVector:
        """Weights exactly orthogonal to U, with coordinates in `orthogonal` near to these.

        They are rounded to so many bits of the largest; not at all when that is None.
        """
        if bits is None:
            whole = integers(coordinates)[0].tolist()
        else:
            top = float(np.abs(coordinates).max())
            whole = [round(x / top * 2**bits) for x in coordinates.tolist()]
        # the vectors of the complement were scaled to size 1 as floats
        sizes = [max(map(abs, v.values())) for v in self.complement]
        below = math.lcm(*sizes)
        total = dict.fromkeys(self.touched.tolist(), 0)
        for v, size, x in zip(self.complement, sizes, whole, strict=False):
            for j, n in v.items():
                total[j] += x * (below // size) * n
        rest = (x * below for x in whole[len(sizes) :])
        total.update(zip(self.untouched.tolist(), rest, strict=True))
        return ExactVector.sparse(total, self.points.length)


def _sum(a: Mapping[int, int], b: Mapping[int, int]) -> dict[int, int]:
    return {i: a.get(i, 0) + b.get(i, 0) for i in {**a, **b}}


def orthogonal_vector(free: int, number: int, pivots: Positions, others: Integers) -> Sparse:
    """The vector with this number in the free column and the others in the pivots, reduced."""
    v = {int(p): int(x) for p, x in zip(pivots, others, strict=True) if x}
    v[free] = number
    common = math.gcd(*v.values())
    return {j: x // common for j, x in sorted(v.items())}


def _floats(v: Sparse) -> Vector:
    size = max(map(abs, v.values()))
    return np.array([x / size for x in v.values()])
