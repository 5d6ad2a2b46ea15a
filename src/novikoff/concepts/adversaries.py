"""Adversaries of finite classes: one that adapts to any learner, and sequences that meet bounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from novikoff.concepts.attributes import Truths, every_example, labelled, truths
from novikoff.concepts.classes import ConceptClass
from novikoff.concepts.functions import Concept, Conjunction, Disjunction
from novikoff.concepts.subsets import conjunctions, disjunctions
from novikoff.concepts.version_space import VersionSpace
from novikoff.examples import Block
from novikoff.learners import Learner
from novikoff.rows import DenseRows

_EVERY = 10  # up to so many variables all examples are candidates
_RANDOM = 64


class Adversary:
    """Show any learner an example it gets wrong, for as long as a concept fits all that was said.

    It knows the learner and does not choose a target: of the examples whose prediction can be
    denied, it takes the one that leaves most concepts if it is. At the end the learner is right
    about all candidates, and one concept at least has labelled the whole sequence.

    A deterministic learner makes as many mistakes as there are rounds, if a score from 0 on says +1
    or is a mistake either way. `play` pulls the sequence:
    `play(adversary.against(learner), learner)`.

    Parameters
    ----------
    concepts
        The class, which must be small enough to enumerate.
    candidates
        The examples to choose from. If not given, all of them up to 10 variables; for more, those
        with no variable, one, all but one, or all on, and 64 drawn at random.
    enough
        Take the first candidate that leaves this share of the concepts, without looking for a
        better one: to ask very many concepts takes its time. If not given, all are looked at.

    References
    ----------
    Littlestone (1988), Section 3: no learner can do better than this game's value, and a class
    whose splits are even (all monotone disjunctions) forces log₂|C| mistakes on any learner.
    """

    def __init__(
        self,
        concepts: ConceptClass,
        *,
        candidates: Sequence[Any] | Truths | None = None,
        enough: float = 1.0,
    ) -> None:
        if not 0 < enough <= 1:
            raise ValueError(f"enough is a share of concepts, above 0 and up to 1, not {enough}")
        self.concepts, self.enough = concepts, enough
        self._left = VersionSpace(concepts)
        given = _telling(concepts.n) if candidates is None else candidates
        named = (truths(x, concepts.n, name=f"candidate {i}") for i, x in enumerate(given))
        self.candidates = np.array(list(named)).reshape(-1, concepts.n)

    @property
    def target(self) -> Concept:
        """A concept that fits everything said so far to the last learner."""
        return self.concepts.concept(self._left.first())

    @property
    def left(self) -> int:
        """How many concepts fit everything said so far to the last learner."""
        return self._left.size

    def against(self, learner: Learner, *, rounds: int | None = None) -> Iterator[Block]:
        """The sequence for this learner, at most so many rounds long.

        It ends by itself when the learner is right about every candidate. A learner that cannot
        express the concepts may never be; then `rounds` ends it.
        """
        self._left = VersionSpace(self.concepts)
        first = 0
        while rounds is None or first < rounds:
            found = self._worst_for(learner)
            if found is None:
                return
            x, y = found
            self._left.keep(x, y)
            yield labelled([x], [y], first=first)
            first += 1

    def _worst_for(self, learner: Learner) -> tuple[Truths, bool] | None:
        """The candidate, and its label, that the learner gets wrong and that leaves most."""
        found, most = None, 0
        for x in self.candidates:
            y = bool(learner.scores(DenseRows(x[None].astype(np.float32)))[0] < 0)
            after = self._left.split(x)[y]
            if after > most:
                found, most = (x, y), after
            if most >= self.enough * self._left.size:
                break
        return found


def _telling(n: int) -> Truths:
    """Examples that tell concepts apart: all, or those that tell single variables, and others."""
    if n <= _EVERY:
        return every_example(n)
    single, dice = np.eye(n, dtype=np.bool_), np.random.default_rng(0)
    same = np.array([[False] * n, [True] * n])
    return np.concatenate([single, ~single, same, dice.random((_RANDOM, n)) < 0.5])


@dataclass(frozen=True, slots=True)
class HardSequence:
    """Examples labelled by a target of the class, on each of which a certain learner errs."""

    concepts: ConceptClass
    target: Concept
    block: Block


def against_con(n: int) -> HardSequence:
    """|C| − 1 = n − 1 mistakes of a learner that predicts with the first consistent concept.

    The class is that of the n single variables. Each example has one variable on and denies it:
    every time the concept that predicted is ruled out, and no other.

    References
    ----------
    Littlestone (1988), Section 3: halving makes one mistake on these at most.
    """
    target, concepts = Conjunction((n,)), conjunctions(n, k=1, monotone=True)
    return _labelled(concepts, target, np.eye(n, dtype=np.bool_)[:-1])


def against_halving(n: int) -> HardSequence:
    """log₂|C| = n mistakes of halving, when a tie says true: on the 2ⁿ monotone disjunctions.

    Half of the disjunctions left have the variable that alone is on, and each time none of these is
    the target, ⊥. All learners err n times if the labels may depend on what they say: see
    `Adversary`.

    References
    ----------
    Littlestone (1988), Section 3.
    """
    return _labelled(disjunctions(n, monotone=True), Disjunction(()), np.eye(n, dtype=np.bool_))


def against_elimination(n: int, *, monotone: bool) -> HardSequence:
    """The n mistakes of elimination of conjunctions; n + 1 if literals may be negated.

    Every example is positive, for the target is ⊤. If literals may be negated the first has all
    variables on, and leaves the plain ones; then each is off once, alone, and is dropped.

    References
    ----------
    Littlestone (1988), Section 3.
    """
    each_off = ~np.eye(n, dtype=np.bool_)
    X = each_off if monotone else np.concatenate([np.ones((1, n), dtype=np.bool_), each_off])
    return _labelled(conjunctions(n, monotone=monotone), Conjunction(()), X)


def _labelled(concepts: ConceptClass, target: Concept, X: Truths) -> HardSequence:
    return HardSequence(concepts, target, labelled(X, target.evaluate(X)))
