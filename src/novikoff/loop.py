"""The loop: a stream of blocks and a learner in, a ledger and a verdict out."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Self, TypeAlias

from novikoff.examples import Block, Stream, blocks_of
from novikoff.guarantees.cycles import Cycle, Repeats
from novikoff.guarantees.exact import Number
from novikoff.learners import Learner
from novikoff.ledger import Ledger
from novikoff.rows import BadExample, Vector, part_size

if TYPE_CHECKING:
    from novikoff.summaries import Summary


class Verdict(StrEnum):
    """How a run ended."""

    SEPARATED = "separated"
    CYCLE = "cycle"
    BUDGET = "budget"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Run:
    """What happened: the ledger of mistakes, and how the run ended.

    `separated` means that a whole pass made no mistake (for a margin: every example was right by
    more than it), so the present weights separate the data, as far as floating point can tell:
    `guarantees.achieved_margin` decides it exactly. `cycle` means that the weights came back to
    where they had been, and `cycle` holds the proof, in exact arithmetic, that no weights separate
    the data. `budget` means that the passes allowed were
    used up first, which says nothing about separability; `interrupted`, that Ctrl-C was pressed.
    """

    ledger: Ledger
    verdict: Verdict
    cycle: Cycle | None = None

    @property
    def epochs(self) -> int:
        """How many whole passes were made, the clean one included."""
        return len(self.ledger.epoch_ends)

    def summary(
        self,
        data: Stream | None = None,
        *,
        weights: Vector | None = None,
        margin: Number | None = None,
    ) -> Summary:
        """What happened and what is known, to print on one screen: parameters as in `Summary.of`.

        >>> from novikoff import Additive, play, sources
        >>> summary = play(sources.tight(9), Additive(9), epochs=2).summary()
        >>> summary.mistakes, summary.bound_interval, summary.sandwich.holds
        (9, (9, 9), True)
        """
        from novikoff.summaries import Summary

        return Summary.of(
            self.ledger, self.verdict, cycle=self.cycle, weights=weights, data=data, margin=margin
        )


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run; `run` holds everything up to that moment, in a valid state."""

    def __init__(self, run: Run) -> None:
        super().__init__(f"interrupted after {run.ledger.n_rounds} rounds")
        self.run = run

    def __reduce__(self) -> tuple[type[Interrupted], tuple[Run]]:
        return Interrupted, (self.run,)


Progress: TypeAlias = Callable[[Ledger], None]
Handler: TypeAlias = Callable[[int, FrameType | None], object]


