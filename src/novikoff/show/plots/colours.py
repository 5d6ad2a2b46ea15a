"""Colours that colour-blind readers can tell apart (Okabe & Ito), and markers."""

from typing import Any

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
BLUE, ORANGE, GREEN = COLOURS[:3]
BLACK, GREY = "#000000", "#666666"
MARKERS = "os^Dv*"
# Positive examples are filled circles, negative ones open squares.
POINT_STYLES: dict[int, dict[str, Any]] = {
    1: {"marker": "o", "color": BLUE},
    -1: {"marker": "s", "facecolors": "none", "edgecolors": ORANGE},
}
