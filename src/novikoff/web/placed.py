"""The points of the page as a block, refused with a cure when no run can be made of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from novikoff.examples import Block
from novikoff.rows import BadExample, DenseRows

MOST_POINTS = 20_000
MOST_COLUMNS = 32
CLASSES = ("-1", "1")


class Refused(BadExample):
    """A request that cannot be answered; its words are shown on the page."""


@dataclass(frozen=True, slots=True)
class Placed:
    """Points with a label each, and what their columns and classes are called."""

    block: Block
    names: tuple[str, ...]
    label: str
    classes: tuple[str, str]

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """From a request: `points`, `labels`, and perhaps `names`, `label` and `classes`."""
        points, labels = _listed(given, "points"), _listed(given, "labels")
        if not points:
            raise Refused("there are no points yet: click on the plane, or choose a preset")
        if len(points) > MOST_POINTS:
            raise Refused(
                f"there are {len(points):,} points, and the page takes {MOST_POINTS:,}: leave some "
                "out, or use novikoff train, which takes any number"
            )
        if len(labels) != len(points):
            raise Refused(f"{len(points)} points but {len(labels)} labels: give each point one")
        X = _matrix(points)
        for i, y in enumerate(labels):
            if type(y) is not int or y not in (-1, 1):
                raise Refused(f"point {i}: label {y!r} is neither -1 nor 1")
        names = _texts(given, "names") or tuple(f"x{j + 1}" for j in range(X.shape[1]))
        if len(names) != X.shape[1]:
            raise Refused(f"{len(names)} names for {X.shape[1]} columns: give each column one")
        classes = _texts(given, "classes") or CLASSES
        if len(classes) != 2:
            raise Refused(f"there are two classes, not {len(classes)}")
        block = Block(DenseRows(X), np.array(labels, dtype=np.int8))
        return cls(block, names, str(given.get("label") or "label"), (classes[0], classes[1]))

    @property
    def values(self) -> NDArray[np.float64]:
        """The coordinates, a row a point."""
        return np.asarray(self.block.rows.values, dtype=np.float64).reshape(len(self.block), -1)


def _listed(given: Mapping[str, Any], key: str) -> Sequence[Any]:
    found = given.get(key)
    if not isinstance(found, list):
        raise Refused(f"the request has no list of {key}")
    return found


def _texts(given: Mapping[str, Any], key: str) -> tuple[str, ...] | None:
    found = given.get(key)
    if found is None:
        return None
    if not isinstance(found, list) or not all(isinstance(text, str) for text in found):
        raise Refused(f"{key} must be a list of texts")
    return tuple(found)


def _matrix(points: Sequence[Any]) -> NDArray[np.float64]:
    """The points as numbers; the first that is not one is named."""
    width = len(points[0]) if isinstance(points[0], list) else 0
    if not 1 <= width <= MOST_COLUMNS:
        raise Refused(f"a point has from 1 to {MOST_COLUMNS} coordinates, and point 0 has {width}")
    for i, point in enumerate(points):
        if not isinstance(point, list) or len(point) != width:
            raise Refused(f"point {i} has not {width} coordinates, as point 0 has")
        for j, x in enumerate(point):
            if isinstance(x, bool) or not isinstance(x, (int, float)) or not _is_finite(x):
                raise Refused(
                    f"point {i}: coordinate {j} is {x!r}, not a finite number; move or delete it"
                )
    return np.array(points, dtype=np.float64)


def _is_finite(x: float) -> bool:
    try:
        return math.isfinite(x)
    except OverflowError:  # a whole number too large for a float
        return False
