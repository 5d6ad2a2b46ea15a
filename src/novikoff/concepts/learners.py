"""Concepts learned one example at a time: the loop over a block, and what its learners share.

What the learners that keep the consistent concepts share: the version space.

CON: one concept that is still consistent predicts.

Halving: the majority of the concepts still consistent predicts.

Littlestone's standard optimal algorithm: leave as few mistakes to come as possible.

Weighted majority: concepts that err lose weight, and none is ever ruled out.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from novikoff.concepts.classes import ConceptClass, TooLarge, expect_class
from novikoff.concepts.dimensions import Columns, Littlestone, mask
from novikoff.concepts.examples import Truths, truths_of_row
from novikoff.concepts.functions import Concept
from novikoff.concepts.version_space import VersionSpace
from novikoff.ledger.ledger import Keep, Ledger, Mistakes
from novikoff.stream.blocks import Block
from novikoff.stream.problems import BadExample
from novikoff.stream.rows import Positions, Rows, Vector
from novikoff.stream.sums import dot

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


class Pruning(ConceptLearner):
    """A learner whose every example, mistaken or not, rules out the concepts that it refutes.

    Attributes
    ----------
    space
        The concepts consistent with all examples met; iterating gives them.
    """

    def __init__(self, concepts: ConceptClass) -> None:
        super().__init__(concepts)
        self.space = VersionSpace(concepts)

    @property
    def left(self) -> int:
        """How many concepts are consistent with all examples met."""
        return self.space.size

    @property
    def hypothesis(self) -> Concept | None:
        """The one concept left, when there is only one."""
        return self.concepts[self.space.first()] if self.left == 1 else None

    @property
    def most_examples(self) -> int:
        """How many examples are met before `play` may be interrupted."""
        return self.space.most_examples

    def key(self) -> Hashable:
        """All that its predictions from here on depend on."""
        return self.space.key()

    def take(self, x: Truths, label: bool) -> bool:
        """Keep the concepts that say the label; False, and no change, if there are none."""
        return self.space.keep(x, label)


Choose: TypeAlias = Literal["first", "random"]


class Consistent(Pruning):
    """Predict with one concept consistent with all examples met; after a mistake, with another.

    A mistake refutes at least the concept that made it, and the target is never refuted: at most
    |C| − 1 mistakes. Where the concept is drawn at random, and the examples were chosen without
    looking at the draws, at most 1/2 + 1/3 + … + 1/|C| ≤ ln|C| are expected: an example that
    refutes r of the m concepts left is mistaken with chance r/m, at most 1/m + … + 1/(m − r + 1).
    The score is +1 or −1.

    Parameters
    ----------
    choose
        "first" takes the first in the class's order, "random" any, each with the same chance.
    seed
        What the draws depend on.

    References
    ----------
    Littlestone (1988), Section 3; Shalev-Shwartz & Ben-David (2014), Section 21.1.
    """

    def __init__(self, concepts: ConceptClass, *, choose: Choose = "first", seed: int = 0) -> None:
        if choose not in ("first", "random"):
            raise ValueError(f"choose must be 'first' or 'random', not {choose!r}")
        super().__init__(concepts)
        self.choose = choose
        self._dice = np.random.default_rng(seed)
        self._place = self._another()

    @property
    def hypothesis(self) -> Concept:
        """The concept that predicts."""
        return self.concepts[self._place]

    def key(self) -> Hashable:
        """All that its predictions from here on depend on."""
        drawn = self.choose == "random" and str(self._dice.bit_generator.state)
        return super().key(), self._place, drawn

    def score(self, x: Truths) -> float:
        """+1 if its concept says true, else −1."""
        return 1.0 if self._says(x) else -1.0

    def take(self, x: Truths, label: bool) -> bool:
        """Keep the concepts that say the label; False, and no change, if there are none."""
        if not super().take(x, label):
            return False
        if self._says(x) != label:
            self._place = self._another()
        return True

    def _says(self, x: Truths) -> bool:
        return bool(self.concepts.say_some(np.array([self._place]), x)[0])

    def _another(self) -> int:
        return self.space.first() if self.choose == "first" else self.space.draw(self._dice)


class Halving(Pruning):
    """Predict what most of the concepts left say; every example rules out those that it refutes.

    A mistake refutes at least half of those left, and the target is never refuted: at most
    ⌊log₂|C|⌋ mistakes, whatever the examples and their order. That is not always the fewest
    possible; see `Optimal`. The score is the share of those left that say true less the share that
    say false; a tie says +1.

    >>> from novikoff import play
    >>> from novikoff.concepts import Halving, conjunctions, labelled
    >>> learner = Halving(conjunctions(3, monotone=True))
    >>> run = play(labelled([[1, 1, 0], [1, 0, 1], [0, 1, 0]], [True, False, True]), learner)
    >>> run.ledger.n_mistakes, str(learner.hypothesis)
    (1, 'x₂')

    References
    ----------
    Bārzdiņš & Freivalds (1972); Littlestone (1988), Section 3.
    """

    def score(self, x: Truths) -> float:
        """The share of the concepts left that say true less the share that say false."""
        false, true = self.space.split(x)
        return (true - false) / self.left


class Optimal(Pruning):
    """Predict the label whose concepts, of those left, have the larger Littlestone dimension.

    Two parts that both had the dimension of the whole would give the whole one more; so a mistake
    leaves a smaller dimension than before, and there are at most as many mistakes as the dimension
    of the class. No learner has a smaller bound. For classes small enough to find dimensions;
    others raise TooLarge, here or, if the sets of concepts get too many, while learning. The score
    is the dimension of those left that say true less that of those that say false (−1 if there are
    none); a tie says +1.

    References
    ----------
    Littlestone (1988), Section 3, the standard optimal algorithm.
    """

    def __init__(self, concepts: ConceptClass) -> None:
        super().__init__(concepts)
        self._known = Littlestone(Columns(concepts))

    def score(self, x: Truths) -> float:
        """The dimension of those that say true less the dimension of those that say false."""
        places = self.space.places()
        said = self.concepts.say_some(places, x)
        return float(self._dimension(places[said]) - self._dimension(places[~said]))

    def _dimension(self, places: Positions) -> int:
        on = np.zeros(self.concepts.size, dtype=np.bool_)
        on[places] = True
        return self._known.dimension(mask(on))


MOST_COUNTED = 1 << 24
_COUNTS = 1 << 22  # looked at in some tens of milliseconds
_LEAST = math.ulp(0.0)


class WeightedMajority(ConceptLearner):
    """Predict what the heavier concepts say; each that was wrong weighs β times as much from then.

    When some concept is wrong on k of the examples, at most (k·ln(1/β) + ln|C|)/ln(2/(1 + β))
    mistakes are made, so labels may be wrong. A concept loses weight in every round in which it was
    wrong. The bound needs only that the total weight never grows, and that a mistake leaves at most
    (1 + β)/2 of it: so it would also hold if only mistakes cost weight; but every round has
    something to teach, and so β = 0 is the halving algorithm. With β = 0, and only then, there may
    be no concept left that fits.

    A concept's weight is β to the number of times it was wrong. These numbers are kept, and votes
    are compared in integers, so the prediction is exact however small the weights. The score is
    the share of the weight that says true less the share that says false, rounded, but never to
    another sign; a tie says +1.

    Parameters
    ----------
    beta
        0 ≤ β < 1, as a fraction or a float, which is taken as the fraction it is.

    References
    ----------
    Littlestone & Warmuth (1994), Section 2.
    """

    def __init__(self, concepts: ConceptClass, beta: Fraction | float = Fraction(1, 2)) -> None:
        super().__init__(concepts)
        if not 0 <= beta < 1:
            raise ValueError(f"beta must be at least 0 and less than 1, not {beta!r}")
        if concepts.size > MOST_COUNTED:
            raise TooLarge(
                f"{concepts} has {concepts.size:,} concepts; weighted majority counts the errors "
                f"of each, for up to {MOST_COUNTED:,} of them"
            )
        self.beta = Fraction(beta)
        self._wrong = np.zeros(concepts.size, dtype=np.int64)

    @property
    def left(self) -> int:
        """How many concepts have any weight: all of them, unless β is 0."""
        return self.concepts.size if self.beta else int(np.count_nonzero(self._wrong == 0))

    @property
    def fewest(self) -> int:
        """k: on how many of the examples met the best concept was wrong."""
        return int(self._wrong.min())

    @property
    def hypothesis(self) -> Concept:
        """The concept that was wrong least often; the first of these."""
        return self.concepts[int(self._wrong.argmin())]

    @property
    def most_examples(self) -> int:
        """How many examples are met before `play` may be interrupted."""
        return max(1, min(1 << 10, _COUNTS // self.concepts.size))

    def score(self, x: Truths) -> float:
        """The share of the weight that says true less the share that says false."""
        said, least = self._says(x), self.fewest
        counts = np.bincount(self._wrong - least)
        leads = 2 * np.bincount((self._wrong - least)[said], minlength=len(counts)) - counts
        weights = np.cumprod(np.append(1.0, np.full(len(counts) - 1, float(self.beta))))
        share = dot(leads.astype(np.float64), weights) / dot(counts.astype(np.float64), weights)
        sign = self._lead(leads, counts)
        if sign == 0:
            return 0.0
        return max(share, _LEAST) if sign > 0 else min(share, -_LEAST)

    def take(self, x: Truths, label: bool) -> bool:
        """Count who was wrong; False, and no change, if β is 0 and no concept fits."""
        wrong = self._says(x) != label
        if self.beta == 0 and not (~wrong & (self._wrong == 0)).any():
            return False
        self._wrong += wrong
        return True

    def _says(self, x: Truths) -> Truths:
        bits = self.concepts.say(x).view(np.uint8)
        return np.unpackbits(bits, count=self.concepts.size, bitorder="little").astype(np.bool_)

    def _lead(self, leads: Positions, counts: Positions) -> int:
        """A number with the sign of Σ leads[c]·βᶜ, when |leads| ≤ counts; exactly.

        Up to c the sum is total/qᶜ, for β = p/q; those to come weigh at most later·(p/q)ᶜ⁺¹.
        """
        p, q = self.beta.as_integer_ratio()
        total, power, later = 0, 1, int(counts.sum())
        for lead, count in zip(leads.tolist(), counts.tolist(), strict=True):
            total = total * q + lead * power
            power *= p
            later -= count
            if abs(total) * q > later * power:
                break
        return total
