"""Perceptron, Winnow and elimination when few of a million attributes are relevant."""

from __future__ import annotations

from novikoff import guarantees, sources
from novikoff.concepts import EliminateDisjunction
from novikoff.learners import Additive, Learner, Winnow2
from novikoff.runs.loop import play
from novikoff.show.lab.results import Check, Curves, Result, Value
from novikoff.stream.printing import count, plural

MOST_FORCED = 4_096  # attributes of the largest sequence that forces mistakes


def attribute_efficiency(
    *, largest: int = 1_000_000, k: int = 5, examples: int = 1_000, seed: int = 0
) -> Result:
    """Count the mistakes on a disjunction of k of n attributes, for n = 100, 1,000, … `largest`.

    In each example a tenth of the attributes is on. The perceptron's bound grows with the number
    of attributes that are on; Winnow's, 2 + 3k(1 + log₂ n), only with the logarithm of n. On the
    sequence that is hard for it, the perceptron is wrong every time.

    References
    ----------
    Littlestone (1988); Kivinen, Warmuth & Auer (1997).
    """
    sizes = [n for n in (10**p for p in range(2, 19)) if n <= largest]
    rows = [_row(n, k, examples, seed) for n in sizes]
    checks = [
        Check(f"mistakes of {name}, n = {count(n)}", bound, seen)
        for n, row in zip(sizes, rows, strict=True)
        for name, bound, seen in (
            ("the perceptron, (on + 1)(4k + 1)", (row[1] + 1) * (4 * k + 1), row[2]),
            ("Winnow, 2 + 3k(1 + log₂ n)", guarantees.doubling_bound(n, k).bound, row[3]),
            ("elimination, n", guarantees.elimination_bound(n, monotone=True).bound, row[4]),
        )
    ]
    return Result(
        "attribute-efficiency",
        f"What do irrelevant attributes cost? {plural(examples, 'example')} of a disjunction of "
        f"{k} of n attributes.",
        ("n", "on", "perceptron", "Winnow", "elimination", "perceptron, forced", "Winnow, forced"),
        tuple((*row, *_forced(n, k)) for n, row in zip(sizes, rows, strict=True)),
        tuple(checks),
        (
            "on: the attributes that are 1 in an example. The other columns count mistakes.",
            "Forced: on a sequence of Hadamard rows, for which the perceptron is wrong every time "
            f"(up to n = {count(MOST_FORCED)}).",
        ),
        Curves(
            "n",
            ("perceptron", "Winnow", "elimination", "perceptron, forced", "Winnow, forced"),
            label="mistakes",
        ),
    )


def _row(n: int, k: int, examples: int, seed: int) -> tuple[int, int, int, int, int]:
    """n, how many attributes are on, and the mistakes of the three learners."""
    on = n // 10
    learners: list[Learner] = [
        Additive(n, bias=True),
        Winnow2(n),
        EliminateDisjunction(n, monotone=True, remember=False),
    ]
    made = [0] * len(learners)
    for block in sources.few_relevant(examples, n, k, on=on, seed=seed):
        for i, learner in enumerate(learners):  # side by side: a block is too large to keep
            made[i] += len(play(block, learner, ledger=learner.open_ledger("counts")).ledger)
    return n, on, made[0], made[1], made[2]


def _forced(n: int, k: int) -> tuple[Value, Value]:
    """The mistakes of perceptron and Winnow on the sequence that is hard for the perceptron."""
    if n > MOST_FORCED:
        return None, None
    block = sources.forcing_disjunction(n, k)
    perceptron, winnow = play(block, Additive(n, bias=True)), play(block, Winnow2(n))
    return len(perceptron.ledger), len(winnow.ledger)
