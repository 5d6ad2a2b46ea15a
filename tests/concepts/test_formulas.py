"""Formulas: a printed concept is parsed back, and a wrong formula is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.boolean_concepts import concepts, cube, value
from novikoff.concepts import (
    AtLeast,
    Concept,
    Conjunction,
    DecisionList,
    Disjunction,
    FormulaError,
    LinearThreshold,
    Parity,
    TruthTable,
    parse,
)


@given(concepts())
def test_a_printed_concept_is_parsed_back(concept: Concept) -> None:
    read = parse(str(concept))
    assert read == concept
    assert [read(x) for x in cube(6)] == [value(concept, x) for x in cube(6)]


@given(st.lists(st.integers(-(10**17), 10**17), max_size=40), st.integers(-(10**17), 10**17))
def test_weights_of_any_size_are_parsed_back(weights: list[int], threshold: int) -> None:
    concept = LinearThreshold(tuple(weights), threshold)
    read = parse(str(concept))
    assert isinstance(read, LinearThreshold)
    assert (read.weights, read.threshold) == (concept.weights, concept.threshold)


@pytest.mark.parametrize(
    ("text", "concept"),
    [
        ("x2 & x3 & !x7", Conjunction((2, 3, -7))),
        ("x_2 and x_3 and not x_7", Conjunction((2, 3, -7))),
        ("X2 AND x_{3}&&~x₇", Conjunction((2, 3, -7))),
        (r"x1 /\ x2", Conjunction((1, 2))),
        ("  x₁₀₀  ", Conjunction((100,))),
        ("!!x1", Conjunction((1,))),
        ("x1 & x1", Conjunction((1,))),
        ("x1 & !x1", Conjunction((1, -1))),
        ("x1|x2 || not x3", Disjunction((1, 2, -3))),
        (r"x1 \/ x2 or x3", Disjunction((1, 2, 3))),
        ("x1 ^ x4", Parity((1, 4))),
        ("x1 xor x4 ⊕ 1", Parity((1, 4), odd=False)),
        ("x1 ^ !x4", Parity((1, 4), odd=False)),
        ("x1 ^ !x4 ^ true", Parity((1, 4))),
        ("1 ^ x1 ^ 0", Parity((1,), odd=False)),
        ("x1 ^ x2 ^ x1", Parity((2,))),
        ("at least 2 of (x1, x2, not x3)", AtLeast((1, 2, -3), 2)),
        ("At least 1 of ()", AtLeast((), 1)),
        ("2x1 + 3 x2 - x3 >= 2", LinearThreshold((2, 3, -1), 2)),
        ("2*x1 - 3·x2 ≥ -2", LinearThreshold((2, -3), -2)),
        ("-x2 + x1 + x1 - 1 >= 0", LinearThreshold((2, -1), 1)),
        ("0 >= 1", LinearThreshold((), 1)),
        ("if x1 then 1 else if !x3 then 0 else 1", DecisionList(((1, True), (-3, False)), True)),
        ("if x1 then true, else false", DecisionList(((1, True),), False)),
        ("table 0100", TruthTable(2, 0b0010)),
        ("table 0100 of x1, x_2", TruthTable(2, 0b0010)),
        ("true", Conjunction(())),
        ("1", Conjunction(())),
        ("⊥", Disjunction(())),
        ("0", Disjunction(())),
    ],
)
def test_formulas_are_parsed_as_people_type_them(text: str, concept: Concept) -> None:
    read = parse(text)
    assert read == concept
    assert type(read) is type(concept)


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("x2x3", 3, "expected ∧, ∨, ⊕, ≥ or the end, found 'x3'"),
        ("x1 + x2", 8, r"expected \+, − or ≥, found the end"),
        (
            "x1 & x2 | x3",
            9,
            "'|' after ∧: a formula may use only one kind of operator; write a truth table",
        ),
        ("x1 or x2 and x3", 10, "'and' after ∨"),
        ("x1 ^ x2 & x3", 9, "'&' after ⊕"),
        ("x1 & x0", 6, "x0 is out of range; write x1 to x"),
        ("x₀", 1, "x₀ is out of range"),
        ("x1 &", 5, "expected a literal such as x2 or ¬x2, found the end"),
        ("x1 & & x2", 6, "expected a literal.*, found '&'"),
        ("x1 & 1", 6, "expected a literal.*, found '1'"),
        ("(x1)", 1, r"expected a literal.*, found '\('"),
        ("x1 € x2", 4, "expected .*, found '€'"),
        ("y1", 1, "expected a literal.*, found 'y'"),
        ("x & x2", 1, "expected a literal.*, found 'x'"),
        ("10", 1, "expected a literal.*, found '10'"),
        ("x1 <= 2", 4, "expected .*, found '<='"),
        ("x1 >= x2", 7, "expected an integer, found 'x2'"),
        ("x1 >= 2 3", 9, "expected the end, found '3'"),
        ("2* >= 1", 4, "expected a variable such as x2.*, found '>='"),
        ("x1 + !x2 >= 1", 6, "expected a term such as 2x1.*, found '!'"),
        ("x1000001 >= 1", 1, "x1000001 is out of range; write x1 to x1000000"),
        ("x99999999999999999999", 1, "x99999999999999999999 is out of range"),
        (
            "99999999999999999999x1 >= 2",
            1,
            "99999999999999999999 is too large; write at most 19 digits",
        ),
        ("9999999999999999999x1 >= 2", 1, r"add up to more than 2\^62"),
        ("at least two of (x1)", 10, "expected a number, found 'two'"),
        ("at most 2 of (x1)", 4, "expected 'least', found 'most'"),
        ("at least 2 of x1", 15, r"expected '\(', found 'x1'"),
        ("at least 1 of (x1, x1)", 16, "x₁ occurs twice; write each literal once"),
        ("at least 1 of (x1", 18, r"expected '\)', found the end"),
        ("if x1 then 2 else 0", 12, "expected 0 or 1, found '2'"),
        ("if x1 then 1", 13, "expected 'else', found the end"),
        ("table 011", 7, "a truth table has 2, 4, 8, … values, not 3"),
        ("table 012", 7, "expected a row of digits 0 and 1.*, found '012'"),
        ("table", 6, "expected a row of digits 0 and 1.*, found the end"),
        ("table 0110 of x1, x3", 19, "expected x₂, found 'x3'"),
        ("table 0110 of x1, 2", 19, "expected a variable.*, found '2'"),
        ("table 0110 of x1", 17, "expected ',', found the end"),
        ("table 01 of x1, x2", 15, "expected the end, found ','"),
    ],
)
def test_a_wrong_formula_is_refused_at_the_column_of_the_error(
    text: str, column: int, message: str
) -> None:
    with pytest.raises(FormulaError, match=message) as refused:
        parse(text)
    assert str(refused.value).startswith(f"{text!r}, column {column}: ")


@pytest.mark.parametrize("text", ["", "  \n"])
def test_an_empty_formula_is_refused(text: str) -> None:
    with pytest.raises(FormulaError, match="the formula is empty"):
        parse(text)


def test_the_error_quotes_only_the_beginning_of_a_long_formula() -> None:
    with pytest.raises(FormulaError) as refused:
        parse(" & ".join(["x1"] * 10_000) + " &")
    assert len(str(refused.value)) < 200


@given(st.text(st.sampled_from("x12 ₁&|^!~()>=+-*,atleofifhn·∧é{}_\\/"), max_size=30))
def test_any_text_is_a_formula_or_a_formula_error(text: str) -> None:
    try:
        read = parse(text)
    except FormulaError:
        return
    assert parse(str(read)) == read
