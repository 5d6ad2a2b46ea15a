"""The mistaken examples of a run, and by how much each was added, read exactly from the ledger."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np

from novikoff.guarantees.exact.arithmetic import ExactVector, Integers, Numbers, integers
from novikoff.guarantees.exact.rows import largest_square, smallest_margin, usable
from novikoff.ledger.ledger import Ledger, NotKept, Rule
from novikoff.stream.blocks import Labels
from novikoff.stream.problems import BadExample
from novikoff.stream.rows import Positions, Rows


# The learner compares with η/rate and records the score times the rate: two roundings.
class NotAWitness(ValueError):  # noqa: N818  (it says what the vector is not)
    """A vector offered as a witness that has a mistaken example on its wrong side, or on itself.

    Of vectors for many classes `classes` are that of the example, and the one it is not ahead of.
    """

    def __init__(self, row: int, margin: Fraction, classes: tuple[int, int] | None = None) -> None:
        over, under = margin.as_integer_ratio()
        about = f"≈ {Decimal(over) / Decimal(under):.4g}"  # it may be too large for a float
        if over.bit_length() + under.bit_length() <= 256:
            about = f"= {margin}" if under == 1 else f"= {margin} {about}"
        what = f"row {row} has y⟨u,x⟩ {about}"
        if classes is not None:
            y, r = classes
            what = f"row {row}, of class {y}, has ⟨u,x⟩ for {y} less that for class {r} {about}"
        super().__init__(f"the witness does not separate the mistaken examples: {what}")
        self.row, self.margin, self.classes = row, margin, classes

    def __reduce__(
        self,
    ) -> tuple[type[NotAWitness], tuple[int, Fraction, tuple[int, int] | None]]:
        return NotAWitness, (self.row, self.margin, self.classes)


_ROUNDING = 1 + Fraction(1, 2**51)


@dataclass(frozen=True, slots=True)
class Mistaken:
    """Mistake k added labels[k] · steps[k] · unit times the row which[k]."""

    rows: Rows
    which: Positions
    labels: Labels
    positions: Positions
    steps: Integers
    unit: Fraction
    bias: bool

    @classmethod
    def of(cls, ledger: Ledger, rows: Rows | None, *, rule: Rule = "additive") -> Mistaken:
        """From a ledger of this rule that kept the examples, or their positions in the rows given.

        Where many classes are learned jointly all labels are +1: the row was added to its class.
        """
        expect_ledger(ledger, rule)
        positions = ledger.rows
        if ledger.keep == "examples":
            stored, which = ledger.examples, ledger.example
        else:
            stored, which = _looked_up(ledger, rows)
        usable(stored)
        steps, exponent = integers(np.abs(ledger.steps))
        unit = Fraction(ledger.unit) * Fraction(2) ** exponent
        return cls(stored, which, ledger.labels, positions, steps, unit, ledger.bias)

    @property
    def smallest_step(self) -> Fraction:
        """The least that any mistaken example was multiplied by."""
        return int(self.steps.min()) * self.unit

    @property
    def largest_step(self) -> Fraction:
        """The most that any mistaken example was multiplied by."""
        return int(self.steps.max()) * self.unit

    @property
    def radius_squared(self) -> Fraction:
        """R²: the largest ‖x‖² over the mistaken examples."""
        return largest_square(self.rows, bias=self.bias)

    def margin(self, u: ExactVector) -> Fraction:
        """γ: the smallest y⟨u,x⟩ over the mistaken examples; NotAWitness unless it is positive."""
        _, first = np.unique(2 * self.which + (self.labels > 0), return_index=True)
        i, margin = smallest_margin(self.rows, self.which[first], self.labels[first], u)
        if margin <= 0:
            raise NotAWitness(int(self.positions[first[i]]), margin)
        return margin


def witness_for(ledger: Ledger, witness: Numbers) -> ExactVector:
    """The witness, refused unless it has a number for each weight."""
    expect_ledger(ledger)
    u = ExactVector.of(witness, "witness")
    if len(u) != ledger.dim + ledger.bias:
        constant = " and one for the constant" if ledger.bias else ""
        raise ValueError(
            f"the witness has {len(u)} numbers; there are {ledger.dim} features{constant}"
        )
    return u


def expect_ledger(given: object, rule: Rule | None = "additive") -> None:
    """Refuse what is not a ledger of this rule (None: of any)."""
    if not isinstance(given, Ledger):
        raise TypeError(
            f"a Ledger is needed, not a {type(given).__name__}: run.ledger, or clf.ledger_, which "
            "with more than two classes is a tuple of them"
        )
    if rule == "additive":
        given.expect_sums()
    if rule == "joint" and given.rule != "joint":
        raise ValueError(
            f"this is the ledger of a learner whose rule is {given.rule!r}: what was asked for is "
            "about many classes that were learned jointly"
        )


def expect_start_zero(ledger: Ledger) -> None:
    """Refuse a run that did not start from zero weights."""
    if ledger.start is not None:
        raise ValueError("the run did not start at w = 0: its bound is guarantees.from_start")


def expect_threshold(
    ledger: Ledger, margin: Fraction, *, see: str = "guarantees.margin_perceptron"
) -> None:
    """Refuse a run that updated on an example right by more than the margin said."""
    if margin < 0:
        raise ValueError(f"the margin must not be negative, got {margin}")
    right_by = ledger.labels * ledger.scores
    k = int(np.argmax(right_by))
    if Fraction(float(right_by[k])) > margin * _ROUNDING:
        raise ValueError(
            f"mistake {k + 1} (row {ledger.rows[k]}) was right by {right_by[k]:.6g}, more than "
            f"{float(margin):.6g}: the run used a larger margin (see {see})"
        )


def _looked_up(ledger: Ledger, rows: Rows | None) -> tuple[Rows, Positions]:
    if rows is None:
        raise NotKept("this ledger kept positions only; pass the rows of the data as rows=")
    positions, which = np.unique(ledger.rows, return_inverse=True)
    if rows.dim != ledger.dim or positions[-1] >= len(rows):
        raise BadExample(
            f"the ledger names row {positions[-1]} of {ledger.dim} features; "
            f"the rows given are {len(rows)} of {rows.dim}"
        )
    return rows.take(positions), which.astype(np.int64)
