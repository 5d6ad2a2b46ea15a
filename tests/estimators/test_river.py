"""The adapter for river: its checks, its pipelines and metrics, and its Perceptron's answers."""

from __future__ import annotations

import importlib
import pickle
import sys
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from river import (
    base,
    checks,
    datasets,
    evaluate,
    feature_extraction,
    linear_model,
    metrics,
    preprocessing,
)

from helpers.processes import in_a_new_process
from novikoff import (
    AdaptivePerceptron,
    AveragedPerceptron,
    BadExample,
    MarginPerceptron,
    Perceptron,
    Protocol,
    VotedPerceptron,
    Winnow,
    progressive_validation,
)
from novikoff.estimators.river import ForRiver

LEARNERS = [
    Perceptron(),
    MarginPerceptron(),
    AveragedPerceptron(),
    AdaptivePerceptron(),
    VotedPerceptron(),
    Winnow(),
    Winnow(variant="winnow1", threshold=4),
    Perceptron(hash_bits=6, keep="counts"),
]


def scaled(model: base.Classifier) -> Any:
    return preprocessing.StandardScaler() | model


@pytest.mark.parametrize("estimator", LEARNERS, ids=str)
def test_the_checks_of_river_pass(estimator: Any) -> None:
    model = ForRiver(estimator)
    assert not getattr(model, "_unit_test_skips", set)()
    ran = []
    for check in checks.yield_checks(model):
        check(model.clone())
        ran.append(check.__name__)
    assert {
        "check_shuffle_features_no_impact",
        "check_emerging_features",
        "check_learn_many_matches_learn_one",
        "check_predict_many_matches_predict_one",
        "check_bounded_memory_growth",
    } <= set(ran)


def test_rules_for_numbers_from_0_say_so() -> None:
    tagged = {str(e): base.tags.POSITIVE_INPUT in ForRiver(e)._tags for e in LEARNERS}
    assert [name for name, tag in tagged.items() if tag] == [
        "Winnow(threshold=4, variant='winnow1')"
    ]


def like_rivers() -> Any:
    return scaled(ForRiver(Perceptron(ties="negative"), at_first=False))


def test_the_perceptron_of_river_is_reproduced_prediction_for_prediction() -> None:
    """It says False at a score of 0, and has False and True before it has met either.

    It also learns at 0 from a False, which "negative" does not; on these data that never happens.
    """
    ours, theirs = like_rivers(), scaled(linear_model.Perceptron())
    for x, y in datasets.Phishing():
        assert ours.predict_one(x) == theirs.predict_one(x)
        ours.learn_one(x, y)
        theirs.learn_one(x, y)
    weights = dict(ours["ForRiver"].learner.named_weights)
    # the same updates, added up by river in another way
    assert weights == pytest.approx(theirs["Perceptron"].weights, rel=1e-9)
    metric = evaluate.progressive_val_score(datasets.Phishing(), like_rivers(), metrics.Accuracy())
    assert f"{metric.get():.4f}" == "0.8584"


def test_before_any_label_there_is_no_prediction_unless_one_is_given() -> None:
    x = next(iter(datasets.Phishing()))[0]
    assert ForRiver(Perceptron()).predict_one(x) is None
    assert ForRiver(Perceptron(), at_first=True).predict_one(x) is True
    frame = pd.DataFrame([x, x], index=["a", "b"])
    assert ForRiver(Perceptron()).predict_many(frame).tolist() == [None, None]
    assert ForRiver(Perceptron(), at_first="ham").predict_many(frame).to_dict() == {
        "a": "ham",
        "b": "ham",
    }
    assert ForRiver(Perceptron()).predict_many(frame[:0]).empty


def test_a_clone_starts_from_the_estimator_as_it_was_given() -> None:
    stream = list(datasets.Phishing().take(100))
    known = Perceptron()
    for x, y in stream[:50]:
        known.learn_one(x, y)
    weights = dict(known.named_weights)
    model = ForRiver(known)
    for x, y in stream[50:]:
        model.learn_one(x, y)
    assert model.learner.named_weights != weights
    assert known.named_weights == model.clone().learner.named_weights == weights
    again = pickle.loads(pickle.dumps(model))
    assert again.learner.named_weights == model.learner.named_weights


def test_frames_of_pandas_and_polars_come_back_as_series() -> None:
    stream = list(datasets.Phishing().take(200))
    X, y = [x for x, _ in stream], [y for _, y in stream]
    one, panda, polar = (ForRiver(Perceptron()) for _ in range(3))
    for x, label in stream:
        one.learn_one(x, label)
    panda.learn_many(pd.DataFrame(X), pd.Series(y, name="phishing"))
    polar.learn_many(pl.DataFrame(X), pl.Series("phishing", y))
    assert one.learner.named_weights == panda.learner.named_weights == polar.learner.named_weights
    said = panda.predict_many(pd.DataFrame(X, index=range(1000, 1200)))
    assert (said.name, said.index[0], said.dtype) == ("phishing", 1000, np.bool_)
    assert said.tolist() == [one.predict_one(x) for x in X]
    assert polar.predict_many(pl.DataFrame(X)).equals(pl.Series("phishing", said.to_numpy()))
    with pytest.raises(TypeError, match="X must be a frame of pandas or polars, not list"):
        one.predict_many(X)


