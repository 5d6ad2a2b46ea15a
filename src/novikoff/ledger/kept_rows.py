"""What a ledger keeps: sequences that grow by pieces, and copies of mistaken rows, each once."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Sized
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from novikoff.storage.checked import Arrays, Stored
from novikoff.stream.rows import DenseRows, Positions, Rows, SparseRows, join

T = TypeVar("T", bound=Sized)
_LARGE = 1 << 17
_MANY = 256


class Pieces(Generic[T]):
    """A sequence in pieces, which `join` makes one; other threads may read while one adds."""

    def __init__(self, join: Callable[[Sequence[T]], T], *pieces: T) -> None:
        self._join, self.pieces = join, pieces

    def plus(self, piece: T) -> Pieces[T]:
        """The sequence with one more piece.

        If there are many, the last ones are joined, back to one that is longer than twice these, so
        each entry is copied only a few times; large pieces are left alone.
        """
        if len(self.pieces) < _MANY:
            return Pieces(self._join, *self.pieces, piece)
        before, last, size = list(self.pieces), [piece], len(piece)
        while before and len(before[-1]) <= min(2 * size, _LARGE):
            last.insert(0, before.pop())
            size += len(last[0])
        return Pieces(self._join, *before, self._join(last))

    def map(self, change: Callable[[T], T]) -> Pieces[T]:
        """The sequence with each piece changed."""
        return Pieces(self._join, *map(change, self.pieces))

    @property
    def whole(self) -> T | None:
        """All of it in one piece; None if there is nothing."""
        pieces = self.pieces
        if len(pieces) > 1:
            self.pieces = pieces = (self._join(pieces),)
        return pieces[0] if pieces else None


@dataclass(frozen=True, slots=True)
class KeptRows:
    """Copies of rows, and their positions in the data, which increase."""

    positions: Positions
    rows: Rows

    def __len__(self) -> int:
        return len(self.positions) + int(self.rows.values.size)

    @classmethod
    def joined(cls, pieces: Sequence[KeptRows]) -> KeptRows:
        """The rows of all the pieces, in order of position."""
        positions = np.concatenate([piece.positions for piece in pieces])
        rows = join([piece.rows for piece in pieces])
        if (np.diff(positions) < 0).any():
            order = np.argsort(positions)
            positions, rows = positions[order], rows.take(order)
        return cls(positions, rows)

    def widened(self, dim: int) -> KeptRows:
        """The rows with more features, which are 0."""
        return KeptRows(self.positions, self.rows.sparse().widened(dim))

    def state(self, dim: int) -> Arrays:
        """The rows without features from `dim` on, for `restored`."""
        positions, rows = self.positions, self.rows
        beyond = rows.indices >= dim if isinstance(rows, SparseRows) else rows.values[:, dim:] != 0
        if beyond.any():
            raise ValueError(f"the kept rows have more than {dim} features")
        if not isinstance(rows, SparseRows):
            return {"positions": positions, "values": rows.values[:, :dim]}
        width = np.int32 if max(dim, len(rows.values)) <= np.iinfo(np.int32).max else np.int64
        indices, starts = (at.astype(width, copy=False) for at in (rows.indices, rows.starts))
        return {"positions": positions, "values": rows.values, "indices": indices, "starts": starts}

    @classmethod
    def restored(cls, stored: Stored, dim: int, mistaken: Positions) -> KeptRows:
        """The rows that `state` described; refused unless they are the rows of these mistakes."""
        positions, floats = stored.positions("positions"), ("float32", "float64")
        if not np.array_equal(positions, np.unique(mistaken)):
            stored.refuse("its kept rows do not match its mistakes")
        n = len(positions)
        rows: Rows
        if "starts" in stored:
            values = stored.array("values", floats, (-1,))
            indices = stored.array("indices", ("int32", "int64"), values.shape)
            starts = stored.array("starts", (indices.dtype.name,), (n + 1,))
            if len(indices) and not 0 <= indices.min() <= indices.max() < dim:
                stored.refuse(f"the columns of its kept rows are not all from 0 to {dim - 1}")
            if starts[0] != 0 or (starts[1:] < starts[:-1]).any() or starts[-1] != len(values):
                stored.refuse("its kept rows do not follow one another")
            rows = SparseRows(values, indices, starts, dim)
        else:
            values = stored.array("values", floats, (n, dim))
            rows = DenseRows(values)
        if not np.isfinite(values).all():
            stored.refuse("its kept rows are not all finite")
        rows.put_in_order()
        return cls(positions, rows)


def not_kept(mistaken: Positions, kept: Sequence[KeptRows], few: int) -> Positions:
    """These positions in order, each once, except those of kept rows; see `_distinct` for few."""
    new = _distinct(mistaken, few)
    for piece in kept:
        place = np.searchsorted(piece.positions, new)
        place[place == len(piece.positions)] = 0
        new = new[piece.positions[place] != new]
    return new


def _distinct(positions: Positions, few: int) -> Positions:
    """The positions in order, each once; those that lie close together are marked, not sorted.

    Sorting took a third of a pass over 1,000,000 × 28 numbers.
    """
    first = int(positions.min())
    span = int(positions.max()) - first + 1
    if span > 4 * few:
        return np.unique(positions)
    marked = np.zeros(span, dtype=np.bool_)
    marked[positions - first] = True
    return np.flatnonzero(marked) + first
