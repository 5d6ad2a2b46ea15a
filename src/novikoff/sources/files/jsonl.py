"""JSON lines: an object on each line, whose values are features named by their keys."""

import json
import re
from collections.abc import Callable
from itertools import pairwise

import numpy as np

from novikoff import _core
from novikoff.sources.chunks import Chunk
from novikoff.sources.files.table_layout import SAMPLE, check_categories
from novikoff.sources.files.text import NOT_UTF8, Parsed, TextFormat, column, not_utf8, part
from novikoff.sources.read_options import ReadOptions
from novikoff.stream.input_problems import BadExample, ColumnProblems, Problem
from novikoff.stream.printing import listed, plural, quoted

_STRING = r'"(?:[^"\\]|\\.)*"'
_KEY_BEFORE = re.compile(rf"({_STRING})[ \t]*:[ \t]*(?:\[[^\"\[\]]*)?\Z")


# The messages for the core's codes (`JsonFlaw`). {found} is the rest of the line, {rest} says what
# is there instead, {word} is the value and {key} the key before it.
_VALUE, _CONTROL, _MISSING, _NO_LABEL, _NO_WEIGHT = 7, 10, 15, 17, 21
_MESSAGES = {
    1: '{found} is not an object; write {{"name": value}} on each line',
    2: 'expected a key in double quotes ("), {rest}',
    3: "a key is empty; give it a name",
    4: "key {name} is repeated, alone or inside another",
    5: "expected a colon after the key, {rest}",
    6: "expected a comma or a closing bracket, {rest}",
    _VALUE: "{key}{word} is not a JSON value; texts need double quotes, and JSON has no NaN or "
    "Infinity",
    8: "{key}{word} is not a JSON number: no leading + or 0, and digits on both sides of a point",
    9: "{key}{word} is too large for float64; scale it",
    _CONTROL: "a control character in a text must be written as {escaped}",
    11: "{escape}",
    12: "more than 32 objects inside one another; flatten them",
    13: "{key}an array must hold texts or numbers, {rest}; flatten it",
    14: "an array must hold only texts or only numbers, not also {word}",
    _MISSING: "{key}null is missing",
    16: "{key}a label must be a text, a number, true or false, {rest}",
    18: "{found} follows the object; write one object on a line",
    19: "a key, with those around it, is longer than 256 bytes; shorten it",
    20: "{key}a weight must be a number of at least 0, {rest}",
    22: "{key}{word} is not a text, and its words were to be features",
}


