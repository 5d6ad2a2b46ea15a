"""Mistakes and margins of many classes learned jointly, by Kesler's construction."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.guarantees.exact.arithmetic import ExactVector, Number, Table, fraction
from novikoff.guarantees.exact.mistaken import (
    Mistaken,
    NotAWitness,
    mistakes_from_zero,
    with_witness,
)
from novikoff.guarantees.exact.rows import ExactRows
from novikoff.guarantees.margin import Achieved, MarginBound, expect_weights_for
from novikoff.ledger.ledger import Ledger
from novikoff.ledger.weights import class_scores
from novikoff.stream.blocks import Block, Codes
from novikoff.stream.input_problems import BadExample
from novikoff.stream.rows import Positions, Rows

_AT_ONCE = 1 << 20  # scores


@dataclass(frozen=True, slots=True)
class JointBound(MarginBound):
    """A bound on the mistakes of a run with this many `classes`; the witness has a row for each.

    `margin` is γ: on every mistaken example u_y·x exceeds all other u_r·x by at least γ.
    `witness_squared` is Σ‖u_r‖².
    """

    classes: int


def joint_bound(
    ledger: Ledger, witness: Table, *, margin: Number = 0, rows: Rows | None = None
) -> JointBound:
    """M ≤ 2(R/γ)²Σ‖u_r‖² mistakes of a joint perceptron, in any order and with any classes.

    By Kesler's construction this is the theorem for two classes with 2R² in place of R²
    (docs/proofs.md). The parameters are those of `margin_perceptron`, for a run with rule "joint";
    the witness has at least one row for each class. References: Duda & Hart (1973), section 5.12,
    for the construction; Crammer & Singer (2003), Theorem 4.
    """
    theorem, (ledger, U) = "Crammer & Singer 2003", with_witness(ledger, witness, "joint")
    eta = fraction(margin, "margin")
    if len(U) < ledger.n_classes:
        raise ValueError(
            f"the witness has rows for {len(U)} classes; the run has {ledger.n_classes}"
        )
    seen = mistakes_from_zero(ledger, eta, rows, "joint")
    if seen is None:
        return JointBound.without_mistakes(
            theorem, U, threshold=eta, promised_squared=Fraction(0), classes=ledger.n_classes
        )
    gamma = _margin(seen, ledger.classes, U)
    return JointBound.of(theorem, seen, gamma, U, eta=eta, times=2, classes=ledger.n_classes)


def joint_margin(weights: Table, block: Block) -> Achieved:
    """The margin of weights for many classes on a block, exactly: min (w_y·x − max w_r·x), Σ‖w_r‖².

    The weights have a row for each class. Labels −1 and +1 are the classes 0 and 1.
    """
    W, rows = ExactVector.of(weights, "weights", table=True), block.rows
    expect_weights_for(rows, W)
    codes = block.codes
    if int(codes.max()) >= len(W):
        raise BadExample(f"the weights are for {len(W)} classes; a row has class {codes.max()}")
    i, _, smallest = _smallest_lead(rows, np.arange(len(rows)), codes, W)
    return Achieved(int(block.positions(np.array([i]))[0]), smallest, W.squared)


def _margin(seen: Mistaken, classes: Codes, U: ExactVector) -> Fraction:
    """γ: the least lead of a mistaken example's class; NotAWitness unless it is positive."""
    both = seen.which * len(U) + classes
    _, first = np.unique(both, return_index=True)
    i, rival, margin = _smallest_lead(seen.rows, seen.which[first], classes[first], U)
    if margin <= 0:
        pair = (int(classes[first[i]]), rival)
        raise NotAWitness(int(seen.positions[first[i]]), margin, pair)
    return margin


def _smallest_lead(
    rows: Rows, at: Positions, classes: Codes, U: ExactVector
) -> tuple[int, int, Fraction]:
    """Where in `at` a class has the smallest lead, over which rival, and by how much, exactly."""
    where, rivals = _may_be_least(rows, at, classes, U)
    exact = ExactRows(rows, bias=U.integers.shape[1] > rows.dim)
    least: list[tuple[Fraction, int, int]] = []
    for y, r in np.unique(np.stack([classes[where], rivals]), axis=1).T.tolist():
        some = where[(classes[where] == y) & (rivals == r)]
        between = ExactVector(U.integers[y] - U.integers[r], U.unit)
        for part, numbers, unit in exact.exactly(at[some], between):
            i = int(np.argmin(numbers))
            least.append((int(numbers[i]) * unit, int(some[part][i]), r))
    lead, i, r = min(least)
    return i, r, lead


def _may_be_least(
    rows: Rows, at: Positions, classes: Codes, U: ExactVector
) -> tuple[Positions, Codes]:
    """The places in `at`, each with a rival, that may have the smallest lead."""
    w, bias, K = U.floats(), U.integers.shape[1] > rows.dim, len(U)
    top, open_ = np.inf, list[tuple[NDArray[Any], ...]]()
    step = max(1, _AT_ONCE // K)
    for begin in range(0, len(at), step):
        some = rows.take(at[begin : begin + step])
        own, places = classes[begin : begin + step], np.arange(len(some))
        exact = ExactRows(some, bias=bias)
        scores = class_scores(some, w.T, bias=bias)[:, :K]
        of_classes = [ExactVector(row, U.unit) for row in U.integers]
        errors = np.stack([exact.error(u, w[r]) for r, u in enumerate(of_classes)], axis=1)
        # the difference rounds once more; the error bounds leave room for that
        lead = scores[places, own][:, None] - scores
        error = errors[places, own][:, None] + errors
        others = np.arange(K) != own[:, None]
        top = min(top, float((lead + error)[others].min()))
        i, r = np.nonzero(others & (lead - error <= top))
        open_.append(((lead - error)[i, r], i + begin, r))
    low, where, rivals = (np.concatenate(column) for column in zip(*open_, strict=True))
    return where[low <= top].astype(np.int64), rivals[low <= top].astype(np.int32)
