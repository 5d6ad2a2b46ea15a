"""Tables as text: fields as Python's csv reads them, every kind of column, flaws by their lines."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff import BadExample, _core
from novikoff.sources.chunks import TableColumns
from novikoff.sources.files.csv import Table, padded, records
from novikoff.sources.read_options import ReadOptions
from novikoff.stream.rows import DenseRows

BLANKS = " \t\n\v\f\r"


@dataclass
class Examples:
    """The examples of a table: of each its features, by name or column, and its label."""

    rows: list[dict[str, float]] = field(default_factory=list)
    labels: list[str | None] = field(default_factory=list)
    places: dict[str, str] = field(default_factory=dict)
    bad: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    def add(self, table: Table, parsed: dict[str, Any], piece: bytes, where: str, line: int) -> int:
        chunk = table.chunk(parsed, lambda i: f"{where}:{line + i + 1}", len(self.rows))
        columns = chunk.columns if chunk.names is None else [n.decode() for n in chunk.names]
        assert columns is not None
        assert isinstance(chunk.rows, DenseRows) == (chunk.names is None)
        self.names += [name for name in columns if name not in self.names]
        for i in range(len(chunk)):
            at, values = chunk.rows.row(i)
            self.rows.append({columns[j]: float(v) for j, v in zip(at, values, strict=True)})
        self.labels += [None if k < 0 else chunk.label_texts[k] for k in chunk.labels]
        for text, place in zip(chunk.label_texts, chunk.label_places, strict=True):
            self.places.setdefault(text, place)
        for bad, at, why, begin, end in parsed["bad"]:
            assert begin <= at <= end
            column, error = table.flaw(piece[begin:end], at - begin, why)
            assert column == 0
            self.bad.append(f"{where}:{line + bad + 1}: {error}")
        return line + int(parsed["lines"])


def table_of(separator: str | None = None, **options: Any) -> Table:
    lists = {"ignore", "categorical", "expect"}
    given: dict[str, Any] = {k: tuple(v) if k in lists else v for k, v in options.items()}
    return Table(ReadOptions(**given), separator=separator)


def pieces(table: Table, text: bytes, size: int | None) -> Iterator[bytes]:
    """The text cut at the ends of records, into pieces of about so many bytes."""
    while text:
        step = length = size or len(text)
        while length < len(text):
            if cut := table.cut(padded(text[:length]), length):
                length = cut
                break
            length += step
        yield text[:length]
        text = text[length:]


def read(
    content: str | bytes,
    *,
    size: int | None = None,
    allowed: int = 1000,
    table: Table | None = None,
    where: str = "t.csv",
    **options: Any,
) -> Examples:
    """What becomes of a file: its beginning is looked at, the rest read piece by piece."""
    raw = content.encode() if isinstance(content, str) else content
    table = table or table_of(**options)
    skipped, line = table.begin(raw, where)
    reading = Examples()
    for piece in pieces(table, raw[skipped:], size):
        parsed = table.parse(padded(piece), len(piece), allowed)
        line = reading.add(table, parsed, piece, where, line)
    return reading


def refusal(content: str | bytes, **options: Any) -> str:
    """Why a file is refused as a whole, or else its first bad line."""
    try:
        return read(content, **options).bad[0]
    except BadExample as error:
        return str(error)


def described(content: str, **options: Any) -> str:
    table = table_of(**options)
    table.begin(content.encode(), "t.csv")
    return table.description


def python_reads(text: str, separator: str) -> Iterator[tuple[int, list[str] | None]]:
    """The records of Python's csv and the lines they begin on, from 0; at a flaw None, the last."""
    lines = io.StringIO(text, newline="")
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True)
    line = 0
    try:
        for record in reader:
            fields = [each.strip(BLANKS) for each in record]
            if len(fields) > 1 or any(fields):
                yield line, fields
            line = reader.line_num
    except csv.Error:
        yield line, None


