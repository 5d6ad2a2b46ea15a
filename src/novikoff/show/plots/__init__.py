"""Figures, drawn by matplotlib, which comes with the extra `plot`.

Each is a function from what the theory talks about (a block and its weights, a ledger, a run, a
sandwich, a certificate, a fitted estimator, what an experiment found) to matplotlib's Axes; give
`ax` to draw into axes of your own.
"""

from novikoff.show.plots.axes import (
    NoMatplotlib,
    expect_format,
    new_axes,
    new_column,
    new_row,
    save,
    svg,
)
from novikoff.show.plots.certified import certificate, constant
from novikoff.show.plots.curves import margins, mistakes, readings, sandwich
from novikoff.show.plots.estimators import Fitted, estimator, fitted
from novikoff.show.plots.lab import experiment
from novikoff.show.plots.planes import plane
from novikoff.show.plots.runs import turning, update

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
    "new_column",
    "new_row",
    "plane",
    "readings",
    "sandwich",
    "save",
    "svg",
    "turning",
    "update",
]
