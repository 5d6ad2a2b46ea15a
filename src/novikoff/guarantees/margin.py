"""The best margin γ of a data set between two exact bounds, and what a margin perceptron promises.

`achieved_margin` bounds γ from below, `margin_at_most` from above; `margin_perceptron` bounds the
updates of a margin perceptron and the margin that it ends with.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np

from novikoff.guarantees.exact.arithmetic import (
    ExactVector,
    Number,
    Numbers,
    fraction,
    products,
    root,
    sums_by,
)
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
    """The margin of some weights: the smallest y⟨w,x⟩, over ‖w‖, and the row that has it.

    It is negative if the weights misclassify a row.
    """

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
    """The margin of the weights on a block, exactly: min y⟨w,x⟩, ‖w‖², and the row of the minimum.

    The best margin of the data, γ* = max min y⟨u,x⟩ over unit vectors u, is at least this large.
    There is a weight for each feature, and one more for the constant if there is a bias.

    References: Novikoff (1962) for the margin; the weights are their own proof.

    >>> from novikoff import guarantees, sources
    >>> print(guarantees.achieved_margin([3, 4], sources.block([[1, 0], [-1, -1]], [1, -1])))
    margin 0.6, at row 0
    """
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
    """γ* ≤ ‖w − w₀‖/Σs: Novikoff's proof read backwards, for any data that contain the mistakes.

    The mistaken z = yx with steps s add up to w − w₀ = Σ sz. So for every unit vector u,
    min ⟨u,z⟩ Σs ≤ ⟨u, w − w₀⟩ ≤ ‖w − w₀‖. With w₀ = 0 and rate 1 this is ‖w‖/M. The proof does not
    use that the steps were taken on mistakes, so any start and any margin are allowed; otherwise
    the parameters are those of `novikoff`.

    References: After Novikoff (1962), Theorem 1; it is weak duality for γ* = min ‖Σλz‖ over convex
    λ.

    >>> from novikoff import Additive, guarantees, play, sources
    >>> run = play(sources.tight(4), Additive(4))
    >>> print(guarantees.margin_at_most(run.ledger))
    no margin exceeds 0.5 (proved by 4 mistakes)
    """
    ledger = expect_ledger(ledger)
    if len(ledger) == 0:
        raise ValueError("the run made no mistakes, so it gives no upper bound on the margin")
    seen = Mistaken.of(ledger, rows)
    signed = products(seen.labels.astype(np.int64), seen.steps, summed=len(ledger))
    times = sums_by(seen.which, signed)
    total = ExactSum(seen.rows.dim + seen.bias)
    total.add(seen.rows, np.arange(len(times)), times, Fraction(1))
    return Ceiling(total.squared / sum(seen.steps.tolist()) ** 2, len(ledger))


@dataclass(frozen=True, slots=True)
class MarginBound(Bound):
    """A bound on the updates made with threshold η, and a promise about the weights at the end.

    Once a pass makes no update, the weights have a margin greater than the square root of
    `promised_squared` on every example of the pass.
    """

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

    With rate r, an update on z = yx is made if ⟨w,z⟩ ≤ η. It changes ‖w‖² by 2r⟨w,z⟩ + r²‖z‖², at
    most r(rR² + 2η), and ⟨w,u⟩ by at least rγ. So for steps s between a and b that add up to S,
    Sγ ≤ ‖u‖‖w‖ and ‖w‖² ≤ S(bR² + 2η). Hence S ≤ (bR² + 2η)‖u‖²/γ², there are at most S/a updates,
    and ‖w‖ ≤ (bR² + 2η)‖u‖/γ. After a pass without updates every y⟨w,x⟩ is above η: divide by ‖w‖.
    For η = R² = r = ‖u‖ = 1 this means 3/γ² updates and a margin of γ/3. With η = 0 the bound is
    Novikoff's, and no margin is promised.

    `margin` is η; the other parameters are those of `novikoff`, for a run in which every update was
    on an example with y⟨w,x⟩ ≤ η.

    References: Krauth & Mézard (1987), for whom η is the stability; the proof is that of Novikoff
    (1962).

    >>> from novikoff import Additive, guarantees, play, sources
    >>> square = sources.block([[1, 0], [0, 1]], [1, 1])
    >>> learner = Additive(2, margin=1)
    >>> run = play(square, learner, epochs=10)
    >>> promise = guarantees.margin_perceptron(run.ledger, [1, 1], 1)
    >>> promise.bound, promise.mistakes
    (6, 4)
    >>> promise.kept_by(guarantees.achieved_margin(learner.weights, square))
    True
    """
    theorem, (ledger, u) = "Krauth & Mézard 1987", with_witness(ledger, witness)
    eta = fraction(margin, "margin")
    seen = mistakes_from_zero(ledger, eta, rows)
    if seen is None:
        return MarginBound.without_mistakes(theorem, u, threshold=eta, promised_squared=Fraction(0))
    return MarginBound.of(theorem, seen, seen.margin(u), u, eta=eta)
