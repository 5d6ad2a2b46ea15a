"""How many mistakes a perceptron started at zero can make on examples that a witness separates."""

from __future__ import annotations

import math
from fractions import Fraction

from novikoff.guarantees.bounds import Bound, mistake_bound
from novikoff.guarantees.entries import sum_of_squares
from novikoff.guarantees.exact import ExactVector, Numbers, products, sums_by
from novikoff.guarantees.mistaken import (
    Mistaken,
    expect_start_zero,
    expect_threshold,
    witness_for,
)
from novikoff.ledger import Ledger
from novikoff.rows import Rows


def novikoff(ledger: Ledger, witness: Numbers, *, rows: Rows | None = None) -> Bound:
    """M ≤ (R‖u‖/γ)²: the mistakes of a perceptron, however long the stream and in any order.

    Each mistake z = yx has ⟨z,u⟩ ≥ γ, so it takes ⟨w,u⟩ up by at least γ; and ⟨w,z⟩ ≤ 0, so it
    takes ‖w‖² up by at most R². After M of them Mγ ≤ ⟨w,u⟩ ≤ ‖u‖‖w‖ ≤ ‖u‖R√M.

    When the steps differ, as with class weights, let them lie between a and b and add up to S ≥ aM.
    Then Sγ ≤ ⟨w,u⟩, and ‖w‖² ≤ Σ s²‖x‖² ≤ bSR², so S ≤ b(R‖u‖/γ)² and M ≤ (b/a)(R‖u‖/γ)².

    The numbers are exact, but the run was made in floating point, where an example that is right by
    less than the rounding may be called a mistake; `sandwich` finds the first of those.

    Parameters
    ----------
    ledger
        A run from w = 0 in which every update was on an example with y⟨w,x⟩ ≤ 0.
    witness
        u: a number for each feature, then one for the constant if there is a bias; of any length.
        It must have every mistaken example on its right side, or NotAWitness is raised.
    rows
        The rows of the whole data, when the ledger kept only positions in them.

    References
    ----------
    Block (1962); Novikoff (1962), Theorem 1; Freund & Schapire (1999), Theorem 1.

    Examples
    --------
    >>> from novikoff import guarantees, sources
    >>> from novikoff.learners import Additive
    >>> from novikoff.loop import play
    >>> run = play(sources.tight(49), Additive(49))
    >>> print(guarantees.novikoff(run.ledger, [1] * 49))
    Novikoff 1962: at most 49 mistakes, 49 made (R = 1, γ = 0.142857)
    """
    theorem, u = "Novikoff 1962", witness_for(ledger, witness)
    expect_start_zero(ledger)
    if len(ledger) == 0:
        return no_mistakes(theorem, u)
    expect_threshold(ledger, Fraction(0))
    seen = Mistaken.of(ledger, rows)
    gamma, R2 = seen.margin(u), seen.radius_squared
    stretch = seen.largest_step / seen.smallest_step
    bound = mistake_bound(stretch * R2, u.squared, gamma)
    return Bound(theorem, bound, len(ledger), gamma, R2, u.squared, u.numbers)


def adaptive(ledger: Ledger, witness: Numbers, *, rows: Rows | None = None) -> Bound:
    """M ≤ √(Σ‖x‖²) ‖u‖/γ: Novikoff's bound with the lengths there were for the largest of them.

    The sum runs over the mistakes. From Mγ ≤ ⟨w,u⟩ ≤ ‖u‖‖w‖ and ‖w‖² ≤ Σ‖x‖², as in `novikoff`.
    With steps s, the least of them a: aMγ ≤ γΣs ≤ ‖u‖√(Σs²‖x‖²).

    Parameters
    ----------
    ledger, witness, rows
        As for `novikoff`.

    References
    ----------
    Novikoff (1962), the proof of Theorem 1, before Σ‖x‖² is replaced by MR².

    Examples
    --------
    One long example no longer counts for all of them:

    >>> from novikoff import guarantees, sources
    >>> from novikoff.learners import Additive
    >>> from novikoff.loop import play
    >>> run = play(sources.block([[5, 0, 0], [0, 1, 0], [0, 0, 1]], [1, 1, 1]), Additive(3))
    >>> guarantees.novikoff(run.ledger, [1, 1, 1]).bound
    75
    >>> guarantees.adaptive(run.ledger, [1, 1, 1]).bound
    9
    """
    theorem, u = "Novikoff 1962, adaptive", witness_for(ledger, witness)
    expect_start_zero(ledger)
    if len(ledger) == 0:
        return no_mistakes(theorem, u)
    expect_threshold(ledger, Fraction(0))
    seen = Mistaken.of(ledger, rows)
    gamma = seen.margin(u)
    times = sums_by(seen.which, products(seen.steps, seen.steps, summed=len(ledger)))
    total = sum_of_squares(seen.rows, times, bias=seen.bias) * seen.unit**2
    bound = math.isqrt(mistake_bound(total / seen.smallest_step**2, u.squared, gamma))
    return Bound(theorem, bound, len(ledger), gamma, seen.radius_squared, u.squared, u.numbers)


def no_mistakes(theorem: str, u: ExactVector) -> Bound:
    """The bound on a run without mistakes, for which any vector will do."""
    return Bound(theorem, 0, 0, None, Fraction(0), u.squared, u.numbers)
