"""Novikoff's theorem in a kernel's space, from the Gram matrix of the mistakes."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.strategies import dyadic_data
from novikoff import Additive, Dual, Kernel, guarantees, play


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_parity_is_separated_in_the_space_of_degree_n_within_the_bound(n: int) -> None:
    X = np.array([*product([-1.0, 1.0], repeat=n)])
    run = play(X, X.prod(axis=1), Dual(n, kernel=Kernel("poly", degree=n)), epochs=200)
    known = guarantees.kernel_bound(run.ledger)
    assert str(run.verdict) == "separated"
    assert known.bound is not None
    assert known.holds
    assert known.radius_squared == (1 + n) ** n
    below = play(X, X.prod(axis=1), Dual(n, kernel=Kernel("poly", degree=n - 1)), epochs=50)
    assert str(below.verdict) == "budget"
    assert guarantees.kernel_bound(below.ledger).bound is None


@settings(max_examples=25)
@given(data=dyadic_data(), epochs=st.integers(1, 9))
def test_a_linear_kernel_has_the_bound_of_its_weights(data: Any, epochs: int) -> None:
    dual = play(data.block(), Dual(data.dim, kernel=Kernel("linear")), epochs=epochs)
    learner = Additive(data.dim)
    plain = play(data.block(), learner, epochs=dual.epochs)
    if str(plain.verdict) == "cycle":  # which ends one of the runs
        return
    known = guarantees.kernel_bound(dual.ledger)
    w = [Fraction(float(v)) for v in learner.weights]
    assert known.weights_squared == sum((v * v for v in w), Fraction(0))
    assert known.holds
    assert known.ceiling == guarantees.margin_at_most(plain.ledger).squared


def test_what_is_not_exact_is_refused() -> None:
    X, y = [[1.0], [-1.0]], [1, -1]
    with pytest.raises(ValueError, match="linear or polynomial kernel"):
        guarantees.kernel_bound(play(X, y, Dual(1, kernel=Kernel("rbf"))).ledger)
    ledger = play(X, y, Dual(1, kernel=Kernel("linear"), margin=9.0), epochs=3).ledger
    with pytest.raises(ValueError, match="without a margin"):
        guarantees.kernel_bound(ledger)
