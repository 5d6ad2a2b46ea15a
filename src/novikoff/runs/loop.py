"""The loop: a stream of blocks and a learner in, a ledger and a verdict out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from novikoff.guarantees.exact.arithmetic import Number
from novikoff.guarantees.verdict import Cycle, Verdict
from novikoff.learners import Additive, Learner
from novikoff.learners.compiled_pass import Steps, finished, learn_parts
from novikoff.ledger.ledger import Ledger, Mistakes
from novikoff.runs.cycles import CycleSearch
from novikoff.runs.interrupts import Interrupts
from novikoff.runs.pool import Pool, Revisit
from novikoff.sources.arrays import block_of
from novikoff.stream.blocks import Block, Stream
from novikoff.stream.input_problems import BadExample
from novikoff.stream.rows import Positions, Vector

if TYPE_CHECKING:
    from novikoff.guarantees.known import Summary


@dataclass(frozen=True, slots=True)
class Run:
    """What happened: the ledger of mistakes, and how the run ended.

    The verdict is `separated` if a whole pass made no mistake (with a margin: every example was
    right by more than the margin); `guarantees.achieved_margin` decides it exactly. It is `cycle`
    if the weights returned to earlier values: then `cycle` holds an exact proof that no weights
    separate the data. It is `budget` if the passes ran out first, which says nothing about
    separability, and `interrupted` after Ctrl-C.
    """

    ledger: Ledger
    verdict: Verdict
    cycle: Cycle | None = None

    @property
    def epochs(self) -> int:
        """How many whole passes over the data were made, including the one without mistakes."""
        return len(self.ledger.scans)

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
        from novikoff.guarantees.known import Summary

        data = block_of(data)
        return Summary.of(
            self.ledger, self.verdict, cycle=self.cycle, weights=weights, data=data, margin=margin
        )

    def show(self, data: Stream | tuple[Any, Any] | None = None) -> Any:
        """A widget for notebooks: a step for each update, with the points of the data if given."""
        # a room above this one, which only notebooks need
        return import_module("novikoff.show.notebook").widget(self, data)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run; `run` holds the run up to that moment, in a valid state."""

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self.run = run

    def __str__(self) -> str:
        return f"interrupted after {self.run.ledger.n_rounds} rounds"


Progress: TypeAlias = Callable[[Ledger], None]
_ROUNDS_AT_ONCE = 1 << 16  # of several passes: some milliseconds of work


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
    revisit: Revisit | Pool | None = None,
    together: bool = False,
) -> Run:
    """Pass over the stream until a pass makes no mistake, the weights cycle, or `epochs` are done.

    On separable data with radius R and margin γ, at most (R/γ)² mistakes are made in all, so a
    clean pass comes (Novikoff 1962). On other data the weights stay bounded, so if they are
    integers and the order is fixed, they return to earlier values (Block & Levin 1970); the updates
    in between prove that no weights separate the data.

    An unusable example raises BadExample; the learner has then learned everything before it, and
    the ledger has recorded it. Ctrl-C raises Interrupted, with the run so far.

    Call it as play(stream, learner), or with the data in memory as play((X, y), learner),
    play(X, y, learner) or play(X, y), which makes an `Additive` learner with a constant. X is an
    array, a frame or a scipy sparse matrix; y holds any two labels, of which the greater is +1.

    Parameters
    ----------
    stream
        Blocks, iterated over once in each pass; or a single Block; or data in memory. If its
        attribute `is_exchange` is true, a pass over it gives only the rows that others mistook, who
        started from the learner's weights; if it gives none, these separate the data.
    learner
        It continues from its present weights.
    ledger
        The ledger to continue; by default a new one, which keeps the mistaken examples. It knows
        rows by their positions, so each block after the first must set its own (`Block.first`).
    progress, after_block
        Called with the ledger after each pass over the data; and with each block after the ledger
        has recorded all of it, the rows that are visited again included.
    cycles
        The search for cycles to continue; by default a new one, if there are several passes.
    revisit
        "mistakes": after each pass over the data, go over the rows mistaken so far, which are kept
        in memory, until a pass over them makes no update, or 100 times; `epochs` counts the passes
        over all data. These are much fewer then, and every bound holds as before. A margin applies
        to the rows that are visited again only. A `Pool` is continued.
    together
        Make several passes over few rows at once, where the learner can: 100 passes over 100 rows
        take less than a fifth of the time. `progress` is then called once for all of them.

    Examples
    --------
    >>> from novikoff import Additive, play
    >>> X, y = [[2, 1], [1, 3], [-1, -2], [-2, 1]], ["yes", "yes", "no", "no"]
    >>> [play(X, y).ledger, play((X, y), Additive(2)).ledger]
    [<Ledger: 1 mistake in 4 rounds>, <Ledger: 1 mistake in 4 rounds>]
    """
    if then is not None or isinstance(learner, Sequence) or hasattr(learner, "__array__"):
        stream, learner = (stream, learner), then
    data = block_of(stream)
    if learner is None and data is not stream:
        learner = Additive(data.rows.dim, bias=True)
    steps = playing(data, learner, epochs, ledger, progress, after_block, cycles, revisit, together)
    return finished(steps)


