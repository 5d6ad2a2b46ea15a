"""The test for a rise of the error rate: its tail is exact, and monotone as its proof needs it."""

from __future__ import annotations

import math
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from novikoff.guarantees import rise


def tail(n: int, a: int, w: int, b: int) -> Fraction:
    ways = sum(math.comb(w, j) * math.comb(n, a + b - j) for j in range(b, min(w, a + b) + 1))
    return Fraction(ways, math.comb(n + w, a + b))


@given(st.integers(0, 60), st.integers(1, 60), st.data())
def test_it_is_the_tail_of_the_hypergeometric_distribution_or_1(
    n: int, w: int, data: st.DataObject
) -> None:
    a, b = data.draw(st.integers(0, n)), data.draw(st.integers(0, w))
    exact, found = tail(n, a, w, b), rise((n, a), (w, b))
    assert exact <= found
    assert found == 1.0 or found <= exact * Fraction(1 + 2**-29)
    if found == 1.0:  # as many as are expected, about
        assert exact > Fraction(1, 4)
    if a:
        assert rise((n, a - 1), (w, b)) <= found
    if b < w:
        assert rise((n, a), (w, b + 1)) <= found


def test_large_counts_are_quick_and_small_tails_are_not_0() -> None:
    assert 0 < rise((10**9, 10**7), (1000, 900)) < 1e-300
    assert rise((10**9, 10**7), (1000, 10)) == 1.0
    assert 1e-5 < rise((10**9, 10**7), (1000, 24)) < 1e-3
