"""The nouns of a certificate: the verdict, the interval for the margin, what data it is about."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import TypeAlias

from novikoff.guarantees.exact import root

Sparse: TypeAlias = Mapping[int, int]  # what is not here is 0


class Separation(StrEnum):
    """Whether some weights have the rows on their right sides (Albert & Anderson 1984).

    `complete`: strictly, all of them. `quasi-complete`: none on its wrong side and some strictly
    right, but never all. `overlap`: neither. `undecided`: no proof was found either way.
    """

    COMPLETE = "complete"
    QUASI_COMPLETE = "quasi-complete"
    OVERLAP = "overlap"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class MarginInterval:
    """The best margin γ lies between the roots of these; None: nothing is known from above.

    Below is what the certificate's weights reach, above the length of an average of the rows y·x
    in which row i counts hull[i]: γ = min ‖Σ λ y x‖ over convex λ.
    """

    at_least_squared: Fraction = Fraction(0)
    at_most_squared: Fraction | None = None
    hull: Sparse = field(default_factory=dict, repr=False)

    @property
    def low(self) -> float:
        """A margin that is reached."""
        return root(self.at_least_squared.numerator, self.at_least_squared.denominator)

    @property
    def high(self) -> float:
        """A margin that is not exceeded."""
        most = self.at_most_squared
        return math.inf if most is None else root(most.numerator, most.denominator)

    @property
    def relative_width(self) -> float:
        """(high − low)/high: 0 when the margin is known exactly, 1 when nothing is known below."""
        if self.at_most_squared is None:
            return 1.0
        if self.at_most_squared == self.at_least_squared:
            return 0.0
        ratio = self.at_least_squared / self.at_most_squared
        return float((1 - ratio) / (1 + Fraction(math.sqrt(ratio))))  # 1 − √ratio, not cancelled

    def __str__(self) -> str:
        if self.at_most_squared == self.at_least_squared:
            short = self.at_least_squared.denominator < 10**6
            square = f"γ² = {self.at_least_squared}" if short else "known exactly"
            return f"{self.low:.6g} ({square})"
        if self.at_most_squared is None:
            return f"at least {self.low:.6g}"
        if self.relative_width < 1e-6:
            return f"{self.low:.6g}, known to {self.relative_width:.1g} of itself"
        return f"between {self.low:.6g} and {self.high:.6g}"


@dataclass(frozen=True, slots=True)
class Described:
    """What a certificate says of its data; `verify` checks rows, columns and fingerprint."""

    rows: int
    columns: int
    bias: bool
    fingerprint: str
    names: tuple[str, ...] | None = None
    label: str | None = None
    classes: tuple[str, str] = ("-1", "1")

    def name(self, column: int) -> str:
        """What to call a column: its name, its number from 0, or the constant."""
        if column == self.columns:
            return "constant"
        return f"column {column}" if self.names is None else self.names[column]


def aliased_column(v: Sparse, constant: int) -> int:
    """The column an alias is about: its last, the constant counting as the first."""
    return max(v, key=lambda j: -1 if j == constant else j)
