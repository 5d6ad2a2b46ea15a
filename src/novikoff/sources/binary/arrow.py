"""Examples from tables in Parquet, Arrow's file and stream formats, and Feather."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from novikoff.chunks import Chunk, TableColumns
from novikoff.rows import BadExample, DenseRows
from novikoff.sources.binary.columns import (
    Cells,
    Where,
    first_met,
    named_rows,
    number_cells,
    numbered,
    text_cells,
)
from novikoff.sources.binary.fields import Layout, Role, Wanted
from novikoff.sources.binary.tabular import CALLED, Kind, batches, read_schema, reading
from novikoff.sources.texts import Missing, shown

if TYPE_CHECKING:
    import pyarrow as pa

CHUNK = 1 << 20  # bytes of values, and of the texts that are features


@dataclass(frozen=True, slots=True)
class _Piece:
    """Some rows of a file: the cells of each feature's column and of the label's."""

    fields: tuple[Cells, ...]
    label: Cells | None

    def __len__(self) -> int:
        return len(self.fields[0].codes)

    def __getitem__(self, span: slice) -> _Piece:
        label = None if self.label is None else self.label[span]
        return _Piece(tuple(cells[span] for cells in self.fields), label)


class ArrowFiles:
    """Tables read row by row: one file or several with the same columns, in bounded memory.

    A number c is the value of the feature called as its column, a truth value 1 or 0; a text or
    category v in column c is the feature "c=v" of value 1. Tables of numbers only are dense rows.

    Parameters
    ----------
    kind
        "arrow" is Arrow's file format (so Feather of version 2) or its stream format.
    label
        The column of the labels: a name or a position from 0. By default the last not ignored.
    labelled
        If not, examples may be without a label, and there may be no column of them; it is then
        read only if `label` names it.
    missing
        What a null or NaN is: refused, no feature, or the feature "c=" of value 1.
    ignore
        Columns that are not read.
    categorical
        Columns of numbers, truth values, dates or times whose values are categories.
    expect
        The columns a model was trained on: these are read, in this order, and no other.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        *,
        kind: Kind,
        label: str | int | None = None,
        labelled: bool = True,
        missing: Missing = "refuse",
        ignore: Collection[str] = (),
        categorical: Collection[str] = (),
        expect: tuple[str, ...] | None = None,
    ) -> None:
        if not paths:
            raise ValueError("there must be a file to read")
        self._paths = tuple(paths)
        self.name, self.is_pipe = str(paths[0]), False
        self._kind = kind
        self._missing = missing
        self._wanted = Wanted(label, labelled, frozenset(ignore), frozenset(categorical), expect)
        self._layout = self._common()
        self.done, self.skipped = 0, list[str]()
        self.total: int | None = sum(path.stat().st_size for path in paths)

    def _common(self) -> Layout:
        """What is read of all the files; they are looked at before any is read."""
        first, *rest = (
            (self._wanted.layout(read_schema(path, self._kind), path), path) for path in self._paths
        )
        return reduce(lambda found, other: found.also(other[0], first[1], other[1]), rest, first[0])

    @property
    def table(self) -> TableColumns:
        """What the columns are."""
        return TableColumns(self._layout.fields, self._layout.texts, self._layout.label)

    @property
    def columns(self) -> tuple[str, ...] | None:
        """What the features are called, if the columns are all numbers: these."""
        return None if self._layout.texts or self._missing == "indicate" else self._layout.fields

    @property
    def description(self) -> str:
        """The format, and how many files if several."""
        n = len(self._paths)
        return CALLED[self._kind] + (f", {n} files" if n > 1 else "")

    def __iter__(self) -> Iterator[Chunk]:
        first = self.done = 0
        for path in self._paths:
            row = 0
            for pieces in self._cut(self._pieces(path)):
                yield self._chunk(pieces, path, row, first)
                n = sum(map(len, pieces))
                row, first = row + n, first + n
            self.done += path.stat().st_size

    def _pieces(self, path: Path) -> Iterator[_Piece]:
        """The rows of a file as they come, no more than a chunk's at a time."""
        fields, label = self._layout.fields, self._layout.label
        names = [] if label is None else [label]
        rows = max(1, CHUNK // (8 * len(fields)))
        read, texts = [*fields, *names], [*self._layout.texts, *names]
        row = 0
        with reading(path, self._kind):
            for batch in batches(path, self._kind, read, texts, rows):
                yield self._piece(batch, path, row)
                row += len(batch)

    def _piece(self, batch: pa.RecordBatch, path: Path, row: int) -> _Piece:
        def place(name: str) -> Where:
            return lambda i: f"{path}: row {row + i}: column {shown(name)}"

        fields = tuple(
            text_cells(batch.column(name), f"{name}=", self._missing, place(name))
            if role is Role.TEXTS
            else number_cells(batch.column(name), name, self._missing, place(name))
            for name, role in self._layout.roles.items()
        )
        name = self._layout.label
        if name is None:
            return _Piece(fields, None)
        label = text_cells(batch.column(name), "", "zero", place(name))
        if self._wanted.labelled and (label.codes < 0).any():
            where = place(name)(int(np.argmin(label.codes)))
            raise BadExample(f"{where}: the label is missing; name one or remove the row")
        return _Piece(fields, label)

    def _cut(self, pieces: Iterator[_Piece]) -> Iterator[list[_Piece]]:
        """The pieces of each chunk, which ends with the row that fills it."""
        held: list[_Piece] = []
        weight = 0
        texts = [role is Role.TEXTS for role in self._layout.roles.values()]
        for piece in pieces:
            weights = np.full(len(piece), 8 * len(texts))
            for cells, is_text in zip(piece.fields, texts, strict=True):
                if is_text:
                    weights += cells.lengths()
            while len(piece):
                total = weight + np.cumsum(weights)
                end = int(np.searchsorted(total, CHUNK)) + 1
                held.append(piece[:end])
                weight = int(total[:end][-1])
                if weight >= CHUNK:
                    yield held
                    held, weight = [], 0
                piece, weights = piece[end:], weights[end:]
        if held:
            yield held

    def _chunk(self, pieces: list[_Piece], path: Path, row: int, first: int) -> Chunk:
        fields = [Cells.joined(parts) for parts in zip(*(p.fields for p in pieces), strict=True)]
        labels = np.full(len(fields[0].codes), -1, dtype=np.int32)
        texts: tuple[str, ...] = ()
        marks = [piece.label for piece in pieces if piece.label is not None]
        if marks:
            found, cells = numbered([Cells.joined(marks)])
            labels, texts = cells[:, 0], tuple(text.decode() for text in found)
        places = tuple(f"{path}: row {row + i}" for i in first_met(labels, len(texts)))
        if self.columns is not None:
            dense = DenseRows(np.column_stack([cells.values for cells in fields]))
            return Chunk(dense, labels, texts, places, first=first)
        rows, names = named_rows(fields)
        return Chunk(rows, labels, texts, places, names, first=first)
