"""Decimal numbers that are hard to parse, and how the core and Python read them."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from novikoff import _core


def read_by_core(text: str) -> float | None:
    """Parse the text, followed by digits that the parser must not read."""
    raw = text.encode()
    padded = np.frombuffer(raw + b"\n" + b"7" * 15, dtype=np.uint8)
    return _core.read_number(padded, length=len(raw))


def bits(value: float | None) -> bytes | None:
    return None if value is None else struct.pack("<d", value)


def read_by_python(text: str) -> float:
    return abs(float(text)) if abs(float(text)) == float("inf") else float(text)


def halfway(value: float, above: float) -> str:
    """The number exactly between two neighbours, written out in full."""
    middle = (Fraction(value) + Fraction(above)) / 2
    shift = middle.denominator.bit_length() - 1
    return f"{middle.numerator * 5**shift}e-{shift}"


def hard_cases(rng: random.Random, count: int) -> Iterator[str]:
    """Subnormals, midpoints of two floats and their neighbours, long mantissas, huge exponents."""
    while count > 0:
        pattern = rng.getrandbits(63)
        if rng.random() < 0.2:
            pattern &= (1 << 53) - 1  # subnormal, or nearly so
        (value,) = struct.unpack("<d", struct.pack("<q", pattern))
        if not value < float("inf"):
            continue
        sign = rng.choice(("", "-", "+"))
        yield sign + repr(value)
        yield f"{sign}{value:.{rng.randint(0, 30)}e}"
        (above,) = struct.unpack("<d", struct.pack("<q", pattern + 1))
        if above < float("inf"):
            half = halfway(value, above)
            digits, power = half.split("e")
            yield sign + half
            yield f"{sign}{digits}{'0' * rng.randint(0, 40)}1e{int(power) - 41}"
            yield f"{sign}{int(digits) - 1}e{power}"
        m = rng.getrandbits(rng.choice((20, 53, 54, 63, 64, 70, 200)))
        places = rng.randint(0, 25)
        text = f"{m:0{places + 1}d}"
        yield sign + (f"{text[:-places]}.{text[-places:]}" if places else text)
        yield f"{sign}{m}e{rng.randint(-400, 400)}"
        count -= 7
