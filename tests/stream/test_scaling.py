"""Scaling: rows to unit length, and the spread of columns, the same for dense and sparse."""

from __future__ import annotations

import numpy as np
import pytest

from novikoff.stream import scaling
from novikoff.stream.rows import DenseRows, SparseRows
from novikoff.stream.scaling import Spread, unit_length


def test_a_sparse_column_of_equal_values_does_not_vary() -> None:
    pieces = []
    for n in (700, 299, 1):  # 0.1 added up and divided is not 0.1
        values = np.column_stack([np.full(n, 0.1), np.random.default_rng(n).normal(size=n)])
        columns, starts = np.tile([0, 1], n), np.arange(0, 2 * n + 1, 2)
        pieces.append(SparseRows(values.ravel(), columns, starts, 2))
    spread = Spread(pieces)
    assert spread.deviation[0] == 1.0
    assert spread.deviation[1] == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize("size", [1e200, 1e-200, 5e-324, 1e308])
def test_rows_of_any_size_are_scaled_to_length_1(size: float) -> None:
    values = np.array([[3 * size if 3 * size < np.inf else size, 0.0], [3.0, 4.0]])
    dense = unit_length(DenseRows(values))
    sparse = unit_length(DenseRows(values).sparse())
    assert dense.values.tolist() == [[1.0, 0.0], [0.6, 0.8]]
    assert sparse.values.tolist() == [1.0, 0.6, 0.8]


def test_dense_and_sparse_rows_are_scaled_to_the_same_bits() -> None:
    values = np.random.default_rng(0).standard_normal((2000, 50))
    values[::3, ::7] = 0.0
    dense, sparse = unit_length(DenseRows(values)), unit_length(DenseRows(values).sparse())
    assert sparse.values.tolist() == dense.values[values != 0].tolist()


def test_columns_are_added_up_from_the_first_row_on() -> None:
    for dim in (1, 2, 9):
        values = np.random.default_rng(dim).standard_normal((3000, dim)) + 5
        dense, sparse = Spread([DenseRows(values)]), Spread([DenseRows(values).sparse()])
        assert dense.mean.tolist() == sparse.mean.tolist()
        assert dense.deviation.tolist() == sparse.deviation.tolist()


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("entries", [1, 7, 40, 1 << 20])
def test_how_rows_are_cut_does_not_change_a_bit(
    monkeypatch: pytest.MonkeyPatch, sparse: bool, entries: int
) -> None:
    monkeypatch.setattr(scaling, "BLOCK_ENTRIES", entries)
    dice = np.random.default_rng(entries)
    values = dice.standard_normal((30, 3)) * (dice.random((30, 3)) < 0.6) + 5 * (not sparse)
    rows = DenseRows(values).sparse() if sparse else DenseRows(values)
    whole = Spread([rows])
    assert whole.mean == pytest.approx(values.mean(axis=0))
    assert whole.deviation == pytest.approx(values.std(axis=0))
    for _ in range(10):
        cuts = np.split(np.arange(30), np.sort(dice.integers(0, 31, 4)))
        parts = Spread(rows.take(part) for part in cuts)
        assert parts.mean.tobytes() == whole.mean.tobytes()
        assert parts.deviation.tobytes() == whole.deviation.tobytes()