@given(st.text(alphabet='ab1 "",,;\t\n\r', max_size=40), st.sampled_from(",;\t"))
def test_records_are_what_python_reads(text: str, separator: str) -> None:
    ours = iter(records(text.encode(), separator, 100))
    for line, fields in python_reads(text, separator):
        record = next(r for r in ours if r.flaw or len(r.fields) > 1 or any(r.fields))
        assert record.line == line
        assert bool(record.flaw) == (fields is None)
        if fields is None:
            return
        assert [field.decode() for field in record.fields] == fields
    assert not [r for r in ours if len(r.fields) > 1 or any(r.fields)]


fields = st.text(alphabet='abä€1 "\n\r,;', max_size=12)
quotings = st.sampled_from((csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC))
line_ends = st.sampled_from(("\n", "\r\n", "\r"))


@given(
    st.lists(st.tuples(fields, fields, fields), min_size=1, max_size=8),
    st.sampled_from(",;\t|"),
    quotings,
    line_ends,
    st.booleans(),
)
def test_texts_written_by_python_are_the_features_read(
    rows: list[tuple[str, str, str]], separator: str, quoting: Any, line_end: str, ended: bool
) -> None:
    file = io.StringIO(newline="")
    if any("\r" in each or "\n" in each for row in rows for each in row):
        quoting = csv.QUOTE_ALL  # Python before 3.13 leaves a "\r" without quotes
    writer = csv.writer(file, delimiter=separator, quoting=quoting, lineterminator=line_end)
    writer.writerows([("p", "q", "y"), *rows])
    text = file.getvalue() if ended else file.getvalue().removesuffix(line_end)
    reading = read(
        text, separator=separator, missing="indicate", categorical=["p", "q"], labelled=False,
        label="y",
    )  # fmt: skip
    shorn = [[each.strip(BLANKS) for each in row] for row in rows]
    assert reading.bad == []
    assert reading.rows == [{f"p={p}": 1, f"q={q}": 1} for p, q, _ in shorn]
    assert reading.labels == [y or None for _, _, y in shorn]


numbers = st.floats(allow_nan=False, allow_infinity=False)
number_texts = st.one_of(
    numbers.map(repr),
    st.integers(-(10**20), 10**20).map(str),
    st.integers(-(10**8), 10**8).map(str),
    st.sampled_from(("0", "-0", "+1", ".5", "5.", "1e5", "00012", "1E-400", "0x", "1e")),
)
pads = st.sampled_from(("{}", " {}", "{} ", '"{}"', ' " {} "', "\t{}\t"))


@given(st.lists(st.tuples(number_texts, pads), min_size=1, max_size=12))
def test_numbers_are_the_floats_of_python(column: list[tuple[str, str]]) -> None:
    text = "x,y\n" + "1,0\n" * 13 + "".join(f"{pad.format(x)},1\n" for x, pad in column)
    reading = read(text)
    good = [x for x, _ in column if x not in ("0x", "1e")]
    expected = np.array([float(x) for x in good])
    assert np.array([row["x"] for row in reading.rows[13:]]).tobytes() == expected.tobytes()
    assert len(reading.bad) == len(column) - len(good)


hostile = st.text(alphabet='ab1," \n\r,,"\n', max_size=60)


@given(hostile, st.integers(1, 30))
def test_where_pieces_are_cut_does_not_matter(text: str, size: int) -> None:
    for missing in ("refuse", "indicate"):
        options: Any = {"missing": missing, "categorical": ["p"], "labelled": False, "label": "y"}
        content = "p,q,y\na,1,0\nb,2,1\n" + text
        assert read(content, size=size, **options) == read(content, **options)


@given(st.lists(st.sampled_from(("a,1,u", "b,x,v", "c,2", 'd,"3"4,w', "e,,z", "f,4,")), max_size=9))
def test_a_bad_line_leaves_no_trace(lines: list[str]) -> None:
    head = "p,q,y\n" + "k,1,u\n" * 9 + "k,2,t\n"
    good = [line for line in lines if line == "a,1,u"]
    reading = read(head + "".join(f"{line}\n" for line in lines))
    clean = read(head + "".join(f"{line}\n" for line in good))
    assert len(reading.bad) == len(lines) - len(good)
    assert (reading.rows, reading.labels) == (clean.rows, clean.labels)
    assert (reading.names, reading.places.keys()) == (clean.names, clean.places.keys())


