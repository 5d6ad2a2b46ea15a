"""A source as a stream of blocks: features become columns, labels signs or classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain

import numpy as np

from novikoff.sources.chunks import Chunk, Source, TableColumns
from novikoff.sources.features import Features
from novikoff.sources.interactions import in_slices
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample, Problem
from novikoff.stream.labels import LabelsAsClasses, LabelsAsSigns, in_order, written
from novikoff.stream.printing import count
from novikoff.stream.rows import Rows, Vector

HELD_AT_MOST = 1 << 24  # bytes of rows


class Numbered:
    """The blocks of a source, as often as it is iterated over.

    Which of two labels is positive must be known before the first example is learned, so chunks are
    read ahead until both have been seen, and kept unless they exceed 16 MB. `class_weights` are as
    in `ReadOptions`.
    """

    def __init__(
        self,
        source: Source,
        features: Features,
        labelling: LabelsAsSigns | LabelsAsClasses,
        class_weights: Mapping[str, float] | None = None,
    ) -> None:
        self.source, self.features, self.labelling = source, features, labelling
        self._class_weights = class_weights or {}
        self._examples: int | None = None
        self._held: list[Chunk] = []
        self._rest: Iterator[Chunk] | None = None
        self._must_look = isinstance(labelling, LabelsAsSigns) and not labelling.is_decided

    @property
    def classes(self) -> tuple[str, ...]:
        """The negative and the positive label; or all classes seen so far, in their order."""
        self._look_ahead()
        return self.labelling.classes

    @property
    def table(self) -> TableColumns | None:
        """The columns, if the source is a table; known once reading has started."""
        return self.source.table

    def _look_ahead(self) -> None:
        """Read until both labels are known, or to the end."""
        labelling = self.labelling
        if not self._must_look or isinstance(labelling, LabelsAsClasses):
            return
        rest, held, held_bytes = iter(self.source), list[Chunk](), 0
        chunk: Chunk | None = None
        for chunk in rest:
            held.append(chunk)
            held_bytes += chunk.rows.nbytes
            if held_bytes > HELD_AT_MOST:
                if self.source.is_pipe:
                    words = f"{self.source.name}: only one label so far, and a pipe is read once"
                    raise BadExample(words, Problem.ONE_LABEL_IN_PIPE)
                held.clear()
            if labelling.meet(chunk.label_texts, chunk.label_places):
                break
        if chunk is None:
            raise BadExample(f"{self.source.name}: there are no examples")
        labelling.decide()
        self._must_look = False
        if held_bytes <= HELD_AT_MOST:
            self._held, self._rest = held, rest

    def chunks(self) -> Iterator[Chunk]:
        """The chunks of the source from the first, in parts if they will have many interactions."""
        self._look_ahead()
        held, rest = self._held, self._rest
        self._held, self._rest = [], None
        waiting = (held.pop(0) for _ in range(len(held)))  # none is held longer than needed
        n = 0
        for chunk in chain(waiting, self.source if rest is None else rest):
            n += len(chunk)
            yield from parts_of(chunk, self.features)
        self.check_unchanged()
        if self._examples not in (None, n):
            raise BadExample(
                f"{self.source.name}: {count(n)} examples in this pass, but "
                f"{count(self._examples or 0)} in the first; the data changed in between"
            )
        self._examples = n

    def of(self, source: Source) -> Numbered:
        """The blocks of another source, with these features, labels and weights."""
        return Numbered(source, self.features, self.labelling, self._class_weights)

    def check_unchanged(self) -> None:
        """Raise BadExample if a file has changed since it was opened."""
        self.source.check_unchanged()

    def __iter__(self) -> Iterator[Block]:
        try:
            for chunk in self.chunks():
                yield self.block(chunk)
        except (BadExample, OSError):
            self.check_unchanged()  # if a file changed, that is the reason to give
            raise
        if isinstance(self.labelling, LabelsAsClasses) and not self.classes:
            raise BadExample(f"{self.source.name}: there are no examples")

    def block(self, chunk: Chunk) -> Block:
        """The chunk as a block."""
        rows = feature_rows(self.source, chunk, self.features)
        labels = chunk.coded(self.labelling)
        return Block(rows, labels, chunk.first, importances=self._importances(chunk))

    def _importances(self, chunk: Chunk) -> Vector | None:
        factors = [self._class_weights.get(written(text), 1.0) for text in chunk.label_texts]
        if all(factor == 1 for factor in factors):
            return chunk.importances
        by_class: Vector = np.array(factors)[chunk.labels]
        return by_class if chunk.importances is None else chunk.importances * by_class


def label_counts(source: Source) -> dict[str, int]:
    """How many examples of a source have each label, counted in one iteration over it."""
    found = Counter[str]()
    for chunk in source:
        counts = np.bincount(chunk.labels, minlength=len(chunk.label_texts))
        for text, n in zip(chunk.label_texts, counts.tolist(), strict=True):
            found[written(text)] += n
    return {label: found[label] for label in in_order([*found])}


def parts_of(chunk: Chunk, features: Features) -> Iterator[Chunk]:
    """The chunk, in parts if its features will be multiplied."""
    return in_slices(chunk) if features.products else iter((chunk,))


def feature_rows(source: Source, chunk: Chunk, features: Features) -> Rows:
    """The rows of a chunk over the columns of the features; errors name the source."""
    try:
        return features.rows(chunk)
    except BadExample as error:
        raise error.at(source.name) from None
