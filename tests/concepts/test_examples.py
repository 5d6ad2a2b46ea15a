"""Examples, labels, concepts and classes in the forms that people pass, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from novikoff import BadExample
from novikoff.concepts import (
    Adversary,
    Conjunction,
    Consistent,
    Halving,
    Optimal,
    Oracle,
    WeightedMajority,
    concept_list,
    conjunctions,
    every_example,
    labelled,
    littlestone_dimension,
    threshold_unit,
)


@pytest.mark.parametrize(
    "said",
    [[True, False], [1, 0], [1, -1], [1.0, 0.0], np.array([1, -1]), pd.Series([True, False])],
)
@pytest.mark.parametrize(
    "X",
    [["10", "01"], [[1, 0], [0, 1]], np.eye(2), csr_array(np.eye(2)), pd.DataFrame(np.eye(2))],
)
def test_examples_are_labelled_in_any_form_they_come_in(X: Any, said: Any) -> None:
    block = labelled(X, said)
    assert block.labels.tolist() == [1, -1]
    assert Conjunction((1,)).evaluate(block.rows).tolist() == [True, False]


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ([0, 2], "row 8 has label 2; use True and False, 0 and 1, or -1 and +1"),
        ([-1, 0], "row 8 has label 0; use True and False, 0 and 1, or -1 and +1"),
        ([np.nan, 1], "row 7 has label nan; use True and False"),
        (["yes", "no"], "labels have shape (2,) and type <U3; give a list of True and False"),
        (Conjunction((1,)), "labels have shape () and type object; give a list of True"),
    ],
)
def test_a_bad_label_is_refused_with_its_row(said: Any, message: str) -> None:
    with pytest.raises(BadExample, match=re.escape(message)):
        labelled(["10", "01"], said, first=7)


def test_a_text_in_place_of_a_list_is_refused() -> None:
    for ask in (Conjunction((1,)).evaluate, conjunctions(2).evaluate):
        with pytest.raises(BadExample, match="'01' is one example; give a list of examples"):
            ask("01")
    with pytest.raises(TypeError, match=re.escape("'x1' is one formula; give a list")):
        concept_list("x1")


def test_a_class_evaluates_frames_and_sparse_matrices() -> None:
    X, small = np.array([[1, 1], [1, 0]]), conjunctions(2)
    for same in (csr_array(X), pd.DataFrame(X, columns=["a", "b"])):
        np.testing.assert_array_equal(small.evaluate(same), small.evaluate(X))


def test_too_many_examples_to_list_are_refused_at_once() -> None:
    for n in (-1, 26):
        with pytest.raises(
            ValueError, match=f"can list all examples of 0 to 25 variables, not of {n}"
        ):
            every_example(n)


@pytest.mark.parametrize("ask", [lambda x: Oracle(x, 3), threshold_unit])
def test_a_formula_in_place_of_a_concept_is_refused(ask: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError, match=re.escape("'x1' is a str, not a concept; use parse('x1')")):
        ask("x1")


@pytest.mark.parametrize(
    "ask", [Halving, Consistent, WeightedMajority, Optimal, Adversary, littlestone_dimension]
)
def test_a_list_in_place_of_a_class_is_refused(ask: Callable[[Any], Any]) -> None:
    with pytest.raises(
        TypeError, match="expected a class of concepts, not list; make one with concept_list"
    ):
        ask(["x1"])
