"""Columns of a table as features: numbers as values, texts as names, "column=text"."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from novikoff import _core
from novikoff.chunks import Names
from novikoff.rows import BadExample, Positions, SparseRows, Vector
from novikoff.sources.binary.buffers import positions, starts_of, strings, to_numpy
from novikoff.sources.texts import Missing

if TYPE_CHECKING:
    import pyarrow as pa

Mask: TypeAlias = NDArray[np.bool_]
Where: TypeAlias = Callable[[int], str]

EXACT = 2**53  # every whole number up to here is a float64


def text_of(value: Any) -> str:
    """A number or truth value as a file of text would write it; whole floats as whole numbers.

    >>> text_of(np.float32(0.1)), text_of(2.0), text_of(np.True_)
    ('0.1', '2', 'true')
    """
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)):
        number = float(value)
        if number.is_integer() and abs(number) <= EXACT:
            return str(int(number))
    return str(value)


def exact(values: NDArray[Any], where: Where) -> Vector:
    """Numbers as float64, each exactly; `where` begins the refusal of one that cannot be."""
    if values.dtype.kind in "iu" and values.itemsize == 8:
        for i in np.flatnonzero((values > EXACT) | (values < -EXACT)):
            value = int(values[i])
            if float(value) != value:
                raise BadExample(
                    f"{where(int(i))}: {value} is not exact in float64; scale it, "
                    "or if it is a name and not an amount, take it as a category"
                )
    return values.astype(np.float64)


def finite(values: NDArray[Any], where: Where) -> None:
    """Refuse the first number that is not finite."""
    good = np.isfinite(values)
    if not good.all():
        i = int(np.argmin(good))
        why = "missing; fill it in" if np.isnan(values[i]) else "not finite; replace it"
        raise BadExample(f"{where(i)}: {values[i]} is {why} or remove the row")


@dataclass(frozen=True, slots=True)
class Cells:
    """What one column has for each of some examples: at most one feature, by name.

    Parameters
    ----------
    codes
        For each example the place of the feature in `names`; −1 if it has none.
    values
        The value of the feature; 0 where there is none.
    names
        Not necessarily different from each other.
    """

    codes: NDArray[np.int32]
    values: Vector
    names: pa.LargeStringArray

    def __getitem__(self, span: slice) -> Cells:
        return Cells(self.codes[span], self.values[span], self.names)

    @classmethod
    def joined(cls, parts: Sequence[Cells]) -> Self:
        """The cells of all the parts, one after another."""
        import pyarrow as pa

        before = np.cumsum([0, *(len(part.names) for part in parts)])
        codes = [
            np.where(part.codes < 0, np.int32(-1), part.codes + np.int32(shift))
            for part, shift in zip(parts, before, strict=False)
        ]
        return cls(
            np.concatenate(codes),
            np.concatenate([part.values for part in parts]),
            pa.concat_arrays([part.names for part in parts]),
        )

    def lengths(self) -> Positions:
        """For each example, how many bytes the name of its feature has."""
        return np.append(np.diff(starts_of(self.names)), 0)[self.codes]


def number_cells(column: pa.Array, name: str, missing: Missing, where: Where) -> Cells:
    """The cells of a column of numbers or truth values, or of nothing but missing values."""
    import pyarrow as pa

    if pa.types.is_null(column.type):
        column = pa.nulls(len(column), pa.float64())
    elif pa.types.is_decimal(column.type):  # by way of the text, which is rounded correctly
        column = column.cast(pa.string()).cast(pa.float64())
    absent = to_numpy(column.is_null(nan_is_null=True)) > 0
    _allow(absent, missing, where)
    given = to_numpy(column)
    values = exact(np.where(absent, given.dtype.type(0), given), where)
    finite(values, where)
    codes = np.zeros(len(values), dtype=np.int32)
    if missing == "indicate":
        codes[absent], values[absent] = 1, 1.0
    else:
        codes[absent] = -1
    return Cells(codes, values, strings([name, f"{name}="]))


def text_cells(column: pa.Array, prefix: str, missing: Missing, where: Where) -> Cells:
    """The cells of a column whose values are names, once the prefix is put before them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_dictionary(column.type):
        if pa.types.is_decimal(column.type) or pa.types.is_null(column.type):
            column = column.cast(pa.string())  # not all widths can be encoded
        column = column.dictionary_encode()
    entries, absent = column.dictionary, to_numpy(column.indices.is_null()) > 0
    codes = np.where(absent, -1, to_numpy(column.indices).astype(np.int64))
    codes[np.append(to_numpy(entries.is_null(nan_is_null=True)) > 0, False)[codes]] = -1
    _allow(codes < 0, missing, where)
    used = np.zeros(len(entries) + 1, dtype=np.bool_)
    used[codes] = True
    used[-1] = False
    texts = _texts(entries, used[:-1], lambda k: where(int(np.argmax(codes == k))))
    names = pc.binary_join_element_wise(strings([prefix])[0], texts, strings([""])[0])
    narrow = np.where(used, np.cumsum(used) - 1, -1).astype(np.int32)[codes]
    if missing == "indicate":
        narrow[narrow < 0] = len(names)
        names = pa.concat_arrays([names, strings([prefix])])
    return Cells(narrow, (narrow >= 0).astype(np.float64), names)


