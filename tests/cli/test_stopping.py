"""`novikoff train` stopped from outside: Ctrl-C, a request to end, and kill -9 at any moment."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from helpers.command_line import contents, error, run, stdout_of, train_until_stopped, trained_model
from helpers.processes import in_a_new_process
from novikoff.cli.train import Watch
from novikoff.models.model import Model
from novikoff.sources import whole
from novikoff.sources.files import text as pieces

PIECE_BYTES = 400
# The command line with small pieces, so that there are many blocks; pytest may ignore SIGINT.
VERB = f"""
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from novikoff.sources.files import text as pieces
pieces.PIECE_BYTES = {PIECE_BYTES}
from novikoff.sources import whole
whole.BLOCK_BYTES = {PIECE_BYTES}
from novikoff.cli.main import main
main()
"""
_draw = np.random.default_rng(7)
LINES = [
    f"{1 if a + 0.4 * noise > b else -1} 1:{a:.3f} 2:{b:.3f} {3 + i // 9}:1\n"
    for i, (a, b, noise) in enumerate(_draw.normal(size=(200, 3)).tolist())
]


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "PIECE_BYTES", PIECE_BYTES)
    monkeypatch.setattr(whole, "BLOCK_BYTES", PIECE_BYTES)


def started(*words: Any, **options: Any) -> subprocess.Popen[str]:
    """A verb in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", VERB, *map(str, words)],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        **options,
    )