def play(
    stream: Stream,
    learner: Learner,
    *,
    epochs: int = 1,
    ledger: Ledger | None = None,
    progress: Progress | None = None,
    after_block: Callable[[Block], None] | None = None,
    repeats: Repeats | None = None,
) -> Run:
    """Pass over the stream until a pass makes no mistake, the weights repeat, or `epochs` are made.

    On separable data of radius R and margin γ at most (R/γ)² mistakes are made in all, so a clean
    pass comes (Novikoff 1962). On other data the weights stay bounded, so if they are integers and
    the order is fixed they come back to where they were (Block & Levin 1970), sooner or, with many
    features, much later; the updates in between prove that nothing separates the data.

    An example that cannot be used raises BadExample; everything before it has then been learned and
    is in the ledger. Ctrl-C raises Interrupted, with the run so far.

    Parameters
    ----------
    stream
        Blocks, iterated over once a pass; or a single Block.
    learner
        What learns. It goes on from where it stands.
    ledger
        Continue this one (by default a new one, which keeps the mistaken examples). It knows rows
        by their position, so blocks that follow others must say theirs (`Block.first`).
    progress
        Called with the ledger after each pass.
    after_block
        Called with each block that has been met, when the ledger has written all of it down.
    repeats
        Continue this watch for weights that come back (by default a new one, if there are several
        passes).
    """
    if epochs < 1:
        raise ValueError(f"epochs must be at least 1, not {epochs}")
    if not hasattr(learner, "open_ledger"):
        raise TypeError(
            f"play needs a learner such as Additive, not {type(learner).__name__}; "
            "an estimator has its own fit"
        )
    if epochs > 1 and isinstance(stream, Iterator):
        raise ValueError(
            "the stream can be iterated over only once, and more passes are asked for; give a list "
            "of blocks, or an object whose __iter__ begins again"
        )
    ledger = learner.open_ledger() if ledger is None else ledger
    if repeats is None and epochs > 1:
        repeats = Repeats()
    with _Interrupts() as interrupts:
        for _ in range(epochs):
            met = 0
            blocks = iter(blocks_of(stream))
            while (block := interrupts.wait_for(blocks, ledger)) is not None:
                if len(block) and block.first < met:
                    raise BadExample(
                        f"a block begins at row {block.first}, but rows up to {met - 1} came "
                        "before it in this pass; give each block its own `first`"
                    )
                met = max(met, block.first + len(block))
                _meet(block, learner, ledger, repeats, interrupts)
                if after_block is not None:
                    after_block(block)
            if not ledger.open_rounds:
                raise BadExample("there are no examples to learn from")
            made = ledger.close_epoch()
            if progress is not None:
                progress(ledger)
            clean = made == 0
            interrupts.answer(Run(ledger, Verdict.SEPARATED if clean else Verdict.INTERRUPTED))
            if clean:
                return Run(ledger, Verdict.SEPARATED)
            # only where the weights are a sum of the mistakes does their coming back prove anything
            watched = repeats is not None and ledger.rule in ("additive", "joint")
            weights = learner.weights if watched else None
            if repeats is None or weights is None:
                continue
            if cycle := repeats.close_pass(weights, stream):
                interrupts.answer(Run(ledger, Verdict.CYCLE, cycle))
                return Run(ledger, Verdict.CYCLE, cycle)
    return Run(ledger, Verdict.BUDGET)


def _meet(
    block: Block,
    learner: Learner,
    ledger: Ledger,
    repeats: Repeats | None,
    interrupts: _Interrupts,
) -> None:
    """Let the learner meet a block, part by part, and the ledger write down each part."""
    at, end, part = 0, block.n_rounds, part_size(block.rows)
    try:
        while at < end:
            stop, mistakes = learner.learn(block, at, min(end, at + part))
            ledger.record(mistakes, stop - at)
            if repeats is not None:
                repeats.count(mistakes)
            at = stop
            if interrupts.seen:
                ledger.store(block)
                interrupts.answer(Run(ledger, Verdict.INTERRUPTED))
    finally:
        ledger.store(block)


class _Interrupts:
    """Hold Ctrl-C back until the ledger has written down what the learner did.

    A program that ignores Ctrl-C, or leaves it to the system, is left alone; so is a run outside
    the main thread, which no signal reaches. A handler of the program's own is called, late by a
    part of a block, and the run goes on unless it raises.
    """

    def __init__(self) -> None:
        self.seen = False
        self._handler: Handler | None = None
        self._idle: Ledger | None = None

    def __enter__(self) -> Self:
        handler = signal.getsignal(signal.SIGINT)
        if callable(handler) and threading.current_thread() is threading.main_thread():
            self._handler = handler
            signal.signal(signal.SIGINT, self._note)
        return self

    def _note(self, _signal: int, _frame: FrameType | None) -> None:
        self.seen = True
        if self._idle is not None:
            self.answer(Run(self._idle, Verdict.INTERRUPTED))

    def wait_for(self, blocks: Iterator[Block], ledger: Ledger) -> Block | None:
        """The next block, if there is one. While it is awaited Ctrl-C is answered at once."""
        self._idle = ledger
        if self.seen:
            self.answer(Run(ledger, Verdict.INTERRUPTED))
        try:
            return next(blocks, None)
        finally:
            self._idle = None

    def answer(self, run: Run) -> None:
        """Do what the program does on Ctrl-C, if it was pressed."""
        if not self.seen or self._handler is None:
            return
        self.seen = False
        if self._handler is signal.default_int_handler:
            raise Interrupted(run)
        self._handler(signal.SIGINT, None)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._handler is not None:
            signal.signal(signal.SIGINT, self._handler)
            if self.seen and kind is None:
                signal.raise_signal(signal.SIGINT)
