"""Finite classes of concepts, and Winnow: the mistakes possible for any target, in any order."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from novikoff.guarantees.exact.arithmetic import Number, fraction
from novikoff.guarantees.exact.logarithms import ball, floored
from novikoff.stream.printing import plural, short


@dataclass(frozen=True, slots=True)
class ClassBound:
    """At most `bound` mistakes in any order, and so many `expected` if concepts are drawn.

    `terms` says, in words, what the bound was computed from.
    """

    theorem: str
    bound: int
    expected: float | None = None
    terms: str = ""

    def holds(self, mistakes: int) -> bool:
        """Whether this many mistakes are within the bound."""
        return mistakes <= self.bound

    def __str__(self) -> str:
        average = ""
        if self.expected is not None:
            average = f", {short(self.expected, 6)} expected if drawn at random"
        return f"{self.theorem}: at most {plural(self.bound, 'mistake')}{average}{self.terms}"


def halving_bound(size: int) -> ClassBound:
    """⌊log₂|C|⌋ mistakes if the majority of consistent concepts predicts (Littlestone 1988, 3)."""
    return ClassBound("halving", _expect_size(size).bit_length() - 1)


def consistent_bound(size: int) -> ClassBound:
    """At most |C| − 1 mistakes if any consistent concept predicts; ln|C| expected at random.

    References: Littlestone (1988), Section 3; Maass (1991) for the random choice (docs/proofs.md).
    """
    return ClassBound("any consistent concept", _expect_size(size) - 1, float(ball(size).log()))


def elimination_bound(n: int, *, monotone: bool) -> ClassBound:
    """At most n mistakes of elimination on monotone conjunctions or disjunctions of n variables.

    Each mistake drops at least one of n literals; if literals may be negated, n + 1 mistakes.
    References: Valiant (1984); Littlestone (1988), Section 3.
    """
    if n < 1:
        raise ValueError(f"there must be at least one variable, got {n=}")
    return ClassBound("elimination", n if monotone else n + 1)


def weighted_majority_bound(size: int, best: int, beta: Number) -> ClassBound:
    """The largest M with (2/(1 + β))ᴹ ≤ (1/β)ᵏ·|C|, where the `best` concept makes k mistakes.

    The labels are arbitrary: no concept needs to fit them. β, between 0 and 1, is the factor for
    the weight of a concept that is wrong; a float is read as the exact fraction that it stores.
    Reference: Littlestone & Warmuth (1994), Section 2 (docs/proofs.md).
    """
    p, q = fraction(beta, "β").as_integer_ratio()
    if not 0 < p < q:
        raise ValueError(f"β must be between 0 and 1, got {beta}")
    if best < 0:
        raise ValueError(f"the best concept cannot make {best} mistakes")
    size = _expect_size(size)
    # (2q)ᴹpᵏ = (p + q)ᴹqᵏ|C| implies M = 0, as p + q shares no divisor with p or q and does not
    # divide 2. So for M > 0 intervals decide, however close β is to 1
    bound = floored(
        lambda: (best * (ball(q) / p).log() + ball(size).log()) / (ball(2 * q) / (p + q)).log(),
        lambda M: M == 0 and best == 0 and size == 1,
    )
    return ClassBound("weighted majority", bound)


def _expect_size(size: int) -> int:
    if size < 1:
        raise ValueError(f"a class has at least one concept, got {size=}")
    return size


def winnow1_bound(
    n: int, k: int, *, alpha: Number = 2, threshold: Number | None = None
) -> ClassBound:
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
    return _of_winnow("Winnow1", bound, n, k, a, theta)


def winnow2_bound(
    n: int, weights_sum: Number, delta: Number, threshold: Number | None = None
) -> ClassBound:
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
    return _of_winnow("Winnow2", bound, n, mu, 1 + d / 2, theta)


def doubling_bound(n: int, k: int) -> ClassBound:
    """⌊2 + 3k(1 + log₂ n)⌋ mistakes of Winnow2, α = 2, θ = n, on a disjunction (Blum 1998)."""
    _expect_counts(n, k)
    log = (n ** (3 * k)).bit_length() - 1  # ⌊3k log₂ n⌋
    return _of_winnow("Winnow2, doubling and halving", 2 + 3 * k + log, n, k, 2, n)


def _of_winnow(
    theorem: str, bound: int, n: int, relevant: Number, alpha: Number, theta: Number
) -> ClassBound:
    terms = f" ({relevant} of {plural(n, 'attribute')}, α = {alpha}, θ = {theta})"
    return ClassBound(theorem, bound, terms=terms)


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