def asked_to_stop(which: signal.Signals, *words: Any) -> tuple[int, list[str]]:
    """Send a signal to training that waits for the second half of its input.

    The exit status, and what was said on stderr besides rows of progress.
    """
    # the format is said, for telling it takes 64 KB or the end of the input
    words = ("train", "-", "--format", "svmlight", "--threads", 0, *words)
    with started(*words, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write("".join(LINES[:100]))
        process.stdin.flush()
        assert process.stderr.readline().split()[0] == "examples"
        process.send_signal(which)
        _, rest = process.communicate("".join(LINES[100:]), timeout=120)
    return process.returncode, [row for row in rest.splitlines() if row.startswith("novikoff")]


@pytest.mark.parametrize(
    ("which", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_stops_training_and_leaves_what_was_learned(
    which: signal.Signals, status: int, tmp_path: Path
) -> None:
    model, words = tmp_path / "m", ["--learner", "averaged", "--shuffle"]
    code, lines = asked_to_stop(which, "-o", model, "--checkpoint", 1000, *words)
    assert (code, len(lines)) == (status, 1)
    met = Model.load(model).ledger.n_rounds
    assert 0 < met < 200
    assert lines[0] == (f"novikoff: interrupted after {met} examples; saved in {model}")
    answer = run("inspect", model, "--json")
    assert answer.stderr.startswith(
        f"novikoff: {model}: its training was interrupted after 0 passes and "
    )
    assert set(contents(tmp_path)) == {"m"}
    resumed = error("train", "-", "-o", model, "--format", "svmlight", "--resume", *words)
    assert resumed == "--resume: cannot resume from a pipe; read a file"


def test_a_signal_during_a_look_at_the_clock_is_obeyed_after_the_next_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = time.perf_counter
    watch = Watch(Mock(is_pipe=True), Mock(), Mock(), tmp_path / "m", 1000.0, clock())
    training = Mock()
    training.save.side_effect = lambda path: path.write_text("saved")
    training.model.features.kind = "columns"
    training.model.ledger.n_rounds = 5

    def signalled() -> float:
        watch._signal = signal.SIGTERM
        return clock()

    monkeypatch.setattr("novikoff.cli.train.time", Mock(perf_counter=signalled))
    watch.after_block(training)
    assert not (tmp_path / "m").exists()
    with pytest.raises(SystemExit):
        watch.after_block(training)
    assert (tmp_path / "m").read_text() == "saved"


def test_without_checkpoints_a_signal_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "x.svm").write_text("".join(LINES[:9]))
    trained_model(tmp_path / "old", tmp_path / "x.svm")
    before = contents(tmp_path)
    words = ["-o", tmp_path / "old", "--cache", tmp_path / "cache"]
    code, lines = asked_to_stop(signal.SIGINT, *words)
    assert (code, len(lines)) == (130, 1)
    assert lines[0].endswith("nothing was saved (see --checkpoint)")
    assert contents(tmp_path) == before


@pytest.mark.parametrize("blocks", [2, 9])
def test_a_run_from_an_initial_model_resumes_in_place(blocks: int, tmp_path: Path) -> None:
    a, b, model = tmp_path / "a.svm", tmp_path / "b.svm", tmp_path / "m"
    a.write_text("".join(LINES[:80]))
    b.write_text("".join(LINES[80:]))
    trained_model(tmp_path / "start", a)
    model.write_bytes((tmp_path / "start").read_bytes())
    words = [b, "--passes", 3]
    undisturbed = trained_model(tmp_path / "n", *words, "--initial", tmp_path / "start")
    words += ["--cache", tmp_path / "cache"]
    train_until_stopped(blocks, *words, "-o", model, "--initial", model)
    assert Model.load(model).unfinished is not None
    assert trained_model(model, *words, "--initial", model, "--resume") == undisturbed


COMMAS = "a,b,y\n" + "".join(f"{i % 7},{i % 5},{int(i % 7 > 3)}\n" for i in range(150))
TABS = "y\tcolour\tsize\n" + "".join(
    f"{'no' if i % 7 > 3 else 'yes'}\t{'red' if i % 3 else 'blue'}\t{i % 7}\n" for i in range(150)
)


@pytest.mark.parametrize(("name", "text"), [("x.csv", COMMAS), ("x.tsv", TABS)])
@pytest.mark.parametrize("stream", [[], ["--stream"]])
def test_a_checkpoint_of_a_table_predicts_and_resumes(
    name: str, text: str, stream: list[str], tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text)
    words = [tmp_path / name, "--label", "y", "--passes", 2, *stream]
    undisturbed = trained_model(tmp_path / "n", *words)
    for blocks in (1, 3, 5):
        train_until_stopped(blocks, *words, "-o", tmp_path / "m")
        assert stdout_of("predict", tmp_path / "m", tmp_path / name).count("\n") == 150
        assert trained_model(tmp_path / "m", *words, "--resume") == undisturbed


@pytest.mark.parametrize("moment", range(6))
def test_a_run_killed_at_any_moment_resumes_to_the_same_bytes(moment: int, tmp_path: Path) -> None:
    data, model = tmp_path / "x.svm", tmp_path / "m"
    data.write_text("".join(LINES))
    words = [data, "--passes", 12, "--shuffle", "--learner", ("averaged", "voted")[moment % 2]]
    words += ["--stream"] * (moment >= 3)
    undisturbed = trained_model(tmp_path / "n", *words)
    with started("train", *words, "-o", model, "--checkpoint", 0) as process:
        assert process.stderr is not None
        process.stderr.readline()  # it has begun
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(random.Random(moment).uniform(0, 0.4))
        process.kill()
        process.communicate()
    if model.exists() and Model.load(model).unfinished is None:
        assert model.read_bytes() == undisturbed
    else:
        assert trained_model(model, *words, "--resume", "--checkpoint", 0.1) == undisturbed
    left = {name for name in os.listdir(tmp_path) if name.startswith(".")}
    assert len(left) <= 1  # what was being written when it was killed


def test_after_a_signal_ctrl_c_does_not_disturb_the_removal_of_files() -> None:
    code = """
import signal
from novikoff.cli import main
try:
    main._stop(signal.SIGTERM, None)
except main.Stopped:
    print(signal.getsignal(signal.SIGINT) is signal.SIG_IGN)
"""
    assert in_a_new_process(code) == "True"
