"""What can be known of a run, asked of the guarantees; and why not, where it cannot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from operator import attrgetter
from typing import TypedDict

import numpy as np

from novikoff import guarantees
from novikoff.guarantees.exact.arithmetic import (
    ExactVector,
    Number,
    Numbers,
    fraction,
    products,
    root,
    sums_by,
)
from novikoff.guarantees.exact.losses import Counted
from novikoff.guarantees.exact.mistaken import Mistaken, expect_threshold
from novikoff.guarantees.exact.rows import sum_of_squares
from novikoff.guarantees.novikoff_bound import Bound, mistake_bound
from novikoff.guarantees.risk import RiskBound
from novikoff.guarantees.running_sandwich import Sandwich
from novikoff.ledger.ledger import Ledger
from novikoff.stream.blocks import Block, Codes, Labels, Stream, blocks_of
from novikoff.stream.problems import BadExample
from novikoff.stream.rows import Positions, Vector, join

# The exact weights are followed through a run only if that takes about a second: the numbers read,
# each mistake counting as 64 more.
_TO_FOLLOW = 1 << 21
NOT_KEPT = "the ledger did not keep the mistaken examples"
OTHER_RULE = {
    "margin": "the mistakes of a rule that does not add them up do not show it",
    "bound": "the bounds here are for weights that are a sum of the mistakes; for other rules see "
    "guarantees.winnow1_bound, winnow2_bound and doubling_bound, or halving_bound and those beside "
    "it",
    "sandwich": "it is the proof for weights that are a sum of the mistakes",
}


@dataclass(frozen=True, slots=True)
class Chain:
    """Mγ ≤ ⟨w,u⟩ ≤ ‖w‖ ≤ √Σ‖x‖² ≤ R√M after the last mistake, as in `guarantees.Sandwich`.

    u is the final weights as a unit vector. `followed` means that the chain was checked after each
    mistake, and not the last alone; `failure` is the first exception.
    """

    formula: str
    numbers: tuple[float, ...]
    holds: bool
    followed: bool
    failure: str | None


class Counts(TypedDict):
    """What can be counted in any run: fields of a summary."""

    epochs: int
    rounds: int
    pass_lengths: tuple[int, int] | None
    mistakes: int
    first_pass: int | None
    last_pass: int | None


def counts(ledger: Ledger) -> Counts:
    """The passes, the rounds and the mistakes of a run."""
    lengths = [b - a for a, b in pairwise([0, *ledger.epoch_ends])]
    return {
        "epochs": len(lengths),
        "rounds": ledger.n_rounds,
        "pass_lengths": (min(lengths), max(lengths)) if lengths else None,
        "mistakes": len(ledger),
        "first_pass": ledger.epoch_mistakes[0] if lengths else None,
        "last_pass": ledger.epoch_mistakes[-1] if lengths else None,
    }


def error_bound(ledger: Ledger, confidence: Fraction) -> tuple[RiskBound | None, str]:
    """What the weights of the first pass err on new examples, or why that is not bounded."""
    try:
        return guarantees.risk_bound(ledger, confidence=confidence), ""
    except ValueError as error:
        return None, str(error)


def expect_data_of(ledger: Ledger, blocks: Sequence[Block]) -> None:
    """Refuse data in which a mistaken example is missing, or has another label."""
    if not blocks:
        raise BadExample("the data given hold no examples")
    for block in blocks:
        if block.rows.dim != ledger.dim:
            raise BadExample(f"the data have {block.rows.dim} features, the ledger {ledger.dim}")
    if ledger.keep == "counts" or len(ledger) == 0:
        return
    positions, labels = _positions(blocks), _labels(ledger, blocks)
    order = np.argsort(positions)
    place = order[np.searchsorted(positions, ledger.rows, sorter=order).clip(max=len(order) - 1)]
    missing = positions[place] != ledger.rows
    other = labels[place] != (ledger.classes if ledger.rule == "joint" else ledger.labels)
    if (missing | other).any():
        k = int(np.argmax(missing | other))
        what = "is not among them" if missing[k] else "has another label"
        raise BadExample(f"the data are not those of the run: row {ledger.rows[k]} {what}")


def with_examples(ledger: Ledger, blocks: Sequence[Block]) -> Ledger:
    """The ledger itself or, if it kept positions in these data, one with the examples."""
    if ledger.keep != "positions" or len(ledger) == 0:
        return ledger
    positions, labels = _positions(blocks), _labels(ledger, blocks)
    first = int(positions.min())
    if int(positions.max()) - first >= len(positions):  # there are gaps
        return ledger
    full = Ledger(
        ledger.dim,
        bias=ledger.bias,
        start=ledger.start,
        began=ledger.began,
        unit=ledger.unit,
        rule=ledger.rule,
        n_classes=ledger.n_classes,
    )
    full.record(
        replace(ledger.mistakes, rounds=ledger.rounds + ledger.began), rounds=ledger.n_rounds
    )
    full.store(Block(join([b.rows for b in blocks]), labels, first, None, positions - first))
    full.epoch_ends, full.epoch_mistakes = ledger.epoch_ends, ledger.epoch_mistakes
    return full


def threshold(ledger: Ledger, margin: Number | None) -> tuple[Fraction | None, int | None]:
    """η, as given or as the updates show it, and how many of them were on what was right."""
    given = None if margin is None else fraction(margin, "margin")
    if len(ledger) == 0:
        return given or Fraction(0), 0
    if ledger.keep == "counts":
        return given, None
    right_by = ledger.labels * ledger.scores
    if given is None:
        given = Fraction(float(right_by.max(initial=0.0)))
    expect_threshold(ledger, given)
    return given, int((right_by > 0).sum())


def applicable_bound(
    ledger: Ledger,
    *,
    witness: Numbers | None = None,
    data: Stream | None = None,
    margin: Number = 0,
) -> tuple[Bound | None, str]:
    """The bound that applies to this run, or None and the reason why there is none.

    R and γ are those of the mistaken examples, so it bounds this run alone. For all orders of the
    data and any number of passes, see `Certificate.mistake_bound`.

    Parameters
    ----------
    witness
        Weights that separate the mistaken examples, if any are known.
    data
        What each pass was made over: without a witness the bound is by losses, and needs them.
    margin
        η of a margin perceptron.
    """
    if ledger.rule not in ("additive", "joint"):
        return None, OTHER_RULE["bound"]
    if witness is None:
        blocks = None if data is None else [*blocks_of(data)]
        return bound_by_losses(ledger, blocks, fraction(margin, "margin"))
    if ledger.keep != "examples" and len(ledger):
        return None, NOT_KEPT
    try:
        bound = bound_by_witness(ledger, witness, margin)
    except guarantees.NotAWitness as error:
        return None, str(error)
    return bound, "" if bound else "for many classes a bound is known only for runs from weights 0"


def bound_by_witness(
    ledger: Ledger, witness: Numbers, margin: Number = 0, *, adaptive: bool = False
) -> Bound | None:
    """The bound of the theorem that covers the run; raises NotAWitness if the weights fail.

    None if there is no such theorem: for many classes, from other weights than 0. `adaptive` takes
    the form of Novikoff's bound that counts the length of each mistaken example, where it applies:
    it is never more than the other when the mistakes are within it.
    """
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
    ledger: Ledger, blocks: Sequence[Block] | None, margin: Fraction | None
) -> tuple[Bound | None, str]:
    """The bound by the losses of the best comparator, or why there is none."""
    if ledger.keep != "examples":
        return None, NOT_KEPT
    if ledger.rule == "joint" and ledger.start is not None:
        return None, "for many classes a bound is known only for runs from weights 0"
    if ledger.start is not None or margin or ledger.rule == "joint":
        other = "that do not start at 0" if ledger.start is not None else "with a margin"
        other = "with many classes" if ledger.rule == "joint" else other
        return None, (
            "the final weights do not separate the mistaken examples, and the only bounds known "
            f"for runs {other} need weights that do"
        )
    if blocks is None:
        return None, (
            "the final weights do not separate the mistaken examples, and a bound by losses needs "
            "all the data: pass them to summary"
        )
    try:
        return guarantees.best_comparator(ledger, blocks), ""
    except BadExample as error:
        return None, str(error)


def can_follow(ledger: Ledger) -> bool:
    """Whether the sandwich of this run can be checked after each mistake in about a second."""
    if len(ledger) == 0:
        return True
    numbers_a_row = ledger.examples.values.size / len(ledger.examples)
    return len(ledger) * (numbers_a_row + 64) <= _TO_FOLLOW


def running_sandwich(
    ledger: Ledger, witness: Numbers | None, margin: Number = 0
) -> tuple[Sandwich | None, str]:
    """The proof's inequalities after each mistake, or None and the reason why they are not shown.

    `witness` is None when no weights are known that separate the mistaken examples.
    """
    why = why_no_sandwich(ledger)
    if ledger.rule not in ("additive", "joint"):
        why = OTHER_RULE["sandwich"]
    elif not why and witness is None:
        why = "the proof needs weights that separate the data, and none are known"
    elif not why and not can_follow(ledger):
        why = "the run made too many mistakes to follow the weights exactly"
    if why or witness is None:
        return None, why
    return guarantees.sandwich(ledger, witness, margin=margin), ""


def squared_margin_on(weights: Vector, blocks: Sequence[Block]) -> tuple[Fraction, int | None]:
    """The square of the weights' margin on all examples; 0 and a row that is not right, if any."""
    if not weights.any():
        return Fraction(0), None
    achieved = guarantees.joint_margin if weights.ndim > 1 else guarantees.achieved_margin
    least = min((achieved(weights, b) for b in blocks), key=attrgetter("smallest"))
    if least.smallest <= 0:
        return Fraction(0), least.row
    return least.smallest**2 / least.weights_squared, None


