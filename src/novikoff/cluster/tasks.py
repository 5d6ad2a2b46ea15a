"""What workers do with a shard: look at it, or pass over it. These functions are pure."""

from __future__ import annotations

import time
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from novikoff.learners.compiled_pass import finished, learn_parts
from novikoff.learners.rule import Linear
from novikoff.ledger.honest_scores import HonestScores
from novikoff.ledger.ledger import Ledger, Mistakes
from novikoff.runs.pool import Pool
from novikoff.sources.chunks import Source
from novikoff.sources.features import Features
from novikoff.sources.numbered import Numbered
from novikoff.sources.shards import Shard
from novikoff.stream.blocks import Block
from novikoff.stream.label_runs import LabelRuns

T = TypeVar("T")

MOST_RETURNED = 1 << 26  # bytes of mistaken rows, after which a shard ends its pass


def of_source(work: Callable[[Source], T], whole: Source, shard: Shard) -> tuple[T, list[str]]:
    """What a function makes of the examples of a shard, and the lines that were skipped."""
    with shard.naming_lines():
        source = shard.source(whole)
        return work(source), source.skipped


@dataclass(frozen=True, slots=True)
class Survey:
    """What a shard holds: how many examples, which features and labels, and what was skipped."""

    examples: int
    features: Features
    classes: tuple[str, ...]
    label_runs: LabelRuns
    skipped: list[str]


def survey(blocks: Numbered, shard: Shard) -> Survey:
    """Read a shard once."""
    blocks, runs, n = deepcopy(blocks), LabelRuns(), 0
    with shard.naming_lines():
        own = blocks.of(shard.source(blocks.source))
        for block in own:
            runs.add(block.labels)
            n += len(block)
    return Survey(n, own.features, own.labelling.classes, runs, own.source.skipped)


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
    with shard.naming_lines():
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
