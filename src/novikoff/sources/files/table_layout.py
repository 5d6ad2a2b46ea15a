"""How a table is laid out, as its beginning tells: the header, the label, the kinds of columns.

Which columns of a table are features, which is the label, and what each is read as.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, IntEnum
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from novikoff import _core
from novikoff.stream.number_text import is_missing
from novikoff.stream.problems import BadExample, quoted

if TYPE_CHECKING:
    import pyarrow as pa


Missing: TypeAlias = Literal["refuse", "zero", "indicate"]
MISSING_RULES: tuple[Missing, ...] = get_args(Missing)

SAMPLE = 1000  # how many records tell the kinds of the columns


_DAY = r"(?:[0-9]{4}([-/.])[0-9]{1,2}\1[0-9]{1,2}|[0-9]{1,2}([-/.])[0-9]{1,2}\2[0-9]{4})"
_TIME = r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?(?: ?[AaPp][Mm])?"
_ZONE = r"(?:Z| ?[+-][0-9]{2}:?(?:[0-9]{2})?| ?UTC)?"
_DATE = re.compile(rf"{_DAY}(?:[T ]{_TIME}{_ZONE})?|{_TIME}{_ZONE}")


class Kind(IntEnum):
    """What the fields of a column are; the numbers are the core's."""

    SKIP = 0
    LABEL = 1
    NUMBER = 2
    BOOLEAN = 3
    TEXT = 4


class Record(NamedTuple):
    """A record: the line it begins on and the one after it, from 0; where it ends; its fields."""

    line: int
    next_line: int
    end: int
    fields: list[bytes]
    flaw: int

    @property
    def texts(self) -> list[str]:
        """The fields as texts, with marks for what is not UTF-8."""
        return [field.decode(errors="replace") for field in self.fields]


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the caller says about the columns; each is as `Table` documents it."""

    label: str | int | None
    labelled: bool
    missing: Missing
    ignore: tuple[str, ...]
    categorical: tuple[str, ...]
    expect: tuple[str, ...] | None

    @property
    def names(self) -> set[str | int | None]:
        """All that is mentioned by name."""
        return {self.label, *self.ignore, *self.categorical, *(self.expect or ())}


@dataclass(frozen=True, slots=True)
class Layout:
    """What each column of a table is called, what it holds, and where its numbers go.

    Parameters
    ----------
    where
        The file it was found in.
    first
        The fields of the first record: the names if there is a header.
    names
        What the columns are called: by the header, by what a model expects, or by position.
    positions
        For each column its place among the features, −1 for the label and what is ignored.
    label
        The position of the label's column, None if there is none.
    """

    where: str
    first: tuple[str, ...]
    header: bool
    names: tuple[str, ...]
    kinds: tuple[Kind, ...]
    positions: tuple[int, ...]
    label: int | None

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the features' columns, in the order of their places."""
        of_place = {k: name for k, name in zip(self.positions, self.names, strict=True) if k >= 0}
        return tuple(of_place[k] for k in range(len(of_place)))

    def called(self, j: int) -> str:
        """A column as an error names it: 'height' in quotes, or its position."""
        return quoted(self.first[j]) if self.header and j < len(self.first) else str(j)

    def having(self, *kinds: Kind) -> list[str]:
        """The names of the columns of these kinds."""
        return [name for name, kind in zip(self.names, self.kinds, strict=True) if kind in kinds]


def padded(text: bytes) -> NDArray[np.uint8]:
    """The bytes with room after them for the core to look ahead."""
    return np.frombuffer(text + bytes(16), dtype=np.uint8)


def records(text: bytes, separator: str, most: int) -> list[Record]:
    """The first records of a text that are not blank."""
    found = _core.csv_records(padded(text), length=len(text), separator=separator, most=most)
    return [Record(*record) for record in found]


