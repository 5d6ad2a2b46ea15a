"""Files of examples: what is written is what is read, to the last bit; the rest is refused."""

from __future__ import annotations

import gzip
import io
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from novikoff import BadExample, sources
from novikoff.sources import Data
from novikoff.stream.rows import DenseRows, Rows, SparseRows

numbers = st.floats(allow_nan=False, allow_infinity=False)
forms = st.sampled_from(("plain", "crlf", "cr", "bom", "gz", "no newline at the end"))


def in_form(text: str, form: str) -> bytes:
    raw = text.encode()
    return {
        "plain": raw,
        "crlf": raw.replace(b"\n", b"\r\n"),
        "cr": raw.replace(b"\n", b"\r"),
        "bom": b"\xef\xbb\xbf" + raw,
        "gz": gzip.compress(raw, mtime=0),
        "no newline at the end": raw.removesuffix(b"\n"),
    }[form]


def reading(content: str | bytes, name: str = "data.svm", **options: Any) -> Data:
    """What is read from a file of this content; its name in an error is cut to the last part."""
    with TemporaryDirectory() as folder:
        file = Path(folder, name)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        try:
            return sources.read(file, **options)
        except BadExample as error:
            raise BadExample(str(error).replace(str(file), name)) from None


def refusal(content: str | bytes, name: str = "data.svm", **options: Any) -> str:
    with pytest.raises(BadExample) as caught:
        reading(content, name, **options)
    return str(caught.value)


def sparse(data: Data) -> tuple[list[int], list[float], list[int]]:
    rows = data.block.rows
    assert isinstance(rows, SparseRows)
    return rows.indices.tolist(), rows.values.tolist(), rows.starts.tolist()


def dense(data: Data) -> list[list[float]]:
    assert isinstance(data.block.rows, DenseRows)
    return [x.tolist() for x in data.block.rows.values]


def labels(data: Data) -> list[int]:
    return [int(y) for y in data.block.labels]


def same_bits(rows: Rows, values: list[float]) -> bool:
    return rows.values.tobytes() == np.array(values).tobytes()


row = st.dictionaries(st.integers(1, 2**53 - 1), numbers, max_size=6)


@given(st.lists(st.tuples(st.sampled_from("-+"), row), min_size=1, max_size=20), forms)
def test_sparse_rows_written_are_the_rows_read(examples: Any, form: str) -> None:
    rows = [(sign, sorted(row.items())) for sign, row in examples]
    text = "".join(f"{s}1 {' '.join(f'{j}:{v!r}' for j, v in row)}\n" for s, row in rows)
    data = reading(in_form(text, form))
    indices, _, starts = sparse(data)
    assert same_bits(data.block.rows, [v for _, row in rows for _, v in row])
    assert indices == [j - 1 for _, row in rows for j, _ in row]
    assert np.diff(starts).tolist() == [len(row) for _, row in rows]
    assert labels(data) == [1 if sign == "+" else -1 for sign, _ in rows]
    assert data.block.rows.dim == max(indices, default=-1) + 1


@st.composite
def tables(draw: st.DrawFn) -> list[list[float]]:
    width = draw(st.integers(1, 5))
    one = st.lists(numbers, min_size=width, max_size=width)
    return draw(st.lists(one, min_size=1, max_size=20))


@given(tables(), forms, st.sampled_from((",", "\t", ";", ", ")), st.booleans())
def test_a_table_written_is_the_table_read(
    X: list[list[float]], form: str, separator: str, header: bool
) -> None:
    names = [f"größe {j}" for j in range(len(X[0]))]
    lines = [[*names, "y"]] if header else []
    lines += [[*map(repr, x), str(i % 2)] for i, x in enumerate(X)]
    data = reading(in_form("".join(separator.join(x) + "\n" for x in lines), form), "data.csv")
    assert same_bits(data.block.rows, [v for x in X for v in x])
    assert data.block.rows.dim == len(X[0])
    assert labels(data) == [i % 2 * 2 - 1 for i in range(len(X))]
    assert data.names == (tuple(names) if header else None)
    assert data.label == ("y" if header else str(len(X[0])))


