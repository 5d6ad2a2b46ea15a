"""Numbers of binary files as float64; one that is inexact or not finite is a BadExample."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from novikoff.stream.input_problems import BadExample, Problem
from novikoff.stream.rows import Vector

Where: TypeAlias = Callable[[int], str]  # names the place of a value, for errors


def exact(values: NDArray[Any], where: Where, column: str | None = None) -> Vector:
    """Finite numbers as float64; `column` could be read as categories instead."""
    if values.dtype.kind in "iu" and values.itemsize == 8:
        for i in np.flatnonzero((values > 2**53) | (values < -(2**53))):
            value = int(values[i])
            if float(value) != value:
                words = f"{where(int(i))}: {value} is not exact in float64"
                if column is None:
                    raise BadExample(f"{words}; scale it")
                raise BadExample(words, Problem.TOO_LONG_FOR_FLOAT, column=column)
    check_finite(values, where)
    return values.astype(np.float64)


def check_finite(values: NDArray[Any], where: Where) -> None:
    """Raise BadExample at the first number that is not finite."""
    good = np.isfinite(values)
    if not good.all():
        i = int(np.argmin(good))
        why = "missing; fill it in" if np.isnan(values[i]) else "not finite; replace it"
        raise BadExample(f"{where(i)}: {values[i]} is {why} or remove the row")
