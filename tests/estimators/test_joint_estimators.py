"""Estimators that learn many classes jointly: one run, and classes that may appear in it."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.datasets import load_digits

from helpers.strategies import Data, dyadic_data
from novikoff import (
    AdaptivePerceptron,
    AveragedPerceptron,
    Joint,
    MarginPerceptron,
    Perceptron,
    VotedPerceptron,
    guarantees,
    play,
    sources,
)
from novikoff.ledger import readings

KINDS = [Perceptron, MarginPerceptron, AveragedPerceptron, VotedPerceptron]
every = pytest.mark.parametrize("kind", KINDS)
X, digits = load_digits(return_X_y=True)
X, y = X[:300], np.array(list("zyxwvutsrq"))[digits[:300]]  # the classes appear in reverse order


def jointly(kind: Any, **settings: Any) -> Any:
    return kind(multiclass="joint", **settings)


def same(a: Any, b: Any) -> bool:
    columns = [one.ledger_.mistakes.columns for one in (a, b)]
    return (
        a.coef_.tobytes() == b.coef_.tobytes()
        and a.intercept_.tobytes() == b.intercept_.tobytes()
        and np.array_equal(a.classes_, b.classes_)
        and all(np.array_equal(columns[0][name], columns[1][name]) for name in columns[0])
        and np.array_equal(a.decision_function(X), b.decision_function(X))
    )


def test_the_adaptive_perceptron_learns_more_than_two_classes_jointly_and_averaged() -> None:
    names = [*"qrstuvwxyz"]
    joint = AdaptivePerceptron(multiclass="joint", average=True, shuffle=False, max_iter=1)
    usual = AdaptivePerceptron(shuffle=False, max_iter=1).fit(X, y)
    assert usual.coef_.tobytes() == joint.fit(X, y).coef_.tobytes()
    assert len(usual.runs_) == 1
    stream, single = AdaptivePerceptron(), AdaptivePerceptron()
    stream.partial_fit(X, y, classes=names)
    for i in range(len(y)):
        single.learn_one(X[i], y[i], classes=names if i == 0 else None)
    assert stream.coef_.tobytes() == single.coef_.tobytes()
    assert len(AdaptivePerceptron(matrix="full", max_iter=1).fit(X, y).runs_) == 10
    two = np.isin(y, ["z", "y"])
    few = AdaptivePerceptron().fit(X[two], y[two])
    last = AdaptivePerceptron(multiclass="ovr").fit(X[two], y[two])
    assert few.coef_.tobytes() == last.coef_.tobytes()


@every
def test_it_is_one_run_of_the_learner(kind: Any) -> None:
    clf = jointly(kind, shuffle=False, max_iter=4, eta0=0.5).fit(X, y)
    margin = getattr(clf, "margin", 0.0)
    learner = Joint(64, classes=10, bias=True, rate=0.5, margin=margin, averaging=True)
    block = sources.classes_block(X, np.searchsorted(clf.classes_, y))
    run = play(block, learner, epochs=4)
    assert (clf.n_mistakes_, clf.verdict_, len(clf.runs_)) == (len(run.ledger), "budget", 1)
    w = learner.average if kind is AveragedPerceptron else learner.weights
    assert np.array_equal(np.column_stack([clf.coef_, clf.intercept_]), w)
    scores = {
        "final": learner.scores(block.rows),
        "vote": readings.vote(run.ledger, block.rows),
    }
    for reading, table in scores.items():
        assert np.array_equal(clf.decision_function(X, reading=reading), table)
    average = clf.decision_function(X, reading="average")
    assert np.allclose(average, X @ learner.average[:, :-1].T + learner.average[:, -1], rtol=1e-9)
    best = clf.decision_function(X).argmax(axis=1)
    assert np.array_equal(clf.predict(X), clf.classes_[best])


@every
def test_two_classes_have_scikit_learns_shapes_and_the_run_of_one_against_the_other(
    kind: Any,
) -> None:
    two = digits[:300] < 2
    both = y[two]
    clf = jointly(kind).fit(X[two], both)
    # an example is ahead by twice its score, and so must be by twice the margin
    rule = {"margin": 0.5} if kind is MarginPerceptron else {}
    one = kind(**rule).fit(X[two], both)
    assert clf.ledger_.rows.tolist() == one.ledger_.rows.tolist()
    assert np.array_equal(clf.coef_, 2 * one.coef_)
    assert np.array_equal(clf.intercept_, 2 * one.intercept_)
    assert clf.decision_function(X).shape == (300,)
    assert np.array_equal(clf.predict(X), one.predict(X))


@given(dyadic_data(), st.data())
def test_where_a_stream_is_cut_does_not_matter_nor_when_classes_appear(
    data: Data, draw: st.DataObject
) -> None:
    labels = draw.draw(
        st.lists(st.sampled_from("dbcae"), min_size=len(data), max_size=len(data)).map(np.array)
    )
    kind = draw.draw(st.sampled_from(KINDS))
    weights = draw.draw(st.sampled_from([None, {"b": 2.0, "e": 0.5}]))
    cut = draw.draw(st.integers(0, len(data)))
    whole = jointly(kind, class_weight=weights).partial_fit(data.X, labels)
    parts = jointly(kind, class_weight=weights)
    for some in (slice(0, cut), slice(cut, None)):
        if len(labels[some]):
            parts.partial_fit(data.X[some], labels[some])
            assert parts.classes_.tolist() == sorted({*labels[: some.stop]})
    rows = data.rows()
    assert parts.coef_.tobytes() == whole.coef_.tobytes()
    assert np.array_equal(parts.ledger_.rivals, whole.ledger_.rivals)
    assert np.array_equal(parts.decision_function(data.X), whole.decision_function(data.X))
    # the run is that of the learner on numbers in the order of appearance
    order = list(dict.fromkeys(labels.tolist()))
    learner = Joint(
        data.dim,
        bias=True,
        margin=getattr(whole, "margin", 0.0),
        class_weights=[(weights or {}).get(label, 1.0) for label in order],
    )
    numbers = [order.index(label) for label in labels.tolist()]
    run = play(sources.classes_block(data.X, numbers), learner)
    assert np.array_equal(run.ledger.rows, whole.ledger_.rows)
    if len(order) > 2:
        columns = [order.index(label) for label in whole.classes_]
        final = whole.decision_function(data.X, reading="final")
        assert np.array_equal(final, learner.scores(rows)[:, columns])


@every
def test_a_pass_of_fit_is_a_stream_of_classes_that_were_named(kind: Any) -> None:
    fitted = jointly(kind, shuffle=False, max_iter=1).fit(X, y)
    named = jointly(kind).partial_fit(X[:9], y[:9], classes=np.unique(y))
    assert same(named.partial_fit(X[9:], y[9:]), fitted)
    unnamed = jointly(kind).partial_fit(X, y)
    assert not np.array_equal(unnamed.ledger_.rows, fitted.ledger_.rows)


def test_a_stream_after_fit_may_have_new_classes() -> None:
    few = digits[:300] < 3
    clf = jointly(Perceptron, shuffle=False).fit(X[few], y[few])
    assert clf.classes_.tolist() == ["x", "y", "z"]
    before = clf.ledger_.n_mistakes
    clf.partial_fit(X, y)
    assert clf.classes_.tolist() == sorted("zyxwvutsrq")
    assert clf.coef_.shape == (10, 64)
    in_order = readings.final(clf.ledger_)[clf._engine.labels.numbers]
    assert np.array_equal(in_order[:, :-1], clf.coef_)
    assert clf.mistakes_per_epoch_[-1] == clf.n_mistakes_ - before


def test_a_named_class_is_a_rival_before_its_first_example() -> None:
    clf = jointly(Perceptron).partial_fit([[1.0]], ["b"], classes=["a", "b"])
    assert clf.n_mistakes_ == 1
    clf.partial_fit([[1.0]], ["b"], classes=["a", "b", "c"])
    assert clf.classes_.tolist() == ["a", "b", "c"]
    assert clf.coef_.tolist() == [[-1.0], [1.0], [0.0]]


def test_one_class_alone_teaches_nothing_and_is_what_is_predicted() -> None:
    clf = jointly(VotedPerceptron).partial_fit([[1.0], [2.0]], ["a", "a"])
    assert (clf.n_mistakes_, clf.classes_.tolist()) == (0, ["a"])
    assert clf.predict([[1.0], [-1.0]]).tolist() == ["a", "a"]
    assert clf.coef_.tolist() == [[0.0]]
    assert "the run made no mistake" in str(clf.summary())


@pytest.mark.parametrize("labels", [["b", "a"], ["c", "b", "a"]])
def test_of_equal_scores_the_first_class_is_predicted(labels: list[str]) -> None:
    clf = jointly(Perceptron, fit_intercept=False)
    clf.partial_fit(np.eye(len(labels)), labels)
    assert clf.predict(np.zeros((1, len(labels)))).tolist() == ["a"]


def test_class_weights_are_factors_of_the_rate() -> None:
    data = [[1.0, 0.0], [0.0, 1.0]], ["b", "a"]
    clf = jointly(
        Perceptron, shuffle=False, fit_intercept=False, class_weight={"a": 4.0}, max_iter=1
    )
    assert clf.fit(*data).coef_.tolist() == [[2.0, -8.0]]
    assert clf.ledger_.steps.tolist() == [1.0, 4.0]
    balanced = jointly(Perceptron, class_weight="balanced").fit(X, y)
    counts = np.unique(y, return_counts=True)[1]
    assert sorted(set(balanced.ledger_.steps)) == pytest.approx(sorted(set(30 / counts)))
    with pytest.raises(ValueError, match="'balanced' needs all labels"):
        jointly(Perceptron, class_weight="balanced").partial_fit(X, y)
    with pytest.raises(ValueError, match="positive and finite"):
        jointly(Perceptron, class_weight={"q": -1.0}).partial_fit(X, y)


@every
def test_a_start_is_in_the_shape_of_the_coefficients(kind: Any) -> None:
    once: dict[str, Any] = {"shuffle": False, "max_iter": 1}
    for some in (digits[:300] < 10, digits[:300] < 2):
        first = jointly(Perceptron, **once).fit(X[some], y[some])
        again = jointly(kind, **once)
        again.fit(X[some], y[some], coef_init=first.coef_, intercept_init=first.intercept_)
        assert np.array_equal(
            again.weights("final")[0],
            jointly(kind, **once | {"max_iter": 2}).fit(X[some], y[some]).weights("final")[0],
        )
    drawn = jointly(kind, **once, random_state=3).fit(X, y, coef_init="random")
    assert drawn.ledger_.start.shape == (65, 10)
    with pytest.raises(ValueError, match=r"expected \(10, 64\)"):
        jointly(kind).fit(X, y, coef_init=np.zeros((9, 64)))


@every
def test_a_pickled_joint_estimator_continues_and_a_clone_starts_again(kind: Any) -> None:
    clf = jointly(kind).partial_fit(X[:100], y[:100])
    again = pickle.loads(pickle.dumps(clf))
    assert same(again.partial_fit(X[100:], y[100:]), clf.partial_fit(X[100:], y[100:]))
    assert clone(clf).multiclass == "joint"


def test_keep_chooses_what_the_joint_ledger_keeps() -> None:
    clf = jointly(AveragedPerceptron, keep="counts", max_iter=3).fit(X, y)
    full = jointly(AveragedPerceptron, max_iter=3).fit(X, y)
    assert np.array_equal(clf.predict(X), full.predict(X))
    with pytest.raises(ValueError, match="kept counts only|kept positions only"):
        clf.predict(X, reading="vote")


def test_the_summary_and_the_bound_are_those_of_the_run() -> None:
    clf = jointly(Perceptron).fit(X, y)
    assert clf.verdict_ == "separated"
    summary = clf.summary(X, y)
    w = np.column_stack([clf.coef_, clf.intercept_])
    assert summary.bound == guarantees.joint_bound(clf.ledger_, w)
    assert (summary.classes, summary.separates, summary.examples) == (10, True, 300)


def refuse(words: str, clf: Any) -> None:
    with pytest.raises(ValueError, match=words):
        clf.fit(X, y)


def test_bad_input_raises_an_error_and_changes_nothing() -> None:
    refuse("'ovr' or 'joint', not 'crammer'", jointly(Perceptron).set_params(multiclass="crammer"))
    for ties in ("positive", "negative"):
        refuse(f"ties='{ties}' applies to two classes only", jointly(Perceptron, ties=ties))
    with pytest.raises(ValueError, match="only one class: 'z'"):
        jointly(Perceptron).fit(X[:1], y[:1])
    clf = jointly(Perceptron).partial_fit(X, y)
    before = pickle.dumps(clf)
    numbers: NDArray[Any] = np.arange(3)
    with pytest.raises(ValueError, match="all texts or all numbers, not 0 and 'q'"):
        clf.partial_fit(X[:3], numbers)
    with pytest.raises(ValueError, match="NaN"):
        clf.partial_fit([[np.nan] * 64], ["new"])
    with pytest.raises(ValueError, match="label 0.5 is not a whole number"):
        jointly(Perceptron).partial_fit(X[:3], [0.5, 1.5, 2.5])
    assert pickle.dumps(clf) == before


def test_a_line_is_printed_for_each_pass(capsys: pytest.CaptureFixture[str]) -> None:
    jointly(Perceptron, max_iter=1, verbose=1).fit(X, y)
    assert capsys.readouterr().out.startswith("epoch 1: ")
