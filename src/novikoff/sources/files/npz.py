"""NumPy's .npz: arrays X and y, or a sparse matrix as scipy saves it and y; never unpickled."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EINVAL
from math import prod
from typing import IO, Any, TypeAlias
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

import numpy as np
from numpy.typing import NDArray

from novikoff.sources.arrays import check_finite, exact, numbered
from novikoff.sources.chunks import Chunk, Source
from novikoff.sources.inputs import Paths
from novikoff.stream.input_problems import BadExample
from novikoff.stream.labels import written
from novikoff.stream.printing import quoted_list
from novikoff.stream.rows import DenseRows, Positions, Rows, SparseRows

CHUNK = 1 << 17  # values, a megabyte of them; a row without any counts as one

_SPARSE = ("data", "indices", "indptr", "format", "shape")
# what zipfile and NumPy raise for bytes that are not a file of arrays
_BROKEN = (BadZipFile, EOFError, OverflowError, RuntimeError, ValueError, zlib.error)
_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


class ArrayFiles(Source):
    """Rows of .npz files, a megabyte at a time; labels may be missing unless `labelled`."""

    def __init__(self, files: Paths, *, labelled: bool = True) -> None:
        super().__init__(files)
        self._labelled = labelled
        widths = list[int]()
        for one in self.inputs:
            with opened(one.path, labelled=labelled) as arrays:
                widths.append(_shape(arrays)[1])
            if widths[-1] != widths[0]:
                words = f"{widths[-1]} columns, but {self.name} has {widths[0]}"
                raise BadExample(f"{one.path}: {words}")

    def _words(self) -> list[str]:
        return ["npz"]

    def _chunks(self) -> Iterator[Chunk]:
        self.done = 0
        for path, size in [(one.path, one.size or 0) for one in self.inputs]:
            with opened(path, labelled=self._labelled) as arrays:
                n, d = _shape(arrays)
                row = 0
                for rows in _dense(arrays["X"]) if "X" in arrays else _sparse(arrays, n, d):
                    marks = arrays["y"].read(len(rows)) if "y" in arrays else None
                    labels, texts, met = self._labels(marks, len(rows), row)
                    places = tuple(f"{path}: row {i}" for i in met)
                    yield Chunk(rows, labels, texts, places, is_matrix=True)
                    row += len(rows)
            self.done += size

    def _labels(
        self, marks: NDArray[Any] | None, n: int, row: int
    ) -> tuple[NDArray[np.int32], tuple[str, ...], list[int]]:
        """The labels of n rows as codes, their texts, and the first row of each."""
        labels, there = np.full(n, -1, dtype=np.int32), np.arange(n)
        if marks is None:
            return labels, (), []
        if marks.dtype.kind == "f":
            absent = np.isnan(marks)
            given = marks if self._labelled else np.where(absent, 0, marks)
            check_finite(given, lambda i: f"row {row + i}: label")
            there = np.flatnonzero(~absent)
        labels[there], _, first = numbered(marks[there])
        at = there[first]
        return labels, tuple(map(written, marks[at])), (row + at).tolist()


def _shape(arrays: Arrays) -> tuple[int, int]:
    """How many rows and columns there are, after checking that the arrays fit together."""
    if "X" in arrays:
        x = arrays["X"]
        if len(x.shape) != 2:
            raise BadExample(f"X must be two-dimensional, not of shape {x.shape}")
        _check_numbers(x)
        n, d = x.shape
    else:
        n, d = _sparse_shape(arrays)
    if d == 0:
        raise BadExample("the rows have no columns")
    if (y := arrays.get("y")) is not None:
        if y.shape != (n,):
            raise BadExample(f"y has shape {y.shape}, but {n} rows need ({n},)")
        if y.dtype.kind not in "biufU":
            raise BadExample(
                f"y must be numbers, truth values or texts, not {y.dtype}; save y.astype(str)"
            )
    return n, d


def _sparse_shape(arrays: Arrays) -> tuple[int, int]:
    stored, shape = arrays["format"].few(), arrays["shape"].few()
    layout = stored.item() if stored.shape == () else None
    layout = layout.decode("ascii", "replace") if isinstance(layout, bytes) else layout
    if layout != "csr":
        raise BadExample(f"the matrix is in format {layout!r}; save X.tocsr()")
    if shape.shape != (2,) or shape.dtype.kind not in "iu":
        raise BadExample(f"shape must be two whole numbers, not {shape.tolist()}")
    n, d = map(int, shape)
    data, indices, starts = (arrays[key] for key in ("data", "indices", "indptr"))
    for array in (indices, starts):
        if array.dtype.kind not in "iu":
            raise BadExample(f"{array.name} must be whole numbers, not {array.dtype}")
    if starts.shape != (n + 1,):
        raise BadExample(f"indptr has shape {starts.shape}, but {n} rows need ({n + 1},)")
    if len(data.shape) != 1 or data.shape != indices.shape:
        raise BadExample(
            f"data has shape {data.shape} and indices {indices.shape}; they must be "
            "one-dimensional and of the same length"
        )
    _check_numbers(data)
    return n, d


def _check_numbers(array: StoredArray) -> None:
    if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        raise BadExample(
            f"{array.name} must be real numbers of at most 64 bits, not {array.dtype}; "
            f"save {array.name}.astype(float)"
        )


def _dense(x: StoredArray) -> Iterator[Rows]:
    n, d = x.shape
    step = max(1, CHUNK // d)
    for row in range(0, n, step):
        given = x.read(min(step, n - row)).reshape(-1)

        def where(i: int, row: int = row) -> str:
            return f"row {row + i // d}: column {i % d}"

        yield DenseRows(exact(given, where).reshape(-1, d))


def _sparse(arrays: Arrays, n: int, d: int) -> Iterator[Rows]:
    stored = arrays["data"].shape[0]
    last = int(arrays["indptr"].read(1)[0])
    if last != 0:
        raise BadExample(f"indptr must begin with 0, not {last}")
    for row in range(0, n, CHUNK):
        ends = arrays["indptr"].read(min(CHUNK, n - row)).astype(np.int64)
        starts = np.concatenate([[last], ends])
        backwards = np.diff(starts) < 0
        if backwards.any() or ends[-1] > stored:
            i = int(np.argmax(backwards | (ends > stored)))
            raise BadExample(
                f"row {row + i}: indptr goes from {starts[i]} to {ends[i]}; it must not decrease "
                f"or exceed the {stored} stored values"
            )
        last = int(ends[-1])
        weights = np.maximum(1, np.diff(starts))
        at = 0
        while at < len(ends):
            end = at + int(np.searchsorted(np.cumsum(weights[at:]), CHUNK)) + 1
            yield _csr(arrays, starts[at : end + 1], row + at, d)
            at = end
    if last != stored:
        raise BadExample(f"indptr ends with {last}, but {stored} values are stored")


def _csr(arrays: Arrays, starts: Positions, row: int, d: int) -> Rows:
    """The rows with these starts; the values before the first have been read."""
    starts = starts - starts[0]
    count = int(starts[-1])
    indices = arrays["indices"].read(count).astype(np.int64)

    def where(i: int) -> str:
        of_row = int(np.searchsorted(starts, i, side="right")) - 1
        return f"row {row + of_row}: column {indices[i]}"

    outside = (indices < 0) | (indices >= d)
    if outside.any():
        raise BadExample(f"{where(int(np.argmax(outside)))} is not in 0..{d - 1}")
    values = exact(arrays["data"].read(count), where)
    width = np.int32 if max(d, count) <= np.iinfo(np.int32).max else np.int64
    rows = SparseRows(values, indices.astype(width), starts.astype(width), d)
    rows.put_in_order()
    return rows


class StoredArray:
    """An array of a file, read once from beginning to end."""

    def __init__(self, file: IO[bytes], size: int, name: str) -> None:
        header = _HEADERS.get(np.lib.format.read_magic(file))
        if header is None:
            raise BadExample(f"{name} is a structured array; save plain arrays")
        self.shape, by_columns, self.dtype = header(file)
        self.name = name
        self._file = file
        if self.dtype.hasobject:
            raise BadExample(
                f"{name} holds Python objects, which are not read because unpickling can run code; "
                f"save {name}.astype(float) or {name}.astype(str)"
            )
        if by_columns and len(self.shape) > 1:
            raise BadExample(
                f"{name} is stored column by column, but is read row by row; "
                f"save np.ascontiguousarray({name})"
            )
        needed = file.tell() + self.dtype.itemsize * prod(self.shape)
        if size != needed:
            raise BadExample(f"{name} has {size} bytes, but its shape needs {needed}")

    def read(self, count: int) -> NDArray[Any]:
        """The next rows."""
        return self._array((count, *self.shape[1:]))

    def few(self) -> NDArray[Any]:
        """All of an array of at most two entries, which describes the others."""
        if prod(self.shape) > 2:
            raise BadExample(f"{self.name} has shape {self.shape}")
        return self._array(self.shape)

    def _array(self, shape: tuple[int, ...]) -> NDArray[Any]:
        wanted = prod(shape) * self.dtype.itemsize
        raw = self._file.read(wanted)
        if len(raw) < wanted:
            raise EOFError(f"{self.name} ends early")
        return np.frombuffer(raw, self.dtype, prod(shape)).reshape(shape)


Arrays: TypeAlias = dict[str, StoredArray]


@contextmanager
def opened(path: str, *, labelled: bool) -> Iterator[Arrays]:
    """The arrays of a file that hold its examples; errors about them name the file."""
    with _opened(path, ".npz") as file, ZipFile(file) as archive:
        yield _arrays(archive, labelled)


@contextmanager
def opened_array(path: str) -> Iterator[StoredArray]:
    """The array of a .npy file: rows of numbers; errors about it name the file."""
    with _opened(path, ".npy") as file:
        array = StoredArray(file, os.fstat(file.fileno()).st_size, "array")
        if len(array.shape) != 2 or 0 in array.shape:
            cure = "save rows of numbers, each with its label"
            raise BadExample(f"the array has shape {array.shape}; {cure}")
        _check_numbers(array)
        yield array


@contextmanager
def _opened(path: str, kind: str) -> Iterator[IO[bytes]]:
    try:
        with open(path, "rb") as file:
            yield file
    except BadExample as error:
        raise error.at(path) from None
    except (*_BROKEN, OSError) as error:
        if isinstance(error, OSError) and error.errno not in (None, EINVAL):
            raise  # EINVAL: a position before the beginning of the file
        raise BadExample(f"{path}: cannot be read as {kind}: {error}") from None


def _arrays(archive: ZipFile, labelled: bool) -> Arrays:
    members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
    if not any(info.filename.endswith(".npy") for info in archive.infolist()):
        files = quoted_list(list(members)) or "nothing"
        raise BadExample(f"a zip archive that holds {files}, no arrays; unpack it first")
    is_dense = "X" in members or not any(key in members for key in _SPARSE)
    wanted = ["X"] if is_dense else [*_SPARSE]
    if labelled or "y" in members:
        wanted.append("y")
    arrays: Arrays = {}
    for key in wanted:
        if key not in members:
            raise BadExample(
                f"there is no array {key!r}; the arrays are {quoted_list(list(members)) or 'none'};"
                " save X and y, or y with the arrays of scipy.sparse.save_npz: "
                f"{', '.join(_SPARSE)}"
            )
        if members[key].compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise BadExample(f"{key} is not compressed as NumPy does it; save it with NumPy")
        arrays[key] = StoredArray(archive.open(members[key]), members[key].file_size, key)
    return arrays
