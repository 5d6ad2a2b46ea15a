"""The words of a text as features: as plain Python finds them, and the same from every format."""

from __future__ import annotations

import json
import math
import random
import sys
import unicodedata
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from helpers.text_features import UNICODE, features, folded
from novikoff import BadExample, TextFeatures
from novikoff.sources import LabelsAsSigns, Numbered, ReadOptions, open_files
from novikoff.sources.chunks import Names
from novikoff.sources.features import Features
from novikoff.sources.read_options import Grams, TextRule, TextValues
from novikoff.stream.rows import SparseRows

same_unicode = pytest.mark.skipif(
    unicodedata.unidata_version != UNICODE, reason="this Python has another version of Unicode"
)
RULES = [
    TextRule(g, v, u) for g in get_args(Grams) for v in get_args(TextValues) for u in (False, True)
]
TEXTS = [
    "Free entry! FREE ENTRY? Don't",
    "",
    "...",
    "Straße STRASSE ẞ İstanbul I ı",
    "e\u0301te\u0301 ÉTÉ naïve 日本語 हिन्दी ٣٤ Ⅷ x²",
    "emoji 😀 and 👩‍👩‍👧 flags",
    "\0nul\0inside",
]


def named(rows: SparseRows, names: Names) -> list[dict[str, float]]:
    known = [name.decode() for name in names]
    spans = zip(rows.starts[:-1].tolist(), rows.starts[1:].tolist(), strict=True)
    return [
        dict(
            zip(
                (known[j] for j in rows.indices[a:b].tolist()),
                rows.values[a:b].tolist(),
                strict=True,
            )
        )
        for a, b in spans
    ]


def core(texts: list[str], rule: TextRule, field: str = "text") -> list[dict[str, float]]:
    encoded = [text.encode() for text in texts]
    starts = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    rows, names = rule.rows(np.frombuffer(b"".join(encoded), dtype=np.uint8), starts, field)
    return named(rows, names)


def check(found: dict[str, float], wanted: dict[str, float], rule: TextRule) -> None:
    assert list(found) == list(wanted)
    if rule.values != "log" and not rule.unit_length:
        assert found == wanted
    # the reference rounds its logarithms and sums elsewhere: an ulp or two
    assert all(math.isclose(x, wanted[name], rel_tol=1e-15 * 4) for name, x in found.items())


letters = st.sampled_from("aAbßẞİıIiéÉ\u0301ΣσςÅ日\u200d٣²😀 .,-'\0\n_Ǆǅǆ\u0345Ꭰꭰ𐐀𐐨")


@same_unicode
@given(st.lists(st.text(letters, max_size=12) | st.text(max_size=12), max_size=6))
@example(TEXTS)
@example(["ab" * 9, "ab" * 8, "ab" * 8 + "x", "a" * 7 + " " + "a" * 8])
def test_words_are_those_of_plain_python(texts: list[str]) -> None:
    for rule in RULES:
        for text, found in zip(texts, core(texts, rule), strict=True):
            check(found, features(text, rule), rule)


@same_unicode
def test_every_character_is_told_and_folded_as_python_does() -> None:
    rule = TextRule("words", "counts", False)
    codes = [c for c in range(sys.maxunicode + 1) if not 0xD800 <= c < 0xE000]
    for k in range(0, len(codes), 50_000):
        some = [chr(c) for c in codes[k : k + 50_000]]
        for character, found in zip(some, core(some, rule), strict=True):
            is_word = unicodedata.category(character)[0] in "LMN"
            assert found == ({f"text={folded(character)}": 1.0} if is_word else {}), character


def test_ascii_is_read_eight_characters_at_a_time_as_one_by_one() -> None:
    """Each character at each place, next to letters, digits, spaces and characters of two bytes."""
    base = "Ab1 dE. hij.k 0Mn"
    runs = [base[:k] + chr(code) + base[k:] for code in range(128) for k in range(len(base))]
    mixed = [
        run[:k] + "É£"[k % 2] + run[k:] for k in range(len(base)) for run in runs[k :: len(base)]
    ]
    rule = TextRule("pairs", "counts", False)
    for text, found in zip(runs + mixed, core(runs + mixed, rule), strict=True):
        assert list(found.items()) == list(features(text, rule).items()), text


@same_unicode
def test_the_header_is_what_its_tool_writes() -> None:
    root = Path(__file__).parents[2]
    sys.path.insert(0, str(root / "tools"))
    try:
        import make_characters
    finally:
        sys.path.pop(0)
    assert make_characters.HEADER.read_text(encoding="utf-8") == make_characters.header()