def outcome(content: str | bytes, name: str) -> Data | str:
    try:
        return reading(content, name)
    except BadExample as error:
        return str(error)


@given(st.text(alphabet=' \t\n\r\v_,;:.+-#"01279eEnaif\x00\x1c\xa0١\ufeffq', max_size=60))
def test_any_text_is_read_or_refused_with_its_name(text: str) -> None:
    for name in ("x.svm", "x.csv", "x.tsv", "x"):
        data = outcome(text, name)
        if isinstance(data, str):
            assert data.startswith(f"{name}:")
        else:
            assert len(data.block) > 0
            assert np.isfinite(data.block.rows.values).all()


@given(st.binary(max_size=40))
def test_any_bytes_are_read_or_refused_with_their_name(raw: bytes) -> None:
    for content in (raw, b"\x1f\x8b\x08" + raw, gzip.compress(b"1 1:2\n")[: 10 + len(raw)]):
        data = outcome(content, "x")
        assert isinstance(data, Data) or data.startswith("x:")


@pytest.mark.parametrize("zero_based", [False, True])
def test_svmlight_reads_as_in_scikit_learn(tmp_path: Path, zero_based: bool) -> None:
    dice = np.random.default_rng(0)
    X = dice.standard_normal((9000, 12)) * (dice.random((9000, 12)) < 0.4)  # two batches and more
    X[0] = 1.0
    file = tmp_path / "data.svm"
    dump_svmlight_file(X, dice.integers(1, 3, 9000), str(file), zero_based=zero_based, comment="c")
    theirs, y = load_svmlight_file(str(file), zero_based=zero_based)
    ours = sources.read(file, zero_based=zero_based)
    assert sparse(ours) == (theirs.indices.tolist(), theirs.data.tolist(), theirs.indptr.tolist())
    assert ours.block.rows.dim == theirs.shape[1] == 12
    assert labels(ours) == np.where(y == 2, 1, -1).tolist()
    assert ours.classes == ("1", "2")


def test_indices_start_at_0_if_one_is_0_or_zero_based_is_given() -> None:
    assert sparse(reading("1 0:5 2:7\n-1 1:1\n"))[0] == [0, 2, 1]
    assert sparse(reading("1 1:5 2:7\n-1 1:1\n"))[0] == [0, 1, 0]
    assert sparse(reading("1 1:5 2:7\n-1 1:1\n", zero_based=True))[0] == [1, 2, 1]
    assert refusal("1 0:5\n", zero_based=False) == ("there is an index 0, but zero_based is False")


def test_a_qid_is_ignored() -> None:
    with_qid = reading("1 qid:3 1:5\n-1 qid:4 2:1 # a comment\n")
    assert sparse(with_qid) == sparse(reading("1 1:5\n-1 2:1\n"))


def test_comments_and_blank_lines_are_skipped() -> None:
    text = "# made by hand\n\n+1\t2:5  3:.5e1 # a: comment\n   \n-1 # 1:1\n 1 1:1#\n"
    assert sparse(reading(text)) == ([1, 2, 0], [5.0, 5.0, 1.0], [0, 2, 2, 3])
    assert reading("1 1:1\n\n\n-1 1:2\n").classes == ("-1", "1")
    assert dense(reading("a,b,y\n\n1,2,0\n  \n3,4,1\n", "x.csv")) == [[1, 2], [3, 4]]


def test_indices_have_32_bits_if_they_fit() -> None:
    for index, width in ((2**31 - 1, np.int32), (2**31, np.int64), (2**53 - 1, np.int64)):
        rows = reading(f"1 3:1 {index}:1\n").block.rows
        assert isinstance(rows, SparseRows)
        assert rows.indices.dtype == rows.starts.dtype == width
        assert (rows.indices.tolist(), rows.dim) == ([2, index - 1], index)
    assert sparse(reading("1 0:1 7:2\n", zero_based=True))[0] == [0, 7]