def test_names_of_a_bad_line_are_forgotten() -> None:
    """What a bad line met first is remembered nowhere: not by column, not as a text met lately."""
    text = "p,q,y\nk,1,u\nk,2,u\n{}new,x,u\nother,3,u\nnew,4,u\n"
    for filler in ("", "k,5,u\n" * 100):
        reading = read(text.format(filler))
        assert reading.names == ["p=k", "q", "p=other", "p=new"]
        assert reading.rows[-2:] == [{"p=other": 1, "q": 3}, {"p=new": 1, "q": 4}]
    for missing, rows in (("zero", [{"p=b": 1}]), ("indicate", [{"p=b": 1, "q=": 1}])):
        text = "p,q,y\na,,u,\nb,,u\n"
        assert read(text, missing=missing, expect=["p", "q"], categorical=["p"]).rows == rows
    reading = read("p,q,y\na,1,u,\nb,2,u\n")
    assert (reading.rows, reading.names) == ([{"p=b": 1, "q": 2}], ["p=b", "q"])
    reading = read("p,q,y\nk,1,u\nk,x,v\nk,2,w\nk,3,v\n")
    assert (reading.labels, reading.places["v"]) == (["u", "w", "v"], "t.csv:5: column 'y'")


def test_reading_stops_when_more_lines_are_bad_than_allowed() -> None:
    text = "x,y\n1,0\n2,1\n3,1\n" + "?,0\n" * 5 + "4,1\n"
    for allowed, bad, good in ((0, 1, 3), (4, 5, 3), (5, 5, 4)):
        reading = read(text, allowed=allowed)
        assert (len(reading.bad), len(reading.rows)) == (bad, good)


def test_numbers_truth_values_and_texts_are_features_as_they_are() -> None:
    text = 'age,member,from,y\n31,true,Oslo,no\n-2.5,FALSE, Bergen ,yes\n0,True,"a, b",no\n'
    reading = read(text)
    assert reading.rows == [
        {"age": 31, "member": 1, "from=Oslo": 1},
        {"age": -2.5, "member": 0, "from=Bergen": 1},
        {"age": 0, "member": 1, "from=a, b": 1},
    ]
    assert reading.labels == ["no", "yes", "no"]
    assert reading.places == {"no": "t.csv:2: column 'y'", "yes": "t.csv:3: column 'y'"}
    assert described(text) == (
        "CSV, comma, header, label 'y', 1 number, 1 truth value, 1 text (from)"
    )
    assert read(text, ignore=["from"]).rows[1] == {"age": -2.5, "member": 0}
    assert read(text, categorical=["age"]).rows[1] == {
        "age=-2.5": 1, "member": 0, "from=Bergen": 1,
    }  # fmt: skip


def test_the_columns_of_a_table_of_numbers_are_known() -> None:
    table = table_of(label="b")
    assert (table.table, table.description) == (None, "CSV")
    with pytest.raises(ValueError, match="not known before the first file"):
        _ = table.layout
    assert read("a;b;c\n1;u;2\n", table=table).rows == [{"a": 1, "c": 2}]
    assert table.table == TableColumns(("a", "c"), (), "b", has_header=True)
    assert table.description == "CSV, semicolon, header, label 'b', 2 numbers"
    table = table_of(label=1, ignore=["3"])
    assert read("1\t0\t2\t9\n", table=table).names == ["0", "2"]
    assert table.table == TableColumns(("0", "2"), (), "1", has_header=False)
    assert table.description == "CSV, tab, no header, label 1, 2 numbers, 1 ignored (3)"
    for options in ({"missing": "indicate"}, {"categorical": ["0"]}):
        table = table_of(**options)
        read("1,2,0\n", table=table)
        assert not table.is_dense


