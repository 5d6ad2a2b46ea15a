"""Estimates of scores decide what the scores themselves would decide, on any sparse rows."""

from __future__ import annotations

from fractions import Fraction
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from novikoff import Additive, Perceptron, _core, play
from novikoff.learners import compiled_pass
from novikoff.ledger.honest_scores import HonestScores
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample
from novikoff.stream.rows import DenseRows, Rows, SparseRows, dots, predicted, scored

SIZES = (1.0, 0.1, 3.0, 1 + 2**-23, 1 - 2**-24, 2.0**-40, 2.0**-100, 2.0**-101, 2.0**64, 2.0**65,
         2.0**-126, 2.0**-149, 1e38, 1e-300, 1e300, 5e-324)  # fmt: skip
LAYOUTS = [(v, i) for v in (np.float32, np.float64) for i in (np.int32, np.int64)]


@st.composite
def hostile(draw: st.DrawFn) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Rows and weights whose scores cancel, underflow or overflow, in float32 or in float64."""
    dice = np.random.default_rng(draw(st.integers(0, 2**32)))
    dim, n = draw(st.integers(1, 40)), draw(st.integers(1, 12))
    sizes = draw(st.lists(st.sampled_from(SIZES), min_size=1, max_size=4))
    value, scale = draw(st.sampled_from((np.float32, np.float64))), draw(st.sampled_from(SIZES))

    def numbers(*shape: int) -> Any:
        some = dice.choice([0.0, -1.0, 1.0], shape) * dice.choice(sizes, shape)
        return some + draw(st.booleans()) * scale * dice.standard_normal(shape)

    with np.errstate(all="ignore"):
        X, w = numbers(n, dim), numbers(dim)
        if dim > 1 and draw(st.booleans()):  # the last entry cancels the others, but for a little
            X[:, -1], w[-1] = -(X[:, :-1] @ w[:-1]), 1.0
            X[:, -1] += X[:, -1] * dice.choice([0.0, 2.0**-24, -(2.0**-50)], n)
        X[dice.random(X.shape) < draw(st.sampled_from((0.0, 0.5)))] = 0.0
        X = X.astype(value)
    X[~np.isfinite(X)], w[~np.isfinite(w)] = 0.0, 0.0
    return X, w


def csr(X: NDArray[Any], index: Any = np.int32) -> SparseRows:
    found: Any = sp.csr_matrix(X)
    return SparseRows(
        found.data, found.indices.astype(index), found.indptr.astype(index), X.shape[1]
    )


def estimates(rows: Rows, w: Any, *, bias: bool = False) -> NDArray[np.float64]:
    """Numbers with the signs of the scores, by which `predict` decides."""

    def core(begin: int, end: int, out: Any) -> tuple[int, int]:
        return _core.scores(*rows.core, begin=begin, end=end, w=w, bias=bias, out=out, signs=True)

    return scored(rows, core)


def signs(rows: Rows, w: Any, *, bias: bool = False) -> Any:
    """The sign of each score, from the labels predicted."""
    two = np.array([0, 1])
    positive, other = (
        predicted(rows, w, two, bias=bias, zero_is_positive=zero) for zero in (False, True)
    )
    return positive + other - 1


def scores_or_error(rows: Rows, w: Any, *, bias: bool, estimated: bool) -> list[float] | str:
    try:
        return list((estimates if estimated else dots)(rows, w, bias=bias).tolist())
    except BadExample as error:
        return str(error)


@settings(max_examples=100)
@given(hostile(), st.booleans(), st.sampled_from((np.int32, np.int64)))
def test_an_estimate_has_the_sign_of_the_score_and_of_the_exact_sum(
    drawn: tuple[Any, Any], bias: bool, index: Any
) -> None:
    X, w = drawn
    w = np.append(w, w[::-1][:1]) if bias else w
    X = np.tile(X, (8 * X.shape[1], 1))  # so many entries that estimates are made
    estimated = scores_or_error(csr(X, index), w, bias=bias, estimated=True)
    exact = scores_or_error(csr(X, index), w, bias=bias, estimated=False)
    if isinstance(exact, str) or isinstance(estimated, str):
        assert estimated == exact
        with pytest.raises(BadExample) as error:
            signs(csr(X, index), w, bias=bias)
        assert str(error.value) == exact
        return
    assert np.sign(estimated).tolist() == np.sign(exact).tolist()
    assert signs(csr(X, index), w, bias=bias).tolist() == np.sign(exact).tolist()
    exact_w = [Fraction(number) for number in w.tolist()]
    for x, near, score in zip(X[:12].tolist(), estimated, exact, strict=False):
        if near != score:  # then it was sure
            total = sum(a * Fraction(v) for a, v in zip(exact_w, [*x, *[1.0] * bias], strict=True))
            assert np.sign(near) == (total > 0) - (total < 0)


@pytest.mark.parametrize(("value", "index"), LAYOUTS)
def test_scores_are_estimated_where_rows_are_many(value: Any, index: Any) -> None:
    X = np.random.default_rng(0).standard_normal((40, 9)).astype(value)
    rows, w = csr(X, index), np.full(9, 0.1)
    estimated, exact = estimates(rows, w), dots(rows, w)
    assert (estimated != exact).any()
    assert np.abs(estimated - exact).max() < 1e-5
    few = csr(X[:3], index)
    assert (estimates(few, w) == dots(few, w)).all()


@settings(max_examples=60)
@given(hostile(), st.data())
def test_a_pass_over_sparse_rows_is_the_pass_over_dense_ones(
    drawn: tuple[Any, Any], draws: st.DataObject
) -> None:
    (X, start), n = drawn, len(drawn[0])  # more rows than are learned before the first estimate
    y = np.array(draws.draw(st.lists(st.sampled_from((-1, 1)), min_size=n, max_size=n)))
    if draws.draw(st.booleans()):  # few mistakes, so that scores are estimated
        with np.errstate(all="ignore"):
            y = np.where(X @ start > 0, 1, -1)
    margin = draws.draw(st.sampled_from((0.0, 1.0, 0.1)))
    bias, times = draws.draw(st.booleans()), 1 + 4500 // n
    w = np.append(start, 1.0) if bias else start
    weights = draws.draw(st.sampled_from((None, np.tile(np.arange(n) % 3 / 2, times))))
    averaging, counting = draws.draw(st.booleans()), draws.draw(st.booleans())

    def played(rows: Rows) -> tuple[Any, ...]:
        learner = Additive(rows.dim, bias=bias, margin=margin, start=w, averaging=averaging)
        learner.honest = HonestScores() if counting else None
        block, ledger = (
            Block(rows, np.tile(y, times).astype(np.int8), importances=weights),
            learner.open_ledger(),
        )
        try:
            play(block, learner, ledger=ledger)
        except BadExample as error:
            return (str(error).split(";")[0], learner.weights.tolist())
        made = (ledger.rounds, ledger.rows, ledger.scores, ledger.squares)
        return (
            learner.weights.tolist(),
            learner.average.tolist() if averaging else [],
            learner.honest.counts.tolist() if learner.honest else [],
            *(column.tolist() for column in made),
        )

    tall = np.tile(X, (times, 1))
    with np.errstate(all="ignore"):
        found = played(csr(tall))
        assert found == played(DenseRows(tall))
        with patch.object(compiled_pass, "_MOST_IN_CACHE", 0):  # u is summed after the pass
            assert found == played(csr(tall))


def test_a_row_that_is_right_by_less_than_float32_shows_is_no_mistake() -> None:
    X = np.array([[1.0, -(1 - 2.0**-40)], [3.0, -1.0], [-2.0, 2.0 - 2.0**-39]])
    rows, y = csr(np.tile(X, (3000, 1))), np.tile([1, 1, -1], 3000).astype(np.int8)
    for margin, updates in ((0.0, 0), (2.0**-41, 0), (2.0**-40, 1)):
        learner = Additive(2, margin=margin, start=np.ones(2))
        assert play(Block(rows, y), learner).ledger.n_updates == updates


def test_columns_out_of_order_or_range_are_noticed_by_estimates() -> None:
    X = np.random.default_rng(1).standard_normal((64, 12))
    rows, w = csr(X), np.arange(12.0)
    swapped = csr(X)
    swapped.indices[[5, 6]], swapped.values[[5, 6]] = (
        swapped.indices[[6, 5]],
        swapped.values[[6, 5]],
    )
    swapped.indices[-2:], swapped.values[-2:] = (
        swapped.indices[-2:][::-1],
        swapped.values[-2:][::-1],
    )
    assert (signs(swapped, w) == np.sign(dots(rows, w))).all()
    assert (swapped.indices == rows.indices).all()  # they were sorted
    for wrong in (-1, 12, 2**31 - 1):
        for at in (0, 7, 8, 11):
            damaged = csr(X)
            damaged.indices[12 * 30 + at] = wrong
            with pytest.raises(BadExample, match=f"row 30: column {wrong} is not in 0..11"):
                signs(damaged, w)


@pytest.mark.parametrize(
    "two",
    [
        np.array([-7, 7]),
        np.array([0.5, -0.0]),
        np.array([7, 9], ">i8"),
        np.array(["2026-01-01", "2026-01-02"], "datetime64[s]"),
        np.array([False, True]),
        np.array(["no", "perhaps"]),
        np.array(["no", 1], object),
        np.array([1, 1]),
    ],
)
def test_labels_of_any_kind_are_predicted(two: NDArray[Any]) -> None:
    dice = np.random.default_rng(7)
    X: Any = sp.random(3000, 30, 0.3, "csr", rng=dice)
    X.data, w = np.round(X.data, 1), np.sign(dice.standard_normal(30))  # so that some scores are 0
    for rows in (csr(X), DenseRows(X.toarray())):
        for zero in (False, True):
            found = predicted(rows, w, two, bias=False, zero_is_positive=zero)
            scores = dots(rows, w)
            assert (scores == 0).any()
            expected = two[(scores >= 0 if zero else scores > 0) * 1]
            assert found.dtype == two.dtype
            assert found.tolist() == expected.tolist()


def test_predict_has_the_labels_of_the_scores() -> None:
    dice = np.random.default_rng(2)
    X: Any = sp.random(300, 30, 0.5, "csr", dtype=np.float32, rng=dice)
    X.data = np.round(X.data, 1)  # so that some scores are 0
    y = np.where(X @ dice.standard_normal(30) > 0, "yes", "no")
    for eta0 in (1.0, 0.3):
        learned = Perceptron(max_iter=3, eta0=eta0).fit(X, y)
        for reading in ("final", "average", "vote"):
            scores = learned.decision_function(X, reading=reading)
            expected = np.where(scores >= 0, "yes", "no")
            assert learned.predict(X, reading=reading).tolist() == expected.tolist()
