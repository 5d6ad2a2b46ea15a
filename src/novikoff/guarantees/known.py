"""What is known about a run: which bound and which sandwich apply to it, or why none does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from operator import attrgetter

import numpy as np

from novikoff import guarantees
from novikoff.guarantees.arow import ArowBound, ArowSandwich
from novikoff.guarantees.comparators import Counted
from novikoff.guarantees.exact.arithmetic import ExactVector, Number, Numbers, fraction, root
from novikoff.guarantees.exact.mistaken import Mistaken, expect_data_of, expect_threshold
from novikoff.guarantees.novikoff_bound import Bound, Sandwich
from novikoff.guarantees.risk import RiskBound
from novikoff.ledger import readings
from novikoff.ledger.ledger import Ledger
from novikoff.stream.blocks import Block, Stream
from novikoff.stream.input_problems import BadExample
from novikoff.stream.rows import Vector, join

# The sandwich is followed mistake by mistake if that takes about a second: a limit on the numbers
# to read, each mistake counting as 64 more.
_TO_FOLLOW = 1 << 21

NOT_KEPT = "the ledger did not keep the mistaken examples"
OTHER_RULE = {
    "margin": "only additive learners reveal the margin",
    "bound": "this bound needs weights that are a sum of the mistakes; for other rules see "
    "guarantees.winnow1_bound, winnow2_bound, doubling_bound and halving_bound",
    "sandwich": "the proof needs weights that are a sum of the mistakes",
}
NOT_SEPARATED = "the final weights do not separate the mistaken examples"
_JOINT_FROM_ZERO = "for many classes a bound is known only for runs from weights 0"


def applicable_bound(
    ledger: Ledger,
    *,
    witness: Numbers | None = None,
    data: Stream | None = None,
    margin: Number = 0,
) -> tuple[Bound | None, str]:
    """The bound that applies to this run, or None and the reason why there is none.

    If no witness is known, the bound is by losses and needs the data of each pass. It holds for
    this run alone; for all data see `Certificate.mistake_bound`.
    """
    ledger = ledger.snapshot()
    if ledger.rule not in ("additive", "joint"):
        return None, OTHER_RULE["bound"]
    if witness is None:
        return bound_by_losses(ledger, data, fraction(margin, "margin"))
    if ledger.keep != "examples" and len(ledger):
        return None, NOT_KEPT
    try:
        bound = bound_by_witness(ledger, witness, margin)
    except guarantees.NotAWitness as error:
        return None, str(error)
    return bound, "" if bound else _JOINT_FROM_ZERO


def bound_by_witness(
    ledger: Ledger, witness: Numbers, margin: Number = 0, *, adaptive: bool = False
) -> Bound | None:
    """The bound of the theorem that covers the run, if any; NotAWitness if it does not separate."""
    if ledger.rule == "joint":
        table = np.asarray(witness)
        covered = ledger.start is None and len(table) > 1
        return guarantees.joint_bound(ledger, table, margin=margin) if covered else None
    if ledger.start is not None:
        return guarantees.from_start(ledger, witness, margin=margin)
    if margin > 0:
        return guarantees.margin_perceptron(ledger, witness, margin)
    return (guarantees.adaptive if adaptive else guarantees.novikoff)(ledger, witness)


def bound_by_losses(
    ledger: Ledger, data: Stream | None, margin: Fraction
) -> tuple[Bound | None, str]:
    """The bound by the losses of the best comparator, or why there is none."""
    if ledger.keep != "examples":
        return None, NOT_KEPT
    joint, begun = ledger.rule == "joint", ledger.start is not None
    if joint and begun:
        return None, _JOINT_FROM_ZERO
    if joint or begun or margin:
        other = "many classes" if joint else "another start than 0" if begun else "a margin"
        only = f"the only bounds known for runs with {other} need weights that do"
        return None, f"{NOT_SEPARATED}, and {only}"
    if data is None:
        return None, f"{NOT_SEPARATED}, and a bound by losses needs all the data: pass them too"
    try:
        return guarantees.best_comparator(ledger, data), ""
    except BadExample as error:
        return None, str(error)


def arow(ledger: Ledger) -> tuple[ArowBound | None, ArowSandwich | None, str]:
    """The bound and the sandwich of an adaptive run for its final weights; or why none."""
    if ledger.is_joint:
        return None, None, "no mistake bound is known for adaptive steps and many classes"
    if ledger.adaptation is None or not ledger.adaptation.is_full:
        return None, None, "no mistake bound is known for diagonal variances; see matrix='full'"
    if ledger.keep != "examples":
        return None, None, NOT_KEPT
    if len(ledger) * (ledger.dim + 1) > _TO_FOLLOW:
        return None, None, "the run is too long for exact sums"
    u = readings.final(ledger)
    try:
        return guarantees.arow_bound(ledger, u), guarantees.arow_sandwich(ledger, u), ""
    except ValueError as error:
        return None, None, str(error)


def can_follow(ledger: Ledger) -> bool:
    """Whether the sandwich of this run can be checked after each mistake in about a second."""
    rows = ledger.examples if len(ledger) else None
    return rows is None or len(ledger) * (rows.values.size / len(rows) + 64) <= _TO_FOLLOW


def running_sandwich(
    ledger: Ledger, witness: Numbers | None, margin: Number = 0
) -> tuple[Sandwich | None, str]:
    """The inequalities of the proof after each mistake, or None and why there are none."""
    ledger = ledger.snapshot()
    if ledger.rule not in ("additive", "joint"):
        return None, OTHER_RULE["sandwich"]
    if why := why_no_sandwich(ledger):
        return None, why
    if witness is None:
        return None, "the proof needs weights that separate the data, and none are known"
    if not can_follow(ledger):
        return None, "the run made too many mistakes to follow the weights exactly"
    return guarantees.sandwich(ledger, witness, margin=margin), ""


def why_no_sandwich(ledger: Ledger) -> str:
    """Why no theorem gives a sandwich for this run, whatever the witness; empty if one does."""
    if len(ledger) == 0:
        return ""
    if ledger.keep != "examples":
        return NOT_KEPT
    if ledger.start is not None:
        return "the weights did not start at 0"
    return "it is shown for two classes only" if ledger.rule == "joint" else ""


@dataclass(frozen=True, slots=True)
class Chain:
    """Mγ ≤ ⟨w,u⟩ ≤ ‖w‖ ≤ √Σ‖x‖² ≤ R√M after the last mistake, or after each one if `followed`."""

    formula: str
    numbers: tuple[float, ...]
    holds: bool
    followed: bool
    failure: str | None


def error_bound(ledger: Ledger) -> tuple[RiskBound | None, str]:
    """The bound on the errors of the first pass's weights, with 95 % confidence, or why not."""
    try:
        return guarantees.risk_bound(ledger, confidence=Fraction(95, 100)), ""
    except ValueError as error:
        return None, str(error)


