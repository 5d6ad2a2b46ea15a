"""Sequences that grow by pieces and never change, so that readers cannot disturb a writer."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Sized
from typing import Generic, TypeVar

T = TypeVar("T", bound=Sized)
_LARGE = 1 << 17
_FEW = 8


class Pieces(Generic[T]):
    """A sequence in pieces, which `join` makes one: `plus` returns a longer one.

    Reading `whole` replaces the pieces by one with the same contents. So other threads may read
    while one adds, and nobody has to wait.
    """

    def __init__(self, join: Callable[[Sequence[T]], T], *pieces: T) -> None:
        self._join, self.pieces = join, pieces

    def plus(self, piece: T) -> Pieces[T]:
        """The sequence with one more piece.

        If there are several, a piece is joined to the one before unless that is much longer, so
        pieces stay few and each entry is copied only a few times. Large pieces are few and are left
        alone: copying them again and again took five times as long as learning from examples one by
        one.
        """
        before = list(self.pieces)
        while len(before) >= _FEW and len(before[-1]) <= min(2 * len(piece), _LARGE):
            piece = self._join([before.pop(), piece])
        return Pieces(self._join, *before, piece)

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
