"""Run a novikoff command inside the test process and read its output, errors and files."""

from __future__ import annotations

import io
import json
import os
import signal
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from novikoff.cli.main import run as run_words
from novikoff.cli.train import Watch
from novikoff.models.training import Training


@dataclass(frozen=True)
class Answer:
    """The exit code and output of a command."""

    exit_code: int
    stdout: str
    stderr: str


def run(*words: Any, input: bytes | str | None = None) -> Answer:
    """Run `novikoff` with these arguments, and `input` as its standard input."""
    out, err = io.StringIO(), io.StringIO()
    given = input.encode() if isinstance(input, str) else input or b""
    stdin = io.TextIOWrapper(io.BytesIO(given))
    status: Any = 0
    with redirect_stdout(out), redirect_stderr(err), patch.object(sys, "stdin", stdin):
        try:
            run_words([str(word) for word in words])
        except SystemExit as end:
            status = end.code
    return Answer(int(status or 0), out.getvalue(), err.getvalue())


def error(*words: Any, input: bytes | str | None = None) -> str:
    """The one line on stderr of a command that must fail with exit code 2."""
    answer = run(*words, input=input)
    assert (answer.exit_code, answer.stdout) == (2, ""), answer
    assert answer.stderr.startswith("novikoff: "), answer.stderr
    assert answer.stderr.count("\n") == 1, answer.stderr
    return answer.stderr.removeprefix("novikoff: ").strip()


def stdout_of(*words: Any, **options: Any) -> str:
    """The standard output of a command that must succeed."""
    answer = run(*words, **options)
    assert answer.exit_code == 0, answer.stderr
    return answer.stdout


def json_of(*words: Any, **options: Any) -> dict[str, Any]:
    """The parsed output of a command run with --json."""
    found: dict[str, Any] = json.loads(stdout_of(*words, "--json", **options))
    return found


def trained_model(output: Path, *words: Any, **options: Any) -> bytes:
    """The bytes of the model that `train` writes."""
    stdout_of("train", *words, "-o", output, "-q", **options)
    return output.read_bytes()


def train_until_stopped(blocks: int, *words: Any, checkpoint: float = 0) -> None:
    """Run `train` with checkpoints, and ask it to end (SIGTERM) after some blocks."""
    seen, after_block = 0, Watch.after_block

    def counted(self: Watch, training: Training) -> None:
        nonlocal seen
        seen += 1
        if seen == blocks:
            signal.raise_signal(signal.SIGTERM)
        after_block(self, training)

    with patch.object(Watch, "after_block", counted):
        answer = run("train", *words, "--checkpoint", checkpoint, "-q")
    assert answer.exit_code == 128 + signal.SIGTERM, answer


def contents(folder: Path) -> dict[str, bytes]:
    """Every file in the folder, hidden ones too, with its bytes."""
    return {
        str(Path(at, name).relative_to(folder)): Path(at, name).read_bytes()
        for at, _, names in os.walk(folder)
        for name in names
    }
