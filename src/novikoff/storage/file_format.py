"""The file format for settings and arrays: checked in full when read, and mapped, not copied.

The file is, all numbers little-endian:

    8 bytes   "novikoff"
    4         the format's version
    4         the length of the header in bytes
    8         the length of the whole file
    header    JSON in ASCII: what kind of file it is, the settings, each array's dtype and shape
    arrays    in the order of their names, each from the next multiple of 64, zeros in between
    32        the SHA-256 of everything before

Long lists of texts in the header, such as a million names of columns, are arrays as well, so that a
header is short whatever was learned. The list at header["a"]["b"] is the array 'texts ["a", "b"]',
in UTF-8 without separators, and 'starts ["a", "b"]', where each text begins and the last one ends.

A file holds no code, and the same content always has the same bytes.
"""

import hashlib
import json
import math
import mmap
import os
import struct
from collections.abc import Iterator, Mapping
from functools import reduce
from itertools import pairwise
from typing import Any, BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from novikoff.storage.atomic_write import atomic_write
from novikoff.stream.printing import cut, plain, quoted

Place: TypeAlias = str | os.PathLike[str] | BinaryIO  # of a file: its path, or the open file
_Arrays: TypeAlias = Mapping[str, NDArray[Any]]
_Content: TypeAlias = tuple[dict[str, Any], dict[str, NDArray[Any]]]  # the header and the arrays
FORMAT = 1
_MAGIC = b"novikoff"
_PREFIX = struct.Struct("<8sIIQ")
_DIGEST = hashlib.sha256().digest_size
_ALIGNED = 64
_LONGEST_HEADER = 1 << 24
_LONGEST_LIST = 1 << 16  # characters
_MAPPED_FROM = 1 << 26
_DTYPES = ("|i1", "|u1", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8")


class BadModel(ValueError):  # noqa: N818  (it names the thing that is wrong)
    """A stored file that cannot be used; says which one and why."""


def is_stored(path: str | os.PathLike[str]) -> bool:
    """Whether a file begins like the files that `save` writes."""
    with open(path, "rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def name_of(path: Place) -> str:
    """What a file is called in errors."""
    return os.fspath(path) if isinstance(path, str | os.PathLike) else "the file"


def save(path: Place, header: Mapping[str, Any], arrays: _Arrays, *, kind: str) -> None:
    """Write the file, atomically by its path; `kind` says what it is, and `load` checks it.

    The header is what JSON can hold, without NaN and infinity; arrays have one or two dimensions.
    """
    if isinstance(path, str | os.PathLike):
        with atomic_write(path) as file:
            save(file, header, arrays, kind=kind)
    else:
        path.writelines(pieces(header, arrays, kind=kind))


def pieces(
    header: Mapping[str, Any], arrays: _Arrays, *, kind: str
) -> Iterator[bytes | memoryview]:
    """The bytes of the file, one after another."""
    header, apart = _taken_apart(header)
    every = {**arrays, **apart}
    ready = {name: _little_endian(name, every[name]) for name in sorted(every)}
    described = {name: [a.dtype.str, list(a.shape)] for name, a in ready.items()}
    content = {"kind": kind, "header": header, "arrays": described}
    text = json.dumps(content, allow_nan=False, sort_keys=True, separators=(",", ":")).encode()
    if len(text) > _LONGEST_HEADER:
        raise ValueError(f"a header of {len(text)} bytes is too large; put numbers into arrays")
    at = _PREFIX.size + len(text)
    length = _laid_out(at, [a.nbytes for a in ready.values()])[-1] + _DIGEST
    digest = hashlib.sha256()

    def hashed(piece: bytes | memoryview) -> bytes | memoryview:
        digest.update(piece)
        return piece

    yield hashed(_PREFIX.pack(_MAGIC, FORMAT, len(text), length) + text)
    for array in ready.values():
        yield hashed(bytes(-at % _ALIGNED))
        yield hashed(array.reshape(-1).view(np.uint8).data)
        at += -at % _ALIGNED + array.nbytes
    yield digest.digest()


def load(path: Place, *, kind: str) -> _Content:
    """The header and the arrays that `save` wrote; a damaged file is a BadModel.

    The arrays are read-only. Those of a file of more than 64 MB are mapped, so it must not be
    overwritten or cut short in place: see `check_whole`.
    """
    if not isinstance(path, str | os.PathLike):
        return unpacked(path.read(), kind=kind, where=name_of(path))
    with open(path, "rb") as file:
        if os.fstat(file.fileno()).st_size > _MAPPED_FROM:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            return unpacked(data, kind=kind, where=name_of(path))
        start = file.read(len(_MAGIC))
        rest = file.read() if start == _MAGIC else b""  # /dev/zero would never end
    return unpacked(start + rest, kind=kind, where=name_of(path))


def header(path: str | os.PathLike[str], *, kind: str) -> dict[str, Any]:
    """The header alone; that the arrays are undamaged is not checked."""
    with open(path, "rb") as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return unpacked(data, kind=kind, where=name_of(path), checked=False)[0]


def mapped_file(arrays: _Arrays) -> mmap.mmap | None:
    """The mapped file that the arrays of `load` are in; None if they were copied."""
    data: Any = next(iter(arrays.values()), None)
    while isinstance(data, np.ndarray):
        data = data.base
    data = data.obj if isinstance(data, memoryview) else data
    return data if isinstance(data, mmap.mmap) else None


def check_whole(mapped: mmap.mmap | None) -> None:
    """Raise BadModel if a mapped file was cut short: reading its arrays would crash."""
    if mapped is not None and mapped.size() < len(mapped):
        raise BadModel("the file was cut short while it was in use; load the model again")


def unpacked(data: bytes | mmap.mmap, *, kind: str, where: str, checked: bool = True) -> _Content:
    """The header and the arrays in the bytes of a file; `where` names it in errors."""
    try:
        return _content(data, _header_length(data, checked=checked), kind)
    except BadModel as error:
        raise BadModel(f"{where}: {error}") from None


def _header_length(data: bytes | mmap.mmap, *, checked: bool) -> int:
    """The length of the header of a file that is whole and, if that is checked, undamaged."""
    start = data[: _PREFIX.size]
    if not start or start[: len(_MAGIC)] != _MAGIC[: len(start)]:
        raise BadModel("this file was not saved by novikoff" if start else "this file is empty")
    if len(start) < _PREFIX.size:
        raise BadModel(f"the file is truncated: it has only {len(start)} bytes")
    _, version, header_length, length = _PREFIX.unpack(start)
    if version > FORMAT:
        known = f"format {version}; this one reads {FORMAT}"
        raise BadModel(f"written by a newer novikoff ({known}): upgrade")
    if version < FORMAT:
        raise BadModel(f"the file is damaged: there is no format {version}")
    if length > len(data):
        raise BadModel(f"the file is truncated: it has {len(data)} of {length} bytes")
    if length < len(data):
        raise BadModel(f"the file is damaged: {len(data) - length} bytes follow its end")
    if header_length > min(_LONGEST_HEADER, length - _PREFIX.size - _DIGEST):
        raise BadModel(f"the file is damaged: a header of {header_length} bytes is too large")
    with memoryview(data) as whole:
        if checked and hashlib.sha256(whole[:-_DIGEST]).digest() != whole[-_DIGEST:]:
            raise BadModel("the file is damaged: its checksum does not match its content")
    return int(header_length)


def _content(data: bytes | mmap.mmap, header_length: int, kind: str) -> _Content:
    at = _PREFIX.size + header_length
    match _parsed(data[_PREFIX.size : at]):
        case {"kind": str(found), "header": dict(header), "arrays": dict(described), **rest}:
            if rest:
                raise BadModel(f"the header has an unknown entry {quoted(min(map(str, rest)))}")
        case _:
            raise BadModel("the header lacks its kind, its settings or its arrays")
    if found != kind:
        raise BadModel(f"this is a {plain(cut(found))}, not a {kind}")
    kinds = {name: _kind(name, described[name], len(data)) for name in sorted(described)}
    starts = _laid_out(at, [k.itemsize * math.prod(shape) for k, shape in kinds.values()])
    if starts[-1] + _DIGEST != len(data):
        raise BadModel("the header does not match the arrays in the file")
    arrays = {
        name: np.frombuffer(data, dtype, math.prod(shape), start).reshape(shape)
        for (name, (dtype, shape)), start in zip(kinds.items(), starts, strict=False)
    }
    _put_together(header, arrays)
    return header, arrays


def _taken_apart(header: Mapping[str, Any], path: tuple[str, ...] = ()) -> _Content:
    """The header without its long lists of texts, and these as arrays."""
    short: dict[str, Any] = {}
    apart: dict[str, NDArray[Any]] = {}
    for key, value in header.items():
        if isinstance(value, dict):
            short[key], more = _taken_apart(value, (*path, key))
            apart |= more
        elif _is_long(value):
            encoded = [text.encode("utf-8", "surrogatepass") for text in value]
            where = json.dumps([*path, key])
            apart[f"texts {where}"] = np.frombuffer(b"".join(encoded), dtype=np.uint8)
            apart[f"starts {where}"] = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
        else:
            short[key] = value
    return short, apart


def _is_long(value: Any) -> bool:
    if not isinstance(value, list | tuple) or not all(isinstance(text, str) for text in value):
        return False
    return len(value) + sum(map(len, value)) > _LONGEST_LIST


def _put_together(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
    """Move the lists that `_taken_apart` made arrays back to their places in the header."""
    for name in [name for name in arrays if name.startswith("texts ")]:
        where = name.removeprefix("texts ")
        text, starts = arrays.pop(name), arrays.pop(f"starts {where}", None)
        try:
            if starts is None or text.dtype != np.uint8 or starts.dtype != np.int64:
                raise ValueError
            if text.ndim != 1 or starts.ndim != 1:
                raise ValueError
            *path, key = json.loads(where)
            place = reduce(lambda inside, step: inside[step], path, header)
            bounds = [0, *starts.tolist(), len(text)]
            if not isinstance(place, dict) or key in place or sorted(bounds) != bounds:
                raise ValueError
            whole = text.tobytes()
            place[key] = [
                whole[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(bounds[1:-1])
            ]
        except (ValueError, TypeError, LookupError, RecursionError):
            raise BadModel(f"the array {quoted(name)} is not a list of the header") from None


def _laid_out(at: int, sizes: list[int]) -> list[int]:
    """Where each array begins, the first after byte `at`, and where the last one ends."""
    starts = []
    for size in sizes:
        starts.append(at + -at % _ALIGNED)
        at = starts[-1] + size
    return [*starts, at]


def _kind(name: str, described: Any, most: int) -> tuple[np.dtype[Any], tuple[int, ...]]:
    """The dtype and the shape of an array, which is no longer in any direction than the file."""
    match described:
        case [str(dtype), [*shape]] if dtype in _DTYPES and len(shape) in (1, 2):
            if all(type(n) is int and 0 <= n <= most for n in shape):
                return np.dtype(dtype), tuple(shape)
    words = f"the header describes array {quoted(name)} as {cut(repr(described))}"
    raise BadModel(f"{words}, which is invalid")


def _little_endian(name: str, array: NDArray[Any]) -> NDArray[Any]:
    ready = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    if ready.dtype.str not in _DTYPES or array.ndim not in (1, 2):
        what = f"{array.dtype} of shape {array.shape}"
        raise ValueError(f"array {name!r} is {what}; see storage.save")
    return ready


def _parsed(text: bytes) -> Any:
    try:
        return json.loads(
            text.decode("ascii"),
            parse_constant=_finite,
            parse_float=_finite,
            object_pairs_hook=_distinct,
        )
    except (ValueError, RecursionError) as error:
        if isinstance(error, BadModel):
            raise
        raise BadModel("the header is not JSON") from None


def _finite(text: str) -> float:
    number = float(text)
    if math.isfinite(number):
        return number
    raise BadModel(f"the header holds {cut(text)}, which is not a number")


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise BadModel("the header repeats an entry")
    return found
