"""`--threshold` and `--cost-ratio`: the positive label from a probability on."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from helpers.command_line import error, stdout_of
from novikoff import load

DICE = np.random.default_rng(3)
X = DICE.normal(size=(400, 3))
Y = np.where(X[:, 0] + DICE.normal(size=400) > 1, "sick", "healthy")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "data.csv"
    rows = [",".join([*map(repr, x), y]) for x, y in zip(X.tolist(), Y, strict=True)]
    path.write_text("\n".join(["a,b,c,state", *rows]))
    stdout_of("train", path, "-q", "-o", tmp_path / "m", "--classes", "healthy,sick")
    return path


@pytest.mark.parametrize("least", [0.0, 0.2, 0.5, 1.0, None])
def test_the_positive_label_is_predicted_from_the_threshold_on(
    data: Path, least: float | None
) -> None:
    model = data.parent / "m"
    chances = [*map(float, stdout_of("predict", model, data, "--probabilities").splitlines())]
    least = chances[0] if least is None else least  # one that an example has
    labels = stdout_of("predict", model, data, "--threshold", least).splitlines()
    assert labels == ["sick" if p >= least else "healthy" for p in chances]
    both = stdout_of("predict", model, data, "--threshold", least, "--print", "both").splitlines()
    assert [line.split("\t")[0] for line in both] == labels
    tested = json.loads(stdout_of("test", model, data, "--threshold", least, "--json"))
    assert tested["mistakes"] == sum(a != b for a, b in zip(labels, Y, strict=True))
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    assert load(model).predict(frame, threshold=least).tolist() == labels


def test_a_cost_ratio_of_r_is_a_threshold_of_1_in_1_plus_r(data: Path) -> None:
    model = data.parent / "m"
    for ratio, least in ((4, 0.2), (1, 0.5), (0, 1.0)):
        by_cost = stdout_of("predict", model, data, "--cost-ratio", ratio)
        assert by_cost == stdout_of("predict", model, data, "--threshold", least)


def test_a_threshold_needs_two_labels_and_probabilities(data: Path) -> None:
    model, other = data.parent / "m", data.parent / "n"
    words = error("predict", model, data, "--threshold", 0.5, "--cost-ratio", 2)
    assert "leave out --threshold" in words
    assert "from 0 to 1" in error("predict", model, data, "--threshold", 1.5)
    stdout_of("train", data, "-q", "-o", other, "--learner", "voted")
    assert "voted gives no probabilities" in error("test", other, data, "--threshold", 0.5)
    stdout_of("train", data, "-q", "-o", other, "--multiclass")
    assert "for models of two labels" in error("predict", other, data, "--cost-ratio", 2)
