"""CSV: examples from a table as text, one a line, separated by commas, tabs or semicolons."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import dropwhile
from typing import NamedTuple

import numpy as np

from novikoff import _core
from novikoff.sources.chunks import Chunk
from novikoff.sources.files.table_layout import (
    SAMPLE,
    Columns,
    Kind,
    Layout,
    check_categories,
    check_same_names,
    is_amount,
    laid_out,
)
from novikoff.sources.files.text import PADDING, Parsed, Text, TextFormat, not_utf8
from novikoff.sources.read_options import CHOICES, ReadOptions
from novikoff.stream.input_problems import BadExample, Problem
from novikoff.stream.number_text import number, present, which_are_words, why_not_number
from novikoff.stream.printing import listed, plural, quoted
from novikoff.stream.rows import DenseRows

_SEPARATORS = {",": "comma", "\t": "tab", ";": "semicolon", "|": "bar", " ": "spaces"}
_DECIMAL_COMMA = re.compile(r"\s*[+-]?[0-9]*,[0-9]+(?:[eE][+-]?[0-9]+)?\s*")


# The core's codes (`CsvFlaw`); 10 and 11 are texts that are not UTF-8.
_WIDTH, _NUMBER, _LARGE, _MISSING, _INFINITE, _BOOLEAN, _LABEL, _QUOTE, _OPEN = range(1, 10)
_WEIGHT = 12


class Table(TextFormat):
    """Tables as text.

    The first line is a header if one of its fields is a text. But it is an example, as in
    `5.1,3.5,setosa`, if it also holds numbers, there are texts below its texts, and its label and
    those below are at most two. The first 1000 records decide what a column holds: numbers if at
    least half of the fields are, truth values if all are, otherwise texts. Where no column holds
    texts, rows are dense, unless missing is "indicate". A first column that the header does not
    name holds the names of rows, and is left out.
    """

    core = _core.parse_csv
    hashes = True

    def __init__(self, how: ReadOptions | None = None, *, separator: str | None = None) -> None:
        super().__init__(how)
        self._quotes = self.how.quote != "none"
        self._separator = self.how.delimiter or separator
        self._found: Layout | None = None

    @property
    def layout(self) -> Layout:
        """The columns; known once reading has started."""
        if self._found is None:
            raise ValueError("the columns are not known before the first file is read")
        return self._found

    @property
    def is_dense(self) -> bool:
        """Whether the rows are rows of numbers."""
        named = {Kind.TEXT, Kind.WORDS} & {*self.layout.kinds}
        return self.how.missing_rule != "indicate" and not named

    @property
    def description(self) -> str:
        """What is read and how: "CSV, comma, header, label 'kind', 5 numbers, 1 text (origin)"."""
        if self._found is None:
            return "CSV"
        layout, mark = self._found, self._separator or ","
        parts = [
            "CSV",
            _SEPARATORS.get(mark, repr(mark)),
            "header" if layout.has_header else "no header",
            "no label" if layout.label is None else f"label {layout.called(layout.label)}",
        ]
        for kind, noun in ((Kind.NUMBER, "number"), (Kind.BOOLEAN, "truth value")):
            if columns := layout.kinds.count(kind):
                parts.append(plural(columns, noun))
        if names := layout.having(Kind.TEXT):
            parts.append(f"{plural(len(names), 'text')} ({listed(names, 8)})")
        if layout.weight is not None:
            parts.append(f"weight {layout.called(layout.weight)}")
        if names := layout.having(Kind.WORDS):
            parts.append(f"words of {listed(names, 8)}")
        if names := [name or "row names" for name in layout.having(Kind.SKIP)]:
            parts.append(f"{len(names)} ignored ({listed(names, 8)})")
        return ", ".join(parts)

    def begin(self, head: bytes, where: str) -> tuple[int, int]:
        """How many bytes and lines of a file that begins with these records are its header."""
        separator = self._separator or _separator(head)
        found = self._records(head, separator, SAMPLE + 1)
        if not found:
            if self._found is None:
                raise BadExample(f"{where}: there are no examples")
            return 0, 0
        first = found[0]
        if first.flaw:
            error = _bad_field(first.flaw, first.fields[-1], "", separator)
            raise error.at(f"{where}:{first.line + 1}")
        if self._found is None:
            layout = self._found = _find_layout(found, where, self.how, separator)
            self._separator, self.table = separator, layout.table
            positions = np.full(len(layout.names), -1, dtype=np.int32)
            positions[list(layout.features)] = np.arange(len(layout.features))
            self.for_core = {
                "separator": separator,
                "quotes": self._quotes,
                "decimal_comma": self.how.decimal == "comma",
                "kinds": np.array(layout.kinds, dtype=np.uint8),
                "positions": positions,
                "names": [name.encode() for name in layout.names],
                "missing": CHOICES["missing"].index(self.how.missing_rule),
                "labelled": self.how.labelled,
                "rule": self.how.text_rule.for_core,
                "bits": self.how.hash_bits or 0,
                "most_names": self.how.most_names,
                "known": self.how.known,
            }
        else:
            self._check_same(first, where)
        return (first.end, first.next_line) if self.layout.has_header else (0, 0)

    def cut(self, text: Text, length: int) -> int:
        """How many bytes are whole records; before the layout is known, at least two of them."""
        separator = self._separator or _separator(text[:length].tobytes())
        cut = _core.csv_cut(text, length=length, separator=separator, quotes=self._quotes)
        if self._found is None and len(self._records(text[:cut].tobytes(), separator, 2)) < 2:
            return 0
        return cut

    def chunk(self, parsed: Parsed, place: Callable[[int], str], first: int) -> Chunk:
        """The parsed examples as a chunk; `place` names the file and line of a line, from 0."""
        layout = self.layout
        column = "" if layout.label is None else f": column {layout.called(layout.label)}"
        chunk = super().chunk(parsed, lambda line: place(line) + column, first)
        if not self.is_dense:
            return chunk
        rows = DenseRows(parsed["values"].reshape(len(chunk.labels), len(layout.features)))
        return replace(chunk, rows=rows, names=None, columns=layout.feature_names, is_hashed=False)

    def flaw(self, line: bytes, at: int, why: int) -> tuple[int, BadExample]:
        """What is wrong with a record; the message names the column, so its number is 0."""
        code, j = why % 16, why // 16
        separator, width = self._separator or ",", len(self.layout.names)
        if code == _WIDTH:
            return 0, _wrong_width(self._records(line, separator, 1)[0], width, separator)
        field = self._records(line, separator, 1)[0].fields[j]
        name = self.layout.names[j] if j < width else ""
        error = _bad_field(code, field, name, separator)
        return 0, error.at(f"column {self.layout.called(j)}")

    def _records(self, text: bytes, separator: str, most: int) -> list[Record]:
        return records(text, separator, most, quotes=self._quotes)

    def _check_same(self, record: Record, where: str) -> None:
        """A later file must have the columns of the first."""
        layout, first = self.layout, _texts(record, where)
        if layout.has_header and layout.names[0] == "" and len(first) + 1 == len(layout.names):
            first = ("", *first)
        line = f"{where}:{record.line + 1}"
        if layout.has_header:
            if not which_are_words(first):
                raise BadExample(f"{line}: no header, but {layout.where} has one")
            check_same_names(first, line, layout.names, layout.where)
            for j, (name, other) in enumerate(zip(first, layout.names, strict=False)):
                if name != other:
                    raise BadExample(
                        f"{line}: column {j} is {quoted(name)}, and {quoted(other)} in "
                        f"{layout.where}; the columns must be in the same order"
                    )
        elif where != layout.where:  # not the first file read again
            for j in which_are_words(first[: len(layout.kinds)]):
                if layout.kinds[j] == Kind.NUMBER:
                    raise BadExample(
                        f"{line}: column {j} begins with {quoted(first[j])}; if that is a header, "
                        f"{layout.where} has none"
                    )
        if len(first) != len(layout.names):
            raise BadExample(
                f"{line}: {len(first)} columns, but {len(layout.names)} in {layout.where}"
            )


class Record(NamedTuple):
    """A record: the line it begins on and the one after it, from 0; where it ends; its fields."""

    line: int
    next_line: int
    end: int
    fields: list[bytes]
    flaw: int


def records(text: bytes, separator: str, most: int, *, quotes: bool = True) -> list[Record]:
    """The first records of a text that are not blank."""
    found = _core.csv_records(
        padded(text), length=len(text), separator=separator, quotes=quotes, most=most
    )
    return [Record(*record) for record in found]


def padded(text: bytes) -> Text:
    """The bytes with room after them for the core to look ahead."""
    return np.frombuffer(text + bytes(PADDING), dtype=np.uint8)


def _separator(head: bytes) -> str:
    """The first of comma, tab, semicolon and bar in the first line with text; else perhaps spaces.

    Commas between digits are decimal ones if there are semicolons.
    """
    lines = re.finditer(rb"[^\r\n]+", head)
    first = next((line[0] for line in lines if not line[0].isspace()), b"").strip(b" ")
    if b";" in first:
        first = re.sub(rb"(?<=[0-9]),(?=[0-9])", b"", first)
    mark = next((mark for mark in ",\t;|" if mark.encode() in first), "")
    return mark or (" " if b" " in first and has_spaces_between_fields(head) else ",")


def has_spaces_between_fields(head: bytes) -> bool:
    """Whether all lines have as many fields with spaces between them, some of them numbers."""
    whole = head[: head.rfind(b"\n") + 1] or head
    found = [one.fields for one in records(whole, " ", 20)]
    fields = [*dropwhile(lambda one: one[0].startswith(b"#"), found)]  # a comment is refused later
    rows = fields[1:] or fields
    if not rows or len(rows[0]) < 2 or any(len(row) != len(rows[0]) for row in rows):
        return False
    texts = [field.decode(errors="replace") for row in rows for field in row]
    is_number = [number(text) is not None for text in texts]
    return len(rows[0]) - len(fields[0]) in (0, 1) and sum(is_number) >= len(rows)


def _texts(record: Record, where: str) -> tuple[str, ...]:
    """The fields of a first record, which must be UTF-8."""
    whole = b"".join(record.fields)
    if 3 * whole.count(0) > len(whole):  # not a stray zero byte, but UTF-16
        raise not_utf8(whole)[1].at(f"{where}:{record.line + 1}")
    try:
        return tuple(field.decode() for field in record.fields)
    except UnicodeDecodeError as error:
        raise not_utf8(error.object)[1].at(f"{where}:{record.line + 1}") from None


def _wrong_width(record: Record, width: int, separator: str) -> BadExample:
    fields = record.fields
    cure = (
        "fill in the rest" if len(fields) < width else f"quote a field that contains {separator!r}"
    )
    if len(fields) == width + 1 and not fields[-1]:
        cure = f"remove the {separator!r} at the end of the line"
    return BadExample(f"{plural(len(fields), 'field')}, but the first line has {width}; {cure}")


def _find_layout(head: Sequence[Record], where: str, how: ReadOptions, separator: str) -> Layout:
    """How the table that begins with these records is laid out."""
    first = _texts(head[0], where)
    if row_names := how.header is not False and _has_row_names(first, head[1:]):
        first = ("", *first)
    line, width = f"{where}:{head[0].line + 1}", len(first)
    if first[0].startswith("#") and len(head) > 1 and len(head[1].fields) != width:
        raise BadExample(f"{line}: {quoted(first[0])} is not a header or an example; remove it")
    if width == 1 and how.labelled:
        raise BadExample(f"{line}: only one column; use commas, tabs, semicolons or spaces")
    sample = [
        [field.decode(errors="replace") for field in record.fields]
        for record in head[1:]
        if len(record.fields) == width and not record.flaw
    ]
    if how.decimal == "comma":
        sample = [[*map(_with_point, fields)] for fields in sample]
    texts = which_are_words(map(_with_point, first) if how.decimal == "comma" else first)
    has_header = bool(texts) if how.header is None else how.header
    columns = Columns(first, how, where, has_header=has_header)
    label = columns.label()
    is_sure = how.header is not None or row_names
    if has_header and not is_sure and _is_example(first, sample, texts, label, how):
        has_header = False
        columns = Columns(first, how, where, has_header=False)
        label = columns.label()
    expect, of_texts = how.expect or (), {*how.text, *how.categorical}
    is_guess = has_header and how.header is None and not {*expect} & {*first}
    if is_guess and expect and {*expect} <= of_texts:  # the line could be an example
        said = f"the first line names no column of the model, such as {quoted(expect[0])}"
        raise BadExample(f"{line}: {said}", Problem.NO_NAMES_OF_MODEL)
    if not has_header:
        sample.insert(0, list(first))
    if not sample:
        for record in (one for one in head[1:] if not one.flaw):
            raise _wrong_width(record, width, separator).at(f"{where}:{record.line + 1}")
        raise BadExample(f"{where}: there are no examples")
    names = list(first) if has_header else [str(j) for j in range(width)]
    features = columns.features(label)
    if has_header and not first[0] and how.expect is None:
        features = [j for j in features if j != 0]  # the names of the rows

    def judged(j: int, name: str, use: Kind | None) -> Kind:
        column, called = (
            [row[j] for row in sample],
            f"column {quoted(first[j]) if has_header else j}",
        )

        def at(value: str) -> str:
            """The place of the first record with this value in the column."""
            fits = (
                record.line + 1
                for record in head
                if j < len(record.fields) and record.fields[j].decode(errors="replace") == value
            )
            return f"{where}:{next(fits)}: {called}"

        return use or _kind(column, f"{line}: {called}", name, how, at)

    return laid_out(columns, names, features, judged, line)


def _is_example(
    first: Sequence[str],
    sample: Sequence[Sequence[str]],
    texts: Sequence[int],
    label: int | None,
    how: ReadOptions,
) -> bool:
    """Whether a first line with texts is an example, as in `39,State-gov,77516,<=50K`: see `Table`.

    A line of texts alone, above texts alone, is one if one of them comes again in its column.
    """
    columns = {*how.ignore, *how.categorical, *how.text, *(how.expect or ())}
    known = {how.label, how.weight, *columns}
    if any(first[j] in known for j in texts):
        return False
    if len(texts) == len(first):
        below_each = [[fields[j] for fields in sample] for j in texts]
        are_texts = all(2 * len(which_are_words(below)) > len(below) for below in below_each)
        again = any(first[j] in below for j, below in zip(texts, below_each, strict=True))
        return how.expect is None and are_texts and again
    if how.expect is not None:
        return True
    for j in texts:
        below = {fields[j] for fields in sample}
        values = list(below) if j == label else present(below)
        if len(which_are_words(values)) < len(values):
            return False
        if (len(below | {first[j]}) > 2) if j == label else not below:
            return False
    return True


def _has_row_names(first: Sequence[str], rest: Sequence[Record]) -> bool:
    """Whether a header has no name for the first column, as R's `write.table` writes it."""
    rows = [record.fields for record in rest if not record.flaw]
    if not rows or len(which_are_words(first)) < len(first) or first[0].startswith("#"):
        return False
    return (
        all(len(fields) == len(first) + 1 for fields in rows)
        and len({fields[0] for fields in rows}) == len(rows)
        and any(fields[-1] for fields in rows)
    )


