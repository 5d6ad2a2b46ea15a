"""From scores to probabilities: a monotone map, fitted to honest scores."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from novikoff import _core
from novikoff.ledger.honest_scores import UNIT, HonestScores
from novikoff.stream.rows import Vector

_CELL = 10 * UNIT  # a share of fewer examples says little
_MOST_FITS = 64  # that are remembered; each has its counts, 128 KiB
_TAIL = 10  # a level of the map extends over its scores without a tenth at either end


@dataclass(frozen=True, slots=True)
class Calibration:
    """A map from scores to the probability of the positive label, linear between its knots.

    It never decreases. Below the first knot and above the last it is constant, so never 0 or 1.
    """

    scores: Vector
    probabilities: Vector

    @classmethod
    def of(cls, honest: HonestScores) -> Calibration:
        """The map that fits honest scores; it is fitted once until the counts change.

        Neighbouring bins are joined into cells of at least ten examples. The shares of positive
        examples in the cells are made monotone by pooling neighbours that are not (the isotonic
        fit), and each pool is moved towards the share of all by one example. A pool gives the map a
        level from its lower to its upper tenth. It is right for new examples if the counted ones
        were independent draws from the same source.

        References: Ayer, Brunk, Ewing, Reid & Silverman (1955); Zadrozny & Elkan (2002).
        """
        return _fitted(honest.counts.tobytes())

    def __call__(self, scores: Vector) -> Vector:
        """The probability of each score."""
        x, p = self.scores, self.probabilities
        if len(x) == 1:
            return np.full(np.shape(scores), p[0])
        k = np.clip(np.searchsorted(x, scores, side="right"), 1, len(x) - 1)
        along = (np.clip(scores, x[0], x[-1]) - x[k - 1]) / (x[k] - x[k - 1])
        # by steps of its own, which round alike everywhere; NumPy's interp may fuse them
        rise: Vector = along * (p[k] - p[k - 1])
        return np.minimum(p[k - 1] + rise, p[k])

    def of_one(self) -> Callable[[float], float]:
        """The map for one score at a time: the same numbers, in less than a microsecond."""
        x: list[float] = self.scores.tolist()
        p: list[float] = self.probabilities.tolist()
        last = len(x) - 1

        def probability(score: float) -> float:
            if last == 0:
                return p[0]
            k = min(max(bisect_right(x, score), 1), last)
            along = (min(max(score, x[0]), x[-1]) - x[k - 1]) / (x[k] - x[k - 1])
            return min(p[k - 1] + along * (p[k] - p[k - 1]), p[k])

        return probability


@lru_cache(_MOST_FITS)
def _fitted(counts: bytes) -> Calibration:
    """The map of these counts. They are the key, so copies of a learner share it."""
    honest = HonestScores()
    honest.counts = np.frombuffer(counts, dtype=np.int64)
    cells = _cells(honest)
    weight, positive = sum(cell.weight for cell in cells), sum(cell.positive for cell in cells)
    share = (positive + UNIT) / (weight + 2 * UNIT)
    knots: list[tuple[float, float]] = []
    level = 0.0
    for inside, positive, pool in _pooled(cells):
        level = max(level, (positive + share * UNIT) / (inside + UNIT))
        ends = (_at_share(pool, inside, 1), _at_share(pool, inside, _TAIL - 1))
        knots += [(score, level) for score in dict.fromkeys(ends)]
    scores, probabilities = zip(*(knots or [(0.0, share)]), strict=True)
    return Calibration(np.array(scores), np.array(probabilities))


class _Cell(NamedTuple):
    """Neighbouring bins: their weight in units, how much of it is positive, and their mean."""

    weight: int
    positive: int
    mean: float


def _cells(honest: HonestScores) -> list[_Cell]:
    """Neighbouring bins joined until a cell has the weight of ten examples."""
    cells: list[_Cell] = []
    weight, positive, moment = 0, 0, 0.0
    middles, counts = honest.by_bin()
    for middle, (negative, more) in zip(middles.tolist(), counts.tolist(), strict=True):
        weight, positive = weight + negative + more, positive + more
        moment += middle * (negative + more)
        if weight >= _CELL:
            cells.append(_Cell(weight, positive, moment / weight))
            weight, positive, moment = 0, 0, 0.0
    if weight:  # too little for a cell of its own, unless it is the only one
        last = cells.pop() if cells else _Cell(0, 0, 0.0)
        weight, positive = weight + last.weight, positive + last.positive
        moment += last.mean * last.weight
        cells.append(_Cell(weight, positive, moment / weight))
    return cells


def _pooled(cells: Sequence[_Cell]) -> list[tuple[int, int, list[_Cell]]]:
    """Weight, positive weight and cells of pools whose shares increase; exact, whole numbers."""
    pools: list[tuple[int, int, list[_Cell]]] = []
    for cell in cells:
        weight, positive, pool = cell.weight, cell.positive, [cell]
        while pools and pools[-1][1] * weight >= positive * pools[-1][0]:
            before = pools.pop()
            weight, positive, pool = weight + before[0], positive + before[1], before[2] + pool
        pools.append((weight, positive, pool))
    return pools


def _at_share(pool: Sequence[_Cell], weight: int, tenths: int) -> float:
    """The mean of the cell up to which the pool has so many tenths of its weight."""
    so_far = accumulate(cell.weight for cell in pool)
    places = (k for k, sum_ in enumerate(so_far) if sum_ * _TAIL >= weight * tenths)
    return pool[next(places, -1)].mean


def probabilities(maps: Sequence[Calibration], scores: Vector, *, joint: bool = False) -> Vector:
    """The probability of each class, a row an example; of two labels, the positive one last.

    The probabilities of more than two, learned each in its own run, are divided by their sum.
    """
    if joint and scores.ndim == 1:  # of two classes, the lead of the second
        scores = np.column_stack([np.zeros(len(scores)), scores])
    if joint:
        return _jointly(maps[0], scores)
    if scores.ndim > 1:
        return _shares([one(scores[:, k]) for k, one in enumerate(maps)])
    positive = maps[0](scores)
    return np.column_stack([1.0 - positive, positive])


def _jointly(calibration: Calibration, scores: Vector) -> Vector:
    """The probability of each class, from the lead of each over its best rival.

    The best class has the probability of its lead, and the others share the rest as their own
    probabilities stand to each other. Where another would be likelier than the best, which has a
    small lead over a few, all are divided by their sum.
    """
    classes, rows = scores.shape[1], np.arange(len(scores))
    if classes < 2:
        return np.ones(scores.shape)
    best = scores.argmax(axis=1)
    others = scores.copy()
    others[rows, best] = -np.inf
    leads = scores - scores[rows, best][:, None]
    leads[rows, best] = scores[rows, best] - others.max(axis=1)
    each = np.column_stack([calibration(leads[:, k]) for k in range(classes)])
    first, others = each[rows, best], each.copy()
    others[rows, best] = 0
    shared = (1 - first)[:, None] * _shares(list(others.T))
    shared[rows, best] = first
    is_first = (shared <= first[:, None]).all(axis=1)
    return np.where(is_first[:, None], shared, _shares(list(each.T)))


def _shares(each: Sequence[Vector]) -> Vector:
    """The columns divided by their sum, added up in the order of the classes."""
    total = np.zeros(len(each[0]))
    for column in each:
        total = total + column
    return np.column_stack([column / total for column in each])


def logarithms(probabilities: Vector) -> Vector:
    """The natural logarithms, with the same bits on every machine."""
    out = np.empty(probabilities.size)
    _core.logarithms(np.ascontiguousarray(probabilities).reshape(-1), out)
    return out.reshape(probabilities.shape)
