"""The experiments of `novikoff lab`: each compares what a theorem promises with what happens.

An experiment returns a table, and for each claim the bound beside the observed number. The first
line of its docstring is what the command says about it.
"""

from __future__ import annotations

import csv
import io
import operator
from collections.abc import Callable
from dataclasses import asdict, dataclass
from fractions import Fraction
from itertools import combinations
from math import factorial
from typing import Any, TypeAlias

import numpy as np

from novikoff import concepts, guarantees, sources
from novikoff.guarantees.verdict import Verdict
from novikoff.learners import Additive, Dual, Learner, Winnow1, Winnow2
from novikoff.ledger.kernels import Kernel
from novikoff.ledger.ledger import Ledger
from novikoff.runs.loop import play
from novikoff.separability import certify
from novikoff.stream.blocks import Block, Stream, joined
from novikoff.stream.printing import aligned, count, cut_middle, plural, short
from novikoff.stream.sums import length

__all__ = ["EXPERIMENTS", "Check", "Curves", "Result"]

Value: TypeAlias = int | float | str | bool | None
CANDIDATES = 200  # random examples the adversary of Halving chooses from
ENOUGH = 0.45  # it takes the first that leaves this share of the concepts in either case
MOST_HARD = 4_096  # attributes of the largest sequence that is hard for the perceptron
MOST_PASSES = 1_000_000  # every run ends long before
RATES = (0.01, 0.1, 0.5, 1.0, 3.0, 100.0)
MARGINS = (0.0, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)


@dataclass(frozen=True, slots=True)
class Check:
    """A claim: the observed number is at most, at least or exactly the bound."""

    claim: str
    bound: int | float
    seen: int | float
    relation: str = "at most"

    @property
    def holds(self) -> bool:
        """Whether the observed number satisfies the claim."""
        compare = {"at most": operator.le, "at least": operator.ge, "exactly": operator.eq}
        return bool(compare[self.relation](self.seen, self.bound))

    def cells(self) -> tuple[str, ...]:
        """The claim, the bound, the observed number and the outcome, as text."""
        outcome = "holds" if self.holds else "DOES NOT HOLD"
        return self.claim, f"{self.relation} {_text(self.bound)}", _text(self.seen), outcome


@dataclass(frozen=True, slots=True)
class Curves:
    """The figure of a table: columns `ys` against column `x`, one line for each value of `by`.

    Not `joined`: points without lines between them, where nothing lies between two values of x.
    """

    x: str
    ys: tuple[str, ...]
    by: str | None = None
    logarithmic: str = "xy"
    label: str | None = None
    joined: bool = True


