"""Three ways to be taught: by answers, by a teacher who knows the target, or by nature.

A lesson is a stream of one example at a time, made while `play` pulls it:
`play(teacher.teach(learner), learner)`. Any teacher can be given any learner; only `Oracle` needs
one that asks.

The hidden function of the lecture on mistake-driven learning, and the examples it comes with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np

from novikoff.concepts.examples import Truths, labelled, truths
from novikoff.concepts.functions import Concept, Conjunction, Disjunction, expect_concept
from novikoff.concepts.queries import Asks
from novikoff.learners import Learner
from novikoff.stream.blocks import Block

Sampler: TypeAlias = Callable[[np.random.Generator, int, int], Truths]
_AT_ONCE = 64


class Teaches(Protocol):
    """Anything that gives lessons."""

    def teach(self, learner: Learner) -> Iterator[Block]:
        """The lesson, for `play`: one example at a time, each made when the last was learned."""


class Oracle:
    """Protocol I: the learner asks about examples of its own, and gets the answers.

    The lesson ends when the learner has no more to ask. A conjunction of n variables takes n
    questions: the known positive example with variable i turned tells whether xᵢ is in it.

    Attributes
    ----------
    questions
        How many were answered in the last lesson.

    References
    ----------
    Angluin (1988), *Queries and concept learning*.
    """

    def __init__(self, concept: Concept, n: int) -> None:
        self.concept, self.n = concept, _wide_enough(concept, n)
        self.questions = 0

    def teach(self, learner: Learner) -> Iterator[Block]:
        """Answer what the learner asks, until it asks no more."""
        if not isinstance(learner, Asks):
            raise TypeError(
                f"{type(learner).__name__} asks no questions; an Oracle teaches learners such as "
                "AskingConjunction, and Teacher or Nature teach any"
            )
        self.questions = 0
        return self._answers(learner)

    def _answers(self, learner: Asks) -> Iterator[Block]:
        while (asked := learner.question()) is not None:
            x = truths(asked, self.n, name="the learner's question")
            self.questions += 1
            yield from _lesson(self.concept, [x], first=self.questions - 1)


class Teacher:
    """Protocol II: a teacher who knows the target, and sends the fewest examples that show it.

    For a monotone conjunction of k variables: the positive example with exactly these on, which
    excludes all others, and then for each of them a negative example with it off too, which proves
    it necessary. That is k + 1 examples, and for k < n no lesson is shorter: each of the k needs a
    negative example of its own, and the others need a positive one.

    If literals may be negated, a second positive example, with all the other variables turned,
    excludes both literals of each: k + 2. A disjunction is taught with true and false exchanged.

    Parameters
    ----------
    monotone
        What the learner takes for granted: that no literal is negated. If not given, whether it
        is so.

    References
    ----------
    Goldman & Kearns (1995), *On the complexity of teaching*.

    >>> Teacher(Conjunction((2, 3)), 4).examples.astype(int)
    array([[0, 1, 1, 0],
           [0, 0, 1, 0],
           [0, 1, 0, 0]])
    """

    def __init__(
        self, concept: Conjunction | Disjunction, n: int, *, monotone: bool | None = None
    ) -> None:
        if not isinstance(concept, Conjunction | Disjunction):
            raise TypeError(
                f"the teacher knows how to show conjunctions and disjunctions, not {concept}; "
                "Nature teaches any concept"
            )
        if len(concept.variables) < len(concept.literals):
            raise ValueError(f"{concept} has a variable and its negation: it never changes")
        if monotone and not concept.monotone:
            raise ValueError(f"{concept} is not monotone")
        self.concept, self.n = concept, _wide_enough(concept, n)
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
        """The examples one by one, whoever learns."""
        return _lesson(self.concept, self.examples)


class Nature:
    """Protocol III: examples come as nature draws them, and the target labels them.

    Parameters
    ----------
    rounds
        How many examples the lesson has.
    sampler
        The distribution: called with a random generator, how many examples, and n; returns their
        truth values, a row each. If not given, each variable is on with chance 1/2.
    seed
        Of the random generator. Each lesson begins with it again.

    References
    ----------
    Valiant (1984), *A theory of the learnable*.
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
            raise ValueError(f"a lesson has at least one round, got {rounds=}")
        self.concept, self.n = concept, _wide_enough(concept, n)
        self.rounds, self.seed = rounds, seed
        self._sampler = each_on(0.5) if sampler is None else sampler

    def teach(self, learner: Learner) -> Iterator[Block]:
        """The examples as they are drawn, whoever learns."""
        return _lesson(self.concept, self._drawn())

    def _drawn(self) -> Iterator[Truths]:
        dice = np.random.default_rng(self.seed)
        for at in range(0, self.rounds, _AT_ONCE):
            count = min(_AT_ONCE, self.rounds - at)
            drawn = np.asarray(self._sampler(dice, count, self.n))
            if drawn.shape != (count, self.n):
                raise ValueError(
                    f"the sampler was asked for {count} examples of {self.n} variables and "
                    f"returned an array of shape {drawn.shape}"
                )
            for i, x in enumerate(drawn, at):
                yield truths(x, self.n, name=f"row {i}, as the sampler drew it,")


class Recorded:
    """Protocol III with examples that nature drew before: a list of them, labelled by the target.

    References
    ----------
    Valiant (1984), *A theory of the learnable*.
    """

    def __init__(self, concept: Concept, n: int, examples: Sequence[Any] | Truths) -> None:
        self.concept, self.n = concept, _wide_enough(concept, n)
        self.examples = [truths(x, n, name=f"row {i}") for i, x in enumerate(examples)]

    def teach(self, learner: Learner) -> Iterator[Block]:
        """The examples in their order, whoever learns."""
        return _lesson(self.concept, self.examples)


def each_on(density: float) -> Sampler:
    """The distribution in which each variable is on with this chance, whatever the others are."""
    if not 0 <= density <= 1:
        raise ValueError(f"a chance is from 0 to 1, got {density=}")
    return lambda dice, count, n: dice.random((count, n)) < density


def _lesson(concept: Concept, examples: Iterable[Truths], *, first: int = 0) -> Iterator[Block]:
    for i, x in enumerate(examples, first):
        yield labelled([x], np.array([concept(x)]), first=i)


def _wide_enough(concept: Concept, n: int) -> int:
    expect_concept(concept)
    if concept.width > n:
        raise ValueError(f"{concept} needs {concept.width} variables, and there are {n}")
    return n


LECTURE_TARGET = Conjunction((2, 3, 4, 5, 100))
_MIDDLE = "0" * 93

_EXAMPLES = (
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
    """The eight examples of 100 variables that nature draws, labelled by x₂ ∧ x₃ ∧ x₄ ∧ x₅ ∧ x₁₀₀.

    Elimination ends with x₁ too many: x₁ is on in every positive one.

    >>> lecture_examples().labels.tolist()
    [1, -1, 1, -1, 1, -1, 1, -1]
    """
    X = [truths(text) for text in _EXAMPLES]
    return labelled(X, LECTURE_TARGET.evaluate(X))
