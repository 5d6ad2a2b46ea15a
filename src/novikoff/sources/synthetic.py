"""Streams drawn at random, with a separator known in advance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from novikoff.examples import Block
from novikoff.rows import DenseRows, Vector


class separable:  # noqa: N801  (read as a verb: sources.separable(...))
    """n points of the unit ball that u separates with at least the given margin.

    Points are uniform in direction, length at most 1; those too near the hyperplane of u are
    moved away from it along u. Iterated again, it gives the same points again.
    """

    def __init__(
        self,
        n: int,
        u: Sequence[float] | NDArray[np.float64],
        *,
        margin: float,
        seed: int = 0,
        block: int = 4096,
    ) -> None:
        direction = np.asarray(u, dtype=np.float64)
        length = float(np.linalg.norm(direction))
        if length == 0 or not 0 < margin < 1:
            raise ValueError("need a nonzero u and a margin between 0 and 1")
        self.n, self.margin, self.seed, self.block = n, margin, seed, block
        self.u: Vector = direction / length

    def __iter__(self) -> Iterator[Block]:
        # 1962 keeps these draws apart from those of whoever drew u from the same seed
        dice = np.random.default_rng((self.seed, 1962))
        for first in range(0, self.n, self.block):
            size = min(self.block, self.n - first)
            points = dice.standard_normal((size, len(self.u)))
            points *= dice.random((size, 1)) / np.linalg.norm(points, axis=1, keepdims=True)
            along = points @ self.u
            sign = np.where(along >= 0, 1.0, -1.0)
            across = points - np.outer(along, self.u)
            reach = np.maximum(np.abs(along), self.margin * (1 + 1e-9))
            room = np.sqrt(1 - reach**2)
            width = np.linalg.norm(across, axis=1)
            across *= np.minimum(1.0, room / np.maximum(width, 1e-300))[:, None]
            points = across + np.outer(sign * reach, self.u)
            yield Block(DenseRows(points), sign.astype(np.int8), first)
