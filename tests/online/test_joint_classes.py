"""Many classes learned jointly, one example at a time: as in blocks, with classes that appear."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.dict_streams import Stream, learn_in_turn, learned_state, stream
from helpers.strategies import seeds
from novikoff import AveragedPerceptron, BadExample, Joint, MarginPerceptron, Perceptron
from novikoff.learners.rule import Rule
from novikoff.ledger.weights import class_scores
from novikoff.online.engine import Engine
from novikoff.runs.interrupts import undisturbed
from novikoff.stream.multiclass import JointLabels, class_array, labels_of


@settings(max_examples=15)
@given(seed=seeds, mean=st.booleans())
def test_classes_learned_jointly_one_by_one_are_those_of_a_block(seed: int, mean: bool) -> None:
    examples = stream(seed, classes=6)
    met = list(dict.fromkeys(y for _, y in examples))
    rule = Rule("averaged" if mean else "perceptron", joint=True)
    alone, whole = (Engine(rule, labels_of(np.empty(0), joint=True), 8) for _ in range(2))
    for engine in (alone, whole):
        engine.open([])
    for x, y in examples:
        alone.learn_one(x, y)
    with whole.alone(), undisturbed() as stop:
        whole.learn_block([x for x, _ in examples], [y for _, y in examples], None, stop)
    alone.settle()
    order = alone.labels.classes.tolist()
    assert order == whole.labels.classes.tolist() == sorted(met)
    for a, b in ((alone.learners, whole.learners), (alone.ledgers, whole.ledgers)):
        (settings, arrays), (others, theirs) = a[0].state(), b[0].state()
        assert settings == others
        assert {k: v.tobytes() for k, v in arrays.items()} == {
            k: v.tobytes() for k, v in theirs.items()
        }
    (joint,) = whole.learners
    assert isinstance(joint, Joint)
    rows = whole.rows([x for x, _ in examples])
    scores = (
        class_scores(rows, joint.average.T, bias=True)[:, : len(met)]
        if mean
        else joint.scores(rows)
    )
    scores = scores[:, [met.index(label) for label in order]]
    decided = [alone.decide_one(x) for x, _ in examples]
    assert [list(d.values()) for d in decided if isinstance(d, dict)] == scores.tolist()
    guesses = [order[k] for k in scores.argmax(axis=1)]
    assert [alone.predict_one(x) for x, _ in examples] == guesses


def letters(seed: int, n: int = 40) -> Stream:
    """Classes that appear in no order."""
    return [(x, "dbaec"[y]) for x, y in stream(seed, n, classes=5)]


@settings(max_examples=12)
@given(seed=seeds, cut=st.integers(0, 40), named=st.booleans())
def test_classes_may_appear_one_by_one_or_in_blocks(seed: int, cut: int, named: bool) -> None:
    examples = letters(seed)
    first = {"classes": ["a", "x"]} if named else {}

    def make() -> Any:
        return AveragedPerceptron(multiclass="joint", class_weight={"e": 0.3, "b": 2.0}, eta0=0.7)

    alone, whole, mixed = learn_in_turn(make(), examples, **first), make(), make()
    whole.learn_many(*zip(*examples, strict=True), **first)
    learn_in_turn(mixed, examples[:cut], **first)
    mixed.partial_fit([x for x, _ in examples[cut:]], [y for _, y in examples[cut:]], **first)
    assert learned_state(alone) == learned_state(whole)
    if cut < len(examples):
        assert learned_state(mixed) == learned_state(whole)
    known = sorted({y for _, y in examples} | ({"a", "x"} if named else set()))
    assert alone.classes_.tolist() == known
    asked = [x for x, _ in examples] + [{}]
    table = whole.decision_function(asked)
    assert [alone.predict_one(x) for x in asked] == whole.predict(asked).tolist()
    if len(known) > 2:
        assert [list(alone.decision_one(x).values()) for x in asked] == table.tolist()
        weights = alone.named_weights
        assert list(weights) == known
        assert [list(w.values()) for w in weights.values()] == alone.coef_.tolist()


def test_rows_of_numbers_learn_jointly_too() -> None:
    dice = np.random.default_rng(0)
    X, y = dice.standard_normal((60, 5)), np.array(list("cab"))[dice.integers(0, 3, 60)]
    alone = Perceptron(multiclass="joint")
    for x, label in zip(X, y, strict=True):
        alone.learn_one(x, label)
    assert learned_state(alone) == learned_state(Perceptron(multiclass="joint").partial_fit(X, y))
    assert [alone.predict_one(x) for x in X] == alone.predict(X).tolist()
    again = Perceptron(multiclass="joint", max_iter=2).fit(X, y)
    again.learn_one(X[0], "new")
    assert again.classes_.tolist() == ["a", "b", "c", "new"]


def test_two_classes_have_one_score_and_one_mapping() -> None:
    clf = Perceptron(multiclass="joint")
    clf.learn_one({"a": 1}, "x")
    assert clf.predict_one({"b": 1}) == "x"
    assert clf.decision_one({"a": 1}) == 0.0
    clf.learn_one({"a": 2, "b": 1}, "w")
    assert clf.classes_.tolist() == ["w", "x"]
    assert dict(clf.named_weights) == {"a": -4.0, "b": -2.0}
    assert list(clf.named_weights.values()) == clf.coef_[0].tolist()
    assert clf.decision_one({"b": 3}) == clf.decision_function([{"b": 3}])[0] == -8.0
    assert clf.predict_one({"b": 3}) == "w"
    tie = {"a": -1, "b": 1}
    assert clf.decision_one(tie) == 0.0
    assert clf.predict_one(tie) == clf.predict([tie])[0] == "w"


def test_a_rejected_example_changes_nothing_and_adds_no_class() -> None:
    clf = MarginPerceptron(multiclass="joint", margin=0.5, class_weight={"z": 3.0})
    learn_in_turn(clf, [*letters(1), ({"f1": 1e10}, "a"), ({"f1": 1e10}, "b")])
    before = learned_state(clf)
    for x, y, error in (
        ({"new": None}, "z", BadExample),
        ({"new": 1e308, "f1": 1e308}, "z", BadExample),
        ({"new": 1e308, "f1": 1e308}, "a", BadExample),
        ({"new": 1}, 7, ValueError),
        ({"new": 1}, None, TypeError),
    ):
        with pytest.raises(error):
            clf.learn_one(x, y)
        with pytest.raises(error):
            clf.learn_many([{"f1": 1}, x], ["y", y])
    assert learned_state(clf) == before
    fresh = Perceptron(multiclass="joint")
    with pytest.raises(BadExample, match="feature 'a' is None"):
        fresh.learn_one({"a": None}, 1)
    assert not hasattr(fresh, "classes_")
    assert fresh.predict_one({"a": 1}) is None


def test_names_are_forgotten_in_all_classes() -> None:
    examples = letters(3, 80)
    alone, whole = (
        AveragedPerceptron(multiclass="joint", max_names=10, keep="counts") for _ in range(2)
    )
    learn_in_turn(alone, examples)
    whole.learn_many(*zip(*examples[:50], strict=True))
    learn_in_turn(whole, examples[50:])
    assert learned_state(alone) == learned_state(whole)
    assert len(next(iter(alone.named_weights.values()))) <= 10


def test_classes_that_come_one_by_one_seldom_copy_the_weights() -> None:
    clf, tables = Perceptron(multiclass="joint"), set()
    for i in range(400):
        clf.learn_one({"a": 1.0, f"n{i % 5}": 1.0}, f"c{i}")
        assert clf._engine is not None
        tables.add(id(vars(clf._engine.learners[0])["_w"]))
    assert len(clf.classes_) == 400
    assert len(tables) < 30


@given(st.lists(st.sampled_from(["9", "10", "a", "b", "010", "-1", "+2", "2.0", "Z"]), min_size=1))
def test_classes_are_in_the_same_order_one_by_one_and_at_once(labels: list[str]) -> None:
    for given_labels in (labels, [len(label) * 7 - ord(label[0]) for label in labels]):
        at_once = one_by_one = labels_of(class_array(given_labels[:1]), joint=True)
        at_once = at_once.met(given_labels, None, symmetric=False)
        for label in given_labels:
            one_by_one = one_by_one.met([label], None, symmetric=False)
        assert one_by_one.classes.tolist() == at_once.classes.tolist()
        assert one_by_one.classes.dtype == at_once.classes.dtype
        assert one_by_one.coded == at_once.coded
        assert isinstance(one_by_one, JointLabels)
        assert isinstance(at_once, JointLabels)
        assert one_by_one.numbers.tolist() == at_once.numbers.tolist()
        assert one_by_one.numbers.dtype == at_once.numbers.dtype
