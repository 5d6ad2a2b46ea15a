"""Learners that know which literals are possible and which are certain, and ask about the rest."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from novikoff.concepts.examples import Truths, labels_of, truths
from novikoff.concepts.functions import Conjunction, Disjunction
from novikoff.concepts.learners import ConceptLearner, Contradiction
from novikoff.stream.rows import Rows, Vector


class _Asking(ConceptLearner):
    """Keeps 2n literals, plain ones first; for a disjunction, examples and labels are negated."""

    negated: ClassVar[bool]
    form: ClassVar[type[Conjunction | Disjunction]]

    def __init__(self, n: int, known: Any, *, monotone: bool) -> None:
        super().__init__(n)
        self.monotone = bool(monotone)
        self._possible = np.repeat([True, not monotone], n)
        self._certain = np.zeros(2 * n, dtype=np.bool_)
        self._unexplained: list[Truths] = []  # negative examples with no certain literal false
        self._known = np.ones(n, dtype=np.bool_) if monotone else None
        if known is not None:
            given = truths(known, n, name="the example given") ^ self.negated
            self._possible &= _literals(given)
            self._known = given

    @property
    def hypothesis(self) -> Conjunction | Disjunction:
        """The concept it predicts with: all possible literals."""
        return self._of(self._possible)

    @property
    def necessary(self) -> Conjunction | Disjunction:
        """The literals that are certain to be in the target."""
        return self._of(self._certain)

    @property
    def exact(self) -> bool:
        """Whether every possible literal is certain, so that the hypothesis is the target."""
        return bool((self._possible == self._certain).all())

    def question(self) -> Truths | None:
        """The known example with an undecided literal flipped; None when all are decided."""
        if self.exact:
            return None
        if self._known is None:
            label = "negative" if self.negated else "positive"
            raise ValueError(
                f"without monotone=True, questions need one {label} example: "
                f"pass {label}=, or learn one first"
            )
        asked = self._known ^ self.negated
        asked[np.argmax(self._possible & ~self._certain) % self.dim] ^= True
        return asked

    def scores(self, rows: Rows) -> Vector:
        """+1 for each row at which the hypothesis is true, −1 for the others."""
        self.expect_dim(rows)
        return labels_of(self.hypothesis.evaluate(rows)).astype(np.float64)

    def _step(self, x: Truths, label: bool) -> float:
        true, positive = _literals(x ^ self.negated), label ^ self.negated
        left = self._possible & true if positive else self._possible
        mistaken = bool((left != self._possible).any())
        to_explain = self._unexplained if mistaken else [] if positive else [true]
        false, why = [left & ~other for other in to_explain], ""
        if (self._certain & ~left).any():
            why = "it rules out a literal that other examples need"
        elif not all(one.any() for one in false):
            why = "no literal separates it from the other label"
        if why:
            raise Contradiction.of_literals(why, self.form, self.monotone)
        for one in false:
            if np.count_nonzero(one) == 1:
                self._certain |= one
        self._possible = left
        kept = self._unexplained if positive else [*self._unexplained, true]
        self._unexplained = [other for other in kept if not (self._certain & ~other).any()]
        if positive and self._known is None:
            self._known = true[: self.dim]
        return 1.0 if mistaken != label else -1.0

    def _of(self, literals: Truths) -> Conjunction | Disjunction:
        plain, negated = np.flatnonzero(literals[: self.dim]), np.flatnonzero(literals[self.dim :])
        return self.form((*(plain + 1).tolist(), *(-negated - 1).tolist()))


class AskingConjunction(_Asking):
    """Keep the literals that are possible and those that are certain, and ask about the others.

    To ask about a literal it flips it in a known positive example: all ones if `monotone`,
    otherwise `positive` or the first one seen. So n questions find any conjunction (Angluin 1988).
    It predicts with all possible literals: at most n mistakes, n + 1 if not `monotone`.
    """

    negated = False
    form = Conjunction

    def __init__(self, n: int, *, positive: Any = None, monotone: bool = True) -> None:
        super().__init__(n, positive, monotone=monotone)


class AskingDisjunction(_Asking):
    """`AskingConjunction` with true and false exchanged, in the examples and in their labels."""

    negated = True
    form = Disjunction

    def __init__(self, n: int, *, negative: Any = None, monotone: bool = True) -> None:
        super().__init__(n, negative, monotone=monotone)


def _literals(x: Truths) -> Truths:
    """Which of the 2n literals are true."""
    return np.concatenate([x, ~x])
