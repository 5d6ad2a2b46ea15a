"""Probabilities on the command line: printed, tested, drawn, and the same after a resumed run."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_classification
from sklearn.metrics import log_loss

from helpers.command_line import error, json_of, stdout_of
from novikoff.models.model import Model


def write(path: Path, X: Any, y: Any) -> Path:
    lines = (",".join([*map(repr, x), str(label)]) for x, label in zip(X.tolist(), y, strict=True))
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path, Any]:
    X, y = make_classification(3000, 8, flip_y=0.2, random_state=3)
    new = y[2000:].tolist()
    return (
        write(tmp_path / "a.csv", X[:2000], y[:2000]),
        write(tmp_path / "b.csv", X[2000:], new),
        new,
    )


def test_predict_prints_probabilities(two: tuple[Path, Path, Any], tmp_path: Path) -> None:
    train, new, y = two
    model = tmp_path / "m"
    stdout_of("train", train, "-o", model, "-q", "--learner", "adaptive")
    lines = stdout_of("predict", model, new, "--probabilities").split()
    chances = np.array([float(line) for line in lines])
    labels = stdout_of("predict", model, new).split()
    both = [
        line.split("\t")
        for line in stdout_of(
            "predict", model, new, "--probabilities", "--print", "both"
        ).splitlines()
    ]
    assert [label for label, _ in both] == labels
    own = np.where(np.array(labels) == "1", chances, 1 - chances)
    assert [float(p) for _, p in both] == own.tolist()
    found = json_of("test", model, new, "--json")
    assert found["log_loss"] == pytest.approx(log_loss(y, chances), abs=1e-8)
    assert found["calibration_error"] < 0.08
    assert sum(one["examples"] for one in found["reliability"]) == 1000
    assert f"Log loss  {found['log_loss']:.4f}, calibration error" in stdout_of("test", model, new)


def test_many_classes_have_probabilities_that_sum_to_one(tmp_path: Path) -> None:
    X, y = load_digits(return_X_y=True)
    train, new = (
        write(tmp_path / "a.csv", X[:1500], y[:1500]),
        write(tmp_path / "b.csv", X[1500:], y[1500:]),
    )
    model = tmp_path / "m"
    stdout_of("train", train, "-o", model, "-q", "--multiclass", "--learner", "perceptron")
    lines = stdout_of("predict", model, new, "--probabilities").splitlines()
    chances = np.array([[float(p) for p in line.split("\t")] for line in lines])
    assert chances.shape == (297, 10)
    assert chances.sum(axis=1) == pytest.approx(1)
    codes = [Model.load(model).classes.index(str(label)) for label in y[1500:]]
    found = json_of("test", model, new, "--json")
    right = chances[np.arange(297), codes]
    assert found["log_loss"] == pytest.approx(-np.log(right).mean(), abs=1e-8)


def test_held_out_examples_judge_the_probabilities(
    two: tuple[Path, Path, Any], tmp_path: Path
) -> None:
    given = ("train", two[0], "-o", tmp_path / "m", "-q", "--learner", "adaptive", "--holdout", "4")
    assert "; log loss 0." in stdout_of(*given)
    found = json_of(*given, "--json")
    assert 0 < found["held_out"]["log_loss"] < math.log(2)


def test_a_stream_in_two_parts_has_the_same_probabilities(
    two: tuple[Path, Path, Any], tmp_path: Path
) -> None:
    first, second, _ = two
    part, both, whole = tmp_path / "part", tmp_path / "both", tmp_path / "whole"
    rule = ("--learner", "adaptive", "--stream", "-q")
    stdout_of("train", first, "-o", part, *rule)
    stdout_of("train", second, "--initial", part, "-o", both, "-q")
    stdout_of("train", first, second, "-o", whole, *rule)
    assert both.read_bytes() == whole.read_bytes()
    honest = Model.load(whole).learner.honest
    assert honest is not None
    assert honest.examples == 3000


def test_later_passes_are_not_counted(two: tuple[Path, Path, Any], tmp_path: Path) -> None:
    counts = []
    for passes in (1, 4):
        model = tmp_path / str(passes)
        given = ("--learner", "adaptive", "--stream", "--passes", passes)
        stdout_of("train", two[0], "-o", model, "-q", *given)
        honest = Model.load(model).learner.honest
        assert honest is not None
        counts.append(honest.counts.tolist())
    assert counts[0] == counts[1]


def test_votes_give_no_probabilities_and_averages_do(
    two: tuple[Path, Path, Any], tmp_path: Path
) -> None:
    train, new, _ = two
    model = tmp_path / "m"
    stdout_of("train", train, "-o", model, "-q", "--learner", "voted", "--passes", "2")
    words = error("predict", model, new, "--probabilities")
    why = "voted gives no probabilities, because counting the votes on each example before it is "
    why += "learned would take too long; use --learner averaged"
    assert words == f"--probabilities: {why}"
    words = error("test", model, new, "--reliability", tmp_path / "x.svg")
    assert words == f"--reliability: {why}"
    assert "Log loss" not in stdout_of("test", model, new)
    for way in ("--stream", "--no-stream"):
        stdout_of("train", train, "-o", model, "-q", "--learner", "averaged", way)
        assert "Log loss" in stdout_of("test", model, new)


def test_the_reliability_is_drawn(two: tuple[Path, Path, Any], tmp_path: Path) -> None:
    train, new, _ = two
    model, figure = tmp_path / "m", tmp_path / "x.svg"
    stdout_of("train", train, "-o", model, "-q", "--learner", "adaptive")
    stdout_of("test", model, new, "--reliability", figure)
    assert "calibration error" in figure.read_text()
