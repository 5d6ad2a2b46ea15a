"""Weights whose last may be a constant's: growing them, taking them apart.

A weight is a number, or one for each class: then they are rows of a table, and a row of data has
a score for each class.

A learner that meets new features as it goes grows by more room than it needs, so that it seldom
grows; what is stored of it are the features it met and, apart from them, the constant's weight.
"""

from __future__ import annotations

import numpy as np

from novikoff import _core
from novikoff.stream.rows import Rows, Vector, scored

_CLASSES_AT_A_TIME = 4  # the core's

LANES = 8  # of the sums: rows.hpp


def widened(w: Vector, dim: int, *, bias: bool) -> Vector:
    """A copy with weights 0 for features up to `dim`; the constant's weight stays the last."""
    features = len(w) - bias
    if dim < features:
        raise ValueError(f"{features} features cannot become {dim}: features are never taken away")
    wide = np.zeros((dim + bias, *w.shape[1:]))
    wide[:features] = w[:features]
    if bias:
        wide[dim] = w[features]
    return wide


def owned(w: Vector) -> Vector:
    """The numbers, to be written to: a copy of those mapped from a file."""
    return w if w.flags.writeable else w.copy()


def turned(w: Vector) -> Vector:
    """The numbers with their signs changed; 0 stays 0, and does not become −0."""
    return 0.0 - w


def mean(w: Vector, late: Vector, rounds: int) -> Vector:
    """The mean of the weights over rounds 1 to T = `rounds`, each as it stood at the round's end.

    An update made in round t is part of the weights in T − t + 1 rounds, so with `late` = Σ (t − 1)
    times the update of round t it is (T·w − late)/T (Collins 2002). Before any round, w itself.
    """
    return (rounds * w - late) / rounds if rounds else w


def room_for(columns: int, dim: int) -> int:
    """How many features to make room for so that there are `columns`, where there is room for dim.

    A power of two from eight, or as much more as keeps the constant, which stands after them, in
    the same lane of the sums: column mod 8. It depends on where a learner began and on how many
    columns there are, not on the steps in which they came.
    """
    if columns <= dim:
        return dim
    power = max(LANES, 1 << (columns - 1).bit_length())
    return power + (dim - power) % LANES


def parted(w: Vector, dim: int, *, bias: bool) -> tuple[Vector, Vector]:
    """The first `dim` weights, and the constant's (0 without one); the others must be 0."""
    features = len(w) - bias
    if not 0 <= dim <= features:
        raise ValueError(f"there are {features} features, not {dim}")
    if w[dim:features].any():
        met = int(np.nonzero(w[:features])[0][-1]) + 1
        raise ValueError(f"feature {met - 1} has a weight: more than {dim} features are in use")
    return w[:dim], w[features:] if bias else np.zeros((1, *w.shape[1:]))


def whole(features: Vector, constant: Vector, *, bias: bool) -> Vector:
    """What `parted` took apart; without a constant these are the features' weights themselves."""
    return np.concatenate([features, constant]) if bias else features


def columns_for(classes: int) -> int:
    """How many columns the weights of so many classes lie in: a multiple of what the core takes."""
    return max(1, -(-classes // _CLASSES_AT_A_TIME)) * _CLASSES_AT_A_TIME


def class_scores(rows: Rows, w: Vector, *, bias: bool = False) -> Vector:
    """The score of each row for each column of w, whose last row is the constant's, with bias."""
    width = columns_for(w.shape[1])
    if w.shape[1] != width:
        w = np.pad(w, ((0, 0), (0, width - w.shape[1])))
    w = np.ascontiguousarray(w)

    def core(begin: int, end: int, out: Vector) -> tuple[int, int]:
        return _core.joint_scores(
            *rows.core,
            begin=begin,
            end=end,
            w=w.reshape(-1),
            bias=bias,
            width=width,
            out=out.reshape(-1),
        )

    return scored(rows, core, width)
