"""Mistakes side by side, column by column: what a learner hands over and a ledger keeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from novikoff.examples import Codes
from novikoff.rows import Positions, Vector
from novikoff.states import Arrays


@dataclass(frozen=True, slots=True)
class Mistakes:
    """Some mistakes in the order they were made, one entry each in every column.

    Where many classes are learned jointly, `classes` and `rivals` say which was right and which was
    in its way; `scores` then are by how much the one was ahead of the other. `n_classes` is how
    many were known by then, mistaken or not.
    """

    rounds: Positions
    rows: Positions
    scores: Vector
    steps: Vector
    squares: Vector
    classes: Codes | None = None
    rivals: Codes | None = None
    n_classes: int = 0

    def __len__(self) -> int:
        return len(self.rounds)

    @classmethod
    def joined(cls, pieces: Sequence[Mistakes]) -> Mistakes:
        """The mistakes of all the pieces, in order."""
        columns = [piece.columns for piece in pieces]
        joined = {name: np.concatenate([c[name] for c in columns]) for name in columns[0]}
        return cls(**joined, n_classes=pieces[-1].n_classes)

    @property
    def columns(self) -> Arrays:
        """The columns there are, by name."""
        named = {name: getattr(self, name) for name in self.__slots__ if name != "n_classes"}
        return {name: column for name, column in named.items() if column is not None}
