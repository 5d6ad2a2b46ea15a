"""The perceptron and Winnow as lecture notes write them, in exact arithmetic and plain lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias

from novikoff.learners import Ties

Point: TypeAlias = list[Fraction]
Shown: TypeAlias = tuple[int, Point, int]


@dataclass(frozen=True)
class Played:
    """The result of the textbook's run.

    A mistake is (round from 1, row, score before the update). `lives` holds every weight vector
    met, with the number of rounds at whose end it stood.
    """

    mistakes: list[tuple[int, int, Fraction]]
    lives: list[tuple[Point, int]]
    epochs: int
    clean: bool
    repeated: bool

    @property
    def weights(self) -> Point:
        return self.lives[-1][0]

    @property
    def average(self) -> Point:
        rounds = sum(n for _, n in self.lives)
        columns = zip(*([n * w_j for w_j in w] for w, n in self.lives), strict=True)
        return [sum(column, Fraction(0)) / rounds for column in columns]

    def voted(self, x: Point, *, zero: int) -> int:
        """Votes for +1 less those for −1, when a score of 0 votes for `zero`."""
        return sum(n * (sign(dot(w, x)) or zero) for w, n in self.lives)


def perceptron(
    shown: Sequence[Shown],
    *,
    start: Point,
    margin: Fraction = Fraction(0),
    rate: Fraction = Fraction(1),
    ties: Ties = "mistake",
    class_weights: tuple[Fraction, Fraction] = (Fraction(1), Fraction(1)),
    importances: Sequence[Fraction] | None = None,
    epochs: int = 1,
) -> Played:
    """Go through (row, x, y) until a whole pass is right, the weights repeat, or `epochs` are made.

    After passes 1, 2, 4, 8, … the weights are marked, until marked ones come back; they repeat when
    these come back again. A row's importance multiplies its step; with 0 it is only looked at.
    """
    w, t = start, 0
    mistakes: list[tuple[int, int, Fraction]] = []
    born = [(start, 1)]
    marked: Point | None = None
    passes, clean, back, repeated = 0, False, False, False
    while passes < epochs and not clean and not repeated:
        passes, before = passes + 1, len(mistakes)
        for row, x, y in shown:
            t += 1
            s, h = dot(w, x), Fraction(1) if importances is None else importances[row]
            if h and (y * s < margin or (y * s == margin and tie_is_wrong(y, margin, ties))):
                r = rate * class_weights[y > 0] * h
                w = [w_j + r * y * x_j for w_j, x_j in zip(w, x, strict=True)]
                mistakes.append((t, row, s))
                born.append((w, t))
        clean = len(mistakes) == before
        repeated = back and w == marked
        back = back or (w == marked and not clean)
        if passes.bit_count() == 1 and not back:
            marked = w
    deaths = [t for _, t in born[1:]] + [t + 1]
    lives = [(w, death - birth) for (w, birth), death in zip(born, deaths, strict=True)]
    return Played(mistakes, lives, passes, clean, repeated)


@dataclass(frozen=True)
class Revisited:
    """The result of the textbook's run that visits mistaken rows again.

    `passes` holds, for each pass, how many examples it had and whether it was over the pool.
    """

    mistakes: list[tuple[int, int, Fraction]]
    weights: Point
    passes: list[tuple[int, bool]]
    clean: bool


def revisiting(
    shown: Sequence[Shown], *, start: Point, margin: Fraction, epochs: int, most: int
) -> Revisited:
    """Go through all examples and learn from mistakes; then through the pool of all rows mistaken
    so far, with a margin, until a pass over it is clean or `most` are made; and so on."""
    w, t, pool, clean = start, 0, dict[int, Shown](), False
    mistakes, passes = list[tuple[int, int, Fraction]](), list[tuple[int, bool]]()

    def is_clean(examples: Sequence[Shown], least: Fraction, *, again: bool) -> bool:
        nonlocal w, t
        before = len(mistakes)
        for row, x, y in examples:
            t, s = t + 1, dot(w, x)
            if y * s <= least:
                w = [w_j + y * x_j for w_j, x_j in zip(w, x, strict=True)]
                mistakes.append((t, row, s))
                pool.setdefault(row, (row, x, y))
        passes.append((len(examples), again))
        return len(mistakes) == before

    for _ in range(epochs):
        clean = is_clean(shown, Fraction(0), again=False)
        if clean:
            break
        any(is_clean([*pool.values()], margin, again=True) for _ in range(most))
    return Revisited(mistakes, w, passes, clean)


@dataclass(frozen=True)
class Adapted(Played):
    """The result of the textbook's adaptive run: also S as it stood at the end, a full matrix.

    If rivals were `tied`, rounding decides between them.
    """

    variances: list[Point]
    tied: bool = False


def arow(
    shown: Sequence[Shown],
    *,
    r: Fraction,
    start: Point,
    variances: Point,
    full: bool,
    importances: Sequence[Fraction] | None = None,
    epochs: int = 1,
) -> Adapted:
    """AROW (Crammer, Kulesza & Dredze 2009, Figure 1), with S a matrix or its diagonal.

    An importance divides r, and with 0 the row is only looked at.
    """
    w, t = start, 0
    S = [[s if i == j else Fraction(0) for j in range(len(w))] for i, s in enumerate(variances)]
    mistakes: list[tuple[int, int, Fraction]] = []
    born = [(start, 1)]
    passes, clean = 0, False
    while passes < epochs and not clean:
        passes, before = passes + 1, len(mistakes)
        for row, x, y in shown:
            t += 1
            s, c = dot(w, x), Fraction(1) if importances is None else importances[row]
            if not c or y * s >= 1:
                continue
            Sx = [dot(one, x) for one in S]
            beta = 1 / (dot(Sx, x) + r / c)
            w = [w_j + (1 - y * s) * beta * y * a for w_j, a in zip(w, Sx, strict=True)]
            for i, a in enumerate(Sx):
                S[i] = [
                    S_ij - beta * a * b if full or i == j else S_ij
                    for j, (S_ij, b) in enumerate(zip(S[i], Sx, strict=True))
                ]
            mistakes.append((t, row, s))
            born.append((w, t))
        clean = len(mistakes) == before
    deaths = [t for _, t in born[1:]] + [t + 1]
    lives = [(w, death - birth) for (w, birth), death in zip(born, deaths, strict=True)]
    return Adapted(mistakes, lives, passes, clean, False, S)


@dataclass(frozen=True)
class Winnowed:
    """What the textbook's Winnow did: (row, score before the update), and the last weights."""

    mistakes: list[tuple[int, Fraction]]
    weights: Point


