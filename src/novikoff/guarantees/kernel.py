"""Novikoff's theorem in the space of a kernel: exact, from the Gram matrix of the mistaken rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from novikoff.guarantees.exact.arithmetic import Integers, integers, largest, root
from novikoff.guarantees.exact.mistaken import expect_ledger
from novikoff.ledger.kernels import Kernel, dense
from novikoff.ledger.ledger import Ledger
from novikoff.stream.printing import plural, short
from novikoff.stream.rows import Vector


@dataclass(frozen=True, slots=True)
class KernelBound:
    """What a run in a kernel's space proves; w are its weights, in the end.

    `radius_squared` is R², the largest K(x, x) over the mistaken rows, `squares` the sum of
    step²·K(x, x), which ‖w‖² does not exceed, and `margin` γ, the smallest y·f(x). If it is
    positive, the run could make at most `bound` mistakes. No unit vector has a margin whose square
    exceeds `ceiling` = ‖w‖²/(Σ|step|)² on all these rows.
    """

    mistakes: int
    radius_squared: Fraction
    weights_squared: Fraction
    squares: Fraction
    margin: Fraction
    ceiling: Fraction
    bound: int | None

    @property
    def holds(self) -> bool:
        """Whether ‖w‖² ≤ Σ step²·K(x, x) and the mistakes are within the bound."""
        within = self.bound is None or self.mistakes <= self.bound
        return within and self.weights_squared <= self.squares

    def __str__(self) -> str:
        most = "no bound" if self.bound is None else f"at most {plural(self.bound, 'mistake')}"
        return (
            f"Novikoff 1962 in the kernel's space: {most}, {self.mistakes} made (R = "
            f"{short(root(self.radius_squared), 6)}, γ* ≤ {short(root(self.ceiling), 6)})"
        )


def exact_gram(X: Vector, kernel: Kernel) -> tuple[Integers, Fraction]:
    """The kernels of all pairs of rows as integers times 1/d, which is returned beside them."""
    if kernel.name not in ("linear", "poly"):
        raise ValueError("this needs a linear or polynomial kernel, whose values are exact")
    degree, gamma, constant = 1, Fraction(1), Fraction(0)
    if kernel.name == "poly":
        degree = int(kernel.degree)
        gamma, constant = Fraction(float(kernel.gamma)), Fraction(float(kernel.coef0))
    whole, exponent = integers(X.reshape(-1))
    gamma *= Fraction(4) ** exponent  # of products of integers
    below = math.lcm(gamma.denominator, constant.denominator)
    times, plus = int(gamma * below), int(constant * below)
    most = (largest(whole) ** 2 * X.shape[1] * times + plus) ** degree
    whole = whole.astype(np.int64 if most < 2**62 else object).reshape(X.shape)
    return (whole @ whole.T * times + plus) ** degree, Fraction(1, below**degree)


def kernel_bound(ledger: Ledger) -> KernelBound:
    """The bound, the sandwich and the ceiling on γ* of a run with a linear or polynomial kernel.

    Everything is exact, from the Gram matrix of the mistaken rows in integers; time and memory grow
    with its size. All updates of the run are mistakes: it has no margin.

    >>> from novikoff import Dual, Kernel, play
    >>> X, y = [[1, 1], [-1, -1], [1, -1], [-1, 1]], [1, 1, -1, -1]  # XOR
    >>> run = play(X, y, Dual(2, kernel=Kernel("poly", degree=2)), epochs=9)
    >>> str(run.verdict), kernel_bound(run.ledger).bound, kernel_bound(run.ledger).margin
    ('separated', 4, Fraction(8, 1))

    References: Novikoff (1962), Theorem 1; Freund & Schapire (1999), section 5.
    """
    ledger = expect_ledger(ledger, "kernel").snapshot()
    kernel = ledger.kernel
    assert kernel is not None
    if ledger.n_updates != ledger.n_mistakes or ledger.began or not len(ledger):
        raise ValueError("this needs the whole ledger of a run with mistakes, and without a margin")
    K, scale = exact_gram(dense(ledger.examples), kernel)
    K = K.astype(object) + ledger.bias * scale.denominator
    steps, exponent = integers(ledger.steps)
    steps = steps.astype(object)
    unit = Fraction(ledger.unit) * Fraction(2) ** exponent
    alpha = np.zeros(len(K), dtype=object)
    np.add.at(alpha, ledger.example, steps)
    scores, own, which = K @ alpha, np.diagonal(K), ledger.example
    squared = (alpha @ scores) * scale * unit**2
    margin = min((scores[which] * ledger.labels.astype(object)).tolist()) * scale * unit
    radius = max(own.tolist()) * scale
    sizes = [abs(step) for step in steps.tolist()]
    stretch = Fraction(max(sizes), min(sizes)) ** 2
    return KernelBound(
        mistakes=len(ledger),
        radius_squared=radius,
        weights_squared=squared,
        squares=sum((steps * steps * own[which]).tolist()) * scale * unit**2,
        margin=margin,
        ceiling=squared / (sum(sizes) * unit) ** 2,
        bound=math.floor(stretch * radius * squared / margin**2) if margin > 0 else None,
    )
