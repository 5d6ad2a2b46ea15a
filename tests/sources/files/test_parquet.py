"""Parquet, Arrow and Feather: what a table holds is what is read; the rest is refused."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from math import isnan
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, TypeAlias

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff import BadExample
from novikoff.sources.chunks import Chunk, TableColumns
from novikoff.sources.files import parquet as arrow
from novikoff.sources.files.parquet import ArrowFiles
from novikoff.sources.read_options import ReadOptions
from novikoff.stream.rows import DenseRows, SparseRows

Form: TypeAlias = Literal["parquet", "file", "stream", "feather"]
FORMS: tuple[Form, ...] = ("parquet", "file", "stream", "feather")
Example: TypeAlias = tuple[list[tuple[str, float]], str | None]


def write(table: pa.Table, path: Path, form: Form, together: int = 1 << 20) -> None:
    """Write a table, so many rows of it stored together."""
    if form == "parquet":
        pq.write_table(table, path, row_group_size=together)
    elif form == "feather":
        pyarrow.feather.write_feather(table, path, chunksize=together)
    else:
        new = pa.ipc.new_file if form == "file" else pa.ipc.new_stream
        with new(path, table.schema) as writer:
            writer.write_table(table, max_chunksize=together)


def reading(
    table: pa.Table, form: Form = "parquet", together: int = 1 << 20, **options: Any
) -> list[Chunk]:
    """The chunks of a file of this table; its name in texts is cut to the last part."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "t")
        write(table, path, form, together)
        return chunks_of([path], form, **options)


def chunks_of(paths: list[Path], form: Form = "parquet", **options: Any) -> list[Chunk]:
    try:
        return list(source_of(paths, form, **options))
    except BadExample as error:
        raise BadExample(str(error).replace(f"{paths[0].parent}/", "")) from None


def source_of(paths: list[Path], form: Form = "parquet", **options: Any) -> ArrowFiles:
    lists = {"ignore", "categorical", "expect"}
    given: dict[str, Any] = {k: tuple(v) if k in lists else v for k, v in options.items()}
    return ArrowFiles(paths, ReadOptions(**given), kind="parquet" if form == "parquet" else "arrow")


def refusal(table: pa.Table, form: Form = "parquet", **options: Any) -> str:
    with pytest.raises(BadExample) as caught:
        reading(table, form, **options)
    return str(caught.value)


def named(chunks: list[Chunk]) -> list[Example]:
    """The examples of chunks whose features have names."""
    out: list[Example] = []
    for chunk in chunks:
        assert isinstance(chunk.rows, SparseRows)
        assert chunk.names is not None
        names = [name.decode() for name in chunk.names]
        assert len(set(names)) == len(names) == chunk.rows.dim
        met = dict.fromkeys(names[k] for k in chunk.rows.indices)
        assert list(met) == names
        assert chunk.first == len(out)
        for i in range(len(chunk)):
            columns, values = chunk.rows.row(i)
            row = list(zip([names[k] for k in columns], values.tolist(), strict=True))
            out.append((row, label_of(chunk, i)))
    return out


def label_of(chunk: Chunk, i: int) -> str | None:
    return None if chunk.labels[i] < 0 else chunk.label_texts[chunk.labels[i]]


def dense(chunks: list[Chunk]) -> list[list[float]]:
    for chunk in chunks:
        assert isinstance(chunk.rows, DenseRows)
        assert chunk.rows.values.dtype == np.float64
        assert chunk.names is None
    return [x.tolist() for chunk in chunks for x in chunk.rows.values]


def labels(chunks: list[Chunk]) -> list[str | None]:
    return [label_of(chunk, i) for chunk in chunks for i in range(len(chunk))]


@contextmanager
def chunks_of_bytes(n: int) -> Iterator[None]:
    before, arrow.CHUNK = arrow.CHUNK, n
    try:
        yield
    finally:
        arrow.CHUNK = before


