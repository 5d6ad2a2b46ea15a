"""The pool: the rows mistaken in passes over all data, which are visited again in between."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, Self, TypeAlias

import numpy as np

from novikoff.ledger.kept_rows import KeptRows
from novikoff.storage.checked import Arrays, Settings, Stored
from novikoff.stream.blocks import Block, joined
from novikoff.stream.input_problems import BadExample
from novikoff.stream.rows import Positions

Revisit: TypeAlias = Literal["mistakes"]

# Passes over the pool before all data are read again. On text 10 need 1.5 times the reads of 100;
# 300 seldom save one, and on data that are not separable they take three times as long.
MOST_PASSES = 100
MOST_BETWEEN_MACHINES = 1000  # a read of all data costs more there; a narrow gap needs a fifth


class Pool:
    """Copies of the mistaken rows, in the order in which they were first mistaken.

    After each pass over all data that made a mistake, a learner goes over the pool until a pass
    over it makes no update, or for `MOST_PASSES` passes (more if the data are on other machines).
    That is a sequence of examples like any other, so every mistake bound holds; and data whose
    mistaken rows no weights separate are not separable.
    """

    def __init__(self) -> None:
        self.is_open = self.is_clean = self.is_larger = self.is_exchange = False
        self.passes = 0
        self._pieces: list[Block] = []

    def __len__(self) -> int:
        return sum(map(len, self._pieces))

    @property
    def is_waiting(self) -> bool:
        """Whether a pass over the pool comes next."""
        most = MOST_BETWEEN_MACHINES if self.is_exchange else MOST_PASSES
        return self.is_open and not self.is_clean and self.passes < most

    def add(self, block: Block, mistaken: Positions) -> None:
        """Add the rows of the block at these positions, in this order, each once."""
        _, at = np.unique(mistaken, return_index=True)
        new = mistaken[np.sort(at)]
        new = new[~np.isin(new, self._positions)]
        if len(new):
            self._pieces.append(block.take(block.rows_at(new)))
            self.is_larger = True

    @property
    def _positions(self) -> Positions:
        none = np.empty(0, dtype=np.int64)
        return np.concatenate([none, *(one.positions(np.arange(len(one))) for one in self._pieces)])

    def open(self) -> None:
        """Visit the pool from now on."""
        self.is_open, self.is_clean, self.is_larger, self.passes = True, False, False, 0

    def block(self, dim: int) -> Block:
        """The pool as one block of rows with `dim` features."""
        narrow = [k for k, piece in enumerate(self._pieces) if piece.rows.dim < dim]
        for k in narrow:
            piece = self._pieces[k]
            self._pieces[k] = replace(piece, rows=piece.rows.sparse().widened(dim))
        if len(self._pieces) > 1:
            self._pieces = [joined(self._pieces)]
        return self._pieces[0]

    def state(self, dim: int) -> tuple[Settings, Arrays]:
        """The pool, for `restored`: rows with `dim` features, their labels, and what was done."""
        settings: Settings = {
            "open": self.is_open,
            "clean": self.is_clean,
            "larger": self.is_larger,
            "passes": self.passes,
        }
        if not self._pieces:
            return settings, {}
        rooms = max(piece.rows.dim for piece in self._pieces)
        block, numbers = self.block(rooms), self._positions
        order = np.argsort(numbers)
        arrays = KeptRows(numbers[order], block.rows.take(order)).state(dim)
        arrays |= {"numbers": numbers, "labels": block.labels}
        if block.importances is not None:
            arrays["importances"] = block.importances
        return settings, arrays

    @classmethod
    def restored(
        cls, settings: Settings, arrays: Arrays, dim: int, classes: int | None = None
    ) -> Self:
        """The pool that `state` described, for `dim` features and classes learned jointly."""
        stored, pool = Stored("pool of mistaken rows", settings, arrays), cls()
        pool.is_open, pool.is_clean = stored.flag("open"), stored.flag("clean")
        pool.is_larger, pool.passes = stored.flag("larger"), stored.count("passes")
        if "numbers" not in stored:
            if pool.is_open:
                stored.refuse("it is empty, but visited")
            return pool
        numbers = stored.positions("numbers").copy()  # not mapped from a file
        kept = KeptRows.restored(stored, dim, numbers)
        n, weights = len(kept.positions), None
        if n != len(numbers):
            stored.refuse("a row is in it twice")
        labels = stored.array("labels", ("int8",), (n,)) if classes is None else None
        codes = stored.codes("labels", n, classes or 0) if labels is None else labels
        if "importances" in stored:
            weights = stored.vector("importances", n, least=0)
        rows = kept.rows.take(np.searchsorted(kept.positions, numbers))
        try:
            block = Block(rows, codes.copy(), numbers=numbers, importances=weights)
        except BadExample as error:
            stored.refuse(str(error))
        pool._pieces.append(block)
        return pool
