"""The figure of reliability: a point for each interval that has examples."""

from __future__ import annotations

from typing import Any

import numpy as np

from helpers.figures import line
from novikoff.models.measures import INTERVALS, Judge
from novikoff.show import plots


def test_the_points_are_what_was_predicted_and_what_happened() -> None:
    p = np.array([0.01, 0.03, 0.5, 0.5, 0.5, 0.99])
    y = np.array([-1, -1, 1, -1, 1, 1], dtype=np.int8)
    judge = Judge(many=False)
    judge.add(y, p - 0.5, (p >= 0.5).astype(np.int32), np.column_stack([1 - p, p]))
    measured = judge.evaluation(("no", "yes")).reliability
    assert measured is not None
    ax = plots.reliability(measured)
    drawn = line(ax, f"calibration error {measured.calibration_error:.4f}")
    expected = [[0.02, 0], [0.5, 2 / 3], [0.99, 1]]
    assert np.allclose(drawn, expected, atol=1e-9)  # probabilities are summed in units of 2⁻³²
    bars: list[Any] = list(ax.patches)
    assert len(bars) == INTERVALS
    assert max(bar.get_height() for bar in bars) == 0.5