# Each kind of column with what Python has for its values.
whole = st.integers(-(2**53), 2**53)
texts = st.text(st.characters(codec="utf-8"), max_size=5) | st.sampled_from(["", "a", "b=c"])
KINDS: dict[str, tuple[pa.DataType, st.SearchStrategy[Any]]] = {
    "int8": (pa.int8(), st.integers(-128, 127)),
    "int64": (pa.int64(), whole),
    "uint64": (pa.uint64(), st.integers(0, 2**53)),
    "float32": (pa.float32(), st.floats(width=32, allow_infinity=False)),
    "float64": (pa.float64(), st.floats(allow_infinity=False)),
    "decimal": (pa.decimal128(20, 3), st.decimals(-(10**16), 10**16, places=3)),
    "bool": (pa.bool_(), st.booleans()),
    "string": (pa.string(), texts),
    "large string": (pa.large_string(), texts),
    "category": (pa.dictionary(pa.int8(), pa.string()), texts),
    "numbered category": (pa.dictionary(pa.uint16(), pa.int64()), whole),
    "nothing": (pa.null(), st.none()),
}
VALUES = ("int8", "int64", "uint64", "float32", "float64", "decimal", "bool", "nothing")


@st.composite
def tables(draw: st.DrawFn) -> tuple[pa.Table, list[str]]:
    """A table of features and a label, and the kinds of its columns."""
    kinds = draw(st.lists(st.sampled_from(list(KINDS)), min_size=1, max_size=4))
    n = draw(st.integers(1, 12))
    columns = {}
    for j, kind in enumerate(kinds):
        stored, values = KINDS[kind]
        drawn = draw(st.lists(st.none() | values, min_size=n, max_size=n))
        columns["abcd"[j] + "=b" * draw(st.booleans())] = pa.array(drawn, stored, from_pandas=False)
    marks = draw(st.lists(st.sampled_from(["spam", "ham", "1"]), min_size=n, max_size=n))
    return pa.table({**columns, "label": marks}), kinds


def expected(table: pa.Table, missing: str) -> list[Example]:
    out: list[Example] = []
    for row in table.to_pylist():
        label = row.pop("label")
        features = []
        for name, value in row.items():
            category = pa.types.is_dictionary(table.schema.field(name).type)
            if value is None or (isinstance(value, float) and isnan(value)):
                features += [(f"{name}=", 1.0)] if missing == "indicate" else []
            elif isinstance(value, str) or category:
                features.append((f"{name}={value}", 1.0))
            else:
                features.append((name, float(value)))
        out.append((features, label))
    return out


@given(
    tables(),
    st.sampled_from(FORMS),
    st.sampled_from(["zero", "indicate"]),
    st.integers(1, 12),
    st.sampled_from([1, 30, 100, 1 << 20]),
)
def test_the_table_written_is_the_table_read(
    drawn: Any, form: Form, missing: str, together: int, size: int
) -> None:
    table, kinds = drawn
    if "numbered category" in kinds and form == "parquet":
        form = "file"  # Parquet does not keep which numbers were categories
    with chunks_of_bytes(size):
        chunks = reading(table, form, together, missing=missing)
    wanted = expected(table, missing)
    if missing == "zero" and all(kind in VALUES for kind in kinds):
        rows = [dict(features) for features, _ in wanted]
        names = [name for name in table.column_names if name != "label"]
        assert dense(chunks) == [[row.get(name, 0.0) for name in names] for row in rows]
        assert labels(chunks) == [label for _, label in wanted]
    else:
        assert named(chunks) == wanted


@pytest.mark.parametrize("form", FORMS)
def test_numbers_keep_every_bit(form: Form) -> None:
    numbers = [0.1, -0.0, 5e-324, 1.7976931348623157e308]
    table = pa.table({"x": numbers, "y": ["a"] * 4})
    [chunk] = reading(table, form)
    assert chunk.rows.values.tobytes() == np.array(numbers).tobytes()