@pytest.mark.parametrize(
    ("written", "read", "classes"),
    [
        ("-1 +1", [-1, 1], ("-1", "1")),
        ("1 0", [1, -1], ("0", "1")),
        ("2 1 2.0", [1, -1, 1], ("1", "2")),
        ("10 9 +10", [1, -1, 1], ("9", "10")),
        ("0.5 -0.5", [1, -1], ("-0.5", "0.5")),
        ("spam ham", [1, -1], ("ham", "spam")),
        ("yes 7", [1, -1], ("7", "yes")),
        ("1", [1], ("-1", "1")),
        ("+1 1", [1, 1], ("-1", "1")),
        ("0", [-1], ("0", "1")),
        ("-1", [-1], ("-1", "1")),
        ("2 2", [1, 1], ("not 2", "2")),
        ("spam", [1], ("not spam", "spam")),
    ],
)
def test_the_smaller_label_is_negative_and_one_alone_has_its_own_sign(
    written: str, read: list[int], classes: tuple[str, str]
) -> None:
    for data in (
        reading("".join(f"{y} 1:1\n" for y in written.split())),
        reading("x,y\n" + "".join(f"1,{y}\n" for y in written.split()), "x.csv"),
    ):
        assert labels(data) == read
        assert data.classes == classes


def test_the_label_is_the_last_column_or_the_one_that_is_named() -> None:
    text = "y,1,height,kind\n0,2,3,1\n1,4,5,0\n"
    data = reading(text, "x.csv")
    assert (dense(data), labels(data)) == ([[0, 2, 3], [1, 4, 5]], [1, -1])
    assert (data.names, data.label) == (("y", "1", "height"), "kind")
    for label in ("y", 0, "0"):
        data = reading(text, "x.csv", label=label)
        assert (dense(data), labels(data)) == ([[2, 3, 1], [4, 5, 0]], [-1, 1])
        assert (data.names, data.label) == (("1", "height", "kind"), "y")
    assert reading(text, "x.csv", label="1").classes == ("2", "4")  # a name before a position
    data = reading("1,2,0\n3,4,1\n", "x.csv", label="1")
    assert (data.classes, data.label) == (("2", "4"), "1")
    assert reading("y,a,y\n1,2,3\n", "x.csv").label == "2"  # the name says too little
    assert reading("1 1:1\n").label is None


def test_given_classes_keep_their_signs_and_refuse_other_labels() -> None:
    for classes, read in ((("0", "1"), [1, 1]), (("1", "0"), [-1, -1])):
        for text, name in (("1 1:1\n1.0 1:2\n", "x.svm"), ("x,y\n1,1\n2,1.0\n", "x.csv")):
            data = reading(text, name, classes=classes)
            assert (labels(data), data.classes) == (read, classes)
    assert labels(reading("b 1:1\na 1:1\n", classes=("b", "a"))) == [-1, 1]
    assert refusal("1 1:1\n\n2 1:1\n", classes=("0", "1")) == (
        "data.svm:3: label '2' is not one of '0' and '1'; correct it, or pass keep= with the "
        "labels to read"
    )
    assert refusal("1 1:1\n", classes=("1", "1.0")) == (
        "the classes must be two labels, not '1', '1.0'"
    )


def test_a_first_line_is_an_example_if_only_its_label_is_a_text_like_the_others() -> None:
    data = reading("5.1,3.5,spam\n4.9,3.0,ham\n4.7,3.2,spam\n", "x.csv")
    assert (data.names, labels(data)) == (None, [1, -1, 1])
    data = reading("5.1,3.5,spam\n4.9,3.0,ham\n", "x.csv")
    assert (data.names, labels(data)) == (None, [1, -1])
    for others in (("ham", "spam"), ("0", "1"), ("1", "1")):
        data = reading("0,1,target\n4.9,3.0,{}\n4.7,3.2,{}\n".format(*others), "x.csv")
        assert data.names == ("0", "1")
        assert len(data.block) == 2
    data = reading("0,1,spam\n4.9,3.0,ham\n", "x.csv", label="spam")
    assert (data.names, data.classes) == (("0", "1"), ("not ham", "ham"))


