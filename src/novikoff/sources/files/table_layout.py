"""How the columns of a table become features: one set of rules for CSV, Parquet and Arrow.

A number in column c is the value of feature "c", a truth value is 1 or 0, and a text v is
feature "c=v" with value 1, unless its words are to be features (`TextRule`). In CSV the first
records decide what a column holds (`csv.py`), in Parquet and Arrow its type (`parquet.py`).
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from novikoff.sources.chunks import TableColumns
from novikoff.sources.read_options import ReadOptions
from novikoff.stream.input_problems import BadExample, ColumnProblems, Problem, why_not_a_name
from novikoff.stream.number_text import number
from novikoff.stream.printing import count, quoted, quoted_list

SAMPLE = 1000  # how many records decide what the columns hold

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_WEEKDAY = r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},? )?"
_DAY = (
    r"(?:[0-9]{4}([-/.])[0-9]{1,2}\1[0-9]{1,2}|[0-9]{1,2}([-/.])[0-9]{1,2}\2[0-9]{2}(?:[0-9]{2})?"
    rf"|{_WEEKDAY}[0-9]{{1,2}}[-/. ]{{1,2}}{_MONTH}[-/ ][0-9]{{2,4}}"
    rf"|{_WEEKDAY}{_MONTH} [0-9]{{1,2}}(?:st|nd|rd|th)?,? [0-9]{{4}})"
)
_TIME = r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?(?: ?[ap]m)?"
_ZONE = r"(?:Z| ?[+-][0-9]{2}:?(?:[0-9]{2})?| ?UTC| ?GMT)?"
_DATE = re.compile(rf"{_DAY}(?:[T ]{_TIME}{_ZONE})?|{_TIME}{_ZONE}", re.IGNORECASE | re.ASCII)

_UNIT = r"(?:[$€£¥₹]|USD|EUR|GBP|CHF|JPY)"
_GROUPED = r"(?:[0-9]{1,3}(?:[,.'’ \xa0\u202f][0-9]{3})+|[0-9]+)(?:[.,][0-9]+)?"
_AMOUNT = re.compile(
    rf"[-+−(]?{_UNIT}?[ \xa0]?[-+−]?(?:{_GROUPED}|\.[0-9]+)[ \xa0\u202f]?(?:%|‰|{_UNIT})?\)?"
)


class Kind(IntEnum):
    """What a column holds; the numbers are the core's."""

    SKIP = 0
    LABEL = 1
    NUMBER = 2
    BOOLEAN = 3
    TEXT = 4
    WEIGHT = 5
    WORDS = 6
    EMPTY = 7  # Parquet and Arrow only: no values, to be read as whatever another file holds


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of a table: their names, what they hold, and where their values go."""

    where: str  # the file whose layout it is
    names: tuple[str, ...]  # from the header, from the model, or the positions of the columns
    kinds: tuple[Kind, ...]
    features: tuple[int, ...]  # the positions of their columns, in the order of the features
    label: int | None  # the position of its column
    has_header: bool = True
    weight: int | None = None  # the position of the column that says how much an example counts

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
        texts, words = (
            tuple(self.names[j] for j in self.features if self.kinds[j] is kind)
            for kind in (Kind.TEXT, Kind.WORDS)
        )
        return TableColumns(
            self.feature_names,
            texts,
            self._reference(self.label),
            self.has_header,
            self._reference(self.weight),
            words,
        )

    def _reference(self, j: int | None) -> str | None:
        """How a model refers to a column: by its name, or by its position if no name is its own."""
        if j is None:
            return None
        is_own = self.has_header and self.names.count(self.names[j]) == 1
        return self.names[j] if is_own else str(j)


@dataclass(frozen=True, slots=True)
class Columns:
    """The names of a table's columns, and how they are read; a column is a name or a position."""

    names: Sequence[str]
    how: ReadOptions
    where: str
    has_header: bool = True

    def label(self) -> int | None:
        """The position of the label's column; None if there is none, and none is needed."""
        names, how, where = self.names, self.how, self.where
        label, last = how.label, len(names) - 1
        ignored, weight = self._positions(how.ignore), self.weight()
        if not how.labelled and how.expect is not None and not self.has_header:
            if len(names) - len(how.ignore) - (weight is not None) == len(how.expect):
                return None
            if not str(label).isdigit():  # a name is of no use without a header
                label = last
        if label is None:
            left_out = {*ignored, weight, *self._positions(how.text)}
            rest = [j for j in range(len(names)) if j not in left_out]
            found = rest[-1:] if how.labelled else []
        else:
            found = self._positions([str(label)])
        if not found:
            if label is None or not how.labelled:
                return None
            if isinstance(label, int) or label.isdigit():
                raise BadExample(f"{where}: there is no column {label}; the last is {last}")
            raise self._no_column(label)
        if len(found) > 1:
            raise _same_name(len(found), str(label), where)
        at = found[0]
        called = quoted(names[at]) if self.has_header else str(at)
        if at == weight:
            raise BadExample(f"{where}: column {called} is both the label and the weight")
        if at in ignored:
            words = f"{where}: column {called} is both the label and ignored"
            raise BadExample(words, Problem.LABEL_IGNORED, column=str(label))
        if how.expect is None and at in self._positions(how.text):
            raise BadExample(f"{where}: column {called} cannot be both the label and a text")
        if self.has_header and names[at] in (how.expect or ()):
            if not how.labelled:
                return None
            raise BadExample(
                f"{where}: column {quoted(names[at])} is a feature of the model and cannot be the "
                "label",
                Problem.LABEL_IS_FEATURE,
            )
        return at

    def weight(self) -> int | None:
        """The position of the column of weights; None if there is none, and none is needed."""
        how = self.how
        if how.weight is None:
            return None
        name = str(how.weight)
        if not how.weighed and not self.has_header and how.expect is not None:
            used = len(self.names) - len(how.ignore)
            if used < len(how.expect) + 2:  # features and perhaps a label, no weight
                return None
        found = self._positions([name])
        if not found and how.weighed:
            raise self._no_column(name)
        if len(found) > 1:
            raise _same_name(len(found), name, self.where)
        if found and self.has_header and self.names[found[0]] in (how.expect or ()):
            raise BadExample(
                f"{self.where}: column {quoted(name)} is a feature of the model and cannot be the "
                "weight"
            )
        return found[0] if found else None

    def features(self, label: int | None) -> list[int]:
        """The positions of the feature columns, in the order of the table or the model."""
        names, expect, where = self.names, self.how.expect, self.where
        if expect is None or not self.has_header:
            self._check_present(self.how.ignore)
        left_out = {label, self.weight(), *self._positions(self.how.ignore)}
        used = [j for j in range(len(names)) if j not in left_out]
        if expect is None:
            if not used:
                raise BadExample(f"{where}: there is no column but the label")
            return used
        if not self.has_header:
            if len(used) == len(expect):
                return used
            raise BadExample(
                f"{where}: there is no header and there are {len(used)} feature columns, but the "
                f"model has {len(expect)}: {quoted_list(expect)}"
            )
        places: dict[str, list[int]] = {}
        for j in used:
            places.setdefault(names[j], []).append(j)
        for name in expect:
            if name not in places and name in names:
                words = f"column {quoted(name)} is ignored, but the model was trained on it"
                raise BadExample(f"{where}: {words}")
            if name not in places:
                raise BadExample(
                    f"{where}: there is no column {quoted(name)}, which the model was trained on; "
                    f"the columns are {quoted_list(names)}"
                )
            if len(places[name]) > 1:
                raise _same_name(len(places[name]), name, where)
        return [places[name][0] for name in expect]

    def those(self, wanted: Sequence[str]) -> set[int]:
        """The positions of columns that must be there."""
        self._check_present(wanted)
        return set(self._positions(wanted))

    def _positions(self, wanted: Iterable[str]) -> list[int]:
        positions: list[int] = []
        for name in wanted:
            found = [j for j, other in enumerate(self.names) if self.has_header and other == name]
            if not found and name.isascii() and name.isdigit() and int(name) < len(self.names):
                found = [int(name)]
            positions += found
        return positions

    def _check_present(self, wanted: Iterable[str]) -> None:
        for name in wanted:
            if not self._positions([name]):
                raise self._no_column(name)

    def _no_column(self, name: str) -> BadExample:
        known = f"the columns are {quoted_list(self.names)}"
        if {*name.split(",")} <= {*self.names}:
            known = "name each column by itself"
        if not self.has_header:
            known = f"without a header the columns are 0 to {len(self.names) - 1}"
        return BadExample(f"{self.where}: there is no column {quoted(name)}; {known}")


