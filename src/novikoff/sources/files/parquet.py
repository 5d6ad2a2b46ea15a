"""Parquet, Arrow's file and stream formats, Feather and .npy: tables of typed columns.

The columns of a batch become cells, at most one named feature an example; and the cells of
enough rows become a chunk.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import reduce
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from novikoff import _core
from novikoff.sources.arrays import Where, check_finite, exact
from novikoff.sources.chunks import Chunk, Names, Source, TableColumns, by_appearance, first_seen
from novikoff.sources.files.arrow_arrays import arrow, from_numpy, starts_of, strings, to_numpy
from novikoff.sources.files.npz import opened_array
from novikoff.sources.files.table_layout import (
    SAMPLE,
    Columns,
    Kind,
    Layout,
    check_categories,
    check_same_names,
    dates_refused,
    laid_out,
)
from novikoff.sources.inputs import Input, Part, Paths, far_file, is_remote
from novikoff.sources.read_options import Missing, ReadOptions
from novikoff.stream.blocks import unusable_importance
from novikoff.stream.input_problems import BadExample, ColumnProblems, Problem
from novikoff.stream.labels import written
from novikoff.stream.printing import quoted
from novikoff.stream.rows import DenseRows, Positions, SparseRows, Vector

if TYPE_CHECKING:
    import pyarrow as pa

FileKind: TypeAlias = Literal["parquet", "arrow", "npy"]
Mask: TypeAlias = NDArray[np.bool_]

CHUNK = 1 << 20  # bytes of values, and of the texts that are features

_HOLDS = {Kind.NUMBER: "numbers", Kind.TEXT: "texts", Kind.WORDS: "texts"}


class ArrowFiles(Source):
    """Tables in Parquet or Arrow: one file or several with the same columns, in bounded memory.

    Kind "arrow" is Arrow's file format (which Feather is, from version 2) or its stream format.
    Kind "npy" is an array of numbers as NumPy saves it, a table without a header.
    """

    def __init__(self, files: Paths, how: ReadOptions | None = None, *, kind: FileKind) -> None:
        super().__init__(files)
        self._kind, self._how = kind, how or ReadOptions()
        layouts = [
            layout_of(self._schema(one.path), one.path, self._how, has_header=kind != "npy")
            for one in self.inputs
        ]
        self._layout = reduce(_merged, layouts)
        self._kinds = [self._layout.kinds[j] for j in self._layout.features]
        self._is_dense = self._how.missing_rule != "indicate" and not any(map(is_text, self._kinds))

    @property
    def table(self) -> TableColumns:
        """The columns."""
        return self._layout.table

    def _schema(self, path: str) -> pa.Schema:
        pq = arrow("pyarrow.parquet")
        with reading(path, self._kind):
            if self._kind == "parquet":
                with _opened(path) as file:
                    schema = pq.ParquetFile(file).schema_arrow
            elif self._kind == "arrow":
                schema = _reader(_mapped(path), path).schema
            else:
                schema = next(_npy(path, None, 0)).schema
            str(schema.names)  # names that are not UTF-8 are found now
        return schema

    def row_groups(self, one: Input) -> int:
        """How many row groups a file has: between them it can be cut into parts."""
        return len(_group_sizes(one.path)) if self._kind == "parquet" else 1

    def _words(self) -> list[str]:
        return [".npy" if self._kind == "npy" else self._kind.capitalize()]

    def _name_of(self, j: int | None) -> str | None:
        return None if j is None else self._layout.names[j]

    def _chunks(self) -> Iterator[Chunk]:
        self.done = 0
        for one in self.inputs:
            begin = one.begin if isinstance(one, Part) else 0
            row = sum(_group_sizes(one.path)[:begin]) if begin else 0
            for pieces in self._cut(self._pieces(one, row)):
                yield (chunk := self._chunk(pieces, one.path, row))
                row += len(chunk)
            self.done += one.size or 0

    def _pieces(self, one: Input, row: int) -> Iterator[_Piece]:
        """The rows of a file from this one on as they are read, at most a chunk's at a time."""
        table, path, before = self._layout.table, one.path, row
        most = max(1, CHUNK // (8 * len(table.features)))
        others = [self._name_of(self._layout.label), self._name_of(self._layout.weight)]
        columns = [*table.features, *(name for name in others if name is not None)]
        texts = [*table.texts, *(name for name in others[:1] if name is not None)]
        is_first = not (self._how.like_before or self.first) and path == self.inputs[0].path
        with reading(path, self._kind):
            for batch in self._batches(one, columns, texts, most):
                batch.validate(full=True)  # texts that are not UTF-8, and all that could crash
                if is_first and row == before:
                    self._check_categories(batch, path)
                yield self._piece(batch, path, row)
                row += len(batch)

    def _batches(
        self, one: Input, columns: Sequence[str], texts: Sequence[str], most: int
    ) -> Iterator[pa.RecordBatch]:
        if self._kind == "parquet":
            return _parquet(one, columns, texts, most)
        if self._kind == "arrow":
            return _arrow(one.path, columns, most)
        return _npy(one.path, self._layout.names, most)

    def _piece(self, batch: pa.RecordBatch, path: str, row: int) -> _Piece:
        def place(name: str) -> Where:
            return lambda i: f"{path}: row {row + i}: column {quoted(name)}"

        missing, label = self._how.missing_rule, self._name_of(self._layout.label)
        piece = []
        for name, kind in zip(self._layout.feature_names, self._kinds, strict=True):
            column, where_of = batch.column(name), place(name)
            if is_text(kind):  # the words of a text are found in it later, so it needs no prefix
                prefix = "" if kind is Kind.WORDS else f"{name}="
                piece.append(text_cells(column, prefix, missing, where_of))
            else:
                piece.append(number_cells(column, name, missing, where_of))
        if label is not None:
            piece.append(text_cells(batch.column(label), "", "zero", place(label)))
            if self._how.labelled and (piece[-1].codes < 0).any():
                where = place(label)(int(np.argmin(piece[-1].codes)))
                raise BadExample(f"{where}: the label is missing; fill it in or remove the row")
        if (weight := self._name_of(self._layout.weight)) is not None:
            piece.append(weight_cells(batch.column(weight), weight, place(weight)))
        return piece

    def _check_categories(self, batch: pa.RecordBatch, path: str) -> None:
        """Refuse columns whose texts do not look like categories, judged by the first rows."""
        texts = (x for x in self._layout.table.texts if x not in self._how.categorical)
        with ColumnProblems() as problems:
            for name in texts:
                values = [value for value in batch.column(name)[:SAMPLE].to_pylist() if value]
                with problems.of_column():
                    check_categories([*map(str, values)], f"{path}: column {quoted(name)}", name)

    def _cut(self, pieces: Iterator[_Piece]) -> Iterator[list[_Piece]]:
        """The pieces of each chunk, which ends with the row that fills it."""
        held: list[_Piece] = []
        weight = 0
        for piece in pieces:
            weights = np.full(len(piece[0].codes), 8 * len(self._kinds))
            for cells, kind in zip(piece, self._kinds, strict=False):
                if is_text(kind):
                    weights += cells.lengths()
            while len(weights):
                total = weight + np.cumsum(weights)
                end = int(np.searchsorted(total, CHUNK)) + 1
                held.append([cells[:end] for cells in piece])
                weight = int(total[:end][-1])
                if weight >= CHUNK:
                    yield held
                    held, weight = [], 0
                piece, weights = [cells[end:] for cells in piece], weights[end:]
        if held:
            yield held

    def _chunk(self, pieces: list[_Piece], path: str, row: int) -> Chunk:
        columns = [Cells.joined(parts) for parts in zip(*pieces, strict=True)]
        fields = columns[: len(self._kinds)]
        labels = np.full(len(fields[0].codes), -1, dtype=np.int32)
        texts: tuple[str, ...] = ()
        if self._layout.label is not None:
            found, cells = numbered(columns[len(fields) : len(fields) + 1])
            labels, texts = cells[:, 0], tuple(text.decode() for text in found)
        places = tuple(f"{path}: row {row + i}" for i in first_seen(labels, len(texts)))
        importances = None if self._layout.weight is None else columns[-1].values
        if self._is_dense:
            dense = DenseRows(np.column_stack([cells.values for cells in fields]))
            header = self._layout.feature_names
            return Chunk(dense, labels, texts, places, None, importances, columns=header)
        parts: list[tuple[SparseRows, Names]] = []
        named = zip(self._kinds, self._layout.feature_names, fields, strict=True)
        for are_words, some in groupby(named, lambda one: one[0] is Kind.WORDS):
            if are_words:
                parts += [self._documents(cells, name) for _, name, cells in some]
            else:
                parts.append(cells_as_rows([cells for _, _, cells in some]))
        rows, names = parts[0] if len(parts) == 1 else side_by_side(parts)
        return Chunk(rows, labels, texts, places, names, importances)

    def _documents(self, cells: Cells, name: str) -> tuple[SparseRows, Names]:
        """The words of the texts in the cells as features."""
        import pyarrow as pa

        texts = pa.concat_arrays([cells.names, strings([""])])
        absent = cells.codes < 0
        taken = texts.take(from_numpy(np.where(absent, len(cells.names), cells.codes)))
        text = np.frombuffer(taken.buffers()[2] or b"", np.uint8)
        rows, names = self._how.text_rule.rows(text, starts_of(taken), name)
        if self._how.missing_rule != "indicate" or not absent.any():
            return rows, names
        at = np.flatnonzero(absent)
        first, ones = np.zeros(len(at), dtype=np.int32), np.ones(len(at))
        gaps = SparseRows.of_entries(at, first, ones, len(absent), 1)
        return side_by_side([(rows, names), (gaps, Names.of([f"{name}="]))])


def is_text(kind: Kind) -> bool:
    """Whether a column holds texts: categories, or texts whose words are features."""
    return kind in (Kind.TEXT, Kind.WORDS)


def cells_as_rows(fields: Sequence[Cells]) -> tuple[SparseRows, Names]:
    """The features of the cells of some columns, and their names."""
    values = np.column_stack([cells.values for cells in fields])
    names, indices = numbered(fields)
    present = indices >= 0
    starts = np.append(0, np.cumsum(present.sum(axis=1))).astype(np.int32)
    return SparseRows(values[present], indices[present], starts, len(names)), names


def side_by_side(parts: Sequence[tuple[SparseRows, Names]]) -> tuple[SparseRows, Names]:
    """The rows of the parts next to each other, and the names in the order of the rows."""
    before = np.cumsum([0, *(len(names) for _, names in parts)]).astype(np.int32)
    entries = [rows.entries() for rows, _ in parts]
    of_row, columns, values = (np.concatenate(arrays) for arrays in zip(*entries, strict=True))
    columns += np.repeat(before[:-1], [len(values) for *_, values in entries])
    order = np.argsort(of_row, kind="stable")
    n, dim = len(parts[0][0]), int(before[-1])
    rows = SparseRows.of_entries(of_row[order], columns[order], values[order], n, dim)
    return by_appearance(rows, Names.joined([names for _, names in parts]))


def layout_of(
    schema: pa.Schema, where: str, how: ReadOptions, *, has_header: bool = True
) -> Layout:
    """Which columns of a table are features, which is the label, and what each holds."""
    names = tuple(schema.names)
    columns = Columns(names, how, where, has_header)
    label = columns.label()
    features = columns.features(label)
    if not has_header:  # the features are named by their positions, or as those of the model
        names = tuple(name if j in features else f"#{j}" for j, name in enumerate(names))

    def judged(j: int, name: str, use: Kind | None) -> Kind:
        kind = _kind(schema.field(j).type, name, where, use is Kind.TEXT)
        if use is Kind.WORDS and kind is Kind.NUMBER:
            raise BadExample(f"{where}: column {quoted(name)} holds numbers, not texts")
        if how.expect is not None and kind is Kind.TEXT and use is None:
            raise BadExample(
                f"{where}: column {quoted(name)} holds texts, but the model was trained on numbers"
            )
        return use if use is Kind.WORDS and kind is Kind.TEXT else kind

    layout = laid_out(columns, names, features, judged, where)
    for at in (label, layout.weight):
        if at is None:
            continue
        kind = _kind(schema.field(at).type, names[at], where, False)
        if at != label and kind is not Kind.NUMBER:
            raise BadExample(f"{where}: column {quoted(names[at])} must hold numbers: weights")
        if (count := names.count(names[at])) > 1:  # Arrow selects columns by name
            raise BadExample(f"{where}: {count} columns are called {quoted(names[at])}")
    return layout


def _kind(stored: pa.DataType, name: str, where: str, is_categorical: bool) -> Kind:
    """What a column is read as, judged by its type."""
    import pyarrow.types as types

    entry = stored.value_type if types.is_dictionary(stored) else stored
    is_text = types.is_string(entry) or types.is_large_string(entry) or str(entry) == "string_view"
    is_time = types.is_temporal(entry) and not types.is_interval(entry)
    is_number = (
        types.is_integer(entry)
        or types.is_floating(entry)
        or types.is_decimal(entry)
        or types.is_boolean(entry)
    )
    place = f"{where}: column {quoted(name)}"
    if types.is_null(entry):
        return Kind.EMPTY
    if is_time and not is_categorical:
        raise dates_refused(place, name, str(stored))
    if not (is_text or is_time or is_number):
        words = f"{place} holds {stored}, not numbers or texts"
        raise BadExample(words, Problem.UNUSABLE_COLUMN, column=name)
    return Kind.TEXT if is_text or is_categorical or stored != entry else Kind.NUMBER


def _merged(first: Layout, other: Layout) -> Layout:
    """The layout of two files read one after another, whose columns may be in another order."""
    check_same_names(other.feature_names, other.where, first.feature_names, first.where)
    if other.table.label != first.table.label:
        raise BadExample(
            f"{other.where}: the label is column {quoted(other.table.label or '')}, but column "
            f"{quoted(first.table.label or '')} in {first.where}",
            Problem.LABEL_DIFFERS,
        )
    if other.table.weight != first.table.weight:
        raise BadExample(f"{other.where}: the weight is in another column than in {first.where}")
    kinds = list(first.kinds)
    theirs = dict(zip(other.names, other.kinds, strict=True))
    for j in first.features:
        name, kind = first.names[j], first.kinds[j]
        if kind is Kind.EMPTY:
            kinds[j] = theirs[name]
        elif theirs[name] not in (kind, Kind.EMPTY):
            raise BadExample(
                f"{other.where}: column {quoted(name)} holds {_HOLDS[theirs[name]]}, but "
                f"{_HOLDS[kind]} in {first.where}"
            )
    return replace(first, kinds=tuple(kinds))


def _parquet(
    one: Input, columns: Sequence[str], texts: Sequence[str], rows: int
) -> Iterator[pa.RecordBatch]:
    """These columns of its row groups, a few megabytes at a time; `texts` as dictionaries."""
    import pyarrow.parquet as pq

    with _opened(one.path) as file:
        plain = pq.ParquetFile(file)
        metadata, schema = plain.metadata, plain.schema_arrow
        groups = [metadata.row_group(k) for k in range(metadata.num_row_groups)]
        widest = max((g.total_byte_size // max(1, g.num_rows) for g in groups), default=0)
        reader = pq.ParquetFile(
            file,
            metadata=metadata,
            read_dictionary=[name for name in texts if "string" in str(schema.field(name).type)],
            buffer_size=1 << 16,
            pre_buffer=False,
        )
        size = max(1, min(rows, (1 << 22) // max(1, widest)))
        # pyarrow's threads made this a third slower: few rows are decoded at a time
        chosen = [*range(len(groups))]
        if isinstance(one, Part):
            chosen = chosen[one.begin : one.end]
        yield from reader.iter_batches(
            size, columns=list(columns), row_groups=chosen, use_threads=False
        )


def _group_sizes(path: str) -> list[int]:
    """How many rows each row group has."""
    import pyarrow.parquet as pq

    with _opened(path) as file:
        about = pq.ParquetFile(file).metadata
        return [about.row_group(k).num_rows for k in range(about.num_row_groups)]


def _arrow(path: str, columns: Sequence[str], rows: int) -> Iterator[pa.RecordBatch]:
    """These columns of the mapped file; only a compressed batch must be in memory whole."""
    memory = _mapped(path)
    reader = _reader(memory, path)
    if hasattr(reader, "get_batch"):  # a file lists its batches, a stream does not
        reader = map(reader.get_batch, range(reader.num_record_batches))
    slices = (batch.slice(at, rows) for batch in reader for at in range(0, len(batch), rows))
    while True:
        if memory.size() < len(memory):  # reading past the end of a mapped file would crash
            raise BadExample(f"{path}: the file was cut short while it was being read")
        if (part := next(slices, None)) is None:
            return
        yield part.select(list(columns))
        if hasattr(mmap, "MADV_DONTNEED"):  # pages that were read need not stay in memory
            memory.madvise(mmap.MADV_DONTNEED)


def _npy(path: str, names: Sequence[str] | None, rows: int) -> Iterator[pa.RecordBatch]:
    """The rows of an array, at most so many at a time; without names, none, to show the columns."""
    import pyarrow as pa

    with opened_array(path) as array:
        n, d = array.shape
        step = max(1, rows)
        for row in range(0, n, step) if names is not None else [0]:
            part = array.read(0 if names is None else min(step, n - row))
            part = part.astype(part.dtype.newbyteorder("="), copy=False)
            columns = [pa.array(np.ascontiguousarray(part[:, j])) for j in range(d)]
            yield pa.RecordBatch.from_arrays(columns, names or [str(j) for j in range(d)])


def _reader(memory: mmap.mmap, path: str) -> Any:
    """A reader of Arrow's file or stream format, judged by the first bytes."""
    import pyarrow as pa

    beginning = memory[:6]
    if beginning.startswith(b"FEA1"):
        raise BadExample(
            f"{path}: this is version 1 of Feather; convert it to version 2: "
            "pyarrow.feather.write_feather(pyarrow.feather.read_table(old), new)"
        )
    if beginning.startswith(b"PAR1"):
        raise BadExample(f"{path}: this is Parquet, not Arrow; name it .parquet")
    buffer = pa.py_buffer(memory)
    if beginning == b"ARROW1":
        return pa.ipc.open_file(buffer)
    return pa.ipc.open_stream(buffer)


def _mapped(path: str) -> mmap.mmap:
    with open(path, "rb") as file:
        try:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError:
            raise BadExample(f"{path}: the file is empty") from None


def _opened(path: str) -> pa.NativeFile:
    import pyarrow as pa

    if is_remote(path):
        return pa.PythonFile(far_file(path))
    open(path, "rb").close()  # Python's errors are better than pyarrow's
    return pa.OSFile(path)


@contextmanager
def reading(path: str, kind: FileKind) -> Iterator[None]:
    """Turn pyarrow's errors about damaged bytes into a BadExample that names the file."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        why = " ".join(str(error).split())
        raise BadExample(f"{path}: cannot be read as {kind.capitalize()}: {why}") from None


@dataclass(frozen=True, slots=True)
class Cells:
    """One column of some examples: for each, at most one named feature."""

    codes: NDArray[np.int32]  # for each example the place of the feature in `names`; −1: none
    values: Vector  # 0 where there is none
    names: pa.LargeStringArray  # they may repeat

    def __getitem__(self, span: slice) -> Cells:
        return Cells(self.codes[span], self.values[span], self.names)

    @classmethod
    def joined(cls, parts: Sequence[Cells]) -> Self:
        """The cells of all the parts in order."""
        names, codes = _united(parts)
        return cls(np.concatenate(codes), np.concatenate([part.values for part in parts]), names)

    def lengths(self) -> Positions:
        """For each example, the length in bytes of its feature's name."""
        return np.append(np.diff(starts_of(self.names)), 0)[self.codes]


def _united(parts: Sequence[Cells]) -> tuple[pa.LargeStringArray, list[NDArray[np.int32]]]:
    """The names of all the parts, one after another, and the codes of each part among them."""
    import pyarrow as pa

    before = np.cumsum([0, *(len(part.names) for part in parts)]).astype(np.int32)
    pairs = zip(parts, before, strict=False)
    codes = [np.where(part.codes < 0, np.int32(-1), part.codes + shift) for part, shift in pairs]
    return pa.concat_arrays([part.names for part in parts]), codes


_Piece: TypeAlias = list[Cells]  # some rows: a column for each feature, then the label's if any


def number_cells(column: pa.Array, name: str, missing: Missing, where: Where) -> Cells:
    """The cells of a column of numbers or truth values, or of missing values only."""
    import pyarrow as pa

    if pa.types.is_null(column.type):
        column = pa.nulls(len(column), pa.float64())
    elif pa.types.is_decimal(column.type):  # through text, which is rounded correctly
        column = column.cast(pa.string()).cast(pa.float64())
    absent = to_numpy(column.is_null(nan_is_null=True)) > 0
    _check_present(absent, missing, where)
    given = to_numpy(column)
    values = exact(np.where(absent, given.dtype.type(0), given), where, name)
    codes = np.zeros(len(values), dtype=np.int32)
    if missing == "indicate":
        codes[absent], values[absent] = 1, 1.0
    else:
        codes[absent] = -1
    return Cells(codes, values, strings([name, f"{name}="]))


def weight_cells(column: pa.Array, name: str, where: Where) -> Cells:
    """The cells of the column that says how much each example counts."""
    cells = number_cells(column, name, "refuse", where)
    if (wrong := unusable_importance(cells.values)) is not None:
        value = float(cells.values[wrong])
        raise BadExample(f"{where(wrong)}: weight {value!r} is not a number of at least 0")
    return cells


def text_cells(column: pa.Array, prefix: str, missing: Missing, where: Where) -> Cells:
    """The cells of a column whose values, after the prefix, are names."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_dictionary(column.type):
        if pa.types.is_decimal(column.type) or pa.types.is_null(column.type):
            column = column.cast(pa.string())  # Arrow cannot encode decimals of every width
        column = column.dictionary_encode()
    entries, absent = column.dictionary, to_numpy(column.indices.is_null()) > 0
    codes = np.where(absent, -1, to_numpy(column.indices).astype(np.int64))
    codes[np.append(to_numpy(entries.is_null(nan_is_null=True)) > 0, False)[codes]] = -1
    _check_present(codes < 0, missing, where)
    used = np.zeros(len(entries) + 1, dtype=np.bool_)
    used[codes] = True
    used[-1] = False
    texts = _texts(entries, used[:-1], lambda k: where(int(np.argmax(codes == k))))
    names = pc.binary_join_element_wise(strings([prefix])[0], texts, strings([""])[0])
    narrow = np.where(used, np.cumsum(used) - 1, -1).astype(np.int32)[codes]
    if missing == "indicate" and prefix:
        narrow[narrow < 0] = len(names)
        names = pa.concat_arrays([names, strings([prefix])])
    return Cells(narrow, (narrow >= 0).astype(np.float64), names)


def _check_present(absent: Mask, missing: Missing, where: Where) -> None:
    """Refuse the first missing value, if that is the rule."""
    if missing == "refuse" and absent.any():
        place = where(int(np.argmax(absent)))
        raise BadExample(f"{place}: the value is missing", Problem.MISSING_VALUE)


def _texts(entries: pa.Array, used: Mask, where: Where) -> pa.LargeStringArray:
    """The entries that are used, as texts."""
    import pyarrow as pa

    if str(entries.type) == "string_view":  # cannot be taken from
        entries = entries.cast(pa.large_string())
    places = np.flatnonzero(used)
    taken = entries.take(from_numpy(places))
    if pa.types.is_floating(taken.type):
        numbers = to_numpy(taken)
        check_finite(numbers, lambda i: where(int(places[i])))
        return strings([written(number) for number in numbers])
    return taken.cast(pa.large_string())


def numbered(columns: Sequence[Cells]) -> tuple[Names, NDArray[np.int32]]:
    """The names of the cells, each once, in row order, and the place of each cell's name, or −1."""
    names, codes = _united(columns)
    cells = np.column_stack(codes)
    first = first_seen(cells.reshape(-1), len(names))
    met = np.argsort(first)[: int((first < cells.size).sum())]
    encoded = names.take(from_numpy(met)).dictionary_encode()  # categories may repeat in a column
    places = np.full(len(names) + 1, -1, dtype=np.int32)
    places[met] = to_numpy(encoded.indices)
    starts = starts_of(encoded.dictionary)
    text = np.frombuffer(encoded.dictionary.buffers()[2] or b"", np.uint8)[: starts[-1]]
    return Names(text, starts, _core.hash_names(text, starts)), places[cells]
