"""The learning rate does not change the mistakes of a run from w = 0; otherwise it does."""

from __future__ import annotations

import numpy as np

from novikoff import guarantees, sources
from novikoff.learners import Additive
from novikoff.runs.loop import play
from novikoff.show.lab.results import Check, Curves, Result
from novikoff.stream.printing import plural
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
    random_start = dice.standard_normal(dim)
    rows, checks = [], []
    for rate in RATES:
        row = [rate]
        for start in (None, random_start):
            learner = Additive(dim, rate=rate, start=start)
            ledger = play(stream, learner, epochs=10_000).ledger
            row += [len(ledger), length(learner.weights)]
        rows.append(tuple(row))
        bound = guarantees.from_start(ledger, stream.u).bound
        checks.append(Check(f"mistakes from w₀, rate {rate:g}", bound, len(ledger)))
    distinct = len({row[1] for row in rows})
    same = Check("distinct mistake counts over all rates, from w = 0", 1, distinct, "exactly")
    return Result(
        "learning-rate",
        f"Does the learning rate matter? {plural(points, 'separable point')}, passes until one has "
        "no mistake.",
        ("rate", "mistakes from 0", "‖w‖ at the end", "mistakes from w₀", "‖w‖ from w₀"),
        tuple(rows),
        (same, *checks),
        (
            "w₀: a random start, the same for every rate.",
            "From w = 0 the rate only scales w; from w₀ it changes the predictions.",
        ),
        Curves("rate", ("mistakes from 0", "mistakes from w₀"), logarithmic="x", label="mistakes"),
    )
