"""Iterative parameter mixing: the mean of learners that started alike and saw different shards."""

from __future__ import annotations

from copy import deepcopy

import numpy as np

from novikoff.learners.adaptive import Adaptive, JointAdaptive
from novikoff.learners.compiled_pass import Summed
from novikoff.learners.rule import Linear
from novikoff.stream.input_problems import BadExample
from novikoff.stream.rows import Vector


class Mixture:
    """The mean of the learners of several shards, which all started from `before`.

    If each epoch starts every shard from the mean of the last epoch, S shards together make at most
    S(R/γ)² mistakes (McDonald, Hall & Mann 2010, Theorem 3); one mean at the end proves nothing.
    The weights of adaptive learners are weighted by their precisions, 1/S. Sums are compensated and
    taken in the order of `add`, so the bits depend on nothing else.
    """

    def __init__(self, before: Linear) -> None:
        is_full = isinstance(before, Adaptive) and before.matrix == "full"
        if is_full or not isinstance(before, Summed):
            what = "a full matrix" if is_full else "multiplied, or in a kernel's space"
            raise BadExample(f"the weights of shards cannot be averaged if they are {what}")
        self._before, self._shards, self._rounds = before, 0, before.rounds
        zeros = np.zeros_like(before._w)
        self._weights, self._precision, self._all = _Sum(zeros), _Sum(zeros), _Sum(zeros)

    def add(self, learner: Linear) -> None:
        """Include the learner of the next shard."""
        assert isinstance(learner, Summed)
        self._shards += 1
        self._rounds += learner.rounds - self._before.rounds
        if isinstance(learner, Adaptive | JointAdaptive):
            precision = 1.0 / learner._s
            self._weights.add(learner._w * precision)
            self._precision.add(precision)
        else:
            self._weights.add(learner._w)
        if learner._u is not None:  # t·w − u is the sum of the weights over all t rounds
            self._all.add(learner.rounds * learner._w)
            self._all.add(-learner._u)

    def learner(self) -> Linear:
        """The mean."""
        out, before = deepcopy(self._before), self._before
        assert isinstance(out, Summed)
        assert isinstance(before, Summed)
        if isinstance(out, Adaptive | JointAdaptive):
            precision = self._precision.total
            out._w = self._weights.total / precision
            out._s = np.minimum(self._shards / precision, out._s)
        else:
            out._w = self._weights.total / self._shards
        out.rounds = self._rounds
        if before._u is not None:
            again = self._shards - 1  # all shards have counted what was before
            self._all.add(-(again * before.rounds) * before._w)
            self._all.add(again * before._u)
            out._u = out.rounds * out._w - self._all.total
        return out


class _Sum:
    """A sum of arrays in the order given, to nearly twice the precision (Knuth's exact sum)."""

    def __init__(self, zeros: Vector) -> None:
        self._high, self._low = zeros.copy(), zeros.copy()

    def add(self, one: Vector) -> None:
        total = self._high + one
        part = total - self._high
        self._low += (self._high - (total - part)) + (one - part)
        self._high = total

    @property
    def total(self) -> Vector:
        return self._high + self._low
