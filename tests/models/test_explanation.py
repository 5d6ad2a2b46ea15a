"""The features that decided add up to the score, and the mistakes behind them to their weights."""

from __future__ import annotations

import csv
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from helpers.command_line import error, stdout_of
from novikoff import (
    AdaptivePerceptron,
    AveragedPerceptron,
    MarginPerceptron,
    Perceptron,
    VotedPerceptron,
    Winnow,
    load,
)
from novikoff.models import explanation

DICE = np.random.default_rng(11)
X = DICE.integers(-3, 4, (80, 4)).astype(float)
TWO = np.where(X @ [1, -2, 0.5, 0] + DICE.normal(size=80) > 0, 1, 0)
THREE = np.array(["a", "b", "c"])[np.clip(X[:, 0] + 1, 0, 2).astype(int)]

KINDS: dict[str, tuple[Any, Any, Any]] = {
    "perceptron": (Perceptron(max_iter=3), X, TWO),
    "rate": (MarginPerceptron(max_iter=3, eta0=0.25), X, TWO),
    "averaged": (AveragedPerceptron(max_iter=3), X, TWO),
    "adaptive": (AdaptivePerceptron(keep="examples"), X, TWO),
    "averaged adaptive": (AdaptivePerceptron(keep="examples", average=True), X, TWO),
    "full matrix": (AdaptivePerceptron(keep="examples", matrix="full"), X, TWO),
    "winnow": (Winnow(max_iter=3), X, TWO),
    "winnow2": (Winnow(variant="winnow2", max_iter=3), abs(X), TWO),
    "without a constant": (Perceptron(max_iter=3, fit_intercept=False), X, TWO),
    "one against the rest": (Perceptron(max_iter=3), X, THREE),
    "jointly": (Perceptron(max_iter=3, multiclass="joint"), X, THREE),
    "two jointly": (AveragedPerceptron(max_iter=3, multiclass="joint"), X, TWO),
    "adaptive, jointly": (AdaptivePerceptron(multiclass="joint"), X, THREE),
}


@pytest.mark.parametrize("kind", KINDS)
def test_all_contributions_and_the_constant_add_up_to_the_score(kind: str) -> None:
    made, rows, y = KINDS[kind]
    clf = made.fit(rows, y)
    for x in rows[:20]:
        found = clf.explain(x)
        assert found.label == clf.predict([x]).tolist()[0]
        (score,) = clf.decision_function([x])
        if np.ndim(score):
            order = np.argsort(-score, kind="stable")
            assert (found.label, found.rival) == tuple(clf.classes_[order[:2]])
            score = score[order[0]] - score[order[1]]
        elif kind == "two jointly":
            score = abs(score)
        assert found.score == score
        size = sum(abs(one.amount) for one in found.contributions) + abs(found.constant)
        # a score is rounded after each of its sums and products
        assert abs(found.exact_score - Fraction(found.score)) <= Fraction(size) * 2**-48
        amounts = [abs(one.amount) for one in found.contributions]
        assert amounts == sorted(amounts, reverse=True)
        assert len(amounts) == np.count_nonzero(x)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if "winnow" not in kind])
