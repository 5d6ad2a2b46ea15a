"""Disjunctions of Boolean attributes: their best margin, and the perceptron's mistakes on them."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from novikoff.guarantees.novikoff_bound import mistake_bound


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
