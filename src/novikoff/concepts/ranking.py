"""Sets of k of n things as numbers, in the order of their largest, then of the next."""

from __future__ import annotations

from functools import lru_cache
from math import comb
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from novikoff.rows import Positions

_MANY = (1 << 64) - 1  # more than any rank in an array, which are 64-bit integers with a sign

Counts: TypeAlias = NDArray[np.uint64]


def chosen(rank: int, k: int, n: int) -> tuple[int, ...]:
    """The set of k of 0 … n − 1 with this rank, in increasing order; the rank may be any size.

    >>> [chosen(rank, 2, 4) for rank in range(6)]
    [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)]
    """
    found, below = list[int](), n
    for j in range(k, 0, -1):
        below = _largest(rank, j, below)
        found.append(below)
        rank -= comb(below, j)
    return tuple(reversed(found))


def chosen_by_each(places: Positions, k: int, n: int) -> tuple[Positions, Counts]:
    """A row for each place: the set of k of 0 … n − 1 with that rank, in increasing order.

    Places beyond the last set begin with the first again: how often is the second answer.
    """
    rounds, ranks = np.divmod(places.astype(np.uint64), np.uint64(min(comb(n, k), _MANY)))
    found = np.zeros((len(ranks), k), dtype=np.int64)
    for j in range(k, 0, -1):
        ways = _ways(j, n - k + j)
        found[:, j - 1] = np.searchsorted(ways, ranks, side="right") - 1
        ranks = ranks - ways[found[:, j - 1]]
    return found, rounds


@lru_cache(maxsize=64)
def _ways(j: int, most: int) -> Counts:
    """C(m, j) for each m below `most`: how many sets of j there are before m is their largest."""
    return np.array([min(comb(m, j), _MANY) for m in range(most)], dtype=np.uint64)


def _largest(rank: int, j: int, below: int) -> int:
    """The largest c < below for which c choose j is not above the rank."""
    low, high = j - 1, below - 1
    while low < high:
        middle = (low + high + 1) // 2
        if comb(middle, j) <= rank:
            low = middle
        else:
            high = middle - 1
    return low
