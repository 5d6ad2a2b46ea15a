"""Chunks: examples as a source reads them, whose features and labels may still be names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import compress, pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray

from novikoff import _core
from novikoff.sources.inputs import Input, Part, Paths, State, inputs_of
from novikoff.stream.blocks import Codes, Labels
from novikoff.stream.input_problems import BadExample
from novikoff.stream.labels import LabelsAsClasses, LabelsAsSigns, label_key, rest_of, written
from novikoff.stream.printing import count, listed, plural, quoted, quoted_list
from novikoff.stream.rows import Positions, Rows, SparseRows, Vector


def separate(text: NDArray[np.uint8], starts: Positions) -> list[bytes]:
    """The pieces text[starts[k]:starts[k + 1]]."""
    whole = text.tobytes()
    return [whole[a:b] for a, b in pairwise(starts.tolist())]


@dataclass(frozen=True, slots=True)
class Names:
    """Names in one piece of memory: name k is text[starts[k]:starts[k + 1]], in UTF-8."""

    text: NDArray[np.uint8]
    starts: Positions
    hashes: NDArray[np.uint64]

    @classmethod
    def of(cls, names: Sequence[str]) -> Self:
        """The names of a list."""
        encoded = [name.encode() for name in names]
        starts = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
        text = np.frombuffer(b"".join(encoded), dtype=np.uint8)
        return cls(text, starts, _core.hash_names(text, starts))

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __iter__(self) -> Iterator[bytes]:
        return iter(separate(self.text, self.starts))

    @classmethod
    def joined(cls, parts: Sequence[Names]) -> Self:
        """The names of all the parts in order."""
        lengths = np.concatenate([np.diff(names.starts) for names in parts])
        return cls(
            np.concatenate([names.text for names in parts]),
            np.append(0, np.cumsum(lengths)),
            np.concatenate([names.hashes for names in parts]),
        )

    def take(self, which: Positions) -> Names:
        """These names, in this order."""
        lengths = np.diff(self.starts)[which]
        starts = np.append(0, np.cumsum(lengths))
        at = np.arange(starts[-1]) + np.repeat(self.starts[which] - starts[:-1], lengths)
        return Names(self.text[at], starts, self.hashes[which])


def first_seen(codes: NDArray[np.int32 | np.int64], count: int) -> Positions:
    """For each code below `count`, its first place among the codes; their number if none has it."""
    n = len(codes)
    first = np.full(count + 1, n)  # the last is for −1
    first[codes[::-1]] = np.arange(n)[::-1]
    return first[:-1]


def by_appearance(rows: SparseRows, names: Names, *, known: int = 0) -> tuple[SparseRows, Names]:
    """The rows with the names that they have, in order of appearance, after the `known` first."""
    first = first_seen(rows.indices, len(names))
    first[:known] = -1
    used = np.argsort(first, kind="stable")[: int((first < len(rows.indices)).sum())]
    places = np.zeros(len(names), dtype=rows.indices.dtype)
    places[used] = np.arange(len(used))
    renamed = SparseRows(rows.values, places[rows.indices], rows.starts, len(used))
    return renamed, names.take(used)


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some examples as a source reads them, before features have columns and labels signs."""

    rows: Rows  # a column is a place in `names` or `columns`, or else an index of the file
    labels: NDArray[np.int32]  # the place of each label in `label_texts`; −1: none
    label_texts: tuple[str, ...]  # the different labels
    label_places: tuple[str, ...]  # where each was first seen: "mail.svm:12"
    names: Names | None = None  # of the features, in order of appearance
    importances: Vector | None = None  # how much each example counts
    first: int = 0  # the position of the first example in the whole source
    columns: tuple[str, ...] | None = None  # the names of the columns of a table of numbers
    is_hashed: bool = False  # a column is the hash of a name; `names` are the first ones
    is_matrix: bool = False  # a column is its position in a matrix of fixed width

    def __len__(self) -> int:
        return len(self.rows)

    def coded(self, labels: LabelsAsSigns | LabelsAsClasses) -> Labels | Codes:
        """The labels of the examples as −1 and +1, or as numbers of classes."""
        return labels.coded(self.labels, self.label_texts, self.label_places, self.first)

    def part(self, begin: int, end: int) -> Chunk:
        """A copy of the examples from `begin` to `end`."""
        part = self._taken(np.arange(begin, end))
        return replace(part, first=self.first + begin)

    def only(self, which: Positions) -> Chunk:
        """A copy of some examples, in order; the names are those that they have."""
        part = self._taken(which)
        if self.names is None:
            return part
        rows, names = by_appearance(part.rows.sparse(), self.names)
        return replace(part, rows=rows, names=names)

    def _taken(self, which: Positions) -> Chunk:
        weights = self.importances
        return replace(
            self,
            rows=self.rows.take(which),
            labels=self.labels[which],
            importances=None if weights is None else weights[which],
        )