def test_decimals_are_rounded_once() -> None:
    written = ["0.1", "0.2", "12345678901234567.8901234567", "9007199254740993.0000000001"]
    column = pa.array(map(Decimal, written), pa.decimal128(38, 15))
    assert dense(reading(pa.table({"x": column, "y": ["a"] * 4}))) == [[float(x)] for x in written]


def test_polars_files_are_read(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "s": ["long enough not to be stored inline", None, "x"],
            "c": pl.Series(["u", "v", "u"], dtype=pl.Categorical),
            "y": [True, False, True],
        }
    )
    frame.write_ipc(tmp_path / "t")
    of_ipc = named(chunks_of([tmp_path / "t"], "file", missing="zero"))
    frame.write_parquet(tmp_path / "t")
    assert named(chunks_of([tmp_path / "t"], missing="zero")) == of_ipc
    assert of_ipc == [
        ([("s=long enough not to be stored inline", 1.0), ("c=u", 1.0)], "true"),
        ([("c=v", 1.0)], "false"),
        ([("s=x", 1.0), ("c=u", 1.0)], "true"),
    ]


CATEGORICAL = [
    (pa.int64(), [3, 2**63 - 1], ["3", "9223372036854775807"]),
    (pa.float64(), [2.0, 0.1, 1e300], ["2", "0.1", "1e+300"]),
    (pa.float32(), [0.1], ["0.1"]),
    (pa.bool_(), [True, False], ["true", "false"]),
    (pa.decimal128(5, 2), [Decimal("1.50")], ["1.50"]),
    (pa.date32(), [dt.date(2020, 2, 29)], ["2020-02-29"]),
    (pa.timestamp("s"), [dt.datetime(2020, 2, 29, 1)], ["2020-02-29 01:00:00"]),
    (pa.time32("s"), [dt.time(1, 2, 3)], ["01:02:03"]),
    (pa.duration("s"), [dt.timedelta(seconds=90)], ["90"]),
]


@pytest.mark.parametrize(("kind", "values", "wanted"), CATEGORICAL, ids=lambda x: str(x)[:20])
def test_categories_are_called_as_they_are_written(
    kind: pa.DataType, values: list[Any], wanted: list[str]
) -> None:
    table = pa.table({"x": pa.array(values, kind), "y": ["a"] * len(values)})
    rows = [features for features, _ in named(reading(table, "file", categorical=["x"]))]
    assert rows == [[(f"x={text}", 1.0)] for text in wanted]


LABELS = [
    (pa.string(), ["spam", "ham", "spam"], ["spam", "ham", "spam"]),
    (pa.int8(), [1, -1, 1], ["1", "-1", "1"]),
    (pa.bool_(), [True, False, True], ["true", "false", "true"]),
    (pa.float64(), [1.0, 0.5, -0.0], ["1", "0.5", "0"]),
    (pa.dictionary(pa.int8(), pa.int64()), [7, 3, 7], ["7", "3", "7"]),
]


def test_dates_are_categories_only_on_request() -> None:
    column = pa.array([dt.date(2020, 2, 29)]).dictionary_encode()
    table = pa.table({"x": column, "y": [0]})
    assert "dates or times (dictionary<values=date32" in refusal(table, "file")
    assert named(reading(table, "file", categorical=["x"])) == [([("x=2020-02-29", 1.0)], "0")]


@pytest.mark.parametrize(("kind", "values", "wanted"), LABELS, ids=lambda x: str(x)[:20])
def test_labels_are_texts_with_the_place_where_each_was_first_seen(
    tmp_path: Path, kind: pa.DataType, values: list[Any], wanted: list[str]
) -> None:
    path = tmp_path / "t"
    pq.write_table(pa.table({"x": [1, 2, 3], "y": pa.array(values, kind)}), path)
    [chunk] = ArrowFiles([path], kind="parquet")
    assert labels([chunk]) == wanted
    assert chunk.label_texts == tuple(dict.fromkeys(wanted))
    assert chunk.label_places == tuple(f"{path}: row {wanted.index(x)}" for x in chunk.label_texts)


