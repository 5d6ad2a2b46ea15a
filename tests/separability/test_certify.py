"""`certify` against linear programs, exact enumeration, published answers and hostile data."""

from __future__ import annotations

import math
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse

from helpers.separation import (
    Grid,
    Problem,
    aliased_columns,
    best_margin_squared,
    problems,
    reduced,
    separable_rows,
    verdict,
)
from helpers.strategies import LAYOUTS, PRECISIONS, stored
from novikoff import BadExample, Block, Certificate, Stopped, certify, sources, verify
from novikoff.guarantees.verdict import ModelName
from novikoff.stream.rows import Rows


@settings(max_examples=120)
@given(problems(), st.sampled_from(LAYOUTS), st.sampled_from(PRECISIONS))
def test_small_data_are_always_decided_as_the_linear_program_decides_and_proved(
    problem: Problem, layout: Any, precision: Any
) -> None:
    block = Block(stored(problem.X, layout, precision), problem.y)
    found = certify(block, fit_intercept=problem.bias)
    expected = separable_rows(problem.points)
    assert found.verdict == verdict(expected, len(problem.y))
    assert found.separated_rows.tolist() == expected
    assert verify(found, block)


@settings(max_examples=100)
@given(problems())
def test_aliased_columns_are_as_many_as_exact_row_reduction_finds_and_have_no_direction(
    problem: Problem,
) -> None:
    block = Block(stored(problem.X, "dense", "float64"), problem.y)
    found = certify(block, fit_intercept=problem.bias)
    expected = set(found.aliased or ())
    usual = aliased_columns(problem)
    assert len(expected) == len(usual)
    if found.verdict != "quasi-complete" or not {j for j in usual if found.weights[j]}:
        assert all(found.weights[j] == 0 for j in usual) <= (expected == usual)
    if found.verdict != "complete":  # whose weights may be any that separate
        assert all(found.weights[j] == 0 for j in expected)
    assert {j for j, to in enumerate(found.directions) if math.isnan(to)} == expected
    kept = [j for j in range(len(found.weights)) if j not in expected]
    # the one vector that has these scores without the aliased columns
    scores = [sum(w * a for w, a in zip(found.weights, z, strict=True)) for z in problem.points]
    rows = [[*(z[j] for j in kept), score] for z, score in zip(problem.points, scores, strict=True)]
    same = dict(reduced(rows))
    for place, j in enumerate(kept):
        w = same[place][-1]
        assert found.directions[j] == (math.copysign(math.inf, w) if w else 0.0)


@settings(max_examples=40)
@given(problems(most_rows=7, most_columns=2))
def test_the_interval_for_the_margin_contains_the_best_and_can_be_narrowed_to_it(
    problem: Problem,
) -> None:
    block = Block(stored(problem.X, "dense", "float64"), problem.y)
    found = certify(block, fit_intercept=problem.bias)
    assert found.radius_squared == max(sum(a * a for a in z) for z in problem.points)
    if found.verdict != "complete":
        assert found.margin.at_least_squared == found.margin.at_most_squared == 0
        assert found.mistake_bound is None
        return
    best = best_margin_squared(problem.points)
    low, high = found.margin.at_least_squared, found.margin.at_most_squared
    assert high is not None
    assert 0 < low <= best <= high
    assert found.mistake_bound is not None
    fewest, most = found.mistake_bound
    assert fewest == found.radius_squared // high
    assert most == found.radius_squared // low
    assert fewest <= found.radius_squared // best <= most
    exact = certify(block, fit_intercept=problem.bias, margin_rtol=0)
    assert exact.margin.at_least_squared == exact.margin.at_most_squared == best
    assert verify(exact, block)


