"""Ten rows of five features of which one cannot be used, and what the error says about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from helpers.strategies import Data, Precision
from novikoff.stream.rows import DenseRows, Rows, SparseRows


@dataclass(frozen=True)
class Flawed:
    """A function that spoils one of the rows, and the words of the error."""

    spoil: Callable[[int], Rows]
    says: str


def good() -> Data:
    X = np.random.default_rng(7).standard_normal((10, 5)).astype(np.float32)
    return Data(X.astype(np.float64), np.array([1, -1] * 5, dtype=np.int8))


def sparse() -> SparseRows:
    rows = good().rows("csr of int32")
    assert isinstance(rows, SparseRows)
    return rows


def dense_with(value: float, precision: Precision = "float64") -> Callable[[int], Rows]:
    def spoil(i: int) -> Rows:
        rows = DenseRows(good().X.astype(precision))
        rows.values[i, 3] = value
        return rows

    return spoil


def sparse_with(value: float) -> Callable[[int], Rows]:
    def spoil(i: int) -> Rows:
        rows = sparse()
        rows.values[rows.starts[i] + 3] = value
        return rows

    return spoil


def index_of(column: int) -> Callable[[int], Rows]:
    def spoil(i: int) -> Rows:
        rows = sparse()
        rows.indices[rows.starts[i] + (0 if column < 0 else 4)] = column
        return rows

    return spoil


FLAWS = {
    "NaN": Flawed(dense_with(np.nan), "contains NaN"),
    "NaN in float32": Flawed(dense_with(np.nan, "float32"), "contains NaN"),
    "infinity": Flawed(dense_with(np.inf), "contains infinity"),
    "minus infinity": Flawed(dense_with(-np.inf, "float32"), "contains infinity"),
    "NaN in a CSR": Flawed(sparse_with(np.nan), "contains NaN"),
    "infinity in a CSR": Flawed(sparse_with(-np.inf), "contains infinity"),
    "index too large": Flawed(index_of(5), "column 5 is not in 0..4"),
    "index far too large": Flawed(index_of(2**31 - 1), "column 2147483647 is not in 0..4"),
    "index below 0": Flawed(index_of(-1), "column -1 is not in 0..4"),
}
every_flaw = pytest.mark.parametrize("flawed", FLAWS.values(), ids=FLAWS.keys())
anywhere = pytest.mark.parametrize("bad", [0, 4, 9])
