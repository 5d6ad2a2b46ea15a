"""Figures of scores and probabilities: what each threshold gets right, and how often."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from novikoff.models.measures import Ranking, Reliability
from novikoff.show.plots.axes import Axes, new_axes, write_instead
from novikoff.show.plots.colours import BLACK, GREEN, GREY
from novikoff.stream.printing import share
from novikoff.stream.rows import Positions, Vector

_FINEST = 2000  # corners closer than a two-thousandth of an axis look the same


def roc(ranking: Ranking, *, ax: Axes | None = None) -> Axes:
    """Draw the ROC curve: the recall of both labels at each threshold; a cross marks 0."""
    ax = new_axes(width=5.5, height=5.5) if ax is None else ax
    area = ranking.roc_area
    if math.isnan(area):
        return write_instead(ax, "only one label: there is no ROC curve")
    right = np.concatenate([[0], ranking.positive]) / int(ranking.positive[-1])
    wrong = np.concatenate([[0], ranking.negative]) / int(ranking.negative[-1])
    at = _corners(wrong, right)
    ax.plot([0, 1], [0, 1], ls=":", color=GREY, label="by chance: 0.5")
    ax.plot(wrong[at], right[at], color=GREEN, lw=1.8, label=f"area {area:.4f}")
    _mark(ax, wrong, right, ranking)
    ax.set_xlabel("share of negative examples predicted positive")
    ax.set_ylabel("share of positive examples predicted positive")
    return _framed(ax, "lower right")


def precision_recall(ranking: Ranking, *, ax: Axes | None = None) -> Axes:
    """Draw precision against recall of the positive label at each threshold; a cross marks 0."""
    ax = new_axes(width=5.5, height=5.5) if ax is None else ax
    if math.isnan(area := ranking.average_precision):
        return write_instead(ax, "no positive example: there is no precision-recall curve")
    predicted = ranking.positive + ranking.negative
    recall, precision = ranking.positive / int(ranking.positive[-1]), ranking.positive / predicted
    before = np.concatenate([[0.0], recall[:-1]])
    x, y = np.column_stack([before, recall]).ravel(), np.repeat(precision, 2)
    at = _corners(x, y)
    base = int(ranking.positive[-1]) / int(predicted[-1])
    ax.axhline(base, ls=":", color=GREY, label=f"always positive: {share(base)}")
    ax.plot(x[at], y[at], color=GREEN, lw=1.8, label=f"average precision {area:.4f}")
    _mark(ax, np.append(0.0, recall), np.append(precision[0], precision), ranking)
    ax.set_xlabel("recall: share of positive examples predicted positive")
    ax.set_ylabel("precision: share of predicted positives that are positive")
    return _framed(ax, "lower left")


def reliability(measured: Reliability, *, ax: Axes | None = None) -> Axes:
    """Draw the observed share of positive examples against the predicted probability.

    If the probabilities are right, about 95 of 100 points are on their thin lines; the bars show
    the share of examples in each of 15 intervals. Of many classes, the probability is that of the
    likeliest class, and the share is that of right predictions (Murphy & Winkler 1977).
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
    ax.plot(predicted, observed, "o", color=GREEN, ms=5, label=error)
    ax.set(xlabel="predicted probability", ylabel="observed share")
    return _framed(ax, "upper left")


def _corners(x: Vector, y: Vector) -> Positions:
    """The first and last point, and those between that are not too close to the one before."""
    cells = np.rint(x * _FINEST) * (_FINEST + 1) + np.rint(y * _FINEST)
    moved = np.flatnonzero(np.diff(cells) != 0)
    return np.unique(np.concatenate([[0], moved, moved + 1, [len(x) - 1]]))


def _mark(ax: Axes, x: Vector, y: Vector, ranking: Ranking) -> None:
    k = int(np.searchsorted(-ranking.scores, 0.0, side="right"))
    ax.plot(x[k], y[k], "x", color=BLACK, ms=9, mew=2, label="threshold 0")


def _framed(ax: Axes, corner: Literal["lower left", "lower right", "upper left"]) -> Axes:
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    ax.legend(loc=corner)
    return ax
