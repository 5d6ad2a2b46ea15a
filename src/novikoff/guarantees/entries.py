"""Exact sums over rows of data, with a floating-point filter for the rows that cannot matter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from novikoff.examples import Labels
from novikoff.guarantees.exact import ExactVector, Integers, integers, products, span_sums
from novikoff.rows import Positions, Rows, Vector, dots

_AT_ONCE = 1 << 18  # entries: as Python integers these are some 20 MB
_LEAST = 5e-324


@dataclass(frozen=True, slots=True)
class Entries:
    """The stored numbers of some rows, the constant's 1 among them; row i at starts[i]."""

    values: Vector
    columns: Positions
    starts: Positions

    @classmethod
    def of(cls, rows: Rows, at: Positions, *, bias: bool) -> Entries:
        """The entries of the rows at these positions."""
        stored, indices, begins, dim = rows.take(at).core
        if indices is None or begins is None:
            of_row, columns = np.nonzero(stored)
            values = stored[of_row, columns].astype(np.float64)
            starts = np.searchsorted(of_row, np.arange(len(at) + 1)).astype(np.int64)
        else:
            values, columns = stored.astype(np.float64), indices.astype(np.int64)
            starts = begins.astype(np.int64)
        if bias:
            values = np.insert(values, starts[1:], 1.0)
            columns = np.insert(columns, starts[1:], dim)
            starts = starts + np.arange(len(starts))
        return cls(values, columns, starts)

    @property
    def lengths(self) -> Positions:
        """How many entries each row has."""
        return np.diff(self.starts)

    def dots(self, numbers: Integers, u: ExactVector) -> Integers:
        """⟨n, u⟩ in units of u, for the integers n that stand for the values."""
        summed = int(self.lengths.max(initial=1))
        return span_sums(products(numbers, u.integers[self.columns], summed=summed), self.starts)

    def squares(self, numbers: Integers) -> Integers:
        """‖n‖² of each row, for the integers n that stand for the values."""
        summed = int(self.lengths.max(initial=1))
        return span_sums(products(numbers, numbers, summed=summed), self.starts)


def usable(rows: Rows) -> None:
    """Raise BadExample at a row that is malformed or not finite; put sparse rows in order."""
    dots(rows, np.zeros(rows.dim))


def smallest_margin(
    rows: Rows, at: Positions, labels: Labels, u: ExactVector
) -> tuple[int, Fraction]:
    """Where in `at` y⟨u, x⟩ is smallest, and what it is there, exactly.

    A constant 1 follows the features when u is one longer than the rows.
    """
    bias = len(u.numbers) > rows.dim
    u_floats = u.floats()
    low, high = np.empty(len(at)), np.empty(len(at))
    for part in _parts(rows, len(at)):
        e = Entries.of(rows, at[part], bias=bias)
        with np.errstate(all="ignore"):
            terms = e.values * u_floats[e.columns]
            margins = labels[part] * span_sums(terms, e.starts)
            # summing n terms errs by n ulps of the sum of magnitudes, in any order
            error = (e.lengths + 8) * np.finfo(float).eps * span_sums(np.abs(terms), e.starts)
            error += 2 * _LEAST * e.lengths * (1 + np.abs(e.values).max(initial=0.0))
            low[part], high[part] = margins - error, margins + error
    best, where = None, 0
    contenders = _may_be_least(low, high)
    for part in _parts(rows, len(contenders)):
        some = contenders[part]
        e = Entries.of(rows, at[some], bias=bias)
        numbers, exponent = integers(e.values)
        margins = labels[some].astype(object) * e.dots(numbers, u).astype(object)
        i = int(np.argmin(margins))
        margin = int(margins[i]) * u.unit * Fraction(2) ** exponent
        if best is None or margin < best:
            best, where = margin, int(some[i])
    if best is None:
        raise ValueError("there are no rows to take a margin on")
    return where, best


def largest_square(rows: Rows, *, bias: bool) -> Fraction:
    """The largest ‖x‖² over the rows, exactly; 0 when there are none."""
    low, high = np.empty(len(rows)), np.empty(len(rows))
    for part in _parts(rows, len(rows)):
        e = Entries.of(rows, np.arange(part.start, part.stop), bias=bias)
        with np.errstate(all="ignore"):
            squares = span_sums(e.values * e.values, e.starts)
            error = (e.lengths + 8) * (np.finfo(float).eps * squares + 2 * _LEAST)
            low[part], high[part] = squares - error, squares + error
    best = Fraction(0)
    contenders = _may_be_least(-high, -low)
    for part in _parts(rows, len(contenders)):
        e = Entries.of(rows, contenders[part], bias=bias)
        numbers, exponent = integers(e.values)
        best = max(best, int(e.squares(numbers).max()) * Fraction(4) ** exponent)
    return best


def sum_of_squares(rows: Rows, times: Integers, *, bias: bool) -> Fraction:
    """Σ times[i] ‖x_i‖² over the rows, exactly."""
    total = Fraction(0)
    for part in _parts(rows, len(rows)):
        e = Entries.of(rows, np.arange(part.start, part.stop), bias=bias)
        numbers, exponent = integers(e.values)
        squares = e.squares(numbers).tolist()
        whole = sum(t * s for t, s in zip(times[part].tolist(), squares, strict=True))
        total += whole * Fraction(4) ** exponent
    return total


def _parts(rows: Rows, count: int) -> Iterator[slice]:
    step = max(1, _AT_ONCE * len(rows) // max(1, rows.values.size))
    return (slice(a, min(count, a + step)) for a in range(0, count, step))


def _may_be_least(low: Vector, high: Vector) -> Positions:
    """Of numbers known to lie between low and high, the places where the least may be."""
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        return np.arange(len(low))
    return np.flatnonzero(low <= high.min(initial=np.inf))
