"""Tables as Parquet and Arrow store them, some rows at a time, whatever is stored together."""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from novikoff.rows import BadExample

if TYPE_CHECKING:
    import pyarrow as pa

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
