"""The command line, run in the same process: what it prints, and the status it ends with."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from novikoff.cli.app import run as run_words


@dataclass(frozen=True)
class Answer:
    """How a command ended."""

    exit_code: int
    stdout: str
    stderr: str


def run(*words: Any, input: bytes = b"") -> Answer:
    """`novikoff` with these words, and these bytes as its standard input."""
    out, err = io.StringIO(), io.StringIO()
    stdin = io.TextIOWrapper(io.BytesIO(input))
    status: Any = 0
    with redirect_stdout(out), redirect_stderr(err), patch.object(sys, "stdin", stdin):
        try:
            run_words([str(word) for word in words])
        except SystemExit as end:
            status = end.code
    return Answer(int(status or 0), out.getvalue(), err.getvalue())


def error(*words: Any, input: bytes = b"") -> str:
    """The one line on stderr when the input or the usage is bad."""
    answer = run(*words, input=input)
    assert (answer.exit_code, answer.stdout) == (2, ""), answer
    assert answer.stderr.startswith("novikoff: "), answer.stderr
    assert answer.stderr.count("\n") == 1, answer.stderr
    return answer.stderr.removeprefix("novikoff: ").strip()
