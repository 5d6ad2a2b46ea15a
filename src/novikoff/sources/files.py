"""Whole files of examples, svmlight or CSV, plain or compressed."""

from __future__ import annotations

import gzip
import os
import re
import sys
import zlib
from io import StringIO
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np

from novikoff import _core
from novikoff.examples import Block
from novikoff.rows import BadExample, SparseRows
from novikoff.sources.layouts import padded
from novikoff.sources.svmlight import read_svmlight
from novikoff.sources.tables import Table
from novikoff.sources.texts import Data, shown, two_classes

__all__ = ["Data", "Format", "read"]

Format: TypeAlias = Literal["svmlight", "csv"]

_FORMATS: dict[str, Format] = {
    **dict.fromkeys((".csv", ".tsv"), "csv"),
    **dict.fromkeys((".svm", ".svmlight", ".libsvm", ".txt"), "svmlight"),
}


def read(
    path: str | os.PathLike[str],
    *,
    label: str | int | None = None,
    format: Format | None = None,
    zero_based: bool = False,
    classes: tuple[str, str] | None = None,
) -> Data:
    r"""The examples of a file, with their labels made −1 and +1.

    There must be two labels, texts or numbers: of two numbers the smaller becomes −1, of two texts
    the first in the alphabet. Features must be finite numbers; nothing is guessed or left out: the
    first line that cannot be read is a `BadExample` that names it.

    Parameters
    ----------
    path
        "-" is the standard input. What gzip has compressed is decompressed, whatever its name.
    label
        CSV only: the column of the labels, by its name in the header or its position from 0. By
        default the last.
    format
        By default as the name ends: .csv and .tsv; .svm, .svmlight, .libsvm and .txt, with or
        without .gz. If it ends otherwise, as the first line looks.
    zero_based
        svmlight only: whether the indices of the file count from 0.
    classes
        The labels to be −1 and +1, when these are known; any other is then refused.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "mail.csv")
    ...     _ = file.write_text("words,links,kind\n120,0,ham\n80,7,spam\n")
    ...     data = read(file)
    >>> data.names, data.classes
    (('words', 'links'), ('ham', 'spam'))
    >>> data.block[1]
    Example(columns=array([0, 1]), values=array([80.,  7.]), label=1)
    """
    if format not in (None, "svmlight", "csv"):
        raise ValueError(f"format must be 'svmlight' or 'csv', not {format!r}")
    stdin = path == "-"
    name = "<stdin>" if stdin else str(path)
    text = _text(sys.stdin.buffer.read() if stdin else Path(path).read_bytes(), name)
    suffix = Path(name.lower().removesuffix(".gz")).suffix
    format = format or _FORMATS.get(suffix) or _look(text, name)
    if format == "svmlight":
        if label is not None:
            raise BadExample(f"{name}: svmlight has its labels first, not in a column {label!r}")
        return read_svmlight(text, name, zero_based=zero_based, classes=classes)
    if zero_based:
        raise BadExample(f"{name}: CSV has no indices; zero_based is for svmlight")
    separator = "\t" if suffix == ".tsv" else None
    table = Table(label=label, separator=separator)
    return _read_table(table, text.encode(), name, classes, hinted=label is None)


def _read_table(
    table: Table, text: bytes, name: str, classes: tuple[str, str] | None, *, hinted: bool
) -> Data:
    """The examples of a table, read in one piece."""
    skipped, lines = table.begin(text, name)
    rest = text[skipped:]
    parsed = table.parse(padded(rest), len(rest), 0)
    for line, at, why, begin, end in parsed["bad"]:
        _, words = table.flaw(rest[begin:end], at - begin, why)
        raise BadExample(f"{name}:{lines + line + 1}: {words}")
    chunk = table.chunk(parsed, lambda line: f"{name}:{lines + line + 1}", 0)
    if not len(chunk):
        raise BadExample(f"{name}: there are no examples")
    labels = [chunk.label_texts[k] for k in chunk.labels]
    hint = " (the label is the last column unless --label (label=) names another)" * hinted
    places = dict(zip(chunk.label_texts, chunk.label_places, strict=True))
    signs, classes = two_classes(labels, lambda i: places[labels[i]], classes=classes, hint=hint)
    rows, names = chunk.rows, table.columns if table.header else None
    if chunk.names is not None:
        names = tuple(each.decode() for each in chunk.names)
        kept = np.arange(len(names))
        values, indices, starts = _core.renumber(
            parsed["values"], parsed["indices"], parsed["starts"], columns=kept
        )
        rows = SparseRows(values, indices, starts, len(names))
    return Data(Block(rows, signs), names, classes, table.label_name)


def _text(raw: bytes, name: str) -> str:
    """The text of the bytes, every line of which ends in a line feed."""
    if raw.startswith(b"\x1f\x8b"):
        try:
            raw = gzip.decompress(raw)
        except (EOFError, OSError, zlib.error) as error:
            raise BadExample(f"{name}: cannot be decompressed: {error}") from None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        byte = error.object[error.start]
        raise BadExample(
            f"{name}:{line}: byte 0x{byte:02x} is not UTF-8; save the file as UTF-8"
        ) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _look(text: str, name: str) -> Format:
    lines = enumerate(StringIO(text), 1)
    i, line = next(((i, line) for i, line in lines if re.match(r"\s*[^\s#]", line)), (0, ""))
    if re.match(r"\s*[^\s:]+\s+(qid|-?[0-9]+):", line):
        return "svmlight"
    if any(mark in line for mark in ",\t;"):
        return "csv"
    if not line:
        raise BadExample(f"{name}: there are no examples")
    raise BadExample(
        f"{name}:{i}: {shown(line.strip())} is neither svmlight nor CSV; say which by format"
    )
