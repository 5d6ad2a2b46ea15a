"""Finite classes of concepts: how many mistakes are possible, whatever the target and the order."""

from __future__ import annotations

from dataclasses import dataclass

from novikoff.guarantees.exact.arithmetic import Number, fraction
from novikoff.guarantees.exact.logarithms import ball, floored
from novikoff.stream.printing import plural, short


@dataclass(frozen=True, slots=True)
class ClassBound:
    """At most `bound` mistakes in any order, and so many `expected` if concepts are drawn."""

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