def test_the_label_is_the_last_column_not_ignored_or_the_one_named() -> None:
    table = pa.table({"a": [1], "b": [2], "c": [3]})
    assert (dense(found := reading(table)), labels(found)) == ([[1, 2]], ["3"])
    assert (dense(found := reading(table, ignore=["c"])), labels(found)) == ([[1]], ["2"])
    for label in ("a", 0, "0"):
        assert (dense(found := reading(table, label=label)), labels(found)) == ([[2, 3]], ["1"])


def test_without_labels_a_column_is_the_label_only_if_it_is_named() -> None:
    table = pa.table({"a": [1, 2], "y": pa.array(["u", None])})
    assert labels(found := reading(table, label="y", labelled=False)) == ["u", None]
    assert dense(found) == [[1], [2]]
    table = pa.table({"a": [1, 2], "b": [3, 4]})
    assert dense(reading(table, labelled=False)) == [[1, 3], [2, 4]]
    assert dense(found := reading(table, label="y", labelled=False)) == [[1, 3], [2, 4]]
    assert labels(found) == [None, None]
    assert found[0].label_texts == found[0].label_places == ()


def test_the_columns_of_a_model_are_found_by_name_and_no_other_is_read() -> None:
    table = pa.table(
        {"when": [dt.date(2020, 1, 1)], "b": [2], "y": ["u"], "a": [1], "__index_level_0__": [5]}
    )
    options: dict[str, Any] = {"expect": ("a", "b")}
    assert dense(found := reading(table, label="y", **options)) == [[1, 2]]
    assert labels(found) == ["u"]
    assert dense(found := reading(table, labelled=False, **options)) == [[1, 2]]
    assert labels(found) == [None]
    assert dense(reading(table, labelled=False, label=1, **options)) == [[1, 2]]


