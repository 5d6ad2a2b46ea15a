"""Shards: data cut at places that depend on the data alone, and how a worker reads one."""

import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any, BinaryIO

from novikoff import __version__
from novikoff.sources.chunks import Chunk, Names, Source
from novikoff.sources.files.text import TextFiles
from novikoff.sources.inputs import Part
from novikoff.sources.open import open_files
from novikoff.sources.read_options import ReadOptions
from novikoff.storage.atomic_write import atomic_write
from novikoff.storage.file_format import BadModel, pieces, unpacked
from novikoff.stream.input_problems import BadExample
from novikoff.stream.rows import DenseRows, SparseRows

SHARD_BYTES = 1 << 25
MOST_SHARDS = 1 << 12


@dataclass(frozen=True, slots=True)
class Shard:
    """Parts of files that follow one another, and how many examples come before them.

    What is parsed of them is kept in the file `cache`, if there is one, on the disk of the worker.
    """

    parts: tuple[Part, ...]
    first: int = 0
    cache: str | None = None

    @property
    def name(self) -> str:
        """The file it begins in, and where."""
        return f"{self.parts[0].name} from {self.parts[0].begin:,}"

    @property
    def size(self) -> int:
        """How many bytes it has."""
        return sum(part.size for part in self.parts)

    def source(self, whole: Source) -> Source:
        """Its examples, read as the source of all data reads them."""
        out = whole.part(self.parts, self.first)
        out.keeper = None if self.cache is None else partial(_kept, self.cache)
        return out

    @contextmanager
    def naming_lines(self) -> Iterator[None]:
        """Count lines in errors from the beginning of a file, not of a part."""
        try:
            yield
        except BadExample as error:
            words = error.without_cure
            for part in (one for one in self.parts if one.begin):
                for found in reversed([*re.finditer(rf"{re.escape(part.name)}:(\d+)", words)]):
                    line = int(found[1]) + part.lines_before()
                    words = f"{words[: found.start(1)]}{line}{words[found.end(1) :]}"
            raise BadExample(words, error.problem, **error.details) from error.__cause__


@dataclass(slots=True)
class Shards:
    """All data of a run: the source that says how they are read, and the shards."""

    source: Source
    shards: list[Any]


def shards_of_files(
    files: Sequence[Part],
    how: ReadOptions,
    *,
    shards: int | None = None,
    cache: str | None = None,
) -> Shards:
    """The files cut into shards of 32 MB, or more if there would be over 4,096, or into so many.

    Workers keep what they parse in the folder `cache`, each on its own disk.
    """
    source = open_files(files, replace(how, threads=0))
    total = sum(part.size for part in files)
    size = max(1, -(-total // shards) if shards else max(SHARD_BYTES, -(-total // MOST_SHARDS)))
    found: dict[int, list[Part]] = {}
    at = 0
    for one in files:
        cuts = _cuts(source, one, at, size)
        ends = [*cuts.values()][1:]
        for (number, begin), end in zip(cuts.items(), [*ends, None], strict=True):
            found.setdefault(number, []).append(one.cut(begin, end))
        at += one.size
    cut = [Shard(tuple(parts), k) for k, parts in enumerate(found.values())]
    if cache is not None:
        cut = [replace(one, cache=os.path.join(cache, _digest(one, how))) for one in cut]
    return Shards(source, cut)


def _digest(shard: Shard, how: ReadOptions) -> str:
    """What tells the chunks of a shard from others: the state of the files and the options."""
    of = [(one.path, one.folder, one.known, one.begin, one.end) for one in shard.parts]
    return hashlib.sha256(f"{__version__} {how} {of}".encode()).hexdigest()


def _kept(path: str, source: Source) -> Iterator[Chunk]:
    """The chunks of a source from a file; what is missing or damaged is read and kept again.

    Each is checked by its length and its hash. Names get their columns when all shards are known,
    so chunks are kept, not blocks.
    """
    n = 0
    with suppress(OSError, BadModel), open(path, "rb") as file:
        while True:
            most = os.fstat(file.fileno()).st_size
            data = file.read(min(int.from_bytes(file.read(8), "little"), most))
            header, arrays = unpacked(data, kind="chunk", where=path)
            if "skipped" in header:
                source.skipped += header["skipped"]
                return
            yield _chunk(header, arrays)
            n += 1
    yield from islice(_keeping(path, source), n, None)


def _keeping(path: str, source: Source) -> Iterator[Chunk]:
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with atomic_write(path, durable=False) as file:
            for chunk in source._chunks():
                _store(file, *_taken_apart(chunk))
                yield chunk
            _store(file, {"skipped": source.skipped}, {})
    except OSError as error:
        if error.filename not in (path, os.path.dirname(path)):
            raise
        words = f"{path}: the cache cannot be written: {error.strerror}"
        raise BadExample(f"{words}; leave it out, or choose another folder") from None


def _store(file: BinaryIO, header: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    data = b"".join(pieces(header, arrays, kind="chunk"))
    file.write(len(data).to_bytes(8, "little") + data)


_PLAIN = ("label_texts", "label_places", "columns", "is_hashed", "is_matrix")


def _taken_apart(chunk: Chunk) -> tuple[dict[str, Any], dict[str, Any]]:
    """A chunk as a header and arrays, without its position, which iteration gives it."""
    values, indices, starts, dim = chunk.rows.core
    header = {"dim": dim} | {name: getattr(chunk, name) for name in _PLAIN}
    arrays = {"values": values, "indices": indices, "row_starts": starts, "labels": chunk.labels}
    arrays |= {"importances": chunk.importances}
    if (names := chunk.names) is not None:
        arrays |= {"text": names.text, "starts": names.starts, "hashes": names.hashes}
    return header, {name: array for name, array in arrays.items() if array is not None}


def _chunk(header: dict[str, Any], arrays: dict[str, Any]) -> Chunk:
    text, values, dim = arrays.get("text"), arrays["values"], header["dim"]
    listed = {name: header[name] for name in _PLAIN}
    plain: dict[str, Any] = {k: tuple(x) if isinstance(x, list) else x for k, x in listed.items()}
    is_sparse = "indices" in arrays
    return Chunk(
        SparseRows(values, arrays["indices"], arrays["row_starts"], dim)
        if is_sparse
        else DenseRows(values),
        arrays["labels"],
        names=None if text is None else Names(text, arrays["starts"], arrays["hashes"]),
        importances=arrays.get("importances"),
        **plain,
    )


def _cuts(source: Source, one: Part, at: int, size: int) -> dict[int, int]:
    """The shards that a file, after `at` bytes of others, has parts of, and where these begin."""
    from novikoff.sources.files.parquet import ArrowFiles  # most runs need neither

    places: dict[int, int] = {}
    if isinstance(source, TextFiles):
        with one.open() as reading:
            if reading.compression is None:
                places = {begin: begin for begin in range(size - at % size, one.size, size)}
    elif isinstance(source, ArrowFiles):
        groups = source.row_groups(one)
        places = {k: one.size * k // groups for k in range(1, groups)}
    cuts = {at // size: 0}
    for begin, byte in places.items():
        cuts.setdefault((at + byte) // size, begin)
    return cuts
