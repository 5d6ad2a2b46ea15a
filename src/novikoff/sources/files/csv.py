"""Examples from a table as text, one a line: comma-, tab- or semicolon-separated."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from enum import IntEnum
from shlex import quote
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff import _core
from novikoff.sources.chunks import Chunk, Names, TableColumns
from novikoff.sources.files.table_layout import (
    SAMPLE,
    Kind,
    Layout,
    Missing,
    Record,
    Wishes,
    find_layout,
    header_of,
    is_text,
    records,
)
from novikoff.stream.problems import BadExample, quoted
from novikoff.stream.rows import DenseRows, Rows, SparseRows

_SEPARATORS = {",": "comma", "\t": "tab", ";": "semicolon"}
_RULES: dict[Missing, int] = {"refuse": 0, "zero": 1, "indicate": 2}


class _Flaw(IntEnum):
    """Why the core could not read a record."""

    WIDTH = 1
    NUMBER = 2
    LARGE = 3
    MISSING = 4
    INFINITE = 5
    BOOLEAN = 6
    LABEL = 7
    QUOTE = 8
    OPEN = 9
    NOT_UTF8 = 10
    ZERO_BYTE = 11


class Table:
    """Tables as text. A number c is feature "c", a text v in column c is feature "c=v".

    The first line is a header if a field of it is a text. It is an example all the same, as in
    `5.1,3.5,setosa`, if it holds numbers too, its texts stand above texts, and its label makes no
    more than two. What a column holds is told by the first 1000 records of the first file: numbers
    if half of them are, so that what else stands there is a bad line; true and false if all are,
    which become 1 and 0; otherwise texts, but dates are refused. Where no column holds texts, rows
    are dense, unless missing is "indicate".

    Parameters
    ----------
    label
        The column of the labels: a name from the header or a position from 0. By default the last.
    separator
        By default the comma; tabs or semicolons if the first line has them and no comma.
    labelled
        Whether every example must have a label. If not, the column may be absent; it is then only
        looked for if it is named, or if a table without a header has one column more than expected.
    missing
        What to do about a field that is empty, or says so ("NA", "?", "null"): refuse its line,
        make it 0, or indicate it by a feature "c=".
    ignore, categorical
        Columns, by name or position, to leave out, and to take for texts whatever they hold.
    expect
        The names of the features' columns a model was trained on. With a header they are found by
        name, in any order, and others are left out; without one they are the columns in turn. Only
        `categorical` ones are then texts.
    """

    name = "csv"

    def __init__(
        self,
        *,
        label: str | int | None = None,
        separator: str | None = None,
        labelled: bool = True,
        missing: Missing = "refuse",
        ignore: Sequence[str] = (),
        categorical: Sequence[str] = (),
        expect: Sequence[str] | None = None,
    ) -> None:
        if missing not in _RULES:
            raise ValueError(f"missing must be one of {', '.join(_RULES)}, not {missing!r}")
        if separator is not None and not re.fullmatch(r"[\t!#-*,/:-@[-^`{-~]", separator):
            raise ValueError(f"a separator is one character such as ',' or ';', not {separator!r}")
        both = sorted({*ignore} & {*categorical})
        if both:
            raise ValueError(f"column {both[0]!r} cannot be both ignored and taken for categories")
        self._wishes = Wishes(
            label,
            labelled,
            missing,
            tuple(ignore),
            tuple(categorical),
            None if expect is None else tuple(expect),
        )
        self._separator = separator
        self._found: Layout | None = None
        self._told: dict[str, Any] = {}  # what the core is told of the layout

    @property
    def layout(self) -> Layout:
        """What the columns are, known once the first file was begun."""
        if self._found is None:
            raise ValueError("the columns are known when the first file is begun")
        return self._found

    @property
    def header(self) -> bool:
        """Whether the first line names the columns."""
        return self.layout.header

    @property
    def dense(self) -> bool:
        """Whether the rows are rows of numbers."""
        return self._wishes.missing != "indicate" and Kind.TEXT not in self.layout.kinds

    @property
    def columns(self) -> tuple[str, ...] | None:
        """The names of the columns of dense rows, their positions in the file without a header."""
        return self.layout.features if self._found is not None and self.dense else None

    @property
    def table(self) -> TableColumns | None:
        """What the columns are, once the first file was begun."""
        if self._found is None:
            return None
        layout, at = self._found, self._found.label
        label = None
        if at is not None:
            label = layout.first[at]
            if not layout.header or layout.first.count(label) > 1:
                label = str(at)
        return TableColumns(
            layout.features, tuple(layout.having(Kind.TEXT)), label, has_header=layout.header
        )

    @property
    def description(self) -> str:
        """What is read and how: "CSV, comma, header, label 'kind', 5 numbers, 1 text (origin)"."""
        if self._found is None:
            return "CSV"
        at, mark = self.layout.label, self._separator or ","
        parts = [
            "CSV",
            _SEPARATORS.get(mark, repr(mark)),
            "header" if self.header else "no header",
            "no label" if at is None else f"label {self.layout.called(at)}",
        ]
        for kind, word in ((Kind.NUMBER, "number"), (Kind.BOOLEAN, "truth value")):
            if count := len(self.layout.having(kind)):
                parts.append(f"{count} {word}{'s' * (count > 1)}")
        for kind, word in ((Kind.TEXT, "text{s}"), (Kind.SKIP, "ignored")):
            if names := self.layout.having(kind):
                some = ", ".join(names[:8]) + ", …" * (len(names) > 8)
                parts.append(f"{len(names)} {word.format(s='s' * (len(names) > 1))} ({some})")
        return ", ".join(parts)

    def begin(self, head: bytes, where: str) -> tuple[int, int]:
        """How many bytes and lines of a file that begins with these records are its header."""
        separator = self._separator or _separator(head)
        found = records(head, separator, SAMPLE + 1)
        if not found:
            if self._found is None:
                raise BadExample(f"{where}: there are no examples")
            return 0, 0
        if found[0].flaw:
            words = self._quotes(_Flaw(found[0].flaw), found[0].fields[-1], separator)
            raise BadExample(f"{where}:{found[0].line + 1}: {words}")
        if self._found is None:
            self._found = find_layout(found, where, self._wishes)
            self._separator = separator
            self._told = {
                "separator": separator,
                "kinds": np.array(self._found.kinds, dtype=np.uint8),
                "positions": np.array(self._found.positions, dtype=np.int32),
                "names": [name.encode() for name in self._found.names],
                "missing": _RULES[self._wishes.missing],
                "labelled": self._wishes.labelled,
            }
        else:
            self._check_same(found[0], where)
        return (found[0].end, found[0].next_line) if self.header else (0, 0)

    def cut(self, text: NDArray[np.uint8], length: int) -> int:
        """How many of text[:length] bytes are whole records: a line end in quotes ends none.

        Until the first file was begun, two records are the least: a header, and an example.
        """
        separator = self._separator or _separator(text[:length].tobytes())
        cut = _core.csv_cut(text, length=length, separator=separator)
        if self._found is None and len(records(text[:cut].tobytes(), separator, 2)) < 2:
            return 0
        return cut

    def parse(self, text: NDArray[np.uint8], length: int, allowed: int) -> dict[str, Any]:
        """The examples of text[:length], and the lines that cannot be read."""
        return _core.parse_csv(text, length=length, allowed=allowed, **self._told)

    def chunk(self, parsed: dict[str, Any], place: Callable[[int], str], first: int) -> Chunk:
        """The examples that were parsed; place says where a line of theirs is, from 0."""
        at, labels = self.layout.label, parsed["labels"]
        column = "" if at is None else f": column {self.layout.called(at)}"
        names = None if self.dense else Names(*parsed["names"])
        rows: Rows
        if names is None:
            wide = len(self.layout.features)
            rows = DenseRows(parsed["values"].reshape(len(labels), wide))
        else:
            rows = SparseRows(parsed["values"], parsed["indices"], parsed["starts"], len(names))
        return Chunk(
            rows,
            labels,
            tuple(text.decode() for text in Names(*parsed["label_texts"])),
            tuple(place(int(line)) + column for line in parsed["label_lines"]),
            names,
            first=first,
        )

    def flaw(self, line: bytes, at: int, why: int) -> tuple[int, str]:
        """What is wrong with a record, in words; these name its column, so the first is 0."""
        flaw, j = _Flaw(why % 16), why // 16
        if flaw == _Flaw.WIDTH:
            return 0, self._width(j)
        field = records(line, self._separator or ",", 1)[0].fields[j]
        words = f"column {self.layout.called(j)}: "
        if flaw in (_Flaw.QUOTE, _Flaw.OPEN):
            return 0, words + self._quotes(flaw, field, self._separator or ",")
        return 0, words + self._field(flaw, field, quote(self.layout.names[j]))

    def _width(self, n: int) -> str:
        width = len(self.layout.names)
        cure = "fill in the rest" if n < width else f"quote a {self._separator!r} in one"
        return f"{n} field{'s' * (n > 1)}, where the first line has {width}; {cure}"

    def _quotes(self, flaw: _Flaw, field: bytes, separator: str) -> str:
        if flaw == _Flaw.OPEN:
            return "the quote that opens it is not closed; close it or remove it"
        text = quoted(field.decode(errors="replace"))
        return f"{separator!r} expected after {text} in quotes; inside these, write a quote twice"

    def _field(self, flaw: _Flaw, field: bytes, name: str) -> str:
        text = quoted(field.decode(errors="replace"))
        if flaw == _Flaw.NOT_UTF8:
            try:
                field.decode()
            except UnicodeDecodeError as error:
                text = f"byte 0x{error.object[error.start]:02x}"
        categorical = f"take the column for categories (--categorical {name})"
        return {
            _Flaw.NUMBER: f"{text} is not a number, or {categorical}",
            _Flaw.LARGE: f"{text} is too large for float64; scale it",
            _Flaw.MISSING: f"{text} is missing; fill it in or remove the row, "
            "or say what to do: missing='zero' or 'indicate' (--missing zero)",
            _Flaw.INFINITE: f"{text} is not finite; replace it or remove the row",
            _Flaw.BOOLEAN: f"{text} is neither true nor false; mend it, or {categorical}",
            _Flaw.LABEL: f"label {text} is not a class; name one or remove the row",
            _Flaw.NOT_UTF8: f"{text} is not UTF-8; save the file as UTF-8",
            _Flaw.ZERO_BYTE: f"{text} holds a zero byte; save the file as UTF-8 text",
        }[flaw]

    def _check_same(self, record: Record, where: str) -> None:
        """A later file must have the columns of the first."""
        layout, first = self.layout, header_of(record, where)
        line, rule = f"{where}:{record.line + 1}", "files read as one must have the same columns"
        if layout.header and not any(map(is_text, first)):
            raise BadExample(f"{line}: no header, and {layout.where} has one; {rule}")
        for j, (name, other) in enumerate(zip(first, layout.first, strict=False)):
            if layout.header and name != other:
                raise BadExample(
                    f"{line}: column {j} is called {quoted(name)}, and {quoted(other)} in "
                    f"{layout.where}; {rule}"
                )
            again = layout.header or where == layout.where  # or the first file once more
            if not again and layout.kinds[j] == Kind.NUMBER and is_text(name):
                raise BadExample(
                    f"{line}: column {j} begins with {quoted(name)}; if that is a header, "
                    f"{layout.where} has none; {rule}"
                )
        if len(first) != len(layout.first):
            raise BadExample(
                f"{line}: {len(first)} columns, and {len(layout.first)} in {layout.where}; {rule}"
            )


def _separator(head: bytes) -> str:
    """The first of comma, tab and semicolon that the first line holds that is not blank."""
    lines = re.finditer(rb"[^\r\n]+", head)
    first = next((line[0] for line in lines if not line[0].isspace()), b"")
    return next((mark for mark in ",\t;" if mark.encode() in first), ",")
