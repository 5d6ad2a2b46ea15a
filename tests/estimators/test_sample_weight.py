"""Examples that count more than others: in `fit`, in batches, one by one."""

from __future__ import annotations

import math
import pickle
from functools import partial
from typing import Any

import numpy as np
import pytest

from novikoff import (
    AdaptivePerceptron,
    AveragedPerceptron,
    MarginPerceptron,
    Perceptron,
    VotedPerceptron,
    Winnow,
    play,
    sources,
)
from novikoff.learners import Additive
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample

KINDS = [
    Perceptron,
    MarginPerceptron,
    AveragedPerceptron,
    VotedPerceptron,
    partial(AdaptivePerceptron, keep="examples"),
    Winnow,
]
every = pytest.mark.parametrize("kind", KINDS)


def drawn(n: int = 200, classes: int = 2) -> tuple[Any, Any, Any]:
    """Rows with all their bits in use, labels, and weights, some of them 0."""
    dice = np.random.default_rng(n + classes)
    X, y = dice.standard_normal((n, 7)), dice.integers(0, classes, n)
    return X, y, np.where(dice.random(n) < 0.2, 0.0, dice.lognormal(0, 1, n))


def dicts(X: Any) -> list[dict[str, float]]:
    return [{f"x{j}": v for j, v in enumerate(x)} for x in X.tolist()]


def same(one: Any, other: Any) -> bool:
    """Whether two estimators have the same weights and the same mistakes, to the bit."""
    equal = one.coef_.tobytes() == other.coef_.tobytes()
    equal &= one.intercept_.tobytes() == other.intercept_.tobytes()
    for a, b in zip(one.runs_, other.runs_, strict=True):
        of_a, of_b = a.ledger.mistakes.columns, b.ledger.mistakes.columns
        equal &= of_a.keys() == of_b.keys()
        equal &= all(of_a[name].tobytes() == of_b[name].tobytes() for name in of_a)
    return bool(equal)


@every
@pytest.mark.parametrize("named", [False, True])
def test_weighted_examples_one_by_one_are_the_weighted_block(kind: Any, named: bool) -> None:
    X, y, h = drawn()
    xs = dicts(X) if named else list(X)
    single, block, mixed = kind(), kind(), kind()
    for i, (x, label, weight) in enumerate(zip(xs, y.tolist(), h.tolist(), strict=True)):
        single.learn_one(x, label, classes=[0, 1] if i == 0 else None, weight=weight)
    block.learn_many(xs if named else X, y, classes=[0, 1], sample_weight=h)
    mixed.learn_many(xs[:50] if named else X[:50], y[:50], classes=[0, 1], sample_weight=h[:50])
    for x, label, weight in zip(xs[50:], y[50:].tolist(), h[50:].tolist(), strict=True):
        mixed.learn_one(x, label, weight=weight)
    assert same(single, block)
    assert same(mixed, block)
    assert (single.ledger_.rows != np.flatnonzero(h == 0)[:, None]).all()


@pytest.mark.parametrize("multiclass", ["ovr", "joint"])
def test_the_weights_of_many_classes_are_the_same_one_by_one(multiclass: Any) -> None:
    X, y, h = drawn(classes=4)
    single = Perceptron(multiclass=multiclass)
    block = Perceptron(multiclass=multiclass)
    for i, (x, label, weight) in enumerate(zip(X, y.tolist(), h.tolist(), strict=True)):
        single.learn_one(x, label, classes=range(4) if i == 0 else None, weight=weight)
    block.partial_fit(X, y, classes=range(4), sample_weight=h)
    assert same(single, block)


def test_weights_count_when_names_are_forgotten() -> None:
    X, y, h = drawn()
    few: dict[str, Any] = {"keep": "counts", "max_names": 5}
    xs = [{f"x{i % 40}": 1.0, "x": float(x[0])} for i, x in enumerate(X)]
    single, block = Perceptron(**few), Perceptron(**few)
    for i, (x, label, weight) in enumerate(zip(xs, y.tolist(), h.tolist(), strict=True)):
        single.learn_one(x, label, classes=[0, 1] if i == 0 else None, weight=weight)
    block.learn_many(xs, y, classes=[0, 1], sample_weight=h)
    assert dict(single.named_weights) == dict(block.named_weights)


