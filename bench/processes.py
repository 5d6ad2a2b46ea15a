"""Whole processes, timed and weighed, and how the peers' are started."""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

Command: TypeAlias = list[str]

DRIVE_VOWPAL = (
    "import sys; from vowpalwabbit import Workspace; Workspace(arg_list=sys.argv[1:]).finish()"
)
# its nearest to a perceptron: plain steps of one size, down the slope of the hinge
HINGE = ["--loss_function", "hinge", "--sgd", "--power_t", "0", "--learning_rate", "1"]


@dataclass(frozen=True, slots=True)
class Measured:
    """What a process took, the most memory it held (in MB), what it printed, and its CPU time."""

    seconds: float
    peak: float
    output: str
    cpu: float


def measure(command: Command) -> Measured:
    """Run a process to its end; the whole benchmark stops if it fails.

    The caller should hold less memory than the process: the system counts what it starts from.
    """
    with tempfile.TemporaryFile() as file:
        began = time.perf_counter()
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        file.seek(0)
        output = file.read().decode()
    if process.returncode:
        raise SystemExit(f"{shlex.join(command)}\nexit status {process.returncode}\n{output}")
    unit = 1 if sys.platform == "darwin" else 1024
    cpu = usage.ru_utime + usage.ru_stime
    return Measured(seconds, usage.ru_maxrss * unit / 1e6, output, cpu)


def best_of(times: int, commands: Mapping[str, Command]) -> dict[str, Measured]:
    """The least time and the most memory of each process, taking turns."""
    best: dict[str, Measured] = {}
    for _ in range(times):
        for name, command in commands.items():
            seen = measure(command)
            before = best.get(name, seen)
            best[name] = replace(
                seen,
                seconds=min(seen.seconds, before.seconds),
                peak=max(seen.peak, before.peak),
                cpu=min(seen.cpu, before.cpu),
            )
    return best


def novikoff(*words: str | Path) -> Command:
    """The command line of this environment."""
    return [str(Path(sys.executable).parent / "novikoff"), *map(str, words)]


def vowpal(python: str, *words: str | Path) -> Command:
    """Vowpal Wabbit's command line, through its Python package; nothing is held out."""
    return [python, "-c", DRIVE_VOWPAL, "-b", "18", "--holdout_off", *map(str, words)]


def has_vowpal(python: str) -> bool:
    """Whether the interpreter has Vowpal Wabbit; says so if it has not."""
    found = not subprocess.run(
        [python, "-c", "import vowpalwabbit"], capture_output=True
    ).returncode
    if not found:
        print(f"no Vowpal Wabbit: {python} has no vowpalwabbit (see --peers)", file=sys.stderr)
    return found


def vowpal_says(output: str, what: str) -> float:
    """A number of Vowpal Wabbit's last lines, such as `average loss = 0.25`."""
    found = [line.split("=")[1] for line in output.splitlines() if line.startswith(f"{what} =")]
    return float(found[-1])


def add_peers(options: argparse.ArgumentParser) -> None:
    options.add_argument(
        "--peers",
        metavar="PYTHON",
        default=sys.executable,
        help="an interpreter that has the package vowpalwabbit (default: this one)",
    )
