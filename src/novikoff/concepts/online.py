"""Concepts learned one example at a time: the loop over a block, and what its learners share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from novikoff.concepts.attributes import Truths, truths_of_row
from novikoff.concepts.classes import ConceptClass, TooLarge, expect_class
from novikoff.examples import Block
from novikoff.ledger import Keep, Ledger
from novikoff.mistakes import Mistakes
from novikoff.rows import BadExample, Rows, Vector

Step: TypeAlias = Callable[[Truths, bool], float]


class Contradiction(Exception):  # noqa: N818  (it says what was met)
    """What a learner says of an example that nothing of its class fits; it has not changed."""


def meet(
    block: Block, begin: int, end: int, *, dim: int, rounds: int, step: Step
) -> tuple[int, Mistakes]:
    """Meet examples begin..end of the block in its order, when so many rounds have been played.

    `step` is told an example and its label, learns, and returns the score the example had before;
    a score from 0 says +1. Where it raises, it has not changed. Stops before an example that cannot
    be used; if that is the first one, raises BadExample, which names it, or TooLarge.
    """
    made = list[tuple[int, int, float, float, int]]()
    for at in range(begin, end):
        i = at if block.order is None else int(block.order[at])
        try:
            counts = once(block, i)
            x, label = truths_of_row(block, i, dim), bool(block.signs[i] > 0)
            score = step(x, label) if counts else 0.0
        except (BadExample, TooLarge, Contradiction) as error:
            if at > begin:
                return at, _columns(made, block)
            if isinstance(error, Contradiction):
                raise BadExample(f"{_name(block, i)}: {error}") from None
            raise
        if counts and (score >= 0) != label:
            y = 1.0 if label else -1.0
            made.append((rounds + at - begin + 1, i, score, y, int(np.count_nonzero(x))))
    return end, _columns(made, block)


class ConceptLearner(ABC):
    """A learner of the concepts of a class: it says a score, and is told what is true.

    Attributes
    ----------
    concepts, dim
        The class, and its number of variables: an example has so many attributes, each 0 or 1.
    rounds
        How many examples it has met.
    weights
        None: it has no weights.
    """

    weights = None

    def __init__(self, concepts: ConceptClass) -> None:
        expect_class(concepts)
        self.concepts, self.dim, self.rounds = concepts, concepts.n, 0

    @abstractmethod
    def score(self, x: Truths) -> float:
        """How sure it is that the label is +1; from 0 on, +1 is its prediction."""

    @abstractmethod
    def take(self, x: Truths, label: bool) -> bool:
        """Learn the label of an example; False, and no change, if no concept fits."""

    @property
    @abstractmethod
    def left(self) -> int:
        """How many concepts still have a say."""

    @property
    def most_examples(self) -> int:
        """How many examples are met before `play` may be interrupted: some milliseconds' worth."""
        return 1 << 10

    def scores(self, rows: Rows) -> Vector:
        """The score of each row, which changes nothing."""
        block = Block(rows, np.ones(len(rows), dtype=np.int8))
        each = (self.score(truths_of_row(block, i, self.dim)) for i in range(len(rows)))
        return np.fromiter(each, dtype=np.float64, count=len(rows))

    def learn(self, block: Block, begin: int, end: int) -> tuple[int, Mistakes]:
        """Predict, and learn the label, for examples begin..end of the block, in its order.

        Where it stopped, and the mistakes. It stops before an example it cannot use, and asked to
        begin with that one raises BadExample and changes nothing; it also stops after a while.
        """
        end = min(end, begin + self.most_examples)
        stop, mistakes = meet(
            block, begin, end, dim=self.dim, rounds=self.rounds, step=self._learn_one
        )
        self.rounds += stop - begin
        return stop, mistakes

    def open_ledger(self, keep: Keep = "examples") -> Ledger:
        """An empty ledger that starts where this learner stands."""
        return Ledger(self.dim, began=self.rounds, keep=keep, rule="concepts")

    def _learn_one(self, x: Truths, label: bool) -> float:
        score = self.score(x)
        if not self.take(x, label):
            raise Contradiction(
                f"no concept of the class fits its label {'+1' if label else '-1'} and the "
                "examples before it; if labels may be wrong, WeightedMajority lives with noise"
            )
        return score


def once(block: Block, i: int) -> bool:
    """Whether the example is to be learned from: not if its importance is 0."""
    if not 0 <= i < len(block):
        raise BadExample(f"row {block.first + i}: there is no such row")
    importance = 1.0 if block.importances is None else float(block.importances[i])
    if importance not in (0.0, 1.0):
        raise BadExample(
            f"{_name(block, i)}: its importance is {importance!r}; a concept is ruled out or not, "
            "so an example can count once (1) or not at all (0)"
        )
    return importance == 1.0


def _name(block: Block, i: int) -> str:
    return f"row {int(block.positions(np.array([i]))[0])}"


def _columns(made: list[tuple[int, int, float, float, int]], block: Block) -> Mistakes:
    def column(j: int) -> NDArray[np.float64]:
        return np.array([one[j] for one in made], dtype=np.float64)

    rounds, which = (column(j).astype(np.int64) for j in (0, 1))
    return Mistakes(rounds, block.positions(which), column(2), column(3), column(4))
