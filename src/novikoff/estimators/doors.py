"""What comes in at the estimators' door: labels of any kind, frames with named columns."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

P = ParamSpec("P")
S = TypeVar("S")
T = TypeVar("T")


def unchanged_by_errors(
    *, but_for: tuple[type[BaseException], ...]
) -> Callable[[Callable[Concatenate[S, P], T]], Callable[Concatenate[S, P], T]]:
    """Give the object back the attributes it had if the method raises, but for these exceptions.

    A refused fit must not leave a half-fitted estimator, nor spoil one that was fitted before.
    """

    def guard(method: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
        @wraps(method)
        def guarded(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
            before = dict(vars(self))
            try:
                return method(self, *args, **kwargs)
            except but_for:
                raise
            except BaseException:
                vars(self).clear()
                vars(self).update(before)
                raise

        return guarded

    return guard


def classes_and_codes(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The distinct labels in order, and for each row the place of its label among them.

    Two whole numbers, the common case, are found by looking for the least and the greatest: to
    sort two million labels would take longer than learning from their rows.
    """
    if y.dtype.kind in "biu" and len(y):
        low, high = y.min(), y.max()
        codes = y == high
        if low != high and np.count_nonzero(y == low) + np.count_nonzero(codes) == len(y):
            return np.array([low, high]), codes
    check_classification_targets(y)
    classes, inverse = np.unique(y, return_inverse=True)
    return classes, inverse


def column_kinds(X: Any) -> list[tuple[Any, str]]:
    """Names and NumPy kinds of a frame's columns; of an array, its kind, without a name."""
    if hasattr(X, "columns") and hasattr(X, "dtypes"):
        return [(name, _kind(dtype)) for name, dtype in zip(X.columns, X.dtypes, strict=True)]
    kind = getattr(getattr(X, "dtype", None), "kind", None)
    return [(None, kind)] if isinstance(kind, str) else []


def _kind(dtype: Any) -> str:
    """The kind of a column's type: NumPy's and pandas' say it, polars' are asked."""
    if isinstance(getattr(dtype, "kind", None), str):
        return str(dtype.kind)
    if getattr(dtype, "is_temporal", bool)():
        return "M"
    return "f" if getattr(dtype, "is_numeric", bool)() or str(dtype) == "Boolean" else "O"


def is_finite_number(value: Any) -> bool:
    """Whether it is a real number, finite and not a truth value."""
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    return is_number and math.isfinite(value)
