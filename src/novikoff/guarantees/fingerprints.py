"""What a certificate knows its data by, and its rows as the checker reads them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.examples import Block
from novikoff.guarantees.check import Fingerprint, Row
from novikoff.guarantees.entries import Entries, parts, usable
from novikoff.rows import Positions, Rows

_AT_ONCE = 1 << 20


def fingerprint(block: Block) -> str:
    """The same for the same labels and numbers, however they are stored: dense, sparse, float32.

    Zeros do not count, whether they are written down or not.
    """
    usable(block.rows)
    out = Fingerprint()
    for at in _positions(block.rows):
        e = Entries.of(block.rows, at, bias=False).nonzero
        columns: tuple[NDArray[Any], ...] = (block.labels[at], e.lengths, e.columns, e.values)
        kinds = ("<i1", "<i8", "<i8", "<f8")
        out.update(*(_bytes(c.astype(k, copy=False)) for c, k in zip(columns, kinds, strict=True)))
    return str(out)


def examples(block: Block) -> Iterator[tuple[int, Row]]:
    """Each label with the columns and values of its row, in the order of the data."""
    usable(block.rows)
    for at in _positions(block.rows):
        e = Entries.of(block.rows, at, bias=False)
        columns, values, starts = e.columns.tolist(), e.values.tolist(), e.starts.tolist()
        for k, label in enumerate(block.labels[at].tolist()):
            span = slice(starts[k], starts[k + 1])
            yield label, zip(columns[span], values[span], strict=True)


def _positions(rows: Rows) -> Iterator[Positions]:
    """All positions of the rows, some at a time."""
    for part in parts(rows, len(rows), entries=_AT_ONCE):
        yield np.arange(part.start, part.stop)


def _bytes(numbers: NDArray[Any]) -> memoryview:
    return np.ascontiguousarray(numbers).view(np.uint8).data
