"""A million attributes, five of them relevant: who pays for the others."""

from __future__ import annotations

from novikoff import guarantees, sources
from novikoff.concepts import EliminateDisjunction
from novikoff.learners import Additive, Learner, Winnow2
from novikoff.runs.loop import play
from novikoff.show.lab.results import Check, Curves, Result, Value, counted

MOST_FORCED = 4_096


def attribute_efficiency(
    *, largest: int = 1_000_000, k: int = 5, examples: int = 1_000, seed: int = 0
) -> Result:
    """Mistakes on a disjunction of k of n attributes, as n grows tenfold again and again.

    A tenth of the attributes is on in an example. What the perceptron may get wrong
    grows with how many are on; Winnow's bound, 2 + 3k(1 + log₂ n), with the logarithm of how many
    there are. On the sequence made to be hard for it the perceptron errs every time.

    References
    ----------
    Littlestone (1988); Kivinen, Warmuth & Auer (1997).
    """
    sizes = [n for n in (10**p for p in range(2, 19)) if n <= largest]
    rows = [_row(n, k, examples, seed) for n in sizes]
    checks = [
        Check(f"mistakes of {name}, n = {n:,}", bound, seen)
        for n, row in zip(sizes, rows, strict=True)
        for name, bound, seen in (
            ("the perceptron, (on + 1)(4k + 1)", (row[1] + 1) * (4 * k + 1), row[2]),
            ("Winnow, 2 + 3k(1 + log₂ n)", guarantees.doubling_bound(n, k).bound, row[3]),
            ("elimination, n", guarantees.elimination_bound(n, monotone=True).bound, row[4]),
        )
    ]
    return Result(
        "attribute-efficiency",
        f"Who pays for attributes that do not matter? {counted(examples, 'example')} of a "
        f"disjunction of {k} of n attributes.",
        ("n", "on", "perceptron", "Winnow", "elimination", "perceptron, forced", "Winnow, forced"),
        tuple((*row, *_forced(n, k)) for n, row in zip(sizes, rows, strict=True)),
        tuple(checks),
        (
            "on: how many attributes of an example are 1; beside it, the mistakes of each learner.",
            "Forced: a sequence of Hadamard rows on which the perceptron errs every time; "
            f"up to n = {MOST_FORCED:,}.",
        ),
        Curves(
            "n",
            ("perceptron", "Winnow", "elimination", "perceptron, forced", "Winnow, forced"),
            label="mistakes",
        ),
    )


def _row(n: int, k: int, examples: int, seed: int) -> tuple[int, int, int, int, int]:
    """How many attributes there are, how many are on, and the mistakes of the three learners."""
    on = n // 10
    learners: list[Learner] = [
        Additive(n, bias=True),
        Winnow2(n),
        EliminateDisjunction(n, monotone=True, remember=False),
    ]
    made = [0] * len(learners)
    for block in sources.few_relevant(examples, n, k, on=on, seed=seed):
        for i, learner in enumerate(learners):  # all meet a block while it is there
            made[i] += len(play(block, learner, ledger=learner.open_ledger("counts")).ledger)
    return n, on, made[0], made[1], made[2]


def _forced(n: int, k: int) -> tuple[Value, Value]:
    """The mistakes of perceptron and Winnow on the sequence made for the perceptron."""
    if n > MOST_FORCED:
        return None, None
    block = sources.forcing_disjunction(n, k)
    perceptron, winnow = play(block, Additive(n, bias=True)), play(block, Winnow2(n))
    return len(perceptron.ledger), len(winnow.ledger)
