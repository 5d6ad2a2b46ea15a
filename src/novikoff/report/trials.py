"""A trial on rows held out: learn from four fifths of the data, be tested on the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from novikoff import readings, streams
from novikoff.examples import Block
from novikoff.learners import Additive
from novikoff.ledger import Ledger
from novikoff.loop import play
from novikoff.rows import dots

# The vote takes time in proportion to mistakes times rows tested.
MOST_LEARNED, MOST_TESTED, PASSES = 20_000, 1000, 5


@dataclass(frozen=True, slots=True)
class Trial:
    """A run over some rows and, for each reading of it, how many of the others it got right."""

    ledger: Ledger
    learned: int
    test: Block
    right: Mapping[str, int]
    sampled: bool

    @property
    def passes(self) -> int:
        """How many passes were made; the last of them may have made no mistake."""
        return len(self.ledger.epoch_ends)

    @property
    def majority(self) -> int:
        """How many would be right if the commoner label of the rows tested were always said."""
        positive = int((self.test.labels > 0).sum())
        return max(positive, len(self.test) - positive)


def trial_of(block: Block, *, bias: bool, seed: int) -> Trial | None:
    """The trial, or None when there are fewer than five rows.

    Of large data a random sample is used: at most 20,000 rows to learn from, in 5 passes, and
    1,000 to test on.
    """
    order = streams.seeded_order(block.rows, seed)
    tested = len(order) // 5
    if tested == 0:
        return None
    cut = len(order) - tested
    learned, held = order[:cut][:MOST_LEARNED], order[cut:][:MOST_TESTED]
    train, test = (Block(block.rows.take(part), block.labels[part]) for part in (learned, held))
    ledger = play(train, Additive(block.rows.dim, bias=bias), epochs=PASSES).ledger
    scores = {
        "final": dots(test.rows, readings.final(ledger), bias=bias),
        "average": dots(test.rows, readings.average(ledger), bias=bias),
        "vote": readings.vote(ledger, test.rows),
    }
    right = {name: int(np.sum((s >= 0) == (test.labels > 0))) for name, s in scores.items()}
    sampled = len(learned) < cut or len(held) < tested
    return Trial(ledger, len(learned), test, right, sampled)
