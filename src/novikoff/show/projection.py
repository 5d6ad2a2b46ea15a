"""Weights to draw, and the plane to draw rows on: along w, and across it where they vary most."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from novikoff import _core
from novikoff.stream.rows import Rows, Vector, dots
from novikoff.stream.sums import dot, length, total


def scaled(weights: Sequence[float]) -> Vector:
    """The weights divided by a power of two that makes the largest about 1, which is exact."""
    largest = Fraction(max(map(abs, weights), default=0))
    power = Fraction(2) ** (largest.numerator.bit_length() - largest.denominator.bit_length())
    return np.array([float(Fraction(w) / power) for w in weights])


def squared_lengths(rows: Rows, unit: float = 1.0) -> Vector:
    """‖unit·x‖² for each row."""
    of_row, _, values = rows.sparse().entries()
    squares: Vector = (unit * values.astype(np.float64)) ** 2
    return np.bincount(of_row, squares, len(rows)).astype(np.float64)


def principal_direction(rows: Rows, orthogonal_to: Sequence[Vector]) -> Vector:
    """The unit vector orthogonal to the given ones along which the rows vary most.

    Found by power iteration on the covariance, starting from the row farthest from the mean, with
    sums in one fixed order. Its largest entry is positive.
    """
    rows.put_in_order()
    each = np.arange(len(rows))
    # Divided by a power of two, no square of a feature overflows or underflows.
    largest = float(np.abs(rows.values).max(initial=0.0))
    unit = 2.0 ** -max(-1000, min(1000, math.frexp(largest)[1]))

    def weighted_sum(weights: Vector) -> Vector:
        out = np.zeros(rows.dim)
        _core.accumulate(*rows.core, example=each, step=unit * weights, bias=False, w=out)
        return out

    def across(v: Vector) -> Vector:
        for e in (*orthogonal_to, *orthogonal_to):  # twice, because rounding leaves a trace
            v = v - dot(e, v) * e
        return v

    mean = weighted_sum(np.full(len(rows), 1 / len(rows)))
    squares = squared_lengths(rows, unit)
    columns, values = rows.row(int(np.argmax(squares - 2 * dots(rows, unit * mean))))
    farthest = np.zeros(rows.dim)
    farthest[columns] = unit * values
    spread = math.sqrt(total(squares) / len(rows)) or 1.0
    starts = ((farthest - mean, spread), *((e, 1.0) for e in np.eye(rows.dim, 3).T))
    v = next(v for v, size in ((across(s), size) for s, size in starts) if length(v) > 1e-9 * size)
    v = v / length(v)
    for _ in range(300):
        along = dots(rows, unit * v) - dot(mean, v)
        after = across(weighted_sum(along) - total(along) * mean)
        size = length(after)
        if size <= 1e-12 * spread**2 * len(rows):
            break
        after = after / size
        settled = float(np.abs(after - v).max()) < 1e-12
        v = after
        if settled:
            break
    return v if v[int(np.argmax(np.abs(v)))] > 0 else -v