def find_layout(head: Sequence[Record], where: str, wishes: Wishes) -> Layout:
    """How the table that begins with these records is laid out; a BadExample if it cannot be."""
    first = header_of(head[0], where)
    line, width = f"{where}:{head[0].line + 1}", len(first)
    if width == 1 and wishes.labelled:
        raise BadExample(f"{line}: one column only; separate columns by commas")
    sample = [r.texts for r in head[1:] if len(r.fields) == width and not r.flaw]
    texts = [j for j, field in enumerate(first) if is_text(field)]
    at = _label(wishes, first, bool(texts), where)
    header = bool(texts) and not _is_example(first, sample, texts, at, wishes)
    if not header:
        sample.insert(0, list(first))
        at = _label(wishes, first, False, where)
    if not sample:
        raise BadExample(f"{where}: there are no examples")
    ignored = _mentioned(wishes.ignore, "ignore", first, header, where, wishes)
    if at in ignored:
        called = _called(first, at, header)
        raise BadExample(f"{where}: column {called} is the label, not ignored; see --label")
    features = _features(first, header, at, ignored, where, wishes)
    nameless = [j for j in features if header and not first[j]]
    if nameless:
        raise BadExample(f"{line}: {_nameless(min(nameless))}")
    names = list(first) if header else [str(j) for j in range(width)]
    if wishes.expect and not header:
        for j, name in zip(features, wishes.expect, strict=True):
            names[j] = name
    positions = [-1] * width
    for k, j in enumerate(features):
        positions[j] = k
    categorical = _mentioned(wishes.categorical, "take as categories", names, True, where, wishes)
    kinds = [Kind.SKIP] * width
    if at is not None:
        kinds[at] = Kind.LABEL
    for j in sorted(features):
        column = [fields[j] for fields in sample]
        called = f"{line}: column {_called(first, j, header)}"
        kinds[j] = Kind.TEXT if j in categorical else _kind(column, called, names[j], wishes)
    layout = Layout(where, first, header, tuple(names), tuple(kinds), tuple(positions), at)
    _check_distinct(layout, line, wishes)
    return layout


def header_of(record: Record, where: str) -> tuple[str, ...]:
    """The fields of a first record, which must be texts."""
    try:
        return tuple(field.decode() for field in record.fields)
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise BadExample(
            f"{where}:{record.line + 1}: byte 0x{byte:02x} is not UTF-8; save the file as UTF-8"
        ) from None


def is_text(field: str) -> bool:
    """Whether a field is neither a number, in any way to write one, nor missing."""
    try:
        float(field)  # takes what is refused as a number, such as inf: no name for a column either
    except ValueError:
        return not is_missing(field)
    return False


def _is_example(
    first: Sequence[str],
    sample: Sequence[Sequence[str]],
    texts: Sequence[int],
    at: int | None,
    wishes: Wishes,
) -> bool:
    """Whether a first line with texts is an example, as in `39,State-gov,77516,<=50K`.

    It is if it holds more than texts, all texts stand where the lines below have texts too, and
    its label makes no more than two. If it is known what names to expect, it is if it has none.
    """
    if len(texts) == len(first) or any(first[j] in wishes.names for j in texts):
        return False
    if wishes.expect is not None:
        return True
    for j in texts:
        below = {fields[j] for fields in sample}
        if not all(is_text(field) or (j != at and is_missing(field)) for field in below):
            return False
        if (len(below | {first[j]}) > 2) if j == at else not below:
            return False
    return True


def _label(wishes: Wishes, first: Sequence[str], header: bool, where: str) -> int | None:
    """The column of the labels; None, if they are not needed, when it is not there."""
    label, width, expect = wishes.label, len(first), wishes.expect
    if not wishes.labelled and expect is not None and not header:
        used = width - len(wishes.ignore)
        if used == len(expect):
            return None
        if not str(label).isdigit():  # a name helps nobody here
            label = width - 1
    if label is None:
        return width - 1 if wishes.labelled else None
    if header and label in first:
        if first.count(str(label)) > 1:
            raise BadExample(f"{where}: {first.count(str(label))} columns are called {label!r}")
        return first.index(str(label))
    if isinstance(label, int) or (label.isascii() and label.isdigit()):
        at = int(label)
        if 0 <= at < width and (wishes.labelled or not header or first[at] not in (expect or ())):
            return at
        if not wishes.labelled:
            return None
        raise BadExample(f"{where}: there is no column {label}; the last is {width - 1}")
    if not wishes.labelled:
        return None
    if not header:
        raise BadExample(f"{where}: there is no header to name {label!r}; give a position from 0")
    raise BadExample(f"{where}: there is no column {label!r}; the columns are {_some(first)}")


def _mentioned(
    wanted: Sequence[str],
    what: str,
    names: Sequence[str],
    header: bool,
    where: str,
    wishes: Wishes,
) -> set[int]:
    """The columns that are mentioned, each by its name or its position from 0."""
    found: set[int] = set()
    for name in wanted:
        at = [j for j, other in enumerate(names) if header and other == name]
        if not at and name.isascii() and name.isdigit() and int(name) < len(names):
            at = [int(name)]
        if not at and not (wishes.expect is not None and header and what == "ignore"):
            known = _some(names) if header else f"0 to {len(names) - 1}, without a header"
            raise BadExample(
                f"{where}: there is no column {name!r} to {what}; the columns are {known}"
            )
        found.update(at)
    return found


