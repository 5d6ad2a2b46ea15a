"""Scaling: rows to unit length, and the mean and standard deviation of columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from novikoff import _core
from novikoff.stream.rows import DenseRows, Positions, Rows, SparseRows, Values, Vector, join


def unit_length(rows: Rows) -> Rows:
    """The rows divided by their Euclidean norms, in a copy; rows of zeros stay as they are."""
    if isinstance(rows, SparseRows):
        tidy = SparseRows(rows.values.astype(np.float64), rows.indices, rows.starts, rows.dim)
        tidy.put_in_order()
        span = slice(int(tidy.starts[0]), int(tidy.starts[-1]))
        of_row = np.repeat(np.arange(len(tidy)), np.diff(tidy.starts))
        scaled = _scaled(tidy.values[span].astype(np.float64), of_row, len(tidy))
        return SparseRows(scaled, tidy.indices[span], tidy.starts - tidy.starts[0], tidy.dim)
    values = rows.values.astype(np.float64)
    of_row = np.repeat(np.arange(len(values)), values.shape[1])
    return DenseRows(_scaled(values.ravel(), of_row, len(values)).reshape(values.shape))


def _scaled(entries: Vector, of_row: Positions, rows: int) -> Vector:
    """Each entry over the norm of its row, the squares added up from the first column on."""
    largest = np.zeros(rows)
    np.maximum.at(largest, of_row, np.abs(entries))
    extreme = (largest > 1e150) | ((largest < 1e-150) & (largest > 0))  # squares are not floats
    if extreme.any():
        entries = entries / np.where(extreme, largest, 1.0)[of_row]
    norms = np.sqrt(np.bincount(of_row, entries**2, minlength=rows))
    norms[norms == 0] = 1.0
    return np.asarray(entries / norms[of_row])


BLOCK_ENTRIES = 1 << 20


class Spread:
    """The mean and the standard deviation of each column, over blocks of rows in turn.

    Blocks are joined as Chan, Golub & LeVeque (1979) do. A block ends with the row that fills it,
    so the result does not depend on how the rows were cut when they were added.
    """

    def __init__(self) -> None:
        self.count = 0
        self._mean: Vector = np.zeros(0)
        self._squares: Vector = np.zeros(0)
        self._nonzero: Positions = np.zeros(0, dtype=np.int64)
        self._held: list[Rows] = []
        self._held_entries = 0

    def add(self, rows: Rows) -> None:
        """Include these rows; new columns were zero in all earlier rows."""
        is_dense = isinstance(rows, DenseRows)
        lengths = np.full(len(rows), rows.dim) if is_dense else np.diff(rows.sparse().starts)
        ends = np.cumsum(np.maximum(lengths, 1), dtype=np.int64)
        at, before = 0, 0
        while at < len(rows):
            room = BLOCK_ENTRIES - self._held_entries
            end = min(len(rows), int(np.searchsorted(ends, before + room)) + 1)
            self._held.append(rows.take(np.arange(at, end)))
            self._held_entries += int(ends[end - 1]) - before
            at, before = end, int(ends[end - 1])
            if self._held_entries >= BLOCK_ENTRIES:
                self._close_block()

    def _close_block(self) -> None:
        if self._held:
            dim = self._held[-1].dim
            self._include(join([rows.widened(dim) for rows in self._held]))
        self._held, self._held_entries = [], 0

    @property
    def mean(self) -> Vector:
        """The mean of each column."""
        self._close_block()
        return self._mean

    def _include(self, rows: Rows) -> None:
        n, dim = len(rows), rows.dim
        more = np.zeros(max(0, dim - len(self._mean)))
        self._mean, self._squares = np.append(self._mean, more), np.append(self._squares, more)
        self._nonzero = np.append(self._nonzero, more.astype(np.int64))
        if isinstance(rows, SparseRows):
            span = slice(int(rows.starts[0]), int(rows.starts[-1]))
            columns, values = rows.indices[span], rows.values[span].astype(np.float64)
            nonzero = np.bincount(columns[values != 0], minlength=dim)
            mean = np.bincount(columns, values, minlength=dim) / n
            apart = np.where(values == 0, 0.0, (values - mean[columns]) ** 2)
            squares = np.bincount(columns, apart, minlength=dim).astype(np.float64)
        else:
            nonzero = np.count_nonzero(rows.values, axis=0)
            mean = _column_sums(rows.values) / n
            squares = _column_sums(np.where(rows.values == 0, 0.0, (rows.values - mean) ** 2))
        self._nonzero[:dim] += nonzero
        squares = squares + (n - nonzero) * mean**2  # the same sum for dense and sparse rows
        moved = mean - self._mean[:dim]
        total = self.count + n
        self._mean[:dim] += moved * (n / total)
        self._squares[:dim] += squares + moved**2 * (self.count * n / total)
        # columns beyond these rows' own were zero in them
        beyond = self._mean[dim:]
        self._squares[dim:] += beyond**2 * (self.count * n / total)
        self._mean[dim:] -= beyond * (n / total)
        self.count = total

    @property
    def nonzero(self) -> Positions:
        """In how many rows each column is not 0."""
        self._close_block()
        return self._nonzero

    @property
    def is_dense(self) -> NDArray[np.bool_]:
        """Whether each column is nonzero in at least half of the rows."""
        return 2 * self.nonzero >= self.count

    @property
    def size(self) -> Vector:
        """The root mean square of the nonzero values of each column; 1 if it has none."""
        mean = self.mean
        mean_square = self._squares / max(1, self.count) + mean**2
        out: Vector = np.sqrt(mean_square * (self.count / np.maximum(1, self.nonzero)))
        out[out == 0] = 1.0
        return out

    @property
    def share(self) -> Vector:
        """The share of the rows in which each column is not 0; 1 if it is 0 in all."""
        out: Vector = self.nonzero / max(1, self.count)
        out[out == 0] = 1.0
        return out

    @property
    def is_constant(self) -> NDArray[np.bool_]:
        """Whether each column varies no more than by rounding."""
        mean = self.mean
        n, eps = max(1, self.count), float(np.finfo(np.float64).eps)
        variance = self._squares / n
        rounding = n * eps * variance + (n * eps * mean) ** 2
        return np.asarray((variance <= rounding) & np.isfinite(rounding))

    @property
    def deviation(self) -> Vector:
        """The standard deviation of each column; 1 if it is constant."""
        constant = self.is_constant
        out: Vector = np.sqrt(self._squares / max(1, self.count))
        out[constant] = 1.0
        return out


def _column_sums(values: Values) -> Vector:
    """The sum of each column, from the first row on."""
    n, dim = values.shape
    sums = np.zeros(dim)
    _core.accumulate(
        *DenseRows(values).core, example=np.arange(n), step=np.ones(n), bias=False, w=sums
    )
    return sums
