"""Predictions against the truth: counts, and the area under the ROC curve."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix, roc_auc_score

from novikoff.measures import Confusion, roc_area

judged = st.lists(
    st.tuples(st.sampled_from([-1, 1]), st.integers(-3, 3).map(float)), min_size=1, max_size=30
)


@given(judged, st.integers(0, 30))
def test_counts_are_scikit_learns_wherever_the_examples_are_cut(
    examples: list[tuple[int, float]], cut: int
) -> None:
    labels = np.array([y for y, _ in examples], dtype=np.int8)
    scores = np.array([s for _, s in examples])
    found = Confusion()
    for part in (slice(0, cut), slice(cut, None)):
        found.count(labels[part], scores[part])
    said = np.where(scores >= 0, 1, -1)
    tn, fp, fn, tp = confusion_matrix(labels, said, labels=[-1, 1]).ravel().tolist()
    assert (found.true_negative, found.false_positive) == (tn, fp)
    assert (found.false_negative, found.true_positive) == (fn, tp)
    assert (found.examples, found.mistakes) == (len(examples), fp + fn)
    assert found.accuracy == (tp + tn) / len(examples)


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


def test_no_examples_have_no_accuracy() -> None:
    assert math.isnan(Confusion().accuracy)