@pytest.mark.parametrize(
    ("X", "y", "expected"),
    [  # the tests of the R package detectseparation; column 0 is the constant
        ([[1, -1, 2], [1, -1, -2], [1, -2, -2], [1, 2, 2]], [0, 1, 1, 1], "complete"),
        ([[1, -1], [1, 0], [1, 1], [1, 2]], [0, 1, 0, 1], "overlap"),
    ],
)
def test_published_examples_get_their_published_answers(
    X: list[list[int]], y: list[int], expected: str
) -> None:
    found = certify(X, y, fit_intercept=False)
    assert found.verdict == expected
    assert verify(found, X, y)
    # with a second constant the question is the same, and that one is aliased
    again = certify(X, y)
    assert (again.verdict, again.aliased) == (expected, (0,))


@pytest.mark.parametrize(
    ("X", "y", "bias", "expected"),
    [
        (np.zeros((3, 0)), [0, 1, 1], False, "overlap"),
        (np.zeros((3, 0)), [1, 1, 1], True, "complete"),
        ([[2.0, 1.0]], [1], False, "complete"),
        ([[0.0, 0.0]], [0], False, "overlap"),
        ([[1.0], [-2.0], [0.5]], [1, 1, 1], True, "complete"),
        ([[1.0], [-2.0], [0.5]], [1, 1, 1], False, "overlap"),
        ([[1.0, 0], [0, 0], [0, 1.0]], [1, 0, 0], False, "quasi-complete"),
        ([[0.0], [1], [1], [2]], [0, 0, 1, 1], True, "quasi-complete"),
    ],
)
def test_the_smallest_data_there_are(X: Any, y: list[int], bias: bool, expected: str) -> None:
    found = certify(X, y, fit_intercept=bias)
    assert found.verdict == expected
    assert verify(found, X, y)


def test_a_column_twice_a_column_of_zeros_and_a_sum_of_two_are_aliased() -> None:
    X = np.random.default_rng(0).integers(-4, 5, (30, 3)).astype(float)
    a, b, c = X.T
    wide = np.column_stack([a, b, a, np.zeros(30), a - 2 * b + 3, c])
    found = certify(wide, b + c > 0)
    assert found.aliased == (2, 3, 4)
    assert found.aliases is not None
    assert [dict(found.aliases[j]) for j in (2, 3)] == [{0: -1, 2: 1}, {3: 1}]
    assert verify(found, wide, b + c > 0)


SMALL = np.array([[0.0, 1.0], [2.0, 0.0], [-1.0, 3.0], [0.0, 0.0], [4.0, 4.0]])
SMALL_LABELS = [0, 1, 0, 0, 1]


@pytest.mark.parametrize(
    ("kinds", "classes"),
    [
        ("ny", ("n", "y")),
        ((False, True), ("false", "true")),
        ((-1, 1), ("-1", "1")),
        ((1, 2), ("1", "2")),
        ((0.5, 7.0), ("0.5", "7")),
        ((b"a", b"b"), ("a", "b")),
        (("9", "10"), ("9", "10")),
        ((10, "a"), ("10", "a")),
    ],
)
@pytest.mark.parametrize("form", [list, np.array, lambda y: np.array(y, dtype=object)])
def test_of_any_two_labels_the_greater_is_positive(
    kinds: Any, classes: tuple[str, str], form: Any
) -> None:
    y = form([kinds[k] for k in SMALL_LABELS])
    found = certify(SMALL, y)
    assert found.data.classes == classes
    plain = certify(SMALL, SMALL_LABELS)
    assert replace(found, data=replace(found.data, classes=plain.data.classes)) == plain