def _allow(absent: Mask, missing: Missing, where: Where) -> None:
    """Refuse the first value that is missing, if that is the rule."""
    if missing == "refuse" and absent.any():
        raise BadExample(
            f"{where(int(np.argmax(absent)))}: the value is missing; fill it in, or say what "
            'that means: missing="zero" (--missing zero) for no feature, missing="indicate" '
            "(--missing indicate) for a feature of its own"
        )


def _texts(entries: pa.Array, used: Mask, where: Where) -> pa.LargeStringArray:
    """The entries that are used, as texts."""
    import pyarrow as pa

    if str(entries.type) == "string_view":  # cannot be taken from
        entries = entries.cast(pa.large_string())
    places = np.flatnonzero(used)
    taken = entries.take(positions(places))
    if pa.types.is_floating(taken.type):
        numbers = to_numpy(taken)
        finite(numbers, lambda i: where(int(places[i])))
        return strings([text_of(number) for number in numbers])
    return taken.cast(pa.large_string())


def first_met(codes: NDArray[np.int32], count: int) -> Positions:
    """For each of so many codes, the first place that has it; the length if none has it."""
    n = len(codes)
    first = np.full(count + 1, n)  # the last is for −1
    first[codes[::-1]] = np.arange(n)[::-1]
    return first[:-1]


def numbered(columns: Sequence[Cells]) -> tuple[Names, NDArray[np.int32]]:
    """The names of the cells, each once, as they are met row by row; and of each cell its place.

    A cell without a feature has −1.
    """
    import pyarrow as pa

    names = pa.concat_arrays([column.names for column in columns])
    before = np.cumsum([0, *(len(column.names) for column in columns)])
    cells = np.column_stack([column.codes for column in columns])
    cells = np.where(cells < 0, np.int32(-1), cells + before[:-1].astype(np.int32))
    first = first_met(cells.reshape(-1), len(names))
    met = np.argsort(first)[: int((first < cells.size).sum())]
    encoded = names.take(positions(met)).dictionary_encode()  # two columns may make one name
    places = np.full(len(names) + 1, -1, dtype=np.int32)
    places[met] = to_numpy(encoded.indices)
    starts = starts_of(encoded.dictionary)
    text = np.frombuffer(encoded.dictionary.buffers()[2] or b"", np.uint8)[: starts[-1]]
    return Names(text, starts, _core.hash_names(text, starts)), places[cells]


def named_rows(columns: Sequence[Cells]) -> tuple[SparseRows, Names]:
    """The rows whose cells are given, column by column; a row's features are in that order."""
    names, indices = numbered(columns)
    values = np.column_stack([column.values for column in columns])
    present = indices >= 0
    starts = np.zeros(len(indices) + 1, dtype=np.int32)
    np.cumsum(present.sum(axis=1), out=starts[1:])
    return SparseRows(values[present], indices[present], starts, len(names)), names
