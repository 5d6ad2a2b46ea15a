"""Files of text like rcv1's, written fast: the same rows for every reader."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from made_data import sparse

INDEX_DIGITS, MOST_ZEROS, ROWS_AT_ONCE = 5, 3, 20_000
MARKS = {".svm": b"", ".vw": b"| "}


def text_of(X: Any, y: NDArray[np.int64], digits: int, mark: bytes) -> bytes:
    """`label index:value ...` in lines, the values with so many significant digits.

    Every entry is laid out in places for all it might need, and the places it does not are dropped.
    """
    begins, ends = np.zeros((2, len(X.data)), dtype=np.bool_)
    begins[X.indptr[:-1]] = ends[X.indptr[1:] - 1] = True
    zeros = np.clip(np.floor(-np.log10(X.data)), 0, MOST_ZEROS).astype(np.int64)
    mantissas = np.rint(X.data * 10.0 ** (digits + zeros)).astype(np.int64)
    np.minimum(mantissas, 10**digits - 1, out=mantissas)
    head = b"-1 " + mark
    layout = head + b"0" * INDEX_DIGITS + b":0." + b"0" * MOST_ZEROS + b"0" * digits + b" "
    places = np.empty((len(zeros), len(layout)), dtype=np.uint8)
    places[:] = np.frombuffer(layout, dtype=np.uint8)
    used = np.ones(places.shape, dtype=np.bool_)
    used[:, : len(head)] = begins[:, None]
    used[:, 0] &= np.repeat(y < 0, np.diff(X.indptr))
    at = len(head)
    for k in range(INDEX_DIGITS):
        left = (X.indices.astype(np.int64) + 1) // 10 ** (INDEX_DIGITS - 1 - k)
        places[:, at + k] += (left % 10).astype(np.uint8)
        used[:, at + k] = left > 0
    at += INDEX_DIGITS + 3
    for k in range(MOST_ZEROS):
        used[:, at + k] = zeros > k
    at += MOST_ZEROS
    for k in range(digits):
        places[:, at + k] += (mantissas // 10 ** (digits - 1 - k) % 10).astype(np.uint8)
    places[ends, -1] = ord("\n")
    return places[used].tobytes()


def write(path: Path, megabytes: int, digits: int = 5) -> None:
    """Fill a file with rows up to a size; its name says the format, svmlight or Vowpal Wabbit's."""
    per_row = 12.5 * 75 * digits / 5 / 1e6
    X, y = sparse(int(megabytes / per_row), per_row=81, columns="power-law", value=np.float64)
    with path.open("wb") as file:
        for at in range(0, len(y), ROWS_AT_ONCE):
            rows = slice(at, at + ROWS_AT_ONCE)
            file.write(text_of(X[rows], y[rows], digits, MARKS[path.suffix]))
