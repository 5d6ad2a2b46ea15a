"""Where attempts run: child processes with limits on memory and time, and what an attack is.

The children are forked from a process that has imported everything, so thousands of attempts a
second are possible. An attempt fails if it raises an error, crashes, hangs or takes much memory;
what it raises is saved with the files that it used.
"""

from __future__ import annotations

import faulthandler
import io
import mmap
import os
import pickle
import re
import resource
import select
import shutil
import signal
import struct
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

from novikoff.cli.main import run as run_words

MEGABYTE = 1 << 20
_CLOCK = struct.Struct("<qqd")  # the attempt, the inputs tried so far, and when it began


class Fault(AssertionError):  # noqa: N818  (it is what was found)
    """What an attempt found wrong, with the files that show it."""

    def __init__(self, why: str, **files: bytes | str) -> None:
        super().__init__(why)
        self.files = files

    def __reduce__(self) -> tuple[Any, ...]:
        return _fault, (str(self), self.files)


def _fault(why: str, files: dict[str, bytes | str]) -> Fault:
    return Fault(why, **files)


@dataclass(frozen=True)
class Attack:
    """One kind of attack.

    Parameters
    ----------
    attempt
        Tries inputs in the current directory, with these dice; for each it yields None, or what
        was wrong; a number for so many that were right. The same dice make the same attempt.
    prepare
        Writes the files that all attempts use into the current directory.
    share
        Its part of the time.
    seconds, megabytes
        What one input may take.
    """

    name: str
    about: str
    attempt: Callable[[Random], Iterator[Exception | int | None]]
    prepare: Callable[[], None] = lambda: None
    share: float = 1.0
    seconds: float = 20.0
    megabytes: int = 300


@dataclass
class Outcome:
    """What became of the attempts of one attack."""

    attempts: int = 0
    inputs: int = 0
    failures: int = 0
    seconds: float = 0.0
    kinds: dict[str, int] = field(default_factory=dict)  # each kind of failure, and how often


