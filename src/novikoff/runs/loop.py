"""The loop: a stream of blocks and a learner in, a ledger and a verdict out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from novikoff.guarantees.cycle import Cycle
from novikoff.guarantees.exact.arithmetic import Number
from novikoff.guarantees.verdict import Verdict
from novikoff.learners import Learner
from novikoff.ledger.ledger import Ledger
from novikoff.runs.cycles import Repeats
from novikoff.runs.interrupts import Interrupts
from novikoff.stream.blocks import Block, Stream, blocks_of
from novikoff.stream.problems import BadExample
from novikoff.stream.rows import Vector, part_size

if TYPE_CHECKING:
    from novikoff.guarantees.summary import Summary


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
        from novikoff.guarantees.summary import Summary

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
    with Interrupts() as interrupts:
        for _ in range(epochs):
            met = 0
            blocks, stopped = iter(blocks_of(stream)), partial(_stopped, ledger)
            while (block := interrupts.wait_for(blocks, stopped)) is not None:
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
            ended = Verdict.SEPARATED if clean else Verdict.INTERRUPTED
            interrupts.answer(partial(_stopped, ledger, ended))
            if clean:
                return Run(ledger, Verdict.SEPARATED)
            # only where the weights are a sum of the mistakes does their coming back prove anything
            watched = repeats is not None and ledger.rule in ("additive", "joint")
            weights = learner.weights if watched else None
            if repeats is None or weights is None:
                continue
            if cycle := repeats.close_pass(weights, stream):
                interrupts.answer(partial(_stopped, ledger, Verdict.CYCLE, cycle))
                return Run(ledger, Verdict.CYCLE, cycle)
    return Run(ledger, Verdict.BUDGET)


def _stopped(
    ledger: Ledger, verdict: Verdict = Verdict.INTERRUPTED, cycle: Cycle | None = None
) -> Interrupted:
    return Interrupted(Run(ledger, verdict, cycle))


def _meet(
    block: Block,
    learner: Learner,
    ledger: Ledger,
    repeats: Repeats | None,
    interrupts: Interrupts,
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
                interrupts.answer(partial(_stopped, ledger))
    finally:
        ledger.store(block)
