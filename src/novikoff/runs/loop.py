"""The loop: a stream of blocks and a learner in, a ledger and a verdict out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from novikoff.guarantees.exact.arithmetic import Number
from novikoff.guarantees.verdict import Cycle, Verdict
from novikoff.learners import Additive, Learner
from novikoff.learners.compiled_pass import learn_parts
from novikoff.ledger.ledger import Ledger, Mistakes
from novikoff.runs.cycles import CycleSearch
from novikoff.runs.interrupts import Interrupts
from novikoff.sources.in_memory import block_of
from novikoff.stream.blocks import Block, Stream
from novikoff.stream.input_problems import BadExample
from novikoff.stream.rows import Vector

if TYPE_CHECKING:
    from novikoff.guarantees.summary import Summary


@dataclass(frozen=True, slots=True)
class Run:
    """What happened: the ledger of mistakes, and how the run ended.

    The verdict is `separated` if a whole pass made no mistake (with a margin: every example was
    right by more than the margin). The weights then separate the data as far as floating point can
    tell; `guarantees.achieved_margin` decides it exactly. It is `cycle` if the weights returned to
    earlier values: then the field `cycle` holds an exact proof that no weights separate the data.
    It is `budget` if the passes ran out first, which says nothing about separability, and
    `interrupted` after Ctrl-C.
    """

    ledger: Ledger
    verdict: Verdict
    cycle: Cycle | None = None

    @property
    def epochs(self) -> int:
        """How many whole passes were made, including the one without mistakes."""
        return len(self.ledger.epoch_ends)

    def summary(
        self,
        data: Stream | tuple[Any, Any] | None = None,
        *,
        weights: Vector | None = None,
        margin: Number | None = None,
    ) -> Summary:
        """What happened and what is known, on one screen; parameters as in `Summary.of`.

        The data may also be a pair (X, y), as for `play`.

        >>> from novikoff import Additive, play, sources
        >>> summary = play(sources.tight(9), Additive(9), epochs=2).summary()
        >>> summary.mistakes, summary.bound_interval, summary.sandwich.holds
        (9, (9, 9), True)
        """
        from novikoff.guarantees.summary import Summary

        data = block_of(data)
        return Summary.of(
            self.ledger, self.verdict, cycle=self.cycle, weights=weights, data=data, margin=margin
        )


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run; `run` holds the run up to that moment, in a valid state."""

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self.run = run

    def __str__(self) -> str:
        return f"interrupted after {self.run.ledger.n_rounds} rounds"


Progress: TypeAlias = Callable[[Ledger], None]