@dataclass(frozen=True, slots=True)
class LabelChoice:
    """Which examples are read, by their labels, and what their labels become.

    By default all are, as they are. If `wanted`, a label named here must occur.
    """

    keep: tuple[str, ...] = ()
    one_vs_rest: str | None = None
    wanted: bool = True

    def applied(self, chunks: Iterator[Chunk], source: Source) -> Iterator[Chunk]:
        """The chunks of the source, with the labels that are chosen."""
        named = self.keep or (() if self.one_vs_rest is None else (self.one_vs_rest,))
        missing, met = {label_key(text): text for text in named}, dict[str, None]()
        n = source.first
        for chunk in chunks:
            for text in chunk.label_texts:
                missing.pop(label_key(text), None)
                met[written(text)] = None
            chunk = replace(self._kept(chunk), first=n)
            n += len(chunk)
            if len(chunk):
                yield self._against_rest(chunk)
        if missing and self.wanted and met:
            first, *_ = missing.values()
            labels = f"the labels are {quoted_list(list(met))}"
            raise BadExample(f"{source.name}: no example has the label {quoted(first)}; {labels}")

    def chosen(self, texts: Iterable[str]) -> list[bool]:
        """Whether the examples with each of these labels are read."""
        keys = {label_key(text) for text in self.keep}
        return [not keys or label_key(text) in keys for text in texts]

    def _kept(self, chunk: Chunk) -> Chunk:
        chosen = self.chosen(chunk.label_texts)
        if all(chosen):
            return chunk
        rows = np.flatnonzero(np.array([*chosen, False])[chunk.labels])
        numbers = np.cumsum(chosen, dtype=np.int32) - 1
        return replace(
            chunk.only(rows),
            labels=numbers[chunk.labels[rows]],
            label_texts=tuple(compress(chunk.label_texts, chosen)),
            label_places=tuple(compress(chunk.label_places, chosen)),
        )

    def _against_rest(self, chunk: Chunk) -> Chunk:
        if self.one_vs_rest is None:
            return chunk
        one, rest = label_key(self.one_vs_rest), rest_of(self.one_vs_rest)
        texts = (text if label_key(text) == one else rest for text in chunk.label_texts)
        return replace(chunk, label_texts=tuple(texts))


@dataclass(frozen=True, slots=True)
class TableColumns:
    """A table's columns by name; `texts` and `words` are the features that hold texts."""

    features: tuple[str, ...]
    texts: tuple[str, ...]
    label: str | None
    has_header: bool = True
    weight: str | None = None
    words: tuple[str, ...] = ()


class Source(ABC):
    """The examples of files, read from the beginning whenever it is iterated over.

    Where it is cut into chunks depends only on what is read. Errors begin with `name`, the first
    file; `done` bytes of `total` (None: unknown) have been read, `skipped` says what was wrong with
    the lines skipped, and `first` examples come before these, if they are a part of the data.
    """

    choice = LabelChoice()
    first: int = 0
    keeper: Callable[[Source], Iterator[Chunk]] | None = None  # reads `_chunks`, or remembers them

    def __init__(self, files: Paths) -> None:
        self.inputs: tuple[Input, ...] = inputs_of(files)
        self.name = self.inputs[0].name
        self.is_pipe = any(one.is_pipe for one in self.inputs)
        self.total = None if self.is_pipe else sum(one.size or 0 for one in self.inputs)
        self.done, self.skipped = 0, list[str]()
        self._states: list[State] = [one.state() for one in self.inputs]

    def part(self, inputs: Sequence[Part], first: int) -> Self:
        """The examples of parts of the files; its columns must have been read already."""
        out = copy(self)
        out.inputs, out.first, out.name = tuple(inputs), first, inputs[0].name
        out.skipped, out._states = [], [one.known for one in inputs]
        out.choice = replace(out.choice, wanted=False)
        return out

    def check_unchanged(self) -> None:
        """Raise BadExample if a file is not the one that it was at first."""
        for one, before in zip(self.inputs, self._states, strict=True):
            one.check_unchanged(before)

    def skip(self, error: BadExample, *, allowed: int, what: str = "bad line") -> None:
        """Record what was wrong with a line; if more than allowed are bad, raise it."""
        words = error.without_cure
        self.skipped.append(words)
        if len(self.skipped) > allowed:
            if allowed:
                found = plural(len(self.skipped), what)
                words += f" ({found}, and {count(allowed)} may be skipped)"
            raise BadExample(words, error.problem, **error.details)

    @property
    def table(self) -> TableColumns | None:
        """The columns, if it is a table; known once reading has started."""
        return None

    @property
    def description(self) -> str:
        """What is read and how, in a few words: "svmlight, gzip, 3 files"."""
        n, keep = len(self.inputs), self.choice.keep
        words = [*self._words(), *([f"{n} files"] if n > 1 else [])]
        return ", ".join([*words, *([f"only labels {listed(keep, 8)}"] if keep else [])])

    @abstractmethod
    def _words(self) -> list[str]: ...

    @abstractmethod
    def _chunks(self) -> Iterator[Chunk]:
        """All examples of the files, in order; iteration counts their positions."""

    def __iter__(self) -> Iterator[Chunk]:
        return self.choice.applied(
            self._chunks() if self.keeper is None else self.keeper(self), self
        )
