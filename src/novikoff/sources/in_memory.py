"""Frames, dicts, texts and arrays in memory, read as the command line reads files of the same."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from novikoff.sources.arrays import rows_of
from novikoff.sources.chunks import Chunk
from novikoff.sources.features import Features
from novikoff.sources.files.arrow_arrays import arrow
from novikoff.sources.files.parquet import ArrowFiles
from novikoff.sources.inputs import Input, OpenInput
from novikoff.sources.numbered import parts_of
from novikoff.sources.open import open_files
from novikoff.sources.read_options import ReadOptions
from novikoff.stream.input_problems import BadExample, Problem
from novikoff.stream.rows import Rows, SparseRows, join

if TYPE_CHECKING:
    import pyarrow as pa

WHERE = "X"  # how errors name the data, as the parameter of an estimator's methods is called


class InMemory(Input):
    """Bytes that are read as those of a file are."""

    def __init__(self, content: bytes = b"") -> None:
        self.path = self.name = WHERE
        self.is_stdin = self.is_pipe = False
        self.folder, self._content = None, content

    @property
    def size(self) -> int:
        """How many bytes there are."""
        return len(self._content)

    def state(self) -> None:
        """Nothing: what is in memory does not change while it is read."""

    @contextmanager
    def open(self) -> Iterator[OpenInput]:
        """The bytes."""
        raw = io.BufferedReader(io.BytesIO(self._content))
        yield OpenInput(self.name, raw)


class ArrowTable(ArrowFiles):
    """A table in memory."""

    def __init__(self, table: pa.Table, how: ReadOptions) -> None:
        self._table = table
        super().__init__(InMemory(), how, kind="arrow")

    def _schema(self, path: str) -> pa.Schema:
        return self._table.schema

    def _batches(
        self, one: Input, columns: Sequence[str], texts: Sequence[str], most: int
    ) -> Iterator[pa.RecordBatch]:
        return iter(self._table.select(list(columns)).to_batches(most))


# What to do about a column or value of a frame that is passed as X.
_FRAME_CURES = {
    Problem.MISSING_VALUE: "fill it in or leave out the row",
    Problem.LOOKS_LIKE_TEXT: "leave the column out of X, or make it a category",
    Problem.LOOKS_LIKE_IDS: "leave the column out of X, or make it a category",
    Problem.DATES: "convert dates to numbers, or leave the column out of X",
    Problem.SEVERAL_COLUMNS: "convert these columns, or leave them out of X",
    Problem.UNUSABLE_COLUMN: "convert it, or leave it out of X",
    Problem.TOO_LONG_FOR_FLOAT: "scale it, or make the column a category",
}


def frame_rows(X: Any, categorical: Sequence[str] = ()) -> tuple[Rows, tuple[str, ...] | None]:
    """The rows of a frame and the names of their columns; each category has its own column."""
    kinds = zip(X.columns, X.dtypes, strict=True)
    given = [str(name) for name, kind in kinds if str(kind).lower().startswith(("categ", "enum"))]
    given += [name for name in categorical if name not in given]
    if not given and all(np.asarray(X[name]).dtype.kind in "biuf" for name in X.columns):
        names = tuple(X.columns)
        return rows_of(X), names if all(isinstance(name, str) for name in names) else None
    return table_rows(table_of(X), given)


def table_rows(table: pa.Table, categorical: Sequence[str]) -> tuple[Rows, tuple[str, ...] | None]:
    """The rows of a table of Arrow and the names of their columns."""
    features = Features()
    how = ReadOptions(labelled=False, categorical=tuple(categorical))
    try:
        parts = [features.rows(chunk) for chunk in ArrowTable(table.combine_chunks(), how)]
    except BadExample as error:
        raise BadExample(error.with_cure(_FRAME_CURES)) from None
    if not parts:
        raise BadExample("there are no examples")
    rows = join([part.widened(features.room) for part in parts])
    if isinstance(rows, SparseRows):
        rows = SparseRows(rows.values, rows.indices, rows.starts, features.dim)
    return rows, features.names


class RowsOfModel:
    """The examples of a caller as rows over the columns of a model, read as its data were."""

    def __init__(self, features: Features, read_options: Mapping[str, Any]) -> None:
        self.features, self.read_options = features, dict(read_options)
        self.features.frozen = True

    def rows(self, X: Any) -> Rows:
        """The rows of X; features that the model does not know are left out."""
        return self._rows(X, self.features)

    def learning(self, X: Any) -> tuple[Rows, RowsOfModel]:
        """The rows of X, and what reads the next ones: new features have got columns."""
        self.features.left_out = 0
        rows = self._rows(X, self.features)
        if not self.features.left_out:
            return rows, self
        features = deepcopy(self.features)
        features.frozen = False
        rows = self._rows(X, features)
        return rows, RowsOfModel(features, self.read_options)

    def name_hashed(self, X: Any) -> None:
        """Remember the names of hashed features, once their examples have been learned from."""
        if self.features.hash_bits is not None:
            self.features.frozen = False
            self._rows(X, self.features)
            self.features.frozen = True

    def _rows(self, X: Any, features: Features) -> Rows:
        try:
            chunks = (part for chunk in self._chunks(X) for part in parts_of(chunk, features))
            parts = [features.rows(chunk) for chunk in chunks]
        except BadExample as error:  # a cure would name an option that only reading files has
            raise BadExample(error.without_cure) from None
        if not parts:
            raise BadExample(f"{WHERE} holds no examples")
        return join([part.widened(features.room) for part in parts])

    def _chunks(self, X: Any) -> Iterator[Chunk]:
        how = ReadOptions(labelled=False, weighed=False).following(self.read_options)
        how = replace(how, keep=(), one_vs_rest=None)
        columns = self.read_options.get("features")
        texts = self.read_options.get("words", [])
        if isinstance(X, str | Mapping) and not hasattr(X, "shape"):
            raise TypeError("X must be a list of examples, not one example")
        if hasattr(X, "to_list") and not hasattr(X, "columns"):  # of pandas or polars
            X = X.to_list()
        if isinstance(X, Sequence) and len(X) == 0:
            return iter(())
        if columns is not None and columns == texts and len(texts) == 1 and _are(X, str):
            X = [{texts[0]: text} for text in X]
        is_frame = hasattr(X, "columns")
        if (is_frame or _are(X, Mapping)) and columns is not None:
            return iter(ArrowTable(table_of(X, columns), how))
        if is_frame:
            X = table_of(X, list(X.columns)).to_pylist()
        if _are(X, Mapping):
            lines = "\n".join(json.dumps(x, default=_plain) for x in X)
            return iter(open_files(InMemory(lines.encode()), replace(how, format="jsonl")))
        if self.features.kind == "names":
            what = "texts" if columns == texts and len(texts) == 1 else "dicts"
            words = f"the model was trained on named features; pass a list of {what} or a frame"
            raise BadExample(words)
        rows = rows_of(X)
        labels = np.full(len(rows), -1, dtype=np.int32)
        return iter([Chunk(rows, labels, (), (), is_matrix=True)])


def _are(X: Any, kind: type) -> bool:
    """Whether X is a list of examples of this kind."""
    is_list = isinstance(X, Sequence) or (isinstance(X, np.ndarray) and X.ndim == 1)
    return is_list and len(X) > 0 and isinstance(X[0], kind)


def table_of(X: Any, columns: Sequence[str] = ()) -> pa.Table:
    """A frame, or these keys of dicts, as a table of Arrow."""
    pa = arrow()
    try:
        if hasattr(X, "to_arrow"):  # of polars
            return X.to_arrow()
        if hasattr(X, "columns"):
            return pa.Table.from_pandas(X, preserve_index=False)
        return pa.table({name: pa.array([x.get(name) for x in X]) for name in columns})
    except (pa.ArrowException, TypeError, ValueError) as error:
        why = " ".join(str(error).split())
        raise BadExample(f"{WHERE} cannot be read as a table: {why}") from None


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise BadExample(f"{WHERE}: {type(value).__name__} is not a number, a text, a list or a dict")