def _with_point(field: str) -> str:
    """A number with a decimal comma as one with a point; other fields as they are."""
    return field.replace(",", ".") if _DECIMAL_COMMA.fullmatch(field) else field


def _kind(
    column: Sequence[str], place: str, name: str, how: ReadOptions, at: Callable[[str], str]
) -> Kind:
    """What a column holds, judged by the fields of the sample; `at` names the place of a field."""
    fields = present(column)
    if not fields:
        if how.missing_rule == "refuse":
            raise BadExample(
                f"{place} is empty in the first {plural(len(column), 'record')}",
                Problem.EMPTY_COLUMN,
                column=name,
            )
        return Kind.NUMBER
    if 2 * len(which_are_words(fields)) <= len(fields):
        return Kind.NUMBER
    if all(field.lower() in ("true", "false") for field in fields):
        return Kind.BOOLEAN
    if how.expect is not None:
        return Kind.NUMBER
    commas = [field for field in fields if _DECIMAL_COMMA.fullmatch(field)]
    if 2 * len(commas) > len(fields):
        words = f"{at(commas[0])} holds {quoted(commas[0])}, a number with a comma"
        raise BadExample(words, Problem.DECIMAL_COMMA, column=name)
    check_categories(fields, place, name, at)
    return Kind.TEXT