def laid_out(
    columns: Columns,
    names: Sequence[str],
    features: Sequence[int],
    judged: Callable[[int, str, Kind | None], Kind],
    line: str,
) -> Layout:
    """The layout of a table; `judged` is what a column holds, by its position, name and use."""
    how, label, weight, called = columns.how, columns.label(), columns.weight(), [*names]
    if how.expect and not columns.has_header:
        for j, name in zip(features, how.expect, strict=True):
            called[j] = name
    named = replace(columns, names=called, has_header=columns.has_header or bool(how.expect))
    uses = dict.fromkeys(named.those(how.categorical), Kind.TEXT)
    uses |= dict.fromkeys(named.those(how.text), Kind.WORDS)
    kinds = {label: Kind.LABEL, weight: Kind.WEIGHT}
    with ColumnProblems() as problems:
        for j in sorted(features):
            with problems.of_column():
                kinds[j] = judged(j, called[j], uses.get(j))
    of_all = tuple(kinds.get(j, Kind.SKIP) for j in range(len(called)))
    where, has_header = columns.where, columns.has_header
    layout = Layout(where, tuple(called), of_all, tuple(features), label, has_header, weight)
    _check_feature_names(layout, how, line)
    return layout


def _check_feature_names(layout: Layout, how: ReadOptions, where: str) -> None:
    """Refuse columns without a name, and columns whose features would have the same name."""
    features = set(layout.features)
    for j, name in enumerate(layout.names):
        if j in features and not name:
            raise BadExample(f"{where}: column {j} has no name; give it one")
        if j in features and (why := why_not_a_name(name)):
            raise BadExample(f"{where}: column {quoted(name)} {why}")
        if layout.kinds[j] is not Kind.SKIP and name.startswith("__index_level_"):
            raise BadExample(
                f"{where}: column {quoted(name)} is the index of a pandas frame, not a feature",
                Problem.UNUSABLE_COLUMN,
                column=name,
            )
    names = layout.feature_names
    seen = set(names)
    if len(seen) < len(names):
        twice, times = Counter(names).most_common(1)[0]
        raise _same_name(times, twice, where)
    texts = {*layout.having(Kind.TEXT), *layout.having(Kind.WORDS)}
    texts = seen if how.missing_rule == "indicate" else texts
    for name in names:
        for column in (name[:i] for i, c in enumerate(name) if c == "="):
            if column in texts:
                raise BadExample(
                    f"{where}: column name {quoted(name)} clashes with a category of column "
                    f"{quoted(column)}; rename one of them"
                )


