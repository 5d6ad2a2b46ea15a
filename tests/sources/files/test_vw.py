"""Vowpal Wabbit's text: what a line means, and what is refused in which words."""

from __future__ import annotations

import math
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given

from helpers.text_lines import VW_BENDS, vw_lines
from helpers.text_parsers import Example, Refusal, garbled, padded, parse, read, read_line
from novikoff import _core
from novikoff.sources import LabelsAsSigns, Numbered, ReadOptions, open_files
from novikoff.sources.chunks import Names
from novikoff.sources.features import Features
from novikoff.sources.files import text
from novikoff.sources.files.vw import Vw
from novikoff.stream.number_text import NUMBER

UNLABELLED = Vw(ReadOptions(labelled=False))

MEANINGS = {
    "1 | a b": Example("1", (("a", 1), ("b", 1))),
    "spam |": Example("spam", ()),
    "-1 | a:2.5 b:-1e-3 c:+.5": Example("-1", (("a", 2.5), ("b", -0.001), ("c", 0.5))),
    "1 |mail a b:2": Example("1", (("mail^a", 1), ("mail^b", 2))),
    "1 |mail:0.5 a b:2": Example("1", (("mail^a", 0.5), ("mail^b", 1))),
    "1 |m a |n a | a": Example("1", (("m^a", 1), ("n^a", 1), ("a", 1))),
    "1 |m a|n b": Example("1", (("m^a", 1), ("n^b", 1))),
    "1 |m|n b": Example("1", (("n^b", 1),)),
    "1 | a a:2 a": Example("1", (("a", 1), ("a", 2), ("a", 1))),
    "1 2.5 | a": Example("1", (("a", 1),), 2.5),
    "1 0 0 | a": Example("1", (("a", 1),), 0),
    "1 2 -0.0 'tag| a": Example("1", (("a", 1),), 2),
    "1 2 0 tag| a": Example("1", (("a", 1),), 2),
    "1 'tag | a": Example("1", (("a", 1),)),
    "1 tag|a b": Example("1", (("a^b", 1),)),
    "1 3|a b": Example("1", (("a^b", 1),)),
    "\t 1 \t|  a\t b ": Example("1", (("a", 1), ("b", 1))),
    "naïve | größe:2 |ß 日本": Example("naïve", (("größe", 2), ("ß^日本", 1))),
    "1 | a:0 b:-0": Example("1", (("a", 0), ("b", -0.0))),
    "1 |m:0 a:3 |n:-2 b": Example("1", (("m^a", 0), ("n^b", -2))),
}


@pytest.mark.parametrize(("line", "meaning"), MEANINGS.items())
def test_a_line_means(line: str, meaning: Example) -> None:
    assert read_line(Vw(), line) == meaning


@pytest.mark.parametrize("line", ["| a", "|", "'tag | a", "tag| a", "1| a", "'| a"])
def test_a_line_without_a_label_is_an_example_if_labels_are_optional(line: str) -> None:
    found = read_line(UNLABELLED, line)
    assert isinstance(found, Example)
    assert found.label is None
    assert isinstance(read_line(Vw(), line), Refusal)


