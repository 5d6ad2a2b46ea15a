"""NumPy and scipy sparse arrays as blocks; the numbers of binary files as float64.

What the core can read is not copied.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from novikoff.stream.blocks import Block, Labels, signs
from novikoff.stream.input_problems import BadExample, Problem
from novikoff.stream.labels import Classes, LabelsAsSigns, written
from novikoff.stream.rows import DenseRows, Rows, SparseRows, Values, Vector

Where: TypeAlias = Callable[[int], str]  # names the place of a value, for errors

_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
_WIDTHS = (np.dtype(np.int32), np.dtype(np.int64))


def block_of(data: Any) -> Any:
    """The Block of a pair (X, y) with any two labels; whatever else is given, as it is."""
    if not isinstance(data, tuple) or len(data) != 2 or isinstance(data[0], Block):
        return data
    X, y = data
    if hasattr(X, "columns"):
        from novikoff.sources.in_memory import frame_rows  # loads every format of tables

        return Block(frame_rows(X)[0], two_labels(y)[0])
    return Block(rows_of(X), two_labels(y)[0])


def rows_of(X: Any) -> Rows:
    """Rows over the memory of X, if it is float32 or float64 in C order or CSR, or over a copy."""
    if hasattr(X, "tocsr"):
        if len(X.shape) != 2:
            raise BadExample(f"rows must be two-dimensional, not of shape {X.shape}")
        csr = as_csr(X)
        indices, starts = csr.indices, csr.indptr
        if indices.dtype != starts.dtype or indices.dtype not in _WIDTHS:
            indices, starts = indices.astype(np.int64), starts.astype(np.int64)
        return SparseRows(_floats(csr.data), indices, starts, int(csr.shape[1]))
    try:
        given = np.asarray(X)
    except ValueError:
        raise BadExample(_ragged(X)) from None
    if given.ndim != 2:
        cure = "; for one column, pass X.reshape(-1, 1)" if given.ndim == 1 else ""
        if given.ndim == 1 and len(given) and isinstance(given[0], Mapping):
            cure = "; make a frame of the dicts"
        raise BadExample(f"rows must be two-dimensional, not of shape {given.shape}{cure}")
    if given.dtype == object and hasattr(X, "columns"):
        given = _frame(X)
    return DenseRows(_floats(given))


def as_csr(X: Any) -> Any:
    """A sparse matrix as CSR; what scipy would convert unchecked is checked before."""
    rows, columns = X.shape
    sound = True
    if X.format == "coo":
        sound = len(X.row) == len(X.col) == len(X.data)
        sound = sound and _within(X.row, rows) and _within(X.col, columns)
    elif X.format == "csc":
        sound = _starts_are_sound(X, columns) and _within(X.indices, rows)
    elif X.format == "bsr":
        high, wide = X.blocksize
        sound = _starts_are_sound(X, rows // high) and _within(X.indices, columns // wide)
    if not sound:
        raise BadExample(f"the {X.format} matrix is damaged: its indices lie outside its shape")
    return X.tocsr()


def _within(indices: NDArray[Any], end: int) -> bool:
    return len(indices) == 0 or bool(indices.min() >= 0 and indices.max() < end)


def _starts_are_sound(X: Any, lists: int) -> bool:
    starts = X.indptr
    if len(starts) != lists + 1 or (np.diff(starts) < 0).any():
        return False
    return bool(starts[0] == 0 and starts[-1] <= min(len(X.indices), len(X.data)))


def _frame(X: Any) -> NDArray[np.float64]:
    """A frame whose columns are different kinds of numbers, or truth values."""
    columns = []
    for name in X.columns:
        column = np.asarray(X[name])
        if column.ndim != 1 or column.dtype.kind not in "biuf":
            raise BadExample(
                f"column {name!r} does not hold numbers; if it is the label, remove it from X, "
                "otherwise convert it to numbers"
            )
        columns.append(column.astype(np.float64))
    return np.column_stack(columns)


def _ragged(rows: Any) -> str:
    """The message about the first row that is not as long as row 0."""
    first = len(rows[0]) if hasattr(rows[0], "__len__") else None
    for i, row in enumerate(rows):
        length = len(row) if hasattr(row, "__len__") else None
        if length != first:
            return f"row {i} has {length} features, but row 0 has {first}"
    return "the features are not numbers"


def _floats(values: NDArray[Any]) -> Values:
    if values.dtype.kind not in "biuf":
        raise BadExample(f"features must be real numbers, not {values.dtype}")
    if values.dtype not in _FLOATS or not values.dtype.isnative:
        values = values.astype(np.float64)
    return values


def two_labels(y: Any, *, or_else: str = "") -> tuple[Labels, Classes]:
    """Any two labels as −1 and +1, and the negative and the positive one as texts.

    The greater is positive, in the order of an ordered category of pandas if y is one; `or_else` is
    what else the caller takes, for the error.
    """
    given, levels = flat_labels(y), ordered_levels(y)
    if given.dtype == np.bool_ and not levels:
        return np.where(given, 1, -1).astype(np.int8), ("false", "true")
    if len(given) == 0:
        return np.zeros(0, dtype=np.int8), ("-1", "1")
    codes, texts, places = label_texts(given)
    labels = LabelsAsSigns([written(level) for level in levels] if len(levels) == 2 else None)
    try:
        return labels.coded(codes, texts, places), labels.classes
    except BadExample as error:
        if error.problem is not Problem.THIRD_LABEL:
            raise
        one = [*dict.fromkeys(given.tolist())][2]
        of = "y" if hasattr(y, "__array__") else "numpy.array(y)"
        rest = f"pass {of} == {one!r} to set that label against the rest"
        raise BadExample(f"{error.without_cure}; {rest}{or_else}") from None


def flat_labels(y: Any) -> NDArray[Any]:
    """The labels of a list, a column, or a table of one column."""
    given = np.asarray(y)
    if given.ndim == 2 and given.shape[1] == 1:
        given = given[:, 0]
    if given.ndim != 1:
        raise BadExample(f"labels must be one-dimensional, not of shape {given.shape}")
    return given


def label_texts(given: NDArray[Any]) -> tuple[NDArray[Any], list[str], list[str]]:
    """The different labels as texts, numbered in order of appearance, and where each is first."""
    codes, labels, first = numbered(given)
    texts, places = list[str](), [f"row {i}" for i in first]
    for label, place in zip(labels, places, strict=True):
        text = label.decode() if isinstance(label, bytes) else label
        if text is None:
            raise BadExample(f"{place}: the label is missing; fill it in or leave out the row")
        if not isinstance(text, str | int | float):
            raise BadExample(f"{place}: label {text!r} is neither a number nor a text")
        texts.append(written(text))
    return codes, texts, places


def numbered(given: NDArray[Any]) -> tuple[NDArray[np.int64], list[Any], list[int]]:
    """Labels as numbers in order of appearance, the different ones, and the first place of each."""
    if given.dtype.kind in "iuf" and len(given):  # of two numbers, all at once
        is_other = given != given[0]
        at = int(np.argmax(is_other))
        if (given[is_other] == given[at]).all():
            first = [*dict.fromkeys([0, at])]
            return is_other.astype(np.int64), given[first].tolist(), first
    numbers: dict[Any, int] = {}
    codes = [numbers.setdefault(label, len(numbers)) for label in given.tolist()]
    out = np.array(codes, dtype=np.int64)
    return out, [*numbers], np.unique(out, return_index=True)[1].tolist()


def ordered_levels(y: Any) -> list[Any]:
    """The categories of y in their order: those that occur, or both; none if not ordered."""
    is_table = len(getattr(y, "columns", ())) == 1
    kind: Any = next(iter(y.dtypes)) if is_table else getattr(y, "dtype", None)
    if getattr(kind, "ordered", False) is not True:
        return []
    levels = list(kind.categories)
    if len(levels) > 2:
        present = set(flat_labels(y).tolist())
        levels = [level for level in levels if level in present]
    return levels


def block(X: Any, y: Sequence[float] | NDArray[Any], *, first: int = 0) -> Block:
    """A block of the rows of X with the labels y, each −1 or +1.

    >>> block([[1.0, 0.0], [0.0, 2.0]], [1, -1])[1]
    Example(columns=array([0, 1]), values=array([0., 2.]), label=-1, importance=1.0)
    """
    return Block(rows_of(X), signs(y), first)


def classes_block(X: Any, y: Sequence[int] | NDArray[Any], *, first: int = 0) -> Block:
    """A block of the rows of X with the classes y, numbered from 0, to be learned jointly.

    >>> classes_block([[1.0, 0.0], [0.0, 2.0]], [2, 0])[0]
    Example(columns=array([0, 1]), values=array([1., 0.]), label=2, importance=1.0)
    """
    given = np.asarray(y)
    if given.ndim != 1 or given.dtype.kind not in "iu":
        raise BadExample(f"classes must be a list of whole numbers, not {given.dtype}")
    wrong = np.flatnonzero((given < 0) | (given >= 2**31))
    if len(wrong):
        i = int(wrong[0])
        raise BadExample(f"row {i}: class {given.tolist()[i]} is not in 0..2^31 - 1")
    return Block(rows_of(X), given.astype(np.int32), first)


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
