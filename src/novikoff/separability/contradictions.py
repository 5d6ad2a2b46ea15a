"""Rows with the same features and different labels: the plainest proof that nothing separates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from novikoff.guarantees.entries import Entries
from novikoff.rows import Positions, dots
from novikoff.separability.points import Points


def contradictions(points: Points) -> tuple[Positions, Positions]:
    """Pairs of rows, one of each label, that are equal: each pair of kinds once.

    Equal rows have equal products with a random vector, to the last bit; those that do are compared
    number by number.
    """
    dice = np.random.default_rng(1873)
    keys = dots(points.rows, dice.uniform(1.0, 2.0, points.rows.dim))
    positive = np.flatnonzero(points.labels > 0)
    negative = np.flatnonzero(points.labels < 0)
    _, a, b = np.intersect1d(keys[positive], keys[negative], return_indices=True)
    first, second = positive[a], negative[b]
    same = _equal(points, first, second)
    return first[same], second[same]


def _equal(points: Points, first: Positions, second: Positions) -> NDArray[np.bool_]:
    """Whether rows first[k] and second[k] are the same, for each k."""
    a, b = (Entries.of(points.rows, at, bias=False).nonzero for at in (first, second))
    same = np.asarray(a.lengths == b.lengths)
    in_a, in_b = np.repeat(same, a.lengths), np.repeat(same, b.lengths)
    differ = (a.values[in_a] != b.values[in_b]) | (a.columns[in_a] != b.columns[in_b])
    of_pair = np.repeat(np.flatnonzero(same), a.lengths[same])
    same[of_pair[differ]] = False
    return same
