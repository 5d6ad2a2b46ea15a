"""Exact floors of expressions with logarithms, by interval arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from flint import arb, ctx, fmpq


def ball(x: Fraction | int) -> arb:
    """A rational number as an interval, at the current precision."""
    return arb(fmpq(x.numerator, x.denominator))


def floored(value: Callable[[], arb], is_exactly: Callable[[int], bool]) -> int:
    """⌊value()⌋, evaluated at increasing precision until the floor is certain.

    If the value is an integer, no interval decides; `is_exactly(n)` says whether the value is n.
    """
    bits = 64
    while True:
        with ctx.workprec(bits):
            found = value()
            floor = found.floor().unique_fmpz()
            near = found.upper().floor().unique_fmpz()
        if floor is not None:
            return int(floor)
        if near is not None and is_exactly(int(near)):
            return int(near)
        bits *= 2
