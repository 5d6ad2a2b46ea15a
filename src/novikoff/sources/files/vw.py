"""Vowpal Wabbit's text: `[label [importance [base]]] ['tag]|namespace[:scale] name[:value] ...`."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff import _core
from novikoff.sources.chunks import Chunk
from novikoff.sources.files.text import NOT_UTF8, column, not_utf8, part, sparse_chunk, whole_lines
from novikoff.stream.number_text import why_not_number
from novikoff.stream.problems import quoted


class VwFlaw(IntEnum):
    """Why the compiled core gave a line up."""

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


class Vw:
    """Text as Vowpal Wabbit reads it, one example a line.

    A feature is called namespace^name, and just name in the namespace without a name. Its value is
    1 if none is written, times the scale of the namespace; a name that comes twice has the sum. The
    label is any text without a colon. A tag, which begins with ' or touches the first bar, is
    passed over. A base other than 0 is refused, since nothing here could start from it.

    Parameters
    ----------
    labelled
        Whether a line without a label is refused.
    """

    columns = None
    table = None
    description = "Vowpal Wabbit text"

    def __init__(self, *, labelled: bool = True) -> None:
        self.labelled = labelled

    def begin(self, head: bytes, where: str) -> tuple[int, int]:
        """There is no header."""
        return 0, 0

    def cut(self, text: NDArray[np.uint8], length: int) -> int:
        """How many of the bytes text[:length] are whole lines."""
        return whole_lines(text, length)

    def parse(self, text: NDArray[np.uint8], length: int, allowed: int) -> dict[str, Any]:
        """The examples of a piece, until more lines than allowed are bad."""
        return _core.parse_vw(text, length=length, allowed=allowed, labelled=self.labelled)

    def chunk(self, parsed: dict[str, Any], place: Callable[[int], str], first: int) -> Chunk:
        """What was parsed, as a chunk."""
        return sparse_chunk(parsed, place, first, named=True)

    def flaw(self, line: bytes, at: int, why: int) -> tuple[int, str]:
        """The column of what is wrong with a line, and what it is."""
        words = not_utf8(line, at) if why == NOT_UTF8 else _words(line, at, VwFlaw(why))
        return column(line, at), words


def _words(line: bytes, at: int, why: VwFlaw) -> str:
    word = part(line, at, r"[^ \t|]*")
    name, _, value = word.partition(":")
    match why:
        case VwFlaw.BAR:
            return "there is no | in this line; write: label | name:value name:value"
        case VwFlaw.LABEL:
            return _without_label(word)
        case VwFlaw.COSTS:
            return f"label {quoted(word)} has costs, which are not learned from; write a class"
        case VwFlaw.TAG:
            return f"tag {quoted(word)} must be the last word before the |"
        case VwFlaw.MANY:
            return (
                f"{quoted(word)} is a word too many; before the | there may be a label, "
                "an importance, a base and a tag"
            )
        case VwFlaw.IMPORTANCE:
            refusal = "must not be negative; to learn the opposite, change the label"
            return f"importance {why_not_number(word) or f'{quoted(word)} {refusal}'}"
        case VwFlaw.BASE:
            refusal = "must be 0 or left out: learning starts from the weights alone"
            return f"base {why_not_number(word) or f'{quoted(word)} {refusal}'}"
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


def _without_label(word: str) -> str:
    if not word:
        return "there is no label before the |"
    if word.startswith("'"):
        return f"there is no label before the tag {quoted(word)}"
    return f"there is no label, but a tag: {quoted(word)} touches the |; put a blank between them"
