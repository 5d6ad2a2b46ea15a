"""What the core says of an example, the names it has for columns, and weights read by them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from novikoff import _core
from novikoff.ledger.ledger import Keep


class Met(IntEnum):
    """How the core met an example; all but the first left everything as it was."""

    LEARNED = 0
    UNREAD = 1
    LABEL = 2
    ROOM = 3
    FULL = 4
    CROWDED = 5
    HELD = 6
    FLAW = 7


class Names(NamedTuple):
    """Names of features, their columns, how many examples had each, and when it was last met.

    `width` is how many columns there are; those without a name are free for others.
    """

    names: list[str]
    columns: NDArray[np.int32]
    examples: NDArray[np.int64]
    last: NDArray[np.int64]
    width: int


def placed(names: Sequence[str] | Names | None) -> Names | None:
    """The names with their columns, which are the first ones unless they are given."""
    if names is None or isinstance(names, Names):
        return names
    uses = np.zeros(len(names), dtype=np.int64)
    return Names(list(names), np.arange(len(names), dtype=np.int32), uses, uses, len(names))


class Naming(Protocol):
    """Whatever has names for its columns, and weights that the core reads."""

    core: _core.Online

    @property
    def names(self) -> Names:
        """The names and their columns."""


class Weights(Mapping[str, float]):
    """The weights of a run by the names of features: read-only, and always as they are now.

    A feature that was never met is not there. With hash_bits the names are the first that were met
    on their columns; others that share a column with one of them are found too.
    """

    def __init__(self, of: Naming, run: int, number: int = 0, less: int | None = None) -> None:
        self._of, self._run, self._number, self._less = of, run, number, less

    def __getitem__(self, name: str) -> float:
        core = self._of.core
        try:
            column = core.column_of(name)
        except TypeError:  # no text, or one that is not UTF-8
            column = -1
        if column < 0:
            raise KeyError(name)
        weight = core.weight(self._run, column, self._number)
        return weight if self._less is None else weight - core.weight(self._run, column, self._less)

    def __iter__(self) -> Iterator[str]:
        return iter(self._of.names[0])

    def __len__(self) -> int:
        return len(self._of.core)

    def __repr__(self) -> str:
        return f"<weights of {len(self)} features by name>"


def check_bounds(hash_bits: int | None, max_names: int | None, keep: Keep) -> None:
    """Refuse bounds on memory that are none, or that do not go together."""
    for name, given, low, high in (
        ("hash_bits", hash_bits, 3, 31),
        ("max_names", max_names, 4, 2**31 - 1),
    ):
        if given is not None and (type(given) is not int or not low <= given <= high):
            raise ValueError(f"{name} must be a whole number from {low} to {high}, not {given!r}")
    if max_names is None:
        return
    if hash_bits is not None:
        raise ValueError("hash_bits and max_names both bound the memory: choose one of them")
    if keep != "counts":
        raise ValueError(
            f"max_names needs keep='counts', not {keep!r}: the rows of a ledger would name columns "
            "that have been given to other features"
        )
