"""How many mistakes a perceptron can make on examples that nothing need separate.

The vector and the margin by which a run on data that nothing separates is bounded best.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import numpy as np

from novikoff import _core
from novikoff.guarantees.exact.arithmetic import (
    ExactVector,
    Number,
    Numbers,
    fraction,
    largest,
    root,
)
from novikoff.guarantees.exact.losses import Counted, Pass
from novikoff.guarantees.exact.mistaken import (
    Mistaken,
    expect_ledger,
    expect_threshold,
    witness_for,
)
from novikoff.guarantees.novikoff_bound import Bound
from novikoff.ledger.ledger import Ledger
from novikoff.stream.blocks import Stream
from novikoff.stream.rows import Rows, Vector


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
    >>> from novikoff.runs.loop import play
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
    >>> from novikoff.runs.loop import play
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
    >>> from novikoff.runs.loop import play
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


_BITS = 20  # of the weights tried: multiplied by most data they fit in 64
_GRID, _ZOOMS = 65, 6


def best_comparator(
    ledger: Ledger, data: Stream, comparators: Sequence[Numbers] | None = None
) -> LossBound:
    """The least bound of some comparators u, each with its best γ, by the losses of every round.

    The bound is that of `l1_bound` with Σℓ over all rounds of the run: in several passes an example
    counts once in each. For fixed u it is at most B where Σℓ + R‖u‖√B/γ ≤ B, and the left side is
    convex in 1/γ; so it falls and then rises, and γ is found by zooming in, in floating point. The
    bound is then computed exactly for what was found, and holds however good that is.

    Squared losses cannot do better. Let √B = R‖u‖/γ + √Q be the root of the bound of
    `freund_schapire`, with Q = Σℓ², and s = √(Q/B) ≤ 1. From ℓ² ≥ 2s(ℓ − s/2)₊ it follows that at
    the margin (1 − s/2)γ the losses add up to at most Q/(s(2 − s)), and with that
    Σℓ + R‖u‖√B/((1 − s/2)γ) ≤ B.

    Counting only the losses of the mistakes would give smaller bounds, but the least of them would
    always be M: it is approached as γ grows, whatever u, and says nothing. The answer here could
    have been given before the run, up to R and u. `l1_bound` at its witness and margin is what the
    losses of the mistakes make of it.

    Parameters
    ----------
    ledger
        A run from w = 0 in which every update was on an example with y⟨w,x⟩ ≤ 0.
    data
        What each pass was made over: a block, or several.
    comparators
        Vectors to try. By default the weights of the run itself and their averages over the rounds,
        at 1, 2, 4, … mistakes and at the end, each rounded to 20 bits; the ledger must then have
        kept its examples.

    References
    ----------
    Gentile (2003); Mohri & Rostamizadeh (2013); Freund & Schapire (1999), Theorem 2.

    Examples
    --------
    One label in ten is wrong.

    >>> import numpy as np
    >>> from novikoff import guarantees, sources
    >>> from novikoff.learners import Additive
    >>> from novikoff.runs.loop import play
    >>> X = np.random.default_rng(0).integers(-9, 10, (1000, 3))
    >>> y = np.where(X[:, 0] > 0, 1, -1) * np.where(np.arange(1000) % 10, 1, -1)
    >>> block = sources.block(X, y)
    >>> run = play(block, Additive(3))
    >>> best = guarantees.best_comparator(run.ledger, block)
    >>> best.mistakes, best.bound
    (260, 506)
    >>> guarantees.l1_bound(run.ledger, best.witness, best.margin).bound
    344
    """
    theorem = "Gentile 2003, L1 over every round"
    expect_ledger(ledger)
    expect_plain(ledger)
    given = None if comparators is None else [witness_for(ledger, u) for u in comparators]
    if given is not None and not (given and all(u.squared for u in given)):
        raise ValueError("there must be comparators, and none of them all 0")
    if len(ledger) == 0:
        anything = ExactVector.of([1] * (ledger.dim + ledger.bias), "witness")
        return no_loss(theorem, given[0] if given else anything)
    one = Pass.of(ledger, data)
    passes = -(-ledger.n_rounds // one.rounds)
    # the numbers tried need not be exact, or even finite: only what is chosen must be
    with np.errstate(all="ignore"):
        floats = _path(ledger) if given is None else [u.floats() for u in given]
        tried = [(*_Shortfalls.of(v, one, passes).least(), k) for k, v in enumerate(floats)]
        _, about, k = min(tried)
        gamma = _Shortfalls.of(floats[k], one, passes).settled(about)
    u = ExactVector.of(floats[k], "witness") if given is None else given[k]
    if given is not None:
        gamma *= u.unit * 2 ** largest(u.integers).bit_length()  # what u is over its floats
    R2 = one.radius_squared
    loss = passes * one.losses(u, gamma)[0]
    bound = largest_l1(one.stretch * R2 * u.squared / gamma**2, loss)
    return LossBound(theorem, bound, len(ledger), gamma, R2, u.squared, u.numbers, loss)


@dataclass(frozen=True, slots=True)
class _Shortfalls:
    """The margins of a comparator in order, how much each counts, and running sums, in floats.

    All are over 2^exponent, the size of `reach`, which is R‖u‖ times √ of the ratio of the steps.
    """

    margins: Vector
    times: Vector
    counts: Vector
    sums: Vector
    reach: float
    exponent: int

    @classmethod
    def of(cls, v: Vector, one: Pass, passes: int) -> _Shortfalls:
        margins = one.margins(v)
        squared = one.stretch * one.radius_squared
        reach = root(squared.numerator, squared.denominator) * float(np.linalg.norm(v))
        # when every mistake was on a row of zeros, R = 0
        exponent = int(np.frexp(reach or np.abs(margins).max())[1])
        order = np.argsort(margins)
        m, t = np.ldexp(margins[order], -exponent), passes * one.times[order]
        counts, sums = (np.append(0.0, np.cumsum(n)) for n in (t, t * m))
        return cls(m, t, counts, sums, float(np.ldexp(reach, -exponent)), exponent)

    def least(self) -> tuple[float, float]:
        """About the least root of the bound, and the γ that has it.

        Where γ < R‖u‖/√T the bound is above T, how much all examples count, and as γ grows it tends
        to T.
        """
        T = self.counts[-1]
        low, high = 0.25 / np.sqrt(T), 2.0 * T
        for _ in range(_ZOOMS):
            grid = np.geomspace(low, high, _GRID)
            n = np.searchsorted(self.margins, grid)
            roots = self._roots(grid, self.counts[n] - self.sums[n] / grid)
            i = int(np.argmin(roots))
            low, high = grid[max(i - 1, 0)], grid[min(i + 1, _GRID - 1)]
        return float(roots[i]), float(grid[i])

    def settled(self, about: float) -> Fraction:
        """The best of this γ and the margins of examples about it, an example's if it does as well.

        What the running sums lose in rounding is not lost here.
        """
        k = int(np.searchsorted(self.margins[:-1], about))
        near = np.append(self.margins[[0, max(k - 1, 0), k]], about)
        near = near[near > 0]
        losses = [self.times @ np.maximum(0, 1 - self.margins / gamma) for gamma in near]
        roots = self._roots(near, np.array(losses))
        i = int(np.argmax(roots <= roots.min() * (1 + 1e-12)))
        return Fraction(float(near[i])) * Fraction(2) ** self.exponent

    def _roots(self, gammas: Vector, losses: Vector) -> Vector:
        """√ of the bound for each γ."""
        c = self.reach / gammas
        roots = c / 2 + np.sqrt(c * c / 4 + np.maximum(losses, 0))
        return np.nan_to_num(roots, nan=np.inf, posinf=np.inf)


def _path(ledger: Ledger) -> list[Vector]:
    """The weights and their average over the rounds, after 1, 2, 4, … mistakes and all of them."""
    w, late = np.zeros(ledger.dim + ledger.bias), np.zeros(ledger.dim + ledger.bias)
    core, example, steps = ledger.examples.core, ledger.example, ledger.steps
    ends = sorted({len(ledger), *(1 << k for k in range(len(ledger).bit_length()))})
    stands = np.append(ledger.rounds, ledger.n_rounds + 1) - 1
    path = []
    for a, b in pairwise([0, *ends]):
        for total, each in ((w, steps[a:b]), (late, steps[a:b] * (ledger.rounds[a:b] - 1))):
            _core.accumulate(*core, example=example[a:b], step=each, bias=ledger.bias, w=total)
        path += [_coarse(w), _coarse(stands[b] * w - late)]
    return [v for v in path if v.any() and np.isfinite(v).all()] or [np.ones(len(w))]


def _coarse(v: Vector) -> Vector:
    """The vector over a power of two, to 20 bits of its largest entry."""
    exponent = int(np.frexp(np.abs(v).max())[1])
    rounded: Vector = np.ldexp(np.rint(np.ldexp(v, _BITS - exponent)), -_BITS)
    return rounded
