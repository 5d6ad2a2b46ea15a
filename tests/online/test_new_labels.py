"""Labels as they come, one after another: which are the classes, and which of two is positive."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from helpers.dict_streams import MAKERS, learn_in_turn, learned_state, stream
from novikoff import (
    AdaptivePerceptron,
    AveragedPerceptron,
    BadExample,
    MarginPerceptron,
    Perceptron,
    Winnow,
)

X = {"a": 1.0, "b": "c"}

SYMMETRIC: dict[str, Callable[[], Any]] = {
    "plain": Perceptron,
    "margin": lambda: MarginPerceptron(margin=0.3),
    "averaged": AveragedPerceptron,
    "adaptive": AdaptivePerceptron,
    "winnow": Winnow,
}


@pytest.mark.parametrize("make", SYMMETRIC.values(), ids=SYMMETRIC.keys())
@pytest.mark.parametrize("block", [False, True], ids=["one by one", "in blocks"])
def test_which_label_comes_first_does_not_matter_where_both_count_alike(
    make: Callable[[], Any], block: bool
) -> None:
    """What was learned before the greater label came is turned round, exactly."""
    examples = [(x, "ham") for x, _ in stream(7, 12)]
    examples += [(x, ("ham", "spam")[y]) for x, y in stream(8, 12)]
    told = learn_in_turn(make(), examples, classes=["spam", "ham"])
    if block:
        found = make()
        for part in (examples[:5], examples[5:14], examples[14:]):
            found.learn_many([x for x, _ in part], [y for _, y in part])
    else:
        found = learn_in_turn(make(), examples)
    assert found.classes_.tolist() == ["ham", "spam"]
    assert learned_state(found) == learned_state(told)


@pytest.mark.parametrize(
    ("first", "second", "positive"),
    [
        (1, 0, 1), (0, 1, 1), (-1, 1, 1), (True, False, True), (False, True, True), (1, 2, 2),
        (2, 1, 2), (0, -1, 0), ("b", "a", "b"), ("a", "b", "b"), (0.5, 0.25, 0.5), (1, -1, 1),
    ],
)  # fmt: skip
def test_of_two_labels_the_greater_is_positive(first: Any, second: Any, positive: Any) -> None:
    clf = Perceptron()
    assert clf.predict_one(X) is None
    assert clf.decision_one(X) == 0.0
    clf.learn_one(X, first)
    assert clf.predict_one(X) == clf.predict_one({}) == first
    assert type(clf.predict_one(X)) is type(first)
    assert clf.predict([X, {}]).tolist() == [first, first]
    clf.learn_one({"d": 1.0}, second)
    assert clf.classes_.tolist() == sorted([first, second])
    assert clf.predict_one({"a": 3}) == first
    score = clf.decision_one({"a": 3})
    assert isinstance(score, float)
    assert (score > 0) == (first == positive)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Perceptron(ties="positive"),
        lambda: Perceptron(class_weight={"ham": 2.0}),
        lambda: Winnow(variant="winnow2", threshold=2),
        lambda: Winnow(threshold=0.5),
    ],
    ids=["ties", "class weights", "winnow2", "threshold"],
)
def test_where_labels_do_not_count_alike_both_are_named_first(make: Callable[[], Any]) -> None:
    clf = make()
    with pytest.raises(ValueError, match=r"whether 'ham' is the positive label.*classes="):
        clf.learn_one(X, "ham")
    assert not hasattr(clf, "classes_")
    clf.learn_one(X, "ham", classes=["spam", "ham"])
    assert clf.classes_.tolist() == ["ham", "spam"]


def test_the_first_label_keeps_its_side_if_it_is_1_or_0_or_minus_1() -> None:
    clf = Perceptron(ties="positive")
    clf.learn_one(X, 0)
    clf.learn_one(X, 1)
    other = Perceptron(ties="positive")
    other.learn_one(X, 1)
    before = learned_state(other)
    with pytest.raises(ValueError, match=r"label 1 was learned as the positive one of two"):
        other.learn_one(X, 2)
    assert learned_state(other) == before


def test_a_third_label_is_refused_and_changes_nothing() -> None:
    clf = learn_in_turn(Perceptron(), stream(1))
    before = learned_state(clf)
    words = r"label 2 is a third class, after 0 and 1: pass all .*classes=.*multiclass='joint'"
    with pytest.raises(BadExample, match=words):
        clf.learn_one({"new": 1}, 2)
    with pytest.raises(BadExample, match=words):
        clf.learn_many([{"new": 1}, {"newer": 1}], [0, 2])
    assert learned_state(clf) == before
    named = Perceptron()
    named.learn_one(X, "a", classes=["a", "b", "c"])
    with pytest.raises(BadExample, match=r"label 'd' is not one of the classes \['a', 'b', 'c'\]"):
        named.learn_one(X, "d")
    named.learn_many([X, X], ["c", "c"])
    assert named.predict_one(X) == "c"


def test_classes_may_be_named_again_but_not_changed() -> None:
    clf = Perceptron()
    clf.learn_one(X, "b")
    with pytest.raises(ValueError, match="at least 2 classes"):
        clf.learn_one(X, "b", classes=["b"])
    with pytest.raises(ValueError, match="come too late"):
        clf.learn_one(X, "b", classes=["a", "b", "c"])
    clf.learn_one(X, "b", classes=["a", "b"])
    assert clf.classes_.tolist() == ["a", "b"]
    with pytest.raises(ValueError, match="are not those of the first call"):
        clf.learn_one(X, "b", classes=["a", "c"])
    assert clf.ledger_.n_rounds == 2


@pytest.mark.parametrize(
    ("label", "error", "words"),
    [
        (None, TypeError, "a label must be a truth value, a number or a text, not NoneType: None"),
        ([1], TypeError, "not list"),
        (b"spam", TypeError, "not bytes"),
        (float("nan"), BadExample, "the label is NaN; leave out examples without a label"),
        (float("inf"), BadExample, "the label is infinity"),
        (np.float64("nan"), BadExample, "the label is NaN"),
        ("text", BadExample, "labels must be all texts or all numbers, not 1 and 'text'"),
    ],
)
def test_values_that_cannot_be_labels_are_rejected(
    label: Any, error: type[Exception], words: str
) -> None:
    clf = Perceptron()
    clf.learn_one(X, 1)
    before = learned_state(clf)
    with pytest.raises(error, match=words):
        clf.learn_one({"new": 1}, label)
    with pytest.raises(error, match=words):
        clf.learn_many([{"new": 1}, {"a": 2}], [1, label])
    assert learned_state(clf) == before


@pytest.mark.parametrize("kind", [np.bool_, np.int64, np.float32, np.str_])
def test_labels_of_numpy_are_plain_ones(kind: Any) -> None:
    clf, plain = Perceptron(), Perceptron()
    for x, y in stream(4, 8):
        clf.learn_one(x, kind(y))
        plain.learn_one(x, kind(y).item())
    assert learned_state(clf) == learned_state(plain)
    assert type(clf.predict_one(X)) in (bool, int, float, str)


def test_there_is_one_label_for_each_example() -> None:
    with pytest.raises(BadExample, match="2 examples but 1 labels"):
        Perceptron().learn_many([X, X], [1])
    with pytest.raises(TypeError, match="a label for each example"):
        Perceptron().learn_many([X], "1")
    clf = Perceptron()
    clf.learn_many([], [])
    assert clf.predict_one(X) is None


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())
def test_any_order_of_named_classes_is_their_order(make: Callable[[], Any]) -> None:
    examples = stream(9, 10)
    first, *others = [
        learned_state(learn_in_turn(make(), examples, classes=list(classes)))
        for classes in permutations([0, 1])
    ]
    assert all(other == first for other in others)


@pytest.mark.parametrize("multiclass", ["ovr", "joint"])
def test_a_label_that_arrays_would_cut_short_is_refused(multiclass: Any) -> None:
    clf = Perceptron(multiclass=multiclass)
    clf.learn_one(X, "a")
    with pytest.raises(BadExample, match="contains a NUL"):
        clf.learn_one(X, "a\0")
    assert clf.classes_.tolist() == ["a"]


def test_a_label_with_a_hash_of_its_own_may_name_the_labels_anew() -> None:
    clf = learn_in_turn(Perceptron(multiclass="joint"), [(X, "p"), (X, "q")])

    class Odd(str):
        def __hash__(self) -> int:
            clf.learn_one({"new": 1.0}, f"label {len(clf.classes_)}")
            return str.__hash__(self)

    clf.learn_one(X, Odd("p"))
    assert clf.classes_.tolist()[-2:] == ["p", "q"]
    assert clf.ledger_.n_rounds == 1 + len(clf.classes_)

    class Refuses(str):
        def __hash__(self) -> int:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        clf.learn_one(X, Refuses("p"))


def test_a_label_of_another_kind_is_not_called_a_third_class() -> None:
    """Nor is it said that more classes would help: a 1 that was read as a text is still the 1."""
    clf = Perceptron()
    clf.learn_many([X, X], [0, 1])
    with pytest.raises(BadExample, match="labels must be all texts or all numbers, not 0 and '1'"):
        clf.learn_one(X, "1")


def test_classes_that_appear_are_not_measures() -> None:
    clf = Perceptron(multiclass="joint")
    with pytest.raises(BadExample, match=r"^label 1.5 is not a whole number"):
        clf.learn_one(X, 1.5)
    clf.learn_many([X, X], [1.0, 2.0])
    before = learned_state(clf)
    with pytest.raises(BadExample, match=r"label 2.5 is not a whole number"):
        clf.learn_many([X, X], [3.0, 2.5])
    assert learned_state(clf) == before


def test_class_weights_need_both_labels_from_the_start() -> None:
    """A weight for a label that is not known yet would otherwise be lost."""
    weights = {0: 1.5, 1: 0.25}
    clf = Perceptron(class_weight=weights)
    with pytest.raises(ValueError, match="class_weight needs both labels from the start"):
        clf.learn_one(X, 1)
    clf.learn_one(X, 1, classes=[0, 1])
    assert clf.ledger_.steps.tolist() == [0.25]


def test_the_first_label_is_never_taken_for_a_third() -> None:
    clf = Perceptron()
    clf.learn_one(X, 3)
    with pytest.raises(BadExample, match="label 2 is a third class, after 1 and 3"):
        clf.learn_many([X, X], [1, 2])
    assert clf.classes_.tolist() == [3]
