"""Figures of certificates, runs and fitted estimators show what these hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from helpers.figures import XOR, labels, learned, line, many, points, same_places, sizes
from novikoff import (
    Additive,
    AveragedPerceptron,
    MarginPerceptron,
    Perceptron,
    VotedPerceptron,
    Winnow,
    certify,
    play,
)
from novikoff.ledger.trajectory import trajectory
from novikoff.show import plots
from novikoff.show.plots.runs import areas_of
from novikoff.sources import block, separable
from novikoff.stream.problems import BadExample


def test_a_certificate_of_complete_separation_draws_its_weights() -> None:
    data, _ = learned(bias=True)
    it = certify(data, margin_rtol=0)
    ax = plots.certificate(it, data)
    w = np.array([float(v / max(map(abs, it.weights))) for v in it.weights])
    assert np.abs(line(ax, "= 0") @ w[:2] + w[2]).max() < 1e-9
    assert f"γ = {it.margin.low:.4g}" in labels(ax)


def test_the_multipliers_of_an_overlap_are_the_sizes_of_the_points() -> None:
    data = block([[0.0], [1.0], [4.0], [9.0]], [1, -1, 1, 1])
    it = certify(data)
    assert len(it.multipliers) == 3
    ax = plots.certificate(it, data, classes=("out", "in"))
    drawn = {x: size for (x, _), size in sizes(ax).items()}
    most = max(it.multipliers.values())
    for i, x in enumerate((0.0, 1.0, 4.0, 9.0)):
        share = it.multipliers.get(i, 0) / most
        assert drawn[x] == (max(30, 260 * share) if share else 10)
    assert "Σ λ y x = 0" in ax.get_title()
    assert labels(ax) == "in | out"


def test_a_certificate_of_another_kind_or_other_data() -> None:
    quasi = block([[0, 1], [0, -1], [0, 0], [1, 0], [2, 3]], [1, -1, 1, 1, 1])
    it = certify(quasi, fit_intercept=False)
    assert it.verdict == "quasi-complete"
    ax = plots.certificate(it, quasi)
    assert "quasi-complete" in ax.get_title()
    w = np.array(it.weights, dtype=float)
    assert np.abs(line(ax, "= 0") @ w).max() < 1e-9 * np.abs(w).max() + 1e-9
    with pytest.raises(ValueError, match="5 rows of 2 columns, the block has 4 of 2"):
        plots.certificate(it, XOR)
    data, _ = many(40, 5)
    overlap = certify(block(np.vstack([data.rows.values] * 2), [*data.labels, *-data.labels]))
    twice = block(np.vstack([data.rows.values] * 2), [*data.labels, *-data.labels])
    assert plots.certificate(overlap, twice).get_xlabel() == "first principal direction"


def test_a_run_shows_its_mistakes_and_its_last_line() -> None:
    data = next(iter(separable(60, [1, -0.4], margin=0.05, seed=3)))
    learner = Additive(2, bias=True, rate=0.5)
    run = play(data, learner, epochs=1000)
    ax = plots.turning(run, data)
    w = learner.weights
    assert np.abs(line(ax, "at the end") @ w[:2] + w[2]).max() < 1e-9
    mistaken = sorted(set(run.ledger.rows.tolist()))
    assert same_places(points(ax, "mistaken"), np.asarray(data.rows.values)[mistaken])
    each = np.array([moment.weights for moment in trajectory(run.ledger)])
    earlier = [np.asarray(it.get_xydata()) for it in ax.lines if it.get_alpha() is not None]
    assert 1 < len(earlier) <= 40
    for drawn in earlier:  # each is the line after some mistake
        assert np.abs(drawn @ each[:, :2].T + each[:, 2]).max(axis=0).min() < 1e-9
    assert f"{len(run.ledger)} mistakes" in ax.get_title()
    assert "separated" in ax.get_title()


def test_a_cycle_shows_its_multipliers() -> None:
    run = play(XOR, Additive(2, bias=True), epochs=100)
    assert run.cycle is not None
    ax = plots.turning(run, XOR)
    assert "cycle" in ax.get_title()
    assert list(sizes(ax).values()) == [260] * 4  # XOR needs each of its points alike
    budget = play(XOR, Additive(2, bias=True), epochs=1)
    assert "out of passes" in plots.turning(budget, XOR).get_title()


def test_areas_are_in_proportion_to_multipliers_and_never_too_small_to_see() -> None:
    assert areas_of([0, 40, 20, 1]).tolist() == [10, 260, 130, 30]
    assert areas_of([0, 0]).tolist() == [30, 30]


def test_runs_without_mistakes_and_of_many_features() -> None:
    run = play(block([[1, 2]], [1]), Additive(2, start=np.ones(2)))
    assert len(run.ledger) == 0
    assert "0 mistakes" in plots.turning(run, block([[1, 2]], [1])).get_title()
    data, _ = many(40, 7)
    learner = Additive(7)
    ax = plots.turning(play(data, learner, epochs=3), data)
    assert "w·x/‖w‖" in ax.get_xlabel()
    with pytest.raises(ValueError, match="on 7 features, the block has 2"):
        plots.turning(play(data, learner), XOR)


@pytest.mark.parametrize(
    "clf", [Perceptron(), AveragedPerceptron(), MarginPerceptron(), Winnow(), LogisticRegression()]
)
def test_a_fitted_estimator_is_drawn_with_its_own_labels(clf: Any) -> None:
    data, _ = learned(bias=False)
    X = np.asarray(data.rows.values)
    y = np.where(data.labels > 0, "ham", "eggs")
    clf.fit(X, y)
    ax = plots.estimator(clf, X, y)
    drawn = line(ax, "= 0")
    assert np.abs(drawn @ clf.coef_[0] + clf.intercept_[0]).max() < 1e-9
    assert same_places(points(ax, "ham"), X[y == "ham"])


def test_only_of_a_vote_the_title_says_that_the_line_is_one_of_many() -> None:
    data, _ = learned(bias=False)
    X, y = np.asarray(data.rows.values), data.labels
    titles = [
        plots.estimator(c().fit(X, y), X, y).get_title()
        for c in (VotedPerceptron, AveragedPerceptron)
    ]
    assert titles == ["the last of the voting lines", ""]


def test_an_estimator_of_many_classes_is_asked_for_one() -> None:
    dice = np.random.default_rng(0)
    X = dice.normal(size=(60, 2))
    y = np.argmax(np.stack([X[:, 0], X[:, 1], -X.sum(axis=1)]), axis=0)
    clf = Perceptron().fit(X, y)
    with pytest.raises(ValueError, match=r"of must be one of the classes \[0, 1, 2\]"):
        plots.estimator(clf, X, y)
    with pytest.raises(ValueError, match="got 9"):
        plots.estimator(clf, X, y, of=9)
    ax = plots.estimator(clf, X, y, of=1, average=True)
    assert np.abs(line(ax, "= 0") @ clf.coef_[1] + clf.intercept_[1]).max() < 1e-9
    coef, intercept = clf.weights("average")
    assert np.abs(line(ax, "average") @ coef[1] + intercept[1]).max() < 1e-9
    assert same_places(points(ax, "not 1"), X[y != 1])


def test_an_estimator_must_be_linear_fitted_and_know_the_labels() -> None:
    with pytest.raises(ValueError, match="Perceptron has no coef_; pass a fitted linear"):
        plots.estimator(Perceptron(), [[1]], [1])
    clf = Perceptron().fit([[1], [2]], [0, 1])
    with pytest.raises(BadExample, match=r"row 1: label 7 is not one of the classes \[0, 1\]"):
        plots.estimator(clf, [[1], [2]], [0, 7])
    with pytest.raises(ValueError, match="of=1 is for more than two classes"):
        plots.estimator(clf, [[1], [2]], [0, 1], of=1)
    with pytest.raises(ValueError, match="LogisticRegression has no averaged weights"):
        plots.fitted(LogisticRegression().fit([[1], [2]], [0, 1]), [[1]], [1], average=True)


def test_names_of_a_frame_are_those_of_the_axes() -> None:
    import pandas as pd

    X = pd.DataFrame({"age": [1.0, 2, 3], "height": [4.0, 1, 2]})
    ax = plots.estimator(Perceptron().fit(X, [0, 1, 1]), X, [0, 1, 1])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("age", "height")
