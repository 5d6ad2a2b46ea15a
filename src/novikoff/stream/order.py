"""The order in which a learner meets the rows of a block or a stream, drawn from a seed."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np

from novikoff import _core
from novikoff.stream.blocks import Block, Stream, blocks_of
from novikoff.stream.rows import Positions, Rows

Shuffle: TypeAlias = Literal["once"] | bool


# Rows that fit in CACHE_BYTES are permuted freely. More rows are dealt from RUNS_DEALT runs of
# RUN_BYTES (at most RUN_ROWS rows) at a time. Fewer and longer runs are faster to read but mix
# less: on mail sorted by class, 16 runs of 64 KB took twice the passes of a free permutation.
CACHE_BYTES = 1 << 25
RUN_BYTES = 1 << 14
RUN_ROWS = 1 << 8
RUNS_DEALT = 32


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
