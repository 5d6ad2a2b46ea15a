"""Dense examples from a table as text, one a line: comma-, tab- or semicolon-separated."""

from __future__ import annotations

import csv
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from math import isfinite

import numpy as np

from novikoff.examples import Block
from novikoff.rows import BadExample, DenseRows
from novikoff.sources.texts import Data, is_missing, number, shown, two_classes


def read_table(
    text: str,
    name: str,
    *,
    label: str | int | None = None,
    separator: str | None = None,
    classes: tuple[str, str] | None = None,
) -> Data:
    """The examples of a table: every column but the label's is a feature, and holds numbers.

    The first line is a header if a field of it is a text. If only its label is, as in
    `5.1,3.5,setosa`, it is an example when that makes no more than two labels, all texts.

    Parameters
    ----------
    name
        What to call the table in an error.
    label
        The column of the labels: a name from the header or a position from 0. By default the last.
    separator
        By default the comma; tabs or semicolons if the first line has them and no comma.
    classes
        The labels to be −1 and +1, when these are known.
    """
    records = _Records(text, name, separator or _separator(text))
    line, first = next(iter(records), (0, []))
    if not first:
        raise BadExample(f"{name}: there are no examples")
    first = [field.strip() for field in first]
    if len(first) == 1:
        raise BadExample(f"{name}:{line}: one column only; separate columns by commas")
    texts = [j for j, field in enumerate(first) if _is_text(field)]
    at = _label_column(label, first if texts else None, len(first), name)
    positions = [str(j) for j in range(len(first))]
    if texts == [at] and label != first[at] and _are_classes(records, at):
        texts = []
    nameless = [j for j, field in enumerate(first) if not field and j != at]
    if texts and nameless:
        raise BadExample(f"{name}:{line}: {_nameless(nameless[0])}")
    columns = [shown(field) for field in first] if texts else positions
    values, labels, lines = _parse(records, columns, at, header=bool(texts))
    if not labels:
        raise BadExample(f"{name}: there are no examples")
    hint = " (the label is the last column unless --label (label=) names another)"
    signs, classes = two_classes(
        labels,
        lambda i: f"{name}:{lines[i]}: column {columns[at]}",
        classes=classes,
        hint=hint if label is None else "",
    )
    names = (*first[:at], *first[at + 1 :]) if texts else None
    rows = DenseRows(np.asarray(values).reshape(len(labels), -1))
    called = first[at] if texts and first.count(first[at]) == 1 else str(at)
    return Data(Block(rows, signs), names, classes, called)


@dataclass(frozen=True)
class _Records:
    """The records of a table that are not blank, each with the line it begins on."""

    text: str
    name: str
    separator: str

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        reader = csv.reader(
            StringIO(self.text), delimiter=self.separator, skipinitialspace=True, strict=True
        )
        line = 1
        try:
            for record in reader:
                if len(record) > 1 or any(map(str.strip, record)):
                    yield line, record
                line = reader.line_num + 1
        except csv.Error as error:
            raise BadExample(f"{self.name}:{line}: not a line of a table: {error}") from None


def _parse(
    records: _Records, columns: list[str], at: int, *, header: bool
) -> tuple[array[float], list[str], list[int]]:
    """The features of all records one after another; their labels; their lines."""
    features = columns[:at] + columns[at + 1 :]
    values, labels, lines = array("d"), [], []
    for line, record in records:
        if header:
            header = False
            continue
        n = len(record)
        if n != len(columns):
            cure = (
                "fill in the rest" if n < len(columns) else f"quote a {records.separator!r} in one"
            )
            raise BadExample(
                f"{records.name}:{line}: {n} field{'s' * (n > 1)}, "
                f"where the first line has {len(columns)}; {cure}"
            )
        labels.append(record.pop(at).strip())
        lines.append(line)
        values.extend(_quickly(record) or _carefully(record, features, f"{records.name}:{line}"))
    return values, labels, lines


def _are_classes(records: _Records, at: int) -> bool:
    """Whether the fields of a column are one text or two, the first line's among them."""
    kinds = {record[at].strip() for _, record in records if at < len(record)}
    return len(kinds) <= 2 and all(map(_is_text, kinds))


def _nameless(column: int) -> str:
    if column:
        return f"column {column} has no name; give it one"
    return (
        "column 0 has no name; pandas and R write row numbers there: "
        "write the file without them (index=False, row.names=FALSE) or give it a name"
    )


def _quickly(record: list[str]) -> list[float] | None:
    joined = "".join(record)
    if "_" in joined or not joined.isascii():
        return None
    try:
        numbers = list(map(float, record))
    except ValueError:
        return None
    return numbers if isfinite(sum(numbers)) else None


def _carefully(record: list[str], features: list[str], where: str) -> list[float]:
    numbers = []
    for column, field in zip(features, record, strict=True):
        try:
            numbers.append(number(field))
        except ValueError as why:
            raise BadExample(f"{where}: column {column}: {why}") from None
    return numbers


def _is_text(field: str) -> bool:
    try:
        float(field)  # takes what number() refuses, such as inf: no name for a column either
    except ValueError:
        return not is_missing(field)
    return False


def _separator(text: str) -> str:
    first = next((line for line in StringIO(text) if line.strip()), "")
    return next((mark for mark in ",\t;" if mark in first), ",")


def _label_column(label: str | int | None, names: list[str] | None, width: int, name: str) -> int:
    if label is None:
        return width - 1
    if names is not None and isinstance(label, str) and label in names:
        if names.count(label) > 1:
            raise BadExample(f"{name}: {names.count(label)} columns are called {label!r}")
        return names.index(label)
    if isinstance(label, int) or (label.isascii() and label.isdigit()):
        if 0 <= int(label) < width:
            return int(label)
        raise BadExample(f"{name}: there is no column {label}; the last is {width - 1}")
    if names is None:
        raise BadExample(f"{name}: there is no header to name {label!r}; give a position from 0")
    some = ", ".join(map(shown, names[:10])) + (", …" if width > 10 else "")
    raise BadExample(f"{name}: there is no column {label!r}; the columns are {some}")
