"""The perceptron: add a mistaken example to the weights, with or without a margin."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from novikoff import _core
from novikoff.learners.compiled_pass import (
    THRESHOLDS,
    Summed,
    Ties,
    check_sizes,
    finite_numbers,
    stored_unit,
    thresholds_of,
)
from novikoff.ledger.honest_scores import counts_of
from novikoff.ledger.ledger import Mistakes
from novikoff.ledger.weights import whole
from novikoff.storage.checked import Arrays, Settings, Stored
from novikoff.stream.blocks import Block
from novikoff.stream.rows import Positions, Rows, Vector


class Additive(Summed):
    """Add the example to the weights whenever its score has the wrong sign, or too small a margin.

    On a stream with ‖x‖ ≤ R that some unit vector separates with margin γ, the plain rule makes at
    most (R/γ)² mistakes, however long the stream and whatever its order; with `margin` η, when it
    updates if y(w·x) ≤ η, it makes at most (R² + 2η)/γ² updates.

    Parameters
    ----------
    dim, bias
        The number of features, and whether a constant feature 1 follows them.
    rate
        r > 0, the multiple of y·x that is added. From a start at 0 without a margin the run is made
        with rate 1 and the weights are multiplied when they are read.
    ties
        What a score of exactly 0 predicts: "mistake" means neither label, so it is always wrong;
        "positive" and "negative" mean that label.
    averaging
        Keep the sum that `average` needs; it costs work only on mistakes.
    start, class_weights
        The weights before the first round (None: 0); factors of the rate for labels −1 and +1.

    References: Rosenblatt (1958); Block (1962); Novikoff (1962), Theorem 1; Krauth & Mézard (1987)
    for the margin; Freund & Schapire (1999) for the average and the vote.
    """

    rule, _add = "additive", "add_perceptron"
    _learn = staticmethod(_core.learn)

    def __init__(
        self,
        dim: int,
        *,
        bias: bool = False,
        margin: float = 0.0,
        rate: float = 1.0,
        ties: Ties = "mistake",
        averaging: bool = False,
        start: Vector | None = None,
        class_weights: tuple[float, float] = (1.0, 1.0),
    ) -> None:
        check_sizes(class_weights, rate=rate, margin=margin)
        self.dim, self.bias, self.margin, self.rate = dim, bool(bias), margin, rate
        self.ties = ties
        self.rounds = 0
        length = dim + self.bias
        self._unit, step = rate, 1.0
        self._w = np.zeros(length)
        if start is not None:
            given = finite_numbers(start, (length,), "start", "weights")
            if given.any():
                self._w, self._unit, step = given, 1.0, rate
        self._u = np.zeros(length) if averaging else None
        self._steps = (step * class_weights[0], step * class_weights[1])
        self._thresholds = thresholds_of(ties, margin, self._unit)

    def _for_core(self) -> dict[str, Any]:
        how = {"threshold": self._threshold_now, "step": self._steps, "unit": self._unit}
        return super()._for_core() | how

    def _own_state(self, dim: int) -> tuple[Settings, Arrays]:
        settings, arrays = super()._own_state(dim)
        settings |= {"margin": float(self.margin), "rate": float(self.rate)}
        settings |= {"ties": self.ties, "unit": float(self._unit)}
        constants = [arrays.pop(name) for name in ("w_constant", "u_constant") if name in arrays]
        arrays["constants"] = np.concatenate(constants)
        arrays["steps"], arrays["thresholds"] = np.array(self._steps), np.array(self._thresholds)
        return settings, arrays

    @classmethod
    def _from(cls, stored: Stored, dim: int, *, bias: bool) -> Self:
        names = ("w", "u") if stored.flag("averaging") else ("w",)
        features = [stored.vector(name, dim) for name in names]
        constants = np.split(stored.vector("constants", len(names)), len(names))
        unit, rate = stored_unit(stored)
        how = {"bias": bias, "ties": stored.choice("ties", tuple(THRESHOLDS))}
        learner = stored.made(cls, 0, margin=stored.number("margin"), rate=rate, **how)
        sums = [whole(f, c, bias=bias) for f, c in zip(features, constants, strict=True)]
        learner.dim, learner._w, learner._u = dim, sums[0], sums[1] if len(sums) > 1 else None
        learner._steps = tuple(stored.vector("steps", 2, least=0).tolist())
        learner._unit = unit
        learner._thresholds = thresholds_of(learner.ties, learner.margin, unit)
        if stored.vector("thresholds", 2).tolist() != list(learner._thresholds):
            stored.refuse("its thresholds do not follow from its margin and its ties")
        return learner

    def learn(self, block: Block, begin: int, end: int, **rule: Any) -> tuple[int, Mistakes]:
        """As `Summed.learn`, but at once with its company if it has one."""
        found = None if self.company is None else self.company.take(self, block, begin, end)
        return super().learn(block, begin, end, **rule) if found is None else found

    def member(self, block: Block) -> tuple[Any, ...]:
        """What `learn_together` takes of it."""
        self._own_weights()
        own = self._threshold_now, self._steps, self.rounds, self._w, self._u
        return block.signs, *own, counts_of(self.honest)

    @property
    def unit(self) -> float:
        """The weights are multiples of it."""
        return self._unit

    def learn_passes(
        self, block: Block, passes: int, until: Vector | None
    ) -> tuple[int, Mistakes, Positions]:
        """Make up to so many passes over the block, in one call of the core.

        They end when one learns nothing, or leaves the weights `until`. Returns where the last pass
        stopped, the mistakes, and how many were made by the end of each whole pass.
        """
        ends, before, n = np.full(passes, -1, dtype=np.int64), self.rounds, block.n_rounds
        how = {"passes": passes, "ends": ends, "until": until}
        at, mistakes = self.learn(block, 0, n, **how)
        ends = ends[ends >= 0]
        self.rounds = before + len(ends) * n + (at if at < n else 0)
        return at, mistakes, ends

    def _accumulate(self, rows: Rows, which: Positions, step: Vector, _made: Mistakes) -> None:
        assert self._u is not None
        _core.accumulate(*rows.core, example=which, step=step, bias=self.bias, w=self._u)
