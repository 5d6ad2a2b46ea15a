"""Points to begin with, each chosen for what it shows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.sources import tight

GRID = 32  # placed points lie on 1/32, so that sums of them are exact and cycles can be proved


def presets() -> list[dict[str, Any]]:
    """Every preset: its name, what it shows, its points and labels, and whether it wants a bias."""
    return [
        _preset("and", "AND", "Two inputs, true when both are: a line with a bias separates it.",
                *_table([-1, -1, -1, 1])),
        _preset("or", "OR", "True when either input is: a line with a bias separates it.",
                *_table([-1, 1, 1, 1])),
        _preset("xor", "XOR", "No line has it: the weights go round in a cycle, which proves it.",
                *_table([-1, 1, 1, -1])),
        _preset("separable", "Separable", "Two clouds with room between them.",
                *_clouds(20, 20, gap=0.25, seed=32)),
        _preset("barely", "Barely separable", "A narrow gap: more mistakes, and a larger bound.",
                *_clouds(20, 20, gap=0.04, seed=3)),
        _preset("overlapping", "Overlapping", "Clouds that run into each other: no line separates.",
                *_clouds(15, 15, gap=-0.6, seed=36)),
        _preset("no-bias", "No bias needed", "A line through the origin is enough: try without it.",
                *_clouds(15, 15, gap=0.25, seed=11), bias=False),
        _preset("bias", "Bias needed", "Every line through the origin errs; one that misses it "
                "does not. Run it with the bias off, then on.", *_shifted(), bias=False),
        _preset("tight", "The tight family", "Nine unit vectors, all positive: each is a mistake, "
                "and the bound (R/γ)² = 9 is met exactly.",
                np.asarray(tight(9).rows.values, dtype=np.float64).reshape(9, 9),
                tight(9).signs, bias=False),
    ]  # fmt: skip


def _preset(
    name: str,
    title: str,
    about: str,
    X: NDArray[np.float64],
    y: NDArray[np.int8],
    *,
    bias: bool = True,
) -> dict[str, Any]:
    return {
        "name": name,
        "title": title,
        "about": about,
        "points": X.tolist(),
        "labels": y.tolist(),
        "bias": bias,
    }


def _table(labels: list[int]) -> tuple[NDArray[np.float64], NDArray[np.int8]]:
    corners = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.float64)
    return corners, np.array(labels, dtype=np.int8)


def _clouds(
    negative: int, positive: int, *, gap: float, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.int8]]:
    """Two clouds on either side of a line through the origin, the gap between them at least so."""
    dice, u = np.random.default_rng(seed), np.array([0.8, 0.6])
    y = np.array([-1] * negative + [1] * positive, dtype=np.int8)[
        dice.permutation(negative + positive)
    ]
    along = gap / 2 + dice.random(len(y)) * 1.1
    along[:2] = gap / 2  # some are on the very edge of the gap
    across = dice.uniform(-1.2, 1.2, len(y))
    X = np.outer(y * along, u) + np.outer(across, [-0.6, 0.8])
    return _on_grid(X), y


def _shifted() -> tuple[NDArray[np.float64], NDArray[np.int8]]:
    X, y = _clouds(12, 12, gap=0.3, seed=2)
    return _on_grid(0.6 * X + [0.9, 0.9]), y


def _on_grid(X: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.round(X * GRID) / GRID
