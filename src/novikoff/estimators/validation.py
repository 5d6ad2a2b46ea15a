"""Input validation: rows and labels as scikit-learn checks them, parameters, where to start."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_random_state, validate_data

from novikoff.online.one_example import are_dicts
from novikoff.sources.arrays import as_csr, rows_of
from novikoff.stream.blocks import unusable_importance
from novikoff.stream.input_problems import BadExample, why_not_a_name
from novikoff.stream.number_text import is_finite_number, is_float
from novikoff.stream.printing import cut
from novikoff.stream.rows import Rows, Vector, dots

Columns: TypeAlias = dict[str, Any]
_MOST_SEED = np.iinfo(np.int32).max
COLUMNS = ("n_features_in_", "feature_names_in_")

_LAYOUT = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "order": "C"}


def read_new(
    estimator: Any, X: Any, y: Any, *, finite: bool = False
) -> tuple[Rows, NDArray[Any], Columns]:
    """The first rows and labels of an estimator, which stays unchanged, and its columns."""
    if isinstance(y, list | tuple):  # an array drops a NUL at the end
        for i, label in enumerate(y):
            if isinstance(label, str) and (why := why_not_a_name(label)):
                raise BadExample(f"row {i}: the label {label!r} {why}")
    unfitted = object.__new__(type(estimator))
    known = vars(estimator).items()  # get_params would take as long as a pass over 1,000 numbers
    vars(unfitted).update((name, value) for name, value in known if name not in COLUMNS)
    X, y = _validated(unfitted, X, y, reset=True)
    columns = {name: vars(unfitted)[name] for name in COLUMNS if name in vars(unfitted)}
    return _finite(X, finite), y, columns


def read(estimator: Any, X: Any, y: Any = None, *, finite: bool = False) -> tuple[Rows, Any]:
    """Rows, and labels if any, for a fitted estimator; NaN is left to the pass unless `finite`."""
    if y is None:
        X = _validated(estimator, X, "no_validation", reset=False)
    else:
        X, y = _validated(estimator, X, y, reset=False)
    return _finite(X, finite), y


def _finite(X: Any, needed: bool) -> Rows:
    """The rows of X; if that is needed, BadExample names the first entry that is not finite."""
    rows = rows_of(X)
    if needed:
        dots(rows, np.zeros(rows.dim))
    return rows


def _validated(estimator: Any, X: Any, y: Any, *, reset: bool) -> Any:
    kinds = _column_kinds(X)
    for name, kind in kinds:
        if isinstance(name, str) and (why := why_not_a_name(name)):
            raise BadExample(f"column {name!r} of X {why}")
        if kind in "mM":
            where = "X" if name is None else f"column {name!r} of X"
            raise ValueError(f"{where} holds dates or times; convert them to numbers first")
    if hasattr(X, "tocsr") and len(X.shape) == 2:
        X = as_csr(X)
    try:
        return validate_data(estimator, X, y, reset=reset, ensure_all_finite=False, **_LAYOUT)
    except (ValueError, TypeError) as error:
        if (isinstance(X, Mapping) and not hasattr(X, "shape")) or are_dicts(X):
            raise TypeError(
                "X holds dicts; learn from them with learn_one, learn_many or partial_fit, or make "
                "a table of them (for instance with DictVectorizer)"
            ) from None
        labels = np.asarray(y)
        if labels.dtype.kind == "f" and np.isnan(labels).any():
            row = int(np.isnan(labels).argmax())
            raise BadExample(f"Input y contains NaN (row {row}).") from None
        if isinstance(X, list | tuple) and X and len({_length(row) for row in X}) > 1:
            rows_of(X)  # raises the error about the first row that is longer or shorter
        if (value := _first_text(X, kinds)) is None:
            raise
        raise BadExample(
            f"could not convert string to float: {value}; if the column is the label, leave it out "
            "of X, otherwise encode it (for instance with OneHotEncoder)"
        ) from error


def _length(row: Any) -> int | None:
    return len(row) if hasattr(row, "__len__") else None


def _first_text(X: Any, kinds: list[tuple[Any, str]]) -> str | None:
    """Where the first value is that is not a number, and what; None if that is not the reason."""
    columns: list[tuple[Any, Any]] = [
        (name, np.asarray(X[name], dtype=object))
        for name, kind in kinds
        if name is not None and kind not in "biuf"
    ]
    if not columns and not hasattr(X, "dtypes"):
        given = np.asarray(X)
        columns = list(enumerate(given.T)) if given.ndim == 2 and given.dtype.kind in "OU" else []
    for name, values in columns:
        for i, value in enumerate(values.tolist()):
            if isinstance(value, str) and not is_float(value):
                return f"{cut(repr(value))} (row {i}, column {name!r} of X)"
    return None


def _column_kinds(X: Any) -> list[tuple[Any, str]]:
    """Names and NumPy kinds of a frame's columns; of an array, its kind, without a name."""
    if hasattr(X, "collect_schema") and hasattr(X, "collect"):
        raise TypeError("X is a lazy frame; pass X.collect()")
    if hasattr(X, "columns") and hasattr(X, "dtypes"):
        return [(name, _kind(dtype)) for name, dtype in zip(X.columns, X.dtypes, strict=True)]
    kind = getattr(getattr(X, "dtype", None), "kind", None)
    return [(None, kind)] if isinstance(kind, str) else []