FLAWS = {
    "1 2:3 4:5": (1, "there is no | in this line; write: label | name:value name:value"),
    "  | a": (3, "there is no label before the |"),
    "'t | a": (1, """there is no label before the tag "'t\""""),
    "1| a": (
        1,
        "there is no label: '1' touches the |, so it is a tag; put a space between",
    ),
    "1:2:0.5 | a": (1, "label '1:2:0.5' has costs, which are not supported; write a class"),
    "'t 1 | a": (1, """tag "'t" must be the last word before the |"""),
    "1 1 0 2 | a": (
        7,
        "'2' is one word too many: "
        "before the | there may be a label, an importance, a base and a tag",
    ),
    "1 heavy | a": (3, "importance 'heavy' is not a number"),
    "1 -2 | a": (
        3,
        "importance '-2' is negative; to learn the opposite, change the label",
    ),
    "1 1e999 | a": (3, "importance '1e999' is too large for float64; scale it"),
    "1 1 0.5 | a": (
        5,
        "base '0.5' must be 0 or left out",
    ),
    "1 1 x | a": (5, "base 'x' is not a number"),
    "é | a:x": (5, "feature 'a': 'x' is not a number"),
    "1 | a: b": (5, "feature 'a': the value is missing; fill it in or remove the row"),
    "1 | a:1e999": (5, "feature 'a': '1e999' is too large for float64; scale it"),
    "1 | a:nan": (5, "feature 'a': 'nan' is missing; fill it in or remove the row"),
    "1 | a:-inf": (5, "feature 'a': '-inf' is not finite; replace it or remove the row"),
    "1 | a:1:2": (5, "feature 'a': '1:2' is not a number"),
    "1 | a:1e": (5, "feature 'a': '1e' is not a number"),
    "1 | a:0x10": (5, "feature 'a': '0x10' is not a number"),
    "1 | :3": (5, "':3' has no name before the colon"),
    "1 |:3 a": (4, "':3' has no name before the colon"),
    "1 |m:x a": (4, "scale of namespace 'm': 'x' is not a number"),
    "1 |m: a": (4, "scale of namespace 'm': the value is missing; fill it in or remove the row"),
    "1 |m:1e200 a:1e200": (
        12,
        "feature 'a': 1e200 times the scale of its namespace is too large for float64",
    ),
    f"1 |{'m' * 257} a": (
        4,
        f"namespace '{'m' * 39}…' is longer than 256 bytes; shorten it",
    ),
}


@pytest.mark.parametrize(("line", "flaw"), FLAWS.items())
def test_a_bad_line_is_refused_in_these_words(line: str, flaw: tuple[int, str]) -> None:
    assert read_line(Vw(), line) == Refusal(1, *flaw)


def test_text_that_is_not_utf8_is_refused() -> None:
    advice = "in Latin-1 it is 'é': convert the file (iconv -f latin1 -t utf8)"
    latin = f"byte 0xe9 is not UTF-8; {advice}"
    zero = "zero byte: the file is not UTF-8, perhaps UTF-16; convert it to UTF-8"
    _, refusals = read(Vw(), b"caf\xe9 | a\n1 | b\n1 'caf\xe9| a\n" + "1 | é".encode("utf-16-le"))
    assert refusals == [Refusal(1, 4, latin), Refusal(3, 7, latin), Refusal(4, 2, zero)]


def test_a_line_that_is_good_but_for_its_bytes_leaves_no_trace() -> None:
    examples, refusals = read(Vw(), b"ham 3 | caf\xe9\nspam 2 | b\n")
    assert examples == [Example("spam", (("b", 1),), 2)]
    assert [refusal.line for refusal in refusals] == [1]


@pytest.mark.parametrize("size", range(20))
def test_a_text_is_utf8_where_python_says_so(size: int) -> None:
    hard = (
        "c080 c1bf c2 c280 dfbf e09fbf e0a080 ed9fbf eda080 edbfbf ee8080 efbfbf f08fbfbf f0908080"
    )
    hard += " f48fbfbf f4908080 f5808080 ff 80 e28082 e282 f09f98 f09f9880"
    for word in map(bytes.fromhex, hard.split()):
        name = b"a" * size + word + b"b"
        try:
            expected: str | None = name.decode()
        except UnicodeDecodeError:
            expected = None
        found = read_line(Vw(), b"1 | " + name)
        assert (found.features[0][0] if isinstance(found, Example) else None) == expected


def textbook(line: str) -> Example | None:
    """The example that a line, if it is not blank, writes; None if it is to be refused."""
    head, bar, body = line.partition("|")
    words = re.findall(r"[^ \t]+", head)
    if words and (head[-1] not in " \t" or words[-1].startswith("'")):
        words.pop()
    numbers = [float(word) if re.fullmatch(NUMBER, word) else math.nan for word in words[1:]]
    importance, base = [*numbers, *(1, 0)[len(numbers) :]][:2]
    if not bar or len(words) > 3 or any(":" in w or w.startswith("'") for w in words[:1]):
        return None
    if not 0 <= importance < math.inf or base != 0:
        return None
    features = []
    for space in body.split("|"):
        fields = re.split(r"[ \t]+", space)
        fields[1:] = filter(None, fields[1:])
        pairs = [re.fullmatch(rf"([^:]+)(?::({NUMBER}))?", field) for field in fields]
        scale = float(pairs[0][2] or 1) if pairs[0] else 1
        if (fields[0] and not pairs[0]) or not math.isfinite(scale) or None in pairs[1:]:
            return None
        prefix = pairs[0][1] + "^" if pairs[0] else ""
        features += [(prefix + p[1], float(p[2] or 1) * scale) for p in pairs[1:] if p]
    if not all(math.isfinite(x) for _, x in features):
        return None
    return Example(words[0] if words else None, tuple(features), importance)