def test_a_missing_value_is_refused_or_zero_or_a_feature() -> None:
    for gap in ("", "NA", " ? ", '""', "NaN", "n/a", "Null", "-nan"):
        text = f"x,b,t,y\n1,true,u,0\n{gap},true,u,0\n1,{gap},u,0\n1,true,{gap},1\n"
        reading = read(text)
        written = repr(gap.strip()) if gap.strip(' "') else "the value"
        assert len(reading.rows) == 1
        for line, name, bad in zip((3, 4, 5), "xbt", reading.bad, strict=True):
            assert bad == (
                f"t.csv:{line}: column {name!r}: {written} is missing; fill it in, or "
                "pass missing='zero' or missing='indicate'"
            )
        assert read(text, missing="zero").rows[1:] == [
            {"b": 1, "t=u": 1}, {"x": 1, "t=u": 1}, {"x": 1, "b": 1},
        ]  # fmt: skip
        assert read(text, missing="zero", ignore=["t"]).rows[1:3] == [
            {"x": 0, "b": 1}, {"x": 1, "b": 0},
        ]  # fmt: skip
        assert read(text, missing="indicate").rows[1:] == [
            {"x=": 1, "b": 1, "t=u": 1}, {"x": 1, "b=": 1, "t=u": 1}, {"x": 1, "b": 1, "t=": 1},
        ]  # fmt: skip


def test_a_column_without_any_value_is_refused() -> None:
    text = "a,b c,y\n1,,0\n2,NA,1\n"
    assert refusal(text) == (
        "t.csv:1: column 'b c' is empty in the first 2 records; "
        "pass ignore=['b c'] or missing='zero'"
    )
    assert read(text, missing="zero").rows == [{"a": 1, "b c": 0}, {"a": 2, "b c": 0}]
    assert read(text, missing="indicate").rows[0] == {"a": 1, "b c=": 1}
    assert read(text, ignore=["b c"]).rows == [{"a": 1}, {"a": 2}]


@pytest.mark.parametrize(
    "date",
    ["2024-01-31", "2024-01-31T10:00", "2024-01-31 10:00:59.5+02:00", "2024-01-31T10:00:00Z",
     "31/01/2024", "1.2.2024", "2024/1/31", "10:30", "10:30:00", "1/31/2024 9:05 PM", "1/31/24",
     "31 Jan 2024", "31-jan-24", "January 31st 2024", "Wed 31. January 2024", "Jan. 31 2024"],
)  # fmt: skip
def test_dates_are_refused_with_advice(date: str) -> None:
    text = f"x,day,y\n1,{date},0\n2,?,1\n3,{date},1\n"
    assert refusal(text, missing="zero") == (
        f"t.csv:2: column 'day' holds dates or times ({date!r}); convert dates to numbers first, "
        "or pass ignore=['day'] or categorical=['day']"
    )
    assert read(text, ignore=["day"]).rows[0] == {"x": 1}
    assert read(text, categorical=["day"]).rows[0] == {"x": 1, f"day={date}": 1}


@pytest.mark.parametrize(
    "text", ["2024-01", "1-800-555", "10:3", "2024-01/31", "room 10:30", "1:2:3:4"]
)
def test_a_text_that_only_looks_like_a_date_is_a_text(text: str) -> None:
    assert read(f"t,y\n{text},0\nu,1\n").rows[0] == {f"t={text}": 1}


def test_a_few_texts_in_a_column_of_numbers_are_bad_lines() -> None:
    text = "size,y\n1,0\n2,1\n3,1\nbig,0\n5ft,1\n"
    assert read(text).bad == [
        f"t.csv:{line}: column 'size': {word!r} is not a number; "
        "correct it, or pass categorical=['size']"
        for line, word in ((5, "big"), (6, "5ft"))
    ]
    assert read(text + "huge,0\n").rows[0] == {"size": 1}  # half of them are numbers
    assert read(text + "huge,0\ntiny,1\n").rows[0] == {"size=1": 1}
    assert read(text, categorical=["size"]).rows[-1] == {"size=5ft": 1}
    late = "size,y\n" + "1,0\n" * 1000 + "big,1\n" * 1500
    assert len(read(late, allowed=2000).bad) == 1500
    assert refusal("b,y\n" + "true,0\n" * 1000 + "1,1\n") == (
        "t.csv:1002: column 'b': '1' is neither true nor false; "
        "correct it, or pass categorical=['b']"
    )


