"""A real run, written down mistake by mistake for the page, which only plays it back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff import _core, guarantees
from novikoff.learners import Additive, BalancedWinnow
from novikoff.ledger import Ledger
from novikoff.loop import play
from novikoff.rows import Vector
from novikoff.web.choices import Choices
from novikoff.web.placed import Placed, Refused
from novikoff.web.projections import view
from novikoff.web.proofs import certificate_of, proof

MOST_SENT = 5_000
LARGEST = 1e100  # weights beyond which a line can no longer be computed from their squares

Matrix = NDArray[np.float64]


def replay(given: Mapping[str, Any]) -> dict[str, Any]:
    """Run the learner that the request asks for on its points, and tell all that happened.

    The columns of `ledger` have an entry for each of the first MOST_SENT mistakes: the round and
    the pass (from 1), the row (from 0), its label, its score before the update and the weights
    after it, the constant's last; and, for sums, the average of the weights over the rounds so far.
    """
    placed, choices = Placed.of(given), Choices.of(given)
    block = choices.arranged(placed.block)
    learner = choices.new_learner(block.rows.dim)
    run = play(block, learner, epochs=choices.passes_over(block))
    ledger, sent = run.ledger, min(len(run.ledger), MOST_SENT)
    certificate = certificate_of(placed, choices.bias)
    lifted = _lifted(placed.values, bias=choices.bias)[ledger.rows[:sent]]
    weights = _weights(ledger, learner, lifted)
    return {
        "points": len(block),
        "dim": placed.values.shape[1],
        "bias": choices.bias,
        "margin": choices.eta,
        "rounds": ledger.n_rounds,
        "passes": run.epochs,
        "mistakes": len(ledger),
        "radius": ledger.radius,
        "sent": sent,
        "ledger": {
            "round": ledger.rounds[:sent].tolist(),
            "pass": _passes(ledger)[:sent].tolist(),
            "row": ledger.rows[:sent].tolist(),
            "label": ledger.labels[:sent].tolist(),
            "score": ledger.scores[:sent].tolist(),
            "weights": weights.tolist(),
            "average": _averages(ledger, lifted, weights),
        },
        "final": learner.weights.tolist(),
        **_averaged(placed, learner),
        "view": view(placed, learner.weights),
        **proof(placed, choices, run, learner.weights, certificate),
    }


def _averaged(placed: Placed, learner: Additive | BalancedWinnow) -> dict[str, Any]:
    """The average of the weights over all rounds, and the margin it has on the points."""
    if not isinstance(learner, Additive):
        return {"average": None, "average_margin": None}
    average = learner.average
    margin = None
    if average.any():
        reached = guarantees.achieved_margin(average, placed.block)
        margin = {"value": reached.value, "row": reached.row}
    return {"average": average.tolist(), "average_margin": margin}


def _lifted(X: Matrix, *, bias: bool) -> Matrix:
    return np.hstack([X, np.ones((len(X), 1))]) if bias else X


def _passes(ledger: Ledger) -> NDArray[np.int64]:
    return np.searchsorted(np.array(ledger.epoch_ends), ledger.rounds, side="left") + 1


def _weights(ledger: Ledger, learner: Additive | BalancedWinnow, lifted: Matrix) -> Matrix:
    """The weights after each mistake, bit for bit the learner's: sums taken in the same order."""
    sums: Matrix = np.cumsum(ledger.steps[: len(lifted), None] * lifted, axis=0)
    if isinstance(learner, Additive):
        return ledger.unit * sums
    out, powers = np.empty(sums.size), np.ascontiguousarray(sums.ravel())
    _core.weights_of(alpha=learner.alpha, balanced=True, powers=powers, out=out)
    if not (np.abs(out) < LARGEST).all():
        raise Refused(
            "balanced Winnow multiplies its weights, and on points this large they outgrow what "
            "can be drawn: scale the columns to about 1, or choose another rule"
        )
    return out.reshape(sums.shape)


def _averages(ledger: Ledger, lifted: Matrix, weights: Matrix) -> list[list[float]] | None:
    """The mean of the weights over the rounds up to each mistake, its own included."""
    if ledger.rule != "additive":
        return None
    t: Vector = ledger.rounds[: len(lifted), None].astype(np.float64)
    late = ledger.unit * np.cumsum(ledger.steps[: len(lifted), None] * (t - 1) * lifted, axis=0)
    averages: list[list[float]] = ((t * weights - late) / t).tolist()
    return averages
