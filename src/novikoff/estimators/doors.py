"""What comes in at the estimators' door: labels of any kind, frames with named columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from novikoff.loop import Interrupted

P = ParamSpec("P")
S = TypeVar("S")
T = TypeVar("T")


def unchanged_by_errors(method: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """Give the object back the attributes it had if the method raises, unless it was interrupted.

    A refused fit must not leave a half-fitted estimator, nor spoil one that was fitted before.
    """

    @wraps(method)
    def guarded(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        before = dict(vars(self))
        try:
            return method(self, *args, **kwargs)
        except Interrupted:
            raise
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    return guarded


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


def column_kinds(X: Any) -> Sequence[tuple[Any, str]]:
    """Names and NumPy kinds of a frame's columns; nothing for what is not a frame."""
    if not hasattr(X, "columns") or not hasattr(X, "__getitem__"):
        return ()
    return [(name, np.asarray(X[name]).dtype.kind) for name in X.columns]
