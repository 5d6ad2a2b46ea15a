"""The result of an experiment: a table, and for each claim the bound beside the observed number."""

from __future__ import annotations

import csv
import io
import operator
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from novikoff.ledger.ledger import Ledger
from novikoff.stream.blocks import Block
from novikoff.stream.printing import aligned, count, cut_middle, short

Value: TypeAlias = int | float | str | bool | None


@dataclass(frozen=True, slots=True)
class Check:
    """A claim: the observed number is at most, at least or exactly the bound."""

    claim: str
    bound: int | float
    seen: int | float
    relation: str = "at most"

    @property
    def holds(self) -> bool:
        """Whether the observed number satisfies the claim."""
        compare = {"at most": operator.le, "at least": operator.ge, "exactly": operator.eq}
        return bool(compare[self.relation](self.seen, self.bound))

    def cells(self) -> tuple[str, ...]:
        """The claim, the bound, the observed number and the outcome, as text."""
        outcome = "holds" if self.holds else "DOES NOT HOLD"
        return self.claim, f"{self.relation} {_text(self.bound)}", _text(self.seen), outcome


@dataclass(frozen=True, slots=True)
class Curves:
    """The figure of a table: columns `ys` against column `x`, one line for each value of `by`.

    Not `joined`: points without lines between them, where nothing lies between two values of x.
    """

    x: str
    ys: tuple[str, ...]
    by: str | None = None
    logarithmic: str = "xy"
    label: str | None = None
    joined: bool = True


@dataclass(frozen=True, slots=True)
class Result:
    """The result of an experiment; `str` gives the text that the command prints."""

    name: str
    question: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    checks: tuple[Check, ...]
    notes: tuple[str, ...] = ()
    curves: Curves | None = None
    pictures: tuple[tuple[str, Block, Ledger], ...] = ()  # runs in a kernel's space, by their names

    @property
    def holds(self) -> bool:
        """Whether every claim holds."""
        return all(check.holds for check in self.checks)

    def column(self, name: str) -> list[Value]:
        """The cells of one column."""
        place = self.columns.index(name)
        return [row[place] for row in self.rows]

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield self.question
        yield ""
        columns = enumerate(zip(*self.rows, strict=True))
        text = [j for j, cells in columns if any(isinstance(cell, str | bool) for cell in cells)]
        yield from aligned([self.columns, *(tuple(map(_text, row)) for row in self.rows)], text)
        yield ""
        yield from self.notes
        if self.notes:
            yield ""
        checks = [("claim", "bound", "observed", ""), *(check.cells() for check in self.checks)]
        yield from aligned(checks, left=(0, 1, 3))

    def to_dict(self) -> dict[str, Any]:
        """The whole result, ready for JSON."""
        return {
            "experiment": self.name,
            "question": self.question,
            "rows": [dict(zip(self.columns, row, strict=True)) for row in self.rows],
            "notes": list(self.notes),
            "checks": [{**asdict(check), "holds": check.holds} for check in self.checks],
            "holds": self.holds,
        }

    def to_csv(self) -> str:
        """The table as CSV with a header."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(self.rows)
        return out.getvalue()


def _text(value: Value) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return count(value)
    return short(value) if isinstance(value, float) else cut_middle(value, 64)