def _features(
    first: Sequence[str],
    header: bool,
    at: int | None,
    ignored: set[int],
    where: str,
    wishes: Wishes,
) -> list[int]:
    """The columns of the features: in the order a model expects them, or else of the table."""
    used = [j for j in range(len(first)) if j != at and j not in ignored]
    expect = wishes.expect
    if expect is None:
        if not used:
            raise BadExample(f"{where}: no column is left for the features")
        return used
    if not header:
        if len(used) == len(expect):
            return used
        raise BadExample(
            f"{where}: {len(used)} columns of features and no header, where the model has "
            f"{len(expect)} ({_some(expect)})"
        )
    for name in expect:
        count = sum(first[j] == name for j in used)
        if count == 0:
            raise BadExample(
                f"{where}: there is no column {name!r}, which the model was trained on; "
                f"the columns are {_some(first)}"
            )
        if count > 1:
            raise BadExample(f"{where}: {count} columns are called {name!r}")
    return [next(j for j in used if first[j] == name) for name in expect]


def _kind(column: Sequence[str], called: str, name: str, wishes: Wishes) -> Kind:
    """Numbers if half of the fields are, dates if more; true and false if all are."""
    present = [field for field in column if not is_missing(field)]
    if not present:
        if wishes.missing == "refuse":
            raise BadExample(
                f"{called}: {quoted(column[0])} is missing, as in each of the first {len(column)} "
                f"records; leave the column out (--ignore {quote(name)}) "
                "or say what to do (--missing zero)"
            )
        return Kind.NUMBER
    if 2 * sum(map(is_text, present)) <= len(present):
        return Kind.NUMBER
    if all(field.lower() in ("true", "false") for field in present):
        return Kind.BOOLEAN
    if wishes.expect is not None:
        return Kind.NUMBER
    dates = [field for field in present if _DATE.fullmatch(field)]
    if 2 * len(dates) > len(present):
        raise BadExample(
            f"{called}: {quoted(dates[0])} is a date or a time; write it as numbers (a year, an "
            f"hour, days since), leave the column out (--ignore {quote(name)}) or take each for a "
            f"category (--categorical {quote(name)})"
        )
    return Kind.TEXT


def _check_distinct(layout: Layout, line: str, wishes: Wishes) -> None:
    """No two columns may give features of the same name."""
    seen: set[str] = set()
    for name in layout.features:
        if name in seen:
            raise BadExample(
                f"{line}: two columns are called {quoted(name)}; give each its own name"
            )
        seen.add(name)
    texts = seen if wishes.missing == "indicate" else set(layout.having(Kind.TEXT))
    for name in seen:
        for i in (i for i, c in enumerate(name) if c == "="):
            if name[:i] in texts:
                raise BadExample(
                    f"{line}: column {quoted(name)} is called as a text of column "
                    f"{quoted(name[:i])} would be; give it another name"
                )


def _called(first: Sequence[str], j: int | None, header: bool) -> str:
    return quoted(first[j]) if header and j is not None else str(j)


def _nameless(column: int) -> str:
    if column:
        return f"column {column} has no name; give it one"
    return (
        "column 0 has no name; pandas and R write row numbers there: "
        "write the file without them (index=False, row.names=FALSE) or give it a name"
    )


def _some(names: Sequence[str]) -> str:
    return ", ".join(map(quoted, names[:10])) + (", …" if len(names) > 10 else "")


class Role(Enum):
    """What the values of a column become, in the words of an error."""

    NUMBERS = "numbers"
    TEXTS = "texts"
    NOTHING = "no values"