def winnow(
    shown: Sequence[Shown], *, alpha: Fraction, threshold: Fraction, demotion: Fraction, ties: Ties
) -> Winnowed:
    """Winnow1 with demotion 0, Winnow2 with 1/α, on attributes that are 0 or 1."""
    w = [Fraction(1)] * len(shown[0][1])
    mistakes = []
    for row, x, y in shown:
        s = dot(w, x) - threshold
        if y * s < 0 or (s == 0 and tie_is_wrong(y, Fraction(0), ties)):
            times = alpha if y > 0 else demotion
            w = [w_j * times if x_j else w_j for w_j, x_j in zip(w, x, strict=True)]
            mistakes.append((row, s))
    return Winnowed(mistakes, w)


def balanced_winnow(
    shown: Sequence[Shown], *, alpha: Fraction, threshold: Fraction, ties: Ties
) -> Winnowed:
    """Two weights an attribute, one against the other; x holds whole numbers."""
    u = v = [Fraction(1)] * len(shown[0][1])
    mistakes = []
    for row, x, y in shown:
        s = dot(u, x) - dot(v, x) - threshold
        if y * s < 0 or (s == 0 and tie_is_wrong(y, Fraction(0), ties)):
            times = [alpha ** int(y * x_j) for x_j in x]
            u = [u_j * a for u_j, a in zip(u, times, strict=True)]
            v = [v_j / a for v_j, a in zip(v, times, strict=True)]
            mistakes.append((row, s))
    return Winnowed(mistakes, [u_j - v_j for u_j, v_j in zip(u, v, strict=True)])