def test_a_first_line_with_a_gap_is_no_header() -> None:
    assert refusal("1,,0\n1,2,1\n", "x.csv").startswith("x.csv:1: column 1: the value is missing")
    assert refusal("1,inf,0\n", "x.csv").startswith("x.csv:1: column 1: 'inf' is not finite")
    assert refusal("1,1_0,0\n", "x.csv").startswith("x.csv:1: column 1: '1_0' is not a number")
    assert refusal("4,,spam\n1,2,ham\n", "x.csv").startswith(
        "x.csv:1: column 1: the value is missing"
    )


def test_a_column_of_row_numbers_is_no_feature() -> None:
    rows = "0,1,0\n1,2,1\n"
    for text in (f",x,y\n{rows}", f'"","x","y"\n{rows}', f",0,target\n{rows}", ",x,y\nMazda,1,0\n"):
        assert len(reading(text, "x.csv").names or ()) == 1
    assert refusal(f"x,,y\n{rows}", "x.csv") == "x.csv:1: column 1 has no name; give it one"
    assert reading(f",x,y\n{rows}", "x.csv", label=0).names == ("x", "y")


def test_quoted_fields_may_hold_separators_and_lines() -> None:
    text = '"size, in\n cm", "y"\n"1.5", "no, not"\n 2 , yes \n'
    data = reading(text, "x.csv")
    assert data.names == ("size, in\n cm",)
    assert (dense(data), data.classes) == ([[1.5], [2.0]], ("no, not", "yes"))
    assert refusal(text + "x,yes\n", "x.csv").startswith("x.csv:5: column 'size, in\\n cm': 'x'")


SPARSE, TABLE = "1 2:5\n-1 1:3\n", "a,y\n1,0\n2,1\n"


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        *((f"x{end}", SPARSE, SparseRows) for end in (".svm", ".svmlight", ".txt")),
        *((f"x{end}", TABLE, DenseRows) for end in (".csv", ".CSV.gz", ".data")),
        ("x.LibSVM", "1\n-1\n", SparseRows),
        ("x.tsv", TABLE.replace(",", "\t"), DenseRows),
        ("x.data", "# from #7\n\n" + SPARSE, SparseRows),
        ("x", "#id;y\n" + TABLE[4:].replace(",", ";"), DenseRows),
    ],
)
def test_the_format_is_detected_from_the_name_or_the_first_line(
    name: str, text: str, kind: Any
) -> None:
    for content in (text.encode(), gzip.compress(text.encode())):
        assert isinstance(reading(content, name).block.rows, kind)


def test_the_format_may_be_given() -> None:
    assert isinstance(reading(TABLE, "x.svm", format="csv").block.rows, DenseRows)
    assert isinstance(reading(SPARSE, "x.csv", format="svmlight").block.rows, SparseRows)
    with pytest.raises(
        ValueError, match="format must be one of svmlight, .*, npz, npy, folders, not 'arff'"
    ):
        reading(SPARSE, format="arff")


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_a_dash_is_the_standard_input(monkeypatch: pytest.MonkeyPatch, compress: Any) -> None:
    def given_to(text: str, **options: Any) -> Data:
        raw = io.BytesIO(compress(text.encode()))
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(raw))
        return sources.read("-", **options)

    assert labels(given_to(SPARSE)) == [1, -1]
    assert given_to(TABLE).names == ("a",)
    with pytest.raises(BadExample, match="^<stdin>:1:7: indices must increase: 2 after 5$"):
        given_to("1 5:1 2:1\n", format="svmlight")


def test_a_file_that_is_not_there_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        sources.read(tmp_path / "none.svm")


