"""Sparse examples from text, one a line: `label index:value index:value ...  # comment`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from novikoff import _core
from novikoff.sources.chunks import Chunk
from novikoff.sources.files.text import Text, first_not_utf8, not_utf8, sparse_chunk, whole_lines
from novikoff.sources.files.text import column as place_of
from novikoff.stream.number_text import why_not_number
from novikoff.stream.problems import BadExample, quoted

LARGEST = 2**53 - 1
NOT_UTF8 = 8  # as the core numbers the flaws


class Svmlight:
    """svmlight's format: indices increase along a line, and are columns as they are written.

    Comments and blank lines are passed over; a `qid`, which groups lines into queries, is read and
    not used.

    Attributes
    ----------
    lowest
        The lowest index met so far: 0 if the file counts from 0. None before any is met.
    queries
        How many lines had a qid.
    """

    def __init__(self) -> None:
        self.lowest: int | None = None
        self.queries = 0

    columns = None
    table = None

    @property
    def description(self) -> str:
        """What is read, in a few words."""
        words = ["svmlight"]
        if self.lowest is not None:
            words.append(f"indices from {min(self.lowest, 1)}")
        if self.queries:
            words.append("qid not used")
        return ", ".join(words)

    def base(self, zero_based: bool | None = None) -> int:
        """What indices count from: 0 if one of them is 0 or that is said, else 1."""
        found = self.lowest == 0
        if zero_based is False and found:
            raise BadExample("there is an index 0, where indices were said to count from 1")
        return 0 if found or zero_based else 1

    cut = staticmethod(whole_lines)

    def begin(self, _head: bytes, _where: str) -> tuple[int, int]:
        """There is no header."""
        return 0, 0

    def parse(self, text: Text, length: int, allowed: int) -> dict[str, Any]:
        """The examples of a piece, with the lowest and the highest index in it."""
        return _core.parse_svmlight(text, length=length, allowed=allowed)

    def chunk(self, parsed: dict[str, Any], place: Callable[[int], str], first: int) -> Chunk:
        """What was parsed, as a chunk."""
        self.queries += parsed["queries"]
        if parsed["highest"] >= 0:
            self.lowest = min(parsed["lowest"], LARGEST if self.lowest is None else self.lowest)
        return sparse_chunk(parsed, place, first, named=False)

    def flaw(self, line: bytes, at: int, why: int) -> tuple[int, str]:
        """The column of the first field that cannot be read, and why it cannot."""
        if why == NOT_UTF8:
            bad = first_not_utf8(line)
            return place_of(line, bad), not_utf8(line, bad)
        text = line.decode(errors="replace")
        fields = [(m.start() + 1, m[0]) for m in re.finditer(r"[^ \t]+", text.partition("#")[0])]
        column, label = fields[0]
        if ":" in label:
            return column, f"there is no label before {quoted(label)}"
        before = -1
        for column, field in fields[1:]:
            found, before = _flaw(field, before)
            if found:
                return column, found
        return at + 1, f"{quoted(text[at:])} cannot be read"


def _flaw(pair: str, before: int) -> tuple[str | None, int]:
    """What is wrong with a pair that follows the index `before`; and its own index."""
    index, _, value = pair.partition(":")
    if index == "qid" and before < 0 and re.fullmatch("[0-9]+", value):
        return None, before
    if not value or not re.fullmatch("-?[0-9]+", index):
        return f"{quoted(pair)} is not index:value", before
    if index.startswith("-"):
        return f"index {quoted(index)[1:-1]} is negative", before
    if len(index.lstrip("0")) > 16 or int(index.lstrip("0") or "0") > LARGEST:
        return f"index {quoted(index)[1:-1]} is too large; the largest is {LARGEST}", before
    j = int(index.lstrip("0") or "0")
    if j <= before:
        return f"indices must increase: {j} after {before}", before
    if value.split() != [value]:
        return "fields must be separated by spaces or tabs", before
    if why := why_not_number(value):
        return f"index {j}: {why}", before
    return None, j