HEAD = 'height,"wide, cm",tall\n1,2,0\n\n3,4,1\n'
QUOTES = "write a quote inside quotes twice, or pass quote='none' if quotes are ordinary characters"
CONVERT = "convert the file (iconv -f latin1 -t utf8)"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("-inf,1,0", "column 'height': '-inf' is not finite; replace it or remove the row"),
        ("+Infinity,1,0", "column 'height': '+Infinity' is not finite; "
         "replace it or remove the row"),
        ("1e999,1,0", "column 'height': '1e999' is too large for float64; scale it"),
        ('"-1""0",1,0', "column 'height': '-1\"0' is not a number; "
         "correct it, or pass categorical=['height']"),
        ("1,2e,0", "column 'wide, cm': '2e' is not a number; "
         "correct it, or pass categorical=['wide, cm']"),
        ("1,2", "2 fields, but the first line has 3; fill in the rest"),
        ("x", "1 field, but the first line has 3; fill in the rest"),
        ("x,2,3,4", "4 fields, but the first line has 3; quote a field that contains ','"),
        ("1,2,", "column 'tall': the label is missing; fill it in or remove the row"),
        ("1,2,nan", "column 'tall': label 'nan' is not a class; correct it or remove the row"),
        ('1,"2"3,0', "column 'wide, cm': expected ',' after '2' in quotes; " + QUOTES),
        ('x,2,0,"4" ', "column 3: expected ',' after '4' in quotes; " + QUOTES),
        ('1,"2,0', "column 'wide, cm': a quote is opened and not closed; " + QUOTES),
        (b"1,2,\xe9", f"column 'tall': byte 0xe9 is not UTF-8; in Latin-1 it is 'é': {CONVERT}"),
        (b"1,2,a long one \xff", "column 'tall': byte 0xff is not UTF-8; in Latin-1 it is "
         f"'ÿ': {CONVERT}"),
        ("1,2,a\0", "column 'tall': zero byte: the file is not UTF-8, perhaps UTF-16; "
         "convert it to UTF-8"),
    ],
)  # fmt: skip
def test_a_line_that_cannot_be_read_is_named(line: str | bytes, words: str) -> None:
    raw = line.encode() if isinstance(line, str) else line
    for line_end in (b"\n", b"\r\n", b"\r"):
        for filler in (b"", b'"1\n","\r\n\r2\n",0\n'):
            before = (HEAD.encode() + filler).replace(b"\n", line_end)
            at = len(list(io.StringIO(before.decode(), newline=""))) + 1
            reading = read(before + raw + line_end + b"5,6,1")
            assert reading.bad == [f"t.csv:{at}: {words}"]
            assert reading.rows[-1] == {"height": 5, "wide, cm": 6}


def test_a_stray_quote_costs_its_own_line_only() -> None:
    filler = ("1,2" + " " * 1000 + ",0\n") * 1200  # more than a field in quotes may hold
    for size in (None, 1 << 16):
        reading = read(HEAD + '1,"2,0\n' + filler + '1,"2",1\n', size=size)
        assert len(reading.rows) == 2 + 1200 + 1
        assert [bad.split(":")[1] for bad in reading.bad] == ["5"]
    long = "1," + '"' + " " * (1 << 19) + '2",0\n'
    assert read(HEAD + long + filler, size=1 << 10).bad == []


def test_cuts_are_at_line_ends_outside_quotes() -> None:
    def cut(text: str) -> int:
        return _core.csv_cut(padded(text.encode()), length=len(text), separator=",", quotes=True)

    assert [cut(text) for text in ("", "a", "a,b", "a\n", "a\nb", "a\rb", "a\r\nb", "\n\n")] == [
        0, 0, 0, 2, 2, 2, 3, 2,
    ]  # fmt: skip
    assert cut("a\r") == 0  # a "\n" may follow
    assert cut("a\n\r") == 2
    assert cut('a\n"b\nc') == 2
    assert cut('a\n"b\nc"\nd') == 8
    assert cut('a\n"b""\nc"') == 2
    assert cut('a\n5" b\nc') == 7  # a quote inside a field is a character
    assert cut('a\n, "b\n') == 2
    assert cut('a\n"b"c"\nd\n"') == 10


