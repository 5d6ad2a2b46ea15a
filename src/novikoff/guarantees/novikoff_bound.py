"""Novikoff's theorem: the mistakes of a perceptron on examples that u separates; disjunctions."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Self

import numpy as np

from novikoff.guarantees.exact.arithmetic import (
    ExactVector,
    Number,
    Numbers,
    floor_of_sum,
    fraction,
    root,
)
from novikoff.guarantees.exact.mistaken import (
    Mistaken,
    expect_threshold,
    mistakes_from_zero,
    with_witness,
)
from novikoff.ledger.ledger import Ledger
from novikoff.stream.printing import count, plural, short
from novikoff.stream.rows import Rows


@dataclass(frozen=True, slots=True)
class Bound:
    """At most `bound` mistakes were possible, and `mistakes` were made.

    `margin` is γ, the smallest y⟨u,x⟩ over the mistaken examples, for the witness u as given (None
    if there was no mistake); `radius_squared` is R², the largest ‖x‖² over them.
    """

    theorem: str
    bound: int
    mistakes: int
    margin: Fraction | None
    radius_squared: Fraction
    witness_squared: Fraction
    witness: tuple[Fraction, ...] = field(repr=False)

    @classmethod
    def without_mistakes(cls, theorem: str, u: ExactVector, **more: Any) -> Self:
        """The bound on a run without mistakes, which holds for any vector."""
        return cls(theorem, 0, 0, None, Fraction(0), u.squared, u.numbers, **more)

    @property
    def counted(self) -> str:
        """What is bounded: mistakes or, if examples that were right may count too, updates."""
        return "mistake"

    @property
    def holds(self) -> bool:
        """Whether the mistakes made are within the bound."""
        return self.mistakes <= self.bound

    @property
    def unit_margin(self) -> float:
        """γ/‖u‖: the margin of the witness as a unit vector (0 if there was no mistake)."""
        return 0.0 if self.margin is None else root(self.margin**2 / self.witness_squared)

    def __str__(self) -> str:
        if self.margin is None:
            return f"{self.theorem}: no {self.counted}s"
        but = "" if self.holds else ", more than the bound because of rounding"
        R = root(self.radius_squared)
        return (
            f"{self.theorem}: at most {plural(self.bound, self.counted)}, {count(self.mistakes)} "
            f"made{but} (of the mistaken rows: R = {short(R, 6)}, γ = {short(self.unit_margin, 6)})"
        )


def mistake_bound(radius_squared: Number, witness_squared: Number, margin: Number) -> int:
    """⌊R²‖u‖²/γ²⌋, exactly: the perceptron makes no more mistakes (Novikoff 1962, Theorem 1)."""
    R2, U2 = fraction(radius_squared, "R²"), fraction(witness_squared, "‖u‖²")
    gamma = fraction(margin, "γ")
    if R2 < 0 or U2 < 0 or gamma <= 0:
        raise ValueError(f"need R² ≥ 0, ‖u‖² ≥ 0 and γ > 0, got {R2}, {U2} and {gamma}")
    return R2 * U2 // gamma**2


def novikoff(ledger: Ledger, witness: Numbers, *, rows: Rows | None = None) -> Bound:
    """M ≤ (R‖u‖/γ)² mistakes of a perceptron, however long the stream and in any order.

    The run starts at w = 0, and every update is on an example with y⟨w,x⟩ ≤ 0. If the steps differ,
    as with class weights, the bound is multiplied by the largest over the smallest. Proof:
    docs/proofs.md. References: Block (1962); Novikoff (1962), Theorem 1; Freund & Schapire (1999),
    Theorem 1.

    Parameters
    ----------
    ledger
        The mistakes of the run.
    witness
        u, of any length: a number for each feature, then one for the constant if there is a bias.
        NotAWitness is raised if a mistaken example is not strictly on its correct side.
    rows
        The rows of the whole data, if the ledger kept only positions in them.
    """
    theorem, (ledger, u) = "Novikoff 1962", with_witness(ledger, witness)
    seen = mistakes_from_zero(ledger, Fraction(0), rows)
    if seen is None:
        return Bound.without_mistakes(theorem, u)
    gamma, R2 = seen.margin(u), seen.radius_squared
    bound = mistake_bound(seen.stretch * R2, u.squared, gamma)
    return Bound(theorem, bound, len(ledger), gamma, R2, u.squared, u.numbers)


def adaptive(ledger: Ledger, witness: Numbers, *, rows: Rows | None = None) -> Bound:
    """M ≤ √(Σ‖x‖²) ‖u‖/γ: `novikoff` by the lengths of all mistakes (1962, proof of Theorem 1)."""
    theorem, (ledger, u) = "Novikoff 1962, adaptive", with_witness(ledger, witness)
    seen = mistakes_from_zero(ledger, Fraction(0), rows)
    if seen is None:
        return Bound.without_mistakes(theorem, u)
    gamma, squares = seen.margin(u), seen.sum_of_squares / seen.smallest_step**2
    bound = math.isqrt(mistake_bound(squares, u.squared, gamma))
    return Bound(theorem, bound, len(ledger), gamma, seen.radius_squared, u.squared, u.numbers)


def from_start(
    ledger: Ledger, witness: Numbers, *, margin: Number = 0, rows: Rows | None = None
) -> Bound:
    """The largest M with rMγ + ⟨w₀,u⟩ ≤ ‖u‖√(‖w₀‖² + r²MR²), for a run that started at w₀.

    The left side is a lower bound on ⟨w,u⟩, the root an upper bound on ‖w‖; r is the rate. `margin`
    is η of a margin perceptron; the other parameters are those of `novikoff`. Proof:
    docs/proofs.md, after Novikoff (1962), Theorem 1.
    """
    theorem, (ledger, u) = "Novikoff 1962 from w₀", with_witness(ledger, witness)
    eta = fraction(margin, "margin")
    expect_threshold(ledger, eta)
    if len(ledger) == 0:
        return Bound.without_mistakes(theorem, u)
    seen = Mistaken.of(ledger, rows)
    gamma, R2 = seen.margin(u), seen.radius_squared
    a, b = seen.smallest_step, seen.largest_step
    start = np.zeros(len(u)) if ledger.start is None else ledger.start
    w0 = ExactVector.of([Fraction(ledger.unit) * Fraction(w) for w in start.tolist()], "start")
    along = sum((p * q for p, q in zip(w0.numbers, u.numbers, strict=True)), Fraction(0))
    # (aγM + ⟨w₀,u⟩)² ≤ ‖u‖²(‖w₀‖² + a(bR² + 2η)M) is a quadratic, M² ≤ 2pM + q with q ≥ 0
    square = (a * gamma) ** 2
    p = (u.squared * a * (b * R2 + 2 * eta) / 2 - a * gamma * along) / square
    q = (u.squared * w0.squared - along**2) / square
    bound = floor_of_sum(p, p * p + q)
    return Bound(theorem, bound, len(ledger), gamma, R2, u.squared, u.numbers)


@dataclass(frozen=True, slots=True)
class Disjunction:
    """The first k of n attributes joined by or: the best witness, of margin 1, and the bound."""

    n: int
    k: int
    bound: int
    margin_squared: Fraction
    radius_squared: int
    witness_squared: int
    witness: tuple[int, ...] = field(repr=False)

    def __str__(self) -> str:
        return (
            f"a disjunction of {self.k} of {self.n} attributes: at most {self.bound:,} mistakes "
            f"(R² = {self.radius_squared}, γ² = {self.margin_squared})"
        )


def k_disjunction(n: int, k: int, *, constant: bool = True) -> Disjunction:
    """At most (n + 1)(4k + 1) mistakes on a disjunction of k of n attributes, each 0 or 1.

    Without a constant feature the example of zeros must not occur, and with d = n − k the bound is
    n(k(d + 1)² + d). The margins are the best (docs/proofs.md). References: Novikoff (1962),
    Theorem 1, with the duality of margins and convex hulls; Kivinen, Warmuth & Auer (1997) show
    that every such rule makes a number of mistakes linear in n.
    """
    if not 1 <= k <= n:
        raise ValueError(f"need 1 <= k <= n, got {n=} and {k=}")
    rest = n - k
    matters, other = (2, 0) if constant else (rest + 1, -1)
    witness = (matters,) * k + (other,) * rest + (-1,) * constant
    U2 = _witness_squared(n, k, constant)
    R2 = n + constant
    return Disjunction(n, k, mistake_bound(R2, U2, 1), Fraction(1, U2), R2, U2, witness)


def disjunction(n: int, *, constant: bool = True) -> Disjunction:
    """The most mistakes on any disjunction over n attributes: (n + 1)(4n + 1) with a constant."""
    if n < 1:
        raise ValueError(f"need at least one attribute, got {n=}")
    hardest = max(range(1, n + 1), key=lambda k: _witness_squared(n, k, constant))
    return k_disjunction(n, hardest, constant=constant)


def _witness_squared(n: int, k: int, constant: bool) -> int:
    return 4 * k + 1 if constant else k * (n - k + 1) ** 2 + n - k
