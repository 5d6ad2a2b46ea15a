"""Elimination: a conjunction or disjunction of all literals, which loses those proved wrong.

A disjunction is learned as the conjunction that it negates: ¬(x₁ ∨ ¬x₂) is ¬x₁ ∧ x₂. So the plain
literals of one are the negated literals of the other, and the labels change sign.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from typing import ClassVar, TypeAlias

import numpy as np

from novikoff import _core
from novikoff.concepts.examples import Truths, truths_of_row
from novikoff.concepts.functions import Conjunction, Disjunction
from novikoff.concepts.learners import ConceptLearner, Contradiction, counts_once
from novikoff.ledger.ledger import Mistakes
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample
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

Alive: TypeAlias = Callable[[Indices], Truths]  # whether a literal of each column is left

_FOR_EVER = np.iinfo(np.int64).max


class _Elimination(ConceptLearner):
    """Eliminates literals of a conjunction: of the target, or of the negation of a disjunction.

    `_plain` and `_negated` hold for each literal after how many drops it was dropped.
    """

    sign: ClassVar[int]  # the label that proves literals wrong
    form: ClassVar[type[Conjunction | Disjunction]]

    def __init__(self, n: int, *, monotone: bool = False, remember: bool = True) -> None:
        super().__init__(n)
        self.monotone = bool(monotone)
        plain, negated = self.sign > 0 or not monotone, self.sign < 0 or not monotone
        self._plain = np.full(n, 0 if plain else -1, dtype=np.int64)
        self._negated = np.full(n, _FOR_EVER if negated else 0, dtype=np.int64)
        self._drops, self._left = 0, n if plain else 0
        self._remembered = _Negatives() if remember else None

    @property
    def hypothesis(self) -> Conjunction | Disjunction:
        """The concept it predicts with: all literals that are left."""
        plain = np.flatnonzero(self._plain == self._drops)
        negated = np.flatnonzero(self._negated > self._drops)
        if self.sign < 0:
            plain, negated = negated, plain
        return self.form((*(plain + 1).tolist(), *(-negated - 1).tolist()))

    def scores(self, rows: Rows) -> Vector:
        """+1 for each row at which the hypothesis is true, −1 for the others."""
        self.expect_dim(rows)
        return self.sign * self._conjoined(rows, self._drops)

    def learn(self, block: Block, begin: int, end: int) -> tuple[int, Mistakes]:
        """Predict and drop literals for examples begin..end of the block, in its order."""
        if begin < end and block.rows.dim != self.dim:
            raise BadExample(
                f"row {block.position(block.row_shown(begin))} has {block.rows.dim} attributes, "
                f"the learner has {self.dim}"
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
            raise self._refusal(Flaw(flaw), block, block.row_shown(begin))
        self._drops, self._left = before + count, left
        if self._remembered is not None:
            places, rows = self._negatives(block, begin, at)
            if against := self._contradiction(places, rows, since=before):
                drop, row = against
                self._undo(drop - 1)
                count = drop - 1 - before
                at = begin + int(rounds[count]) - self.rounds - 1
                if at == begin:
                    why = f"no literal separates it from row {row} of the other label"
                    raise self._contradicts(block, block.row_shown(begin), why)
                places, rows = self._negatives(block, begin, at)
            self._remembered.add(places, rows, self._alive, dropped=count > 0)
        self.rounds += at - begin
        which = which[:count]
        steps = block.signs[which].astype(np.float64)
        return at, Mistakes(
            rounds[:count].copy(), block.positions(which), -steps, steps, squares[:count].copy()
        )

    def _conjoined(self, rows: Rows, drops: int) -> Vector:
        """1 for a row in which all literals left after `drops` drops are true, −1 for others."""
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
        """The places and rows of the examples at which the conjunction must be false."""
        seen = np.arange(begin, end) if block.order is None else block.order[begin:end]
        counts = True if block.importances is None else block.importances[seen] > 0
        which = seen[(block.signs[seen] != self.sign) & counts]
        return block.positions(which), block.rows.take(which).sparse()

    def _contradiction(
        self, places: Positions, rows: SparseRows, *, since: int
    ) -> tuple[int, int] | None:
        """The first drop that made a negative example true, and the place of that example."""
        if self._drops == since or self._remembered is None:
            return None
        known = [self._remembered.whole(), (places, rows)]

        def true_after(drops: int) -> list[int]:
            found = [at[self._conjoined(rows, drops) > 0] for at, rows in known if len(rows)]
            return [int(at[0]) for at in found if len(at)]

        if not true_after(self._drops):
            return None
        drops = range(since + 1, self._drops + 1)
        first = drops[bisect_left(drops, True, key=lambda d: bool(true_after(d)))]
        return first, true_after(first)[0]

    def _undo(self, drops: int) -> None:
        """Undo all but the first `drops` drops."""
        np.minimum(self._plain, drops, out=self._plain)
        self._negated[self._negated > drops] = _FOR_EVER
        self._drops, self._left = drops, int(np.count_nonzero(self._plain == drops))

    def _alive(self, columns: Indices) -> Truths:
        """Whether a literal of each of these variables is left."""
        plain: Truths = self._plain[columns] == self._drops
        return plain | (self._negated[columns] > self._drops)

    def _refusal(self, flaw: Flaw, block: Block, i: int) -> BadExample:
        if flaw is Flaw.LABEL:
            every = "every literal left is true" if self.sign > 0 else "no literal left is true"
            why = f"its label is {-self.sign:+d}, but {every} in it"
            return self._contradicts(block, i, why)
        if flaw is Flaw.STEP:
            counts_once(block, i)  # raises the error that explains the importance
        elif flaw is not Flaw.BOUNDS:
            truths_of_row(block, i, self.dim)  # raises the error that explains the attributes
        return explain(flaw, block.rows, i, position=block.position(i))

    def _contradicts(self, block: Block, i: int, why: str) -> BadExample:
        error = Contradiction.of_literals(why, self.form, self.monotone)
        return BadExample(f"row {block.position(i)}: {error}")


class EliminateConjunction(_Elimination):
    """Start from all literals; after a mistake, drop those that are false in the example.

    A literal of the target is never dropped, so every mistake is on a positive example. The first
    mistake leaves at most n of the 2n literals and each later one drops at least one: at most n + 1
    mistakes, and n if `monotone`, when it starts from the n variables.

    If it predicts a negative example to be positive, no conjunction fits the examples; the same if
    a positive example makes it predict an earlier negative one to be positive. Such an example
    raises BadExample, and changes nothing.

    Parameters
    ----------
    monotone
        Whether no variable of the target is negated.
    remember
        Keep the negative examples, as far as they still matter, to detect contradictions with
        later positive ones. Without it, memory does not grow, and a contradiction is detected only
        if the negative example comes again.

    References: Valiant (1984); Littlestone (1988), Section 3 for the mistakes.

    >>> from novikoff import play, sources
    >>> learner = EliminateConjunction(3)
    >>> play(sources.block([[1, 0, 1], [1, 1, 1], [0, 1, 1]], [1, 1, -1]), learner).ledger
    <Ledger: 2 mistakes in 3 rounds>
    >>> print(learner.hypothesis)
    x₁ ∧ x₃
    """

    sign = 1
    form = Conjunction


class EliminateDisjunction(_Elimination):
    """Start from all literals; after a mistake, drop those that are true in the example.

    It is `EliminateConjunction` for the negation of the disjunction, with the same parameters: at
    most n + 1 mistakes, n if `monotone`, and BadExample if no disjunction fits.

    >>> from novikoff import play, sources
    >>> learner = EliminateDisjunction(3, monotone=True)
    >>> play(sources.block([[1, 0, 1], [0, 1, 1]], [-1, 1]), learner).ledger
    <Ledger: 1 mistakes in 2 rounds>
    >>> print(learner.hypothesis)
    x₂
    """

    sign = -1
    form = Disjunction


class _Negatives:
    """Negative examples with their places; of each only the entries that can still matter."""

    def __init__(self) -> None:
        self._places: list[Positions] = []
        self._rows: list[SparseRows] = []

    def add(self, places: Positions, rows: SparseRows, alive: Alive, *, dropped: bool) -> None:
        """Add rows; if literals were dropped, remove the entries of dead columns from all."""
        if dropped:
            self._rows = [_only(kept, alive) for kept in self._rows]
        if len(rows):
            self._places.append(places)
            self._rows.append(_only(rows, alive))

    def whole(self) -> tuple[Positions, SparseRows]:
        """All places and rows."""
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
