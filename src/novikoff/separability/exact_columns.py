"""Aliased columns: those that are sums of the constant and the columns before them."""

from __future__ import annotations

import numpy as np

from novikoff.guarantees.certificate import Sparse
from novikoff.separability.exact_linear import (
    TooLarge,
    independent_columns,
    independent_rows,
    solve,
)
from novikoff.separability.face import orthogonal_vector
from novikoff.separability.points import Points

_WORK = 1e7  # a second or two


def aliases(points: Points) -> tuple[Sparse, ...]:
    """For each aliased column a vector v with ⟨v,z⟩ = 0 on every row, exactly.

    In the order of R: the constant first, then column after column; a column is aliased when it is
    a sum of those before it that are not. Some rows suggest which, all of them are then asked, and
    a row that disagrees joins the others.
    """
    order = np.arange(points.length)
    if points.bias:
        order = np.roll(order, 1)
    n = len(points)
    step = max(1, n // (points.length + 16))
    sample = np.union1d(np.arange(0, n, step), points.first_touching())
    while True:
        z = points.whole(sample, order)
        independent = independent_columns(z)
        rest = np.setdiff1d(np.arange(points.length), independent)
        if len(rest) == 0:
            return ()
        basis = independent_rows(z[:, independent])
        sums, under = solve(z[np.ix_(basis, independent)], z[np.ix_(basis, rest)], most=_WORK)
        relations = [
            orthogonal_vector(int(order[f]), under, order[independent], -sums[:, k])
            for k, f in enumerate(rest.tolist())
        ]
        against = np.flatnonzero(~points.orthogonal_to(relations))
        if len(against) == 0:
            return tuple(relations)
        step = max(1, len(against) // (2 * len(relations)))
        more = np.union1d(sample, against[::step])
        if len(more) == len(sample):
            raise TooLarge("the prime divides a determinant")
        sample = more
