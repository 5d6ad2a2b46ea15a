"""Figures: functions that draw the nouns of the theory with matplotlib (the extra `plot`).

Each function returns matplotlib's Axes; pass `ax` to draw into your own.
"""

from novikoff.show.plots.axes import NoMatplotlib, expect_format, new_axes, new_panels, save, svg
from novikoff.show.plots.curves import experiment, margins, mistakes, readings, sandwich
from novikoff.show.plots.estimators import Fitted, estimator, fitted, regions
from novikoff.show.plots.planes import certificate, constant, plane
from novikoff.show.plots.runs import turning, update
from novikoff.show.plots.scores import precision_recall, reliability, roc

__all__ = [
    "Fitted",
    "NoMatplotlib",
    "certificate",
    "constant",
    "estimator",
    "expect_format",
    "experiment",
    "fitted",
    "margins",
    "mistakes",
    "new_axes",
    "new_panels",
    "plane",
    "precision_recall",
    "readings",
    "regions",
    "reliability",
    "roc",
    "sandwich",
    "save",
    "svg",
    "turning",
    "update",
]
