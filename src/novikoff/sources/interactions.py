"""Interactions: products of two features of an example, added as features of their own."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from novikoff.sources.chunks import Chunk, Names, by_appearance
from novikoff.stream.rows import Positions, SparseRows, Vector

Pair: TypeAlias = tuple[str, str]
ALL: Pair = ("", "")  # every two features of an example
MOST_PRODUCTS = 1 << 20


def field_pairs(interactions: Sequence[str]) -> tuple[Pair, ...]:
    """The two fields of each `A*B`, and `all` for any two features."""
    pairs = []
    for text in interactions:
        left, mark, right = text.partition("*")
        if text != "all" and not (mark and left and right):
            raise ValueError(f"{text!r}: write A*B with the names of two fields, or all")
        pairs.append(ALL if text == "all" else (left, right))
    return tuple(pairs)


def in_slices(chunk: Chunk, most: int = MOST_PRODUCTS) -> Iterator[Chunk]:
    """The chunk in parts of at most `most` possible products each, or of one row."""
    lengths = np.diff(chunk.rows.sparse().starts).astype(np.int64)
    ends = np.cumsum(lengths * lengths)
    begin = 0
    while begin < len(chunk):
        before = int(ends[begin - 1]) if begin else 0
        end = max(begin + 1, int(np.searchsorted(ends, before + most, side="right")))
        yield chunk.part(begin, end)
        begin = end


def with_products(chunk: Chunk, pairs: Sequence[Pair]) -> tuple[Chunk, list[int]]:
    """The chunk with the products of features whose fields are a pair, and their number by pair.

    A feature belongs to the field it is named after: "origin=LAS" to origin, "subject^free" to
    subject. The product of a and b is called "a*b"; the pair `ALL` means any two features.
    """
    if chunk.names is None:
        raise ValueError("products need features with names")
    rows = chunk.rows.sparse()
    names = [name.decode() for name in chunk.names]
    of_row, indices, given = rows.entries()
    columns, values = indices.astype(np.int64), given.astype(np.float64)
    counts: list[int] = []
    made: list[tuple[Positions, Positions, Vector]] = [(of_row, columns, values)]
    for pair in pairs:
        of_pair = [[pair == ALL or belongs(name, field) for name in names] for field in pair]
        left, right = _crossed(rows.starts.astype(np.int64), columns, np.array(of_pair, np.bool_))
        if pair == ALL:
            rank = np.empty(len(names), dtype=np.int64)
            rank[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
            once = rank[columns[left]] < rank[columns[right]]
            left, right = left[once], right[once]
        else:
            apart = columns[left] != columns[right]
            left, right = left[apart], right[apart]
        kinds, which = np.unique(
            columns[left] * len(chunk.names) + columns[right], return_inverse=True
        )
        a, b = np.divmod(kinds, max(1, len(chunk.names)))
        made.append((of_row[left], which + len(names), values[left] * values[right]))
        counts.append(len(kinds))
        names += [f"{names[i]}*{names[j]}" for i, j in zip(a.tolist(), b.tolist(), strict=True)]
    rows_of, indices, products = (np.concatenate(parts) for parts in zip(*made, strict=True))
    order = np.argsort(rows_of, kind="stable")
    entries = rows_of[order], indices[order], products[order]
    multiplied = SparseRows.of_entries(*entries, len(rows), len(names))
    # names in order of appearance, row by row, so that it does not matter where the rows were cut;
    # but the columns of a table are known before its rows
    known = len(chunk.columns or ())
    multiplied, named = by_appearance(multiplied, Names.of(names), known=known)
    return replace(chunk, rows=multiplied, names=named), counts


def belongs(name: str, field: str) -> bool:
    """Whether a feature belongs to the field."""
    return name.startswith(field) and (len(name) == len(field) or name[len(field)] in "=^.")


def _crossed(
    starts: Positions, columns: Positions, wanted: NDArray[np.bool_]
) -> tuple[Positions, Positions]:
    """The positions of all pairs of entries of a row, from a wanted left and right column."""
    left, right = (np.flatnonzero(kind[columns]) for kind in wanted)
    begin = np.searchsorted(right, starts[:-1])
    counts = np.searchsorted(right, starts[1:]) - begin
    row = np.searchsorted(starts, left, side="right") - 1
    times = counts[row]
    first = np.concatenate([[0], np.cumsum(times)])[:-1]
    offset = np.arange(int(times.sum())) - np.repeat(first, times)
    return np.repeat(left, times), right[np.repeat(begin[row], times) + offset]
