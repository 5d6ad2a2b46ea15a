"""The weights after each mistake of a run, read from its ledger."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from novikoff import _core
from novikoff.ledger.ledger import Ledger
from novikoff.ledger.readings import mean_of_weights
from novikoff.stream.rows import Vector


@dataclass(frozen=True, slots=True)
class Moment:
    """Where a run stood after its first `mistakes` mistakes.

    `total` is the start plus Σ step·x over them, and `late` is Σ (t − 1)·step·x, where t is the
    round of the mistake; both are over the ledger's `unit`.
    """

    mistakes: int
    total: Vector
    late: Vector
    unit: float

    @property
    def weights(self) -> Vector:
        """The weights, bit for bit the learner's; of Winnow, the exponents of its weights."""
        return self.unit * self.total

    def average(self, rounds: int) -> Vector:
        """The mean of the weights over rounds 1 to `rounds`, before the next mistake."""
        return self.unit * mean_of_weights(self.total, self.late, rounds)


def weights_after(ledger: Ledger, k: int) -> Vector:
    """The weights after the first k mistakes; those of the start for k = 0."""
    return next(trajectory(ledger, [k])).weights


def trajectory(ledger: Ledger, after: Iterable[int] | None = None) -> Iterator[Moment]:
    """The run after these numbers of mistakes, in increasing order; by default after each one.

    Parameters
    ----------
    ledger
        One of a rule with two labels that kept its examples. Only one vector of weights is held at
        a time, so the memory does not grow with the mistakes.
    """
    if ledger.rule == "joint":
        ledger.expect_sums()
    ledger.expect_examples()
    size = ledger.dim + ledger.bias
    w = np.zeros(size) if ledger.start is None else ledger.start.copy()
    late, made = np.zeros(size), 0
    example, steps, delays = ledger.example, ledger.steps, ledger.rounds - 1
    for k in range(1, len(ledger) + 1) if after is None else after:
        if not made <= k <= len(ledger):
            raise ValueError(f"numbers of mistakes must be increasing and at most {len(ledger)}")
        if k > made:
            new, core = slice(made, k), ledger.examples.core
            for total, each in ((w, steps[new]), (late, steps[new] * delays[new])):
                _core.accumulate(*core, example=example[new], step=each, bias=ledger.bias, w=total)
        made = k
        yield Moment(k, w.copy(), late.copy(), ledger.unit)
