"""`novikoff train` reads data whole, or as a stream, and says which."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.command_line import error, json_of, run, stdout_of, train_until_stopped, trained_model
from novikoff import sources
from novikoff.cli import train
from novikoff.learners import Additive
from novikoff.models.model import Model
from novikoff.runs.loop import play
from novikoff.sources import whole
from novikoff.sources.files import text as pieces
from novikoff.stream.order import arranged

PERCEPTRON = ["--learner", "perceptron"]
_draw = np.random.default_rng(5)
X = _draw.integers(-9, 10, (120, 3)).astype(float)
Y = np.where(X @ [2, -1, 1] + _draw.normal(scale=6, size=120) > 0, 1, -1)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Numbers with two labels, in no order."""
    path = tmp_path / "x.csv"
    rows = (f"{a:g},{b:g},{c:g},{y}\n" for (a, b, c), y in zip(X.tolist(), Y, strict=True))
    path.write_text("a,b,c,y\n" + "".join(rows))
    return path


def reading(*words: Any, input: str | None = None) -> str:
    screen = stdout_of("train", *words, "-q", input=input)
    return next(line for line in screen.splitlines() if line.startswith("Read "))


def test_a_file_is_read_whole_shuffled_once_and_passed_over_several_times(
    data: Path, tmp_path: Path
) -> None:
    words = [data, "-o", tmp_path / "m", *PERCEPTRON, "--seed", 3, "-q"]
    found = json_of("train", *words)
    by_hand = Additive(3, bias=True)
    run = play(arranged(sources.block(X, Y), 3), by_hand, epochs=10)
    assert found["passes"] == 10
    assert found["mistakes_per_pass"] == run.ledger.mistakes_per_pass
    assert Model.load(tmp_path / "m").weights.tobytes() == by_hand.weights.tobytes()
    assert found["order"] == {"whole": True, "shuffle": True, "seed": 3, "holdout": None}
    assert reading(*words) == "Read      whole, shuffled with seed 3"
    assert "10 passes, read whole, shuffled, seed 3" in stdout_of("inspect", tmp_path / "m")


def test_what_is_named_wins(data: Path, tmp_path: Path) -> None:
    words, out = [data, "-o", tmp_path / "m"], data.read_text()
    assert reading(*words, "--no-shuffle") == "Read      whole, in the given order"
    assert json_of("train", *words, "-q", "--passes", 2)["passes"] == 2
    assert reading(*words, "--stream") == "Read      as a stream, in the given order"
    shuffled = "Read      as a stream, shuffled with seed 0 within blocks"
    assert reading(*words, "--stream", "--shuffle") == shuffled
    assert json_of("train", *words, "-q", "--stream")["passes"] == 1
    from_pipe = ["-", "--format", "csv", "-o", tmp_path / "p"]
    assert reading(*from_pipe, input=out) == "Read      as a stream, in the given order"
    assert reading(*from_pipe, "--no-stream", input=out) == "Read      whole, shuffled with seed 0"
    assert (tmp_path / "p").read_bytes() == trained_model(tmp_path / "m", data)


