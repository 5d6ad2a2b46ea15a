"""Examples that must stay false, kept to be asked about again whenever literals are dropped.

Elimination: a conjunction or disjunction of every literal, which loses the ones proved wrong.

A disjunction is learned as the conjunction that it negates: ¬(x₁ ∨ ¬x₂) is ¬x₁ ∧ x₂, so the plain
literals of one are the negated literals of the other, and the labels are turned.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable
from typing import ClassVar, TypeAlias

import numpy as np

from novikoff import _core
from novikoff.concepts.examples import Truths, truths_of_row
from novikoff.concepts.functions import Conjunction, Disjunction
from novikoff.concepts.learners import once
from novikoff.ledger.ledger import Keep, Ledger, Mistakes
from novikoff.stream.blocks import Block
from novikoff.stream.problems import BadExample
from novikoff.stream.rows import (
    Flaw,
    Indices,
    Positions,
    Rows,
    SparseRows,
    Vector,
    explain,
    join,
    part_size,
)

Alive: TypeAlias = Callable[[Indices], Truths]  # whether a literal of each of these columns is left


class Remembered:
    """Rows with their places in the stream; of each only what is on and can still matter."""

    def __init__(self) -> None:
        self._places: list[Positions] = []
        self._rows: list[SparseRows] = []

    def add(self, places: Positions, rows: SparseRows, alive: Alive, *, dropped: bool) -> None:
        """Keep these rows too; forget of all what is no more alive, if anything was dropped."""
        if dropped:
            self._rows = [_only(kept, alive) for kept in self._rows]
        if len(rows):
            self._places.append(places)
            self._rows.append(_only(rows, alive))

    def whole(self) -> tuple[Positions, SparseRows]:
        """The places and the rows of all that was kept."""
        if not self._rows:
            nothing = np.zeros(1, dtype=np.int64)
            return nothing[:0], SparseRows(np.empty(0), nothing[:0], nothing, 0)
        if len(self._rows) > 1:
            self._places = [np.concatenate(self._places)]
            self._rows = [join(self._rows).sparse()]
        return self._places[0], self._rows[0]


def _only(rows: SparseRows, alive: Alive) -> SparseRows:
    """The rows without the entries of columns that are not alive."""
    span = slice(int(rows.starts[0]), int(rows.starts[-1]))
    kept = alive(rows.indices[span])
    ends = np.concatenate([[0], np.cumsum(kept)]).astype(rows.starts.dtype)
    starts = ends[rows.starts - rows.starts[0]]
    return SparseRows(rows.values[span][kept], rows.indices[span][kept], starts, rows.dim)


_FOR_EVER = np.iinfo(np.int64).max


class _Elimination(ABC):
    """What the two have in common; the arrays are those of the conjunction that is learned."""

    sign: ClassVar[int]  # the label that proves literals wrong
    kind: ClassVar[str]

    def __init__(self, n: int, *, monotone: bool = False, remember: bool = True) -> None:
        if n < 1:
            raise ValueError(f"there must be at least one variable, got {n=}")
        self.n, self.monotone, self.rounds = n, bool(monotone), 0
        plain, negated = self.sign > 0 or not monotone, self.sign < 0 or not monotone
        self._plain = np.full(n, 0 if plain else -1, dtype=np.int64)
        self._negated = np.full(n, _FOR_EVER if negated else 0, dtype=np.int64)
        self._drops, self._left = 0, n if plain else 0
        self._remembered = Remembered() if remember else None

    @property
    def weights(self) -> None:
        """None: what it does next depends on literals, not on weights."""
        return

    @property
    @abstractmethod
    def hypothesis(self) -> Conjunction | Disjunction:
        """What it predicts with: all the literals that are left."""

    def _literals(self, plain: Truths, negated: Truths) -> tuple[int, ...]:
        return (*(np.flatnonzero(plain) + 1).tolist(), *(-np.flatnonzero(negated) - 1).tolist())

    def open_ledger(self, keep: Keep = "examples") -> Ledger:
        """An empty ledger that starts where this learner stands."""
        return Ledger(self.n, began=self.rounds, keep=keep, rule="concepts")

    def scores(self, rows: Rows) -> Vector:
        """+1 for each row of which the hypothesis is true, −1 for the others."""
        if rows.dim != self.n:
            raise BadExample(f"rows have {rows.dim} attributes, the learner has {self.n}")
        return self.sign * self._conjoined(rows, self._drops)

    def learn(self, block: Block, begin: int, end: int) -> tuple[int, Mistakes]:
        """Predict, reveal and drop literals for examples begin..end of the block, in its order.

        Stops early before an example it cannot use; asked to begin with that one, it raises
        BadExample and changes nothing.
        """
        if begin < end and block.rows.dim != self.n:
            raise BadExample(
                f"row {_place(block, begin)} has {block.rows.dim} attributes, "
                f"the learner has {self.n}"
            )
        room, before = end - begin, self._drops
        rounds, which, squares = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room)

        def run() -> tuple[int, int, int, int]:
            return _core.eliminate(
                *block.rows.core,
                labels=block.signs,
                importances=block.importances,
                order=block.order,
                begin=begin,
                end=end,
                sign=self.sign,
                rounds=self.rounds,
                plain=self._plain,
                negated=self._negated,
                drops=self._drops,
                left=self._left,
                round=rounds,
                row=which,
                square=squares,
            )

        at, flaw, count, left = run()
        if at == begin and flaw == Flaw.ORDER:
            block.rows.put_in_order()
            at, flaw, count, left = run()
        if at == begin and flaw:
            raise self._refusal(Flaw(flaw), block, begin)
        self._drops, self._left = before + count, left
        if self._remembered is not None:
            places, rows = self._negatives(block, begin, at)
            if against := self._contradiction(places, rows, since=before):
                drop, row = against
                self._take_back(drop - 1)
                count = drop - 1 - before
                at = begin + int(rounds[count]) - self.rounds - 1
                if at == begin:
                    raise self._contradicts(block, begin, f"leaves no literal against row {row}")
                places, rows = self._negatives(block, begin, at)
            self._remembered.add(places, rows, self._alive, dropped=count > 0)
        self.rounds += at - begin
        which = which[:count]
        steps = block.signs[which].astype(np.float64)
        return at, Mistakes(
            rounds[:count].copy(), block.positions(which), -steps, steps, squares[:count].copy()
        )

    def _conjoined(self, rows: Rows, drops: int) -> Vector:
        """Whether all literals that were left after so many drops are true of a row: 1 or −1."""
        left = self._left
        if drops < self._drops:
            left = int(np.count_nonzero(self._plain >= drops))
        out, at = np.empty(len(rows)), 0
        while at < len(rows):
            end = min(len(rows), at + part_size(rows))
            at, flaw = _core.conjoin(
                *rows.core,
                begin=at,
                end=end,
                plain=self._plain,
                negated=self._negated,
                drops=drops,
                left=left,
                out=out[at:end],
            )
            if flaw == Flaw.ORDER:
                rows.put_in_order()
            elif flaw:
                raise self._refusal(Flaw(flaw), Block(rows, np.ones(len(rows), np.int8)), at)
        return out

    def _negatives(self, block: Block, begin: int, end: int) -> tuple[Positions, SparseRows]:
        """The examples among begin..end that must stay false: their places, and their rows."""
        met = np.arange(begin, end) if block.order is None else block.order[begin:end]
        counts = True if block.importances is None else block.importances[met] > 0
        which = met[(block.signs[met] != self.sign) & counts]
        return block.positions(which), block.rows.take(which).sparse()

    def _contradiction(
        self, places: Positions, rows: SparseRows, *, since: int
    ) -> tuple[int, int] | None:
        """The first drop after which a negative example was true, and the place of that example."""
        if self._drops == since or self._remembered is None:
            return None
        known = [self._remembered.whole(), (places, rows)]

        def true_of(drops: int) -> list[int]:
            found = [at[self._conjoined(rows, drops) > 0] for at, rows in known if len(rows)]
            return [int(at[0]) for at in found if len(at)]

        if not true_of(self._drops):
            return None
        drops = range(since + 1, self._drops + 1)
        first = drops[bisect_left(drops, True, key=lambda d: bool(true_of(d)))]
        return first, true_of(first)[0]

    def _take_back(self, drops: int) -> None:
        """Be again as after so many drops."""
        np.minimum(self._plain, drops, out=self._plain)
        self._negated[self._negated > drops] = _FOR_EVER
        self._drops, self._left = drops, int(np.count_nonzero(self._plain == drops))

    def _alive(self, columns: Indices) -> Truths:
        """Whether a literal of each of these variables is left."""
        plain: Truths = self._plain[columns] == self._drops
        return plain | (self._negated[columns] > self._drops)

    def _refusal(self, flaw: Flaw, block: Block, k: int) -> BadExample:
        i = k if block.order is None else int(block.order[k])
        if flaw is Flaw.LABEL:
            every = "every literal left is true" if self.sign > 0 else "no literal left is true"
            return self._contradicts(block, k, f"is {-self.sign:+d}, and {every} of it")
        if flaw is Flaw.STEP:
            once(block, i)  # which says why it does not count once
        elif flaw is not Flaw.BOUNDS:
            truths_of_row(block, i, self.n)  # which says what is wrong with it
        return explain(flaw, block.rows, i, position=_place(block, k))

    def _contradicts(self, block: Block, k: int, how: str) -> BadExample:
        return BadExample(
            f"row {_place(block, k)} {how}: no {'monotone ' * self.monotone}{self.kind} fits this "
            "example and all before it. If labels may be wrong, WeightedMajority lives with noise"
        )


class EliminateConjunction(_Elimination):
    """Start from all literals; drop those that are off in a positive example it got wrong.

    Every literal of the target is always left, so it says true only of positive examples. The
    first mistake leaves at most n of the 2n literals and each later one drops at least one: at most
    n + 1 mistakes, and n if `monotone`, when it starts from the n variables.

    A negative example of which it says true proves that no conjunction fits, as does a positive
    example after which it would say true of an earlier negative one: BadExample names it, and
    nothing is learned from it.

    Parameters
    ----------
    monotone
        Whether no variable of the target is negated.
    remember
        Keep of the negative examples what can still matter, to notice a positive example that
        contradicts them. Without it memory does not grow, and such an example is noticed only if
        the negative one is met again.

    References
    ----------
    Valiant (1984); Littlestone (1988), Section 3 for the mistakes.

    >>> from novikoff import play, sources
    >>> learner = EliminateConjunction(3)
    >>> play(sources.block([[1, 0, 1], [1, 1, 1], [0, 1, 1]], [1, 1, -1]), learner).ledger
    <Ledger: 2 mistakes in 3 rounds>
    >>> print(learner.hypothesis)
    x₁ ∧ x₃
    """

    sign = 1
    kind = "conjunction"

    @property
    def plain(self) -> Truths:
        """For each variable, whether its literal is left."""
        found: Truths = self._plain == self._drops
        return found

    @property
    def negated(self) -> Truths:
        """For each variable, whether its negated literal is left."""
        found: Truths = self._negated > self._drops
        return found

    @property
    def hypothesis(self) -> Conjunction:
        """What it predicts with: all the literals that are left."""
        return Conjunction(self._literals(self.plain, self.negated))


class EliminateDisjunction(_Elimination):
    """Start from all literals; drop those that are on in a negative example it got wrong.

    It is `EliminateConjunction` of what the disjunction negates, with the same parameters: at most
    n + 1 mistakes, n if `monotone`, and BadExample where no disjunction fits.

    References
    ----------
    Valiant (1984); Littlestone (1988), Section 3.

    >>> from novikoff import play, sources
    >>> learner = EliminateDisjunction(3, monotone=True)
    >>> play(sources.block([[1, 0, 1], [0, 1, 1]], [-1, 1]), learner).ledger
    <Ledger: 1 mistakes in 2 rounds>
    >>> print(learner.hypothesis)
    x₂
    """

    sign = -1
    kind = "disjunction"

    @property
    def plain(self) -> Truths:
        """For each variable, whether its literal is left."""
        found: Truths = self._negated > self._drops
        return found

    @property
    def negated(self) -> Truths:
        """For each variable, whether its negated literal is left."""
        found: Truths = self._plain == self._drops
        return found

    @property
    def hypothesis(self) -> Disjunction:
        """What it predicts with: all the literals that are left."""
        return Disjunction(self._literals(self.plain, self.negated))


def _place(block: Block, k: int) -> int:
    """The place in the stream of the k-th example the block's order meets."""
    i = k if block.order is None else int(block.order[k])
    return int(block.positions(np.array([i]))[0]) if 0 <= i < len(block) else block.first + i