def test_a_source_says_what_it_reads(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a", "b")]
    for path in paths:
        pq.write_table(pa.table({"u": [1], "v": [2.5], "y": ["t"]}), path)
    source = ArrowFiles(paths, kind="parquet")
    assert source.table == TableColumns(("u", "v"), (), "y")
    assert source.description == "Parquet, 2 files"
    assert [(chunk.first, chunk.columns) for chunk in source] == [(0, ("u", "v")), (1, ("u", "v"))]
    indicating = source_of(paths[:1], missing="indicate")
    assert [chunk.columns for chunk in indicating] == [None]
    assert indicating.table.features == ("u", "v")
    mixed = source_of(paths[:1], categorical=["u"])
    assert [chunk.columns for chunk in mixed] == [None]
    assert mixed.description == "Parquet"
    assert mixed.table.texts == ("u",)


def test_columns_whose_features_could_have_the_same_name_are_refused() -> None:
    table = pa.table({"a": ["b=c", "d"], "a=b": ["c", "e"], "y": [0, 1]})
    words = "t: column name 'a=b' clashes with a category of column 'a'; rename one of them"
    assert refusal(table) == words
    assert named(reading(table, ignore=["a"])) == [([("a=b=c", 1.0)], "0"), ([("a=b=e", 1.0)], "1")]


def test_columns_are_left_out_by_name_or_position_and_the_label_is_the_last_of_the_rest() -> None:
    table = pa.table({"a": [1], "b": ["u"], "y": ["v"]})
    for left_out in (["y"], ["2"]):
        [chunk] = reading(table, ignore=left_out)
        assert (chunk.rows.values.tolist(), chunk.label_texts) == ([[1.0]], ("u",))


@given(st.lists(st.text("ab", max_size=30), min_size=1, max_size=40), st.data())
def test_where_chunks_are_cut_depends_on_the_rows_alone(words: list[str], data: Any) -> None:
    table = pa.table({"s": words, "x": range(len(words)), "y": ["u"] * len(words)})
    form = st.tuples(st.sampled_from(FORMS), st.integers(1, len(words)))
    with chunks_of_bytes(100):
        one, other = (named_by_chunk(table, *data.draw(form)) for _ in range(2))
    assert one == other


def named_by_chunk(table: pa.Table, form: Form, together: int) -> list[Any]:
    chunks = reading(table, form, together)
    return [(chunk.first, list(chunk.names or ()), chunk.rows.values.tolist()) for chunk in chunks]


def test_a_chunk_ends_with_the_row_that_fills_it() -> None:
    long = "x" * 98  # with "s=" a hundred bytes, and eight for the value
    table = pa.table({"s": [long, "a", "b", long, long], "y": range(5)})
    with chunks_of_bytes(119):
        assert [len(chunk) for chunk in reading(table)] == [2, 2, 1]
    with chunks_of_bytes(118):
        assert [len(chunk) for chunk in reading(table)] == [2, 2, 1]
    with chunks_of_bytes(108):
        assert [len(chunk) for chunk in reading(table)] == [1, 3, 1]


@pytest.mark.parametrize("form", FORMS)
def test_a_table_without_rows_has_no_chunks(form: Form) -> None:
    assert reading(pa.table({"x": pa.array([], pa.string()), "y": [1][:0]}), form) == []


@pytest.mark.parametrize("form", FORMS)
def test_columns_with_dots_in_their_names_are_columns(form: Form) -> None:
    table = pa.table({"a.b": ["u"], "c": [{"d": 1}], "a": ["v"], "c.d": [2], "y": [0]})
    assert named(reading(table, form, ignore=["c"])) == [
        ([("a.b=u", 1.0), ("a=v", 1.0), ("c.d", 2.0)], "0")
    ]


def test_reading_again_gives_the_same_chunks(tmp_path: Path) -> None:
    path = tmp_path / "t"
    table = pa.table({"s": [f"w{i % 7}" for i in range(99)], "x": range(99), "y": [1, 2, 3] * 33})
    pq.write_table(table, path, row_group_size=10)
    with chunks_of_bytes(400):
        source = ArrowFiles([path, path], kind="parquet")
        once, twice = named(list(source)), named(list(source))
    assert once == twice
    assert len(once) == 2 * 99
    assert once[:99] == once[99:]


MANY = pa.table({f"c{j}": [0] for j in range(12)})
REFUSED: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    (
        {"x": [1, None], "y": [0, 1]},
        {},
        "t: row 1: column 'x': the value is missing; fill it in, or pass missing='zero' or "
        "missing='indicate'",
    ),
    ({"x": [1.0, float("nan")], "y": [0, 1]}, {}, "t: row 1: column 'x': the value is missing; "),
    ({"x": ["a", None], "y": [0, 1]}, {}, "t: row 1: column 'x': the value is missing; "),
    (
        {"x": [1.0, float("-inf")], "y": [0, 1]},
        {},
        "t: row 1: column 'x': -inf is not finite; replace it or remove the row",
    ),
    (
        {"x": [1.0, float("inf")], "y": [0, 1]},
        {"categorical": ["x"]},
        "t: row 1: column 'x': inf is not finite; replace it or remove the row",
    ),
    (
        {"x": [2**53, 2**53 + 1], "y": [0, 1]},
        {},
        "t: row 1: column 'x': 9007199254740993 is not exact in float64; scale it; if it is an "
        "identifier, pass categorical=['x']",
    ),
    ({"x": [-(2**53) - 1], "y": [0]}, {}, "t: row 0: column 'x': -9007199254740993 is not exact"),
    (
        {"x": pa.array([2**64 - 1], pa.uint64()), "y": [0]},
        {},
        "t: row 0: column 'x': 18446744073709551615 is not exact",
    ),
    (
        {"x": [1, 2], "y": pa.array(["a", None])},
        {},
        "t: row 1: column 'y': the label is missing; fill it in or remove the row",
    ),
    ({"x": [1], "y": [float("nan")]}, {}, "t: row 0: column 'y': the label is missing; "),
    ({"x": [1], "y": [float("inf")]}, {}, "t: row 0: column 'y': inf is not finite; "),
    (
        {"x": [dt.datetime(2020, 1, 1)], "y": [0]},
        {},
        "t: column 'x' holds dates or times (timestamp[us]); convert dates to numbers first, or "
        "pass ignore=['x'] or categorical=['x']",
    ),
    ({"x": [dt.date(2020, 1, 1)], "y": [0]}, {}, "t: column 'x' holds dates or times (date32"),
    ({"x": [dt.time(1)], "y": [0]}, {}, "t: column 'x' holds dates or times (time64[us])"),
    ({"x": [dt.timedelta(1)], "y": [0]}, {}, "t: column 'x' holds dates or times (duration[us])"),
    ({"x": [0], "y": [dt.date(2020, 1, 1)]}, {}, "t: column 'y' holds dates or times (date32"),
    (
        {"x": [[1, 2]], "y": [0]},
        {},
        "t: column 'x' holds list<element: int64>, not numbers or texts; convert it, or pass "
        "ignore=['x']",
    ),
    ({"x": [{"k": 1}], "y": [0]}, {}, "t: column 'x' holds struct<k: int64>, not numbers or "),
    ({"x": [b"k"], "y": [0]}, {}, "t: column 'x' holds binary, not numbers or texts; "),
    ({"x": [b"k"], "y": [0]}, {"categorical": ["x"]}, "t: column 'x' holds binary, not numbers"),
    (
        {"x": [1], "y": [0]},
        {"label": "z"},
        "t: there is no column 'z'; the columns are 'x', 'y'",
    ),
    ({"x": [1], "y": [0]}, {"label": 2}, "t: there is no column 2; the last is 1"),
    ({"x": [1], "y": [0]}, {"ignore": ["z"]}, "t: there is no column 'z'; the columns are 'x', "),
    ({"x": [1], "y": [0]}, {"categorical": ["z"]}, "t: there is no column 'z'; the columns are "),
    ({"x": [1], "y": [0]}, {"expect": ("x", "z", "w")}, "t: there is no column 'z', which the"),
    (
        {"x": [1], "y": [0]},
        {"expect": ("x", "y")},
        "t: column 'y' is a feature of the model and cannot be the label; pass another label=",
    ),
    (
        {"x": [1], "y": [0]},
        {"label": "y", "ignore": ["y"]},
        "t: column 'y' is both the label and ignored; pass another label=",
    ),
    ({"y": [0]}, {}, "t: there is no column but the label"),
    ({"x": [1], "": [2], "y": [0]}, {}, "t: column 1 has no name; give it one"),
    (
        {"x": [1], "y": [0], "__index_level_0__": [0]},
        {},
        "t: column '__index_level_0__' is the index of a pandas frame, not a feature; convert "
        "it, or pass ignore=['__index_level_0__']",
    ),
]


