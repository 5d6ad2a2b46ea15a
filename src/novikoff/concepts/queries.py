"""Learners that know what they do not know: which literals are possible, and which are certain."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from novikoff.concepts.examples import Truths, labels_of, truths
from novikoff.concepts.functions import Conjunction, Disjunction
from novikoff.concepts.learners import Contradiction, meet
from novikoff.ledger.ledger import Keep, Ledger, Mistakes
from novikoff.stream.blocks import Block
from novikoff.stream.problems import BadExample
from novikoff.stream.rows import Rows, Vector


@runtime_checkable
class Asks(Protocol):
    """A learner that can be taught by answers to its own questions."""

    def question(self) -> Truths | None:
        """The example it wants to know about, or None if it wants to know no more."""


class _Asking(ABC):
    """What the two have in common: a conjunction over the examples, turned for a disjunction.

    Literals are 2n truth values, the n plain ones first.
    """

    turned: ClassVar[bool]
    kind: ClassVar[str]

    def __init__(self, n: int, known: Any, *, monotone: bool) -> None:
        if n < 1:
            raise ValueError(f"there must be at least one variable, got {n=}")
        self.n, self.monotone, self.rounds = n, bool(monotone), 0
        self._possible = np.repeat([True, not monotone], n)
        self._certain = np.zeros(2 * n, dtype=np.bool_)
        self._open: list[Truths] = []  # negative examples with no certain literal off
        self._known = np.ones(n, dtype=np.bool_) if monotone else None
        if known is not None:
            given = truths(known, n, name="the example given") ^ self.turned
            self._possible &= _literals(given)
            self._known = given

    @property
    def weights(self) -> None:
        """None: what it does next depends on literals, not on weights."""
        return

    @property
    @abstractmethod
    def hypothesis(self) -> Conjunction | Disjunction:
        """What it predicts with: all the possible literals."""

    @property
    @abstractmethod
    def necessary(self) -> Conjunction | Disjunction:
        """The literals that are certain to be in the target."""

    @property
    def exact(self) -> bool:
        """Whether every possible literal is certain: the hypothesis is then the target."""
        return bool((self._possible == self._certain).all())

    def question(self) -> Truths | None:
        """The known example with one undecided literal turned; None when all are decided.

        All other possible literals are as before, so the answer decides this one.
        """
        undecided = np.flatnonzero(self._possible & ~self._certain)
        if len(undecided) == 0:
            return None
        if self._known is None:
            label = "negative" if self.turned else "positive"
            raise ValueError(
                f"questions about literals that may be negated need one {label} example: "
                f"give it as {label}=, or let a teacher show one first"
            )
        asked = self._known ^ self.turned
        asked[undecided[0] % self.n] ^= True
        return asked

    def open_ledger(self, keep: Keep = "examples") -> Ledger:
        """An empty ledger that starts where this learner stands."""
        return Ledger(self.n, began=self.rounds, keep=keep, rule="concepts")

    def scores(self, rows: Rows) -> Vector:
        """+1 for each row of which the hypothesis is true, −1 for the others."""
        if rows.dim != self.n:
            raise BadExample(f"rows have {rows.dim} attributes, the learner has {self.n}")
        return labels_of(self.hypothesis.evaluate(rows)).astype(np.float64)

    def learn(self, block: Block, begin: int, end: int) -> tuple[int, Mistakes]:
        """Predict, reveal and decide literals for examples begin..end of the block, in its order.

        Stops early before an example it cannot use; asked to begin with that one, it raises
        BadExample and changes nothing.
        """
        at, mistakes = meet(block, begin, end, dim=self.n, rounds=self.rounds, step=self._learn_one)
        self.rounds += at - begin
        return at, mistakes

    def _learn_one(self, x: Truths, label: bool) -> float:
        return 1.0 if self._meet(x, label) != label else -1.0

    def _meet(self, x: Truths, label: bool) -> bool:
        """Learn from one example; whether the hypothesis was wrong about it."""
        true, positive = _literals(x ^ self.turned), label ^ self.turned
        left = self._possible & true if positive else self._possible
        mistaken = bool((left != self._possible).any())
        if (self._certain & ~left).any():
            raise self._contradiction("it needs a literal dropped that others proved necessary")
        asked = self._open if mistaken else [] if positive else [true]
        off = [left & ~other for other in asked]
        if not all(one.any() for one in off):
            raise self._contradiction("no literal is left to tell it from those of the other label")
        for one in off:
            if np.count_nonzero(one) == 1:
                self._certain |= one
        self._possible = left
        kept = self._open if positive else [*self._open, true]
        self._open = [other for other in kept if not (self._certain & ~other).any()]
        if positive and self._known is None:
            self._known = true[: self.n]
        return mistaken

    def _contradiction(self, how: str) -> Contradiction:
        return Contradiction(
            f"{how}: no {'monotone ' * self.monotone}{self.kind} fits this example and all before "
            "it. If labels may be wrong, WeightedMajority lives with noise"
        )

    def _numbers(self, literals: Truths) -> tuple[int, ...]:
        plain, negated = np.flatnonzero(literals[: self.n]), np.flatnonzero(literals[self.n :])
        return (*(plain + 1).tolist(), *(-negated - 1).tolist())


class AskingConjunction(_Asking):
    """Keep the literals that are possible and those that are certain, and ask about the others.

    A positive example leaves only the literals that are on in it. A negative one with exactly one
    possible literal off proves that this one is necessary, then or when positive examples have
    left only one. When all possible literals are certain the target is known, exactly.

    To ask about a literal it turns it in a known positive example: the example of all ones if
    `monotone`, otherwise `positive` or the first one met. So n questions find any conjunction.
    It predicts with all possible literals: at most n mistakes, n + 1 if not `monotone`.

    References
    ----------
    Angluin (1988) for membership queries; Valiant (1984).

    >>> learner = AskingConjunction(2)
    >>> learner.question()
    array([False,  True])
    """

    turned = False
    kind = "conjunction"

    def __init__(self, n: int, *, positive: Any = None, monotone: bool = True) -> None:
        super().__init__(n, positive, monotone=monotone)

    @property
    def hypothesis(self) -> Conjunction:
        """What it predicts with: all the possible literals."""
        return Conjunction(self._numbers(self._possible))

    @property
    def necessary(self) -> Conjunction:
        """The literals that are certain to be in the target."""
        return Conjunction(self._numbers(self._certain))


class AskingDisjunction(_Asking):
    """`AskingConjunction` with true and false exchanged, in the examples and in their labels.

    It turns literals in a known negative example: all zeros if `monotone`, otherwise `negative` or
    the first one met.

    References
    ----------
    Angluin (1988); Valiant (1984).
    """

    turned = True
    kind = "disjunction"

    def __init__(self, n: int, *, negative: Any = None, monotone: bool = True) -> None:
        super().__init__(n, negative, monotone=monotone)

    @property
    def hypothesis(self) -> Disjunction:
        """What it predicts with: all the possible literals."""
        return Disjunction(self._numbers(self._possible))

    @property
    def necessary(self) -> Disjunction:
        """The literals that are certain to be in the target."""
        return Disjunction(self._numbers(self._certain))


def _literals(z: Truths) -> Truths:
    """Which of the 2n literals are true."""
    return np.concatenate([z, ~z])
