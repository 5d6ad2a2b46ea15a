"""What training needs besides a learner: files as blocks, a watch on the clock and Ctrl-C."""

from __future__ import annotations

import hashlib
import json
import secrets
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from novikoff.cli.common import fail
from novikoff.cli.progress import Progress

if TYPE_CHECKING:
    from novikoff.cache import Cached
    from novikoff.chunks import Source
    from novikoff.model import Model
    from novikoff.sources import JointLabelling, Labelling, Numbered, Reading
    from novikoff.training import Training

MANY_NAMES = 1 << 22
HINT = ", or learn all labels at once (--multiclass)"


@dataclass(frozen=True)
class Labels:
    """Which labels there are to be: those that were named, or two, or at most so many."""

    named: tuple[str, ...] | None
    multiclass: bool = False
    most: int = 1000

    def labelling(self, start: Model | None) -> Labelling | JointLabelling:
        """What makes signs or classes of them; a model that is gone on from has its own."""
        from novikoff.sources import JointLabelling, Labelling

        known = self.named if start is None else start.classes
        if self.multiclass:
            return JointLabelling(known or (), closed=self.named is not None, most=self.most)
        if known is None:
            return Labelling(hint=HINT)
        negative, positive = known
        return Labelling((negative, positive))

    @property
    def told(self) -> list[Any]:
        """What bears on how labels become numbers, for a fingerprint."""
        return [self.named, "multiclass"] if self.multiclass else [self.named]


class Job:
    """Files to be learned from: as a source, as blocks, and what they are known by.

    Parameters
    ----------
    changes
        What is done to features on their way, as `Features` takes it; a model that is gone on from
        has its own.
    """

    def __init__(
        self,
        data: Sequence[str],
        how: Reading,
        changes: dict[str, Any],
        start: Model | None,
        initial: Path | None,
        labels: Labels,
        cache: Path | None,
    ) -> None:
        from novikoff.features import Features
        from novikoff.sources import Numbered, open_files

        self.fingerprint = fingerprint(data, how, changes, labels) + begun_from(start, initial)
        try:
            labelling = labels.labelling(start)
            features = Features(**changes) if start is None else start.features
            if start is not None:
                how = how.following(start.reading)
            self.source: Source = open_files(data, how)
        except ValueError as error:
            fail(str(error))
        self._how = how
        stream = Numbered(self.source, features, labelling)
        self.blocks: Numbered | Cached = stream
        self._cached: Cached | None = None
        self.used_cache = False
        if cache is not None:
            from novikoff.cache import Cached

            known_by = self.fingerprint
            if has_pipe(data):  # what will come through it is not known: no cache is of that
                known_by += secrets.token_hex()
            self.blocks = self._cached = cached = Cached(stream, cache, known_by)
            self.used_cache = cached.is_ready
            if self.used_cache:
                return
        if start is None and features.standardise:
            features.survey((chunk, self.source.columns) for chunk in stream.chunks())

    @property
    def done(self) -> int:
        """How many bytes of the present pass have been read, of the files or of the cache."""
        return self._read.done

    @property
    def total(self) -> int | None:
        """How many bytes a pass reads, if that is known."""
        return self._read.total

    @property
    def _read(self) -> Source | Cached:
        return self._cached if self._cached is not None and self._cached.is_ready else self.source

    @property
    def reading(self) -> dict[str, Any]:
        """What a model has to remember of how its data were read."""
        return self._how.remembered(self.blocks.table)


def fingerprint(
    data: Sequence[str],
    how: Reading,
    changes: dict[str, Any],
    labels: Labels,
) -> str:
    """The same while the files and everything that bears on how they are read is."""
    from novikoff.sources.inputs import inputs_of

    about = {key: value for key, value in asdict(how).items() if key != "threads"}
    told = json.dumps([about, changes, *labels.told], default=str, sort_keys=True)
    out = hashlib.sha256(told.encode())
    for one in inputs_of(data):
        if not one.is_pipe:
            out.update(one.fingerprint().encode())
    return out.hexdigest()


def begun_from(start: Model | None, initial: Path | None) -> str:
    """What a run was begun from, for its fingerprint; nothing if it was begun from nothing.

    A run that is resumed says so itself: its model may have taken the place of that it began from.
    """
    if start is not None and start.unfinished is not None:
        return str(start.unfinished["data"])[hashlib.sha256().digest_size * 2 :]
    return "" if initial is None else hashlib.sha256(initial.read_bytes()).hexdigest()


def has_pipe(data: Sequence[str]) -> bool:
    """Whether some of it can be read only once."""
    from novikoff.sources.inputs import inputs_of

    return any(one.is_pipe for one in inputs_of(data))


class Watch:
    """Shows progress and writes checkpoints while a run goes on, and stops it at Ctrl-C.

    It is stopped after a block, so that what is written then can be gone on with; a second Ctrl-C
    does not wait for that. A request to end (SIGTERM) is treated as Ctrl-C.
    """

    def __init__(self, job: Job, progress: Progress, output: Path, every: float | None) -> None:
        self._job, self._progress, self._output, self._every = job, progress, output, every
        self._asked: signal.Signals | None = None
        self._advised = False
        self._began = self._saved = time.perf_counter()
        self._handlers: dict[signal.Signals, Any] = {}
        self.seconds, self.read = 0.0, 0

    def __enter__(self) -> None:
        for which in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(which) is not signal.SIG_IGN:
                self._handlers[which] = signal.signal(which, self._ask)

    def __exit__(self, *_: object) -> None:
        for which, handler in self._handlers.items():
            signal.signal(which, handler)
        self._progress.close()
        self.seconds, self.read = time.perf_counter() - self._began, self._progress.read

    def _ask(self, which: int, _frame: FrameType | None) -> None:
        if self._asked is not None:
            raise KeyboardInterrupt
        self._asked = signal.Signals(which)

    def begin(self, training: Training) -> None:
        """Before the first block."""
        self._progress.begin(training)

    def _advise(self, training: Training) -> None:
        """Say once that the dictionary of names has become large."""
        features = training.model.features
        if self._advised or features.kind != "names" or features.dim < MANY_NAMES:
            return
        self._advised = True
        print(
            f"novikoff: {features.dim:,} different features so far; if there are many more to "
            "come, --hash-bits 22 would bound the memory they take",
            file=sys.stderr,
        )

    def block(self, training: Training) -> None:
        """After each block: show how far it is, write a checkpoint if it is time, stop if asked."""
        self._progress.block(training)
        self._advise(training)
        now = time.perf_counter()
        due = self._every is not None and now - self._saved >= self._every
        if due or (self._asked is not None and self._every is not None):
            training.model.reading = self._job.reading
            training.save(self._output)
            self._saved = time.perf_counter()
        if self._asked is None:
            return
        self._progress.close()
        examples = f"{training.model.ledger.n_rounds:,} examples"
        status = 128 + self._asked
        if self._every is None:
            fail(f"interrupted after {examples}; nothing was written (see --checkpoint)", status)
        cure = "" if self._job.source.is_pipe else "; go on with --resume"
        fail(f"interrupted after {examples}, which are in {self._output}{cure}", status)
