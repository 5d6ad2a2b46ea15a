"""Littlestone's bounds: how many mistakes Winnow makes if few of many attributes matter."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from novikoff.guarantees.exact.arithmetic import Number, fraction
from novikoff.guarantees.exact.logarithms import ball, floored
from novikoff.stream.printing import plural


@dataclass(frozen=True, slots=True)
class WinnowBound:
    """At most `bound` mistakes; it grows with `relevant`, k or Σμ of weights μ."""

    theorem: str
    bound: int
    attributes: int
    relevant: Fraction
    alpha: Fraction
    threshold: Fraction

    def __str__(self) -> str:
        return (
            f"{self.theorem}: at most {plural(self.bound, 'mistake')} ({self.relevant} of "
            f"{plural(self.attributes, 'attribute')}, α = {self.alpha}, θ = {self.threshold})"
        )


def winnow1_bound(
    n: int, k: int, *, alpha: Number = 2, threshold: Number | None = None
) -> WinnowBound:
    """At most ⌊αk(log_α θ + 1) + n/θ⌋ mistakes of Winnow1 on a monotone disjunction of k of n.

    It needs α > 1 and a threshold θ ≥ 1/α; the defaults, 2 and n/2, give 2k log₂ n + 2 (Littlestone
    1988; proof: docs/proofs.md).
    """
    _expect_counts(n, k)
    a = fraction(alpha, "α")
    theta = Fraction(n, 2) if threshold is None else fraction(threshold, "θ")
    if a <= 1 or theta < 1 / a:
        raise ValueError(f"need α > 1 and θ ≥ 1/α, got α = {a} and θ = {theta}")
    known, factor = a * k + n / theta, a * k
    bound = floored(
        lambda: ball(known) + ball(factor) * ball(theta).log() / ball(a).log(),
        lambda M: _is_power(a, (M - known) / factor, theta),
    )
    return WinnowBound("Winnow1", bound, n, Fraction(k), a, theta)


def winnow2_bound(
    n: int, weights_sum: Number, delta: Number, threshold: Number | None = None
) -> WinnowBound:
    """At most ⌊8n/(δ²θ) + (5/δ + 14 ln θ/δ²)Σμ⌋ mistakes of Winnow2 with α = 1 + δ/2.

    The attributes are in [0, 1], and there are μ ≥ 0 with μ·x ≥ 1 on the positive examples and μ·x
    ≤ 1 − δ on the negative ones. It needs 0 < δ ≤ 1 and a threshold θ ≥ 1, by default n
    (Littlestone 1988).
    """
    _expect_counts(n, 1)
    mu, d = fraction(weights_sum, "Σμ"), fraction(delta, "δ")
    theta = Fraction(n) if threshold is None else fraction(threshold, "θ")
    if mu < 0 or not 0 < d <= 1 or theta < 1:
        raise ValueError(f"need Σμ ≥ 0, 0 < δ ≤ 1 and θ ≥ 1, got {mu}, {d} and {theta}")
    known, factor = 8 * n / (d**2 * theta) + 5 * mu / d, 14 * mu / d**2
    # ln θ is transcendental unless θ is 1 (Lindemann), so otherwise the value is no integer
    bound = floored(
        lambda: ball(known) + ball(factor) * ball(theta).log(),
        lambda M: (theta == 1 or factor == 0) and known == M,
    )
    return WinnowBound("Winnow2", bound, n, mu, 1 + d / 2, theta)


def doubling_bound(n: int, k: int) -> WinnowBound:
    """⌊2 + 3k(1 + log₂ n)⌋ mistakes of Winnow2, α = 2, θ = n, on a disjunction (Blum 1998)."""
    _expect_counts(n, k)
    log = (n ** (3 * k)).bit_length() - 1  # ⌊3k log₂ n⌋
    theorem = "Winnow2, doubling and halving"
    return WinnowBound(theorem, 2 + 3 * k + log, n, Fraction(k), Fraction(2), Fraction(n))


def _expect_counts(n: int, k: int) -> None:
    if not 1 <= k <= n:
        raise ValueError(f"need 1 <= k <= n, got {n=} and {k=}")


def _is_power(a: Fraction, exponent: Fraction, b: Fraction) -> bool:
    """Whether a^exponent is b, for a > 1: then a is a whole root of b's, so neither is small."""
    over, under = exponent.as_integer_ratio()
    if under > _bits(a) or abs(over) > _bits(b):
        return False
    return a**over == b**under


def _bits(x: Fraction) -> int:
    return x.numerator.bit_length() + x.denominator.bit_length()
