"""Training on a cluster: mistakes exchanged until the data are separated, or weights mixed.

What workers do with a shard, look at it or pass over it, is done by pure functions.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from novikoff.cluster.driver import Cluster
from novikoff.guarantees.verdict import Verdict
from novikoff.learners.compiled_pass import finished, learn_parts
from novikoff.learners.mixing import Mixture
from novikoff.learners.rule import Linear
from novikoff.ledger.honest_scores import HonestScores
from novikoff.ledger.ledger import Ledger, Mistakes
from novikoff.models.model import Model
from novikoff.models.training import Plan, Training
from novikoff.runs.loop import Run
from novikoff.runs.pool import Pool
from novikoff.sources.chunks import Source
from novikoff.sources.features import Features
from novikoff.sources.numbered import Numbered
from novikoff.sources.read_options import ReadOptions
from novikoff.sources.shards import Shard, Shards
from novikoff.stream.blocks import Block, joined
from novikoff.stream.input_problems import BadExample
from novikoff.stream.order import LabelRuns
from novikoff.stream.printing import plural, size

T = TypeVar("T")

MOST_RETURNED = 1 << 26  # bytes of mistaken rows, after which a shard ends its pass


def of_source(work: Callable[[Source], T], whole: Source, shard: Shard) -> tuple[T, list[str]]:
    """What a function makes of the examples of a shard, and the lines that were skipped."""
    source = shard.source(whole)
    return work(source), source.skipped


def survey(
    blocks: Numbered, shard: Shard
) -> tuple[Features, tuple[str, ...], LabelRuns, list[str]]:
    """What a shard holds: which features and labels, how many of each, and what was skipped."""
    blocks, runs = deepcopy(blocks), LabelRuns()
    own = blocks.of(shard.source(blocks.source))
    for block in own:
        runs.add(block.labels)
    return own.features, own.labelling.classes, runs, own.source.skipped


@dataclass(frozen=True, slots=True)
class Passed:
    """A pass over a shard: the learner after it, its counts, and the rows that it mistook."""

    learner: Linear | None
    ledger: Ledger
    mistaken: Block | None
    honest: HonestScores | None
    seconds: float


def local_pass(
    blocks: Numbered, learner: Linear, exchanges: bool, met: int, shard: Shard
) -> Passed:
    """Pass over a shard from these weights; return the mistaken rows, or the new weights.

    If the learner has met only `met` examples, which come before the shard, scores are counted
    before learning, for probabilities.
    """
    began, pool, learner = time.perf_counter(), Pool(), deepcopy(learner)
    is_new = learner.honest is not None and shard.first >= met
    learner.honest = HonestScores() if is_new else None
    ledger = Ledger(0, keep="counts")
    mistakes, size = list[Mistakes](), 0
    for block in blocks.of(shard.source(blocks.source)):
        mistakes.clear()
        finished(learn_parts(learner, block, ledger, mistakes.append))
        if exchanges:
            rows = np.concatenate([made.rows for made in mistakes])
            size += block.rows.bytes_at(block.rows_at(rows))
            pool.add(block, rows)
            if size > MOST_RETURNED:
                break
    mistaken = pool.block(learner.dim) if len(pool) else None
    after, seconds = None if exchanges else learner, time.perf_counter() - began
    return Passed(after, ledger, mistaken, learner.honest, seconds)


@dataclass(slots=True)
class Sent:
    """What a run has cost; `slowest` is the longest pass over a shard, in seconds, and which."""

    rounds: int = 0
    passes: int = 0
    rows: int = 0
    bytes: int = 0
    bytes_read: int = 0
    slowest: tuple[float, str] = (0.0, "")

    def __str__(self) -> str:
        passes = plural(self.passes, "pass over a shard", "passes over shards")
        seconds, shard = self.slowest
        return (
            f"{plural(self.rounds, 'round')}, {passes}; {plural(self.rows, 'row')} sent, "
            f"{size(self.bytes)}; the slowest took {seconds:.2f} seconds ({shard})"
        )

    def add(self, shard: Shard, one: Passed) -> None:
        """Count a pass over a shard."""
        self.passes += 1
        self.bytes_read += shard.size
        self.slowest = max(self.slowest, (one.seconds, shard.name))
        if one.mistaken is not None:
            self.rows += len(one.mistaken)
            self.bytes += one.mistaken.rows.nbytes
        elif one.learner is not None:
            self.bytes += sum(each.nbytes for each in one.learner.state()[1].values())


def surveyed(
    cluster: Cluster, data: Shards, blocks: Numbered, allowed: int
) -> tuple[list[Shard], list[Counter[int]], LabelRuns]:
    """The shards with examples, how many of each class, and runs; blocks then know all features."""
    next(blocks.chunks())  # until both labels are known, and what the columns hold
    shards, counts, runs, skipped = list[Shard](), list[Counter[int]](), LabelRuns(), list[str]()
    surveys = cluster.map(survey, data.shards, blocks.of(blocks.source))
    for shard, (features, classes, met, without) in zip(data.shards, surveys, strict=True):
        blocks.features.absorb(features)
        own = np.arange(len(classes), dtype=np.int32)
        codes = blocks.labelling.coded(own, classes, [shard.name] * len(own))
        if codes.dtype == np.int32:  # a shard numbers the classes that it meets first
            met.renumber(codes.tolist())
        skipped += without
        if met.examples:
            shards.append(replace(shard, first=runs.examples.total()))
            counts.append(met.examples)
        runs.absorb(met)
    blocks.source.skipped = []
    for words in skipped:
        blocks.source.skip(BadExample(words), allowed=allowed)
    blocks.features.check_width()
    return shards, counts, runs


class ClusterTraining(Training):
    """Training whose passes are made by workers, each over its shards.

    If the plan revisits mistakes, they are exchanged: shards pass over their rows from the same
    weights, and the driver learns from those that they mistook, in the order of the shards. So its
    run is that of one perceptron. One shard takes part in the first round, then two, four and so
    on, which keeps the rows sent few. Otherwise the weights of the shards are mixed after each pass
    (`Mixture`). The result depends on the data, where they were cut and the plan, not on the
    workers. It can be saved and resumed after each round.

    The `blocks` are the examples of all data, as this machine would read them; it reads the first
    ones only. The fingerprint is also of where the data are cut.
    """

    def __init__(
        self,
        cluster: Cluster,
        data: Shards,
        blocks: Numbered,
        plan: Plan,
        *,
        how: ReadOptions | None = None,
        initial: Model | None = None,
        fingerprint: str = "",
    ) -> None:
        if plan.shuffle or plan.holdout is not None or blocks.features.standardise is not False:
            words = "neither shuffled, held out nor standardised"
            raise BadExample(f"examples on a cluster are {words}; do that before")
        if plan.revisit is None and plan.rule.kind == "voted":
            raise BadExample("a vote needs all mistaken examples; revisit mistakes, or average")
        if plan.revisit is None:
            Mixture(plan.rule.learner(0))  # or why these cannot be mixed
        self._cluster, self.sent = cluster, Sent()
        allowed = how.skip_bad if how else 0
        self._shards, _, runs = surveyed(cluster, data, blocks, allowed)
        self._reading = blocks.of(blocks.source)
        super().__init__(blocks, plan, how=how, initial=initial, data=fingerprint)
        self.label_runs, self._watches_labels = runs, False
        self.is_exchange = plan.revisit is not None
        self.model.features.frozen = True
        self.model.widen(self.model.features.room)

    def __iter__(self) -> Iterator[Block]:
        """The rows mistaken in the next round."""
        if self.position:  # a resumed run has learned from them
            return
        at, taken, found = 0, 2 ** min(30, self.passes_made), list[Block]()
        while at < len(self._shards) and not found:
            found = [one.mistaken for one in self._passes(at, taken) if one.mistaken is not None]
            at, taken = taken, 2 * taken
        if found:
            yield replace(joined(found), first=self._earlier)

    def _passes(self, begin: int, end: int) -> Iterator[Passed]:
        """Passes over these shards, from the present weights."""
        shards = self._shards[begin:end]
        honest = self.model.learner.honest
        self.sent.rounds += 1
        shared = self._reading, self.model.learner, self.is_exchange, self._met
        for shard, one in zip(shards, self._cluster.map(local_pass, shards, *shared), strict=True):
            if honest is not None and one.honest is not None:
                honest.absorb(one.honest)
            self.sent.add(shard, one)
            yield one
        if end >= len(self._shards):
            self._met = self.label_runs.examples.total()
        else:
            self._met = max(self._met, self._shards[end].first)

    def run(self, after_block: Callable[[Training], None] | None = None) -> Run:
        """Make the remaining passes; the model is then finished."""
        if self.is_exchange:
            return super().run(after_block)
        model, verdict = self.model, Verdict.BUDGET
        while self.passes_made < self.plan.passes and verdict == Verdict.BUDGET:
            mixture = Mixture(model.learner)
            for one in self._passes(0, len(self._shards)):
                assert one.learner is not None
                mixture.add(one.learner)
                model.ledger.absorb(one.ledger)
            honest, model.learner = model.learner.honest, mixture.learner()
            model.learner.honest = honest
            self.passes_made += 1
            if model.ledger.close_epoch() == 0:
                verdict = Verdict.SEPARATED
            elif after_block is not None and self.passes_made < self.plan.passes:
                after_block(self)
        if honest := model.learner.honest:
            honest.is_open = False
        model.examples, self._is_finished = self._earlier + self._met, True
        return Run(model.ledger, verdict)