@dataclass(frozen=True, slots=True)
class Result:
    """The result of an experiment; `str` gives the text that the command prints."""

    question: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    checks: tuple[Check, ...]
    notes: tuple[str, ...] = ()
    curves: Curves | None = None
    pictures: tuple[tuple[str, Block, Ledger], ...] = ()  # runs in a kernel's space, by their names

    @property
    def holds(self) -> bool:
        """Whether every claim holds."""
        return all(check.holds for check in self.checks)

    def column(self, name: str) -> list[Value]:
        """The cells of one column."""
        place = self.columns.index(name)
        return [row[place] for row in self.rows]

    def __str__(self) -> str:
        columns = enumerate(zip(*self.rows, strict=True))
        text = [j for j, cells in columns if any(isinstance(cell, str | bool) for cell in cells)]
        table = aligned([self.columns, *(tuple(map(_text, row)) for row in self.rows)], text)
        checks = [("claim", "bound", "observed", ""), *(check.cells() for check in self.checks)]
        notes = [*self.notes, ""] if self.notes else []
        return "\n".join([self.question, "", *table, "", *notes, *aligned(checks, (0, 1, 3))])

    def to_dict(self) -> dict[str, Any]:
        """The whole result, ready for JSON."""
        return {
            "question": self.question,
            "rows": [dict(zip(self.columns, row, strict=True)) for row in self.rows],
            "notes": list(self.notes),
            "checks": [{**asdict(check), "holds": check.holds} for check in self.checks],
            "holds": self.holds,
        }

    def to_csv(self) -> str:
        """The table as CSV with a header."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(self.rows)
        return out.getvalue()


def _text(value: Value) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return count(value)
    return short(value) if isinstance(value, float) else cut_middle(value, 64)


def conjunctions(
    target: str | concepts.Conjunction = concepts.LECTURE_TARGET,
    *,
    n: int = 100,
    rounds: int = 1000,
    density: float = 0.9,
    seed: int = 0,
) -> Result:
    """Learn a hidden conjunction by asking, from a teacher, and from random examples.

    A learner that asks needs n questions, a teacher k + 1 examples, and on random examples
    elimination makes at most n mistakes (Valiant 1984; Angluin 1988; Goldman & Kearns 1995).
    """
    hidden = concepts.parse(target) if isinstance(target, str) else target
    if not isinstance(hidden, concepts.Conjunction) or not hidden.monotone:
        raise ValueError(f"{hidden} is not a conjunction of plain variables such as x1 & x4")
    if hidden.width > n:
        raise ValueError(f"{hidden} needs {hidden.width} variables, but n is {n}")

    asking, taught = concepts.AskingConjunction(n), concepts.AskingConjunction(n)
    drawn = concepts.EliminateConjunction(n, monotone=True)
    sampler = concepts.each_on(density)
    nature = concepts.Nature(hidden, n, rounds=rounds, sampler=sampler, seed=seed)
    lessons: list[tuple[str, Stream, Any]] = [
        ("I: the learner asks", concepts.Oracle(hidden, n).teach(asking), asking),
        ("II: a teacher", concepts.Teacher(hidden, n).teach(taught), taught),
        (f"III: nature, {plural(rounds, 'draw')}", nature.teach(drawn), drawn),
    ]
    if hidden == concepts.LECTURE_TARGET and n == 100:
        eight = concepts.EliminateConjunction(n, monotone=True)
        lessons.insert(2, ("III: eight recorded examples", concepts.lecture_examples(), eight))
    rows = []
    for protocol, lesson, learner in lessons:
        ledger, learned = play(lesson, learner).ledger, learner.hypothesis
        exact = learned == hidden
        rows.append((protocol, ledger.n_rounds, len(ledger), str(learned), exact))
    most = guarantees.elimination_bound(n, monotone=True).bound
    checks = (
        Check("I: questions asked (bound n)", n, rows[0][1]),
        Check("II: examples sent (k + 1)", len(hidden.literals) + 1, rows[1][1], "exactly"),
        Check("III: mistakes of elimination (bound n)", most, rows[-1][2]),
    )
    return Result(
        f"Three ways to learn f = {hidden}, one of 2^{n} monotone conjunctions.",
        ("protocol", "examples", "mistakes", "hypothesis", "exact"),
        tuple(rows),
        checks,
    )


def halving(*, n: int = 100, k: int = 5, rounds: int = 200, seed: int = 0) -> Result:
    """Find one of 75,287,520 monotone conjunctions of 5 of 100 variables by Halving.

    Against nature and against an adversary, who answers the opposite of the majority, it makes at
    most ⌊log₂ C(n, k)⌋ mistakes (Barzdin & Freivald 1972; Littlestone 1988, Section 3).
    """
    several = concepts.conjunctions(n, k=k, monotone=True)
    if several.size < 2:
        raise ValueError(f"with k = n = {n} there is only one concept; choose k below n")
    density = 2.0 ** (-1 / k)
    target = several.sample(1, seed=seed)[0]
    pupil, victim = concepts.Halving(several), concepts.Halving(several)
    nature = concepts.Nature(target, n, rounds=rounds, sampler=concepts.each_on(density), seed=seed)
    drawn = np.random.default_rng(seed).random((CANDIDATES, n)) < density
    adversary = concepts.Adversary(several, candidates=drawn, enough=ENOUGH)
    bound, rows, checks = guarantees.halving_bound(several.size).bound, [], []
    for who, stream, learner in (
        ("nature", nature.teach(pupil), pupil),
        ("adversary", adversary.against(victim), victim),
    ):
        ledger, left = _followed(stream, learner)
        rows += [
            (who, t, left[t], ledger.mistakes_by(t))
            for t in range(1, len(left))
            if left[t] != left[t - 1]
        ]
        checks.append(Check(f"mistakes, ⌊log₂|C|⌋, {who}", bound, len(ledger)))
    return Result(
        f"How many mistakes to find one of {count(several.size)} concepts, the {several}?",
        ("teacher", "round", "concepts left", "mistakes"),
        tuple(rows),
        tuple(checks),
        (f"Nature's target is {target}.", "Rounds that ruled out no concept are left out."),
        Curves("round", ("concepts left",), by="teacher", logarithmic="y"),
    )


def _followed(stream: Stream, learner: concepts.Halving) -> tuple[Ledger, list[int]]:
    left = [learner.left]  # after each round
    run = play(stream, learner, after_block=lambda _: left.append(learner.left))
    return run.ledger, left


def attribute_efficiency(
    *, largest: int = 1_000_000, k: int = 5, examples: int = 1_000, seed: int = 0
) -> Result:
    """Compare three learners when only five of up to a million attributes are relevant.

    The perceptron's bound grows with the number of attributes that are on; Winnow's, 2 + 3k(1 +
    log₂ n), only with the logarithm of n (Littlestone 1988; Kivinen, Warmuth & Auer 1997).
    """
    if not 100 <= largest <= 10**7:
        raise ValueError(
            f"the largest number of attributes must be from 100 to 10,000,000, not {largest}"
        )
    rows, checks = [], []
    for n in (m * 10**p for p in range(2, 8) for m in (1, 3) if m * 10**p <= largest):
        on = n // 10
        learners: list[Learner] = [
            Additive(n, bias=True),
            Winnow2(n),
            concepts.EliminateDisjunction(n, monotone=True, remember=False),
        ]
        made = [0, 0, 0]
        for block in sources.few_relevant(examples, n, k, on=on, seed=seed):
            for i, learner in enumerate(learners):  # side by side: a block is too large to keep
                made[i] += len(play(block, learner, ledger=learner.open_ledger("counts")).ledger)
        forced: list[Value] = [None, None]
        if n <= MOST_HARD:
            hard = sources.forcing_disjunction(n, k)
            forced = [len(play(hard, it).ledger) for it in (Additive(n, bias=True), Winnow2(n))]
        most = guarantees.doubling_bound(n, k).bound
        rows.append((n, on, *made, *forced, most))
        bounds = {
            "the perceptron (bound (on + 1)(4k + 1))": (on + 1) * (4 * k + 1),
            "Winnow (bound 2 + 3k(1 + log₂ n))": most,
            "elimination (bound n)": guarantees.elimination_bound(n, monotone=True).bound,
        }
        for (name, bound), seen in zip(bounds.items(), made, strict=True):
            checks.append(Check(f"mistakes of {name}, n = {count(n)}", bound, seen))
    hard_for = ("perceptron, hard sequence", "Winnow, hard sequence")
    mistakes = ("perceptron", "Winnow", "elimination", *hard_for, "Winnow, at most")
    return Result(
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


def mistake_bounds(*, n: int = 16) -> Result:
    """Compare the mistakes of each learner, on a sequence hard for it, with its bound.

    All but Winnow meet their bounds exactly (Littlestone 1988; Block 1962, Novikoff 1962).
    """
    if n not in (4, 8, 16):  # Hadamard rows need powers of two; Halving lists 2ⁿ disjunctions
        raise ValueError(f"n must be 4, 8 or 16, not {n}")
    checks = list[Check]()

    def check(claim: str, bound: int, block: Block, learner: Learner) -> None:
        checks.append(Check(claim, bound, len(play(block, learner).ledger)))

    con = concepts.against_con(n)
    check(
        f"CON, the {n} single variables",
        guarantees.consistent_bound(con.concepts.size).bound,
        con.block,
        concepts.Consistent(con.concepts),
    )
    hard, half = concepts.against_halving(n), Fraction(1, 2)
    size = hard.concepts.size
    check(
        f"Halving, the {count(size)} monotone disjunctions",
        guarantees.halving_bound(size).bound,
        hard.block,
        concepts.Halving(hard.concepts),
    )
    noisy = concepts.WeightedMajority(hard.concepts, half)
    twice = np.tile(np.arange(len(hard.block)), 2)
    labels = hard.block.labels[twice]
    labels[len(hard.block) + 2 :: 3] *= -1  # the second time every third label is wrong
    made = len(play(Block(hard.block.rows.take(twice), labels), noisy).ledger)
    wrong = plural(noisy.fewest, "wrong label")
    most = guarantees.weighted_majority_bound(size, noisy.fewest, half).bound
    checks.append(Check(f"Weighted majority, the same class, {wrong}", most, made))
    small = concepts.conjunctions(2)  # small enough to try every sequence
    every = f"Optimal, the {small.size} conjunctions of 2 variables, every sequence"
    made = concepts.worst_case(lambda: concepts.Optimal(small), small).mistakes
    checks.append(Check(every, concepts.littlestone_dimension(small), made, "exactly"))
    for monotone, what in ((True, "plain variables"), (False, "all literals")):
        check(
            f"Elimination, from {what}",
            guarantees.elimination_bound(n, monotone=monotone).bound,
            concepts.against_elimination(n, monotone=monotone).block,
            concepts.EliminateConjunction(n, monotone=monotone),
        )
    ledger = play(sources.tight(n), Additive(n)).ledger
    bound = guarantees.novikoff(ledger, [1] * n).bound
    checks.append(Check(f"Perceptron, the {n} unit vectors: (R/γ)²", bound, len(ledger)))
    check(
        "Perceptron, a disjunction of 1 variable: (n + 1)(4k + 1)",
        guarantees.k_disjunction(n, 1).bound,
        sources.forcing_disjunction(n, 1),
        Additive(n, bias=True),
    )
    check(
        f"Winnow1, a disjunction of 1 variable, θ = {n // 4}",
        guarantees.winnow1_bound(n, 1, threshold=n // 4).bound,
        sources.forcing_winnow1(n, n // 4),
        Winnow1(n, threshold=n // 4),
    )
    check(
        "Winnow2, a disjunction of 1 variable: 2 + 3k(1 + log₂ n)",
        guarantees.doubling_bound(n, 1).bound,
        sources.forcing_winnow2(n),
        Winnow2(n),
    )
    return Result(
        f"How many mistakes in the worst case? Each learner on a sequence hard for it, n = {n}.",
        ("learner", "at most", "made"),
        tuple((one.claim, one.bound, one.seen) for one in checks),
        tuple(checks),
    )


def xor(*, largest: int = 5, seed: int = 0) -> Result:
    """Prove that no perceptron represents a parity, and try two remedies.

    The corners, each signed by its label, sum to 0 (Gordan 1873). With the products of the
    variables as features a hyperplane separates them (Minsky & Papert 1969).
    """
    if not 2 <= largest <= 8:
        raise ValueError(f"the largest number of variables must be from 2 to 8, not {largest}")
    dice, rows, checks = np.random.default_rng(seed), [], []
    for n in range(2, largest + 1):
        X = dice.permutation(concepts.every_example(n))
        parity = concepts.Parity(tuple(range(1, n + 1)))
        values = parity.values(X)
        block = concepts.labelled(X, values)
        run = play(block, Additive(n, bias=True), epochs=MOST_PASSES)
        chosen = [list(some) for k in range(1, n + 1) for some in combinations(range(n), k)]
        products = np.column_stack([X[:, some].all(axis=1) for some in chosen])
        learner = Additive(len(chosen), bias=True)
        separated = play(concepts.labelled(products, values), learner, epochs=MOST_PASSES)
        halving = len(play(block, concepts.Halving(concepts.parities(n))).ledger)
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
        "Can a perceptron represent a parity? The parity of n variables, on all 2ⁿ examples.",
        ("n", "parity", "certified", "perceptron", "passes", "with products", *mistakes),
        tuple(rows),
        tuple(checks),
        (
            "The corners, each signed by its label, sum to 0, so no hyperplane separates them.",
            "With the products of the variables as features, one does.",
            "Halving finds a parity among all 2ⁿ with at most n mistakes.",
        ),
        Curves("n", mistakes, logarithmic="y", label="mistakes", joined=False),
    )


def learning_rate(
    *, points: int = 2000, dim: int = 5, margin: float = 0.02, seed: int = 0
) -> Result:
    """From w = 0 the learning rate does not change the mistakes; otherwise it does.

    References: Novikoff (1962) for runs from w = 0; `guarantees.from_start` for other starts.
    """
    dice = np.random.default_rng(seed)
    stream = sources.separable(points, dice.standard_normal(dim), margin=margin, seed=seed)
    random_start = dice.standard_normal(dim)
    rows, checks = [], []
    for rate in RATES:
        row = [rate]
        for start in (None, random_start):
            learner = Additive(dim, rate=rate, start=start)
            ledger = play(stream, learner, epochs=MOST_PASSES).ledger
            row += [len(ledger), length(learner.weights)]
        rows.append(tuple(row))
        bound = guarantees.from_start(ledger, stream.u).bound
        checks.append(Check(f"mistakes from w₀, rate {rate:g}", bound, len(ledger)))
    distinct = len({row[1] for row in rows})
    same = Check("distinct mistake counts over all rates, from w = 0", 1, distinct, "exactly")
    return Result(
        f"Does the learning rate matter? {plural(points, 'separable point')}, passes until one has "
        "no mistake.",
        ("rate", "mistakes from 0", "‖w‖ at the end", "mistakes from w₀", "‖w‖ from w₀"),
        tuple(rows),
        (same, *checks),
        (
            "w₀: a random start, the same for every rate.",
            "From w = 0 the rate only scales w; from w₀ it changes the predictions.",
        ),
        Curves("rate", ("mistakes from 0", "mistakes from w₀"), logarithmic="x", label="mistakes"),
    )


def margin(*, points: int = 500, dim: int = 5, gap: float = 0.05, seed: int = 0) -> Result:
    """The margin perceptron: a larger margin costs more updates.

    At most (R² + 2η)/γ², and the margin is then above ηγ/(R² + 2η) (Krauth & Mézard 1987).
    """
    u = np.random.default_rng(seed).standard_normal(dim)
    block = joined(list(sources.separable(points, u, margin=gap, seed=seed)))
    best = certify(block, fit_intercept=False, margin_rtol=1e-6)
    rows, checks = [], []
    for eta in MARGINS:
        learner = Additive(dim, margin=eta)
        run = play(block, learner, epochs=MOST_PASSES)
        promise = guarantees.margin_perceptron(run.ledger, best.weights, eta)
        reached = guarantees.achieved_margin(learner.weights, block).value
        rows.append((eta, len(run.ledger), promise.bound, reached, promise.promised))
        checks.append(Check(f"updates with η = {eta:g}", promise.bound, len(run.ledger)))
        checks.append(Check(f"margin with η = {eta:g}", promise.promised, reached, "at least"))
    return Result(
        f"How many updates does a margin cost? {plural(points, 'point')}; the best margin is "
        f"{short(best.margin.low)}.",
        ("η", "updates", "at most", "margin reached", "margin promised"),
        tuple(rows),
        tuple(checks),
        ("R = 1: as η grows, the margin promised tends to half of the best.",),
        Curves("η", ("margin reached", "margin promised"), logarithmic="x", label="margin"),
    )


def beyond_lines(n: int = 60) -> dict[str, tuple[Block, Kernel]]:
    """XOR, a disc and two spirals: data that no line separates, each with a kernel that does."""
    square = np.round(32 * np.random.default_rng(0).uniform(-1, 1, (n, 2))) / 32
    arm = np.array([(0.1 + 0.014 * k) * (0.96 + 0.28j) ** k for k in range(n)])  # turns outwards
    spirals = np.round(512 * np.column_stack([arm.real, arm.imag])) / 512
    poly, rbf = Kernel("poly", degree=2), Kernel("rbf", gamma=30.0)
    block = sources.block
    return {
        "XOR": (block(square, np.where(square.prod(axis=1) > 0, 1, -1)), poly),
        "a disc": (block(square, np.where((square**2).sum(axis=1) < 0.5, 1, -1)), poly),
        "two spirals": (block(np.vstack([spirals, -spirals]), np.repeat([1, -1], n)), rbf),
    }


def kernels(*, largest: int = 6) -> Result:
    """Separate parities in the space of a kernel, and prove that a lower degree does not.

    With the kernel (x·z + 1)ⁿ, bits of ±1 have R² = (n + 1)ⁿ, and their parity the margin √(n!).
    The figure shows XOR, a disc and two spirals, which no line separates, and what is predicted.
    Reference: Minsky & Papert (1969), chapter 3; Freund & Schapire (1999), section 5.
    """
    rows, checks = [], []
    for n in range(2, max(2, largest) + 1):
        X = 1.0 - 2.0 * (np.arange(2**n)[:, None] >> np.arange(n) & 1)
        y, (below, at) = X.prod(axis=1), (Kernel("poly", degree=d) for d in (n - 1, n))
        ledger = play(X, y, Dual(n, kernel=at), epochs=MOST_PASSES).ledger
        proofs = [certify(X, y, kernel=one) for one in (below, at)]
        bound = (n + 1) ** n // factorial(n)
        rows.append((n, *(str(proof.verdict) for proof in proofs), len(ledger), bound))
        checks.append(Check(f"mistakes on the parity of {n} bits", bound, len(ledger)))
    pictures = []
    for name, (block, kernel) in beyond_lines().items():
        run = play(block, Dual(2, kernel=kernel), epochs=MOST_PASSES)
        separates = int(run.verdict == Verdict.SEPARATED)
        checks.append(Check(f"runs that separate {name}, {kernel}", 1, separates, "exactly"))
        pictures.append((name, block, run.ledger))
    return Result(
        "The parity of n bits in the spaces of the kernels (x·z + 1)^(n − 1) and (x·z + 1)^n.",
        ("n", "degree n − 1", "degree n", "mistakes", "at most"),
        tuple(rows),
        tuple(checks),
        pictures=tuple(pictures),
    )


_EACH: list[Callable[..., Result]] = [conjunctions, halving, attribute_efficiency, mistake_bounds]
_EACH += [xor, learning_rate, margin, kernels]
EXPERIMENTS = {function.__name__.replace("_", "-"): function for function in _EACH}
