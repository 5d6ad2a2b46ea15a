"""JSON lines: an object on each line, whose values are features named by their keys."""

from __future__ import annotations

import json
import re
from enum import IntEnum

from novikoff import _core
from novikoff.sources.files.text import (
    NOT_UTF8,
    Parsed,
    Text,
    TextFormat,
    column,
    not_utf8,
    part,
)
from novikoff.sources.reading import Missing
from novikoff.stream.input_problems import BadExample, Problem, quoted

_STRING = r'"(?:[^"\\]|\\.)*"'
_KEY_BEFORE = re.compile(rf"({_STRING})[ \t]*:[ \t]*(?:\[[^\"\[\]]*)?\Z")


class JsonFlaw(IntEnum):
    """Why the core could not read a line; the numbers are the core's."""

    OBJECT = 1
    KEY = 2
    EMPTY_KEY = 3
    TWICE = 4
    COLON = 5
    COMMA = 6
    VALUE = 7
    NUMBER = 8
    LARGE = 9
    CONTROL = 10
    ESCAPE = 11
    DEEP = 12
    NESTED = 13
    MIXED = 14
    MISSING = 15
    LABEL = 16
    NO_LABEL = 17
    AFTER = 18
    PREFIX = 19


class JsonLines(TextFormat):
    """A JSON object on each line (RFC 8259, to the letter).

    A number x under key c is feature "c" with value x; true and false are 1 and 0. A text v is
    feature "c=v" with value 1. The keys of an object under c follow a dot: "c.d". An array of texts
    is a bag, feature "c=v" for each; an array of numbers is "c.0", "c.1" and so on. No key may come
    twice, even if "c.d" is one key in one place and d inside c in another.

    Parameters
    ----------
    label
        The key of the label: a text, or a number, true or false as it is written.
    labelled
        Whether a line without a label, or where it is null or "", is refused.
    missing
        What null means: "refuse" the line, "zero" is no feature, "indicate" is feature "c=" with
        value 1.
    """

    description = "JSON lines"

    def __init__(
        self, *, label: str = "label", labelled: bool = True, missing: Missing = "refuse"
    ) -> None:
        self.label, self.labelled, self.missing = label, labelled, missing

    def parse(self, text: Text, length: int, allowed: int) -> Parsed:
        """The examples of a piece, until more lines than allowed are bad."""
        return _core.parse_jsonl(
            text,
            length=length,
            allowed=allowed,
            label=self.label,
            labelled=self.labelled,
            missing=self.missing,
        )

    def flaw(self, line: bytes, at: int, why: int) -> tuple[int, BadExample]:
        """The column of the error in a line, and the error."""
        return column(line, at), self._error(line, at, why)

    def _error(self, line: bytes, at: int, why: int) -> BadExample:
        if why == NOT_UTF8:
            return not_utf8(line)[1]
        if why == JsonFlaw.MISSING:
            return BadExample(f"{_key(line, at)}null is missing", Problem.MISSING_VALUE)
        if why == JsonFlaw.NO_LABEL:
            if value := part(line, at, r'null|""'):
                return BadExample(
                    f"label {quoted(self.label)} is {value}; fill it in or remove the line"
                )
            return BadExample(
                f"there is no key {quoted(self.label)} for the label",
                Problem.WRONG_LABEL_KEY,
                label=self.label,
            )
        return BadExample(_words(line, at, JsonFlaw(why)))


def _words(line: bytes, at: int, why: JsonFlaw) -> str:
    found = part(line, at, r".*")
    rest = f"not {quoted(found)}" if found.strip() else "but the line ends"
    word = part(line, at, r"[^\s,\]}]*")
    match why:
        case JsonFlaw.OBJECT:
            return f'{quoted(found)} is not an object; write {{"name": value}} on each line'
        case JsonFlaw.KEY:
            return f'expected a key in double quotes ("), {rest}'
        case JsonFlaw.EMPTY_KEY:
            return "a key is empty; give it a name"
        case JsonFlaw.TWICE:
            return f"key {_text(part(line, at, _STRING))} comes twice, alone or inside another"
        case JsonFlaw.COLON:
            return f"expected a colon after the key, {rest}"
        case JsonFlaw.COMMA:
            return f"expected a comma or a closing bracket, {rest}"
        case JsonFlaw.VALUE if not word:
            return f"expected a value, {rest}"
        case JsonFlaw.VALUE:
            return (
                f"{_key(line, at)}{quoted(word)} is not a JSON value; texts need double quotes, "
                "and JSON has no NaN or Infinity"
            )
        case JsonFlaw.NUMBER:
            return (
                f"{_key(line, at)}{quoted(word)} is not a JSON number: no leading + or 0, and "
                "digits on both sides of a point"
            )
        case JsonFlaw.LARGE:
            return f"{_key(line, at)}{quoted(word)} is too large for float64; scale it"
        case JsonFlaw.CONTROL if not found:
            return "a text is not closed on its line"
        case JsonFlaw.CONTROL:
            escaped = json.dumps(found[0])[1:-1]
            return f"a control character in a text must be written as {escaped}"
        case JsonFlaw.ESCAPE:
            return _escape(line, at)
        case JsonFlaw.DEEP:
            return "more than 32 objects inside one another; flatten them"
        case JsonFlaw.NESTED:
            return f"{_key(line, at)}an array must hold texts or numbers, {rest}; flatten it"
        case JsonFlaw.MIXED:
            return f"an array must hold only texts or only numbers, not also {quoted(word)}"
        case JsonFlaw.LABEL:
            return f"{_key(line, at)}a label must be a text, a number, true or false, {rest}"
        case JsonFlaw.AFTER:
            return f"{quoted(found)} follows the object; write one object on a line"
        case JsonFlaw.PREFIX:
            return "a key, with those around it, is longer than 256 bytes; shorten it"
    raise AssertionError(f"{why!r} is explained elsewhere")


def _escape(line: bytes, at: int) -> str:
    half = part(line, at, r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
    if half:
        return f"{half} is half of a surrogate pair, not a character"
    escape = part(line, at, r'\\u?[^"]{0,4}')
    return f"{escape} is not a JSON escape; write a backslash twice"


def _text(string: str) -> str:
    """A JSON string as it is shown in messages; it may have been cut."""
    try:
        return quoted(json.loads(string))
    except json.JSONDecodeError:
        return "that begins here"


def _key(line: bytes, at: int) -> str:
    """The key right before a value, or before its array: "'age': "; '' if none is near."""
    found = _KEY_BEFORE.search(line[max(0, at - 400) : at].decode(errors="replace"))
    return f"{_text(found[1])}: " if found else ""
