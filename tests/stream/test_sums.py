"""Sums of floats have one order, written out here, whatever the machine."""

import numpy as np

from novikoff.stream import sums


def lanes(terms: list[float]) -> float:
    """The sum in eight lanes, column by column, and then in the core's tree."""
    a = [0.0] * 8
    for j, term in enumerate(terms):
        a[j % 8] += term
    return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]))


def test_products_and_lengths_are_added_in_the_order_of_the_core() -> None:
    dice = np.random.default_rng(0)
    for n in (1, 7, 8, 9, 100, 1001):
        X, b = dice.standard_normal((3, n)), dice.standard_normal(n)
        rows = [list(map(float, x)) for x in X]
        weights = list(map(float, b))
        expected = [lanes([x * w for x, w in zip(row, weights, strict=True)]) for row in rows]
        assert sums.products(X, b).tolist() == expected
        assert sums.dot(X[0], b) == expected[0]
        assert sums.total(b) == lanes(weights)
        assert sums.lengths(X).tolist() == [lanes([x * x for x in row]) ** 0.5 for row in rows]
        assert sums.length(b) == lanes([x * x for x in weights]) ** 0.5


def test_a_strided_matrix_has_the_sums_of_its_copy() -> None:
    X, b = np.random.default_rng(1).standard_normal((40, 12)), np.arange(80.0)[::2]
    assert (sums.products(X.T, b) == sums.products(X.T.copy(), b.copy())).all()
    assert (sums.lengths(X[:, ::3]) == sums.lengths(X[:, ::3].copy())).all()


def test_a_sum_too_large_is_infinite_and_the_rest_go_on() -> None:
    X = np.array([[1.0, 2.0], [1e308, 1e308], [np.inf, 0.0], [3.0, 4.0]])
    assert sums.products(X, np.array([2.0, 2.0])).tolist() == [6.0, np.inf, np.inf, 14.0]


def test_nothing_sums_to_zero() -> None:
    assert sums.total(np.zeros(0)) == 0.0
    assert len(sums.products(np.zeros((0, 3)), np.ones(3))) == 0