@given(vw_lines())
@example("1 | a:1e-400")
def test_what_is_written_is_read(line: str) -> None:
    expected = textbook(line)
    found = read_line(UNLABELLED, line)
    assert found == expected if expected else isinstance(found, Refusal)


@given(garbled(vw_lines(), VW_BENDS))
@example("1 'a 'b | c")
@example("'a | b")
@example("1 1 0 0| b")
def test_a_garbled_line_is_read_as_the_textbook_does_or_refused(line: str) -> None:
    found, expected = read_line(UNLABELLED, line), textbook(line) if line.strip(" \t") else None
    if isinstance(found, Refusal):
        assert expected is None
        assert 1 <= found.column <= len(line) + 1
    else:
        assert found == expected


def test_a_label_remembers_its_first_line() -> None:
    text = b"\nbad\nspam | a\nham | b\nspam | c\n"
    chunk = Vw().chunk(parse(Vw(), text), lambda line: f"mail.vw:{line + 1}", 7)
    assert (chunk.label_texts, chunk.label_places) == (("spam", "ham"), ("mail.vw:3", "mail.vw:4"))
    assert chunk.first == 7
    assert chunk.importances is None


def test_a_text_needs_padding_and_a_line_s_end() -> None:
    with pytest.raises(ValueError, match="padding"):
        _core.parse_vw(padded(b"1 | a")[:-1], length=5, allowed=0, labelled=True)
    with pytest.raises(ValueError, match="line's end"):
        _core.parse_vw(padded(b"1 | a:12"), length=7, allowed=0, labelled=True)


@pytest.mark.parametrize("piece", [1 << 21, 4096])
@pytest.mark.parametrize("bits", [3, 9, 18])
def test_names_hashed_while_they_are_read_give_the_same_rows(
    tmp_path: Path, bits: int, piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text, "PIECE_BYTES", piece)
    dice = random.Random(bits)

    def features(most: int) -> str:
        words = [f"w{dice.randrange(999)}:{dice.random()}" for _ in range(dice.randrange(most))]
        return " ".join(words)

    lines = [f"{dice.choice((-1, 1))} |{features(90)} |m:3 {features(200)}" for _ in range(300)]
    lines[7] = "1 | names of:a bad line:x"
    (tmp_path / "t.vw").write_text("\n".join([*lines, ""]))
    how, found = ReadOptions(skip_bad=1), []
    for at_once in (False, True):
        known = Features(hash_bits=bits)
        options = known.hashed_while_read(how) if at_once else how
        source = open_files(str(tmp_path / "t.vw"), options)
        rows = [block.rows.sparse() for block in Numbered(source, known, LabelsAsSigns())]
        arrays = [(r.values.tobytes(), r.indices.tolist(), r.starts.tolist()) for r in rows]
        found.append((known.names, arrays))
    assert found[0] == found[1]


def test_the_names_of_columns_that_have_one_are_not_read_again() -> None:
    def parsed(lines: bytes, known: _core.SlotNames | None) -> dict[str, Any]:
        piece = np.frombuffer(lines + b"\n" * text.PADDING, dtype=np.uint8)
        options: dict[str, Any] = {"length": len(lines), "allowed": 0, "labelled": True}
        return _core.parse_vw(piece, **options, bits=9, most_names=9, known=known)

    held = _core.SlotNames(9, 9)
    first = parsed(b"1 | a b\n", held)
    held.meet(first["names"][2].astype(np.int64), *first["names"][:2])
    again, unknown = (parsed(b"1 | c a:2 c b\n", known) for known in (held, None))
    assert [*Names(*first["names"])] == [b"a", b"b"]
    assert [*Names(*again["names"])] == [b"c"]
    assert [*Names(*unknown["names"])] == [b"c", b"a", b"b"]
    assert again["indices"].tolist() == unknown["indices"].tolist()
    assert again["values"].tolist() == unknown["values"].tolist()
    with pytest.raises(ValueError, match="the known names are those of as many columns"):
        parsed(b"1 | a\n", _core.SlotNames(8, 9))
