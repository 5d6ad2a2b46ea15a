"""One example as the compiled core reads it: a dict of plain names and values, or a row of floats.

What is not plain is converted here, where the caller's code may run (`__float__`).
"""

from __future__ import annotations

import json
import math
import operator
import reprlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from novikoff.stream.input_problems import BadExample, why_not_a_name
from novikoff.stream.rows import for_core

Plain: TypeAlias = dict[str | int, float | str]

_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
_DEEPEST = 32
_MOST_DIGITS = 300  # more than a float has; Python refuses to print very long numbers


def plain(x: object, where: str = "") -> Plain:
    """The features of x with plain names and values; BadExample, from `where` on, if one has none.

    A name is a text or a whole number, which is read as its digits. A text v makes the feature
    `name=v` with value 1. Dicts and lists inside are read as in JSON lines. Bytes are JSON.
    """
    if isinstance(x, bytes):
        x = json.loads(x)
    if not isinstance(x, Mapping):
        raise BadExample(
            f"{where}x must be a dict from the names of features to their values, "
            f"not {type(x).__name__}"
        )
    out: Plain = {}
    for name, value in _flat(x, "", where):
        if name in out:
            raise BadExample(f"{where}feature {name!r} is given twice")
        out[name] = _value(name, value, where)
    return out


def _flat(
    x: Mapping[Any, Any], path: str, where: str, depth: int = 1
) -> Iterator[tuple[str | int, Any]]:
    """The names and values in a dict, and in the dicts and lists inside it."""
    if depth > _DEEPEST:
        raise BadExample(f"{where}more than {_DEEPEST} dicts inside one another; flatten them")
    for key, value in x.items():
        name = f"{path}{_name(key, where)}" if path else _name(key, where)
        if isinstance(value, Mapping):
            yield from _flat(value, f"{name}.", where, depth + 1)
        elif not isinstance(value, list | tuple):
            yield name, value
        elif nested := [one for one in value if isinstance(one, Mapping | list | tuple)]:
            raise BadExample(
                f"{where}feature {name!r}: a list must hold texts or numbers, not "
                f"{reprlib.repr(nested[0])}; flatten it"
            )
        elif any(isinstance(one, str) for one in value):
            if not all(isinstance(one, str) for one in value):
                other = next(one for one in value if not isinstance(one, str))
                raise BadExample(
                    f"{where}feature {name!r}: a list must hold only texts or only numbers, not "
                    f"also {reprlib.repr(other)}"
                )
            for text in value:
                _value(name, text, where)
            yield from ((f"{name}={text}", n) for text, n in Counter(value).items())
        else:
            yield from ((f"{name}.{i}", one) for i, one in enumerate(value))


def plain_row(x: Any, dim: int | None, where: str = "") -> NDArray[Any]:
    """The row as an array of float32 or float64; an error unless it is `dim` real numbers."""
    if isinstance(x, Mapping):
        raise BadExample(
            f"{where}x is a dict, but the columns learned from are positions without names; "
            "pass a row of numbers, or start with dicts or a frame"
        )
    try:
        row = np.asarray(x)
    except ValueError:
        raise BadExample(f"{where}x must be a row of numbers, not {type(x).__name__}") from None
    if row.ndim != 1 or row.dtype.kind not in "biuf":
        what = f"an array of {row.dtype}" if row.ndim == 1 else f"of shape {row.shape}"
        cure = "; pass x.to_dict() to use its names" if hasattr(x, "to_dict") else ""
        raise BadExample(f"{where}x must be a row of real numbers, not {what}{cure}")
    if dim is None and len(row) == 0:
        raise BadExample(f"{where}the row is empty")
    if dim is not None and len(row) != dim:
        raise BadExample(f"{where}the row has {len(row)} features; {dim} are expected")
    if row.dtype not in _FLOATS or not row.dtype.isnative:
        row = row.astype(np.float64)
    return for_core(row)


def plain_example(x: Any) -> Plain | NDArray[Any]:
    """The first example, which decides whether features have names: a plain dict or row."""
    return plain(x) if isinstance(x, Mapping | bytes) else plain_row(x, None)


