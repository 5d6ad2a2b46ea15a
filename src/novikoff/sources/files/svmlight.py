"""svmlight: sparse examples, one a line: `label index:value index:value ...  # comment`."""

import re
from collections.abc import Callable

from novikoff import _core
from novikoff.sources.chunks import Chunk
from novikoff.sources.files.text import Parsed, TextFormat, column, not_utf8
from novikoff.sources.read_options import ReadOptions
from novikoff.stream.input_problems import BadExample
from novikoff.stream.number_text import why_not_number
from novikoff.stream.printing import quoted

LARGEST_INDEX = 2**53 - 1
NOT_UTF8 = 8  # the core's code
_FIRST_LINE = re.compile(rb"((?:[ \t]*(?:#[^\r\n]*)?[\r\n])*)([^\r\n]*)")  # after comments


class Svmlight(TextFormat):
    """svmlight's format: indices increase along a line, and are columns as they are written."""

    core = _core.parse_svmlight

    def __init__(self, how: ReadOptions | None = None) -> None:
        super().__init__(how)
        self.lowest = LARGEST_INDEX
        self.queries = 0

    @property
    def description(self) -> str:
        """What is read, in a few words."""
        start = f", indices from {min(self.lowest, 1)}" if self.lowest < LARGEST_INDEX else ""
        return f"svmlight{start}" + (", qid ignored" if self.queries else "")

    def begin(self, head: bytes, where: str) -> tuple[int, int]:
        """There is no header; a first line of a table in another format is a BadExample."""
        if found := _FIRST_LINE.match(head):
            line = found[2].decode(errors="replace").strip()
            if ":" not in line and ("," in line or ";" in line):
                raise BadExample(
                    f"{where}:{len(found[1].splitlines()) + 1}: {quoted(line)} is not svmlight; "
                    "write: label index:value index:value"
                )
        return 0, 0

    def chunk(self, parsed: Parsed, place: Callable[[int], str], first: int) -> Chunk:
        """The parsed examples as a chunk."""
        self.queries += parsed["queries"]
        self.lowest = min(self.lowest, parsed["lowest"])
        return super().chunk(parsed, place, first)

    def flaw(self, line: bytes, at: int, why: int) -> tuple[int, BadExample]:
        """The column of the first bad field, and what is wrong with it."""
        if why == NOT_UTF8:
            at, error = not_utf8(line)
            return column(line, at), error
        text = line.decode(errors="replace")
        fields = [(m.start() + 1, m[0]) for m in re.finditer(r"[^ \t]+", text.partition("#")[0])]
        place, label = fields[0]
        if ":" in label:
            return place, BadExample(f"there is no label before {quoted(label)}")
        before = -1
        for place, field in fields[1:]:
            words, before = _flaw(field, before)
            if words:
                return place, BadExample(words)
        return at + 1, BadExample(f"{quoted(text[at:])} cannot be read")


def _flaw(pair: str, before: int) -> tuple[str, int]:
    """What is wrong with a pair that follows the index `before` ('': nothing), and its index."""
    index, _, value = pair.partition(":")
    if index == "qid" and before < 0 and re.fullmatch("[0-9]+", value):
        return "", before
    if not value or not re.fullmatch("-?[0-9]+", index):
        return f"{quoted(pair)} is not index:value", before
    if index.startswith("-"):
        return f"index {quoted(index)[1:-1]} is negative", before
    digits = index.lstrip("0") or "0"
    if len(digits) > 16 or int(digits) > LARGEST_INDEX:
        return f"index {quoted(index)[1:-1]} is too large; the largest is {LARGEST_INDEX}", before
    j = int(digits)
    if j <= before:
        return f"indices must increase: {j} after {before}", before
    if value.split() != [value]:
        return "fields must be separated by spaces or tabs", before
    if words := why_not_number(value):
        return f"index {j}: {words}", before
    return "", j
