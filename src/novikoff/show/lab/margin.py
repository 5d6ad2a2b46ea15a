"""The margin perceptron: a larger η takes more updates and reaches a larger margin."""

from __future__ import annotations

import numpy as np

from novikoff import guarantees, sources
from novikoff.learners import Additive
from novikoff.runs.loop import play
from novikoff.separability import certify
from novikoff.show.lab.results import Check, Curves, Result
from novikoff.stream.blocks import Block
from novikoff.stream.printing import plural, short
from novikoff.stream.rows import join

MARGINS = (0.0, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
MOST_PASSES = 1_000_000


def margin(*, points: int = 500, dim: int = 5, gap: float = 0.05, seed: int = 0) -> Result:
    """Measure the updates and the margin reached for several η, beside their guarantees.

    The run makes at most (R² + 2η)/γ² updates, and the final weights have a margin above
    ηγ/(R² + 2η), which tends to half of the best one.

    References
    ----------
    Krauth & Mézard (1987); `guarantees.margin_perceptron`.
    """
    u = np.random.default_rng(seed).standard_normal(dim)
    blocks = list(sources.separable(points, u, margin=gap, seed=seed))
    labels = np.concatenate([block.labels for block in blocks])
    block = Block(join([block.rows for block in blocks]), labels)
    best = certify(block, fit_intercept=False, margin_rtol=1e-6)
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
        f"How many updates does a margin cost? {plural(points, 'point')}; the best margin is "
        f"{short(best.margin.low)}.",
        ("η", "updates", "at most", "margin reached", "margin promised"),
        tuple(rows),
        tuple(checks),
        ("R = 1: as η grows, the margin promised tends to half of the best.",),
        Curves("η", ("margin reached", "margin promised"), logarithmic="x", label="margin"),
    )
