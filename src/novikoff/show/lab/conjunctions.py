"""Three ways to learn a hidden conjunction: by queries, from a teacher, from random examples."""

from __future__ import annotations

from novikoff import concepts, guarantees
from novikoff.concepts import AskingConjunction, Conjunction, EliminateConjunction
from novikoff.runs.loop import play
from novikoff.show.lab.results import Check, Result
from novikoff.stream.blocks import Stream
from novikoff.stream.printing import plural


def conjunctions(
    target: str | Conjunction = concepts.LECTURE_TARGET,
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
    hidden = concepts.parse(target) if isinstance(target, str) else target
    if not isinstance(hidden, Conjunction) or not hidden.monotone:
        raise ValueError(f"{hidden} is not a conjunction of plain variables such as x1 & x4")
    if hidden.width > n:
        raise ValueError(f"{hidden} needs {hidden.width} variables, but n is {n}")

    def row(
        protocol: str, lesson: Stream, learner: AskingConjunction | EliminateConjunction
    ) -> tuple[str, int, int, str, bool]:
        ledger = play(lesson, learner).ledger
        learned = learner.hypothesis
        return protocol, ledger.n_rounds, len(ledger), str(learned), learned == hidden

    asking, taught = AskingConjunction(n), AskingConjunction(n)
    drawn = EliminateConjunction(n, monotone=True)
    sampler = concepts.each_on(density)
    nature = concepts.Nature(hidden, n, rounds=rounds, sampler=sampler, seed=seed)
    rows = [
        row("I: the learner asks", concepts.Oracle(hidden, n).teach(asking), asking),
        row("II: a teacher", concepts.Teacher(hidden, n).teach(taught), taught),
        row(f"III: nature, {plural(rounds, 'draw')}", nature.teach(drawn), drawn),
    ]
    most = guarantees.elimination_bound(n, monotone=True).bound
    checks = (
        Check("I: questions asked (bound n)", n, rows[0][1]),
        Check("II: examples sent (k + 1)", len(hidden.literals) + 1, rows[1][1], "exactly"),
        Check("III: mistakes of elimination (bound n)", most, rows[2][2]),
    )
    if hidden == concepts.LECTURE_TARGET and n == 100:
        eight = EliminateConjunction(n, monotone=True)
        rows.insert(2, row("III: eight recorded examples", concepts.lecture_examples(), eight))
    return Result(
        "conjunctions",
        f"Three ways to learn f = {hidden}, one of 2^{n} monotone conjunctions.",
        ("protocol", "examples", "mistakes", "hypothesis", "exact"),
        tuple(rows),
        checks,
    )
