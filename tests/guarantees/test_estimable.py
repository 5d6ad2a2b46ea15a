"""What is left after separation: fits of it converge to the limit of fits of everything."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from helpers.separation import Problem, problems, reduced
from novikoff import Certificate, certify

CLINICS = pd.DataFrame(
    {
        "clinic": ["c", "c", "a", "a", "a", "b", "b", "b", "b"],
        "age": [3.0, 5.0, 4.0, 3.0, 1.0, 6.0, 5.0, 2.0, 1.0],
    }
)


@settings(max_examples=100)
@given(problems())
def test_the_rows_and_columns_that_are_kept_overlap_and_are_independent(problem: Problem) -> None:
    found = certify(problem.X, problem.y, fit_intercept=problem.bias)
    left = found.estimable()
    loaded = Certificate.from_dict(found.to_dict()).estimable()
    assert str(loaded) == str(left)
    assert (loaded.coefficients, loaded.absorbing) == (left.coefficients, left.absorbing)
    assert np.flatnonzero(~left.rows).tolist() == found.separated_rows.tolist()
    assert len(left.coefficients) + len(left.dropped) == problem.X.shape[1] + problem.bias
    if found.verdict == "complete":
        assert not left.coefficients
        return
    names = [found.data.name(j) for j in range(problem.X.shape[1] + problem.bias)]
    columns = [names.index(name) for name in left.coefficients]
    kept = [z for z, keeps in zip(problem.points, left.rows, strict=True) if keeps]
    assert len(reduced(kept)) == len(reduced([[z[j] for j in columns] for z in kept]))
    assert len(reduced(kept)) == len(columns)
    if problem.bias:
        assert "constant" in left.coefficients
    for j, name in enumerate(names):  # those that the rows that are kept determine by themselves
        unit = [int(k == j) for k in range(len(names))]
        is_determined = len(reduced([*kept, unit])) == len(reduced(kept))
        assert is_determined == (name in left.coefficients and name not in left.absorbing)


def design(frame: pd.DataFrame) -> pd.DataFrame:
    """The columns that `certify` makes of the frame, with their names."""
    levels = {f"clinic={v}": (frame.clinic == v) * 1.0 for v in dict.fromkeys(frame.clinic)}
    return pd.DataFrame({**levels, "age": frame.age, "constant": 1.0})


@pytest.mark.parametrize(
    ("model", "y"),
    [("poisson", [0, 0, 0, 2, 1, 1, 3, 0, 1]), ("binary", [0, 0, 0, 1, 1, 1, 1, 0, 1])],
)
def test_a_fit_of_what_is_left_converges_to_the_limit_of_all(model: Any, y: list[int]) -> None:
    api = pytest.importorskip("statsmodels.api")
    family = api.families.Poisson() if model == "poisson" else api.families.Binomial()
    found = certify(CLINICS, y, model=model)
    left = found.estimable()
    assert left.rows.tolist() == [False] * 2 + [True] * 7
    assert left.dropped == ("clinic=c", "clinic=b")
    assert "2 of 9 rows are separated" in left.sentence
    assert "clinic=c, clinic=b, the other 3 coefficients have finite" in left.sentence
    X = design(CLINICS)
    columns = list(left.coefficients)
    rest = api.GLM(np.array(y)[left.rows], X.loc[left.rows, columns], family=family).fit(tol=1e-12)
    assert rest.converged
    assert float(np.abs(rest.params).max()) < 10
    gaps = []
    for bound in (4.0, 8.0, 16.0):  # clinic c's coefficient is fixed farther and farther out
        bounded = api.GLM(y, X[columns], family=family, offset=-bound * X["clinic=c"])
        gaps.append(float(np.abs(bounded.fit(rest.params, tol=1e-12).params - rest.params).max()))
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] < 1e-5  # about exp(−16), the pull of the rows at infinity


def test_what_is_left_is_said_in_words() -> None:
    X = [[0.0], [1.0], [2.0], [3.0]]
    assert str(certify(X, [0, 1, 0, 1]).estimable()).endswith(
        "(no separation; Albert & Anderson 1984)."
    )
    none = certify(X, [0, 0, 1, 1]).estimable()
    assert none.sentence.startswith("All 4 rows are completely separated")
    assert not none.coefficients
    assert not none.rows.any()
    twice = certify(np.repeat(X, 2, axis=1), [0, 1, 0, 1]).estimable()
    assert twice.dropped == ("column 1",)
    assert (
        "are unique, without the coefficient of column 1, which the rows do not determine"
        in str(twice)
    )


def test_rows_that_lose_only_some_levels_are_kept_and_counted() -> None:
    X, y = [[0.0], [1.0], [0.0], [1.0], [5.0]], ["a", "b", "b", "a", "c"]
    left = certify(X, y, model="multinomial").estimable()
    assert left.rows.tolist() == [True] * 4 + [False]
    assert left.partly == 4
    assert left.coefficients == ("b: column 0", "b: constant")
    assert "For 4 of the rows that are left, some levels are ruled out" in left.sentence


def test_levels_with_one_response_are_named_as_the_reason() -> None:
    died = pd.Series([1, 1, 0, 1, 0, 1, 0, 1, 0], name="died")
    found = certify(CLINICS, died)
    assert [found.data.name(j) for j in found.one_response] == ["clinic=c"]
    assert [*found.one_response.values()] == [(2, "1")]
    assert "clinic=c → +∞" in str(found)
    assert "reason          all 2 rows with clinic=c have died 1" in str(found)
    counted = certify(CLINICS, [0, 0, 1, 2, 1, 2, 1, 0, 3], trials=3)
    assert "all 2 rows with clinic=c have the response none" in str(counted)


def test_what_is_not_known_is_refused() -> None:
    X = [[0.0], [1.0], [2.0], [3.0]]
    hard = np.random.default_rng(0).normal(size=(500, 20))
    with pytest.raises(ValueError, match="undecided"):
        certify(hard, hard[:, 0] > hard[:, 1] ** 2, max_seconds=0.0).estimable()
    assert math.isinf(certify(X, [0, 0, 1, 1]).directions[0])


def test_one_separated_row_is_spoken_of_in_the_singular() -> None:
    left = certify([[0.0], [0.0], [1.0]], [2, 0, 0], model="poisson").estimable()
    assert left.sentence.startswith("1 of 3 rows is separated")
    assert "do not all exist; without this row and the coefficient of" in left.sentence
