"""Numbers in text: what Python's float reads is what the core reads, to the last bit."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from novikoff import _core


def read(text: str) -> float | None:
    """The number of the whole text, with digits behind it that must not be read."""
    raw = text.encode()
    padded = np.frombuffer(raw + b"\n" + b"7" * 15, dtype=np.uint8)
    return _core.read_number(padded, length=len(raw))


def bits(value: float | None) -> bytes | None:
    return None if value is None else struct.pack("<d", value)


def expected(text: str) -> float:
    return abs(float(text)) if abs(float(text)) == float("inf") else float(text)


def neighbours(value: float) -> Iterator[float]:
    (pattern,) = struct.unpack("<q", struct.pack("<d", value))
    for step in (-1, 0, 1):
        yield struct.unpack("<d", struct.pack("<q", max(0, pattern + step)))[0]


def halfway(value: float, above: float) -> str:
    """The number exactly between two neighbours, written out in full."""
    middle = (Fraction(value) + Fraction(above)) / 2
    shift = middle.denominator.bit_length() - 1
    return f"{middle.numerator * 5**shift}e-{shift}"


def hard_cases(rng: random.Random, count: int) -> Iterator[str]:
    """Subnormals, halves and what lies next to them, long mantissas, huge exponents."""
    while count > 0:
        pattern = rng.getrandbits(63)
        if rng.random() < 0.2:
            pattern &= (1 << 53) - 1  # subnormal, or as small as a normal number gets
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


def test_hard_numbers_are_read_as_python_reads_them() -> None:
    for text in hard_cases(random.Random(0), 60_000):
        assert bits(read(text)) == bits(expected(text)), text


@given(
    st.from_regex(
        r"[+-]?([0-9]{1,25}\.?[0-9]{0,25}|\.[0-9]{1,25})([eE][+-]?[0-9]{1,5})?", fullmatch=True
    )
)
@example("0e999999999999999999999")
@example("1e-99999999999999999999999")
@example("1e99999999999999999999999")
@example("0" * 400 + "1")
@example("0." + "0" * 400 + "1e401")
@example("1" + "0" * 400 + "e-400")
@example("-0")
@example("9007199254740993")
@example("2.4703282292062327e-324")
@example("2.4703282292062328e-324")
@example("1.7976931348623158e308")
@example("1.7976931348623159e308")
def test_any_number_is_read_as_python_reads_it(text: str) -> None:
    assert bits(read(text)) == bits(expected(text))


@pytest.mark.parametrize(
    "text",
    ["", "+", "-", ".", "e5", "1e", "1e+", "--1", "1_0", "0x1", "nan", "inf", " 1", "1 ", "١"],
)
def test_what_is_no_number_is_not_read(text: str) -> None:
    assert read(text) is None
