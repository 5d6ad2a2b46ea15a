"""Perceptrons that learn from the same sparse rows in one pass: one class against the rest each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from novikoff import _core
from novikoff.ledger.honest_scores import counts_of
from novikoff.ledger.ledger import Mistakes
from novikoff.stream.blocks import Block
from novikoff.stream.rows import Rows, SparseRows

if TYPE_CHECKING:
    from novikoff.learners.additive import Additive

Part: TypeAlias = tuple[Block, int, int]  # examples begin..end of the block
Found: TypeAlias = tuple[int, Mistakes]

# Below so many entries, several passes of one learner at once take less time.
_WORTH_IT = 1 << 18
# In a call of the core. Ten passes over 20 classes of news20 took 22 MB with 20 in a call: for a
# second copy of all weights and for the mistakes of all runs. With 7 it is 11 MB, and no slower.
_MOST = 8


def companies(learners: Sequence[Any], rows: Rows, workers: int) -> list[range]:
    """Form companies of learners, as many for each worker, unless it is faster to learn alone."""
    n, parts = len(learners), workers * -(-len(learners) // (workers * _MOST))
    is_worth_it = isinstance(rows, SparseRows) and rows.values.size >= max(_WORTH_IT, 4 * rows.dim)
    if not is_worth_it or n < 3 * workers or not all(hasattr(one, "member") for one in learners):
        return [range(k, k + 1) for k in range(n)]
    parted = [range(n * k // parts, n * (k + 1) // parts) for k in range(parts)]
    for part in parted:
        company = Company()
        for k in part:
            learners[k].company = company
    return parted


class Company:
    """Learners that go over the same rows in step: what all have asked for is learned at once."""

    def __init__(self) -> None:
        self._asked: dict[int, tuple[Additive, Part]] = {}
        self._found = dict[int, Found]()
        self._narrow: Any = None  # a float32 copy of the weights of these, column by column
        self._members: list[int] = []

    def ask(self, learner: Additive, part: Part) -> None:
        """Ask for a part of a block to be learned; `take` learns it."""
        self._asked[id(learner)] = learner, part

    def take(self, learner: Additive, block: Block, begin: int, end: int) -> Found | None:
        """Where the learner stopped, and its mistakes; None if it is to learn alone."""
        if id(learner) in self._asked:
            self._learn(learner, (block, begin, end))
        found = self._found.pop(id(learner), None)
        if found is None:
            self._members = []  # it learns alone, so the copy will be out of date
        return found

    def _learn(self, first: Additive, part: Part) -> None:
        """Learn this part for all who asked for it."""
        each = self._asked.values()
        of = [one for one, asked in each if one.unit == first.unit and _is_same(part, asked)]
        blocks = [self._asked.pop(id(one))[1][0] for one in of]
        (block, begin, end), n = part, len(of)
        if n < 2 or any(one.averaging and counts_of(one.honest) is not None for one in of):
            return  # the scores of a mean are not estimated
        width = -(-n // 8) * 8
        if self._narrow is None or self._narrow.size != block.rows.dim * width:
            self._narrow, self._members = np.empty(block.rows.dim * width, np.float32), []
        members = [id(one) for one in of]
        room = end - begin
        rounds, which = (np.empty(n * room, np.int64) for _ in range(2))
        scores, steps, squares = (np.empty(n * room) for _ in range(3))
        at, learned, counts = _core.learn_together(
            *block.rows.core,
            of=[one.member(b) for one, b in zip(of, blocks, strict=True)],
            importances=block.importances,
            order=block.order,
            begin=begin,
            end=end,
            unit=first.unit,
            bias=first.bias,
            narrow=self._narrow,
            is_filled=members == self._members,
            round=rounds,
            row=which,
            score=scores,
            taken=steps,
            square=squares,
        )
        self._members = members
        for c, one in enumerate(of):
            stopped = at + (c < learned)
            if stopped == begin:
                continue  # alone it finds out what is wrong
            own = slice(c * room, c * room + counts[c])
            one.rounds += stopped - begin
            rows = blocks[c].positions(which[own])
            sizes = scores[own].copy(), steps[own].copy(), squares[own].copy()
            self._found[id(one)] = stopped, Mistakes(rounds[own].copy(), rows, *sizes)


def _is_same(part: Part, other: Part) -> bool:
    """Whether both are the same examples in the same order, apart from the labels."""
    (a, *span), (b, *its) = part, other
    same = a is b or (
        a.rows is b.rows
        and _are_equal(a.order, b.order)
        and _are_equal(a.importances, b.importances)
    )
    return same and span == its


def _are_equal(a: Any, b: Any) -> bool:
    return a is b or (a is not None and b is not None and np.array_equal(a, b))
