"""The inequalities of the proof hold after every mistake, exactly."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.proofs import CLASS_WEIGHTS, RATES, SEPARABLE, Textbook, ledger_of, run_on
from helpers.strategies import Data
from novikoff import guarantees, sources
from novikoff.learners import Additive
from novikoff.stream.rows import Vector


@pytest.mark.parametrize("n", [1, 2, 3, 10, 77])
def test_at_the_identity_every_inequality_of_the_proof_is_an_equality(n: int) -> None:
    s = guarantees.sandwich(run_on(sources.tight(n), Additive(n, rate=0.3)), [0.1] * n)
    assert s.holds
    assert s.not_a_mistake is None
    assert s.k.tolist() == list(range(1, n + 1))
    # along the way w is (1, …, 1, 0, …, 0): its length is √k, its part along the witness k/√n
    assert np.array_equal(s.lower, s.progress)
    assert np.array_equal(s.norm, s.root_sum)
    assert np.array_equal(s.root_sum, s.upper)
    assert s.lower[-1] == s.upper[-1] == s.norm[-1]
    assert s.norm == pytest.approx(0.3 * np.sqrt(s.k), rel=1e-15)
    assert s.progress == pytest.approx(0.3 * s.k / np.sqrt(n), rel=1e-15)


@given(SEPARABLE, RATES, CLASS_WEIGHTS, st.sampled_from((0.0, 0.0, 1.0)), st.booleans())
def test_the_sandwich_is_the_textbook_s_after_every_mistake(
    drawn: tuple[Data, Vector],
    rate: float,
    class_weights: tuple[float, float],
    eta: float,
    bias: bool,
) -> None:
    data, v = drawn
    u = [*v.tolist(), *[0.0] * bias]
    learner = Additive(data.dim, bias=bias, rate=rate, class_weights=class_weights, margin=eta)
    ledger = run_on(data.block(), learner, 20)
    s = guarantees.sandwich(ledger, u, margin=eta)
    assert s.holds
    assert s.not_a_mistake is None
    t = Textbook.of(ledger, data.X, u)
    length, largest, total, taken = math.sqrt(t.u2), max(t.steps), Fraction(0), Fraction(0)
    for k, (w, r, z) in enumerate(zip(t.weights(), t.steps, t.z, strict=True), 1):
        taken += r
        total += r**2 * t.dot(z, z) + 2 * r * Fraction(eta)
        upper = k * (largest**2 * t.r2 + 2 * largest * Fraction(eta))
        expected = (
            taken * t.gamma / length,
            t.dot(w, t.u) / length,
            math.sqrt(t.dot(w, w)),
            math.sqrt(total),
            math.sqrt(upper),
        )
        got = [c[k - 1] for c in (s.lower, s.progress, s.norm, s.root_sum, s.upper)]
        assert got == pytest.approx([float(e) for e in expected], rel=1e-14)
        assert got == sorted(got)


def test_an_update_that_only_rounding_called_for_is_found() -> None:
    # After two mistakes the first weight is 2^53 + 1, which is no float: it is held as 2^53, and
    # the third example seems to have score 0 although it has 1 − 2^−53.
    big = 2.0**53
    rows = [[big, big], [1.0, -1.0], [1 - 1 / big, -1.0]]
    ledger = run_on(sources.block(rows, [1, 1, 1]), Additive(2), epochs=1)
    assert ledger.scores.tolist() == [0, 0, 0]
    s = guarantees.sandwich(ledger, [1, 0])
    assert not s.holds
    assert s.not_a_mistake == 3
    assert s.failure is not None
    assert (s.failure.mistake, s.failure.row) == (3, 2)
    excess = s.failure.left_squared - s.failure.right_squared
    assert excess == 2 * (1 - Fraction(1, 2**53))
    assert str(s) == "‖w‖² ≤ Σ(r²‖x‖² + 2rη) fails after mistake 3 (row 2)"
    assert guarantees.sandwich(ledger, [1, 0], margin=1).not_a_mistake is None
    assert guarantees.sandwich(ledger, [1, 0], margin=0.5).not_a_mistake == 3


def test_rows_of_zeros_and_numbers_of_all_sizes_are_followed_exactly() -> None:
    X = np.array([[1e150, 0.0], [-1e150, 1e-150], [0.0, 0.0]])
    ledger = run_on(sources.block(X, [1, 1, -1]), Additive(2, bias=True), epochs=1)
    assert ledger.rows.tolist() == [0, 1, 2]
    u = [1, 10**301, -1]
    t = Textbook.of(ledger, X, u)
    bound = guarantees.novikoff(ledger, u)
    assert (bound.margin, bound.radius_squared) == (Fraction(1), t.r2)
    s = guarantees.sandwich(ledger, u)
    assert s.holds
    assert s.norm[-1] == math.sqrt(t.dot(t.weights()[-1], t.weights()[-1])) == 1.0
    assert s.progress[-1] == float(t.dot(t.weights()[-1], t.u) / 10**301)


def test_integers_whose_products_overflow_64_bits_are_followed_exactly() -> None:
    X = np.array([[2.0**32, 1.0], [-(2.0**32), 2.0]])
    ledger = run_on(sources.block(X, [1, 1]), Additive(2), epochs=1)
    u = [1, 2**33]
    w = Textbook.of(ledger, X, u).weights()[-1]
    s = guarantees.sandwich(ledger, u)
    assert s.holds
    assert w == [0, 3]
    assert s.norm[-1] == 3.0
    assert guarantees.margin_at_most(ledger).squared == Fraction(9, 4)
    # 7 steps of entries none of which overflows by itself
    row, eta = [2.0**30, 2.0**30, 1.0], 6.5 * 2.0**61
    grown = ledger_of([row], [1], margin=eta)
    s = guarantees.sandwich(grown, row, margin=eta)
    assert len(grown) == 7
    assert s.norm.tolist() == s.lower.tolist() == s.progress.tolist()
    assert s.norm[-1] == pytest.approx(7 * s.norm[0], rel=1e-15)
