"""The reliability of probabilities: what was predicted beside what happened."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from novikoff.models.measures import Reliability as Measured
from novikoff.show.plots.axes import new_axes
from novikoff.show.plots.colours import BLUE, GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def reliability(measured: Measured, *, ax: Axes | None = None) -> Axes:
    """Draw the observed share of positive examples against the predicted probability.

    There is a point for each of 15 intervals of probabilities that has examples; on the dotted
    line, what was predicted happens as often as predicted. If the probabilities are right, about 95
    of 100 points are on their thin lines, which are long where there are few examples. The bars
    show the share of examples in each interval. Of many classes, the probability is that of the
    likeliest class, and the share is that of right predictions. Reference: Murphy & Winkler (1977).
    """
    ax = new_axes(width=5.5, height=5.5) if ax is None else ax
    examples = np.array(measured.examples)
    used = np.flatnonzero(examples)
    predicted, observed = np.array(measured.predicted)[used], np.array(measured.observed)[used]
    width = 1 / len(examples)
    shares = examples / max(1, int(examples.sum()))
    middles = (np.arange(len(examples)) + 0.5) * width
    ax.bar(middles, shares, 0.9 * width, color=GREY, alpha=0.35, label="share of examples")
    ax.plot([0, 1], [0, 1], ls=":", color=GREY, label="as predicted")
    error = f"calibration error {measured.calibration_error:.4f}"
    apart = 2 * np.sqrt(predicted * (1 - predicted) / examples[used])  # two standard errors
    low, high = np.maximum(predicted - apart, 0), np.minimum(predicted + apart, 1)
    ax.vlines(predicted, low, high, color=GREY, lw=1, label="95% if as predicted")
    ax.plot(predicted, observed, "o", color=BLUE, ms=5, label=error)
    ax.set_xlabel("predicted probability")
    ax.set_ylabel("observed share")
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    ax.set_aspect("equal")
    ax.legend(loc="upper left")
    return ax