def _bad_field(code: int, field: bytes, name: str, separator: str) -> BadExample:
    plain = field.decode(errors="replace")
    text = quoted(plain)
    label = f"label {text} is not a class; correct it or remove the row"
    known: dict[int, tuple[str, Problem | None]] = {
        _OPEN: ("a quote is opened and not closed", Problem.QUOTES),
        _QUOTE: (f"expected {separator!r} after {text} in quotes", Problem.QUOTES),
        _NUMBER: (f"{text} is not a number", Problem.TEXT_AMONG_NUMBERS),
        _BOOLEAN: (f"{text} is neither true nor false", Problem.TEXT_AMONG_NUMBERS),
        _MISSING: (f"{text if plain.strip() else 'the value'} is missing", Problem.MISSING_VALUE),
        _LARGE: (why_not_number(plain), None),
        _INFINITE: (why_not_number(plain), None),
        _WEIGHT: (f"weight {text} is not a number of at least 0", None),
        _LABEL: (
            label if plain.strip() else "the label is missing; fill it in or remove the row",
            None,
        ),
    }
    if code not in known:
        return not_utf8(field)[1]
    words, problem = known[code]
    if code == _NUMBER and _DECIMAL_COMMA.fullmatch(plain):
        words, problem = f"{text} is a number with a comma", Problem.DECIMAL_COMMA
    elif code == _NUMBER and is_amount(plain):
        words, problem = f"{text} is not a plain number", Problem.NOT_PLAIN_NUMBERS
    return BadExample(words, problem, column=name)