@dataclass(frozen=True)
class JointlyPlayed:
    """What the textbook's run with many classes did.

    A mistake is (round from 1, row, how far ahead of the rival, the class, the rival). `stood`
    holds the weights, a row a class, as they stood at the end of each round.
    """

    mistakes: list[tuple[int, int, Fraction, int, int]]
    weights: list[Point]
    stood: list[list[Point]]
    clean: bool

    @property
    def average(self) -> list[Point]:
        return [
            [sum(column, Fraction(0)) / len(self.stood) for column in zip(*rows, strict=True)]
            for rows in zip(*self.stood, strict=True)
        ]

    def voted(self, x: Point) -> list[int]:
        """For each class, at the end of how many rounds it had the highest score, first of all."""
        best = [max(range(len(w)), key=lambda r: (dot(w[r], x), -r)) for w in self.stood]
        return [best.count(r) for r in range(len(self.weights))]


def joint_perceptron(
    shown: Sequence[Shown],
    *,
    classes: int,
    known: bool,
    margin: Fraction,
    rate: Fraction,
    epochs: int,
) -> JointlyPlayed:
    """Go through (row, x, class) until a whole pass is right, or `epochs` are made."""
    dim = len(shown[0][1])
    w = [[Fraction(0)] * dim for _ in range(classes)]
    stood: list[list[Point]] = []
    met = set(range(classes)) if known else set()
    mistakes: list[tuple[int, int, Fraction, int, int]] = []
    t, clean = 0, False
    for _ in range(epochs):
        before = len(mistakes)
        for row, x, y in shown:
            t += 1
            met |= {y}
            scores = {r: dot(w[r], x) for r in sorted(met)}
            rivals = [r for r in scores if r != y]
            if rivals:
                r = max(rivals, key=lambda r: (scores[r], -r))
                if scores[y] - scores[r] <= margin:
                    mistakes.append((t, row, scores[y] - scores[r], y, r))
                    w[y] = [a + rate * b for a, b in zip(w[y], x, strict=True)]
                    w[r] = [a - rate * b for a, b in zip(w[r], x, strict=True)]
            stood.append(list(w))
        if len(mistakes) == before:
            clean = True
            break
    return JointlyPlayed(mistakes, w, stood, clean)


def joint_arow(shown: Sequence[Shown], *, classes: int, r: Fraction) -> Adapted:
    """One pass of AROW over (row, x, class): `arow` on x beside the class, −x beside its rival."""
    dim = len(shown[0][1])
    w = [[Fraction(0)] * dim for _ in range(classes)]
    S = [[Fraction(1)] * dim for _ in range(classes)]
    mistakes: list[tuple[int, int, Fraction]] = []
    met, tied = set[int](), False
    for t, (row, x, y) in enumerate(shown, 1):
        met |= {y}
        scores = {c: dot(w[c], x) for c in sorted(met)}
        rivals = [c for c in scores if c != y]
        if not rivals:
            continue
        rival = max(rivals, key=lambda c: (scores[c], -c))
        tied |= scores[rival] != 0 and sum(scores[c] == scores[rival] for c in rivals) > 1
        m = scores[y] - scores[rival]
        if m >= 1:
            continue
        Sx = {c: [s * a for s, a in zip(S[c], x, strict=True)] for c in (y, rival)}
        beta = 1 / (dot(Sx[y], x) + dot(Sx[rival], x) + r)
        for c, side in ((y, 1), (rival, -1)):
            w[c] = [a + side * (1 - m) * beta * b for a, b in zip(w[c], Sx[c], strict=True)]
            S[c] = [s - beta * b * b for s, b in zip(S[c], Sx[c], strict=True)]
        mistakes.append((t, row, m))
    lives = [([a for of in w for a in of], len(shown))]
    return Adapted(mistakes, lives, 1, False, False, S, tied)


def tie_is_wrong(y: int, margin: Fraction, ties: Ties) -> bool:
    """Whether y(w·x) equal to the margin is a mistake: a score of 0 may claim a sign."""
    return margin > 0 or ties == "mistake" or (ties == "positive") == (y < 0)


def dot(w: Point, x: Point) -> Fraction:
    return sum((w_j * x_j for w_j, x_j in zip(w, x, strict=True)), Fraction(0))


def sign(s: Fraction) -> int:
    return (s > 0) - (s < 0)


