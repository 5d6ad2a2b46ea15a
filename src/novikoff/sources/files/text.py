"""What the formats with one example a line share: where to cut, and how a chunk is made.

Where in a line something is wrong, and how to show it.

Text to chunks: read in pieces, parsed on several threads, given in order.
"""

from __future__ import annotations

import re
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from novikoff.sources.chunks import Chunk, Names, TableColumns
from novikoff.sources.inputs import Input, Reading
from novikoff.stream.problems import BadExample, quoted
from novikoff.stream.rows import SparseRows


def whole_lines(text: NDArray[np.uint8], length: int) -> int:
    """How many of the bytes text[:length] are whole lines.

    A carriage return at the very end may be half of a line's end, so it does not count.
    """
    piece = text[:length].data
    raw = bytes(piece[max(0, length - 4096) :])
    for mark, until in ((b"\n", len(raw)), (b"\r", len(raw) - 1)):
        if (at := raw.rfind(mark, 0, max(0, until))) >= 0:
            return length - len(raw) + at + 1
    raw = bytes(piece)
    at = raw.rfind(b"\n")
    return 1 + (at if at >= 0 else raw.rfind(b"\r", 0, max(0, length - 1)))


def sparse_chunk(
    parsed: dict[str, Any], place: Callable[[int], str], first: int, *, named: bool
) -> Chunk:
    """What the core parsed, as a chunk; `named` says that the indices are places of names."""
    names = Names(*parsed["names"]) if named else None
    dim = len(names) if names is not None else int(parsed["highest"]) + 1
    return Chunk(
        SparseRows(parsed["values"], parsed["indices"], parsed["starts"], dim),
        parsed["labels"],
        tuple(text.decode() for text in Names(*parsed["label_texts"])),
        tuple(map(place, parsed["label_lines"].tolist())),
        names,
        parsed.get("importances"),
        first,
    )


NOT_UTF8 = -1  # what the core says of a line, whatever its format, that is not text
_FAR = 400  # bytes: more than is ever quoted


def column(line: bytes, at: int) -> int:
    """Which character of the line, from 1, begins at byte `at`."""
    return len(line[:at].decode(errors="replace")) + 1


def part(line: bytes, at: int, pattern: str) -> str:
    """What matches the pattern at this place of the line; '' if nothing does."""
    found = re.match(pattern, line[at : at + _FAR].decode(errors="replace"))
    return found[0] if found else ""


def first_not_utf8(line: bytes) -> int:
    """Where in the line the first byte is that is not part of a text."""
    zero = line.find(0)
    try:
        line.decode()
    except UnicodeDecodeError as error:
        return error.start if zero < 0 else min(zero, error.start)
    return zero


def not_utf8(line: bytes, at: int) -> str:
    """The words for a byte that is not part of a text."""
    if line[at] == 0:
        return "a zero byte, which no text has; convert the file to UTF-8 (UTF-16 has many)"
    byte = quoted(line[at : at + 1].decode("latin-1"))
    return (
        f"byte 0x{line[at]:02x} is not UTF-8; convert the file: in Latin-1 it would be {byte} "
        "(iconv -f latin1 -t utf8)"
    )


Text: TypeAlias = NDArray[np.uint8]

PIECE_BYTES = 1 << 21
LONGEST_RECORD = 1 << 28
PADDING = 16  # what the core may look at past the end of a text
_BOM = b"\xef\xbb\xbf"


class TextFormat(Protocol):
    """How to read a text: cut it, parse it, say what is wrong with it."""

    @property
    def columns(self) -> tuple[str, ...] | None:
        """What the columns are called, for a table of numbers."""

    @property
    def table(self) -> TableColumns | None:
        """What the columns are, if the text is a table; known when reading has begun."""

    @property
    def description(self) -> str:
        """What the text is, in a few words."""

    def begin(self, head: bytes, where: str) -> tuple[int, int]:
        """How many bytes and lines of a file, whose first piece this is, are its header."""

    def cut(self, text: Text, length: int) -> int:
        """How many of the bytes text[:length] are whole records."""

    def parse(self, text: Text, length: int, allowed: int) -> dict[str, Any]:
        """The examples of a piece, until more lines than allowed are bad. Called on any thread."""

    def chunk(self, parsed: dict[str, Any], place: Callable[[int], str], first: int) -> Chunk:
        """What was parsed, as a chunk; `place` says where a line of the piece stands."""

    def flaw(self, line: bytes, at: int, why: int) -> tuple[int, str]:
        """For a bad line: the column from 1 (0: the words name it), and what is wrong."""


