"""The standalone checkers of certificates, in Python and in JavaScript, which must say the same."""

from __future__ import annotations

import argparse
import atexit
import base64
import json
import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from novikoff.guarantees import check
from novikoff.show import web

SCRIPTS = Path(web.__file__).parent / "static"
NODE = shutil.which("node")


@cache
def _process() -> subprocess.Popen[str]:
    program = Path(__file__).with_name("second_checker.js")
    command = [str(NODE), str(program), str(SCRIPTS)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(process.communicate)  # it ends with its input
    return process


def ask_javascript(verb: str, **request: Any) -> Any:
    """The answer of the checker in JavaScript."""
    process = _process()
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps([verb, request]) + "\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())


def digits(value: float) -> str:
    """A float64 as hexadecimal digits."""
    return struct.pack(">d", value).hex()


def encoded(files: Sequence[Path]) -> list[tuple[str, str]]:
    """Names and bytes of files, as the checker in JavaScript is given them."""
    return [(file.name, base64.b64encode(file.read_bytes()).decode()) for file in files]


def said_by_javascript(certificate: Mapping[str, Any], data: check.Evidence) -> str | None:
    """Why the checker in JavaScript refuses the certificate, or "accepted"; None without node."""
    rows = [(label, list(row)) for label, row in data.examples]
    if NODE is None or not all(type(c) is int for _, row in rows for c, _ in row):
        return None
    there = ask_javascript(
        "prove",
        certificate=json.dumps(certificate),
        examples=[(y, [(c, digits(v)) for c, v in row]) for y, row in rows],
        columns=data.columns,
        files=data.files,
        names=data.names,
        label=data.label,
        classes=data.classes,
    )
    return str(there.get("said", there.get("words")))


def checked(certificate: Mapping[str, Any], data: check.Evidence) -> None:
    """check.check, which the checker in JavaScript must agree with, if node is installed."""
    data = replace(data, examples=[(label, list(row)) for label, row in data.examples])
    said = None
    try:
        check.check(certificate, data)
    except check.Rejected as error:
        said = error
    there = said_by_javascript(certificate, data)
    assert there is None or (said is None) == (there == "accepted"), (said, there)
    if said is not None:
        raise said


def agree(status: int, said: str, folder: Path, *words: str | Path) -> None:
    """The checker in JavaScript gives the answer that check.py gave to these words."""
    parser = argparse.ArgumentParser()
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--label")
    parser.add_argument("--one-vs-rest", dest="one")
    parser.add_argument("--categorical", action="append", default=[])
    parser.add_argument("--trials")
    parser.add_argument("--by-name", dest="byName", action="store_true")
    parser.add_argument("--zero-based", dest="zeroBased", action="store_true")
    options = vars(parser.parse_intermixed_args([str(word) for word in words]))
    certificate, *files = encoded([folder / path for path in options.pop("paths")])
    if NODE is not None:
        there = ask_javascript("check", certificate=certificate, files=files, options=options)
        assert there["said"]["status"] == status, (said, there)
        if status == 0:
            assert there["said"]["words"] == said.splitlines()[0]


def answer(folder: Path, *words: str | Path, **settings: str) -> tuple[int, str, str]:
    """The status of check.py, and what it printed; the checker in JavaScript gives the same."""
    done = subprocess.run(
        [sys.executable, check.__file__, *map(str, words)],
        cwd=folder,
        capture_output=True,
        env=os.environ | settings,
        timeout=120,
    )
    agree(done.returncode, done.stdout.decode(), folder, *words)
    return done.returncode, done.stdout.decode(), done.stderr.decode()
