"""Three ways to be taught the same hidden conjunction: by asking, by a teacher, by nature."""

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
from novikoff.show.lab.results import Check, Result, counted
from novikoff.stream.blocks import Stream


def conjunctions(
    target: str | Conjunction = LECTURE_TARGET,
    *,
    n: int = 100,
    rounds: int = 1000,
    density: float = 0.9,
    seed: int = 0,
) -> Result:
    """A monotone conjunction of k of n variables, hidden, and three protocols to learn it.

    By asking about chosen examples it takes n questions; a teacher who knows it needs k + 1
    examples; from what nature draws, elimination makes at most n mistakes, and is never wrong on
    a negative example.

    References
    ----------
    Valiant (1984); Angluin (1988) for learning by queries; Goldman & Kearns (1995) for teachers.
    """
    hidden = parse(target) if isinstance(target, str) else target
    if not isinstance(hidden, Conjunction) or not hidden.monotone:
        raise ValueError(f"{hidden} is no conjunction of plain variables, such as x1 & x4")
    if hidden.width > n:
        raise ValueError(f"{hidden} has a variable beyond the {n} there are; see -n")
    asking, taught, drawn = (
        AskingConjunction(n),
        AskingConjunction(n),
        EliminateConjunction(n, monotone=True),
    )
    nature = Nature(hidden, n, rounds=rounds, sampler=each_on(density), seed=seed)
    rows = [
        told("I: the learner asks", Oracle(hidden, n).teach(asking), asking, hidden),
        told("II: a teacher", Teacher(hidden, n).teach(taught), taught, hidden),
        told(f"III: nature, {counted(rounds, 'draw')}", nature.teach(drawn), drawn, hidden),
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
        rows.insert(2, told("III: the lecture's eight", lecture_examples(), eight, hidden))
    return Result(
        "conjunctions",
        f"Three ways to be taught f = {hidden}, one of 2^{n} monotone conjunctions.",
        ("protocol", "examples", "mistakes", "hypothesis", "exact"),
        tuple(rows),
        tuple(checks),
    )


def told(
    protocol: str,
    lesson: Stream,
    learner: AskingConjunction | EliminateConjunction,
    hidden: Conjunction,
) -> tuple[str, int, int, str, bool]:
    """Play the lesson; the protocol, how long it was, its mistakes, and what was learned."""
    ledger = play(lesson, learner).ledger
    learned = learner.hypothesis
    return protocol, ledger.n_rounds, len(ledger), str(learned), learned == hidden
