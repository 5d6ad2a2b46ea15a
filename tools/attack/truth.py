"""What is true of a small table, from the theorems, in Fractions: nothing here is the library's.

Write z = y·x for a row x with label y. By Gordan (1873) and Albert & Anderson (1984) a row is not
separated by any w with ⟨w,z⟩ ≥ 0 on all rows exactly if it is in a positive dependency Σλz = 0,
λ > 0 on some rows. Positive dependencies are sums of minimal ones (circuits), so with a handful
of rows all of them can be tried. The best margin is the distance of the hull of the z from 0,
which is reached in a simplex of affinely independent rows; these too can all be tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import TypeAlias

Vector: TypeAlias = tuple[Fraction, ...]


@dataclass(frozen=True)
class Facts:
    """The rows that no weights separate, the best margin squared, the radius squared, the rank."""

    face: frozenset[int]
    margin_squared: Fraction
    radius_squared: Fraction
    rank: int
    rows: int

    @property
    def verdict(self) -> str:
        """Complete, quasi-complete or overlap."""
        if not self.face:
            return "complete"
        return "overlap" if len(self.face) == self.rows else "quasi-complete"


def dot(u: Sequence[Fraction], v: Sequence[Fraction]) -> Fraction:
    """⟨u,v⟩."""
    return sum((a * b for a, b in zip(u, v, strict=True)), Fraction(0))


def echelon(rows: Sequence[Sequence[Fraction]]) -> tuple[list[list[Fraction]], list[int]]:
    """The reduced row echelon form of the rows, and its pivots."""
    m, pivots = [list(row) for row in rows], list[int]()
    for c in range(len(m[0]) if m else 0):
        r = len(pivots)
        k = next((i for i in range(r, len(m)) if m[i][c]), None)
        if k is None:
            continue
        m[r], m[k] = m[k], m[r]
        m[r] = [a / m[r][c] for a in m[r]]
        for i in range(len(m)):
            if i != r and (times := m[i][c]):
                m[i] = [a - times * b for a, b in zip(m[i], m[r], strict=True)]
        pivots.append(c)
    return m, pivots


def kernel(columns: Sequence[Vector]) -> list[list[Fraction]]:
    """A basis of the λ with Σ λ_k columns[k] = 0."""
    m, pivots = echelon(list(zip(*columns, strict=True)))
    free = [k for k in range(len(columns)) if k not in pivots]
    basis = []
    for k in free:
        v = [Fraction(int(j == k)) for j in range(len(columns))]
        for r, c in enumerate(pivots):
            v[c] = -m[r][k]
        basis.append(v)
    return basis


def _nearest(points: Sequence[Vector]) -> Fraction | None:
    """‖p‖² of the point nearest to 0 in the affine hull, if it is a convex combination."""
    k = len(points)
    system = [[dot(p, q) for q in points] + [Fraction(1), Fraction(0)] for p in points]
    system.append([Fraction(1)] * k + [Fraction(0), Fraction(1)])
    m, pivots = echelon(system)
    if pivots != list(range(k + 1)):
        return None
    times = [m[r][-1] for r in range(k)]
    if any(t < 0 for t in times):
        return None
    p = [
        sum((t * x for t, x in zip(times, column, strict=True)), Fraction(0))
        for column in zip(*points, strict=True)
    ]
    return dot(p, p)


@lru_cache(maxsize=4096)
def circuits(z: tuple[Vector, ...]) -> tuple[dict[int, Fraction], ...]:
    """The minimal λ > 0 on some rows with Σλz = 0."""
    found = []
    for size in range(1, min(len(z), len(z[0]) + 1) + 1):
        for some in combinations(range(len(z)), size):
            basis = kernel([z[i] for i in some])
            if len(basis) == 1 and all(basis[0]) and min(basis[0]) * max(basis[0]) > 0:
                found.append({i: abs(t) for i, t in zip(some, basis[0], strict=True)})
    return tuple(found)


@lru_cache(maxsize=4096)
def facts(z: tuple[Vector, ...]) -> Facts:
    """The facts about rows z = y·x, of which there are few."""
    d = len(z[0])
    face = frozenset(i for circuit in circuits(z) for i in circuit)
    margin = Fraction(0)
    if not face:
        simplices = (some for size in range(1, d + 2) for some in combinations(z, size))
        margin = min(near for some in simplices if (near := _nearest(some)) is not None)
    radius = max(dot(x, x) for x in z)
    return Facts(face, margin, radius, len(echelon(z)[1]), len(z))
