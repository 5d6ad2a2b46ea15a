"""Exact linear algebra: independent rows and columns, square systems, and aliased columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import flint
import numpy as np

from novikoff.guarantees.certificate import Sparse
from novikoff.guarantees.check import PRIME, Whole, rank
from novikoff.guarantees.exact.arithmetic import Integers, largest
from novikoff.separability.points import Points
from novikoff.stream.rows import Positions

MOST_NUMBERS = 30_000_000  # in a matrix, as Python integers some gigabytes
MOST_WORK = 3e8  # n² numbers × k right sides × bits of each: about half a minute
_ALIAS_WORK = 1e7  # a second or two
_MOST_FOR_RANK = 1_000_000  # numbers


class Undecided(Exception):  # noqa: N818  (it is the verdict)
    """No proof can be found, and why: a matrix is too large, say, or a program was not solved."""


class Inexact(Undecided):
    """Floating point cannot find the proof; exact arithmetic may."""


def independent_columns(matrix: Integers) -> Positions:
    """The columns that are not linear combinations of the columns before them.

    They are computed modulo a prime. The columns found are truly independent; but if the prime
    divides a determinant, a column may be missing, so the caller must check that.
    """
    rows, columns = matrix.shape
    if rows == 0 or columns == 0:
        return np.zeros(0, dtype=np.int64)
    reduced, found_rank = flint.nmod_mat(
        rows, columns, (matrix % PRIME).ravel().tolist(), PRIME
    ).rref()
    found, j = [], 0
    for i in range(found_rank):
        while int(reduced[i, j]) == 0:
            j += 1
        found.append(j)
    return np.array(found, dtype=np.int64)


def rank_of(rows: Sequence[Whole]) -> int:
    """The rank that `check.rank` finds, from a dense matrix unless that were too large."""
    places = {c: k for k, c in enumerate(sorted(set[int]().union(*rows)))}
    if len(rows) * len(places) > _MOST_FOR_RANK:
        return rank(rows)
    numbers = [0] * (len(rows) * len(places))
    for i, row in enumerate(rows):
        for c, x in row.items():
            numbers[i * len(places) + places[c]] = x % PRIME
    return int(flint.nmod_mat(len(rows), len(places), numbers, PRIME).rank())


def independent_rows(matrix: Integers) -> Positions:
    """The rows that are not linear combinations of the rows before them, found in the same way."""
    return independent_columns(np.ascontiguousarray(matrix.T))


def solve(matrix: Integers, right: Integers, *, most: float = MOST_WORK) -> tuple[Integers, int]:
    """Integers X and d > 0 with matrix · X = d · right, for a square matrix of full rank."""
    n, k = right.shape
    if n == 0 or k == 0:
        return np.zeros((n, k), dtype=object), 1
    if n * n * k * largest(matrix).bit_length() > most:
        raise Undecided(f"a system of {n:,} equations with {k:,} right sides is too large to solve")
    left = flint.fmpz_mat(n, n, matrix.ravel().tolist())
    solution: Any = left.solve(flint.fmpz_mat(n, k, right.ravel().tolist()))
    over, under = solution.numer_denom()
    return np.array([int(x) for x in over.entries()], dtype=object).reshape(n, k), int(under)


def orthogonal_vector(free: int, number: int, pivots: Positions, others: Integers) -> Sparse:
    """The vector with `number` in the free column and `others` in the pivots, in lowest terms."""
    v = {int(p): int(x) for p, x in zip(pivots, others, strict=True) if x}
    v[free] = number
    common = math.gcd(*v.values())
    return {j: x // common for j, x in sorted(v.items())}


def aliases(points: Points, first: Sequence[int] = ()) -> dict[int, Sparse]:
    """For each aliased column a vector v with ⟨v,z⟩ = 0 on every row, exactly.

    As in R, the constant comes first and then column after column, those in `first` before the
    others; a column is aliased when it is a linear combination of the columns before it. A sample
    of rows suggests the aliases, all rows check them, and rows that disagree join the sample.
    """
    constant = [points.length - 1] * points.bias
    order = np.array([*dict.fromkeys([*constant, *first, *range(points.length)])], dtype=np.int64)
    n = len(points)
    step = max(1, n // (points.length + 16))
    sample = np.union1d(np.arange(0, n, step), points.first_touching())
    while True:
        z = points.whole(sample, order)
        independent = independent_columns(z)
        rest = np.setdiff1d(np.arange(points.length), independent)
        if len(rest) == 0:
            return {}
        basis = independent_rows(z[:, independent])
        sums, under = solve(z[np.ix_(basis, independent)], z[np.ix_(basis, rest)], most=_ALIAS_WORK)
        relations = {
            f: orthogonal_vector(f, under, order[independent], -sums[:, k])
            for k, f in enumerate(order[rest].tolist())
        }
        against = np.flatnonzero(~points.orthogonal_to([*relations.values()]))
        if len(against) == 0:
            return relations
        step = max(1, len(against) // (2 * len(relations)))
        more = np.union1d(sample, against[::step])
        if len(more) == len(sample):
            raise Undecided("the prime divides a determinant")
        sample = more
