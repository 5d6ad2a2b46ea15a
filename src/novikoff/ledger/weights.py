"""Arrays of weights: growing them, splitting off the constant, and scores for many classes.

There is a weight for each feature, and one more for the constant if there is a bias. With many
classes a weight is a row with a number for each class.
"""

from typing import Any

import numpy as np

from novikoff import _core
from novikoff.stream.rows import Positions, Rows, Vector, for_core, scored

_CLASSES_AT_A_TIME = 4  # as in cpp/core/joint.hpp
LANES = 8  # partial sums of a score, as in cpp/core/rows.hpp


def widened(w: Vector, dim: int, *, bias: bool) -> Vector:
    """A copy for `dim` features, new weights being 0; the constant's weight stays last."""
    features = len(w) - bias
    if dim < features:
        raise ValueError(f"cannot reduce {features} features to {dim}")
    wide = np.zeros((dim + bias, *w.shape[1:]))
    wide[:features] = w[:features]
    if bias:
        wide[dim] = w[features]
    return wide


def times(factor: float | Positions, w: Vector) -> Vector:
    """The numbers multiplied; what is too large for float64 becomes infinite."""
    if isinstance(factor, float) and factor == 1:
        return w.copy()
    with np.errstate(over="ignore"):
        return factor * w


def turned(w: Vector) -> Vector:
    """The numbers with opposite signs; 0 stays 0 and does not become −0."""
    return 0.0 - w


def room_for(columns: int, dim: int) -> int:
    """How many features to make room for if `columns` are needed and there is room for `dim`.

    A power of two, at least eight, plus what keeps the constant, which follows the features, in the
    same lane of the sums: column mod 8. It does not depend on the steps in which columns came.
    """
    if columns <= dim:
        return dim
    power = max(LANES, 1 << (columns - 1).bit_length())
    return power + (dim - power) % LANES


def parted(w: Vector, dim: int, *, bias: bool) -> tuple[Vector, Vector]:
    """The weights of the first `dim` features, and the constant's; all others must be 0."""
    features = len(w) - bias
    if not 0 <= dim <= features:
        raise ValueError(f"dim must be between 0 and {features}, not {dim}")
    if w[dim:features].any():
        met = int(np.nonzero(w[:features])[0][-1]) + 1
        raise ValueError(f"feature {met - 1} has a weight, so {dim} features are too few")
    return w[:dim], w[features:] if bias else np.zeros((1, *w.shape[1:]))


def whole(features: Vector, constant: Vector, *, bias: bool) -> Vector:
    """The weights that `parted` split; without a bias, those of the features alone."""
    return np.concatenate([features, constant]) if bias else features


def variances_widened(variances: Vector, dim: int, *, bias: bool, full: bool = False) -> Vector:
    """A copy for `dim` features, a matrix if `full`; new variances are 1, uncorrelated."""
    features, length = len(variances) - bias, dim + bias
    if dim < features:
        raise ValueError(f"cannot reduce {features} features to {dim}")
    wide = np.eye(length) if full else np.ones((length, *variances.shape[1:]))
    at = np.r_[0:features, dim:length]
    wide[np.ix_(at, at) if full else at] = variances
    return wide


def variances_narrowed(variances: Vector, dim: int, *, bias: bool, full: bool = False) -> Vector:
    """Those of the first `dim` features, and the constant's; all others must be as at first."""
    features = len(variances) - bias
    at = np.r_[0 : min(dim, features), features : len(variances)]
    taken = variances[np.ix_(at, at)] if full else variances[at]
    if dim > features or not np.array_equal(
        variances_widened(taken, features, bias=bias, full=full), variances
    ):
        raise ValueError(f"{dim} features do not hold all that was learned")
    return np.ascontiguousarray(taken)


def columns_for(classes: int) -> int:
    """How many columns the weights of this many classes take: a multiple of what the core reads."""
    return max(1, -(-classes // _CLASSES_AT_A_TIME)) * _CLASSES_AT_A_TIME


def class_scores(rows: Rows, w: Vector, *, bias: bool = False) -> Vector:
    """The score of each row for each column of w, whose last row is the constant's if `bias`."""
    width = columns_for(w.shape[1])
    if w.shape[1] != width:
        w = np.pad(w, ((0, 0), (0, width - w.shape[1])))
    how: dict[str, Any] = {"w": for_core(w).reshape(-1), "bias": bias, "width": width}

    def core(begin: int, end: int, out: Vector) -> tuple[int, int]:
        return _core.joint_scores(*rows.core, begin=begin, end=end, out=out.reshape(-1), **how)

    return scored(rows, core, width)
