"""`novikoff train` with adaptive learners, and what the other verbs make of their models."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from helpers.command_line import error, json_of, stdout_of, train_until_stopped, trained_model
from novikoff.learners import Adaptive
from novikoff.models.model import Model
from novikoff.runs.loop import play
from novikoff.sources import block, whole
from novikoff.sources.files import text as pieces

KINDS: dict[str, list[str]] = {
    "adaptive": ["--learner", "adaptive", "--regularisation", "0.3", "--ledger"],
    "averaged": ["--learner", "adaptive-averaged"],
    "full matrix": ["--learner", "adaptive", "--matrix", "full"],
    "many classes": ["--learner", "adaptive", "--multiclass"],
}
KERNELS: dict[str, list[str]] = {
    "kernel": ["--kernel", "poly", "--degree", "2", "--gamma", "0.25"],
    "voted kernel": ["--kernel", "rbf", "--learner", "voted"],
    "kernel with a budget": ["--kernel", "rbf", "--budget", "20"],
}
every_kind = pytest.mark.parametrize("words", KINDS.values(), ids=KINDS.keys())
and_kernels = pytest.mark.parametrize(
    "words", [*KINDS.values(), *KERNELS.values()], ids=[*KINDS, *KERNELS]
)


def table(seed: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Columns of very different scale, of which all count, and some wrong labels."""
    dice = np.random.default_rng(seed)
    X = np.round(dice.standard_normal((n, 4)), 3)
    y = (X.sum(axis=1) > 0) ^ (dice.random(n) < 0.1)
    return X * [1.0, 100.0, 0.01, 1.0], np.where(y, 1, -1)


def written(path: Path, X: np.ndarray, y: np.ndarray) -> Path:
    rows = (
        f"{label} " + " ".join(f"{j + 1}:{v}" for j, v in enumerate(x) if v)
        for x, label in zip(X.tolist(), y.tolist(), strict=True)
    )
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    X, y = table(1, 200)
    a, b = written(tmp_path / "a", X[:120], y[:120]), written(tmp_path / "b", X[120:], y[120:])
    return a, b, written(tmp_path / "ab", X, y)


@and_kernels
def test_a_then_b_is_ab_to_the_byte(
    tmp_path: Path, files: tuple[Path, Path, Path], words: list[str]
) -> None:
    a, b, both = files
    at_once = trained_model(tmp_path / "once", both, *words, "--stream")
    trained_model(tmp_path / "first", a, *words, "--stream")
    then = trained_model(tmp_path / "then", b, "--initial", tmp_path / "first", "--stream")
    assert then == at_once


@and_kernels
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


def test_forty_interrupted_runs_resume_to_the_same_bytes(
    tmp_path: Path, files: tuple[Path, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "PIECE_BYTES", 1000)
    monkeypatch.setattr(whole, "BLOCK_BYTES", 2000)
    for stream in (["--stream", "--passes", "3"], []):
        given, model = [files[2], *stream], tmp_path / "m"
        straight = trained_model(tmp_path / "straight", *given)
        for blocks in range(1, 21):
            train_until_stopped(blocks, *given, "-o", model)
            assert trained_model(model, *given, "--resume") == straight
            model.unlink()


def test_the_model_is_the_learner_of_the_library(
    tmp_path: Path, files: tuple[Path, Path, Path]
) -> None:
    X, y = table(1, 200)
    trained_model(tmp_path / "m", files[2], "--learner", "adaptive", "--stream")
    learner = Adaptive(5, bias=True)
    ledger = play(block(np.column_stack([np.zeros(200), X]), y), learner).ledger
    model = Model.load(tmp_path / "m")
    assert isinstance(model.learner, Adaptive)
    # the constant is in another lane of the sums, so the last bits may differ
    assert model.weights.tolist() == pytest.approx(learner.weights.tolist(), rel=1e-9)
    assert model.ledger.n_updates == len(ledger)
    assert model.ledger.n_mistakes == ledger.n_mistakes


@every_kind
def test_what_train_and_inspect_say(
    tmp_path: Path, files: tuple[Path, Path, Path], words: list[str]
) -> None:
    path = tmp_path / "m"
    said = stdout_of("train", files[2], "-o", path, *words, "-q")
    facts = json_of("inspect", path)
    assert f"; {facts['updates']:,} updates\n" in said
    assert facts["mistakes"] < facts["updates"] == sum(facts["updates_per_pass"])
    shown = stdout_of("inspect", path)
    assert "adaptive perceptron, regularisation " in shown
    assert (", full matrix" in shown) == ("full" in words)
    assert facts["regularisation"] == (0.3 if "0.3" in words else 1.0)
    assert json_of("test", path, files[2])["accuracy"] > 0.8


def test_options_that_no_adaptive_learner_has_are_refused(
    tmp_path: Path, files: tuple[Path, Path, Path]
) -> None:
    a, path = files[0], tmp_path / "m"
    train = ["train", a, "-o", path, "-q"]
    assert "applies to adaptive, adaptive-averaged only" in error(
        *train, "--learner", "perceptron", "--regularisation", "2"
    )
    assert "regularisation must be a finite number above 0" in error(
        *train, "--learner", "adaptive", "--regularisation", "0"
    )
    assert "or one against the rest; use --matrix diagonal, or leave out --multiclass" in error(
        *train, "--learner", "adaptive", "--matrix", "full", "--multiclass"
    )
    wide = tmp_path / "wide"
    wide.write_text("1 1:1\n-1 5000:1\n")
    assert "at most 2,048 features" in (
        said := error("train", wide, "-o", path, "--learner", "adaptive", "--matrix", "full", "-q")
    )
    assert said.endswith("use --matrix diagonal")
    trained_model(path, a, "--learner", "adaptive")
    assert "--regularisation differs from the model" in error(
        "train", a, "--initial", path, "-o", tmp_path / "n", "--regularisation", "2"
    )
