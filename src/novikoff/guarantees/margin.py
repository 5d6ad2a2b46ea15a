"""The best margin γ between two exact bounds, and what a margin perceptron promises."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np

from novikoff.guarantees.exact import arithmetic
from novikoff.guarantees.exact.arithmetic import ExactVector, Number, Numbers, fraction, root
from novikoff.guarantees.exact.mistaken import (
    Mistaken,
    expect_ledger,
    mistakes_from_zero,
    with_witness,
)
from novikoff.guarantees.exact.rows import ExactRows, ExactSum, usable
from novikoff.guarantees.novikoff_bound import Bound, mistake_bound
from novikoff.ledger.ledger import Ledger
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample
from novikoff.stream.printing import plural, short
from novikoff.stream.rows import Rows


@dataclass(frozen=True, slots=True)
class Achieved:
    """The margin of some weights: the smallest y⟨w,x⟩, over ‖w‖, and the row that has it."""

    row: int
    smallest: Fraction
    weights_squared: Fraction

    @property
    def value(self) -> float:
        """The distance of the nearest row from the hyperplane; negative if it is misclassified."""
        size = root(self.smallest**2 / self.weights_squared)
        return size if self.smallest >= 0 else -size

    def exceeds(self, squared: Fraction) -> bool:
        """Whether the margin is positive and its square greater than this, exactly."""
        return self.smallest > 0 and self.smallest**2 > squared * self.weights_squared

    def __str__(self) -> str:
        return f"margin {short(self.value, 6)}, at row {self.row}"


@dataclass(frozen=True, slots=True)
class Ceiling:
    """No unit vector has a margin larger than the square root of `squared` on the mistaken rows."""

    squared: Fraction
    mistakes: int

    @property
    def value(self) -> float:
        """The margin that no unit vector exceeds."""
        return root(self.squared)

    def __str__(self) -> str:
        made = plural(self.mistakes, "mistake")
        return f"no margin exceeds {short(self.value, 6)} (proved by {made})"


def achieved_margin(weights: Numbers, block: Block) -> Achieved:
    """The margin of the weights on a block, exactly: min y⟨w,x⟩, ‖w‖², and the row that has it."""
    if not isinstance(block, Block):
        raise TypeError("the weights come first: achieved_margin(weights, block)")
    w, rows = ExactVector.of(weights, "weights"), block.rows
    expect_weights_for(rows, w)
    usable(rows)
    exact = ExactRows(rows, bias=len(w) > rows.dim)
    i, smallest = exact.least(np.arange(len(rows)), block.signs, w)
    return Achieved(int(block.positions(np.array([i]))[0]), smallest, w.squared)


def expect_weights_for(rows: Rows, w: ExactVector) -> None:
    """Raise an error if the weights, a row for each class if there are many, have no margin."""
    length, each = w.integers.shape[-1], " for each class" * (w.integers.ndim > 1)
    if length not in (rows.dim, rows.dim + 1):
        raise ValueError(f"{length} weights{each} do not fit rows of {rows.dim} features")
    if len(rows) == 0:
        raise BadExample("the block has no rows")
    if w.squared == 0:
        raise ValueError("the weights are all 0, so they have no margin")


def margin_at_most(ledger: Ledger, *, rows: Rows | None = None) -> Ceiling:
    """γ ≤ ‖w − w₀‖/Σs: Novikoff's proof read backwards, for any data that contain the mistakes.

    Any start and any margin are allowed; otherwise the parameters are those of `novikoff`. Proof:
    docs/proofs.md, after Novikoff (1962), Theorem 1.
    """
    ledger = expect_ledger(ledger)
    if len(ledger) == 0:
        raise ValueError("the run made no mistakes, so it gives no upper bound on the margin")
    seen = Mistaken.of(ledger, rows)
    signed = arithmetic.products(seen.labels.astype(np.int64), seen.steps, summed=len(ledger))
    times = arithmetic.sums_by(seen.which, signed)
    total = ExactSum(seen.rows.dim + seen.bias)
    total.add(seen.rows, np.arange(len(times)), times, Fraction(1))
    return Ceiling(total.squared / sum(seen.steps.tolist()) ** 2, len(ledger))


@dataclass(frozen=True, slots=True)
class MarginBound(Bound):
    """A bound on the updates with threshold η, and the margin after a pass without any."""

    threshold: Fraction
    promised_squared: Fraction

    @classmethod
    def of(
        cls, theorem: str, seen: Mistaken, gamma: Fraction, u: ExactVector, *, eta: Fraction,
        times: int = 1, **more: Any,
    ) -> Self:  # fmt: skip
        """The bound from the mistakes seen, if a mistake z has ‖z‖² = times · ‖x‖²."""
        R2 = seen.radius_squared
        growth = times * seen.largest_step * R2 + 2 * eta
        bound = mistake_bound(growth / seen.smallest_step, u.squared, gamma)
        promised = (gamma * eta / growth) ** 2 / u.squared
        made = len(seen.steps)
        return cls(theorem, bound, made, gamma, R2, u.squared, u.numbers, eta, promised, **more)

    @property
    def counted(self) -> str:
        """Updates, because examples that were right by no more than η count too."""
        return "update" if self.threshold else "mistake"

    @property
    def promised(self) -> float:
        """The margin that the final weights exceed, as a unit vector."""
        return root(self.promised_squared)

    def kept_by(self, achieved: Achieved) -> bool:
        """Whether the margin achieved is greater than the one promised, compared exactly."""
        return achieved.exceeds(self.promised_squared)

    def __str__(self) -> str:
        if self.margin is None or not self.threshold:
            return Bound.__str__(self)
        promised = short(self.promised, 6)
        return f"{Bound.__str__(self)}; after a clean pass the margin exceeds {promised}"


def margin_perceptron(
    ledger: Ledger, witness: Numbers, margin: Number, *, rows: Rows | None = None
) -> MarginBound:
    """At most (R² + 2η/r)‖u‖²/γ² updates; after a clean pass a margin > γη/((rR² + 2η)‖u‖).

    `margin` is η and r the rate; the other parameters are those of `novikoff`, for a run in which
    every update was on an example with y⟨w,x⟩ ≤ η. Proof: docs/proofs.md. References: Krauth &
    Mézard (1987), for whom η is the stability; the proof is that of Novikoff (1962).
    """
    theorem, (ledger, u) = "Krauth & Mézard 1987", with_witness(ledger, witness)
    eta = fraction(margin, "margin")
    seen = mistakes_from_zero(ledger, eta, rows)
    if seen is None:
        return MarginBound.without_mistakes(theorem, u, threshold=eta, promised_squared=Fraction(0))
    return MarginBound.of(theorem, seen, seen.margin(u), u, eta=eta)
