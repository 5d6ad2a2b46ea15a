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
    confusion_matrix,
    precision_score,
    recall_score,
    roc_auc_score,
)

from novikoff.models.measures import Confusion, predicted_classes, roc_area

judged = st.lists(
    st.tuples(st.sampled_from([-1, 1]), st.integers(-3, 3).map(float)), min_size=1, max_size=30
)


@given(judged, st.integers(0, 30))
def test_the_roc_area_is_the_share_of_pairs_in_the_right_order(
    examples: list[tuple[int, float]], cut: int
) -> None:
    labels = np.array([y for y, _ in examples], dtype=np.int8)
    scores = np.array([s for _, s in examples])
    area = roc_area([labels[:cut], labels[cut:]], [scores[:cut], scores[cut:]])
    above = [s for y, s in examples if y > 0]
    below = [s for y, s in examples if y < 0]
    if not above or not below:
        assert math.isnan(area)
        return
    twice = sum((a > b) + (a >= b) for a in above for b in below)
    assert area == float(Fraction(twice, 2 * len(above) * len(below)))
    assert area == pytest.approx(roc_auc_score(labels, scores))


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
    wrong = found.confusions()
    assert wrong == sorted(wrong, key=lambda one: (-one[2], one[:2]))
    assert {(i, k): n for i, k, n in wrong} == {p: table[p] for p in pairs if p[0] != p[1]}


def test_of_equal_scores_the_first_class_is_best() -> None:
    scores = np.array([[0.0, 0.0, 0.0], [-1.0, 2.0, 2.0], [0.5, 0.0, 1.0]])
    assert predicted_classes(scores).tolist() == [0, 1, 2]


def test_a_score_of_0_predicts_the_positive_of_two_labels() -> None:
    assert predicted_classes(np.array([-0.5, 0.0, -0.0, 2.0])).tolist() == [0, 1, 1, 1]


def test_without_examples_the_shares_are_nan() -> None:
    assert math.isnan(Confusion().accuracy)
    assert math.isnan(roc_area([], []))
    (only,) = Confusion().of_classes(1)
    assert (only.examples, only.predicted, only.right) == (0, 0, 0)
    assert math.isnan(only.precision)
    assert math.isnan(only.recall)
