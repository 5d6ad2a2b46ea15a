"""The version space against a Python set of the consistent concepts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.boolean_concepts import cube
from novikoff.concepts import (
    ConceptClass,
    VersionSpace,
    all_functions,
    at_least,
    concept_list,
    conjunctions,
    decision_lists,
    linear_thresholds,
    parities,
)
from novikoff.concepts import learners as module

# Above 4096 concepts the set is bits at first: 19683, 15036, 94572 and 5005 are no multiples of 64.
CLASSES: list[ConceptClass] = [
    conjunctions(9),
    decision_lists(5),
    linear_thresholds(5),
    at_least(3, 15, k=6),
    parities(13),
    all_functions(4),
    conjunctions(4),
    concept_list(["x1", "x2", "x1 & x2"]),
]


# a monotone conjunction is true of x if its variables are among those that are on in x
MONOTONE = [conjunctions(13, monotone=True), conjunctions(3, monotone=True)]


def stream(family: ConceptClass, seed: int, rounds: int) -> list[tuple[list[bool], bool]]:
    """Random examples, as a concept of the class labels them."""
    dice = np.random.default_rng(seed)
    target = family.sample(1, seed=seed)[0]
    rows = dice.random((rounds, family.n)) < dice.choice([0.2, 0.5, 0.8])
    return [(x.tolist(), target(x)) for x in rows]


@pytest.mark.parametrize("family", CLASSES, ids=str)
@given(seed=st.integers(0, 1 << 20))
@settings(max_examples=10)
def test_it_keeps_the_concepts_that_a_python_set_keeps(family: ConceptClass, seed: int) -> None:
    space, left = VersionSpace(family), set(range(family.size))
    for row, label in stream(family, seed, 12):
        x = np.array(row)
        says = family.evaluate([x])[0]
        true = {i for i in left if says[i]}
        assert space.split(x) == (len(left) - len(true), len(true))
        space.keep(x, label)
        left = true if label else left - true
        assert space.size == len(left)
        assert space.first() == min(left)
        assert space.places().tolist() == sorted(left)


def test_bits_and_list_keep_the_same_concepts(monkeypatch: pytest.MonkeyPatch) -> None:
    family = conjunctions(6)
    listed = VersionSpace(family)
    monkeypatch.setattr(module, "_FEW", 0)
    as_bits = VersionSpace(family)
    for row, label in stream(family, 5, 10):
        x = np.array(row)
        assert listed.split(x) == as_bits.split(x)
        for space in (listed, as_bits):
            space.keep(x, label)
        assert listed.places().tolist() == as_bits.places().tolist()
        assert listed.first() == as_bits.first()


@pytest.mark.parametrize("family", MONOTONE, ids=["bits", "list"])
def test_splitting_changes_nothing_and_is_recomputed_for_another_example(
    family: ConceptClass,
) -> None:
    space = VersionSpace(family)
    x = np.zeros(family.n, bool)
    before = space.split(x)
    x[0] = True  # the caller's array, changed after it was asked about
    changed = space.split(x)
    assert before == (family.size - 1, 1)
    assert changed == (family.size - 2, 2)
    assert space.split(~x) == (family.size // 2, family.size // 2)
    assert space.size == family.size
    assert space.places().tolist() == list(range(family.size))


def test_a_contradiction_is_refused_and_changes_nothing() -> None:
    space = VersionSpace(conjunctions(9))
    x = np.array(cube(9)[77], dtype=bool)
    assert space.keep(x, True)
    before = space.places().tolist()
    assert not space.keep(x, False)
    assert space.places().tolist() == before
    assert space.split(x) == (0, space.size)