@pytest.mark.parametrize(
    ("columns", "options", "words"), REFUSED, ids=[words[:40] for _, _, words in REFUSED]
)
def test_bad_files_are_refused_with_a_reason(
    columns: dict[str, Any], options: dict[str, Any], words: str
) -> None:
    assert refusal(pa.table(columns), **options)[: len(words)] == words


def test_columns_called_the_same_are_refused() -> None:
    table = pa.table([pa.array([1])] * 3, names=["x", "x", "y"])
    assert refusal(table, "file") == "t: 2 columns are called 'x'; give each its own name"


def test_long_lists_of_columns_are_cut() -> None:
    assert refusal(MANY, label="z").endswith("'c8', 'c9' and 2 more")


def test_rows_are_counted_over_row_groups() -> None:
    table = pa.table({"x": [*range(100), None], "y": [0] * 101})
    with chunks_of_bytes(64), pytest.raises(BadExample, match=r"^t: row 100: column 'x'"):
        reading(table, together=7)


OTHERS: list[tuple[dict[str, Any], str]] = [
    ({"x": [1], "y": [0]}, "b: there is no column 's', which a has"),
    ({"x": [1], "s": ["u"], "z": [1], "y": [0]}, "b: column 'z' is not in a"),
    (
        {"x": ["1"], "s": ["u"], "y": [0]},
        "b: column 'x' holds texts, but numbers in a",
    ),
    (
        {"y": [0], "x": [1], "s": ["u"]},
        "b: there is no column 's', which a has",
    ),
]


