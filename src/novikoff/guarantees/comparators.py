"""Mistake bounds for data that need not be separable, by the losses of any comparator u."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

import numpy as np

from novikoff.guarantees.exact import arithmetic as exact
from novikoff.guarantees.exact import mistaken
from novikoff.guarantees.exact.arithmetic import ExactVector, Number, Numbers, fraction
from novikoff.guarantees.exact.mistaken import Mistaken, with_witness
from novikoff.guarantees.exact.rows import ExactRows, in_parts, usable
from novikoff.guarantees.novikoff_bound import Bound
from novikoff.ledger.ledger import Ledger
from novikoff.ledger.readings import trajectory
from novikoff.stream import sums
from novikoff.stream.blocks import Block, Labels, Stream, blocks_of
from novikoff.stream.input_problems import BadExample
from novikoff.stream.printing import short
from novikoff.stream.rows import Positions, Rows, Vector, dots


@dataclass(frozen=True, slots=True)
class Counted:
    """The examples at some positions of the rows, and how often each counts."""

    rows: Rows
    at: Positions
    labels: Labels
    times: exact.Integers
    bias: bool

    @classmethod
    def mistakes(cls, seen: Mistaken) -> Counted:
        """The mistaken examples, each counting as the sum of its steps."""
        keys = 2 * seen.which + (seen.labels > 0)
        each = exact.products(seen.steps, np.ones(1, dtype=np.int64), summed=len(keys))
        distinct = np.unique(keys)
        labels = (2 * (distinct % 2) - 1).astype(np.int8)
        return cls(seen.rows, distinct // 2, labels, exact.sums_by(keys, each), seen.bias)

    @classmethod
    def met(cls, block: Block, sizes: exact.Integers, *, bias: bool) -> Counted:
        """The examples of a block, each counting as often as its order has it, times `sizes`."""
        times = np.ones(len(block), dtype=np.int64)
        if block.order is not None:
            times = np.bincount(block.order, minlength=len(block)).astype(np.int64)
        at = np.flatnonzero(times)
        labels = block.signs[at]
        each = exact.products(
            times[at], sizes[(labels > 0).astype(np.int64)], summed=block.n_rounds
        )
        return cls(block.rows, at, labels, each, bias)

    def hinges(self, u: ExactVector, gamma: Fraction) -> tuple[Fraction, Fraction]:
        """Σ max(0, γ − y⟨u,x⟩), and the sum of the squares of these losses."""
        linear = square = Fraction(0)
        for part, e in in_parts(self.rows, self.at, bias=self.bias):
            along, exponent = e.dots(u)
            unit = u.unit * Fraction(2) ** exponent
            margins = self.labels[part] * along
            g = gamma / unit
            short = margins < math.ceil(g)
            t, m = self.times[part][short], margins[short]
            tm = exact.products(t, m, summed=len(m))
            T, S, Q = (int(np.sum(n)) for n in (t, tm, exact.products(tm, m, summed=len(m))))
            linear += (g * T - S) * unit
            square += (g * g * T - 2 * g * S + Q) * unit**2
        return linear, square


@dataclass(frozen=True, slots=True)
class Pass:
    """The examples of each pass of a run; a loss counts s/a times.

    s is the largest step on an example with the same label, a the smallest of all, and `stretch`
    b/a.
    """

    pieces: tuple[Counted, ...]
    least: int
    stretch: Fraction
    radius_squared: Fraction
    rounds: int

    @classmethod
    def of(cls, ledger: Ledger, data: Stream) -> Pass:
        """From the data of a run with mistakes; refused if they cannot be the run's data."""
        blocks, steps = [*blocks_of(data)], ledger.steps
        ledger.expect_data(blocks)
        if ledger.revisits:
            raise BadExample("mistaken rows were visited again, so passes show different examples")
        a = np.abs(steps).min()
        sizes, _ = exact.integers(np.array([a, max(a, -steps.min()), max(a, steps.max())]))
        pieces, R2, rounds = [], Fraction(0), sum(block.n_rounds for block in blocks)
        for block in blocks:
            usable(block.rows)
            at = np.flatnonzero(np.isin(block.positions(np.arange(len(block))), ledger.rows))
            R2 = max(R2, ExactRows(block.rows.take(at), bias=ledger.bias).largest_square())
            pieces.append(Counted.met(block, sizes[1:], bias=ledger.bias))
        if any(end != k * rounds for k, end in enumerate(ledger.epoch_ends, 1)):
            raise BadExample(
                f"these are not the data of the run: a pass over them has {rounds} rounds, but "
                f"the run's passes ended at rounds {', '.join(map(str, ledger.epoch_ends[:3]))}"
            )
        least = int(sizes[0])
        return cls(tuple(pieces), least, Fraction(int(sizes.max()), least), R2, rounds)

    def losses(self, u: ExactVector, gamma: Fraction) -> tuple[Fraction, Fraction]:
        """Σℓ and Σℓ² over a pass, each loss counted s/a times."""
        linear, square = zip(*(piece.hinges(u, gamma) for piece in self.pieces), strict=True)
        unit = gamma * self.least
        return sum(linear, Fraction(0)) / unit, sum(square, Fraction(0)) / (unit * gamma)


