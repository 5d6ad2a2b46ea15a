"""Hostile command lines: any option with any value, odd files, closed and full streams."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

from attack.arena import Attack, Fault, verb
from attack.signals import ended
from attack.stored import NAMED, NUMBERED
from novikoff.cli.main import function_and_parser
from novikoff.cli.main import main as run_main
from novikoff.models.model import Model

VERBS = ["train", "train", "train", "predict", "test", "inspect", "certify", "verify"]
DATA = [
    "numbered.svm",
    "named.csv",
    "large.svm",
    "empty",
    "folder",
    "loop",
    "/dev/null",
    "none",
    "-",
]
FILES = [
    "attempt.out",
    "attempt.out",
    "loop",
    "folder",
    "folder/none/x",
    "/dev/full",
    "model",
    "-",
    "",
]
NUMBERS = [
    "0",
    "1",
    "2",
    "3",
    "5",
    "-1",
    "31",
    "32",
    "64",
    "1e3",
    "1e20",
    "0.5",
    "-0.0",
    "nan",
    "inf",
    "1e308",
    "1e-320",
    "1_0",
    "٣",
]
LARGE = [str(n) for n in (2**31, 2**53, 2**63 - 1, 2**63, 2**64, 2**70, -(2**70), 10**400)]
WORDS = [
    "x",
    "a*b",
    "all",
    "*",
    "a*",
    "*,*",
    "kind",
    "x,y",
    "a,b",
    "1,1",
    ",",
    "\x1b[0m",
    "é",
    "-",
    "--",
    "--passes",
    "none",
    "loop",
    "folder",
    "model",
]
CHOICES = [
    "csv",
    "svmlight",
    "parquet",
    "voted",
    "winnow",
    "winnow1",
    "margin",
    "zero",
    "indicate",
    "both",
]
VALUES = [*NUMBERS, *LARGE, *WORDS, *CHOICES, "", " 1"]


def prepare() -> None:
    """Write good files and odd ones."""
    Path("numbered.svm").write_text(NUMBERED)
    Path("named.csv").write_text(NAMED)
    Path("large.svm").write_text("1 1:1 9007199254740991:2\n-1 2:1\n")
    Path("empty").write_text("")
    Path("folder").mkdir(exist_ok=True)
    Path("loop").unlink(missing_ok=True)
    Path("loop").symlink_to("loop")
    assert verb("train", "numbered.svm", "-o", "model", "-q").status == 0
    assert verb("certify", "numbered.svm", "-o", "certificate").status in (0, 1)


def words(dice: Random) -> list[str]:
    """A command line."""
    name = dice.choice(VERBS)
    _, parser = function_and_parser(name)
    given = {"train": [], "certify": [], "verify": ["certificate"]}.get(name, ["model"])
    out = [name, *given]
    if name != "inspect":
        out.append(dice.choice(DATA) if dice.random() < 0.4 else dice.choice(DATA[:2]))
    if name == "train":
        out += ["-o", dice.choice(FILES) if dice.random() < 0.3 else "attempt.out"]
    free = sorted({*parser.options} - ({"-o", "--output"} if name == "train" else set()))
    for option in dice.sample(free, dice.choice((0, 1, 1, 2, 3))):
        out.append(option)
        if not parser.options[option].is_flag:
            value = dice.choice(FILES if option in ("-o", "--output", "--cache") else VALUES)
            # a run of 2^63 passes is right to go on for ever
            out.append("7" if option == "--passes" and value in LARGE[:3] else value)
    if dice.random() < 0.05:
        out[dice.randrange(1, len(out))] = dice.choice(VALUES)
    return out


def options(dice: Random) -> Iterator[Exception | None]:
    """Run command lines: an error is one line, and never a traceback."""
    for _ in range(20):
        Path("attempt.out").unlink(missing_ok=True)
        line = words(dice)
        Path("attempt.words").write_text(repr(line))
        try:
            answer = verb(*line, stdin=b"a 1:1\nb 2:1\n", needs_memory=True)
            if answer.status == 0 and line[0] == "train":
                Model.load(line[line.index("-o") + 1])
        except Exception as error:
            yield error
            continue
        yield None


COMMANDS = (
    ("--version",),
    ("--help",),
    ("train", "--help"),
    ("train", "numbered.svm", "-o", "attempt.out"),
    ("train", "numbered.svm", "-o", "attempt.out", "-q", "--json"),
    ("train", "none", "-o", "attempt.out"),
    ("train", "-", "-o", "attempt.out"),
    ("predict", "model", "numbered.svm"),
    ("predict", "model", "-"),
    ("test", "model", "numbered.svm"),
    ("inspect", "model"),
    ("certify", "numbered.svm"),
    ("verify", "certificate", "numbered.svm"),
    ("lab",),
    ("nonsense",),
)


STREAMS = {
    "full": ("/dev/full", os.O_RDWR),
    "null": ("/dev/null", os.O_RDWR),
    "closed": ("/dev/null", os.O_RDWR),
    "file": ("attempt.said", os.O_RDWR | os.O_CREAT | os.O_TRUNC),
}


def start(line: tuple[str, ...], streams: tuple[str, str, str]) -> int:
    """A process that runs a command line with these streams; each may be closed, full or null."""
    pid = os.fork()
    if pid:
        return pid
    status = 70
    try:
        opened = [os.open(*STREAMS[kind], 0o666) for kind in streams]
        for number, kind in enumerate(streams):
            os.dup2(opened[number], number)
            if kind == "closed":
                os.close(number)
            os.close(opened[number])
        reopen(streams)
        sys.argv = ["novikoff", *line]
        run_main()
        if sys.stdout is not None:
            sys.stdout.flush()
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException as error:
        Path("attempt.traceback").write_text(repr(error))
        status = 71
    finally:
        os._exit(status)


def reopen(streams: tuple[str, str, str]) -> None:
    """Set Python's streams as Python does when it starts: None for a closed one."""
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        is_open = streams[number] != "closed"
        setattr(sys, name, open(number, mode, closefd=False) if is_open else None)  # noqa: SIM115


def streams(dice: Random) -> Iterator[Exception | None]:
    """Run commands with streams that are closed or full."""
    for name in ("attempt.out", "attempt.said", "attempt.traceback"):
        Path(name).unlink(missing_ok=True)
    line = dice.choice(COMMANDS)
    kinds = (
        dice.choice(("null", "closed")),
        dice.choice(("file", "full", "closed")),
        dice.choice(("null", "full", "closed")),
    )
    status, said = ended(start(line, kinds))
    what = f"{line[0]}, streams {', '.join(kinds)}"
    if status == 71:
        why = Path("attempt.traceback").read_text()
        yield Fault(f"{what}: {why.partition('(')[0]}", error=why)
    elif status < 0 or status == 70:
        yield Fault(f"{what}: ended with {status}")
    elif "novikoff: " in said:
        yield Fault(f"{what}: the error is among the results", said=said)
    elif line[:2] == ("train", "numbered.svm") and not Path("attempt.out").exists():
        yield Fault(f"{what}: no model is written", said=said)
    else:
        yield None


ATTACKS = [
    Attack("options", "any option with any value, odd files", options, prepare, 1),
    Attack("streams", "closed and full standard streams", streams, prepare, 0.5),
]
