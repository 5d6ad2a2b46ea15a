"""Numbers with logarithms in them, rounded down exactly by intervals that narrow."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from flint import arb, ctx, fmpq


def ball(x: Fraction | int) -> arb:
    """A rational number as an interval, as narrow as the precision of the moment allows."""
    return arb(fmpq(x.numerator, x.denominator))


def floored(value: Callable[[], arb], is_exactly: Callable[[int], bool]) -> int:
    """⌊value⌋, which is asked for at ever greater precision.

    A number that is an integer intervals never decide: `is_exactly` says whether it is this one.
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