@dataclass(frozen=True, slots=True)
class LossBound(Bound):
    """A bound by the sum of the losses max(0, 1 − y⟨u,x⟩/γ) of a comparator u, or of squares."""

    loss: Fraction

    @classmethod
    def of(
        cls,
        theorem: str,
        ledger: Ledger,
        run: Mistaken | Pass,
        u: ExactVector,
        gamma: Fraction,
        loss: Fraction,
        *,
        power: int,
    ) -> Self:
        """The bound by Σℓ or Σℓ², as the power is 1 or 2; R and the steps are those of the run."""
        R2 = run.radius_squared
        c2 = run.stretch * R2 * u.squared / gamma**2
        bound = exact.floor_of_sum(c2 + loss, 4 * c2 * loss)
        if power == 1:
            bound = exact.floor_of_sum(loss + c2 / 2, c2 * (loss + c2 / 4))
        return cls(theorem, bound, len(ledger), gamma, R2, u.squared, u.numbers, loss)

    def __str__(self) -> str:
        text = Bound.__str__(self).replace("of the mistaken rows: ", "")
        return text if self.margin is None else f"{text[:-1]}, loss = {short(self.loss, 6)})"


def l1_bound(ledger: Ledger, witness: Numbers, margin: Number) -> LossBound:
    """M ≤ (c/2 + √(c²/4 + Σℓ))² with c = R‖u‖/γ, for the losses of any u on the mistakes.

    `witness` is u, any vector except 0, and `margin` is γ > 0, for u as given; otherwise as for
    `novikoff`. As γ grows, the bound tends to M itself, whatever u; `best_comparator` finds a u and
    a γ for which it is informative. Proof: docs/proofs.md. References: Gentile (2003) for the L1
    loss; Mohri & Rostamizadeh (2013) for the sum over the mistakes.
    """
    return _by_mistakes("Gentile 2003, L1", ledger, witness, margin, power=1)


def l2_bound(ledger: Ledger, witness: Numbers, margin: Number) -> LossBound:
    """M ≤ (R‖u‖/γ + √Σℓ²)², as `l1_bound` for squared losses (Mohri & Rostamizadeh 2013)."""
    return _by_mistakes("Mohri & Rostamizadeh 2013, L2", ledger, witness, margin, power=2)


def _by_mistakes(
    theorem: str, ledger: Ledger, witness: Numbers, margin: Number, *, power: int
) -> LossBound:
    ledger, u, gamma = _comparator(ledger, witness, margin)
    if len(ledger) == 0:
        return LossBound.without_mistakes(theorem, u, loss=Fraction(0))
    seen = Mistaken.of(ledger)
    hinges = Counted.mistakes(seen).hinges(u, gamma)[power - 1]
    loss = hinges / (gamma**power * int(seen.steps.min()))
    return LossBound.of(theorem, ledger, seen, u, gamma, loss, power=power)


def freund_schapire(ledger: Ledger, data: Stream, witness: Numbers, margin: Number) -> LossBound:
    """M ≤ ((R‖u‖ + D)/γ)² in one pass, where D² = Σ max(0, γ − y⟨u,x⟩)² over the whole pass.

    This is `l2_bound` with the losses of every round: never less, but known before the run, apart
    from R. The run must be exactly one whole pass over the data; `loss` is (D/γ)². Reference:
    Freund & Schapire (1999), Theorem 2; proof: docs/proofs.md.
    """
    theorem, (ledger, u, gamma) = "Freund & Schapire 1999", _comparator(ledger, witness, margin)
    if ledger.epoch_ends != [ledger.n_rounds]:
        raise ValueError(
            f"the theorem needs exactly one whole pass; the run made {len(ledger.epoch_ends)} in "
            f"{ledger.n_rounds} rounds. guarantees.l2_bound holds for any number of passes"
        )
    if len(ledger) == 0:
        return LossBound.without_mistakes(theorem, u, loss=Fraction(0))
    one = Pass.of(ledger, data)
    return LossBound.of(theorem, ledger, one, u, gamma, one.losses(u, gamma)[1], power=2)


_BITS = 20  # of the weights tried: their products with most data fit in 64 bits


