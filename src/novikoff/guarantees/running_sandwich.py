"""The inequalities of Novikoff's proof, checked after each mistake of a run."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import TypeAlias

import numpy as np

from novikoff.guarantees.exact.arithmetic import (
    ExactVector,
    Integers,
    Number,
    Numbers,
    fraction,
    integers,
    largest,
    root,
)
from novikoff.guarantees.exact.mistaken import Mistaken, mistakes_from_zero, with_witness
from novikoff.guarantees.exact.rows import Entries
from novikoff.ledger.ledger import Ledger
from novikoff.stream.printing import plural, short
from novikoff.stream.rows import Positions, Rows, Vector

Chain: TypeAlias = tuple[list[int], list[int], list[int], list[int], list[int]]
_LINKS = (
    "γ Σr ≤ ⟨w,u⟩",
    "⟨w,u⟩ ≤ ‖w‖",
    "‖w‖² ≤ Σ(r²‖x‖² + 2rη)",
    "Σ(r²‖x‖² + 2rη) ≤ k(r²R² + 2rη)",
)


@dataclass(frozen=True, slots=True)
class Failure:
    """An inequality that failed after a mistake (counted from 1), and the squares of its sides."""

    mistake: int
    row: int
    inequality: str
    left_squared: Fraction
    right_squared: Fraction

    def __str__(self) -> str:
        return f"{self.inequality} fails after mistake {self.mistake} (row {self.row})"


@dataclass(frozen=True, slots=True, eq=False)
class Sandwich:
    """For k = 1, 2, … mistakes: lower ≤ progress ≤ norm ≤ root_sum ≤ upper.

    With u as a unit vector they are kγ, ⟨w,u⟩, ‖w‖, √(Σ‖x‖²) and R√k, each rounded once. `failure`
    is the first inequality that fails in exact arithmetic, and `not_a_mistake` the first k at which
    y⟨w,x⟩ was exactly above the margin, so that only rounding can have caused the update.
    """

    k: Positions = field(repr=False)
    lower: Vector = field(repr=False)
    progress: Vector = field(repr=False)
    norm: Vector = field(repr=False)
    root_sum: Vector = field(repr=False)
    upper: Vector = field(repr=False)
    failure: Failure | None
    not_a_mistake: int | None

    @property
    def holds(self) -> bool:
        """Whether every inequality held after every mistake."""
        return self.failure is None

    def __str__(self) -> str:
        if self.failure is not None:
            return str(self.failure)
        if len(self.k) == 0:
            return "no mistakes"
        traces = (self.lower, self.progress, self.norm, self.root_sum, self.upper)
        ends = " ≤ ".join(short(float(trace[-1]), 6) for trace in traces)
        return f"after {plural(len(self.k), 'mistake')}: {ends}"


def sandwich(
    ledger: Ledger, witness: Numbers, *, margin: Number = 0, rows: Rows | None = None
) -> Sandwich:
    """kγ ≤ ⟨w,u⟩ ≤ ‖w‖ ≤ √(Σ‖x‖²) ≤ R√k after each mistake k, for u as a unit vector.

    With steps r between a and b, and a margin η, the five are γΣr, ⟨w,u⟩, ‖w‖, √Σ(r²‖x‖² + 2rη) and
    √(k(b²R² + 2bη)). The third inequality can fail if rounding turned an example into a mistake.
    The parameters are those of `margin_perceptron`. References: Novikoff (1962), the proof of
    Theorem 1; Krauth & Mézard (1987) with a margin.
    """
    (ledger, u), eta = with_witness(ledger, witness), fraction(margin, "margin")
    seen = mistakes_from_zero(ledger, eta, rows)
    if seen is None:
        none = np.empty(0)
        return Sandwich(np.arange(0), none, none, none, none, none, None, None)
    seen.margin(u)  # raises NotAWitness
    chain, scale, not_a_mistake = _follow(seen, u, eta)
    over, by = scale.as_integer_ratio()
    traces = (np.array([root(n * over, by) for n in squares]) for squares in chain)
    lower, progress, norm, root_sum, upper = traces
    fails = (
        Failure(k, row, link, left * scale, right * scale)
        for k, (row, *sides) in enumerate(zip(seen.positions.tolist(), *chain, strict=True), 1)
        for link, (left, right) in zip(_LINKS, pairwise(sides), strict=True)
        if left > right
    )
    failure = next(fails, None)
    k = np.arange(1, len(ledger) + 1)
    return Sandwich(k, lower, progress, norm, root_sum, upper, failure, not_a_mistake)


def _follow(seen: Mistaken, u: ExactVector, eta: Fraction) -> tuple[Chain, Fraction, int | None]:
    """The five squares after each mistake as integers, their unit, and `not_a_mistake`."""
    e = Entries.of(seen.rows, np.arange(len(seen.rows)), bias=seen.bias)
    x, exponent = integers(e.values)
    along, power = e.dots(u)
    squares, fold = e.squares(x).tolist(), Fraction(2) ** (power - exponent)
    dots = [int(n * fold) for n in along.tolist()]
    labels, sizes, which = seen.labels.tolist(), seen.steps.tolist(), seen.which.tolist()
    scores = _scores(e, x, seen, length=len(u))
    # in the unit in which the weights are integers, 2rη is a step times allow/whole
    unit = seen.unit * Fraction(2) ** exponent
    allow, whole = (2 * eta * seen.unit / unit**2).as_integer_ratio()
    U2 = sum(n * n for n in u.integers.tolist())
    margins = [y * dots[i] for y, i in zip(labels, which, strict=True)]
    gamma = min(margins)
    right_by = [y * s for y, s in zip(labels, scores, strict=True)]
    growth = [s * s * squares[i] for s, i in zip(sizes, which, strict=True)]
    limits = [whole * g + allow * s for s, g in zip(sizes, growth, strict=True)]
    most = whole * max(sizes) ** 2 * max(squares) + allow * max(sizes)
    gains = (s * m for s, m in zip(sizes, margins, strict=True))
    longer = (2 * s * d + g for s, d, g in zip(sizes, right_by, growth, strict=True))
    chain = (
        [whole * (gamma * s) ** 2 for s in accumulate(sizes)],
        [whole * p**2 for p in accumulate(gains)],
        [whole * U2 * n for n in accumulate(longer)],
        [U2 * q for q in accumulate(limits)],
        [U2 * most * k for k in range(1, len(sizes) + 1)],
    )
    over = (k for k, d in enumerate(right_by, 1) if 2 * d * whole > allow)
    return chain, unit**2 / (U2 * whole), next(over, None)


def _scores(e: Entries, x: Integers, seen: Mistaken, *, length: int) -> list[int]:
    """⟨w,x⟩ before each update, in the units of the integer entries and steps."""
    reach = sum(seen.steps.tolist()) * largest(x) ** 2 * int(e.lengths.max())
    kind = np.int64 if x.dtype != object and reach < 2**63 else object
    x, w, out = x.astype(kind), np.zeros(length, dtype=kind), []
    spans = [slice(a, b) for a, b in pairwise(e.starts.tolist())]
    for y, s, i in zip(*(c.tolist() for c in (seen.labels, seen.steps, seen.which)), strict=True):
        at, values = e.columns[spans[i]], x[spans[i]]
        before = w[at]
        out.append(int(before @ values))
        w[at] = before + y * s * values
    return out
