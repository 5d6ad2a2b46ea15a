"""TextFeatures: scikit-learn's conventions, and the same columns as the command line."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import (
    check_estimator,
    check_estimator_cloneable,
    check_estimator_repr,
    check_get_params_invariance,
    check_mixin_order,
    check_no_attributes_set_in_init,
    check_parameters_default_constructible,
    check_set_params,
)

from helpers.command_line import stdout_of
from novikoff import AveragedPerceptron, BadExample, Perceptron, TextFeatures
from novikoff.estimators.text import BATCH
from novikoff.models.model import Model

TEXTS = ["Free money!", "FREE entry", "See you at lunch", "lunch with you, ß"]
LABELS = ["spam", "spam", "ham", "ham"]


def same(a: Any, b: Any) -> bool:
    arrays = ("data", "indices", "indptr")
    return a.shape == b.shape and all(
        getattr(a, name).tobytes() == getattr(b, name).tobytes() for name in arrays
    )


both = pytest.mark.parametrize("hash_bits", [12, None])


@both
def test_the_checks_of_scikit_learn_that_apply_to_texts_pass(hash_bits: Any) -> None:
    transformer = TextFeatures(hash_bits=hash_bits)
    with pytest.warns(UserWarning, match="requires input"):  # the others need numbers
        results = check_estimator(transformer, on_skip=None, on_fail=None)
    assert all(result["status"] == "passed" for result in results)
    for check in (
        check_estimator_cloneable,
        check_estimator_repr,
        check_get_params_invariance,
        check_mixin_order,
        check_no_attributes_set_in_init,
        check_parameters_default_constructible,
        check_set_params,
    ):
        check("TextFeatures", clone(transformer))


@both
def test_transforming_changes_nothing(hash_bits: Any) -> None:
    transformer = TextFeatures(hash_bits=hash_bits).fit(TEXTS)
    before = transformer.get_feature_names_out().tolist()
    assert same(transformer.transform(["new words"]), transformer.transform(["new words"]))
    assert transformer.get_feature_names_out().tolist() == before


@both
def test_it_learns_in_a_pipeline(hash_bits: Any) -> None:
    model = make_pipeline(TextFeatures(hash_bits=hash_bits), Perceptron())
    model.fit(TEXTS, LABELS)
    assert model.predict(["free entry", "lunch with her"]).tolist() == ["spam", "ham"]
    search = GridSearchCV(model, {"textfeatures__grams": ["words", "characters"]}, cv=2)
    assert search.fit(TEXTS, LABELS).best_score_ >= 0


def test_a_column_of_a_frame_is_a_list_of_texts() -> None:
    frame = np.array([[text, "x"] for text in TEXTS], dtype=object)
    rows = make_column_transformer((TextFeatures(hash_bits=None), 0)).fit_transform(frame)
    assert rows.shape[0] == 4


@both
def test_fitting_and_transforming_are_one_or_two_steps(hash_bits: Any) -> None:
    one = TextFeatures(hash_bits=hash_bits)
    two = clone(one).fit(TEXTS)
    assert same(one.fit_transform(TEXTS), two.transform(TEXTS))
    parts = clone(one).partial_fit(TEXTS[:2]).partial_fit(TEXTS[2:])
    assert parts.get_feature_names_out().tolist() == two.get_feature_names_out().tolist()


def test_hashing_needs_no_fit_and_a_dictionary_does() -> None:
    fitted = TextFeatures().fit(TEXTS).transform(TEXTS)
    assert fitted.shape == (4, 1 << 20)
    assert same(TextFeatures().transform(TEXTS), fitted)
    with pytest.raises(NotFittedError):
        TextFeatures(hash_bits=None).transform(TEXTS)
    with pytest.raises(NotFittedError):
        TextFeatures().get_feature_names_out()


def test_words_that_were_not_met_are_ignored() -> None:
    transformer = TextFeatures(hash_bits=None, unit_length=False).fit(["a b"])
    assert transformer.transform(["b c", "c", ""]).toarray().tolist() == [
        [0.0, float(np.log(2)), 0.0],
        [0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0],
    ]


def test_hashed_columns_have_the_names_that_were_met() -> None:
    transformer = TextFeatures(hash_bits=10).fit(["Free money"])
    names = transformer.get_feature_names_out()
    row = transformer.transform(["free money"])
    assert sorted(names[row.indices]) == ["text=free", "text=free money", "text=money"]
    assert names[next(j for j in range(1024) if j not in row.indices)].startswith("#")


@both
def test_it_can_be_pickled(hash_bits: Any) -> None:
    transformer = TextFeatures(hash_bits=hash_bits).fit(TEXTS)
    copy = pickle.loads(pickle.dumps(transformer))
    assert same(copy.transform(TEXTS), transformer.transform(TEXTS))
    assert copy.get_feature_names_out().tolist() == transformer.get_feature_names_out().tolist()


@both
def test_weights_are_those_of_the_command_line(tmp_path: Path, hash_bits: Any) -> None:
    lines = [f'{label},"{text}"\n' for label, text in zip(LABELS, TEXTS, strict=True)]
    (tmp_path / "t.csv").write_text("kind,text\n" + "".join(lines))
    how = ["--text", "text", "--learner", "averaged", "--stream", "--passes", 3, "-q"]
    hashing = [] if hash_bits is None else ["--hash-bits", hash_bits]
    stdout_of("train", tmp_path / "t.csv", "-o", tmp_path / "m", *how, *hashing)
    model = make_pipeline(
        TextFeatures(hash_bits=hash_bits), AveragedPerceptron(max_iter=3, shuffle=False)
    )
    model.fit(TEXTS, LABELS)
    weights = Model.load(tmp_path / "m").weights
    assert weights[:-1].tolist() == model[-1].coef_[0].tolist()
    assert weights[-1] == model[-1].intercept_[0]


def test_what_is_not_a_list_of_texts_is_refused() -> None:
    transformer = TextFeatures()
    with pytest.raises(ValueError, match="X must be a list of texts, not one text"):
        transformer.fit("one text")
    with pytest.raises(BadExample, match="example 1: float is not a text"):
        transformer.fit(["a", 1.5])  # type: ignore[list-item]
    with pytest.raises(BadExample, match="example 0: the text contains half of a surrogate pair"):
        transformer.fit(["\ud800"])
    with pytest.raises(ValueError, match="grams must be one of"):
        TextFeatures(grams="x").fit(["a"])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="hash_bits must be from 3 to 31"):
        TextFeatures(hash_bits=40).fit(["a"])
    assert transformer.fit_transform([]).shape == (0, 1 << 20)
    assert transformer.transform(["a\0b"]).nnz == 3  # a NUL is between words


def test_many_texts_are_read_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = TextFeatures(hash_bits=None).fit_transform(TEXTS * 5)
    monkeypatch.setattr("novikoff.estimators.text.BATCH", 20)
    assert same(TextFeatures(hash_bits=None).fit_transform(TEXTS * 5), whole)


@both
def test_a_partial_fit_that_fails_changes_nothing(hash_bits: Any) -> None:
    transformer = TextFeatures(hash_bits=hash_bits).fit(TEXTS[:1])
    names, rows = transformer.get_feature_names_out().tolist(), transformer.transform(TEXTS)
    with pytest.raises(BadExample, match="example 1: int is not a text"):
        transformer.partial_fit(["entirely other words", 1])  # type: ignore[list-item]
    with pytest.raises(BadExample, match="is not a text"):
        transformer.partial_fit(_two_batches())
    assert same(transformer.transform(TEXTS), rows)
    assert transformer.get_feature_names_out().tolist() == names


def _two_batches() -> Any:
    yield "yet other words " + " " * BATCH
    yield 1
