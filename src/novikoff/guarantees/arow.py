"""The mistakes of the adaptive perceptron (AROW) with the full matrix of variances."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import flint
import numpy as np

from novikoff.guarantees.exact.arithmetic import ExactVector, Numbers, root
from novikoff.guarantees.exact.logarithms import ball, floored
from novikoff.guarantees.exact.mistaken import Mistaken, with_witness
from novikoff.ledger.kernels import dense
from novikoff.ledger.ledger import Ledger
from novikoff.stream.blocks import Labels
from novikoff.stream.printing import count, plural, short
from novikoff.stream.rows import Positions, Vector

MOST_COLUMNS = 300  # an exact determinant of so many takes seconds
_MOMENTS = 50
_AT_ONCE = 1 << 12  # rows


@dataclass(frozen=True, slots=True)
class ArowBound:
    """At most `bound` mistakes were possible, and `mistakes` were made, among `updates` updates.

    `losses` is Σg, `spread` is r·uᵀAu, and `growth` is det A.
    """

    bound: int
    mistakes: int
    updates: int
    losses: Fraction = field(repr=False)
    spread: Fraction = field(repr=False)
    growth: Fraction = field(repr=False)
    witness: tuple[Fraction, ...] = field(repr=False)

    @property
    def holds(self) -> bool:
        """Whether the mistakes made are within the bound."""
        return self.mistakes <= self.bound

    def __str__(self) -> str:
        but = "" if self.holds else ", more than the bound because of rounding"
        return (
            f"Crammer, Kulesza & Dredze 2009: at most {plural(self.bound, 'mistake')}, "
            f"{count(self.mistakes)} made in {plural(self.updates, 'update')}{but} "
            f"(Σg = {short(self.losses, 6)})"
        )


@dataclass(frozen=True, slots=True, eq=False)
class ArowSandwich:
    """After k updates, lower ≤ progress ≤ product ≤ upper: the proof of `arow_bound`, live.

    They are (k − Σg)/r, ⟨u,Aw⟩, √(uᵀAu)·√(wᵀAw) and √(uᵀAu)·√((ln det A + U)/r), rounded; `holds`
    is decided in exact arithmetic, the logarithm by intervals.
    """

    k: Positions = field(repr=False)
    lower: Vector = field(repr=False)
    progress: Vector = field(repr=False)
    product: Vector = field(repr=False)
    upper: Vector = field(repr=False)
    holds: bool

    def __str__(self) -> str:
        if len(self.k) == 0:
            return "no updates"
        traces = (self.lower, self.progress, self.product, self.upper)
        ends = " ≤ ".join(short(float(trace[-1]), 6) for trace in traces)
        words = f"after {plural(int(self.k[-1]), 'update')}: {ends}"
        return words if self.holds else f"rounding broke a link of {words}"


def arow_bound(ledger: Ledger, witness: Numbers) -> ArowBound:
    """M ≤ √(r‖u‖² + Σ⟨u,x⟩²)·√(ln det A + U) + Σg − U mistakes of AROW with the full matrix.

    The sums are over the updates: M mistakes and U narrow ones, right by less than 1. u is any
    vector of weights (the `witness`, the constant's last), g = max(0, 1 − y⟨u,x⟩) what it loses on
    an example, and A = I + Σ xxᵀ/r the inverse of S, the matrix of variances. The run starts at w =
    0 and has no importances; of the diagonal form no such bound is known. Proof: docs/proofs.md.
    Reference: Crammer, Kulesza & Dredze (2009).
    """
    ledger, u = with_witness(ledger, witness, "adaptive")
    (last,) = _moments(ledger, u, [len(ledger)])
    _, spread, _, growth = last.proof()
    rest, squared = last.losses - last.narrow, last.r * spread

    def value() -> flint.arb:
        return (ball(squared) * (ball(growth).log() + last.narrow)).sqrt() + ball(rest)

    def is_exactly(n: int) -> bool:
        # the logarithm of a fraction other than 1 is transcendental, and so is the value with it
        if squared == 0:
            return n == rest
        return growth == 1 and (n - rest) ** 2 == squared * last.narrow and n >= rest

    bound, made = max(0, floored(value, is_exactly)), len(ledger)
    return ArowBound(bound, last.mistakes, made, last.losses, squared, growth, u.numbers)


def arow_sandwich(ledger: Ledger, witness: Numbers) -> ArowSandwich:
    """The inequalities of `arow_bound` after each of up to fifty updates, evenly spaced."""
    ledger, u = with_witness(ledger, witness, "adaptive")
    k = sorted({math.ceil(len(ledger) * j / _MOMENTS) for j in range(1, _MOMENTS + 1)} - {0})
    traces, holds = list[tuple[float, float, float, float]](), True
    for at, now in zip(k, _moments(ledger, u, k), strict=True):
        middle, spread, energy, growth = now.proof()
        least, square = (at - now.losses) / now.r, spread * energy
        with flint.ctx.workprec(128):
            allowed = (ball(growth).log() + now.narrow) / ball(now.r)
            most = (ball(spread) * allowed).sqrt()
            fits = bool(ball(energy) <= allowed) or energy * now.r == now.narrow
        holds &= least <= middle and middle**2 <= square and fits
        traces.append((float(least), float(middle), root(square), float(most.mid())))
    lower, progress, product, upper = np.array(traces, dtype=np.float64).reshape(-1, 4).T
    return ArowSandwich(np.array(k, dtype=np.int64), lower, progress, product, upper, holds)


def _moments(ledger: Ledger, u: ExactVector, after: Iterable[int]) -> Iterator[_Sums]:
    """What the proof adds up, after these numbers of updates, which increase."""
    about = ledger.adaptation
    assert about is not None
    if not about.is_full:
        raise ValueError(
            "no mistake bound is known for diagonal variances; learn with matrix='full', or see "
            "guarantees.risk_bound"
        )
    if ledger.start is not None or about.variances is not None:
        raise ValueError("the run did not start at w = 0 and variances 1, as this theorem needs")
    if len(ledger) and set(ledger.importances.tolist()) != {1.0}:
        raise ValueError("this theorem counts every update once; the run weighed its examples")
    size = ledger.dim + ledger.bias
    if size > MOST_COLUMNS:
        raise ValueError(f"{size} columns are too many for exact sums; {MOST_COLUMNS} are possible")
    sums = _Sums(Fraction(about.regularisation), size, u)
    if not len(ledger):
        yield from (sums for _ in after)
        return
    seen, wrong = Mistaken.of(ledger, rule="adaptive"), ledger.mistakes.wrong
    X, made = np.pad(dense(seen.rows), ((0, 0), (0, seen.bias)), constant_values=1.0), 0
    for k in after:
        for begin in range(made, k, _AT_ONCE):
            part = slice(begin, min(k, begin + _AT_ONCE))
            sums.add(X[seen.which[part]], seen.labels[part], int(wrong[part].sum()))
        made = k
        yield sums


class _Sums:
    """What the proof adds up: A, Σ yx, and u's own sums."""

    def __init__(self, r: Fraction, size: int, u: ExactVector) -> None:
        self.r = r
        self.mistakes = self.narrow = 0
        self.losses = self.dots = Fraction(0)
        self.u = _exactly(size, 1, u.numbers)
        self.A, self.signed = flint.fmpq_mat(size, size), flint.fmpq_mat(size, 1)
        for j in range(size):
            self.A[j, j] = 1

    def add(self, rows: Vector, labels: Labels, wrong: int) -> None:
        """Add updates on these rows, of which so many were mistakes."""
        n, size = rows.shape
        self.mistakes += wrong
        self.narrow += n - wrong
        x, y = _exactly(n, size, rows.ravel().tolist()), labels.tolist()
        right_by = [a * _fraction(b) for a, b in zip(y, (x * self.u).entries(), strict=True)]
        self.losses += sum((max(Fraction(0), 1 - margin) for margin in right_by), Fraction(0))
        self.dots += sum(right_by, Fraction(0))
        turned = x.transpose()
        self.A += turned * x / flint.fmpq(*self.r.as_integer_ratio())
        self.signed += turned * _exactly(n, 1, y)

    def proof(self) -> tuple[Fraction, Fraction, Fraction, Fraction]:
        """⟨u,Aw⟩, uᵀAu, wᵀAw and det A."""
        (energy,) = (self.signed.transpose() * self.A.solve(self.signed)).entries()
        (spread,) = (self.u.transpose() * self.A * self.u).entries()
        growth = _fraction(self.A.det())
        return self.dots / self.r, _fraction(spread), _fraction(energy) / self.r**2, growth


def _exactly(rows: int, columns: int, numbers: Iterable[float | Fraction]) -> Any:
    ratios = (number.as_integer_ratio() for number in numbers)
    return flint.fmpq_mat(rows, columns, [flint.fmpq(*ratio) for ratio in ratios])


def _fraction(number: Any) -> Fraction:
    return Fraction(int(number.p), int(number.q))
