"""Three ways to teach: answer questions, choose the examples, or let nature draw them.

A lesson is a stream of single examples: `play(teacher.teach(learner), learner)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

import numpy as np

from novikoff.concepts.examples import Truths, labelled, truths
from novikoff.concepts.functions import Concept, Conjunction, Disjunction, expect_width
from novikoff.learners import Learner
from novikoff.stream.blocks import Block

Sampler: TypeAlias = Callable[[np.random.Generator, int, int], Truths]
_AT_ONCE = 64


class Oracle:
    """Protocol I: the learner asks for labels (Angluin 1988); `questions` counts them."""

    def __init__(self, concept: Concept, n: int) -> None:
        self.concept, self.n = concept, expect_width(concept, n)
        self.questions = 0

    def teach(self, learner: Any) -> Iterator[Block]:
        """Answer what the learner's method `question` asks, until that returns None."""
        if not hasattr(learner, "question"):
            raise TypeError(
                f"{type(learner).__name__} asks no questions; teach it with Teacher or Nature, or "
                "use a learner that asks, such as AskingConjunction"
            )
        self.questions = 0
        return self._answers(learner)

    def _answers(self, learner: Any) -> Iterator[Block]:
        while (asked := learner.question()) is not None:
            x = truths(asked, self.n, name="the learner's question")
            self.questions += 1
            yield from _lesson(self.concept, [x], first=self.questions - 1)


class Teacher:
    """Protocol II: a teacher who knows the target sends the fewest examples that determine it.

    For a monotone conjunction: the positive example in which exactly its variables are 1, and for
    each a negative example in which it is 0 too. If literals may be negated (not `monotone`), a
    second positive example has all other variables flipped (Goldman & Kearns 1995).
    """

    def __init__(
        self, concept: Conjunction | Disjunction, n: int, *, monotone: bool | None = None
    ) -> None:
        if not isinstance(concept, Conjunction | Disjunction):
            raise TypeError(
                f"Teacher teaches conjunctions and disjunctions, not {concept}; "
                "Nature teaches any concept"
            )
        if len(concept.variables) < len(concept.literals):
            raise ValueError(f"{concept} is constant: it has a variable and its negation")
        if monotone and not concept.monotone:
            raise ValueError(f"{concept} is not monotone; pass monotone=False")
        self.concept, self.n = concept, expect_width(concept, n)
        self.monotone = concept.monotone if monotone is None else monotone

    @property
    def examples(self) -> Truths:
        """The examples of the lesson, a row each."""
        columns = [abs(i) - 1 for i in self.concept.literals]
        shown = np.zeros((1 + len(columns), self.n), dtype=np.bool_)
        shown[:, columns] = [i > 0 for i in self.concept.literals]
        shown[range(1, 1 + len(columns)), columns] ^= True
        if not self.monotone and len(columns) < self.n:
            other = ~shown[:1]
            other[:, columns] ^= True
            shown = np.concatenate([shown[:1], other, shown[1:]])
        return shown ^ isinstance(self.concept, Disjunction)

    def teach(self, learner: Learner) -> Iterator[Block]:
        """The same examples for every learner."""
        return _lesson(self.concept, self.examples)


class Nature:
    """Protocol III: nature draws the examples, and the target labels them (Valiant 1984).

    Every lesson has the same `seed`. `sampler` is the distribution: a function of a random
    generator, the number of examples and n, which returns the truth values. By default each
    variable is 1 with probability 1/2.
    """

    def __init__(
        self,
        concept: Concept,
        n: int,
        *,
        rounds: int,
        sampler: Sampler | None = None,
        seed: int = 0,
    ) -> None:
        if rounds < 1:
            raise ValueError(f"rounds must be at least 1, not {rounds}")
        self.concept, self.n = concept, expect_width(concept, n)
        self.rounds, self.seed = rounds, seed
        self._sampler = each_on(0.5) if sampler is None else sampler

    def teach(self, learner: Learner) -> Iterator[Block]:
        """The examples as they are drawn, the same for every learner."""
        return _lesson(self.concept, self._drawn())

    def _drawn(self) -> Iterator[Truths]:
        dice = np.random.default_rng(self.seed)
        for at in range(0, self.rounds, _AT_ONCE):
            count = min(_AT_ONCE, self.rounds - at)
            drawn = np.asarray(self._sampler(dice, count, self.n))
            if drawn.shape != (count, self.n):
                raise ValueError(
                    f"the sampler must return {count} examples of {self.n} variables, "
                    f"not an array of shape {drawn.shape}"
                )
            for i, x in enumerate(drawn, at):
                yield truths(x, self.n, name=f"row {i} of the sampler")


def each_on(density: float) -> Sampler:
    """The distribution in which each variable is 1 with this probability, independently."""
    if not 0 <= density <= 1:
        raise ValueError(f"density must be a probability from 0 to 1, not {density}")
    return lambda dice, count, n: dice.random((count, n)) < density


def _lesson(concept: Concept, examples: Iterable[Truths], *, first: int = 0) -> Iterator[Block]:
    for i, x in enumerate(examples, first):
        yield labelled([x], np.array([concept(x)]), first=i)


LECTURE_TARGET = Conjunction((2, 3, 4, 5, 100))
_MIDDLE = "0" * 93
_LECTURE_EXAMPLES = (
    "1" * 100,
    "111" + "0" * 97,
    "11111" + _MIDDLE + "11",
    "10111" + _MIDDLE + "11",
    "11111" + _MIDDLE + "01",
    "10100" + _MIDDLE + "11",
    "1" * 98 + "01",
    "01010" + _MIDDLE + "11",
)


def lecture_examples() -> Block:
    """Eight examples of 100 variables from a lecture, labelled by x₂ ∧ x₃ ∧ x₄ ∧ x₅ ∧ x₁₀₀."""
    X = [truths(text) for text in _LECTURE_EXAMPLES]
    return labelled(X, LECTURE_TARGET.evaluate(X))
