"""Exact linear algebra: independent rows and columns, square systems, and aliased columns."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import Any, TypeAlias

import flint
import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from novikoff import _core
from novikoff.guarantees.certificate import Sparse
from novikoff.guarantees.check import PRIME, Whole, rank
from novikoff.guarantees.exact.arithmetic import Integers, integers, largest
from novikoff.separability.points import Points, orthogonal_to, spread
from novikoff.stream.rows import Positions

MOST_NUMBERS = 30_000_000  # in a matrix, as Python integers some gigabytes
MOST_WORK = 3e8  # n² numbers × k right sides × bits of each: about half a minute
_ALIAS_WORK = 1e7  # a second or two
_MOST_FOR_RANK = 1_000_000  # numbers
_MOST_BY_ROWS = 10_000_000  # numbers × rank; beyond, FLINT's elimination by blocks is faster
_SMALL = 100  # fractions of such numbers are read from their remainders
_THIN, _FEW_THIN, _MOST_THIN = 8, 64, 8  # indicators: 1 of so many rows, so many of them, in a row

Exact: TypeAlias = int | fmpq


class Undecided(Exception):  # noqa: N818  (it is the verdict)
    """No proof can be found, and why: a matrix is too large, say, or a program was not solved."""


def too_large(what: str, size: float, limit: float) -> Undecided:
    """That a system is too large for exact arithmetic, by how much, and what would help."""
    return Undecided(
        f"{what} is {size / limit:.2g} times too large for exact arithmetic; no option raises this "
        "limit, but fewer columns or levels would stay below it"
    )


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
    if rows * columns * min(rows, columns) <= _MOST_BY_ROWS:
        return _reduced(matrix)[1]
    reduced, found_rank = flint.nmod_mat(
        rows, columns, (matrix % PRIME).ravel().tolist(), PRIME
    ).rref()
    found, j = [], 0
    for i in range(found_rank):
        while int(reduced[i, j]) == 0:
            j += 1
        found.append(j)
    return np.array(found, dtype=np.int64)


def _reduced(matrix: Integers) -> tuple[NDArray[np.int64], Positions]:
    """The rows of the reduced echelon form modulo the prime, and where each begins."""
    out = np.ascontiguousarray(matrix % PRIME, dtype=np.int64)
    pivots = np.zeros(min(out.shape), dtype=np.int64)
    rank = _core.echelon(matrix=out.reshape(-1), columns=out.shape[1], pivots=pivots)
    return out[:rank], pivots[:rank]


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
    if (work := n * n * k * largest(matrix).bit_length()) > most:
        raise too_large(f"a system of {n:,} equations with {k:,} right sides", work, most)
    left = flint.fmpz_mat(n, n, matrix.ravel().tolist())
    solution: Any = left.solve(flint.fmpz_mat(n, k, right.ravel().tolist()))
    over, under = solution.numer_denom()
    return np.array([int(x) for x in over.entries()], dtype=object).reshape(n, k), int(under)


def _lowest_terms(v: Mapping[int, Exact]) -> Sparse:
    """The vector times a positive number that makes it integers without a common factor."""
    below = math.lcm(*(x.denominator for x in v.values()))
    whole = {j: int(x * below) for j, x in sorted(v.items()) if x}
    common = math.gcd(*whole.values())
    return {j: x // common for j, x in whole.items()}


def _over(x: Exact, y: Exact) -> Exact:
    """X / y, an integer where it is one."""
    if y in (1, -1):
        return x * y
    ratio = fmpq(x) / y
    return int(ratio) if ratio.denominator == 1 else ratio


@dataclass(frozen=True, slots=True)
class _Step:
    """A row less multiples of the rows of earlier steps, `used`, and then divided by a number."""

    row: int
    rest: dict[int, Exact]
    used: list[tuple[_Step, Exact]]
    divided: Exact = 1


class Span:
    """The span of some points in some columns: independent rows, and what is orthogonal to them.

    Indicators are columns whose numbers have one size, such as levels of a fixed effect. If few
    rows use each, they are eliminated first. Mostly that only adds and subtracts, and it leaves a
    small matrix of the other columns.

    Attributes
    ----------
    touched
        The columns that the points use.
    independent
        Rows of which all are combinations, by their places among those given. A row is not among
        them only if it is a combination of rows that have no higher rank.
    pivots
        As many columns in which these rows are independent.
    """

    def __init__(
        self,
        points: Points,
        rows: Positions,
        columns: Positions,
        ranks: Sequence[int] | None = None,
    ) -> None:
        self.rows = rows
        self._ranks = [0] * len(rows) if ranks is None else ranks  # they do not fall
        wanted = np.zeros(points.length, dtype=np.bool_)
        wanted[columns] = True
        e = points.entries(rows)
        e = e.where(wanted[e.columns])
        self.touched, place, used = np.unique(e.columns, return_inverse=True, return_counts=True)
        absolute, low, high = np.abs(e.values), np.full(len(used), np.inf), np.zeros(len(used))
        np.minimum.at(low, place, absolute)
        np.maximum.at(high, place, absolute)
        thin = (low == high) & (used * _THIN <= len(rows))
        if np.count_nonzero(thin) < _FEW_THIN or used[thin].sum() > _MOST_THIN * len(rows):
            thin[:] = False
        self._thick = self.touched[~thin]
        if (size := len(rows) * len(self._thick)) > MOST_NUMBERS:
            what = f"a system of {len(rows):,} rows and {len(self.touched):,} columns"
            raise too_large(what, size, MOST_NUMBERS)
        others, chosen = e.where(~thin[place]), e.where(thin[place])
        numbers, self._exponent = integers(others.values)
        self._z = self._matrix = spread(others, numbers, self._thick)
        sizes = (fmpq(*x.as_integer_ratio()) for x in high[thin].tolist())
        self._sizes = dict(zip(self.touched[thin].tolist(), sizes, strict=True))
        columns, signs = chosen.columns.tolist(), np.sign(chosen.values).astype(int).tolist()
        self._thin: list[dict[int, Exact]] = [
            dict(zip(columns[a:b], signs[a:b], strict=True))
            for a, b in pairwise(chosen.starts.tolist())
        ]
        self._steps: dict[int, _Step] = {}  # by the indicators that they eliminate
        self._left = [_Step(i, {}, []) for i in range(len(rows))]
        if self._sizes:
            self._left = [_whole(step) for step in self._eliminate()]
            self._matrix = np.zeros((len(self._left), len(self._thick)), dtype=object)
            at = {c: k for k, c in enumerate(self._thick.tolist())}
            for k, step in enumerate(self._left):
                for c, x in step.rest.items():
                    self._matrix[k, at[c]] = x
        self._below = independent_rows(self._matrix)
        self._at = independent_columns(self._matrix[self._below])
        self._square = np.ascontiguousarray(self._matrix[np.ix_(self._below, self._at)])
        self._last = [self._left[k] for k in self._below.tolist()]
        places = [step.row for step in (*self._steps.values(), *self._last)]
        self.independent = np.array(sorted(places), dtype=np.int64)
        self.pivots = np.array(sorted([*self._thick[self._at].tolist(), *self._steps]), np.int64)

    def _eliminate(self) -> list[_Step]:
        """Reduce rows by others of no higher rank, in the indicators; return those with none left.

        The indicator that the fewest rows have left comes next, with the shortest of these rows,
        which keeps rows short.
        """
        names, rows = self._thick.tolist(), list[dict[int, Exact]]()
        for thin, z in zip(self._thin, self._z.tolist(), strict=True):
            rows.append(thin | {c: x for c, x in zip(names, z, strict=True) if x})
        used: list[list[tuple[_Step, Exact]]] = [[] for _ in rows]
        having: dict[int, set[int]] = {c: set() for c in self._sizes}
        for i, thin in enumerate(self._thin):
            for c in thin:
                having[c].add(i)
        queue = [(len(which), c) for c, which in having.items()]
        heapify(queue)
        while queue:
            count, c = heappop(queue)
            others = having[c]
            if count == 0 or count != len(others):
                continue
            i = min(others, key=lambda i: (self._ranks[i], len(rows[i]), i))
            rest, number = rows[i], rows[i][c]
            if number != 1:
                rest = {k: _over(x, number) for k, x in rest.items()}
            self._steps[c] = step = _Step(i, rest, used[i], number)
            indicators = [k for k in rest if k in having]
            for j in sorted(others - {i}):
                used[j].append((step, rows[j][c]))
                _subtract(rows[j], rows[j][c], rest)
                for k in indicators:
                    (having[k].add if k in rows[j] else having[k].discard)(j)
            for k in indicators:
                having[k].discard(i)
                heappush(queue, (len(having[k]), k))
        done = {step.row for step in self._steps.values()}
        return [_Step(i, row, used[i]) for i, row in enumerate(rows) if i not in done]

    def combination(self, rows: Positions, times: Integers) -> tuple[list[int], int]:
        """Multiples μ of the independent rows, and d > 0: d Σ times · z + Σ μ z = 0.

        The sum must be in their span; `rows` are places among those given.
        """
        rest = dict[int, Exact]()
        if len(rows):
            right = -(times.astype(object) @ self._z[rows].astype(object))
            rest = {c: x for c, x in zip(self._thick.tolist(), right.tolist(), strict=True) if x}
        for i, number in zip(rows.tolist(), times.tolist(), strict=True):
            _subtract(rest, number, self._thin[i])
        taken = dict[int, Exact]()  # of each step, by its row
        for c, step in self._steps.items():
            if c in rest:
                taken[step.row] = rest[c]
                _subtract(rest, rest[c], step.rest)
        common = math.lcm(*(x.denominator for x in rest.values()))
        target = [int(rest.get(c, 0) * common) for c in self._thick[self._at].tolist()]
        solution, under = solve(
            np.ascontiguousarray(self._square.T), np.array(target, dtype=object).reshape(-1, 1)
        )
        under *= common
        multiples = {i: x * under for i, x in taken.items()}
        multiples |= zip((step.row for step in self._last), solution[:, 0].tolist(), strict=True)
        out = dict[int, Exact]()
        for step in (*self._last, *reversed(self._steps.values())):
            out[step.row] = _over(multiples.get(step.row, 0), step.divided)
            for before, x in step.used:
                multiples[before.row] = multiples.get(before.row, 0) - out[step.row] * x
        below = math.lcm(*(x.denominator for x in out.values()))
        return [int(out[i] * below) for i in self.independent.tolist()], under * below

    def orthogonal_vectors(self, *, most: float = MOST_WORK) -> list[Sparse]:
        """A basis of the vectors in the touched columns that are orthogonal to the span.

        Each has one column that is not a pivot. Undecided, if it takes more than this work.
        """
        free = np.setdiff1d(np.arange(len(self._thick)), self._at)
        sums, under = solve(self._square, self._matrix[np.ix_(self._below, free)], most=most)
        names = self._thick[free].tolist()
        parts: dict[int, dict[int, Exact]] = {f: {f: under} for f in names}  # of each free column
        for j, numbers in zip(self._thick[self._at].tolist(), sums.tolist(), strict=True):
            parts[j] = {f: -x for f, x in zip(names, numbers, strict=True) if x}
        parts |= {c: {c: 1} for c in self._sizes if c not in self._steps}
        for c, step in reversed(self._steps.items()):
            parts[c] = {}
            for other, times in step.rest.items():
                if other != c:
                    _subtract(parts[c], times, parts[other])
        unit, vectors = fmpq(2) ** self._exponent, defaultdict[int, dict[int, Exact]](dict)
        for c, part in parts.items():
            size = self._sizes.get(c, unit)
            for f, x in part.items():
                vectors[f][c] = x if size == 1 else x / size
        return [_lowest_terms(vectors[f]) for f in sorted(vectors)]


def _subtract(total: dict[int, Exact], times: Exact, v: Mapping[int, Exact]) -> None:
    """Subtract a multiple of a vector."""
    for j, x in v.items():
        rest = total.get(j, 0) - times * x
        if rest:
            total[j] = rest
        else:
            total.pop(j, None)


def _whole(step: _Step) -> _Step:
    """The step times a number that makes its row integers."""
    below = math.lcm(*(x.denominator for x in step.rest.values()))
    rest: dict[int, Exact] = {c: int(x * below) for c, x in step.rest.items()}
    return replace(step, rest=rest, divided=fmpq(1, below))


def aliases(points: Points, first: Sequence[int] = ()) -> dict[int, Sparse]:
    """For each aliased column a vector v with ⟨v,z⟩ = 0 on every row, exactly.

    As in R, the constant comes first and then column after column, those in `first` before the
    others; a column is aliased when it is a linear combination of the columns before it. A sample
    of rows suggests the aliases, all rows check them, and rows that disagree join the sample.
    """
    constant = [points.length - 1] * points.bias
    order = [*dict.fromkeys([*constant, *first, *range(points.length)])]
    n, every = len(points), np.arange(points.length)
    step = max(1, n // (points.length + 16))
    sample = np.union1d(np.arange(0, n, step), points.first_touching())
    while True:
        relations = _simple_relations(points, sample, order)
        if relations is None:
            span = Span(points, sample, every)
            unused: list[Sparse] = [{j: 1} for j in np.setdiff1d(every, span.touched).tolist()]
            vectors = span.orthogonal_vectors(most=_ALIAS_WORK)
            relations = last_columns([*vectors, *unused], order)
        against = np.flatnonzero(~orthogonal_to(points.exact, [*relations.values()]))
        if len(against) == 0:
            return relations
        step = max(1, len(against) // (2 * len(relations)))
        more = np.union1d(sample, against[::step])
        if len(more) == len(sample):
            raise Undecided("the prime divides a determinant")
        sample = more


def kernel_aliases(points: Points) -> dict[int, Sparse]:
    """What `aliases` finds in the matrix of a kernel, from the columns that span the others.

    If v' K v = 0, then K v = 0, as no vector of the kernel's space has a square below 0. So a
    combination of few columns is checked in one of its rows.
    """
    numbers, _ = integers(points.rows.values.reshape(-1).astype(np.float64))
    matrix = numbers.reshape(len(points), -1)
    first = independent_columns(matrix)
    rest = np.setdiff1d(np.arange(len(points)), first)
    beside = np.ascontiguousarray(matrix[np.ix_(first, rest)])
    sums, under = solve(np.ascontiguousarray(matrix[np.ix_(first, first)]), beside)
    own = (sums * beside.astype(object)).sum(axis=0)
    if (own != under * matrix[rest, rest].astype(object)).any():
        raise Undecided("the prime divides a determinant")
    names = first.tolist()
    each = (zip(names, (-column).tolist(), strict=True) for column in sums.T)
    return {
        j: _lowest_terms({**dict(v), j: under}) for j, v in zip(rest.tolist(), each, strict=True)
    }


def _simple_relations(
    points: Points, rows: Positions, order: Sequence[int]
) -> dict[int, Sparse] | None:
    """What `last_columns` finds for what is orthogonal to these rows, if the numbers are small.

    None if they are not, or the matrix is large. The caller must check them.
    """
    if len(rows) * points.length > _MOST_FOR_RANK // 4:
        return None
    e = points.entries(rows)
    every = np.array(order, dtype=np.int64)
    numbers, _ = integers(e.values)
    matrix, pivots = _reduced(spread(e, numbers, np.arange(points.length))[:, every])
    free, out = np.setdiff1d(np.arange(points.length), pivots), dict[int, Sparse]()
    for k in free.tolist():
        some = np.flatnonzero(matrix[:, k])
        numbers = -matrix[some, k].astype(object)
        for under in range(1, _SMALL):
            found = (under * numbers + PRIME // 2) % PRIME - PRIME // 2
            if np.abs(found).max(initial=0) < _SMALL:
                break
        else:
            return None
        v = dict(zip(every[pivots[some]].tolist(), found.tolist(), strict=True))
        out[order[k]] = dict(sorted({**v, order[k]: under}.items()))
    return out


def last_columns(vectors: Sequence[Sparse], order: Sequence[int]) -> dict[int, Sparse]:
    """Combinations that span the same, with one last column each, in this order, no other has."""
    rank = {j: k for k, j in enumerate(order)}
    found = dict[int, dict[int, Exact]]()
    for v in vectors:
        rest: dict[int, Exact] = dict(v)
        for last, other in found.items():
            if last in rest:
                _subtract(rest, rest[last], other)
        if not rest:
            continue
        last = max(rest, key=rank.__getitem__)
        rest = {j: _over(x, rest[last]) for j, x in rest.items()}
        for other in found.values():
            if last in other:
                _subtract(other, other[last], rest)
        found[last] = rest
    return {last: _lowest_terms(found[last]) for last in sorted(found, key=rank.__getitem__)}
