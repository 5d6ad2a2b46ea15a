"""From a start at 0 the learning rate changes no mistake; from elsewhere it does."""

from __future__ import annotations

import numpy as np

from novikoff import guarantees, sources
from novikoff.learners import Additive
from novikoff.runs.loop import play
from novikoff.show.lab.results import Check, Curves, Result, counted
from novikoff.stream.rows import Vector

RATES = (0.01, 0.1, 0.5, 1.0, 3.0, 100.0)


def learning_rate(
    *, points: int = 2000, dim: int = 5, margin: float = 0.02, seed: int = 0
) -> Result:
    """The mistakes for several rates, from w = 0 and from a random start w₀.

    From w = 0 the weights are at any time the rate times a sum that does not depend on it, so no
    prediction does; w₀ weighs against the rate, and the bound from there knows it.

    References
    ----------
    Novikoff (1962), whose bound does not know the rate; `guarantees.from_start` for the other.
    """
    dice = np.random.default_rng(seed)
    stream = sources.separable(points, dice.standard_normal(dim), margin=margin, seed=seed)
    start = dice.standard_normal(dim)
    rows, checks = [], []
    for rate in RATES:
        zero, length, _ = _run(stream, rate, None)
        made, other_length, bound = _run(stream, rate, start)
        rows.append((rate, zero, length, made, other_length))
        checks.append(Check(f"mistakes from w₀, rate {rate:g}", bound, made))
    different = len({row[1] for row in rows})
    same = Check("different numbers of mistakes from w = 0", 1, different, "exactly")
    return Result(
        "learning-rate",
        f"Does the learning rate matter? {counted(points, 'separable point')}, passes until one is "
        "clean.",
        ("rate", "mistakes from 0", "‖w‖ at the end", "mistakes from w₀", "‖w‖ from w₀"),
        tuple(rows),
        (same, *checks),
        ("From w = 0 the rate only scales w; from another start it is a choice.",),
        Curves("rate", ("mistakes from 0", "mistakes from w₀"), logarithmic="x", label="mistakes"),
    )


def _run(stream: sources.separable, rate: float, start: Vector | None) -> tuple[int, float, int]:
    """The mistakes, the length of the last weights, and the bound on the mistakes."""
    learner = Additive(len(stream.u), rate=rate, start=start)
    run = play(stream, learner, epochs=10_000)
    bound = guarantees.from_start(run.ledger, stream.u).bound
    return len(run.ledger), float(np.linalg.norm(learner.weights)), bound
