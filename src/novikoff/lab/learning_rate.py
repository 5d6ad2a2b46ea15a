"""From a start at 0 the learning rate changes no mistake; from elsewhere it does."""

from __future__ import annotations

import numpy as np

from novikoff import sources
from novikoff.lab.results import Check, Result
from novikoff.learners import Additive
from novikoff.loop import play
from novikoff.rows import Vector

RATES = (0.01, 0.1, 0.5, 1.0, 3.0, 100.0)


def learning_rate(
    *, points: int = 2000, dim: int = 5, margin: float = 0.02, seed: int = 0
) -> Result:
    """The mistakes for several rates, from w = 0 and from a random start w₀.

    From w = 0 the weights are at any time the rate times a sum that does not depend on it, so no
    prediction does; w₀ weighs against the rate.

    References
    ----------
    Novikoff (1962), whose bound does not know the rate.
    """
    dice = np.random.default_rng(seed)
    stream = sources.separable(points, dice.standard_normal(dim), margin=margin, seed=seed)
    start = dice.standard_normal(dim)
    made = [
        (rate, *_mistakes(stream, rate, None), *_mistakes(stream, rate, start)) for rate in RATES
    ]
    return Result(
        "learning-rate",
        f"Does the learning rate matter? {points:,} separable points, passes until one is clean.",
        ("rate", "mistakes from 0", "‖w‖ at the end", "mistakes from w₀", "‖w‖ from w₀"),
        tuple(made),
        (
            Check(
                "different numbers of mistakes from w = 0",
                1,
                len({row[1] for row in made}),
                "exactly",
            ),
        ),
        (
            "From w = 0 the rate only scales w; from another start it is a choice:",
            f"from w₀ there are {len({row[3] for row in made})} different numbers of mistakes.",
        ),
    )


def _mistakes(stream: sources.separable, rate: float, start: Vector | None) -> tuple[int, float]:
    learner = Additive(len(stream.u), rate=rate, start=start)
    run = play(stream, learner, epochs=10_000)
    return len(run.ledger), float(np.linalg.norm(learner.weights))
