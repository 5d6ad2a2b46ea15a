"""Small tables whose content is known, written as CSV or svmlight in many ways."""

from __future__ import annotations

import gzip
import re
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
LABELS = (("0", "1"), ("-1", "1"), ("a", "b"), ("ham", "spam"), ("1", "2"), ("9", "10"), ("b", "7"))
NAMES = ("x", "z", "u v", "é", "X", 'q"q', "n,m", "kind", "x=1", "w1", "label")
VALUES = ("0", "1", "2", "-1", "3", "0.5", "-2", "1e1", "0.1", "7", "+4", ".25", "1000000007")
ODD = ("", "NA", "1_0", "nan", "inf", "1e999", "٣", "0x10", "text", "true", "1,5", "2020-01-01")


@dataclass(frozen=True)
class Table:
    """A table: the texts of its cells, one column of which is the label.

    Parameters
    ----------
    header
        The names of all columns, or None.
    label
        The position of the label's column: the last, unless it must be named.
    is_sparse
        Whether it is written as svmlight; then it has no names.
    """

    header: tuple[str, ...] | None
    cells: tuple[tuple[str, ...], ...]
    label: int
    is_sparse: bool = False
    mark: str = ","
    line_end: str = "\n"
    quotes: bool = False
    zipped: bool = False
    suffix: str = ""
    blank_lines: bool = False
    byte_order_mark: bool = False
    is_zero_based: bool = False

    @property
    def file(self) -> str:
        """The name of the file."""
        kind = "svm" if self.is_sparse else "tsv" if self.mark == "\t" else "csv"
        return f"attempt.{self.suffix or kind}{'.gz' * self.zipped}"

    @property
    def content(self) -> bytes:
        """The bytes of the file."""
        lines = [self._line(row) for row in self.cells]
        if self.header is not None:
            lines.insert(0, self.mark.join(map(self._quoted, self.header)))
        end = self.line_end * (1 + self.blank_lines)
        data = b"\xef\xbb\xbf" * self.byte_order_mark + "".join(x + end for x in lines).encode()
        return gzip.compress(data, mtime=0) if self.zipped else data

    def _line(self, row: tuple[str, ...]) -> str:
        if not self.is_sparse:
            return self.mark.join(map(self._quoted, row))
        pairs = enumerate((c for k, c in enumerate(row) if k != self.label), 1)
        kept = (f"{j}:{cell}" for j, cell in pairs if value(cell) != 0 or self.quotes)
        return " ".join([row[self.label], *kept])

    def _quoted(self, cell: str) -> str:
        needs = any(c in cell for c in f'{self.mark}"\n')
        return '"' + cell.replace('"', '""') + '"' if needs or self.quotes else cell

    @property
    def width(self) -> int:
        """How many features an svmlight file shows: up to its last index."""
        rows = [[c for k, c in enumerate(row) if k != self.label] for row in self.cells]
        if not self.is_sparse or self.quotes:
            return len(rows[0])
        return max((j for row in rows for j, c in enumerate(row, 1) if value(c) != 0), default=0)

    @property
    def flags(self) -> tuple[str, ...]:
        """The options that say how to read the file."""
        if self.is_zero_based:
            return ("--zero-based",)
        last = len(self.cells[0]) - 1
        if self.is_sparse or self.label == last:
            return ()
        return ("--label", str(self.label) if self.header is None else self.header[self.label])


def value(cell: str) -> Fraction | None:
    """The number that a cell holds, rounded to a float as the library does; None for a text."""
    text = cell.strip(" ")
    if not NUMBER.fullmatch(text) or abs(number := float(text)) == float("inf"):
        return None
    return Fraction(number)


def random_table(dice: Random) -> Table:
    """A table of a few rows, readable or not."""
    n, d = dice.randint(2, 6), dice.randint(1, 3)
    labels = dice.choice(LABELS)
    few = dice.sample(VALUES, dice.randint(2, 6))
    rows = [[dice.choice(few) for _ in range(d)] + [dice.choice(labels)] for _ in range(n)]
    if dice.random() < 0.4:  # separable by the first column, more or less
        for row in rows:
            row[0] = (
                dice.choice(("2", "3", "1"))
                if row[-1] == labels[1]
                else dice.choice(("-1", "0", "1"))
            )
    rows[0][-1], rows[-1][-1] = labels
    table = Table(None, tuple(map(tuple, rows)), d, quotes=dice.random() < 0.2)
    table = replace(
        table,
        mark=dice.choice(",,,;\t"),
        line_end=dice.choice(("\n", "\n", "\r\n")),
        zipped=dice.random() < 0.1,
        suffix=dice.choice(("", "", "", "", "", "data", "CSV")),
        blank_lines=dice.random() < 0.1,
        byte_order_mark=dice.random() < 0.1,
    )
    kind = dice.random()
    if "b" in labels and "7" in labels:  # without a header, the text above a number would be one
        kind = 0.5
    if kind < 0.2:
        if dice.random() < 0.1:
            dice.choice(rows)[dice.randrange(d + 1)] = dice.choice(ODD)
        sparse = replace(
            table,
            cells=tuple(map(tuple, rows)),
            is_sparse=True,
            quotes=dice.random() < 0.3,
            suffix="",
            is_zero_based=dice.random() < 0.2,
        )
        return (
            sparse if sparse.width else replace(sparse, quotes=True)
        )  # at least a column of zeros
    if table.mark == "\t" and table.suffix:
        table = replace(table, suffix="data")
    if kind < 0.6:
        table = replace(table, header=_header(dice, d))
    if dice.random() < 0.15 and (table.header or d > 1):  # a column of texts, not all of a row
        for row in rows:
            row[0] = dice.choice(("red", "blue"))
        table = replace(table, cells=tuple(map(tuple, rows)))
    if dice.random() < 0.2 and (table.header is None or len({*table.header}) == d + 1):
        return _label_moved(table, dice.randrange(d + 1))
    if dice.random() < 0.1:
        row = dice.choice(rows[table.header is None :])  # a text above numbers is a header
        row[dice.randrange(d + 1)] = dice.choice(ODD)
        table = replace(table, cells=tuple(map(tuple, rows)))
    return table


def _label_moved(table: Table, at: int) -> Table:
    """The same with the label's column elsewhere, to be named by an option."""

    def moved(row: tuple[str, ...]) -> tuple[str, ...]:
        rest, label = row[:-1], row[-1]
        return (*rest[:at], label, *rest[at:])

    header = None if table.header is None else moved(table.header)
    return replace(table, header=header, cells=tuple(map(moved, table.cells)), label=at)


def _header(dice: Random, d: int) -> tuple[str, ...]:
    names = dice.sample(NAMES, d + 1)
    if dice.random() < 0.15:
        names[dice.randrange(d + 1)] = names[dice.randrange(d + 1)]
    return tuple(names)