class TextFiles:
    """The examples of text files, in chunks.

    Pieces of about two megabytes are parsed on `threads` threads and given in the order of the
    files, so nothing depends on how many threads there are.

    Parameters
    ----------
    eager
        Parse what has come so far and do not wait for a whole piece: for a pipe whose reader is
        waiting for an answer. Where the text is cut then depends on when it comes.
    skip_bad
        How many lines that cannot be read are passed over in an iteration; one more is a
        BadExample, as is the first by default.

    """

    def __init__(
        self,
        inputs: Sequence[Input],
        format: TextFormat,
        *,
        eager: bool = False,
        skip_bad: int = 0,
        threads: int = 2,
    ) -> None:
        self.format = format
        self.skipped: list[str] = []
        self.done = 0
        sizes = [one.size for one in inputs]
        self.total = None if None in sizes else sum(size or 0 for size in sizes)
        self._inputs, self._skip_bad = inputs, skip_bad
        self._eager, self._threads = eager, 0 if eager else threads
        self.name = inputs[0].name
        self.is_pipe = any(one.is_pipe for one in inputs)
        self._compressions: dict[str, None] = {}
        self._spent = False

    @property
    def columns(self) -> tuple[str, ...] | None:
        """What the columns are called, for a table of numbers."""
        return self.format.columns

    @property
    def table(self) -> TableColumns | None:
        """What the columns are, if the files are tables."""
        return self.format.table

    @property
    def description(self) -> str:
        """What is read, in a few words."""
        words = [self.format.description, *self._compressions]
        if len(self._inputs) > 1:
            words.append(f"{len(self._inputs)} files")
        return ", ".join(words)

    def __iter__(self) -> Iterator[Chunk]:
        pipe = next((one for one in self._inputs if one.is_pipe), None)
        if pipe is not None:
            if self._spent:
                raise BadExample(
                    f"{pipe.name}: it can be read only once; for more passes keep what was read "
                    "with --cache, or read a file"
                )
            self._spent = True
        self.done, self.skipped = 0, []
        first, finished = 0, 0
        for one in self._inputs:
            with one.open() as reading:
                if reading.compression is not None:
                    self._compressions[reading.compression] = None
                for chunk in self._chunks(reading, first):
                    first += len(chunk)
                    self.done = finished + reading.done
                    if len(chunk):
                        yield chunk
                finished = self.done = finished + reading.done

    def _chunks(self, reading: Reading, first: int) -> Iterator[Chunk]:
        line = 1
        for text, lines, parsed in self._parsed(reading):
            line += lines
            for number, at, why, begin, end in parsed["bad"]:
                raw = text[begin:end].tobytes()
                column, words = self.format.flaw(raw, at - begin, why)
                where = f"{reading.name}:{line + number}" + (f":{column}" if column else "")
                self.skipped.append(f"{where}: {words}")
                if len(self.skipped) > self._skip_bad:
                    raise BadExample(self.skipped[-1] + self._how_many())
            chunk = self.format.chunk(parsed, partial(_place, reading.name, line), first)
            line += parsed["lines"]
            first += len(chunk)
            yield chunk

    def _how_many(self) -> str:
        if self._skip_bad == 0:
            return ""
        return f" ({len(self.skipped):,} bad lines, where {self._skip_bad:,} may be skipped)"

    def _parsed(self, reading: Reading) -> Iterator[tuple[Text, int, dict[str, Any]]]:
        """Each piece of the text, how many lines were skipped before it, and what it holds."""
        parse, allowed = self.format.parse, self._skip_bad
        pieces = self._pieces(reading)
        if self._threads < 1 or (self.total is not None and self.total <= PIECE_BYTES):
            for text, length, lines in pieces:
                yield text, lines, parse(text, length, allowed)
            return
        from concurrent.futures import Future, ThreadPoolExecutor

        waiting: deque[tuple[Text, int, Future[dict[str, Any]]]] = deque()
        pool = ThreadPoolExecutor(self._threads)
        try:
            for text, length, lines in pieces:
                waiting.append((text, lines, pool.submit(parse, text, length, allowed)))
                if len(waiting) > 2 * self._threads:
                    piece, before, parsed = waiting.popleft()
                    yield piece, before, parsed.result()
            while waiting:
                piece, before, parsed = waiting.popleft()
                yield piece, before, parsed.result()
        finally:
            # Not waited for: an iteration that is broken off ends when Python collects its garbage,
            # perhaps in a thread that is just starting and holds the lock that ending needs.
            pool.shutdown(wait=False, cancel_futures=True)

    def _pieces(self, reading: Reading) -> Iterator[tuple[Text, int, int]]:
        """Whole records: the text, how much of it they are, and the lines skipped before them."""
        buffers: list[Text] = []
        size, held = PIECE_BYTES, b""
        begun, lines = False, 0
        while True:
            text = _buffer(buffers, size + PADDING)
            room = text.data
            room[: len(held)] = held
            got = reading.fill(room[len(held) : size], eager=self._eager)
            length = len(held) + got
            ended = got == 0 if self._eager else length < size
            cut = length if ended else self.format.cut(text, length)
            if cut == 0 and not ended:
                if length < size:  # eager: more of the record is to come
                    held = bytes(room[:length])
                    continue
                if size >= LONGEST_RECORD:
                    raise BadExample(
                        f"{reading.name}: a line of more than {LONGEST_RECORD >> 20} MB; "
                        "is this a text?"
                    )
                size, held = 2 * size, bytes(room[:length])
                continue
            held = bytes(room[cut:length])
            text[cut : cut + PADDING] = ord("\n")  # so that nothing is read across the end
            if not begun:
                begun = True
                text, cut, lines = self._without_header(text, cut, reading)
            if cut:
                yield text, cut, lines
                lines = 0
            if ended:
                return
            size = max(PIECE_BYTES, len(held) + 1)

    def _without_header(self, text: Text, cut: int, reading: Reading) -> tuple[Text, int, int]:
        mark = len(_BOM) if text[: len(_BOM)].tobytes() == _BOM else 0
        skip, lines = self.format.begin(text[mark:cut].tobytes(), reading.name)
        return text[mark + skip :], cut - mark - skip, lines


def _buffer(buffers: list[Text], size: int) -> Text:
    """One of the buffers that nobody looks at any more, or a new one: fresh memory is slow."""
    buffers[:] = [buffer for buffer in buffers if len(buffer) == size]
    for i in range(len(buffers)):
        if sys.getrefcount(buffers[i]) == 2:  # the list's, and the one for asking
            return buffers[i]
    buffers.append(np.empty(size, dtype=np.uint8))
    return buffers[-1]


def _place(name: str, line: int, more: int) -> str:
    return f"{name}:{line + more}"
