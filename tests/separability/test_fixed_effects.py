"""Fixed effects: levels are columns with the user's names, decided without dense matrices."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import checkers
from helpers.command_line import run
from helpers.separation import Problem, problems, separable_rows, verdict
from novikoff import BadExample, Block, certify, verify
from novikoff.guarantees import check
from novikoff.separability import exact_linear
from novikoff.separability.certifying import evidence
from novikoff.separability.exact_linear import Span
from novikoff.separability.models import data_of
from novikoff.separability.points import Points
from novikoff.stream.rows import SparseRows


@pytest.fixture
def row_by_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eliminate indicators row by row even if they are few."""
    monkeypatch.setattr(exact_linear, "_FEW_THIN", 1)
    monkeypatch.setattr(exact_linear, "_THIN", 0)


def indicators(*effects: Any) -> np.ndarray[Any, Any]:
    """A column of 0 and 1 for each level, in the order in which rows bring them."""
    order = dict.fromkeys((k, v) for row in zip(*effects, strict=True) for k, v in enumerate(row))
    return np.array([[effects[k][i] == v for k, v in order] for i in range(len(effects[0]))]) * 1.0


@pytest.mark.usefixtures("row_by_row")
@settings(max_examples=80)
@given(problems())
def test_the_elimination_of_indicators_changes_no_verdict(problem: Problem) -> None:
    expected = separable_rows(problem.points)
    found = certify(problem.X, problem.y, fit_intercept=problem.bias)
    assert found.verdict == verdict(expected, len(problem.y))
    assert found.separated_rows.tolist() == expected
    assert verify(found, problem.X, problem.y)


def test_three_effects_with_pairs_are_eliminated_while_rows_stay_short(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dice, rows, k, years = np.random.default_rng(0), 2500, 40, 10
    e, i, t = (dice.integers(0, n, rows) for n in (k, k, years))
    levels = [e * years + t, (k + i) * years + t, 2 * k * years + e * k + i]
    columns, starts = np.column_stack(levels).astype(np.int64), np.arange(0, 3 * rows + 1, 3)
    width = 2 * k * years + k * k
    every = SparseRows(np.ones(3 * rows), columns.ravel(), starts, width)
    points = Points(Block(every, np.ones(rows, dtype=np.int8)), bias=False)
    subtracted, subtract = [0], exact_linear._subtract

    def counted(total: Any, times: Any, v: Any) -> None:
        subtracted[0] += len(v)
        subtract(total, times, v)

    monkeypatch.setattr(exact_linear, "_subtract", counted)
    span = Span(points, np.arange(rows), np.arange(width))
    assert subtracted[0] < 50_000  # 380,000 with the first row of each level, not the shortest
    wholes = [dict.fromkeys(row, 1) for row in columns.tolist()]
    assert check.rank(wholes) == len(span.independent) == len(span.pivots)
    assert len(span.orthogonal_vectors()) == len(span.touched) - len(span.independent)
    in_order = Span(points, np.arange(rows), np.arange(width), range(rows))
    firsts = [check.rank(wholes[:n]) for n in (300, 900)]
    assert [np.count_nonzero(in_order.independent < n) for n in (300, 900)] == firsts


@pytest.mark.usefixtures("row_by_row")
@settings(max_examples=40)
@given(st.data(), st.sampled_from(["binary", "poisson", "ordinal", "multinomial"]))
def test_levels_are_indicators_written_out(data: st.DataObject, model: Any) -> None:
    n = data.draw(st.integers(2, 9))
    column = st.lists(st.integers(0, 3), min_size=n, max_size=n)
    effects = [data.draw(column) for _ in range(data.draw(st.integers(1, 3)))]
    X = np.array([data.draw(column)]).T / 4
    y = data.draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    if len({*y}) < 2:
        y[:2] = 0, 1
    found = certify(X, y, model=model, fixed_effects=effects)
    written = np.hstack([X, indicators(*effects)])
    as_columns = certify(written, y, model=model, fit_intercept=False)
    assert found.verdict == as_columns.verdict
    assert found.separated_rows.tolist() == as_columns.separated_rows.tolist()
    assert verify(found, X, y, fixed_effects=effects)
    assert verify(as_columns, X, y, fixed_effects=effects)


def firms(n: int = 2500, levels: int = 200) -> tuple[pd.DataFrame, pd.Series[int]]:
    dice = np.random.default_rng(0)
    frame = pd.DataFrame({"x": dice.normal(size=n), "z": dice.normal(size=n)})
    frame["firm"], frame["year"] = dice.integers(0, levels, n), 1990 + dice.integers(0, 12, n)
    size = np.exp(0.5 * frame.x + dice.normal(size=levels)[frame.firm] - 2)
    return frame, pd.Series(dice.poisson(size), name="sales")


@pytest.mark.parametrize("model", ["binary", "poisson"])
def test_hundreds_of_levels_are_decided_named_and_proved(model: Any) -> None:
    frame, y = firms()
    answer = y if model == "poisson" else (y > 0).astype(int)
    effects = ["firm", "year"]
    found = certify(frame, answer, model=model, fixed_effects=effects)
    assert found.verdict == "quasi-complete"
    some = frame.groupby("firm").firm.transform(lambda f: (y[f.index] > 0).any())
    assert {*np.flatnonzero(~some)} <= {*found.separated_rows.tolist()}
    quiet = frame.firm[~some].iloc[0]
    assert f"firm={quiet} → −∞" in str(certify(frame, answer, model=model, fixed_effects="firm"))
    assert verify(found, frame, answer, fixed_effects=effects)
    kept = np.setdiff1d(np.arange(len(frame)), found.separated_rows)
    again = certify(frame.iloc[kept], answer.iloc[kept], model=model, fixed_effects=effects)
    assert again.verdict == "overlap"
    if model == "binary":
        given = data_of(frame, answer, fixed_effects=effects)
        checkers.checked(found.to_dict(), evidence(given))


@pytest.mark.parametrize(
    "given",
    [
        lambda f: {"firm": f.firm, "year": f.year.to_numpy()},
        lambda f: [f.firm, f.year],
        lambda f: f[["firm", "year"]],
        lambda f: pl.DataFrame(f[["firm", "year"]]),
    ],
)
def test_effects_may_be_columns_of_their_own(given: Any) -> None:
    frame, y = firms(60, 5)
    X = frame[["x", "z"]]
    by_name = certify(frame, y, model="poisson", fixed_effects=["firm", "year"])
    found = certify(X, y, model="poisson", fixed_effects=given(frame))
    assert found == by_name
    unnamed = certify(X.to_numpy(), y, model="poisson", fixed_effects=frame[["firm"]].to_numpy())
    assert unnamed.data.names is not None
    assert unnamed.data.names[:3] == ("column 0", "column 1", f"effect 0={frame.firm[0]}")


@pytest.mark.parametrize(
    ("effects", "words"),
    [
        ("farm", "there is no column 'farm'"),
        ([["a", "b"]], "the fixed effect 'effect 0' has 2 values, but there are 60 rows"),
        ({"firm": ["a", None] * 30}, "row 1: column 'firm': the value is missing"),
    ],
)
def test_unusable_effects_are_refused(effects: Any, words: str) -> None:
    frame, y = firms(60, 5)
    with pytest.raises(BadExample, match=words):
        certify(frame, y, model="poisson", fixed_effects=effects)
    with pytest.raises(BadExample, match="pass X as a frame"):
        certify(frame[["x"]].to_numpy(), y, model="poisson", fixed_effects="firm")


def test_rows_of_weight_zero_do_not_count_and_other_weights_change_nothing() -> None:
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 1, 0, 1]
    assert certify(X, y, weights=[1, 0.5, 2, 1]) == certify(X, y)
    found = certify(X, y, weights=[1, 0, 2, 1])
    assert found == certify(X[[0, 2, 3]], [0, 0, 1])
    assert found.verdict == "complete"
    assert verify(found, X, y, weights=[1, 0, 2, 1])
    with pytest.raises(BadExample, match="row 1: the weight -1"):
        certify(X, y, weights=[1, -1, 2, 1])
    with pytest.raises(BadExample, match="there are 4 rows"):
        certify(X, y, weights=[1])


