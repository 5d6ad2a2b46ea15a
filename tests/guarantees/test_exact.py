"""The arithmetic under the guarantees: exact on every float there is, and filtered without risk."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from novikoff import sources
from novikoff.guarantees.exact.arithmetic import (
    ExactVector,
    integers,
    largest,
    products,
    root,
    span_sums,
    sums_by,
)
from novikoff.guarantees.exact.mistaken import Mistaken
from novikoff.guarantees.exact.rows import Entries, ExactRows, GramRows
from novikoff.stream.blocks import Labels, signs
from novikoff.stream.rows import Positions, Rows

finite = st.floats(allow_nan=False, allow_infinity=False)
tame = st.floats(-100, 100) | st.integers(-9, 9).map(float)


def sum_of_squares(rows: Rows, steps: Positions, *, bias: bool) -> Fraction:
    """Σ‖sx‖² of a run that mistook each row once, with these steps."""
    each, labels = np.arange(len(rows)), np.ones(len(rows), dtype=np.int8)
    return Mistaken(rows, each, labels, each, steps, Fraction(1), bias).sum_of_squares


def exact_rows(rows: Rows) -> list[list[Fraction]]:
    out = []
    for i in range(len(rows)):
        columns, values = rows.row(i)
        dense = [Fraction(0)] * rows.dim
        for j, v in zip(columns.tolist(), values.tolist(), strict=True):
            dense[j] += Fraction(v)
        out.append(dense)
    return out


@given(st.lists(finite, max_size=8))
def test_every_float_is_an_integer_times_the_common_power_of_two(values: list[float]) -> None:
    numbers, exponent = integers(np.array(values, dtype=np.float64))
    assert [n * Fraction(2) ** exponent for n in numbers.tolist()] == [Fraction(v) for v in values]
    assert not any(values) or any(n % 2 for n in numbers.tolist())


def test_integers_that_fit_are_int64_and_those_that_do_not_are_python_integers() -> None:
    assert integers(np.array([1.0, 2.0**61]))[0].dtype == np.int64
    wide, _ = integers(np.array([1.0, 2.0**62 + 2.0**10, -(2.0**70), 0.0]))
    assert wide.tolist() == [1, 2**62 + 2**10, -(2**70), 0]
    extremes, exponent = integers(np.array([5e-324, -1.7976931348623157e308]))
    assert (extremes[0], exponent) == (1, -1074)
    assert extremes[1] == -(2**53 - 1) << (971 + 1074)


def test_products_never_overflow() -> None:
    a, b = np.array([2**31, -(2**31)]), np.array([2**31, 2**31])
    assert products(a, b, summed=1).dtype == np.int64
    assert products(a, b, summed=2).sum() == 0
    assert products(a, a, summed=2).sum() == 2**63
    assert largest(np.array([-7, 3])) == 7


def test_sums_of_spans_of_nothing_are_zero() -> None:
    terms = np.array([1, 2, 4])
    assert span_sums(terms, np.array([0, 0, 2, 2, 3, 3])).tolist() == [0, 3, 0, 4, 0]
    assert span_sums(terms.astype(object), np.array([0, 0, 3, 3])).tolist() == [0, 7, 0]
    assert sums_by(np.array([5, 2, 5]), terms).tolist() == [2, 5]


@given(st.integers(1, 10**40), st.integers(1, 10**40), st.integers(1, 10**9))
def test_a_root_is_the_nearest_float_however_the_ratio_is_written(p: int, q: int, m: int) -> None:
    r = root(p, q)
    assert r == root(p * m, q * m)
    below, above = ((Fraction(r) + Fraction(math.nextafter(r, to))) / 2 for to in (0.0, math.inf))
    assert below**2 <= Fraction(p, q) <= above**2


def test_a_root_a_hair_above_the_middle_of_two_floats_is_rounded_up() -> None:
    middle = 2**54 + 2
    assert root(middle**2, 1) == 2.0**54
    assert root(middle**2 * 10**60 + 1, 10**60) == 2.0**54 + 4


def test_roots_of_huge_and_tiny_ratios_do_not_overflow() -> None:
    assert root(10**600, 1) == 1e300
    assert root(1, 10**600) == 1e-300
    assert root(0, 7) == 0.0


def test_integers_too_large_for_a_float_are_read_exactly() -> None:
    vector = ExactVector.of([2**53 + 1, Fraction(1, 3), np.float32(0.1), np.int8(-2), 0.5], "u")
    assert vector.numbers[0] == 2**53 + 1
    assert vector.numbers[1] == Fraction(1, 3)
    assert vector.numbers[2] == Fraction(float(np.float32(0.1)))
    assert [n * vector.unit for n in vector.integers.tolist()] == list(vector.numbers)
    assert vector.squared == sum(x * x for x in vector.numbers)
    assert ExactVector.of([6, -4], "u").integers.tolist() == [3, -2]


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_vector_with_a_value_that_is_not_a_number_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match=r"witness\[1\] is"):
        ExactVector.of([1.0, bad], "witness")


@given(st.lists(finite, min_size=1, max_size=5))
def test_the_floats_of_a_vector_are_its_numbers_rounded_once(values: list[float]) -> None:
    vector = ExactVector.of(values, "u")
    power = 2 ** largest(vector.integers).bit_length()
    for n, f in zip(vector.integers.tolist(), vector.floats().tolist(), strict=True):
        assert f == n / power
        assert abs(f) <= 1


@st.composite
def problems(draw: st.DrawFn) -> tuple[Rows, list[int], list[Fraction]]:
    number = draw(st.sampled_from([tame, finite]))
    n, dim = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    row = st.lists(number | st.just(0.0), min_size=dim, max_size=dim)
    X = np.array(draw(st.lists(row, min_size=n, max_size=n)))
    if draw(st.booleans()) and number is tame:
        X = X.astype(np.float32)
    labels = draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n))
    u = draw(st.lists(number | st.fractions(), min_size=dim, max_size=dim + 1))
    rows = sources.rows_of(sparse.csr_array(X) if draw(st.booleans()) else X)
    return rows, labels, [Fraction(x) for x in u]


def least_margin(rows: Rows, labels: Labels, u: ExactVector) -> tuple[int, Fraction]:
    return ExactRows(rows, bias=len(u) > rows.dim).least(np.arange(len(rows)), labels, u)


@settings(max_examples=100)
@given(problems())
def test_the_filter_never_loses_the_smallest_margin_or_the_largest_row(
    problem: tuple[Rows, list[int], list[Fraction]],
) -> None:
    rows, labels, u = problem
    bias = len(u) > rows.dim
    data = [[*x, Fraction(1)] if bias else x for x in exact_rows(rows)]
    dots = [sum(a * b for a, b in zip(x, u, strict=True)) for x in data]
    margins = [y * d for y, d in zip(labels, dots, strict=True)]
    vector = ExactVector.of(u, "u")
    i, margin = least_margin(rows, signs(labels), vector)
    assert margin == min(margins) == margins[i]
    squares = [sum(a * a for a in x) for x in data]
    assert ExactRows(rows, bias=bias).largest_square() == max(squares)
    times = np.arange(1, len(rows) + 1)
    expected = sum(k * k * s for k, s in enumerate(squares, 1))
    assert sum_of_squares(rows, times, bias=bias) == expected


def test_a_margin_that_cancels_in_floating_point_is_still_found() -> None:
    big = 2.0**60
    X = np.array([[big, 1.0, -big], [big, -1.0, -big], [1.0, 0.0, 0.0]])
    one = ExactVector.of([1, 1, 1], "u")
    assert least_margin(sources.rows_of(X), signs([1, 1, 1]), one) == (1, Fraction(-1))


def test_a_margin_that_underflows_in_floating_point_is_still_found() -> None:
    X = np.array([[1e-320, 0.0], [2e-320, 2.0**1000]])
    u = ExactVector.of([1, Fraction(-1, 2**1100)], "u")
    where, margin = least_margin(sources.rows_of(X), signs([1, 1]), u)
    assert (where, margin) == (1, Fraction(2e-320) - Fraction(1, 2**100))


def test_a_row_that_only_seems_smallest_or_largest_does_not_hide_the_one_that_is() -> None:
    # the first seems to have margin 0, having 1
    X = np.array([[2.0**60, 1.0, -(2.0**60)], [0.5, 0.0, 0.0]])
    one = ExactVector.of([1, 1, 1], "u")
    found = least_margin(sources.rows_of(X), signs([1, 1]), one)
    assert found == (1, Fraction(1, 2))
    x, y = 1.089415, 1.8869221305276485
    assert y * y > x * x + x * x + x * x
    found_square = ExactRows(sources.rows_of([[y, 0, 0], [x, x, x]]), bias=False).largest_square()
    assert found_square == 3 * Fraction(x) ** 2 > Fraction(y) ** 2


def test_the_longest_row_decides_what_may_overflow() -> None:
    odd = 2.0**31 - 1
    e = Entries.of(
        sources.rows_of(np.array([[odd, 0.0, 0.0, 0.0], [odd, odd, odd, odd]])),
        np.arange(2),
        bias=False,
    )
    u = ExactVector.of([2**30 + 1, 2**30 + 2, 2**30 + 3, 2**30 + 5], "u")
    numbers, exponent = integers(e.values)
    assert numbers.dtype == np.int64
    assert exponent == 0
    along, power = e.dots(u)
    assert [n * Fraction(2) ** power for n in along.tolist()] == [
        (2**31 - 1) * (2**30 + 1),
        (2**31 - 1) * (2**32 + 11),
    ]
    assert e.squares(numbers).tolist() == [(2**31 - 1) ** 2, 4 * (2**31 - 1) ** 2]


def test_many_rows_are_taken_in_parts() -> None:
    X = np.zeros((3000, 200))
    X[:, 0] = np.arange(3000, 0, -1) + 0.1
    rows = sources.rows_of(X)
    u = ExactVector.of([1] + [0] * 199, "u")
    labels = signs(np.ones(3000))
    where, margin = least_margin(rows, labels, u)
    assert (where, margin) == (2999, Fraction(1.1))
    assert ExactRows(rows, bias=True).largest_square() == Fraction(3000.1) ** 2 + 1
    # floating point cannot tell these apart, so none is filtered out
    X = np.ones((3000, 200))
    X[:, 0], X[:, 1] = 2.0**60, -(2.0**60)
    X[1500, 2], X[2500, 2] = -1.0, 2.0
    rows, ones = sources.rows_of(X), ExactVector.of([1] * 200, "u")
    assert least_margin(rows, labels, ones) == (1500, Fraction(196))
    assert ExactRows(rows, bias=False).largest_square() == 2**121 + 197 + 4
    same = sources.rows_of(np.ones((3000, 200)))
    assert least_margin(same, labels, u) == (0, Fraction(1))
    assert sum_of_squares(same, np.ones(3000, dtype=np.int64), bias=True) == 3000 * 201


def test_the_constant_is_the_last_entry_of_each_row() -> None:
    csr = sparse.csr_array(np.array([[0.0, 0.0], [0.0, 3.0], [0.0, 0.0]]))
    for X in (csr, csr.toarray()):
        e = Entries.of(sources.rows_of(X), np.array([0, 1, 2]), bias=True)
        assert e.values.tolist() == [1, 3, 1, 1]
        assert e.columns.tolist() == [2, 1, 2, 2]
        assert e.starts.tolist() == [0, 1, 3, 4]


def test_the_lengths_of_kernels_are_on_the_diagonal() -> None:
    K = sources.rows_of(np.array([[1.0, 5.0], [5.0, 2.0]]))  # of no space: 5² > 1 · 2
    assert GramRows(K, bias=False).largest_square() == 2
    assert GramRows(K, bias=True).largest_square() == 3
