"""Learners in a few plain lines, to be played against: consistent concepts, and Winnow."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from novikoff.concepts.attributes import Truths
from novikoff.concepts.classes import ConceptClass
from novikoff.examples import Block
from novikoff.ledger import Keep, Ledger, Mistakes
from novikoff.rows import DenseRows, Rows, Vector


class Simple(ABC):
    """Predicts true from a score of 0 on, and is told of each example."""

    weights = None

    def __init__(self, n: int) -> None:
        self.n, self.rounds = n, 0

    @abstractmethod
    def score(self, x: Truths) -> float: ...

    @abstractmethod
    def told(self, x: Truths, label: bool, *, mistaken: bool) -> None: ...

    def scores(self, rows: Rows) -> Vector:
        return np.array([self.score(x > 0) for x in rows.values], dtype=np.float64)

    def open_ledger(self, keep: Keep = "examples") -> Ledger:
        return Ledger(self.n, keep=keep, rule="concepts")

    def learn(self, block: Block, begin: int, end: int) -> tuple[int, Mistakes]:
        assert isinstance(block.rows, DenseRows)
        assert block.order is None
        made = list[tuple[int, int, float, float, float]]()
        for i in range(begin, end):
            x, label = block.rows.values[i] > 0, bool(block.labels[i] > 0)
            score, y = self.score(x), float(block.labels[i])
            self.rounds += 1
            if (score >= 0) != label:
                made.append((self.rounds, i, score, y, float(x.sum())))
            self.told(x, label, mistaken=(score >= 0) != label)
        columns = np.array(made).reshape(-1, 5).T
        t, rows = columns[:2].astype(np.int64)
        return end, Mistakes(t, block.positions(rows), *(column.copy() for column in columns[2:]))


class Consistent(Simple):
    """Predicts with the concepts that fit all examples so far, by a rule for their answers."""

    def __init__(self, concepts: ConceptClass, rule: Callable[[Truths], bool]) -> None:
        super().__init__(concepts.n)
        self.concepts, self.rule, self.left = concepts, rule, np.arange(concepts.size)

    def score(self, x: Truths) -> float:
        return 1.0 if self.rule(self.concepts.say_some(self.left, x)) else -1.0

    def told(self, x: Truths, label: bool, *, mistaken: bool) -> None:
        self.left = self.left[self.concepts.say_some(self.left, x) == label]


def first_consistent(concepts: ConceptClass) -> Consistent:
    return Consistent(concepts, lambda answers: bool(answers[0]))


def halving(concepts: ConceptClass) -> Consistent:
    return Consistent(concepts, lambda answers: 2 * int(answers.sum()) >= len(answers))


class SimpleWinnow(Simple):
    """Winnow2 with threshold n: the weights of what is on are doubled or halved on a mistake."""

    def __init__(self, n: int) -> None:
        super().__init__(n)
        self.w = [Fraction(1)] * n

    def score(self, x: Truths) -> float:
        return float(sum((self.w[i] for i in np.flatnonzero(x)), Fraction(-self.n)))

    def told(self, x: Truths, label: bool, *, mistaken: bool) -> None:
        for i in np.flatnonzero(x) if mistaken else []:
            self.w[i] *= Fraction(2) if label else Fraction(1, 2)


class SimpleMajority(Simple):
    """Weighted majority in exact arithmetic: a concept that is wrong keeps β of its weight."""

    def __init__(self, concepts: ConceptClass, beta: Fraction) -> None:
        super().__init__(concepts.n)
        self.concepts, self.beta = concepts, beta
        self.w = [Fraction(1)] * concepts.size

    def answers(self, x: Truths) -> Truths:
        return self.concepts.say_some(np.arange(self.concepts.size), x)

    def score(self, x: Truths) -> float:
        signs = np.where(self.answers(x), 1, -1).tolist()
        total = sum((s * w for s, w in zip(signs, self.w, strict=True)), Fraction(0))
        return float((total > 0) - (total < 0))

    def told(self, x: Truths, label: bool, *, mistaken: bool) -> None:
        for i in np.flatnonzero(self.answers(x) != label):
            self.w[i] *= self.beta
