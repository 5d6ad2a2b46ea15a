"""Update rules, one a file, and the factory that makes a learner from settings.

A learner sees one block at a time: passes are in `runs`, what a run says is in `ledger`.
"""

from __future__ import annotations

from typing import Protocol

from novikoff.learners.adaptive import Adaptive, JointAdaptive
from novikoff.learners.additive import Additive
from novikoff.learners.compiled_pass import Ties
from novikoff.learners.joint import Joint
from novikoff.learners.kernel import Dual, JointDual
from novikoff.learners.multiplicative import BalancedWinnow, Multiplicative, Winnow1, Winnow2
from novikoff.ledger.ledger import Keep, Ledger, Mistakes
from novikoff.stream.blocks import Block
from novikoff.stream.rows import Rows, Vector

__all__ = [
    "Adaptive",
    "Additive",
    "BalancedWinnow",
    "Dual",
    "Joint",
    "JointAdaptive",
    "JointDual",
    "Learner",
    "Multiplicative",
    "Ties",
    "Winnow1",
    "Winnow2",
]


class Learner(Protocol):
    """What `play` needs of a learner: it scores a row, then sees the label, and may learn."""

    @property
    def weights(self) -> Vector | None:
        """The present weights, if all that the learner does next depends on them alone."""

    def scores(self, rows: Rows) -> Vector:
        """The score of each row under the present weights; changes nothing."""

    def learn(self, block: Block, begin: int, end: int) -> tuple[int, Mistakes]:
        """Predict, reveal and update for examples begin..end of the block, in its order.

        Returns where it stopped, and the mistakes. It stops before an example that it cannot use; a
        call that begins with such an example raises BadExample and changes nothing.
        """

    def open_ledger(self, keep: Keep = "examples") -> Ledger:
        """An empty ledger that starts from the present weights."""