@pytest.mark.parametrize("most", [500, 2000, 1 << 12])
def test_files_that_are_too_large_are_learned_as_a_stream(
    most: int, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    as_stream = trained_model(tmp_path / "s", data, "--stream")
    in_memory = trained_model(tmp_path / "w", data)
    monkeypatch.setattr(pieces, "PIECE_BYTES", 100)
    for module in (train, whole):
        monkeypatch.setattr(module, "MOST_BYTES", most)
    fits = X.nbytes <= most
    assert data.stat().st_size < 2000
    assert trained_model(tmp_path / "m", data) == (in_memory if fits else as_stream)
    cached = ["--cache", tmp_path / "cache"]
    for _ in range(2):
        assert trained_model(tmp_path / "m", data, *cached) == (in_memory if fits else as_stream)
    assert trained_model(tmp_path / "m", data, "--no-stream") == in_memory


@pytest.mark.parametrize("kind", ["perceptron", "averaged", "voted", "winnow"])
@pytest.mark.parametrize("blocks", [1, 3, 8, 23])
def test_data_read_whole_resume_to_the_same_bytes(
    kind: str, blocks: int, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whole, "BLOCK_BYTES", 512)
    words = [data, "--learner", kind, "--holdout", 5, "--ledger", "--passes", 4]
    undisturbed = trained_model(tmp_path / "n", *words)
    train_until_stopped(blocks, *words, "-o", tmp_path / "m")
    found = Model.load(tmp_path / "m")
    assert found.unfinished is not None
    assert found.ledger.n_rounds < 4 * 96
    different = error("train", *words, "--stream", "--resume", "-o", tmp_path / "m", "-q")
    assert "the way of reading (whole or as a stream) differs" in different
    assert trained_model(tmp_path / "m", *words, "--resume") == undisturbed


def test_every_nth_example_of_the_file_is_held_out(data: Path, tmp_path: Path) -> None:
    words = [data, "-o", tmp_path / "m", *PERCEPTRON, "--ledger", "--holdout", 4, "-q"]
    held = json_of("train", *words)["held_out"]
    model = Model.load(tmp_path / "m")
    mistaken = set(model.ledger.rows.tolist())
    assert mistaken
    assert not {i for i in mistaken if i % 4 == 3}
    scores = np.c_[X, np.ones(120)] @ model.weights
    wrong = (scores[3::4] >= 0) != (Y[3::4] > 0)
    assert (held["examples"], held["mistakes"]) == (30, int(wrong.sum()))


def test_the_kept_rows_are_those_of_the_file(data: Path, tmp_path: Path) -> None:
    trained_model(tmp_path / "m", data, *PERCEPTRON, "--ledger")
    ledger = Model.load(tmp_path / "m").ledger
    assert ledger.examples.values.tolist() == X[np.unique(ledger.rows)].tolist()


def test_training_further_continues_a_stream(data: Path, tmp_path: Path) -> None:
    trained_model(tmp_path / "a", data, "--passes", 10)
    words = [data, "-o", tmp_path / "b", "--initial", tmp_path / "a"]
    assert reading(*words) == "Read      as a stream, in the given order"
    assert reading(*words, "--no-stream") == "Read      whole, shuffled with seed 0"
    assert len(Model.load(tmp_path / "b").ledger.epoch_ends) == 20


SORTED = "".join(f"1 1:{i % 7}\n" for i in range(40)) + "".join(
    f"-1 2:{i % 7}\n" for i in range(40)
)


def test_a_sorted_stream_is_warned_about_and_a_shuffled_file_is_not(tmp_path: Path) -> None:
    (tmp_path / "x.svm").write_text(SORTED)
    words = ["train", tmp_path / "x.svm", "-o", tmp_path / "m", "-q"]
    assert run(*words).stderr == ""
    warned = run(*words, "--stream")
    assert warned.exit_code == 0
    assert warned.stderr.startswith("novikoff: the examples are sorted by label, or nearly so: ")
    assert "--no-stream" in warned.stderr
    assert run(*words, "--stream", "--shuffle").stderr == ""


@pytest.mark.parametrize("more", [[], ["--stream"], ["--multiclass"]])
def test_one_label_only_is_warned_about(more: list[str], tmp_path: Path) -> None:
    (tmp_path / "x.svm").write_text("1 1:1\n1 2:1\n")
    answer = run("train", tmp_path / "x.svm", "-o", tmp_path / "m", "-q", *more)
    assert answer.exit_code == 0
    assert answer.stderr.startswith("novikoff: all examples have the label 1; ")


def test_the_share_of_the_commonest_label_is_printed(data: Path, tmp_path: Path) -> None:
    words = ["train", data, "-o", tmp_path / "m", "-q"]
    n = max(int((Y == 1).sum()), int((Y == -1).sum()))
    label = 1 if (Y == 1).sum() == n else -1
    for more in ([], ["--stream"]):
        assert f"; {n / 120:.2%} are {label}\n" in stdout_of(*words, *more)
        assert json_of(*words, *more)["labels"][str(label)] == n


@pytest.mark.parametrize("more", [[], ["--multiclass"]])
def test_new_data_of_one_label_do_not_make_a_model_of_one(more: list[str], tmp_path: Path) -> None:
    (tmp_path / "x.svm").write_text("1 1:1\n-1 2:1\n")
    (tmp_path / "y.svm").write_text("1 1:1\n1 2:1\n")
    stdout_of("train", tmp_path / "x.svm", "-o", tmp_path / "m", "-q", *more)
    further = ["-o", tmp_path / "n", "--initial", tmp_path / "m", "-q"]
    answer = run("train", tmp_path / "y.svm", *further)
    assert answer.exit_code == 0
    assert answer.stderr.startswith("novikoff: all new examples have the label 1; ")
    assert "needs examples" not in answer.stderr
