"""scikit-learn's own checks, and its ways of combining estimators."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris, make_classification
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_classifiers_train, check_estimator

from novikoff import (
    AdaptivePerceptron,
    AveragedPerceptron,
    KernelPerceptron,
    MarginPerceptron,
    Perceptron,
    VotedPerceptron,
    Winnow,
)

# one of scikit-learn's checks sets max_iter to 1000, the usual, on data that nothing separates
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

# What cannot hold, and why.
EXPECTED_FAILURES = {
    # A mistake-driven rule makes a step or none. Showing an example twice gives it two chances to
    # be a mistake, the second after the first was learned: a weight of 2 is not two examples.
    **dict.fromkeys(
        (
            "check_sample_weight_equivalence_on_dense_data",
            "check_sample_weight_equivalence_on_sparse_data",
        ),
        "a weight multiplies the step of a mistake; it does not repeat the example",
    ),
    # The label is that of the score, whose sign the theory is about; the probability is calibrated
    # on other examples, and need not be one half where the score is 0.
    "check_classifiers_train": "the likeliest class need not be the one that the score predicts",
    # The isotonic map has levels: different scores may have the same probability.
    "check_decision_proba_consistency": "different scores may have the same probability",
}

FEW = 50  # passes: on data that nothing separates, and many checks have such, all are made

every = pytest.mark.parametrize(
    "kind",
    [Perceptron, MarginPerceptron, AveragedPerceptron, VotedPerceptron, AdaptivePerceptron],
)


def check(estimator: Any, **more: str) -> None:
    """Every check passes but those that cannot hold."""
    results = check_estimator(
        estimator, on_skip=None, on_fail=None, expected_failed_checks=EXPECTED_FAILURES | more
    )
    assert len(results) > 40
    right = ("passed", "xfail")
    assert [(r["check_name"], r["exception"]) for r in results if r["status"] not in right] == []
    if estimator.gives_probabilities:  # the rest of that check holds
        kind = type(estimator)
        bare = type(
            kind.__name__, (kind,), {"__init__": kind.__init__, "gives_probabilities": False}
        )
        for options in ({}, {"readonly_memmap": True}, {"X_dtype": "float32"}):
            check_classifiers_train(kind.__name__, bare(**estimator.get_params()), **options)


@every
def test_every_check_of_scikit_learn_passes(kind: Any) -> None:
    check(kind(max_iter=FEW))


@every
def test_every_check_of_scikit_learn_passes_for_many_classes_jointly(kind: Any) -> None:
    check(kind(multiclass="joint", max_iter=5))


@pytest.mark.parametrize(
    "estimator",
    [
        KernelPerceptron(kernel="linear", fit_intercept=True),
        KernelPerceptron(reading="vote"),
        KernelPerceptron(reading="final"),
        KernelPerceptron(multiclass="joint"),
        KernelPerceptron(reading="vote", multiclass="joint"),
        KernelPerceptron(reading="final", multiclass="joint"),
    ],
    ids=["linear", "poly", "final", "joint", "joint vote", "joint final"],
)
def test_every_check_of_scikit_learn_passes_for_a_kernel(estimator: Any) -> None:
    # a polynomial of degree 3 takes both signs, however much the examples of a class weigh
    more = {"check_class_weight_classifiers": "high degrees"} if estimator.kernel == "poly" else {}
    check(estimator, **more)


@pytest.mark.parametrize("variant", ["balanced", "winnow1", "winnow2"])
def test_every_check_of_scikit_learn_passes_for_each_winnow(variant: Any) -> None:
    check(Winnow(variant=variant, max_iter=FEW))


@every
def test_it_works_in_a_pipeline_with_text(kind: Any) -> None:
    texts = ["free money now", "cheap money free", "see you at lunch", "lunch with you tomorrow"]
    model = make_pipeline(CountVectorizer(), kind()).fit(texts, ["spam", "spam", "ham", "ham"])
    assert model.predict(["free lunch money", "you at lunch"]).tolist() == ["spam", "ham"]


@every
def test_it_can_be_searched_calibrated_and_wrapped(kind: Any) -> None:
    X, y = make_classification(200, 10, random_state=0)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), kind(max_iter=20)),
        {f"{kind.__name__.lower()}__fit_intercept": [True, False]},
        cv=3,
    ).fit(X, y)
    assert search.best_score_ > 0.7
    calibrated = CalibratedClassifierCV(kind(max_iter=20), cv=3).fit(X, y)
    chances = calibrated.predict_proba(X)
    assert np.allclose(chances.sum(axis=1), 1)
    assert calibrated.score(X, y) > 0.7
    X3, y3 = load_iris(return_X_y=True)
    few = kind(max_iter=9)
    if kind is AdaptivePerceptron:  # which learns many classes jointly, unless asked to
        few = kind(max_iter=9, multiclass="ovr")
    wrapped, own = OneVsRestClassifier(kind(max_iter=9)).fit(X3, y3), few.fit(X3, y3)
    if kind is VotedPerceptron:  # the wrapper compares votes of runs of different lengths
        assert own.score(X3, y3) >= wrapped.score(X3, y3) > 0.5
    else:
        assert np.array_equal(wrapped.predict(X3), own.predict(X3))
    assert cross_val_score(kind(max_iter=20), X, y, cv=3).mean() > 0.7
