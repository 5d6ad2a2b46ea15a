"""Examples of Boolean attributes: rows of 0 and 1; variable i, from 1, is column i − 1."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from novikoff.sources.arrays import rows_of
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample
from novikoff.stream.printing import cut
from novikoff.stream.rows import DenseRows, Positions, Rows, SparseRows

Truths: TypeAlias = NDArray[np.bool_]
MOST_LISTED = 25  # variables: all their examples take 800 MB


def truths(x: Any, n: int | None = None, *, name: str = "the example") -> Truths:
    """The truth values of one example, given as numbers 0 and 1 or as a text such as "0110"."""
    given = _numbers(x, name)
    if given.ndim != 1 or (n is not None and len(given) != n):
        wanted = "one row of attributes" if n is None else f"{n} attributes"
        raise BadExample(f"{name} has shape {given.shape}, not {wanted}")
    wrong = np.flatnonzero((given != 0) & (given != 1))
    if len(wrong):
        raise _not_boolean(name, int(wrong[0]), given.tolist()[wrong[0]])
    return given.astype(np.bool_)


def truths_of_row(block: Block, i: int, n: int) -> Truths:
    """Row i of a block as truth values of n variables."""
    name = f"row {block.position(i)}"
    if block.rows.dim != n:
        raise BadExample(f"{name} has {block.rows.dim} attributes, the concepts have {n}")
    columns, values = block.rows.row(i)
    if len(columns) and not 0 <= columns.min() <= columns.max() < n:
        raise BadExample(f"{name}: an index is outside 0..{n - 1}")
    out = np.zeros(n)
    np.add.at(out, columns, values)  # repeated indices add up
    return truths(out, n, name=name)


def truths_of_columns(X: Any, columns: Positions | None = None) -> Truths:
    """The truth values of these columns (in increasing order), or of all, in every row."""
    rows = rows_of_examples(X)
    columns = np.arange(rows.dim) if columns is None else columns
    if len(columns) and int(columns[-1]) >= rows.dim:
        raise BadExample(
            f"rows have {rows.dim} attributes, but the concept depends on x{int(columns[-1]) + 1}"
        )
    taken: NDArray[Any]
    if isinstance(rows, SparseRows):
        of_row, indices, values = rows.entries()
        place = np.searchsorted(columns, indices).clip(max=max(0, len(columns) - 1))
        used = np.flatnonzero(columns[place] == indices) if len(columns) else place[:0]
        taken = np.zeros((len(rows), len(columns)))
        np.add.at(taken, (of_row[used], place[used]), values[used])
    else:
        taken = np.asarray(rows.values)[:, columns]
    wrong = np.argwhere((taken != 0) & (taken != 1))
    if len(wrong):
        i, j = map(int, wrong[0])
        raise _not_boolean(f"row {i}", int(columns[j]), float(taken[i, j]))
    return taken.astype(np.bool_)


def labels_of(y: Any, *, first: int = 0) -> NDArray[np.int8]:
    """Labels −1 and +1 from True and False, from 0 and 1, or from −1 and +1."""
    given = np.asarray(y)
    if given.ndim != 1 or given.dtype.kind not in "biuf":
        raise BadExample(
            f"labels have shape {given.shape} and type {given.dtype}; "
            "give a list of True and False, one for each row"
        )
    false = -1 if (given == -1).any() else 0
    wrong = np.flatnonzero((given != 1) & (given != false))
    if len(wrong):
        raise BadExample(
            f"row {first + int(wrong[0])} has label {given.tolist()[wrong[0]]!r}; "
            "use True and False, 0 and 1, or -1 and +1"
        )
    return np.where(given == 1, 1, -1).astype(np.int8)


def labelled(X: Any, y: Any, *, first: int = 0) -> Block:
    """Examples (an array, a frame, sparse, texts such as "0110") with labels, true or false."""
    rows = rows_of_examples(X, first=first)
    if ((rows.values != 0) & (rows.values != 1)).any():
        of_row, columns, values = rows.sparse().entries()
        k = int(np.argmax((values != 0) & (values != 1)))
        raise _not_boolean(f"row {first + int(of_row[k])}", int(columns[k]), float(values[k]))
    return Block(rows, labels_of(y, first=first), first)


def rows_of_examples(X: Any, *, first: int = 0) -> Rows:
    """The rows of many examples; in a list, a text has the digits of one example."""
    if isinstance(X, str):
        raise BadExample(f"{cut(X)!r} is one example; give a list of examples: [{cut(X)!r}]")
    if not isinstance(X, list | tuple):
        return X if isinstance(X, DenseRows | SparseRows) else rows_of(X)
    rows = [_numbers(x, f"row {i}") for i, x in enumerate(X, first)]
    for i, row in enumerate(rows, first):
        if row.ndim != 1:
            raise BadExample(f"row {i} has shape {row.shape}, not one row of attributes")
        if len(row) != len(rows[0]):
            raise BadExample(f"row {i} has {len(row)} attributes, row {first} has {len(rows[0])}")
    return DenseRows(np.array(rows, dtype=np.float64).reshape(len(rows), -1 if rows else 0))


def every_example(n: int) -> Truths:
    """All 2ⁿ examples of n variables; example j has the bits of j, variable 1 the lowest."""
    if not 0 <= n <= MOST_LISTED:
        raise ValueError(f"can list all examples of 0 to {MOST_LISTED} variables, not of {n}")
    numbers = np.arange(1 << n, dtype="<u4")[:, None].view(np.uint8)
    return np.unpackbits(numbers, axis=1, count=n, bitorder="little").view(np.bool_)


def number_of(examples: Truths) -> Positions:
    """The position of each example in `every_example`."""
    return examples @ (1 << np.arange(examples.shape[1], dtype=np.int64))


def _numbers(x: Any, name: str) -> NDArray[Any]:
    """The attributes of one example as an array of numbers, not yet checked to be 0 or 1."""
    if isinstance(x, str):
        if not (x.isascii() and x.isdigit()):
            raise BadExample(f"{name} is {cut(x)!r}; write the digits 0 and 1, such as '0110'")
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


def _not_boolean(name: str, column: int, value: Any) -> BadExample:
    return BadExample(f"{name}: attribute x{column + 1} is {value!r}, not 0 or 1")