def bound_interval(
    seen: Mistaken, R2: Fraction, eta: Fraction, reached: Fraction, ceiling: Fraction
) -> tuple[int, int | None]:
    """What a bound on a run from 0 comes to at the largest and at the smallest γ, given squared."""
    growth = (seen.largest_step * R2 + 2 * eta) / seen.smallest_step
    least = mistake_bound(growth / ceiling, 1, 1)
    return least, mistake_bound(growth / reached, 1, 1) if reached else None


def why_no_sandwich(ledger: Ledger) -> str:
    """Why the theory has no sandwich for this run, whatever the witness; empty if it has one."""
    if len(ledger) == 0:
        return ""
    if ledger.keep != "examples":
        return NOT_KEPT
    if ledger.start is not None:
        return "the weights did not start at 0"
    return "it is shown for two classes only" if ledger.rule == "joint" else ""


def chain(
    ledger: Ledger, seen: Mistaken, bound: Bound, weights: Vector, ceiling: Fraction, eta: Fraction
) -> Chain:
    """The proof's numbers for a run from 0; the weights are followed if it does not take long."""
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
    squares = _last_squares(seen, bound, ExactVector.of(weights, "weights"), ceiling, eta)
    holds = all(a <= b for a, b in pairwise(squares))
    ends = tuple(root(n.numerator, n.denominator) for n in squares)
    return Chain(formula, ends, holds, False, None)


