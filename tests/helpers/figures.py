"""Data to plot, and what a figure shows, read back from its axes."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from numpy.typing import NDArray

from novikoff import Additive, play
from novikoff.sources import block, separable
from novikoff.stream.blocks import Block

Array = NDArray[np.float64]
XOR = block([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1])


def learned(*, bias: bool, seed: int = 3) -> tuple[Block, Array]:
    points = next(iter(separable(60, [1, -0.4], margin=0.05, seed=seed)))
    learner = Additive(2, bias=bias)
    play(points, learner, epochs=1000)
    return points, learner.weights


def many(rows: int, columns: int, seed: int = 0) -> tuple[Block, Array]:
    dice = np.random.default_rng(seed)
    X, u = dice.normal(size=(rows, columns)), dice.normal(size=columns)
    y = np.where(X @ u + dice.normal(size=rows) > 0, 1, -1)
    return block(X, y), np.append(u, 0.25)


SIGNS = {r"\cdot ": "·", r"\|": "‖", r"\gamma": "γ", r"\lambda": "λ ", r"\sum": "Σ ", "^2": "²"}
SIGNS |= {"_1": "₁", "_2": "₂", "$": "", r"\,": " "}


def plain(text: object) -> str:
    """Typeset mathematics as one would write it by hand."""
    words = str(text)
    for sign, written in SIGNS.items():
        words = words.replace(sign, written)
    return " ".join(words.replace(" · ", "·").replace(" ·", "·").split(" ")).replace("  ", " ")


def line(ax: Axes, label: str) -> Array:
    """The points of the line with this label in the legend."""
    called = {it: plain(it.get_label()) for it in ax.lines}
    found = [
        np.asarray(it.get_xydata())
        for it, name in called.items()
        if name.startswith(label) or name.endswith(label)
    ]
    assert len(found) == 1, called.values()
    return found[0]


def band(ax: Axes) -> list[Array]:
    return [np.asarray(it.get_xydata()) for it in ax.lines if it.get_linestyle() == "--"]


def points(ax: Axes, label: str) -> Array:
    """The positions of the points with this label in the legend."""
    found = [c for c in ax.collections if label in str(c.get_label())]
    assert len(found) == 1, [c.get_label() for c in ax.collections]
    return np.asarray(found[0].get_offsets())


def sizes(ax: Axes) -> dict[tuple[float, float], float]:
    """The size of the point at each position."""
    found = {}
    for c in ax.collections:
        assert isinstance(c, PathCollection)
        for (x, y), size in zip(np.asarray(c.get_offsets()), c.get_sizes(), strict=False):
            found[float(x), float(y)] = float(size)
    return found


def labels(ax: Axes) -> str:
    legend = ax.get_legend()
    return "" if legend is None else " | ".join(plain(t.get_text()) for t in legend.get_texts())


def same_places(a: Any, b: Any) -> bool:
    return sorted(map(tuple, np.asarray(a).tolist())) == sorted(map(tuple, np.asarray(b).tolist()))
