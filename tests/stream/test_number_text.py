"""Numbers in text: what Python's float reads is what the core reads, to the last bit."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from helpers.hard_decimals import bits, hard_cases, read_by_core, read_by_python
from novikoff.stream.number_text import number, why_not_number


def test_hard_numbers_are_read_as_python_reads_them() -> None:
    for text in hard_cases(random.Random(0), 60_000):
        assert bits(read_by_core(text)) == bits(read_by_python(text)), text


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
    assert bits(read_by_core(text)) == bits(read_by_python(text))


@pytest.mark.parametrize(
    "text",
    ["", "+", "-", ".", "e5", "1e", "1e+", "--1", "1_0", "0x1", "nan", "inf", " 1", "1 ", "١"],
)
def test_a_text_that_is_not_a_number_is_not_read(text: str) -> None:
    assert read_by_core(text) is None


@given(st.text("+-.eE0123456789_ nif", max_size=12))
def test_python_and_the_core_agree_on_what_a_number_is(text: str) -> None:
    found = number(text)
    if text != text.strip():
        return  # spaces around a number are allowed where fields are trimmed
    core = read_by_core(text)
    assert found is None if core is None or math.isinf(core) else bits(found) == bits(core)
    assert (why_not_number(text) == "") == (found is not None)


@pytest.mark.parametrize("end", ["x", "e", "e+", ".x", "e1x"])
def test_a_long_text_that_is_almost_a_number_is_refused_in_linear_time(end: str) -> None:
    assert number("1" * 10**6 + end) is None
    assert number("." + "1" * 10**6 + end) is None
    assert number("1e" + "1" * 10**6 + end) is None
