"""The columns at fault: few, exact, the same rows as before; the level of a category by name."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings

from helpers.separation import Problem, problems, separable_rows
from helpers.strategies import stored
from novikoff import Block, Certificate, certify, verify
from novikoff.separability.search import Search


def one_hot(levels: str, n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A column for each level, a measurement, and labels that have nothing to do with them."""
    dice = np.random.default_rng(seed)
    group = dice.integers(0, len(levels), n)
    X = np.column_stack([group[:, None] == np.arange(len(levels)), dice.integers(-9, 9, n)])
    return X.astype(float), dice.integers(0, 2, n)


@pytest.mark.parametrize("fault", range(3))
@pytest.mark.parametrize("label", [0, 1])
def test_the_level_at_fault_is_named_whichever_it_is(fault: int, label: int) -> None:
    X, y = one_hot("ABC", 60, seed=1)
    y[X[:, fault] == 1] = label
    found = certify(X, y)
    assert found.verdict == "quasi-complete"
    assert found.infinite == {fault: np.inf if label else -np.inf}
    assert found.aliased is not None
    assert len(found.aliased) == 1
    assert fault not in found.aliased
    assert verify(found, X, y)


def test_two_levels_at_fault_are_named() -> None:
    X, y = one_hot("ABCDE", 120, seed=2)
    y[X[:, 4] == 1], y[X[:, 1] == 1] = 1, 0
    found = certify(X, y)
    assert found.infinite == {1: -np.inf, 4: np.inf}
    assert verify(found, X, y)
    both = X[:, [1, 4]].any(axis=1)
    y[both] = 1
    found = certify(X, y)
    assert found.infinite == {1: np.inf, 4: np.inf}


def test_the_difference_of_two_measurements_is_found_among_many() -> None:
    dice = np.random.default_rng(3)
    X = dice.integers(-5, 6, (2000, 12)).astype(float)
    gap = X[:, 7] - X[:, 2]
    y = np.where(gap == 0, dice.integers(0, 2, 2000), gap > 0)
    found = certify(X, y)
    assert found.verdict == "quasi-complete"
    assert set(found.infinite) == {2, 7}
    assert verify(found, X, y)


def test_complete_separation_names_each_column_that_does_it_alone() -> None:
    dice = np.random.default_rng(4)
    y = np.arange(40) % 2
    X = np.column_stack([dice.normal(size=40), 3 + y, dice.normal(size=40), -y * 1.0, y + 0.5])
    found = certify(X, y)
    assert (found.verdict, found.alone) == ("complete", (1, 3, 4))
    assert "column 1, column 3, column 4 each separate the labels alone" in str(found)
    assert certify(X[:, :2], y).alone == (1,)
    assert "column 1 separates the labels alone" in str(certify(X[:, :2], y))
    assert certify(X, y, fit_intercept=False).alone == ()
    assert certify(X - 3.5, y, fit_intercept=False).alone == (1,)
    assert certify(X, np.ones(40)).alone == ()  # the constant alone does it


def fewest(z: np.ndarray, separable: list[int], columns: int) -> int:
    """The size of the smallest set of columns, with the constant, that separates these rows."""
    for k in range(columns + 1):
        for some in combinations(range(columns), k):
            kept = z[:, [*some, *range(columns, z.shape[1])]]
            if separable_rows([[int(a) for a in row] for row in kept]) == separable:
                return k
    raise AssertionError


@settings(max_examples=80)
@given(problems(most_rows=8, most_columns=4))
def test_few_columns_separate_the_same_rows_and_are_nearly_the_fewest(problem: Problem) -> None:
    block = Block(stored(problem.X, "dense", "float64"), problem.y)
    found = certify(block, fit_intercept=problem.bias)
    if found.verdict != "quasi-complete":
        return
    separable = separable_rows(problem.points)
    assert found.separated_rows.tolist() == separable
    assert verify(found, block)
    z = np.array(problem.points)
    d = problem.X.shape[1]
    least = fewest(z, separable, d)
    used = sum(bool(w) for w in found.weights[:d])
    assert least <= used <= max(1, 2 * least)  # the ℓ1 program is no exact search
    if least == 1 and not problem.bias:
        assert used == 1


def test_an_interrupt_while_columns_are_looked_for_leaves_the_verdict(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from novikoff import Stopped

    def interrupt(self: Search) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Search, "name_columns", interrupt)
    X, y = one_hot("ABC", 60, seed=1)
    y[X[:, 1] == 1] = 1
    with pytest.raises(Stopped) as stopped:
        certify(X, y)
    known: Certificate = stopped.value.certificate
    assert known.verdict == "quasi-complete"
    assert verify(known, X, y)
