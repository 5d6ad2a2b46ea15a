"""Dask's own collections as shards: arrays, frames, and lists of delayed blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

from dask.base import is_dask_collection
from dask.delayed import delayed

from novikoff.sources.arrays import flat_labels, label_texts, rows_of
from novikoff.sources.chunks import Chunk, Source, TableColumns
from novikoff.sources.in_memory import ArrowTable, InMemory, table_of
from novikoff.sources.read_options import ReadOptions
from novikoff.sources.shards import Shards
from novikoff.stream.input_problems import BadExample


@dataclass(frozen=True, slots=True)
class Partition:
    """A part of a collection that a worker makes whenever it is needed."""

    data: Any
    number: int
    first: int = 0
    size: int = 0

    @property
    def name(self) -> str:
        """Which one it is."""
        return f"partition {self.number}"

    def given(self) -> Any:
        """The partition with its data made, as a task of Dask."""
        return delayed(Partition)(self.data, self.number, self.first)

    def source(self, whole: Source) -> Source:
        """Its examples, read as all partitions are."""
        out = copy(whole)
        assert isinstance(out, PartitionSource)
        out.partitions, out.first = [self.data], self.first
        return out


class PartitionSource(Source):
    """The examples of a collection; this machine fetches only those that it looks at."""

    def __init__(self, partitions: Sequence[Any], how: ReadOptions) -> None:
        super().__init__(InMemory())
        self.partitions, self._how = partitions, how
        self._table: TableColumns | None = None

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"partitions": ()}

    @property
    def table(self) -> TableColumns | None:
        """The columns, if the collection is a frame; known once reading has started."""
        return self._table

    def _words(self) -> list[str]:
        return ["Dask collection"]

    def _chunks(self) -> Iterator[Chunk]:
        first = self.first
        for one in self.partitions:  # on a worker, the data have been made
            data = one.compute() if is_dask_collection(one) else one
            for chunk in self._chunks_of(data, first):
                yield chunk
                first += len(chunk)

    def _chunks_of(self, data: Any, first: int) -> Iterator[Chunk]:
        if isinstance(data, tuple) and hasattr(data[0], "columns"):
            label = "label" if self._how.label is None else str(self._how.label)
            data = data[0].assign(**{label: data[1]})
        if hasattr(data, "columns"):
            if not len(data):
                return
            kinds = zip(data.columns, data.dtypes, strict=True)
            categories = [str(name) for name, kind in kinds if str(kind).startswith("categ")]
            how = replace(self._how, categorical=(*self._how.categorical, *categories))
            table = ArrowTable(table_of(data), how)
            table.first, self._table = first, table.table
            yield from table
            return
        X, y = data
        codes, texts, places = label_texts(flat_labels(y))
        rows = rows_of(X)
        if len(rows) != len(codes):
            raise BadExample(f"{len(rows)} rows but {len(codes)} labels")
        labels = codes.astype("int32")
        yield Chunk(rows, labels, tuple(texts), tuple(places), first=first, is_matrix=True)


def shards_of_collection(data: Any, y: Any, how: ReadOptions) -> Shards:
    """A shard for each partition of a Dask frame, of an array with labels, or of delayed blocks."""
    if hasattr(data, "to_delayed"):
        if getattr(data, "ndim", 0) == 2 and hasattr(data, "rechunk"):
            data = data.rechunk({1: -1})
        made = data.to_delayed()
        blocks = [*getattr(made, "flat", made)]
        if y is not None:
            labels = [*y.to_delayed()]
            if len(labels) != len(blocks):
                words = f"{len(blocks)} blocks of rows, but {len(labels)} of labels"
                raise BadExample(f"{words}; rechunk one like the other")
            blocks = [delayed(tuple)([X, y]) for X, y in zip(blocks, labels, strict=True)]
    else:
        blocks = list(data)
    if not blocks:
        raise BadExample("there are no examples")
    source = PartitionSource(blocks, how)
    return Shards(source, [Partition(one, k, k) for k, one in enumerate(blocks)])
