"""The mistaken examples of a run and their steps, read exactly from the ledger; and who may ask."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from novikoff.guarantees.exact import arithmetic
from novikoff.guarantees.exact.arithmetic import ExactVector, Integers, Numbers, Table
from novikoff.guarantees.exact.rows import ExactRows, in_parts, usable
from novikoff.ledger.ledger import Ledger, Rule
from novikoff.stream.blocks import Labels
from novikoff.stream.printing import short
from novikoff.stream.rows import Positions, Rows

# The learner compares with η/rate and records the score times the rate: two roundings.
_ROUNDING = 1 + Fraction(1, 2**51)


class NotAWitness(ValueError):  # noqa: N818  (it says what the vector is not)
    """A vector offered as a witness that does not separate the mistaken examples.

    `row` is one that it misclassifies, or has on its hyperplane, and `margin` is y⟨u,x⟩ there. With
    many classes, `classes` are the row's own and the one that scores as high.
    """

    def __init__(self, row: int, margin: Fraction, classes: tuple[int, int] | None = None) -> None:
        over, under = margin.as_integer_ratio()
        value = f"≈ {short(margin)}"
        if over.bit_length() + under.bit_length() <= 256:
            exact = f"= {margin}".replace("-", "−")
            value = exact if under == 1 else f"{exact} {value}"
        what = f"row {row} has y⟨u,x⟩ {value}"
        if classes is not None:
            y, r = classes
            what = f"row {row}, of class {y}, has ⟨u,x⟩ for {y} less that for class {r} {value}"
        super().__init__(f"the witness does not separate the mistaken examples: {what}")
        self.row, self.margin, self.classes = row, margin, classes

    def __reduce__(self) -> tuple[type[NotAWitness], tuple[object, ...]]:
        return NotAWitness, (self.row, self.margin, self.classes)


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
    def of(cls, ledger: Ledger, *, rule: Rule = "additive") -> Mistaken:
        """The mistakes of a ledger that kept the examples.

        With many classes learned jointly all labels are +1: the row was added to its class.
        """
        ledger = expect_ledger(ledger, rule)
        stored, which = ledger.examples, ledger.example
        usable(stored)
        steps, exponent = arithmetic.integers(np.abs(ledger.steps))
        unit = Fraction(ledger.unit) * Fraction(2) ** exponent
        return cls(stored, which, ledger.labels, ledger.rows, steps, unit, ledger.bias)

    @property
    def smallest_step(self) -> Fraction:
        """a: the least factor with which a mistaken example was added."""
        return int(self.steps.min()) * self.unit

    @property
    def largest_step(self) -> Fraction:
        """b: the largest factor with which a mistaken example was added."""
        return int(self.steps.max()) * self.unit

    @property
    def stretch(self) -> Fraction:
        """b/a: 1 unless the steps differ, as with class weights."""
        return Fraction(int(self.steps.max()), int(self.steps.min()))

    @property
    def radius_squared(self) -> Fraction:
        """R²: the largest ‖x‖² over the mistaken examples."""
        return ExactRows(self.rows, bias=self.bias).largest_square()

    @property
    def sum_of_squares(self) -> Fraction:
        """Σ‖sx‖² over the mistakes, s being their steps."""
        squares = arithmetic.products(self.steps, self.steps, summed=len(self.steps))
        times, total = arithmetic.sums_by(self.which, squares), Fraction(0)
        for part, e in in_parts(self.rows, np.arange(len(times)), bias=self.bias):
            numbers, exponent = arithmetic.integers(e.values)
            each = zip(times[part].tolist(), e.squares(numbers).tolist(), strict=True)
            total += sum(t * s for t, s in each) * Fraction(4) ** exponent
        return total * self.unit**2

    def margin(self, u: ExactVector) -> Fraction:
        """γ: the smallest y⟨u,x⟩ over the mistaken examples; NotAWitness unless it is positive."""
        _, first = np.unique(2 * self.which + (self.labels > 0), return_index=True)
        rows = ExactRows(self.rows, bias=self.bias)
        i, margin = rows.least(self.which[first], self.labels[first], u)
        if margin <= 0:
            raise NotAWitness(int(self.positions[first[i]]), margin)
        return margin


def with_witness(
    ledger: Ledger, witness: Numbers | Table, rule: Rule = "additive"
) -> tuple[Ledger, ExactVector]:
    """A snapshot of the ledger, and the witness as exact numbers, one for each of its weights."""
    ledger = expect_ledger(ledger, rule)
    joint = rule == "joint"
    u = ExactVector.of(witness, "witness", table=joint)
    if (given := u.integers.shape[-1]) != ledger.dim + ledger.bias:
        constant = " and one for the constant" if ledger.bias else ""
        raise ValueError(
            f"the witness has {given} numbers{' for each class' * joint}; it needs one for each of "
            f"the {ledger.dim} features{constant}"
        )
    return ledger, u


def expect_ledger(given: object, rule: Rule | None = "additive") -> Ledger:
    """A snapshot of the ledger; refused if it is of another rule (None allows any)."""
    if not isinstance(given, Ledger):
        raise TypeError(
            f"expected a Ledger, not a {type(given).__name__}: pass run.ledger or clf.ledger_ "
            "(with more than two classes, that is a tuple of ledgers)"
        )
    if rule == "additive":
        given.expect_sums()
    needs = {"joint": "classes learned jointly", "adaptive": "an adaptive run"}.get(rule or "")
    if needs and given.rule != rule:
        raise ValueError(f"this needs {needs}; the ledger's rule is {given.rule!r}")
    return given.snapshot()


def expect_from_zero(ledger: Ledger, margin: Fraction) -> None:
    """Refuse a run that did not start at w = 0, or that `expect_threshold` refuses."""
    if ledger.start is not None:
        other = "; guarantees.from_start bounds runs from other weights"
        other = "" if ledger.rule == "joint" else other
        raise ValueError(f"the run did not start at w = 0, as this theorem needs{other}")
    expect_threshold(ledger, margin)


def expect_threshold(ledger: Ledger, margin: Fraction) -> None:
    """Refuse a run that updated on an example that was right by more than the margin."""
    if margin < 0:
        raise ValueError(f"the margin must not be negative, got {margin}")
    if len(ledger) == 0:
        return
    right_by = ledger.labels * ledger.scores
    k = int(np.argmax(right_by))
    if Fraction(float(right_by[k])) > margin * _ROUNDING:
        see = "the parameter margin" if ledger.rule == "joint" else "guarantees.margin_perceptron"
        raise ValueError(
            f"mistake {k + 1} (row {ledger.rows[k]}) was right by {short(float(right_by[k]), 6)}, "
            f"more than {short(margin, 6)}: the run used a larger margin (see {see})"
        )


def mistakes_from_zero(
    ledger: Ledger, margin: Fraction, rule: Rule = "additive"
) -> Mistaken | None:
    """The mistakes of a run from w = 0 that updated up to this margin; None if there were none."""
    expect_from_zero(ledger, margin)
    return Mistaken.of(ledger, rule=rule) if len(ledger) else None
