"""The points z = y·x of labelled rows, with exact and with floating-point operations on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

import flint
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from novikoff.guarantees.certificate import Sparse
from novikoff.guarantees.exact.arithmetic import (
    ExactVector,
    Integers,
    integers,
    lowest_exponent,
)
from novikoff.guarantees.exact.rows import Entries, ExactRows, GramRows
from novikoff.stream.blocks import Block
from novikoff.stream.rows import DenseRows, Positions, SparseRows, Vector, dots

Progress: TypeAlias = Callable[[str], None]  # called now and then with a line of text

_FEW, _MOST_INTEGERS = 16, 1 << 24  # vectors to check one by one; numbers of a matrix of integers
_LOOKED_AT = 1 << 16  # dense rows searched for one with a given feature


class Points:
    """z = y·x for each row of a checked block; with a bias the constant is the last coordinate."""

    def __init__(self, block: Block, *, bias: bool, in_kernel: bool = False) -> None:
        self.block, self.rows, self.labels, self.bias = block, block.rows, block.signs, bias
        self.exact = (GramRows if in_kernel else ExactRows)(block.rows, bias=bias)
        self.in_kernel = in_kernel
        self.length = block.rows.dim + bias

    def __len__(self) -> int:
        return len(self.block)

    def scores(self, w: Vector) -> Vector:
        """⟨w,z⟩ for each row, in floating point."""
        return self.labels * dots(self.rows, w, bias=self.bias)

    def signs(self, w: ExactVector) -> NDArray[np.int8]:
        """The sign of ⟨w,z⟩ for each row, exactly."""
        return self.labels * self.exact.signs(w)

    def nearest(self, w: ExactVector) -> tuple[int, Fraction]:
        """The row with the smallest ⟨w,z⟩, and that value, exactly."""
        return self.exact.least(np.arange(len(self)), self.labels, w)

    def hull_squared(self, multipliers: Sparse) -> Fraction:
        """‖Σ λ z‖² / (Σ λ)²: no weights have a larger squared margin."""
        return self.exact.square_of_sum(multipliers, self.labels) / sum(multipliers.values()) ** 2

    def sum_is_zero(self, multipliers: Sparse) -> bool:
        """Whether Σ λ z = 0, exactly."""
        return self.exact.sum_of(multipliers, self.labels).is_zero

    @cached_property
    def exponent(self) -> int:
        """The largest e ≤ 0 such that every value is an integer times 2^e."""
        return min(0, lowest_exponent(self.rows.values.reshape(-1).astype(np.float64)))

    def orthogonal_to(self, vectors: Sequence[Sparse]) -> NDArray[np.bool_]:
        """Which rows are orthogonal to all of these vectors, exactly."""
        return orthogonal_to(self.exact, vectors)

    def first_touching(self) -> Positions:
        """The rows that are the first with some feature not 0."""
        if isinstance(self.rows, SparseRows):
            first, last = int(self.rows.starts[0]), int(self.rows.starts[-1])
            _, entry = np.unique(self.rows.indices[first:last], return_index=True)
            rows = np.searchsorted(self.rows.starts - first, entry, side="right") - 1
        else:
            rows = (self.rows.values[:_LOOKED_AT] != 0).argmax(axis=0)
        return np.unique(rows)

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

    def touched_by(self, at: Positions) -> Positions:
        """The columns in which these rows have a value other than 0."""
        return np.unique(self.entries(at, np.arange(self.length)).columns)

    def matrix(self, at: Positions) -> sparse.csr_array[Any]:
        """The points at these places as a sparse matrix of floats."""
        e = self.entries(at, np.arange(self.length))
        return sparse.csr_array((e.values, e.columns, e.starts), shape=(len(at), self.length))

    def entries(self, at: Positions, columns: Positions) -> Entries:
        """The numbers other than 0 of the points at these places, in these columns."""
        e = Entries.of(self.rows, at, bias=self.bias)
        wanted = np.zeros(self.length, dtype=np.bool_)
        wanted[columns] = True
        signed = e.values * np.repeat(self.labels[at], e.lengths)
        return Entries(signed, e.columns, e.starts).where(wanted[e.columns] & (signed != 0))

    def whole(self, at: Positions) -> Integers:
        """The points at these places as integers, of which 1 is two to the `exponent`."""
        every = np.arange(self.length)
        e = self.entries(at, every)
        numbers, lowest = integers(e.values)
        return spread(e, numbers.astype(object) * 2 ** (lowest - self.exponent), every)


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
        matrix = matrix_of(rows)
        if exact.bias:
            ones = sparse.csr_array(np.ones((len(rows), 1)))
            matrix = sparse.csr_array(sparse.hstack([matrix, ones], format="csr"))
        longest = int(np.diff(matrix.indptr).max(initial=1))
        values = np.abs(matrix.data.astype(np.float64))
        values[values != np.rint(values)] = np.inf
        sizes = np.zeros(rows.dim + exact.bias)
        np.maximum.at(sizes, matrix.indices, values)
        quick, slow = list[Sparse](), []
        for v in filter(None, vectors):  # one without numbers is orthogonal to all
            top = max(abs(x) for x in v.values())
            fits = top < 2**53 and top * sizes[list(v)].max() * longest < 2.0**53
            (quick if fits else slow).append(v)
        if quick:
            product = matrix @ columns_of(quick, len(sizes), scaled=False).tocsr()
            out[np.unique(product.nonzero()[0])] = False
    for v in slow:
        at = np.flatnonzero(out)
        here = exact if len(at) == len(out) else ExactRows(rows.take(at), bias=exact.bias)
        out[at] = here.signs(ExactVector.sparse(v, rows.dim + exact.bias)) == 0
    return out


def matrix_of(rows: SparseRows) -> sparse.csr_array[Any]:
    """The rows as a matrix of scipy's."""
    span = slice(int(rows.starts[0]), int(rows.starts[-1]))
    core = (rows.values[span], rows.indices[span], rows.starts - rows.starts[0])
    return sparse.csr_array(core, shape=(len(rows), rows.dim))


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