def test_the_changes_by_all_mistakes_add_up_to_the_weight(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, rows, y = KINDS[kind]
    monkeypatch.setattr(explanation, "CAUSES_SHOWN", 10**6)
    clf = made.fit(rows, y)
    for x in rows[:5]:
        for one in clf.explain(x).contributions:
            if kind == "adaptive, jointly":
                assert one.causes is None
                continue
            total = sum(cause.change for cause in one.causes)
            assert total == pytest.approx(one.weight, abs=1e-12)  # changes are rounded
            assert all(0 <= cause.example < 80 for cause in one.causes)


def test_the_mistakes_that_made_a_weight_what_it_is_come_first_and_an_example_once() -> None:
    clf = Perceptron(fit_intercept=False)
    mail = [({"free": 1}, "spam"), ({"free": 1}, "ham"), ({"free": 1, "x": 1}, "ham")]
    for x, y in mail:
        clf.learn_one(x, y)
    (one,) = clf.explain({"free": 1}).contributions
    assert one.causes is not None
    assert len({cause.example for cause in one.causes}) == len(one.causes)
    towards = [cause.change * one.weight > 0 for cause in one.causes]
    assert towards == sorted(towards, reverse=True)
    assert {*towards} == {True, False}


def test_a_mistake_is_named_by_its_example_round_and_label() -> None:
    clf = Perceptron()
    mail = [({"free": 1, "win": 1}, "spam"), ({"lunch": 1}, "ham"), ({"free": 1}, "ham")]
    for x, y in mail:
        clf.learn_one(x, y)
    found = clf.explain({"free": 2, "lunch": 1, "unknown": 7})
    assert (found.label, found.score, found.constant) == ("ham", -2.0, -1.0)
    lunch, free = found.contributions
    assert (lunch.feature, lunch.value, lunch.weight, lunch.amount) == ("lunch", 1.0, -1.0, -1.0)
    assert lunch.causes == (explanation.Cause(1, 2, "ham", -1.0),)
    assert (free.feature, free.amount) == ("free", 0.0)
    assert free.causes is not None
    assert [(c.example, c.label, c.change) for c in free.causes] == [(0, "spam", 1), (2, "ham", -1)]
    assert str(found).splitlines() == [
        "ham\t-2.0",
        "  -1  lunch = 1  mistakes on examples 1 (ham, -1)",
        "  +0  free = 2   mistakes on examples 0 (spam, +1), 2 (ham, -1)",
        "  -1  constant",
    ]


def test_without_rows_in_the_ledger_there_are_no_causes_and_a_vote_has_no_parts() -> None:
    clf = Perceptron(keep="counts", max_iter=2).fit(X, TWO)
    assert all(one.causes is None for one in clf.explain(X[0]).contributions)
    assert clf.explain(X[0]).contributions[0].feature.startswith("column ")
    with pytest.raises(ValueError, match="a vote has no weights"):
        VotedPerceptron(max_iter=2).fit(X, TWO).explain(X[0])


FRAME = pd.DataFrame(
    {
        "age": DICE.integers(20, 80, 200),
        "town": DICE.choice(["Ayr", "Bute"], 200),
        "note": DICE.choice(["likes tea", "likes coffee", "tea or coffee"], 200),
    }
)
DRINKS = np.where(FRAME["note"].str.contains("tea") & (FRAME["age"] < 70), "tea", "coffee")


@pytest.mark.parametrize(
    "words", [[], ["--hash-bits", "8"], ["--learner", "averaged", "--standardise", "--ledger"]]
)
def test_the_command_explains_as_the_estimator_does(words: list[str], tmp_path: Path) -> None:
    data, model = tmp_path / "d.csv", tmp_path / "m"
    FRAME.assign(drink=DRINKS).to_csv(data, index=False)
    stdout_of("train", data, "-q", "-o", model, "--text", "note", *words)
    screen = stdout_of("predict", model, data, "--explain", "-n", 3)
    clf = load(model)
    ours = [clf.explain(x).in_words(3) for x in FRAME.to_dict("records")]
    assert screen == "".join(f"{one}\n" for one in ours)
    assert "age" in screen
    assert "note=coffee" in screen
    assert ("mistakes on examples" in screen) == ("--ledger" in words)
    for one in (FRAME.iloc[0], FRAME.iloc[:1], pl.from_pandas(FRAME)[:1]):
        assert clf.explain(one) == clf.explain(FRAME.to_dict("records")[0])
    with pytest.raises(ValueError, match="one example, not 2 rows"):
        clf.explain(FRAME.iloc[:2])
    lines = stdout_of("predict", model, data, "--explain", "--json", "-n", 2).splitlines()
    for x, line in zip(FRAME.to_dict("records"), lines, strict=True):
        exact, found = clf.explain(x), json.loads(line)
        assert (found["label"], found["score"]) == (exact.label, exact.score)
        shown = [(one["feature"], one["amount"]) for one in found["contributions"]]
        assert shown == [(one.feature, one.amount) for one in exact.contributions[:2]]
        assert found["others"]["features"] == max(0, len(exact.contributions) - 2)
        total = found["constant"] + found["others"]["amount"] + sum(x for _, x in shown)
        assert total == pytest.approx(exact.score)  # sums in another order


def test_a_voted_model_is_not_explained(tmp_path: Path) -> None:
    data = tmp_path / "d.csv"
    FRAME[["age"]].assign(drink=DRINKS).to_csv(data, index=False)
    stdout_of("train", data, "-q", "-o", tmp_path / "m", "--learner", "voted")
    words = ["predict", tmp_path / "m", data, "--explain"]
    assert "votes and kernels have no weights" in error(*words)
    assert "--json is for --explain" in error(*words[:3], "--json")
    assert "leave out --print and --probabilities" in error(*words, "--print", "both")


@pytest.mark.parametrize("more", [[], ["--multiclass"], ["--no-bias"]])
def test_weights_of_a_standardised_model_are_in_the_units_of_the_data(
    more: list[str], tmp_path: Path
) -> None:
    data, model, weights = tmp_path / "d.csv", tmp_path / "m", tmp_path / "w.csv"
    numbers = pd.DataFrame({"age": FRAME["age"], "rare": (FRAME["age"] > 75) * 1000.0, "zero": 0.0})
    numbers.assign(drink=DRINKS).to_csv(data, index=False)
    stdout_of("train", data, "-q", "-o", model, "--standardise", *more)
    stdout_of("inspect", model, "--weights", weights)
    scores = [
        line.split("\t")
        for line in stdout_of("predict", model, data, "--print", "scores").splitlines()
    ]
    table = [*csv.DictReader(weights.read_text().splitlines())]
    labels = [*dict.fromkeys(row.get("class", "tea") for row in table)]
    for k, label in enumerate(labels):
        w = {r["feature"]: float(r["weight"]) for r in table if r.get("class", "tea") == label}
        ours = sum(w.get(name, 0.0) * numbers[name] for name in numbers) + w["(constant)"]
        np.testing.assert_allclose(ours, [float(s[k]) for s in scores], rtol=1e-9, atol=1e-9)
