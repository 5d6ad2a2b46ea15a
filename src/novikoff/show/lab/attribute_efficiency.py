"""Perceptron, Winnow and elimination when few of a million attributes are relevant."""

from __future__ import annotations

from novikoff import guarantees, sources
from novikoff.concepts import EliminateDisjunction
from novikoff.learners import Additive, Learner, Winnow2
from novikoff.runs.loop import play
from novikoff.show.lab.results import Check, Curves, Result, Value
from novikoff.stream.printing import count, plural

MOST_HARD = 4_096  # attributes of the largest sequence that is hard for the perceptron


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
    rows, checks, n = [], [], 100
    while n <= largest:
        on = n // 10
        learners: list[Learner] = [
            Additive(n, bias=True),
            Winnow2(n),
            EliminateDisjunction(n, monotone=True, remember=False),
        ]
        made = [0, 0, 0]
        for block in sources.few_relevant(examples, n, k, on=on, seed=seed):
            for i, learner in enumerate(learners):  # side by side: a block is too large to keep
                made[i] += len(play(block, learner, ledger=learner.open_ledger("counts")).ledger)
        forced: list[Value] = [None, None]
        if n <= MOST_HARD:
            hard = sources.forcing_disjunction(n, k)
            forced = [len(play(hard, it).ledger) for it in (Additive(n, bias=True), Winnow2(n))]
        rows.append((n, on, *made, *forced))
        bounds = {
            "the perceptron (bound (on + 1)(4k + 1))": (on + 1) * (4 * k + 1),
            "Winnow (bound 2 + 3k(1 + log₂ n))": guarantees.doubling_bound(n, k).bound,
            "elimination (bound n)": guarantees.elimination_bound(n, monotone=True).bound,
        }
        for (name, bound), seen in zip(bounds.items(), made, strict=True):
            checks.append(Check(f"mistakes of {name}, n = {count(n)}", bound, seen))
        n *= 10
    hard_for = ("perceptron, hard sequence", "Winnow, hard sequence")
    mistakes = ("perceptron", "Winnow", "elimination", *hard_for)
    return Result(
        "attribute-efficiency",
        f"What do irrelevant attributes cost? {plural(examples, 'example')} of a disjunction of "
        f"{k} of n attributes.",
        ("n", "on", *mistakes),
        tuple(rows),
        tuple(checks),
        (
            "on: the attributes that are 1 in an example. The other columns count mistakes.",
            "Hard sequence: rows of a Hadamard matrix, on which the perceptron always errs "
            f"(up to n = {count(MOST_HARD)}).",
        ),
        Curves("n", mistakes, label="mistakes"),
    )
