"""Parities, which no perceptron represents: the proof, and two other ways to learn them."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from novikoff.concepts import Halving, Parity, every_example, labelled, parities
from novikoff.guarantees.verdict import Verdict
from novikoff.learners import Additive
from novikoff.runs.loop import play
from novikoff.separability import certify
from novikoff.show.lab.results import Check, Curves, Result

MOST_PASSES = 100_000


def xor(*, largest: int = 5, seed: int = 0) -> Result:
    """Try to learn the parity of n variables from all 2ⁿ examples, for n from 2 to `largest`.

    The corners, each signed by its label, sum to 0, so no hyperplane separates them (Gordan 1873).
    With the products of the variables as features one does (Minsky & Papert 1969). Halving over
    the 2ⁿ parities learns them with at most n mistakes.
    """
    dice, rows, checks = np.random.default_rng(seed), [], []
    for n in range(2, largest + 1):
        X = dice.permutation(every_example(n))
        parity = Parity(tuple(range(1, n + 1)))
        values = parity.values(X)
        block = labelled(X, values)
        run = play(block, Additive(n, bias=True), epochs=MOST_PASSES)
        chosen = [list(some) for k in range(1, n + 1) for some in combinations(range(n), k)]
        products = np.column_stack([X[:, some].all(axis=1) for some in chosen])
        learner = Additive(len(chosen), bias=True)
        separated = play(labelled(products, values), learner, epochs=MOST_PASSES)
        halving = len(play(block, Halving(parities(n))).ledger)
        ended = str(run.verdict), run.epochs, str(separated.verdict), len(separated.ledger)
        rows.append((n, str(parity), str(certify(block).verdict), *ended, halving))
        cycles, separates = run.verdict == Verdict.CYCLE, separated.verdict == Verdict.SEPARATED
        checks += [
            Check(f"runs that end in a cycle, n = {n}", 1, int(cycles), "exactly"),
            Check(f"runs with products that separate, n = {n}", 1, int(separates), "exactly"),
            Check(f"mistakes of Halving, n = {n}", n, halving),
        ]
    mistakes = ("mistakes, products", "mistakes, Halving")
    return Result(
        "xor",
        "Can a perceptron represent a parity? The parity of n variables, on all 2ⁿ examples.",
        ("n", "parity", "certified", "perceptron", "passes", "with products", *mistakes),
        tuple(rows),
        tuple(checks),
        (
            "The corners, each signed by its label, sum to 0, so no hyperplane separates them.",
            "With the products of the variables as features, one does.",
            "Halving finds a parity among all 2ⁿ with at most n mistakes.",
        ),
        Curves("n", mistakes, logarithmic="y", label="mistakes"),
    )
