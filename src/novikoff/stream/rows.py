"""Rows of features, dense or sparse (CSR), as the compiled core reads them.

Only sparse rows whose indices are out of order or repeated are copied.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from copy import copy
from enum import IntEnum
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from novikoff import _core
from novikoff.stream.input_problems import BadExample

_WORTH_A_THREAD = 1 << 21  # numbers that it takes two milliseconds to score
_PARTS_EACH = 4

Values: TypeAlias = NDArray[np.float32 | np.float64]
Indices: TypeAlias = NDArray[np.int32 | np.int64]
Vector: TypeAlias = NDArray[np.float64]
Positions: TypeAlias = NDArray[np.int64]
CoreArrays: TypeAlias = tuple[NDArray[Any], NDArray[Any] | None, NDArray[Any] | None, int]


class Flaw(IntEnum):
    """Why the compiled core stopped at a row."""

    NONE = 0
    BOUNDS = 1
    INDEX = 2
    ORDER = 3
    VALUE = 4
    STEP = 5
    LABEL = 6
    SIGN = 7


def for_core(array: NDArray[Any]) -> NDArray[Any]:
    """The array itself if the core can read it, in C order and aligned; otherwise a copy."""
    return np.require(array, requirements=["C_CONTIGUOUS", "ALIGNED", "ENSUREARRAY"])


class DenseRows:
    """Rows as a two-dimensional array, one column a feature."""

    def __init__(self, values: Values) -> None:
        self.values: Values = for_core(values)
        self.dim = int(values.shape[1])

    @property
    def core(self) -> CoreArrays:
        """What the compiled core takes."""
        return self.values, None, None, self.dim

    @property
    def nbytes(self) -> int:
        """The size of the rows in bytes."""
        return int(self.values.nbytes)

    def __len__(self) -> int:
        return int(self.values.shape[0])

    def put_in_order(self) -> None:
        """Nothing to do: the columns of a dense row are in order."""

    def row(self, i: int) -> tuple[Positions, Vector]:
        """The columns and values of row i."""
        return np.arange(self.dim), self.values[i].astype(np.float64)

    def bytes_at(self, positions: Positions) -> int:
        """The size in bytes of the rows at these positions."""
        return len(positions) * self.dim * self.values.itemsize

    def take(self, positions: Positions) -> DenseRows:
        """A copy of the rows at these positions."""
        return DenseRows(self.values.take(positions, axis=0))

    def widened(self, _dim: int) -> DenseRows:
        """These rows themselves: all columns are known from the start."""
        return self

    def sparse(self) -> SparseRows:
        """The same rows as CSR, without their zeros."""
        of_row, columns = map(np.ascontiguousarray, np.nonzero(self.values))
        starts = np.searchsorted(of_row, np.arange(len(self) + 1))
        return SparseRows(self.values[of_row, columns], columns, starts, self.dim)


class SparseRows:
    """Rows as CSR: row i holds values[starts[i]:starts[i+1]] at these indices."""

    def __init__(self, values: Values, indices: Indices, starts: Indices, dim: int) -> None:
        self.values: Values = for_core(values)
        self.indices: Indices = for_core(indices)
        self.starts: Indices = for_core(starts)
        self.dim = dim
        stored = min(len(values), len(indices))
        is_within = len(starts) > 0 and starts[0] >= 0 and starts[-1] <= stored
        if not is_within or (starts[1:] < starts[:-1]).any():
            bounds = np.concatenate([[0], starts, [stored]])
            backwards = np.flatnonzero(bounds[1:] < bounds[:-1])
            i = max(0, min(int(backwards[0]) - 1, len(starts) - 2)) if len(starts) else 0
            raise BadExample(f"row {i}: its entries are out of bounds; {stored} are stored")

    @property
    def core(self) -> CoreArrays:
        """What the compiled core takes."""
        return self.values, self.indices, self.starts, self.dim

    @property
    def nbytes(self) -> int:
        """The size of the rows in bytes."""
        return int(self.values.nbytes + self.indices.nbytes)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @classmethod
    def of_entries(
        cls, of_row: Positions, indices: Indices, values: Values, n: int, dim: int
    ) -> SparseRows:
        """The n rows with these entries, which are in the order of their rows."""
        starts = np.append(0, np.cumsum(np.bincount(of_row, minlength=n)))
        return cls(values, indices, starts.astype(indices.dtype), dim)

    def where(self, chosen: NDArray[np.bool_], dim: int) -> SparseRows:
        """The rows with the chosen entries alone, in rows of `dim` features."""
        of_row, indices, values = self.entries()
        return self.of_entries(of_row[chosen], indices[chosen], values[chosen], len(self), dim)

    def entries(self) -> tuple[Positions, Indices, Values]:
        """The row, the index and the value of each entry."""
        span = slice(int(self.starts[0]), int(self.starts[-1]))
        of_row = np.repeat(np.arange(len(self)), np.diff(self.starts))
        return of_row, self.indices[span], self.values[span]

    def put_in_order(self) -> None:
        """Sort the indices within each row and add up repeated ones, in a copy, if there are any.

        A row with an index out of range is left as it is; the core rejects it later.
        """
        of_row, indices, values = self.entries()
        if ((np.diff(indices) > 0) | (np.diff(of_row) > 0)).all():
            return
        outside = (indices < 0) | (indices >= self.dim)
        as_it_is = np.zeros(len(self), dtype=np.bool_)
        as_it_is[of_row[outside]] = True
        alone = as_it_is[of_row]
        order = np.lexsort((np.where(alone, np.arange(len(indices)), indices), of_row))
        indices, of_row, alone = indices[order], of_row[order], alone[order]
        first = np.ones(len(order), dtype=np.bool_)
        first[1:] = (np.diff(of_row) != 0) | (np.diff(indices) != 0) | alone[1:]
        sums = np.zeros(int(first.sum()), dtype=values.dtype)
        np.add.at(sums, np.cumsum(first) - 1, values[order])  # in the order of the entries
        tidy = self.of_entries(of_row[first], indices[first], sums, len(self), self.dim)
        self.values, self.indices, self.starts = tidy.values, tidy.indices, tidy.starts

    def row(self, i: int) -> tuple[Positions, Vector]:
        """The columns and values stored for row i."""
        span = slice(int(self.starts[i]), int(self.starts[i + 1]))
        return self.indices[span].astype(np.int64), self.values[span].astype(np.float64)

    def bytes_at(self, positions: Positions) -> int:
        """The size in bytes of the rows at these positions."""
        stored = int((self.starts[positions + 1] - self.starts[positions]).sum(dtype=np.int64))
        return stored * (self.values.itemsize + self.indices.itemsize)

    def take(self, positions: Positions) -> SparseRows:
        """A copy of the rows at these positions."""
        start = self.starts[positions].astype(np.int64)
        lengths = self.starts[positions + 1].astype(np.int64) - start
        to = np.zeros(len(positions) + 1, dtype=np.int64)
        np.cumsum(lengths, out=to[1:])
        values, indices = (_spans(array, start, to) for array in (self.values, self.indices))
        return SparseRows(values, indices, to.astype(self.starts.dtype), self.dim)

    def sparse(self) -> SparseRows:
        """These rows themselves."""
        return self

    def with_columns(self, columns: Positions) -> SparseRows:
        """The rows with an entry in each of these columns, 0 where they had none, in order."""
        n = len(self)
        tidy = SparseRows(self.values, self.indices, self.starts, self.dim)
        tidy.put_in_order()
        of_row, indices, values = tidy.entries()
        rank = np.full(self.dim, -1)
        rank[columns] = np.arange(len(columns))
        is_there = np.zeros((n, len(columns)), dtype=np.bool_)
        wanted = rank[indices] >= 0
        is_there[of_row[wanted], rank[indices][wanted]] = True
        rows, ranks = np.nonzero(~is_there)
        places = np.concatenate([of_row * self.dim + indices, rows * self.dim + columns[ranks]])
        order = np.argsort(places, kind="stable")  # two runs in order: this merges them
        values = np.append(values, np.zeros(len(rows), dtype=values.dtype))[order]
        return self.of_entries(*np.divmod(places[order], self.dim), values, n, self.dim)

    def widened(self, dim: int) -> SparseRows:
        """The same entries in rows of `dim` features, not fewer than now; nothing is copied."""
        if dim < self.dim:
            raise ValueError(f"rows of {self.dim} features cannot be narrowed to {dim}")
        wide = copy(self)
        wide.dim = dim
        return wide


Rows: TypeAlias = DenseRows | SparseRows


def join(pieces: Sequence[Rows]) -> Rows:
    """The rows of all the pieces in order; as CSR if any of them is."""
    if len(pieces) == 1:
        return pieces[0]
    if all(isinstance(piece, DenseRows) for piece in pieces):
        return DenseRows(np.concatenate([piece.values for piece in pieces]))
    parts = [piece.sparse() for piece in pieces]
    ends = np.cumsum([len(part.values) for part in parts])
    narrow = ends[-1] <= np.iinfo(np.int32).max and parts[0].dim <= np.iinfo(np.int32).max
    width = np.int32 if narrow else np.int64
    starts = [
        part.starts[:-1] + end - len(part.values) for part, end in zip(parts, ends, strict=True)
    ]
    return SparseRows(
        np.concatenate([part.values for part in parts]),
        np.concatenate([part.indices for part in parts]).astype(width),
        np.concatenate([*starts, ends[-1:]]).astype(width),
        parts[0].dim,
    )


def _spans(source: NDArray[Any], start: Positions, to: Positions) -> NDArray[Any]:
    out, size = np.empty(int(to[-1]), dtype=source.dtype), source.itemsize
    _core.copy_spans(
        source.view(np.uint8), start=start * size, to=to * size, out=out.view(np.uint8)
    )
    return out


def explain(flaw: Flaw, rows: Rows, i: int, *, position: int | None = None) -> BadExample:
    """The error about row i, in the words that scikit-learn uses; `position` names the row."""
    where = f"row {i if position is None else position}"
    if flaw is Flaw.BOUNDS:
        is_there = 0 <= i < len(rows)
        why = "its entries are out of bounds" if is_there else "there is no such row"
        return BadExample(f"{where}: {why}")
    if flaw is Flaw.STEP:
        return BadExample(f"{where}: its importance times the rate is too large for float64")
    columns, values = rows.row(i)
    if flaw is Flaw.INDEX:
        wrong = columns[(columns < 0) | (columns >= rows.dim)]
        if len(wrong) == 0:
            return BadExample(f"{where}: its columns were changed while it was read")
        return BadExample(f"{where}: column {wrong[0]} is not in 0..{rows.dim - 1}")
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        what = "NaN" if np.isnan(values[bad[0]]) else "infinity"
        column = int(columns[bad[0]])
        return BadExample(f"Input X contains {what} ({where}, column {column}).", column=column)
    if flaw is Flaw.SIGN:
        k = int(np.argmax(values < 0))
        return BadExample(
            f"Negative values in data: {where}, column {columns[k]} holds {values[k]:g}, and this "
            "Winnow takes numbers from 0; balanced Winnow takes any",
            column=int(columns[k]),
        )
    return BadExample(
        f"{where}: the score is too large for float64 (largest feature "
        f"{np.abs(values).max(initial=0.0):.3g}); scale the features"
    )


def dots(rows: Rows, weights: Vector, *, bias: bool = False) -> Vector:
    """w·x for each row in the core's order of summing; with bias, the constant's weight is last."""
    weights = for_core(weights)

    def core(begin: int, end: int, out: Vector) -> tuple[int, int]:
        return _core.scores(*rows.core, begin=begin, end=end, w=weights, bias=bias, out=out)

    return scored(rows, core)


def predicted(
    rows: Rows, weights: Vector, two: NDArray[Any], *, bias: bool, zero_is_positive: bool
) -> NDArray[Any]:
    """For each row the second of two labels if w·x is positive, otherwise the first."""
    how: dict[str, Any] = {"w": for_core(weights), "bias": bias}
    how["zero_is_positive"] = zero_is_positive
    # The core writes labels of 8 bytes itself, and numbers of others.
    is_written = two.itemsize == 8 and not two.dtype.hasobject
    how["labels"] = two.view(np.int64) if is_written else np.arange(2)

    def core(begin: int, end: int, out: Positions) -> tuple[int, int]:
        return _core.predict(*rows.core, begin=begin, end=end, out=out, **how)

    found = scored(rows, core, dtype=np.int64)
    return found.view(two.dtype) if is_written else two.take(found)


def scored(
    rows: Rows,
    core: Callable[[int, int, NDArray[Any]], tuple[int, int]],
    width: int | None = None,
    times: int = 1,
    parts_each: int = _PARTS_EACH,
    dtype: Any = np.float64,
) -> NDArray[Any]:
    """What `core` computes for each row, part by part; a row that it rejects is a BadExample.

    It writes one number for each row, or `width` of them, and reads a row so many `times`. Many
    rows are shared among all processors, which get `parts_each`: no sum goes over more than one
    row.
    """
    n, size = len(rows), part_size(rows)
    out: NDArray[Any] = np.empty(n if width is None else (n, width), dtype)

    def part(at: int) -> tuple[int, int]:
        end = min(n, at + size)
        return core(at, end, out[at:end])

    workers = workers_for(rows, times)
    at = 0
    if workers > 1:
        size = -(-n // (parts_each * workers))
    if workers > 1:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(workers) as pool:
            for stopped, flaw in pool.map(part, range(0, n, size)):
                if flaw:
                    break  # the loop below says what is wrong
                at = stopped
    while at < n:
        stopped, flaw = part(at)
        if flaw == Flaw.ORDER:
            rows.put_in_order()
        elif flaw:
            raise explain(Flaw(flaw), rows, stopped)
        at = stopped
    return out


def workers_for(rows: Rows, times: int = 1) -> int:
    """How many threads should share the work if each of the rows is read so many times."""
    return max(1, min(_cores(), rows.values.size * times // _WORTH_A_THREAD))


def _cores() -> int:
    """How many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


def part_size(rows: Rows) -> int:
    """How many rows the core takes at a time: some 50 milliseconds of work, so Ctrl-C works."""
    per_row = max(1, rows.values.size // max(1, len(rows)))
    return max(1, min(1 << 20, (1 << 25) // per_row))