def check_categories(
    values: Sequence[str], place: str, column: str, at: Callable[[str], str] | None = None
) -> None:
    """Refuse texts that are no categories: mostly dates or amounts, or texts that hardly repeat."""
    n, different = len(values), len(set(values))
    dates = [value for value in values if _DATE.fullmatch(value.strip())]
    if 2 * len(dates) > n:
        raise dates_refused(at(dates[0]) if at else place, column, quoted(dates[0]))
    amounts = [value for value in values if is_amount(value)]
    if 2 * len(amounts) > n:
        where = at(amounts[0]) if at else place
        words = f"{where} holds {quoted(amounts[0])}, which is not a plain number"
        raise BadExample(words, Problem.NOT_PLAIN_NUMBERS, column=column)
    found = f"{count(n)} values, {'all' if different == n else count(different)} different"
    place = at(values[0]) if at and values else place
    found += f", the first {quoted(values[0])}" if values else ""
    if n >= 20 and 2 * different > n and sum(len(value.split()) for value in values) >= 3 * n:
        words = f"{place} looks like text: {found}"
        raise BadExample(words, Problem.LOOKS_LIKE_TEXT, column=column)
    if n >= 100 and different == n:
        words = f"{place} looks like identifiers: {found}"
        raise BadExample(words, Problem.LOOKS_LIKE_IDS, column=column)


def is_amount(text: str) -> bool:
    """Whether a text is a number with a unit or with separators, such as $1,200, 12% or 1 000."""
    return number(text) is None and _AMOUNT.fullmatch(text.strip()) is not None


def dates_refused(place: str, column: str, example: str) -> BadExample:
    """The error about a column of dates or times; `place` ends with the column."""
    return BadExample(f"{place} holds dates or times ({example})", Problem.DATES, column=column)


def check_same_names(names: Sequence[str], where: str, first: Sequence[str], before: str) -> None:
    """Refuse a file without a column of the first file, or with another."""
    ours, theirs = set(first), set(names)
    for name in first:
        if name not in theirs:
            raise BadExample(f"{where}: there is no column {quoted(name)}, which {before} has")
    for name in names:
        if name not in ours:
            raise BadExample(f"{where}: column {quoted(name)} is not in {before}")


def _same_name(count: int, name: str, where: str) -> BadExample:
    return BadExample(f"{where}: {count} columns are called {quoted(name)}; give each its own name")