def test_the_core_checks_what_it_is_told() -> None:
    text = padded(b"1,0\n")
    good: dict[str, Any] = {
        "length": 4, "allowed": 0, "separator": ",", "kinds": np.array([2, 1], np.uint8),
        "positions": np.array([0, -1], np.int32), "names": [b"x", b"y"], "missing": 0,
        "labelled": True, "quotes": True, "decimal_comma": False, "rule": (0, 0, False), "bits": 0,
        "most_names": 0,
    }  # fmt: skip
    assert _core.parse_csv(text, **good)["values"].tolist() == [1.0]
    for wrong in (
        {"length": 5}, {"separator": '"'}, {"separator": ",,"}, {"separator": "\n"},
        {"kinds": np.array([7, 1], np.uint8)}, {"kinds": np.array([2], np.uint8)},
        {"rule": (3, 0, True)}, {"rule": (0, 3, True)},
        {"kinds": np.array([2, 2], np.uint8)}, {"positions": np.array([1, -1], np.int32)},
        {"positions": np.array([-1, -1], np.int32)}, {"names": [b"x"]}, {"missing": 3},
    ):  # fmt: skip
        with pytest.raises(ValueError):
            _core.parse_csv(text, **{**good, **wrong})
    for delimiter in ("ab", "", "e", ".", "\n", "§"):
        with pytest.raises(ValueError, match="the delimiter must be one character"):
            ReadOptions(delimiter=delimiter)
    with pytest.raises(ValueError, match="missing must be one of refuse, zero, indicate, not 'no'"):
        ReadOptions(missing="no")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'a' cannot be both ignored and categorical"):
        ReadOptions(ignore=("b", "a"), categorical=("a",))


def test_bytes_after_the_end_are_not_read() -> None:
    for text in ("x,y\n1,0\n2,1", 'x,y\n1,0\n2,"1"', "x,y\n1,0\n2,1\n", "x,y\n1,0\n2,1\r"):
        table = Table()
        skipped, _ = table.begin(text.encode(), "t.csv")
        rest = text[skipped:].encode()
        garbage = np.frombuffer(rest + b"7" * 16, dtype=np.uint8)
        parsed = table.parse(garbage, len(rest), 0)
        assert (parsed["bad"], parsed["lines"]) == ([], 2)
        assert list(table.chunk(parsed, str, 0).label_texts) == ["0", "1"]


@given(st.binary(max_size=80), st.integers(1, 40))
def test_any_bytes_are_read_or_refused(raw: bytes, size: int) -> None:
    content = b"p,q,y\na,1,0\nb,2,1\n" + raw
    reading = read(content, size=size)
    assert len(reading.rows) == len(reading.labels) >= 2
    assert reading == read(content)
    assert outcome(raw).startswith(("t.csv:", "read"))


def outcome(raw: bytes) -> str:
    try:
        return f"read {read(raw).rows}"
    except BadExample as error:
        return str(error)


def test_wide_and_long_tables_are_read_whole() -> None:
    wide = 2000
    text = ",".join(f"c{j}" for j in range(wide)) + ",y\n"
    text += "".join(",".join(str(i * j) for j in range(wide)) + f",{i % 2}\n" for i in range(5))
    table = Table()
    reading = read(text, table=table, size=1000)
    assert reading.names == [f"c{j}" for j in range(wide)]
    assert [list(row.values()) for row in reading.rows] == [
        [float(i * j) for j in range(wide)] for i in range(5)
    ]
    words = [f"w{i * i % 3001}" + "x" * (i % 20) for i in range(6000)]
    reading = read(
        "t,x,y\n" + "".join(f"{w},{i},{i % 7}\n" for i, w in enumerate(words)),
        table=Table(ReadOptions(categorical=("t",))),
        size=4096,
    )
    assert reading.rows == [{f"t={w}": 1, "x": i} for i, w in enumerate(words)]
    assert reading.labels == [str(i % 7) for i in range(6000)]


