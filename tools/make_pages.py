"""Write what the pages quote of commands: python tools/make_pages.py [FOLDER].

A page shows files (a fenced block with file=NAME), commands with their output (a block of kind
console), and the help of a command (between marks). Each chapter, a few pages that share files, is
run in a new directory of its own. The output of every command is put under it, unless it differs
from what is there in times and speeds only. A command that ends in & is a service: it runs on a
free port until `kill %1` or `kill %%; wait`, or to the end of the chapter; its first two lines are
shown.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import socket
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from novikoff.cli.main import run as run_novikoff

ROOT = Path(__file__).parents[1]
CHAPTERS = {
    "README": ("README.md",),
    "start": (
        "docs/start/engineer.md",
        "docs/start/statistician.md",
        "docs/start/teacher.md",
        "docs/start/builder.md",
    ),
    "demo": ("docs/commands/demo.md",),
    "models": (
        "docs/commands/train.md",
        "docs/training.md",
        "docs/commands/predict.md",
        "docs/commands/test.md",
        "docs/commands/inspect.md",
        "docs/commands/export.md",
        "docs/models.md",
    ),
    "certificates": ("docs/commands/certify.md", "docs/commands/verify.md"),
    "report": ("docs/commands/report.md",),
    "lab": ("docs/commands/lab.md",),
    "web": ("docs/commands/web.md",),
    "concepts": ("docs/concepts.md",),
    "service": ("docs/service.md", "docs/commands/serve.md", "docs/commands/journal.md"),
    "cluster": ("docs/cluster.md",),
}
PORT = ":1963"  # of the service, in the pages; another one is used here
KEPT = ("PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "PYTHONPATH", "VIRTUAL_ENV", "SYSTEMROOT")

RUNNING: list[subprocess.Popen[str]] = []

BLOCK = re.compile(r"^```(?P<kind>.*)\n(?P<body>(?:.*\n)*?)```$", re.M)
HELP = re.compile(r"^<!-- (?P<command>novikoff .*--help) -->\n(?:.*\n)*?<!-- end -->$", re.M)
TIMES = re.compile(
    r"(?<=%)[ \d,:]*$|\bin [\d.]+ s\b(?:, [\d,]+ MB/s)?|\btook [\d.]+ seconds(?: \(.+\))?", re.M
)


def environment() -> dict[str, str]:
    """An environment in which only this width affects how text is laid out."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    kept["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), kept.get("PATH", "")])
    return {**kept, "COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb", "PYTHONUTF8": "1"}


def run(command: str, folder: str) -> str:
    """The output of a command on both channels; a last line gives the exit status unless it is 0.

    Plain novikoff commands run in this process, which saves loading Python each time.
    """
    if command in ("kill %1", "kill %%; wait"):
        return stop()
    if command.endswith(" &"):
        return start(command, folder)
    words = list(shlex.shlex(command, posix=True, punctuation_chars=True))
    plain = words[0] == "novikoff" and not any(word[0] in "|<>;&()" for word in words if word)
    status, output = (run_here if plain else run_shell)(command.replace(PORT, port()), folder)
    lines = [line.rstrip() for line in output.replace(port(), PORT).splitlines()]
    return "".join(f"{line}\n" for line in [*lines, *[f"(exit status {status})"] * (status != 0)])


@cache
def port() -> str:
    """A port that is free."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return f":{free.getsockname()[1]}"


def start(command: str, folder: str) -> str:
    """Start a service; its first lines."""
    words = f"exec {command[:-1]} --port {port()[1:]}"
    process = subprocess.Popen(
        ["sh", "-c", words], cwd=folder, env=environment(), stdout=subprocess.PIPE, text=True
    )
    RUNNING.append(process)
    assert process.stdout is not None
    return "".join(process.stdout.readline() for _ in range(2)).replace(port(), PORT)


def stop() -> str:
    """End the service that was started last, as a terminal would."""
    process = RUNNING.pop()
    process.terminate()
    process.communicate()
    return f"(exit status {process.returncode})\n" if process.returncode else ""


def run_shell(command: str, folder: str) -> tuple[int, str]:
    """The exit status and the output of a command of the shell."""
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return done.returncode, done.stdout.decode()


def run_here(command: str, folder: str) -> tuple[int, str]:
    """The exit status and the output of a novikoff command."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    status: object = 0
    with (
        chdir(folder),
        patch.dict(os.environ, environment(), clear=True),
        patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO())),
        redirect_stdout(out),
        redirect_stderr(out),
    ):
        try:
            run_novikoff(shlex.split(command)[1:])
        except SystemExit as end:
            status = end.code
    return int(str(status or 0)), out.buffer.getvalue().decode()


def transcript(body: str, folder: str) -> str:
    """The commands of a block, each with what it prints now."""
    out = []
    for command, before in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", body, re.M):
        now = run(command, folder)
        same = TIMES.sub("", now) == TIMES.sub("", before)
        out.append(f"$ {command}\n{before if same else now}")
    return "".join(out)


def renewed(text: str, folder: str) -> str:
    """The page with its commands run again."""

    def block(found: re.Match[str]) -> str:
        kind, body = found["kind"], found["body"]
        if name := re.search(r"file=(\S+)", kind):
            Path(folder, name[1]).write_text(body.replace(PORT, port()), encoding="utf-8")
        elif kind == "console":
            body = transcript(body, folder)
        return f"```{kind}\n{body}```"

    def usage(found: re.Match[str]) -> str:
        words = run(found["command"], folder).strip("\n")
        return f"<!-- {found['command']} -->\n```text\n{words}\n```\n<!-- end -->"

    return HELP.sub(usage, BLOCK.sub(block, text))


def chapter(name: str) -> dict[str, str]:
    """The pages of a chapter, each as it should be."""
    with TemporaryDirectory() as folder:
        try:
            return {
                page: renewed((ROOT / page).read_text(encoding="utf-8"), folder)
                for page in CHAPTERS[name]
            }
        finally:
            while RUNNING:
                stop()


if __name__ == "__main__":
    for name in CHAPTERS:
        for page, text in chapter(name).items():
            (ROOT / page).write_text(text, encoding="utf-8")
