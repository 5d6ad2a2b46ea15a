"""Rows of many coordinates that share few of them, as those of the levels of fixed effects do."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order, connected_components, minimum_spanning_tree

from novikoff.stream.rows import Positions, Vector

_SHARED = 8  # times as many rows use a shared coordinate as the median one
_MOST_OWN = 4  # other coordinates in a row, on average
_FEW = 20  # coordinates of the groups in the first program, and so many more for a shared one
_A_SHARED_ONE = 4


def spanning_rows(z: sparse.csr_array[Any]) -> Positions:
    """Rows that connect the coordinates that are not shared as all rows do, without a cycle.

    There are none if rows have many such coordinates.
    """
    own, rows = _own(z), np.repeat(np.arange(z.shape[0]), np.diff(z.indptr))
    if np.count_nonzero(own) > _MOST_OWN * z.shape[0]:
        return np.zeros(0, dtype=np.int64)
    places, rows = z.indices[own].astype(np.int64), rows[own]
    m, change = z.shape[1] + 1, np.concatenate([[True], rows[1:] != rows[:-1], [True]])
    first, last = change[:-1], change[1:]
    # an edge from each coordinate to the next one in its row; from a single one to another node
    edges = np.flatnonzero(~last | first)
    keys = places * m + np.where(last, m - 1, np.roll(places, -1))
    keys, at = np.unique(keys[edges], return_index=True)
    graph = sparse.csr_array((at + 1.0, (keys // m, keys % m)), shape=(m, m))
    return np.unique(rows[edges][minimum_spanning_tree(graph).data.astype(np.int64) - 1])


def _own(z: sparse.csr_array[Any]) -> NDArray[np.bool_]:
    """Which numbers are those of coordinates that are not shared."""
    used = np.bincount(z.indices, minlength=z.shape[1])
    is_own = used <= _SHARED * np.median(used[used > 0])
    return np.asarray(is_own[z.indices])


def some_groups(z: sparse.csr_array[Any], *, times: int) -> Positions:
    """Rows of some of the groups that only shared coordinates connect, so many times as usual.

    Groups of many rows come first. There are no rows if none of the coordinates is shared, or if
    there are no small groups.
    """
    own = _own(z)
    shared = len(np.unique(z.indices[~own]))
    if not shared or np.count_nonzero(own) > _MOST_OWN * z.shape[0]:
        return np.zeros(0, dtype=np.int64)
    n = z.shape[0]
    rows = np.repeat(np.arange(n), np.diff(z.indptr))[own]
    count, group = _components(rows, n + z.indices[own], n + z.shape[1])
    sizes = np.bincount(group[:n], minlength=count)
    widths = np.bincount(group[n:], minlength=count)
    order = np.argsort(-sizes, kind="stable")
    most = times * (_FEW + _A_SHARED_ONE * shared)
    order = order[(widths[order] <= most) & (sizes[order] > 0)]
    taken = order[: max(1, int(np.searchsorted(np.cumsum(widths[order]), most)))]
    return np.flatnonzero(np.isin(group[:n], taken))


def _components(tails: NDArray[Any], heads: NDArray[Any], n: int) -> tuple[int, NDArray[np.int32]]:
    edges = sparse.csr_array((np.ones(len(tails)), (tails, heads)), shape=(n, n))
    count, part = connected_components(edges, directed=False)
    return count, part


def differences(z: sparse.csr_array[Any]) -> tuple[Vector, dict[int, int]] | None:
    """Weights along which all rows rise that some weights raise; multiples of the rest, with sum 0.

    It is for rows of at most two numbers, all of one size; None for others. If the signs of some
    coordinates can be changed so that each row is a difference w[high] − w[low], where one of the
    two may be 0, then rows are edges of a graph. Those on a cycle sum to 0; without them no cycle
    is left, so weights that count the edges before them separate the others.
    """
    z.eliminate_zeros()
    m, lengths, sizes = z.shape[1], np.diff(z.indptr), np.abs(z.data)
    if len(sizes) == 0 or not ((lengths == 1) | (lengths == 2)).all() or (sizes != sizes[0]).any():
        return None
    two, indices = lengths == 2, z.indices.astype(np.int64)
    a, b = indices[z.indptr[:-1]], indices[z.indptr[1:] - 1]
    x, y = z.data[z.indptr[:-1]], z.data[z.indptr[1:] - 1]
    # of each coordinate c and its negative, c + m, one is on each side
    same = (two & (x == y))[two]
    tails = np.concatenate([a[two], a[two] + m])
    heads = np.concatenate([b[two] + m * same, b[two] + m * ~same])
    _, side = _components(tails, heads, 2 * m)
    if (side[:m] == side[m:]).any():
        return None
    turn = np.where(side[:m] < side[m:], 1, -1)
    other, rises = np.where(two, b, m), x * turn[a] > 0
    low, high = np.where(rises, other, a), np.where(rises, a, other)
    graph = sparse.csr_array((np.ones(len(low)), (low, high)), shape=(m + 1, m + 1))
    _, part = connected_components(graph, connection="strong")
    on_cycles = part[low] == part[high]
    steps = np.zeros(int(part.max()) + 1)
    tails, heads = part[low[~on_cycles]], part[high[~on_cycles]]
    while True:
        more = steps.copy()
        np.maximum.at(more, heads, steps[tails] + 1)
        if (more == steps).all():
            break
        steps = more
    weights = turn * (steps[part[:m]] - steps[part[m]])
    return weights, _circulation(low, high, part, np.flatnonzero(on_cycles))


def _circulation(
    low: Positions, high: Positions, part: NDArray[np.int32], rows: Positions
) -> dict[int, int]:
    """Multiples of edges within the parts that sum to 0 and connect each part.

    From the first node of a part a unit flows to each other node, and back.
    """
    n, times = len(part), dict[int, int]()
    first = np.unique(part, return_index=True)[1]
    for tails, heads in ((low[rows], high[rows]), (high[rows], low[rows])):
        keys, at = np.unique(tails * (n + 1) + heads, return_index=True)
        starts = np.concatenate([tails, np.full(len(first), n)])
        edges = (np.ones(len(starts)), (starts, np.concatenate([heads, first])))
        order, before = breadth_first_order(sparse.csr_array(edges, shape=(n + 1, n + 1)), n)
        flow = [1] * (n + 1)
        for v in order[:0:-1].tolist():
            flow[before[v]] += flow[v]
        inner = order[(before[order] >= 0) & (before[order] < n)]
        edge = rows[at[np.searchsorted(keys, before[inner].astype(np.int64) * (n + 1) + inner)]]
        for row, v in zip(edge.tolist(), inner.tolist(), strict=True):
            times[row] = times.get(row, 0) + flow[v]
    return times
