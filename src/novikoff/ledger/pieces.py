"""Sequences that grow by pieces and never change, so that readers cannot disturb a writer."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Sized
from typing import Generic, TypeVar

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
