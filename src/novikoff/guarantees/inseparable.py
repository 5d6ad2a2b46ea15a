"""How many mistakes a perceptron can make on examples that nothing need separate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from novikoff.examples import Stream
from novikoff.guarantees.bounds import Bound
from novikoff.guarantees.exact import ExactVector, Number, Numbers, fraction
from novikoff.guarantees.losses import Counted, Pass
from novikoff.guarantees.mistaken import Mistaken, expect_threshold, witness_for
from novikoff.ledger import Ledger
from novikoff.rows import Rows


@dataclass(frozen=True, slots=True)
class LossBound(Bound):
    """A bound by the losses ℓ = max(0, 1 − y⟨u,x⟩/γ) of a comparator u, for the γ that was given.

    `loss` is the sum in the theorem: of ℓ for the L1 bound, of ℓ² for the others. It does not
    change when u and γ are multiplied by the same number.
    """

    loss: Fraction

    def __str__(self) -> str:
        if self.margin is None:
            return Bound.__str__(self)
        over, under = self.loss.as_integer_ratio()
        return f"{Bound.__str__(self)[:-1]}, loss = {Decimal(over) / Decimal(under):.6g})"


def l1_bound(
    ledger: Ledger, witness: Numbers, margin: Number, *, rows: Rows | None = None
) -> LossBound:
    """M ≤ (c/2 + √(c²/4 + Σℓ))² with c = R‖u‖/γ: the losses of any u over the mistakes.

    Each mistake z = yx has ⟨z,u⟩ ≥ γ(1 − ℓ), where ℓ = max(0, 1 − ⟨z,u⟩/γ). So after M of them, in
    whatever order and however many passes, γ(M − Σℓ) ≤ ⟨w,u⟩ ≤ ‖u‖‖w‖ ≤ ‖u‖R√M. The bound is the
    largest integer with M − Σℓ ≤ c√M, which is ⌊Σℓ + c²/2 + √(c²(Σℓ + c²/4))⌋. With Σℓ = 0 it is
    Novikoff's.

    When the steps s differ, as with class weights, let them lie between a and b and add up to
    S ≥ aM. Then S − Σsℓ ≤ c√(bS), as in `novikoff`. The left side less the right is convex in S and
    not positive at 0, so the inequality holds at aM too: M − Σ(s/a)ℓ ≤ c√(b/a)√M. Each loss then
    counts s/a times, and c² is multiplied by b/a.

    The sum runs over the mistakes that were made, so it is known only after the run; and as γ grows
    every ℓ tends to 1 and the bound to M itself, whatever u. `best_comparator` finds a u and a γ
    that say something.

    Parameters
    ----------
    ledger, rows
        As for `novikoff`.
    witness
        u: any vector but 0. It need not separate anything.
    margin
        γ > 0, for u as it is given.

    References
    ----------
    Gentile (2003) for the L1 loss; Mohri & Rostamizadeh (2013) for the sum over the mistakes.

    Examples
    --------
    The last two examples contradict each other.

    >>> from novikoff import guarantees, sources
    >>> from novikoff.learners import Additive
    >>> from novikoff.loop import play
    >>> block = sources.block([[1, 0], [0, 1], [1, 1], [1, 1]], [1, 1, 1, -1])
    >>> run = play(block, Additive(2))
    >>> print(guarantees.l1_bound(run.ledger, [1, 1], 1))
    Gentile 2003, L1: at most 9 mistakes, 3 made (R = 1.41421, γ = 0.707107, loss = 3)
    """
    theorem, u, gamma = "Gentile 2003, L1", *comparator(ledger, witness, margin)
    if len(ledger) == 0:
        return no_loss(theorem, u)
    seen = Mistaken.of(ledger, rows)
    c2, R2, share = _of_mistakes(seen, u, gamma)
    loss = Counted.mistakes(seen).hinges(u, gamma)[0] / gamma * share
    bound = largest_l1(c2, loss)
    return LossBound(theorem, bound, len(ledger), gamma, R2, u.squared, u.numbers, loss)


def l2_bound(
    ledger: Ledger, witness: Numbers, margin: Number, *, rows: Rows | None = None
) -> LossBound:
    """M ≤ (R‖u‖/γ + √Σℓ²)²: the losses of any u over the mistakes, squared.

    As in `l1_bound` M − Σℓ ≤ c√M, and by Cauchy and Schwarz Σℓ ≤ √M √Σℓ²; divide by √M. The bound
    is ⌊c² + Σℓ² + √(4c²Σℓ²)⌋. When the steps s differ, Σsℓ ≤ √S √Σsℓ², so that S ≤ (c√b + √Σsℓ²)²:
    each ℓ² counts s/a times, and c² is multiplied by b/a.

    Parameters
    ----------
    ledger, witness, margin, rows
        As for `l1_bound`, and the same is to be said of a large γ.

    References
    ----------
    Mohri & Rostamizadeh (2013); after Freund & Schapire (1999), Theorem 2.

    Examples
    --------
    >>> from novikoff import guarantees, sources
    >>> from novikoff.learners import Additive
    >>> from novikoff.loop import play
    >>> run = play(sources.tight(49), Additive(49))
    >>> print(guarantees.l2_bound(run.ledger, [1] * 49, 2))
    Mohri & Rostamizadeh 2013, L2: at most 49 mistakes, 49 made (R = 1, γ = 0.285714, loss = 12.25)
    """
    theorem, u, gamma = "Mohri & Rostamizadeh 2013, L2", *comparator(ledger, witness, margin)
    if len(ledger) == 0:
        return no_loss(theorem, u)
    seen = Mistaken.of(ledger, rows)
    c2, R2, share = _of_mistakes(seen, u, gamma)
    loss = Counted.mistakes(seen).hinges(u, gamma)[1] / gamma**2 * share
    bound = largest_l2(c2, loss)
    return LossBound(theorem, bound, len(ledger), gamma, R2, u.squared, u.numbers, loss)


def freund_schapire(ledger: Ledger, data: Stream, witness: Numbers, margin: Number) -> LossBound:
    """M ≤ ((R‖u‖ + D)/γ)² in one pass, where D² = Σ max(0, γ − y⟨u,x⟩)² over the whole pass.

    D² is γ²Σℓ², so this is `l2_bound` with the losses of every round for those of the mistakes:
    never less, but known before the run is made, up to R. That R need only be taken over the
    mistakes follows from the same comparison. `loss` is Σℓ² = (D/γ)². With steps between a
    and b, R² is multiplied by b/a, and ℓ² counts s/a times, where s is the largest step on any
    mistake with its label: so it does, at the most, in `l2_bound`.

    Parameters
    ----------
    ledger
        A run from w = 0 of exactly one whole pass, in which every update was on an example with
        y⟨w,x⟩ ≤ 0. In a second pass an example may be mistaken again, which D does not count.
    data
        What the pass was made over: a block, or several.
    witness, margin
        As for `l1_bound`.

    References
    ----------
    Freund & Schapire (1999), Theorem 2.

    Examples
    --------
    >>> from novikoff import guarantees, sources
    >>> from novikoff.learners import Additive
    >>> from novikoff.loop import play
    >>> block = sources.block([[1, 0], [0, 1], [1, 1], [1, 1]], [1, 1, 1, -1])
    >>> run = play(block, Additive(2))
    >>> print(guarantees.freund_schapire(run.ledger, block, [1, 1], 1))
    Freund & Schapire 1999: at most 25 mistakes, 3 made (R = 1.41421, γ = 0.707107, loss = 9)
    """
    theorem, u, gamma = "Freund & Schapire 1999", *comparator(ledger, witness, margin)
    if ledger.epoch_ends != [ledger.n_rounds]:
        raise ValueError(
            f"the theorem is for one whole pass, and the run made {len(ledger.epoch_ends)} in "
            f"{ledger.n_rounds} rounds: an example met again may be mistaken again. "
            "guarantees.l2_bound holds for any number of passes"
        )
    if len(ledger) == 0:
        return no_loss(theorem, u)
    one = Pass.of(ledger, data)
    R2, loss = one.radius_squared, one.losses(u, gamma)[1]
    bound = largest_l2(one.stretch * R2 * u.squared / gamma**2, loss)
    return LossBound(theorem, bound, len(ledger), gamma, R2, u.squared, u.numbers, loss)


def comparator(ledger: Ledger, witness: Numbers, margin: Number) -> tuple[ExactVector, Fraction]:
    """The vector and γ, refused with a run that these theorems do not cover."""
    u, gamma = witness_for(ledger, witness), fraction(margin, "margin")
    if u.squared == 0:
        raise ValueError("the witness is all 0: it claims no sign for any example")
    if gamma <= 0:
        raise ValueError(f"the margin must be positive, got {gamma}")
    expect_plain(ledger)
    return u, gamma


def expect_plain(ledger: Ledger) -> None:
    """Refuse a run that did not start at 0, or that updated on what was right."""
    if ledger.start is not None:
        raise ValueError("the run did not start at w = 0, as the theorem supposes")
    if len(ledger):
        expect_threshold(ledger, Fraction(0))


def no_loss(theorem: str, u: ExactVector) -> LossBound:
    """The bound on a run without mistakes, for which any vector will do."""
    none = Fraction(0)
    return LossBound(theorem, 0, 0, None, none, u.squared, u.numbers, none)


def largest_l1(c2: Fraction, loss: Fraction) -> int:
    """The largest integer M with M − loss ≤ √(c²M), from c² and Σℓ.

    >>> largest_l1(Fraction(4), Fraction(3))
    9
    """
    return _floor(loss + c2 / 2, c2 * (loss + c2 / 4))


def largest_l2(c2: Fraction, loss: Fraction) -> int:
    """⌊(c + √loss)²⌋, from c² and Σℓ².

    >>> largest_l2(Fraction(2), Fraction(2))
    8
    """
    return _floor(c2 + loss, 4 * c2 * loss)


def _floor(p: Fraction, d: Fraction) -> int:
    """⌊p + √d⌋ for d ≥ 0."""
    n = math.lcm(p.denominator, d.denominator)
    # rounding the root down first does not change the floor, the rest being integers
    return (int(p * n) + math.isqrt(int(d * n * n))) // n


def _of_mistakes(
    seen: Mistaken, u: ExactVector, gamma: Fraction
) -> tuple[Fraction, Fraction, Fraction]:
    """c² times b/a, R², and what a loss counts for a step of one unit: 1/a."""
    R2, least = seen.radius_squared, Fraction(int(seen.steps.min()))
    stretch = seen.largest_step / seen.smallest_step
    return stretch * R2 * u.squared / gamma**2, R2, 1 / least