@pytest.mark.parametrize(
    "form",
    [
        np.ndarray.tolist, np.float32, np.int64, np.int8, np.asfortranarray, sparse.csr_array,
        sparse.csc_array, sparse.coo_array, sparse.csr_matrix, sparse.lil_array,
        lambda X: sparse.csr_array(X.astype(np.float32)), lambda X: np.repeat(X, 2, axis=0)[::2],
    ],
)  # fmt: skip
def test_the_answer_does_not_depend_on_how_the_data_are_stored(form: Any) -> None:
    assert certify(form(SMALL), SMALL_LABELS).to_dict() == certify(SMALL, SMALL_LABELS).to_dict()


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        ([[1.0], [2], [3]], [5, 7, 9], "row 2: label '9' is a third label, after '5' and '7'"),
        ([[1.0], [2], [3], [4]], ["c", "a", "c", "b"], "row 3: label 'b' is a third label"),
        ([[1.0, 2], [math.nan, 1]], [0, 1], "row 1: the value in column 0 is missing, as in 1 of"),
        ([[1.0, 2], [1, 1], [1, -math.inf]], [0, 1, 1], "row 2: the value in column 1 is inf"),
        (
            sparse.csr_array([[1.0, 0], [0, math.nan]]),
            [0, 1],
            "row 1: the value in column 1 is m",
        ),
        ([[1.0], [2]], [0, math.nan], "row 1: the response is missing, as in 1 of 2 rows"),
        ([[1.0], [2]], [0, 1, 1], "2 rows but 3 labels"),
        ([[1.0], [2]], [[[0]], [[1]]], "one-dimensional"),
        ([1.0, 2.0], [0, 1], "two-dimensional"),
        ([["a"], ["b"]], [0, 1], "real numbers"),
        (np.zeros((0, 2)), [], "no examples"),
        ([[1.0, 2.0], [1.0]], [0, 1], "row 1|inhomogeneous|same length"),
    ],
)
def test_bad_data_are_refused_with_the_row(X: Any, y: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        certify(X, y)


@settings(max_examples=40)
@given(problems(), st.data())
def test_scaling_and_reordering_change_nothing(problem: Problem, data: st.DataObject) -> None:
    n, d = problem.X.shape
    expected = separable_rows(problem.points)
    factor = st.integers(-20, 20).map(lambda k: 2.0**k)
    columns = np.array(data.draw(st.lists(factor, min_size=d, max_size=d)))
    rows = np.array(data.draw(st.lists(factor | st.just(3.0), min_size=n, max_size=n)))
    moved = np.array(data.draw(st.permutations(range(n))))
    X = problem.X * columns
    if not problem.bias:
        X = X * rows[:, None]
    block = Block(stored(X[moved], "dense", "float64"), problem.y[moved])
    found = certify(block, fit_intercept=problem.bias)
    assert found.verdict == verdict(expected, n)
    assert sorted(moved[found.separated_rows].tolist()) == expected
    assert verify(found, block)


def test_columns_of_the_smallest_numbers_are_decided_without_a_warning() -> None:
    X = np.ldexp([[0.0, 0, 0]] * 4 + [[0, 0, 1], [0, 1, -1], [0, -1, 1]], [-1074, -660, -1000])
    found = certify(Block(stored(X, "dense", "float64"), -np.ones(7, dtype=np.int8)))
    assert found.verdict == "complete"
    found = certify(
        Block(stored(X, "dense", "float64"), -np.ones(7, dtype=np.int8)), fit_intercept=False
    )
    assert found.verdict == "quasi-complete"


@settings(max_examples=80)
@given(problems(most_rows=8, most_columns=3), st.data())
def test_huge_and_tiny_numbers_are_decided_or_refused(
    problem: Problem, data: st.DataObject
) -> None:
    n, d = problem.X.shape
    power = st.sampled_from([-1074, -1000, -660, -330, -30, 0, 0, 30, 330, 660, 1022])
    shape, count = data.draw(st.sampled_from([((n, 1), n), ((1, d), d), ((1, 1), 1)]))
    powers = np.array(data.draw(st.lists(power, min_size=count, max_size=count)), dtype=int)
    plain = Problem(problem.X, problem.y, problem.bias and shape == (1, d))
    block = Block(stored(np.ldexp(plain.X, powers.reshape(shape)), "dense", "float64"), plain.y)
    try:
        found = certify(block, fit_intercept=plain.bias)
    except BadExample:  # a score too large for float64
        return
    expected = separable_rows(plain.points)
    assert found.verdict == verdict(expected, n)
    assert found.separated_rows.tolist() == expected
    assert verify(found, block)
    assert str(found)


def nearly_separable(seed: int) -> tuple[Grid, NDArray[np.int8]]:
    """Integers up to 1e9 of which a vector of small ones makes 1 or −1."""
    dice = np.random.default_rng(seed)
    X = dice.integers(-(10**9), 10**9, (40, 4)).astype(float)
    y = dice.choice([-1, 1], 40)
    X[:, 3] = y - X[:, :3] @ np.array([1.0, -2.0, 1.0])
    return X, y.astype(np.int8)


@pytest.mark.parametrize("seed", range(4))
def test_a_margin_of_a_billionth_is_distinguished_from_none(seed: int) -> None:
    X, y = nearly_separable(seed)
    found = certify(X, y, fit_intercept=False)
    assert found.verdict == "complete"
    assert verify(found, X, y)
    # −z₀ − z₁ is one more point, so these three sum to zero
    opposite = -(X[0] * y[0] + X[1] * y[1])
    X, y = np.vstack([X, opposite]), np.append(y, 1).astype(np.int8)
    found = certify(X, y, fit_intercept=False)
    assert found.verdict in ("quasi-complete", "overlap")
    assert verify(found, X, y)


def test_a_few_separated_rows_among_many_are_all_found() -> None:
    dice = np.random.default_rng(3)
    X = np.hstack([dice.integers(-9, 10, (5000, 3)), np.zeros((5000, 1))]).astype(float)
    y = dice.choice([-1, 1], 5000)
    few = [17, 2500, 4999]
    X[few, 3] = y[few]
    found = certify(X, y)
    assert found.verdict == "quasi-complete"
    assert found.separated_rows.tolist() == few
    assert verify(found, X, y)


def test_the_same_data_get_the_same_certificate() -> None:
    dice = np.random.default_rng(8)
    X, y = dice.standard_normal((60, 3)), dice.integers(0, 2, 60)
    assert certify(X, y).to_dict() == certify(X, y).to_dict()


@pytest.mark.parametrize("labels", [SMALL_LABELS, [0, 1, 1, 0, 0]])
def test_without_time_the_verdict_is_right_or_undecided(labels: list[int]) -> None:
    found = certify(SMALL, labels, max_seconds=0)
    assert found.verdict in ("undecided", certify(SMALL, labels).verdict)
    assert bool(found.why_undecided) == (found.verdict == "undecided")
    assert verify(found, SMALL, labels)


def test_an_interrupt_at_any_moment_leaves_a_true_certificate() -> None:
    dice = np.random.default_rng(5)
    X = np.vstack([dice.integers(-3, 4, (80, 5)), [[0] * 5, [0] * 5]]).astype(float)
    y = [*dice.integers(0, 2, 80), 0, 1]
    said: list[str] = []
    certify(X, y, progress=said.append)
    assert len(said) > 2
    for moment in range(len(said)):
        left = iter(range(moment))

        def interrupt(_: str, left: Any = left) -> None:
            if next(left, None) is None:
                raise KeyboardInterrupt

        with pytest.raises(Stopped) as stopped:
            certify(X, y, progress=interrupt)
        known: Certificate = stopped.value.certificate
        assert (known.verdict, known.why_undecided) == ("undecided", "the search was interrupted")
        assert verify(known, X, y)


def test_an_interrupt_while_the_rows_are_hashed_leaves_the_certificate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    result, waits = Future.result, iter(range(1))

    def interrupted(self: Future[Any], timeout: float | None = None) -> Any:
        if next(waits, None) is not None:
            raise KeyboardInterrupt
        return result(self, timeout)

    monkeypatch.setattr(Future, "result", interrupted)
    X, y = [[1.0], [2.0], [3.0]], [0, 0, 1]
    with pytest.raises(Stopped) as stopped:
        certify(X, y)
    assert stopped.value.certificate.verdict == "complete"
    assert verify(stopped.value.certificate, X, y)


NOT_COMPLETE = {("iris", 1), ("iris", 2), ("digits", 8), ("digits", 9)}
SETS = [("breast_cancer", 1), *((n, k) for n in ("iris", "wine") for k in range(3))]
SETS += [("digits", k) for k in range(10)]


@pytest.mark.parametrize(("name", "kind"), SETS)
def test_the_classes_of_scikit_learns_data_are_separable_as_is_known(name: str, kind: int) -> None:
    from sklearn import datasets

    X, target = getattr(datasets, f"load_{name}")(return_X_y=True)
    found = certify(X, target == kind)
    if (name, kind) in NOT_COMPLETE:
        assert found.verdict == ("overlap" if name == "iris" else "quasi-complete")
    else:
        assert found.verdict == "complete"
        assert found.margin.at_least_squared > 0
    assert verify(found, X, target == kind)


def test_certify_and_verify_check_the_rows_once(monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[Rows] = []
    for module in ("separability.models", "guarantees.exact.rows"):
        monkeypatch.setattr(f"novikoff.{module}.usable", checked.append)
    found = certify(SMALL, SMALL_LABELS)
    assert len(checked) == 1
    assert verify(found, SMALL, SMALL_LABELS)
    assert len(checked) == 2


def test_a_row_whose_square_overflows_gives_no_warning() -> None:
    rows = sources.block([[2.0, -1.0], [1e300, -1.0], [0.5, 1.0], [0.0, 2.0]], [1, 1, 1, 1])
    with np.errstate(over="raise"):
        assert certify(rows, margin_rtol=1e-6).verdict == "complete"


def frame(fault: str, seed: int = 0) -> pd.DataFrame:
    dice = np.random.default_rng(seed)
    group = dice.choice(["A", "B", "C"], 60)
    y = np.where(group == fault, 1, dice.integers(0, 2, 60))
    x = dice.integers(-9, 9, 60)
    return pd.DataFrame({"group": group, "x": x, "high": x > 3, "y": y})


@pytest.mark.parametrize("fault", ["A", "B", "C"])
def test_a_frame_is_coded_as_its_file_and_the_level_at_fault_is_named(
    fault: str, tmp_path: Path
) -> None:
    table = frame(fault)
    X, y = table[["group", "x", "high"]], table["y"]
    found = certify(X, y)
    assert found.verdict == "quasi-complete"
    assert [found.data.name(j) for j in found.infinite] == [f"group={fault}"]
    assert f"group={fault} → +∞; the others stay finite" in str(found)
    assert verify(found, X, y)
    for same in (X.astype({"group": "category"}), pl.from_pandas(X)):
        assert certify(same, y) == found
    assert certify(X, table[["y"]]) == found
    for kind in ("csv", "parquet"):
        file = tmp_path / f"data.{kind}"
        table.to_csv(file, index=False) if kind == "csv" else table.to_parquet(file, index=False)
        assert certify(sources.read(file)) == found
        assert verify(found, sources.read(file))


def test_a_response_of_one_column_is_a_list_of_labels() -> None:
    plain = certify(SMALL, SMALL_LABELS)
    assert certify(SMALL, np.array(SMALL_LABELS)[:, None]) == plain
    with pytest.raises(BadExample, match=r"one-dimensional, not of shape \(5, 2\)"):
        certify(SMALL, np.zeros((5, 2)))


def test_a_frame_that_cannot_be_coded_is_refused_with_a_cure() -> None:
    table = frame("A")
    y = table.pop("y")
    gap = table.assign(group=table.group.where(table.x > -9))
    with pytest.raises(
        BadExample, match="row .*: column 'group': the value is missing; fill it in"
    ):
        certify(gap, y)
    with pytest.raises(BadExample, match="column 'd' holds dates .*; convert dates to numbers, or"):
        certify(table.assign(d=pd.Timestamp("2020-01-01")), y)
    long = pd.concat([table] * 2).assign(id=[f"i{k}" for k in range(120)])
    with pytest.raises(BadExample, match="column 'id' looks like identifiers.*make it a category$"):
        certify(long, [*y, *y])
    assert certify(long.astype({"id": "category"}), [*y, *y]).verdict == "complete"
    three = np.array(["a", "b", "c"] * 20)
    with pytest.raises(BadExample, match="row 2: label 'c' is a third label.*; pass y == 'c'"):
        certify(table, three)
    assert certify(table, three == "a").data.classes == ("false", "true")


def test_a_notebook_shows_a_certificate_escaped() -> None:
    found = certify(frame("A")[["group", "x"]].rename(columns={"group": "<b>"}), frame("A")["y"])
    shown = found._repr_html_()
    assert shown.startswith("<table><tr><td>verdict</td>")
    assert "&lt;b&gt;=A → +∞" in shown
    assert "<b>" not in shown


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        (pd.DataFrame({"a": [1, 2], "k": [0, 1]}), "k", "y is the text 'k', not a label for each"),
        (pd.DataFrame({"a": [1, 2]}), pd.Series([0, 1], index=[1, 0]), r"pass y.loc\[X.index\]"),
        ([1, 2], [0, 1], r"for one column, pass X.reshape\(-1, 1\)"),
        ([{"a": 1}, {"a": 2}], [0, 1], "make a frame of the dicts"),
    ],
)
def test_what_is_not_rows_and_their_labels_is_refused_with_a_cure(
    X: Any, y: Any, words: str
) -> None:
    with pytest.raises(BadExample, match=words):
        certify(X, y)
    other = pd.DataFrame({"a": [1, 2]}, index=[7, 8]), pd.Series([0, 1])  # not the same entries
    assert certify(*other).verdict == "complete"


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_gap_in_a_frame_is_called_a_missing_value(frame: Any) -> None:
    words = "^row 1: age is missing, as in 2 of 4 rows; leave these rows out, or fill them in$"
    with pytest.raises(BadExample, match=words):
        certify(frame({"b": [1, 2, 3, 4], "age": [1.0, None, 3.0, None]}), [0, 1, 0, 1])


