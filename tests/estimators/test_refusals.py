"""Bad input to the estimators: each a clear error, in scikit-learn's manner; nothing half done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from novikoff import (
    AdaptivePerceptron,
    AveragedPerceptron,
    BadExample,
    MarginPerceptron,
    Perceptron,
    VotedPerceptron,
    certify,
)

GOOD = np.array([[1.0, 2.0], [2.0, 1.0], [-1.0, -2.0], [-3.0, -1.0]])
LABELS = np.array([1, 1, 0, 0])
every = pytest.mark.parametrize(
    "kind",
    [Perceptron, MarginPerceptron, AveragedPerceptron, VotedPerceptron, AdaptivePerceptron],
)


def spoiled(value: float, form: Any) -> Any:
    X = GOOD.copy()
    X[2, 1] = value
    return form(X)


@every
@pytest.mark.parametrize("form", [np.array, sp.csr_array, np.float32, pd.DataFrame])
@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (np.inf, "inf"), (-np.inf, "inf")])
def test_nan_and_infinity_are_refused(kind: Any, form: Any, value: float, word: str) -> None:
    bad = spoiled(value, form)
    with pytest.raises(ValueError, match=rf"Input X contains {word}"):
        kind().fit(bad, LABELS)
    with pytest.raises(ValueError, match=rf"Input X contains {word}"):
        kind().partial_fit(bad, LABELS, classes=[0, 1])
    fitted = kind().fit(GOOD, LABELS)
    for verb in (fitted.predict, fitted.decision_function):
        with pytest.raises(ValueError, match=rf"Input X contains {word}.* \(row 2, column 1\)"):
            verb(bad)


@every
def test_a_refused_batch_is_not_learned_in_part(kind: Any) -> None:
    clf = kind().partial_fit(GOOD, LABELS, classes=[0, 1])
    before = clf.coef_.copy(), clf.ledger_.n_rounds
    with pytest.raises(ValueError, match="NaN"):
        clf.partial_fit(spoiled(np.nan, np.array), LABELS)
    with pytest.raises(ValueError, match="row 2: label 2 is a third class, after 0 and 1"):
        clf.partial_fit(GOOD, [0, 1, 2, 0])
    large = [[5.0, 1], [1e308, -1e308], [1e308, 1e308], [1e308, 1e308]]
    with pytest.raises(ValueError, match="too large"):
        clf.partial_fit(large, [1, 0, 1, 0])
    assert np.array_equal(clf.coef_, before[0])
    assert clf.ledger_.n_rounds == before[1]
    assert clf.partial_fit(GOOD, LABELS).ledger_.n_rounds == 2 * before[1]


@every
def test_a_refused_fit_leaves_an_unfitted_estimator(kind: Any) -> None:
    clf = kind()
    with pytest.raises(ValueError, match="NaN"):
        clf.fit(spoiled(np.nan, np.array), LABELS)
    assert vars(clf) == vars(kind())
    fitted = kind().fit(GOOD, LABELS)
    with pytest.raises(ValueError, match="NaN"):
        fitted.fit(spoiled(np.nan, np.array)[:, [0, 1, 1]], ["a", "a", "b", "b"])
    assert fitted.predict(GOOD).tolist() == LABELS.tolist()
    assert fitted.n_features_in_ == 2


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        (GOOD, [1, 1, 1, 1], "at least 2 classes in the data, but it contains only one class: 1"),
        (GOOD, ["a"] * 4, "only one class: 'a'"),
        (np.empty((0, 2)), [], r"Found array with 0 sample\(s\) \(shape=\(0, 2\)\)"),
        (sp.csr_array((0, 2)), [], r"Found array with 0 sample\(s\)"),
        (np.empty((4, 0)), LABELS, r"0 feature\(s\) \(shape=\(4, 0\)\)"),
        (GOOD, [0, 1, 1], "inconsistent numbers of samples: .4, 3."),
        (GOOD[:, 0], LABELS, "Expected 2D array, got 1D array"),
        (GOOD, [0.5, 1.5, 2.5, 0.5], "Unknown label type: continuous"),
        (GOOD, [0.5, 1.5, 0.5, 1.5], "Unknown label type: continuous"),
        (GOOD, [1.0, 0.0, np.nan, 1.0], "Input y contains NaN"),
        (GOOD, None, "requires y to be passed, but the target y is None"),
        (GOOD + 1j, LABELS, "Complex data not supported"),
        (GOOD.astype(str) + "x", LABELS, "could not convert string to float"),
        (GOOD * 1e200, LABELS, "scale the features"),
    ],
)
def test_data_that_cannot_be_learned_are_refused(X: Any, y: Any, words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        Perceptron(shuffle=False).fit(X, y)


def test_a_lazy_frame_is_refused_with_what_to_pass() -> None:
    with pytest.raises(TypeError, match=r"X is a lazy frame; pass X.collect\(\)"):
        Perceptron().fit(pl.LazyFrame({"a": [1.0, 2.0]}), [0, 1])


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_label_column_left_in_the_features_is_named(frame: Any) -> None:
    data = frame({"length": [1.0, 2.0, 3.0, 4.0], "species": ["a", "b", "a", "b"]})
    with pytest.raises(ValueError, match=r"'a' \(row 0, column 'species' of X\); if"):
        Perceptron().fit(data, LABELS)


@every
def test_a_wrong_number_of_features_is_refused(kind: Any) -> None:
    clf = kind().fit(GOOD, LABELS)
    with pytest.raises(ValueError, match="X has 3 features, but .* is expecting 2"):
        clf.predict(np.ones((2, 3)))
    with pytest.raises(ValueError, match="X has 1 features, but .* is expecting 2"):
        clf.partial_fit(np.ones((2, 1)), [0, 1])


def test_sparse_rows_with_impossible_indices_are_refused() -> None:
    X = sp.csr_array(GOOD)
    X.indices = np.array([0, 1, 0, 1, 0, 7, 0, 1], dtype=np.int32)
    with pytest.raises(ValueError, match="row 2: column 7 is not in 0..1"):
        Perceptron(shuffle=False).fit(X, LABELS)
    X.indices = np.array([0, 1, 0, 1, 0, -1, 0, 1], dtype=np.int32)
    with pytest.raises(ValueError, match="row 2: column -1 is not in 0..1"):
        Perceptron(shuffle=False).fit(X, LABELS)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"max_iter": 0}, "max_iter must be a whole number from 1, not 0"),
        ({"max_iter": 2.5}, "max_iter must be a whole number from 1, not 2.5"),
        ({"shuffle": "twice"}, "shuffle must be 'once', True or False, not 'twice'"),
        *(
            ({"eta0": rate}, "eta0 must be a finite number above 0, not ")
            for rate in (0.0, -1.0, float("nan"), float("inf"), "a", None, True)
        ),
        ({"fit_intercept": 1}, "fit_intercept must be True or False, not 1"),
        ({"fit_intercept": None}, "fit_intercept must be True or False, not None"),
        ({"ties": "even"}, "ties must be one of mistake, positive, negative, not 'even'"),
        ({"keep": "all"}, "keep must be 'auto', 'examples', 'positions' or 'counts', not 'all'"),
        ({"class_weight": {0: 0.0, 1: 1.0}}, "class weights must be positive and finite"),
        ({"class_weight": {0: float("inf"), 1: 1.0}}, "class weights must be positive and finite"),
    ],
)
def test_parameters_out_of_range_are_refused(parameters: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Perceptron(**parameters).fit(GOOD, LABELS)
    for margin in (-1.0, float("inf"), None, "wide"):
        with pytest.raises(ValueError, match="margin must be a finite number from 0, not "):
            MarginPerceptron(margin=margin).fit(GOOD, LABELS)  # type: ignore[arg-type]


def test_partial_fit_must_know_the_classes() -> None:
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        Perceptron().partial_fit(GOOD, LABELS)
    with pytest.raises(ValueError, match="at least 2 classes"):
        Perceptron().partial_fit(GOOD, LABELS, classes=[1])
    clf = Perceptron().partial_fit(GOOD, LABELS, classes=[0, 1])
    with pytest.raises(ValueError, match="not those of the first call"):
        clf.partial_fit(GOOD, LABELS, classes=[0, 2])


def test_an_unknown_reading_is_refused() -> None:
    clf: Any = Perceptron().fit(GOOD, LABELS)
    with pytest.raises(ValueError, match="'final', 'average' or 'vote', not 'median'"):
        clf.predict(GOOD, reading="median")
    with pytest.raises(ValueError, match="'final' or 'average', not 'vote'"):
        clf.weights("vote")


def test_dates_are_not_numbers() -> None:
    days = ["2020-01-01", "2020-01-02", "2020-01-03", "2020-01-04"]
    forms: list[Any] = [
        pd.DataFrame({"day": pd.to_datetime(days)}),
        pd.DataFrame({"x": [1.0] * 4, "day": pd.to_datetime(days)}),
        pl.DataFrame({"day": days}).with_columns(pl.col("day").str.to_date()),
        pl.DataFrame({"x": [1.0] * 4, "day": days}).with_columns(pl.col("day").str.to_date()),
    ]
    for form in forms:
        with pytest.raises(ValueError, match="column 'day' of X holds dates or times"):
            Perceptron().fit(form, LABELS)
    with pytest.raises(ValueError, match="X holds dates or times"):
        Perceptron().fit(np.array(days, dtype="datetime64[D]")[:, None], LABELS)


def test_a_start_that_is_not_finite_is_refused() -> None:
    with pytest.raises(ValueError, match="coef_init and intercept_init must be finite"):
        Perceptron().fit(GOOD, LABELS, coef_init=[np.nan, 0.0])


@pytest.mark.parametrize("method", ["fit", "partial_fit", "predict", "certify"])
def test_a_bad_value_is_named_by_its_row_and_the_name_of_its_column(method: str) -> None:
    good = pd.DataFrame({"age": [1.0, 2.0, 3.0, 4.0], "height cm": [3.0, 1.0, 4.0, 1.0]})
    bad = good.copy()
    bad.iloc[2, 1] = np.nan
    calls: dict[str, Callable[[], Any]] = {
        "fit": lambda: Perceptron().fit(bad, LABELS),
        "partial_fit": lambda: Perceptron().partial_fit(bad, LABELS, classes=[0, 1]),
        "predict": lambda: Perceptron().fit(good, LABELS).predict(bad),
        "certify": lambda: certify(bad, LABELS),
    }
    words = r"contains NaN or a missing value \(row 2, column 'height cm'\)"
    if method == "certify":  # which speaks to statisticians
        words = "row 2: height cm is missing, as in 1 of 4 rows"
    with pytest.raises(BadExample, match=words):
        calls[method]()


def test_a_text_among_numbers_and_a_row_of_another_length_are_named() -> None:
    mixed = pd.DataFrame({"age": [1, 2, 3, "old"], "size": [1, 2, 3, 4]}, dtype=object)
    for X, words in (
        (mixed, r"'old' \(row 3, column 'age' of X\)"),
        ([[1, "2"], [3, "x"]], r"'x' \(row 1, column 1 of X\)"),
        ([[1, 2], [3]], "row 1 has 1 features, but row 0 has 2"),
    ):
        with pytest.raises(BadExample, match=words):
            Perceptron().fit(X, LABELS[: len(X)])
    with pytest.raises(BadExample, match=r"Input y contains NaN \(row 2\)"):
        Perceptron().fit(GOOD, [1.0, 0.0, np.nan, 1.0])
