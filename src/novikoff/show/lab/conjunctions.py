"""Three ways to learn a hidden conjunction: by queries, from a teacher, from random examples."""

from __future__ import annotations

from novikoff import guarantees
from novikoff.concepts import (
    AskingConjunction,
    Conjunction,
    EliminateConjunction,
    Nature,
    Oracle,
    Teacher,
    each_on,
    lecture_examples,
    parse,
)
from novikoff.concepts.teaching import LECTURE_TARGET
from novikoff.runs.loop import play
from novikoff.show.lab.results import Check, Result
from novikoff.stream.blocks import Stream
from novikoff.stream.printing import plural


def conjunctions(
    target: str | Conjunction = LECTURE_TARGET,
    *,
    n: int = 100,
    rounds: int = 1000,
    density: float = 0.9,
    seed: int = 0,
) -> Result:
    """Learn a hidden monotone conjunction of k of n variables under three protocols.

    A learner that asks about examples of its choice needs n questions. A teacher who knows the
    conjunction needs k + 1 examples. On random examples elimination makes at most n mistakes, and
    none on a negative example.

    References
    ----------
    Valiant (1984); Angluin (1988) for learning by queries; Goldman & Kearns (1995) for teachers.
    """
    hidden = parse(target) if isinstance(target, str) else target
    if not isinstance(hidden, Conjunction) or not hidden.monotone:
        raise ValueError(f"{hidden} is not a conjunction of plain variables such as x1 & x4")
    if hidden.width > n:
        raise ValueError(f"{hidden} needs {hidden.width} variables, but n is {n}")
    asking, taught, drawn = (
        AskingConjunction(n),
        AskingConjunction(n),
        EliminateConjunction(n, monotone=True),
    )
    nature = Nature(hidden, n, rounds=rounds, sampler=each_on(density), seed=seed)
    rows = [
        _row("I: the learner asks", Oracle(hidden, n).teach(asking), asking, hidden),
        _row("II: a teacher", Teacher(hidden, n).teach(taught), taught, hidden),
        _row(f"III: nature, {plural(rounds, 'draw')}", nature.teach(drawn), drawn, hidden),
    ]
    k = len(hidden.literals)
    checks = [
        Check("I: questions asked, n", n, rows[0][1]),
        Check("II: examples sent, k + 1", k + 1, rows[1][1], "exactly"),
        Check(
            "III: mistakes of elimination, n",
            guarantees.elimination_bound(n, monotone=True).bound,
            rows[2][2],
        ),
    ]
    if hidden == LECTURE_TARGET and n == 100:
        eight = EliminateConjunction(n, monotone=True)
        rows.insert(2, _row("III: the lecture's eight", lecture_examples(), eight, hidden))
    return Result(
        "conjunctions",
        f"Three ways to learn f = {hidden}, one of 2^{n} monotone conjunctions.",
        ("protocol", "examples", "mistakes", "hypothesis", "exact"),
        tuple(rows),
        tuple(checks),
    )


def _row(
    protocol: str,
    lesson: Stream,
    learner: AskingConjunction | EliminateConjunction,
    hidden: Conjunction,
) -> tuple[str, int, int, str, bool]:
    """The protocol, the length of the lesson, the mistakes, the hypothesis, whether it is exact."""
    ledger = play(lesson, learner).ledger
    learned = learner.hypothesis
    return protocol, ledger.n_rounds, len(ledger), str(learned), learned == hidden
