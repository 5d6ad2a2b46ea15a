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
from novikoff.ledger.ledger import Ledger
from novikoff.stream.blocks import Block, Codes, Labels
from novikoff.stream.problems import BadExample
from novikoff.stream.rows import Positions, Vector, join

# Numbers to read, a mistake counting as 64 more. The weights can be followed through so many in
# about a second.
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


def by_witness(ledger: Ledger, weights: Vector, eta: Fraction) -> Bound | None:
    """The bound of the theorem that covers the run; NotAWitness if the weights do not serve.

    None if there is no such theorem: for many classes, from other weights than 0. The adaptive form
    of Novikoff's is never more than the other when the mistakes are within it.
    """
    if ledger.rule == "joint":
        covered = ledger.start is None and len(weights) > 1
        return guarantees.joint_bound(ledger, weights, margin=eta) if covered else None
    if ledger.start is not None:
        return guarantees.from_start(ledger, weights, margin=eta)
    if eta > 0:
        return guarantees.margin_perceptron(ledger, weights, eta)
    return guarantees.adaptive(ledger, weights)


def by_losses(
    ledger: Ledger, blocks: Sequence[Block] | None, eta: Fraction | None
) -> tuple[Bound | None, str]:
    """The bound by the losses of the best comparator, or why there is none."""
    if ledger.keep != "examples":
        return None, NOT_KEPT
    if ledger.rule == "joint" and ledger.start is not None:
        return None, "for many classes it is known for runs from weights 0 alone"
    if ledger.start is not None or eta or ledger.rule == "joint":
        other = "from other weights than 0" if ledger.start is not None else "with a margin"
        other = "with many classes" if ledger.rule == "joint" else other
        return None, (
            f"the final weights do not separate the mistaken examples, and for runs {other} only "
            "bounds by weights that do are known"
        )
    if blocks is None:
        return None, (
            "the final weights do not separate the mistaken examples, and a bound by losses needs "
            "all the data: give them to summary"
        )
    try:
        return guarantees.best_comparator(ledger, blocks), ""
    except BadExample as error:
        return None, str(error)


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


def why_no_chain(ledger: Ledger, *, kept: bool) -> str:
    """Why the proof's numbers are not shown, for a run with mistakes."""
    if len(ledger) == 0:
        return ""
    if not kept:
        return NOT_KEPT
    if ledger.start is not None:
        return "the weights did not start at 0"
    if ledger.rule == "joint":
        return "it is shown for two classes only"
    return "the final weights do not separate the mistaken examples"


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
    numbers_a_row = seen.rows.values.size / len(seen.rows)
    if len(ledger) * (numbers_a_row + 64) <= _TO_FOLLOW:
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
