"""Numbers and names read the same everywhere; the doctests of the module show the usual cases."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.stream.printing import (
    aligned,
    count,
    cut,
    cut_middle,
    listed,
    percent,
    share,
    share_upwards,
    short,
    size,
    spans,
)


@given(st.integers(-(10**12) + 1, 10**12 - 1))
def test_a_count_reads_back(n: int) -> None:
    assert int(count(n).replace(",", "").replace("−", "-")) == n


@given(st.fractions().filter(bool), st.integers(1, 8))
def test_a_short_number_is_within_half_a_unit_of_its_last_digit(x: Fraction, digits: int) -> None:
    text = short(x, digits).replace(",", "").replace("−", "-")
    mantissa, _, power = text.partition("×10")
    exponent = int(power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")) or 0)
    shown = Fraction(mantissa) * Fraction(10) ** exponent
    assert abs(shown - x) <= abs(x) * Fraction(10) ** (1 - digits) / 2


def test_numbers_do_not_depend_on_the_callers_decimal_context() -> None:
    with localcontext() as context:
        context.prec = 2
        assert short(Fraction(10**30, 7), 6) == "1.42857×10²⁹"
        assert short(Decimal("1234.5678"), 6) == "1,234.57"


def test_numbers_without_a_value_have_words() -> None:
    assert (short(math.inf), short(-math.inf), short(math.nan)) == ("∞", "−∞", "not a number")
    assert (share(math.nan), percent(0, 0), share(0.5), share_upwards(0.5)) == (
        "–",
        "–",
        "50.00%",
        "50.0%",
    )


def test_long_names_and_lists_are_cut() -> None:
    assert (cut("abcdef", 6), cut("abcdefg", 6)) == ("abcdef", "abcde…")
    assert cut_middle("one two three four five six", 20) == "one two … five six"
    assert listed([], 3) == spans([]) == ""
    assert spans([5]) == "5"


@pytest.mark.parametrize(("n", "text"), [(0, "0 bytes"), (999, "999 bytes"), (1_500_000, "1.5 MB")])
def test_sizes_have_units(n: int, text: str) -> None:
    assert size(n) == text


def test_columns_of_a_table_are_aligned() -> None:
    assert aligned([("name", "n"), ("a", "10")]) == ["name   n", "a     10"]
