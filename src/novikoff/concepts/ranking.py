"""Sets of k of n things as numbers, in the order of their largest, then of the next."""

from __future__ import annotations

from functools import lru_cache
from math import comb

import numpy as np

from novikoff.rows import Positions

_LAST = int(np.iinfo(np.int64).max)


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


def chosen_by_each(ranks: Positions, k: int, n: int) -> Positions:
    """A row for each rank: the set of k of 0 … n − 1 with this rank, in increasing order."""
    found = np.zeros((len(ranks), k), dtype=np.int64)
    for j in range(k, 0, -1):
        ways = _ways(j, n - k + j)
        found[:, j - 1] = np.searchsorted(ways, ranks, side="right") - 1
        ranks = ranks - ways[found[:, j - 1]]
    return found


def ways_to_choose(n: int, k: int) -> int:
    """C(n, k), or the largest 64-bit integer if that is smaller: more than any array can hold."""
    return min(comb(n, k), _LAST)


@lru_cache(maxsize=64)
def _ways(j: int, most: int) -> Positions:
    """C(m, j) for each m below `most`: how many sets of j there are before m is their largest."""
    return np.array([ways_to_choose(m, j) for m in range(most)], dtype=np.int64)


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