def test_minibatches_go_through_a_pipeline() -> None:
    model = scaled(ForRiver(Perceptron()))
    stream = list(datasets.Phishing())
    metric = metrics.Accuracy()
    for at in range(0, 1250, 50):
        X = pd.DataFrame([x for x, _ in stream[at : at + 50]])
        y = pd.Series([y for _, y in stream[at : at + 50]])
        for truth, said in zip(y, model.predict_many(X), strict=True):
            if said is not None:
                metric.update(truth, said)
        model.learn_many(X, y)
    assert metric.get() > 0.8


def test_the_classes_are_named_where_the_estimator_needs_them() -> None:
    segments = list(datasets.ImageSegments().take(400))
    labels = sorted({y for _, y in segments})
    alone, many = (ForRiver(Perceptron(), classes=labels) for _ in range(2))
    assert alone._multiclass
    assert not ForRiver(Perceptron(), classes=["ham", "spam"])._multiclass
    model = scaled(alone)
    metric = evaluate.progressive_val_score(segments, model, metrics.Accuracy())
    assert metric.get() > 0.7
    assert alone.learner.classes_.tolist() == labels
    X, y = pd.DataFrame([x for x, _ in segments]), pd.Series([y for _, y in segments])
    many.learn_many(X[:0], y[:0])  # nothing yet, so nothing is begun
    many.learn_many(X[:9], y[:9])
    many.learn_many(X[9:], y[9:])
    assert many.learner.classes_.tolist() == labels
    asymmetric = ForRiver(Perceptron(ties="negative"), classes=["ham", "spam"])
    asymmetric.learn_one({"free": 1}, "ham")
    assert asymmetric.predict_one({"free": 1}) == "ham"
    with pytest.raises(ValueError, match="classes"):
        ForRiver(Perceptron(ties="negative")).learn_one({"free": 1}, "ham")


def test_rules_without_probabilities_say_so() -> None:
    model = ForRiver(VotedPerceptron())
    with pytest.raises(NotImplementedError):
        model.predict_proba_one({})
    with pytest.raises(NotImplementedError):
        evaluate.progressive_val_score(datasets.Phishing(), model, metrics.LogLoss())


def test_rules_with_probabilities_are_judged_by_them() -> None:
    model = preprocessing.StandardScaler() | ForRiver(AveragedPerceptron())
    loss = evaluate.progressive_val_score(datasets.Phishing(), model, metrics.LogLoss())
    assert loss.get() < 0.5  # by chance 0.69
    assert set(model.predict_proba_one(next(iter(datasets.Phishing()))[0])) == {False, True}


def test_only_an_estimator_can_be_wrapped() -> None:
    with pytest.raises(TypeError, match="needs an estimator with learn_one.*, not dict"):
        ForRiver({})
    with pytest.raises(TypeError, match="not its class: Perceptron"):
        ForRiver(Perceptron)


def test_progressive_validation_agrees_with_that_of_river() -> None:
    """With labels at once, and late: river's delay d brings it before the d-th next example."""
    for ours, theirs in ((None, None), (9, 10)):
        said = scaled(linear_model.Perceptron())
        p = progressive_validation(datasets.Phishing(), said, delay=ours)
        metric = evaluate.progressive_val_score(
            datasets.Phishing(), scaled(linear_model.Perceptron()), metrics.Accuracy(), delay=theirs
        )
        assert 1 - p.error_rate == pytest.approx(metric.get(), abs=1e-12)  # river adds up a mean
        assert p.labelled == 1250


def test_a_pipeline_of_river_waits_for_its_labels_and_is_saved_with_them() -> None:
    p = Protocol(like_rivers())
    stream = list(datasets.Phishing().take(30))
    tickets = [p.ask(x) for x, _ in stream]
    for i in range(0, 30, 2):
        p.tell(tickets[i], stream[i][1])
    again = pickle.loads(pickle.dumps(p))
    for i in range(1, 30, 2):
        assert again.tell(tickets[i].id, stream[i][1]) == p.tell(tickets[i], stream[i][1])
    assert (again.mistakes, again.curve) == (p.mistakes, p.curve)


def test_novikoff_does_without_river() -> None:
    code = "import sys; from novikoff import Perceptron, Protocol; print('river' in sys.modules)"
    assert in_a_new_process(code) == "False"


def test_without_river_the_adapter_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "river", None)
    monkeypatch.delitem(sys.modules, "novikoff.estimators.river")
    with pytest.raises(
        ImportError, match=r"river is not installed|pip install 'novikoff\[river\]'"
    ):
        importlib.import_module("novikoff.estimators.river")


def test_n_grams_are_named_by_their_words() -> None:
    words = feature_extraction.BagOfWords(ngram_range=(1, 2))
    model: Any = words | ForRiver(Perceptron())
    for text, spam in (("free prize", True), ("free lunch", False)):
        model.learn_one(text, spam)
    assert model.predict_one("free prize") is True
    assert list(model["ForRiver"].learner.named_weights) == [
        "free", "prize", "free prize", "lunch", "free lunch",
    ]  # fmt: skip
    with pytest.raises(
        BadExample, match=r"two features have the name 'a b'; one of them is \('a', 'b'\)"
    ):
        ForRiver(Perceptron()).learn_one({"a b": 1, ("a", "b"): 1}, True)


def test_metrics_that_need_probabilities_raise_an_error() -> None:
    with pytest.raises(NotImplementedError, match="Perceptron gives no probabilities, which"):
        evaluate.progressive_val_score(
            datasets.Phishing().take(9), ForRiver(VotedPerceptron()), metrics.ROCAUC()
        )
