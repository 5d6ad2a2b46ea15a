"""Training from files: pipes, overwritten files, huge and shifted indices, progress."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from helpers.command_line import error, json_of, run, stdout_of
from novikoff.cli.train import Watch
from novikoff.learners import Additive
from novikoff.learners.rule import Rule
from novikoff.models.model import Model
from novikoff.models.training import Plan, Training
from novikoff.sources.features import Features
from novikoff.storage import file_format
from novikoff.stream.blocks import Block
from novikoff.stream.rows import SparseRows, dots

FIRST_PASS = {"passes": 1, "passes_made": 0, "position": 1, "met": 1, "data": "", "watch": {}}


def test_a_run_is_not_resumed_from_a_pipe(tmp_path: Path) -> None:
    text = "1 1:1\n-1 2:1\n" * 3
    (tmp_path / "x.svm").write_text(text)
    model = tmp_path / "m"
    stdout_of("train", tmp_path / "x.svm", "-o", model, "-q")
    found = Model.load(model)
    found.unfinished = FIRST_PASS
    found.save(model)
    words = error("train", "-", "-o", model, "-q", "--resume", "--format", "svmlight", input=text)
    assert words == "--resume: cannot resume from a pipe; read a file"


def test_indices_that_seem_shifted_are_warned_about(tmp_path: Path) -> None:
    (tmp_path / "one.svm").write_text("1 1:1\n-1 2:1\n")
    (tmp_path / "zero.svm").write_text("1 0:1\n-1 1:1\n")
    stdout_of("train", tmp_path / "one.svm", "-o", tmp_path / "m", "-q")
    assert (
        "are both 0-based or both 1-based?"
        in run("test", tmp_path / "m", tmp_path / "zero.svm").stderr
    )
    assert run("test", tmp_path / "m", tmp_path / "one.svm").stderr == ""


def test_an_index_that_would_need_gigabytes_of_weights_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.svm").write_text("1 2000000000:1\n-1 2:1\n")
    words = error("train", tmp_path / "x.svm", "-o", tmp_path / "m", "-q")
    too_large = "feature index 2,000,000,000 needs more than the 268,435,456 weights"
    assert words.startswith(f"{tmp_path / 'x.svm'}: {too_large}")
    assert json_of("train", tmp_path / "x.svm", "-o", tmp_path / "m", "-q", "--hash-bits", "10")


def test_training_overwrites_neither_other_files_nor_unfinished_runs(tmp_path: Path) -> None:
    data, other, model = tmp_path / "x.svm", tmp_path / "notes", tmp_path / "m"
    data.write_text("1 1:1\n-1 2:1\n")
    other.write_text("precious")
    words = error("train", data, "-o", other, "-q")
    assert words == f"{other}: not a novikoff model; choose another -o, or delete it"
    stdout_of("train", data, "-o", model, "-q")
    found = Model.load(model)
    found.unfinished = FIRST_PASS
    found.save(model)
    words = error("train", data, "-o", model, "-q")
    assert words == f"{model}: contains an unfinished run; use --resume, or delete it"
    assert error("train", model, "-o", tmp_path / "n", "-q", "--format", "csv") == (
        f"{model}: this is a model, not data; the model comes before the data"
    )


def test_one_pass_has_its_mistakes_and_features_are_counted_as_written(tmp_path: Path) -> None:
    (tmp_path / "x.svm").write_text("1 1:1\n-1 2:1\n")
    words = ["--learner", "perceptron", "--stream"]
    found = json_of("train", tmp_path / "x.svm", "-o", tmp_path / "m", "-q", *words)
    assert (found["mistakes_per_pass"], found["features"]) == ([2], 2)
    assert json_of("inspect", tmp_path / "m")["features"] == 2


def test_scores_follow_further_learning() -> None:
    rows = SparseRows(np.array([1.0, 2.0]), np.array([0, 1]), np.array([0, 1, 2]), 8)
    model = Plan(Rule("averaged")).new_model(Features(), ("-1", "1"))
    for _ in range(2):
        model.widen(8)
        model.learner.learn(Block(rows, np.array([1, -1], dtype=np.int8)), 0, 2)
        assert isinstance(model.learner, Additive)
        expected = dots(rows, model.learner.average, bias=True)
        assert model.scores(rows).tolist() == expected.tolist()


def test_a_file_replaced_during_training_is_an_error_and_the_checkpoint_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, other, model = tmp_path / "x.svm", tmp_path / "other.svm", tmp_path / "m"
    data.write_text("1 1:1\n-1 1:1\n1 2:1\n")  # inseparable
    other.write_text("1 1:1\n-1 2:1\n")
    after_block = Watch.after_block

    def replacing(watch: Watch, training: Training) -> None:
        after_block(watch, training)
        if training.passes_made == 3:
            os.replace(other, data)

    monkeypatch.setattr(Watch, "after_block", replacing)
    given = ["--learner", "perceptron", "--stream", "--passes", 99, "--checkpoint", 0]
    words = error("train", data, "-o", model, "-q", *given)
    assert (
        words == f"{data}: the file changed while it was being read; run again once it is complete"
    )
    unfinished = Model.load(model).unfinished
    assert unfinished is not None
    assert unfinished["passes_made"] == 3


@pytest.mark.parametrize("text", [False, True])
def test_a_table_with_more_names_than_a_header_holds_is_trained_and_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: bool
) -> None:
    monkeypatch.setattr(file_format, "_LONGEST_HEADER", 1 << 14)
    names = [f"column {j}" for j in range(20_000)]
    data, model = tmp_path / "wide.csv", tmp_path / "m"
    ones, zeros = ["u" if text else "1", *"1" * 19_999], ["v" if text else "0", *"0" * 19_999]
    lines = [[*names, "y"], [*ones, "1"], [*zeros, "0"]]
    data.write_text("\n".join(map(",".join, lines)) + "\n")
    stdout_of("train", data, "-o", model, "-q", "--passes", 9, "--cache", tmp_path / "cache")
    cached = model.read_bytes()
    stdout_of("train", data, "-o", model, "-q", "--passes", 9, "--cache", tmp_path / "cache")
    assert model.read_bytes() == cached
    assert stdout_of("predict", model, data) == "1\n0\n"
    assert len(Model.load(model).read_options["features"]) == 20_000
