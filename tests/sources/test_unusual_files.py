"""Files that others write: spaces between fields, R's row names, UTF-16, Excel, .npy, far away."""

from __future__ import annotations

import gzip
import io
import pickle
import re
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from novikoff import sources
from novikoff.sources import Data, ReadOptions, open_files
from novikoff.stream.input_problems import BadExample

TABLE = "x,y,k\n1,2.5,a\n3,4,b\n5,1,a\n"


def read(folder: Path, content: str | bytes, name: str = "t.csv", **options: Any) -> Data:
    raw = content.encode() if isinstance(content, str) else content
    (folder / name).write_bytes(raw)
    return sources.read(folder / name, **options)


def same(a: Data, b: Data) -> bool:
    rows = [
        [(x.columns.tolist(), x.values.tolist(), x.label) for x in each.block] for each in (a, b)
    ]
    return rows[0] == rows[1] and (a.names, a.classes) == (b.names, b.classes)


def refusal(folder: Path, content: str | bytes, name: str = "t.csv", **options: Any) -> str:
    with pytest.raises(BadExample) as error:
        read(folder, content, name, **options)
    return str(error.value).replace(f"{folder}/", "")


@pytest.mark.parametrize("name", ["t.txt", "t.csv"])
@pytest.mark.parametrize(
    "text",
    [
        "x y k\n1 2.5 a\n3 4 b\n5 1 a\n",
        "x  y   k  \n  1   2.5 a\n\n3  4 b   \n   \n5 1    a",
        '"x" "y" "k"\n1 2.5 "a"\n3 4 "b"  \n5 1 "a"\n',
    ],
)
def test_spaces_may_separate_fields(text: str, name: str, tmp_path: Path) -> None:
    assert same(read(tmp_path, text, name), read(tmp_path, TABLE))
    for changed in (text.replace("\n", "\r\n"), text.replace("2.5", " 2.5")):
        assert same(read(tmp_path, changed, name, delimiter=" "), read(tmp_path, TABLE))


def test_a_sentence_is_not_a_table(tmp_path: Path) -> None:
    for text in ("some words\n", "buy it now\nsee you at 3 today\n"):
        assert "is not in a known format" in refusal(tmp_path, text, "t.txt")


def test_bars_may_separate_fields(tmp_path: Path) -> None:
    assert same(read(tmp_path, TABLE.replace(",", "|"), "t.txt"), read(tmp_path, TABLE))


