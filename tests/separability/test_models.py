"""Separation in regression models, against inequalities written out and between the models."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import checkers
from helpers.checkers import said_by_javascript
from helpers.command_line import run
from helpers.separation import Grid, Problem, problems, separable_rows, verdict
from novikoff import (
    BadExample,
    Certificate,
    certify,
    certify_formula,
    regression_data,
    verify,
)
from novikoff.guarantees import check
from novikoff.separability.certifying import checked, evidence
from novikoff.separability.models import COUNTED, data_of

KINDS = ("poisson", "binomial", "multinomial", "ordinal")


def written_out(kind: str, X: Grid, levels: list[int], bias: bool) -> list[tuple[int, list[int]]]:
    """Each inequality ⟨w,z⟩ ≥ 0 with its example, from the definitions of Albert & Anderson."""
    out, top = list[tuple[int, list[int]]](), max(levels)
    for i, (x, level) in enumerate(zip(X.astype(int).tolist(), levels, strict=True)):
        one = [*x, 1] if bias else x
        if kind in ("poisson", "binomial"):
            if level < 2:
                out.append((i, [-a for a in one]))
            if level > 0:
                out.append((i, one))
        elif kind == "ordinal":
            unit = [[int(t == k) for t in range(top)] for k in range(top)]
            if level < top:
                out.append((i, [-a for a in x] + unit[level]))
            if level > 0:
                out.append((i, x + [-a for a in unit[level - 1]]))
        else:
            for k in range(top + 1):
                blocks = [[a * ((c == level) - (c == k)) for a in one] for c in range(1, top + 1)]
                if k != level:
                    out.append((i, [a for block in blocks for a in block]))
    return out


@st.composite
def responses(draw: st.DrawFn) -> tuple[str, Grid, list[int], bool]:
    kind = draw(st.sampled_from(KINDS))
    problem: Problem = draw(problems(most_rows=8, most_columns=2))
    n = len(problem.y)
    top = {"poisson": 1, "binomial": 2}.get(kind) or draw(st.integers(1, 3))
    levels = draw(st.lists(st.integers(0, top), min_size=n, max_size=n))
    if draw(st.booleans()) and problem.X.shape[1]:  # often separated
        levels = np.clip(problem.X[:, 0].astype(int), 0, top).tolist()
    if kind in ("multinomial", "ordinal"):  # all levels must occur, and two at least
        known = sorted({*levels, 0} | ({1} if len({*levels}) < 2 else set()))
        levels = [known.index(level) for level in levels]
        X = np.vstack([problem.X, np.zeros((len(known), problem.X.shape[1]))])
        return kind, X, [*levels, *range(len(known))], problem.bias
    return kind, problem.X, levels, problem.bias


def found_by(kind: str, X: Grid, levels: list[int], bias: bool) -> tuple[Certificate, Any, Any]:
    y: Any = [7 * level for level in levels]
    if kind == "binomial":
        trials = np.full(len(levels), 14)
        return certify(X, y, trials=trials, fit_intercept=bias), y, trials
    model: Any = kind
    return certify(X, y, model=model, fit_intercept=bias), y, None


@settings(max_examples=120)
@given(responses())
def test_verdicts_and_separated_rows_are_those_of_the_inequalities(
    response: tuple[str, Grid, list[int], bool],
) -> None:
    kind, X, levels, bias = response
    found, y, trials = found_by(kind, X, levels, bias)
    rows = written_out(kind, X, levels, bias)
    strict = separable_rows([z for _, z in rows])
    assert found.verdict == verdict(strict, len(rows))
    assert found.separated_rows.tolist() == sorted({rows[k][0] for k in strict})
    assert verify(found, X, y, trials=trials)
    again = Certificate.from_dict(found.to_dict())
    assert again == found
    assert again.separated_rows.tolist() == found.separated_rows.tolist()


@settings(max_examples=80)
@given(responses())
def test_the_slow_checker_makes_the_same_inequalities(
    response: tuple[str, Grid, list[int], bool],
) -> None:
    kind, X, levels, bias = response
    found, *_ = found_by(kind, X, levels, bias)
    names = found.data.classes
    examples = [
        (level, [(c, v) for c, v in enumerate(x) if v])
        for level, x in zip(levels, X.tolist(), strict=True)
    ]
    data = check.Evidence(examples, X.shape[1], classes=names)
    checkers.checked(found.to_dict(), data)
    other = [*examples[:-1], (0 if levels[-1] else 1, examples[-1][1])]
    if bias or X[-1].any() or kind == "ordinal":  # else its inequalities are the same
        with pytest.raises(check.Rejected):
            checkers.checked(found.to_dict(), check.Evidence(other, X.shape[1], classes=names))
    with pytest.raises(check.Rejected):
        checkers.checked(found.to_dict(), check.Evidence(examples[:-1], X.shape[1], classes=names))


@settings(max_examples=80)
@given(problems())
def test_with_two_levels_every_model_is_the_binary_one(problem: Problem) -> None:
    X, y = problem.X, problem.y
    if len(set(y.tolist())) < 2:
        return
    usual = certify(X, y, fit_intercept=True)
    for found in (
        certify(X, y, model="multinomial"),
        certify(X, y, model="ordinal"),
        certify(X, (y > 0) * 3, trials=3),
    ):
        assert found.verdict == usual.verdict
        assert found.separated_rows.tolist() == usual.separated_rows.tolist()


@settings(max_examples=60)
@given(problems(most_rows=6, most_columns=2), st.data())
def test_binomial_counts_are_their_trials_written_out(
    problem: Problem, data: st.DataObject
) -> None:
    n = len(problem.y)
    counts = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    found = certify(problem.X, counts, trials=3, fit_intercept=problem.bias)
    rows = np.repeat(np.arange(n), 3)
    single = (np.arange(3) < counts[:, None]).astype(int).reshape(-1)
    written = certify(problem.X[rows], single, fit_intercept=problem.bias)
    assert found.verdict == written.verdict
    assert found.separated_rows.tolist() == sorted({*rows[written.separated_rows].tolist()})


def test_zeros_and_ones_as_counts_are_not_the_binary_model() -> None:
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    assert certify(X, y).verdict == "complete"
    assert certify(X, y, model="poisson").verdict == "overlap"


def test_names_are_those_of_the_user() -> None:
    X = pd.DataFrame({"dose": [0.0, 1.0, 2.0, 3.0]})
    y = pd.Series(
        pd.Categorical(["low", "low", "mid", "high"], ["low", "mid", "high"], ordered=True)
    )
    text = str(certify(X, y, model="ordinal"))
    assert "dose → +∞, low|mid → +∞, mid|high → +∞" in text
    text = str(certify(X, y, model="multinomial"))
    assert "mid: dose" in text
    assert "mid: constant" in text


@pytest.mark.parametrize(
    ("y", "options", "words"),
    [
        ([0, -1, 2], {"model": "poisson"}, "row 1: response '-1' is not a number of at least 0"),
        ([0, "a", 2], {"model": "poisson"}, "row 1: response 'a' is not a number of at least 0"),
        (["a", "b", "c"], {"model": "ordinal"}, "the order of the levels"),
        (
            ["a", "b", "c"],
            {"model": "ordinal", "levels": ["a", "b"]},
            "the response 'c' is not among the levels 'a', 'b'",
        ),
        (["a", "b", "b"], {"model": "ordinal", "levels": "abc"}, "no row has the level 'c'"),
        (["a", "b", "b"], {"model": "ordinal", "levels": "aab"}, "two are equal in the levels"),
        (
            ["a", "b", None],
            {"model": "multinomial"},
            "row 2: the response is missing, as in 1",
        ),
        (["a", "b", float("nan")], {"model": "multinomial"}, "row 2: the response is missing"),
        ([1, 2, float("nan")], {"model": "poisson"}, "row 2: the response is missing"),
        ([0, 1, 2], {}, r"a third label.*; pass y == 2 to set.*or name a model of more"),
        ([1, 1, 1], {"model": "multinomial"}, "all rows have the response '1'; the model needs"),
        ([0, 1, 5], {"trials": 3}, "row 2: 5 of 3 trials is not a count"),
        ([0, 1, None], {"trials": 3}, "row 2: the response is missing"),
        ([0, 1, 1], {"trials": [3, np.nan, 3]}, "row 1: the number of trials is missing, as in 1"),
        ([0, 1, 2], {"trials": [3, 3]}, "3 counts, but 2 numbers of trials"),
    ],
)
def test_bad_responses_are_refused(y: list[Any], options: Any, words: str) -> None:
    with pytest.raises(BadExample, match=words):
        certify(np.eye(3), np.array(y, dtype=object), **options)


def test_unknown_models_and_trials_of_others_are_errors() -> None:
    unknown: Any = "gamma"
    with pytest.raises(ValueError, match="must be one of binary, poisson, multinomial, ordinal"):
        certify(np.eye(2), [0, 1], model=unknown)
    with pytest.raises(ValueError, match="trials are those of a binary model"):
        certify(np.eye(2), [0, 1], model="poisson", trials=1)


def test_a_certificate_of_one_model_does_not_verify_another() -> None:
    X, y = np.array([[0.0], [1.0], [2.0], [2.0]]), [0, 1, 2, 0]
    found = certify(X, y, model="multinomial")
    assert verify(found, X, y)
    tampered = found.to_dict()
    tampered["data"]["model"]["kind"] = "poisson"
    tampered["seal"] = check.seal(tampered)
    with pytest.raises(check.Rejected):
        Certificate.from_dict(tampered)
    with pytest.raises(check.Rejected):
        verify(found, X, [0, 1, 2, 1])
    assert evidence(data_of(X, [0, 1, 1, 0])).classes == ("0", "1")
    assert set(COUNTED) == {"poisson", "binomial"}


def test_levels_that_are_no_numbers_need_an_order_and_each_front_says_how(tmp_path: Path) -> None:
    file = tmp_path / "data.csv"
    file.write_text("dose,grade\n0,low\n1,middle\n1,low\n2,high\n")
    with pytest.raises(BadExample, match="pass levels= in order, the least first"):
        certify([[0], [1], [1], [2]], ["low", "middle", "low", "high"], model="ordinal")
    refused = run("certify", file, "--model", "ordinal")
    assert (refused.exit_code, "in order with --classes" in refused.stderr) == (2, True)
    assert run("certify", file, "--model", "ordinal", "--classes", "low,middle,high").exit_code == 0


@pytest.mark.parametrize("model", ["poisson", "multinomial", "ordinal"])
def test_the_command_line_and_both_checkers_agree_on_files(model: str, tmp_path: Path) -> None:
    file, proof = tmp_path / "data.csv", tmp_path / "proof.json"
    file.write_text("dose,old,count\n0,1,0\n1,0,0\n2,1,3\n3,0,1\n3,1,1\n")
    made = run("certify", file, "--model", model, "-o", proof)
    assert made.exit_code == 0, made.stderr
    done = run("verify", proof, file)
    assert (done.exit_code, "proved" in done.stdout, model in done.stdout) == (0, True, True)
    script = [sys.executable, check.__file__, str(proof), str(file)]
    slow = subprocess.run(script, capture_output=True, text=True)
    assert (slow.returncode, slow.stdout.splitlines()[0]) == (0, done.stdout.splitlines()[0])
    checkers.agree(0, slow.stdout, tmp_path, proof, file)
    file.write_text("dose,old,count\n0,1,1\n1,0,0\n2,1,3\n3,0,1\n3,1,0\n")
    assert run("verify", proof, file).exit_code == 1
    assert subprocess.run(script, capture_output=True).returncode == 1
    checkers.agree(1, "", tmp_path, proof, file)


# What changes the answer, and what does not


def rows_of(found: Certificate) -> list[int]:
    return [*map(int, found.separated_rows)]


@settings(max_examples=60)
@given(responses(), st.data())
def test_the_order_of_rows_and_the_units_of_columns_change_nothing_else(
    response: tuple[str, Grid, list[int], bool], data: st.DataObject
) -> None:
    kind, X, levels, bias = response
    found, *_ = found_by(kind, X, levels, bias)
    order = data.draw(st.permutations(range(len(levels))))
    number = st.sampled_from([-3.0, -1.0, 0.5, 2.0, 1e6])
    units = data.draw(st.lists(number, min_size=X.shape[1], max_size=X.shape[1]))
    moved, *_ = found_by(kind, X[order] * np.array(units), [levels[i] for i in order], bias)
    assert moved.verdict == found.verdict
    assert sorted(order[i] for i in rows_of(moved)) == rows_of(found)


@settings(max_examples=60)
@given(responses(), st.data())
def test_an_aliased_column_is_named_and_changes_nothing_else(
    response: tuple[str, Grid, list[int], bool], data: st.DataObject
) -> None:
    kind, X, levels, bias = response
    found, *_ = found_by(kind, X, levels, bias)
    times = data.draw(st.lists(st.integers(-2, 2), min_size=X.shape[1], max_size=X.shape[1]))
    more = np.column_stack([X, X @ np.array(times, dtype=float)])
    again, y, trials = found_by(kind, more, levels, bias)
    assert again.verdict == found.verdict
    assert rows_of(again) == rows_of(found)
    assert again.aliases is not None
    assert found.aliases is not None
    blocks = max(levels) if kind == "multinomial" else 1
    assert len(again.aliases) == len(found.aliases) + blocks
    assert len(again.estimable().coefficients) == len(found.estimable().coefficients)
    assert verify(again, more, y, trials=trials)


@settings(max_examples=60)
@given(responses(), st.data())
def test_merged_levels_of_the_response_separate_no_row_more_or_stay_complete(
    response: tuple[str, Grid, list[int], bool], data: st.DataObject
) -> None:
    kind, X, levels, bias = response
    top = max(levels)
    if kind not in ("multinomial", "ordinal") or top < 2:
        return
    cut = data.draw(st.integers(0, top - 1))
    found, *_ = found_by(kind, X, levels, bias)
    merged, *_ = found_by(kind, X, [level - (level > cut) for level in levels], bias)
    if kind == "multinomial":  # with equal coefficients of both levels, its directions are some of
        assert {*rows_of(merged)} <= {*rows_of(found)}  # the directions of all levels
    elif found.verdict == "complete":  # the threshold between them is left out
        assert merged.verdict == "complete"


@settings(max_examples=60)
@given(st.data(), st.sampled_from(["binary", "poisson", "multinomial", "ordinal"]))
def test_merged_levels_of_a_fixed_effect_separate_no_row_more(
    data: st.DataObject, model: Any
) -> None:
    n = data.draw(st.integers(3, 9))
    column = st.lists(st.integers(0, 3), min_size=n, max_size=n)
    X, firm, y = np.array([data.draw(column)]).T * 1.0, data.draw(column), data.draw(column)
    y = [0, 1, *y[2:]] if model in ("multinomial", "ordinal") else [v % 2 for v in y]
    found = certify(X, y, model=model, fixed_effects={"firm": firm})
    merged = [0 if v == 1 else v for v in firm]
    assert {*rows_of(certify(X, y, model=model, fixed_effects={"firm": merged}))} <= {
        *rows_of(found)
    }


# Certificates that were changed


TAMPERED: list[tuple[tuple[str, ...], Any, str]] = [
    (("data", "model", "kind"), "ordinal", "its columns are not those of its model|the labels"),
    (("data", "model", "constant"), True, "its columns are not those of its model|its model is"),
    (("data", "model", "examples"), 7, "the examples are not those of the certificate"),
    (("data", "model", "columns"), 3, "it should have 3 names"),
    (("data", "classes"), ["no", "yes", "maybe"], "its columns|the labels|have 2 names"),
    (("data", "rows"), 5, "a row or column that does not exist"),
    (("separated",), "0", "the separated rows differ"),
    (("verdict",), "overlap", "weights do not match its verdict|estimable"),
    (("weights", "0"), "9", "on the wrong side|multiplier|not orthogonal|does not exist"),
    (("multipliers", "0"), "77", "sum to zero|separated but has a multiplier"),
    (("complement",), [], "do not span|estimable|complement"),
    (("estimable",), [0], "the estimable columns are not those|do not match its verdict"),
    (("estimable",), "0", "its estimable columns are wrong"),
]
PANEL = pd.DataFrame(
    {
        "y": [0, 0, 1, 1, 0, 2, 2, 0],
        "x": [0.5, 1.0, 1.5, 2.0, 2.5, 1.0, 3.0, 2.0],
        "firm": ["a", "a", "b", "b", "b", "c", "c", "c"],
    }
)
DIED = np.array([0, 0, 1, 1, 0, 1, 1, 0])
ASKED: dict[str, tuple[Any, str]] = {
    "binary": ("binary", "died ~ x | firm"),
    "poisson": ("poisson", "y ~ x | firm"),
    "multinomial": ("multinomial", "y ~ x | firm"),
    "ordinal": ("ordinal", "y ~ x | firm"),
    "binomial": ("binary", "cbind(y, two) ~ x | firm"),
}


def evidence_of(classes: tuple[str, ...], kind: str) -> check.Evidence:
    """The panel written out by hand for the slow checker: x, and a column for each firm."""
    firms = {"a": 1, "b": 2, "c": 3}
    codes = PANEL.y if kind != "poisson" else PANEL.y > 0
    codes = codes if kind != "binomial" else np.where(PANEL.y == 0, 0, 1)
    codes = codes if kind != "binary" else np.where(DIED == 0, -1, 1)
    rows = [
        (int(level), [(0, float(x)), (firms[firm], 1.0)])
        for level, x, firm in zip(codes, PANEL.x, PANEL.firm, strict=True)
    ]
    names = ("x", "firm=a", "firm=b", "firm=c")
    label = "died" if kind == "binary" else "y"
    return check.Evidence(rows, 4, names=names, label=label, classes=classes)


@pytest.mark.parametrize("kind", ASKED)
def test_changed_certificates_of_each_model_are_refused_by_all_checkers(kind: str) -> None:
    model, formula = ASKED[kind]
    frame = PANEL.assign(two=2, died=DIED)
    honest = certify_formula(formula, frame, model=model)
    given, classes = regression_data(formula, frame), honest.data.classes
    assert honest.verdict == "quasi-complete"
    check.check(honest.to_dict(), evidence_of(classes, kind))
    checked(check.claim(honest.to_dict()), given)
    assert said_by_javascript(honest.to_dict(), evidence_of(classes, kind)) in (None, "accepted")
    for path, to, reason in TAMPERED:
        wrong = honest.to_dict()
        at = wrong
        for step in path[:-1]:
            at = at[step]
        if at is None or at.get(path[-1]) == to:  # two labels have no model
            continue
        at[path[-1]] = to
        wrong["seal"] = check.seal(wrong)
        for refuses in (
            lambda it: check.check(it, evidence_of(classes, kind)),
            lambda it: checked(check.claim(it), given),
        ):
            with pytest.raises(check.Rejected, match=reason):
                refuses(wrong)
        words = said_by_javascript(wrong, evidence_of(classes, kind))
        assert words is None or re.search(reason, words), (path, words)
