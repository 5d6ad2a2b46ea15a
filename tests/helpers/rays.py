"""The separated rows of every labelling, by an exact enumeration of extreme rays."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Points = list[list[int]]


Grid = NDArray[np.float64]


def normal(rows: Points, length: int) -> list[Fraction] | None:
    """The vector orthogonal to the rows when, up to its length, there is just one."""
    reduced: list[tuple[int, list[Fraction]]] = []
    for row in rows:
        x = [Fraction(a) for a in row]
        for p, r in reduced:
            x = [a - x[p] * b for a, b in zip(x, r, strict=True)]
        p = next((j for j, a in enumerate(x) if a), -1)
        if p < 0:
            return None
        x = [a / x[p] for a in x]
        reduced = [(q, [a - r[p] * b for a, b in zip(r, x, strict=True)]) for q, r in reduced]
        reduced.append((p, x))
    (free,) = set(range(length)) - {p for p, _ in reduced}
    v = [Fraction(0)] * length
    v[free] = Fraction(1)
    for p, r in reduced:
        v[p] = -r[free]
    return v


def sides_of_rays(points: Points) -> Grid:
    """For each vector orthogonal to all but one dimension of points, the side each point is on."""
    length, found = len(points[0]), set()
    for some in combinations(points, length - 1):
        if (v := normal(list(some), length)) is not None:
            dots = (sum(a * b for a, b in zip(v, x, strict=True)) for x in points)
            sides = tuple((d > 0) - (d < 0) for d in dots)
            found |= {sides, tuple(-s for s in sides)}
    return np.array(sorted(found), dtype=np.float64)


def separated_rows(points: Points, labels: Grid) -> NDArray[np.bool_]:
    """For each labelling, the rows that some weights separate with none on its wrong side."""
    sides = sides_of_rays(points)
    allowed = (labels @ sides.T == np.abs(sides).sum(axis=1)).astype(np.float64)
    return np.asarray(allowed @ np.abs(sides) > 0)
