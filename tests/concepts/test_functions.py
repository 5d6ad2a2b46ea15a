"""Concepts have the same values as plain Python, however the examples are stored."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from helpers.boolean_concepts import concepts, cube, value
from helpers.strategies import LAYOUTS, Layout, stored
from novikoff import BadExample
from novikoff.concepts import (
    AtLeast,
    Concept,
    Conjunction,
    DecisionList,
    Disjunction,
    LinearThreshold,
    Parity,
    TruthTable,
    every_example,
    labelled,
    truth_table,
)
from novikoff.concepts.examples import truths, truths_of_row
from novikoff.stream.blocks import Block
from novikoff.stream.rows import DenseRows, SparseRows

ROWS = np.array(cube(6), dtype=np.float64)


@given(concepts(), st.sampled_from(LAYOUTS))
def test_rows_of_any_layout_have_the_values_of_plain_python(
    concept: Concept, layout: Layout
) -> None:
    expected = [value(concept, x) for x in cube(6)]
    assert concept.evaluate(stored(ROWS, layout, "float32")).tolist() == expected


@given(concepts(), st.integers(0, 63))
def test_arrays_lists_and_texts_have_the_values_of_rows(concept: Concept, j: int) -> None:
    x = cube(6)[j]
    text = "".join(map(str, x))
    expected = value(concept, x)
    assert concept(x) is expected
    assert concept(text) is expected
    assert concept(np.array(x, dtype=np.bool_)) is expected
    assert concept.evaluate([list(x), list(x)]).tolist() == [expected] * 2
    assert concept.evaluate([text]).tolist() == [expected]
    assert concept.evaluate(scipy.sparse.coo_array([x])).tolist() == [expected]


@given(concepts())
def test_a_concept_depends_on_its_variables_only(concept: Concept) -> None:
    assert list(concept.variables) == sorted(set(concept.variables))
    assert concept.width == max(concept.variables, default=0)
    others = [i for i in range(6) if i + 1 not in concept.variables]
    turned = ROWS.copy()
    turned[:, others] = 1 - turned[:, others]
    assert concept.evaluate(turned).tolist() == concept.evaluate(ROWS).tolist()


def test_every_example_comes_in_the_order_of_its_number() -> None:
    assert every_example(3).astype(int).tolist() == [list(x) for x in cube(3)]


def test_concepts_are_equal_when_their_formulas_are() -> None:
    assert len({Conjunction((1,)), Disjunction((1,)), Parity((1,))}) == 1
    assert Conjunction((2, 1, 2)) == Conjunction((1, 2))
    assert len({Conjunction((1, 2)), Disjunction((1, 2)), AtLeast((1, 2), 2)}) == 3
    assert Conjunction((1,)) != "x₁"


def test_an_empty_conjunction_is_true_and_an_empty_disjunction_false() -> None:
    assert (str(Conjunction(())), Conjunction(())("0")) == ("⊤", True)
    assert (str(Disjunction(())), Disjunction(())("1")) == ("⊥", False)
    assert Parity(()) == DecisionList((), False) == Disjunction(())
    assert Parity((), odd=False) == DecisionList((), True) == Conjunction(())


def test_rows_that_are_a_slice_of_stored_ones_are_read_from_their_start() -> None:
    values, indices = np.ones(4), np.array([1, 0, 1, 0])
    middle = SparseRows(values, indices, np.array([1, 2, 2, 3]), 2)
    assert Conjunction((1,)).evaluate(middle).tolist() == [True, False, False]
    assert Conjunction((2,)).evaluate(middle).tolist() == [False, False, True]


def test_an_index_given_twice_counts_twice() -> None:
    twice = SparseRows(np.array([0.5, 0.5, 1.0, 1.0]), np.zeros(4, int), np.array([0, 2, 4]), 1)
    block = Block(twice, np.array([1, 1], dtype=np.int8), first=7)
    assert truths_of_row(block, 0, 1).tolist() == [True]
    with pytest.raises(BadExample, match="row 8: attribute x1 is 2.0, not 0 or 1"):
        truths_of_row(block, 1, 1)
    with pytest.raises(BadExample, match="row 1: attribute x1 is 2.0, not 0 or 1"):
        Conjunction((1,)).evaluate(twice)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[0, 1]], "rows have 2 attributes, but the concept depends on x3"),
        ([[0, 1, 1], [0, 0, 0.5]], "row 1: attribute x3 is 0.5, not 0 or 1"),
        ([[0, 1, np.nan]], "row 0: attribute x3 is nan, not 0 or 1"),
        ([0, 1, 1], r"row 0 has shape \(\), not one row of attributes"),
        ([[0, 1, 1], [0, 1]], "row 1 has 2 attributes, row 0 has 3"),
        ([["a", "b", "c"]], "row 0 has attributes of type"),
        (["011", "01x"], "row 1 is '01x'; write the digits 0 and 1"),
        (DenseRows(np.array([[0.0, 1.0]])), "rows have 2 attributes, but the concept depends on"),
        (SparseRows(np.array([3.0]), np.array([2]), np.array([0, 0, 1]), 3), "row 1: attribute x3"),
    ],
)
def test_rows_that_are_not_boolean_examples_are_refused(X: Any, message: str) -> None:
    with pytest.raises(BadExample, match=message):
        Conjunction((1, 3)).evaluate(X)


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ("01", "rows have 2 attributes, but the concept depends on x3"),
        ("012", "attribute x3 is 2, not 0 or 1"),
        ("", "the example is ''; write the digits"),
        ("0 1 1", "the example is '0 1 1'; write the digits"),
        ("0²1", "the example is '0²1'; write the digits"),
        ([[0, 1, 1]], "shape \\(1, 3\\), not one row of attributes"),
        (1, "shape \\(\\), not one row of attributes"),
        ([0, 1, -1], "attribute x3 is -1, not 0 or 1"),
        ([0, None, 1], "attributes of type object"),
        ([[0], [0, 1]], "its parts differ in shape"),
    ],
)
def test_anything_but_a_single_boolean_example_is_refused(x: Any, message: str) -> None:
    with pytest.raises(BadExample, match=message):
        Conjunction((1, 3))(x)


def test_an_example_of_another_width_than_the_concepts_is_refused_by_its_row() -> None:
    with pytest.raises(BadExample, match=r"row 3 has shape \(2,\), not 4 attributes"):
        truths([0, 1], 4, name="row 3")
    block = Block(DenseRows(np.zeros((1, 2))), np.array([1], dtype=np.int8), first=5)
    with pytest.raises(BadExample, match="row 5 has 2 attributes, the concepts have 3"):
        truths_of_row(block, 0, 3)
    outside = Block(SparseRows(np.ones(1), np.array([4]), np.array([0, 1]), 3), block.labels, 2)
    with pytest.raises(BadExample, match=r"row 2: an index is outside 0\.\.2"):
        truths_of_row(outside, 0, 3)


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        (Conjunction, ((0,),), "0 is not a literal"),
        (Disjunction, ((1.5,),), "1.5 is not a literal"),
        (Conjunction, ((True,),), "True is not a literal"),
        (Conjunction, ((1 << 40,),), "variable 1099511627776 is too large"),
        (AtLeast, ((1, 1, 2), 2), "x₁ occurs twice; write each literal once"),
        (AtLeast, ((1, 2), -1), "r must be an integer from 0 on, not -1"),
        (AtLeast, ((1, 2), 1.5), "r must be an integer from 0 on, not 1.5"),
        (every_example, (26,), "can list all examples of 0 to 25 variables, not of 26"),
        (Parity, ((1, -2),), "a parity has no negated variables; write x ⊕ ¬y as"),
        (Parity, ((3, 3),), "x₃ occurs twice; write each literal once"),
        (LinearThreshold, ((1, 0.5), 1), "integers, not 0.5"),
        (LinearThreshold, ((1 << 61, 1 << 61), 1), "add up to more than 2\\^62"),
        (LinearThreshold, ((1,) * 1_000_001, 1), "1,000,001 weights"),
        (DecisionList, (((0, True),), False), "0 is not a literal"),
        (DecisionList, (((1, 2),), False), "0 or 1, not 2"),
        (TruthTable, (0, 1), "1 to 20 variables, not 0"),
        (TruthTable, (21, 0), "1 to 20 variables, not 21"),
        (TruthTable, (1, 4), "a number of 2 bits"),
        (truth_table, ("011",), "2, 4, 8, … values, not 3"),
        (truth_table, ("1",), "2, 4, 8, … values, not 1"),
        (truth_table, ([0, 2],), r"\[0, 2\] is not a truth table; give 2ⁿ values 0 and 1"),
    ],
)
def test_impossible_concepts_are_refused(kind: Any, given: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        kind(*given)


@pytest.mark.parametrize(
    ("X", "said", "message"),
    [
        (["10", "01"], [True], "2 rows but 1 labels"),
        (["10", "011"], [True, False], "row 8 has 3 attributes, row 7 has 2"),
        ([[1, 0], [1]], [True, False], "row 8 has 1 attributes, row 7 has 2"),
        ([[1, 0], [2, 0]], [True, False], "row 8: attribute x1 is 2.0, not 0 or 1"),
        ([1, 0], [True, False], r"row 7 has shape \(\), not one row of attributes"),
    ],
)
def test_a_block_of_bad_examples_or_labels_is_refused(
    X: list[Any], said: list[Any], message: str
) -> None:
    with pytest.raises(BadExample, match=message):
        labelled(X, said, first=7)


def test_a_block_may_have_no_examples() -> None:
    assert len(labelled([], [])) == 0
    assert labelled(np.zeros((0, 3), dtype=np.bool_), []).rows.dim == 3


def test_a_truth_table_is_its_values_in_the_order_of_the_examples() -> None:
    table = truth_table([0, 1, 1, 0, 1, 0, 0, 1])
    assert table == TruthTable(3, 0b10010110)
    assert [table(x) for x in cube(3)] == [Parity((1, 2, 3))(x) for x in cube(3)]
    assert str(truth_table("0100")) == "table 0100 of x₁, x₂"


def test_trailing_weights_of_0_are_dropped() -> None:
    assert LinearThreshold((1, 0, 2, 0, 0), 1).weights == (1, 0, 2)
    assert LinearThreshold((0, 0), 1).weights == ()


def test_large_weights_are_added_exactly() -> None:
    large = LinearThreshold((1 << 60, -(1 << 60) + 1), 2)
    assert [large(x) for x in cube(2)] == [False, True, False, False]
