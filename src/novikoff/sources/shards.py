"""Shards: data cut at places that depend on the data alone, and how a worker reads one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from novikoff.sources.chunks import Source
from novikoff.sources.files.text import TextFiles
from novikoff.sources.inputs import Part
from novikoff.sources.open import open_files
from novikoff.sources.read_options import ReadOptions
from novikoff.stream.input_problems import BadExample

SHARD_BYTES = 1 << 25
MOST_SHARDS = 1 << 12


@dataclass(frozen=True, slots=True)
class Shard:
    """Parts of files that follow one another, and how many examples come before them."""

    parts: tuple[Part, ...]
    first: int = 0

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
        return whole.part(self.parts, self.first)

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
    files: Sequence[Part], how: ReadOptions, *, shards: int | None = None
) -> Shards:
    """The files cut into shards of 32 MB, or more if there would be over 4,096, or into so many."""
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
    return Shards(source, cut)


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
