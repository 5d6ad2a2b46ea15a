"""The vector and the margin by which a run on data that nothing separates is bounded best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from novikoff import _core
from novikoff.examples import Stream
from novikoff.guarantees.exact import ExactVector, Numbers, largest, root
from novikoff.guarantees.inseparable import LossBound, expect_plain, largest_l1, no_loss
from novikoff.guarantees.losses import Pass
from novikoff.guarantees.mistaken import expect_ledger, witness_for
from novikoff.ledger import Ledger
from novikoff.rows import Vector

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
    >>> from novikoff.loop import play
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
