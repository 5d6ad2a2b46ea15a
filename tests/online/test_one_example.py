"""What one example may not be: said with the name of the feature, and nothing has changed."""

from __future__ import annotations

import datetime
import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from helpers.dict_streams import learn_in_turn, learned_state, stream
from novikoff import AveragedPerceptron, BadExample, Perceptron, VotedPerceptron, Winnow

HUGE = 1e308


class Wrong:
    def __float__(self) -> float:
        raise ValueError("I am none")


BAD: list[tuple[Any, type[Exception], str]] = [
    (7, BadExample, "x must be a dict from the names of features to their values, not int"),
    ([1.0, 2.0], BadExample, "x must be a dict .* not list"),
    (np.ones(3), BadExample, "x must be a dict .* not ndarray"),
    ({"new": 1, "a": None}, BadExample, "feature 'a' is None; leave out unknown values"),
    ({"new": 1, "a": {1}}, BadExample, "feature 'a' must be a number, .* not set: {1}"),
    ({"new": 1, "a": b"x"}, BadExample, "feature 'a' must be .* not bytes"),
    ({"new": 1, "a": 1j}, BadExample, "feature 'a' must be .* not complex"),
    ({"new": 1, "a": np.complex64(1)}, BadExample, "feature 'a' must be .* not complex64"),
    ({"new": 1, "a": np.ones(1)}, BadExample, "feature 'a' must be .* not ndarray"),
    ({"new": 1, "a": datetime.date.today()}, BadExample, "feature 'a' must be .* not date"),
    ({"new": 1, "a": np.datetime64("2026-11-16")}, BadExample, "not datetime64"),
    ({"new": 1, "a": pd.NA}, BadExample, "feature 'a' is NA; leave out unknown values"),
    ({"new": 1, "a": Wrong()}, BadExample, "feature 'a' must be .* not Wrong"),
    ({"new": 1, "a": math.nan}, BadExample, "feature 'a' is NaN"),
    ({"new": 1, "a": -math.inf}, BadExample, "feature 'a' is infinity"),
    ({"new": 1, "a": np.float32("nan")}, BadExample, "feature 'a' is NaN"),
    ({"new": 1, "a": 10**400}, BadExample, "feature 'a': the number is too large for float64"),
    ({"new": 1, ("a",): 1}, BadExample, "name of a feature must be a text .* not tuple"),
    ({"new": 1, True: 1}, BadExample, "name of a feature must be a text .* not bool"),
    ({"new": 1, None: 1}, BadExample, "name of a feature must be a text .* not NoneType"),
    ({"new": 1, 1.0: 1}, BadExample, "name of a feature must be a text .* not float"),
    ({"new": 1, "a\0b": 1}, BadExample, r"the name 'a\\x00b' contains a NUL"),
    ({"new": 1, "\udc80": 1}, BadExample, r"the name '\\udc80' contains half of a surrogate pair"),
    ({"new": 1, "a": "b\0"}, BadExample, r"feature 'a': the text 'b\\x00' contains a NUL"),
    ({"new": 1, "a": "\ud800"}, BadExample, r"feature 'a': the text '\\ud800' contains half of a"),
    ({"new": HUGE, "f1": HUGE, "f2": -HUGE}, BadExample, "the score is too large for float64"),
]


@pytest.mark.parametrize(("x", "error", "words"), BAD, ids=[words for _, _, words in BAD])
@pytest.mark.parametrize("classes", [2, 3])
def test_a_bad_example_changes_nothing(
    x: Any, error: type[Exception], words: str, classes: int
) -> None:
    clf = AveragedPerceptron()
    examples = [({"f1": 2.0, "f2": -2.0, "b": "c"}, 1), *stream(2, classes=classes)]
    learn_in_turn(clf, examples, classes=range(classes))
    for _ in range(3):
        clf.learn_one({"f1": 3.0, "f2": -3.0}, 1)
    before = learned_state(clf)
    with pytest.raises(error, match=words):
        clf.learn_one(x, 0)
    if isinstance(x, dict):
        where = "" if "score" in words else "row 1: "
        with pytest.raises(error, match=where + ".*" + words):
            clf.learn_many([{"newer": 1}, x], [1, 0])
    assert learned_state(clf) == before
    with pytest.raises(error, match=words):
        clf.predict_one(x)
    with pytest.raises(error, match=words):
        clf.decision_one(x)
    fresh = Perceptron()
    if "score" not in words and isinstance(x, dict):
        with pytest.raises(error, match=words):
            fresh.learn_one(x, 0)
        with pytest.raises(error, match=words):
            fresh.predict_one(x)
    assert not hasattr(fresh, "classes_")


def test_a_run_that_cannot_use_the_example_takes_the_others_back() -> None:
    """The run for class 0 would learn from it; that for class 1 has too large a weight."""
    clf = AveragedPerceptron()
    clf.learn_one({"a": 1.0}, 2, classes=[0, 1, 2])
    clf.learn_one({"b": 1e300}, 1)
    before = learned_state(clf)
    with pytest.raises(BadExample, match="the score is too large for float64"):
        clf.learn_one({"b": 1e10, "new": 1.0}, 0)
    assert learned_state(clf) == before


def test_winnow_from_zero_takes_no_negative_number() -> None:
    clf = Winnow(variant="winnow1", threshold=2)
    clf.learn_one({"a": 1}, 1)
    before = learned_state(clf)
    with pytest.raises(BadExample, match="feature 'b' is -1, but this Winnow needs numbers of at"):
        clf.learn_one({"new": 1, "b": -1}, 0)
    with pytest.raises(BadExample, match=r"row 1: Negative values in data: feature 'b' is -2"):
        clf.learn_many([{"a": 1}, {"b": -2}], [0, 1])
    assert learned_state(clf) == before


