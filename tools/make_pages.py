"""Write what the pages quote of commands: python tools/make_pages.py [FOLDER].

A page shows files (a fenced block with file=NAME), commands with what they print (a block of kind
console), and what a command says of itself (between marks). All commands are run, page after page
in one new directory, and what they print is put under them, unless that differs from what is there
in times and speeds only.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
VERBS = (
    "demo", "train", "predict", "test", "inspect", "certify", "verify", "report", "lab", "web",
)  # fmt: skip
PAGES = (
    "README.md",
    *(f"docs/commands/{verb}.md" for verb in VERBS),
    "docs/models.md",
    "docs/concepts.md",
)
KEPT = ("PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "PYTHONPATH", "VIRTUAL_ENV", "SYSTEMROOT")

BLOCK = re.compile(r"^```(?P<kind>.*)\n(?P<body>(?:.*\n)*?)```$", re.M)
HELP = re.compile(r"^<!-- (?P<command>novikoff .*--help) -->\n(?:.*\n)*?<!-- end -->$", re.M)
TIMES = re.compile(r"(?<=%)[ \d,:]*$|\bin [\d.]+ s\b(?:, [\d,]+ MB/s)?|\btook [\d.]+ seconds", re.M)


def environment() -> dict[str, str]:
    """One in which nothing bears on how text is laid out but this width."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    kept["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), kept.get("PATH", "")])
    return {**kept, "COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb", "PYTHONUTF8": "1"}


def run(command: str, folder: str) -> str:
    """What a command prints, on both channels; its status, if it is not 0, is the last line."""
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    lines = [line.rstrip() for line in done.stdout.decode().splitlines()]
    if done.returncode:
        lines.append(f"(exit status {done.returncode})")
    return "".join(f"{line}\n" for line in lines)


def transcript(body: str, folder: str) -> str:
    """The commands of a block, each with what it prints now."""
    out = []
    for command, before in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", body, re.M):
        now = run(command, folder)
        same = TIMES.sub("", now) == TIMES.sub("", before)
        out.append(f"$ {command}\n{before if same else now}")
    return "".join(out)


def renewed(text: str, folder: str) -> str:
    """The page with its examples run and its help asked for."""

    def block(found: re.Match[str]) -> str:
        kind, body = found["kind"], found["body"]
        if name := re.search(r"file=(\S+)", kind):
            Path(folder, name[1]).write_text(body, encoding="utf-8")
        elif kind == "console":
            body = transcript(body, folder)
        return f"```{kind}\n{body}```"

    def usage(found: re.Match[str]) -> str:
        words = run(found["command"], folder).strip("\n")
        return f"<!-- {found['command']} -->\n```text\n{words}\n```\n<!-- end -->"

    return HELP.sub(usage, BLOCK.sub(block, text))


def main(target: Path) -> None:
    """Write every page anew, from the pages as they are."""
    with TemporaryDirectory() as folder:
        for page in PAGES:
            text = (ROOT / page).read_text(encoding="utf-8")
            (target / page).parent.mkdir(parents=True, exist_ok=True)
            (target / page).write_text(renewed(text, folder), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT)