def with_examples(ledger: Ledger, blocks: Sequence[Block]) -> Ledger:
    """The ledger or, if it kept only positions in the data of the run, a copy with the examples."""
    positions, labels = expect_data_of(ledger, blocks)
    if ledger.keep != "positions" or len(ledger) == 0:
        return ledger
    first = int(positions.min())
    if int(positions.max()) - first >= len(positions):  # there are gaps
        return ledger
    rows = join([b.rows for b in blocks])
    return ledger.with_examples(Block(rows, labels, first, None, positions - first))


def threshold(ledger: Ledger, margin: Number | None) -> Fraction | None:
    """η, as given or as the updates show; None if the ledger kept only counts."""
    given = None if margin is None else fraction(margin, "margin")
    if len(ledger) == 0:
        return given or Fraction(0)
    if ledger.keep == "counts":
        return given
    if given is None:
        given = Fraction(float((ledger.labels * ledger.scores).max(initial=0.0)))
    expect_threshold(ledger, given)
    return given


def squared_margin_on(weights: Vector, blocks: Sequence[Block]) -> tuple[Fraction, int | None]:
    """The squared margin of the weights on all examples; or 0 and a row that is not right."""
    if not weights.any():
        return Fraction(0), None
    achieved = guarantees.joint_margin if weights.ndim > 1 else guarantees.achieved_margin
    least = min((achieved(weights, b) for b in blocks), key=attrgetter("smallest"))
    if least.smallest <= 0:
        return Fraction(0), least.row
    return least.smallest**2 / least.weights_squared, None


def chain(
    ledger: Ledger, seen: Mistaken, bound: Bound, weights: Vector, ceiling: Fraction, eta: Fraction
) -> Chain:
    """The numbers of the proof for a run from 0, checked after each mistake if that is quick."""
    plain = eta == 0 and seen.smallest_step == seen.largest_step == 1
    formula = (
        "Mγ ≤ ⟨w,u⟩ ≤ ‖w‖ ≤ √Σ‖x‖² ≤ R√M"
        if plain
        else "γΣr ≤ ⟨w,u⟩ ≤ ‖w‖ ≤ √Σ(r²‖x‖² + 2rη) ≤ √(M(r²R² + 2rη))"
    )
    if can_follow(ledger):
        s = guarantees.sandwich(ledger, weights, margin=eta)
        traces = (s.lower, s.progress, s.norm, s.root_sum, s.upper)
        failure = None if s.failure is None else str(s.failure)
        return Chain(formula, tuple(float(trace[-1]) for trace in traces), s.holds, True, failure)
    # the squares of the five numbers after the last mistake, reading each example once
    R2, U2, gamma = bound.radius_squared, bound.witness_squared, bound.margin or Fraction(0)
    b, steps = seen.largest_step, sum(seen.steps.tolist())
    total = steps * seen.unit
    # for a c that no y⟨u,x⟩ exceeds, Σ s max(0, c − y⟨u,x⟩) is c Σs − ⟨w,u⟩
    c = U2 * R2 + 1
    u = ExactVector.of(weights, "weights")
    along = c * steps - Counted.mistakes(seen).hinges(u, c)[0]
    squares = (
        (gamma * total) ** 2 / U2,
        (along * seen.unit) ** 2 / U2,
        ceiling * total**2,
        seen.sum_of_squares + 2 * eta * total,
        len(seen.steps) * (b * b * R2 + 2 * b * eta),
    )
    holds = all(a <= b for a, b in pairwise(squares))
    return Chain(formula, tuple(map(root, squares)), holds, False, None)
