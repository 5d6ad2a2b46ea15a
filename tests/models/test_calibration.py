"""From honest scores to probabilities: monotone, right on average, and judged."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits, make_classification
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import log_loss

from novikoff import (
    AdaptivePerceptron,
    AveragedPerceptron,
    MarginPerceptron,
    Perceptron,
    VotedPerceptron,
    Winnow,
)
from novikoff.estimators.saved import to_model
from novikoff.ledger.honest_scores import UNIT, HonestScores
from novikoff.models.calibration import (
    Calibration,
    _Cell,
    _pooled,
    logarithms,
    probabilities,
)
from novikoff.models.measures import INTERVALS, Judge

few = settings(max_examples=50)
scores = st.floats(-1e6, 1e6)
examples = st.lists(st.tuples(scores, st.booleans()), max_size=200)


def counted(met: list[tuple[float, bool]]) -> HonestScores:
    """Counts of scores, by a learner that only scores."""
    from novikoff import sources
    from novikoff.learners import Additive

    out = HonestScores()
    if met:
        s, y = zip(*met, strict=True)
        learner = Additive(1, start=np.ones(1))
        learner.honest = out
        signs = np.where(y, 1, -1)
        block = sources.block(np.array(s)[:, None], signs)
        for k in range(len(met)):  # at the same weights for each
            learner._w[:] = 1
            learner.learn(block, k, k + 1)
    return out


@few
@given(examples)
def test_probabilities_never_decrease_and_are_never_0_or_1(met: list[tuple[float, bool]]) -> None:
    calibration = Calibration.of(counted(met))
    assert (np.diff(calibration.scores) > 0).all()
    x = np.sort(np.array([-math.inf, -1e9, *(s for s, _ in met), 0, 1e9, math.inf]))
    p = calibration(x)
    assert (np.diff(p) >= 0).all()
    assert (p > 0).all()
    assert (p < 1).all()
    both = probabilities([calibration], x)
    assert both[:, 1].tolist() == p.tolist()
    assert (both[:, 0] + both[:, 1] == 1).all()


@few
@given(examples)
def test_the_labels_are_treated_alike(met: list[tuple[float, bool]]) -> None:
    met = [(s, y) for s, y in met if s != 0]
    plain = Calibration.of(counted(met))
    turned = Calibration.of(counted([(-s, not y) for s, y in met]))
    x = np.array([*(s for s, _ in met), 0.5])
    # cells are closed from the left, so they differ where the counts are few
    if len(met) < 8:
        assert plain(x) == pytest.approx(1 - turned(-x))


@few
@given(st.lists(st.tuples(st.integers(1, 50), st.integers(0, 50)), min_size=1, max_size=40))
def test_the_pools_are_the_isotonic_fit(counts: list[tuple[int, int]]) -> None:
    cells = [_Cell(n, min(k, n), float(i)) for i, (n, k) in enumerate(counts)]
    levels = []
    for _, _, pool in _pooled(cells):
        share = sum(c.positive for c in pool) / sum(c.weight for c in pool)
        levels += [share] * len(pool)
    x, n = np.arange(len(cells)), [cell.weight for cell in cells]
    shares = [cell.positive / cell.weight for cell in cells]
    fitted = IsotonicRegression().fit(x, shares, sample_weight=n).predict(x)
    assert levels == pytest.approx(fitted)


def test_known_probabilities_are_found() -> None:
    dice = np.random.default_rng(0)
    s = dice.normal(size=40_000) * 2
    chance = 1 / (1 + np.exp(-s - 1))
    met = list(zip(s.tolist(), (dice.random(40_000) < chance).tolist(), strict=True))
    found = Calibration.of(counted(met))(s)
    # 30,000 examples in a few hundred levels: the error of a share of some 100 examples
    assert np.abs(found - chance).mean() < 0.02


@pytest.mark.parametrize("kind", [AdaptivePerceptron, Perceptron, MarginPerceptron, Winnow])
@pytest.mark.parametrize("multiclass", ["ovr", "joint"])
def test_estimators_give_a_probability_for_each_class(kind: Any, multiclass: str) -> None:
    X, y = load_digits(return_X_y=True)
    if kind is Winnow:
        model = Winnow(max_iter=1)
        if multiclass == "joint":
            return
    else:
        model = kind(max_iter=1, multiclass=multiclass)
    model.fit(X[:1500], y[:1500])
    chances = model.predict_proba(X[1500:])
    assert chances.shape == (297, 10)
    assert chances.sum(axis=1) == pytest.approx(1)
    assert (chances > 0).all()
    assert log_loss(y[1500:], chances) < 1.2  # by chance 2.3
    assert model.predict_log_proba(X[1500:]) == pytest.approx(np.log(chances))


def test_probabilities_of_two_labels_by_name_and_by_row() -> None:
    X, y = make_classification(2000, 8, flip_y=0.1, random_state=0)
    names = [f"x{j}" for j in range(8)]
    dicts = [dict(zip(names, x, strict=True)) for x in X.tolist()]
    rows, named = Perceptron().partial_fit(X, y, classes=[0, 1]), Perceptron()
    assert named.predict_proba_one(dicts[0]) == {}
    for x, label in zip(dicts, y.tolist(), strict=True):
        named.learn_one(x, label)
    assert named.predict_proba(dicts).tolist() == rows.predict_proba(X).tolist()
    assert named.predict_proba_one(dicts[3]) == dict(
        zip([0, 1], rows.predict_proba(X)[3].tolist(), strict=True)
    )
    joint = Perceptron(multiclass="joint").partial_fit(X, y, classes=[0, 1])
    assert joint.predict_proba(X).sum(axis=1) == pytest.approx(1)
    assert log_loss(y, joint.predict_proba(X)) < 0.6


def test_votes_alone_give_no_probabilities() -> None:
    for name in ("predict_proba", "predict_log_proba", "predict_proba_one"):
        assert not hasattr(VotedPerceptron(), name)
    for other in (AdaptivePerceptron(), Perceptron(), AveragedPerceptron()):
        assert hasattr(other, "predict_proba")


@pytest.mark.parametrize("multiclass", ["ovr", "joint"])
def test_the_probabilities_of_an_average_are_right_on_average(multiclass: Any) -> None:
    dice = np.random.default_rng(4)
    X = dice.normal(size=(4000, 3))
    y = (X[:, 0] + X[:, 1] + dice.logistic(size=4000) > 0).astype(int)
    for clf in (
        AveragedPerceptron(multiclass=multiclass, max_iter=3),
        AdaptivePerceptron(multiclass=multiclass, average=True),
    ):
        chances = clf.fit(X[:2000], y[:2000]).predict_proba(X[2000:])[:, 1]
        assert log_loss(y[2000:], chances) < 0.56  # 0.545 by the right probabilities
        assert np.abs(chances.mean() - y[2000:].mean()) < 0.03


def test_many_classes_share_one_probability() -> None:
    half = Calibration(np.array([-1.0, 1.0]), np.array([0.1, 0.9]))
    s = np.array([[0.0, 2.0, -5.0], [1.0, 1.0, 1.0]])
    # leads: −2, 2, −7, and three times 0; the first class of the second row is the best
    of_leads = np.array([[0.05, 0.9, 0.05], [0.5, 0.25, 0.25]])
    assert probabilities([half], s, joint=True) == pytest.approx(of_leads)
    assert probabilities([half] * 3, s) == pytest.approx(
        np.array([[0.5 / 1.5, 0.9 / 1.5, 0.1 / 1.5], [1 / 3] * 3])
    )


def test_the_best_class_has_the_probability_of_its_lead_and_no_other_a_greater_one() -> None:
    to = Calibration(np.array([-4.0, 4.0]), np.array([0.1, 0.9]))
    s = np.random.default_rng(0).normal(size=(500, 4)) * 3
    s[0] = [0.1, 0.0, -9.0, -9.0]  # the second would get nearly all of what the first leaves
    low = Calibration(np.array([-4.0, 0.0, 4.0]), np.array([0.01, 0.3, 0.4]))
    for calibration in (to, low):
        p = probabilities([calibration], s, joint=True)
        best = p.max(axis=1)
        assert p.sum(axis=1) == pytest.approx(np.ones(500))
        assert (s.argmax(axis=1) == p.argmax(axis=1)).all()
        second = np.sort(s, axis=1)
        kept = best == calibration(second[:, -1] - second[:, -2])
        # where another would be likelier than the best, all are divided by their sum
        assert kept.all() if calibration is to else 0 < kept.sum() < 500
    assert not kept[0]


def test_logarithms_are_those_of_the_standard_library() -> None:
    p = np.array([1.0, 0.5, 1e-300, 5e-324, 0.1, 1 - 2**-53])
    assert logarithms(p).tolist() == pytest.approx(np.log(p).tolist(), rel=1e-15)
    assert logarithms(np.array([0.0])).tolist() == [-math.inf]


@few
@given(st.lists(st.tuples(st.floats(0.001, 0.999), st.booleans()), min_size=1, max_size=60))
def test_log_loss_and_calibration_error_are_those_of_the_definition(
    given_: list[tuple[float, bool]],
) -> None:
    p, y = np.array([a for a, _ in given_]), np.array([b for _, b in given_])
    judge = Judge(many=False)
    both = np.column_stack([1 - p, p])
    for part in (slice(0, 7), slice(7, None)):
        scores = p[part] - 0.5
        said = (scores >= 0).astype(np.int32)
        judge.add(np.where(y, 1, -1).astype(np.int8)[part], scores, said, both[part])
    found = judge.evaluation(("no", "yes")).reliability
    assert found is not None
    assert found.log_loss == pytest.approx(log_loss(y, both, labels=[False, True]), abs=1e-8)
    interval = np.minimum((p * INTERVALS).astype(int), INTERVALS - 1)
    apart = [
        abs(p[interval == k].mean() - y[interval == k].mean()) * (interval == k).sum()
        for k in range(INTERVALS)
        if (interval == k).any()
    ]
    assert found.calibration_error == pytest.approx(sum(apart) / len(p), abs=1e-8)
    assert sum(found.examples) == len(p)


def test_a_label_that_the_model_does_not_know_has_an_infinite_loss() -> None:
    judge = Judge(many=True)
    chances = np.array([[0.9, 0.1], [0.2, 0.8]])
    said = np.array([0, 1], dtype=np.int32)
    judge.add(np.array([0, 2], dtype=np.int32), chances, said, chances)
    found = judge.evaluation(("a", "b", "c")).reliability
    assert found is not None
    assert found.log_loss == math.inf
    assert found.examples[13] == 1  # 0.9
    assert found.observed[13] == 1


def test_an_example_of_importance_counts_as_so_many() -> None:
    X, y = make_classification(500, 4, flip_y=0.2, random_state=1)
    twice = Perceptron().partial_fit(X, y, classes=[0, 1], sample_weight=np.full(500, 2.0))
    once = Perceptron().partial_fit(X, y, classes=[0, 1])
    assert twice._engine is not None
    assert once._engine is not None
    one, other = twice._engine.learners[0].honest, once._engine.learners[0].honest
    assert one is not None
    assert other is not None
    assert one.counts[1:].sum() == 2 * other.counts[1:].sum()
    assert other.counts[1:].sum() % UNIT == 0


def test_a_calibration_is_fitted_once_until_more_is_learned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fits: list[int] = []

    def counted(cells: list[_Cell]) -> list[tuple[int, int, list[_Cell]]]:
        fits.append(len(cells))
        return _pooled(cells)

    monkeypatch.setattr("novikoff.models.calibration._pooled", counted)
    draw = np.random.default_rng(137)
    learner = AdaptivePerceptron()
    for x, y in draw.normal(size=(137, 2)).tolist():
        learner.learn_one({"x": x}, int(x + y > 0))
    first = learner.predict_proba_one({"x": 0.3})
    assert learner.predict_proba_one({"x": 0.3}) == first
    model = to_model(learner)
    model.probabilities(np.zeros(3))
    assert len(fits) == 1
    learner.learn_one({"x": 1.0}, 0)
    learner.predict_proba_one({"x": 0.3})
    model.probabilities(np.zeros(3))
    assert len(fits) == 2
