"""The linear program that finds every separable row at once, solved in floating point by HiGHS."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog

from novikoff.separability.exact_linear import Inexact
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
    used, indices = np.unique(points.indices, return_inverse=True)
    n, k = points.shape[0], len(used)
    z = sparse.csr_array((points.data.copy(), indices, points.indptr), shape=(n, k))
    of_row = np.repeat(np.arange(n), np.diff(z.indptr))
    rows, columns = np.ones(n), np.ones(k)
    with np.errstate(all="ignore"):
        for middle in [True] * 8 * balanced + [False]:
            by_column = _sizes(z.indices, z.data, k, middle=middle)
            z.data /= by_column[z.indices]
            by_row = _sizes(of_row, z.data, n, middle=middle)
            z.data /= by_row[of_row]
            rows, columns = rows * by_row, columns * by_column
    sizes = np.concatenate([rows, columns])
    if not (np.isfinite(z.data).all() and np.isfinite(sizes).all() and (sizes > 0).all()):
        raise Inexact(f"{_UNSOLVED}: the numbers differ too much in size for floating point")
    answer = linprog(
        np.concatenate([np.zeros(k), -np.ones(n)]),
        A_ub=sparse.hstack([-z, sparse.eye_array(n)], format="csr"),
        b_ub=np.zeros(n),
        bounds=[(None, None)] * k + [(0.0, 1.0)] * n,
        method="highs",
        options={"time_limit": seconds},
    )
    if answer.x is None or answer.status != 0:
        raise Inexact(f"{_UNSOLVED}: {answer.message}")
    # only ratios matter, and the sizes may be too small to divide by
    weights = np.zeros(points.shape[1])
    weights[used] = answer.x[:k] * (columns.min(initial=1.0) / columns)
    shares = np.maximum(0.0, -answer.ineqlin.marginals)
    multipliers = shares * (rows.min(initial=1.0) / rows)
    return Support(weights, answer.x[k:] > 0.5, multipliers, shares)


def _sizes(which: NDArray[Any], values: Vector, count: int, *, middle: bool) -> Vector:
    """The largest magnitude in each group, or its geometric mean with the smallest, ignoring 0.

    Both are rounded to powers of two, and 1 in a group of zeros. Logarithms are taken from the
    exponents, because `np.log2` has other bits on other processors.
    """
    some = values != 0
    mantissas, exponents = np.frexp(np.abs(values[some]))
    logs = exponents - (mantissas < math.sqrt(0.5)).astype(np.float64)
    high, low = np.full(count, -np.inf), np.full(count, np.inf)
    np.maximum.at(high, which[some], logs)
    np.minimum.at(low, which[some], logs)
    nearest = np.where(np.isinf(high), 0.0, np.round((high + low) / 2) if middle else high)
    sizes: Vector = np.ldexp(1.0, np.clip(nearest, -1070, 1020).astype(np.int64))
    return sizes
