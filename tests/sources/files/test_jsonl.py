"""JSON lines: what an object means, and what is refused in which words."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from helpers.text_lines import JSON_BENDS, json_lines
from helpers.text_parsers import Example, Refusal, garbled, padded, read_line
from novikoff import _core
from novikoff.sources.files.jsonl import JsonLines
from novikoff.sources.read_options import Missing, ReadOptions

UNLABELLED = JsonLines(ReadOptions(labelled=False))

MEANINGS = {
    '{"label": "spam", "a": 2.5}': Example("spam", (("a", 2.5),)),
    '{"label": 1}': Example("1", ()),
    '{"label": -1.50e0, "a": 1}': Example("-1.50e0", (("a", 1),)),
    '{"a": true, "b": false, "label": true}': Example("true", (("a", 1), ("b", 0))),
    '{"label": false, "color": "red"}': Example("false", (("color=red", 1),)),
    '{"label": "x", "a": {"b": {"c": 3}, "d": "e"}}': Example("x", (("a.b.c", 3), ("a.d=e", 1))),
    '{"label": "x", "a": {"label": 3}}': Example("x", (("a.label", 3),)),
    '{"label": "x", "w": ["to", "be", "to"]}': Example(
        "x", (("w=to", 1), ("w=be", 1), ("w=to", 1))
    ),
    '{"label": "x", "v": [1, -2e0, true]}': Example("x", (("v.0", 1), ("v.1", -2), ("v.2", 1))),
    '{"label": "x", "a": [], "b": {}, "c": ""}': Example("x", (("c=", 1),)),
    ' \t{ "label" :\t1 , "a" : 2 } \t': Example("1", (("a", 2),)),
    r'{"label": "\u00e9\n", "\"\\\/": "\uD83D\ude00\b\f\r\t"}': Example(
        "é\n", (('"\\/=😀\b\f\r\t', 1),)
    ),
    '{"label": "日本", "größe": "ß"}': Example("日本", (("größe=ß", 1),)),
    '{"label": "x", "a": 0.1, "b": 1e-400, "c": -0}': Example(
        "x", (("a", 0.1), ("b", 0), ("c", -0.0))
    ),
    '{"label": "x", "a=b": 1, "a": "b"}': Example("x", (("a=b", 1), ("a=b", 1))),
    '{"label": "x", "\\u0000": 1}': Example("x", (("\0", 1),)),
}


@pytest.mark.parametrize(("line", "meaning"), MEANINGS.items())
def test_an_object_means(line: str, meaning: Example) -> None:
    assert read_line(JsonLines(), line) == meaning


def test_the_label_is_the_key_that_is_named() -> None:
    line = '{"label": 1, "class": "spam"}'
    assert read_line(JsonLines(ReadOptions(label="class")), line) == Example(
        "spam", (("label", 1),)
    )


@pytest.mark.parametrize("line", ['{"a": 1}', '{"label": null, "a": 1}', '{"label": "", "a": 1}'])
def test_a_line_without_a_label_is_an_example_if_labels_are_optional(line: str) -> None:
    assert read_line(UNLABELLED, line) == Example(None, (("a", 1),))
    assert isinstance(read_line(JsonLines(), line), Refusal)


@pytest.mark.parametrize(
    ("value", "zero", "indicate"),
    [
        ("null", {}, {"a=": 1}),
        ('{"b": null}', {}, {"a.b=": 1}),
        ("[null, 2, null]", {"a.1": 2}, {"a.0=": 1, "a.1": 2, "a.2=": 1}),
        ('[null, "x"]', {"a=x": 1}, {"a=": 1, "a=x": 1}),
        ('["x", null]', {"a=x": 1}, {"a=x": 1, "a=": 1}),
        ("[null, null]", {}, {"a.0=": 1, "a.1=": 1}),
    ],
)
def test_null_is_refused_or_zero_or_indicated(
    value: str, zero: dict[str, float], indicate: dict[str, float]
) -> None:
    line = f'{{"label": 1, "a": {value}}}'
    assert isinstance(read_line(JsonLines(), line), Refusal)
    assert read_line(JsonLines(ReadOptions(missing="zero")), line) == Example(
        "1", tuple(zero.items())
    )
    assert read_line(JsonLines(ReadOptions(missing="indicate")), line) == Example(
        "1", tuple(indicate.items())
    )


NOT_A_NUMBER = "is not a JSON number: no leading + or 0, and digits on both sides"
NOT_A_VALUE = "is not a JSON value; texts need double quotes, and JSON has no NaN or Infinity"
NULL = "null is missing; fill it in, or pass missing='zero' or missing='indicate'"

FLAWS = {
    "[1, 2]": (1, """'[1, 2]' is not an object; write {"name": value} on each line"""),
    " 7": (2, """'7' is not an object; write {"name": value} on each line"""),
    "{": (2, 'expected a key in double quotes ("), but the line ends'),
    '{"a": 1,}': (9, """expected a key in double quotes ("), not '}'"""),
    "{a: 1}": (2, """expected a key in double quotes ("), not 'a: 1}'"""),
    '{"": 1}': (2, "a key is empty; give it a name"),
    '{"é": 1, "é": null}': (10, "key 'é' is repeated, alone or inside another"),
    '{"a": {"b": 1}, "a.b": 1}': (17, "key 'a.b' is repeated, alone or inside another"),
    '{"label": 1, "label": 1}': (14, "key 'label' is repeated, alone or inside another"),
    '{"a" 1}': (6, "expected a colon after the key, not '1}'"),
    '{"a"': (5, "expected a colon after the key, but the line ends"),
    '{"a": 1 "b": 2}': (9, """expected a comma or a closing bracket, not '"b": 2}'"""),
    '{"a": 1': (8, "expected a comma or a closing bracket, but the line ends"),
    '{"a": [1': (9, "expected a comma or a closing bracket, but the line ends"),
    '{"a": truer}': (11, "expected a comma or a closing bracket, not 'r}'"),
    '{"a": ': (7, "expected a value, but the line ends"),
    '{"a": ,': (7, "expected a value, not ','"),
    '{"a": NaN}': (7, f"'a': 'NaN' {NOT_A_VALUE}"),
    '{"a": [1, nul]}': (11, f"'a': 'nul' {NOT_A_VALUE}"),
    '{"label": spam}': (11, f"'label': 'spam' {NOT_A_VALUE}"),
    '{"a": +1}': (7, f"'a': '+1' {NOT_A_VALUE}"),
    '{"a": -}': (7, f"'a': '-' {NOT_A_NUMBER} of a point"),
    '{"a": -Infinity}': (7, f"'a': '-Infinity' {NOT_A_NUMBER} of a point"),
    '{"b": 1, "a": [1, 012]}': (19, f"'a': '012' {NOT_A_NUMBER} of a point"),
    '{"a": 1.}': (7, f"'a': '1.' {NOT_A_NUMBER} of a point"),
    '{"a": 1.e5}': (7, f"'a': '1.e5' {NOT_A_NUMBER} of a point"),
    '{"a": 1e}': (7, f"'a': '1e' {NOT_A_NUMBER} of a point"),
    '{"a": -1e999}': (7, "'a': '-1e999' is too large for float64; scale it"),
    '{"a": "b': (9, "a text is not closed on its line"),
    '{"a": "b\tc"}': (9, r"a control character in a text must be written as \t"),
    '{"a": "b\x1fc"}': (9, r"a control character in a text must be written as \u001f"),
    r'{"a": "\x"}': (8, r"\x is not a JSON escape; write a backslash twice"),
    r'{"a": "\u12g4"}': (
        8,
        r"\u12g4 is not a JSON escape; write a backslash twice",
    ),
    r'{"a": "\ud83d."}': (8, r"\ud83d is half of a surrogate pair, not a character"),
    r'{"a": "\uDE00"}': (8, r"\uDE00 is half of a surrogate pair, not a character"),
    r'{"a": "\ud83d\ud83d"}': (8, r"\ud83d is half of a surrogate pair, not a character"),
    '{"a":' * 33 + "1" + "}" * 33: (
        161,
        "more than 32 objects inside one another; flatten them",
    ),
    '{"a": [[1]]}': (
        8,
        "'a': an array must hold texts or numbers, not '[1]]}'; flatten it",
    ),
    '{"a": [1, "x"]}': (11, """an array must hold only texts or only numbers, not also '"x"'"""),
    '{"a": ["x", true]}': (13, "an array must hold only texts or only numbers, not also 'true'"),
    '{"a": null}': (7, f"'a': {NULL}"),
    '{"label": [1]}': (
        11,
        "'label': a label must be a text, a number, true or false, not '[1]}'",
    ),
    ' {"a": 1}': (2, "there is no key 'label' for the label; pass label="),
    '{"label": null}': (11, "label 'label' is null; fill it in or remove the line"),
    '{"label": ""}': (11, "label 'label' is \"\"; fill it in or remove the line"),
    '{"label": 1} {}': (14, "'{}' follows the object; write one object on a line"),
    f'{{"{"k" * 200}": {{"{"k" * 56}": 1}}}}': (
        207,
        "a key, with those around it, is longer than 256 bytes; shorten it",
    ),
}


