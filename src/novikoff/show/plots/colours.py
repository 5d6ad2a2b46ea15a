"""Colours that colour-blind readers can tell apart (Okabe & Ito), and markers."""

from typing import Any

PLUS, MINUS = "#0072B2", "#D55E00"  # of the classes, and of nothing else
GREEN, PURPLE, GOLD = "#00805D", "#A8518A", "#8A6D00"
BLACK, GREY = "#000000", "#666666"
COLOURS = (BLACK, GREEN, PURPLE, GOLD, GREY)
MARKERS = "os^Dv*"
# Positive examples are filled circles, negative ones open squares.
POINT_STYLES: dict[int, dict[str, Any]] = {
    1: {"marker": "o", "color": PLUS},
    -1: {"marker": "s", "facecolors": "none", "edgecolors": MINUS},
}
