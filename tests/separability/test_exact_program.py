"""What floating point cannot decide: near ties, columns that nearly depend on one another."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings

from helpers.separation import Problem, problems, reduced, separable_rows, verdict
from helpers.strategies import stored
from novikoff import Block, certify, verify
from novikoff.guarantees.exact.arithmetic import ExactVector
from novikoff.separability import exact_linear, search
from novikoff.separability.exact_linear import Inexact, Span, Undecided
from novikoff.separability.face import Face
from novikoff.separability.linear_programs import alternative
from novikoff.separability.points import Points, orthogonal_to


@settings(max_examples=120)
@given(problems())
def test_either_weights_separate_all_or_multiples_sum_to_zero(problem: Problem) -> None:
    block = Block(stored(problem.X, "dense", "float64"), problem.y)
    points = Points(block, bias=problem.bias)
    face = Face(points, np.arange(points.length))
    outside = np.flatnonzero(face.outside())
    if len(outside) == 0:
        return
    found = alternative(face, outside, until=math.inf, progress=lambda _: None)
    if isinstance(found, ExactVector):
        assert (points.signs(found)[outside] > 0).all()
    else:
        assert min(found.values()) > 0
        assert set(found) <= set(outside.tolist())
        assert points.exact.sum_of(found, points.labels).is_zero


@settings(max_examples=100)
@given(problems())
def test_without_floating_point_the_verdict_is_the_same(problem: Problem) -> None:
    def unsolved(*_: object, **__: object) -> None:
        raise Inexact("not solved")

    block = Block(stored(problem.X, "dense", "float64"), problem.y)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "maximal_support", unsolved)
        found = certify(block, fit_intercept=problem.bias)
    expected = separable_rows(problem.points)
    assert found.verdict == verdict(expected, len(problem.y))
    assert found.separated_rows.tolist() == expected
    assert verify(found, block)


@pytest.mark.parametrize("scale", [1.0, 1e6, 1e-6])
@pytest.mark.parametrize("exponent", [-3, -9, -15, -16, -18, -30, -100, -200, -300, -320, -324])
@pytest.mark.parametrize("apart", [True, False])
def test_a_gap_or_an_overlap_of_any_size_is_found(scale: float, exponent: int, apart: bool) -> None:
    gap = float(f"5e{exponent}") * (1 if apart else -1)
    X = np.array([[-1.0], [-0.5], [-gap], [gap], [0.5], [1.0]]) * scale
    y = [0, 0, 0, 1, 1, 1]
    found = certify(X, y)
    expected = "complete" if X[2] < X[3] else "overlap" if X[2] > X[3] else "quasi-complete"
    assert found.verdict == expected
    assert verify(found, X, y)


@pytest.mark.parametrize("numbers", [(1e12, 1e12 + 1), (2 - 2.0**-29, 2.0)])
def test_two_numbers_that_differ_are_separated(numbers: tuple[float, float]) -> None:
    assert certify([[x] for x in numbers], [0, 1]).verdict == "complete"


@pytest.mark.parametrize("seed", range(4))
def test_shares_that_sum_to_one_but_for_rounding_are_decided(seed: int) -> None:
    dice = np.random.default_rng(seed)
    X = dice.dirichlet(np.ones(10), 300)
    scores = X @ dice.standard_normal(10)
    y = (scores > np.median(scores)) ^ (dice.random(300) < 0.02)
    found = certify(X, y)
    assert found.verdict == "overlap"
    assert verify(found, X, y)


def test_the_time_limit_holds_for_exact_programs_too() -> None:
    points = Points(Block(stored(np.eye(3), "dense", "float64"), np.ones(3, np.int8)), bias=False)
    with pytest.raises(Undecided, match="time limit"):
        alternative(Face(points, np.arange(3)), np.arange(3), until=0.0, progress=lambda _: None)


@pytest.mark.parametrize("few", [64, 1])  # indicators are eliminated row by row, or not
@settings(max_examples=100)
@given(problems())
def test_what_is_orthogonal_to_a_span_and_sums_within_it_are_exact(
    few: int, problem: Problem
) -> None:
    points = Points(Block(stored(problem.X, "dense", "float64"), problem.y), bias=problem.bias)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact_linear, "_FEW_THIN", few)
        patch.setattr(exact_linear, "_THIN", 0)
        span = Span(points, np.arange(len(points)), np.arange(points.length))
    vectors = span.orthogonal_vectors()
    assert len(vectors) + len(reduced(problem.points)) == len(span.touched)
    assert orthogonal_to(points.exact, vectors).all()
    assert all(math.gcd(*v.values()) == 1 for v in vectors)  # in lowest terms
    assert {type(x) for v in vectors for x in v.values()} <= {int}
    others = np.setdiff1d(np.arange(len(points)), span.independent)
    times = np.arange(1, len(others) + 1).astype(object)
    found, under = span.combination(others, times)
    total = dict(zip(others.tolist(), (under * times).tolist(), strict=True))
    total |= dict(zip(span.independent.tolist(), found, strict=True))
    some = {i: x for i, x in total.items() if x}
    assert points.exact.sum_of(some, points.labels).is_zero
