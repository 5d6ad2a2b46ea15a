"""The command line from within: run a verb, look at what it says, compare what it wrote."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from novikoff.cli.app import app


def run(*words: Any, **options: Any) -> Result:
    """A verb and its words; an exception that it should have told of is raised here."""
    answer = CliRunner().invoke(app, [str(word) for word in words], **options)
    if answer.exception and not isinstance(answer.exception, SystemExit):
        raise answer.exception
    return answer


def said(*words: Any, **options: Any) -> str:
    """What it prints when all goes well."""
    answer = run(*words, **options)
    assert answer.exit_code == 0, answer.stderr
    return answer.stdout


def told(*words: Any, **options: Any) -> dict[str, Any]:
    """The same with --json."""
    found: dict[str, Any] = json.loads(said(*words, "--json", **options))
    return found


def error(*words: Any, **options: Any) -> str:
    """The one line on stderr when the input or the usage is bad."""
    answer = run(*words, **options)
    assert (answer.exit_code, answer.stdout) == (2, "")
    assert answer.stderr.startswith("novikoff: ")
    assert answer.stderr.count("\n") == 1
    return answer.stderr.removeprefix("novikoff: ").strip()


def trained(output: Path, *words: Any, **options: Any) -> bytes:
    """The bytes of the model that `train` writes, saying no rows of progress."""
    said("train", *words, "-o", output, "-q", **options)
    return output.read_bytes()


def contents(folder: Path) -> dict[str, bytes]:
    """Every file there is, hidden ones too."""
    return {
        str(Path(at, name).relative_to(folder)): Path(at, name).read_bytes()
        for at, _, names in os.walk(folder)
        for name in names
    }
