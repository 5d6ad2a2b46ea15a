"""What a guarantee says: at most so many mistakes, and the vector that proves it."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from novikoff.guarantees.exact import Number, fraction, root


class NotAWitness(ValueError):  # noqa: N818  (it says what the vector is not)
    """A vector offered as a witness that has a mistaken example on its wrong side, or on itself.

    Of vectors for many classes `classes` are that of the example, and the one it is not ahead of.
    """

    def __init__(self, row: int, margin: Fraction, classes: tuple[int, int] | None = None) -> None:
        over, under = margin.as_integer_ratio()
        about = f"≈ {Decimal(over) / Decimal(under):.4g}"  # it may be too large for a float
        if over.bit_length() + under.bit_length() <= 256:
            about = f"= {margin}" if under == 1 else f"= {margin} {about}"
        what = f"row {row} has y⟨u,x⟩ {about}"
        if classes is not None:
            y, r = classes
            what = f"row {row}, of class {y}, has ⟨u,x⟩ for {y} less that for class {r} {about}"
        super().__init__(f"the witness does not separate the mistaken examples: {what}")
        self.row, self.margin, self.classes = row, margin, classes

    def __reduce__(
        self,
    ) -> tuple[type[NotAWitness], tuple[int, Fraction, tuple[int, int] | None]]:
        return NotAWitness, (self.row, self.margin, self.classes)


@dataclass(frozen=True, slots=True)
class Bound:
    """At most `bound` mistakes were possible, and `mistakes` were made.

    `margin` is γ, the smallest y⟨u,x⟩ over the mistaken examples, for the witness u as it was given
    (None when there was no mistake); `radius_squared` is R², the largest ‖x‖² over them, and
    `witness_squared` is ‖u‖².
    """

    theorem: str
    bound: int
    mistakes: int
    margin: Fraction | None
    radius_squared: Fraction
    witness_squared: Fraction
    witness: tuple[Fraction, ...] = field(repr=False)

    @property
    def holds(self) -> bool:
        """Whether the mistakes made are within the bound."""
        return self.mistakes <= self.bound

    @property
    def unit_margin(self) -> float:
        """γ/‖u‖: the margin of the witness as a unit vector (0 when there was no mistake)."""
        if self.margin is None:
            return 0.0
        square = self.margin**2 / self.witness_squared
        return root(square.numerator, square.denominator)

    def __str__(self) -> str:
        if self.margin is None:
            return f"{self.theorem}: no mistakes"
        but = "" if self.holds else ", which is more: the run was not what the theorem supposes"
        R = root(self.radius_squared.numerator, self.radius_squared.denominator)
        return (
            f"{self.theorem}: at most {self.bound} mistakes, {self.mistakes} made{but} "
            f"(R = {R:.6g}, γ = {self.unit_margin:.6g})"
        )


def mistake_bound(radius_squared: Number, witness_squared: Number, margin: Number) -> int:
    """⌊R²‖u‖²/γ²⌋, exactly: what the perceptron's mistakes cannot exceed.

    Each mistake moves the weights by at least γ along u, and lengthens ‖w‖² by at most R².

    >>> mistake_bound(4, 9, 0.5)
    144

    References
    ----------
    Block (1962); Novikoff (1962), Theorem 1.
    """
    R2, U2 = fraction(radius_squared, "R²"), fraction(witness_squared, "‖u‖²")
    gamma = fraction(margin, "γ")
    if R2 < 0 or U2 < 0 or gamma <= 0:
        raise ValueError(f"need R² ≥ 0, ‖u‖² ≥ 0 and γ > 0, got {R2}, {U2} and {gamma}")
    return R2 * U2 // gamma**2
