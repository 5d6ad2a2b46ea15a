"""Predictions against the truth: counts, and the area under the ROC curve."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    confusion_matrix,
    f1_score,
    precision_score,
    recall_score,
    roc_auc_score,
)

from novikoff.models.measures import Confusion, Judge, Ranking

judged = st.lists(
    st.tuples(st.sampled_from([-1, 1]), st.integers(-3, 3).map(float)), min_size=1, max_size=30
)


@given(judged, st.integers(0, 30))
def test_the_roc_area_is_the_share_of_pairs_in_the_right_order(
    examples: list[tuple[int, float]], cut: int
) -> None:
    labels = np.array([y for y, _ in examples], dtype=np.int8)
    scores = np.array([s for _, s in examples])
    judge = Judge(many=False)
    for part in (slice(0, cut), slice(cut, None)):
        judge.add(labels[part], scores[part], (scores[part] >= 0).astype(np.int32))
    ranking = judge.evaluation(("-1", "1")).ranking
    assert ranking is not None
    area = ranking.roc_area
    above = [s for y, s in examples if y > 0]
    below = [s for y, s in examples if y < 0]
    if not above or not below:
        assert math.isnan(area)
        return
    twice = sum((a > b) + (a >= b) for a in above for b in below)
    assert area == float(Fraction(twice, 2 * len(above) * len(below)))
    assert area == pytest.approx(roc_auc_score(labels, scores))
    assert ranking.average_precision == pytest.approx(average_precision_score(labels, scores))
    for at, score in enumerate(ranking.scores.tolist()):
        assert ranking.positive[at] == sum(s >= score for s in above)
        assert ranking.negative[at] == sum(s >= score for s in below)


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=40),
    st.integers(0, 40),
)
def test_counts_of_classes_are_scikit_learns_wherever_the_examples_are_cut(
    examples: list[tuple[int, int]], cut: int
) -> None:
    true, said = np.array(examples, dtype=np.int32).T
    found = Confusion()
    for part in (slice(0, cut), slice(cut, None)):
        found.count(true[part], said[part])
    classes = list(range(5))
    table = confusion_matrix(true, said, labels=classes)
    pairs = [(i, k) for i in classes for k in classes if table[i, k]]
    assert dict(found.counts) == {(i, k): table[i, k] for i, k in pairs}
    assert (found.examples, found.mistakes) == (len(examples), table.sum() - table.trace())
    assert found.accuracy == accuracy_score(true, said)
    each = found.of_classes(5)
    assert [one.examples for one in each] == table.sum(axis=1).tolist()
    assert [one.right for one in each] == table.diagonal().tolist()
    options = {"labels": classes, "average": None, "zero_division": np.nan}
    precision, recall = precision_score(true, said, **options), recall_score(true, said, **options)
    np.testing.assert_array_equal([one.precision for one in each], precision)
    np.testing.assert_array_equal([one.recall for one in each], recall)
    f1 = f1_score(true, said, **options)
    np.testing.assert_allclose([one.f1 for one in each], f1, rtol=1e-15)
    assert found.baseline == table.sum(axis=1).max() / len(examples)
    assert found.commonest == table.sum(axis=1).argmax()
    wrong = found.confusions()
    assert wrong == sorted(wrong, key=lambda one: (-one[2], one[:2]))
    assert {(i, k): n for i, k, n in wrong} == {p: table[p] for p in pairs if p[0] != p[1]}


def test_without_examples_the_shares_are_nan() -> None:
    assert math.isnan(Confusion().accuracy)
    none = Ranking.of(np.zeros(0, dtype=np.bool_), np.zeros(0))
    assert math.isnan(none.roc_area)
    assert math.isnan(none.average_precision)
    assert math.isnan(Confusion().baseline)
    (only,) = Confusion().of_classes(1)
    assert (only.examples, only.predicted, only.right) == (0, 0, 0)
    assert math.isnan(only.precision)
    assert math.isnan(only.recall)
    assert math.isnan(only.f1)
