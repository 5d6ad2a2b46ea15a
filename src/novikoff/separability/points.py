"""The points z = y·x of labelled rows, with exact and with floating-point operations on them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

import flint
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from novikoff.guarantees.certificate import Sparse
from novikoff.guarantees.exact.arithmetic import ExactVector, Integers, integers, lowest_exponent
from novikoff.guarantees.exact.rows import Entries, ExactRows, GramRows
from novikoff.stream.blocks import Block
from novikoff.stream.rows import DenseRows, Positions, Rows, SparseRows, Vector, dots

Progress: TypeAlias = Callable[[str], None]  # called now and then with a line of text

_FEW, _MOST_INTEGERS = 16, 1 << 24  # vectors to check one by one; numbers of a matrix of integers


class Points:
    """z = y·x for each row of a checked block; with a bias the constant is the last coordinate.

    `kernel` says that the rows are those of its matrix; if it is "precomputed", that of a space is
    not certain.
    """

    def __init__(self, block: Block, *, bias: bool, kernel: str = "") -> None:
        in_kernel = bool(kernel)
        self.block, self.rows, self.labels, self.bias = block, block.rows, block.signs, bias
        self.in_kernel, self.is_positive = in_kernel, kernel not in ("", "precomputed")
        self.exact = ExactRows(block.rows, bias=bias)
        if in_kernel:
            self.exact = GramRows(block.rows, bias=bias, is_positive=self.is_positive)
        self.length = block.rows.dim + bias

    def __len__(self) -> int:
        return len(self.block)

    def scores(self, w: Vector) -> Vector:
        """⟨w,z⟩ for each row, in floating point."""
        scores: Vector = dots(self.rows, w, bias=self.bias)
        return self.labels * scores

    def signs(self, w: ExactVector) -> NDArray[np.int8]:
        """The sign of ⟨w,z⟩ for each row, exactly."""
        return self.labels * self.exact.signs(w)

    def nearest(self, w: ExactVector) -> tuple[int, Fraction]:
        """The row with the smallest ⟨w,z⟩, and that value, exactly."""
        return self.exact.least(np.arange(len(self)), self.labels, w)

    def hull_squared(self, multipliers: Sparse) -> Fraction:
        """‖Σ λ z‖² / (Σ λ)²: no weights have a larger squared margin."""
        return self.exact.square_of_sum(multipliers, self.labels) / sum(multipliers.values()) ** 2

    @cached_property
    def exponent(self) -> int:
        """The largest e ≤ 0 such that every value is an integer times 2^e."""
        return min(0, lowest_exponent(self.rows.values.reshape(-1).astype(np.float64)))

    def first_touching(self) -> Positions:
        """The rows that are the first with some feature, if they are sparse."""
        if isinstance(self.rows, DenseRows):
            return np.zeros(0, dtype=np.int64)
        it, first = matrix_of(self.rows), np.full(self.rows.dim, -1)
        first[it.indices[::-1]] = np.arange(len(it.indices))[::-1]  # the last one written stays
        return np.unique(np.searchsorted(it.indptr, first[first >= 0], side="right") - 1)

    @cached_property
    def used(self) -> NDArray[np.int64]:
        """In how many rows each feature is not 0, first among the −1, then among the +1."""
        if isinstance(self.rows, DenseRows):
            some = self.rows.values != 0
            each = (np.count_nonzero(some[self.labels == sign], axis=0) for sign in (-1, 1))
            return np.array([*each])
        it = matrix_of(self.rows)
        key = it.indices + np.repeat((self.labels > 0) * self.rows.dim, np.diff(it.indptr))
        key = key if it.data.all() else key[it.data != 0]
        return np.bincount(key, minlength=2 * self.rows.dim).reshape(2, self.rows.dim)

    def one_response(self) -> dict[int, tuple[int, int]]:
        """The features of 0 and 1 whose rows with a 1 have one label: how many, and which."""
        columns = np.flatnonzero((self.used == 0).any(axis=0) & (self.used != 0).any(axis=0))
        if isinstance(self.rows, DenseRows):
            values = self.rows.values[:, columns]
            other = ((values != 0) & (values != 1)).any(axis=0)
        else:
            it, other = matrix_of(self.rows), np.zeros(self.rows.dim, dtype=np.bool_)
            other[it.indices[(it.data != 0) & (it.data != 1)]] = True
            other = other[columns]
        columns = columns[~other]
        negative, positive = self.used[:, columns].tolist()
        pairs = zip(negative, positive, strict=True)
        each = ((b, 1) if b else (a, -1) for a, b in pairs)
        return dict(zip(columns.tolist(), each, strict=True))

    def touching(self, columns: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which rows have a value other than 0 in these columns."""
        if self.bias and columns[-1]:
            return np.ones(len(self), dtype=np.bool_)
        if isinstance(self.rows, SparseRows):
            it, out = matrix_of(self.rows), np.zeros(len(self), dtype=np.bool_)
            at = np.flatnonzero(columns[it.indices] & (it.data != 0))
            out[np.searchsorted(it.indptr, at, side="right") - 1] = True
            return out
        return np.asarray((self.rows.values[:, np.flatnonzero(columns)] != 0).any(axis=1))

    def matrix(self, at: Positions) -> sparse.csr_array[Any]:
        """The points at these places as a sparse matrix of floats."""
        e = self.entries(at)
        return sparse.csr_array((e.values, e.columns, e.starts), shape=(len(at), self.length))

    def entries(self, at: Positions) -> Entries:
        """The numbers other than 0 of the points at these places."""
        e = Entries.of(self.rows, at, bias=self.bias).nonzero
        return Entries(e.values * np.repeat(self.labels[at], e.lengths), e.columns, e.starts)

    def whole(self, at: Positions) -> Integers:
        """The points at these places as integers, of which 1 is two to the `exponent`."""
        e = self.entries(at)
        numbers, lowest = integers(e.values)
        whole = numbers.astype(object) * 2 ** (lowest - self.exponent)
        return spread(e, whole, np.arange(self.length))