def test_spaces_in_a_single_column_separate_nothing(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("the message\nsee you at 3\nbuy now\n")
    how = ReadOptions(labelled=False, text=("the message",))
    assert len(next(iter(open_files(str(tmp_path / "t.csv"), how)))) == 2


R = """"x" "y" "k"
"Mazda RX4" 1 2.5 "a"
"Datsun 710" 3 4 "b"
"Hornet" 5 1 "a"
"""


@pytest.mark.parametrize("text", [R, re.sub(' (?=["0-9])(?!RX|710)', ",", R).replace(",710", " 7")])
def test_row_names_without_an_entry_in_the_header_are_left_out(text: str, tmp_path: Path) -> None:
    assert same(read(tmp_path, text, "t.txt"), read(tmp_path, TABLE))
    (tmp_path / "more.txt").write_text(text)
    both = sources.read([tmp_path / "t.txt", tmp_path / "more.txt"])
    assert len(both.block) == 6
    source = open_files(str(tmp_path / "t.txt"))
    list(source)
    assert "1 ignored (row names)" in source.description


@pytest.mark.parametrize("top", ["# made by R", "# made, it seems, by R, in a day"])
def test_a_comment_is_not_taken_for_the_header(top: str, tmp_path: Path) -> None:
    said = refusal(tmp_path, f"{top}\n{TABLE}")
    assert said.endswith("is not a header or an example; remove it")
    spaced = refusal(tmp_path, "# made by R\n  1.0   2 A\n -1.0 0.5 B\n", "t.txt")
    assert spaced == "t.txt:1: '#' is not a header or an example; remove it"
    assert read(tmp_path, TABLE.replace("x", "#x")).names == ("#x", "y")


def test_columns_are_named_one_by_one(tmp_path: Path) -> None:
    assert refusal(tmp_path, TABLE, ignore=["x,y"]).endswith("'x,y'; name each column by itself")


def test_a_separator_at_the_end_of_each_line_is_not_taken_for_row_names(tmp_path: Path) -> None:
    text = "x,y,k\n1,2,a,\n3,4,b,\n"
    says = "4 fields, but the first line has 3; remove the ',' at the end of the line"
    assert refusal(tmp_path, text) == f"t.csv:2: {says}"
    assert refusal(tmp_path, text.replace("3,4,b,", "3,4,b")) == f"t.csv:2: {says}"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_utf_16_is_recognised_by_its_mark(encoding: str, tmp_path: Path) -> None:
    mark = "" if encoding in ("utf-16", "utf-32") else "\ufeff"
    text = TABLE.replace("a", "ä€😀")
    content = (mark + text).encode(encoding)
    assert same(read(tmp_path, content), read(tmp_path, text))
    zstd = pa.compress(content, codec="zstd", asbytes=True)
    for packed in (gzip.compress(content), zstd):
        assert same(read(tmp_path, packed, "t.csv.gz"), read(tmp_path, text))
    assert "cannot be read as UTF-" in refusal(tmp_path, content[:-1])
    if encoding == "utf-16-le":
        assert refusal(tmp_path, content[2:]).startswith("t.csv:1: zero byte: the file is not")


@pytest.mark.parametrize("content", [pickle.dumps([1, 2]), bytes(range(200))])
def test_a_binary_file_is_called_so(content: bytes, tmp_path: Path) -> None:
    for name in ("t.csv", "t"):
        words = "this is a binary file, in none of the formats that are read"
        assert refusal(tmp_path, content, name) == f"{name}: {words}"
    assert "Latin-1" in refusal(tmp_path, "é\1,b\nç\1,c\n".encode("latin-1"))


def test_a_long_text_in_utf_16_is_read_in_pieces(tmp_path: Path) -> None:
    text = TABLE + "".join(f"{i},{i},a\n" for i in range(200_000))
    assert len(read(tmp_path, text.encode("utf-16")).block) == 200_003


def test_decimal_commas_are_read_if_asked_for(tmp_path: Path) -> None:
    text = "x;y;k\n1;2,5;a\n3;4;b\n5;1e0;a\n"
    assert refusal(tmp_path, text.replace("4", "4,0")) == (
        "t.csv:2: column 'y' holds '2,5', a number with a comma; pass decimal='comma' if it is the "
        "decimal separator; otherwise remove it from the numbers"
    )
    assert same(read(tmp_path, text, decimal="comma"), read(tmp_path, TABLE))
    quoted = 'x,y,k\n1,"2,5",a\n3,4,b\n5,"1,0",a\n'
    assert same(read(tmp_path, quoted, decimal="comma"), read(tmp_path, TABLE))
    bare = read(tmp_path, "1,5;2,5;a\n3,0;4;b\n", decimal="comma")
    assert (bare.names, bare.block[0].values.tolist()) == (None, [1.5, 2.5])
    wrong = refusal(tmp_path, text.replace("4", "1.500"), decimal="comma")
    assert wrong.startswith("t.csv:3: column 'y': '1.500' is not a number; ")
    weights = read(tmp_path, "w;x;k\n0,5;1;a\n1,5;2;b\n", decimal="comma", weight="w")
    assert weights.names == ("x",)


@pytest.mark.parametrize(
    "value", ["$1,200", "12%", "€ 3.50", "1,200,000", "1 200", "3 EUR", "-$5", "(4%)", "1.200,50"]
)
def test_numbers_with_units_are_refused_and_not_taken_for_categories(
    value: str, tmp_path: Path
) -> None:
    says = f"holds {value!r}, which is not a plain number; write plain numbers, such as 1200 or"
    assert f"t.csv:2: column 'x' {says}" in refusal(tmp_path, f'x,k\n"{value}",a\n"{value}",b\n')
    lines = f'{{"x": "{value}", "label": 1}}\n{{"x": "{value}", "label": 0}}\n'
    assert f"t.jsonl: key 'x' {says}" in refusal(tmp_path, lines, "t.jsonl")
    among = refusal(tmp_path, f'x,k\n1,a\n2,b\n"{value}",b\n')
    assert among.startswith(f"t.csv:4: column 'x': {value!r} is not a plain number; ")
    assert read(tmp_path, f'x,k\n"{value}",a\n3%,b\n', categorical=["x"]).names is not None


def test_codes_are_still_categories(tmp_path: Path) -> None:
    text = "size,k\nXL,a\n12A,b\nA-3,a\n"
    assert read(tmp_path, text).names == ("size=XL", "size=12A", "size=A-3")


def test_keys_of_json_are_ignored_with_all_that_is_inside(tmp_path: Path) -> None:
    bad = ["null", "[1, [2, {}]]", '{"x": {"y": [null]}, "x": 1}', '"€\\n"', "[]", "{}", "-1.5e3"]
    for value in bad:
        text = f'{{"id": {value}, "a": 1, "label": 1}}\n{{"a": 2, "b": {{"id": 3}}, "label": 0}}\n'
        assert read(tmp_path, text, "t.jsonl", ignore=["id"]).names == ("a", "b.id")
        assert read(tmp_path, text, "t.jsonl", ignore=["id", "b.id"]).names == ("a",)
    for value, words in {
        "[1, 2": "expected a comma",
        '{"a" 1}': "expected a colon",
        "nul": "is not a JSON value",
        "[" * 40: "more than 32 objects",
    }.items():
        text = f'{{"id": {value}, "label": 1}}\n'
        assert words in refusal(tmp_path, text, "t.jsonl", ignore=["id"])
    both = refusal(tmp_path, '{"label": 1}\n', "t.jsonl", ignore=["label"])
    assert both.startswith("t.jsonl: key 'label' is both the label and ignored")


@pytest.mark.parametrize("dtype", [np.float64, np.float32, ">f8", np.int64, ">i2"])
def test_an_array_is_a_table_without_a_header(dtype: Any, tmp_path: Path) -> None:
    given = np.array([[1, 0, 1], [0, 1, 0], [1, 1, 1]], dtype)
    np.save(tmp_path / "t.npy", given)
    data = sources.read(tmp_path / "t.npy")
    text = "\n".join(",".join(str(int(x)) for x in row) for row in given)
    assert same(data, read(tmp_path, text + "\n"))
    first = sources.read(tmp_path / "t.npy", label=0, ignore=["1"])
    assert [x.values.tolist() for x in first.block] == [[1], [0], [1]]
    coded = sources.read(tmp_path / "t.npy", categorical=["0"])
    assert coded.block.rows.dim == 3


def test_gaps_in_an_array_are_missing_values(tmp_path: Path) -> None:
    np.save(tmp_path / "t.npy", np.array([[1, np.nan, 1], [2, 3, 0]]))
    with pytest.raises(BadExample, match="row 0: column '1': the value is missing"):
        sources.read(tmp_path / "t.npy")
    zero = sources.read(tmp_path / "t.npy", missing="zero")
    assert [x.values.tolist() for x in zero.block] == [[1, 0], [2, 3]]


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.array([1, 2]), "the array has shape"),
        (np.zeros((0, 3)), "the array has shape"),
        (np.array([["a", 1]], dtype=object), "array holds Python objects"),
        (np.array([["a", "b"]]), "array must be real numbers"),
        (np.asfortranarray(np.eye(3)), "stored column by column"),
    ],
)
def test_other_arrays_are_refused(array: Any, words: str, tmp_path: Path) -> None:
    np.save(tmp_path / "t.npy", array)
    with pytest.raises(BadExample, match=words):
        sources.read(tmp_path / "t.npy")
    whole = (tmp_path / "t.npy").read_bytes()
    for size in (3, 9, 20, len(whole) - 1):
        assert "t.npy: " in refusal(tmp_path, whole[:size], "t.npy")