def play(
    stream: Stream | tuple[Any, Any] | Any,
    learner: Learner | Any = None,
    then: Learner | None = None,
    /,
    *,
    epochs: int = 1,
    ledger: Ledger | None = None,
    progress: Progress | None = None,
    after_block: Callable[[Block], None] | None = None,
    cycles: CycleSearch | None = None,
) -> Run:
    """Pass over the stream until a pass makes no mistake, the weights cycle, or `epochs` are done.

    On separable data with radius R and margin γ, at most (R/γ)² mistakes are made in all, so a
    clean pass comes (Novikoff 1962). On other data the weights stay bounded, so if they are
    integers and the order is fixed, they return to earlier values (Block & Levin 1970); with many
    features this may take very long. The updates in between prove that no weights separate the
    data.

    An unusable example raises BadExample; the learner has then learned everything before it, and
    the ledger has recorded it. Ctrl-C raises Interrupted, with the run so far.

    Call it as play(stream, learner), or with the data in memory as play((X, y), learner),
    play(X, y, learner) or play(X, y), which makes an `Additive` learner with a constant. X is an
    array, a frame or a scipy sparse matrix; y holds any two labels, of which the greater is +1.

    Parameters
    ----------
    stream
        Blocks, iterated over once in each pass; or a single Block; or data in memory.
    learner
        It continues from its present weights.
    ledger
        The ledger to continue; by default a new one, which keeps the mistaken examples. It knows
        rows by their positions, so each block after the first must set its own (`Block.first`).
    progress
        Called with the ledger after each pass.
    after_block
        Called with each block after the ledger has recorded all of it.
    cycles
        The search for cycles to continue; by default a new one, if there are several passes.

    Examples
    --------
    >>> from novikoff import Additive, play
    >>> X, y = [[2, 1], [1, 3], [-1, -2], [-2, 1]], ["yes", "yes", "no", "no"]
    >>> [play(X, y).ledger, play((X, y), Additive(2)).ledger]
    [<Ledger: 1 mistakes in 4 rounds>, <Ledger: 1 mistakes in 4 rounds>]
    """
    if epochs < 1:
        raise ValueError(f"epochs must be at least 1, not {epochs}")
    stream, learner = _from_memory(stream, learner, then)
    if not hasattr(learner, "open_ledger"):
        raise TypeError(
            f"play needs a learner such as Additive, not {type(learner).__name__}; "
            "an estimator has its own method fit"
        )
    if epochs > 1 and isinstance(stream, Iterator):
        raise ValueError(
            f"the stream can be iterated over only once, but epochs={epochs}; pass a list of "
            "blocks, or an object whose __iter__ starts again"
        )
    ledger = learner.open_ledger() if ledger is None else ledger
    if cycles is None and epochs > 1:
        cycles = CycleSearch()
    held = ledger.holding(stream) if isinstance(stream, Block) else nullcontext()
    with Interrupts() as interrupts, held:

        def after_part(mistakes: Mistakes) -> None:
            if cycles is not None and cycles.is_counting:
                cycles.count(mistakes)
            interrupts.answer(partial(_stopped, ledger))

        for _ in range(epochs):
            end = shown = 0
            blocks: Iterable[Block] = (
                (stream,)
                if isinstance(stream, Block)
                else interrupts.each(stream, partial(_stopped, ledger))
            )
            for block in blocks:
                rows = len(block.labels)
                if rows and block.first < end:
                    raise BadExample(
                        f"a block starts at row {block.first}, but this pass already had rows up "
                        f"to {end - 1}; set `first` of each block"
                    )
                end = max(end, block.first + rows)
                shown += learn_parts(learner, block, ledger, after_part)
                if after_block is not None:
                    after_block(block)
            if not shown and not ledger.open_rounds:
                raise BadExample("there are no examples to learn from")
            made = ledger.close_epoch()
            if progress is not None:
                progress(ledger)
            if interrupts.seen:
                ended = Verdict.INTERRUPTED if made else Verdict.SEPARATED
                interrupts.answer(partial(_stopped, ledger, ended))
            if not made:
                return Run(ledger, Verdict.SEPARATED)
            # a return of the weights is a proof only if they are a sum of the mistakes
            if cycles is None or ledger.rule not in ("additive", "joint"):
                continue
            weights = learner.weights
            if weights is not None and (cycle := cycles.close_pass(weights, stream)):
                interrupts.answer(partial(_stopped, ledger, Verdict.CYCLE, cycle))
                return Run(ledger, Verdict.CYCLE, cycle)
    return Run(ledger, Verdict.BUDGET)


def _from_memory(stream: Any, learner: Any, then: Any) -> tuple[Any, Any]:
    """The stream and the learner, if they were given as data in memory."""
    if then is not None or isinstance(learner, Sequence) or hasattr(learner, "__array__"):
        stream, learner = (stream, learner), then
    data = block_of(stream)
    if learner is None and data is not stream:
        learner = Additive(data.rows.dim, bias=True)
    return data, learner


def _stopped(
    ledger: Ledger, verdict: Verdict = Verdict.INTERRUPTED, cycle: Cycle | None = None
) -> Interrupted:
    return Interrupted(Run(ledger, verdict, cycle))
