"""What comes in at the estimators' door: labels of any kind, frames with named columns, starts."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets

from novikoff.stream.rows import Vector

P = ParamSpec("P")
S = TypeVar("S")
T = TypeVar("T")


def restore(self: object, before: dict[str, Any]) -> None:
    """Give the object back the attributes it had."""
    for name in vars(self).keys() - before.keys():
        del vars(self)[name]
    vars(self).update(before)


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
                restore(self, before)
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


def starts(
    runs: int,
    dim: int,
    dice: np.random.RandomState,
    *,
    coef: ArrayLike | Literal["random"] | None,
    intercept: ArrayLike | None,
    fit_intercept: bool,
) -> list[Vector | None]:
    """Where each run starts: the constant's weight last, if it is fitted; None for zero."""
    if coef is None and intercept is None:
        return [None] * runs
    if isinstance(coef, str):
        if coef != "random":
            raise ValueError(f"coef_init must be an array or 'random', not {coef!r}")
        drawn = dice.standard_normal((runs, dim + 1))
        coef = drawn[:, :-1]
        intercept = drawn[:, -1] if intercept is None and fit_intercept else intercept
    w = np.zeros((runs, dim)) if coef is None else np.asarray(coef, dtype=np.float64)
    b = np.zeros(runs) if intercept is None else np.asarray(intercept, dtype=np.float64)
    if w.size != runs * dim:
        raise ValueError(f"coef_init has shape {w.shape}, expected {(runs, dim)}")
    if b.size != runs:
        raise ValueError(f"intercept_init has shape {b.shape}, expected {(runs,)}")
    if not (np.isfinite(w).all() and np.isfinite(b).all()):
        raise ValueError("coef_init and intercept_init must be finite")
    if not fit_intercept:
        if b.any():
            raise ValueError("intercept_init is given but fit_intercept is False")
        return list(w.reshape(runs, dim))
    return list(np.hstack([w.reshape(runs, dim), b.reshape(runs, 1)]))