@pytest.mark.parametrize(("line", "flaw"), FLAWS.items())
def test_a_bad_line_is_refused_in_these_words(line: str, flaw: tuple[int, str]) -> None:
    assert read_line(JsonLines(), line) == Refusal(1, *flaw)


def test_text_that_is_not_utf8_is_refused() -> None:
    found = read_line(JsonLines(), b'{"label": "caf\xe9"}')
    assert isinstance(found, Refusal)
    assert found.column == 15
    assert found.words.startswith("byte 0xe9 is not UTF-8")


def test_objects_may_be_32_deep() -> None:
    found = read_line(UNLABELLED, '{"a":' * 32 + "1" + "}" * 32)
    assert found == Example(None, ((".".join("a" * 32), 1),))


class Written(str):
    """A number as it is written."""


class Refused(Exception):  # noqa: N818  (it is an outcome)
    pass


def textbook(line: str, missing: Missing) -> Example | None:
    """What Python's json and a few rules make of a line; None if it must be refused."""
    met: set[str] = set()
    label: str | None = None

    def features(path: str, value: Any) -> Iterator[tuple[str, float]]:
        if isinstance(value, Written):
            if not math.isfinite(float(value)):
                raise Refused
            yield path, float(value)
        elif isinstance(value, str):
            yield f"{path}={value}", 1
        elif isinstance(value, bool):
            yield path, value
        elif isinstance(value, dict):
            yield from inside(value, path + ".")
        elif isinstance(value, list):
            yield from elements(path, value)
        elif missing == "refuse":
            raise Refused
        elif missing == "indicate":
            yield f"{path}=", 1

    def elements(path: str, values: list[Any]) -> Iterator[tuple[str, float]]:
        kinds = {isinstance(v, str) and not isinstance(v, Written) for v in values if v is not None}
        if len(kinds) > 1 or any(isinstance(v, list | dict) for v in values):
            raise Refused
        for i, value in enumerate(values):
            yield from features(path if kinds == {True} else f"{path}.{i}", value)

    def inside(given: dict[str, Any], before: str = "") -> Iterator[tuple[str, float]]:
        nonlocal label
        for key, value in given.items():
            path = before + key
            if not key or path in met or len(path.encode()) > 256:
                raise Refused
            met.add(path)
            if before or key != "label":
                yield from features(path, value)
                continue
            if isinstance(value, list | dict):
                raise Refused
            list(features("", value if value is not None else ""))  # a number may be too large
            label = {True: "true", False: "false"}.get(value, value) or None

    try:
        given = json.loads(
            line,
            parse_int=Written,
            parse_float=Written,
            parse_constant=_refuse,
            object_pairs_hook=_once,
        )
        found = tuple(inside(given)) if isinstance(given, dict) else _refuse("")
        (line + json.dumps(given, ensure_ascii=False)).encode()
    except (json.JSONDecodeError, UnicodeEncodeError, Refused):
        return None
    return Example(label, found)


