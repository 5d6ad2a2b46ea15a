"""A file of the reader's own, CSV or svmlight, as points for the page."""

from __future__ import annotations

import re
from itertools import chain, count
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.rows import BadExample, Rows, SparseRows
from novikoff.sources import Data, read
from novikoff.sources.files import format_of
from novikoff.sources.inputs import Input
from novikoff.web.placed import MOST_COLUMNS, MOST_POINTS, Refused

_CURES = {
    r", or say what to do: missing=.*": "",
    r" \(the label is the last column unless .*\)": "; the label is the last column",
    r"say which it is by format \(--format\)": "CSV and svmlight are read here",
}
_COMPRESSED = (b"\x1f\x8b", b"BZh", b"\x28\xb5\x2f\xfd", b"PK\x03\x04")


def points_of(name: str, content: bytes) -> dict[str, Any]:
    """The points, labels, names and classes of a file, and words about what was read.

    The readers are those of every command, and so are the words when a line cannot be read. What
    the page cannot draw is refused with what to do instead.
    """
    name = _safe(name)
    if content.startswith(_COMPRESSED):
        raise Refused(f"{name}: this is compressed; unpack it first")
    data = _read(name, content)
    n, dim = len(data.block), data.block.rows.dim
    if dim > MOST_COLUMNS:
        raise Refused(
            f"{name}: {dim} columns, and the page takes up to {MOST_COLUMNS}: keep those you want "
            f"to look at and load it again, or ask novikoff certify, which takes any number"
        )
    if dim == 0:
        raise Refused(f"{name}: there is no column but the label; a point needs a coordinate")
    if n > MOST_POINTS:
        raise Refused(
            f"{name}: {n:,} rows, and the page takes {MOST_POINTS:,}: take some of them, as with "
            f"head or shuf -n {MOST_POINTS}, or use novikoff train, which takes any number"
        )
    names = _names(data)
    return {
        "points": _dense(data.block.rows).tolist(),
        "labels": data.block.labels.tolist(),
        "names": names,
        "label": _label(data, names),
        "classes": list(data.classes),
        "words": _words(name, data, names),
        "note": _note(data),
    }


def _safe(name: str) -> str:
    """The last part of the name, without what a file cannot be called."""
    last = PurePath(name.replace("\\", "/")).name
    kept = "".join(c for c in last if c.isprintable() and c not in "/*?[]").strip(". ")
    return kept[-80:] or "points.csv"


def _read(name: str, content: bytes) -> Data:
    with TemporaryDirectory() as folder:
        file = Path(folder, name)
        file.write_bytes(content)
        try:
            found = format_of(Input(str(file)))
            if found not in ("csv", "svmlight"):
                raise Refused(f"{name}: {found} is not read here; save it as CSV or svmlight")
            return read(str(file), format=found)
        except Refused:
            raise
        except BadExample as error:
            raise Refused(_for_the_page(str(error).replace(f"{folder}/", ""))) from None


def _for_the_page(words: str) -> str:
    """What a reader said, with cures that the page has for those that a command has."""
    for pattern, instead in _CURES.items():
        words = re.sub(pattern, instead, words)
    return words


def _dense(rows: Rows) -> NDArray[np.float64]:
    if not isinstance(rows, SparseRows):
        return np.asarray(rows.values, dtype=np.float64).reshape(len(rows), rows.dim)
    out = np.zeros((len(rows), rows.dim))
    out[np.repeat(np.arange(len(rows)), np.diff(rows.starts)), rows.indices] = rows.values
    return out


def _names(data: Data) -> list[str]:
    """The header's names; or, where it has none or they are numbers, x1, x2 and so on."""
    names = data.names
    if names is None or any(name.strip().isdecimal() for name in names):
        return [f"x{j + 1}" for j in range(data.block.rows.dim)]
    return list(names)


def _label(data: Data, names: list[str]) -> str:
    """What to call the column of the labels: as the header does, unless that would not be clear."""
    known = [data.label] if data.label and not data.label.isdecimal() else []
    made_up = (f"label{k}" for k in count(2))
    return next(name for name in chain(known, ["label"], made_up) if name not in names)


def _words(name: str, data: Data, names: list[str]) -> str:
    n, (negative, positive) = len(data.block), data.classes
    columns = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
    plural = "" if len(names) == 1 else "s"
    return (
        f"{name}: {n:,} points, column{plural} {columns}; {positive} is drawn as + and {negative} "
        "as −."
    )


def _note(data: Data) -> str:
    """What the reader should know before looking."""
    labels = data.block.labels
    if (labels == labels[0]).all():
        only = data.classes[int(labels[0] > 0)]
        return (
            f"Every label is {only!r}: there is nothing to tell apart yet. Place points of the "
            "other class by clicking, or load a file with both."
        )
    return ""
