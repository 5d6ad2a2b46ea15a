"""JSON lines: an object on each line, whose values are features named by their keys."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff import _core
from novikoff.sources.chunks import Chunk
from novikoff.sources.files.table_layout import Missing
from novikoff.sources.files.text import NOT_UTF8, column, not_utf8, part, sparse_chunk, whole_lines
from novikoff.stream.problems import quoted

_STRING = r'"(?:[^"\\]|\\.)*+"'
_ESCAPE = r'\\u?[^"]{0,4}'
_KEY_BEFORE = re.compile(rf"({_STRING})[ \t]*+:[ \t]*+(?:\[[^\"\[\]]*+)?+\Z")


class JsonFlaw(IntEnum):
    """Why the compiled core gave a line up."""

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


class JsonLines:
    """An object of JSON on each line (RFC 8259, to the letter).

    A number x under key c is feature "c" with value x, and true and false are 1 and 0. A text v is
    feature "c=v" with value 1. In an object under c the keys go on: "c.d". An array of texts is a
    bag, feature "c=v" for each; an array of numbers is "c.0", "c.1" and so on. No key may come
    twice, also if "c.d" is written as a key in one place and as d inside c in another.

    Parameters
    ----------
    label
        The key of the label: a text, or a number, true or false as it is written.
    labelled
        Whether a line without a label, or where it is null or "", is refused.
    missing
        What null means: it is refused, or is zero and so no feature, or is indicated by a feature
        "c=" with value 1.
    """

    columns = None
    table = None
    description = "JSON lines"

    def __init__(
        self, *, label: str = "label", labelled: bool = True, missing: Missing = "refuse"
    ) -> None:
        self.label, self.labelled, self.missing = label, labelled, missing

    def begin(self, head: bytes, where: str) -> tuple[int, int]:
        """There is no header."""
        return 0, 0

    def cut(self, text: NDArray[np.uint8], length: int) -> int:
        """How many of the bytes text[:length] are whole lines."""
        return whole_lines(text, length)

    def parse(self, text: NDArray[np.uint8], length: int, allowed: int) -> dict[str, Any]:
        """The examples of a piece, until more lines than allowed are bad."""
        return _core.parse_jsonl(
            text,
            length=length,
            allowed=allowed,
            label=self.label,
            labelled=self.labelled,
            missing=self.missing,
        )

    def chunk(self, parsed: dict[str, Any], place: Callable[[int], str], first: int) -> Chunk:
        """What was parsed, as a chunk."""
        return sparse_chunk(parsed, place, first, named=True)

    def flaw(self, line: bytes, at: int, why: int) -> tuple[int, str]:
        """The column of what is wrong with a line, and what it is."""
        if why == NOT_UTF8:
            words = not_utf8(line, at)
        else:
            words = _words(line, at, JsonFlaw(why), self.label)
        return column(line, at), words


def _words(line: bytes, at: int, why: JsonFlaw, label: str) -> str:
    found = part(line, at, r".*")
    rest = f"not {quoted(found)}" if found.strip() else "but the line ends"
    word = part(line, at, r"[^\s,\]}]*")
    match why:
        case JsonFlaw.OBJECT:
            return f'{quoted(found)} is not an object; write {{"name": value}} on each line'
        case JsonFlaw.KEY:
            return f'a key in double quotes (") must come here, {rest}'
        case JsonFlaw.EMPTY_KEY:
            return "a key is empty; give it a name"
        case JsonFlaw.TWICE:
            return f"key {_text(part(line, at, _STRING))} comes twice, alone or inside another"
        case JsonFlaw.COLON:
            return f"a colon must come after a key, {rest}"
        case JsonFlaw.COMMA:
            return f"a comma or a closing bracket must come here, {rest}"
        case JsonFlaw.VALUE if not word:
            return f"a value must come here, {rest}"
        case JsonFlaw.VALUE:
            return (
                f"{_key(line, at)}{quoted(word)} is not a value; texts need double quotes, "
                "and there is no NaN or Infinity in JSON"
            )
        case JsonFlaw.NUMBER:
            return (
                f"{_key(line, at)}{quoted(word)} is not a number of JSON, which has no + or 0 in "
                "front and digits on both sides of a point"
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
        case JsonFlaw.MISSING:
            return (
                f"{_key(line, at)}null is missing; fill it in, or say missing='zero' or 'indicate' "
                "(--missing zero, --missing indicate)"
            )
        case JsonFlaw.LABEL:
            return f"{_key(line, at)}a label must be a text, a number, true or false, {rest}"
        case JsonFlaw.AFTER:
            return f"{quoted(found)} comes after the object; write one object on a line"
        case JsonFlaw.PREFIX:
            return "a key, with those around it, is longer than 256 bytes; shorten it"
        case JsonFlaw.NO_LABEL:
            return _without_label(line, at, label)


def _without_label(line: bytes, at: int, label: str) -> str:
    value = part(line, at, r'null|""')
    if value:
        return f"label {quoted(label)} is {value}; fill it in or remove the line"
    return f"there is no key {quoted(label)} for the label; say which one is (--label)"


def _escape(line: bytes, at: int) -> str:
    half = part(line, at, r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
    if half:
        return f"{half} is half of a surrogate pair, not a character"
    escape = part(line, at, _ESCAPE)
    return f"{escape} is not an escape of JSON; a backslash itself is written twice"


def _text(string: str) -> str:
    """What a string of JSON writes, as it is quoted; the string itself if it was cut."""
    try:
        return quoted(json.loads(string))
    except json.JSONDecodeError:
        return "that begins here"


def _key(line: bytes, at: int) -> str:
    """The key right before a value, or before the array it is in: "'age': "; '' if none is near."""
    found = _KEY_BEFORE.search(line[max(0, at - 400) : at].decode(errors="replace"))
    return f"{_text(found[1])}: " if found else ""
