"""One example as the compiled core reads it: a dict of plain names and values, or a row of floats.

The core takes what is plain already as it is. What it does not take comes here, where Python code
of the caller's may run, and either becomes plain or is refused with the name of the feature.
"""

from __future__ import annotations

import math
import operator
import reprlib
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray

from novikoff.stream.problems import BadExample

Plain: TypeAlias = dict[str | int, float | str]

_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
_MOST_DIGITS = 300  # more than a float's; Python refuses to write very long numbers out


def plain(x: object, where: str = "") -> Plain:
    """The features of x with plain names and values; refused if one has none.

    A name is a text, or a whole number, which stands for its digits. A value is a number (anything
    that float() takes and that is not text), or a text v, which makes the feature `name=v` with
    value 1. `where` is what an error begins with.
    """
    if not isinstance(x, Mapping):
        raise TypeError(
            f"{where}x must be a dict from the names of features to their values, "
            f"not {type(x).__name__}"
        )
    out: Plain = {}
    for key, value in x.items():
        name = _name(key, where)
        if name in out:
            raise BadExample(f"{where}feature {name!r} is given twice, as a text and as a number")
        out[name] = _value(key, value, where)
    return out


def plain_row(x: Any, dim: int | None, where: str = "") -> NDArray[Any]:
    """The row as one array of float32 or float64; refused unless it is `dim` real numbers."""
    if isinstance(x, Mapping):
        raise TypeError(
            f"{where}x is a dict, but the columns learned from are positions without names: "
            "give a row of numbers, or begin with dicts or a frame"
        )
    try:
        row = np.asarray(x)
    except ValueError:
        raise TypeError(f"{where}x must be a row of numbers, not {type(x).__name__}") from None
    if row.ndim != 1 or row.dtype.kind not in "biuf":
        what = f"an array of {row.dtype}" if row.ndim == 1 else f"of shape {row.shape}"
        cure = "; its names and texts are read from x.to_dict()" if hasattr(x, "to_dict") else ""
        raise TypeError(f"{where}x must be a row of real numbers, not {what}{cure}")
    if dim is None and len(row) == 0:
        raise BadExample(f"{where}the row is empty, and so would be all that follow")
    if dim is not None and len(row) != dim:
        raise BadExample(f"{where}the row has {len(row)} features, and {dim} were learned from")
    if row.dtype not in _FLOATS or not row.dtype.isnative:
        row = row.astype(np.float64)
    return np.ascontiguousarray(row)


def by_name(X: Any) -> bool:
    """Whether X holds examples whose features have names: dicts, or a frame's columns."""
    if hasattr(X, "columns"):
        return all(isinstance(name, str) for name in X.columns)
    return are_dicts(X)


def are_dicts(X: Any) -> bool:
    """Whether X is a list of dicts."""
    return isinstance(X, Sequence) and len(X) > 0 and isinstance(X[0], Mapping)


def count(X: Any) -> int:
    """How many examples X holds; refused if it does not hold examples side by side."""
    if hasattr(X, "shape"):  # some of scipy's are dicts too
        return int(X.shape[0])
    if isinstance(X, Mapping):
        raise TypeError("X is a dict: a list of dicts is needed, one for each example")
    if hasattr(X, "collect") and hasattr(X, "collect_schema"):  # of polars
        raise TypeError(f"X is a {type(X).__name__}, which has no rows yet: give X.collect()")
    if not hasattr(X, "__len__"):
        raise TypeError(f"X must be a list, a frame or an array, not {type(X).__name__}: list(X)")
    return len(X)


def records(X: Any) -> list[Any]:
    """The examples of a list of dicts, or the rows of a frame as dicts."""
    if not hasattr(X, "columns"):
        return list(X)
    names = list(X.columns)
    twice = [name for k, name in enumerate(names) if name in names[:k]]
    if twice:
        raise BadExample(f"there are two columns called {twice[0]!r}")
    if not names:
        return [{} for _ in range(len(X))]
    columns = zip(*(_cells(X[name]) for name in names), strict=True)
    return [dict(zip(names, row, strict=True)) for row in columns]


def first(X: Any) -> Any:
    """The first example of X."""
    return X[0] if not hasattr(X, "tocsr") else X.tocsr()[[0]].toarray()[0]


def _cells(column: Any) -> list[Any]:
    cells: list[Any] = column.to_list()
    if getattr(column.dtype, "name", None) == "category":
        return [cell if cell is None or cell != cell else str(cell) for cell in cells]
    return cells


def negative(name: object, size: float, where: str = "") -> BadExample:
    """What to say of a number below 0 where Winnow takes none."""
    return BadExample(
        f"{where}Negative values in data: feature {name!r} is {size:g}, and this Winnow takes "
        "numbers from 0; balanced Winnow takes any"
    )


def unscored(x: Plain, where: str, *, from_zero: bool) -> BadExample:
    """What to say of an example that can be read but not scored, or not learned from."""
    sizes = {name: 1.0 if isinstance(v, str) else float(v) for name, v in x.items()}
    for name, size in sizes.items():
        if from_zero and size < 0:
            return negative(name, size, where)
    largest = max(map(abs, sizes.values()), default=0.0)
    return BadExample(
        f"{where}the score is too large for float64 (largest feature {largest:.3g}); "
        "scale the features"
    )


def _name(key: object, where: str) -> str | int:
    if isinstance(key, str):
        text = str.__str__(key)
        _check(text, where, f"the name {text!r}")
        return text
    if isinstance(key, int | np.integer) and not isinstance(key, bool):
        number = operator.index(key)
        if -(2**63) <= number < 2**63:
            return number
        if number.bit_length() < 3 * _MOST_DIGITS:
            return str(number)
        raise BadExample(f"{where}the name of a feature is a number of too many digits")
    raise TypeError(
        f"{where}the name of a feature must be a text or a whole number, "
        f"not {type(key).__name__}: {key!r}"
    )


def _value(key: object, value: Any, where: str) -> float | str:
    if isinstance(value, str):
        text = str.__str__(value)
        _check(text, where, f"feature {key!r}: the text {text!r}")
        return text
    if value is None or type(value).__name__ == "NAType":  # pandas', which may not be installed
        what = "None" if value is None else "NA"
        raise TypeError(f"{where}feature {key!r} is {what}: leave out what is not known")
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    known = not isinstance(kind, str) or (kind in "biuf" and getattr(value, "ndim", 0) == 0)
    if not known or isinstance(value, complex) or not _is_number(value):
        _refuse(key, value, where)
    try:
        number = float(value)
    except OverflowError:
        raise BadExample(f"{where}feature {key!r}: the number is too large for float64") from None
    except (TypeError, ValueError):
        _refuse(key, value, where)
    if not math.isfinite(number):
        what = "NaN" if math.isnan(number) else "infinity"
        raise BadExample(f"{where}feature {key!r} is {what}; leave out what is not known")
    return number


def _is_number(value: object) -> bool:
    return hasattr(type(value), "__float__") or hasattr(type(value), "__index__")


def _refuse(key: object, value: object, where: str) -> NoReturn:
    raise TypeError(
        f"{where}feature {key!r} must be a number, a truth value or a text, "
        f"not {type(value).__name__}: {reprlib.repr(value)}"
    )


def _check(text: str, where: str, what: str) -> None:
    if "\0" in text:
        raise BadExample(f"{where}{what} has a NUL in it, which no name of a feature may have")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise BadExample(
            f"{where}{what} has half of a surrogate pair in it, which is no character"
        ) from None
