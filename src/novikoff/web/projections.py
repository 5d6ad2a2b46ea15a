"""Where points of more than two columns are drawn: on a plane that shows the final boundary."""

from __future__ import annotations

from typing import Any

import numpy as np

from novikoff.rows import Vector
from novikoff.web.placed import Placed


def view(placed: Placed, weights: Vector) -> dict[str, Any] | None:
    """The plane of w and the first principal direction orthogonal to it; None in two dimensions.

    A point x is drawn at (⟨x,across⟩, ⟨x,up⟩). The final hyperplane is a vertical line there, and
    each point is as far from it as in all dimensions; other hyperplanes are shown where they cut
    the plane. One column is drawn along a line, without a plane of its own.
    """
    X, dim = placed.values, placed.values.shape[1]
    if dim <= 2:
        return None
    w = weights[:dim]
    across = np.eye(dim)[0]
    if w.any():
        across = w / np.abs(w).max()  # first, for the squares of very large weights are infinite
        across = across / np.linalg.norm(across)
    spread = X - X.mean(axis=0)
    spread = spread - np.outer(spread @ across, across)
    covariance = spread.T @ spread
    # what is taken away makes w itself the last direction, though nothing else may have any spread
    covariance -= (1 + np.trace(covariance)) * np.outer(across, across)
    up = np.linalg.eigh(covariance)[1][:, -1]
    return {
        "across": across.tolist(),
        "up": up.tolist(),
        "words": (
            f"{dim} columns, all learned from; drawn on the final weights (across) and the first "
            "principal direction orthogonal to them (up)"
        ),
    }
