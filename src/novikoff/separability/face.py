"""The face of points known to be inseparable: those whose positive multiples sum to zero.

If Σ λ z = 0 with λ > 0 on some points, then weights that put no point on its wrong side put all of
these on the hyperplane, and so their span U. So only weights orthogonal to U are left, and only
points outside U can still be separated. Everything here is exact.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from novikoff.guarantees.certificate import Sparse
from novikoff.guarantees.exact.arithmetic import ExactVector, integers
from novikoff.separability.exact_linear import Span, Undecided
from novikoff.separability.points import Points, columns_of, orthogonal_to
from novikoff.stream.rows import Positions, Vector

WEIGHT_BITS = (4, 8, 12, 16, 24, 32, 44, 52)  # of rounded weights, tried until they separate
_BITS = (4, 12, 24, 40)  # of rounded multipliers, tried until the others are positive


class Face:
    """Multipliers λ > 0 with Σ λ z = 0, a basis of the span U of their rows, and of its complement.

    `columns` are the coordinates in use: weights are 0 in the others.
    """

    def __init__(self, points: Points, columns: Positions) -> None:
        self.points, self.columns = points, columns
        self.multipliers = Counter[int]()
        self.basis = np.zeros(0, dtype=np.int64)
        self.pivots = np.zeros(0, dtype=np.int64)
        self.touched = np.zeros(0, dtype=np.int64)
        self.complement: list[Sparse] = []

    def add(self, multipliers: Mapping[int, int]) -> None:
        """Add rows whose positive multiples sum to zero exactly."""
        self._span(self.with_rows(np.array(sorted(multipliers), dtype=np.int64)))
        self.multipliers += Counter(multipliers)

    def add_pairs(self, first: Positions, second: Positions) -> None:
        """Add pairs of rows that are each other's negative, those that are not in U."""
        span, known = self.with_rows(first), len(self.basis)
        at = span.independent[known:] - known
        self._span(span)
        self.multipliers += Counter([*first[at].tolist(), *second[at].tolist()])

    def with_rows(self, rows: Positions, *, in_order: bool = False) -> Span:
        """The span of U and these rows; its basis is U's, and of the rows perhaps the first."""
        known = len(self.basis)
        ranks = [0] * known + [1 + k * in_order for k in range(len(rows))]
        return Span(self.points, np.concatenate([self.basis, rows]), self.columns, ranks)

    def add_rounded(self, rows: Positions, near: Vector) -> bool:
        """Add rows whose positive multiples sum to zero in floating point; False if not exactly.

        The multipliers of the first independent rows are solved for exactly, after those of the
        others were rounded; if one is not positive, the face does not change. The sum need only
        lie in U: the multipliers of U's basis make up for it, and enough of the known zero sum is
        added to keep these positive.
        """
        span, known = self.with_rows(rows, in_order=True), len(self.basis)
        fixed = np.setdiff1d(np.arange(len(span.rows)), span.independent)
        for bits in _BITS:
            sizes, exponents = np.frexp(near[fixed - known])
            rounded = np.ldexp(np.rint(np.ldexp(sizes, bits)), exponents - bits)
            given = integers(rounded)[0].astype(object)
            found, under = span.combination(fixed, given)
            if all(x > 0 for x in found[known:]):
                solved = span.rows[span.independent[known:]].tolist()
                rest = dict(zip(span.rows[fixed].tolist(), (under * given).tolist(), strict=True))
                fresh = rest | dict(zip(solved, found[known:], strict=True))
                if not self._take(fresh, found[:known]):  # the prime missed a dimension
                    return False
                self._span(span)
                return True
        return False

    def add_within(self, multipliers: Mapping[int, int]) -> None:
        """Add rows whose positive multiples sum to a point of U exactly."""
        rows, known = np.array([*multipliers], dtype=np.int64), len(self.basis)
        span = self.with_rows(rows)
        times = np.array([*multipliers.values()], dtype=object)
        found, under = span.combination(np.arange(known, len(span.rows)), times)
        if not self._take({i: under * x for i, x in multipliers.items()}, found[:known]):
            raise Undecided("the prime divides a determinant")
        self._span(span)

    def _take(self, fresh: Mapping[int, int], change: list[int]) -> bool:
        """Add these multipliers, and these changes of those of U's basis; False if Σ λ z ≠ 0.

        Enough of the known zero sum is added to keep all of them positive.
        """
        changes = dict(zip(self.basis.tolist(), change, strict=True))
        times = max([1, *(-x // self.multipliers[i] + 1 for i, x in changes.items())])
        lifted = {i: times * x + changes.get(i, 0) for i, x in self.multipliers.items()}
        together = Counter(lifted) + Counter(fresh)
        if not self.points.exact.sum_of(together, self.points.labels).is_zero:
            return False
        common = math.gcd(*together.values())
        self.multipliers = Counter({i: x // common for i, x in together.items()})
        return True

    def _span(self, span: Span) -> None:
        """Set U to the span of these rows."""
        self.basis, self.touched = span.rows[span.independent], span.touched
        self.pivots, self.complement = span.pivots, span.orthogonal_vectors()

    @property
    def untouched(self) -> Positions:
        """The columns in use in which all of U is 0."""
        return np.setdiff1d(self.columns, self.touched)

    def outside(self) -> NDArray[np.bool_]:
        """Which points are not in U, exactly."""
        mask = np.zeros(self.points.length, dtype=np.bool_)
        mask[self.untouched] = True
        return self.points.touching(mask) | ~orthogonal_to(self.points.exact, self.complement)

    def orthogonal_vectors(self) -> list[Sparse]:
        """A basis of the weights orthogonal to U."""
        return [*self.complement, *({j: 1} for j in self.untouched.tolist())]

    def orthogonal(self) -> sparse.csc_array[Any]:
        """The same basis in floating point, each vector scaled to size 1, as columns."""
        return columns_of(self.orthogonal_vectors(), self.points.length, scaled=True)

    def coordinates(self, w: Vector) -> Vector:
        """The coordinates in the basis `orthogonal` of weights that are orthogonal to U.

        One that is too large for float64 is not finite.
        """
        pivots = set(self.pivots.tolist())
        out: list[float] = []
        for v in self.complement:
            free = next(j for j in v if j not in pivots)
            try:
                size = max(map(abs, v.values())) / v[free]
            except OverflowError:
                size = math.inf
            out.append(float(w[free]) * size)
        return np.array([*out, *w[self.untouched]])

    def roundings(self, coordinates: Vector) -> Iterator[ExactVector]:
        """The weights with these coordinates, rounded to more and more bits, and in the end not."""
        return (self.weights(coordinates, bits=bits) for bits in (*WEIGHT_BITS, None))

    def weights(self, coordinates: Vector, *, bits: int | None) -> ExactVector:
        """Weights exactly orthogonal to U, with coordinates near these in the basis `orthogonal`.

        The coordinates are rounded to `bits` bits of the largest; None does not round.
        """
        if bits is None:
            whole = integers(coordinates)[0].tolist()
        else:
            top = float(np.abs(coordinates).max())
            whole = [round(x / top * 2**bits) for x in coordinates.tolist()]
        # `orthogonal` scales the vectors of the complement to size 1
        sizes = [max(map(abs, v.values())) for v in self.complement]
        below = math.lcm(*sizes)
        sizes += [1] * len(self.untouched)
        return self.combined(x * (below // size) for x, size in zip(whole, sizes, strict=True))

    def combined(self, times: Iterable[int]) -> ExactVector:
        """The sum of so many times each of the `orthogonal_vectors`."""
        total = Counter[int]()
        for v, n in zip(self.orthogonal_vectors(), times, strict=True):
            total.update({j: n * x for j, x in v.items()})
        return ExactVector.sparse(total, self.points.length)
