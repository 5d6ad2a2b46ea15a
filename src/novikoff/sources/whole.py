"""Data read whole: all examples in memory, so that they can be shuffled and passed over quickly."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Self

import numpy as np

from novikoff.sources.cache import Cached
from novikoff.sources.numbered import Numbered
from novikoff.stream.blocks import Block, joined
from novikoff.stream.order import LabelRuns, seeded_order
from novikoff.stream.rows import DenseRows, Positions, Rows, Vector

MOST_BYTES = 512 * 10**6  # of data that are read whole unless the user asks for it
BLOCK_BYTES = 1 << 22
FEWEST_IDENTIFIERS = 100  # fewer numbers may all differ by chance


class Whole:
    """All examples of a source, in memory, as often as it is iterated over."""

    def __init__(self, source: Numbered | Cached, held: list[Block], label_runs: LabelRuns) -> None:
        self._held, self.label_runs = held, label_runs
        self.features, self.classes, self.table = source.features, source.classes, source.table
        self.check_unchanged = source.check_unchanged
        self.done, self.total = 0, sum(block.rows.nbytes for block in held)

    @classmethod
    def of(cls, source: Numbered | Cached, most: int | None = None) -> Self | None:
        """All examples, their columns measured; None if the rows take more than `most` bytes."""
        blocks, size, label_runs = list[Block](), 0, LabelRuns()
        for block in source:
            size += block.rows.nbytes
            if most is not None and size > most:
                return None
            blocks.append(block)
            label_runs.add(block.labels)
        features = source.features
        held = [replace(b, rows=b.rows.widened(features.room)) for b in blocks]
        whole = cls(source, held, label_runs)
        if features.is_unmeasured:
            features.measure(block.rows for block in whole._held)
            rows = [block.rows for block in whole._held]
            features.dates = tuple(_columns_like(rows, _are_dates))
            enough = len(whole) >= FEWEST_IDENTIFIERS
            found = _columns_like(rows, _all_differ) if enough else ()
            features.identifiers = tuple(j for j in found if j not in features.dates)
            if features.standardise is not None:
                whole.scale()
        return whole

    def scale(self) -> None:
        """Scale the rows, which are not scaled yet, as the features say."""
        self._held = [replace(b, rows=self.features.scaled(b.rows)) for b in self._held]
        self.total = sum(block.rows.nbytes for block in self._held)

    def some(self, most: int) -> Block:
        """At most so many examples, spread evenly over all that are not shuffled yet, in a copy."""
        apart = max(1, -(-len(self) // most))
        return joined([b.take(np.arange(-b.first % apart, len(b), apart)) for b in self._held])

    def shuffle(self, seed: int) -> None:
        """Put the examples in an order drawn from the seed; a ledger knows their positions."""
        block = joined(self._held)
        self._held = _cut(block, seeded_order(block.rows, seed))

    def __len__(self) -> int:
        return sum(map(len, self._held))

    def __iter__(self) -> Iterator[Block]:
        self.done = 0
        for block in self._held:
            self.done += block.rows.nbytes
            yield block


def _columns_like(pieces: list[Rows], is_like: Callable[[Vector], bool]) -> Iterator[int]:
    """The columns of whole numbers, at most one of them not stored, whose values are like that."""
    head = pieces[0].take(np.arange(min(len(pieces[0]), 1000)))
    filled = np.bincount(head.sparse().indices) + 1 >= len(head)  # one of them may be 0
    for j in np.flatnonzero(filled).tolist():
        for some in ([head], pieces):
            each = [
                rows.values[:, j]
                if isinstance(rows, DenseRows)
                else rows.values[rows.starts[0] : rows.starts[-1]][
                    rows.indices[rows.starts[0] : rows.starts[-1]] == j
                ]
                for rows in some
            ]
            values = np.concatenate(each)
            is_filled = len(values) + 1 >= sum(map(len, some))
            if not (is_filled and (values == np.floor(values)).all() and is_like(values)):
                break
        else:
            yield j


def _all_differ(values: Vector) -> bool:
    """Whether no two of the numbers are equal."""
    return bool(np.abs(values).max(initial=0) < 2**53) and len(np.unique(values)) == len(values)


def _are_dates(values: Vector) -> bool:
    """Whether whole numbers look like dates from 1900 to 2099, as 20240131 does."""
    year, day = np.divmod(values, 10_000)
    month, day = np.divmod(day, 100)
    pairs = ((year, 1900, 2099), (month, 1, 12), (day, 1, 31))
    return len(values) > 1 and all(((a <= x) & (x <= b)).all() for x, a, b in pairs)


def _cut(whole: Block, order: Positions) -> list[Block]:
    """The examples in this order, in blocks of about 4 MB."""
    n = len(whole)
    step = max(1, BLOCK_BYTES * n // max(1, whole.rows.nbytes))
    return [
        replace(whole.take(part), first=at, numbers=part - at)
        for at in range(0, n, step)
        for part in (order[at : at + step],)
    ]
