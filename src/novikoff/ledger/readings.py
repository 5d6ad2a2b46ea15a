"""Three readings of one run, from its ledger alone: the final weights, their average, the vote."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np

from novikoff import _core
from novikoff.ledger.ledger import Ledger
from novikoff.ledger.weights import class_scores, columns_for
from novikoff.stream.rows import Rows, Vector, dots, part_size

Reading: TypeAlias = Literal["final", "average", "vote"]


def final(ledger: Ledger) -> Vector:
    """The weights after the last mistake: where the run started plus the sum of the mistakes.

    Bit for bit what the learner itself holds, for the sum is taken in the same order. Of many
    classes learned jointly, a row a class.
    """
    _expect_sums_or_joint(ledger)
    ledger.expect_examples()
    return _shown(ledger, _sum(ledger, ledger.steps, ledger.start))


def average(ledger: Ledger) -> Vector:
    """The mean of the weights over all rounds, each counted as it stood at the round's end.

    A vector that survived longer counts more. The mistake of round t is part of the weights in
    T − t + 1 of T rounds (Freund & Schapire 1999; Collins 2002). Of many classes learned jointly, a
    row a class.
    """
    rounds = ledger.n_rounds
    _expect_sums_or_joint(ledger)
    ledger.expect_examples()
    w = _sum(ledger, ledger.steps, ledger.start)
    if rounds == 0:
        return _shown(ledger, w)
    u = _sum(ledger, ledger.steps * (ledger.rounds - 1), None)
    return _shown(ledger, (rounds * w - u) / rounds)


def vote(ledger: Ledger, rows: Rows, *, zero_is_positive: bool = True) -> Vector:
    """For each row, the votes for +1 less those for −1 of every weight vector of the run.

    Each vector votes once for every round at whose end it stood. The vectors are not stored:
    x·w_k grows by one product a mistake, so memory is in proportion to the mistakes
    (Freund & Schapire 1999, Figure 1 and section 3).
    """
    start = ledger.start
    if ledger.rule == "joint":
        raise ValueError("where many classes are learned jointly votes are for them: class_votes")
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
    out = np.empty(len(rows))
    _poll(_core.vote, ledger, rows, scores, out, zero_is_positive=zero_is_positive)
    return out


def class_votes(ledger: Ledger, rows: Rows) -> Vector:
    """For each row, the votes for each class of every step of a run with many, a column a class.

    The weights of a step vote once for every round at whose end they stood, for the class with the
    highest score, the first of equals, among all that are known at the end: one that had not been
    met has weights 0. As in `vote`, no weights are stored. The votes of a row add up to the rounds.
    """
    if ledger.rule != "joint":
        raise ValueError(f"a ledger of rule {ledger.rule!r} has no votes for classes: see vote")
    ledger.expect_examples()
    classes = ledger.n_classes
    if ledger.start is None:
        dots(rows, np.zeros(ledger.dim + ledger.bias), bias=ledger.bias)  # refuses a bad row
        scores = np.zeros((len(rows), classes))
    else:
        scores = class_scores(rows, _table(ledger, ledger.start), bias=ledger.bias)[:, :classes]
    survived = ledger.survivals()
    if len(ledger) == 0:
        first = scores.argmax(axis=1) if classes else np.empty(0, dtype=np.intp)
        votes: Vector = (first[:, None] == np.arange(classes)) * float(survived[0])
        return votes
    out = np.empty((len(rows), classes))
    pairs = {"right": ledger.classes, "rival": ledger.rivals}
    scores = np.ascontiguousarray(scores)
    _poll(_core.joint_vote, ledger, rows, scores, out, **pairs, classes=classes)
    return out


def _poll(
    core: Callable[..., None],
    ledger: Ledger,
    rows: Rows,
    scores: Vector,
    out: Vector,
    **more: Any,
) -> None:
    """Let the core count the votes on the rows, part by part, from their scores at the start."""
    kept, kept_indices, kept_starts, _ = ledger.examples.core
    example, steps, survived = ledger.example, ledger.steps, ledger.survivals()
    # the work on a part is in proportion to the mistakes as well as to the rows
    part = max(8, part_size(rows) // max(1, len(ledger) // 64))
    for at in range(0, len(rows), part):
        end = min(len(rows), at + part)
        core(
            kept,
            kept_indices,
            kept_starts,
            *rows.core,
            begin=at,
            end=end,
            example=example,
            step=steps,
            survived=survived,
            bias=ledger.bias,
            start_scores=scores[at:end].reshape(-1),
            out=out[at:end].reshape(-1),
            **more,
        )


def _expect_sums_or_joint(ledger: Ledger) -> None:
    if ledger.rule != "joint":
        ledger.expect_sums()


def _sum(ledger: Ledger, steps: Vector, start: Vector | None) -> Vector:
    """The start and the mistakes times these steps, over the unit; of many classes, in columns."""
    if ledger.rule == "joint":
        return _class_sums(ledger, steps, start)
    w = np.zeros(ledger.dim + ledger.bias) if start is None else start.copy()
    if len(ledger):
        _core.accumulate(
            *ledger.examples.core, example=ledger.example, step=steps, bias=ledger.bias, w=w
        )
    return w


def _class_sums(ledger: Ledger, steps: Vector, start: Vector | None) -> Vector:
    w = _table(ledger, start)
    if len(ledger):
        _core.joint_accumulate(
            *ledger.examples.core,
            example=ledger.example,
            step=steps,
            right=ledger.classes,
            rival=ledger.rivals,
            bias=ledger.bias,
            width=w.shape[1],
            w=w.reshape(-1),
        )
    return w


def _table(ledger: Ledger, start: Vector | None) -> Vector:
    """Columns for the classes known at the end, of 0 for those that had none at the start."""
    w = np.zeros((ledger.dim + ledger.bias, columns_for(ledger.n_classes)))
    if start is not None:
        w[:, : start.shape[1]] = start
    return w


def _shown(ledger: Ledger, w: Vector) -> Vector:
    """The weights as they are read: in their unit, a row a class."""
    if ledger.rule == "joint":
        w = np.ascontiguousarray(w[:, : ledger.n_classes].T)
    return ledger.unit * w