def by_name(X: Any) -> bool:
    """Whether the features of X have names: dicts, or a frame whose columns are texts."""
    if hasattr(X, "columns"):
        return all(isinstance(name, str) for name in X.columns)
    return are_dicts(X)


def are_dicts(X: Any) -> bool:
    """Whether X is a list of dicts."""
    return isinstance(X, Sequence) and len(X) > 0 and isinstance(X[0], Mapping)


def count(X: Any) -> int:
    """How many examples X holds; TypeError if it is not a list, a frame or an array."""
    if hasattr(X, "shape"):  # some of scipy's matrices are dicts too
        return int(X.shape[0])
    if isinstance(X, Mapping):
        raise TypeError("X is a dict; pass a list of dicts, one for each example")
    if hasattr(X, "collect") and hasattr(X, "collect_schema"):  # of polars
        raise TypeError(f"X is a {type(X).__name__}, which has no rows yet; pass X.collect()")
    if not hasattr(X, "__len__"):
        raise TypeError(
            f"X must be a list, a frame or an array, not {type(X).__name__}; pass list(X)"
        )
    return len(X)


def records(X: Any) -> list[Any]:
    """The examples of a list of dicts, or the rows of a frame as dicts."""
    if not hasattr(X, "columns"):
        return list(X)
    names = list(X.columns)
    twice = [name for k, name in enumerate(names) if name in names[:k]]
    if twice:
        raise BadExample(f"two columns have the name {twice[0]!r}")
    if not names:
        return [{} for _ in range(len(X))]
    columns = zip(*(_cells(X[name]) for name in names), strict=True)
    return [dict(zip(names, row, strict=True)) for row in columns]


def first(X: Any) -> Any:
    """The first example of X; of a sparse matrix, which is not checked yet, a row as long."""
    return X[0] if not hasattr(X, "tocsr") else np.zeros(X.shape[1])


def _cells(column: Any) -> list[Any]:
    cells: list[Any] = column.to_list()
    if getattr(column.dtype, "name", None) == "category":
        return [cell if cell is None or cell != cell else str(cell) for cell in cells]
    return cells


def negative(name: object, size: float, where: str = "") -> BadExample:
    """The error for a negative number where Winnow accepts none."""
    return BadExample(
        f"{where}Negative values in data: feature {name!r} is {size:g}, but this Winnow needs "
        "numbers of at least 0; balanced Winnow takes any"
    )


def unscored(x: Plain, where: str, *, from_zero: bool) -> BadExample:
    """The error for an example that can be read but not scored, or not learned from."""
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
        if why := why_not_a_name(text):
            raise BadExample(f"{where}the name {text!r} {why}")
        return text
    if isinstance(key, int | np.integer) and not isinstance(key, bool):
        number = operator.index(key)
        if -(2**63) <= number < 2**63:
            return number
        if number.bit_length() < 3 * _MOST_DIGITS:
            return str(number)
        raise BadExample(f"{where}the name of a feature is a number with too many digits")
    raise BadExample(
        f"{where}the name of a feature must be a text or a whole number, "
        f"not {type(key).__name__}: {key!r}"
    )


def _value(key: object, value: Any, where: str) -> float | str:
    if isinstance(value, str):
        text = str.__str__(value)
        if why := why_not_a_name(text):
            raise BadExample(f"{where}feature {key!r}: the text {text!r} {why}")
        return text
    if value is None or type(value).__name__ == "NAType":  # pandas', which may not be installed
        what = "None" if value is None else "NA"
        raise BadExample(f"{where}feature {key!r} is {what}; leave out unknown values")
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    known = not isinstance(kind, str) or (kind in "biuf" and getattr(value, "ndim", 0) == 0)
    known &= hasattr(type(value), "__float__") or hasattr(type(value), "__index__")
    try:
        number = float(value) if known else None
    except OverflowError:
        raise BadExample(f"{where}feature {key!r}: the number is too large for float64") from None
    except (TypeError, ValueError):
        number = None
    if number is None:
        raise BadExample(
            f"{where}feature {key!r} must be a number, a truth value or a text, "
            f"not {type(value).__name__}: {reprlib.repr(value)}"
        )
    if not math.isfinite(number):
        what = "NaN" if math.isnan(number) else "infinity"
        raise BadExample(f"{where}feature {key!r} is {what}; leave out unknown values")
    return number