@pytest.mark.parametrize("shuffle", [False, "once", True])
def test_fit_multiplies_the_steps_by_the_weights(shuffle: Any) -> None:
    X, y, h = drawn()
    fitted = Perceptron(shuffle=shuffle, max_iter=3).fit(X, y, sample_weight=h)
    ledger = fitted.ledger_
    assert ledger.steps.tolist() == (ledger.labels * h[ledger.rows]).tolist()
    if not shuffle:
        learner, signs = Additive(7, bias=True), np.where(y > 0, 1, -1).astype(np.int8)
        play(Block(sources.block(X, signs).rows, signs, importances=h), learner, epochs=3)
        assert fitted.coef_[0].tolist() == learner.weights[:-1].tolist()


@every
def test_weights_of_one_change_no_bit(kind: Any) -> None:
    X, y, _ = drawn()
    plain, weighed = kind(max_iter=3).fit(X, y), kind(max_iter=3)
    assert same(plain, weighed.fit(X, y, sample_weight=np.ones(len(y))))
    assert same(plain, weighed.fit(X, y, sample_weight=1))


@every
def test_examples_of_weight_zero_are_scored_and_not_learned_from(kind: Any) -> None:
    X, y, h = drawn()
    some = kind(max_iter=1, shuffle=False).fit(X, y, sample_weight=h)
    less = kind(max_iter=1, shuffle=False).fit(X[h > 0], y[h > 0], sample_weight=h[h > 0])
    assert some.ledger_.n_rounds == 200
    assert some.ledger_.steps.tobytes() == less.ledger_.steps.tobytes()
    if kind is not AveragedPerceptron:  # it counts rounds
        assert some.coef_.tobytes() == less.coef_.tobytes()
    X[h == 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        some.partial_fit(X, y, sample_weight=h)


@pytest.mark.parametrize("wrong", [-1.0, math.nan, math.inf])
def test_a_weight_is_finite_and_at_least_zero(wrong: float) -> None:
    X, y, h = drawn()
    h[3] = wrong
    learned = Perceptron(max_iter=9).fit(X, y)
    before = pickle.dumps(learned)
    for learn in (learned.fit, learned.partial_fit, learned.learn_many):
        with pytest.raises(BadExample, match=f"row 3: sample_weight {wrong!r} must be finite"):
            learn(X, y, sample_weight=h)
    with pytest.raises(BadExample, match="weight .*must be|weight must be"):
        learned.learn_one(X[0], 1, weight=wrong)
    assert pickle.dumps(learned) == before


def test_there_is_one_weight_for_each_example() -> None:
    X, y, h = drawn()
    for bad in (h[1:], h[:, None], "many", [[1], [1, 2]]):
        for learn in (Perceptron().fit, Perceptron().learn_many):
            with pytest.raises(ValueError, match="sample_weight must h"):
                learn(X, y, sample_weight=bad)
    with pytest.raises(ValueError, match="all sample weights are zero"):
        Perceptron().fit(X, y, sample_weight=0)
    with pytest.raises(BadExample, match="weight must be a finite number from 0, not '2'"):
        Perceptron().learn_one(X[0], 1, weight="2")  # type: ignore[arg-type]


def test_a_step_too_large_for_float64_is_refused_by_its_weight() -> None:
    learner = Perceptron(class_weight={0: 1e300, 1: 1.0})
    learner.learn_one({"a": 1.0}, 1, classes=[0, 1])
    with pytest.raises(BadExample, match="its weight times the rate is too large for float64"):
        learner.learn_one({"a": 1.0}, 0, weight=1e300)
    assert learner.n_mistakes_ == 1
