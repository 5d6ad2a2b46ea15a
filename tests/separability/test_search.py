"""The search for a certificate where floating point, primes or size make it hard."""

from __future__ import annotations

from typing import Any

import flint
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from novikoff import BadExample, Certificate, Rejected, Stopped, _core, certify, verify
from novikoff.guarantees import check
from novikoff.separability import exact_linear, search, widest_margin
from novikoff.separability import exact_linear as linear
from novikoff.separability.points import Points
from novikoff.stream.blocks import Block
from novikoff.stream.rows import DenseRows


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("apart", [61, -61, 62, 63, 122])
def test_powers_of_two_far_apart_are_not_taken_for_dependent(apart: int, bias: bool) -> None:
    X, y = [[2.0**apart, 1.0], [1.0, 2.0**-apart], [1.0, 3.0]], [0, 1, 1]
    found = certify(X, y, fit_intercept=bias)
    assert found.aliased == ()
    assert verify(found, X, y)


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[1.6e18], [1.7e18]], [0, 1]),  # nanoseconds beside a constant
        ([[1e17], [3.0]], [0, 1]),
        ([[1e-20], [3e-20]], [0, 1]),
        ([[0.0], [0.0], [-(2.0**-23)], [2.0**20]], [0, 0, 1, 0]),
    ],
)
def test_columns_of_very_different_sizes_are_separated(X: Any, y: Any) -> None:
    found = certify(X, y)
    assert found.verdict == "complete"
    assert verify(found, X, y)


def test_rows_of_very_different_sizes_are_proved_inseparable() -> None:
    X, y = [[2.0**-18], [0.0], [-4096.0]], [1, 1, 1]
    found = certify(X, y, fit_intercept=False)
    assert found.verdict == "overlap"
    assert verify(found, X, y)


def test_a_hundred_thousand_columns_are_decided() -> None:
    dice = np.random.default_rng(0)
    X: Any = sparse.random_array((300, 100_000), density=2e-4, rng=dice, format="csr")
    X = sparse.vstack([X, X[:2]], format="csr")
    y = np.append(dice.integers(0, 2, 300), [0, 1])
    y[:2] = [1, 0]  # the first two rows come again with the other label
    found = certify(X, y)
    assert found.verdict == "quasi-complete"
    assert {0, 1, 300, 301}.isdisjoint(found.separated_rows.tolist())
    assert verify(found, X, y)


@pytest.mark.parametrize("flipped", [0, 40])
def test_many_rows_are_separated_or_not_whether_or_not_the_adaptive_perceptron_is_first(
    monkeypatch: pytest.MonkeyPatch, flipped: int
) -> None:
    dice = np.random.default_rng(2)
    X = dice.integers(-4, 5, (4000, 10)).astype(float)
    X, y = X[X[:, 0] != 0], np.sign(X[X[:, 0] != 0, 0])
    y[:flipped] *= -1
    said: list[str] = []
    found = certify(X, y, progress=said.append)
    assert any(words.startswith("adaptive perceptron") for words in said)
    assert any(words.startswith("perceptron") for words in said) == bool(flipped)
    monkeypatch.setattr(search, "_MANY", 10**9)
    other = certify(X, y)
    assert found.verdict == other.verdict == ("overlap" if flipped else "complete")
    assert verify(found, X, y)
    low, high = found.margin.at_least_squared, found.margin.at_most_squared
    assert high is not None
    assert low <= high
    assert (low > 0) == (not flipped)


