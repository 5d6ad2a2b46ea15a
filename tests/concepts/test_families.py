"""Classes of concepts: their counts, and values that agree with plain Python."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from itertools import product
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff.concepts
from helpers.boolean_concepts import concepts, cube, value
from novikoff import BadExample, _core
from novikoff.concepts import (
    AtLeast,
    Concept,
    ConceptClass,
    Conjunction,
    DecisionList,
    Disjunction,
    FormulaError,
    LinearThreshold,
    Parity,
    TooLarge,
    all_functions,
    at_least,
    concept_list,
    conjunctions,
    decision_lists,
    disjunctions,
    linear_thresholds,
    parities,
)

SMALL: list[ConceptClass] = [
    conjunctions(5),
    conjunctions(5, monotone=True),
    conjunctions(5, k=3),
    conjunctions(5, k=3, monotone=True),
    conjunctions(4, k=0),
    conjunctions(1),
    disjunctions(5),
    disjunctions(5, monotone=True),
    disjunctions(5, k=2),
    disjunctions(5, k=5, monotone=True),
    parities(6),
    parities(6, k=3),
    at_least(2, 6),
    at_least(3, 6, k=5),
    at_least(1, 5, k=2),
    linear_thresholds(1),
    linear_thresholds(4),
    decision_lists(1),
    decision_lists(4),
    all_functions(1),
    all_functions(3),
    concept_list(["x1 & x4", "x2 ^ x3", "true", [0, 1, 1, 1], AtLeast((1, 2, 3), 2)]),
    concept_list([Conjunction((i, -20)) for i in range(1, 20)]),
]


def bits(family: ConceptClass, x: Any) -> list[bool]:
    """The bits of `packed_values`, after checking that those after the last concept are 0."""
    words = family.packed_values(np.array(x, dtype=np.bool_))
    found = np.unpackbits(words.view(np.uint8), bitorder="little").astype(bool).tolist()
    assert len(found) % 64 == 0
    assert len(found) - 64 < family.size
    assert not any(found[family.size :])
    return found[: family.size]


def some_examples(n: int) -> list[tuple[int, ...]]:
    if n <= 6:
        return cube(n)
    return [tuple(map(int, x)) for x in np.random.default_rng(n).integers(0, 2, (8, n))]


@pytest.mark.parametrize("family", SMALL, ids=repr)
def test_all_ways_to_evaluate_a_class_agree_with_plain_python(family: ConceptClass) -> None:
    listed = list(family)
    assert len(listed) == len(family) == family.size
    backwards = np.arange(family.size)[::-1].copy()
    examples = some_examples(family.n)
    expected = [[value(concept, x) for concept in listed] for x in examples]
    for x, said in zip(examples, expected, strict=True):
        assert bits(family, x) == said
        assert family.values(backwards, np.array(x, bool)).tolist() == said[::-1]
    assert family.evaluate(examples).tolist() == expected


@pytest.mark.parametrize("family", SMALL, ids=repr)
def test_no_two_concepts_of_a_class_are_the_same_function(family: ConceptClass) -> None:
    assert len(set(map(str, family))) == family.size
    if family.n <= 6:
        assert len(np.unique(family.evaluate(cube(family.n)), axis=1).T) == family.size


@pytest.mark.parametrize("n", range(1, 8))
def test_the_families_have_as_many_concepts_as_the_formulas_say(n: int) -> None:
    for family in (conjunctions, disjunctions):
        assert family(n).size == 3**n
        assert family(n, monotone=True).size == 2**n
        for k in range(n + 1):
            assert family(n, k=k).size == 2**k * comb(n, k)
            assert family(n, k=k, monotone=True).size == comb(n, k)
    assert parities(n).size == 2**n
    for k in range(1, n + 1):
        assert parities(n, k=k).size == at_least(1, n, k=k).size == comb(n, k)


def test_the_families_hold_every_set_of_literals() -> None:
    signed = {
        tuple(i * s for i, s in enumerate(signs, start=1) if s)
        for signs in product((-1, 0, 1), repeat=4)
    }
    assert set(conjunctions(4)) == {Conjunction(some) for some in signed}
    assert set(disjunctions(4, k=2)) == {Disjunction(s) for s in signed if len(s) == 2}
    plain = [some for some in signed if min(some, default=1) > 0]
    assert set(parities(4)) == {Parity(some) for some in plain}
    assert set(at_least(2, 4)) == {AtLeast(some, 2) for some in plain if len(some) >= 2}


WIDE: list[Callable[[], ConceptClass]] = [
    lambda: conjunctions(63, k=2),
    lambda: conjunctions(64, k=2, monotone=True),
    lambda: disjunctions(65, k=2),
    lambda: parities(129, k=2),
    lambda: at_least(2, 70, k=3),
    lambda: conjunctions(200, k=1),
    lambda: conjunctions(100, k=99, monotone=True),
    lambda: parities(130, k=129),
    lambda: at_least(68, 70),
    lambda: at_least(38, 40),
    lambda: disjunctions(300, k=299, monotone=True),
]


@pytest.mark.parametrize("make", WIDE, ids=lambda make: str(make()))
def test_classes_of_more_than_64_variables_are_evaluated_correctly(
    make: Callable[[], ConceptClass],
) -> None:
    family = make()
    dice = np.random.default_rng(0)
    drawn = dice.integers(0, family.size, 300)
    for density in (0.03, 0.5, 0.97, 1.0):
        x = dice.random(family.n) < density
        said = np.array(bits(family, x))
        assert family.values(np.arange(family.size), x).tolist() == said.tolist()
        expected = [value(family[i], x.astype(int).tolist()) for i in drawn.tolist()]
        assert said[drawn].tolist() == expected


@pytest.mark.parametrize(("n", "count"), [(1, 4), (2, 14), (3, 104), (4, 1882), (5, 94572)])
def test_the_linear_threshold_functions_are_as_many_as_are_known(n: int, count: int) -> None:
    family = linear_thresholds(n)
    assert family.size == count
    tables = [family.packed_values(np.array(x, bool)) for x in cube(n)]
    answers = np.stack([np.unpackbits(t.view(np.uint8), bitorder="little") for t in tables])
    assert len(np.unique(answers[:, :count], axis=1).T) == count
    for one in family.sample(100):
        assert isinstance(one, LinearThreshold)
        assert max(map(abs, one.weights), default=0) <= 5


def lists_by_brute_force(n: int) -> set[tuple[bool, ...]]:
    """The functions of all decision lists: put any rule before any list, until nothing is new."""
    examples = cube(n)
    literals = [[x[i] == on for x in examples] for i in range(n) for on in (0, 1)]
    found = {(said,) * len(examples) for said in (False, True)}
    new = found
    while new:
        longer = {
            tuple(said if on else old for on, old in zip(fires, rest, strict=True))
            for rest in new
            for fires in literals
            for said in (False, True)
        }
        new = longer - found
        found = found | new
    return found


@pytest.mark.parametrize(("n", "count"), [(1, 4), (2, 14), (3, 96), (4, 1050)])
def test_decision_lists_compute_just_the_functions_that_brute_force_finds(
    n: int, count: int
) -> None:
    family = decision_lists(n)
    found = {tuple(column) for column in family.evaluate(cube(n)).T.tolist()}
    assert family.size == count
    assert found == lists_by_brute_force(n)


def test_decision_lists_on_all_variables_are_counted_as_is_known() -> None:
    on_all = [2]
    for n in range(1, 8):
        on_fewer = sum(comb(n, j) * on_all[j] for j in range(n))
        on_all.append(decision_lists(n).size - on_fewer)
    assert on_all[1:] == [2, 8, 64, 736, 10624, 183936, 3715072]  # OEIS A005612


def test_decision_lists_of_many_variables_are_found_by_place_without_a_list_of_them() -> None:
    family = decision_lists(40)
    last = family[-1]
    assert isinstance(last, DecisionList)
    assert last.variables == tuple(range(1, 41))
    sample = family.sample(50, seed=1)
    assert len(set(sample)) == 50
    assert sample == family.sample(50, seed=1) != family.sample(50, seed=2)
    with pytest.raises(TooLarge, match="decision lists of 40 variables"):
        family.packed_values(np.zeros(40, bool))


def test_samples_are_uniform() -> None:
    family = conjunctions(2)
    counts = np.unique([str(c) for c in family.sample(9000)], return_counts=True)[1]
    assert len(counts) == 9
    # each is binomial with mean 1000 and deviation 30; five deviations, at a fixed seed
    assert np.abs(counts - 1000).max() < 150


def test_classes_too_large_to_enumerate_are_still_counted_and_sampled() -> None:
    family = conjunctions(100)
    assert family.size == 3**100
    assert repr(family) == "<conjunctions of 100 variables: 5.154×10⁴⁷ concepts>"
    assert str(family[0]) == "⊤"
    assert family[-1] == Conjunction(tuple(-i for i in range(1, 101)))
    assert all(isinstance(concept, Conjunction) for concept in family.sample(20))
    places = np.array([0, 1, 150, 300])
    x = np.random.default_rng(3).random(100) < 0.5
    expected = [value(family[i], x.astype(int).tolist()) for i in places.tolist()]
    assert family.values(places, x).tolist() == expected
    for ask in (
        lambda: family.packed_values(x),
        lambda: iter(family),
        lambda: family.evaluate([x]),
    ):
        with pytest.raises(TooLarge, match="conjunctions of 100 variables has 5.154×10⁴⁷"):
            ask()
    with pytest.raises(OverflowError, match=r"too many for len\(\); use \.size"):
        len(family)
    assert family


def test_places_up_to_the_largest_64_bit_number_are_distinguished() -> None:
    places = np.array([0, comb(60, 51), 1 << 62, (1 << 63) - 2, (1 << 63) - 1])
    for family in (parities(100, k=50), at_least(25, 100, k=50), disjunctions(70, k=68)):
        for seed in range(20):
            x = np.random.default_rng(seed).random(family.n) < 0.5
            expected = [value(family[i], x.astype(int).tolist()) for i in places.tolist()]
            assert family.values(places, x).tolist() == expected


def test_places_of_functions_of_many_variables_are_their_tables() -> None:
    family = all_functions(7)
    places = np.array([5, (1 << 63) - 1])
    said = np.array([family.values(places, np.array(x, bool)) for x in cube(7)])
    assert said[:, 0].nonzero()[0].tolist() == [0, 2]
    assert said[:, 1].nonzero()[0].tolist() == list(range(63))


@pytest.mark.parametrize("family", [conjunctions(3), decision_lists(2), linear_thresholds(2)])
def test_a_place_outside_the_class_is_refused(family: ConceptClass) -> None:
    assert family[-family.size] == family[0]
    for place in (family.size, -family.size - 1):
        with pytest.raises(IndexError, match="there is no concept"):
            family[place]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: conjunctions(0), "n must be at least 1, not 0"),
        (lambda: parities(-2, k=0), "n must be at least 1, not -2"),
        (lambda: conjunctions(3, k=4), "k must be from 0 to 3, the number of variables, not 4"),
        (lambda: disjunctions(3, k=-1), "k must be from 0 to 3, the number of variables, not -1"),
        (lambda: at_least(0, 3), "r must be at least 1, not 0"),
        (lambda: at_least(4, 3), "at least 4 of 3 variables is never true"),
        (lambda: at_least(3, 5, k=2), "at least 3 of 2 variables is never true"),
        (lambda: linear_thresholds(0), "n must be at least 1, not 0"),
        (lambda: decision_lists(0), "n must be at least 1, not 0"),
        (lambda: all_functions(0), "n must be from 1 to 20, not 0"),
        (lambda: all_functions(21), "n must be from 1 to 20, not 21"),
        (lambda: concept_list([]), "the list is empty"),
        (lambda: concept_list(["x3"], 2), "x₃ depends on x3, but there are only 2 variables"),
        (lambda: concept_list(["true"], 0), "n must be at least 1, not 0"),
        (lambda: concept_list(["x1", [0, 1, 0]]), "concept 1 of the list: a truth table has"),
    ],
)
def test_impossible_classes_are_refused(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: linear_thresholds(6), "of 6 variables: 15,028,134; take at most 5 variables"),
        (lambda: linear_thresholds(60), "of 60 variables; take at most 5 variables"),
        (lambda: conjunctions(1_000_000), "sets of 1,000,000 variables; give k"),
        (lambda: decision_lists(5000), "up to 1000 variables, not 5000"),
        (lambda: list(all_functions(5)), "has 4,294,967,296 concepts, more than"),
        (lambda: list(parities(9000, k=8999)), "a set has 8,999 variables, more than 4,096"),
        (lambda: conjunctions(19).evaluate([[0] * 19]), "evaluate fewer examples at a time"),
    ],
)
def test_too_large_classes_are_refused(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(TooLarge, match=message):
        make()


@pytest.mark.parametrize("family", SMALL[::3], ids=repr)
def test_an_example_of_another_width_is_refused(family: ConceptClass) -> None:
    for x in (np.zeros(family.n + 1, bool), np.zeros(family.n - 1, bool)):
        for ask in (family.packed_values, lambda x: family.values(np.array([0]), x)):
            with pytest.raises(BadExample, match=f"not {family.n} attributes"):
                ask(x)
        with pytest.raises(BadExample, match="rows have .* attributes, the concepts have"):
            family.evaluate([x])


@given(st.lists(concepts(4), min_size=1, max_size=40))
def test_a_list_keeps_the_first_of_those_with_the_same_truth_table(given: list[Concept]) -> None:
    by_table = dict[tuple[bool, ...], Concept]()
    for concept in given:
        by_table.setdefault(tuple(value(concept, x) for x in cube(4)), concept)
    family = concept_list(given, 4)
    assert list(family) == list(by_table.values())
    for j, x in enumerate(cube(4)):
        assert bits(family, x) == [table[j] for table in by_table]


def test_a_list_of_wide_concepts_drops_equal_formulas() -> None:
    family = concept_list(["x1 & x30", "x30 & x1", "at least 2 of (x1, x30)"])
    assert [str(concept) for concept in family] == ["x₁ ∧ x₃₀", "at least 2 of (x₁, x₃₀)"]
    assert family.n == 30


def test_a_list_takes_formulas_tables_and_concepts() -> None:
    family = concept_list(["x1", np.array([0, 1, 1, 1]), Conjunction(())], n=3)
    assert [str(c) for c in family] == ["x₁", "table 0111 of x₁, x₂", "⊤"]
    assert (family.n, concept_list(["true"]).n) == (3, 1)
    with pytest.raises(FormulaError, match="concept 1 of the list: 'x1 x2', column 4"):
        concept_list(["x1", "x1 x2"])


def test_the_core_refuses_sets_and_room_that_do_not_fit() -> None:
    def ask(**other: Any) -> None:
        word = np.zeros(1, np.uint64)
        usual: dict[str, Any] = {
            "x": word,
            "turned": word,
            "n": 5,
            "k": 2,
            "signs": np.zeros(1, np.uint64),
            "table": np.array([False, False, True]),
            "at": 0,
            "out": np.zeros(1, np.uint64),
        }
        _core.evaluate_subsets(**usual | other)

    ask()
    ask(at=54)
    for unfit in (
        {"at": 55},
        {"at": 65},
        {"n": 65},
        {"k": 6, "table": np.zeros(7, bool)},
        {"k": 1},
        {"n": 64, "x": np.zeros(1, np.uint64)},
        {"signs": np.zeros(7, np.uint64)},
        {"n": 8192, "x": np.zeros(128, np.uint64), "turned": np.zeros(128, np.uint64)}
        | {"k": 4097, "table": np.zeros(4098, bool)},
    ):
        with pytest.raises(ValueError):
            ask(**unfit)


def test_public_names_are_not_hidden_by_modules_of_the_same_name() -> None:
    modules = {module.name for module in pkgutil.iter_modules(novikoff.concepts.__path__)}
    assert modules.isdisjoint(novikoff.concepts.__all__)
