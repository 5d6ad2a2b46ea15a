"""Blocks kept in a file, so that text is parsed once however many passes are made."""

from __future__ import annotations

import base64
import json
import mmap
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from novikoff.examples import Block
from novikoff.features import Features
from novikoff.rows import DenseRows, Rows, SparseRows
from novikoff.sources.numbering import Numbered

if TYPE_CHECKING:
    import pyarrow as pa

_ABOUT = b"novikoff"
_FORMAT = 1


class Cached:
    """The blocks of a source, kept in an Arrow IPC file by the first pass for those after it.

    The file is mapped into memory, and what has been read is let go of, so that it may be larger
    than memory. It is used again, without reading the source at all, by whoever asks for the same
    fingerprint.

    Parameters
    ----------
    fingerprint
        Of the input and of everything that bears on how it becomes blocks. A file with another is
        replaced.
    """

    def __init__(self, blocks: Numbered, path: str | os.PathLike[str], fingerprint: str) -> None:
        self._blocks, self._path, self._fingerprint = blocks, os.fspath(path), fingerprint
        self.features = blocks.features
        self._classes: tuple[str, str] | None = None
        self.is_ready = self._look()

    @property
    def classes(self) -> tuple[str, str]:
        """The labels that are −1 and +1."""
        return self._classes or self._blocks.classes

    def _look(self) -> bool:
        """Whether the file is there and of this input; if so, take what it says of the features."""
        if not os.path.exists(self._path):
            return False
        import pyarrow as pa

        try:
            with _Mapped(self._path) as mapped:
                about = mapped.about()
        except (pa.ArrowException, OSError, ValueError, KeyError):
            return False
        if about.get("format") != _FORMAT or about.get("fingerprint") != self._fingerprint:
            return False
        arrays = {
            name: np.frombuffer(base64.b64decode(text), dtype=kind)
            for name, (kind, text) in about["arrays"].items()
        }
        self.features = Features.restored(about["features"], arrays)
        negative, positive = about["classes"]
        self._classes = (negative, positive)
        return True

    def __iter__(self) -> Iterator[Block]:
        return self._read() if self.is_ready else self._write()

    def _write(self) -> Iterator[Block]:
        import pyarrow as pa

        beside = f"{self._path}.{os.getpid()}.part"
        writer: pa.RecordBatchFileWriter | None = None
        try:
            with open(beside, "wb") as file:
                for block in self._blocks:
                    batch = _batch(block)
                    writer = writer or pa.ipc.new_file(file, batch.schema)
                    writer.write_batch(batch)
                    yield block
                if writer is None:
                    return
                about = json.dumps(self._about()).encode()
                writer.write_batch(batch.slice(0, 0), custom_metadata={_ABOUT: about})
                writer.close()
            os.replace(beside, self._path)
            self.is_ready = True
        finally:
            if os.path.exists(beside):
                os.unlink(beside)

    def _about(self) -> dict[str, Any]:
        settings, arrays = self.features.state()
        return {
            "format": _FORMAT,
            "fingerprint": self._fingerprint,
            "classes": self.classes,
            "features": settings,
            "arrays": {
                name: (array.dtype.str, base64.b64encode(array.tobytes()).decode())
                for name, array in arrays.items()
            },
        }

    def _read(self) -> Iterator[Block]:
        first = 0
        with _Mapped(self._path) as mapped:
            for batch in mapped.batches():
                block = _block(batch, self.features.room, first)
                first += len(block)
                yield block


class _Mapped:
    """An Arrow file in memory, of which only what is being read is held."""

    def __init__(self, path: str) -> None:
        import pyarrow as pa

        with open(path, "rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._buffer = pa.py_buffer(self._map)
        self._reader = pa.ipc.open_file(pa.BufferReader(self._buffer))

    def __enter__(self) -> _Mapped:
        return self

    def __exit__(self, *_: object) -> None:
        del self._reader, self._buffer  # blocks that are still held keep the map open

    def about(self) -> dict[str, Any]:
        last = self._reader.num_record_batches - 1
        _, metadata = self._reader.get_batch_with_custom_metadata(last)
        found: dict[str, Any] = json.loads(metadata[_ABOUT])
        return found

    def batches(self) -> Iterator[pa.RecordBatch]:
        page, given = mmap.PAGESIZE, 0
        for i in range(self._reader.num_record_batches - 1):
            batch = self._reader.get_batch(i)
            yield batch
            end = _end(batch) - self._buffer.address
            whole = end // page * page
            if whole > given:
                self._map.madvise(mmap.MADV_DONTNEED, given, whole - given)
                given = whole


def _end(batch: pa.RecordBatch) -> int:
    """The address where what the batch holds ends."""
    held = (buffer for column in batch.columns for buffer in column.buffers() if buffer)
    return max(int(buffer.address + buffer.size) for buffer in held)


def _batch(block: Block) -> pa.RecordBatch:
    import pyarrow as pa

    columns: dict[str, pa.Array] = {"label": pa.array(block.labels)}
    ones = np.ones(len(block))
    columns["importance"] = pa.array(ones if block.importances is None else block.importances)
    rows = block.rows
    if isinstance(rows, SparseRows):
        starts = rows.starts.astype(np.int32, copy=False)
        columns["indices"] = pa.ListArray.from_arrays(starts, rows.indices)
        columns["values"] = pa.ListArray.from_arrays(starts, rows.values)
    else:
        columns["row"] = pa.FixedSizeListArray.from_arrays(rows.values.ravel(), rows.dim)
    return pa.RecordBatch.from_pydict(columns)


def _block(batch: pa.RecordBatch, dim: int, first: int) -> Block:
    importances = batch["importance"].to_numpy()
    rows: Rows
    if "row" in batch.schema.names:
        rows = DenseRows(batch["row"].values.to_numpy().reshape(len(batch), -1))
    else:
        indices, values = batch["indices"], batch["values"]
        starts = indices.offsets.to_numpy()
        columns = indices.values.to_numpy()
        rows = SparseRows(
            values.values.to_numpy(), columns, starts.astype(columns.dtype, copy=False), dim
        )
    return Block(
        rows,
        batch["label"].to_numpy(),
        first,
        importances=None if (importances == 1).all() else importances,
    )
