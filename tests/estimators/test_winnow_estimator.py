"""Winnow as an estimator: the learner's runs, and what it says of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from helpers.strategies import seeds
from novikoff import BadExample, Perceptron, Summary, Winnow, guarantees, play, sources
from novikoff.learners import BalancedWinnow, Winnow1, Winnow2
from novikoff.learners.multiplicative import VARIANTS, Variant

every_variant = pytest.mark.parametrize("variant", VARIANTS)


def disjunction(
    seed: int, rows: int, n: int, k: int
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    X = (np.random.default_rng(seed).random((rows, n)) < 0.1).astype(np.float64)
    return X, X[:, :k].max(axis=1) > 0


@settings(max_examples=30)
@given(seed=seeds, variant=st.sampled_from(VARIANTS))
def test_fit_is_the_learners_run(seed: int, variant: Variant) -> None:
    X, y = disjunction(seed, 60, 30, 2)
    if y.all() or not y.any():
        return
    learner = {"winnow1": Winnow1(30), "winnow2": Winnow2(30), "balanced": BalancedWinnow(30)}
    clf = Winnow(variant=variant, shuffle=False).fit(X, y)
    run = play(sources.block(X, np.where(y, 1, -1)), learner[variant], epochs=1000)
    assert clf.ledger_.rounds.tolist() == run.ledger.rounds.tolist()
    assert clf.coef_[0].tolist() == learner[variant].weights[:30].tolist()
    assert clf.verdict_ == str(run.verdict)


@every_variant
@pytest.mark.parametrize("classes", [2, 3])
def test_the_coefficients_give_the_scores(variant: Variant, classes: int) -> None:
    dice = np.random.default_rng(3)
    X = np.abs(dice.standard_normal((80, 6)))
    y = X[:, :classes].argmax(axis=1)
    clf = Winnow(variant=variant, max_iter=5, threshold=1.5).fit(X, y)
    scores = X @ clf.coef_.T + clf.intercept_
    assert np.allclose(scores, clf.decision_function(X).reshape(len(X), -1))
    assert np.allclose(clf.decision_function(sparse.csr_array(X)), clf.decision_function(X))
    if variant != "balanced":
        assert (clf.coef_ >= 0).all()
        assert clf.intercept_.tolist() == [-1.5] * len(clf.intercept_)


@every_variant
def test_a_stream_in_pieces_is_one_pass(variant: Variant) -> None:
    X, y = disjunction(0, 200, 40, 3)
    whole = Winnow(variant=variant).partial_fit(X, y, classes=[False, True])
    parts = Winnow(variant=variant)
    for at in range(0, 200, 70):
        parts.partial_fit(X[at : at + 70], y[at : at + 70], classes=[False, True])
    assert whole.coef_.tolist() == parts.coef_.tolist()
    assert whole.n_mistakes_ == parts.n_mistakes_


@pytest.mark.parametrize("seed", range(5))
def test_its_mistakes_are_within_the_bounds_and_fewer_than_the_perceptrons(seed: int) -> None:
    X, y = disjunction(seed, 500, 1000, 3)
    one, two = (Winnow(variant=v).fit(X, y) for v in ("winnow1", "winnow2"))
    assert one.verdict_ == two.verdict_ == "separated"
    assert one.n_mistakes_ <= guarantees.winnow1_bound(1000, 3).bound
    assert two.n_mistakes_ <= guarantees.doubling_bound(1000, 3).bound
    assert max(one.n_mistakes_, two.n_mistakes_) * 2 < Perceptron().fit(X, y).n_mistakes_


def test_the_usual_alpha_learns_standardised_digits() -> None:
    X, y = load_digits(return_X_y=True)
    clf = make_pipeline(StandardScaler(), Winnow(max_iter=20)).fit(X[:1200], y[:1200])
    assert clf.score(X[1200:], y[1200:]) > 0.85


@every_variant
def test_winnow_has_only_the_final_reading(variant: Variant) -> None:
    clf = Winnow(variant=variant).fit([[1, 0], [0, 1]], [0, 1])
    assert clf.decision_function([[1, 0]], reading="final").tolist()[0] < 0
    for reading in ("average", "vote"):
        with pytest.raises(ValueError, match="weights that are a sum of the mistakes"):
            clf.decision_function([[1, 0]], reading=reading)
    with pytest.raises(ValueError, match="weights that are a sum of the mistakes"):
        clf.weights("average")


def test_only_balanced_winnow_has_a_constant() -> None:
    X, y = disjunction(1, 50, 10, 2)
    assert Winnow(fit_intercept=False).fit(X, y).intercept_.tolist() == [0.0]
    assert Winnow().fit(X, y).intercept_.tolist() != [0.0]
    assert Winnow(variant="winnow2").fit(X, y).intercept_.tolist() == [-10.0]
    assert Winnow(variant="winnow1").fit(X, y).intercept_.tolist() == [-5.0]


def test_a_summary_counts_what_it_can_and_says_why_there_is_no_more() -> None:
    X, y = disjunction(0, 400, 100, 3)
    clf = Winnow(variant="winnow2").fit(X, y)
    said = clf.summary(X, y)
    assert isinstance(said, Summary)
    assert said.error_bound is not None
    assert said.mistakes == clf.n_mistakes_
    assert said.epochs == clf.n_iter_
    assert said.error_bound.mistakes == clf.mistakes_per_epoch_[0]
    assert (said.bound, said.sandwich, said.radius_squared) == (None, None, None)
    assert "doubling_bound" in said.unknown["bound"]
    text = str(said)
    assert f"mistakes       {clf.n_mistakes_}:" in text
    assert "none: the proof needs weights that are a sum of the mistakes" in text
    assert said.to_dict()["unknown"].keys() == {"margin", "bound", "sandwich"}


def test_a_summary_of_many_classes_has_a_line_for_each() -> None:
    X, _ = disjunction(0, 100, 30, 3)
    clf = Winnow(variant="winnow2", max_iter=3).fit(X, X[:, :3].sum(axis=1).clip(max=2))
    lines = str(clf.summary()).splitlines()
    assert len(lines) == 4


@pytest.mark.parametrize("variant", ["winnow1", "winnow2"])
def test_a_negative_number_is_refused_by_its_place(variant: Variant) -> None:
    clf = Winnow(variant=variant, shuffle=False)
    with pytest.raises(BadExample, match="row 1, column 1 holds -2, .* balanced Winnow takes any"):
        clf.fit([[1.0, 0.0], [1.0, -2.0]], [0, 1])
    assert not hasattr(clf, "coef_")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"variant": "winnow3"}, "variant must be one of winnow1, winnow2, balanced"),
        ({"alpha": 1}, "alpha must be a finite number above 1"),
        ({"alpha": "2"}, "alpha must be a finite number or None, not '2'"),
        ({"threshold": True}, "threshold must be a finite number or None"),
        ({"variant": "winnow1", "threshold": -1}, "threshold must be a finite number above 0"),
        ({"fit_intercept": "yes"}, "fit_intercept"),
        ({"max_iter": 0}, "max_iter"),
        ({"ties": "even"}, "ties"),
        ({"keep": "all"}, "keep"),
    ],
)
def test_a_parameter_that_makes_no_sense_is_refused(options: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Winnow(**options).fit([[1, 0], [0, 1]], [0, 1])  # type: ignore[arg-type]


def test_winnow_accepts_no_starting_weights() -> None:
    with pytest.raises(ValueError, match="Winnow cannot start from given weights"):
        Winnow().fit([[1.0], [-1.0]], [1, 0], coef_init=[[1.0]])
