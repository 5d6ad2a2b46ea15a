"""Which columns of a table are features, which is the label, and what each is read as."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from novikoff.rows import BadExample
from novikoff.sources.texts import shown

if TYPE_CHECKING:
    import pyarrow as pa


class Role(Enum):
    """What the values of a column become, in the words of an error."""

    NUMBERS = "numbers"
    TEXTS = "texts"
    NOTHING = "no values"


@dataclass(frozen=True, slots=True)
class Layout:
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

    def also(self, other: Layout, before: Path, path: Path) -> Layout:
        """What it is when the table at another path, with that layout, is read after this.

        A column without values is of whatever kind it is in other files.
        """
        for name in self.roles:
            if name not in other.roles:
                raise BadExample(f"{path}: there is no column {shown(name)}, which {before} has")
        for name in other.roles:
            if name not in self.roles:
                raise BadExample(f"{path}: column {shown(name)} is not in {before}")
        if other.label != self.label:
            raise BadExample(
                f"{path}: the label is column {shown(other.label or '')}, and in {before} "
                f"column {shown(self.label or '')}; name it (label=, --label)"
            )
        roles = dict(self.roles)
        for name, role in self.roles.items():
            if role is Role.NOTHING:
                roles[name] = other.roles[name]
            elif other.roles[name] not in (role, Role.NOTHING):
                raise BadExample(
                    f"{path}: column {shown(name)} holds {other.roles[name].value}, and in "
                    f"{before} {role.value}; write it alike in both"
                )
        return Layout(roles, self.label)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked of a table: which column is the label, and how the others are to be read."""

    label: str | int | None = None
    labelled: bool = True
    ignore: frozenset[str] = frozenset()
    categorical: frozenset[str] = frozenset()
    expect: tuple[str, ...] | None = None

    def layout(self, schema: pa.Schema, path: Path) -> Layout:
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
        return Layout(
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
            raise BadExample(f"{path}: column {shown(str(label))} is ignored, and the label")
        if label in (self.expect or ()):
            if self.labelled:
                raise BadExample(
                    f"{path}: column {shown(str(label))} is a feature of the model and cannot be "
                    "the label; name another (label=, --label)"
                )
            return None
        return label if isinstance(label, str) and label in names else None

    def _checked(self, role: Role, name: str, path: Path) -> Role:
        """The role of a column, unless a model was trained on another."""
        if self.expect is not None and role is Role.TEXTS and name not in self.categorical:
            raise BadExample(
                f"{path}: column {shown(name)} holds texts, where the model was trained on numbers"
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
            f"{path}: column {shown(name)} holds dates or times ({kind}); write them as numbers, "
            "or their parts (the hour, the weekday), or leave the column out (ignore=, --ignore), "
            "or take each as a category (categorical=, --categorical)"
        )
    if not (is_text or is_time or is_number):
        raise BadExample(
            f"{path}: column {shown(name)} holds {kind}, not numbers or texts; write it as one or "
            "more columns of these, or leave it out (ignore=, --ignore)"
        )
    return Role.TEXTS if is_text or categorical or kind != entry else Role.NUMBERS


def _well_named(used: list[str], names: list[str], path: Path) -> None:
    counts = Counter(names)
    for name in used:
        if not name:
            raise BadExample(f"{path}: column {names.index(name)} has no name; give it one")
        if counts[name] > 1:
            raise BadExample(f"{path}: {counts[name]} columns are called {shown(name)}")
        if name.startswith("__index_level_"):
            raise BadExample(
                f"{path}: column {shown(name)} is the index of a pandas frame; write the file "
                "without it (index=False) or leave it out (ignore=, --ignore)"
            )


def _present(wanted: Sequence[str], names: list[str], path: Path) -> None:
    for name in wanted:
        if name not in names:
            some = ", ".join(map(shown, names[:10])) + (", …" if len(names) > 10 else "")
            raise BadExample(f"{path}: there is no column {shown(name)}; the columns are {some}")
