"""The order of a stream: drawn from a seed, or found to have far fewer runs of labels than that."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Literal, TypeAlias

import numpy as np

from novikoff import _core
from novikoff.stream.blocks import Block, Codes, Labels, Stream, blocks_of
from novikoff.stream.rows import Positions, Rows

Shuffle: TypeAlias = Literal["once"] | bool


# Rows that fit in CACHE_BYTES are permuted freely. More rows are dealt from RUNS_DEALT runs of
# RUN_BYTES (at most RUN_ROWS rows) at a time. Fewer and longer runs are faster to read but mix
# less: on mail sorted by class, 16 runs of 64 KB took twice the passes of a free permutation.
CACHE_BYTES = 1 << 25
RUN_BYTES = 1 << 14
RUN_ROWS = 1 << 8
RUNS_DEALT = 32

MANY_RUNS = 100
FALSE_ALARMS = Fraction(1, 10**6)


def seeded_order(rows: Rows, seed: int) -> Positions:
    """An order of the rows drawn from the seed, the same on every machine.

    If the rows fit in a processor's cache, it is a uniform permutation. Otherwise runs of
    neighbouring rows are shuffled and dealt at random, so that memory is still read forwards.
    """
    n, size = len(rows), rows.nbytes
    order = np.empty(n, dtype=np.int64)
    run, mix = 1, max(1, n)
    if size > CACHE_BYTES:
        run, mix = min(max(1, RUN_BYTES * n // size), RUN_ROWS), RUNS_DEALT
    _core.fill_order(run=run, mix=mix, seed=seed, out=order)
    return order


def arranged(block: Block, seed: int) -> Block:
    """The block with its rows in a seeded order, copied if few, for many passes in that order."""
    order = seeded_order(block.rows, seed)
    return replace(block, order=order) if block.rows.nbytes > CACHE_BYTES else block.take(order)


class Shuffled:
    """The blocks of a stream, each in a seeded order, or `again` a new one for each pass."""

    def __init__(self, stream: Stream, *, seed: int, again: bool = False) -> None:
        self._stream = blocks_of(stream)
        self._seed, self._again = seed, again
        self._passes = 0

    def __iter__(self) -> Iterator[Block]:
        self._passes += self._again
        for n, block in enumerate(self._stream):
            yield replace(block, order=block_order(block.rows, self._seed, n, self._passes))


def block_order(rows: Rows, seed: int, number: int, passes: int = 0) -> Positions:
    """The order of the rows of block `number` of a stream, drawn from the stream's seed."""
    draw = np.random.SeedSequence((seed, passes, number))
    return seeded_order(rows, int(draw.generate_state(1, np.uint64)[0]))


class LabelRuns:
    """Counts of each class, and of the runs in which it comes, along a stream of any length.

    A run is a stretch of neighbouring examples of one class; of two labels, +1 is class 1.
    """

    def __init__(self) -> None:
        self.examples, self.runs = Counter[int](), Counter[int]()
        self._first: int | None = None
        self._last: int | None = None

    def add(self, labels: Labels | Codes) -> None:
        """Count examples that follow those before."""
        if not len(labels):
            return
        codes = labels if labels.dtype == np.int32 else (labels > 0).astype(np.int32)
        first = int(codes[0])
        begins = codes[1:][codes[1:] != codes[:-1]]
        for found, n in ((self.examples, codes), (self.runs, begins)):
            times = np.bincount(n)
            found.update({int(c): int(times[c]) for c in np.flatnonzero(times)})
        self.runs[first] += first != self._last
        self._first = first if self._first is None else self._first
        self._last = int(codes[-1])

    def renumber(self, codes: Sequence[int]) -> None:
        """Give class c the number codes[c]."""
        for name in ("examples", "runs"):
            setattr(self, name, Counter({codes[c]: n for c, n in getattr(self, name).items()}))
        if self._first is not None and self._last is not None:
            self._first, self._last = codes[self._first], codes[self._last]

    def absorb(self, later: LabelRuns) -> None:
        """Count the examples that follow these."""
        self.examples += later.examples
        self.runs += later.runs
        if later._first is None:
            return
        self.runs[later._first] -= later._first == self._last
        self._first = later._first if self._first is None else self._first
        self._last = later._last

    @property
    def commonest(self) -> int:
        """The class with the most examples, the first among equals."""
        return min(self.examples, key=lambda c: (-self.examples[c], c))

    @property
    def is_sorted(self) -> bool:
        """Whether the classes come in far fewer runs than in a random order.

        That is: the commonest class has at most half the runs expected, and a random order has so
        few with a probability below one in a million. In a random order of n examples, m of them
        in the class, the number of its runs is hypergeometric: drawing m of n, of which n − m + 1
        count (Wald & Wolfowitz 1940). If 100 runs or more are expected, at most half of them has a
        probability below e⁻¹⁵ (Hoeffding 1963, Theorems 1 and 4).
        """
        if len(self.examples) < 2:
            return False
        n, m, runs = self.examples.total(), self.examples[self.commonest], self.runs[self.commonest]
        expected = Fraction(m * (n - m + 1), n)
        if 2 * runs > expected:
            return False
        if expected >= MANY_RUNS:
            return True
        ways = sum(math.comb(m - 1, k - 1) * math.comb(n - m + 1, k) for k in range(1, runs + 1))
        return ways < FALSE_ALARMS * math.comb(n, m)
