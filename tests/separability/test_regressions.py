"""Formulas, and models fitted by statsmodels and pyfixest: the same verdicts as their columns."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from helpers.checkers import answer
from helpers.command_line import run
from novikoff import (
    BadExample,
    Rejected,
    certify,
    certify_fit,
    certify_formula,
    regression_data,
    verify,
)
from novikoff.guarantees import check

FRAME = pd.DataFrame(
    {
        "y": [0, 3, 0, 1, 0, 2, 0, 0],
        "x": [1.5, 0.5, 2.5, 1.0, 2.0, 1.25, 0.5, 1.0],
        "firm": [7, 8, 7, 8, 9, 9, 8, 9],
        "year": [1, 1, 2, 2, 2, 1, 1, 2],
        "ward": pd.Categorical(list("aabbaabb"), categories=list("abz")),
        "grade": pd.Categorical(
            ["low", "mid", "low", "high", "mid", "high", "low", "mid"],
            ["low", "mid", "high"],
            ordered=True,
        ),
    }
)
FRAME["died"] = (FRAME.y > 0) * 1


EFFECTS = FRAME[["firm", "year"]]


@pytest.mark.parametrize(
    ("formula", "model", "y", "options"),
    [
        ("y ~ x", "poisson", FRAME.y, {}),
        ("y ~ 0 + x", "poisson", FRAME.y, {"fit_intercept": False}),
        ("y ~ x | firm + year", "poisson", FRAME.y, {"fixed_effects": EFFECTS}),
        ("died ~ x | firm", "binary", FRAME.died, {"fixed_effects": FRAME[["firm"]]}),
        ("grade ~ x", "ordinal", FRAME.grade, {}),
        ("grade ~ x", "multinomial", FRAME.grade, {}),
        ("cbind(y, firm) ~ x", "binary", FRAME.y, {"trials": FRAME.y + FRAME.firm}),
    ],
)
def test_a_formula_is_its_columns(formula: str, model: Any, y: Any, options: Any) -> None:
    found = certify_formula(formula, FRAME, model=model)
    columns = certify(FRAME[["x"]], y, model=model, **options)
    assert found.verdict == columns.verdict
    assert found.separated_rows.tolist() == columns.separated_rows.tolist()
    assert found.data.names == columns.data.names
    given = regression_data(formula, FRAME)
    assert verify(found, given)
    with pytest.raises(Rejected):
        verify(found, regression_data(formula, FRAME.assign(x=FRAME.x + 1)))
    if formula == "y ~ x":
        with pytest.raises(Rejected, match="only one of the models has a constant"):
            verify(found, regression_data("y ~ 0 + x", FRAME))


def test_names_are_those_of_the_formula() -> None:
    found = certify_formula("{y > 0} ~ x*year + C(ward)", FRAME)
    assert found.data.names == ("x", "year", "C(ward)[T.b]", "C(ward)[T.z]", "x:year")
    assert "C(ward)[T.z] is 0 in every row" in str(found)
    pairs = certify_formula("y ~ x | firm^year", pl.DataFrame(FRAME), model="poisson")
    assert "all 2 rows with firm^year=9^2 have y 0" in str(pairs)
    with_zero = FRAME.assign(n=[0, *[1] * 7])
    for weights in (with_zero.n, "n"):
        weighted = certify_formula("y ~ x", with_zero, model="poisson", weights=weights)
        assert weighted.data.model is not None
        assert weighted.data.model.examples == 7
    with pytest.raises(BadExample, match="there is no column 'm'"):
        certify_formula("y ~ x", with_zero, model="poisson", weights="m")


def test_offsets_are_no_columns_and_a_dot_is_all_others() -> None:
    plain = certify_formula("y ~ x + ward", FRAME, model="poisson")
    assert plain == certify_formula("y ~ x + offset(np.log(firm)) + ward", FRAME, model="poisson")
    some = FRAME[["x", "y", "ward", "firm"]]
    expected = certify_formula("y ~ x + ward | firm", FRAME, model="poisson")
    assert certify_formula("y ~ . | firm", some, model="poisson") == expected


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("y ~ q", "there is no column 'q'; the columns are"),
        ("y x", "is not of the form 'y ~ x'"),
        ("y ~ x +", "Operator .* has"),
        ("y ~ x | farm", "there is no column 'farm'; the columns are 'y', 'x'"),
        ("cbind(y, q) ~ x", "there is no column 'q'"),
        ("y ~ hole", "row 1: hole is missing, as in 1 of 8 rows; leave these rows out"),
        ("hole ~ x", "row 1: hole is missing"),
        ("y ~ {1/zero}", "row 2: 1 / zero is infinite, as in 1 of 8 rows; leave these"),
        ("same ~ x", "all rows have the response '1'; the model needs two"),
        ("C(ward) ~ x", "the response 'C.ward.' is not one column"),
        ("y ~ when", "column 'when' holds dates or times; convert them to numbers"),
    ],
)
def test_formulas_that_cannot_be_used_are_refused(formula: str, words: str) -> None:
    frame = FRAME.assign(hole=[1.0, None, *range(6)], same=1, zero=[1, 1, 0, *[1] * 5])
    frame["when"] = pd.Timestamp("2001-01-01")
    with pytest.raises(BadExample, match=words):
        certify_formula(formula, frame, model="multinomial")


def test_a_response_with_one_value_and_a_constant_column_are_answered() -> None:
    one = certify_formula("same ~ x + fixed", FRAME.assign(same=1, fixed=3.0))
    assert "all rows have the label 1" in str(one)
    assert one.estimable().coefficients == ()
    zero = certify_formula("none ~ x", FRAME.assign(none=0), model="poisson")
    assert zero.verdict == "complete"
    aliased = certify_formula("y ~ x + fixed", FRAME.assign(fixed=3.0), model="poisson")
    assert "fixed is a combination of other columns" in str(aliased)
    with pytest.raises(BadExample, match="needs a frame"):
        certify_formula("y ~ x", None)


def test_fits_of_statsmodels_are_their_formulas() -> None:
    api = pytest.importorskip("statsmodels.api")
    ordered = pytest.importorskip("statsmodels.miscmodels.ordinal_model").OrderedModel
    formulas = pytest.importorskip("statsmodels.formula.api")
    X = api.add_constant(FRAME[["x"]])
    binomial, poisson = api.families.Binomial(), api.families.Poisson()
    cases: list[tuple[Any, str, Any]] = [
        (api.Logit(FRAME.died, X), "died ~ x", "binary"),
        (formulas.probit("died ~ x", FRAME), "died ~ x", "binary"),
        (api.GLM(FRAME.died, X, family=binomial), "died ~ x", "binary"),
        (api.GLM(FRAME[["y", "firm"]], X, family=binomial), "cbind(y, firm) ~ x", "binary"),
        (api.GLM(FRAME.y, X, family=poisson, offset=FRAME.x), "y ~ x", "poisson"),
        (formulas.poisson("y ~ x + C(firm)", FRAME), "y ~ x + C(firm)", "poisson"),
        (api.MNLogit(FRAME.firm, X), "firm ~ x", "multinomial"),
        (ordered(FRAME.grade, FRAME[["x"]]), "grade ~ x", "ordinal"),
    ]
    for fitted, formula, model in cases:
        found, expected = certify_fit(fitted), certify_formula(formula, FRAME, model=model)
        assert found.to_dict()["data"]["model"] == expected.to_dict()["data"]["model"]
        assert found.verdict == expected.verdict
        assert {*(found.data.names or ())} == {*(expected.data.names or ())}
        assert found.separated_rows.tolist() == expected.separated_rows.tolist()
        assert found.data.classes == expected.data.classes
        assert verify(found, regression_data(fitted))
    result = api.GLM(FRAME.y, X, family=poisson, freq_weights=[0, *[1] * 7]).fit()
    assert certify_fit(result).data.rows < 16
    gamma = api.GLM(FRAME.y + 1, X, family=api.families.Gamma(api.families.links.Log()))
    with pytest.raises(BadExample, match="a GLM of the family Gamma with the link Log"):
        certify_fit(gamma)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        not_all = api.GLM(FRAME.died, X, family=api.families.Binomial(api.families.links.Log()))
    with pytest.raises(BadExample, match="a GLM of the family Binomial with the link Log"):
        certify_fit(not_all)
    assert certify_fit(
        api.GLM(FRAME.died, X, family=api.families.Binomial(api.families.links.CLogLog()))
    ) == certify_fit(cases[0][0])
    with pytest.raises(TypeError, match="not a OLS"):
        certify_fit(api.OLS(FRAME.y, X))


def test_fits_of_pyfixest_are_asked_about_with_all_their_rows() -> None:
    pyfixest = pytest.importorskip("pyfixest")
    frame = pd.concat([FRAME] * 3, ignore_index=True)
    frame["z"] = np.random.default_rng(0).normal(size=len(frame))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = pyfixest.fepois("y ~ x + z | firm", frame, separation_check=["fe"])
        plain = pyfixest.feols("y ~ x", frame)
        dummies = pyfixest.fepois("y ~ x + i(firm)", frame)
        written_out = certify_fit(dummies, frame)
    every = certify_formula("y ~ x + C(firm)", frame, model="poisson")
    assert written_out.separated_rows.tolist() == every.separated_rows.tolist()
    found = certify_fit(fit, frame)
    assert found == certify_formula("y ~ x + z | firm", frame, model="poisson")
    assert verify(found, regression_data(fit, frame))
    assert {*np.flatnonzero(frame.firm == 7)} <= {*found.separated_rows.tolist()}
    assert certify_fit(fit).data.rows < found.data.rows  # without the rows that pyfixest dropped
    with pytest.raises(BadExample, match="estimates of feols always exist"):
        certify_fit(plain)
    with pytest.raises(TypeError, match="use certify_formula"):
        certify_fit("y ~ x", frame)
    with pytest.raises(TypeError, match="expected a result of statsmodels"):
        certify_fit(frame)


def test_without_formulaic_the_error_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "formulaic", None)
    with pytest.raises(BadExample, match="novikoff.stats."):
        certify_formula("y ~ x", FRAME)
    FRAME.to_csv(tmp_path / "data.csv", index=False)
    monkeypatch.setitem(sys.modules, "pandas", None)  # formulaic would bring it
    made = run("certify", tmp_path / "data.csv", "--formula", "y ~ x")
    assert made.exit_code == 2
    assert "pip install 'novikoff[stats]'" in made.stderr


def test_the_command_line_takes_formulas(tmp_path: Path) -> None:
    file, proof = tmp_path / "data.csv", tmp_path / "proof.json"
    FRAME.to_csv(file, index=False)
    formula = ["--formula", "y ~ x + C(ward) | firm + year"]
    made = run("certify", file, *formula, "--model", "poisson", "-o", proof)
    assert made.exit_code == 0, made.stderr
    like = certify_formula(formula[1], FRAME.assign(ward=FRAME.ward.astype(str)), model="poisson")
    assert str(like).splitlines()[1:4] == made.stdout.splitlines()[1:4]
    assert "proved for the 8 rows of a poisson model" in run("verify", proof, file, *formula).stdout
    assert run("verify", proof, file, "--formula", "y ~ x | firm").exit_code == 1
    counts = run("certify", file, "--formula", "cbind(y, firm) ~ x")
    assert "response        y: none, some, all" in counts.stdout
    ordinal = ["--formula", "grade ~ x", "--model", "ordinal"]
    assert "in order with --classes" in run("certify", file, *ordinal).stderr
    assert run("certify", file, *ordinal, "--classes", "low,mid,high").exit_code == 0
    both = run("certify", file, *formula, "--fixed-effects", "firm")
    assert "write them after a bar in --formula" in both.stderr
    nameless = tmp_path / "bare.csv"
    nameless.write_text("1,0\n2,1\n")
    assert "names the columns" in run("certify", nameless, "--formula", "1 ~ 0").stderr


def test_the_slow_checker_takes_the_table_of_a_formula(tmp_path: Path) -> None:
    """The table is written here, by hand, as one who does not trust the library would make it."""
    file, proof, table = (tmp_path / name for name in ("data.csv", "proof.json", "table.csv"))
    FRAME.assign(rest=FRAME.firm - FRAME.y).to_csv(file, index=False)

    def slow(*options: str) -> tuple[int, str]:
        words = [sys.executable, check.__file__, str(proof), str(table), *options]
        done = subprocess.run(words, capture_output=True, text=True)
        return done.returncode, (done.stdout + done.stderr).splitlines()[0]

    formula = ["--formula", "y ~ x + C(ward) | firm"]
    assert run("certify", file, *formula, "--model", "poisson", "-o", proof).exit_code == 0
    made = pd.DataFrame({"x": FRAME.x, "C(ward)[T.b]": (FRAME.ward == "b") * 1, "firm": FRAME.firm})
    made.assign(y=FRAME.y).to_csv(table, index=False)
    options = ("--label", "y", "--categorical", "firm")
    said = "quasi-complete: proved for the 8 rows of a poisson model without a constant"
    assert slow(*options, "--expanded") == (0, said)
    assert slow(*options) == (1, "rejected: the files are not those of the certificate")
    reason = "rejected: the data have 3 columns, not 5; read 'firm' as categories"
    assert slow("--label", "y", "--expanded") == (1, reason)
    made.assign(y=FRAME.y + 1).to_csv(table, index=False)
    assert slow(*options, "--expanded") == (
        1,
        "rejected: the examples are not those of the certificate",
    )

    counts = ["--formula", "cbind(y, rest) ~ x"]
    assert run("certify", file, *counts, "-o", proof).exit_code == 0
    pd.DataFrame({"x": FRAME.x, "y": FRAME.y, "of": FRAME.firm}).to_csv(table, index=False)
    assert slow("--label", "y", "--expanded", "--trials", "of") == (
        0,
        "overlap: proved for the 8 rows of a binomial model",
    )
    status, words = slow("--label", "y", "--expanded")
    assert (status, "name the column of trials" in words) == (2, True)


NAMED = FRAME.assign(rest=[7, 0, 7, 7, 9, 2, 8, 9], big=["yes", "no"] * 4)


@pytest.mark.parametrize(
    ("formula", "model", "options"),
    [
        ("y ~ x + C(ward) | firm + year", "poisson", []),
        ("y ~ x*C(ward) + big | firm^year", "poisson", []),
        ("died ~ x:ward + C(firm)", "binary", []),
        ("died ~ x:year + C(ward, contr.treatment('b')) + C(firm):C(year)", "binary", []),
        ("grade ~ x + ward", "multinomial", []),
        ("grade ~ x", "ordinal", ["--classes", "low,mid,high"]),
        ("cbind(y, rest) ~ x | ward", "binary", []),
    ],
)
def test_checkers_make_the_columns_of_a_formula_from_their_names(
    formula: str, model: str, options: list[str], tmp_path: Path
) -> None:
    """All that a reader has is the certificate and the file that it is of."""
    NAMED.to_csv(tmp_path / "data.csv", index=False)
    how = ["--formula", formula, "--model", model, *options]
    made = run("certify", tmp_path / "data.csv", *how, "-o", tmp_path / "proof.json")
    assert made.exit_code == 0, made.stderr
    flags = ["--by-name", *(["--trials", "y+rest"] if formula.startswith("cbind") else [])]
    status, out, err = answer(tmp_path, "proof.json", "data.csv", *flags)
    assert (status, "proved for the 8 rows" in out) == (0, True), out + err
    status, out, err = answer(tmp_path, "proof.json", "data.csv", "--label", "y")
    hinted = "; add --by-name to make the columns from their names" in out + err
    assert (status > 0, hinted) == (True, True), out + err
    NAMED.assign(x=NAMED.x[::-1].to_numpy()).to_csv(tmp_path / "data.csv", index=False)
    status, out, _ = answer(tmp_path, "proof.json", "data.csv", *flags)
    assert (status, out.strip()) == (1, "rejected: the files are not those of the certificate")


@pytest.mark.parametrize(
    ("names", "text", "status", "words"),
    [
        (["np.log(x)"], "x,y\n1,0\n2,1\n", 2, "'np.log(x)' is not a column of the file, a level"),
        (["f[S.1]"], "x,f,y\n1,1,0\n2,1,1\n", 2, "'f[S.1]' is not a column of the file"),
        (["f^g=1"], "x,f,y\n1,1,0\n2,1,1\n", 2, "pass --expanded; or use novikoff verify"),
        (["f^g=1"], "f,g,y\n1,1,0\n2,1,1\n", 2, "'f^g=1' is not a column of the file, a level"),
        (["f=1"], "x,f,y\n1,?,0\n2,1,1\n", 2, "a category is missing"),
        (["x"], "1,0\n2,1\n", 2, "column 'y' is missing"),
        (["f=1", "f[T.1]"], "x,f,y\n1,0,0\n2,1,1\n", 1, "'f[T.1]' and 'f=1' are the same column"),
        (["x", "x:x"], "x,y\n1,0\n2,1\n", 1, "the data are not those of the certificate"),
    ],
)
def test_names_that_say_no_column_prove_nothing(
    names: list[str], text: str, status: int, words: str, tmp_path: Path
) -> None:
    found = certify(pd.DataFrame({name: [1.0, 2.0] for name in names}), pd.Series([0, 1], name="y"))
    found.save(tmp_path / "proof.json")
    (tmp_path / "data.csv").write_text(text)
    got, out, err = answer(tmp_path, "proof.json", "data.csv", "--by-name")
    assert (got, words in out + err) == (status, True), out + err


def test_a_certificate_without_names_is_not_checked_by_name(tmp_path: Path) -> None:
    certify([[1.0], [2.0]], [0, 1]).save(tmp_path / "proof.json")
    (tmp_path / "data.csv").write_text("x,y\na,0\nb,1\n")
    status, _, err = answer(tmp_path, "proof.json", "data.csv", "--by-name")
    assert (status, "the certificate names no columns" in err) == (2, True)
    status, _, err = answer(tmp_path, "proof.json", "data.csv")
    assert (status, "only those are read; or use novikoff verify" in err) == (2, True)