def test_a_margin_whose_exact_system_is_too_large_keeps_its_interval(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def too_large(*_: Any) -> None:
        raise linear.Undecided("a system is too large to solve")

    monkeypatch.setattr(widest_margin, "solve", too_large)
    X, y = [[0.1, 0.7], [0.9, 0.3], [-0.2, -0.5], [-0.6, 0.1]], [1, 1, 0, 0]
    found = certify(X, y, margin_rtol=0)
    assert found.verdict == "complete"
    assert 0 < found.margin.relative_width < 1e-6
    assert verify(found, X, y)


def test_exact_work_that_takes_too_long_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(exact_linear, "MOST_NUMBERS", 3)
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    found = certify(X, y)
    assert found.verdict == "undecided"
    assert "a system of 4 rows and 3 columns is 4 times too large" in found.why_undecided
    assert "fewer columns or levels would stay below it" in found.why_undecided
    assert "open            4 rows: 0–3; nothing is known of any row" in str(found)
    assert verify(found, X, y)


def test_a_time_limit_is_named_with_what_is_known_and_what_to_raise() -> None:
    dice = np.random.default_rng(0)
    X, firm = dice.normal(size=(600, 3)), dice.integers(0, 60, 600)
    y = dice.integers(0, 5, 600)
    found = certify(X, y, model="multinomial", fixed_effects={"firm": firm}, max_seconds=0)
    assert found.verdict == "undecided"
    assert found.why_undecided.startswith("the limit of 0 s was reached (")
    assert found.why_undecided.endswith("; raise max_seconds")
    assert "600 rows: 0–599; nothing is known of any row" in str(found)
    X, y = np.vstack([X, X[:1]]), np.append(y, y[0] + 1) % 2  # a contradiction
    found = certify(X, y, max_seconds=0)
    assert "open            599 rows: 1–599; no weights separate the others" in str(found)
    assert verify(found, X, y)


def test_a_contradiction_is_known_at_once() -> None:
    X, y = [[1.0, 2.0], [1.0, 2.0], [0.0, 3.0]], [0, 1, 1]

    def stop(words: str) -> None:
        if "not completely separable" in words:
            raise KeyboardInterrupt

    with pytest.raises(Stopped, match="undecided") as stopped:
        certify(X, y, progress=stop)
    found = stopped.value.certificate
    assert found.multipliers == {0: 1, 1: 1}
    assert found.margin.at_most_squared == 0
    assert verify(found, X, y)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_the_certificate_takes_names_from_a_frame(frame: Any) -> None:
    X = frame({"dose": [1.0, 2.0, 3.0], "smokes": [True, False, True], "age": [30, 40, 50]})
    y = (pd if frame is pd.DataFrame else pl).Series([False, True, True])
    found = certify(X, y)
    assert found.data.names == ("dose", "smokes", "age")
    assert found.data.classes == ("false", "true")
    assert "dose" in str(found)
    assert verify(found, X, y)


def test_certificates_are_equal_when_they_say_the_same() -> None:
    X, y = [[0.0], [1.0]], [0, 1]
    first, again, other = certify(X, y), certify(X, y), certify(X, [1, 0])
    assert first == again
    assert first != other
    assert len({first, again, other}) == 2
    assert repr(first) == "<Certificate: complete, 2 rows × 1 columns>"
    assert Certificate.from_dict(first.to_dict()) == first


def test_a_contradiction_is_proved_even_if_the_rest_is_too_large(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(exact_linear, "MOST_NUMBERS", 8)
    X, y = np.repeat([[1.0, 2.0, 4.0], [3.0, 1.0, 1.0], [5.0, 2.0, 1.0]], 2, axis=0), [0, 1] * 3
    found = certify(X, y, fit_intercept=False)
    assert found.verdict == "undecided"
    assert found.margin.at_most_squared == 0
    assert found.multipliers
    assert verify(found, X, y)


def test_the_name_of_the_labels_is_not_used_when_columns_have_none() -> None:
    found = certify(np.array([[0.0], [1.0]]), pd.Series([0, 1], name="cured"))
    assert found.data.label is None  # a label without names would be a position in a file


def test_two_columns_with_one_name_are_refused() -> None:
    frame = pd.DataFrame([[1.0, 2.0], [3.0, 4.0]], columns=["x", "x"])
    with pytest.raises(BadExample, match="two columns have the same name"):
        certify(frame, [0, 1])


def test_a_certificate_is_proved_only_for_the_columns_and_labels_that_it_names() -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0], "z": [1.0, 2.0, 3.0]})  # equal, but not the same
    y = pd.Series(["no", "no", "yes"], name="kind")
    found = certify(frame, y)
    assert verify(found, frame, y)
    for X, labels, words in (
        (frame[["z", "x"]], y, r"the columns: \('z', 'x'\) here, \('x', 'z'\) in the"),
        (frame.to_numpy(), y, r"the columns: None here, \('x', 'z'\) in the"),
        (frame, y.rename("class"), "the label's column: 'class' here, 'kind' in the"),
        (frame, y.replace("yes", "oui"), r"the labels: \('no', 'oui'\) here"),
    ):
        with pytest.raises(Rejected, match=words):
            verify(found, X, labels)
    assert verify(certify(frame.to_numpy(), y), frame, y)  # which names no columns


numbers = st.integers(-3, 3) | st.sampled_from([2**62, 1 - 2**40, check.PRIME])


@given(
    st.integers(1, 6).flatmap(
        lambda k: st.lists(st.lists(numbers, min_size=k, max_size=k), min_size=1)
    )
)
def test_the_core_eliminates_as_flint_does(matrix: list[list[int]]) -> None:
    rows, columns = len(matrix), len(matrix[0])
    mine = np.array([[x % check.PRIME for x in row] for row in matrix], dtype=np.int64)
    pivots = np.zeros(min(rows, columns), dtype=np.int64)
    rank = _core.echelon(matrix=mine.reshape(-1), columns=columns, pivots=pivots)
    theirs, known = flint.nmod_mat(matrix, check.PRIME).rref()
    assert rank == known
    assert mine.tolist() == [[int(x) for x in row] for row in theirs.tolist()]
    assert pivots[:rank].tolist() == [row.index(1) for row in mine[:rank].tolist()]


@given(data=st.data())
def test_aliases_of_small_numbers_are_those_of_any(data: st.DataObject) -> None:
    d = data.draw(st.integers(1, 5))
    row = st.lists(st.integers(-3, 3).map(lambda x: x / 2), min_size=d, max_size=d)
    X = np.array(data.draw(st.lists(row, min_size=1, max_size=8)))
    points = Points(Block(DenseRows(X), np.ones(len(X), np.int8)), bias=data.draw(st.booleans()))
    quick = linear.aliases(points)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linear, "_simple_relations", lambda *_: None)
        assert linear.aliases(points) == quick
