"""Figures of fitted estimators show their weights, labels and names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.contour import QuadContourSet
from sklearn.linear_model import LogisticRegression

from helpers.figures import learned, line, points, same_places
from novikoff import (
    AveragedPerceptron,
    KernelPerceptron,
    MarginPerceptron,
    Perceptron,
    VotedPerceptron,
    Winnow,
)
from novikoff.show import plots
from novikoff.stream.input_problems import BadExample


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


def test_the_title_says_that_a_vote_has_many_lines() -> None:
    data, _ = learned(bias=False)
    X, y = np.asarray(data.rows.values), data.labels
    titles = [
        plots.estimator(c().fit(X, y), X, y).get_title()
        for c in (VotedPerceptron, AveragedPerceptron)
    ]
    assert titles == ["the last of the voting lines", ""]


def test_of_many_classes_one_must_be_chosen() -> None:
    dice = np.random.default_rng(0)
    X = dice.normal(size=(60, 2))
    y = np.argmax(np.stack([X[:, 0], X[:, 1], -X.sum(axis=1)]), axis=0)
    clf = Perceptron(max_iter=20).fit(X, y)
    with pytest.raises(ValueError, match=r"of must be one of the classes \[0, 1, 2\]"):
        plots.estimator(clf, X, y)
    with pytest.raises(ValueError, match="got 9"):
        plots.estimator(clf, X, y, of=9)
    ax = plots.estimator(clf, X, y, of=1)
    assert np.abs(line(ax, "= 0") @ clf.coef_[1] + clf.intercept_[1]).max() < 1e-9
    assert same_places(points(ax, "not 1"), X[y != 1])


def test_an_estimator_must_be_linear_fitted_and_know_the_labels() -> None:
    with pytest.raises(ValueError, match="Perceptron has no coef_; pass a fitted linear"):
        plots.estimator(Perceptron(), [[1]], [1])
    clf = Perceptron().fit([[1], [2]], [0, 1])
    with pytest.raises(BadExample, match=r"row 1: label 7 is not one of the classes \[0, 1\]"):
        plots.estimator(clf, [[1], [2]], [0, 7])
    with pytest.raises(ValueError, match="of=1 is for more than two classes"):
        plots.estimator(clf, [[1], [2]], [0, 1], of=1)


def test_names_of_a_frame_are_those_of_the_axes() -> None:

    X = pd.DataFrame({"age": [1.0, 2, 3], "height": [4.0, 1, 2]})
    ax = plots.estimator(Perceptron().fit(X, [0, 1, 1]), X, [0, 1, 1])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("age", "height")


def test_a_fitted_estimator_stands_for_its_run_in_the_figures_of_runs() -> None:
    data, _ = learned(bias=False)
    X = np.asarray(data.rows.values)
    clf = Perceptron(keep="examples").fit(X, data.labels)
    drawn = [line(plots.mistakes(one), "mistakes") for one in (clf, clf.runs_[0], clf.ledger_)]
    assert drawn[0].tolist() == drawn[1].tolist() == drawn[2].tolist()
    ends = [line(plots.turning(one, X, data.labels), "= 0") for one in (clf, clf.runs_[0])]
    assert ends[0].tolist() == ends[1].tolist()
    rounds = [plots.readings(one, data).lines[0].get_xydata() for one in (clf, clf.ledger_)]
    assert np.array_equal(np.asarray(rounds[0]), np.asarray(rounds[1]))
    three = Perceptron(multiclass="ovr").fit([[0], [1], [2]], [0, 1, 2])
    with pytest.raises(ValueError, match="made 3 runs, one for each class; pass one of its runs_"):
        plots.mistakes(three)
    with pytest.raises(TypeError, match="a Run or a fitted estimator of novikoff, not list"):
        plots.turning([], X, data.labels)


def test_regions_show_what_is_predicted_and_ring_the_mistakes() -> None:
    square = np.random.default_rng(0).uniform(-1, 1, (60, 2))
    same = square.prod(axis=1) > 0
    for labels in (same, np.array(["x", "y", "z"])[same * 1 + (square[:, 0] > 0.5)]):
        kinds = np.unique(labels).tolist()
        clf = KernelPerceptron(degree=2, reading="final", max_iter=50).fit(square, labels)
        ax = plots.regions(clf, square, labels)
        for kind in kinds:
            assert same_places(points(ax, str(kind)), square[labels == kind])
        mistaken = {row for run in clf.runs_ for row in run.ledger.rows.tolist()}
        assert same_places(points(ax, "mistaken"), square[[*mistaken]])
        (filled,) = (one for one in ax.collections if isinstance(one, QuadContourSet))
        assert [*filled.levels] == [k - 0.5 for k in range(len(kinds) + 1)]
        for k, path in enumerate(filled.get_paths()):
            inside = path.contains_points(square)
            right = clf.predict(square) == kinds[k]
            assert np.mean(inside == right) > 0.9  # but near the edge of a cell of the grid
    with pytest.raises(ValueError, match="for 2 features, not for 3"):
        plots.regions(clf, np.ones((2, 3)), [0, 1])
    with pytest.raises(BadExample, match="NaN"):
        plots.regions(clf, square * np.nan, labels)
