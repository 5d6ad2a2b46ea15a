"""`novikoff train --kernel`, and what the other verbs make of its models."""

from __future__ import annotations

from pathlib import Path

import pytest

from helpers.command_line import error, json_of, stdout_of, trained_model
from novikoff import KernelPerceptron, load

XOR = "a,b,y\n" + "".join(
    f"{a},{b},{'same' if a * b > 0 else 'other'}\n" for a in (-2, -1, 1, 2) for b in (-3, -1, 1, 2)
)
POLY = ("--kernel", "poly", "--degree", "2")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "t.csv").write_text(XOR)
    return tmp_path / "t.csv"


def test_xor_is_separated_tested_predicted_and_loaded(data: Path, tmp_path: Path) -> None:
    model = tmp_path / "m"
    out = stdout_of("train", data, "--label", "y", "-o", model, *POLY, "--until-separated")
    assert "separated" in out
    assert "100.00%" in stdout_of("test", model, data)
    assert stdout_of("predict", model, data).split() == [row[-1] for row in rows()]
    loaded = load(model)
    assert isinstance(loaded, KernelPerceptron)
    assert (loaded.degree, loaded.gamma, loaded.reading) == (2, 1.0, "final")
    assert loaded.ledger_.radius == 6.0  # √K(x, x) = 1 + 1² + 2² of a mistaken row


def rows() -> list[list[str]]:
    return [line.split(",") for line in XOR.splitlines()[1:]]


def test_inspect_lists_the_mistakes_that_carry_the_most_weight(data: Path, tmp_path: Path) -> None:
    model = tmp_path / "m"
    stdout_of("train", data, "--label", "y", "-o", model, *POLY, "--passes", "5")
    assert "averaged perceptron, kernel poly (1 x·z + 1)^2" in stdout_of("inspect", model)
    about = json_of("inspect", model)
    assert about["kernel"] == {"name": "poly", "degree": 2, "gamma": 1.0, "coef0": 1.0}
    first, *rest = about["heaviest_mistakes"]
    assert abs(first["weight"]) >= max((abs(one["weight"]) for one in rest), default=0)
    assert first["label"] == rows()[first["row"]][-1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--degree", "2"), "--degree needs --kernel poly"),
        (("--kernel", "linear", "--gamma", "2"), "--gamma needs --kernel poly or rbf"),
        (("--kernel", "rbf", "--gamma", "-1"), "gamma must be"),
        (("--kernel", "rbf", "--learner", "adaptive"), "a kernel is for perceptrons"),
    ],
)
def test_what_train_cannot_do_is_said(
    data: Path, tmp_path: Path, words: list[str], message: str
) -> None:
    assert message in error("train", data, "--label", "y", "-o", tmp_path / "m", *words)


def test_what_needs_weights_is_refused(data: Path, tmp_path: Path) -> None:
    model = tmp_path / "m"
    trained_model(model, data, "--label", "y", *POLY)
    assert "no weights of features" in error("inspect", model, "--weights", tmp_path / "w.csv")
    assert "a kernel has no weights" in error("predict", model, data, "--explain")
    assert "a kernel has no weights" in error("export", model, "-o", tmp_path / "o.onnx")
