"""Adversaries of finite classes: one that adapts to any learner, and sequences that meet bounds.

The game between a learner and an adversary, played to its end.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np

from novikoff.concepts.classes import ConceptClass, TooLarge, expect_class
from novikoff.concepts.dimensions import mask
from novikoff.concepts.examples import Truths, every_example, labelled, truths
from novikoff.concepts.families import conjunctions, disjunctions
from novikoff.concepts.functions import Concept, Conjunction, Disjunction
from novikoff.concepts.version_space import VersionSpace
from novikoff.learners import Learner
from novikoff.stream.blocks import Block
from novikoff.stream.rows import DenseRows

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


MOST_VARIABLES = 8
MOST_MOVES = 1 << 19  # about a minute

Path: TypeAlias = tuple[tuple[int, bool], ...]  # which example, and its label


@runtime_checkable
class Keyed(Protocol):
    """A learner that can say, as something hashable, all that it does from here on depends on.

    A state once left must not come back: so it is with learners that rule concepts out.
    """

    def key(self) -> Hashable:
        """The same for two learners that will do the same."""


class WorstCase(NamedTuple):
    """The most mistakes, and examples by which the learner makes them: the last is a mistake.

    Some concept of the class says all their labels.
    """

    mistakes: int
    sequence: Block


def worst_case(
    make_learner: Callable[[], Learner], concepts: ConceptClass, *, depth: int | None = None
) -> WorstCase:
    """The most mistakes a deterministic learner can be made to make on a concept of the class.

    In every round every example, and every label of it that fits some concept and all that came
    before, is tried: no adversary does better, however it adapts. A learner with a `key` is played
    to the end, because what follows a state met before is known. Any other is copied, and played
    for `depth` rounds.

    >>> from novikoff.concepts import Halving, parities
    >>> worst_case(lambda: Halving(parities(2)), parities(2)).mistakes
    2
    """
    learner = make_learner()
    if depth is None and not isinstance(learner, Keyed):
        raise ValueError(
            f"{type(learner).__name__} has no `key` to know its states by, so that the game need "
            "not end; say with depth= how many rounds to play"
        )
    game = _Game(concepts)
    mistakes, path = game.most(learner, game.everyone, depth)
    X = np.array([game.examples[i] for i, _ in path]).reshape(-1, concepts.n)
    said = np.array([label for _, label in path], dtype=np.bool_)
    return WorstCase(mistakes, labelled(X, said))


class _Game:
    """All moves of the adversary, and what is known of the positions met."""

    def __init__(self, concepts: ConceptClass) -> None:
        expect_class(concepts)
        if concepts.n > MOST_VARIABLES:
            raise TooLarge(
                f"{concepts}: the game tries all 2^{concepts.n} examples in every round, and that "
                f"is feasible up to {MOST_VARIABLES} variables; an adversary of `against` picks one"
            )
        self.examples = every_example(concepts.n)
        self.everyone = (1 << concepts.size) - 1
        self._columns = [mask(said) for said in concepts.evaluate(self.examples)]
        self._blocks = [
            [labelled(x[None], np.array([label])) for label in (False, True)] for x in self.examples
        ]
        self._known: dict[Hashable, tuple[int, Path]] = {}
        self._open = set[Hashable]()
        self._moves = 0

    def most(self, learner: Learner, left: int, depth: int | None) -> tuple[int, Path]:
        """The most mistakes in so many rounds when the target is one of those left, and how."""
        if depth == 0:
            return 0, ()
        position = (learner.key(), left, depth) if isinstance(learner, Keyed) else None
        if position in self._known:
            return self._known[position]
        if position in self._open:
            raise ValueError(
                f"{type(learner).__name__} comes back to a state it has left, so that the game "
                "does not end; say with depth= how many rounds to play"
            )
        if position is not None:
            self._open.add(position)
        best: tuple[int, Path] = 0, ()
        for i, column in enumerate(self._columns):
            for label, fit in ((False, left & ~column), (True, left & column)):
                if not fit:
                    continue
                self._move()
                after = deepcopy(learner)
                _, made = after.learn(self._blocks[i][label], 0, 1)
                if not len(made) and _same(learner, after):
                    continue  # the adversary alone would be tied to fewer concepts
                later, path = self.most(after, fit, None if depth is None else depth - 1)
                found = len(made) + later, ((i, label), *path)
                if found[0] > best[0] or (found[0] == best[0] and len(found[1]) < len(best[1])):
                    best = found
        if position is not None:
            self._open.remove(position)
            self._known[position] = best
        return best

    def _move(self) -> None:
        self._moves += 1
        if self._moves > MOST_MOVES:
            raise TooLarge(
                f"the game has more than {MOST_MOVES:,} moves; take a smaller class, fewer rounds "
                "(depth=), or an `Adversary`, which looks one round ahead"
            )


def _same(learner: Learner, other: Learner) -> bool:
    """Whether they are known to do the same from here on."""
    return isinstance(learner, Keyed) and isinstance(other, Keyed) and learner.key() == other.key()
