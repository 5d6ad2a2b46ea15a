"""The game between a learner and an adversary, played to its end."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from copy import deepcopy
from typing import NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np

from novikoff.concepts.attributes import every_example, labelled
from novikoff.concepts.classes import ConceptClass, TooLarge, expect_class
from novikoff.concepts.dimensions import mask
from novikoff.examples import Block
from novikoff.learners import Learner

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