@dataclass(frozen=True, slots=True)
class FieldLayout:
    """The columns of a table that are features, in order, and the one that is the label."""

    roles: Mapping[str, Role]
    label: str | None

    @property
    def fields(self) -> tuple[str, ...]:
        """The columns that are features."""
        return tuple(self.roles)

    @property
    def texts(self) -> tuple[str, ...]:
        """Those of them whose values are names."""
        return tuple(name for name, role in self.roles.items() if role is Role.TEXTS)

    def also(self, other: FieldLayout, before: Path, path: Path) -> FieldLayout:
        """What it is when the table at another path, with that layout, is read after this.

        A column without values is of whatever kind it is in other files.
        """
        for name in self.roles:
            if name not in other.roles:
                raise BadExample(f"{path}: there is no column {quoted(name)}, which {before} has")
        for name in other.roles:
            if name not in self.roles:
                raise BadExample(f"{path}: column {quoted(name)} is not in {before}")
        if other.label != self.label:
            raise BadExample(
                f"{path}: the label is column {quoted(other.label or '')}, and in {before} "
                f"column {quoted(self.label or '')}; name it (label=, --label)"
            )
        roles = dict(self.roles)
        for name, role in self.roles.items():
            if role is Role.NOTHING:
                roles[name] = other.roles[name]
            elif other.roles[name] not in (role, Role.NOTHING):
                raise BadExample(
                    f"{path}: column {quoted(name)} holds {other.roles[name].value}, and in "
                    f"{before} {role.value}; write it alike in both"
                )
        return FieldLayout(roles, self.label)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked of a table: which column is the label, and how the others are to be read."""

    label: str | int | None = None
    labelled: bool = True
    ignore: frozenset[str] = frozenset()
    categorical: frozenset[str] = frozenset()
    expect: tuple[str, ...] | None = None

    def layout(self, schema: pa.Schema, path: Path) -> FieldLayout:
        """What is read of a file with these columns."""
        names = list(schema.names)
        label = self._label(names, path)
        if self.expect is None:
            _present(sorted(self.ignore | self.categorical), names, path)
            fields = [name for name in names if name != label and name not in self.ignore]
        else:
            _present(self.expect, names, path)
            fields = list(self.expect)
        _well_named(fields if label is None else [*fields, label], names, path)
        if not fields:
            raise BadExample(f"{path}: there is no column but the label")
        if label is not None:
            _role(schema, label, path, categorical=False)
        return FieldLayout(
            {
                name: self._checked(_role(schema, name, path, name in self.categorical), name, path)
                for name in fields
            },
            label,
        )

    def _label(self, names: list[str], path: Path) -> str | None:
        rest = [name for name in names if name not in self.ignore]
        label = self.label
        if label is None:
            if not self.labelled or not rest:
                return None
            label = rest[-1]
        elif label not in names:
            if isinstance(label, int) or (label.isascii() and label.isdigit()):
                if int(label) in range(len(names)):
                    label = names[int(label)]
                elif self.labelled:
                    raise BadExample(
                        f"{path}: there is no column {label}; the last is {len(names) - 1}"
                    )
            elif self.labelled:
                _present([label], names, path)
        if label in self.ignore:
            raise BadExample(f"{path}: column {quoted(str(label))} is ignored, and the label")
        if label in (self.expect or ()):
            if self.labelled:
                raise BadExample(
                    f"{path}: column {quoted(str(label))} is a feature of the model and cannot be "
                    "the label; name another (label=, --label)"
                )
            return None
        return label if isinstance(label, str) and label in names else None

    def _checked(self, role: Role, name: str, path: Path) -> Role:
        """The role of a column, unless a model was trained on another."""
        if self.expect is not None and role is Role.TEXTS and name not in self.categorical:
            raise BadExample(
                f"{path}: column {quoted(name)} holds texts, where the model was trained on numbers"
            )
        return role


def _role(schema: pa.Schema, name: str, path: Path, categorical: bool) -> Role:
    """What a column is read as; the refusal of what cannot be read."""
    import pyarrow.types as kinds

    kind = schema.field(name).type
    entry = kind.value_type if kinds.is_dictionary(kind) else kind
    is_text = kinds.is_string(entry) or kinds.is_large_string(entry) or str(entry) == "string_view"
    is_time = kinds.is_temporal(entry) and not kinds.is_interval(entry)
    is_number = (
        kinds.is_integer(entry)
        or kinds.is_floating(entry)
        or kinds.is_decimal(entry)
        or kinds.is_boolean(entry)
    )
    if kinds.is_null(entry):
        return Role.NOTHING
    if is_time and not categorical:
        raise BadExample(
            f"{path}: column {quoted(name)} holds dates or times ({kind}); write them as numbers, "
            "or their parts (the hour, the weekday), or leave the column out (ignore=, --ignore), "
            "or take each as a category (categorical=, --categorical)"
        )
    if not (is_text or is_time or is_number):
        raise BadExample(
            f"{path}: column {quoted(name)} holds {kind}, not numbers or texts; write it as one or "
            "more columns of these, or leave it out (ignore=, --ignore)"
        )
    return Role.TEXTS if is_text or categorical or kind != entry else Role.NUMBERS


def _well_named(used: list[str], names: list[str], path: Path) -> None:
    counts = Counter(names)
    for name in used:
        if not name:
            raise BadExample(f"{path}: column {names.index(name)} has no name; give it one")
        if counts[name] > 1:
            raise BadExample(f"{path}: {counts[name]} columns are called {quoted(name)}")
        if name.startswith("__index_level_"):
            raise BadExample(
                f"{path}: column {quoted(name)} is the index of a pandas frame; write the file "
                "without it (index=False) or leave it out (ignore=, --ignore)"
            )


def _present(wanted: Sequence[str], names: list[str], path: Path) -> None:
    for name in wanted:
        if name not in names:
            some = ", ".join(map(quoted, names[:10])) + (", …" if len(names) > 10 else "")
            raise BadExample(f"{path}: there is no column {quoted(name)}; the columns are {some}")
