"""The cache: blocks kept in a file, so that text is parsed once for any number of passes."""

from __future__ import annotations

import mmap
import os
import zlib
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np

from novikoff.sources.chunks import TableColumns
from novikoff.sources.features import Features
from novikoff.sources.files.arrow_arrays import arrow, from_numpy, to_numpy
from novikoff.sources.inputs import Input, State
from novikoff.sources.numbered import Numbered
from novikoff.storage.atomic_write import atomic_write
from novikoff.storage.checked import Arrays, Settings, Stored
from novikoff.storage.file_format import pieces, unpacked
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample
from novikoff.stream.labels import LabelsAsClasses
from novikoff.stream.rows import DenseRows, Rows, SparseRows

if TYPE_CHECKING:
    import pyarrow as pa

_ABOUT, _CHECKSUM = b"novikoff", b"checksum"
_FORMAT = 5


class Cached:
    """The blocks of a source, written to an Arrow IPC file by the first pass.

    The file is mapped and released as it is read, so it may be larger than memory. A later run with
    the same `fingerprint` (of the input and of all that affects how it is read) uses it without
    reading the source; a file with another one is replaced. Checksums are compared when it is first
    read. `done` and `total` count its bytes.
    """

    def __init__(self, blocks: Numbered, path: str | os.PathLike[str], fingerprint: str) -> None:
        self._blocks, self._path, self._fingerprint = blocks, os.fspath(path), fingerprint
        self.features = blocks.features
        self._classes: tuple[str, ...] | None = None
        self._seen = 0
        self._table: TableColumns | None = None
        self._is_checked = False
        self._examples = 0
        self.done, self.total = 0, 0
        self._file = Input(self._path)
        self._state: State = None
        self.is_ready = self._look()

    @property
    def classes(self) -> tuple[str, ...]:
        """The negative and the positive label; or all classes seen so far, in their order."""
        return self._blocks.classes if self._classes is None else self._classes[: self._seen]

    @property
    def table(self) -> TableColumns | None:
        """The columns, if the source is a table."""
        return self._table or self._blocks.table

    def _look(self) -> bool:
        """Whether the file exists and fits the input; if so, take the features from it."""
        if not os.path.exists(self._path):
            return False
        self._state = self._file.state()
        with open(self._path, "rb") as file:
            if not b"ARROW1".startswith(file.read(6)):
                words = f"{self._path}: not a cache; choose another file, or remove this one"
                raise BadExample(words)
        pa = arrow()
        try:
            about, arrays = _Mapped(self._path).about()
            if (about["format"], about["fingerprint"]) != (_FORMAT, self._fingerprint):
                return False
            stored = Stored("cache", about, arrays)
            classes, named = tuple(stored.texts("classes")), stored.count("named")
            features, self._examples = stored.settings("features"), stored.count("examples")
            most = getattr(self._blocks.labelling, "most", None)
            if most is not None and len(classes) > max(named, most):
                return False  # reading the source again names the label that is one too many
            is_joint = isinstance(self._blocks.labelling, LabelsAsClasses)
            fits = 0 < len(classes) >= named if is_joint else len(classes) == named == 2
            if not fits or len({*classes}) < len(classes):
                return False
            if about["table"] is not None:
                table = Stored("table", stored.settings("table"), {})
                names, texts = tuple(table.texts("features")), tuple(table.texts("texts"))
                label = None if about["table"]["label"] is None else table.text("label")
                if len({*names, label}) <= len(names) or not {*texts} <= {*names}:
                    return False
                by_words = tuple(table.texts("words"))
                if not {*by_words} <= {*names} - {*texts}:
                    return False
                has_header = table.flag("has_header")
                weight = None if about["table"]["weight"] is None else table.text("weight")
                self._table = TableColumns(names, texts, label, has_header, weight, by_words)
            self.features = Features.restored(features, arrays)
        except (pa.ArrowException, OSError, ValueError, KeyError, TypeError):
            return False
        self._classes, self._seen = classes, named
        return True

    def __iter__(self) -> Iterator[Block]:
        return self._read() if self.is_ready else self._write()

    def _write(self) -> Iterator[Block]:
        """Write the blocks of the source, and then an empty batch that describes the file."""
        pa = arrow()
        writer, self._examples = None, 0
        with atomic_write(self._path, durable=False) as file:
            for block in self._blocks:
                batch = _batch(block)
                if writer is None:
                    writer, last = pa.ipc.new_file(file, batch.schema), batch[:0]
                writer.write_batch(batch, custom_metadata={_CHECKSUM: _checksum(batch)})
                self._examples += len(block)
                yield block
            if writer is None:
                raise BadExample(f"{self._blocks.source.name}: there are no examples")
            writer.write_batch(last, custom_metadata={_ABOUT: self._about()})
            writer.close()
        self._state = self._file.state()
        self.is_ready = self._is_checked = True

    def check_unchanged(self) -> None:
        """Raise BadExample if what is read, the source or the cache, has changed."""
        if self.is_ready:
            self._file.check_unchanged(self._state)
        else:
            self._blocks.check_unchanged()

    def _about(self) -> bytes:
        settings, arrays = self.features.state()
        labels = self._blocks.labelling
        about = {
            "format": _FORMAT,
            "fingerprint": self._fingerprint,
            "classes": self.classes,
            "named": labels.named if isinstance(labels, LabelsAsClasses) else len(self.classes),
            "table": None if self.table is None else asdict(self.table),
            "features": settings,
            "examples": self._examples,
        }
        return b"".join(pieces(about, arrays, kind="cache"))

    def _read(self) -> Iterator[Block]:
        self.check_unchanged()
        first = self.done = 0
        self.total = os.stat(self._path).st_size
        mapped = _Mapped(self._path)
        for batch, end in mapped.batches(check=not self._is_checked):
            self.done = end
            try:
                block = _block(batch, self.features.room, first)
                if not self._is_checked:
                    self._check(block)
            except (LookupError, TypeError, ValueError, AttributeError):
                raise mapped.damaged() from None
            first += len(block)
            if block.labels.dtype == np.int32:  # classes are numbered in order of appearance
                self._seen = max(self._seen, int(block.labels.max(initial=-1)) + 1)
            yield block
        self.check_unchanged()
        if first != self._examples:
            raise mapped.damaged()
        self._is_checked = True

    def _check(self, block: Block) -> None:
        """Raise ValueError unless a block fits the description; the core trusts that it does."""
        rows, features, classes = block.rows, self.features, self._classes or self._blocks.classes
        is_joint = isinstance(self._blocks.labelling, LabelsAsClasses)
        right = (block.labels.dtype == np.int32) == is_joint
        right &= int(block.labels.max(initial=0)) < len(classes)
        right &= rows.values.dtype == np.float64 and bool(np.isfinite(rows.values).all())
        if isinstance(rows, SparseRows):
            right &= len(rows.indices) == len(rows.values)
            right &= bool((rows.indices >= 0).all() and (rows.indices < features.dim).all())
        else:
            right &= rows.dim == features.dim
        if not right:
            raise ValueError


