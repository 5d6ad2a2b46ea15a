"""Vowpal Wabbit's text: `[label [importance [base]]] ['tag]|namespace[:scale] name[:value] ...`."""

from __future__ import annotations

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
from novikoff.stream.input_problems import BadExample, quoted
from novikoff.stream.number_text import why_not_number


class VwFlaw(IntEnum):
    """Why the core could not read a line; the numbers are the core's."""

    BAR = 1
    LABEL = 2
    COSTS = 3
    TAG = 4
    MANY = 5
    IMPORTANCE = 6
    BASE = 7
    NAME = 8
    SCALE = 9
    VALUE = 10
    LARGE = 11
    PREFIX = 12


class Vw(TextFormat):
    """Text as Vowpal Wabbit reads it, one example a line.

    A feature is called namespace^name, or just name if the namespace has no name. Its value, 1 by
    default, is multiplied by the scale of its namespace; repeated names are summed. The label is
    any text without a colon. A tag, which begins with ' or touches the first bar, is ignored. A
    base other than 0 is refused, because no learner here starts from one.

    Parameters
    ----------
    labelled
        Whether a line without a label is refused.
    """

    description = "Vowpal Wabbit text"

    def __init__(self, *, labelled: bool = True) -> None:
        self.labelled = labelled

    def parse(self, text: Text, length: int, allowed: int) -> Parsed:
        """The examples of a piece, until more lines than allowed are bad."""
        return _core.parse_vw(text, length=length, allowed=allowed, labelled=self.labelled)

    def flaw(self, line: bytes, at: int, why: int) -> tuple[int, BadExample]:
        """The column of the error in a line, and the error."""
        error = not_utf8(line)[1] if why == NOT_UTF8 else BadExample(_words(line, at, VwFlaw(why)))
        return column(line, at), error


def _words(line: bytes, at: int, why: VwFlaw) -> str:
    word = part(line, at, r"[^ \t|]*")
    name, _, value = word.partition(":")
    match why:
        case VwFlaw.BAR:
            return "there is no | in this line; write: label | name:value name:value"
        case VwFlaw.LABEL:
            return _no_label(word)
        case VwFlaw.COSTS:
            return f"label {quoted(word)} has costs, which are not supported; write a class"
        case VwFlaw.TAG:
            return f"tag {quoted(word)} must be the last word before the |"
        case VwFlaw.MANY:
            return (
                f"{quoted(word)} is one word too many: before the | there may be a label, "
                "an importance, a base and a tag"
            )
        case VwFlaw.IMPORTANCE:
            negative = f"{quoted(word)} is negative; to learn the opposite, change the label"
            return f"importance {why_not_number(word) or negative}"
        case VwFlaw.BASE:
            return f"base {why_not_number(word) or f'{quoted(word)} must be 0 or left out'}"
        case VwFlaw.NAME:
            return f"{quoted(word)} has no name before the colon"
        case VwFlaw.SCALE:
            return f"scale of namespace {quoted(name)}: {why_not_number(value)}"
        case VwFlaw.PREFIX:
            return f"namespace {quoted(name)} is longer than 256 bytes; shorten it"
        case VwFlaw.VALUE:
            return f"feature {quoted(name)}: {why_not_number(value)}"
        case VwFlaw.LARGE:
            product = f"{value or 1} times the scale of its namespace is too large for float64"
            return f"feature {quoted(name)}: {why_not_number(value or '1') or product}"


def _no_label(word: str) -> str:
    if not word:
        return "there is no label before the |"
    if word.startswith("'"):
        return f"there is no label before the tag {quoted(word)}"
    return f"there is no label: {quoted(word)} touches the |, so it is a tag; put a space between"
