"""Copies of mistaken rows, each kept once however often it is mistaken."""

from __future__ import annotations

from typing import Self

import numpy as np

from novikoff.storage.checked import Arrays, Stored
from novikoff.stream.blocks import Block
from novikoff.stream.rows import DenseRows, Positions, Rows, SparseRows, join

_LARGE = 1 << 17  # numbers in a piece


class KeptRows:
    """Copies of rows by their positions in the data, each row once."""

    def __init__(self) -> None:
        self._pieces: list[tuple[Positions, Rows]] = []
        self._highest = -1

    def copy_from(self, block: Block, mistaken: Positions) -> None:
        """Copy the block's rows at these positions, unless they are kept already."""
        first, n = block.first, len(block.labels)
        wanted = np.zeros(n, dtype=np.bool_)
        wanted[mistaken - first] = True
        if first <= self._highest:
            for known, _ in self._pieces:
                here = known[(known >= first) & (known < first + n)]
                wanted[here - first] = False
        fresh = np.flatnonzero(wanted)
        if len(fresh):
            self.add(fresh + first, block.take(fresh + first))

    def add(self, positions: Positions, rows: Rows) -> None:
        """Keep these rows, whose positions are increasing and new."""
        self._highest = max(self._highest, int(positions[-1]))
        # Short pieces are joined as in the ledger. Large ones are few, and are left alone: copying
        # them again and again took five times as long as learning from examples one by one.
        while self._pieces and len(self._pieces[-1][0]) <= 2 * len(positions):
            before, others = self._pieces[-1]
            if others.values.size >= _LARGE:
                break
            self._pieces.pop()
            positions, rows = np.concatenate([before, positions]), join([others, rows])
        self._pieces.append((positions, rows))

    def widen(self, dim: int) -> None:
        """Give the rows more features, which are 0."""
        self._pieces = [(at, rows.sparse().widened(dim)) for at, rows in self._pieces]

    def whole(self) -> tuple[Positions, Rows]:
        """The positions of the rows, in increasing order, and the rows."""
        if len(self._pieces) > 1:
            pieces, of_rows = zip(*self._pieces, strict=True)
            self._pieces = [(np.concatenate(pieces), join(of_rows))]
        positions, rows = self._pieces[0]
        if (np.diff(positions) < 0).any():
            order = np.argsort(positions)
            self._pieces = [(positions[order], rows.take(order))]
        return self._pieces[0]

    def state(self, dim: int) -> Arrays:
        """The rows without features from `dim` on; the same in whatever pieces they were added."""
        positions, rows = self.whole()
        beyond = rows.indices >= dim if isinstance(rows, SparseRows) else rows.values[:, dim:] != 0
        if beyond.any():
            raise ValueError(f"the kept rows have more than {dim} features")
        if not isinstance(rows, SparseRows):
            return {"positions": positions, "values": rows.values[:, :dim]}
        width = np.int32 if max(dim, len(rows.values)) <= np.iinfo(np.int32).max else np.int64
        indices, starts = (at.astype(width, copy=False) for at in (rows.indices, rows.starts))
        return {"positions": positions, "values": rows.values, "indices": indices, "starts": starts}

    @classmethod
    def restored(cls, stored: Stored, dim: int, mistaken: Positions) -> Self:
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
        kept = cls()
        kept.add(positions, rows)
        return kept
