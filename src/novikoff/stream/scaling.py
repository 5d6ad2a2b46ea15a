"""Rows divided by their lengths, or columns by their spread."""

from __future__ import annotations

import numpy as np

from novikoff.stream.rows import DenseRows, Positions, Rows, SparseRows, Values, Vector


def unit_length(rows: Rows) -> Rows:
    """The rows divided by their Euclidean norms, in a copy; rows of zeros stay as they are."""
    if isinstance(rows, SparseRows):
        tidy = SparseRows(rows.values.astype(np.float64), rows.indices, rows.starts, rows.dim)
        tidy.put_in_order()
        span = slice(int(tidy.starts[0]), int(tidy.starts[-1]))
        of_row = np.repeat(np.arange(len(tidy)), np.diff(tidy.starts))
        entries = _in_range(tidy.values[span].astype(np.float64), of_row, len(tidy))
        norms = np.sqrt(np.bincount(of_row, entries**2, minlength=len(tidy)))
        norms[norms == 0] = 1.0
        scaled_entries = entries / norms[of_row]
        starts = tidy.starts - tidy.starts[0]
        return SparseRows(scaled_entries, tidy.indices[span], starts, tidy.dim)
    values = rows.values.astype(np.float64)
    of_row = np.repeat(np.arange(len(values)), values.shape[1])
    values = _in_range(values.ravel(), of_row, len(values)).reshape(values.shape)
    lengths = np.linalg.norm(values, axis=1, keepdims=True)
    lengths[lengths == 0] = 1.0
    scaled: Values = values / lengths
    return DenseRows(scaled)


def _in_range(entries: Vector, of_row: Positions, rows: int) -> Vector:
    """The entries, those of a row divided by its largest if their squares would not be floats."""
    largest = np.zeros(rows)
    np.maximum.at(largest, of_row, np.abs(entries))
    extreme = (largest > 1e150) | ((largest < 1e-150) & (largest > 0))
    if not extreme.any():
        return entries
    return entries / np.where(extreme, largest, 1.0)[of_row]


class Spread:
    """The mean and the standard deviation of each column, over blocks of rows met one by one.

    Blocks are joined as Chan, Golub & LeVeque (1979) do, so that a mean far from zero does not
    spoil the deviation. Values that sparse rows leave out count as zeros.
    """

    def __init__(self) -> None:
        self.count = 0
        self.mean: Vector = np.zeros(0)
        self._squares: Vector = np.zeros(0)

    def meet(self, rows: Rows) -> None:
        """Count these rows too; columns not met before were zero in all rows until now."""
        n, dim = len(rows), rows.dim
        grown = dim - len(self.mean)
        if grown > 0:
            self.mean = np.concatenate([self.mean, np.zeros(grown)])
            self._squares = np.concatenate([self._squares, np.zeros(grown)])
        if n == 0:
            return
        if isinstance(rows, SparseRows):
            span = slice(int(rows.starts[0]), int(rows.starts[-1]))
            columns, values = rows.indices[span], rows.values[span].astype(np.float64)
            stored = np.bincount(columns, minlength=dim)
            mean = np.bincount(columns, values, minlength=dim) / n
            apart = np.bincount(columns, (values - mean[columns]) ** 2, minlength=dim)
            squares = apart + (n - stored) * mean**2
        else:
            mean = rows.values.mean(axis=0, dtype=np.float64)
            squares = ((rows.values - mean) ** 2).sum(axis=0)
        moved = mean - self.mean[:dim]
        total = self.count + n
        self.mean[:dim] += moved * (n / total)
        self._squares[:dim] += squares + moved**2 * (self.count * n / total)
        # columns beyond these rows' own were zero in them
        beyond = self.mean[dim:]
        self._squares[dim:] += beyond**2 * (self.count * n / total)
        self.mean[dim:] -= beyond * (n / total)
        self.count = total

    @property
    def deviation(self) -> Vector:
        """The standard deviation of each column; 1 for a column that does not vary.

        What rounding alone may have made of a column of equal values is no variation.
        """
        n, eps = max(1, self.count), float(np.finfo(np.float64).eps)
        variance = self._squares / n
        out: Vector = np.sqrt(variance)
        rounding = n * eps * variance + (n * eps * self.mean) ** 2
        out[(variance <= rounding) & np.isfinite(rounding)] = 1.0
        return out
