"""Halving finds one of millions of concepts with few mistakes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from novikoff import guarantees
from novikoff.concepts import Adversary, Halving, Nature, conjunctions, each_on
from novikoff.runs.loop import play
from novikoff.show.lab.results import Check, Curves, Result
from novikoff.stream.blocks import Block
from novikoff.stream.printing import count

CANDIDATES = 200  # random examples the adversary chooses from
ENOUGH = 0.45  # it takes the first that leaves this share of the concepts in either case


def halving(*, n: int = 100, k: int = 5, rounds: int = 200, seed: int = 0) -> Result:
    """Find a hidden monotone k-conjunction of n variables by Halving over all C(n, k) of them.

    Nature draws examples in which each attribute is on with probability 2^(−1/k), so that about
    half of them are positive. The adversary answers the opposite of the majority; it chooses, from
    random examples, the one that splits the remaining concepts most evenly. Against either, Halving
    makes at most ⌊log₂ C(n, k)⌋ mistakes.

    References
    ----------
    Barzdin & Freivald (1972); Littlestone (1988), Section 3.
    """
    concepts = conjunctions(n, k=k, monotone=True)
    if concepts.size < 2:
        raise ValueError(f"with k = n = {n} there is only one concept; choose k below n")
    density = 2.0 ** (-1 / k)
    target = concepts.sample(1, seed=seed)[0]
    pupil, victim = Halving(concepts), Halving(concepts)
    nature = Nature(target, n, rounds=rounds, sampler=each_on(density), seed=seed)
    drawn = np.random.default_rng(seed).random((CANDIDATES, n)) < density
    adversary = Adversary(concepts, candidates=drawn, enough=ENOUGH)
    bound, rows, checks = guarantees.halving_bound(concepts.size).bound, [], []
    for who, stream, learner in (
        ("nature", nature.teach(pupil), pupil),
        ("adversary", adversary.against(victim), victim),
    ):
        left = [learner.left]
        ledger = play(_watched(stream, learner, left), learner).ledger
        rows += [
            (who, t, left[t], ledger.mistakes_by(t))
            for t in range(1, len(left))
            if left[t] != left[t - 1]
        ]
        checks.append(Check(f"mistakes, ⌊log₂|C|⌋, {who}", bound, len(ledger)))
    return Result(
        "halving",
        f"How many mistakes to find one of {count(concepts.size)} concepts, the {concepts}?",
        ("teacher", "round", "concepts left", "mistakes"),
        tuple(rows),
        tuple(checks),
        (f"Nature's target is {target}.", "Rounds that ruled out no concept are left out."),
        Curves("round", ("concepts left",), by="teacher", logarithmic="y"),
    )


def _watched(stream: Iterable[Block], learner: Halving, left: list[int]) -> Iterator[Block]:
    """The blocks; after each, note how many concepts are left."""
    for block in stream:
        yield block
        left.append(learner.left)