def test_winnow_needs_a_threshold_where_attributes_are_not_counted() -> None:
    with pytest.raises(ValueError, match="default threshold of winnow2 needs .* set threshold="):
        Winnow(variant="winnow2").learn_one({"a": 1}, 1)
    clf = Winnow(variant="winnow2", hash_bits=4)
    clf.learn_one({"a": 1}, 1)
    assert clf.intercept_.tolist() == [-16.0]


def test_names_and_positions_do_not_mix() -> None:
    by_row = Perceptron().fit([[1.0, 2.0], [-1.0, 1.0]], [0, 1])
    with pytest.raises(BadExample, match="columns learned from are positions without names"):
        by_row.learn_one({"a": 1}, 1)
    with pytest.raises(BadExample, match="columns learned from are positions without names"):
        by_row.predict([{"a": 1}])
    with pytest.raises(BadExample, match="the row has 3 features; 2 are expected"):
        by_row.learn_one([1, 2, 3], 1)
    with pytest.raises(BadExample, match="x must be a row of real numbers, not of shape"):
        by_row.learn_one([[1, 2]], 1)
    with pytest.raises(BadExample, match="x must be a row of real numbers, not an array of <U1"):
        by_row.learn_one(["a", "b"], 1)
    with pytest.raises(BadExample, match=r"Input X contains NaN \(row 2, column 1\)"):
        by_row.learn_one([1.0, math.nan], 1)
    with pytest.raises(AttributeError, match="no names here; their weights are in coef_"):
        _ = by_row.named_weights
    named = Perceptron()
    named.learn_one({"a": 1}, 1)
    with pytest.raises(BadExample, match="row 0: x must be a dict"):
        named.predict([[1.0]])
    with pytest.raises(BadExample, match="row 0: x must be a dict"):
        named.learn_many(np.ones((2, 1)), [0, 1])


def test_bounds_on_memory_out_of_range_are_rejected() -> None:
    for changes, words in (
        ({"hash_bits": 2}, "hash_bits must be a whole number from 3 to 31, not 2"),
        ({"max_names": 3}, "max_names must be a whole number from 4"),
        ({"max_names": 10, "keep": "examples"}, "max_names needs keep='counts', not 'examples'"),
        ({"max_names": 10, "hash_bits": 4, "keep": "counts"}, "choose one of them"),
    ):
        clf = Perceptron(**changes)
        with pytest.raises(ValueError, match=words):
            clf.learn_one({"a": 1}, 1)
        assert not hasattr(clf, "classes_")
    with pytest.raises(TypeError, match="max_names"):
        VotedPerceptron(max_names=10)
    frame = pd.DataFrame({"a": [1.0, -1.0]})
    with pytest.raises(ValueError, match="hash_bits needs names from the start"):
        Perceptron(hash_bits=4).fit(frame, [0, 1]).learn_one({"a": 1}, 1)


def test_two_columns_of_one_name_are_refused() -> None:
    frame = pd.DataFrame([[1, 2]], columns=["a", "a"])
    with pytest.raises(BadExample, match="two columns have the name 'a'"):
        Perceptron().learn_many(frame, [1])


def test_a_number_given_as_text_too_is_refused_when_it_is_long() -> None:
    long = 10**30
    clf = Perceptron()
    clf.learn_one({long: 1}, 1)
    assert list(clf.named_weights) == [str(long)]
    with pytest.raises(BadExample, match="is given twice"):
        clf.learn_one({long: 1, str(long): 2}, 1)
    with pytest.raises(BadExample, match="too many digits"):
        clf.learn_one({10**5000: 1}, 1)


def test_many_examples_are_a_list_a_frame_or_an_array() -> None:
    named = Perceptron()
    named.learn_many([{"a": 1}, {"a": -1}], [0, 1])
    before = learned_state(named)
    one, lazy = {"a": [1, 2]}, pl.DataFrame({"a": [1, 2]}).lazy()
    for wrong, words in (
        (one, "pass a list of dicts, one for each example"),
        (lazy, r"X is a LazyFrame, which has no rows yet; pass X.collect\(\)"),
        (({"a": i} for i in range(2)), r"not generator; pass list\(X\)"),
    ):
        for clf in (named, Perceptron()):
            with pytest.raises(TypeError, match=words):
                clf.learn_many(wrong, [0, 1])
            with pytest.raises(TypeError, match=words):
                clf.predict_many(wrong)
    with pytest.raises(TypeError, match="pass a list of dicts"):
        named.predict(one)
    assert learned_state(named) == before


@pytest.mark.parametrize("X", [[{"a": 1}, {"a": -1}], {"a": [1, -1]}], ids=["dicts", "columns"])
def test_fit_says_what_learns_from_dicts(X: Any) -> None:
    with pytest.raises(TypeError, match="learn from them with learn_one, learn_many"):
        Perceptron().fit(X, [0, 1])


def test_a_row_of_a_frame_is_a_dict_to_be() -> None:
    row = pd.DataFrame({"city": ["oslo"], "n": [1]}).iloc[0]
    with pytest.raises(BadExample, match=r"pass x.to_dict\(\) to use its names"):
        Perceptron().learn_one(row, 1)
    clf = Perceptron()
    clf.learn_one(row.to_dict(), 1)
    assert list(clf.named_weights) == ["city=oslo", "n"]


def test_an_empty_row_is_rejected() -> None:
    clf = Perceptron()
    with pytest.raises(BadExample, match="the row is empty"):
        clf.learn_one([], 1)
    clf.learn_one([1.0, 2.0], 1)
    assert clf.n_features_in_ == 2