def _refuse(_: str) -> Any:
    raise Refused


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise Refused
    return dict(pairs)


RULES: st.SearchStrategy[Missing] = st.sampled_from(["refuse", "zero", "indicate"])


def check(line: str, missing: Missing) -> None:
    found = read_line(JsonLines(ReadOptions(labelled=False, missing=missing)), line)
    expected = textbook(line, missing) if line.strip(" \t") else None
    if isinstance(found, Refusal):
        assert expected is None
        assert 1 <= found.column <= len(line) + 1
    else:
        assert found == expected


@given(json_lines(), RULES)
@example('{"label": 1, "a": {"label": 2}}', "refuse")
def test_what_is_written_is_read(line: str, missing: Missing) -> None:
    check(line, missing)


@given(garbled(json_lines(), JSON_BENDS), RULES)
def test_a_garbled_line_is_read_as_python_does_or_refused(line: str, missing: Missing) -> None:
    check(line, missing)


TOKENS = ["{", "}", "[", "]", ",", ":", '"a"', '"b"', '"label"', "1", "-0.5e+1", "01", "1.", "null"]
TOKENS += ["true", " ", '"\\ud83d', "\\ude00", '"', "\\n", "\\", "NaN", "é", "\x7f", "\x01"]


@given(st.lists(st.sampled_from(TOKENS), max_size=12).map("".join), RULES)
def test_any_tokens_are_read_as_python_does_or_refused(rest: str, missing: Missing) -> None:
    check(rest, missing)
    check('{"a":' + rest, missing)
    check('{"a":' + rest + "}", missing)


@given(st.text("+-.eE0123456789", max_size=8))
@example("-0")
@example("1e5")
def test_a_number_is_one_where_python_says_so(number: str) -> None:
    check(f'{{"a":{number}}}', "refuse")


def test_a_rule_for_missing_values_must_be_known() -> None:
    with pytest.raises(ValueError, match="refuse, zero or indicate"):
        _core.parse_jsonl(
            padded(b"{}"),
            length=2,
            allowed=0,
            label="label",
            labelled=True,
            weight="",
            weighed=True,
            missing="guess",
            ignored=[],
            texts=[],
            rule=(0, 0, False),
        )
