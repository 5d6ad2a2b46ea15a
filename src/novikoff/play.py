"""The loop: a stream of blocks and a learner in, a ledger and a verdict out."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from types import FrameType, TracebackType
from typing import Any, Self, TypeAlias

from novikoff.examples import Stream, blocks_of
from novikoff.learners import Learner
from novikoff.ledger import Ledger
from novikoff.rows import BadExample, part_size


class Verdict(StrEnum):
    """How a run ended."""

    SEPARATED = "separated"
    BUDGET = "budget"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Run:
    """What happened: the ledger of mistakes, and how the run ended.

    `separated` means that a whole pass made no mistake (for a margin: every example was right by
    more than it), so the present weights separate the data; `budget` that the passes allowed were
    used up first, which says nothing about separability.
    """

    ledger: Ledger
    verdict: Verdict

    @property
    def epochs(self) -> int:
        """How many whole passes were made, the clean one included."""
        return len(self.ledger.epoch_ends)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run; `run` holds everything up to that moment, in a valid state."""

    def __init__(self, run: Run) -> None:
        super().__init__(f"interrupted after {run.ledger.n_rounds} rounds")
        self.run = run


Progress: TypeAlias = Callable[[Ledger], None]


def play(
    stream: Stream,
    learner: Learner,
    *,
    epochs: int = 1,
    ledger: Ledger | None = None,
    progress: Progress | None = None,
) -> Run:
    """Pass over the stream until a whole pass makes no mistake, or `epochs` passes are made.

    On separable data of radius R and margin γ at most (R/γ)² mistakes are made in all, so a clean
    pass comes (Novikoff 1962). An example that cannot be used raises BadExample; everything before
    it has then been learned and is in the ledger. Ctrl-C raises Interrupted, with the run so far.

    Parameters
    ----------
    stream
        Blocks, iterated over once a pass; or a single Block.
    learner
        What learns. It goes on from where it stands.
    ledger
        Continue this one (by default a new one, which keeps the mistaken examples).
    progress
        Called with the ledger after each pass.
    """
    blocks = blocks_of(stream)
    ledger = learner.open_ledger() if ledger is None else ledger
    with _Interrupts() as interrupts:
        for _ in range(epochs):
            before = ledger.n_rounds
            for block in blocks:
                at, end, part = 0, len(block), part_size(block.rows)
                while at < end:
                    stop, mistakes = learner.learn(block, at, min(end, at + part))
                    ledger.record(mistakes, stop - at)
                    at = stop
                    if interrupts.seen:
                        ledger.store(block)
                        interrupts.end(Run(ledger, Verdict.INTERRUPTED))
                ledger.store(block)
                block.rows.trust()
            if ledger.n_rounds == before:
                raise BadExample("there are no examples to learn from")
            made = ledger.close_epoch()
            if progress is not None:
                progress(ledger)
            if made == 0:
                return Run(ledger, Verdict.SEPARATED)
    return Run(ledger, Verdict.BUDGET)


class _Interrupts:
    """Hold Ctrl-C back until the ledger has written down what the learner did."""

    def __init__(self) -> None:
        self.seen = False
        self._old: Any = None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._old = signal.signal(signal.SIGINT, self._note)
        return self

    def _note(self, _signal: int, _frame: FrameType | None) -> None:
        self.seen = True

    def end(self, run: Run) -> None:
        """Leave with the run so far, by whatever the program does on Ctrl-C."""
        if self._old is not signal.default_int_handler:
            self._restore()
            signal.raise_signal(signal.SIGINT)
        raise Interrupted(run)

    def _restore(self) -> None:
        if self._old is not None:
            signal.signal(signal.SIGINT, self._old)
            self._old = None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._restore()
        if self.seen and kind is None:
            signal.raise_signal(signal.SIGINT)
