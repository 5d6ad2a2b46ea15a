"""Examples and blocks of examples, as learners read them: labels are −1 and +1, or 0, 1, 2, …."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from novikoff.stream.input_problems import BadExample
from novikoff.stream.rows import DenseRows, Positions, Rows, SparseRows, Vector, for_core, join

Labels: TypeAlias = NDArray[np.int8]
Codes: TypeAlias = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Example:
    """One example: its stored columns and their values, its label or class, its importance."""

    columns: Positions
    values: Vector
    label: int
    importance: float = 1.0


@dataclass(frozen=True, slots=True)
class Block:
    """Some examples, and the order in which to show them.

    Parameters
    ----------
    labels
        −1 and +1 as int8, or class numbers from 0 as int32.
    first
        The position of the first row in the whole stream; the ledger names rows by position.
    order
        The order in which rows are shown (None: as stored); it may leave rows out, or repeat them.
    numbers
        The position of each row, relative to `first`, if they are not those of the stream.
    importances
        How much each example counts (None: 1 each): the step of a mistake is multiplied by it. An
        example of importance 0 is scored but never counts as a mistake.
    """

    rows: Rows
    labels: Labels | Codes
    first: int = 0
    order: Positions | None = None
    numbers: Positions | None = None
    importances: Vector | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.rows, DenseRows | SparseRows):
            raise TypeError(
                f"rows are a {type(self.rows).__name__}; make blocks with sources.block(X, y)"
            )
        if len(self.labels) != len(self.rows):
            raise BadExample(f"{len(self.rows)} rows but {len(self.labels)} labels")
        if self.labels.dtype == np.int32:
            if len(self.labels) and self.labels.min() < 0:
                raise BadExample("class numbers start at 0")
        elif self.labels.dtype != np.int8 or (self.labels * self.labels != 1).any():
            raise BadExample("labels must be -1 or +1, as int8; sources.block(X, y) converts them")
        for name in ("labels", "order", "importances"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, for_core(getattr(self, name)))
        for name in ("order", "numbers"):
            given = getattr(self, name)
            if given is not None and given.dtype != np.int64:
                raise BadExample(f"{name} must be positions as int64, not {given.dtype}")
        given = self.importances
        if given is None:
            return
        if given.dtype != np.float64:
            raise BadExample(f"importances must be float64, not {given.dtype}")
        if given.shape != (len(self),):
            raise BadExample(f"{len(self)} rows but importances of shape {given.shape}")
        if (wrong := unusable_importance(given)) is not None:
            row, value = self.position(wrong), float(given[wrong])
            raise BadExample(f"row {row}: importance {value!r} must be finite and at least 0")

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def signs(self) -> Labels:
        """The labels −1 and +1; BadExample if they are class numbers."""
        if self.labels.dtype != np.int8:
            raise BadExample("the labels of this block are class numbers, but -1 and +1 are needed")
        return self.labels.view(np.int8)

    @property
    def codes(self) -> Codes:
        """The class numbers; of two labels, 0 for −1 and 1 for +1."""
        if self.labels.dtype == np.int32:
            return self.labels.view(np.int32)
        return (self.labels > 0).astype(np.int32)

    @property
    def n_rounds(self) -> int:
        """How many examples are shown: an order may leave rows out, or repeat them."""
        return len(self.labels) if self.order is None else len(self.order)

    def positions(self, which: Positions) -> Positions:
        """The positions in the whole stream of these rows of the block."""
        return self.first + (which if self.numbers is None else self.numbers[which])

    def position(self, row: int) -> int:
        """The position in the whole stream of a row of the block, even if there is no such row."""
        return int(self.positions(np.array([row]))[0] if 0 <= row < len(self) else self.first + row)

    def row_shown(self, k: int) -> int:
        """The row of the block that is shown k-th, counted from 0."""
        return k if self.order is None else int(self.order[k])

    def rows_at(self, positions: Positions) -> Positions:
        """Where in the block the rows at these positions in the whole stream are."""
        which, numbers = positions - self.first, self.numbers
        if numbers is None or len(numbers) == 0:
            return which
        low, high = int(numbers.min()), int(numbers.max())
        if high - low < 4 * len(numbers):  # usually a permutation: sorting takes longer
            row: Positions = np.empty(high - low + 1, dtype=np.int64)
            row[numbers - low] = np.arange(len(numbers))
            return row[which - low]
        order = np.argsort(numbers)
        return order[np.searchsorted(numbers, which, sorter=order)]

    def take(self, which: Positions) -> Block:
        """A copy of these rows of the block, which keep their positions in the whole stream."""
        return Block(
            self.rows.take(which),
            self.labels[which],
            self.first,
            numbers=which if self.numbers is None else self.numbers[which],
            importances=None if self.importances is None else self.importances[which],
        )

    def __getitem__(self, i: int) -> Example:
        columns, values = self.rows.row(i)
        importance = 1.0 if self.importances is None else float(self.importances[i])
        return Example(columns, values, int(self.labels[i]), importance)

    def __iter__(self) -> Iterator[Example]:
        order = range(len(self)) if self.order is None else self.order
        return (self[int(i)] for i in order)


def unusable_importance(importances: Vector) -> int | None:
    """The place of the first importance that is negative or not finite; None if there is none."""
    wrong = np.flatnonzero(~((importances >= 0) & (importances < np.inf)))
    return int(wrong[0]) if len(wrong) else None


def signs(labels: Sequence[float] | NDArray[Any]) -> Labels:
    """The labels as int8; BadExample unless each is −1 or +1."""
    given = np.asarray(labels)
    if given.ndim != 1:
        raise BadExample(f"labels must be one-dimensional, not of shape {given.shape}")
    wrong = np.flatnonzero((given != 1) & (given != -1))
    if len(wrong):
        i = int(wrong[0])
        raise BadExample(f"row {i}: label {given.tolist()[i]!r} is not one of -1, +1")
    return given.astype(np.int8)


def joined(blocks: Sequence[Block]) -> Block:
    """One block with the examples of all, as they are stored; each keeps its position."""
    weights, numbers = None, None
    if any(block.importances is not None for block in blocks):
        each = (np.ones(len(b)) if b.importances is None else b.importances for b in blocks)
        weights = np.concatenate(list(each))
    positions = np.concatenate([block.positions(np.arange(len(block))) for block in blocks])
    if (positions != np.arange(len(positions))).any():
        numbers = positions
    labels = np.concatenate([block.labels for block in blocks])
    return Block(join([b.rows for b in blocks]), labels, numbers=numbers, importances=weights)


Stream: TypeAlias = Block | Iterable[Block]


def blocks_of(stream: Stream) -> Iterable[Block]:
    """The blocks of a stream; a single block is a stream of one."""
    return (stream,) if isinstance(stream, Block) else stream
