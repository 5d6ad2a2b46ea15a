"""Numbers and names as a page shows them."""

from __future__ import annotations

import math
from decimal import Decimal

_LONGEST = 60
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def count(n: int) -> str:
    """A whole number with its thousands apart; a huge one in three digits and a power of ten."""
    return f"{n:,}".replace("-", "−") if abs(n) < 10**12 else short(Decimal(n))


def some(n: int, noun: str) -> str:
    """`1 row`, `2 rows`."""
    return f"{count(n)} {noun}{'s' * (n != 1)}"


def short(x: float | Decimal, digits: int = 4) -> str:
    """A number in a few digits, its minus a minus: 0.5, 12,345, 7.3×10¹⁶.

    >>> short(-0.00001234), short(12345.6)
    ('−1.234×10⁻⁵', '12,346')
    """
    shown = f"{x:,.0f}" if 1000 <= math.fabs(x) < 10**12 else f"{x:.{digits}g}"
    mantissa, mark, power = shown.partition("e")
    exponent = f"×10{str(int(power)).translate(_RAISED)}" if mark else ""
    return mantissa.replace("-", "−") + exponent


def percent(part: int, whole: int) -> str:
    """A share in per cent."""
    return f"{100 * part / whole:.1f}%" if whole else "–"


def upwards(share: float) -> str:
    """A share in per cent, rounded upwards as a bound must be."""
    return f"{math.ceil(share * 1000) / 10:.1f}%"


def cut(name: str) -> str:
    """A name, shortened when it is very long."""
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"


def size(n: int) -> str:
    """A number of bytes."""
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if n >= unit:
            return f"{n / unit:.3g} {name}"
    return some(n, "byte")