@pytest.mark.parametrize(("columns", "words"), OTHERS, ids=[words for _, words in OTHERS])
def test_files_that_differ_are_refused(tmp_path: Path, columns: dict[str, Any], words: str) -> None:
    paths = [tmp_path / "a", tmp_path / "b"]
    pq.write_table(pa.table({"x": [1], "s": ["u"], "y": [0]}), paths[0])
    pq.write_table(pa.table(columns), paths[1])
    with pytest.raises(BadExample) as caught:
        ArrowFiles(paths, kind="parquet")
    assert str(caught.value).replace(f"{tmp_path}/", "") == words


def test_files_whose_labels_are_in_different_columns_are_refused(tmp_path: Path) -> None:
    paths = [tmp_path / "a", tmp_path / "b"]
    pq.write_table(pa.table({"x": [1], "y": [0]}), paths[0])
    pq.write_table(pa.table({"x": [1], "z": [0]}), paths[1])
    with pytest.raises(
        BadExample, match=r"b: the label is column 'z', but column 'y' in .*a; pass label="
    ):
        ArrowFiles(paths, kind="parquet")


def test_columns_may_be_in_another_order_and_empty_in_some_files(tmp_path: Path) -> None:
    paths = [tmp_path / "a", tmp_path / "b"]
    pq.write_table(pa.table({"s": pa.nulls(1), "x": [1], "y": [0]}), paths[0])
    pq.write_table(pa.table({"x": [2.5], "y": [1], "s": ["u"]}), paths[1])
    chunks = chunks_of(paths, label="y", missing="zero")
    assert named(chunks) == [([("x", 1.0)], "0"), ([("s=u", 1.0), ("x", 2.5)], "1")]


def test_files_that_are_something_else_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t"
    table = pa.table({"x": [1], "y": [0]})

    def refused(form: Form, content: bytes) -> str:
        path.write_bytes(content)
        with pytest.raises(BadExample) as caught:
            chunks_of([path], form)
        return str(caught.value)

    assert refused("file", b"FEA1....FEA1") == (
        "t: this is version 1 of Feather; convert it to version 2: "
        "pyarrow.feather.write_feather(pyarrow.feather.read_table(old), new)"
    )
    assert refused("file", b"PAR1") == ("t: this is Parquet, not Arrow; name it .parquet")
    assert refused("file", b"") == "t: the file is empty"
    assert refused("parquet", b"").startswith("t: cannot be read as Parquet: ")
    assert refused("parquet", b"x,y\n1,2\n" * 9).startswith("t: cannot be read as Parquet: ")
    assert refused("stream", b"x,y\n1,2\n" * 9).startswith("t: cannot be read as Arrow: ")
    for form in FORMS:
        write(table, path, form)
        kind = "Parquet" if form == "parquet" else "Arrow"
        words = refused(
            form, path.read_bytes()[:-20] if form != "stream" else path.read_bytes()[:-40]
        )
        assert words.startswith(f"t: cannot be read as {kind}: ")


def test_a_file_that_is_not_there_is_an_error_of_the_system(tmp_path: Path) -> None:
    for form in FORMS:
        with pytest.raises(FileNotFoundError):
            chunks_of([tmp_path / "t"], form)
    with pytest.raises(ValueError, match="no files to read"):
        ArrowFiles([], kind="parquet")


@pytest.mark.parametrize("form", ["parquet", "file", "stream"])
def test_texts_that_are_not_utf8_are_refused(form: Form) -> None:
    broken = pa.array([b"ok", b"\xff\xfe"]).view(pa.string())
    assert "UTF8" in refusal(pa.table({"x": broken, "y": [0, 1]}), form)


