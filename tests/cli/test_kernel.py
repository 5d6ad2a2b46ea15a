"""`novikoff train --kernel`, and what the other verbs make of its models."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from helpers.command_line import error, json_of, stdout_of, trained_model
from novikoff import KernelPerceptron, load
from novikoff.guarantees import check

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


def test_many_classes_are_learned_jointly_in_the_kernels_space(tmp_path: Path) -> None:
    data, model = tmp_path / "three.csv", tmp_path / "m"
    names = {-1: "apart", 0: "near", 1: "alike"}
    lines = [
        f"{a},{b},{names[(a * b > 0) - (a * b < 0)]}" for a in range(-2, 3) for b in (-2, 1, 3)
    ]
    data.write_text("a,b,y\n" + "\n".join(lines) + "\n")
    words = ("train", data, "--label", "y", "-o", model, *POLY, "--multiclass")
    assert "separated" in stdout_of(*words, "--until-separated")
    assert stdout_of("predict", model, data).split() == [line.split(",")[2] for line in lines]
    about = json_of("inspect", model)
    assert {one["label"] for one in about["heaviest_mistakes"]} <= set(names.values())
    loaded = load(model)
    assert isinstance(loaded, KernelPerceptron)
    assert (loaded.multiclass, loaded.verdict_) == ("joint", "separated")


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


def test_a_budget_is_kept_and_shown(data: Path, tmp_path: Path) -> None:
    model = tmp_path / "m"
    stdout_of("train", data, "--label", "y", "-o", model, *POLY, "--budget", "3", "--passes", "5")
    assert "(1 x·z + 1)^2, at most 3 mistakes" in stdout_of("inspect", model)
    about = json_of("inspect", model)
    assert about["budget"] == 3
    assert 1 <= sum(one["times"] for one in about["heaviest_mistakes"]) <= 3
    assert len(stdout_of("predict", model, data).split()) == len(rows())
    words = ("train", data, "--label", "y", "-o", tmp_path / "n")
    assert "a budget needs a kernel and the final weights" in error(*words, "--budget", "3")


def test_a_certificate_in_the_kernels_space_is_written_and_checked_twice(
    data: Path, tmp_path: Path
) -> None:
    for degree, verdict in (("2", "complete"), ("1", "overlap")):
        proof = tmp_path / f"{verdict}.json"
        words = (data, "--label", "y", "--kernel", "poly", "--degree", degree)
        assert f"(1 x·z + 1)^{degree}" in stdout_of("certify", *words, "-o", proof)
        assert f"{verdict}: proved" in stdout_of("verify", proof, data, "--label", "y")
        checker = [sys.executable, check.__file__, str(proof), str(data), "--label", "y"]
        said = subprocess.run(checker, capture_output=True, text=True, check=True).stdout
        assert f"16 rows in the space of the kernel (1 x·z + 1)^{degree}\n" in said
    assert "Micchelli" in error("certify", data, "--label", "y", "--kernel", "rbf")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--degree", "2"), "--degree needs --kernel poly"),
        (("--kernel", "linear", "--gamma", "2"), "--gamma needs --kernel poly or rbf"),
        (("--kernel", "rbf", "--gamma", "-1"), "gamma must be"),
        (("--kernel", "rbf", "--learner", "adaptive"), "only perceptrons take a kernel"),
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
    assert "kernels have no weights" in error("predict", model, data, "--explain")
    assert "a kernel has no weights" in error("export", model, "-o", tmp_path / "o.onnx")
