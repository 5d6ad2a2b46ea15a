"""The widest margin: an interval for it of a given width, or the margin exactly.

The best margin γ of separable points is 1/‖w‖ for the shortest w with ⟨w,z⟩ ≥ 1 on all of them, and
that w is Σ α z with α ≥ 0. Any separating w gives a lower bound and any α an upper bound:
min ⟨w,z⟩/‖w‖ ≤ γ ≤ ‖Σ α z‖/Σ α. The two are equal at the best w and α.
"""

from __future__ import annotations

import math
import time
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from operator import mul

import numpy as np

from novikoff import _core
from novikoff.guarantees.certificate import MarginInterval, Sparse
from novikoff.guarantees.exact.arithmetic import ExactVector, integers
from novikoff.separability.exact_linear import Undecided, independent_rows, solve
from novikoff.separability.points import Points, Progress
from novikoff.stream.rows import Vector
from novikoff.stream.sums import dot, total

_SWEEPS = 30  # over the rows near the margin, between two looks at all rows
_PATIENCE = 60  # looks in which the interval does not narrow by a hundredth
_MOST_EXACT = 120  # rows in a system that is solved exactly


def narrowed(
    points: Points,
    known: tuple[ExactVector, MarginInterval],
    *,
    rtol: float,
    until: float,
    progress: Progress,
) -> tuple[ExactVector, MarginInterval]:
    """Weights and an interval of relative width at most rtol, or as narrow as possible.

    Coordinate ascent on α narrows it, mostly only on rows near the margin (Hildreth 1957). If that
    makes no progress, or rtol is 0, the system of the nearest rows is solved exactly.
    """
    alpha, w = np.zeros(len(points)), np.zeros(points.length)
    with np.errstate(over="ignore"):  # a row whose square is ∞ keeps its α
        squares = points.exact.norms**2
    best, stuck, narrowest, dice = known, 0, math.inf, np.random.default_rng(1957)
    while best[1].relative_width > rtol and stuck < _PATIENCE and time.monotonic() < until:
        scores, squared, weight = points.scores(w), dot(w, w), total(alpha)
        width = math.inf
        if squared and weight:
            width = 1 - max(0.0, float(scores.min())) * weight / squared
        progress(f"margin: relative error {width:.2g}, target {rtol:.2g}")
        if width <= max(rtol / 2, 1e-13):
            break
        stuck = 0 if width < 0.99 * narrowest else stuck + 1
        narrowest = min(width, narrowest)
        near = np.flatnonzero((alpha > 0) | (scores < 1.001))
        for _ in range(_SWEEPS):
            _core.ascend(
                *points.rows.core,
                labels=points.labels,
                order=dice.permutation(near),
                squares=squares,
                bias=points.bias,
                alpha=alpha,
                w=w,
            )
    rows = np.flatnonzero(alpha > 1e-15 * alpha.max(initial=0.0))
    hull = dict(zip(rows.tolist(), integers(alpha[rows])[0].tolist(), strict=True))
    best = _narrower(points, best, ExactVector.of(w, "weights"), hull)
    if best[1].relative_width > rtol:
        with suppress(Undecided):  # the system is too large: the interval stays as it is
            if exact := _exactly(points, alpha, until):
                best = _narrower(points, best, *exact)
    return best


def _narrower(
    points: Points,
    known: tuple[ExactVector, MarginInterval],
    weights: ExactVector,
    hull: Sparse,
) -> tuple[ExactVector, MarginInterval]:
    """The better bound at each end, compared exactly."""
    w, was = known
    low, high, shown = was.at_least_squared, was.at_most_squared, was.hull
    if weights.integers.any() and (least := points.nearest(weights)[1]) > 0:
        reached = least**2 / weights.squared
        if reached > low:
            w, low = weights, reached
    if hull:
        most = points.hull_squared(hull)
        if high is None or most < high:
            high, shown = most, hull
    return w, MarginInterval(low, high, shown)


def _exactly(points: Points, near: Vector, until: float) -> tuple[ExactVector, Sparse] | None:
    """The best weights and multipliers, exactly, if few enough rows support them.

    The dual method of Goldfarb & Idnani (1983) in rational arithmetic: the nearest row joins until
    none is too near, and rows leave when their multiplier reaches 0. It starts from the rows that
    coordinate ascent ended with, if those have a solution with α > 0.
    """
    active = _Active(points, near)
    while time.monotonic() < until and len(active.rows) <= _MOST_EXACT:
        w = active.weights()
        if w is None:
            nearest = int(np.argmax(points.exact.norms))
        else:
            nearest, score = points.nearest(w)
            if score >= active.height:
                return w, active.hull()
        if not active.join(nearest):
            return None
    return None


class _Active:
    """Rows with ⟨w,z⟩ = height, where w = Σ α z with α > 0; z is integers and α rational."""

    def __init__(self, points: Points, near: Vector) -> None:
        self._points = points
        self.height = Fraction(2) ** points.exponent
        self.rows: list[int] = []
        self.alpha: list[Fraction] = []
        some = np.flatnonzero(near > 1e-9 * near.max(initial=0.0))
        if len(some) == 0 or len(some) > _MOST_EXACT:
            return
        some = some[independent_rows(points.whole(some))]
        z = points.whole(some)
        found, under = solve(z @ z.T, np.ones((len(some), 1), dtype=object))
        if (found > 0).all():
            self.rows = some.tolist()
            self.alpha = [Fraction(x, under) for x in found[:, 0].tolist()]

    def join(self, p: int) -> bool:
        """Add row p, and remove rows as needed; False if no weights separate them all."""
        x, alpha = self._points.whole(np.array([p])), Fraction(0)
        square = int((x @ x.T)[0, 0])
        while True:
            z = self._points.whole(np.array(self.rows, dtype=np.int64))
            products = z @ x.T
            found, under = solve(z @ z.T, products)
            down = [Fraction(n, under) for n in found[:, 0].tolist()]
            beside = products[:, 0].tolist()
            left = 1 - alpha * square - sum(map(mul, self.alpha, beside))  # ⟨w,z⟩ is below 1 by it
            rise = square - sum(map(mul, down, beside))
            gone = [
                (a / r, k) for k, (a, r) in enumerate(zip(self.alpha, down, strict=True)) if r > 0
            ]
            until_gone, k = min(gone, default=(None, -1))
            until_up = left / rise if rise > 0 else None
            if until_gone is None and until_up is None:
                return False
            joins = until_up is not None and (until_gone is None or until_up <= until_gone)
            step = until_up if joins else until_gone
            assert step is not None
            alpha += step
            self.alpha = [a - step * r for a, r in zip(self.alpha, down, strict=True)]
            if joins:
                self.rows, self.alpha = [*self.rows, p], [*self.alpha, alpha]
                return True
            del self.rows[k], self.alpha[k]

    def weights(self) -> ExactVector | None:
        """Σ α z; None if there are no rows."""
        if not self.rows:
            return None
        below, whole = self._whole()
        total = np.array(whole, dtype=object) @ self._points.whole(np.array(self.rows))
        exact = ExactVector.sparse(dict(enumerate(total.tolist())), self._points.length)
        return replace(exact, unit=exact.unit / below)

    def hull(self) -> Sparse:
        """The multipliers as integers."""
        return {i: n for i, n in zip(self.rows, self._whole()[1], strict=True) if n}

    def _whole(self) -> tuple[int, list[int]]:
        below = math.lcm(*(a.denominator for a in self.alpha))
        return below, [a.numerator * (below // a.denominator) for a in self.alpha]
