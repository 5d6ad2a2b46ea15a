"""What the formats with one example a line share: where to cut, and how a chunk is made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.chunks import Chunk, Names
from novikoff.rows import SparseRows


def whole_lines(text: NDArray[np.uint8], length: int) -> int:
    """How many of the bytes text[:length] are whole lines.

    A carriage return at the very end may be half of a line's end, so it does not count.
    """
    piece = text[:length].data
    raw = bytes(piece[max(0, length - 4096) :])
    for mark, until in ((b"\n", len(raw)), (b"\r", len(raw) - 1)):
        if (at := raw.rfind(mark, 0, max(0, until))) >= 0:
            return length - len(raw) + at + 1
    raw = bytes(piece)
    at = raw.rfind(b"\n")
    return 1 + (at if at >= 0 else raw.rfind(b"\r", 0, max(0, length - 1)))


def sparse_chunk(
    parsed: dict[str, Any], place: Callable[[int], str], first: int, *, named: bool
) -> Chunk:
    """What the core parsed, as a chunk; `named` says that the indices are places of names."""
    names = Names(*parsed["names"]) if named else None
    dim = len(names) if names is not None else int(parsed["highest"]) + 1
    return Chunk(
        SparseRows(parsed["values"], parsed["indices"], parsed["starts"], dim),
        parsed["labels"],
        tuple(text.decode() for text in Names(*parsed["label_texts"])),
        tuple(map(place, parsed["label_lines"].tolist())),
        names,
        parsed.get("importances"),
        first,
    )
