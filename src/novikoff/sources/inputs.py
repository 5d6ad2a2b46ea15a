"""The files that paths name, and their bytes, decompressed: files, directories, patterns, stdin."""

from __future__ import annotations

import atexit
import codecs
import csv
import hashlib
import io
import os
import re
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from copy import copy
from functools import partial
from glob import glob
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any, BinaryIO, TypeAlias, cast

from novikoff.sources.files.arrow_arrays import arrow
from novikoff.storage.atomic_write import atomic_write
from novikoff.stream.input_problems import BadExample, optional
from novikoff.stream.printing import one_line

PathLike: TypeAlias = str | os.PathLike[str]
State: TypeAlias = tuple[Any, ...] | None

_MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\x28\xb5\x2f\xfd": "zstd"}
_ZIP = b"PK\x03\x04"
_MARKS = {  # the longer first: one begins like another
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
_REMOTE = re.compile(r"[a-z][a-z0-9+.-]+://.", re.IGNORECASE)
_LOOK = 1 << 16
LONGEST = 1 << 28  # bytes of a line, or of a document


class Input:
    """A file of examples, of a class if it is in a `folder`, or a pipe; "-" is standard input."""

    def __init__(self, path: str, folder: str | None = None, name: str | None = None) -> None:
        self.path, self.is_stdin, self.folder = path, path == "-", folder
        self.name = name or ("<stdin>" if self.is_stdin else path)  # in errors
        # whether it can be read only once: the standard input, or `<(zcat mail.gz)`
        self.is_pipe = self.is_stdin or (os.path.exists(path) and not os.path.isfile(path))
        self._open: OpenInput | None = None

    @property
    def size(self) -> int | None:
        """Its size in bytes; None for a pipe."""
        return None if self.is_pipe else os.path.getsize(self.path)

    def state(self) -> State:
        """What changes whenever the file does, however it is rewritten; None for a pipe."""
        if self.is_pipe:
            return None
        about = os.stat(self.path)
        times = about.st_mtime_ns, about.st_ctime_ns
        return about.st_dev, about.st_ino, about.st_size, *times

    def check_unchanged(self, before: State) -> None:
        """Raise BadExample if the file is no longer the one that had this state."""
        try:
            is_same = self.state() == before
        except OSError:
            is_same = False
        if not is_same:
            raise BadExample(
                f"{self.name}: the file changed while it was being read; run again once it is "
                "complete"
            )

    @contextmanager
    def open(self) -> Iterator[OpenInput]:
        """The bytes, decompressed. Reading a pipe continues where it stopped."""
        if self.is_stdin:
            yield self._pipe(_stdin())
            return
        with self._stored if self._open is not None else open(self.path, "rb") as file:
            yield self._pipe(file) if self.is_pipe else OpenInput(self.name, file)

    def _pipe(self, stored: BinaryIO) -> OpenInput:
        """The pipe being read: always the same object, because it holds what `look` has read."""
        if self._open is None:
            self._open, self._stored = OpenInput(self.name, stored), stored
        return self._open

    def head(self) -> bytes:
        """The first bytes, decompressed; reading still begins with them."""
        if self.is_pipe and not self.is_stdin:  # it stays open until it is read
            return (self._open or self._pipe(open(self.path, "rb"))).look()
        with self.open() as reading:
            return reading.look()

    def whole(self) -> bytes:
        """All bytes, decompressed."""
        text, room = bytearray(), memoryview(bytearray(_LOOK))
        with self.open() as reading:
            while got := reading.fill(room):
                text += room[:got]
                if len(text) > LONGEST:
                    words = f"longer than {LONGEST >> 20} MB; is this text?"
                    raise BadExample(f"{self.name}: {words}")
        return bytes(text)

    @contextmanager
    def stored(self) -> Iterator[BinaryIO]:
        """The file, to read and to seek in."""
        is_far = is_remote(self.path)
        with (
            _far(self.path) if is_far else nullcontext(),
            far_file(self.path) if is_far else open(self.path, "rb") as file,
        ):
            yield file

    def sha256(self) -> str:
        """The SHA-256 of the bytes as stored; a pipe is read to its end, and kept in memory."""
        if not self.is_pipe:
            with self.stored() as file:
                return hashlib.file_digest(cast("io.BytesIO", file), "sha256").hexdigest()
        with nullcontext(_stdin()) if self.is_stdin else open(self.path, "rb") as pipe:
            raw = pipe.read()
        self._stored = io.BytesIO(raw)
        self._open = OpenInput(self.name, self._stored)
        return hashlib.sha256(raw).hexdigest()

    def fingerprint(self) -> str:
        """A hash of the file's size, its modification time, and its first and last 64 KB."""
        with open(self.path, "rb") as file:
            about = os.fstat(file.fileno())
            out = hashlib.sha256(f"{about.st_size} {about.st_mtime_ns}\n".encode())
            out.update(file.read(_LOOK))
            file.seek(max(0, about.st_size - _LOOK))
            out.update(file.read(_LOOK))
        return out.hexdigest()


def _stdin() -> BinaryIO:
    if sys.stdin is None:
        raise BadExample("<stdin>: standard input is closed; name a file")
    return sys.stdin.buffer


class Part(Input):
    """Some of a file's lines, or all of it, read where it is: on this machine or at an address.

    Its lines are those that begin at byte `begin` or later, and before byte `end`. Of a file of row
    groups, `begin` and `end` count these. Machines that share the file agree on its state.
    """

    def __init__(self, path: str, folder: str | None = None, name: str | None = None) -> None:
        super().__init__(path, folder, name)
        self.begin: int = 0
        self.end: int | None = None
        self.known = self.state()  # when it was found

    def cut(self, begin: int, end: int | None) -> Part:
        """The part from `begin` to `end`."""
        out = copy(self)
        out.begin, out.end = begin, end
        return out

    @property
    def size(self) -> int:
        """How many bytes it has, to a line."""
        return (int(self.known[0]) if self.end is None else self.end) - self.begin

    def state(self) -> tuple[Any, ...]:
        """What changes whenever the file does, as every machine sees it."""
        if not is_remote(self.path):
            about = os.stat(self.path)
            return about.st_size, about.st_mtime_ns
        with _far(self.path) as (system, path):
            system.invalidate_cache()
            about = system.info(path)
            return int(about["size"]), system.ukey(path)

    def fingerprint(self) -> str:
        """The name and the state."""
        return f"{self.name} {self.known}"

    @contextmanager
    def open(self) -> Iterator[OpenInput]:
        """The bytes of its lines; those of a whole file are decompressed."""
        with self.stored() as file:
            size = int(self.known[0])
            begin, end = (_line_start(file, at, size) for at in (self.begin, self.end))
            lines = cast("BinaryIO", io.BufferedReader(_Joined(_span(file, begin, end)), _LOOK))
            yield OpenInput(self.name, lines, is_inside=begin > 0, is_cut=end < size)

    def lines_before(self) -> int:
        """How many lines of the file come before its own."""
        with self.stored() as file:
            end = _line_start(file, self.begin, int(self.known[0]))
            file.seek(0)
            pieces = iter(lambda: file.read(min(1 << 20, end - file.tell())), b"")
            return sum(piece.count(b"\n") for piece in pieces)


def _line_start(file: BinaryIO, at: int | None, size: int) -> int:
    """Where the first line begins that does not begin before this byte."""
    if at == 0 or at is None or at >= size:
        return size if at is None else min(at, size)
    file.seek(at - 1)
    while piece := file.read(_LOOK):
        if (end := piece.find(b"\n")) >= 0:
            return file.tell() - len(piece) + end + 1
    if file.tell() < size:
        raise OSError("the file ends too early")
    return size


class _Joined(io.RawIOBase):
    """The bytes of pieces, one after another."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces, self._held = pieces, b""

    def readable(self) -> bool:
        return True

    def readinto(self, room: Any) -> int:
        self._held = self._held or next(self._pieces, b"")
        got = min(len(room), len(self._held))
        room[:got], self._held = self._held[:got], self._held[got:]
        return got


def _span(file: BinaryIO, begin: int, end: int) -> Iterator[bytes]:
    """The bytes of a file from one place to another."""
    file.seek(begin)
    while begin < end:
        if not (piece := file.read(min(_LOOK, end - begin))):
            raise OSError("the file ends too early")
        begin += len(piece)
        yield piece


class OpenInput:
    """An input being read; its first bytes, not its name, decide whether it is compressed.

    UTF-16 and UTF-32 become UTF-8, and the first sheet of an Excel file CSV; `compression` names
    what was undone. If it `is_inside` a file, it begins with one of its later lines; if it
    `is_cut`, lines of the file follow.
    """

    def __init__(
        self, name: str, stored: BinaryIO, *, is_inside: bool = False, is_cut: bool = False
    ) -> None:
        self.name, self.is_inside, self.is_cut = name, is_inside, is_cut
        if not hasattr(stored, "peek"):
            stored = cast("BinaryIO", io.BufferedReader(cast("io.RawIOBase", stored)))
        self._stored = stored
        head = b"" if is_inside else stored.peek(8)  # type: ignore[attr-defined]
        if head.startswith(b"novikoff"):
            raise BadExample(f"{name}: this is a model, not data; the model comes before the data")
        self.compression = next(
            (kind for magic, kind in _MAGIC.items() if head[:4].startswith(magic)), None
        )
        self._bytes: Any = _decompressed(stored, self.compression)
        self._damage: Exception | None = None  # found already, and raised by the first `fill`
        if head.startswith(_ZIP) and name.lower().endswith(".xlsx"):
            self._bytes, self.compression = _first_sheet(stored, name)
        elif encoding := None if is_inside else self._encoding():
            self._encoded = self._bytes  # which would be closed if nothing held it
            raw = iter(partial(self._encoded.read1, _LOOK), b"")
            utf8 = codecs.iterencode(codecs.iterdecode(raw, encoding), "utf-8")
            self._bytes = io.BufferedReader(_Joined(utf8))
            self.compression = ", ".join(filter(None, [self.compression, encoding]))
        self._given, self._looked_at = 0, b""

    def _encoding(self) -> str | None:
        """The encoding whose mark begins a text, if it is not UTF-8."""
        head = b""
        try:
            head = self._bytes.peek(4)
        except (EOFError, zlib.error, OSError) as error:
            self._damage = error  # a second read of a cut gzip header would find an empty file
        return next((name for mark, name in _MARKS.items() if head.startswith(mark)), None)

    def look(self) -> bytes:
        """The first bytes, up to the first line end if there is one; they will be read again."""
        if not self._given:
            room, got = memoryview(bytearray(_LOOK)), 0
            while some := self.fill(room[got:], eager=True):  # a pipe may give few at a time
                got += some
                if b"\n" in bytes(room[:got]):
                    break
            self._looked_at = bytes(room[:got])
        return self._looked_at

    @property
    def done(self) -> int:
        """How many stored bytes have been read."""
        if self.compression is None:
            return self._given
        try:
            return self._stored.tell()
        except OSError:  # a pipe
            return self._given

    def fill(self, room: memoryview, *, eager: bool = False) -> int:
        """Read until the room is full or the input ends, or if eager, until there is a byte."""
        got = min(len(self._looked_at), len(room))
        room[:got], self._looked_at = self._looked_at[:got], self._looked_at[got:]
        looked = got
        try:
            if self._damage is not None:
                raise self._damage
            while got < len(room) and not (eager and got):
                if eager:  # what has arrived; readinto1 would wait for more
                    piece = self._bytes.read1(len(room) - got)
                    some = len(piece)
                    room[got : got + some] = piece
                else:
                    some = self._bytes.readinto(room[got:])
                if not some:
                    break
                got += some
        except (EOFError, zlib.error, OSError, UnicodeError) as error:
            if self.compression is None:
                raise
            given = self._given + got - looked
            why = f"decompressed after {given:,} bytes; the file is damaged or cut short"
            if isinstance(error, UnicodeError):
                why = f"read as {self.compression}: {error}"
            raise BadExample(f"{self.name}: cannot be {why}") from None
        self._given += got - looked
        return got


def _decompressed(stored: BinaryIO, compression: str | None) -> Any:
    if compression == "gzip":
        import gzip

        return gzip.GzipFile(fileobj=stored, mode="rb")
    if compression == "bzip2":
        import bz2

        return bz2.BZ2File(stored)
    if compression == "zstd":
        pa = arrow()
        return io.BufferedReader(pa.input_stream(stored, compression="zstd"))
    return stored


def _first_sheet(stored: BinaryIO, name: str) -> tuple[BinaryIO, str]:
    """The first sheet of an Excel file as CSV, and what it is."""
    cure = "to read Excel files, pip install 'novikoff[excel]'; or save it as CSV"
    openpyxl = optional("openpyxl", f"{name}: {cure}")
    try:
        book = openpyxl.load_workbook(io.BytesIO(stored.read()), read_only=True, data_only=True)
        sheet = book.worksheets[0]
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(sheet.iter_rows(values_only=True))
    except Exception as error:  # of many kinds, for a damaged file
        raise BadExample(f"{name}: cannot be read as Excel ({error}); save it as CSV") from None
    if not text.getvalue().strip(",\n"):
        raise BadExample(f"{name}: sheet {sheet.title!r}, the first, is empty; save the right one")
    others = f" of {len(book.worksheets)}" if len(book.worksheets) > 1 else ""
    return io.BytesIO(text.getvalue().encode()), f"Excel, sheet {sheet.title!r}{others}"


Paths: TypeAlias = PathLike | Input | Sequence[PathLike | Input]


def inputs_of(paths: Paths) -> tuple[Input, ...]:
    """The files that paths name: themselves, those in a directory, or those a pattern matches.

    Inputs are returned as they are. The files of a directory are sorted by name, without hidden
    ones; if it has no files but folders with files, these are documents: see `documents`.
    """
    found: list[Input] = []
    path: str
    for one in [paths] if isinstance(paths, str | os.PathLike | Input) else paths:
        if isinstance(one, Input):
            found.append(one)
        elif is_remote(one):
            found += _downloaded(str(one))
        elif os.path.isdir(path := os.fspath(one)):
            inside = [Input(file) for file in _entries(path, folders=False)] or documents(path)
            if not inside:
                raise BadExample(f"{path}: the directory has no files")
            found += inside
        elif not os.path.exists(path) and any(mark in path for mark in "*?["):
            matches = sorted(glob(path, recursive=True))
            if not matches:
                raise BadExample(f"{path}: no file matches the pattern")
            found += map(Input, matches)
        else:
            found.append(Input(path))
    if not found:
        raise BadExample("no files to read")
    if sum(one.is_stdin for one in found) > 1:
        raise BadExample("the standard input can be read only once")
    return tuple(found)


def is_remote(path: PathLike) -> bool:
    """Whether a path is an address, such as s3://bucket/mail.csv."""
    return isinstance(path, str) and _REMOTE.match(path) is not None


def _downloaded(url: str) -> list[Input]:
    """The files at an address such as s3://bucket/mail-*.csv, copied until Python ends."""
    found = []
    with _far(url) as (system, _):
        for place in _places(url):
            folder = mkdtemp(prefix="novikoff-")
            atexit.register(rmtree, folder, ignore_errors=True)
            local = os.path.join(folder, os.path.basename(place.rstrip("/")) or "data")
            system.get_file(place, local)
            found.append(Input(local, name=place))
    return found


def _places(url: str) -> list[str]:
    """The addresses of the files that an address names, which may be a pattern."""
    with _far(url) as (system, path):
        places = sorted(system.glob(path)) if "*" in path else [path]
        if not places:
            raise BadExample(f"{url}: no file matches the pattern")
        return [system.unstrip_protocol(place) for place in places]


@contextmanager
def _far(url: str, what: str = "read") -> Iterator[tuple[Any, str]]:
    """The file system of an address, and the path on it; its errors name the address."""
    cure = "pip install 'novikoff[remote]'; or download it first"
    core = optional("fsspec.core", f"{url}: to read from {url.partition(':')[0]}, {cure}")
    try:
        yield core.url_to_fs(url)
    except (BadExample, MemoryError):
        raise
    except FileNotFoundError:
        raise BadExample(f"{url}: no such file or directory") from None
    except Exception as error:  # each system has its own; who sees the cause may try again
        words = one_line(str(error) or repr(error))
        raise BadExample(f"{url}: cannot be {what}: {words}") from error


def far_file(url: str) -> BinaryIO:
    """The file at an address, to read and to seek in."""
    with _far(url) as (system, path):
        file: BinaryIO = system.open(path, "rb")
        return file


def write_file(place: str, content: bytes) -> None:
    """Write a whole file, on this machine or at an address."""
    if not is_remote(place):
        with atomic_write(place) as file:
            file.write(content)
        return
    with _far(place, "written") as (system, path):
        system.pipe_file(path, content)


def parts_in_place(paths: Paths) -> tuple[Part, ...]:
    """The files that paths name, as `inputs_of` finds them, but read where they are."""
    found: list[Part] = []
    for one in [paths] if isinstance(paths, str | os.PathLike | Input) else paths:
        if isinstance(one, str) and is_remote(one):
            found += map(Part, _places(one))
            continue
        for file in inputs_of(one):
            if file.is_pipe:
                raise BadExample(
                    f"{file.name}: a pipe cannot be cut into shards; save it in a file"
                )
            found.append(Part(os.path.abspath(file.path), file.folder, file.name))
    return tuple(found)


def _entries(path: str, *, folders: bool) -> list[str]:
    """The paths of the files or folders in a directory, but not of hidden ones, by name."""
    entries = (one for one in os.scandir(path) if not one.name.startswith((".", "_")))
    return sorted(one.path for one in entries if one.is_dir() == folders)


def documents(path: str) -> list[Input]:
    """The files in the folders of a directory, which take turns, so that no class comes first."""
    found: list[tuple[float, str, str]] = []
    for folder in _entries(path, folders=True):
        files, name = _entries(folder, folders=False), os.path.basename(folder)
        found += [((k + 0.5) / len(files), name, file) for k, file in enumerate(files)]
    return [Input(file, folder) for _, folder, file in sorted(found)]


def suffix_of(path: str) -> str:
    """The suffix of a name, without that of a compression: ".csv" for "mail.CSV.gz"."""
    name = Path(path.lower())
    return Path(name.stem).suffix if name.suffix in (".gz", ".bz2", ".zst") else name.suffix
