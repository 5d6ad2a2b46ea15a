"""How many mistakes are possible when the weights did not start at zero."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from novikoff.guarantees.bounds import Bound
from novikoff.guarantees.exact import ExactVector, Number, Numbers, fraction
from novikoff.guarantees.mistaken import Mistaken, expect_threshold, witness_for
from novikoff.guarantees.separable import no_mistakes
from novikoff.ledger import Ledger
from novikoff.rows import Rows


def from_start(
    ledger: Ledger, witness: Numbers, *, margin: Number = 0, rows: Rows | None = None
) -> Bound:
    """The largest M with rMγ + ⟨w₀,u⟩ ≤ ‖u‖√(‖w₀‖² + r²MR²), for a run that started at w₀.

    The left side is what ⟨w,u⟩ has come to at least, the root what ‖w‖ has come to at most; r is
    the rate. A start near the witness leaves little room for mistakes, one against it much.

    With steps s between a and b that add up to S ≥ aM, and updates up to a margin η, the same two
    sums give Sγ + ⟨w₀,u⟩ ≤ ‖u‖√(‖w₀‖² + S(bR² + 2η)). As a function of S the left side is a line
    and the right side is concave and not below it at S = 0, so the inequality holds up to some S
    and not beyond; it therefore holds at aM too, which is what is solved for M.

    Parameters
    ----------
    ledger
        A run in which every update was on an example with y⟨w,x⟩ ≤ margin, from any start.
    witness, rows
        As for `novikoff`.
    margin
        η, when the run was made with one.

    References
    ----------
    Novikoff (1962), Theorem 1, whose proof this is without the assumption that w₀ = 0.

    Examples
    --------
    >>> from novikoff import guarantees, sources
    >>> from novikoff.learners import Additive
    >>> from novikoff.loop import play
    >>> run = play(sources.block([[0, 1, 0], [0, 0, 1]], [1, 1]), Additive(3, start=[4, 0, 0]))
    >>> print(guarantees.from_start(run.ledger, [4, 1, 1]))
    Novikoff 1962 from w₀: at most 2 mistakes, 2 made (R = 1, γ = 0.235702)
    """
    theorem, u = "Novikoff 1962 from w₀", witness_for(ledger, witness)
    eta = fraction(margin, "margin")
    if len(ledger) == 0:
        return no_mistakes(theorem, u)
    expect_threshold(ledger, eta)
    seen = Mistaken.of(ledger, rows)
    gamma, R2 = seen.margin(u), seen.radius_squared
    a, b = seen.smallest_step, seen.largest_step
    start = np.zeros(len(u)) if ledger.start is None else ledger.start
    w0 = ExactVector.of([Fraction(ledger.unit) * Fraction(w) for w in start.tolist()], "start")
    along = sum((p * q for p, q in zip(w0.numbers, u.numbers, strict=True)), Fraction(0))
    # (aγM + ⟨w₀,u⟩)² ≤ ‖u‖²(‖w₀‖² + a(bR² + 2η)M), as a quadratic in M
    bound = _larger_root(
        (a * gamma) ** 2,
        2 * a * gamma * along - u.squared * a * (b * R2 + 2 * eta),
        along**2 - u.squared * w0.squared,
    )
    return Bound(theorem, bound, len(ledger), gamma, R2, u.squared, u.numbers)


def _larger_root(a: Fraction, b: Fraction, c: Fraction) -> int:
    """The largest integer M with aM² + bM + c ≤ 0, for a > 0 ≥ c."""
    scale = math.lcm(a.denominator, b.denominator, c.denominator)
    p, q, r = (int(x * scale) for x in (a, b, c))
    # rounding the root down first does not change the floor, the rest being integers
    return (math.isqrt(q * q - 4 * p * r) - q) // (2 * p)
