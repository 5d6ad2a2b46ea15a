"""How the columns of a table become features: one set of rules for CSV, Parquet and Arrow.

One column is the label, some are left out, the others are features in the order of the table, or
of the model that expects them. A number in column c is the value of feature "c", a truth value is 1
or 0, and a text v is feature "c=v" with value 1. In CSV the first records decide what a column
holds (`csv.py`), in Parquet and Arrow its type does (`parquet.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum

from novikoff.sources.chunks import TableColumns
from novikoff.sources.read_options import ReadOptions
from novikoff.stream.input_problems import BadExample, Problem, quoted, quoted_list


class Kind(IntEnum):
    """What a column holds; the numbers are the core's."""

    SKIP = 0
    LABEL = 1
    NUMBER = 2
    BOOLEAN = 3
    TEXT = 4
    EMPTY = 5  # Parquet and Arrow only: no values, to be read as whatever another file holds


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of a table: their names, what they hold, and where their values go.

    Parameters
    ----------
    where
        The file whose layout it is.
    names
        The names of all columns: from the header, from the model, or their positions.
    features
        The positions of the columns that are features, in the order of the features.
    label
        The position of the label's column; None if there is none.
    has_header
        Whether the table names its columns.
    """

    where: str
    names: tuple[str, ...]
    kinds: tuple[Kind, ...]
    features: tuple[int, ...]
    label: int | None
    has_header: bool = True

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the columns that are features, in the order of the features."""
        return tuple(self.names[j] for j in self.features)

    def having(self, kind: Kind) -> list[str]:
        """The names of the columns of this kind, in the order of the table."""
        return [name for name, of in zip(self.names, self.kinds, strict=True) if of is kind]

    def called(self, j: int) -> str:
        """A column as an error names it: its name in quotes, or its position."""
        return quoted(self.names[j]) if self.has_header and j < len(self.names) else str(j)

    @property
    def table(self) -> TableColumns:
        """What a model remembers of the layout."""
        label = None if self.label is None else self.names[self.label]
        if label is not None and (not self.has_header or self.names.count(label) > 1):
            label = str(self.label)
        texts = [j for j in self.features if self.kinds[j] is Kind.TEXT]
        return TableColumns(
            self.feature_names, tuple(self.names[j] for j in texts), label, self.has_header
        )


def label_column(
    names: Sequence[str], how: ReadOptions, where: str, *, has_header: bool = True
) -> int | None:
    """The position of the label's column; None if there is none, and none is needed."""
    label, last = how.label, len(names) - 1
    ignored = set(_positions(how.ignore, names, has_header))
    if not how.labelled and how.expect is not None and not has_header:
        if len(names) - len(how.ignore) == len(how.expect):
            return None
        if not str(label).isdigit():  # a name is of no use without a header
            label = last
    if label is None:
        rest = [j for j in range(len(names)) if j not in ignored]
        found = rest[-1:] if how.labelled else []
    else:
        found = list(_positions([str(label)], names, has_header))
    if not found:
        if label is None or not how.labelled:
            return None
        if isinstance(label, int) or label.isdigit():
            raise BadExample(f"{where}: there is no column {label}; the last is {last}")
        raise _no_column(label, names, where, has_header)
    if len(found) > 1:
        raise _same_name(len(found), str(label), where)
    at = found[0]
    called = quoted(names[at]) if has_header else str(at)
    if at in ignored:
        words = f"{where}: column {called} is both the label and ignored"
        raise BadExample(words, Problem.LABEL_IGNORED, column=str(label))
    if has_header and names[at] in (how.expect or ()):
        if not how.labelled:
            return None
        raise BadExample(
            f"{where}: column {called} is a feature of the model and cannot be the label",
            Problem.LABEL_IS_FEATURE,
        )
    return at


