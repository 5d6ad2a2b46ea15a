"""The margin perceptron's knob: a larger η costs updates and buys margin."""

from __future__ import annotations

import numpy as np

from novikoff import guarantees, sources
from novikoff.learners import Additive
from novikoff.runs.loop import play
from novikoff.separability import certify
from novikoff.show.lab.results import Check, Curves, Result, counted
from novikoff.stream.blocks import Block
from novikoff.stream.rows import DenseRows

MARGINS = (0.0, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
MOST_PASSES = 1_000_000


def margin(*, points: int = 500, dim: int = 5, gap: float = 0.05, seed: int = 0) -> Result:
    """Updates and the margin reached as η grows, beside what is guaranteed.

    At most (R² + 2η)/γ² updates are made, and the last weights have a margin above
    ηγ/(R² + 2η), which tends to half of the best possible one.

    References
    ----------
    Krauth & Mézard (1987); `guarantees.margin_perceptron`.
    """
    u = np.random.default_rng(seed).standard_normal(dim)
    block = joined(sources.separable(points, u, margin=gap, seed=seed))
    best = certify(block, fit_intercept=False, margin_rtol=1e-6)
    assert best.weights is not None  # the stream is separable by its making
    rows, checks = [], []
    for eta in MARGINS:
        learner = Additive(dim, margin=eta)
        run = play(block, learner, epochs=MOST_PASSES)
        promise = guarantees.margin_perceptron(run.ledger, best.weights, eta)
        reached = guarantees.achieved_margin(learner.weights, block).value
        rows.append((eta, len(run.ledger), promise.bound, reached, promise.promised))
        checks.append(Check(f"updates with η = {eta:g}", promise.bound, len(run.ledger)))
        checks.append(Check(f"margin with η = {eta:g}", promise.promised, reached, "at least"))
    return Result(
        "margin",
        f"What does a margin cost, and buy? {counted(points, 'point')}; the best margin is "
        f"{best.margin.low:.4f}.",
        ("η", "updates", "at most", "margin reached", "margin promised"),
        tuple(rows),
        tuple(checks),
        ("R = 1: with η far above R² the margin promised tends to half of the best.",),
        Curves("η", ("margin reached", "margin promised"), logarithmic="x", label="margin"),
    )


def joined(stream: sources.separable) -> Block:
    """The blocks of a stream as one."""
    blocks = list(stream)
    rows = np.concatenate([np.asarray(block.rows.values) for block in blocks])
    return Block(DenseRows(rows), np.concatenate([block.labels for block in blocks]))