def best_comparator(
    ledger: Ledger, data: Stream, comparators: Sequence[Numbers] | None = None
) -> LossBound:
    """The least bound over some comparators u, each with its best γ, by the losses of every round.

    The bound is that of `l1_bound` with Σℓ over all rounds of the run, computed exactly for a γ
    that is the best up to rounding. Why these losses, and why not squared: docs/proofs.md. The data
    are those of each pass. The vectors tried are by default the weights of the run itself and their
    averages over the rounds, after 1, 2, 4, … mistakes and at the end, each rounded to 20 bits; the
    ledger must then have kept its examples. References: Gentile (2003); Mohri & Rostamizadeh
    (2013); Freund & Schapire (1999), Theorem 2.
    """
    theorem = "Gentile 2003, L1 over every round"
    ledger = mistaken.expect_ledger(ledger)
    tried = [with_witness(ledger, u)[1] for u in comparators or ()]
    if comparators is not None and not (tried and all(u.squared for u in tried)):
        raise ValueError("there must be comparators, and none of them all 0")
    mistaken.expect_from_zero(ledger, Fraction(0))
    # the numbers tried may be inexact, or even infinite: only the chosen ones must be exact
    with np.errstate(all="ignore"):
        tried = tried or _own_weights(ledger)
        if len(ledger) == 0:
            return LossBound.without_mistakes(theorem, tried[0], loss=Fraction(0))
        one = Pass.of(ledger, data)
        passes = -(-ledger.n_rounds // one.rounds)
        floats = (u.floats() for u in tried)
        _, gamma, k = min((*_best_margin(v, one, passes), k) for k, v in enumerate(floats))
    u = tried[k]
    gamma *= u.unit * 2 ** exact.largest(u.integers).bit_length()  # u over its floats
    loss = passes * one.losses(u, gamma)[0]
    return LossBound.of(theorem, ledger, one, u, gamma, loss, power=1)


def _best_margin(v: Vector, one: Pass, passes: int) -> tuple[float, Fraction]:
    """About the least root of the bound by the losses of one comparator, and the γ that has it.

    Between two margins of examples the bound rises or falls with γ all the way, or is constant. So
    γ is one of these margins, or larger than all. There the bound, where T is how much all examples
    count, is about T + (R‖u‖√T − Σ margins)/γ, which tends to T as γ grows: the last γ tried is so
    large that the second term is below 1/1000.
    """
    each = [(p.labels * dots(p.rows, v, bias=p.bias)[p.at], p.times) for p in one.pieces]
    margins, times = map(np.concatenate, zip(*each, strict=True))
    times = np.asarray(passes * (times / one.least), dtype=np.float64)
    reach = exact.root(one.stretch * one.radius_squared) * sums.length(v)
    # all is over a power of two; if every mistake was on a row of zeros, R = 0
    exponent = int(np.frexp(reach or np.abs(margins).max())[1])
    order = np.argsort(margins, kind="stable")
    margins, times = np.ldexp(margins[order], -exponent), times[order]
    reach = math.ldexp(reach, -exponent)
    counts, totals, sizes = map(np.cumsum, (times, times * margins, times * np.abs(margins)))
    T = float(counts[-1])
    spread = float(sizes[-1] + reach * math.sqrt(T))
    gammas = np.append(margins, max(2.0 * T, min(1024 * spread, 2.0**500)))
    c = reach / gammas
    losses = np.append(counts, T) - np.append(totals, totals[-1]) / gammas
    roots = c / 2 + np.sqrt(c * c / 4 + np.maximum(losses, 0))
    roots[~((gammas > 0) & np.isfinite(roots))] = np.inf
    best = roots.min()
    # of equal bounds, up to rounding, that of the smallest γ
    i = int(np.argmax(roots <= best * (1 + 1e-12))) if np.isfinite(best) else -1
    return float(roots[i]), Fraction(float(gammas[i])) * Fraction(2) ** exponent


def _own_weights(ledger: Ledger) -> list[ExactVector]:
    """The weights and their average over the rounds, after 1, 2, 4, … mistakes and at the end."""
    ends = sorted({len(ledger), *(1 << k for k in range(len(ledger).bit_length()))})
    stands = np.append(ledger.rounds, ledger.n_rounds + 1) - 1
    found = []
    for moment in trajectory(ledger, ends):
        rounds = stands[moment.mistakes]
        found += [_coarse(moment.total), _coarse(rounds * moment.total - moment.late)]
    usable = [v for v in found if v.any() and np.isfinite(v).all()]
    return [ExactVector.of(v, "witness") for v in usable or [np.ones(ledger.dim + ledger.bias)]]


def _coarse(v: Vector) -> Vector:
    """The vector over a power of two, to 20 bits of its largest entry."""
    exponent = int(np.frexp(np.abs(v).max())[1])
    rounded: Vector = np.ldexp(np.rint(np.ldexp(v, _BITS - exponent)), -_BITS)
    return rounded


def _comparator(
    ledger: Ledger, witness: Numbers, margin: Number
) -> tuple[Ledger, ExactVector, Fraction]:
    """A snapshot, u and γ as exact numbers; a run that these theorems do not cover is refused."""
    (ledger, u), gamma = with_witness(ledger, witness), fraction(margin, "margin")
    if u.squared == 0:
        raise ValueError("the witness is all 0: it predicts nothing")
    if gamma <= 0:
        raise ValueError(f"the margin must be positive, got {gamma}")
    mistaken.expect_from_zero(ledger, Fraction(0))
    return ledger, u, gamma
