"""Exact arithmetic on floats, each of which is an integer times a power of two."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from novikoff.stream.rows import Positions, Vector

Number: TypeAlias = int | float | Fraction | np.integer[Any] | np.floating[Any]
Numbers: TypeAlias = Sequence[Number] | NDArray[Any]
Table: TypeAlias = Sequence[Numbers] | NDArray[Any]  # a row a class
Integers: TypeAlias = NDArray[Any]  # int64, or Python integers where int64 could overflow


def fraction(number: Number, name: str) -> Fraction:
    """The number as a fraction, without rounding; an error calls it `name`."""
    plain = number.item() if isinstance(number, np.generic) else number
    try:
        return Fraction(plain)
    except (ValueError, OverflowError):
        raise ValueError(f"{name} is {plain!r}, which is not a finite number") from None


def fraction_text(number: Fraction | int) -> str:
    """The number as p or p/q, in decimal or, if long, in hexadecimal; `int(p, 0)` reads either."""
    if type(number) is int and -(10**30) < number < 10**30:
        return str(number)  # most are; a certificate may have many thousands
    over, under = number.as_integer_ratio()
    write = str if max(abs(over), under) < 10**30 else hex
    return write(over) if under == 1 else f"{write(over)}/{write(under)}"


@dataclass(frozen=True, slots=True)
class ExactVector:
    """A vector or table of rationals: integers without a common factor, times a positive unit."""

    integers: Integers
    unit: Fraction

    @classmethod
    def of(
        cls, given: Sequence[Number | Numbers] | NDArray[Any], name: str, *, table: bool = False
    ) -> ExactVector:
        """These numbers, exactly as stored; a table has a row for each of two or more classes."""
        array = given if isinstance(given, np.ndarray) else np.asarray(given, dtype=object)
        if array.ndim != 1 + table or (table and len(array) < 2):
            rows = "table of numbers with a row for each of two or more classes"
            what = rows if table else "flat list of numbers"
            raise ValueError(f"{name} must be a {what}, not of shape {array.shape}")
        flat = array.reshape(-1)
        if array.dtype == np.float64 and np.isfinite(array).all():
            whole, exponent = integers(flat)
            unit = Fraction(2) ** exponent
        else:
            numbers = [fraction(x, f"{name}[{i}]") for i, x in enumerate(flat.tolist())]
            below = math.lcm(*(x.denominator for x in numbers))
            unit = Fraction(1, below)
            whole = packed([x.numerator * (below // x.denominator) for x in numbers])
        exact = cls._reduced(whole, unit)
        return cls(exact.integers.reshape(array.shape), exact.unit)

    @classmethod
    def sparse(cls, given: Mapping[int, int], length: int) -> ExactVector:
        """The vector of this length with these integers at these places, and 0 elsewhere."""
        small = packed(list(given.values()))
        whole = np.zeros(length, dtype=small.dtype)
        whole[list(given)] = small
        return cls._reduced(whole, Fraction(1))

    @classmethod
    def _reduced(cls, whole: Integers, unit: Fraction) -> ExactVector:
        common = int(np.gcd.reduce(whole)) if len(whole) else 0
        if common > 1:
            whole, unit = whole // common, unit * common
        return cls(packed(whole.tolist()) if whole.dtype == object else whole, unit)

    def __len__(self) -> int:
        return len(self.integers)

    @property
    def numbers(self) -> tuple[Fraction, ...]:
        """The rationals themselves."""
        zero = Fraction(0)
        return tuple(n * self.unit if n else zero for n in self.integers.ravel().tolist())

    @property
    def squared(self) -> Fraction:
        """‖u‖²."""
        return length_squared(self.integers) * self.unit**2

    def floats(self) -> Vector:
        """The integers divided by a power of two, so that all are below 1, and rounded once."""
        top = largest(self.integers)
        if top < 2**53 and self.integers.dtype != object:
            return self.integers / math.ldexp(1.0, top.bit_length())
        power, flat = 1 << top.bit_length(), self.integers.ravel().tolist()
        return np.array([n / power for n in flat]).reshape(self.integers.shape)


def integers(values: Vector) -> tuple[Integers, int]:
    """Integers n and the largest exponent e with values = n · 2^e exactly.

    >>> integers(np.array([0.75, -2.0, 0.0]))
    (array([ 3, -8,  0]), -2)
    """
    bottom = lowest_exponent(values)
    if int(np.frexp(np.abs(values).max(initial=0.0))[1]) - bottom <= 62:
        return np.ldexp(values, -bottom).astype(np.int64), bottom
    mantissas, exponents = np.frexp(values)
    shifts = np.where(values == 0, 0, exponents.astype(np.int64) - 53 - bottom)
    whole = np.ldexp(mantissas, 53).astype(np.int64) >> np.maximum(-shifts, 0)
    return whole.astype(object) << np.maximum(shifts, 0).astype(object), bottom


def lowest_exponent(values: Vector) -> int:
    """The largest e for which every value is an integer times 2^e; 0 if all are 0."""
    mantissas, exponents = np.frexp(values)
    whole = np.ldexp(mantissas, 53).astype(np.int64)
    some = whole != 0
    lowest_bit = np.frexp((whole & -whole).astype(np.float64))[1] - 1
    bottoms = (exponents - 53 + lowest_bit)[some]
    return int(bottoms.min()) if len(bottoms) else 0


def largest(numbers: Integers) -> int:
    """The largest magnitude among them."""
    return max(int(numbers.max(initial=0)), -int(numbers.min(initial=0)))


def products(a: Integers, b: Integers, *, summed: int) -> Integers:
    """The products of the entries, in a type that holds the sum of `summed` of them."""
    if a.dtype != object and b.dtype != object and largest(a) * largest(b) * summed < 2**63:
        return a * b
    wide: Integers = a.astype(object) * b.astype(object)
    return wide


def length_squared(numbers: Integers) -> int:
    """Σ n² of the integers."""
    some = numbers[numbers != 0]
    return int(products(some, some, summed=len(some)).sum())


def span_sums(terms: Integers, starts: Positions) -> Integers:
    """The sum of terms[starts[i]:starts[i+1]] for each i; 0 for an empty span."""
    sums: Integers = np.add.reduceat(np.append(terms, terms.dtype.type(0)), starts[:-1])
    sums[starts[:-1] == starts[1:]] = 0
    return sums


def sums_by(keys: Positions, terms: Integers) -> Integers:
    """The sum of the terms of each key that occurs, in the order of the keys."""
    order = np.argsort(keys, kind="stable")
    _, starts = np.unique(keys[order], return_index=True)
    return span_sums(terms[order], np.append(starts, len(keys)))


def root(square: Fraction | int, by: int = 1) -> float:
    """√(square/by), rounded once: equal numbers have equal roots, and the order is kept.

    >>> root(2), root(2 * 3**999, 3**999)
    (1.4142135623730951, 1.4142135623730951)
    """
    over, under = square.numerator, square.denominator * by
    shift = 128 + under.bit_length() - over.bit_length()
    shift += shift % 2
    over, under = (over << shift, under) if shift >= 0 else (over, under << -shift)
    r = math.isqrt(over // under)
    if r * r * under != over:
        r |= 1  # a sticky bit, so that the rest still decides how the last bit is rounded
    return math.ldexp(r, -shift // 2)


def floor_of_sum(p: Fraction, d: Fraction) -> int:
    """⌊p + √d⌋ for d ≥ 0."""
    n = math.lcm(p.denominator, d.denominator)
    # rounding the root down first does not change the floor, since the rest are integers
    return (int(p * n) + math.isqrt(int(d * n * n))) // n


def packed(whole: list[int]) -> Integers:
    """The integers as int64 if they fit, otherwise as Python integers."""
    small = not whole or (min(whole) > -(2**62) and max(whole) < 2**62)
    return np.array(whole, dtype=np.int64 if small else object)