ROW = "is missing; fill it in or remove the row"
GAP = "is missing; fill it in, or pass missing='zero' or missing='indicate'"
CATEGORY = "is not a number; correct it, or pass categorical=['height']"
TWO = "take one label against the rest (y == '3'; of files: pass one_vs_rest='3')"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("1 9:1 7:1", "indices must increase: 7 after 9"),
        ("1 7:1 7:1", "indices must increase: 7 after 7"),
        ("1 -3:1", "index -3 is negative"),
        (
            "1 9007199254740992:1",
            f"index 9007199254740992 is too large; the largest is {2**53 - 1}",
        ),
        (f"1 {2**62 + 1}:1", f"index {2**62 + 1} is too large; the largest is {2**53 - 1}"),
        (f"1 {'9' * 5000}:1", f"index {'9' * 39}… is too large; the largest is {2**53 - 1}"),
        ("1 3:abc", "index 3: 'abc' is not a number"),
        ("1 3:1_000", "index 3: '1_000' is not a number"),
        ("1 3:0x10", "index 3: '0x10' is not a number"),
        ("1 3:１", "index 3: '１' is not a number"),
        ("1 3:nan", f"index 3: 'nan' {ROW}"),
        ("1 3:-Infinity", "index 3: '-Infinity' is not finite; replace it or remove the row"),
        ("1 3:1e999", "index 3: '1e999' is too large for float64; scale it"),
        ("1 2:3:4 5", "index 2: '3:4' is not a number"),
        ("1 3:", "'3:' is not index:value"),
        ("1 3 :4", "'3' is not index:value"),
        ("1 +3:4", "'+3:4' is not index:value"),
        ("1 ٣:4", "'٣:4' is not index:value"),
        ("1 height:4", "'height:4' is not index:value"),
        ("3:1 4:1", "there is no label before '3:1'"),
        ("a\0 4:1", "zero byte: the file is not UTF-8, perhaps UTF-16; convert it to UTF-8"),
        ("1 qid:x 3:1", "'qid:x' is not index:value"),
        ("1 3:1 qid:7", "'qid:7' is not index:value"),
        ("1 3:1\xa04:1", "fields must be separated by spaces or tabs"),
        ("3 3:1", f"label '3' is a third label, after '1' and '-1'; {TWO}"),
        ("nan 3:1", "label 'nan' is not a class; correct it or remove the row"),
        ("inf 3:1", "label 'inf' is not a class; correct it or remove the row"),
    ],
)
def test_a_line_of_svmlight_that_cannot_be_read_is_named(line: str, words: str) -> None:
    for before in (2, 4101):
        good = "1 1:1\n-1 1:2\n" + "# ...\n" * (before - 2)
        found = refusal(good + line + "\n")
        assert re.fullmatch(rf"data.svm:{before + 1}(:[0-9]+)?: {re.escape(words)}", found)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("<5ft,1,0", f"column 'height': '<5ft' {CATEGORY}"),
        ("1,,0", f"column 'wide, cm': the value {GAP}"),
        ("1,NA,0", f"column 'wide, cm': 'NA' {GAP}"),
        ("1,?,0", f"column 'wide, cm': '?' {GAP}"),
        ("1,NaN,0", f"column 'wide, cm': 'NaN' {GAP}"),
        ("-inf,1,0", "column 'height': '-inf' is not finite; replace it or remove the row"),
        ("1e999,1,0", "column 'height': '1e999' is too large for float64; scale it"),
        ("1_000,1,0", f"column 'height': '1_000' {CATEGORY}"),
        ("１,1,0", f"column 'height': '１' {CATEGORY}"),
        (f"{'x' * 99},1,0", f"column 'height': '{'x' * 39}…' {CATEGORY}"),
        ("1,2", "2 fields, but the first line has 3; fill in the rest"),
        ("7", "1 field, but the first line has 3; fill in the rest"),
        (
            "1,2,3,4",
            "4 fields, but the first line has 3; quote a field that contains ','",
        ),
        ("1,2,", "column 'tall': the label is missing; fill it in or remove the row"),
        ("1,2,nan", "column 'tall': label 'nan' is not a class; correct it or remove the row"),
        (
            "1,2,3",
            "column 'tall': label '3' is a third label, after '0' and '1'; the label is "
            f"the last column unless you pass label=; or {TWO}",
        ),
        (
            '1,"2"3,0',
            "column 'wide, cm': expected ',' after '2' in quotes; "
            "write a quote inside quotes twice, or pass quote='none' if quotes are "
            "ordinary characters",
        ),
        (
            '1,"2,0\n1,2,0',
            "column 'wide, cm': a quote is opened and not closed; "
            "write a quote inside quotes twice, or pass quote='none' if quotes are "
            "ordinary characters",
        ),
    ],
)
def test_a_line_of_a_table_that_cannot_be_read_is_named(line: str, words: str) -> None:
    text = f'height,"wide, cm",tall\n1,2,0\n\n3,4,1\n{line}\n'
    assert refusal(text, "t.csv") == f"t.csv:5: {words}"