class Arena:
    """Runs the attempts of one attack, and saves the first failure of each kind."""

    def __init__(self, attack: Attack, seed: int, work: Path, failures: Path) -> None:
        self.attack, self.seed, self.failures = attack, seed, failures
        self.folder = work / attack.name
        self.outcome = Outcome()
        self._clock = mmap.mmap(-1, _CLOCK.size)

    def dice(self, attempt: int) -> Random:
        """The dice of an attempt."""
        return Random(f"{self.seed} {self.attack.name} {attempt}")

    def run(self, seconds: float, tick: Callable[[Outcome], None]) -> Outcome:
        """Make attempts until the time is over; `tick` is called now and then."""
        began = time.monotonic()
        self.folder.mkdir(parents=True, exist_ok=True)
        status = self._child(self._prepared, tick)
        first, left = 0, max(seconds, 0.01)
        while status == 0 and left > 0:
            self._child(partial(self._attempts, first, time.monotonic() + min(left, 10)), tick)
            first = max(first, self._now()[0]) + 1
            left = began + seconds - time.monotonic()
        self.outcome.seconds = time.monotonic() - began
        return self.outcome

    def _prepared(self) -> Iterator[tuple[int, str, Fault]]:
        self._clock[:] = _CLOCK.pack(-1, 0, time.monotonic() + 120)
        self.attack.prepare()
        yield from ()

    def _attempts(self, first: int, until: float) -> Iterator[tuple[int, str, Fault]]:
        attempt, inputs, peak = first, 0, _peak()
        while attempt == first or time.monotonic() < until:
            self._clock[:] = _CLOCK.pack(attempt, inputs, time.monotonic())
            try:
                for fault in self.attack.attempt(self.dice(attempt)):
                    inputs += fault if isinstance(fault, int) else 1
                    self._clock[:] = _CLOCK.pack(attempt, inputs, time.monotonic())
                    if isinstance(fault, Exception):
                        yield attempt, *_described(fault)
                    if (grown := _peak() - peak) > 128 * MEGABYTE:
                        yield (
                            attempt,
                            *_described(Fault(f"it took more than {grown >> 27 << 7} MB")),
                        )
                    peak = _peak()
            except Exception as error:
                inputs += 1
                yield attempt, *_described(error)
            attempt += 1
        self._clock[:] = _CLOCK.pack(attempt - 1, inputs, time.monotonic())

    def _now(self) -> tuple[int, int, float]:
        attempt, inputs, began = _CLOCK.unpack(self._clock[:])
        return attempt, inputs, began

    def _child(
        self, work: Callable[[], Iterator[tuple[int, str, Fault]]], tick: Callable[[Outcome], None]
    ) -> int:
        """Run the work in a child with limits, and record what it finds."""
        first = max(0, self._now()[0])
        self._clock[:] = _CLOCK.pack(first, 0, time.monotonic())
        ours, theirs = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        stack = self.folder.parent / f"{self.attack.name}.stack"
        pid = os.fork()
        if pid == 0:
            os.close(ours)
            self._in_child(work, theirs, stack)
        os.close(theirs)
        before = self.outcome.inputs, self.outcome.attempts
        why = "stopped"
        try:
            why = self._watched(pid, ours, before, first, tick)
        finally:
            if why:
                os.kill(pid, signal.SIGKILL)
            _, status = os.waitpid(pid, 0)
            with suppress(ProcessLookupError):  # nothing that it started outlives it
                os.killpg(pid, signal.SIGKILL)
        attempt, inputs, _ = self._now()
        self.outcome.inputs = before[0] + inputs
        self.outcome.attempts = before[1] + attempt - first
        if why or status:
            code = os.waitstatus_to_exitcode(status)
            dump = stack.read_text(errors="replace") if stack.exists() else ""
            ended = f"signal {signal.Signals(-code).name}" if code < 0 else f"status {code}"
            at = next((line.strip() for line in dump.splitlines() if "novikoff" in line), "")
            why = why or f"the process ended with {ended}"
            files = {p.name: p.read_bytes() for p in sorted(self.folder.glob("attempt*"))}
            self._record(attempt, f"{why}, {at}", Fault(f"{why}\n{dump}", **files))
            self.outcome.inputs += 1
        return status

    def _watched(
        self,
        pid: int,
        pipe: int,
        before: tuple[int, int],
        first: int,
        tick: Callable[[Outcome], None],
    ) -> str:
        """Record what the child finds until it ends; why it must be killed, if it must."""
        with open(pipe, "rb") as found:
            while True:
                ready, _, _ = select.select([found], [], [], 0.2)
                attempt, inputs, began = self._now()
                self.outcome.inputs = before[0] + inputs
                self.outcome.attempts = before[1] + attempt - first
                tick(self.outcome)
                if ready:
                    try:
                        self._record(*pickle.load(found))
                    except EOFError:
                        return ""
                elif time.monotonic() - began > self.attack.seconds:
                    os.kill(pid, signal.SIGUSR1)  # it writes its stack
                    time.sleep(0.3)
                    return f"it did not end within {self.attack.seconds:g} s"

    def _in_child(
        self, work: Callable[[], Iterator[tuple[int, str, Fault]]], out: int, stack: Path
    ) -> None:
        try:
            os.setpgid(0, 0)
            os.chdir(self.folder)
            with open(stack, "w") as dump, open(out, "wb") as found:
                faulthandler.enable(dump)
                faulthandler.register(signal.SIGUSR1, dump)
                signal.signal(signal.SIGINT, signal.default_int_handler)
                warnings.simplefilter("error")
                warnings.simplefilter("ignore", ResourceWarning)  # raised where nothing catches it
                limit = _address_space() + self.attack.megabytes * MEGABYTE
                resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
                resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
                for one in work():
                    pickle.dump(one, found)
                    found.flush()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
        finally:
            os._exit(3)

    def _record(self, attempt: int, kind: str, fault: Fault) -> None:
        kinds = self.outcome.kinds
        self.outcome.failures += 1
        kinds[kind] = kinds.get(kind, 0) + 1
        if kinds[kind] > 1 or len(kinds) > 40:
            return
        folder = self.failures / self.attack.name / str(attempt)
        folder.mkdir(parents=True, exist_ok=True)
        again = f"--seed {self.seed} --only {self.attack.name} --attempt {attempt}"
        (folder / "why.txt").write_text(
            f"{fault}\n\nAgain: PYTHONPATH=tools python -m attack {again}\n", errors="replace"
        )
        for name, content in fault.files.items():
            data = content.encode(errors="replace") if isinstance(content, str) else content
            (folder / name.replace("/", "_")).write_bytes(data)

    def again(self, attempt: int) -> None:
        """Make one attempt in this process, without limits: what it raises is raised."""
        self.folder.mkdir(parents=True, exist_ok=True)
        os.chdir(self.folder)
        self.attack.prepare()
        for fault in self.attack.attempt(self.dice(attempt)):
            if isinstance(fault, Exception):
                raise fault

    def clear(self) -> None:
        """Remove the files of the attempts."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _described(error: Exception) -> tuple[str, Fault]:
    """The kind of a failure, for counting, and what to save of it."""
    text = "".join(traceback.format_exception(error))[-20_000:]
    files = {p.name: p.read_bytes() for p in sorted(Path().glob("attempt*")) if p.is_file()}
    if isinstance(error, Fault):
        kind = re.sub(r"[\d.,]*\d", "N", str(error).splitlines()[0])[:160]
        return kind, Fault(text, **files, **error.files)
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if "novikoff" in f.filename] or frames
    at = f"{Path(ours[-1].filename).name}:{ours[-1].name}" if ours else ""
    return f"{type(error).__name__} in {at}", Fault(text, **files)


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _address_space() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * mmap.PAGESIZE


@dataclass(frozen=True)
class Answer:
    """The exit status and the output of a verb."""

    status: int
    stdout: str
    stderr: str


def verb(*words: object, stdin: bytes = b"", needs_memory: bool = False) -> Answer:
    """Run a verb in this process; a traceback, a crash or a careless error is a Fault.

    So is a lack of memory, unless the words ask for much.
    """
    out, err = io.StringIO(), io.StringIO()
    status: Any = 0
    with (
        redirect_stdout(out),
        redirect_stderr(err),
        patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin))),
    ):
        try:
            run_words([str(word) for word in words])
        except SystemExit as end:
            status = end.code
    answer = Answer(int(status or 0), out.getvalue(), err.getvalue())
    lines = answer.stderr.splitlines()
    lacks_memory = "not enough memory" in answer.stderr and not needs_memory
    if answer.status not in (0, 1, 2, 130) or lacks_memory:
        raise Fault(f"{words[0]}: {lines[-1:]}", output=repr(answer))
    if answer.status == 2 and not (lines and lines[-1].startswith("novikoff: ")):
        raise Fault(f"{words[0]} failed without saying why", output=repr(answer))
    if "Traceback" in answer.stderr:
        raise Fault(f"{words[0]} printed a traceback", output=repr(answer))
    return answer
