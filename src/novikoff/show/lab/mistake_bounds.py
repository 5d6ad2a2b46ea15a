"""Each learner against a sequence that is hard for it: its bound, and the mistakes it makes."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from novikoff import concepts, guarantees, sources
from novikoff.learners import Additive, Learner, Winnow1, Winnow2
from novikoff.runs.loop import play
from novikoff.show.lab.results import Check, Result
from novikoff.stream.blocks import Block
from novikoff.stream.printing import count, plural

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
    if n not in (4, 8, 16):  # Hadamard rows need powers of two; Halving lists 2ⁿ disjunctions
        raise ValueError(f"n must be 4, 8 or 16, not {n}")
    checks = tuple(_checks(n))
    return Result(
        "mistake-bounds",
        f"How many mistakes in the worst case? Each learner on a sequence hard for it, n = {n}.",
        ("learner", "at most", "made"),
        tuple((check.claim, check.bound, check.seen) for check in checks),
        checks,
    )


def _checks(n: int) -> Iterator[Check]:
    def check(claim: str, bound: int, block: Block, learner: Learner) -> Check:
        return Check(claim, bound, len(play(block, learner).ledger))

    con = concepts.against_con(n)
    yield check(
        f"CON, the {n} single variables",
        guarantees.consistent_bound(con.concepts.size).bound,
        con.block,
        concepts.Consistent(con.concepts),
    )
    half = concepts.against_halving(n)
    size = half.concepts.size
    yield check(
        f"Halving, the {count(size)} monotone disjunctions",
        guarantees.halving_bound(size).bound,
        half.block,
        concepts.Halving(half.concepts),
    )
    noisy = concepts.WeightedMajority(half.concepts, HALF)
    made = len(play(_again_with_noise(half.block), noisy).ledger)
    yield Check(
        f"Weighted majority, the same class, {plural(noisy.fewest, 'wrong label')}",
        guarantees.weighted_majority_bound(size, noisy.fewest, HALF).bound,
        made,
    )
    small = concepts.conjunctions(SMALL)
    yield Check(
        f"Optimal, the {small.size} conjunctions of {SMALL} variables, every sequence",
        concepts.littlestone_dimension(small),
        concepts.worst_case(lambda: concepts.Optimal(small), small).mistakes,
        "exactly",
    )
    for monotone, what in ((True, "plain variables"), (False, "all literals")):
        yield check(
            f"Elimination, from {what}",
            guarantees.elimination_bound(n, monotone=monotone).bound,
            concepts.against_elimination(n, monotone=monotone).block,
            concepts.EliminateConjunction(n, monotone=monotone),
        )
    ledger = play(sources.tight(n), Additive(n)).ledger
    bound = guarantees.novikoff(ledger, [1] * n).bound
    yield Check(f"Perceptron, the {n} unit vectors: (R/γ)²", bound, len(ledger))
    yield check(
        "Perceptron, a disjunction of 1 variable: (n + 1)(4k + 1)",
        guarantees.k_disjunction(n, 1).bound,
        sources.forcing_disjunction(n, 1),
        Additive(n, bias=True),
    )
    yield check(
        f"Winnow1, a disjunction of 1 variable, θ = {n // 4}",
        guarantees.winnow1_bound(n, 1, threshold=n // 4).bound,
        sources.forcing_winnow1(n, n // 4),
        Winnow1(n, threshold=n // 4),
    )
    yield check(
        "Winnow2, a disjunction of 1 variable: 2 + 3k(1 + log₂ n)",
        guarantees.doubling_bound(n, 1).bound,
        sources.forcing_winnow2(n),
        Winnow2(n),
    )


def _again_with_noise(block: Block) -> Block:
    """The examples twice; the second time every third label is wrong."""
    order = np.tile(np.arange(len(block)), 2)
    rows, labels = block.rows.take(order), block.labels[order]
    labels[len(block) + 2 :: 3] *= -1
    return Block(rows, labels)