def test_a_first_line_like_the_others_is_an_example() -> None:
    adult = "39, State-gov, 13, <=50K\n50, ?, 13, >50K\n38, Private, 9, <=50K\n"
    table = table_of(missing="zero")
    assert read(adult, table=table).rows == [
        {"0": 39, "1=State-gov": 1, "2": 13}, {"0": 50, "2": 13}, {"0": 38, "1=Private": 1, "2": 9},
    ]  # fmt: skip
    assert not table.layout.has_header
    assert described("1,true,u\n2,false,v\n").startswith("CSV, comma, no header")
    for header in (
        "age,work,3,kind\n39,gov,13,a\n",  # a text above a number
        "age,work,class\ngov,x,a\n",  # nothing but texts
        "1,work,3,kind\n39,gov,13,a\n50,gov,13,b\n",  # a third label
        "1,work,3\n",  # nothing below to compare with
    ):
        with_more = header + "9,gov,13,a\n" * (header.count(",") == 3)
        if header.count("\n") == 1:
            assert refusal(header) == "t.csv: there are no examples"
        else:
            assert described(with_more).startswith("CSV, comma, header")
    for options in ({"label": "kind"}, {"ignore": ["1"], "categorical": ["work"]}):
        assert described("1,work,kind\n2,gov,a\n", **options).startswith("CSV, comma, header")


@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        ("", {}, "t.csv: there are no examples"),
        ("\n \n", {}, "t.csv: there are no examples"),
        ("a,y\n", {}, "t.csv: there are no examples"),
        ("a\n1\n", {}, "t.csv:1: only one column; use commas, tabs, semicolons or spaces"),
        (HEAD, {"ignore": ["z"]}, "t.csv: there is no column 'z'; "
         "the columns are 'height', 'wide, cm', 'tall'"),
        (HEAD, {"categorical": ["z"]}, "t.csv: there is no column 'z'; "
         "the columns are 'height', 'wide, cm', 'tall'"),
        ("1,2,0\n", {"ignore": ["3"]}, "t.csv: there is no column '3'; "
         "without a header the columns are 0 to 2"),
        (HEAD, {"ignore": ["tall"], "label": "tall"}, "t.csv: column 'tall' is both the label and "
         "ignored; pass another label="),
        ("a,y\n1,2\n", {"ignore": ["a"]}, "t.csv: there is no column but the label"),
        ("\na,a,y\n1,2,3\n", {}, "t.csv:2: 2 columns are called 'a'; give each its own name"),
        ("a,a=b,y\nu,2,3\n", {}, "t.csv:1: column name 'a=b' clashes with a category of column "
         "'a'; rename one of them"),
        ("a,,y\n1,2,3\n", {}, "t.csv:1: column 1 has no name; give it one"),
        ('a,"b" ,y\n1,2,3\n', {}, "t.csv:1: expected ',' after 'b' in quotes; " + QUOTES),
        ('\n\na,"y\n1,2\n', {}, "t.csv:3: a quote is opened and not closed; " + QUOTES),
        (b"a,\xff,y\n1,2,3\n", {}, "t.csv:1: byte 0xff is not UTF-8; in Latin-1 it is "
         f"'ÿ': {CONVERT}"),
        (HEAD, {"expect": ["height", "depth"]}, "t.csv: there is no column 'depth', which the "
         "model was trained on; the columns are 'height', 'wide, cm', 'tall'"),
        ("a,a,y\n1,2,3\n", {"expect": ["a"]}, "t.csv: 2 columns are called 'a'; give each "
         "its own name"),
        ("1,2,0\n", {"expect": ["a"], "labelled": False}, "t.csv: there is no header and there "
         "are 2 feature columns, but the model has 1: 'a'"),
        (HEAD, {"label": "z"}, "t.csv: there is no column 'z'; the columns are 'height', "
         "'wide, cm', 'tall'"),
        (HEAD, {"label": 3}, "t.csv: there is no column 3; the last is 2"),
    ],
)  # fmt: skip
def test_a_table_that_cannot_be_laid_out_is_refused(
    content: str | bytes, options: Any, words: str
) -> None:
    assert refusal(content, **options) == words


def test_similar_column_names_are_allowed_if_their_features_differ() -> None:
    text = "a,a=b,y\n1,2,3\n"
    assert read(text).rows == [{"a": 1, "a=b": 2}]
    assert "clashes with a category" in refusal(text, missing="indicate")
    assert read("a,a,y\n1,2,3\n", ignore=["1"]).rows == [{"a": 1}]


