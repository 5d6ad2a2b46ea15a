"""The example points that the page offers, each chosen for what it shows."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

GRID = 32  # coordinates are multiples of 1/32, so their sums are exact and a cycle can be proved

Examples: TypeAlias = tuple[NDArray[np.float64], NDArray[np.int8]]


def presets() -> list[dict[str, Any]]:
    """All presets: name, title, what it shows, points, labels, and whether the bias is on."""
    return [
        _preset("and", "AND", _corners(-1, -1, -1, 1),
                "True when both inputs are 1. Separable, but only with the bias on."),
        _preset("or", "OR", _corners(-1, 1, 1, 1),
                "True when at least one input is 1. Separable, but only with the bias on."),
        _preset("xor", "XOR", _corners(-1, 1, 1, -1),
                "True when exactly one input is 1. No line separates it.",
                now="The perceptron’s weights repeat in a cycle, and the cycle proves it."),
        _preset("separable", "Separable", _clouds(20, gap=0.25, seed=32),
                "Two clouds of points with a wide gap between them."),
        _preset("barely", "Barely separable", _clouds(20, gap=0.04, seed=3),
                "Two clouds with a narrow gap: more mistakes, and a larger bound on them."),
        _preset("overlapping", "Overlapping", _clouds(15, gap=-0.6, seed=36),
                "Two clouds that overlap: no line separates them."),
        _preset("no-bias", "No bias needed", _clouds(15, gap=0.25, seed=11),
                "A line through the origin separates these points, so no bias is needed.",
                bias=False),
        _preset("bias", "Bias needed", _clouds(12, gap=0.3, seed=2, away=True),
                "Some lines separate these points, but none through the origin.",
                now="Run with the bias off, then switch it on.", bias=False),
        _preset("tight", "Bound met exactly", (np.eye(9), np.ones(9, dtype=np.int8)),
                "Nine unit vectors, all positive.",
                now="Each is one mistake: exactly as many as the bound (R/γ)² = 9 allows.",
                bias=False),
    ]  # fmt: skip


def _preset(
    name: str, title: str, examples: Examples, about: str, *, now: str = "", bias: bool = True
) -> dict[str, Any]:
    """`about` is true of the points; `now`, of the perceptron's run with this bias."""
    points, labels = (part.tolist() for part in examples)
    words = {"name": name, "title": title, "about": about, "now": now}
    return {**words, "points": points, "labels": labels, "bias": bias}


def _corners(*labels: int) -> Examples:
    """The corners of the unit square: a truth table of two inputs."""
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.float64)
    return X, np.array(labels, dtype=np.int8)


def _clouds(n: int, *, gap: float, seed: int, away: bool = False) -> Examples:
    """Two clouds of n points at either side of a line; `away` moves it from the origin."""
    dice, u = np.random.default_rng(seed), np.array([0.8, 0.6])
    y = dice.permutation(np.array([-1] * n + [1] * n, dtype=np.int8))
    along = gap / 2 + dice.random(len(y)) * 1.1
    along[:2] = gap / 2  # two points lie on the edge of the gap
    across = dice.uniform(-1.2, 1.2, len(y))
    X = np.round(GRID * (np.outer(y * along, u) + np.outer(across, [-0.6, 0.8]))) / GRID
    return np.round(GRID * (0.6 * X + 0.9)) / GRID if away else X, y