def _kind(dtype: Any) -> str:
    """The NumPy kind of a column's type, also for the types of polars."""
    if isinstance(getattr(dtype, "kind", None), str):
        return str(dtype.kind)
    if getattr(dtype, "is_temporal", bool)():
        return "M"
    return "f" if getattr(dtype, "is_numeric", bool)() or str(dtype) == "Boolean" else "O"


def importances(sample_weight: Any, n: int) -> Vector | None:
    """How much each of n examples counts, as float64; None if nothing is said."""
    if sample_weight is None:
        return None
    try:
        given = np.asarray(sample_weight, dtype=np.float64)
    except (ValueError, TypeError):
        raise ValueError("sample_weight must hold a number for each example") from None
    if given.ndim == 0:
        given = np.full(n, given)
    if given.shape != (n,):
        raise ValueError(
            f"sample_weight must have a number for each of {n} examples, not shape {given.shape}"
        )
    if (wrong := unusable_importance(given)) is not None:
        raise BadExample(
            f"row {wrong}: sample_weight {float(given[wrong])!r} must be finite and at least 0"
        )
    return given


def importance(weight: Any) -> float:
    """How much one example counts; None means 1."""
    if weight is None:
        return 1.0
    if not is_finite_number(weight):
        raise BadExample(f"weight must be a finite number from 0, not {weight!r}")
    if weight < 0:
        raise BadExample(f"weight {float(weight)!r} must be at least 0")
    return float(weight)


def check_common(estimator: Any) -> None:
    """Raise ValueError for parameters, common to all estimators, that are out of range."""
    max_iter, shuffle = estimator.max_iter, estimator.shuffle
    if not (isinstance(max_iter, int | np.integer) and max_iter >= 1):
        raise ValueError(f"max_iter must be a whole number from 1, not {max_iter!r}")
    if shuffle != "once" and not isinstance(shuffle, bool | np.bool_):
        raise ValueError(f"shuffle must be 'once', True or False, not {shuffle!r}")
    if estimator.revisit not in (None, "mistakes"):
        raise ValueError(f"revisit must be 'mistakes' or None, not {estimator.revisit!r}")
    if not isinstance(estimator.fit_intercept, bool | np.bool_):
        raise ValueError(f"fit_intercept must be True or False, not {estimator.fit_intercept!r}")
    if estimator.keep not in ("auto", "examples", "positions", "counts"):
        raise ValueError(
            f"keep must be 'auto', 'examples', 'positions' or 'counts', not {estimator.keep!r}"
        )


def check_multiclass(multiclass: str, *also: str) -> None:
    """Raise ValueError unless it names a way to learn more than two classes."""
    if multiclass not in (*also, "ovr", "joint"):
        known = ", ".join(map(repr, (*also, "ovr")))
        raise ValueError(f"multiclass must be {known} or 'joint', not {multiclass!r}")


def seed_of(random_state: int | np.random.RandomState | None) -> int:
    """The first number drawn: the seed of the order."""
    if isinstance(random_state, int):
        return _seed_of_number(random_state)
    return int(check_random_state(random_state).randint(_MOST_SEED))


@lru_cache(maxsize=64)
def _seed_of_number(number: int) -> int:  # a new generator takes an eighth of a fit of 100 rows
    return int(check_random_state(number).randint(_MOST_SEED))


def starts(
    vectors: int,
    dim: int,
    dice: np.random.RandomState,
    *,
    coef: ArrayLike | Literal["random"] | None,
    intercept: ArrayLike | None,
    fit_intercept: bool,
) -> list[Vector]:
    """Where each weight vector starts, the constant's weight last if it is fitted."""
    if isinstance(coef, str):
        if coef != "random":
            raise ValueError(f"coef_init must be an array or 'random', not {coef!r}")
        drawn = dice.standard_normal((vectors, dim + 1))
        coef = drawn[:, :-1]
        intercept = drawn[:, -1] if intercept is None and fit_intercept else intercept
    w = np.zeros((vectors, dim)) if coef is None else np.asarray(coef, dtype=np.float64)
    b = np.zeros(vectors) if intercept is None else np.asarray(intercept, dtype=np.float64)
    if w.size != vectors * dim:
        raise ValueError(f"coef_init has shape {w.shape}, expected {(vectors, dim)}")
    if b.size != vectors:
        raise ValueError(f"intercept_init has shape {b.shape}, expected {(vectors,)}")
    if not (np.isfinite(w).all() and np.isfinite(b).all()):
        raise ValueError("coef_init and intercept_init must be finite")
    if not fit_intercept:
        if b.any():
            raise ValueError("intercept_init is given but fit_intercept is False")
        return list(w.reshape(vectors, dim))
    return list(np.hstack([w.reshape(vectors, dim), b.reshape(vectors, 1)]))