def test_a_word_of_a_megabyte_is_one_feature() -> None:
    long = "X" * (1 << 20)
    (found,) = core([f"{long} y {long}"], TextRule("pairs", "counts", False))
    low = long.lower()
    assert found == {f"text={low}": 2, "text=y": 1, f"text={low} y": 1, f"text=y {low}": 1}


def test_pairs_of_a_large_vocabulary_are_told_apart() -> None:
    dice = random.Random(0)
    texts = [" ".join(f"w{dice.randrange(3000)}" for _ in range(2000)) for _ in range(20)]
    rule = TextRule("pairs", "counts", False)
    assert core(texts, rule) == [features(text, rule) for text in texts]


def test_a_text_has_length_1() -> None:
    for rule in RULES:
        (found,) = core(["one two two three three three"], rule)
        if rule.unit_length:
            assert math.isclose(math.fsum(x * x for x in found.values()), 1)


def test_a_rule_is_one_of_the_choices() -> None:
    with pytest.raises(ValueError, match="grams must be one of words, pairs, characters, not 'x'"):
        TextRule("x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="values must be one of counts, binary, log, not 'x'"):
        TextRule(values="x")  # type: ignore[arg-type]


def read(path: Path, how: ReadOptions) -> list[tuple[int, dict[str, float]]]:
    features = Features()
    out: list[tuple[int, dict[str, float]]] = []
    for block in Numbered(open_files(str(path), how), features, LabelsAsSigns()):
        names = features.names or ()
        for i in range(len(block)):
            x = block[i]
            row = {names[j]: v for j, v in zip(x.columns, x.values.tolist(), strict=True)}
            out.append((x.label, row))
    return out


def write(folder: Path, texts: list[str], labels: list[str]) -> dict[str, Path]:
    """The same messages in every format that has texts."""
    files = {kind: folder / f"mail.{kind}" for kind in ("csv", "jsonl", "parquet", "arrow")}
    quoted = ['"' + text.replace('"', '""') + '"' for text in texts]
    lines = [f"{i},{t},{y}" for i, (t, y) in enumerate(zip(quoted, labels, strict=True))]
    files["csv"].write_text("\n".join(["size,text,kind", *lines, ""]), newline="")
    objects = [
        {"size": i, "text": t, "kind": y}
        for i, (t, y) in enumerate(zip(texts, labels, strict=True))
    ]
    files["jsonl"].write_text("".join(json.dumps(one) + "\n" for one in objects))
    table = pa.table({"size": range(len(texts)), "text": texts, "kind": labels})
    pq.write_table(table, files["parquet"])
    with pa.ipc.new_file(files["arrow"], table.schema) as writer:
        writer.write_table(table)
    return files


@given(
    st.lists(
        st.tuples(
            st.text(st.sampled_from("aAbß İi.,\"' é日"), max_size=20),
            st.sampled_from(["ham", "spam"]),
        ),
        min_size=2,
        max_size=12,
    ),
    st.sampled_from(RULES),
)
def test_every_format_gives_the_same_features(
    tmp_path_factory: pytest.TempPathFactory, mail: list[tuple[str, str]], rule: TextRule
) -> None:
    texts, labels = map(list, zip(*mail, strict=True))
    files = write(tmp_path_factory.mktemp("mail"), texts, labels)
    how = ReadOptions(label="kind", text=("text",), text_rule=rule)
    first = read(files["csv"], how)
    for kind, path in files.items():
        assert read(path, how) == first, kind
    transformer = TextFeatures(
        grams=rule.grams, values=rule.values, unit_length=rule.unit_length, hash_bits=None
    )
    matrix = transformer.fit_transform(texts)
    names = transformer.get_feature_names_out().tolist()
    for i, (_, row) in enumerate(first):
        span = slice(matrix.indptr[i], matrix.indptr[i + 1])
        found = {names[j]: v for j, v in zip(matrix.indices[span], matrix.data[span], strict=True)}
        row.pop("size", None)
        assert found == row


def test_columns_are_numbered_alike_in_every_format(tmp_path: Path) -> None:
    texts = ["b a", "a c b", "d", "c d e"]
    files = write(tmp_path, texts, ["ham", "spam", "ham", "spam"])
    numbered: list[tuple[str, ...]] = []
    for path in files.values():
        features = Features()
        how = ReadOptions(label="kind", text=("text",))
        list(Numbered(open_files(str(path), how), features, LabelsAsSigns()))
        numbered.append(features.names or ())
    assert numbered[0][:4] == ("size", "text=b", "text=a", "text=b a")
    assert all(names == numbered[0] for names in numbered)


def test_texts_between_other_columns_keep_their_order(tmp_path: Path) -> None:
    rows: dict[str, Any] = {
        "a": [1.0, 2.0], "first": ["x y", "y z"], "b": ["u", "v"], "second": ["x", "x x"],
        "c": [3.0, 4.0], "y": ["p", "q"],
    }  # fmt: skip
    pq.write_table(pa.table(rows), tmp_path / "t.parquet")
    lines = [",".join(map(str, row)) for row in zip(*rows.values(), strict=True)]
    (tmp_path / "t.csv").write_text("\n".join([",".join(rows), *lines, ""]))
    how = ReadOptions(label="y", text=("first", "second"))
    assert read(tmp_path / "t.parquet", how) == read(tmp_path / "t.csv", how)
    assert read(tmp_path / "t.csv", how)[1][1].keys() == {
        "a", "first=y", "first=z", "first=y z", "b=v", "second=x", "second=x x", "c",
    }  # fmt: skip


def test_an_empty_field_is_an_empty_text_and_na_a_word(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("text,y\nNA,p\n,q\nnull ?,p\n")
    how = ReadOptions(text=("text",), text_rule=TextRule("words", "counts", False))
    rows = read(tmp_path / "t.csv", how)
    assert [row for _, row in rows] == [{"text=na": 1.0}, {}, {"text=null": 1.0}]


def test_a_missing_text_follows_the_rule_for_missing_values(tmp_path: Path) -> None:
    table = pa.table({"text": ["a b", None, ""], "y": ["p", "q", "p"]})
    pq.write_table(table, tmp_path / "t.parquet")
    lines = ['{"text": "a b", "y": "p"}', '{"text": null, "y": "q"}', '{"text": "", "y": "p"}']
    (tmp_path / "t.jsonl").write_text("\n".join([*lines, ""]))
    rule = TextRule("words", "binary", False)
    for name in ("t.parquet", "t.jsonl"):
        path = tmp_path / name
        with pytest.raises(BadExample, match="missing"):
            read(path, ReadOptions(label="y", text=("text",)))
        zero = ReadOptions(label="y", text=("text",), missing="zero", text_rule=rule)
        assert [row for _, row in read(path, zero)] == [{"text=a": 1.0, "text=b": 1.0}, {}, {}]
        marked = ReadOptions(label="y", text=("text",), missing="indicate", text_rule=rule)
        assert [row for _, row in read(path, marked)][1:] == [{"text=": 1.0}, {}]


def test_an_array_of_texts_is_one_document(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text(
        '{"mail": {"text": ["a b", "b c"]}, "label": "p"}\n{"mail": {"text": []}, "label": "q"}\n'
    )
    rule = TextRule("pairs", "counts", False)
    rows = read(tmp_path / "t.jsonl", ReadOptions(text=("mail.text",), text_rule=rule))
    wanted = {"a": 1, "b": 2, "a b": 1, "c": 1, "b c": 1}  # and no "b b"
    assert rows[0][1] == {f"mail.text={name}": n for name, n in wanted.items()}
    assert rows[1][1] == {}


@pytest.mark.parametrize("value", ["3", "true", "{}", "[1]", '["a", 1]'])
def test_what_is_not_a_text_at_the_key_of_one_is_refused(tmp_path: Path, value: str) -> None:
    (tmp_path / "t.jsonl").write_text(f'{{"text": {value}, "label": "p"}}\n')
    with pytest.raises(BadExample, match="t.jsonl:1:"):
        read(tmp_path / "t.jsonl", ReadOptions(text=("text",)))


def test_a_key_that_no_line_has_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text('{"body": "a", "label": "p"}\n{"body": "b", "label": "q"}\n')
    with pytest.raises(BadExample, match="no text at 'text' in the first 2 lines"):
        read(tmp_path / "t.jsonl", ReadOptions(text=("text",)))


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_a_bad_line_leaves_no_trace_of_its_words(tmp_path: Path, kind: str) -> None:
    rows = [("a b", "1"), ("c b a", "bad"), ("b c", "2"), ("a b c", "bad"), ("c b", "3")]
    for name, some in (("all", rows), ("good", [row for row in rows if row[1] != "bad"])):
        if kind == "csv":
            lines = ["text,x,y", *(f"{t},{x},{i % 2}" for i, (t, x) in enumerate(some))]
            lines += [f"z,{k},1" for k in range(9)]  # most of the column are numbers
        else:
            lines = [f'{{"text": "{t}", "x": {x}, "label": "p"}}' for t, x in some]
        (tmp_path / f"{name}.{kind}").write_text("\n".join([*lines, ""]))
    how = ReadOptions(text=("text",), skip_bad=2)
    found = [row for _, row in read(tmp_path / f"all.{kind}", how)]
    assert found == [row for _, row in read(tmp_path / f"good.{kind}", how)]
    assert any("text=c b" in row for row in found)


@pytest.mark.parametrize(("byte", "why"), [(b"\xff", "not UTF-8"), (b"\0", "zero byte")])
def test_bytes_that_are_not_utf8_are_refused(tmp_path: Path, byte: bytes, why: str) -> None:
    (tmp_path / "t.csv").write_bytes(b"text,y\nfine,p\nbad " + byte + b"word,q\n")
    with pytest.raises(BadExample, match=f"t.csv:3: column 'text': .*{why}"):
        read(tmp_path / "t.csv", ReadOptions(text=("text",)))


def test_the_number_of_threads_does_not_matter(tmp_path: Path) -> None:
    dice = random.Random(1)
    lines = [
        f"{dice.choice(['ham', 'spam'])}\t" + " ".join(f"w{dice.randrange(999)}" for _ in range(90))
        for _ in range(9000)
    ]
    (tmp_path / "t.tsv").write_text("\n".join([*lines, ""]))  # more than one piece
    found = []
    for threads in (0, 2):
        how = ReadOptions(label=0, text=("1",), header=False, threads=threads)
        features = Features()
        blocks = list(Numbered(open_files(str(tmp_path / "t.tsv"), how), features, LabelsAsSigns()))
        assert len(blocks) > 1
        found.append((features.names, [block.rows.values.tobytes() for block in blocks]))
    assert found[0] == found[1]


@pytest.mark.parametrize("bits", [3, 17, 18])  # 17 bits are sorted by digits of 6, 6 and 5
@pytest.mark.parametrize("rule", RULES, ids=str)
@pytest.mark.parametrize("columns", ["x c kind text", "text c x kind"])
def test_names_hashed_while_they_are_read_give_the_same_rows(
    tmp_path: Path, bits: int, rule: TextRule, columns: str
) -> None:
    dice = random.Random(2)

    def word() -> str:
        return "é" * dice.randrange(2) + "Ab" * dice.choice([0, 1, 3, 9]) + str(dice.randrange(30))

    rows = [
        {
            "x": f"{dice.randrange(9)}",
            "c": dice.choice("uvw"),
            "kind": dice.choice(["ham", "spam"]),
            "text": " ".join(word() for _ in range(dice.randrange(120))),
        }
        for _ in range(60)
    ]
    rows[7] = {"x": "bad", "c": "new", "kind": "ham", "text": "words of a bad line"}
    order = columns.split()
    lines = [",".join(row[name] for name in order) for row in rows]
    (tmp_path / "t.csv").write_text("\n".join([",".join(order), *lines, ""]))
    how = ReadOptions(label="kind", text=("text",), text_rule=rule, skip_bad=1)
    found = []
    for at_once in (False, True):
        features = Features(hash_bits=bits)
        options = features.hashed_while_read(how) if at_once else how
        source = open_files(str(tmp_path / "t.csv"), options)
        blocks = [block.rows.sparse() for block in Numbered(source, features, LabelsAsSigns())]
        arrays = [(r.values.tobytes(), r.indices.tolist(), r.starts.tolist()) for r in blocks]
        found.append((features.names, arrays))
    assert found[0] == found[1]


def test_names_are_hashed_while_they_are_read_only_if_that_is_the_same() -> None:
    how = ReadOptions()
    assert Features().hashed_while_read(how) == how
    assert Features(hash_bits=4, products=[("a", "b")]).hashed_while_read(how) == how
    assert Features(hash_bits=4, keep_names=False).hashed_while_read(how).most_names == 0
    assert Features(hash_bits=4).hashed_while_read(how, named=False).most_names == 0
    assert Features(hash_bits=4).hashed_while_read(how).hash_bits == 4