def test_the_first_sheet_of_an_excel_file_is_a_table(tmp_path: Path) -> None:
    excel = pytest.importorskip("openpyxl")
    book = excel.Workbook()
    for row in (["x", "y", "k"], [1, 2.5, "a"], [3, 4, "b"], [5, 1, "a"]):
        book.active.append(row)
    file = io.BytesIO()
    book.save(file)
    assert same(read(tmp_path, file.getvalue(), "t.xlsx"), read(tmp_path, TABLE))
    book.active["B3"] = None
    book.save(tmp_path / "t.xlsx")
    with pytest.raises(BadExample, match="t.xlsx:3: column 'y': the value is missing"):
        sources.read(tmp_path / "t.xlsx")
    assert "cannot be read as Excel" in refusal(tmp_path, file.getvalue()[:900], "t.xlsx")
    book.create_sheet("readme", 0)
    book.save(tmp_path / "t.xlsx")
    with pytest.raises(BadExample, match="sheet 'readme', the first, is empty"):
        sources.read(tmp_path / "t.xlsx")
    assert refusal(tmp_path, b"\xd0\xcf\x11\xe0", "t.xls") == (
        "t.xls: this kind of spreadsheet is not read; save it as CSV"
    )


def test_an_archive_of_files_is_not_one_of_arrays(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.writestr("a.csv", TABLE)
    with pytest.raises(BadExample, match=r"archive that holds 'a.csv', no arrays; unpack it first"):
        sources.read(tmp_path / "t.zip")


def test_what_must_be_installed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    assert refusal(tmp_path, b"PK\x03\x04", "t.xlsx") == (
        "t.xlsx: to read Excel files, pip install 'novikoff[excel]'; or save it as CSV"
    )
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    for url in ("s3://bucket/x.csv", "https://example.org/x.csv"):
        scheme = url.partition(":")[0]
        with pytest.raises(BadExample) as error:
            sources.read(url)
        assert str(error.value) == (
            f"{url}: to read from {scheme}, pip install 'novikoff[remote]'; or download it first"
        )


def test_files_elsewhere_are_copied_and_read(tmp_path: Path) -> None:
    far = pytest.importorskip("fsspec").filesystem("memory")
    for name in ("/mail/a.csv", "/mail/b.csv"):
        far.pipe(name, TABLE.encode())
    one = sources.read("memory://mail/a.csv", hashed=True)
    assert same(one, read(tmp_path, TABLE))
    assert one.files == sources.read(tmp_path / "t.csv", hashed=True).files
    assert len(sources.read("memory://mail/*.csv").block) == 6
    far.pipe("/mail/c.csv", b"x,k\n1,a\n,b\n")
    for url, words in {
        "memory://mail/c.csv": "memory:///mail/c.csv:3: column 'x': the value is missing",
        "memory://mail/none.csv": "memory://mail/none.csv: no such file or directory",
        "memory://mail/*.svm": "memory://mail/\\*.svm: no file matches the pattern",
        "nowhere://x": "nowhere://x: cannot be read: Protocol not known: nowhere",
    }.items():
        with pytest.raises(BadExample, match=words):
            list(open_files(url))
