"""Sums of floats in one fixed order, so that every machine gets the same bits.

BLAS adds in an order that depends on the processor, and NumPy's `sum` and `linalg.norm` make no
promise. Whatever a person may see is added up here.
"""

import numpy as np
from numpy.typing import NDArray

from novikoff import _core
from novikoff.stream.rows import Vector, for_core


def dot(a: Vector, b: Vector) -> float:
    """a·b.

    >>> dot(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    11.0
    """
    return float(products(a[None, :], b)[0])


def total(a: Vector) -> float:
    """The sum of the numbers."""
    return dot(a, np.ones(len(a)))


def length(a: Vector) -> float:
    """‖a‖.

    >>> length(np.array([3.0, 4.0]))
    5.0
    """
    return float(lengths(a[None, :])[0])


def products(X: NDArray[np.float64], b: Vector) -> Vector:
    """x·b for each row x of a matrix."""
    out = np.empty(len(X))
    X, b, at = for_core(X), for_core(b), 0
    while at < len(X):  # the core stops after a sum that is not finite, having written it
        at, flaw = _core.scores(
            X, None, None, X.shape[1], begin=at, end=len(X), w=b, bias=False, out=out[at:]
        )
        at += flaw != 0
    return out


def lengths(X: NDArray[np.float64]) -> Vector:
    """‖x‖ for each row x of a matrix."""
    squares = np.empty(len(X))
    _core.squares(for_core(X), None, None, X.shape[1], bias=False, out=squares)
    return np.sqrt(squares)
