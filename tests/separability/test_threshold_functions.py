"""Known counts: threshold functions among the Boolean ones, and Cover's separable labellings.

The answers come from an exact enumeration of extreme rays, which shares nothing with `certify`
(helpers/separation.py).
"""

from __future__ import annotations

import math
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest
from numpy.typing import NDArray

from helpers.separation import Grid, Points, normal, separated_rows
from novikoff import certify, verify
from novikoff.guarantees.certificate import Certificate

THRESHOLD_FUNCTIONS = {1: 4, 2: 14, 3: 104, 4: 1882}  # OEIS A000609
CLASSES = {1: 2, 2: 4, 3: 14, 4: 222}  # up to negation and order of the variables: A000370
PARTS = 4


def labellings(n: int) -> Grid:
    """All 2ⁿ ways to label n points: the i-th has +1 where i has a bit set."""
    return np.where(np.arange(2**n)[:, None] >> np.arange(n) & 1, 1.0, -1.0)


@cache
def cube(n: int) -> tuple[Grid, Grid, NDArray[np.bool_]]:
    """The points of {0,1}ⁿ, all their labellings, and what is separated in each of these."""
    points = [list(x) for x in product((0, 1), repeat=n)]
    labels = labellings(2**n)
    return np.array(points, dtype=float), labels, separated_rows([[*x, 1] for x in points], labels)


def verdict_of(separated: NDArray[np.bool_]) -> str:
    return "complete" if separated.all() else "quasi-complete" if separated.any() else "overlap"


def decided(X: Grid, y: Grid, expected: NDArray[np.bool_], *, bias: bool) -> Certificate:
    """The certificate for the labelling, after it was held against the enumeration and checked."""
    found = certify(X, y, fit_intercept=bias)
    assert found.separated_rows.tolist() == np.flatnonzero(expected).tolist()
    assert found.verdict == verdict_of(expected)
    assert verify(found, X, y)
    return found


@cache
def classes(n: int) -> NDArray[np.int64]:
    """For each function the smallest that renaming and negating variables and values makes of it.

    These move rows, and labels with them, by invertible affine maps; so they keep the verdict.
    """
    points = np.array(list(product((0, 1), repeat=n)))
    powers, bits = 2 ** np.arange(2**n), labellings(2**n) > 0
    place = 2 ** np.arange(n)[::-1]
    swaps = [[*range(k), k + 1, k, *range(k + 2, n)] for k in range(n - 1)]
    moves = [points[:, s] @ place for s in swaps]
    moves.append((points ^ (np.arange(n) == 0)) @ place)
    images = [bits[:, move] @ powers for move in moves] + [~bits @ powers]
    least = np.arange(len(bits))
    while True:
        smaller = np.minimum.reduce([least, *(least[i] for i in images)])
        if (smaller == least).all():
            return least
        least = smaller[smaller]


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_the_enumeration_finds_the_known_number_of_threshold_functions(n: int) -> None:
    _, _, separated = cube(n)
    assert separated.all(axis=1).sum() == THRESHOLD_FUNCTIONS[n]


@pytest.mark.parametrize("n", [1, 2, 3])
def test_of_the_boolean_functions_4_then_14_then_104_are_certified_complete(n: int) -> None:
    X, labels, separated = cube(n)
    found = [decided(X, y, s, bias=True) for y, s in zip(labels, separated, strict=True)]
    assert sum(c.verdict == "complete" for c in found) == THRESHOLD_FUNCTIONS[n]


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_one_function_of_each_class_decides_for_all_of_them(n: int) -> None:
    X, labels, separated = cube(n)
    kinds, sizes = np.unique(classes(n), return_counts=True)
    assert len(kinds) == CLASSES[n]
    found = [decided(X, labels[f], separated[f], bias=True) for f in kinds.tolist()]
    complete = np.array([c.verdict == "complete" for c in found])
    assert sizes[complete].sum() == THRESHOLD_FUNCTIONS[n]
    same_number = separated.sum(axis=1) == separated[classes(n)].sum(axis=1)
    assert same_number.all()


@pytest.mark.parametrize("part", range(PARTS))
def test_an_eightieth_of_the_functions_of_four_variables_are_each_decided_and_proved(
    part: int,
) -> None:
    X, labels, separated = cube(4)
    drawn = np.random.default_rng(1965).permutation(len(labels))[: len(labels) // 80]
    for f in drawn[part::PARTS].tolist():
        decided(X, labels[f], separated[f], bias=True)


def in_general_position(count: int, dim: int, *, affine: bool) -> Points:
    """Points no `dim` of which (dim + 1 if affine, with a 1 each) are dependent."""
    dice = np.random.default_rng(count * 10 + dim)
    while True:
        points: Points = dice.integers(-9, 10, (count, dim)).tolist()
        z = [[*x, 1] for x in points] if affine else points
        # orthogonal to all but one of the points, and not to that one
        some = [(normal(list(s[1:]), len(z[0])), s[0]) for s in combinations(z, len(z[0]))]
        if all(v and sum(a * b for a, b in zip(v, x, strict=True)) for v, x in some):
            return points


@pytest.mark.parametrize(
    ("count", "dim", "affine"),
    [(6, 2, False), (6, 2, True), (6, 3, False), (6, 3, True)],
)
def test_points_in_general_position_have_as_many_separable_labellings_as_cover_counted(
    count: int, dim: int, affine: bool
) -> None:
    points = in_general_position(count, dim, affine=affine)
    labels = labellings(count)
    separated = separated_rows([[*x, 1] if affine else x for x in points], labels)
    X = np.array(points, dtype=float)
    found = [decided(X, y, s, bias=affine) for y, s in zip(labels, separated, strict=True)]
    dimensions = dim + affine
    expected = 2 * sum(math.comb(count - 1, k) for k in range(dimensions))
    assert sum(c.verdict == "complete" for c in found) == expected
    # rows in general position that are not separated sum to zero only if they span everything
    assert {str(c.verdict) for c in found} == {"complete", "overlap"}
