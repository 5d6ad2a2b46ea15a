"""Levels of fixed effects: groups of rows that share few coordinates, and rows that are edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from helpers.separation import separable_rows
from novikoff import certify, verify
from novikoff.separability import loose_groups, search


@st.composite
def edges(draw: st.DrawFn) -> tuple[np.ndarray[Any, Any], bool]:
    """Rows of one or two numbers of one size, and whether two have opposite signs throughout."""
    m, size, opposite = draw(st.integers(1, 5)), draw(st.integers(1, 3)), draw(st.booleans())
    rows = []
    for _ in range(draw(st.integers(1, 12))):
        row = [0] * m
        a, b = draw(st.integers(0, m - 1)), draw(st.integers(0, m - 1))
        sign = draw(st.sampled_from([-1, 1]))
        row[b] = -size * sign if opposite or draw(st.booleans()) else size * sign
        row[a] = size * sign
        rows.append(row)
    return np.array(rows, dtype=float), opposite


@settings(max_examples=200)
@given(edges())
def test_rows_that_are_edges_of_a_graph_are_decided_by_its_cycles(
    drawn: tuple[np.ndarray[Any, Any], bool],
) -> None:
    z, opposite = drawn
    found = loose_groups.differences(sparse.csr_array(z))
    if found is None:  # no change of signs makes every row a difference
        assert not opposite
        return
    weights, times = found
    strict = separable_rows(z.astype(int).tolist())
    assert (z @ weights >= 0).all()
    assert np.flatnonzero(z @ weights).tolist() == strict
    rest = np.setdiff1d(np.arange(len(z)), strict)
    assert {*times} <= {*rest.tolist()}
    assert not sum((n * z[i] for i, n in times.items()), np.zeros(z.shape[1])).any()
    used = z[sorted(times)]
    assert np.linalg.matrix_rank(used) == np.linalg.matrix_rank(z[rest])  # small whole numbers


@pytest.mark.parametrize(
    "z", [[[1.0, 2.0]], [[1.0], [2.0]], [[1.0, 1.0, 1.0]], [[1.0, 1.0], [1.0, -1.0]]]
)
def test_other_rows_are_no_edges(z: Any) -> None:
    assert loose_groups.differences(sparse.csr_array(z)) is None


@pytest.mark.parametrize("model", ["binary", "multinomial", "poisson"])
def test_loose_groups_change_no_verdict(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    dice = np.random.default_rng(1)
    n, firms, levels = 260, 40, 2 if model == "binary" else 4
    X, firm = dice.normal(size=(n, 2)).round(2), dice.integers(0, firms, n)
    scores = X @ dice.normal(size=(2, levels)) + 2 * dice.normal(size=(firms, levels))[firm]
    y = (scores + dice.gumbel(size=(n, levels))).argmax(axis=1)
    effects, said = {"firm": firm}, list[str]()
    monkeypatch.setattr(search, "_MANY_DIMENSIONS", 10)
    found = certify(X, y, model=model, fixed_effects=effects, progress=said.append)
    assert found.verdict == "quasi-complete"
    assert verify(found, X, y, fixed_effects=effects)
    monkeypatch.setattr(search, "_MANY_DIMENSIONS", 10**6)
    monkeypatch.setattr(search, "differences", lambda _: None)
    slow = certify(X, y, model=model, fixed_effects=effects, progress=said.append)
    assert slow.separated_rows.tolist() == found.separated_rows.tolist()
    assert verify(slow, X, y, fixed_effects=effects)


@pytest.mark.parametrize("ways", [1, 2])
def test_the_rows_of_a_tree_span_what_all_rows_span(ways: int) -> None:
    dice = np.random.default_rng(ways)
    for _ in range(30):
        n, levels = dice.integers(1, 60), dice.integers(1, 12, 2)
        effects = [dice.integers(0, levels[k], n) for k in range(ways)]
        X = np.hstack([e[:, None] == np.arange(levels[k]) for k, e in enumerate(effects)]) * 1.0
        rows = loose_groups.spanning_rows(sparse.csr_array(X))
        rank = np.linalg.matrix_rank(X)  # of zeros and ones, which it does not mistake
        assert np.linalg.matrix_rank(X[rows]) == len(rows) == rank
