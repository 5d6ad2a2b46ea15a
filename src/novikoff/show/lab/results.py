"""What an experiment found: a table to read, and for each claim the bound, what was seen, holds."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

Value: TypeAlias = int | float | str | bool | None
WIDEST = 64  # letters of a cell


@dataclass(frozen=True, slots=True)
class Check:
    """A claim with its number, and the number seen: at most, at least or exactly so much."""

    claim: str
    bound: int | float
    seen: int | float
    relation: str = "at most"

    @property
    def holds(self) -> bool:
        """Whether what was seen is within the bound."""
        if self.relation == "at least":
            return self.seen >= self.bound
        return self.seen == self.bound if self.relation == "exactly" else self.seen <= self.bound

    def cells(self) -> tuple[str, ...]:
        """The claim, the bound, what was seen, and the verdict, in words."""
        verdict = "holds" if self.holds else "DOES NOT HOLD"
        return self.claim, f"{self.relation} {shown(self.bound)}", shown(self.seen), verdict


@dataclass(frozen=True, slots=True)
class Curves:
    """Which columns a figure of the table draws: some against one, one line for each kind of `by`.

    `logarithmic` names the axes that are: "x", "y" or "xy"; one that has a 0 is straight near it.
    `label` is what the lines show, when they are several.
    """

    x: str
    ys: tuple[str, ...]
    by: str | None = None
    logarithmic: str = "xy"
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """What an experiment found; its `str` is what the command prints.

    Attributes
    ----------
    columns, rows
        The table. A cell that has no value is None.
    checks
        Each claim beside what was seen.
    notes
        What is worth knowing about the table, a sentence each.
    """

    name: str
    question: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    checks: tuple[Check, ...]
    notes: tuple[str, ...] = ()
    curves: Curves | None = None

    @property
    def holds(self) -> bool:
        """Whether every claim does."""
        return all(check.holds for check in self.checks)

    def column(self, name: str) -> list[Value]:
        """The cells under a heading."""
        place = self.columns.index(name)
        return [row[place] for row in self.rows]

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield self.question
        yield ""
        yield from aligned([self.columns, *(tuple(map(shown, row)) for row in self.rows)])
        yield ""
        yield from self.notes
        if self.notes:
            yield ""
        yield from aligned([("claim", "bound", "seen", ""), *(c.cells() for c in self.checks)])

    def to_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON."""
        return {
            "experiment": self.name,
            "question": self.question,
            "rows": [dict(zip(self.columns, row, strict=True)) for row in self.rows],
            "notes": list(self.notes),
            "checks": [{**asdict(check), "holds": check.holds} for check in self.checks],
            "holds": self.holds,
        }

    def to_csv(self) -> str:
        """The table as CSV, with its headings."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(self.rows)
        return out.getvalue()


def shown(value: Value) -> str:
    """A cell as people read it."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.4g}" if isinstance(value, float) else shortened(value)


def shortened(text: str) -> str:
    """The text, or whole words of its two ends if it is too long for a cell."""
    if len(text) <= WIDEST:
        return text
    half = WIDEST // 2
    return f"{text[:half].rsplit(' ', 1)[0]} … {text[-half:].split(' ', 1)[-1]}"


def counted(number: int, what: str) -> str:
    """`1 point`, `2,000 points`."""
    return f"{number:,} {what}{'s' * (number != 1)}"


def aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Lines of columns: what begins with a digit to the right, everything else to the left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    right = [
        all(cell[:1].isdigit() or cell == "–" for cell in column[1:])
        for column in zip(*rows, strict=True)
    ]
    for row in rows:
        cells = zip(row, widths, right, strict=True)
        line = "  ".join(c.rjust(w) if r else c.ljust(w) for c, w, r in cells)
        yield line.rstrip()
