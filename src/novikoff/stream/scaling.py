"""Scaling: rows to unit length, and the mean and standard deviation of columns."""

from collections.abc import Iterable, Iterator

import numpy as np

from novikoff import _core
from novikoff.stream.rows import DenseRows, Positions, Rows, SparseRows, Values, Vector, join


def unit_length(rows: Rows) -> Rows:
    """The rows divided by their Euclidean norms, in a copy; rows of zeros stay as they are."""
    if isinstance(rows, SparseRows):
        tidy = SparseRows(rows.values.astype(np.float64), rows.indices, rows.starts, rows.dim)
        tidy.put_in_order()
        of_row, indices, given = tidy.entries()
        entries: Vector = given.astype(np.float64)
        scaled = _scaled(entries, of_row, len(tidy))
        return SparseRows(scaled, indices, tidy.starts - tidy.starts[0], tidy.dim)
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
    """The mean and the standard deviation of each column of all the rows.

    Blocks are joined as Chan, Golub & LeVeque (1979) do. A block ends with the row that fills it,
    so the result does not depend on how the rows were cut.
    """

    def __init__(self, pieces: Iterable[Rows]) -> None:
        self.count, self.mean, self._squares = 0, np.zeros(0), np.zeros(0)
        self.nonzero: Positions = np.zeros(0, dtype=np.int64)  # in how many rows it is not 0
        with np.errstate(over="ignore", invalid="ignore"):
            for rows in _in_blocks(pieces):
                self._include(rows)
            n, eps = max(1, self.count), float(np.finfo(np.float64).eps)
            variance = self._squares / n
            rounding = n * eps * variance + (n * eps * self.mean) ** 2
            # whether a column varies no more than by rounding
            self.is_constant = np.asarray((variance <= rounding) & np.isfinite(rounding))
            self.deviation: Vector = np.sqrt(variance)
            self.deviation[self.is_constant] = 1.0
            # the root mean square of the nonzero values
            share = self.count / np.maximum(1, self.nonzero)
            self.size: Vector = np.sqrt((variance + self.mean**2) * share)
            self.size[self.size == 0] = 1.0
        self.is_dense = 2 * self.nonzero >= self.count
        # the share of the rows in which each column is not 0; 1 if it is 0 in all
        self.share: Vector = np.where(self.nonzero > 0, self.nonzero / n, 1.0)

    def _include(self, rows: Rows) -> None:
        n, dim = len(rows), rows.dim
        more = np.zeros(max(0, dim - len(self.mean)))
        self.mean, self._squares = np.append(self.mean, more), np.append(self._squares, more)
        self.nonzero = np.append(self.nonzero, more.astype(np.int64))
        if isinstance(rows, SparseRows):
            _, columns, given = rows.entries()
            values = given.astype(np.float64)
            nonzero = np.bincount(columns[values != 0], minlength=dim)
            mean = np.bincount(columns, values, minlength=dim) / n
            apart = np.where(values == 0, 0.0, (values - mean[columns]) ** 2)
            squares = np.bincount(columns, apart, minlength=dim).astype(np.float64)
        else:
            nonzero = np.count_nonzero(rows.values, axis=0)
            mean = _column_sums(rows.values) / n
            squares = _column_sums(np.where(rows.values == 0, 0.0, (rows.values - mean) ** 2))
        self.nonzero[:dim] += nonzero
        squares = squares + (n - nonzero) * mean**2  # the same sum for dense and sparse rows
        moved = mean - self.mean[:dim]
        total = self.count + n
        self.mean[:dim] += moved * (n / total)
        self._squares[:dim] += squares + moved**2 * (self.count * n / total)
        # columns beyond these rows' own were zero in them
        beyond = self.mean[dim:]
        self._squares[dim:] += beyond**2 * (self.count * n / total)
        self.mean[dim:] -= beyond * (n / total)
        self.count = total


def _in_blocks(pieces: Iterable[Rows]) -> Iterator[Rows]:
    """The rows in blocks; columns that come later were zero before."""
    held, entries = list[Rows](), 0
    for rows in pieces:
        is_dense = isinstance(rows, DenseRows)
        lengths = np.full(len(rows), rows.dim) if is_dense else np.diff(rows.sparse().starts)
        ends = np.cumsum(np.maximum(lengths, 1), dtype=np.int64)
        at, before = 0, 0
        while at < len(rows):
            room = BLOCK_ENTRIES - entries
            end = min(len(rows), int(np.searchsorted(ends, before + room)) + 1)
            held.append(rows.take(np.arange(at, end)))
            entries += int(ends[end - 1]) - before
            at, before = end, int(ends[end - 1])
            if entries >= BLOCK_ENTRIES:
                yield join([one.widened(rows.dim) for one in held])
                held, entries = [], 0
    if held:
        yield join([one.widened(held[-1].dim) for one in held])


def _column_sums(values: Values) -> Vector:
    """The sum of each column, from the first row on."""
    n, dim = values.shape
    sums = np.zeros(dim)
    _core.accumulate(
        *DenseRows(values).core, example=np.arange(n), step=np.ones(n), bias=False, w=sums
    )
    return sums
