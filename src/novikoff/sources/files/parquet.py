"""Between NumPy's arrays and Arrow's, by the memory they share.

pyarrow's own conversions import pandas if it is installed: 40 MB and a quarter of a second.

Columns of a table as features: numbers as values, texts as names, "column=text".

Tables as Parquet and Arrow store them, some rows at a time, whatever is stored together.

Examples from tables in Parquet, Arrow's file and stream formats, and Feather.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from novikoff import _core
from novikoff.sources.chunks import Chunk, Names, TableColumns
from novikoff.sources.files.table_layout import FieldLayout, Missing, Role, Wanted
from novikoff.stream.labels import written
from novikoff.stream.problems import BadExample, quoted
from novikoff.stream.rows import DenseRows, Positions, SparseRows, Vector

if TYPE_CHECKING:
    import pyarrow as pa


def to_numpy(array: pa.Array) -> NDArray[Any]:
    """Numbers as they are in memory, truth values as 0 and 1; where one is null, anything."""
    import pyarrow as pa

    if pa.types.is_boolean(array.type):
        array = array.cast(pa.uint8())
    unsigned, floating = pa.types.is_unsigned_integer, pa.types.is_floating
    kind = "f" if floating(array.type) else "u" if unsigned(array.type) else "i"
    dtype = np.dtype(f"{kind}{array.type.bit_width // 8}")
    if not len(array):
        return np.empty(0, dtype)
    return np.frombuffer(array.buffers()[1], dtype, len(array), dtype.itemsize * array.offset)


def from_numpy(array: NDArray[Any]) -> pa.Array:
    """Numbers as an array of Arrow's, over the same memory."""
    import pyarrow as pa

    kind = pa.from_numpy_dtype(array.dtype)
    return pa.Array.from_buffers(kind, len(array), [None, pa.py_buffer(array)])


def positions(places: Positions) -> pa.Int64Array:
    """Positions to take from an array."""
    return from_numpy(places)


def strings(texts: Sequence[str]) -> pa.LargeStringArray:
    """Texts side by side."""
    import pyarrow as pa

    encoded = [text.encode() for text in texts]
    starts = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    buffers = [None, pa.py_buffer(starts), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.large_string(), len(texts), buffers)


def starts_of(texts: pa.LargeStringArray) -> Positions:
    """Where each text begins in the memory of them all, and where the last ends."""
    if not len(texts):
        return np.zeros(1, dtype=np.int64)
    return np.frombuffer(texts.buffers()[1], np.int64, len(texts) + 1, 8 * texts.offset)


Mask: TypeAlias = NDArray[np.bool_]
Where: TypeAlias = Callable[[int], str]

EXACT = 2**53  # every whole number up to here is a float64


def exact(values: NDArray[Any], where: Where) -> Vector:
    """Numbers as float64, each exactly; `where` begins the refusal of one that cannot be."""
    if values.dtype.kind in "iu" and values.itemsize == 8:
        for i in np.flatnonzero((values > EXACT) | (values < -EXACT)):
            value = int(values[i])
            if float(value) != value:
                raise BadExample(
                    f"{where(int(i))}: {value} is not exact in float64; scale it, "
                    "or if it is a name and not an amount, take it as a category"
                )
    return values.astype(np.float64)


def finite(values: NDArray[Any], where: Where) -> None:
    """Refuse the first number that is not finite."""
    good = np.isfinite(values)
    if not good.all():
        i = int(np.argmin(good))
        why = "missing; fill it in" if np.isnan(values[i]) else "not finite; replace it"
        raise BadExample(f"{where(i)}: {values[i]} is {why} or remove the row")


@dataclass(frozen=True, slots=True)
class Cells:
    """What one column has for each of some examples: at most one feature, by name.

    Parameters
    ----------
    codes
        For each example the place of the feature in `names`; −1 if it has none.
    values
        The value of the feature; 0 where there is none.
    names
        Not necessarily different from each other.
    """

    codes: NDArray[np.int32]
    values: Vector
    names: pa.LargeStringArray

    def __getitem__(self, span: slice) -> Cells:
        return Cells(self.codes[span], self.values[span], self.names)

    @classmethod
    def joined(cls, parts: Sequence[Cells]) -> Self:
        """The cells of all the parts, one after another."""
        import pyarrow as pa

        before = np.cumsum([0, *(len(part.names) for part in parts)])
        codes = [
            np.where(part.codes < 0, np.int32(-1), part.codes + np.int32(shift))
            for part, shift in zip(parts, before, strict=False)
        ]
        return cls(
            np.concatenate(codes),
            np.concatenate([part.values for part in parts]),
            pa.concat_arrays([part.names for part in parts]),
        )

    def lengths(self) -> Positions:
        """For each example, how many bytes the name of its feature has."""
        return np.append(np.diff(starts_of(self.names)), 0)[self.codes]