class _Mapped:
    """An Arrow file mapped into memory; batches that were read are released."""

    def __init__(self, path: str) -> None:
        import pyarrow as pa

        self._path = path
        with open(path, "rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._buffer = pa.py_buffer(self._map)
        self._reader = pa.ipc.open_file(pa.BufferReader(self._buffer))

    def about(self) -> tuple[Settings, Arrays]:
        last = self._reader.num_record_batches - 1
        _, metadata = self._reader.get_batch_with_custom_metadata(last)
        return unpacked(metadata[_ABOUT], kind="cache", where=self._path)

    def batches(self, *, check: bool) -> Iterator[tuple[pa.RecordBatch, int]]:
        """Each batch and where it ends in the file; a batch is released when the next is read."""
        page, given = mmap.PAGESIZE, 0
        for i in range(self._reader.num_record_batches - 1):
            if self._map.size() < len(self._map):  # reading past the end of it would crash
                raise self.damaged()
            batch = self._checked(i) if check else self._reader.get_batch(i)
            end = max(int(buffer.address + buffer.size) for buffer in _buffers(batch))
            end -= self._buffer.address
            yield batch, end
            whole = end // page * page
            if whole > given:
                self._map.madvise(mmap.MADV_DONTNEED, given, whole - given)
                given = whole

    def _checked(self, i: int) -> pa.RecordBatch:
        import pyarrow as pa

        try:
            batch, metadata = self._reader.get_batch_with_custom_metadata(i)
            batch.validate(full=True)
            if metadata[_CHECKSUM] == _checksum(batch):
                return batch
        except (pa.ArrowException, OSError, KeyError, TypeError, ValueError):
            pass
        raise self.damaged()

    def damaged(self) -> BadExample:
        return BadExample(f"{self._path}: the cache is damaged; remove it, and it will be rebuilt")


def _buffers(batch: pa.RecordBatch) -> Iterator[pa.Buffer]:
    return (buffer for column in batch.columns for buffer in column.buffers() if buffer)


def _checksum(batch: pa.RecordBatch) -> bytes:
    """A checksum of the batch's memory and schema."""
    found = zlib.crc32(f"{batch.num_rows} {batch.schema}".encode())
    for buffer in _buffers(batch):
        found = zlib.crc32(buffer, found)
    return b"%d" % found


def _batch(block: Block) -> pa.RecordBatch:
    import pyarrow as pa

    ones = np.ones(len(block))
    columns = {
        "label": from_numpy(block.labels),
        "importance": from_numpy(ones if block.importances is None else block.importances),
    }
    rows = block.rows
    values = rows.values.astype(np.float64, copy=False)  # float32 and float64 files may be mixed
    if isinstance(rows, SparseRows):
        span = slice(int(rows.starts[0]), int(rows.starts[-1]))
        starts = from_numpy((rows.starts - rows.starts[0]).astype(np.int32, copy=False))
        columns["indices"] = pa.ListArray.from_arrays(starts, from_numpy(rows.indices[span]))
        columns["values"] = pa.ListArray.from_arrays(starts, from_numpy(values[span]))
    else:
        columns["row"] = pa.FixedSizeListArray.from_arrays(from_numpy(values.ravel()), rows.dim)
    return pa.RecordBatch.from_arrays(list(columns.values()), list(columns))


def _block(batch: pa.RecordBatch, dim: int, first: int) -> Block:
    importances = to_numpy(batch["importance"])
    rows: Rows
    if "row" in batch.schema.names:
        rows = DenseRows(to_numpy(batch["row"].values).reshape(len(batch), -1))
    else:
        columns, starts = to_numpy(batch["indices"].values), to_numpy(batch["indices"].offsets)
        starts = starts.astype(columns.dtype, copy=False)
        rows = SparseRows(to_numpy(batch["values"].values), columns, starts, dim)
    return Block(
        rows,
        to_numpy(batch["label"]),
        first,
        importances=None if (importances == 1).all() else importances,
    )
