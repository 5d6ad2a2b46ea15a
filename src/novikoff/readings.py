"""Three readings of one run, from its ledger alone: the final weights, their average, the vote."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from novikoff import _core
from novikoff.ledger import Ledger
from novikoff.rows import Rows, Vector, dots, part_size

Reading: TypeAlias = Literal["final", "average", "vote"]


def final(ledger: Ledger) -> Vector:
    """The weights after the last mistake: where the run started plus the sum of the mistakes.

    Bit for bit what the learner itself holds, for the sum is taken in the same order.
    """
    ledger.expect_sums()
    ledger.expect_examples()
    return ledger.unit * _sum(ledger, ledger.steps, ledger.start)


def average(ledger: Ledger) -> Vector:
    """The mean of the weights over all rounds, each counted as it stood at the round's end.

    A vector that survived longer counts more. The mistake of round t is part of the weights in
    T − t + 1 of T rounds (Freund & Schapire 1999; Collins 2002).
    """
    rounds = ledger.n_rounds
    ledger.expect_sums()
    ledger.expect_examples()
    w = _sum(ledger, ledger.steps, ledger.start)
    if rounds == 0:
        return ledger.unit * w
    u = _sum(ledger, ledger.steps * (ledger.rounds - 1), None)
    return ledger.unit * ((rounds * w - u) / rounds)


def vote(ledger: Ledger, rows: Rows, *, zero_is_positive: bool = True) -> Vector:
    """For each row, the votes for +1 less those for −1 of every weight vector of the run.

    Each vector votes once for every round at whose end it stood. The vectors are not stored:
    x·w_k grows by one product a mistake, so memory is in proportion to the mistakes
    (Freund & Schapire 1999, Figure 1 and section 3).
    """
    start = ledger.start
    ledger.expect_sums()
    ledger.expect_examples()
    if start is None:
        start = np.zeros(ledger.dim + ledger.bias)
    scores = dots(rows, start, bias=ledger.bias)
    survived = ledger.survivals()
    if len(ledger) == 0:
        zero = 1.0 if zero_is_positive else -1.0
        votes: Vector = np.where(scores == 0, zero, np.sign(scores)) * survived[0]
        return votes
    kept, kept_indices, kept_starts, _ = ledger.examples.core
    values, indices, starts, dim = rows.core
    example, steps = ledger.example, ledger.steps
    out = np.empty(len(rows))
    # the work on a part is in proportion to the mistakes as well as to the rows
    part = max(8, part_size(rows) // max(1, len(ledger) // 64))
    for at in range(0, len(rows), part):
        end = min(len(rows), at + part)
        _core.vote(
            kept,
            kept_indices,
            kept_starts,
            values,
            indices,
            starts,
            dim,
            begin=at,
            end=end,
            example=example,
            step=steps,
            survived=survived,
            bias=ledger.bias,
            zero_is_positive=zero_is_positive,
            start_scores=scores[at:end],
            out=out[at:end],
        )
    return out


def _sum(ledger: Ledger, steps: Vector, start: Vector | None) -> Vector:
    w = np.zeros(ledger.dim + ledger.bias) if start is None else start.copy()
    if len(ledger):
        _core.accumulate(
            *ledger.examples.core, example=ledger.example, step=steps, bias=ledger.bias, w=w
        )
    return w
