"""The labels of a learner: two, one against the rest, joint; from labels to codes and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from novikoff.stream.input_problems import BadExample
from novikoff.stream.multiclass import (
    JointLabels,
    OneAgainstRest,
    class_array,
    distinct,
    labels_of,
    named_classes,
)


@pytest.mark.parametrize(
    ("labels", "order"),
    [
        (["10", "9", "a", "-1"], ["-1", "9", "10", "a"]),
        ([2, 1.5, True], [True, 1.5, 2]),
        (["b", "a"], ["a", "b"]),
    ],
)
def test_labels_have_one_order_in_lists_and_arrays(labels: list[Any], order: list[Any]) -> None:
    assert class_array(labels).tolist() == order
    classes, places = distinct(np.array(labels))
    assert classes.tolist() == order
    assert [classes.tolist()[i] for i in places.tolist()] == np.array(labels).tolist()


def test_lists_and_arrays_have_the_same_codes() -> None:
    for labels in (
        OneAgainstRest(np.array(["9", "10"])),
        labels_of(np.array(["9", "10"]), joint=True),
    ):
        y = ["10", "9", "10"]
        assert labels.codes(y).tolist() == labels.codes(np.array(y)).tolist() == [1, 0, 1]
    three = OneAgainstRest(np.array([3, 4, 5]))
    assert three.codes([5, 3]).tolist() == three.codes(np.array([5, 3])).tolist() == [2, 0]
    with pytest.raises(BadExample, match=r"row 1: label 7 is not one of the classes \[3, 4, 5\]"):
        three.codes(np.array([3, 7]))
    assert [three.of_run(three.codes([5, 3]), k).tolist() for k in range(3)] == [
        [-1, 1],
        [-1, -1],
        [1, -1],
    ]


def test_a_label_alone_may_change_sides_when_the_other_comes() -> None:
    alone = labels_of(np.empty(0)).met(["ham"], None, symmetric=True)
    assert (alone.coded, alone.predictions) == ({"ham": 1}, ("ham", "ham"))
    both = alone.met(["spam"], None, symmetric=True)
    assert both.coded == {"ham": 0, "spam": 1}
    assert both.is_turned(alone)
    other = alone.met(["egg"], None, symmetric=False)
    assert other.coded == {"egg": 0, "ham": 1}
    assert not other.is_turned(alone)
    with pytest.raises(ValueError, match="'ham' was learned as the positive one of two"):
        alone.met(["spam"], None, symmetric=False)


def test_joint_classes_are_numbered_as_they_appear_and_listed_in_order() -> None:
    labels = labels_of(np.empty(0), joint=True).met(["c", "a"], None, symmetric=False)
    grown = labels.met(np.array(["b", "c", "b"]), named_classes(["a", "d"]), symmetric=False)
    assert isinstance(grown, JointLabels)
    assert grown.classes.tolist() == ["a", "b", "c", "d"]
    assert grown.coded == {"c": 0, "a": 1, "d": 2, "b": 3}
    table = np.arange(4.0)[:, None]
    assert np.ravel(grown.by_class([table])).tolist() == [1.0, 3.0, 0.0, 2.0]
    scores = np.array([[0.0, 2.0, 2.0, 1.0]])
    assert grown.predict(scores, zero_is_positive=True).tolist() == ["b"]


def test_a_score_of_zero_predicts_the_positive_label_unless_told_otherwise() -> None:
    two = labels_of(np.array([0, 1]))
    for zero, predicted in ((True, 1), (False, 0)):
        assert two.predict(np.zeros(1), zero_is_positive=zero).tolist() == [predicted]
