"""Signals at random moments: what remains is the old file or the new one, and a run can resume.

The commands run in forked processes that have everything loaded, so a signal meets them at work
and not while Python starts.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random

from attack.arena import Attack, Fault
from novikoff import BadModel
from novikoff.cli.main import main as run_main
from novikoff.models.model import Model

CATCHABLE = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
OTHERS = (signal.SIGKILL, signal.SIGQUIT, signal.SIGUSR1, signal.SIGALRM, signal.SIGPIPE)
QUIET = (signal.SIGWINCH, signal.SIGCHLD, signal.SIGCONT, signal.SIGURG)

TRAIN = ("train", "data.svm", "--passes", "6", "-q")
COMMANDS: dict[str, tuple[str, ...]] = {
    "train": (*TRAIN, "-o", "attempt.out"),
    "checkpoint": (*TRAIN, "-o", "attempt.out", "--checkpoint", "0", "--resume"),
    "voted": (
        *TRAIN,
        "-o",
        "attempt.out",
        "--learner",
        "voted",
        "--checkpoint",
        "0.01",
        "--resume",
    ),
    "cache": (
        *TRAIN,
        "-o",
        "attempt.out",
        "--cache",
        "attempt.cache",
        "--checkpoint",
        "0",
        "--resume",
    ),
    "predict": ("predict", "model", "data.svm", "-o", "attempt.out"),
    "report": ("report", "small.svm", "-o", "attempt.out"),
    "certify": ("certify", "small.svm", "-o", "attempt.out"),
}
RESUMES = ("checkpoint", "voted", "cache")


def prepare() -> None:
    """Write the data, and what each command writes when nothing disturbs it."""
    dice = Random(0)
    lines = []
    for _ in range(3000):
        x = [dice.randint(-9, 9) for _ in range(6)]
        y = 1 if 2 * x[0] - x[1] + x[4] + dice.randint(-3, 3) > 0 else -1
        lines.append(f"{y} " + " ".join(f"{j}:{v}" for j, v in enumerate(x, 1) if v))
    Path("data.svm").write_text("\n".join(lines) + "\n")
    Path("small.svm").write_text("\n".join(lines[:60]) + "\n")
    assert ended(start((*TRAIN, "-o", "model")))[0] == 0
    for name, words in COMMANDS.items():
        clear()
        began = time.monotonic()
        status, said = ended(start(words))
        assert status == 0, (name, said)
        Path(f"{name}.reference").write_bytes(Path("attempt.out").read_bytes())
        Path(f"{name}.seconds").write_text(str(time.monotonic() - began))
    clear()


def clear() -> None:
    """Remove what commands wrote."""
    for path in [*Path().glob("attempt.*"), *Path().glob(".*")]:
        path.unlink()


def start(words: Sequence[str]) -> int:
    """A process that runs a command; its output goes to attempt.said."""
    ready, working = os.pipe()
    everything = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    pid = os.fork()
    if pid:
        signal.pthread_sigmask(signal.SIG_SETMASK, everything)
        os.close(working)
        os.read(ready, 1)  # returns when the process has closed its end
        os.close(ready)
        return pid
    status = 70
    try:
        said = os.open("attempt.said", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
        os.dup2(said, 1)
        os.dup2(said, 2)
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115  (it lives as long as the process)
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
        signal.signal(signal.SIGUSR1, signal.SIG_DFL)
        sys.argv = ["novikoff", *words]
        os.close(working)
        time.sleep(0.001)  # the parent waits before it sends a signal, so none comes before `main`
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        run_main()
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


def ended(pid: int) -> tuple[int, str]:
    """The exit status of a process, negative for a signal, and what it said."""
    _, status = os.waitpid(pid, 0)
    path = Path("attempt.said")
    return os.waitstatus_to_exitcode(status), path.read_text() if path.exists() else ""


def is_good(name: str, content: bytes) -> bool:
    """Whether a file is what the command writes, or a run to be resumed."""
    if content == Path(f"{name}.reference").read_bytes():
        return True
    if name not in RESUMES and name not in ("train",):
        return content.rstrip().endswith(b"}" if name == "certify" else b"</html>")
    try:
        return Model.load("attempt.out").unfinished is not None
    except BadModel:
        return False


def attempt(dice: Random) -> Iterator[Exception | None]:
    """Signal a command once or more, and look at what remains."""
    clear()
    quick = [name for name in COMMANDS if name != "report"]
    name = dice.choice(6 * quick + ["report"])
    usual = float(Path(f"{name}.seconds").read_text())
    old = b"" if dice.random() < 0.5 else Path("model").read_bytes()
    if old and name not in RESUMES:
        Path("attempt.out").write_bytes(old)
    for k in range(dice.randint(1, 4)):
        one = dice.choice((*CATCHABLE, *CATCHABLE, *OTHERS, *QUIET))
        again = dice.random() < 0.2
        pid = start(COMMANDS[name])
        time.sleep(0.003 + dice.random() * usual * 1.1)
        os.kill(pid, one)
        if again:
            time.sleep(dice.random() * 0.01)
            os.kill(pid, dice.choice(CATCHABLE))
        status, said = ended(pid)
        what = f"{name}, {one.name}{' twice' if again else ''}"
        if "Traceback" in said:
            yield Fault(f"{what}: a traceback", said=said)
            return
        if one in QUIET and not again and status != 0:
            yield Fault(f"{what}: ended with {status}", said=said)
            return
        hidden = sorted(str(p) for p in Path().glob(".*"))
        if hidden and one != signal.SIGKILL:
            yield Fault(f"{what}: a temporary file is left", hidden=" ".join(hidden), said=said)
            return
        for path in hidden:
            Path(path).unlink()
        found = Path("attempt.out").read_bytes() if Path("attempt.out").exists() else b""
        if found and found != old and not is_good(name, found):
            yield Fault(f"{what}: the file is neither the old one nor the new one", said=said)
            return
        if status == 0 and not is_good(name, found):
            yield Fault(f"{what}: it says that it is done, and it is not", said=said)
            return
        yield None
        if name not in RESUMES or status == 0:
            return
        del k
    for _ in range(3):
        status, said = ended(start(COMMANDS[name]))
        if status == 0:
            break
    if Path("attempt.out").read_bytes() != Path(f"{name}.reference").read_bytes():
        yield Fault(f"{name}: resumed, it gives other bytes", said=said)
    else:
        yield None


def changing(dice: Random) -> Iterator[Exception | None]:
    """Change the data while a run reads them: it says so, or it did not meet the change."""
    clear()
    usual = float(Path("train.seconds").read_text())
    old = Path("data.svm").read_bytes()
    lines = old.splitlines(keepends=True)
    new = dice.choice(
        (b"1 1:1\n-1 1:-1\n", b"".join(lines[:-1]), old + lines[0], b"1 1:1\n" * 3000)
    )
    Path("attempt.svm").write_bytes(old)
    cache = ("--cache", "attempt.cache") if dice.random() < 0.2 else ()
    words = (
        "train",
        "attempt.svm",
        "--passes",
        "40",
        *cache,
        "-o",
        "attempt.out",
        "-q",
        "--shuffle",
    )
    pid = start(words)
    time.sleep(0.003 + 5 * dice.random() * usual)
    if dice.random() < 0.5:
        Path("attempt.new").write_bytes(new)
        os.replace("attempt.new", "attempt.svm")
    else:
        Path("attempt.svm").write_bytes(new)
    status, said = ended(pid)
    if "Traceback" in said:
        yield Fault("the data change during a run: a traceback", said=said)
    elif status == 0 and "separate the examples" in said and new != old:
        # of the old rows no weights separate all, and the new ones were not all there was
        n = next((line.split()[1] for line in said.splitlines() if line.startswith("Examples")), "")
        whole = n.replace(",", "") == str(new.count(b"\n"))
        yield None if whole else Fault("separated, it says, of data that changed", said=said)
    elif status == 2 and "attempt.svm" not in said:
        yield Fault("the data change during a run: the error does not name the file", said=said)
    else:
        yield None


ATTACKS = [
    Attack("signals", "signals at random moments", attempt, prepare, 1.5, seconds=60),
    Attack("changing files", "data that change during a run", changing, prepare, 0.5, seconds=60),
]
