"""What the margin perceptron promises: how many updates, and how wide a margin at the end."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from novikoff.guarantees.best_margin import Achieved
from novikoff.guarantees.bounds import Bound, mistake_bound
from novikoff.guarantees.exact import Number, Numbers, fraction, root
from novikoff.guarantees.mistaken import (
    Mistaken,
    expect_start_zero,
    expect_threshold,
    witness_for,
)
from novikoff.ledger import Ledger
from novikoff.rows import Rows


@dataclass(frozen=True, slots=True)
class MarginBound(Bound):
    """A bound on the updates made with threshold η, and a promise about the weights at the end.

    Once a pass makes no update, the weights have a margin greater than the square root of
    `promised_squared` on every example of the pass.
    """

    threshold: Fraction
    promised_squared: Fraction

    @property
    def promised(self) -> float:
        """The margin that the final weights, as a unit vector, exceed."""
        return root(self.promised_squared.numerator, self.promised_squared.denominator)

    def kept_by(self, achieved: Achieved) -> bool:
        """Whether the margin achieved is greater than the one promised, compared exactly."""
        return achieved.exceeds(self.promised_squared)

    def __str__(self) -> str:
        if self.margin is None:
            return Bound.__str__(self)
        return f"{Bound.__str__(self)}; a clean pass ends with a margin > {self.promised:.6g}"


def margin_perceptron(
    ledger: Ledger, witness: Numbers, margin: Number, *, rows: Rows | None = None
) -> MarginBound:
    """At most (R² + 2η/r)‖u‖²/γ² updates; after a clean pass a margin > γη/((rR² + 2η)‖u‖).

    With rate r an update on z = yx, made when ⟨w,z⟩ ≤ η, changes ‖w‖² by 2r⟨w,z⟩ + r²‖z‖², at most
    r(rR² + 2η); and ⟨w,u⟩ by at least rγ. For steps s between a and b that add up to S, then,
    Sγ ≤ ‖u‖‖w‖ and ‖w‖² ≤ S(bR² + 2η). So S ≤ (bR² + 2η)‖u‖²/γ², which bounds the updates by S/a,
    and ‖w‖ ≤ (bR² + 2η)‖u‖/γ. After a pass with no update every y⟨w,x⟩ is above η: divide. For
    η = R² = r = ‖u‖ = 1 it is 3/γ² updates and a margin of γ/3.

    Parameters
    ----------
    ledger
        A run from w = 0 in which every update was on an example with y⟨w,x⟩ ≤ margin.
    witness, rows
        As for `novikoff`.
    margin
        η ≥ 0. With 0 it is Novikoff's bound, and nothing is promised.

    References
    ----------
    Krauth & Mézard (1987), for whom η is the stability; the proof is that of Novikoff (1962).

    Examples
    --------
    >>> from novikoff import guarantees, sources
    >>> from novikoff.learners import Additive
    >>> from novikoff.loop import play
    >>> square = sources.block([[1, 0], [0, 1]], [1, 1])
    >>> learner = Additive(2, margin=1)
    >>> run = play(square, learner, epochs=10)
    >>> promise = guarantees.margin_perceptron(run.ledger, [1, 1], 1)
    >>> promise.bound, promise.mistakes
    (6, 4)
    >>> promise.kept_by(guarantees.achieved_margin(learner.weights, square))
    True
    """
    theorem, u = "Krauth & Mézard 1987", witness_for(ledger, witness)
    eta = fraction(margin, "margin")
    expect_start_zero(ledger)
    if len(ledger) == 0:
        none = Fraction(0)
        return MarginBound(theorem, 0, 0, None, none, u.squared, u.numbers, eta, none)
    expect_threshold(ledger, eta)
    seen = Mistaken.of(ledger, rows)
    gamma, R2 = seen.margin(u), seen.radius_squared
    growth = seen.largest_step * R2 + 2 * eta
    return MarginBound(
        theorem,
        mistake_bound(growth / seen.smallest_step, u.squared, gamma),
        len(ledger),
        gamma,
        R2,
        u.squared,
        u.numbers,
        eta,
        (gamma * eta / growth) ** 2 / u.squared,
    )