def _last_squares(
    seen: Mistaken, bound: Bound, u: ExactVector, ceiling: Fraction, eta: Fraction
) -> tuple[Fraction, ...]:
    """The squares of the five numbers, without following the weights: each example read once."""
    R2, U2, gamma = bound.radius_squared, bound.witness_squared, bound.margin or Fraction(0)
    b, steps = seen.largest_step, sum(seen.steps.tolist())
    total = steps * seen.unit
    # for a c that no y⟨u,x⟩ exceeds, Σ s max(0, c − y⟨u,x⟩) is c Σs − ⟨w,u⟩
    c = U2 * R2 + 1
    along = c * steps - Counted.mistakes(seen).hinges(u, c)[0]
    times = sums_by(seen.which, products(seen.steps, seen.steps, summed=len(seen.steps)))
    lengths = sum_of_squares(seen.rows, times, bias=seen.bias) * seen.unit**2
    return (
        (gamma * total) ** 2 / U2,
        (along * seen.unit) ** 2 / U2,
        ceiling * total**2,
        lengths + 2 * eta * total,
        len(seen.steps) * (b * b * R2 + 2 * b * eta),
    )


def _positions(blocks: Sequence[Block]) -> Positions:
    return np.concatenate([b.positions(np.arange(len(b))) for b in blocks])


def _labels(ledger: Ledger, blocks: Sequence[Block]) -> Labels | Codes:
    """The labels of all the blocks, or the classes where many were learned jointly."""
    return np.concatenate([b.codes if ledger.rule == "joint" else b.labels for b in blocks])
