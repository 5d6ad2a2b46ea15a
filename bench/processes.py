"""Whole processes, timed and weighed, and how the peers' are started."""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

Command: TypeAlias = list[str]

LAUNCH = """
import json, os, subprocess, sys, time
began = time.perf_counter()
process = subprocess.Popen(sys.argv[2:], stdin=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
took = time.perf_counter() - began
process.returncode = os.waitstatus_to_exitcode(status)
said = took, usage.ru_maxrss, usage.ru_utime + usage.ru_stime, process.returncode
with open(sys.argv[1], "w") as file:
    json.dump(said, file)
"""
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

    A small process starts it, because the system counts what a process is started from as its peak.
    """
    with tempfile.TemporaryFile() as file, tempfile.NamedTemporaryFile() as said:
        launch = [sys.executable, "-S", "-E", "-c", LAUNCH, said.name, *command]
        subprocess.run(launch, check=True, stdout=file, stderr=subprocess.STDOUT)
        seconds, peak, cpu, status = json.load(said)
        file.seek(0)
        output = file.read().decode()
    if status:
        raise SystemExit(f"{shlex.join(command)}\nexit status {status}\n{output}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Measured(seconds, peak * unit / 1e6, output, cpu)


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