def test_a_model_finds_its_columns_by_name_in_any_order() -> None:
    expect = ("height", "width")
    for text, labels in (
        ("width,id,height\n2,n7,1\n", [None]),
        ("y,width,height\nu,2,1\n", ["u"]),
        ("height,width,y\n1,2,\n", [None]),
    ):
        table = table_of(expect=expect, labelled=False, label="y")
        reading = read(text, table=table)
        assert (reading.rows, reading.labels) == ([{"height": 1, "width": 2}], labels)
        assert reading.names == list(expect)
    for label, text, labels in (
        (None, "1,2\n", [None]),
        (None, "1,2,u\n", ["u"]),
        (0, "u,1,2\n", ["u"]),
        (0, "1,2\n", [None]),
        ("y", "1,2\n", [None]),
        ("y", "1,2,u\n", ["u"]),
    ):
        reading = read(text, expect=expect, labelled=False, label=label)
        assert (reading.rows, reading.labels) == ([{"height": 1, "width": 2}], labels)
    reading = read("b,a\n1,x\n2,y\n", expect=("a", "b"), categorical=["a"], labelled=False)
    assert reading.rows == [{"a=x": 1, "b": 1}, {"a=y": 1, "b": 2}]
    assert "'x' is not a number" in refusal("b,a\n1,x\n", expect=("a", "b"), labelled=False)
    reading = read("b,a,y\n1,x,0\n", expect=("b",), ignore=["gone"])
    assert (reading.rows, reading.labels) == ([{"b": 1}], ["0"])


def test_without_labels_every_column_is_a_feature() -> None:
    reading = read("a,b\n1,2\n", labelled=False)
    assert (reading.rows, reading.labels) == ([{"a": 1, "b": 2}], [None])
    assert read("a\n1\n2\n", labelled=False).rows == [{"a": 1}, {"a": 2}]
    assert described("a,b\n1,2\n", labelled=False) == "CSV, comma, header, no label, 2 numbers"


def test_later_files_must_have_the_columns_of_the_first() -> None:
    table = Table()
    read("a,b,y\n1,2,0\n", table=table)
    assert read("\na,b,y\n\n3,4,1\n", table=table, where="u.csv").rows == [{"a": 3, "b": 4}]
    assert read("", table=table, where="u.csv").rows == []
    for text, words in (
        ("a,c,y\n1,2,0\n", "1: there is no column 'b', which t.csv has"),
        (
            "b,a,y\n1,2,0\n",
            "1: column 0 is 'b', and 'a' in t.csv; the columns must be in the same order",
        ),
        ("a,b,y,z\n1,2,0,0\n", "1: column 'z' is not in t.csv"),
        ("a,b\n1,2\n", "1: there is no column 'y', which t.csv has"),
        ("\n1,2,0\n", "2: no header, but t.csv has one"),
    ):
        assert refusal(text, table=table, where="u.csv") == f"u.csv:{words}"
    table = Table()
    read("1,u,0\n2,v,1\n", table=table)
    assert read("3,w,1\n", table=table, where="u.csv").rows == [{"0": 3, "1=w": 1}]
    assert refusal("a,b,y\n1,u,0\n", table=table, where="u.csv") == (
        "u.csv:1: column 0 begins with 'a'; if that is a header, t.csv has none"
    )
    assert refusal("1,u\n", table=table, where="u.csv") == "u.csv:1: 2 columns, but 3 in t.csv"


def test_reading_a_file_again_gives_the_same_examples_and_bad_lines() -> None:
    table = table_of(expect=("n", "t"), categorical=("t",))
    once, again = (read("x,1,0\n2,v,1\n1,v,1\n", table=table) for _ in range(2))
    assert once == again
    assert (len(once.rows), len(once.bad)) == (2, 1)
    table = Table()
    assert read("a,y\n1,0\n", table=table) == read("a,y\n1,0\n", table=table)


def test_a_line_of_texts_is_an_example_if_one_comes_again_in_its_column() -> None:
    assert described("ham,see you\nspam,win\nham,ok\n").startswith("CSV, comma, no header")
    assert described("kind,text\nham,see you\nspam,win\n").startswith("CSV, comma, header")
    assert described("a,b\n1,2\na,b\n2,3\n").startswith("CSV, comma, header")  # two files in one
