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
    assert known.sandwich is not None
    assert known.sandwich.norm[-1] == float(known.weights_squared) ** 0.5
    with_margin = Dual(n, kernel=Kernel("poly", degree=n), margin=(1 + n) ** n)
    run = play(X, X.prod(axis=1), with_margin, epochs=200)
    assert str(run.verdict) == "separated"
    wide = guarantees.kernel_bound(run.ledger, margin=(1 + n) ** n)
    assert wide.holds
    assert wide.bound is not None
    assert wide.bound >= wide.mistakes
    assert f"at most {wide.bound:,} updates" in str(wide)
    below = play(X, X.prod(axis=1), Dual(n, kernel=Kernel("poly", degree=n - 1)), epochs=50)
    assert str(below.verdict) == "budget"
    assert guarantees.kernel_bound(below.ledger).bound is None


@settings(max_examples=40)
@given(
    data=dyadic_data(),
    epochs=st.integers(1, 9),
    eta=st.sampled_from([0, 0.25, 3]),
    steps=st.sampled_from([(1.0, 1.0), (0.5, 2.0)]),
)
def test_a_linear_kernel_has_the_bound_and_the_sandwich_of_its_weights(
    data: Any, epochs: int, eta: float, steps: tuple[float, float]
) -> None:
    how: dict[str, Any] = {"margin": eta, "class_weights": steps, "rate": 0.5}
    dual = play(data.block(), Dual(data.dim, kernel=Kernel("linear"), **how), epochs=epochs)
    learner = Additive(data.dim, **how)
    plain = play(data.block(), learner, epochs=dual.epochs)
    if str(plain.verdict) == "cycle":  # which ends one of the runs
        return
    known = guarantees.kernel_bound(dual.ledger, margin=eta)
    w = [Fraction(float(v)) for v in learner.weights]
    assert known.weights_squared == sum((v * v for v in w), Fraction(0))
    assert known.holds
    if eta == 0:
        assert known.ceiling == guarantees.margin_at_most(plain.ledger).squared
    assert (known.bound is None) == (known.sandwich is None) == (known.margin <= 0)


@pytest.mark.parametrize("eta", [0, 0.25, 3])
@pytest.mark.parametrize("steps", [(1.0, 1.0), (0.5, 2.0)])
def test_a_linear_kernel_has_the_proof_of_its_weights(
    eta: float, steps: tuple[float, float]
) -> None:
    X = np.random.default_rng(0).integers(-4, 5, (30, 4)) / 4
    y = np.where(X @ [1, 2, 0, -1] > 0, 1, -1)
    how: dict[str, Any] = {"margin": eta, "class_weights": steps, "rate": 0.5, "bias": True}
    dual = play(X, y, Dual(4, kernel=Kernel("linear"), **how), epochs=99)
    learner = Additive(4, **how)
    plain = play(X, y, learner, epochs=99)
    known = guarantees.kernel_bound(dual.ledger, margin=eta)
    w = [Fraction(float(v)) for v in learner.weights]
    explicit = guarantees.sandwich(plain.ledger, w, margin=eta)
    for name in ("lower", "progress", "norm", "root_sum", "upper"):
        trace, expected = (getattr(one, name).tolist() for one in (known.sandwich, explicit))
        assert trace == expected
    assert known.holds
    assert known.bound == guarantees.margin_perceptron(plain.ledger, w, eta).bound


def test_what_is_not_exact_is_refused() -> None:
    X, y = [[1.0], [-1.0]], [1, -1]
    with pytest.raises(ValueError, match="linear or polynomial kernel"):
        guarantees.kernel_bound(play(X, y, Dual(1, kernel=Kernel("rbf"))).ledger)
    ledger = play(X, y, Dual(1, kernel=Kernel("linear"), margin=9.0), epochs=3).ledger
    with pytest.raises(ValueError, match="the run used a larger margin"):
        guarantees.kernel_bound(ledger)
    with pytest.raises(ValueError, match="the whole ledger of a run with mistakes"):
        guarantees.kernel_bound(Dual(1, kernel=Kernel("linear")).open_ledger())
