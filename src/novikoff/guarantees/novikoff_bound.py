"""Novikoff's theorem: the mistakes of a perceptron on examples that u separates, and its proof.

Also its two best-known cases: disjunctions, and the space of a kernel.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Any, Self, TypeAlias

import numpy as np

from novikoff.guarantees.exact import arithmetic as exact
from novikoff.guarantees.exact import mistaken
from novikoff.guarantees.exact.arithmetic import ExactVector, Number, Numbers, fraction, root
from novikoff.guarantees.exact.mistaken import Mistaken, mistakes_from_zero, with_witness
from novikoff.guarantees.exact.rows import Entries
from novikoff.ledger.kernels import Kernel, dense
from novikoff.ledger.ledger import Ledger
from novikoff.stream.printing import count, plural, short
from novikoff.stream.rows import Positions, Vector

Chain: TypeAlias = tuple[list[int], list[int], list[int], list[int], list[int]]
_LINKS = (
    "γ Σr ≤ ⟨w,u⟩",
    "⟨w,u⟩ ≤ ‖w‖",
    "‖w‖² ≤ Σ(r²‖x‖² + 2rη)",
    "Σ(r²‖x‖² + 2rη) ≤ k(r²R² + 2rη)",
)


@dataclass(frozen=True, slots=True)
class Bound:
    """At most `bound` mistakes were possible, and `mistakes` were made.

    `margin` is γ, the smallest y⟨u,x⟩ over the mistaken examples, for the witness u as given (None
    if there was no mistake); `radius_squared` is R², the largest ‖x‖² over them.
    """

    theorem: str
    bound: int
    mistakes: int
    margin: Fraction | None
    radius_squared: Fraction
    witness_squared: Fraction
    witness: tuple[Fraction, ...] = field(repr=False)

    @classmethod
    def without_mistakes(cls, theorem: str, u: ExactVector, **more: Any) -> Self:
        """The bound on a run without mistakes, which holds for any vector."""
        return cls(theorem, 0, 0, None, Fraction(0), u.squared, u.numbers, **more)

    @property
    def counted(self) -> str:
        """What is bounded: mistakes or, if examples that were right may count too, updates."""
        return "mistake"

    @property
    def holds(self) -> bool:
        """Whether the mistakes made are within the bound."""
        return self.mistakes <= self.bound

    @property
    def unit_margin(self) -> float:
        """γ/‖u‖: the margin of the witness as a unit vector (0 if there was no mistake)."""
        return 0.0 if self.margin is None else root(self.margin**2 / self.witness_squared)

    def __str__(self) -> str:
        if self.margin is None:
            return f"{self.theorem}: no {self.counted}s"
        but = "" if self.holds else ", more than the bound because of rounding"
        R = root(self.radius_squared)
        return (
            f"{self.theorem}: at most {plural(self.bound, self.counted)}, {count(self.mistakes)} "
            f"made{but} (of the mistaken rows: R = {short(R, 6)}, γ = {short(self.unit_margin, 6)})"
        )


def mistake_bound(radius_squared: Number, witness_squared: Number, margin: Number) -> int:
    """⌊R²‖u‖²/γ²⌋, exactly: the perceptron makes no more mistakes (Novikoff 1962, Theorem 1)."""
    R2, U2 = fraction(radius_squared, "R²"), fraction(witness_squared, "‖u‖²")
    gamma = fraction(margin, "γ")
    if R2 < 0 or U2 < 0 or gamma <= 0:
        raise ValueError(f"need R² ≥ 0, ‖u‖² ≥ 0 and γ > 0, got {R2}, {U2} and {gamma}")
    return R2 * U2 // gamma**2


def novikoff(ledger: Ledger, witness: Numbers) -> Bound:
    """M ≤ (R‖u‖/γ)² mistakes of a perceptron, however long the stream and in any order.

    The run starts at w = 0, and every update is on an example with y⟨w,x⟩ ≤ 0. If the steps differ,
    as with class weights, the bound is multiplied by the largest over the smallest. Proof:
    docs/proofs.md. References: Block (1962); Novikoff (1962), Theorem 1; Freund & Schapire (1999),
    Theorem 1.

    The ledger must have the mistaken examples; `Ledger.with_examples` adds them to positions. The
    witness is u, of any length: a number for each feature, then one for the constant if there is a
    bias. NotAWitness is raised if a mistaken example is not strictly on its correct side.
    """
    theorem, (ledger, u) = "Novikoff 1962", with_witness(ledger, witness)
    seen = mistakes_from_zero(ledger, Fraction(0))
    if seen is None:
        return Bound.without_mistakes(theorem, u)
    gamma, R2 = seen.margin(u), seen.radius_squared
    bound = mistake_bound(seen.stretch * R2, u.squared, gamma)
    return Bound(theorem, bound, len(ledger), gamma, R2, u.squared, u.numbers)


def adaptive(ledger: Ledger, witness: Numbers) -> Bound:
    """M ≤ √(Σ‖x‖²) ‖u‖/γ: `novikoff` by the lengths of all mistakes (1962, proof of Theorem 1)."""
    theorem, (ledger, u) = "Novikoff 1962, adaptive", with_witness(ledger, witness)
    seen = mistakes_from_zero(ledger, Fraction(0))
    if seen is None:
        return Bound.without_mistakes(theorem, u)
    gamma, squares = seen.margin(u), seen.sum_of_squares / seen.smallest_step**2
    bound = math.isqrt(mistake_bound(squares, u.squared, gamma))
    return Bound(theorem, bound, len(ledger), gamma, seen.radius_squared, u.squared, u.numbers)


def from_start(ledger: Ledger, witness: Numbers, *, margin: Number = 0) -> Bound:
    """The largest M with rMγ + ⟨w₀,u⟩ ≤ ‖u‖√(‖w₀‖² + r²MR²), for a run that started at w₀.

    The left side is a lower bound on ⟨w,u⟩, the root an upper bound on ‖w‖; r is the rate. `margin`
    is η of a margin perceptron; the other parameters are those of `novikoff`. Proof:
    docs/proofs.md, after Novikoff (1962), Theorem 1.
    """
    theorem, (ledger, u) = "Novikoff 1962 from w₀", with_witness(ledger, witness)
    eta = fraction(margin, "margin")
    mistaken.expect_threshold(ledger, eta)
    if len(ledger) == 0:
        return Bound.without_mistakes(theorem, u)
    seen = Mistaken.of(ledger)
    gamma, R2 = seen.margin(u), seen.radius_squared
    a, b = seen.smallest_step, seen.largest_step
    start = np.zeros(len(u)) if ledger.start is None else ledger.start
    w0 = ExactVector.of([Fraction(ledger.unit) * Fraction(w) for w in start.tolist()], "start")
    along = sum((p * q for p, q in zip(w0.numbers, u.numbers, strict=True)), Fraction(0))
    # (aγM + ⟨w₀,u⟩)² ≤ ‖u‖²(‖w₀‖² + a(bR² + 2η)M) is a quadratic, M² ≤ 2pM + q with q ≥ 0
    square = (a * gamma) ** 2
    p = (u.squared * a * (b * R2 + 2 * eta) / 2 - a * gamma * along) / square
    q = (u.squared * w0.squared - along**2) / square
    bound = exact.floor_of_sum(p, p * p + q)
    return Bound(theorem, bound, len(ledger), gamma, R2, u.squared, u.numbers)


@dataclass(frozen=True, slots=True)
class Failure:
    """An inequality that failed after a mistake (counted from 1), and the squares of its sides."""

    mistake: int
    row: int
    inequality: str
    left_squared: Fraction
    right_squared: Fraction

    def __str__(self) -> str:
        return f"{self.inequality} fails after mistake {self.mistake} (row {self.row})"


@dataclass(frozen=True, slots=True, eq=False)
class Sandwich:
    """For k = 1, 2, … mistakes: lower ≤ progress ≤ norm ≤ root_sum ≤ upper.

    With u as a unit vector they are kγ, ⟨w,u⟩, ‖w‖, √(Σ‖x‖²) and R√k, each rounded once. `failure`
    is the first inequality that fails in exact arithmetic, and `not_a_mistake` the first k at which
    y⟨w,x⟩ was exactly above the margin, so that only rounding can have caused the update.
    """

    k: Positions = field(repr=False)
    lower: Vector = field(repr=False)
    progress: Vector = field(repr=False)
    norm: Vector = field(repr=False)
    root_sum: Vector = field(repr=False)
    upper: Vector = field(repr=False)
    failure: Failure | None
    not_a_mistake: int | None

    @property
    def holds(self) -> bool:
        """Whether every inequality held after every mistake."""
        return self.failure is None

    def __str__(self) -> str:
        if self.failure is not None:
            return str(self.failure)
        if len(self.k) == 0:
            return "no mistakes"
        traces = (self.lower, self.progress, self.norm, self.root_sum, self.upper)
        ends = " ≤ ".join(short(float(trace[-1]), 6) for trace in traces)
        return f"after {plural(len(self.k), 'mistake')}: {ends}"


def sandwich(ledger: Ledger, witness: Numbers, *, margin: Number = 0) -> Sandwich:
    """kγ ≤ ⟨w,u⟩ ≤ ‖w‖ ≤ √(Σ‖x‖²) ≤ R√k after each mistake k, for u as a unit vector.

    With steps r between a and b, and a margin η, the five are γΣr, ⟨w,u⟩, ‖w‖, √Σ(r²‖x‖² + 2rη) and
    √(k(b²R² + 2bη)). The third inequality can fail if rounding turned an example into a mistake.
    The parameters are those of `margin_perceptron`. References: Novikoff (1962), the proof of
    Theorem 1; Krauth & Mézard (1987) with a margin.
    """
    (ledger, u), eta = with_witness(ledger, witness), fraction(margin, "margin")
    seen = mistakes_from_zero(ledger, eta)
    if seen is None:
        none = np.empty(0)
        return Sandwich(np.arange(0), none, none, none, none, none, None, None)
    seen.margin(u)  # raises NotAWitness
    e = Entries.of(seen.rows, np.arange(len(seen.rows)), bias=seen.bias)
    x, exponent = exact.integers(e.values)
    along, power = e.dots(u)
    squares, fold = e.squares(x).tolist(), Fraction(2) ** (power - exponent)
    dots = [int(n * fold) for n in along.tolist()]
    labels, which = seen.labels.tolist(), seen.which.tolist()
    scores = _scores(e, x, seen, length=len(u))
    unit_squared = (seen.unit * Fraction(2) ** exponent) ** 2
    return _sandwich(
        seen.positions,
        sizes=seen.steps.tolist(),
        squares=[squares[i] for i in which],
        margins=[y * dots[i] for y, i in zip(labels, which, strict=True)],
        right_by=[y * s for y, s in zip(labels, scores, strict=True)],
        U2=sum(n * n for n in u.integers.tolist()),
        unit_squared=unit_squared,
        room=2 * eta * seen.unit / unit_squared,
    )


def _sandwich(
    positions: Positions,
    *,
    sizes: list[int],
    squares: list[int],
    margins: list[int],
    right_by: list[int],
    U2: int,
    unit_squared: Fraction,
    room: Fraction,
) -> Sandwich:
    """The sandwich of updates of these sizes r at these positions.

    In integers: `squares` are ‖x‖², `margins` y⟨u,x⟩, `right_by` y⟨w,x⟩ before each update, and U2
    is ‖u‖². The unit of ‖w‖² is `unit_squared`, in which 2rη is r·room.
    """
    allow, whole = room.as_integer_ratio()
    gamma = min(margins)
    growth = [s * s * square for s, square in zip(sizes, squares, strict=True)]
    limits = [whole * g + allow * s for s, g in zip(sizes, growth, strict=True)]
    most = whole * max(sizes) ** 2 * max(squares) + allow * max(sizes)
    gains = (s * m for s, m in zip(sizes, margins, strict=True))
    longer = (2 * s * d + g for s, d, g in zip(sizes, right_by, growth, strict=True))
    k = np.arange(1, len(sizes) + 1)
    chain: Chain = (
        [whole * (gamma * s) ** 2 for s in accumulate(sizes)],
        [whole * p**2 for p in accumulate(gains)],
        [whole * U2 * n for n in accumulate(longer)],
        [U2 * q for q in accumulate(limits)],
        [U2 * most * i for i in k.tolist()],
    )
    scale = unit_squared / (U2 * whole)
    over, by = scale.as_integer_ratio()
    traces = (np.array([root(n * over, by) for n in each]) for each in chain)
    lower, progress, norm, root_sum, upper = traces
    fails = (
        Failure(i, row, link, left * scale, right * scale)
        for i, (row, *sides) in enumerate(zip(positions.tolist(), *chain, strict=True), 1)
        for link, (left, right) in zip(_LINKS, pairwise(sides), strict=True)
        if left > right
    )
    not_a_mistake = next((i for i, d in enumerate(right_by, 1) if 2 * d * whole > allow), None)
    failure = next(fails, None)
    return Sandwich(k, lower, progress, norm, root_sum, upper, failure, not_a_mistake)


def _scores(e: Entries, x: exact.Integers, seen: Mistaken, *, length: int) -> list[int]:
    """⟨w,x⟩ before each update, in the units of the integer entries and steps."""
    reach = sum(seen.steps.tolist()) * exact.largest(x) ** 2 * int(e.lengths.max())
    kind = np.int64 if x.dtype != object and reach < 2**63 else object
    x, w, out = x.astype(kind), np.zeros(length, dtype=kind), []
    spans = [slice(a, b) for a, b in pairwise(e.starts.tolist())]
    for y, s, i in zip(*(c.tolist() for c in (seen.labels, seen.steps, seen.which)), strict=True):
        at, values = e.columns[spans[i]], x[spans[i]]
        before = w[at]
        out.append(int(before @ values))
        w[at] = before + y * s * values
    return out


@dataclass(frozen=True, slots=True)
class Disjunction:
    """The first k of n attributes joined by or: the best witness, of margin 1, and the bound."""

    n: int
    k: int
    bound: int
    margin_squared: Fraction
    radius_squared: int
    witness_squared: int
    witness: tuple[int, ...] = field(repr=False)

    def __str__(self) -> str:
        return (
            f"a disjunction of {self.k} of {self.n} attributes: at most {self.bound:,} mistakes "
            f"(R² = {self.radius_squared}, γ² = {self.margin_squared})"
        )


def k_disjunction(n: int, k: int, *, constant: bool = True) -> Disjunction:
    """At most (n + 1)(4k + 1) mistakes on a disjunction of k of n attributes, each 0 or 1.

    Without a constant feature the example of zeros must not occur, and with d = n − k the bound is
    n(k(d + 1)² + d). The margins are the best (docs/proofs.md). References: Novikoff (1962),
    Theorem 1, with the duality of margins and convex hulls; Kivinen, Warmuth & Auer (1997) show
    that every such rule makes a number of mistakes linear in n.
    """
    if not 1 <= k <= n:
        raise ValueError(f"need 1 <= k <= n, got {n=} and {k=}")
    rest = n - k
    matters, other = (2, 0) if constant else (rest + 1, -1)
    witness = (matters,) * k + (other,) * rest + (-1,) * constant
    U2 = _witness_squared(n, k, constant)
    R2 = n + constant
    return Disjunction(n, k, mistake_bound(R2, U2, 1), Fraction(1, U2), R2, U2, witness)


def disjunction(n: int, *, constant: bool = True) -> Disjunction:
    """The most mistakes on any disjunction over n attributes: (n + 1)(4n + 1) with a constant."""
    if n < 1:
        raise ValueError(f"need at least one attribute, got {n=}")
    hardest = max(range(1, n + 1), key=lambda k: _witness_squared(n, k, constant))
    return k_disjunction(n, hardest, constant=constant)


def _witness_squared(n: int, k: int, constant: bool) -> int:
    return 4 * k + 1 if constant else k * (n - k + 1) ** 2 + n - k


@dataclass(frozen=True, slots=True)
class KernelBound:
    """What a run in a kernel's space proves; w are its weights, in the end.

    `radius_squared` is R², the largest K(x, x) over the mistaken rows, `squares` the sum of
    r²·K(x, x) + 2rη over its steps r, which ‖w‖² does not exceed, and `margin` γ, the smallest
    y·f(x). If it is positive, the run could make at most `bound` updates, and the `sandwich` is the
    proof, with w as the witness. No unit vector has a margin whose square exceeds `ceiling` =
    ‖w‖²/(Σr)² on all these rows. `threshold` is η.
    """

    mistakes: int
    radius_squared: Fraction
    weights_squared: Fraction
    squares: Fraction
    margin: Fraction
    ceiling: Fraction
    bound: int | None
    threshold: Fraction
    sandwich: Sandwich | None = field(repr=False, compare=False)

    @property
    def holds(self) -> bool:
        """Whether ‖w‖² ≤ `squares`, the updates are within the bound, and the sandwich holds."""
        within = self.bound is None or self.mistakes <= self.bound
        within &= self.sandwich is None or self.sandwich.holds
        return within and self.weights_squared <= self.squares

    def __str__(self) -> str:
        theorem, what = "Novikoff 1962", "mistake"
        if self.threshold:
            theorem, what = "Krauth & Mézard 1987", "update"
        most = "no bound" if self.bound is None else f"at most {plural(self.bound, what)}"
        return (
            f"{theorem} in the kernel's space: {most}, {self.mistakes} made (R = "
            f"{short(root(self.radius_squared), 6)}, γ* ≤ {short(root(self.ceiling), 6)})"
        )


def exact_gram(X: Vector, kernel: Kernel) -> tuple[exact.Integers, Fraction]:
    """The kernels of all pairs of rows as integers times 1/d, which is returned beside them."""
    if kernel.name not in ("linear", "poly"):
        raise ValueError("this needs a linear or polynomial kernel, whose values are exact")
    degree, gamma, constant = 1, Fraction(1), Fraction(0)
    if kernel.name == "poly":
        degree = int(kernel.degree)
        gamma, constant = Fraction(float(kernel.gamma)), Fraction(float(kernel.coef0))
    whole, exponent = exact.integers(X.reshape(-1))
    gamma *= Fraction(4) ** exponent  # of products of integers
    below = math.lcm(gamma.denominator, constant.denominator)
    times, plus = int(gamma * below), int(constant * below)
    most = (exact.largest(whole) ** 2 * X.shape[1] * times + plus) ** degree
    whole = whole.astype(np.int64 if most < 2**62 else object).reshape(X.shape)
    return (whole @ whole.T * times + plus) ** degree, Fraction(1, below**degree)


def kernel_bound(ledger: Ledger, *, margin: Number = 0) -> KernelBound:
    """The bound, the sandwich and the ceiling on γ* of a run with a linear or polynomial kernel.

    At most (R² + 2η)‖w‖²/γ² updates, for the final weights w; `margin` is η. Everything is exact,
    from the Gram matrix of the mistaken rows in integers; time and memory grow with its size.

    >>> from novikoff import Dual, Kernel, play
    >>> X, y = [[1, 1], [-1, -1], [1, -1], [-1, 1]], [1, 1, -1, -1]  # XOR
    >>> run = play(X, y, Dual(2, kernel=Kernel("poly", degree=2)), epochs=9)
    >>> str(run.verdict), kernel_bound(run.ledger).bound, kernel_bound(run.ledger).margin
    ('separated', 4, Fraction(8, 1))

    References: Novikoff (1962), Theorem 1; Krauth & Mézard (1987) with a margin; Freund & Schapire
    (1999), section 5.
    """
    ledger, eta = mistaken.expect_ledger(ledger, "kernel"), fraction(margin, "margin")
    kernel = ledger.kernel
    if kernel is None or ledger.began or not len(ledger):
        raise ValueError("this needs the whole ledger of a run with mistakes")
    mistaken.expect_threshold(ledger, eta)
    K, scale = exact_gram(dense(ledger.examples), kernel)
    K = K.astype(object) + ledger.bias * scale.denominator
    steps, exponent = exact.integers(ledger.steps)
    signed, which, labels = steps.tolist(), ledger.example.tolist(), ledger.labels.tolist()
    unit = Fraction(ledger.unit) * Fraction(2) ** exponent
    f, right_by = np.zeros(len(K), dtype=object), list[int]()
    for step, y, i in zip(signed, labels, which, strict=True):
        right_by.append(y * f[i])
        f += step * K[i]
    own, sizes = np.diagonal(K)[which].tolist(), [abs(step) for step in signed]
    margins = [y * f[i] for y, i in zip(labels, which, strict=True)]
    U2 = sum(step * f[i] for step, i in zip(signed, which, strict=True))
    gamma, radius, unit_squared = min(margins) * scale * unit, max(own) * scale, scale * unit**2
    squares = sum(s * s * square for s, square in zip(sizes, own, strict=True))
    squared, proof, bound = U2 * unit_squared, None, None
    if gamma > 0:
        growth = (max(sizes) * unit * radius + 2 * eta) / (min(sizes) * unit)
        bound = mistake_bound(growth, squared, gamma)
        proof = _sandwich(
            ledger.rows,
            sizes=sizes,
            squares=own,
            margins=margins,
            right_by=right_by,
            U2=U2,
            unit_squared=unit_squared,
            room=2 * eta * unit / unit_squared,
        )
    return KernelBound(
        mistakes=len(ledger),
        radius_squared=radius,
        weights_squared=squared,
        squares=squares * unit_squared + 2 * eta * unit * sum(sizes),
        margin=gamma,
        ceiling=U2 * scale / sum(sizes) ** 2,
        bound=bound,
        threshold=eta,
        sandwich=proof,
    )
