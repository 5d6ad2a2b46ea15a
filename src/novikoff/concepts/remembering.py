"""Examples that must stay false, kept to be asked about again whenever literals are dropped."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from novikoff.concepts.attributes import Truths
from novikoff.rows import Indices, Positions, SparseRows, join

Alive: TypeAlias = Callable[[Indices], Truths]  # whether a literal of each of these columns is left


class Remembered:
    """Rows with their places in the stream; of each only what is on and can still matter."""

    def __init__(self) -> None:
        self._places: list[Positions] = []
        self._rows: list[SparseRows] = []

    def add(self, places: Positions, rows: SparseRows, alive: Alive, *, dropped: bool) -> None:
        """Keep these rows too; forget of all what is no more alive, if anything was dropped."""
        if dropped:
            self._rows = [_only(kept, alive) for kept in self._rows]
        if len(rows):
            self._places.append(places)
            self._rows.append(_only(rows, alive))

    def whole(self) -> tuple[Positions, SparseRows]:
        """The places and the rows of all that was kept."""
        if not self._rows:
            nothing = np.zeros(1, dtype=np.int64)
            return nothing[:0], SparseRows(np.empty(0), nothing[:0], nothing, 0)
        if len(self._rows) > 1:
            self._places = [np.concatenate(self._places)]
            self._rows = [join(self._rows).sparse()]
        return self._places[0], self._rows[0]


def _only(rows: SparseRows, alive: Alive) -> SparseRows:
    """The rows without the entries of columns that are not alive."""
    span = slice(int(rows.starts[0]), int(rows.starts[-1]))
    kept = alive(rows.indices[span])
    ends = np.concatenate([[0], np.cumsum(kept)]).astype(rows.starts.dtype)
    starts = ends[rows.starts - rows.starts[0]]
    return SparseRows(rows.values[span][kept], rows.indices[span][kept], starts, rows.dim)
