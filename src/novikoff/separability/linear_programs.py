"""The linear program that finds every separable row at once, solved in floating point by HiGHS."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog

from novikoff.separability.exact_linear import Undecided
from novikoff.stream.rows import Vector

_UNSOLVED = "a linear program was not solved"


@dataclass(frozen=True, slots=True)
class Support:
    """Weights that separate as many points as possible, and multipliers for the others.

    `shares` are the multipliers for points scaled to size 1: at least 1 on the others.
    """

    weights: Vector
    separated: NDArray[np.bool_]
    multipliers: Vector
    shares: Vector


def maximal_support(
    points: sparse.csr_array[Any], *, seconds: float, balanced: bool = False
) -> Support:
    """Maximise Σ s over 0 ≤ s ≤ 1 and ⟨w,z⟩ ≥ s, with w free.

    Every point that some weights separate, with no point on its wrong side, gets s = 1, because
    weights may grow. The others get s = 0, and their dual multipliers are at least 1: λ + μ ≥ 1,
    where μ belongs to s ≤ 1, with Σ λ z = 0.

    Points and columns are scaled to size 1 first and back afterwards, which does not change the
    answer; weights and multipliers are each determined up to a positive factor. `balanced` brings
    numbers of very different sizes nearer to 1 before that.

    After Konis (2007), who bounds w instead of s; that can miss separable points.
    """
    n, k = points.shape
    z = points.copy()
    of_row = np.repeat(np.arange(n), np.diff(z.indptr))
    rows, columns = np.ones(n), np.ones(k)
    with np.errstate(all="ignore"):
        for size in [_middles] * 8 * balanced + [_largest]:
            by_column = size(z.indices, z.data, k)
            z.data /= by_column[z.indices]
            by_row = size(of_row, z.data, n)
            z.data /= by_row[of_row]
            rows, columns = rows * by_row, columns * by_column
    sizes = np.concatenate([rows, columns])
    if not (np.isfinite(z.data).all() and np.isfinite(sizes).all() and (sizes > 0).all()):
        raise Undecided(f"{_UNSOLVED}: the numbers differ too much in size for floating point")
    answer = linprog(
        np.concatenate([np.zeros(k), -np.ones(n)]),
        A_ub=sparse.hstack([-z, sparse.eye_array(n)], format="csr"),
        b_ub=np.zeros(n),
        bounds=[(None, None)] * k + [(0.0, 1.0)] * n,
        method="highs",
        options={"time_limit": seconds},
    )
    if answer.x is None or answer.status != 0:
        raise Undecided(f"{_UNSOLVED}: {answer.message}")
    # only ratios matter, and the sizes may be too small to divide by
    weights = answer.x[:k] * (columns.min(initial=1.0) / columns)
    shares = np.maximum(0.0, -answer.ineqlin.marginals)
    multipliers = shares * (rows.min(initial=1.0) / rows)
    return Support(weights, answer.x[k:] > 0.5, multipliers, shares)


def _largest(which: NDArray[Any], values: Vector, count: int) -> Vector:
    """The largest magnitude in each group, rounded to a power of two; 1 if there is none."""
    largest = np.zeros(count)
    np.maximum.at(largest, which, np.abs(values))
    largest[largest == 0] = 1.0
    return _powers_of_two(_nearest_logs(largest))


def _middles(which: NDArray[Any], values: Vector, count: int) -> Vector:
    """The geometric mean of the largest and the smallest magnitude other than 0, likewise."""
    some = values != 0
    logs, high, low = _nearest_logs(values[some]), np.full(count, -np.inf), np.full(count, np.inf)
    np.maximum.at(high, which[some], logs)
    np.minimum.at(low, which[some], logs)
    none = np.isinf(high)
    high[none] = low[none] = 0.0
    return _powers_of_two(np.round((high + low) / 2))


def _nearest_logs(values: Vector) -> Vector:
    """The logarithm of each magnitude to base 2, to the nearest integer.

    It is taken from the exponent, because `np.log2` has other bits on other processors.
    """
    mantissas, exponents = np.frexp(np.abs(values))
    return np.asarray(exponents - (mantissas < math.sqrt(0.5)), dtype=np.float64)


def _powers_of_two(logs: Vector) -> Vector:
    sizes: Vector = np.ldexp(1.0, np.clip(logs, -1070, 1020).astype(np.int64))
    return sizes
