"""The plane that points are projected on is found for rows of every kind."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from helpers.figures import many, points
from novikoff.show import plots
from novikoff.show.projection import principal_direction
from novikoff.sources import block


def test_the_projection_of_sparse_rows_is_that_of_dense_ones() -> None:
    data, w = many(50, 6)
    X = np.where(np.abs(data.rows.values) < 0.5, 0, data.rows.values)
    dense = points(plots.plane(block(X, data.labels), w, bias=True), "+1")
    sparse = points(plots.plane(block(csr_array(X), data.labels), w, bias=True), "+1")
    np.testing.assert_allclose(dense, sparse, rtol=0, atol=1e-9)


def test_rows_that_do_not_vary_have_some_principal_direction() -> None:
    flat = block([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]], [1, -1]).rows
    e = np.array([1.0, 0.0, 0.0])
    v = principal_direction(flat, (e,))
    assert np.linalg.norm(v) == pytest.approx(1)
    assert abs(v @ e) < 1e-12


@pytest.mark.parametrize("power", [-1000, -300, 300])
def test_the_size_of_the_numbers_does_not_matter(power: int) -> None:
    data, _ = many(30, 5)
    X = np.asarray(data.rows.values)
    e = np.eye(5)[0]
    small = principal_direction(block(X * 2.0**power, data.labels).rows, (e,))
    assert small.tolist() == principal_direction(data.rows, (e,)).tolist()
