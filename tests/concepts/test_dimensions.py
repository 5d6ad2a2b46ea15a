"""The Littlestone and VC dimensions: known values, brute force, and witnesses that prove them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings

from helpers.boolean_concepts import Tables, small_classes, thresholds
from novikoff.concepts import (
    Concept,
    ConceptClass,
    Conjunction,
    MistakeTree,
    TooLarge,
    at_least,
    conjunctions,
    dimensions,
    disjunctions,
    linear_thresholds,
    littlestone_dimension,
    mistake_tree,
    parities,
    shattered,
    vc_dimension,
)
from novikoff.concepts.examples import Truths
from novikoff.stream.rows import Positions

quick = settings(max_examples=40)


def brute_littlestone(tables: frozenset[int], examples: range) -> int:
    """Straight from the definition."""
    best = 0
    for x in examples:
        true = frozenset(t for t in tables if t >> x & 1)
        if true and true != tables:
            both = (brute_littlestone(part, examples) for part in (true, tables - true))
            best = max(best, 1 + min(both))
    return best


def brute_vc(tables: Sequence[int], examples: range) -> int:
    """Straight from the definition."""
    best = 0
    for d in range(1, len(tables).bit_length()):
        for some in combinations(examples, d):
            if len({tuple(t >> x & 1 for x in some) for t in tables}) == 1 << d:
                best = d
    return best


@quick
@given(some=small_classes(most=9))
def test_dimensions_are_those_of_the_definition(some: Tables) -> None:
    examples = range(1 << some.n)
    vc, littlestone = vc_dimension(some), littlestone_dimension(some)
    assert vc == brute_vc(some.tables, examples)
    assert littlestone == brute_littlestone(frozenset(some.tables), examples)
    assert vc <= littlestone <= some.size.bit_length() - 1


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_known_dimensions_of_families(n: int) -> None:
    monotone = [conjunctions(n, monotone=True), disjunctions(n, monotone=True), parities(n)]
    for some in monotone:
        assert vc_dimension(some) == littlestone_dimension(some) == n
    if n > 1:  # one literal more than elimination can lose on the variables
        for some in (conjunctions(n), disjunctions(n)):
            assert vc_dimension(some) == n
            assert littlestone_dimension(some) == n + 1


@pytest.mark.parametrize("n", [1, 2, 3])
def test_all_functions_shatter_all_examples(n: int) -> None:
    everything = Tables(n, range(1 << (1 << n)))
    assert vc_dimension(everything) == littlestone_dimension(everything) == 1 << n
    assert sorted(shattered(everything)) == sorted(product((0, 1), repeat=n))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_thresholds_on_a_line_have_vc_dimension_one_and_littlestone_dimension_n(n: int) -> None:
    line = thresholds(n)
    assert vc_dimension(line) == 1
    assert littlestone_dimension(line) == line.size.bit_length() - 1 == n


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_class_of_single_points_has_dimension_one(n: int) -> None:
    points = Tables(n, [1 << x for x in range(1 << n)])
    assert vc_dimension(points) == littlestone_dimension(points) == 1


def test_single_variables_of_eight_have_dimension_three() -> None:
    assert vc_dimension(disjunctions(8, k=1, monotone=True)) == 3
    assert littlestone_dimension(disjunctions(8, k=1, monotone=True)) == 3


@pytest.mark.parametrize("n", [1, 2, 3])
def test_linear_thresholds_shatter_one_more_than_their_variables(n: int) -> None:
    assert vc_dimension(linear_thresholds(n)) == n + 1


def test_one_concept_leaves_nothing_to_learn() -> None:
    some = conjunctions(3, k=0)
    assert vc_dimension(some) == littlestone_dimension(some) == 0
    assert shattered(some) == []
    assert mistake_tree(some) is None


FAMILIES = [
    conjunctions(4),
    parities(4),
    at_least(2, 5),
    disjunctions(6, k=2, monotone=True),
    thresholds(3),
]


@pytest.mark.parametrize("some", FAMILIES, ids=str)
def test_a_shattered_set_is_labelled_in_every_way(some: ConceptClass) -> None:
    examples = shattered(some)
    labelled = {tuple(row) for row in some.evaluate(examples).T.tolist()}
    assert len(examples) == vc_dimension(some)
    assert labelled == set(product((False, True), repeat=len(examples)))


def paths(
    tree: MistakeTree | None, so_far: tuple[tuple[tuple[int, ...], bool], ...] = ()
) -> list[tuple[tuple[tuple[int, ...], bool], ...]]:
    if tree is None:
        return [so_far]
    false, true = (*so_far, (tree.x, False)), (*so_far, (tree.x, True))
    return paths(tree.false, false) + paths(tree.true, true)


@pytest.mark.parametrize("some", FAMILIES, ids=str)
def test_some_concept_fits_every_path_of_the_mistake_tree(some: ConceptClass) -> None:
    found = paths(mistake_tree(some))
    assert {len(path) for path in found} == {littlestone_dimension(some)}
    for path in found:
        said = some.evaluate([x for x, _ in path]).T
        assert [label for _, label in path] in said.tolist()


class Listed(ConceptClass):
    """A few concepts over many variables."""

    def __init__(self, n: int, concepts: list[Concept]) -> None:
        self.n, self.size, self._concepts = n, len(concepts), concepts

    def __str__(self) -> str:
        return "a few concepts"

    def _concept(self, place: int) -> Concept:
        return self._concepts[place]

    def _values(self, places: Positions, x: Truths) -> Truths:
        return np.array([self._concepts[int(p)](x) for p in places], dtype=np.bool_)


def test_variables_that_no_concept_depends_on_cost_nothing() -> None:
    some = Listed(
        100, [Conjunction(()), Conjunction((7,)), Conjunction((99,)), Conjunction((7, 99))]
    )
    assert vc_dimension(some) == littlestone_dimension(some) == 2
    for x in shattered(some):
        assert len(x) == 100
        assert {i for i, on in enumerate(x) if on} < {6, 98}
    for path in paths(mistake_tree(some)):
        assert [label for _, label in path] in some.evaluate([x for x, _ in path]).T.tolist()


def test_the_larger_part_may_have_the_smaller_dimension() -> None:
    """Of the sets with example 0 four shatter two examples; of the five without, all are points."""
    cube, points = [1, 1 | 2, 1 | 4, 1 | 2 | 4], [1 << x for x in range(3, 8)]
    some = Tables(3, cube + points)
    assert littlestone_dimension(Tables(3, cube)) == 2
    assert littlestone_dimension(Tables(3, points)) == 1
    assert littlestone_dimension(some) == brute_littlestone(frozenset(some.tables), range(8)) == 2


def test_one_example_is_kept_of_those_that_split_the_class_in_the_same_way() -> None:
    """By x₂ and its negation: also the example of which each says the opposite."""
    found = dimensions.Littlestone(Tables(2, [0b1100, 0b0011]))
    assert found.examples == [(0, 0)]
    assert found.columns == [0b10]


@pytest.mark.parametrize("dimension", [vc_dimension, littlestone_dimension, mistake_tree])
@pytest.mark.parametrize("n", [14, 17, 1000])
def test_a_class_that_is_too_large_is_refused_at_once(dimension: type, n: int) -> None:
    with pytest.raises(TooLarge, match=r"monotone conjunctions of \d+ variables: .* small classes"):
        dimension(conjunctions(n, monotone=True))


@pytest.mark.parametrize("dimension", [vc_dimension, littlestone_dimension])
def test_a_search_too_long_is_given_up(dimension: type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dimensions, "MOST_SPLITS", 10)
    with pytest.raises(TooLarge, match=r"dimension takes more than 10 splits"):
        dimension(disjunctions(5, k=2, monotone=True))
