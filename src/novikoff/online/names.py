"""Feature names: what the core knows of them, weights by name, and bounds on how many there are."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff import _core
from novikoff.ledger.ledger import Keep


class Outcome(IntEnum):
    """What the core did with an example; all but LEARNED changed nothing."""

    LEARNED = 0
    UNREAD = 1  # not a dict or row that the core reads
    LABEL = 2  # an unknown label
    ROOM = 3  # needs more columns or classes
    FULL = 4  # the mistakes must be taken to the ledger first
    CROWDED = 5  # more features than max_names
    HELD = 6  # another thread learns from a block
    FLAW = 7  # the score would not be finite, or a number is negative


class Names(NamedTuple):
    """Names of features, with columns, uses and last rounds; `width` counts all columns."""

    names: list[str]
    columns: NDArray[np.int32]
    examples: NDArray[np.int64]
    last: NDArray[np.int64]
    width: int

    @classmethod
    def unused(cls, names: Sequence[str], columns: Sequence[int], width: int) -> Names:
        """These names, which no example has used yet."""
        none = np.zeros(len(names), dtype=np.int64)
        return cls([*names], np.array(columns, dtype=np.int32), none, none, width)


def names_of(core: _core.Online) -> Names:
    """The names that the core knows, with their columns and uses."""
    columns, examples, last = core.named()
    named = [str(core.name_of(j)) for j in columns.tolist()]
    return Names(named, columns, examples, last, core.columns)


class Weights(Mapping[str, float]):
    """The weights of a run by the names of features: read-only and always up to date.

    With hash_bits, iteration gives the first name of each column, and lookup also finds the others.
    """

    def __init__(
        self,
        core: _core.Online,
        lock: threading.RLock,
        run: int,
        number: int = 0,
        less: int | None = None,
    ) -> None:
        self._core, self._lock = core, lock
        self._run, self._number, self._less = run, number, less

    def __getitem__(self, name: str) -> float:
        core = self._core
        with self._lock:  # a name that another thread learns has its weight when the lock is free
            try:
                column = core.column_of(name)
            except TypeError:  # not a text, or not UTF-8
                column = -1
            if column < 0:
                raise KeyError(name)
            weight = core.weight(self._run, column, self._number)
            if self._less is None:
                return weight
            return weight - core.weight(self._run, column, self._less)

    def __iter__(self) -> Iterator[str]:
        return iter(names_of(self._core).names)

    def __len__(self) -> int:
        return len(self._core)

    def __repr__(self) -> str:
        return f"<weights of {len(self)} features by name>"


def check_bounds(hash_bits: int | None, max_names: int | None, keep: Keep) -> None:
    """Raise ValueError if a bound on the number of names is out of range, or there are two."""
    for name, given, low, high in (
        ("hash_bits", hash_bits, 3, 31),
        ("max_names", max_names, 4, 2**31 - 1),
    ):
        if given is not None and (type(given) is not int or not low <= given <= high):
            raise ValueError(f"{name} must be a whole number from {low} to {high}, not {given!r}")
    if max_names is None:
        return
    if hash_bits is not None:
        raise ValueError("hash_bits and max_names both bound the memory; choose one of them")
    if keep != "counts":
        raise ValueError(
            f"max_names needs keep='counts', not {keep!r}: the columns of forgotten names are used "
            "again, so rows in the ledger would mean other features"
        )
