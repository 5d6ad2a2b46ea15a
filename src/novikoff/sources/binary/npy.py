"""The arrays of a .npz file as streams, read a few rows at a time and never unpickled."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from errno import EINVAL
from math import prod
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

import numpy as np
from numpy.typing import NDArray

from novikoff.rows import BadExample

# what zipfile and NumPy say of bytes that are not a file of arrays
_BROKEN = (BadZipFile, EOFError, OverflowError, RuntimeError, ValueError, zlib.error)
_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


class Stored:
    """An array of a file, read once, from its beginning to its end."""

    def __init__(self, file: IO[bytes], size: int, name: str) -> None:
        header = _HEADERS.get(np.lib.format.read_magic(file))
        if header is None:
            raise BadExample(f"{name} has fields with names; save plain arrays")
        self.shape, by_columns, self.dtype = header(file)
        self.name = name
        self._file = file
        if self.dtype.hasobject:
            raise BadExample(
                f"{name} holds Python objects, which only pickle reads, and that can run anything; "
                f"save numbers or texts: {name}.astype(float), {name}.astype(str)"
            )
        if by_columns and len(self.shape) > 1:
            raise BadExample(
                f"{name} is stored column by column, and is read row by row; "
                f"save np.ascontiguousarray({name})"
            )
        announced = file.tell() + self.dtype.itemsize * prod(self.shape)
        if size != announced:
            raise BadExample(f"{name} has {size} bytes, and its shape needs {announced}")

    def read(self, count: int) -> NDArray[Any]:
        """The next so many rows."""
        shape = (count, *self.shape[1:])
        wanted = prod(shape) * self.dtype.itemsize
        raw = self._file.read(wanted)
        if len(raw) < wanted:
            raise EOFError(f"{self.name} ends early")
        return np.frombuffer(raw, self.dtype, prod(shape)).reshape(shape)

    def few(self) -> NDArray[Any]:
        """All of an array that says something about the others."""
        if prod(self.shape) > 2:
            raise BadExample(f"{self.name} has shape {self.shape}")
        raw = self._file.read()
        return np.frombuffer(raw, self.dtype, prod(self.shape)).reshape(self.shape)


class Arrays(Mapping[str, Stored]):
    """The arrays of an archive by name, each opened when it is first asked for."""

    def __init__(self, archive: ZipFile) -> None:
        self._archive = archive
        self._members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
        self._open: dict[str, Stored] = {}

    def __getitem__(self, name: str) -> Stored:
        if name not in self._open:
            info = self._members[name]
            if info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
                raise BadExample(f"{name} is compressed as NumPy does not; save it with NumPy")
            self._open[name] = Stored(self._archive.open(info), info.file_size, name)
        return self._open[name]

    def __contains__(self, name: object) -> bool:
        return name in self._members

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)


@contextmanager
def opened(path: Path) -> Iterator[Arrays]:
    """The arrays of a file; whatever is found to be wrong with them, the refusal names the file."""
    try:
        with path.open("rb") as file, ZipFile(file) as archive:
            yield Arrays(archive)
    except BadExample as error:
        raise BadExample(f"{path}: {error}") from None
    except (*_BROKEN, OSError) as error:
        if isinstance(error, OSError) and error.errno not in (None, EINVAL):
            raise  # EINVAL is a place before the beginning of the file
        raise BadExample(f"{path}: cannot be read as .npz: {error}") from None
