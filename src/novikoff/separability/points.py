"""The points z = y·x of labelled rows, with exact and with floating-point operations on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from novikoff.guarantees.certificate import Sparse
from novikoff.guarantees.exact.arithmetic import (
    ExactVector,
    Integers,
    integers,
    lowest_exponent,
    packed,
)
from novikoff.guarantees.exact.rows import Entries, ExactRows, ExactSum
from novikoff.stream.blocks import Block
from novikoff.stream.rows import Positions, SparseRows, Vector, dots

Progress: TypeAlias = Callable[[str], None]  # called now and then with a line of text

_AT_ONCE = 1 << 22  # products computed at a time
_LOOKED_AT = 1 << 16  # dense rows searched for one with a given feature


class Points:
    """z = y·x for each row of a checked block; with a bias the constant is the last coordinate."""

    def __init__(self, block: Block, *, bias: bool) -> None:
        self.block, self.rows, self.labels, self.bias = block, block.rows, block.signs, bias
        self.exact = ExactRows(block.rows, bias=bias)
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
        return self._total(multipliers).squared / sum(multipliers.values()) ** 2

    def sum_is_zero(self, multipliers: Sparse) -> bool:
        """Whether Σ λ z = 0, exactly."""
        return self._total(multipliers).is_zero

    def _total(self, multipliers: Sparse) -> ExactSum:
        at = np.array(list(multipliers), dtype=np.int64)
        times = packed(list(multipliers.values()))
        total = ExactSum(self.length)
        total.add(self.rows, at, times * self.labels[at].astype(times.dtype), Fraction(1))
        return total

    @cached_property
    def exponent(self) -> int:
        """The largest e ≤ 0 such that every value is an integer times 2^e."""
        return min(0, lowest_exponent(self.rows.values.reshape(-1).astype(np.float64)))

    def orthogonal_to(self, vectors: Sequence[Sparse]) -> NDArray[np.bool_]:
        """Which rows are orthogonal to all of these vectors, exactly."""
        out = np.ones(len(self), dtype=np.bool_)
        if len(vectors) == 0:
            return out
        exact = [ExactVector.sparse(v, self.length) for v in vectors]
        errors = [self.exact.error(u, u.floats()) for u in exact]
        columns = sparse.csc_array(np.array([u.floats() for u in exact]).T)
        step = max(1, _AT_ONCE // len(exact))
        for a in range(0, len(self), step):
            part = slice(a, min(len(self), a + step))
            dense = self._slice(part) @ columns[: self.rows.dim]
            if not isinstance(dense, np.ndarray):
                dense = dense.toarray()
            if self.bias:
                dense = dense + columns[[-1]].toarray()
            for k, u in enumerate(exact):
                sizes, error = np.abs(dense[:, k]), errors[k][part]
                unsure = np.flatnonzero(out[part] & (sizes <= error) & (error > 0)) + a
                out[part] &= sizes <= error
                for some, signs in self.exact.signs_at(unsure, u):
                    out[unsure[some]] = signs == 0
        return out

    def _slice(self, part: slice) -> Any:
        """Rows x, without the constant, as a matrix that scipy can multiply."""
        if not isinstance(self.rows, SparseRows):
            return self.rows.values[part]
        starts = self.rows.starts[part.start : part.stop + 1]
        span = slice(int(starts[0]), int(starts[-1]))
        core = (self.rows.values[span], self.rows.indices[span], starts - starts[0])
        return sparse.csr_array(core, shape=(part.stop - part.start, self.rows.dim))

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
            wanted = columns[: self.rows.dim].astype(np.float64)
            return np.asarray(abs(self._slice(slice(0, len(self)))) @ wanted > 0)
        return np.asarray((self.rows.values[:, np.flatnonzero(columns)] != 0).any(axis=1))

    def touched_by(self, at: Positions) -> Positions:
        """The columns in which these rows have a value other than 0."""
        e = Entries.of(self.rows, at, bias=self.bias)
        return np.unique(e.columns[e.values != 0])

    def matrix(self, at: Positions) -> sparse.csr_array[Any]:
        """The points at these places as a sparse matrix of floats."""
        e = Entries.of(self.rows, at, bias=self.bias)
        signed = e.values * np.repeat(self.labels[at], e.lengths)
        return sparse.csr_array((signed, e.columns, e.starts), shape=(len(at), self.length))

    def whole(self, at: Positions, columns: Positions, *, exponent: int | None = None) -> Integers:
        """The points at these places, in these columns, as integers over a common power of two."""
        e = Entries.of(self.rows, at, bias=self.bias)
        numbers, lowest = integers(e.values)
        if exponent is not None and lowest != exponent:
            numbers = numbers.astype(object) * 2 ** (lowest - exponent)
        place = np.full(self.length, -1)
        place[columns] = np.arange(len(columns))
        of_row = np.repeat(np.arange(len(at)), e.lengths)
        chosen = place[e.columns] >= 0
        out = np.zeros((len(at), len(columns)), dtype=numbers.dtype)
        signed = numbers * self.labels[at].astype(numbers.dtype)[of_row]
        out[of_row[chosen], place[e.columns[chosen]]] = signed[chosen]
        return out
