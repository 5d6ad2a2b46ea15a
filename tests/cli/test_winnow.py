"""`novikoff train` with the three Winnows, and what the other verbs make of their models."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.command_line import error, json_of, stdout_of, train_until_stopped, trained_model
from novikoff import BadModel
from novikoff.learners import Multiplicative, Winnow2
from novikoff.models.model import Model
from novikoff.runs.loop import play
from novikoff.sources import block, whole
from novikoff.sources.files import text as pieces
from novikoff.storage import file_format as storage

KINDS: dict[str, list[str]] = {
    "winnow": ["--learner", "winnow"],
    "winnow1": ["--learner", "winnow1", "--threshold", "20"],
    "winnow2": ["--learner", "winnow2", "--threshold", "40", "--alpha", "1.5"],
}
every_kind = pytest.mark.parametrize("words", KINDS.values(), ids=KINDS.keys())


def lines(seed: int, count: int, n: int = 40) -> str:
    """svmlight: x₃ or x₇, some labels wrong; the later half of the lines has more attributes."""
    dice, out = np.random.default_rng(seed), []
    for i in range(count):
        on = np.flatnonzero(dice.random(n if i > count // 2 else n // 2) < 0.2) + 1
        y = bool({3, 7} & set(on.tolist())) ^ (dice.random() < 0.05)
        out.append(f"{'+1' if y else '-1'} " + " ".join(f"{j}:1" for j in on) + "\n")
    return "".join(out)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    """The data of a first day, of a second, and of both."""
    a, b, ab = (tmp_path / f"{name}.svm" for name in ("a", "b", "ab"))
    one, two = lines(1, 150), lines(2, 100)
    a.write_text(one)
    b.write_text(two)
    ab.write_text(one + two)
    return a, b, ab


@every_kind
@pytest.mark.parametrize("hashed", [[], ["--hash-bits", "7"]])
def test_training_on_a_then_b_equals_training_on_both(
    tmp_path: Path, files: tuple[Path, Path, Path], words: list[str], hashed: list[str]
) -> None:
    a, b, ab = files
    words = [*words, *hashed, "--stream"]
    at_once = trained_model(tmp_path / "whole", ab, *words)
    trained_model(tmp_path / "first", a, *words)
    assert trained_model(tmp_path / "then", b, "--initial", tmp_path / "first") == at_once
    assert trained_model(tmp_path / "two", a, b, *words) == at_once


@every_kind
@pytest.mark.parametrize("stream", [[], ["--stream"]])
@pytest.mark.parametrize("blocks", [2, 9])
def test_an_interrupted_run_resumes_to_the_same_bytes(
    tmp_path: Path,
    files: tuple[Path, Path, Path],
    words: list[str],
    stream: list[str],
    blocks: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pieces, "PIECE_BYTES", 1000)
    monkeypatch.setattr(whole, "BLOCK_BYTES", 2000)
    given = [files[2], *words, "--passes", "3", "--shuffle", *stream]
    straight = trained_model(tmp_path / "straight", *given)
    model = tmp_path / "m"
    train_until_stopped(blocks, *given, "-o", model)
    assert Model.load(model).unfinished is not None
    assert trained_model(model, *given, "--resume") == straight


@every_kind
def test_predictions_are_the_scores_of_the_learner(
    tmp_path: Path, files: tuple[Path, Path, Path], words: list[str]
) -> None:
    a, b, _ = files
    trained_model(tmp_path / "m", a, *words)
    model = Model.load(tmp_path / "m")
    scores = [
        float(s) for s in stdout_of("predict", tmp_path / "m", b, "--print", "scores").split()
    ]
    rows = np.zeros((100, model.features.dim))
    for i, line in enumerate(b.read_text().splitlines()):
        for pair in line.split()[1:]:
            j = int(pair.split(":")[0])
            if j < rows.shape[1]:
                rows[i, j] = 1.0
    learner = model.learner
    assert isinstance(learner, Multiplicative)
    w = model.weights
    constant = w[-1] if learner.bias else 0.0
    expected = rows @ w[: model.features.dim] + constant - learner.threshold
    assert np.allclose(scores, expected)
    tested = json_of("test", tmp_path / "m", b)
    labels = [line.split()[0] == "+1" for line in b.read_text().splitlines()]
    right = sum((s >= 0) == y for s, y in zip(scores, labels, strict=True))
    assert tested["accuracy"] == pytest.approx(right / 100)


def test_the_model_is_the_learner_of_the_library(
    tmp_path: Path, files: tuple[Path, Path, Path]
) -> None:
    a, *_ = files
    trained_model(tmp_path / "m", a, "--learner", "winnow2", "--threshold", "40", "--stream")
    learner = Winnow2(41, threshold=40.0)
    X = np.zeros((150, 41))
    y = []
    for i, line in enumerate(a.read_text().splitlines()):
        label, *pairs = line.split()
        y.append(int(label))
        X[i, [int(pair.split(":")[0]) for pair in pairs]] = 1.0
    ledger = play(block(X, y), learner).ledger
    model = Model.load(tmp_path / "m")
    assert model.weights.tolist() == learner.weights[: model.features.dim].tolist()
    assert model.ledger.n_mistakes == len(ledger)


def test_hashing_sets_the_threshold(tmp_path: Path, files: tuple[Path, Path, Path]) -> None:
    a, *_ = files
    for kind, theta in (("winnow1", 64.0), ("winnow2", 128.0)):
        trained_model(tmp_path / kind, a, "--learner", kind, "--hash-bits", "7")
        learner = Model.load(tmp_path / kind).learner
        assert isinstance(learner, Multiplicative)
        assert learner.threshold == theta


def test_inspect_shows_alpha_threshold_and_the_weights_that_were_learned(
    tmp_path: Path, files: tuple[Path, Path, Path]
) -> None:
    *_, ab = files
    trained_model(tmp_path / "m", ab, "--learner", "winnow2", "--threshold", "40", "--passes", "5")
    text = stdout_of("inspect", tmp_path / "m", "--weights", tmp_path / "w.csv")
    assert text.startswith("Model     Winnow2, alpha 2, threshold 40\n")
    shown = json_of("inspect", tmp_path / "m")
    assert (shown["kind"], shown["alpha"], shown["threshold"]) == ("winnow2", 2.0, 40.0)
    assert shown["margin"] is None
    weights = shown["largest_weights"]
    assert list(weights["positive"])[:2] in (["3", "7"], ["7", "3"])
    assert all(w > 1 for w in weights["positive"].values())
    assert all(0 <= w < 1 for w in weights["negative"].values())
    learner = Model.load(tmp_path / "m").learner
    assert isinstance(learner, Multiplicative)
    with (tmp_path / "w.csv").open() as file:
        rows = list(csv.reader(file))[1:]
    assert {name: float(w) for name, w in rows} == {
        str(j): 2.0**p for j, p in enumerate(learner.powers.tolist()) if p
    }


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ["--learner", "winnow1"],
            "winnow1 needs a threshold: the default depends on",
        ),
        (
            ["--learner", "winnow2"],
            "winnow2 needs a threshold: the default depends on",
        ),
        (["--learner", "winnow2", "--threshold", "0"], "threshold must be a finite number above 0"),
        (["--learner", "winnow", "--alpha", "1"], "alpha must be a finite number above 1"),
        (
            ["--learner", "winnow1", "--threshold", "9", "--bias"],
            "--bias: winnow1 has a threshold instead of a constant term",
        ),
        (["--alpha", "2"], "alpha applies to winnow, winnow1, winnow2 only, not to adaptive"),
        (
            ["--learner", "voted", "--threshold", "2"],
            "threshold applies to winnow, winnow1, winnow2 only, not to voted",
        ),
        (
            ["--learner", "winnow", "--margin", "2"],
            "margin applies to the learner margin only, not to winnow",
        ),
    ],
)
def test_contradicting_options_are_refused(
    tmp_path: Path, files: tuple[Path, Path, Path], words: list[str], says: str
) -> None:
    assert says in error("train", files[0], "-o", tmp_path / "m", *words)
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--alpha", "3"], "--alpha differs from the model's (2)"),
        (
            ["--threshold", "3"],
            "--threshold differs from the model's (40)",
        ),
        (["--margin", "3"], "--margin differs from the model; leave it out"),
        (
            ["--learner", "winnow"],
            "--learner differs from the model's (winnow2)",
        ),
        (["--bias"], "--bias differs from the model; leave it out"),
    ],
)
def test_an_initial_model_keeps_its_rule(
    tmp_path: Path, files: tuple[Path, Path, Path], words: list[str], says: str
) -> None:
    trained_model(tmp_path / "m", files[0], "--learner", "winnow2", "--threshold", "40")
    out = tmp_path / "n"
    assert error("train", files[1], "-o", out, "--initial", tmp_path / "m", *words).startswith(says)


@pytest.mark.parametrize("bad", range(6))
def test_a_negative_number_is_refused_with_its_row(tmp_path: Path, bad: int) -> None:
    lines = ["+1 1:1", "-1 2:1"] * 3
    lines[bad] += " 3:-2"
    data = tmp_path / "d.svm"
    data.write_text("\n".join(lines) + "\n")
    words = ("--learner", "winnow2", "--threshold", "2")
    says = error("train", data, "-o", tmp_path / "m", "-q", *words)
    assert f"row {bad}, column 3 holds -2" in says


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"variant": "winnow1"}, "does not match the model's kind, 'winnow2'"),
        ({"rule": "additive"}, "in the file"),
        ({"alpha": 0.5}, "alpha must be a finite number above 1"),
        ({"variant": "winnow9"}, "'variant' is 'winnow9'"),
    ],
)
def test_a_model_that_was_tampered_with_is_refused(
    tmp_path: Path, files: tuple[Path, Path, Path], change: dict[str, Any], says: str
) -> None:
    path = tmp_path / "m"
    trained_model(path, files[0], "--learner", "winnow2", "--threshold", "40")
    header, arrays = storage.load(path, kind="model")
    header["learner"] |= change
    storage.save(path, header, arrays, kind="model")
    with pytest.raises(BadModel, match=says):
        Model.load(path)


def test_powers_that_are_not_finite_are_refused(
    tmp_path: Path, files: tuple[Path, Path, Path]
) -> None:
    path = tmp_path / "m"
    trained_model(path, files[0], "--learner", "winnow2", "--threshold", "40")
    for wrong in (math.nan, math.inf, -math.inf):
        header, arrays = storage.load(path, kind="model")
        powers = np.array(arrays["learner.powers"])
        powers[2] = wrong
        storage.save(tmp_path / "bad", header, {**arrays, "learner.powers": powers}, kind="model")
        with pytest.raises(BadModel, match="its powers are not (all numbers|finite)"):
            Model.load(tmp_path / "bad")
