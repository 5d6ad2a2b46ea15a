"""`certify` in the space of a kernel: parity of bits, proofs checked twice, what is refused."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import factorial, inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics.pairwise import polynomial_kernel

from helpers.strategies import dyadic_data
from novikoff import Certificate, Kernel, certify, verify
from novikoff.guarantees import check
from novikoff.guarantees.exact.rows import ExactRows
from novikoff.separability import models, search
from novikoff.separability.certifying import evidence
from novikoff.separability.exact_linear import aliases, kernel_aliases
from novikoff.separability.models import data_of, gram_of
from novikoff.separability.points import Points, orthogonal_to
from novikoff.sources.open import Data
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample
from novikoff.stream.rows import DenseRows

XOR = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]]), np.array([1, 1, -1, -1])
SQUARE = Kernel("poly", degree=2)


def twice_checked(found: Certificate, X: Any, y: Any) -> Certificate:
    assert verify(found, X, y)
    check.check(found.to_dict(), evidence(data_of(X, y)))
    return found


def test_aliases_in_a_space_with_many_coordinates_are_looked_for_if_there_is_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(search, "MOST_COLUMNS", 0)
    X, y = XOR
    for seconds, looks in ((inf, True), (1e6, False)):
        said: list[str] = []
        certify(X, y, kernel=Kernel("linear"), max_seconds=seconds, progress=said.append)
        assert ("looking for aliased columns" in said) == looks


def parity(n: int) -> tuple[Any, Any]:
    X = np.array([*product([-1.0, 1.0], repeat=n)])
    return X, X.prod(axis=1)


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_parity_of_n_bits_is_separated_at_degree_n_and_not_below(n: int) -> None:
    X, y = parity(n)
    at = twice_checked(certify(X, y, kernel=Kernel("poly", degree=n)), X, y)
    assert at.verdict == "complete"
    # x₁⋯xₙ is one coordinate, n! ways to choose its factors: its weight is √n!
    assert at.margin.at_least_squared == at.margin.at_most_squared == factorial(n)
    assert at.radius_squared == (1 + n) ** n
    below = twice_checked(certify(X, y, kernel=Kernel("poly", degree=n - 1)), X, y)
    assert below.verdict == "overlap"
    K, c = polynomial_kernel(X, degree=n - 1, gamma=1, coef0=1), np.zeros(2**n)
    c[list(below.multipliers)] = list(below.multipliers.values())
    assert (c * y) @ K @ (c * y) == 0  # all whole numbers


def test_xor_is_separated_by_a_combination_of_its_rows() -> None:
    found = twice_checked(certify(*XOR, kernel=SQUARE), *XOR)
    assert (found.weights, found.mistake_bound) == ((1, 1, -1, -1), (4, 4))
    assert "(1 x·z + 1)^2" in str(found)
    assert "row 0: 1" in str(found)
    assert Certificate.from_dict(json.loads(json.dumps(found.to_dict()))) == found
    with pytest.raises(ValueError, match="no coefficients"):
        found.estimable()


@settings(max_examples=25)
@given(
    data=dyadic_data(),
    degree=st.integers(1, 3),
    coef0=st.sampled_from([0.0, 0.5, 1.0]),
    constant=st.booleans(),
)
def test_the_kernel_and_its_features_have_the_same_verdict(
    data: Any, degree: int, coef0: float, constant: bool
) -> None:
    """Monomials span the same space, whatever their weights in the kernel."""
    X, y = np.asarray(data.X, dtype=np.float64), data.y
    try:
        found = certify(X, y, kernel=Kernel("poly", degree, 0.5, coef0), fit_intercept=constant)
    except BadExample:  # the kernels need too many bits
        return
    twice_checked(found, X, y)
    sizes = range(degree + 1) if coef0 else [degree]
    powers = [p for k in sizes for p in combinations_with_replacement(range(X.shape[1]), k)]
    wide = np.column_stack([X[:, p].prod(axis=1) for p in powers])
    plain = certify(wide, y, fit_intercept=constant)
    assert found.verdict == plain.verdict
    assert found.separated == plain.separated


def test_the_linear_kernel_gives_the_margin_and_the_bound_of_the_rows() -> None:
    X, y = [[3.0, 1.0], [-2.0, 4.0], [-1.0, -1.0]], [1, 1, -1]
    by_rows = certify(X, y, fit_intercept=False, margin_rtol=0)
    found = twice_checked(certify(X, y, kernel="linear"), X, y)
    assert found.radius_squared == by_rows.radius_squared == 20
    best = by_rows.margin.at_least_squared
    assert found.margin.at_least_squared <= best
    assert found.margin.at_most_squared is not None
    assert best <= found.margin.at_most_squared
    w = np.array(found.weights) @ np.array(X)
    reached = min(y * (np.array(X) @ w)) ** 2 / (w @ w)
    assert float(found.margin.at_least_squared) == pytest.approx(reached)  # of floats


def test_a_constant_counts_in_the_margin_and_the_radius() -> None:
    X, y = [[1.0], [3.0], [-4.0]], [1, 1, -1]
    found = twice_checked(certify(X, y, kernel="linear", fit_intercept=True), X, y)
    assert found.weights == (0, 0, -1, -1)  # f(x) = 4x − 1, ‖w‖² = 16 + 1
    assert found.margin.at_least_squared == Fraction(9, 17)
    assert found.radius_squared == 17


def test_a_matrix_and_a_function_are_taken_as_they_come() -> None:
    X, y = XOR
    K = polynomial_kernel(X, degree=2, gamma=1, coef0=1)
    given = certify(X, y, kernel=SQUARE)
    matrix = twice_checked(certify(K, y, kernel="precomputed"), K, y)

    def function(A: Any, B: Any) -> Any:
        return (A @ B.T + 1) ** 2

    called = certify(X, y, kernel=function)
    assert verify(called, function(X, X), y)
    for other in (matrix, called):
        assert (other.weights, other.margin) == (given.weights, given.margin)
    with pytest.raises(check.Rejected):
        verify(called, X @ X.T, y)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda c: c["weights"].update({"0": "-5"}), "wrong side"),
        (lambda c: c["data"]["model"].update(kernel="(1 x·z + 2)^2"), "not those of the cert"),
        (lambda c: c["data"]["model"].update(kernel="(0 x·z + 2)^2"), "kernel is unknown"),
        (lambda c: c["data"]["model"].update(kernel="poly"), "a number in it is wrong"),
        (lambda c: c["data"]["model"].update(kernel=""), "its model is damaged"),
        (lambda c: c["data"]["model"].update(kind="poisson"), "its model is damaged"),
        (lambda c: c["margin"].update(at_least_squared="3"), "margin of the weights differs"),
        (lambda c: c.update(radius_squared="8"), "the radius differs"),
        (lambda c: c["margin"].update(hull={"0": "1"}), "upper bound on the margin"),
    ],
)
def test_a_certificate_that_was_changed_is_rejected(
    change: Callable[[Any], None], reason: str
) -> None:
    written = certify(*XOR, kernel=SQUARE).to_dict()
    written = json.loads(json.dumps(written))
    change(written)
    written["seal"] = check.seal(written)
    with pytest.raises(check.Rejected, match=reason):
        check.check(written, evidence(data_of(*XOR)))
    with pytest.raises(check.Rejected, match=reason):
        verify(Certificate.from_dict(written), *XOR)


@pytest.mark.parametrize(
    ("X", "options", "message"),
    [
        (XOR[0], {"kernel": "rbf"}, "Micchelli"),
        (XOR[0] / 10, {"kernel": SQUARE}, "rows 0 and 0 needs more than the 53 bits"),
        (XOR[0] * 1e200, {"kernel": Kernel("poly", 9)}, "53 bits"),
        (XOR[0], {"kernel": SQUARE, "model": "poisson"}, "a kernel is for two labels"),
        (XOR[0], {"kernel": SQUARE, "margin_rtol": 0}, "a kernel is for two labels"),
        (XOR[0], {"kernel": "precomputed"}, "square matrix"),
        (XOR[0] * np.nan, {"kernel": SQUARE}, "column 0 is missing"),
    ],
)
def test_what_cannot_be_certified_is_said(X: Any, options: Any, message: str) -> None:
    y = np.resize(XOR[1], len(X))
    with pytest.raises(ValueError, match=message):
        certify(X, y, **options)


@pytest.mark.parametrize(("container", "most"), [("max", 46), ("204800", 32)])
def test_rows_whose_pairs_do_not_fit_into_half_of_the_memory_are_refused(
    container: str, most: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "memory.max").write_text(f"{container}\n")
    monkeypatch.setattr(models, "_LIMIT", tmp_path / "memory.max")
    monkeypatch.setattr(os, "sysconf", {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 100}.__getitem__)
    assert certify(np.zeros((most, 1)), np.resize([0, 1], most), kernel="linear").multipliers
    said = f"at most {most} rows .* half of this machine's memory, not {most + 1}"
    with pytest.raises(BadExample, match=said):
        certify(np.zeros((most + 1, 1)), np.resize([0, 1], most + 1), kernel="linear")


@pytest.mark.parametrize(
    ("n", "d", "kernel"), [(40, 2, SQUARE), (25, 3, Kernel("linear")), (9, 4, SQUARE)]
)
def test_combinations_of_kernels_are_found_as_those_of_any_columns(
    n: int, d: int, kernel: Kernel
) -> None:
    X = np.random.default_rng(n).integers(-2, 3, (n, d)).astype(np.float64)
    whole = Data(Block(DenseRows(X), np.resize(np.array([-1, 1], np.int8), n)), None, ("-1", "1"))
    data, of = gram_of(whole, kernel, constant=False)
    points = Points(data.block, bias=False, kernel=of.kernel)
    found = kernel_aliases(points)
    assert found == aliases(Points(data.block, bias=False))
    assert found or n < d * d
    assert all(points.exact.all_orthogonal(v) for v in found.values())
    assert not points.exact.all_orthogonal({0: 1})


def test_a_matrix_of_no_space_is_refused() -> None:
    with pytest.warns(UserWarning, match="not positive"), pytest.raises(BadExample, match="no spa"):
        certify([[-1.0, 0.0], [0.0, -1.0]], [1, -1], kernel="precomputed")


@pytest.mark.parametrize("bias", [False, True])
def test_many_vectors_are_multiplied_at_once_as_one_by_one(bias: bool) -> None:
    dice = np.random.default_rng(0)
    X = dice.integers(-3, 4, (30, 6)) / 4.0
    exact = ExactRows(DenseRows(X), bias=bias)
    normals = [{0: int(4 * x[1]), 1: -int(4 * x[0])} for x in X[:20]]  # each to a row, at least
    one_by_one = [orthogonal_to(exact, [v]) for v in normals]
    assert (orthogonal_to(exact, normals) == np.logical_and.reduce(one_by_one)).all()
    for v in (normals[0], {5: 1} if not bias else {5: 4, 6: -1}):
        alone = orthogonal_to(exact, [v])
        assert alone.any()
        assert (orthogonal_to(exact, [v] * 17) == alone).all()


@given(data=st.data())
def test_vectors_that_are_added_up_are_as_orthogonal_to_rows_as_each(data: st.DataObject) -> None:
    numbers = st.integers(-3, 3)
    X = np.array(data.draw(st.lists(st.lists(numbers, min_size=4, max_size=4), min_size=1)))
    vectors = data.draw(st.lists(st.lists(numbers, min_size=5, max_size=5), max_size=40))
    sparse = [{j: x for j, x in enumerate(v) if x} for v in vectors]
    rows = DenseRows(X.astype(np.float64)).sparse()
    whole = np.column_stack([X, np.ones(len(X), dtype=np.int64)])
    expected = (whole @ np.array(vectors, dtype=np.int64).reshape(-1, 5).T == 0).all(axis=1)
    assert (orthogonal_to(ExactRows(rows, bias=True), sparse) == expected).all()