def test_numbers_that_are_a_category_have_a_column_each() -> None:
    frame = pd.DataFrame({"firm": pd.Categorical([7, 8, 7, 8])})
    assert certify(frame, [0, 1, 0, 1]).data.names == ("firm=7", "firm=8")


def test_files_have_fixed_effects_and_both_checkers_read_them(tmp_path: Path) -> None:
    file, proof = tmp_path / "data.csv", tmp_path / "proof.json"
    file.write_text("y,x,firm\n0,1.5,7\n3,0.5,8\n0,2.5,7\n1,1,8\n0,2,b\n2,1.25,b\n")
    options = ["--label", "y", "--model", "poisson", "--fixed-effects", "firm"]
    made = run("certify", file, *options, "-o", proof)
    assert (made.exit_code, "firm=7" in made.stdout) == (0, True)
    done = run("verify", proof, file, "--label", "y", "--categorical", "firm")
    script = [sys.executable, check.__file__, str(proof), str(file), "--label", "y"]
    slow = subprocess.run([*script, "--categorical", "firm"], capture_output=True, text=True)
    assert (slow.returncode, slow.stdout) == (0, done.stdout)
    checkers.agree(0, slow.stdout, tmp_path, *script[2:], "--categorical", "firm")
    file.write_text("y,x,firm\n0,1.5,7\n3,0.5,8\n0,2.5,7\n1,1,8\n0,2,9\n2,1.25,9\n")
    assert run("certify", file, *options, "-o", proof).exit_code == 0
    plain = run("verify", proof, file, "--label", "y")
    assert "not 4; read 'firm' as categories: --categorical firm" in plain.stdout
    file.write_text(file.read_text().replace("9", "a"))
    for words in ([*script, "--categorical", "firm"], script):
        refused = subprocess.run(words, capture_output=True, text=True)
        assert refused.returncode in (1, 2)
        checkers.agree(refused.returncode, "", tmp_path, *words[2:])