class JsonLines(TextFormat):
    """A JSON object on each line (RFC 8259, to the letter).

    A number x under key c is feature "c" with value x; true and false are 1 and 0. A text v is
    feature "c=v" with value 1. The keys of an object under c follow a dot: "c.d". An array of texts
    is a bag, feature "c=v" for each; an array of numbers is "c.0", "c.1" and so on. No key may be
    repeated. A null is missing. The words of the texts under the keys `texts` are features. Other
    texts are refused if they do not look like categories, unless `categorical` has their key.
    """

    core = _core.parse_jsonl

    def __init__(self, how: ReadOptions | None = None) -> None:
        super().__init__(how)
        self.label = "label" if self.how.label is None else str(self.how.label)
        self.weight = "" if self.how.weight is None else str(self.how.weight)
        self.for_core = {
            "label": self.label,
            "labelled": self.how.labelled,
            "weight": self.weight,
            "weighed": self.how.weighed,
            "missing": self.how.missing_rule,
            "ignored": self.how.ignore,
            "texts": self.how.text,
            "rule": self.how.text_rule.for_core,
        }

    @property
    def description(self) -> str:
        """What is read: "JSON lines, words of body, id ignored"."""
        parts = ["JSON lines"]
        if self.how.text:
            parts.append(f"words of {listed(self.how.text, 8)}")
        if self.how.ignore:
            parts.append(f"{listed(self.how.ignore, 8)} ignored")
        return ", ".join(parts)

    def chunk(self, parsed: Parsed, place: Callable[[int], str], first: int) -> Chunk:
        """The parsed examples as a chunk; the first one shows what the keys hold."""
        chunk = TextFormat.chunk(self, parsed, place, first)
        if first == 0 and len(chunk):
            where = place(0).rpartition(":")[0]
            for key, met in zip(self.how.text, parsed["texts"], strict=True):
                if not met and self.how.labelled:
                    lines = plural(len(chunk), "line")
                    raise BadExample(f"{where}: no text at {quoted(key)} in the first {lines}")
            self._check_categories(chunk, where)
        return chunk

    def _check_categories(self, chunk: Chunk, where: str) -> None:
        """Refuse keys whose texts do not look like categories, judged by the first lines."""
        if self.how.like_before:
            return
        some = chunk.only(np.arange(min(SAMPLE, len(chunk))))
        rows, known = some.rows.sparse(), {*self.how.text, *self.how.categorical}
        parts = [name.decode().partition("=") for name in some.names or ()]
        values: dict[str, list[str]] = {}
        bags = set[str]()
        for begin, end in pairwise(rows.starts.tolist()):
            here = set[str]()
            for key, _, value in (parts[j] for j in rows.indices[begin:end].tolist()):
                if value and key not in known:
                    values.setdefault(key, []).append(value)
                    (bags if key in here else here).add(key)  # an array of texts is a bag
        with ColumnProblems() as problems:
            for key in sorted({*values} - bags):
                with problems.of_column():
                    check_categories(values[key], f"{where}: key {quoted(key)}", key)

    def flaw(self, line: bytes, at: int, why: int) -> tuple[int, BadExample]:
        """The column of the error in a line, and the error."""
        return column(line, at), not_utf8(line)[1] if why == NOT_UTF8 else self._bad(line, at, why)

    def _bad(self, line: bytes, at: int, why: int) -> BadExample:
        if why == _NO_LABEL:
            if value := part(line, at, r'null|""'):
                return BadExample(
                    f"label {quoted(self.label)} is {value}; fill it in or remove the line"
                )
            words = f"there is no key {quoted(self.label)} for the label"
            return BadExample(words, Problem.WRONG_LABEL_KEY, label=self.label)
        if why == _NO_WEIGHT:
            return BadExample(f"there is no key {quoted(self.weight)} for the weight")
        found, word = part(line, at, r".*"), part(line, at, r"[^\s,\]}]*")
        rest = f"not {quoted(found)}" if found.strip() else "but the line ends"
        if why == _VALUE and not word:
            return BadExample(f"expected a value, {rest}")
        if why == _CONTROL and not found:
            return BadExample("a text is not closed on its line")
        words = _MESSAGES[why].format(
            found=quoted(found),
            rest=rest,
            word=quoted(word),
            key=_key(line, at),
            name=_text(part(line, at, _STRING)),
            escaped=json.dumps(found[:1])[1:-1],
            escape=_escape(line, at),
        )
        return BadExample(words, Problem.MISSING_VALUE if why == _MISSING else None)


def _escape(line: bytes, at: int) -> str:
    half = part(line, at, r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
    if half:
        return f"{half} is half of a surrogate pair, not a character"
    escape = part(line, at, r'\\u?[^"]{0,4}')
    return f"{escape} is not a JSON escape; write a backslash twice"


def _text(string: str) -> str:
    """A JSON string as messages show it; it may have been cut."""
    try:
        return quoted(json.loads(string))
    except json.JSONDecodeError:
        return "that begins here"


def _key(line: bytes, at: int) -> str:
    """The key right before a value, or before its array: "'age': "; '' if none is near."""
    found = _KEY_BEFORE.search(line[max(0, at - 400) : at].decode(errors="replace"))
    return f"{_text(found[1])}: " if found else ""
