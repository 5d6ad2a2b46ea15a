"""The learning rate changes no mistake of a run from w = 0; from another start it does."""

from __future__ import annotations

import numpy as np

from novikoff import guarantees, sources
from novikoff.learners import Additive
from novikoff.runs.loop import play
from novikoff.show.lab.results import Check, Curves, Result
from novikoff.stream.printing import plural
from novikoff.stream.rows import Vector
from novikoff.stream.sums import length

RATES = (0.01, 0.1, 0.5, 1.0, 3.0, 100.0)


def learning_rate(
    *, points: int = 2000, dim: int = 5, margin: float = 0.02, seed: int = 0
) -> Result:
    """Count the mistakes for several rates, from w = 0 and from a random start w₀.

    From w = 0 the weights are always the rate times a sum that does not depend on it, so the
    predictions do not depend on it either. From w₀ they do, and so does the bound.

    References
    ----------
    Novikoff (1962) for runs from w = 0; `guarantees.from_start` for other starts.
    """
    dice = np.random.default_rng(seed)
    stream = sources.separable(points, dice.standard_normal(dim), margin=margin, seed=seed)
    start = dice.standard_normal(dim)
    rows, checks = [], []
    for rate in RATES:
        zero, norm, _ = _run(stream, rate, None)
        made, other_norm, bound = _run(stream, rate, start)
        rows.append((rate, zero, norm, made, other_norm))
        checks.append(Check(f"mistakes from w₀, rate {rate:g}", bound, made))
    different = len({row[1] for row in rows})
    same = Check("different numbers of mistakes from w = 0", 1, different, "exactly")
    return Result(
        "learning-rate",
        f"Does the learning rate matter? {plural(points, 'separable point')}, passes until one has "
        "no mistake.",
        ("rate", "mistakes from 0", "‖w‖ at the end", "mistakes from w₀", "‖w‖ from w₀"),
        tuple(rows),
        (same, *checks),
        ("From w = 0 the rate only scales w; from another start it changes the predictions.",),
        Curves("rate", ("mistakes from 0", "mistakes from w₀"), logarithmic="x", label="mistakes"),
    )


def _run(stream: sources.separable, rate: float, start: Vector | None) -> tuple[int, float, int]:
    """The mistakes, the length of the final weights, and the bound on the mistakes."""
    learner = Additive(len(stream.u), rate=rate, start=start)
    run = play(stream, learner, epochs=10_000)
    bound = guarantees.from_start(run.ledger, stream.u).bound
    return len(run.ledger), length(learner.weights), bound
