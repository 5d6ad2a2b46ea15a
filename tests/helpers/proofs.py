"""Runs and the quantities of the proofs about them, in Fractions and plain loops."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from helpers.strategies import separable_data
from novikoff import sources
from novikoff.learners import Additive
from novikoff.ledger.ledger import Ledger
from novikoff.runs.loop import play
from novikoff.stream.blocks import Block

SEPARABLE = separable_data()


RATES = st.sampled_from((1.0, 0.5, 4.0, 0.75))


CLASS_WEIGHTS = st.sampled_from(((1.0, 1.0), (1.0, 0.5), (3.0, 2.0), (0.25, 1.0)))


def run_on(block: Block, learner: Additive, epochs: int = 1000) -> Ledger:
    return play([block], learner, epochs=epochs).ledger


def ledger_of(rows: list[list[float]], labels: list[int], **options: Any) -> Ledger:
    return run_on(sources.block(rows, labels), Additive(len(rows[0]), **options))


@dataclass(frozen=True)
class Textbook:
    """The quantities of the proofs, mistake by mistake, in Fractions and plain loops."""

    z: list[list[Fraction]]
    steps: list[Fraction]
    u: list[Fraction]
    start: list[Fraction]

    @classmethod
    def of(cls, ledger: Ledger, X: NDArray[np.float64], u: Any) -> Textbook:
        z, steps = [], []
        for i, step in zip(ledger.rows.tolist(), ledger.steps.tolist(), strict=True):
            y = 1 if step > 0 else -1
            z.append([y * Fraction(v) for v in [*X[i].tolist(), *[1.0] * ledger.bias]])
            steps.append(abs(Fraction(step)) * Fraction(ledger.unit))
        witness = [Fraction(v) for v in u]
        start = [0.0] * len(witness) if ledger.start is None else ledger.start.tolist()
        return cls(z, steps, witness, [Fraction(v) for v in start])

    def dot(self, a: list[Fraction], b: list[Fraction]) -> Fraction:
        return sum((p * q for p, q in zip(a, b, strict=True)), Fraction(0))

    @property
    def gamma(self) -> Fraction:
        return min(self.dot(z, self.u) for z in self.z)

    @property
    def r2(self) -> Fraction:
        return max(self.dot(z, z) for z in self.z)

    @property
    def u2(self) -> Fraction:
        return self.dot(self.u, self.u)

    def weights(self) -> list[list[Fraction]]:
        w, out = self.start, []
        for s, z in zip(self.steps, self.z, strict=True):
            w = [p + s * q for p, q in zip(w, z, strict=True)]
            out.append(w)
        return out