def number_cells(column: pa.Array, name: str, missing: Missing, where: Where) -> Cells:
    """The cells of a column of numbers or truth values, or of nothing but missing values."""
    import pyarrow as pa

    if pa.types.is_null(column.type):
        column = pa.nulls(len(column), pa.float64())
    elif pa.types.is_decimal(column.type):  # by way of the text, which is rounded correctly
        column = column.cast(pa.string()).cast(pa.float64())
    absent = to_numpy(column.is_null(nan_is_null=True)) > 0
    _allow(absent, missing, where)
    given = to_numpy(column)
    values = exact(np.where(absent, given.dtype.type(0), given), where)
    finite(values, where)
    codes = np.zeros(len(values), dtype=np.int32)
    if missing == "indicate":
        codes[absent], values[absent] = 1, 1.0
    else:
        codes[absent] = -1
    return Cells(codes, values, strings([name, f"{name}="]))


def text_cells(column: pa.Array, prefix: str, missing: Missing, where: Where) -> Cells:
    """The cells of a column whose values are names, once the prefix is put before them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_dictionary(column.type):
        if pa.types.is_decimal(column.type) or pa.types.is_null(column.type):
            column = column.cast(pa.string())  # not all widths can be encoded
        column = column.dictionary_encode()
    entries, absent = column.dictionary, to_numpy(column.indices.is_null()) > 0
    codes = np.where(absent, -1, to_numpy(column.indices).astype(np.int64))
    codes[np.append(to_numpy(entries.is_null(nan_is_null=True)) > 0, False)[codes]] = -1
    _allow(codes < 0, missing, where)
    used = np.zeros(len(entries) + 1, dtype=np.bool_)
    used[codes] = True
    used[-1] = False
    texts = _texts(entries, used[:-1], lambda k: where(int(np.argmax(codes == k))))
    names = pc.binary_join_element_wise(strings([prefix])[0], texts, strings([""])[0])
    narrow = np.where(used, np.cumsum(used) - 1, -1).astype(np.int32)[codes]
    if missing == "indicate":
        narrow[narrow < 0] = len(names)
        names = pa.concat_arrays([names, strings([prefix])])
    return Cells(narrow, (narrow >= 0).astype(np.float64), names)


def _allow(absent: Mask, missing: Missing, where: Where) -> None:
    """Refuse the first value that is missing, if that is the rule."""
    if missing == "refuse" and absent.any():
        raise BadExample(
            f"{where(int(np.argmax(absent)))}: the value is missing; fill it in, or say what "
            'that means: missing="zero" (--missing zero) for no feature, missing="indicate" '
            "(--missing indicate) for a feature of its own"
        )


def _texts(entries: pa.Array, used: Mask, where: Where) -> pa.LargeStringArray:
    """The entries that are used, as texts."""
    import pyarrow as pa

    if str(entries.type) == "string_view":  # cannot be taken from
        entries = entries.cast(pa.large_string())
    places = np.flatnonzero(used)
    taken = entries.take(positions(places))
    if pa.types.is_floating(taken.type):
        numbers = to_numpy(taken)
        finite(numbers, lambda i: where(int(places[i])))
        return strings([written(number) for number in numbers])
    return taken.cast(pa.large_string())


def first_met(codes: NDArray[np.int32], count: int) -> Positions:
    """For each of so many codes, the first place that has it; the length if none has it."""
    n = len(codes)
    first = np.full(count + 1, n)  # the last is for −1
    first[codes[::-1]] = np.arange(n)[::-1]
    return first[:-1]


def numbered(columns: Sequence[Cells]) -> tuple[Names, NDArray[np.int32]]:
    """The names of the cells, each once, as they are met row by row; and of each cell its place.

    A cell without a feature has −1.
    """
    import pyarrow as pa

    names = pa.concat_arrays([column.names for column in columns])
    before = np.cumsum([0, *(len(column.names) for column in columns)])
    cells = np.column_stack([column.codes for column in columns])
    cells = np.where(cells < 0, np.int32(-1), cells + before[:-1].astype(np.int32))
    first = first_met(cells.reshape(-1), len(names))
    met = np.argsort(first)[: int((first < cells.size).sum())]
    encoded = names.take(positions(met)).dictionary_encode()  # two columns may make one name
    places = np.full(len(names) + 1, -1, dtype=np.int32)
    places[met] = to_numpy(encoded.indices)
    starts = starts_of(encoded.dictionary)
    text = np.frombuffer(encoded.dictionary.buffers()[2] or b"", np.uint8)[: starts[-1]]
    return Names(text, starts, _core.hash_names(text, starts)), places[cells]


def named_rows(columns: Sequence[Cells]) -> tuple[SparseRows, Names]:
    """The rows whose cells are given, column by column; a row's features are in that order."""
    names, indices = numbered(columns)
    values = np.column_stack([column.values for column in columns])
    present = indices >= 0
    starts = np.zeros(len(indices) + 1, dtype=np.int32)
    np.cumsum(present.sum(axis=1), out=starts[1:])
    return SparseRows(values[present], indices[present], starts, len(names)), names


