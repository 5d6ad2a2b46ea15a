"""The ROC and precision-recall curves: corners, areas and the threshold that a model uses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_curve

from helpers.figures import line
from novikoff.models.measures import Ranking
from novikoff.show import plots

judged = st.lists(st.tuples(st.booleans(), st.integers(-4, 4).map(float)), min_size=1, max_size=30)


def ranking(examples: list[tuple[bool, float]]) -> Ranking:
    labels, scores = zip(*examples, strict=True)
    return Ranking.of(np.array(labels), np.array(scores))


@given(judged.filter(lambda examples: len({y for y, _ in examples}) == 2))
def test_the_curves_have_a_corner_at_every_score_and_the_areas_that_they_say(
    examples: list[tuple[bool, float]],
) -> None:
    found = ranking(examples)
    drawn = line(plots.roc(found), f"area {found.roc_area:.4f}")
    wrong, right, _ = roc_curve(*zip(*examples, strict=True), drop_intermediate=False)
    assert drawn.tolist() == np.column_stack([wrong, right]).tolist()
    assert np.trapezoid(drawn[:, 1], drawn[:, 0]) == pytest.approx(found.roc_area)
    area = found.average_precision
    steps = line(plots.precision_recall(found), f"average precision {area:.4f}")
    assert np.trapezoid(steps[:, 1], steps[:, 0]) == pytest.approx(area)


def test_the_cross_is_where_the_model_predicts() -> None:
    found = ranking([(True, 2.0), (True, 0.0), (False, 0.0), (True, -1.0), (False, -2.0)])
    assert line(plots.roc(found), "threshold 0").tolist() == [[0.5, 2 / 3]]
    assert line(plots.precision_recall(found), "threshold 0").tolist() == [[2 / 3, 2 / 3]]
    above = ranking([(True, -1.0), (False, -2.0)])
    assert line(plots.roc(above), "threshold 0").tolist() == [[0, 0]]


def test_many_scores_are_drawn_by_few_corners() -> None:
    dice = np.random.default_rng(0)
    scores = dice.normal(size=50_000)
    found = Ranking.of(dice.random(50_000) < 0.5 + scores / 9, scores)
    drawn = line(plots.roc(found), f"area {found.roc_area:.4f}")
    assert len(drawn) < 8000
    assert np.trapezoid(drawn[:, 1], drawn[:, 0]) == pytest.approx(found.roc_area, abs=1e-4)


def test_one_label_alone_has_no_curve() -> None:
    only = ranking([(False, 1.0)])
    assert "only one label" in plots.roc(only).texts[0].get_text()
    assert "no positive example" in plots.precision_recall(only).texts[0].get_text()
