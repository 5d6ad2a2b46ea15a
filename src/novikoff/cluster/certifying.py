"""`certify` on a cluster: the driver certifies some rows, and workers look for rows against it."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import chain
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from novikoff.cluster.driver import Cluster
from novikoff.cluster.training import surveyed
from novikoff.guarantees.certificate import (
    Certificate,
    Described,
    Sparse,
    merged,
    ranges,
    spans_text,
)
from novikoff.guarantees.check import Claim, Fingerprint, Model, claim
from novikoff.guarantees.exact.rows import usable
from novikoff.guarantees.verdict import ModelName, Separation
from novikoff.runs.pool import Pool
from novikoff.separability.certifying import Gathered
from novikoff.separability.certifying import certify as certify_rows
from novikoff.separability.models import levels_of, system_of
from novikoff.separability.points import Points, Progress
from novikoff.sources.chunks import Source
from novikoff.sources.features import Features
from novikoff.sources.files.text import TextFiles
from novikoff.sources.inputs import Part
from novikoff.sources.numbered import Numbered
from novikoff.sources.open import Data, described, from_base, signs_of_labels
from novikoff.sources.read_options import ReadOptions
from novikoff.sources.shards import Shard, shards_of_files
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample
from novikoff.stream.labels import LabelsAsClasses, LabelsAsSigns
from novikoff.stream.rows import Positions

FIRST_ROWS = 1000  # are certified at first
MOST_NAMED = 8  # examples of multiplied rows are named by file and line
MOST_AGAINST = 100  # rows of a block are returned


# of a shard: its digest, the separated rows, their least ⟨w,z⟩, R², the examples that make two
# rows (counted from its first one), and some rows against the claim
Looked: TypeAlias = tuple[bytes, list[range], Fraction | None, Fraction, list[range], list[Block]]


@dataclass(frozen=True, slots=True)
class Inequalities:
    """How examples become the rows that are certified: those of two labels as they are.

    `levels` are those of the response, and `numbers` that of each label as it is read. `base` is
    the lowest column.
    """

    model: Model
    levels: tuple[str, ...] = ()
    numbers: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    base: int = 0

    @property
    def rows_of(self) -> NDArray[np.int64]:
        """How many rows an example of each label makes."""
        kind, last = self.model.kind, len(self.levels) - 1
        if kind == "binary":
            return np.ones(2, dtype=np.int64)
        if kind == "multinomial":
            return np.full(len(self.numbers), last)
        most = last if kind == "ordinal" else 2
        return (self.numbers < most).astype(np.int64) + (self.numbers > 0)

    def of(self, block: Block, first: int) -> tuple[Block, list[range]]:
        """The rows of the examples, the first of which is row `first`; and who makes two."""
        block = replace(block, rows=from_base(block.rows, self.base, self.model.columns))
        usable(block.rows)
        if block.importances is not None and not block.importances.all():
            raise BadExample("an example has the weight 0; leave such examples out")
        if self.model.kind == "binary":
            return replace(block, first=first), []
        twice = ranges(self.rows_of[block.labels] == 2) if self.model.kind != "multinomial" else ()
        labelled = Block(block.rows, self.numbers[block.labels])
        data = Data(labelled, None, self.levels)
        made, _ = system_of(data, self.model.kind, constant=self.model.constant)
        return replace(made.block, first=first), [*twice]


def look(
    blocks: Numbered, to: Inequalities, it: Claim, outside: NDArray[np.bool_], shard: Shard
) -> Looked:
    """Compare the rows of a shard, whose `first` counts rows, with a claim, exactly.

    A row that is not separated must not use the columns `outside` those of the multiplied rows.
    """
    gathered, found, at, n, twice = Gathered(it, shard.first), list[Block](), shard.first, 0, []
    for examples in blocks.of(shard.source(blocks.source)):
        block, some = to.of(examples, at)
        twice += [range(n + one.start, n + one.stop) for one in some]
        at, n = at + len(block), n + len(examples)
        side, bad = gathered.add(block)
        if outside.any():
            bad |= (side == 0) & Points(block, bias=it.bias).touching(outside)
        if bad.any():
            found.append(block.take(np.flatnonzero(bad)[:MOST_AGAINST]))
    known = gathered.separated, gathered.least, gathered.radius
    return gathered.digest.digest(), *known, twice, found


def certify(
    cluster: Cluster,
    files: Sequence[Part],
    how: ReadOptions,
    *,
    model: ModelName = "binary",
    classes: Sequence[str] | None = None,
    positive: str | None = None,
    zero_based: bool | None = None,
    shards: int | None = None,
    bias: bool = True,
    max_seconds: float = math.inf,
    progress: Progress = lambda _words: None,
) -> tuple[Certificate, Source]:
    """`novikoff.certify` of files that workers read, and how they were read.

    The driver certifies some rows. Each shard compares its rows with that certificate, exactly, and
    returns some of those that are against it, which join the rows of the driver. Each round adds a
    row, so in the end none is against it, and it is a certificate of all data: `verify` checks it,
    and it names rows by their positions in all files. One shard takes part in the first round, then
    two, four and so on. The result depends on the data and where they are cut. Parameters are those
    of `sources.read`, `shards_of_files` and `novikoff.certify`; of a model of more than two labels,
    `classes` are the levels in order, and rows are the inequalities of the examples.
    """
    data = shards_of_files(files, how, shards=shards)
    labels: LabelsAsSigns | LabelsAsClasses = LabelsAsClasses(most=None)
    if model == "binary":
        labels = signs_of_labels(files, how, classes, positive=positive)
    blocks = Numbered(data.source, Features(), labels)
    until = time.monotonic() + max_seconds
    cut, counts = surveyed(cluster, data, blocks, how.skip_bad)[:2]
    hashed = tuple(f"sha256:{one}" for one in cluster.map(Part.sha256, files))
    about, base = described(blocks, how, hashed, zero_based=zero_based)
    n = sum(one.total() for one in counts)
    of = Model(model, n, about.block.rows.dim, bias and model != "ordinal")
    to = Inequalities(of, base=base)
    if model != "binary":
        to = Inequalities(of, *_levels(model, about.classes, classes, data.source), base)
        about = replace(about, classes=to.levels)
    dim, bias = of.shape(len(about.classes))
    per_label, reading = to.rows_of.tolist(), blocks.of(blocks.source)
    ends = np.cumsum([sum(per_label[c] * m for c, m in one.items()) for one in counts]).tolist()
    of_examples = cut
    cut = [replace(one, first=at) for one, at in zip(cut, [0, *ends], strict=False)]
    first, pool, taken = to.of(next(iter(reading)), 0)[0], Pool(), 1
    pool.add(first, np.arange(min(len(first), FIRST_ROWS)))
    while True:
        rows = pool.block(dim)
        given = Data(Block(rows.rows, rows.labels), None, ("-1", "1"))
        left = max(0.0, until - time.monotonic())
        found = certify_rows(  # any interval for the margin will do
            given, fit_intercept=bias, margin_rtol=1 - 2**-50, max_seconds=left, progress=progress
        )
        it, outside = claim(found.to_dict()), np.zeros(dim + bias, dtype=np.bool_)
        it.times, it.hull = {}, {}
        if found.verdict in (Separation.QUASI_COMPLETE, Separation.OVERLAP):
            multiplied = np.array(sorted(found.multipliers), dtype=np.int64)
            outside[:] = True
            outside[Points(given.block, bias=bias).entries(multiplied).columns] = False
        at, end, looked, against = 0, taken, list[Looked](), list[Block]()
        while at < len(cut) and not against:
            asked = [*cluster.map(look, cut[at:end], reading, to, it, outside)]
            looked += asked
            against = [block for *_, some in asked for block in some]
            at, end = end, 2 * end
            progress(f"{found.verdict}: {len(rows):,} rows, {min(at, len(cut)):,} shards compared")
        if not against:
            twice, at = list[range](), 0
            for one, (*_, some, _) in zip(counts, looked, strict=True):
                twice += [range(at + each.start, at + each.stop) for each in some]
                at += one.total()
            of = replace(of, twice=spans_text(merged(twice)))
            stated = about.files, about.names, about.label, about.classes
            whole = Described(ends[-1], dim, bias, "", *stated, of if to.levels else None)
            at_all = rows.positions(np.arange(len(rows)))
            found = _for_all(found, looked, at_all, [shard.first for shard in cut[1:]], whole)
            return replace(found, places=_places(found, of_examples, data.source)), data.source
        for block in against:
            pool.add(block, block.positions(np.arange(len(block))))
        taken *= 2


def _levels(
    model: ModelName, found: tuple[str, ...], named: Sequence[str] | None, source: Source
) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """The levels of a response in order, and the number of each label as it was read."""
    try:
        return levels_of(model, found, np.arange(len(found)), named)
    except BadExample as error:  # it names a row, but sees only one of each label
        words = re.sub(r"^row \d+: ", f"{source.name}: ", error.without_cure)
        raise BadExample(words, error.problem, **error.details) from None


def _places(found: Certificate, cut: Sequence[Shard], source: Source) -> dict[int, str]:
    """Where some of the examples of multiplied rows are, if the source has lines."""
    places = dict[int, str]()
    if isinstance(source, TextFiles):
        multiplied = np.array(sorted(found.multipliers), dtype=np.int64)
        for i in found.data.examples_of(multiplied)[:MOST_NAMED].tolist():
            shard = next(one for one in reversed(cut) if one.first <= i)
            places |= source.part(shard.parts, shard.first).places([i])
    return places


def _for_all(
    found: Certificate, looked: Sequence[Looked], at: Positions, cuts: list[int], data: Described
) -> Certificate:
    """The certificate of the rows at these positions, for all: none of them is against it."""

    def placed(times: Sparse) -> dict[int, int]:
        return dict(sorted((int(at[i]), n) for i, n in times.items()))

    digests, separated, least, radius, *_ = zip(*looked, strict=True)
    margin, digest = replace(found.margin, hull=placed(found.margin.hull)), Fingerprint()
    if found.verdict == Separation.COMPLETE:
        squared = sum(w * w for w in found.weights_by_column.values())
        margin = replace(margin, at_least_squared=min(least) ** 2 / squared)
    digest.before, digest.parts, digest.cuts = b"".join(digests), [], cuts
    return replace(
        found,
        multipliers=placed(found.multipliers),
        separated=merged(chain.from_iterable(separated)),
        margin=margin,
        radius_squared=max(radius),
        data=replace(data, fingerprint=str(digest)),
        aliases=None,
        alone=(),
        open=(),
        one_response={},
    )
