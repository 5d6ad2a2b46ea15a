"""Text files to chunks: read in pieces, parsed on several threads, given in order."""

import re
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from threading import Thread
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from novikoff import _core
from novikoff.sources.chunks import Chunk, Names, Source, TableColumns
from novikoff.sources.inputs import LONGEST, OpenInput, Part, Paths
from novikoff.sources.read_options import ReadOptions
from novikoff.stream.input_problems import BadExample, Problem
from novikoff.stream.printing import quoted
from novikoff.stream.rows import Positions, SparseRows

Text: TypeAlias = NDArray[np.uint8]
Parsed: TypeAlias = dict[str, Any]

PIECE_BYTES = 1 << 21
PADDING = 16  # bytes that the core may look at past the end of a text
_BOM = b"\xef\xbb\xbf"


class TextFormat(ABC):
    """How to cut a text, parse it and explain what is wrong with a line.

    The core parses it by `core`, which also takes what is in `for_core`.
    """

    core: ClassVar[Callable[..., Parsed]]
    hashes = False  # whether the format can hash names while it reads
    table: TableColumns | None = None  # the columns of a table, once reading has started

    def __init__(self, how: ReadOptions | None = None) -> None:
        self.how = how or ReadOptions()
        self.hash_bits = self.how.hash_bits if self.hashes else None
        self.for_core: dict[str, Any] = {}

    @property
    @abstractmethod
    def description(self) -> str:
        """What the text is, in a few words."""

    def begin(self, _head: bytes, _where: str) -> tuple[int, int]:
        """How many bytes and lines of a file that begins like this are its header."""
        return 0, 0

    def cut(self, text: Text, length: int) -> int:
        """How many of the bytes text[:length] are whole records."""
        return _core.csv_cut(text, length=length, separator=",", quotes=False)

    def parse(self, text: Text, length: int, allowed: int) -> Parsed:
        """The examples of a piece, until more lines than allowed are bad. Called on any thread."""
        return type(self).core(text, length=length, allowed=allowed, **self.for_core)

    def chunk(self, parsed: Parsed, place: Callable[[int], str], first: int) -> Chunk:
        """The parsed examples as a chunk; `place` names the file and line of a line, from 0."""
        names = None if "highest" in parsed else Names(*parsed["names"])
        dim = int(parsed["highest"]) + 1 if names is None else len(names)
        if self.hash_bits is not None:
            dim = 1 << self.hash_bits
        return Chunk(
            SparseRows(parsed["values"], parsed["indices"], parsed["starts"], dim),
            parsed["labels"],
            tuple(text.decode() for text in Names(*parsed["label_texts"])),
            tuple(map(place, parsed["label_lines"].tolist())),
            names,
            parsed.get("importances"),
            first,
            is_hashed=self.hash_bits is not None,
        )

    @abstractmethod
    def flaw(self, line: bytes, at: int, why: int) -> tuple[int, BadExample]:
        """What is wrong with a line, and in which column from 1 (0: the message names it)."""


