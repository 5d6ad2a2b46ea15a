"""Finite classes of concepts: how many mistakes are possible, whatever the target and the order."""

from __future__ import annotations

from dataclasses import dataclass

from novikoff.guarantees.exact.arithmetic import Number, fraction
from novikoff.guarantees.exact.logarithms import ball, floored
from novikoff.stream.printing import plural, short


@dataclass(frozen=True, slots=True)
class ClassBound:
    """At most `bound` mistakes on examples that meet the theorem's assumptions, in any order.

    `expected` bounds their expected number if the predicting concept is drawn at random; None if
    the theorem does not cover that.
    """

    theorem: str
    bound: int
    expected: float | None = None

    def holds(self, mistakes: int) -> bool:
        """Whether this many mistakes are within the bound."""
        return mistakes <= self.bound

    def __str__(self) -> str:
        average = ""
        if self.expected is not None:
            average = f", {short(self.expected, 6)} expected if drawn at random"
        return f"{self.theorem}: at most {plural(self.bound, 'mistake')}{average}"


def halving_bound(size: int) -> ClassBound:
    """At most ⌊log₂|C|⌋ mistakes if the majority of the consistent concepts predicts.

    Each mistake rules out at least half of the remaining concepts, and never the target.

    References: Barzdin & Freivald (1972); Littlestone (1988), Section 3.

    >>> print(halving_bound(75_287_520))
    halving: at most 26 mistakes
    """
    return ClassBound("halving", _expect_size(size).bit_length() - 1)


def consistent_bound(size: int) -> ClassBound:
    """At most |C| − 1 mistakes if any consistent concept predicts.

    Each mistake rules out at least the concept that predicted. If that concept is drawn at random
    from the remaining ones, again after each mistake, and the sequence was fixed beforehand, the
    expected number is at most ln|C|: a concept that i − 1 others outlive errs only if it is drawn
    before them, with probability 1/i, and 1/2 + 1/3 + … + 1/|C| < ln|C|.

    References: Littlestone (1988), Section 3; Maass (1991) for the random choice.

    >>> print(consistent_bound(1000))
    any consistent concept: at most 999 mistakes, 6.90776 expected if drawn at random
    """
    return ClassBound("any consistent concept", _expect_size(size) - 1, float(ball(size).log()))


def elimination_bound(n: int, *, monotone: bool) -> ClassBound:
    """At most n mistakes of elimination on monotone conjunctions or disjunctions of n variables.

    Each mistake drops at least one of n literals. If literals may be negated, there are 2n of them,
    and the first mistake drops at least n: n + 1 mistakes.

    References: Valiant (1984); Littlestone (1988), Section 3.

    >>> elimination_bound(100, monotone=False).bound
    101
    """
    if n < 1:
        raise ValueError(f"there must be at least one variable, got {n=}")
    return ClassBound("elimination", n if monotone else n + 1)


def weighted_majority_bound(size: int, best: int, beta: Number) -> ClassBound:
    """The largest M with (2/(1 + β))ᴹ ≤ (1/β)ᵏ·|C|, where the `best` concept makes k mistakes.

    The weights sum to |C| at first. Each mistake of the majority leaves at most (1 + β)/2 of the
    sum, which never falls below the best concept's weight, βᵏ at the end. The labels are
    arbitrary: no concept needs to fit them. β, between 0 and 1, is the factor for the weight of a
    concept that is wrong; a float is read as the exact fraction that it stores.

    Reference: Littlestone & Warmuth (1994), *The weighted majority algorithm*, Section 2.

    >>> print(weighted_majority_bound(1000, 10, 0.5))
    weighted majority: at most 48 mistakes
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