@pytest.mark.parametrize("form", FORMS)
def test_broken_files_are_read_or_refused(tmp_path: Path, form: Form) -> None:
    path = tmp_path / "t"
    table = pa.table(
        {
            "x": [1.5, 2.0, 3.0],
            "s": ["a", None, "b"],
            "c": pa.array(["u", "v", "u"]).dictionary_encode(),
            "y": [0, 1, 0],
        }
    )
    write(table, path, form)
    whole, rng = path.read_bytes(), np.random.default_rng(0)
    refused = 0
    for _ in range(300):
        broken = bytearray(whole)
        for at in rng.integers(0, len(whole), rng.integers(1, 4)):
            broken[at] = rng.integers(0, 256)
        path.write_bytes(broken)
        try:
            assert len(chunks_of([path], form, missing="zero")) <= 1
        except BadExample:
            refused += 1
    assert 0 < refused < 300


@pytest.mark.parametrize(
    ("form", "together"),
    [("parquet", 1 << 13), ("parquet", 1 << 20), ("file", 1 << 20), ("stream", 1 << 20)],
)
def test_memory_is_bounded_however_the_rows_are_stored(
    tmp_path: Path, form: Form, together: int
) -> None:
    path = tmp_path / "t"
    numbers = np.random.default_rng(0).random((8, 1 << 20))
    table = pa.table({**{f"x{j}": x for j, x in enumerate(numbers)}, "y": numbers[0] < 0.5})
    write(table, path, form, together)
    total = numbers.sum()
    del table, numbers
    assert path.stat().st_size > 60 << 20
    before, most = pa.total_allocated_bytes(), 0
    read, mapped = 0.0, 0
    tracemalloc.start()
    source = ArrowFiles([path], kind="parquet" if form == "parquet" else "arrow")
    for k, chunk in enumerate(source, 1):
        most = max(most, pa.total_allocated_bytes() - before)
        if k % 30 == 0 and form != "parquet":
            mapped = max(mapped, resident(path))
        read += chunk.rows.values.sum()
    _, of_numpy = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert read == pytest.approx(total)  # not added up in the same order
    assert most < 24 << 20
    assert mapped < 40 << 20  # pages may be mapped 2 MB at a time, for each column
    assert of_numpy < 16 << 20


def resident(path: Path) -> int:
    """How many bytes of a file are mapped and in memory, where the system says so."""
    maps = Path("/proc/self/smaps")
    lines = maps.read_text().splitlines() if maps.exists() else []
    at = [i for i, line in enumerate(lines) if line.endswith(f" {path}")]
    return sum(
        1024 * int(next(line for line in lines[i:] if line.startswith("Rss:")).split()[1])
        for i in at
    )


def test_long_texts_that_repeat_are_not_written_out(tmp_path: Path) -> None:
    path = tmp_path / "t"
    long = ["a" * (1 << 20), "b" * (1 << 20)]
    codes = pa.array([0, 1] * 100, pa.int8())
    column = pa.DictionaryArray.from_arrays(codes, long)
    pq.write_table(pa.table({"s": column, "y": codes}), path, store_schema=False)
    before, most, n = pa.total_allocated_bytes(), 0, 0
    for chunk in ArrowFiles([path], kind="parquet"):
        most = max(most, pa.total_allocated_bytes() - before)
        n += len(chunk)
    assert n == 200
    assert most < 32 << 20


def test_pyarrow_is_imported_to_read_and_pandas_never(tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": [1, None], "s": ["a", "b"], "y": [0, 1]}), tmp_path / "t")
    program = (
        "import sys; from pathlib import Path; import novikoff.sources.files.parquet as a\n"
        "assert 'pyarrow' not in sys.modules\n"
        f"path, how = Path({str(tmp_path / 't')!r}), a.ReadOptions(missing='zero')\n"
        "source = a.ArrowFiles([path], how, kind='parquet')\n"
        "assert sum(map(len, source)) == 2\n"
        "assert 'pandas' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
