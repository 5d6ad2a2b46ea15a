"""Labels: one rule for their order, their text and their sign, and labels of files as numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.stream.blocks import Codes
from novikoff.stream.input_problems import BadExample, Problem
from novikoff.stream.labels import (
    LabelsAsClasses,
    LabelsAsSigns,
    in_order,
    is_positive_alone,
    label_key,
    negative_and_positive,
    predicts_positive,
    written,
)


def codes(given: Sequence[int]) -> Codes:
    return np.array(given, dtype=np.int32)


def places(texts: Sequence[str]) -> list[str]:
    return [f"x:{k + 1}" for k in range(len(texts))]


def test_numbers_come_before_texts_and_texts_that_are_numbers_are_numbers() -> None:
    assert in_order(["b", "10", "9", "a", -1, 0.5]) == [-1, 0.5, "9", "10", "a", "b"]
    assert in_order(["2", 2.0, "+2", "2e0", np.int64(2), "1"]) == ["1", "2"]


@pytest.mark.parametrize("two", [("9", "10"), ("10", "9"), (9, 10), (10.0, "9"), ("+10", "9.0")])
def test_of_9_and_10_the_10_is_positive_however_they_are_written(two: tuple[object, ...]) -> None:
    assert negative_and_positive(two) == ("9", "10")


@pytest.mark.parametrize(
    ("label", "text"),
    [
        (2.0, "2"),
        ("2.0", "2"),
        ("+2", "2"),
        (" 2 ", "2"),
        ("-0.0", "0"),
        ("1e3", "1000"),
        (1e22, "10000000000000000000000"),
        (1e23, "1e+23"),
        ("007", "7"),
        (".50", "0.5"),
        (np.float32(0.1), "0.1"),
        (np.int8(-1), "-1"),
        ("9007199254740993", "9007199254740993"),
        ("1e", "1e"),
        ("1_0", "1_0"),
        ("1e400", "1e400"),
        ("0" * 5000 + "12345678901234567", "12345678901234567"),
        ("spam", "spam"),
        (" spam", " spam"),
        (True, "true"),
        (np.False_, "false"),
    ],
)
def test_a_label_is_written_in_its_shortest_form(label: object, text: str) -> None:
    assert written(label) == text
    assert written(text) == text


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**20), 10**20))
def test_what_is_written_is_the_same_label(value: float) -> None:
    assert label_key(written(value)) == label_key(value)


def test_comparing_a_text_label_composes_no_message(monkeypatch: pytest.MonkeyPatch) -> None:
    def composed(_text: str) -> str:
        raise AssertionError("a message was composed")

    monkeypatch.setattr("novikoff.stream.number_text.quoted", composed)
    monkeypatch.setattr("novikoff.stream.labels.quoted", composed)
    assert LabelsAsSigns().coded(codes([0, 1]), ["ham", "spam"], places("ab")).tolist() == [-1, 1]


def test_labels_beyond_the_exact_floats_stay_apart() -> None:
    assert label_key("9007199254740993") != label_key("9007199254740992")


@pytest.mark.parametrize(
    ("alone", "classes"),
    [
        ("1", ("-1", "1")),
        (1.0, ("-1", "1")),
        (0, ("0", "1")),
        ("-1.0", ("-1", "1")),
        ("5", ("not 5", "5")),
        ("spam", ("not spam", "spam")),
        (True, ("false", "true")),
        (False, ("false", "true")),
    ],
)
def test_a_label_alone_is_positive_unless_it_is_0_or_minus_1(
    alone: object, classes: tuple[str, str]
) -> None:
    assert negative_and_positive([alone]) == classes
    assert is_positive_alone(alone) == (classes[1] == written(alone))


def test_a_score_of_0_predicts_the_positive_label() -> None:
    assert [predicts_positive(score) for score in (0.0, -0.0, -5e-324)] == [True, True, False]
    assert predicts_positive(np.array([-1.0, 0.0, 1.0])).tolist() == [False, True, True]


def test_signs_follow_the_order_of_the_labels_not_of_the_examples() -> None:
    labels = LabelsAsSigns()
    assert labels.coded(codes([0, 1, 2]), ["10", "9", "9.0"], places("abc")).tolist() == [1, -1, -1]
    assert labels.classes == ("9", "10")
    with pytest.raises(BadExample, match="^x:1: label '8' is a third label, after '10' and '9'"):
        labels.coded(codes([0]), ["8"], places("a"))
    given = LabelsAsSigns(("+1", "0"))
    assert given.classes == ("1", "0")
    assert given.coded(codes([0, 1]), ["1.0", "0"], places("ab")).tolist() == [-1, 1]
    with pytest.raises(BadExample, match="^x:1: label '2' is not one of '1' and '0'; "):
        given.meet(["2"], ["x:1"])
    with pytest.raises(BadExample, match="the classes must be two labels, not '1', '1.0'"):
        LabelsAsSigns(("1", "1.0"))


def test_a_third_label_of_a_last_column_asks_whether_it_is_the_label() -> None:
    for is_last, problem in ((True, "THIRD_LABEL_IN_LAST_COLUMN"), (False, "THIRD_LABEL")):
        with pytest.raises(BadExample) as error:
            LabelsAsSigns(is_last_column=is_last).meet(["a", "b", "c"], places("abc"))
        assert error.value.problem is Problem[problem]


def test_one_label_alone_is_decided_at_the_end() -> None:
    labels = LabelsAsSigns()
    labels.meet(["0"], ["x:1"])
    assert not labels.is_decided
    labels.decide()
    assert labels.is_decided
    assert labels.classes == ("0", "1")
    assert labels.coded(codes([0]), ["0.0"], ["x:2"]).tolist() == [-1]


def test_classes_are_numbered_in_the_order_of_examples_not_of_texts() -> None:
    labels = LabelsAsClasses()

    def numbers(given: Sequence[int], texts: Sequence[str]) -> list[int]:
        return list(labels.coded(codes(given), texts, places(texts)))

    assert numbers([2, 0, 2], ["a", "never", "b"]) == [0, 1, 0]
    assert list(labels.classes) == ["b", "a"]
    assert numbers([0, 1], ["1.0", "a"]) == [2, 1]
    assert numbers([0, 1, 2], ["+1", "b", "1e0"]) == [2, 0, 2]
    assert list(labels.classes) == ["b", "a", "1"]


def test_a_refused_label_changes_nothing() -> None:
    labels = LabelsAsClasses(("a",), most=3)
    for texts, words in (
        (["b", "c", "d"], "^x:3: label 'd' makes more than 3 classes; if these"),
        (["b", "?", "c"], "^x:2: label '\\?' is not a class"),
        (["b", "inf", "c"], "^x:2: label 'inf' is not a class"),
    ):
        with pytest.raises(BadExample, match=words):
            labels.coded(codes([0, 1, 2]), texts, places(texts))
    with pytest.raises(BadExample, match="^example 8 has no label"):
        labels.coded(codes([0, -1]), ["b"], ["x:1"], 7)
    assert labels.classes == ("a",)
    closed = LabelsAsClasses(("a", "b"), closed=True)
    with pytest.raises(BadExample, match="^x:1: label 'z' is not one of 'a', 'b'; "):
        closed.coded(codes([0]), ["z"], ["x:1"])
    with pytest.raises(BadExample, match="the classes '1', '1.0' are not all different"):
        LabelsAsClasses(("1", "1.0"))
    with pytest.raises(BadExample, match="^classes: label 'nan' is not a class"):
        LabelsAsClasses(("a", "nan"))
