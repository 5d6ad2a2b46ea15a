"""NumPy arrays as Arrow arrays and back, over the same memory.

pyarrow's own conversions import pandas if it is installed: 40 MB and a quarter of a second.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from novikoff.stream.input_problems import optional
from novikoff.stream.rows import Positions

if TYPE_CHECKING:
    import pyarrow as pa


def arrow(module: str = "pyarrow") -> Any:
    """pyarrow, or a module of it."""
    return optional(module, "to read or write such data, pip install 'novikoff[arrow]'")


def to_numpy(array: pa.Array) -> NDArray[Any]:
    """Numbers as they are in memory, truth values as 0 and 1; nulls are arbitrary numbers."""
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
    """Numbers as an Arrow array over the same memory."""
    import pyarrow as pa

    kind = pa.from_numpy_dtype(array.dtype)
    return pa.Array.from_buffers(kind, len(array), [None, pa.py_buffer(array)])


def strings(texts: Sequence[str]) -> pa.LargeStringArray:
    """Texts as an Arrow array."""
    import pyarrow as pa

    encoded = [text.encode() for text in texts]
    starts = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    buffers = [None, pa.py_buffer(starts), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.large_string(), len(texts), buffers)


def starts_of(texts: pa.LargeStringArray) -> Positions:
    """Where each text begins in the array's memory, and where the last ends."""
    if not len(texts):
        return np.zeros(1, dtype=np.int64)
    return np.frombuffer(texts.buffers()[1], np.int64, len(texts) + 1, 8 * texts.offset)
