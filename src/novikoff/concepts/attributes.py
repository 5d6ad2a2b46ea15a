"""Examples of Boolean attributes: what a row says of each variable, and what is no such example.

Variables are numbered from 1, as formulas write them; variable i is column i − 1 of a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from novikoff.examples import Block
from novikoff.rows import BadExample, DenseRows, Positions, Rows, SparseRows

Truths: TypeAlias = NDArray[np.bool_]

MOST_LISTED = 25  # variables: all their examples are then 800 MB


def truths(x: Any, n: int | None = None, *, name: str = "the example") -> Truths:
    """One example as a truth value a variable: of numbers 0 and 1, or of a text such as "0110"."""
    given = _numbers(x, name)
    if given.ndim != 1 or (n is not None and len(given) != n):
        wanted = "one row of attributes" if n is None else f"{n} attributes"
        raise BadExample(f"{name} has shape {given.shape}, not {wanted}")
    wrong = np.flatnonzero((given != 0) & (given != 1))
    if len(wrong):
        raise _not_boolean(name, int(wrong[0]), given.tolist()[wrong[0]])
    return given.astype(np.bool_)


def truths_of_row(block: Block, i: int, n: int) -> Truths:
    """Row i of a block as truth values of n variables; BadExample names its place in the stream."""
    name = f"row {int(block.positions(np.array([i]))[0])}"
    if block.rows.dim != n:
        raise BadExample(f"{name} has {block.rows.dim} attributes, the concepts have {n}")
    columns, values = block.rows.row(i)
    if isinstance(block.rows, DenseRows):
        return truths(values, n, name=name)
    if len(columns) and not 0 <= columns.min() <= columns.max() < n:
        raise BadExample(f"{name}: an index is outside 0..{n - 1}")
    out = np.zeros(n)
    np.add.at(out, columns, values)  # an index given twice counts twice
    return truths(out, n, name=name)


def truths_of_columns(rows: Rows, columns: Positions) -> Truths:
    """What each row says of these columns (in increasing order), a truth value each."""
    if len(columns) and int(columns[-1]) >= rows.dim:
        raise BadExample(
            f"rows have {rows.dim} attributes, and the concept depends on x{int(columns[-1]) + 1}"
        )
    if isinstance(rows, SparseRows):
        span = slice(int(rows.starts[0]), int(rows.starts[-1]))
        values, indices = rows.values[span], rows.indices[span]
        starts = rows.starts - rows.starts[0]
        place = np.searchsorted(columns, indices).clip(max=max(0, len(columns) - 1))
        used = np.flatnonzero(columns[place] == indices) if len(columns) else place[:0]
        of_row = np.searchsorted(starts, used, side="right") - 1
        taken: NDArray[Any] = np.zeros((len(rows), len(columns)))
        np.add.at(taken, (of_row, place[used]), values[used])
    else:
        taken = np.asarray(rows.values)[:, columns]
    wrong = np.argwhere((taken != 0) & (taken != 1))
    if len(wrong):
        i, j = map(int, wrong[0])
        raise _not_boolean(f"row {i}", int(columns[j]), float(taken[i, j]))
    return taken.astype(np.bool_)


def labels_of(said: Sequence[bool] | Truths) -> NDArray[np.int8]:
    """+1 where it is true, −1 where it is false."""
    return np.where(np.asarray(said, dtype=np.bool_), 1, -1).astype(np.int8)


def labelled(X: Sequence[Any] | Truths, said: Sequence[bool] | Truths, *, first: int = 0) -> Block:
    """A block of examples, each of numbers or a text such as "0110", and what is true of them.

    BadExample names the row whose attributes, or whose truth, are neither 0 nor 1; labels −1 and +1
    are for `sources.block`.
    """
    rows = [truths(x, name=f"row {i}") for i, x in enumerate(X, first)]
    for i, row in enumerate(rows, first):
        if len(row) != len(rows[0]):
            raise BadExample(f"row {i} has {len(row)} attributes, row {first} has {len(rows[0])}")
    for i, one in enumerate(np.asarray(said).tolist(), first):
        if one not in (0, 1):
            raise BadExample(
                f"row {i}: {one!r} is neither true nor false; sources.block takes labels -1 and +1"
            )
    width = len(rows[0]) if rows else np.shape(X)[1] if np.ndim(X) == 2 else 0
    values = np.array(rows, dtype=np.float32).reshape(len(rows), width)
    return Block(DenseRows(values), labels_of(said), first)


def every_example(n: int) -> Truths:
    """All 2ⁿ examples of n variables, in the order of the numbers whose bit i − 1 is variable i."""
    if not 0 <= n <= MOST_LISTED:
        raise ValueError(f"examples of 0 to {MOST_LISTED} variables are listed here, not of {n}")
    numbers = np.arange(1 << n, dtype="<u4")[:, None].view(np.uint8)
    return np.unpackbits(numbers, axis=1, count=n, bitorder="little").view(np.bool_)


def number_of(examples: Truths) -> Positions:
    """The place of each example among `every_example`."""
    return examples @ (1 << np.arange(examples.shape[1], dtype=np.int64))


def _numbers(x: Any, name: str) -> NDArray[Any]:
    """One example's attributes as they are given, before they are held to be 0 or 1."""
    if isinstance(x, str):
        if not (x.isascii() and x.isdigit()):
            raise BadExample(f"{name} is {shortened(x)!r}, not digits 0 and 1 such as '0110'")
        return np.array([int(c) for c in x])
    try:
        given = np.asarray(x)
    except ValueError:
        raise BadExample(
            f"{name} is not one row of attributes: its parts differ in shape"
        ) from None
    if given.dtype.kind not in "biuf":
        raise BadExample(f"{name} has attributes of type {given.dtype}, not numbers 0 and 1")
    return given


def shortened(text: str, most: int = 60) -> str:
    """The text, or its beginning if it is long."""
    return text if len(text) <= most else text[: most - 1] + "…"


def _not_boolean(name: str, column: int, value: Any) -> BadExample:
    return BadExample(f"{name}: attribute x{column + 1} is {value!r}, not 0 or 1")