class TextFiles(Source):
    """The examples of text files, in chunks; an eager source parses what a pipe has brought."""

    def __init__(self, files: Paths, format: TextFormat) -> None:
        super().__init__(files)
        self.format, self._skip_bad = format, format.how.skip_bad
        self._eager = format.how.eager
        self._threads = 0 if self._eager else format.how.threads
        self._compressions: dict[str, None] = {}
        self._is_spent = False

    @property
    def table(self) -> TableColumns | None:
        """The columns, if the files are tables."""
        return self.format.table

    def _words(self) -> list[str]:
        return [self.format.description, *self._compressions]

    def _chunks(self) -> Iterator[Chunk]:
        pipe = next((one for one in self.inputs if one.is_pipe), None)
        if pipe is not None:
            if self._is_spent:
                raise BadExample(f"{pipe.name}: a pipe can be read only once", Problem.READ_ONCE)
            self._is_spent = True
        self.done, self.skipped = 0, []
        first, finished = self.first, 0
        for one in self.inputs:
            with one.open() as reading:
                if reading.compression is not None:
                    self._compressions[reading.compression] = None
                for chunk in self._of_file(reading, first):
                    first += len(chunk.labels)
                    self.done = finished + reading.done
                    if len(chunk.labels):
                        yield chunk
                finished = self.done = finished + reading.done

    def _of_file(self, reading: OpenInput, first: int) -> Iterator[Chunk]:
        line = 1

        def place(number: int) -> str:
            return f"{reading.name}:{line + number}"

        for text, lines, parsed in self._parsed(reading):
            line += lines
            for number, at, why, begin, end in parsed["bad"]:
                column, error = self.format.flaw(text[begin:end].tobytes(), at - begin, why)
                error = error.at(f"{place(number)}:{column}" if column else place(number))
                self.skip(error, allowed=self._skip_bad)
            chunk = self.format.chunk(parsed, place, first)
            line += parsed["lines"]
            first += len(chunk.labels)
            yield chunk

    def places(self, positions: Iterable[int]) -> dict[int, str]:
        """The file and the (last) line of examples, by their positions among all that are read."""
        wanted, found, first = np.unique(np.array([*positions], dtype=np.int64)), {}, self.first
        for one in self.inputs:
            with one.open() as reading:
                line = 1 + (one.lines_before() if isinstance(one, Part) and one.begin else 0)
                for text, lines, parsed in self._parsed(reading):
                    line, kept = line + lines, self._kept(parsed)
                    here = wanted[(wanted >= first) & (wanted < first + len(kept))]
                    ranks = (kept[here - first] + 1).tolist()
                    if len(here) and parsed["lines"] != len(parsed["labels"]):
                        ends = np.flatnonzero(text == ord("\n")) + 1
                        count = partial(self._count, text)
                        ranks = [1 + bisect_left(ends, rank, key=count) for rank in ranks]
                    for i, rank in zip(here.tolist(), ranks, strict=True):
                        found[i] = f"{one.name}:{line + rank - 1}"
                    first, line = first + len(kept), line + parsed["lines"]
        return found

    def _kept(self, parsed: Parsed) -> Positions:
        """Which of the parsed examples are read, by their labels."""
        texts = [text.decode() for text in Names(*parsed["label_texts"])]
        return np.flatnonzero(np.array([*self.choice.chosen(texts), True])[parsed["labels"]])

    def _count(self, text: Text, end: int) -> int:
        """How many examples text[:end] holds."""
        some = np.append(text[:end], np.full(PADDING, ord("\n"), dtype=np.uint8))
        return len(self.format.parse(some, end, self._skip_bad)["labels"])

    def _parsed(self, reading: OpenInput) -> Iterator[tuple[Text, int, Parsed]]:
        """Each piece of the text, the number of header lines before it, and its examples."""
        parse, allowed = self.format.parse, self._skip_bad
        pieces = self._pieces(reading)
        if self._threads < 1 or (self.total is not None and self.total <= PIECE_BYTES):
            for text, length, lines in pieces:
                yield text, lines, parse(text, length, allowed)
            return
        waiting: deque[tuple[Text, int, _Call]] = deque()
        if reading.compression is not None:
            pieces = _one_ahead(pieces)
        for text, length, lines in pieces:
            waiting.append((text, lines, _Call(parse, text, length, allowed)))
            if len(waiting) > self._threads:
                piece, before, parsed = waiting.popleft()
                yield piece, before, parsed.result()
        for piece, before, parsed in waiting:
            yield piece, before, parsed.result()

    def _pieces(self, reading: OpenInput) -> Iterator[tuple[Text, int, int]]:
        """Whole records: the text, how many bytes of it they are, and the header lines before."""
        size, held = PIECE_BYTES, b""
        has_started, lines = reading.is_inside, 0
        while True:
            text: Text = np.empty(size + PADDING, dtype=np.uint8)
            room = text.data
            room[: len(held)] = held
            got = reading.fill(room[len(held) : size], eager=self._eager)
            length = len(held) + got
            ended = got == 0 if self._eager else length < size
            cut = self.format.cut(text, length) if reading.is_cut or not ended else length
            if ended and cut < length:  # the next part begins inside a record
                words = "a cut falls into a quoted field that contains a line end"
                raise BadExample(f"{reading.name}: {words}; use one shard, or save it as Parquet")
            if cut == 0 and not ended:
                if length < size:  # eager: the rest of the record has not arrived
                    held = bytes(room[:length])
                    continue
                if size >= LONGEST:
                    raise BadExample(
                        f"{reading.name}: a line is longer than {LONGEST >> 20} MB; "
                        "is this a text file?"
                    )
                size, held = 2 * size, bytes(room[:length])
                continue
            held = bytes(room[cut:length])
            text[cut : cut + PADDING] = ord("\n")  # so that nothing is read across the end
            if not has_started:
                has_started = True
                mark = len(_BOM) if text[: len(_BOM)].tobytes() == _BOM else 0
                skip, lines = self.format.begin(text[mark:cut].tobytes(), reading.name)
                text, cut = text[mark + skip :], cut - mark - skip
            if cut:
                yield text, cut, lines
                lines = 0
            if ended:
                return
            size = max(PIECE_BYTES, len(held) + 1)


class _Call(Thread):
    """A call made on a thread of its own.

    An executor would do, but it loads the module logging, which takes as long as 10 MB of text.
    """

    def __init__(self, function: Callable[..., Any], *given: Any) -> None:
        super().__init__()
        self._function, self._given = function, given
        self._found: Any = None
        self._error: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            self._found = self._function(*self._given)
        except BaseException as error:
            self._error = error
        self._given = ()

    def result(self) -> Any:
        """What it returned, or raised, once it has."""
        self.join()
        if self._error is not None:
            raise self._error
        return self._found


def _one_ahead(items: Iterator[Any]) -> Iterator[Any]:
    """The items; the next one is made on a thread while the last one is used."""
    coming = _Call(next, items, None)
    while (item := coming.result()) is not None:
        coming = _Call(next, items, None)
        yield item


NOT_UTF8 = -1  # the core's code in vw and jsonl for a line that is not UTF-8


def column(line: bytes, at: int) -> int:
    """Which character of the line, from 1, begins at byte `at`."""
    return len(line[:at].decode(errors="replace")) + 1


def part(line: bytes, at: int, pattern: str) -> str:
    """The text that matches the pattern at this byte of the line; '' if none does."""
    found = re.match(pattern, line[at : at + 400].decode(errors="replace"))  # more than is shown
    return found[0] if found else ""


def not_utf8(text: bytes) -> tuple[int, BadExample]:
    """The position of the first byte that is zero or not UTF-8, and the error about it."""
    zero = text.find(0)
    try:
        text.decode()
        at = zero
    except UnicodeDecodeError as error:
        at = error.start if zero < 0 else min(zero, error.start)
    if at == zero:
        return at, BadExample(
            "zero byte: the file is not UTF-8, perhaps UTF-16; convert it to UTF-8"
        )
    byte = quoted(text[at : at + 1].decode("latin-1"))
    return at, BadExample(
        f"byte 0x{text[at]:02x} is not UTF-8; in Latin-1 it is {byte}: convert the file "
        "(iconv -f latin1 -t utf8)"
    )