Kind: TypeAlias = Literal["parquet", "arrow"]

CALLED: dict[Kind, str] = {"parquet": "Parquet", "arrow": "Arrow"}
_BUFFER = 1 << 16
_AT_A_TIME = 1 << 22  # bytes decoded before they become chunks


def read_schema(path: Path, kind: Kind) -> pa.Schema:
    """The columns of a file and their types."""
    import pyarrow.parquet as pq

    with reading(path, kind):
        if kind == "parquet":
            with _opened(path) as file:
                schema = pq.ParquetFile(file).schema_arrow
        else:
            schema = _reader(_mapped(path), path).schema
        assert schema.names is not None  # names that are not UTF-8 are found now
        return schema


def batches(
    path: Path, kind: Kind, columns: Sequence[str], texts: Sequence[str], rows: int
) -> Iterator[pa.RecordBatch]:
    """All rows of a file in order, at most so many at a time; these columns, in any order.

    Parquet is decoded a few megabytes at a time even if it is a single row group; Arrow is read
    where it is mapped, and only a record batch that is compressed must be in memory whole.
    To be used within `reading`, like what is made of the batches.

    Parameters
    ----------
    texts
        The columns whose different values are wanted once each: Parquet gives them as it stores
        them, without writing out a long text again for each row.
    """
    found = (
        _parquet(path, columns, texts, rows) if kind == "parquet" else _arrow(path, columns, rows)
    )
    for batch in found:
        batch.validate(full=True)  # texts that are not UTF-8, and whatever could be a crash
        yield batch


def _parquet(
    path: Path, columns: Sequence[str], texts: Sequence[str], rows: int
) -> Iterator[pa.RecordBatch]:
    import pyarrow.parquet as pq

    with _opened(path) as file:
        plain = pq.ParquetFile(file)
        metadata, schema = plain.metadata, plain.schema_arrow
        groups = [metadata.row_group(k) for k in range(metadata.num_row_groups)]
        widest = max((g.total_byte_size // max(1, g.num_rows) for g in groups), default=0)
        reader = pq.ParquetFile(
            file,
            metadata=metadata,
            read_dictionary=[name for name in texts if "string" in str(schema.field(name).type)],
            buffer_size=_BUFFER,
            pre_buffer=False,
        )
        size = max(1, min(rows, _AT_A_TIME // max(1, widest)))
        # pyarrow's threads made this a third slower: so few rows at a time are soon decoded
        yield from reader.iter_batches(size, columns=list(columns), use_threads=False)


def _arrow(path: Path, columns: Sequence[str], rows: int) -> Iterator[pa.RecordBatch]:
    memory = _mapped(path)
    for batch in _stored(_reader(memory, path)):
        for start in range(0, len(batch), rows):
            yield batch.slice(start, rows).select(list(columns))
            if hasattr(mmap, "MADV_DONTNEED"):  # what was read need not stay resident
                memory.madvise(mmap.MADV_DONTNEED)


def _stored(reader: Any) -> Iterator[pa.RecordBatch]:
    """The record batches of a file, which has a table of them, or of a stream, which has not."""
    if not hasattr(reader, "get_batch"):
        yield from reader
        return
    for k in range(reader.num_record_batches):
        yield reader.get_batch(k)


def _reader(memory: mmap.mmap, path: Path) -> Any:
    """A reader of Arrow's file or stream format, whichever the first bytes say it is."""
    import pyarrow as pa

    beginning = memory[:6]
    if beginning.startswith(b"FEA1"):
        raise BadExample(
            f"{path}: this is the first version of Feather; write it as the second: "
            "pyarrow.feather.write_feather(pyarrow.feather.read_table(old), new)"
        )
    if beginning.startswith(b"PAR1"):
        raise BadExample(f"{path}: this is Parquet, not Arrow; say so, or name it .parquet")
    buffer = pa.py_buffer(memory)
    if beginning == b"ARROW1":
        return pa.ipc.open_file(buffer)
    return pa.ipc.open_stream(buffer)


def _mapped(path: Path) -> mmap.mmap:
    with path.open("rb") as file:
        try:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError:
            raise BadExample(f"{path}: the file is empty") from None


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """The file, opened by Python first for its words about a file that cannot be."""
    import pyarrow as pa

    path.open("rb").close()
    with pa.OSFile(str(path)) as file:
        yield file


@contextmanager
def reading(path: Path, kind: Kind) -> Iterator[None]:
    """Turn what pyarrow says of bytes that are not a table into the refusal of the file."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        why = " ".join(str(error).split())
        raise BadExample(f"{path}: cannot be read as {CALLED[kind]}: {why}") from None


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

    def _common(self) -> FieldLayout:
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
            return lambda i: f"{path}: row {row + i}: column {quoted(name)}"

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