def spread(e: Entries, numbers: Integers, columns: Positions) -> Integers:
    """These numbers in place of the values, as a matrix of these columns."""
    place = np.zeros(int(columns.max(initial=0)) + 1, dtype=np.int64)
    place[columns] = np.arange(len(columns))
    out = np.zeros((len(e.lengths), len(columns)), dtype=numbers.dtype)
    out[np.repeat(np.arange(len(e.lengths)), e.lengths), place[e.columns]] = numbers
    return out


def orthogonal_to(exact: ExactRows, vectors: Sequence[Sparse]) -> NDArray[np.bool_]:
    """Which rows are orthogonal to all of these vectors, exactly.

    Many vectors are multiplied at once: in integers, or in floating point where these are exact.
    """
    vectors = [v for v in vectors if not exact.all_orthogonal(v)]
    rows, out, slow = exact.rows, np.ones(len(exact.rows), dtype=np.bool_), [*vectors]
    if isinstance(rows, DenseRows) and len(vectors) > _FEW and rows.values.size <= _MOST_INTEGERS:
        n, dim, k = len(rows), rows.dim + exact.bias, len(vectors)
        whole, _ = integers(np.hstack([rows.values, np.ones((n, int(exact.bias)))]).reshape(-1))
        table = np.zeros((dim, k), dtype=object)
        for column, v in enumerate(vectors):
            table[[*v], column] = [*v.values()]
        left = flint.fmpz_mat(n, dim, whole.tolist())
        product = left * flint.fmpz_mat(dim, k, table.reshape(-1).tolist())
        return np.asarray(~np.array(product.entries(), dtype=np.bool_).reshape(n, k).any(axis=1))
    if isinstance(rows, SparseRows) and len(vectors):
        values = np.abs(rows.values[int(rows.starts[0]) : int(rows.starts[-1])].astype(np.float64))
        values[values != np.rint(values)] = np.inf
        sizes = np.zeros(rows.dim + exact.bias)
        np.maximum.at(sizes, matrix_of(rows).indices.astype(np.intp), values)
        sizes[rows.dim :] = 1
        quick, slow = _together(vectors, sizes)
        if len(quick) <= _FEW:
            for v in quick:
                w = np.zeros(len(sizes))
                w[[*v]] = [*v.values()]
                out &= dots(rows, w, bias=exact.bias) == 0
        else:
            matrix = matrix_of(rows, constant=exact.bias)
            product = matrix @ columns_of(quick, len(sizes), scaled=False).tocsr()
            out[np.unique(product.nonzero()[0])] = False
    for v in slow:
        at = np.flatnonzero(out)
        here = exact if len(at) == len(out) else ExactRows(rows.take(at), bias=exact.bias)
        out[at] = here.signs(ExactVector.sparse(v, rows.dim + exact.bias)) == 0
    return out


def _together(
    vectors: Sequence[Sparse], sizes: Vector
) -> tuple[list[dict[int, int]], list[Sparse]]:
    """A few vectors to which a row of integers is orthogonal only if it is to all; and others.

    No entry of a row is larger than these sizes. If |⟨v,x⟩| ≤ b for all rows x, v + (2b + 1) u is
    orthogonal to x only if both are, u being of integers. Products with the sums are exact in
    floating point; the others are those vectors of which that is not so.
    """
    sums, others, taken = list[dict[int, int]](), list[Sparse](), 1 << 53
    for v in filter(None, vectors):  # one without numbers is orthogonal to all
        pairs = zip(v.values(), sizes[[*v]].tolist(), strict=True)
        is_short = all(abs(x) < 1 << 52 for x in v.values())
        reach = sum(abs(x) * size for x, size in pairs) if is_short else math.inf
        if not reach < 2.0**52:
            others.append(v)
            continue
        times = 2 * taken + 1
        if taken + times * reach >= 2.0**52:
            sums.append({})
            taken, times = 0, 1
        for j, x in v.items():
            sums[-1][j] = sums[-1].get(j, 0) + times * x
        taken += times * int(reach)
    return sums, others


def matrix_of(rows: Rows, *, constant: bool = False) -> sparse.csr_array[Any]:
    """The rows as a matrix of scipy's, with a last column of ones for a constant."""
    it = rows.sparse()
    span = slice(int(it.starts[0]), int(it.starts[-1]))
    core = (it.values[span], it.indices[span], it.starts - it.starts[0])
    x: Any = sparse.csr_array(core, shape=(len(it), it.dim))
    if constant:
        x = sparse.hstack([x, sparse.csr_array(np.ones((len(it), 1)))], format="csr")
    return sparse.csr_array(x)


def columns_of(vectors: Sequence[Sparse], length: int, *, scaled: bool) -> sparse.csc_array[Any]:
    """The vectors in floating point as columns; `scaled` to size 1 each."""
    data, where, starts = list[float](), list[int](), [0]
    for v in vectors:
        size = max(map(abs, v.values())) if scaled else 1
        data += [x / size for x in v.values()]
        where += v
        starts.append(len(data))
    core = (np.array(data), np.array(where, dtype=np.int64), np.array(starts))
    return sparse.csc_array(core, shape=(length, len(vectors)))