def feature_columns(
    names: Sequence[str],
    how: ReadOptions,
    label: int | None,
    where: str,
    *,
    has_header: bool = True,
) -> list[int]:
    """The positions of the columns that are features, in the order of the table or the model."""
    ignored = set(_positions(how.ignore, names, has_header))
    if how.expect is None or not has_header:
        _check_present(how.ignore, names, where, has_header)
    used = [j for j in range(len(names)) if j != label and j not in ignored]
    if how.expect is None:
        if not used:
            raise BadExample(f"{where}: there is no column but the label")
        return used
    if not has_header:
        if len(used) == len(how.expect):
            return used
        raise BadExample(
            f"{where}: there is no header and there are {len(used)} feature columns, but the model "
            f"has {len(how.expect)}: {quoted_list(how.expect)}"
        )
    for name in how.expect:
        count = sum(names[j] == name for j in used)
        if count == 0:
            raise BadExample(
                f"{where}: there is no column {quoted(name)}, which the model was trained on; "
                f"the columns are {quoted_list(names)}"
            )
        if count > 1:
            raise _same_name(count, name, where)
    return [next(j for j in used if names[j] == name) for name in how.expect]


def categorical_columns(
    names: Sequence[str], how: ReadOptions, where: str, *, has_header: bool = True
) -> set[int]:
    """The positions of the columns that are read as texts whatever they hold."""
    _check_present(how.categorical, names, where, has_header)
    return set(_positions(how.categorical, names, has_header))


def check_feature_names(layout: Layout, how: ReadOptions, where: str) -> None:
    """Refuse columns without a name, and columns whose features would have the same name."""
    features = set(layout.features)
    for j, name in enumerate(layout.names):
        if j in features and not name:
            hint = " (pandas and R write row numbers there: index=False, row.names=FALSE)"
            raise BadExample(f"{where}: column {j} has no name; give it one{hint * (j == 0)}")
        if layout.kinds[j] is not Kind.SKIP and name.startswith("__index_level_"):
            raise BadExample(
                f"{where}: column {quoted(name)} is the index of a pandas frame, not a feature",
                Problem.UNUSABLE_COLUMN,
                column=name,
            )
    names = layout.feature_names
    seen = set(names)
    if len(seen) < len(names):
        twice = next(name for k, name in enumerate(names) if name in names[:k])
        raise _same_name(names.count(twice), twice, where)
    texts = seen if how.missing == "indicate" else set(layout.having(Kind.TEXT))
    for name in names:
        for column in (name[:i] for i, c in enumerate(name) if c == "="):
            if column in texts:
                raise BadExample(
                    f"{where}: column name {quoted(name)} clashes with a category of column "
                    f"{quoted(column)}; rename one of them"
                )


def dates_refused(place: str, column: str, example: str) -> BadExample:
    """The error about a column of dates or times; `place` ends with the column."""
    return BadExample(f"{place} holds dates or times ({example})", Problem.DATES, column=column)


def check_same_names(names: Sequence[str], where: str, first: Sequence[str], before: str) -> None:
    """Refuse a file without a column of the first file, or with another."""
    for name in first:
        if name not in names:
            raise BadExample(f"{where}: there is no column {quoted(name)}, which {before} has")
    for name in names:
        if name not in first:
            raise BadExample(f"{where}: column {quoted(name)} is not in {before}")


def _positions(wanted: Iterable[str], names: Sequence[str], has_header: bool) -> Iterable[int]:
    """The positions of columns, each given by its name or its position from 0."""
    for name in wanted:
        found = [j for j, other in enumerate(names) if has_header and other == name]
        if not found and name.isascii() and name.isdigit() and int(name) < len(names):
            found = [int(name)]
        yield from found


def _check_present(
    wanted: Iterable[str], names: Sequence[str], where: str, has_header: bool
) -> None:
    for name in wanted:
        if not list(_positions([name], names, has_header)):
            raise _no_column(name, names, where, has_header)


def _no_column(name: str, names: Sequence[str], where: str, has_header: bool) -> BadExample:
    known = f"the columns are {quoted_list(names)}"
    if not has_header:
        known = f"without a header the columns are 0 to {len(names) - 1}"
    return BadExample(f"{where}: there is no column {quoted(name)}; {known}")


def _same_name(count: int, name: str, where: str) -> BadExample:
    return BadExample(f"{where}: {count} columns are called {quoted(name)}; give each its own name")
