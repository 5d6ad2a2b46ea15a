"""The example points that the page offers, each chosen for what it shows."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from novikoff.sources import tight

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
                "True when exactly one input is 1. No line separates it: the perceptron’s weights "
                "repeat in a cycle, and the cycle proves it."),
        _preset("separable", "Separable", _clouds(20, 20, gap=0.25, seed=32),
                "Two clouds of points with a wide gap between them."),
        _preset("barely", "Barely separable", _clouds(20, 20, gap=0.04, seed=3),
                "Two clouds with a narrow gap: more mistakes, and a larger bound on them."),
        _preset("overlapping", "Overlapping", _clouds(15, 15, gap=-0.6, seed=36),
                "Two clouds that overlap: no line separates them."),
        _preset("no-bias", "No bias needed", _clouds(15, 15, gap=0.25, seed=11),
                "A line through the origin separates these points, so the bias can be off.",
                bias=False),
        _preset("bias", "Bias needed", _away_from_origin(),
                "Some lines separate these points, but none through the origin. Run with the bias "
                "off, then with it on.", bias=False),
        _preset("tight", "Bound met exactly", _unit_vectors(9),
                "Nine unit vectors, all positive. With the bias off, each is one mistake: exactly "
                "as many as the bound (R/γ)² = 9 allows.", bias=False),
    ]  # fmt: skip


def _preset(
    name: str, title: str, examples: Examples, about: str, *, bias: bool = True
) -> dict[str, Any]:
    points, labels = (part.tolist() for part in examples)
    words = {"name": name, "title": title, "about": about}
    return {**words, "points": points, "labels": labels, "bias": bias}


def _corners(*labels: int) -> Examples:
    """The corners of the unit square: a truth table of two inputs."""
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.float64)
    return X, np.array(labels, dtype=np.int8)


def _clouds(negative: int, positive: int, *, gap: float, seed: int) -> Examples:
    """Two clouds on either side of a line through the origin, at least `gap` apart."""
    dice, u = np.random.default_rng(seed), np.array([0.8, 0.6])
    y = np.array([-1] * negative + [1] * positive, dtype=np.int8)
    y = y[dice.permutation(len(y))]
    along = gap / 2 + dice.random(len(y)) * 1.1
    along[:2] = gap / 2  # two points lie on the edge of the gap
    across = dice.uniform(-1.2, 1.2, len(y))
    return _on_grid(np.outer(y * along, u) + np.outer(across, [-0.6, 0.8])), y


def _away_from_origin() -> Examples:
    X, y = _clouds(12, 12, gap=0.3, seed=2)
    return _on_grid(0.6 * X + [0.9, 0.9]), y


def _unit_vectors(n: int) -> Examples:
    block = tight(n)
    return np.asarray(block.rows.values, dtype=np.float64).reshape(n, n), block.signs


def _on_grid(X: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.round(X * GRID) / GRID
