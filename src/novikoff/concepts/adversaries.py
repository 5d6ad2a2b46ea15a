"""Adversaries: one that adapts to any learner, sequences that meet bounds, and the worst case."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from copy import deepcopy
from itertools import count
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from novikoff.concepts import classes
from novikoff.concepts.classes import ConceptClass, TooLarge, expect_class
from novikoff.concepts.dimensions import mask
from novikoff.concepts.examples import Truths, every_example, labelled, truths
from novikoff.concepts.functions import Concept, Conjunction, Disjunction
from novikoff.concepts.learners import VersionSpace
from novikoff.learners import Learner
from novikoff.stream.blocks import Block
from novikoff.stream.labels import predicts_positive
from novikoff.stream.rows import DenseRows

Path: TypeAlias = tuple[tuple[int, bool], ...]  # examples by number, and their labels

MOST_VARIABLES = 8
MOST_MOVES = 1 << 19  # about a minute
_EVERY = 10  # up to this many variables all examples are candidates
_RANDOM = 64


class Adversary:
    """Show a learner examples it gets wrong, as long as some concept fits all labels given.

    Of the examples whose prediction it can contradict, it takes the one that leaves the most
    concepts, or with `enough` the first that leaves this share. `play(adversary.against(learner),
    learner)` ends when the learner is right on all candidates: by default all examples up to 10
    variables; beyond, those with no, one, all but one or all variables 1, and 64 random ones
    (Littlestone 1988, Section 3).
    """

    def __init__(
        self,
        concepts: ConceptClass,
        *,
        candidates: Sequence[Any] | Truths | None = None,
        enough: float = 1.0,
    ) -> None:
        if not 0 < enough <= 1:
            raise ValueError(f"enough must be a share above 0 and up to 1, not {enough}")
        self.concepts, self.enough = concepts, enough
        self._left = VersionSpace(concepts)
        given = _distinguishing(concepts.n) if candidates is None else candidates
        named = (truths(x, concepts.n, name=f"candidate {i}") for i, x in enumerate(given))
        self.candidates = np.array(list(named)).reshape(-1, concepts.n)

    @property
    def target(self) -> Concept:
        """A concept that fits all labels given to the last learner."""
        return self.concepts[self._left.first()]

    @property
    def left(self) -> int:
        """The number of concepts that fit all labels given to the last learner."""
        return self._left.size

    def against(self, learner: Learner, *, rounds: int | None = None) -> Iterator[Block]:
        """The sequence for this learner, of at most `rounds` examples."""
        self._left = VersionSpace(self.concepts)
        for first in count() if rounds is None else range(rounds):
            most = 0
            for x in self.candidates:
                y = not predicts_positive(learner.scores(DenseRows(x[None].astype(np.float32)))[0])
                if (left := self._left.split(x)[y]) > most:
                    shown, label, most = x, y, left
                if most >= self.enough * self._left.size:
                    break
            if not most:
                return
            self._left.keep(shown, label)
            yield labelled([shown], [label], first=first)


def _distinguishing(n: int) -> Truths:
    """Examples that tell concepts apart: all, or those for single variables and random ones."""
    if n <= _EVERY:
        return every_example(n)
    single, same = np.eye(n, dtype=np.bool_), np.array([[False] * n, [True] * n])
    drawn = np.random.default_rng(0).random((_RANDOM, n)) < 0.5
    return np.concatenate([single, ~single, same, drawn])


class HardSequence(NamedTuple):
    """Examples labelled by a target of the class, on each of which one kind of learner errs."""

    concepts: ConceptClass
    target: Concept
    block: Block


def against_con(n: int) -> HardSequence:
    """|C| − 1 mistakes for a learner that predicts with the first consistent concept."""
    target, concepts = Conjunction((n,)), classes.conjunctions(n, k=1, monotone=True)
    return _labelled(concepts, target, np.eye(n, dtype=np.bool_)[:-1])


def against_halving(n: int) -> HardSequence:
    """N = log₂|C| mistakes for halving, when a tie predicts +1, on the 2ⁿ monotone disjunctions."""
    return _labelled(
        classes.disjunctions(n, monotone=True), Disjunction(()), np.eye(n, dtype=np.bool_)
    )


def against_elimination(n: int, *, monotone: bool) -> HardSequence:
    """N mistakes for elimination of conjunctions; n + 1 if literals may be negated."""
    each_off = ~np.eye(n, dtype=np.bool_)
    X = each_off if monotone else np.concatenate([np.ones((1, n), dtype=np.bool_), each_off])
    return _labelled(classes.conjunctions(n, monotone=monotone), Conjunction(()), X)


def _labelled(concepts: ConceptClass, target: Concept, X: Truths) -> HardSequence:
    return HardSequence(concepts, target, labelled(X, target.evaluate(X)))


class WorstCase(NamedTuple):
    """The most mistakes, and a sequence, labelled by some concept, that causes them."""

    mistakes: int
    sequence: Block


def worst_case(
    make_learner: Callable[[], Learner], concepts: ConceptClass, *, depth: int | None = None
) -> WorstCase:
    """The most mistakes that an adversary can force on a deterministic learner of the class.

    It tries every example in every round, with every label that fits some concept. A learner with a
    method `key` is played to the end: learners with equal keys behave the same. One that comes back
    to a state it has left, or has no `key`, is played for `depth` rounds.
    """
    expect_class(concepts)
    if concepts.n > MOST_VARIABLES:
        raise TooLarge(
            f"{concepts}: the game tries all 2^{concepts.n} examples in every round, which is "
            f"feasible up to {MOST_VARIABLES} variables; use an Adversary instead"
        )
    learner = make_learner()
    if depth is None and not hasattr(learner, "key"):
        raise ValueError(
            f"{type(learner).__name__} has no `key` to recognise its states, so the game may not "
            "end; pass depth=, the number of rounds"
        )
    examples = every_example(concepts.n)
    columns = [mask(values) for values in concepts.evaluate(examples)]
    blocks = [[labelled(x[None], np.array([y])) for y in (False, True)] for x in examples]
    known: dict[Hashable, tuple[int, Path] | None] = {}  # None while the position is played
    moves = count(1)

    def most(learner: Any, left: int, depth: int | None) -> tuple[int, Path]:
        """The most mistakes in `depth` rounds if the target is one of those left, and the path."""
        if depth == 0:
            return 0, ()
        key = learner.key() if hasattr(learner, "key") else None
        position = None if key is None else (key, left, depth)
        if position in known:
            if (found := known[position]) is None:
                raise ValueError(
                    f"{type(learner).__name__} comes back to a state it has left, so the game does "
                    "not end; pass depth=, the number of rounds"
                )
            return found
        if position is not None:
            known[position] = None
        best: tuple[int, Path] = 0, ()
        for i, column in enumerate(columns):
            for label, fit in ((False, left & ~column), (True, left & column)):
                if not fit:
                    continue
                if next(moves) > MOST_MOVES:
                    raise TooLarge(
                        f"the game has more than {MOST_MOVES:,} moves; take a smaller class, fewer "
                        "rounds (depth=), or an Adversary, which looks one round ahead"
                    )
                after = deepcopy(learner)
                _, made = after.learn(blocks[i][label], 0, 1)
                if not len(made) and key is not None and after.key() == key:
                    continue  # a wasted move: fewer concepts are left, and the learner is the same
                later, path = most(after, fit, None if depth is None else depth - 1)
                mistakes, path = len(made) + later, ((i, label), *path)
                if (mistakes, -len(path)) > (best[0], -len(best[1])):
                    best = mistakes, path
        if position is not None:
            known[position] = best
        return best

    mistakes, path = most(learner, (1 << concepts.size) - 1, depth)
    X = np.array([examples[i] for i, _ in path]).reshape(-1, concepts.n)
    return WorstCase(mistakes, labelled(X, np.array([label for _, label in path], dtype=np.bool_)))