@dataclass(frozen=True)
class Dual:
    """The result of the textbook's run in a kernel's space: (round, row, step, score) a mistake."""

    kernel: Callable[[Point, Point], Fraction]
    mistakes: list[tuple[int, int, Fraction, Fraction]]
    points: dict[int, Point]
    rounds: int

    def score(self, x: Point, after: int | None = None) -> Fraction:
        """The score of x by the weights after so many mistakes."""
        kernels = (step * self.kernel(self.points[i], x) for _, i, step, _ in self.mistakes[:after])
        return sum(kernels, Fraction(0))

    def _lives(self) -> list[int]:
        ends = [1, *(t for t, _, _, _ in self.mistakes), self.rounds + 1]
        return [end - begin for begin, end in pairwise(ends)]

    def average(self, x: Point) -> Fraction:
        """The mean score of x over all rounds."""
        total = sum((n * self.score(x, k) for k, n in enumerate(self._lives())), Fraction(0))
        return total / self.rounds

    def votes(self, x: Point) -> int:
        """Votes for +1 less those for −1; a score of 0 votes for +1."""
        return sum(n * (sign(self.score(x, k)) or 1) for k, n in enumerate(self._lives()))


def kernel_perceptron(
    shown: Sequence[Shown],
    kernel: Callable[[Point, Point], Fraction],
    *,
    margin: Fraction,
    ties: Ties,
    class_weights: tuple[Fraction, Fraction],
    importances: Sequence[Fraction] | None,
    epochs: int,
) -> Dual:
    """The dual form: f(x) = Σ step·K(x_k, x) over the mistakes, until a pass makes none."""
    out = Dual(kernel, [], {row: x for row, x, _ in shown}, 0)
    t = 0
    for _ in range(epochs):
        before = len(out.mistakes)
        for row, x, y in shown:
            t, s = t + 1, out.score(x)
            step = class_weights[y > 0] * (1 if importances is None else importances[row])
            if step and (y * s < margin or (y * s == margin and tie_is_wrong(y, margin, ties))):
                out.mistakes.append((t, row, y * step, s))
        if len(out.mistakes) == before:
            break
    return Dual(kernel, out.mistakes, out.points, t)


@dataclass(frozen=True)
class JointDual:
    """The textbook's run of many classes in a kernel's space.

    A mistake is (round, row, step, lead over the rival, class, rival).
    """

    kernel: Callable[[Point, Point], Fraction]
    mistakes: list[tuple[int, int, Fraction, Fraction, int, int]]
    points: dict[int, Point]
    classes: int
    rounds: int

    def scores(self, x: Point, after: int | None = None) -> list[Fraction]:
        """The score of x for each class after so many mistakes."""
        out = [Fraction(0)] * self.classes
        for _, i, step, _, y, r in self.mistakes[:after]:
            out[y] += step * self.kernel(self.points[i], x)
            out[r] -= step * self.kernel(self.points[i], x)
        return out

    def stood(self, x: Point) -> list[list[Fraction]]:
        """The scores of x at the end of each round."""
        ends = [t for t, *_ in self.mistakes]
        return [self.scores(x, sum(e <= t for e in ends)) for t in range(1, self.rounds + 1)]

    def average(self, x: Point) -> list[Fraction]:
        stood = self.stood(x)
        return [sum(one, Fraction(0)) / self.rounds for one in zip(*stood, strict=True)]

    def votes(self, x: Point) -> list[int]:
        best = [s.index(max(s)) for s in self.stood(x)]
        return [best.count(c) for c in range(self.classes)]


def joint_kernel_perceptron(
    shown: Sequence[Shown],
    kernel: Callable[[Point, Point], Fraction],
    *,
    classes: int,
    known: int,
    margin: Fraction,
    class_weights: Sequence[Fraction],
    importances: Sequence[Fraction] | None,
    epochs: int,
) -> JointDual:
    """The dual form of `joint_perceptron`; classes up to the largest number met are rivals."""
    out = JointDual(kernel, [], {row: x for row, x, _ in shown}, classes, 0)
    t = 0
    for _ in range(epochs):
        before = len(out.mistakes)
        for row, x, y in shown:
            t, s, known = t + 1, out.scores(x), max(known, y + 1)
            step = class_weights[y] * (1 if importances is None else importances[row])
            if rivals := [c for c in range(known) if c != y]:
                r = max(rivals, key=lambda c: (s[c], -c))
                if step and s[y] - s[r] <= margin:
                    out.mistakes.append((t, row, step, s[y] - s[r], y, r))
        if len(out.mistakes) == before:
            break
    return JointDual(kernel, out.mistakes, out.points, classes, t)