def test_a_decimal_comma_among_points_is_refused() -> None:
    assert refusal("a;y\n1.5;0\n1,5;1\n", "x.csv").startswith(
        "x.csv:3: column 'a': '1,5' is a number with a comma; pass decimal='comma' if "
    )


def test_a_table_is_not_svmlight() -> None:
    for text, line in (("1,2,a\n", 1), ("\n# mail\na;b;c\n", 3)):
        assert re.match(
            f"data.svm:{line}: '.*' is not svmlight; write: label index:value index:value",
            refusal(text, "data.svm"),
        )
    assert reading("a,b 1:2\nc 1:3\n").classes == ("a,b", "c")


def test_files_must_have_one_format(tmp_path: Path) -> None:
    table, sparse = tmp_path / "x.csv", tmp_path / "x.svm"
    table.write_text(TABLE)
    sparse.write_text(SPARSE)
    with pytest.raises(BadExample, match=r"x.svm: this file is svmlight, but .*x.csv is csv; read"):
        sources.read([table, sparse])


def test_columns_without_a_name_are_numbered_from_0_in_the_file() -> None:
    assert refusal("0,1,2\n1,1,2\n1,1,x\n", "x.csv", label=0) == (
        "x.csv:3: column 2: 'x' is not a number; correct it, or pass categorical=['2']"
    )
    assert refusal("1,0\n1,1\n1,2\n", "x.csv", label=1) == (
        f"x.csv:3: column 1: label '2' is a third label, after '0' and '1'; {TWO.replace('3', '2')}"
    )


FAR = "x: cannot be decompressed after 0 bytes"
CURE = "the file is damaged or cut short"
EMPTY = gzip.compress(b"", mtime=0)


@pytest.mark.parametrize(
    ("content", "name", "options", "words"),
    [
        *((text, name, {}, f"{name}: there are no examples")
          for text in ("", "\n \n", "\ufeff") for name in ("x.svm", "x.csv", "x")),
        ("# nothing\n", "x", {}, "x: there are no examples"),
        ("a,b,y\n", "x.csv", {}, "x.csv: there are no examples"),
        ("a\n1\n", "x.csv", {}, "x.csv:1: only one column; use commas, tabs, semicolons or spaces"),
        (TABLE, "x.csv", {"label": "z"}, "x.csv: there is no column 'z'; the columns are 'a', 'y'"),
        (TABLE, "x.csv", {"label": 2}, "x.csv: there is no column 2; the last is 1"),
        (TABLE, "x.csv", {"label": -1}, "x.csv: there is no column -1; the last is 1"),
        ("1,2\n", "x.csv", {"label": "y"},
         "x.csv: there is no column 'y'; without a header the columns are 0 to 1"),
        ("y,a,y\n1,2,3\n", "x.csv", {"label": "y"},
         "x.csv: 2 columns are called 'y'; give each its own name"),
        (TABLE, "x.csv", {"zero_based": True},
         "x.csv: zero_based applies to svmlight only"),
        (SPARSE, "x.svm", {"label": "y"},
         "x.svm: svmlight has no column 'y'; every line begins with its label"),
        ("\nhello world\n", "x", {},
         "x:2: 'hello world' is not in a known format; pass format="),
        (b"a,y\nx,0\n\xe9,1\n", "x.csv", {},
         "x.csv:3: column 'a': byte 0xe9 is not UTF-8; in Latin-1 it is 'é': convert the file "
         "(iconv -f latin1 -t utf8)"),
        (gzip.compress(b"1 1:1\n", mtime=0)[:-9], "x", {}, f"{FAR}; {CURE}"),
        (EMPTY[:10] + b"\xff" * 9, "x", {}, f"{FAR}; {CURE}"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_read_is_refused(
    content: str | bytes, name: str, options: Any, words: str
) -> None:
    assert refusal(content, name, **options) == words
