"""What training needs besides a learner: files as blocks, a watch on the clock and Ctrl-C."""

from __future__ import annotations

import hashlib
import json
import signal
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from novikoff.cli.common import fail
from novikoff.cli.progress import Progress

if TYPE_CHECKING:
    from novikoff.chunks import Source
    from novikoff.model import Model
    from novikoff.sources import Reading
    from novikoff.training import Blocks, Training


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
        classes: tuple[str, str] | None,
        cache: Path | None,
    ) -> None:
        from novikoff.features import Features
        from novikoff.sources import Labelling, Numbered, open_files

        if start is None:
            features, labelling = Features(**changes), Labelling(classes)
        else:
            features, labelling = start.features, Labelling(start.classes)
            how = how.following(start.reading)
        self._how = how
        self.source: Source = open_files(data, how)
        self.fingerprint = fingerprint(data, how, changes, initial)
        stream = Numbered(self.source, features, labelling)
        self.blocks: Blocks = stream
        if cache is not None:
            from novikoff.cache import Cached

            cached = Cached(stream, cache, self.fingerprint)
            self.blocks = cached
            if cached.is_ready:
                return
        if start is None and features.standardise:
            features.survey(stream.chunks(), self.source.columns)

    @property
    def reading(self) -> dict[str, Any]:
        """What a model has to remember of how its data were read."""
        return self._how.remembered(self.source)


def fingerprint(
    data: Sequence[str], how: Reading, changes: dict[str, Any], initial: Path | None
) -> str:
    """The same while the files and everything that bears on how they are read is."""
    from novikoff.sources.inputs import inputs_of

    about = {key: value for key, value in asdict(how).items() if key != "threads"}
    out = hashlib.sha256(json.dumps([about, changes], default=str, sort_keys=True).encode())
    for one in inputs_of(data):
        if not one.is_stdin:
            out.update(one.fingerprint().encode())
    if initial is not None:
        out.update(initial.read_bytes())
    return out.hexdigest()


class Watch:
    """Shows progress and writes checkpoints while a run goes on, and stops it at Ctrl-C.

    It is stopped after a block, so that what is written then can be gone on with; a second Ctrl-C
    does not wait for that. A request to end (SIGTERM) is treated as Ctrl-C.
    """

    def __init__(self, progress: Progress, output: Path, every: float | None) -> None:
        self._progress, self._output, self._every = progress, output, every
        self._asked: signal.Signals | None = None
        self._began = self._saved = time.perf_counter()
        self._handlers: dict[signal.Signals, Any] = {}
        self.seconds = 0.0

    def __enter__(self) -> None:
        for which in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(which) is not signal.SIG_IGN:
                self._handlers[which] = signal.signal(which, self._ask)

    def __exit__(self, *_: object) -> None:
        for which, handler in self._handlers.items():
            signal.signal(which, handler)
        self._progress.close()
        self.seconds = time.perf_counter() - self._began

    def _ask(self, which: int, _frame: FrameType | None) -> None:
        if self._asked is not None:
            raise KeyboardInterrupt
        self._asked = signal.Signals(which)

    def block(self, training: Training) -> None:
        """After each block: show how far it is, write a checkpoint if it is time, stop if asked."""
        self._progress.block(training)
        now = time.perf_counter()
        due = self._every is not None and now - self._saved >= self._every
        if due or (self._asked is not None and self._every is not None):
            training.save(self._output)
            self._saved = time.perf_counter()
        if self._asked is None:
            return
        self._progress.close()
        examples = f"{training.model.ledger.n_rounds:,} examples"
        status = 128 + self._asked
        if self._every is None:
            fail(f"interrupted after {examples}; nothing was written (see --checkpoint)", status)
        fail(
            f"interrupted after {examples}, which are in {self._output}; go on with --resume",
            status,
        )
