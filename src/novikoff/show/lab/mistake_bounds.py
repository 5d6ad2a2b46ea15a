"""Each learner against a sequence that is hard for it: its bound, and the mistakes it makes."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from novikoff import guarantees, sources
from novikoff.concepts import (
    Consistent,
    EliminateConjunction,
    Halving,
    Optimal,
    WeightedMajority,
    against_con,
    against_elimination,
    against_halving,
    conjunctions,
    littlestone_dimension,
    worst_case,
)
from novikoff.learners import Additive, Learner, Winnow1, Winnow2
from novikoff.runs.loop import play
from novikoff.show.lab.results import Check, Result
from novikoff.stream.blocks import Block
from novikoff.stream.printing import count, plural

SIZES = (4, 8, 16)  # Hadamard rows need powers of two; Halving lists all 2ⁿ disjunctions
SMALL = 2  # variables of the class whose game tree is searched completely
HALF = Fraction(1, 2)


def mistake_bounds(*, n: int = 16) -> Result:
    """For each learner, compare its mistake bound with the mistakes on a sequence hard for it.

    CON, Halving, elimination and the perceptron meet their bounds exactly. Winnow stays a few
    mistakes below. The optimal learner is tried on every sequence.

    References
    ----------
    Littlestone (1988); Block (1962), Novikoff (1962).
    """
    if n not in SIZES:
        raise ValueError(f"n must be 4, 8 or 16, not {n}")
    checks = list(_checks(n))
    return Result(
        "mistake-bounds",
        f"How many mistakes in the worst case? Each learner on a sequence hard for it, n = {n}.",
        ("learner", "at most", "made"),
        tuple((check.claim, check.bound, check.seen) for check in checks),
        tuple(checks),
    )


def _checks(n: int) -> Iterator[Check]:
    """The bound of each learner, and the mistakes it makes on its hard sequence."""
    con = against_con(n)
    yield Check(
        f"CON, the {n} single variables",
        guarantees.consistent_bound(con.concepts.size).bound,
        _mistakes(con.block, Consistent(con.concepts)),
    )
    half = against_halving(n)
    yield Check(
        f"Halving, the {count(half.concepts.size)} monotone disjunctions",
        guarantees.halving_bound(half.concepts.size).bound,
        _mistakes(half.block, Halving(half.concepts)),
    )
    noisy = WeightedMajority(half.concepts, HALF)
    made = _mistakes(_again_with_noise(half.block), noisy)
    yield Check(
        f"Weighted majority, the same, {plural(noisy.fewest, 'wrong label')}",
        guarantees.weighted_majority_bound(half.concepts.size, noisy.fewest, HALF).bound,
        made,
    )
    small = conjunctions(SMALL)
    yield Check(
        f"Optimal, the {small.size} conjunctions of {SMALL} variables, every sequence",
        littlestone_dimension(small),
        worst_case(lambda: Optimal(small), small).mistakes,
        "exactly",
    )
    for monotone, what in ((True, "plain variables"), (False, "all literals")):
        yield Check(
            f"Elimination, from {what}",
            guarantees.elimination_bound(n, monotone=monotone).bound,
            _mistakes(
                against_elimination(n, monotone=monotone).block,
                EliminateConjunction(n, monotone=monotone),
            ),
        )
    run = play(sources.tight(n), Additive(n))
    yield Check(
        f"Perceptron, the {n} unit vectors: (R/γ)²",
        guarantees.novikoff(run.ledger, [1] * n).bound,
        len(run.ledger),
    )
    yield Check(
        "Perceptron, a disjunction of 1: (n + 1)(4k + 1)",
        guarantees.k_disjunction(n, 1).bound,
        _mistakes(sources.forcing_disjunction(n, 1), Additive(n, bias=True)),
    )
    yield Check(
        f"Winnow1, a disjunction of 1, θ = {n // 4}",
        guarantees.winnow1_bound(n, 1, threshold=n // 4).bound,
        _mistakes(sources.forcing_winnow1(n, n // 4), Winnow1(n, threshold=n // 4)),
    )
    yield Check(
        "Winnow2, a disjunction of 1: 2 + 3k(1 + log₂ n)",
        guarantees.doubling_bound(n, 1).bound,
        _mistakes(sources.forcing_winnow2(n), Winnow2(n)),
    )


def _mistakes(block: Block, learner: Learner) -> int:
    return len(play(block, learner).ledger)


def _again_with_noise(block: Block) -> Block:
    """The examples twice; the second time every third label is wrong."""
    order = np.tile(np.arange(len(block)), 2)
    rows, labels = block.rows.take(order), block.labels[order]
    labels[len(block) + 2 :: 3] *= -1
    return Block(rows, labels)
