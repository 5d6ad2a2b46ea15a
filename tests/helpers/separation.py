"""Small separation problems, and their answers by code that shares nothing with `certify`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import gcd

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

Grid = NDArray[np.float64]
Points = list[list[int]]


@dataclass(frozen=True)
class Problem:
    """Rows of small integers with labels −1 and +1, with or without an intercept."""

    X: Grid
    y: NDArray[np.int8]
    bias: bool

    @property
    def points(self) -> Points:
        """z = y·x, the intercept last."""
        x = np.hstack([self.X, np.ones((len(self.X), 1))]) if self.bias else self.X
        return [[int(a) for a in z] for z in x * self.y[:, None]]


@st.composite
def problems(draw: st.DrawFn, *, most_rows: int = 12, most_columns: int = 4) -> Problem:
    """Integers from −3 to 3, repeated rows, labels at random or nearly separable."""
    d = draw(st.integers(0, most_columns))
    number = st.integers(-3, 3) if draw(st.booleans()) else st.integers(-1, 1)
    row = st.lists(number, min_size=d, max_size=d)
    distinct = draw(st.lists(row, min_size=1, max_size=most_rows))
    again = draw(st.lists(st.integers(0, len(distinct) - 1), max_size=most_rows - len(distinct)))
    rows = [*distinct, *(distinct[i] for i in again)]
    X = np.array(rows, dtype=float).reshape(len(rows), d)
    y = np.array(draw(st.lists(st.sampled_from([-1, 1]), min_size=len(X), max_size=len(X))))
    if draw(st.booleans()):
        u = draw(st.lists(st.integers(-3, 3), min_size=d, max_size=d))
        y = np.where(X @ np.array(u, dtype=float) > draw(st.integers(-2, 2)), 1, -1)
    return Problem(X, y.astype(np.int8), draw(st.booleans()))


def separable_rows(points: Sequence[Sequence[int]]) -> list[int]:
    """The rows with ⟨w,z⟩ > 0 for some w with ⟨w,z⟩ ≥ 0 on all rows: by extreme rays, in integers.

    The cone of such w is cut out by one row after another (Motzkin and others 1953). It is spanned
    by lines, in both directions, and rays; a cut keeps the rays on its right side and joins
    neighbours on different sides, which no third ray shares all zeros with.
    """
    lines = [[int(i == j) for j in range(len(points[0]))] for i in range(len(points[0]))]
    rays, cuts = list[list[int]](), list[Sequence[int]]()
    for z in points:
        if (k := next((k for k, v in enumerate(lines) if _dot(z, v)), None)) is not None:
            first = lines.pop(k) if _dot(z, lines[k]) > 0 else [-a for a in lines.pop(k)]
            lines = [_joined(v, first, z) for v in lines]
            rays = [*(_joined(v, first, z) for v in rays), first]
        else:
            zeros = [{i for i, c in enumerate(cuts) if not _dot(c, v)} for v in rays]
            sides = [_dot(z, v) for v in rays]
            fresh = [v for v, side in zip(rays, sides, strict=True) if side >= 0]
            for i, j in combinations(range(len(rays)), 2):
                both = zeros[i] & zeros[j]
                others = (zeros[k] for k in range(len(rays)) if k not in (i, j))
                if sides[i] * sides[j] < 0 and not any(both <= other for other in others):
                    low, high = (i, j) if sides[i] < 0 else (j, i)
                    fresh.append(_joined(rays[low], rays[high], z))
            rays = fresh
        cuts.append(z)
    return [i for i, z in enumerate(points) if any(_dot(z, v) > 0 for v in rays)]


def _dot(u: Sequence[int], v: Sequence[int]) -> int:
    return sum(a * b for a, b in zip(u, v, strict=True))


def _joined(v: Sequence[int], to: Sequence[int], z: Sequence[int]) -> list[int]:
    """A positive multiple of v plus a multiple of `to` that is orthogonal to z; ⟨z,to⟩ > 0."""
    out = [_dot(z, to) * a - _dot(z, v) * b for a, b in zip(v, to, strict=True)]
    common = gcd(*out) or 1
    return [a // common for a in out]


def verdict(separable: list[int], n: int) -> str:
    return "complete" if len(separable) == n else "quasi-complete" if separable else "overlap"


def reduced(rows: Sequence[Sequence[int | Fraction]]) -> list[tuple[int, list[Fraction]]]:
    """The rows in reduced echelon form, each with the column of its leading 1."""
    out: list[tuple[int, list[Fraction]]] = []
    for row in rows:
        x = [Fraction(a) for a in row]
        for p, r in out:
            x = [a - x[p] * b for a, b in zip(x, r, strict=True)]
        p = next((j for j, a in enumerate(x) if a), -1)
        if p >= 0:
            x = [a / x[p] for a in x]
            out = [(q, [a - r[p] * b for a, b in zip(r, x, strict=True)]) for q, r in out]
            out.append((p, x))
    return sorted(out)


def aliased_columns(problem: Problem) -> set[int]:
    """Columns that are linear combinations of the intercept and the columns before them."""
    points, d = problem.points, problem.X.shape[1]
    order = [d, *range(d)] if problem.bias else list(range(d))
    leading = {order[p] for p, _ in reduced([[z[j] for j in order] for z in points])}
    return set(order) - leading


def best_margin_squared(points: Sequence[Sequence[int]]) -> Fraction:
    """γ² of separable points: the least ‖Σλz‖² over convex λ, exactly.

    The minimum is reached on some independent points with all λ > 0, and there Σλz has the same
    inner product with each of them. So their Gram matrix G has Ga = 1 with a > 0, and γ² = 1/Σa.
    """
    best = Fraction(sum(a * a for a in points[0]))
    for size in range(1, len(points[0]) + 1):
        for some in combinations(points, size):
            gram = [[sum(a * b for a, b in zip(u, v, strict=True)) for v in some] for u in some]
            solved = reduced([[*g, 1] for g in gram])
            a = [row[-1] for p, row in solved if p < size]
            if len(a) == size and min(a) > 0:
                best = min(best, 1 / sum(a, Fraction(0)))
    return best


def normal(rows: Points, length: int) -> list[Fraction] | None:
    """The vector orthogonal to the rows, if it is unique up to its length."""
    echelon = reduced(rows)
    if len(echelon) < len(rows):
        return None
    (free,) = set(range(length)) - {p for p, _ in echelon}
    v = [Fraction(0)] * length
    v[free] = Fraction(1)
    for p, r in echelon:
        v[p] = -r[free]
    return v


def sides_of_rays(points: Points) -> Grid:
    """The side of each point, a row for each vector orthogonal to length − 1 independent points."""
    length, found = len(points[0]), set()
    for some in combinations(points, length - 1):
        if (v := normal(list(some), length)) is not None:
            dots = (sum(a * b for a, b in zip(v, x, strict=True)) for x in points)
            sides = tuple((d > 0) - (d < 0) for d in dots)
            found |= {sides, tuple(-s for s in sides)}
    return np.array(sorted(found), dtype=np.float64)


def separated_rows(points: Points, labels: Grid) -> NDArray[np.bool_]:
    """For each labelling, the rows separated by some weights that put no row on its wrong side.

    Such weights form a cone. If the rows span the space, each extreme ray of the cone is orthogonal
    to all but one dimension of them, and the sum of the rays separates whatever any weights of the
    cone separate. So the rows are those that some extreme ray separates.
    """
    sides = sides_of_rays(points)
    allowed = (labels @ sides.T == np.abs(sides).sum(axis=1)).astype(np.float64)
    return np.asarray(allowed @ np.abs(sides) > 0)
