"""Files of text like rcv1's, written fast: the same rows for every reader.

Rows of length 1 with about 75 entries, common features far more often than rare ones, and labels of
a hidden linear rule that are right most of the time.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

DIM, PER_ROW, ROWS_AT_ONCE = 47_000, 81, 4_000  # 81 are drawn, and about 75 are different
INDEX_DIGITS, MOST_ZEROS = 5, 3
MARKS = {".svm": b"", ".vw": b"| "}


@dataclass(frozen=True, slots=True)
class Part:
    """Some rows: for each entry its feature and value, and whether it begins or ends its row."""

    features: NDArray[np.int64]
    values: NDArray[np.float64]
    begins: NDArray[np.bool_]
    ends: NDArray[np.bool_]
    positive: NDArray[np.bool_]


class Rows:
    """Parts without end, the same from the same seed."""

    def __init__(self, seed: int = 0) -> None:
        self._dice = np.random.default_rng(seed)
        self._rule = self._dice.standard_normal(DIM) / (1 + np.arange(DIM) / 50)
        self._threshold: float | None = None

    def part(self) -> Part:
        """The next rows."""
        dice = self._dice
        drawn = np.sort((DIM * dice.random((ROWS_AT_ONCE, PER_ROW)) ** 4).astype(np.int64), axis=1)
        values = 1 - dice.random(drawn.shape)
        values[:, 1:][drawn[:, 1:] == drawn[:, :-1]] = 0
        values /= np.linalg.norm(values, axis=1, keepdims=True)
        scores = (values * self._rule[drawn]).sum(axis=1)
        if self._threshold is None:
            self._threshold = float(np.median(scores))
        noise = 0.15 * scores.std() * dice.standard_normal(len(scores))
        kept = values > 0
        row = np.nonzero(kept)[0]
        ends = np.append(row[1:] != row[:-1], True)
        positive = (scores + noise > self._threshold)[row]
        return Part(drawn[kept] + 1, values[kept], np.roll(ends, 1), ends, positive)


def text_of(part: Part, digits: int, mark: bytes) -> bytes:
    """`label index:value ...` in lines, the values with so many significant digits.

    Every entry is laid out in places for all it might need, and the places it does not are dropped.
    """
    zeros = np.clip(np.floor(-np.log10(part.values)), 0, MOST_ZEROS).astype(np.int64)
    mantissas = np.rint(part.values * 10.0 ** (digits + zeros)).astype(np.int64)
    np.minimum(mantissas, 10**digits - 1, out=mantissas)
    head = b"-1 " + mark
    layout = head + b"0" * INDEX_DIGITS + b":0." + b"0" * MOST_ZEROS + b"0" * digits + b" "
    places = np.empty((len(zeros), len(layout)), dtype=np.uint8)
    places[:] = np.frombuffer(layout, dtype=np.uint8)
    used = np.ones(places.shape, dtype=bool)
    used[:, : len(head)] = part.begins[:, None]
    used[:, 0] &= ~part.positive
    at = len(head)
    for k in range(INDEX_DIGITS):
        left = part.features // 10 ** (INDEX_DIGITS - 1 - k)
        places[:, at + k] += (left % 10).astype(np.uint8)
        used[:, at + k] = left > 0
    at += INDEX_DIGITS + 3
    for k in range(MOST_ZEROS):
        used[:, at + k] = zeros > k
    at += MOST_ZEROS
    for k in range(digits):
        places[:, at + k] += (mantissas // 10 ** (digits - 1 - k) % 10).astype(np.uint8)
    places[part.ends, -1] = ord("\n")
    return places[used].tobytes()


def write(path: Path, megabytes: int, digits: int) -> None:
    """Fill a file with as many rows as make up its size; its name says the format."""
    rows = Rows()
    with path.open("wb") as file:
        while file.tell() < megabytes * 1_000_000:
            file.write(text_of(rows.part(), digits, MARKS[path.suffix]))


def write_both(svm: Path, vw: Path, megabytes: int, digits: int) -> None:
    """The same rows in both formats; the first fills the size."""
    rows = Rows()
    with svm.open("wb") as first, vw.open("wb") as second:
        while first.tell() < megabytes * 1_000_000:
            part = rows.part()
            first.write(text_of(part, digits, MARKS[".svm"]))
            second.write(text_of(part, digits, MARKS[".vw"]))


def repeat(path: Path, times: int, out: Path) -> None:
    """The same rows over and over."""
    with out.open("wb") as file:
        for _ in range(times):
            with path.open("rb") as part:
                shutil.copyfileobj(part, file, 1 << 24)
