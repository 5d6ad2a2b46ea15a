"""Finite classes of concepts: how many mistakes are possible, whatever the target and the order."""

from __future__ import annotations

from dataclasses import dataclass

from novikoff.guarantees.exact.arithmetic import Number, fraction
from novikoff.guarantees.exact.logarithms import ball, floored


@dataclass(frozen=True, slots=True)
class ClassBound:
    """At most `bound` mistakes on examples that the theorem supposes, in any order.

    `expected` bounds their mean if the concept that predicts is drawn at random, where it may be.
    """

    theorem: str
    bound: int
    expected: float | None = None

    def holds(self, mistakes: int) -> bool:
        """Whether so many mistakes are within the bound."""
        return mistakes <= self.bound

    def __str__(self) -> str:
        average = (
            "" if self.expected is None else f", {self.expected:.6g} expected if drawn at random"
        )
        return f"{self.theorem}: at most {self.bound:,} mistakes{average}"


def halving_bound(size: int) -> ClassBound:
    """⌊log₂|C|⌋ mistakes at most when the majority of the consistent concepts predicts.

    Each mistake rules out at least half of those left, and the target is never ruled out.

    References
    ----------
    Barzdin & Freivald (1972); Littlestone (1988), Section 3.

    Examples
    --------
    >>> print(halving_bound(75_287_520))
    halving: at most 26 mistakes
    """
    return ClassBound("halving", _expect_size(size).bit_length() - 1)


def consistent_bound(size: int) -> ClassBound:
    """|C| − 1 mistakes at most when any consistent concept predicts.

    Each mistake rules out at least the concept that predicted. If it is drawn at random from those
    left, anew after each mistake, and the sequence was fixed before, at most ln|C| are expected: a
    concept that i − 1 others outlive errs only if it is drawn before them, a chance of 1/i, and
    1/2 + 1/3 + … + 1/|C| < ln|C|.

    References
    ----------
    Littlestone (1988), Section 3; Maass (1991) for the random choice.

    Examples
    --------
    >>> print(consistent_bound(1000))
    any consistent concept: at most 999 mistakes, 6.90776 expected if drawn at random
    """
    return ClassBound("any consistent concept", _expect_size(size) - 1, float(ball(size).log()))


def elimination_bound(n: int, *, monotone: bool) -> ClassBound:
    """At most n mistakes of elimination on monotone conjunctions of n variables, or disjunctions.

    Each mistake drops at least one of n literals. If literals may be negated there are 2n of them,
    of which the first mistake drops at least n: n + 1 mistakes.

    References
    ----------
    Valiant (1984); Littlestone (1988), Section 3.

    Examples
    --------
    >>> elimination_bound(100, monotone=False).bound
    101
    """
    if n < 1:
        raise ValueError(f"there must be at least one variable, got {n=}")
    return ClassBound("elimination", n if monotone else n + 1)


def weighted_majority_bound(size: int, best: int, beta: Number) -> ClassBound:
    """The largest M with (2/(1 + β))ᴹ ≤ (1/β)ᵏ·|C|, where the best concept makes k mistakes.

    The weights add up to |C| at first. Each mistake of the majority leaves at most (1 + β)/2 of
    their sum, and the best concept's weight is βᵏ in the end, which the sum is not below. The
    labels may be any: no concept need fit them.

    Parameters
    ----------
    best
        k, the mistakes of the best concept of the class.
    beta
        What the weight of a concept is multiplied by when it is wrong, between 0 and 1; a float
        is the fraction that it stands for, so the bound is exact.

    References
    ----------
    Littlestone & Warmuth (1994), *The weighted majority algorithm*, Section 2.

    Examples
    --------
    >>> print(weighted_majority_bound(1000, 10, 0.5))
    weighted majority: at most 48 mistakes
    """
    p, q = fraction(beta, "β").as_integer_ratio()
    if not 0 < p < q:
        raise ValueError(f"β must be between 0 and 1, got {beta}")
    if best < 0:
        raise ValueError(f"the best concept cannot make {best} mistakes")
    size = _expect_size(size)
    # (2q)ᴹpᵏ = (p + q)ᴹqᵏ|C| needs M = 0: p + q has no divisor in common with p or q, and is no
    # divisor of 2. So intervals decide, however near to 1 β is
    bound = floored(
        lambda: (best * (ball(q) / p).log() + ball(size).log()) / (ball(2 * q) / (p + q)).log(),
        lambda M: M == 0 and best == 0 and size == 1,
    )
    return ClassBound("weighted majority", bound)


def _expect_size(size: int) -> int:
    if size < 1:
        raise ValueError(f"a class has at least one concept, got {size=}")
    return size