def playing(
    stream: Stream,
    learner: Any,
    epochs: int = 1,
    ledger: Ledger | None = None,
    progress: Progress | None = None,
    after_block: Callable[[Block], None] | None = None,
    cycles: CycleSearch | None = None,
    revisit: Revisit | Pool | None = None,
    together: bool = False,
) -> Steps[Run]:
    """`play` in steps, one for each part of a block, so that several runs can go on in turn."""
    if epochs < 1:
        raise ValueError(f"epochs must be at least 1, not {epochs}")
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
    if revisit not in (None, "mistakes") and not isinstance(revisit, Pool):
        raise ValueError(f"revisit must be 'mistakes' or None, not {revisit!r}")
    pool = revisit if isinstance(revisit, Pool) or revisit is None else Pool()
    if cycles is None and (epochs > 1 or pool is not None):
        cycles = CycleSearch()
    is_exchange = getattr(stream, "is_exchange", False)
    if pool is not None:
        pool.is_exchange = is_exchange
    held = ledger.holding(stream) if isinstance(stream, Block) else nullcontext()

    def stopped() -> Interrupted:
        return Interrupted(Run(ledger, Verdict.INTERRUPTED))

    with Interrupts() as interrupts, held:
        mistaken: list[Positions] = []  # rows of the present block

        def after_part(mistakes: Mistakes) -> None:
            if cycles is not None and cycles.is_counting:
                cycles.count(mistakes)
            mistaken.append(mistakes.rows)
            interrupts.answer(stopped)

        def scan() -> Steps[None]:
            """Pass over all data."""
            end = shown = 0
            each = (stream,) if isinstance(stream, Block) else interrupts.each(stream, stopped)
            for block in each:
                rows = len(block)
                if rows and block.first < end:
                    raise BadExample(
                        f"a block starts at row {block.first}, but this pass already had rows up "
                        f"to {end - 1}; set `first` of each block"
                    )
                end = max(end, block.first + rows)
                mistaken.clear()
                shown += yield from learn_parts(learner, block, ledger, after_part)
                if pool is not None and is_exchange:
                    pool.add(block, block.positions(np.arange(rows)))
                elif pool is not None and mistaken:
                    pool.add(block, np.concatenate(mistaken))
                if after_block is not None:
                    after_block(block)
            if not (shown or ledger.open_rounds or is_exchange):
                raise BadExample("there are no examples to learn from")

        def ended(data: Stream, *, revisited: bool = False) -> Run | None:
            """Close a pass over the data, or over the mistaken rows; the run, if it ended."""
            made = ledger.close_epoch(revisit=revisited)
            if progress is not None and not revisited:
                progress(ledger)
            if not made and not revisited:
                return last(Run(ledger, Verdict.SEPARATED))
            interrupts.answer(stopped)
            # a return of the weights is a proof only if they are a sum of the mistakes
            if not made or cycles is None or ledger.rule not in ("additive", "joint"):
                return None
            weights = learner.weights
            cycle = None if weights is None else cycles.close_pass(weights, data)
            return None if cycle is None else last(Run(ledger, Verdict.CYCLE, cycle))

        def last(run: Run) -> Run:
            interrupts.answer(partial(Interrupted, run))
            return run

        def scan_together(most: int) -> int:
            """Make up to so many passes, of which the last is not closed; how many are closed."""
            assert isinstance(stream, Block)
            assert cycles is not None
            rounds, (due, saved) = stream.n_rounds, cycles.watched
            passes = max(1, min(most, due, _ROUNDS_AT_ONCE // rounds))
            at, mistakes, ends = learner.learn_passes(stream, passes, saved)
            closed = ends[:-1] if at == rounds else ends
            ledger.record_passes(mistakes, closed, rounds, at, stream)
            cycles.skip(len(closed))
            after_part(mistakes)
            if at < rounds:  # an example that it cannot use
                finished(learn_parts(learner, stream, ledger, after_part, at))
            return len(closed)

        done = 0
        together &= isinstance(stream, Block) and hasattr(learner, "learn_passes")
        together &= pool is None and after_block is None and cycles is not None
        while done < epochs:
            done += 1
            if together and done > 1:
                done += scan_together(epochs - done + 1)
                if run := ended(stream):
                    return run
                continue
            if pool is None:
                yield from scan()
                if run := ended(stream):
                    return run
                continue
            if not pool.is_open:
                learner.only_mistakes = True
                try:
                    yield from scan()
                finally:
                    learner.only_mistakes = False
                if pool.is_larger and cycles is not None:
                    cycles.restart(len(ledger.epoch_ends))
                pool.open()
                if run := ended(pool.block(ledger.dim) if len(pool) else stream):
                    return run
            while pool.is_waiting:
                block = pool.block(ledger.dim)
                yield from learn_parts(learner, block, ledger, after_part)
                run = ended(block, revisited=True)
                pool.passes, pool.is_clean = pool.passes + 1, ledger.epoch_updates[-1] == 0
                if run is not None:
                    return run
                if after_block is not None:
                    after_block(block)
            pool.is_open = False
    return Run(ledger, Verdict.BUDGET)