@pytest.mark.parametrize("gap", [None, math.nan, pd.NA, pd.NaT])
@pytest.mark.parametrize("model", get_args(ModelName))
def test_a_gap_in_the_response_is_called_a_missing_value(gap: Any, model: Any) -> None:
    words = "^row 2: the response is missing, as in 2 of 5 rows; leave these rows out, or fill the"
    with pytest.raises(BadExample, match=words):
        certify(np.eye(5), pd.Series([0, 1, gap, 1, gap], dtype=object), model=model)
    texts = np.array(["None", "some", "None"], dtype=object)  # texts are labels
    assert certify(np.eye(3), texts).data.classes == ("None", "some")


@pytest.mark.parametrize("shape", [list, pd.Series, pd.DataFrame])
@pytest.mark.parametrize("levels", [["low", "high"], ["low", "middle", "high"], ["high", "low"]])
def test_an_ordered_category_decides_which_label_is_positive(shape: Any, levels: list[str]) -> None:
    y = pd.Categorical(["low", "high", "low"], categories=levels, ordered=True)
    found = certify([[0.0], [1], [0]], y if shape is list else shape(y))
    assert found.data.classes == (levels[0], levels[-1])
    alone = certify([[0.0]], y[:1]).data.classes
    assert alone == ((levels[0], levels[-1]) if len(levels) == 2 else ("not low", "low"))


def test_a_useless_interval_for_the_margin_is_narrowed_if_the_data_are_small() -> None:
    columns = [1.8, 1.0, 1.5, 0.2, 0.4, 1.3], [-2.6, 1.4, 0.3, -1.1, -0.6, 1.8]
    X = np.column_stack([*columns, [-13.8, 65.4, 55.1, -84.7, 127.2, -2.6]])
    y = [1, 1, 0, 1, 0, 1]
    found = certify(X, y)
    assert found.margin.relative_width <= 0.01
    assert verify(found, X, y)
    large = np.hstack([X, np.zeros((6, 2000))])
    assert certify(large, y).margin.relative_width > 0.9  # left as the search found it
