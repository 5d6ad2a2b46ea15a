"""Figures: functions that draw the nouns of the theory with matplotlib (the extra `plot`).

Each function returns matplotlib's Axes; pass `ax` to draw into your own.
"""

from novikoff.show.plots.axes import NoMatplotlib, expect_format, new_axes, new_panels, save, svg
from novikoff.show.plots.curves import (
    experiment,
    margins,
    mistakes,
    precision_recall,
    readings,
    reliability,
    roc,
    sandwich,
)
from novikoff.show.plots.planes import certificate, constant, plane
from novikoff.show.plots.runs import Fitted, estimator, fitted, regions, turning, update

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
