"""A source as a stream of blocks: its features numbered, its labels made signs."""

from __future__ import annotations

from collections.abc import Iterator

from novikoff.chunks import Chunk, Source, TableColumns
from novikoff.examples import Block
from novikoff.features import Features
from novikoff.rows import BadExample
from novikoff.sources.classes import Classes, Labelling

HELD_AT_MOST = 64  # chunks, about a megabyte each


class Numbered:
    """The blocks of a source, as often as it is iterated over.

    What the two labels are must be known before the first example is learned from, so as much is
    read ahead as it takes to meet both; usually that is the first chunk. What was read ahead is not
    read again, unless the labels are so far apart that it would not fit in memory.

    Parameters
    ----------
    features
        How features become columns; it learns new names on the way, unless it is frozen.
    labelling
        What the labels are, so far.
    """

    def __init__(self, source: Source, features: Features, labelling: Labelling) -> None:
        self.source, self.features, self.labelling = source, features, labelling
        self._held: list[Chunk] = []
        self._rest: Iterator[Chunk] | None = None

    @property
    def classes(self) -> Classes:
        """The negative and the positive label."""
        self._look_ahead()
        return self.labelling.classes

    @property
    def table(self) -> TableColumns | None:
        """What the columns are, if the source is a table; known when reading has begun."""
        return self.source.table

    def _look_ahead(self) -> None:
        """Read until both labels are known, or to the end."""
        if self.labelling.is_decided or self._rest is not None:
            return
        rest = iter(self.source)
        held: list[Chunk] = []
        met = 0
        for chunk in rest:
            met += 1
            if met <= HELD_AT_MOST:
                held.append(chunk)
            self.labelling.meet(chunk.label_texts, chunk.label_places)
            if self.labelling.is_decided:
                break
        else:
            if met:
                self.labelling.decide()
        if not met:
            raise BadExample(f"{self.source.name}: there are no examples")
        if met <= HELD_AT_MOST:
            self._held, self._rest = held, rest

    def chunks(self) -> Iterator[Chunk]:
        """The chunks of the source, from the first."""
        self._look_ahead()
        held, rest = self._held, self._rest
        self._held, self._rest = [], None
        while held:
            yield held.pop(0)
        yield from iter(self.source) if rest is None else rest

    def __iter__(self) -> Iterator[Block]:
        for chunk in self.chunks():
            yield self.block(chunk)

    def block(self, chunk: Chunk) -> Block:
        """The chunk as a block."""
        rows = self.features.rows(chunk, self.source.columns)
        return Block(rows, self.labelling.signs(chunk), chunk.first, importances=chunk.importances)
