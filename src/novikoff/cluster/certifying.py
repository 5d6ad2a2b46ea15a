"""`certify` on a cluster: the driver certifies some rows, and workers look for rows against it."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from novikoff.cluster.driver import Cluster
from novikoff.cluster.training import surveyed
from novikoff.guarantees.certificate import Certificate, Sparse, merged
from novikoff.guarantees.check import Claim, Fingerprint, claim
from novikoff.guarantees.exact.rows import usable
from novikoff.guarantees.verdict import Separation
from novikoff.runs.pool import Pool
from novikoff.separability.certifying import certify as certify_rows
from novikoff.separability.points import Points, Progress
from novikoff.separability.verifying import Gathered
from novikoff.sources.chunks import Source
from novikoff.sources.features import Features
from novikoff.sources.files.text import TextFiles
from novikoff.sources.inputs import Part
from novikoff.sources.numbered import Numbered
from novikoff.sources.open import described, from_base, signs_of_labels
from novikoff.sources.read_options import ReadOptions
from novikoff.sources.shards import Shard, shards_of_files
from novikoff.stream.blocks import Block
from novikoff.stream.rows import Positions

FIRST_ROWS = 1000  # are certified at first
MOST_NAMED = 8  # multiplied rows are named by file and line
MOST_AGAINST = 100  # rows of a block are returned


# of a shard: its digest, the separated rows, their least ⟨w,z⟩, R², and some rows against the claim
Looked: TypeAlias = tuple[bytes, list[range], Fraction | None, Fraction, list[Block]]


def look(
    blocks: Numbered, it: Claim, base: int, outside: NDArray[np.bool_], shard: Shard
) -> Looked:
    """Compare the rows of a shard with a claim, exactly.

    A row that is not separated must not use the columns `outside` those of the multiplied rows.
    """
    gathered, found = Gathered(it, shard.first), list[Block]()
    with shard.naming_lines():
        for block in blocks.of(shard.source(blocks.source)):
            block = replace(block, rows=from_base(block.rows, base, it.d))
            usable(block.rows)
            side, bad = gathered.add(block)
            if outside.any():
                bad |= (side == 0) & Points(block, bias=it.bias).touching(outside)
            if bad.any():
                found.append(block.take(np.flatnonzero(bad)[:MOST_AGAINST]))
    known = gathered.separated, gathered.least, gathered.radius
    return gathered.digest.digest(), *known, found


def certify(
    cluster: Cluster,
    files: Sequence[Part],
    how: ReadOptions,
    *,
    classes: Sequence[str] | None = None,
    positive: str | None = None,
    zero_based: bool | None = None,
    shards: int | None = None,
    bias: bool = True,
    max_seconds: float = math.inf,
    progress: Progress = lambda _words: None,
) -> tuple[Certificate, Source]:
    """`novikoff.certify` of files with two labels that workers read, and how they were read.

    The driver certifies some rows. Each shard compares its rows with that certificate, exactly, and
    returns some of those that are against it, which join the rows of the driver. Each round adds a
    row, so in the end none is against it, and it is a certificate of all data: `verify` checks it,
    and it names rows by their positions in all files. One shard takes part in the first round, then
    two, four and so on. The result depends on the data and where they are cut. Parameters are those
    of `sources.read`, `shards_of_files` and `novikoff.certify`.
    """
    data = shards_of_files(files, how, shards=shards)
    labels = signs_of_labels(files, how, classes, positive=positive)
    blocks = Numbered(data.source, Features(), labels)
    until = time.monotonic() + max_seconds
    cut, total, _ = surveyed(cluster, data, blocks, how.skip_bad)
    hashed = tuple(f"sha256:{one}" for one in cluster.map(Part.sha256, files))
    about, base = described(blocks, how, hashed, zero_based=zero_based)
    dim, reading = about.block.rows.dim, blocks.of(blocks.source)
    first, pool, taken = next(iter(reading)), Pool(), 1
    some = np.arange(min(len(first), FIRST_ROWS))
    pool.add(replace(first, rows=from_base(first.rows, base, dim)), some)
    while True:
        rows = pool.block(dim)
        given = replace(about, block=Block(rows.rows, rows.labels))
        left = max(0.0, until - time.monotonic())
        found = certify_rows(  # any interval for the margin will do
            given, fit_intercept=bias, margin_rtol=1 - 2**-50, max_seconds=left, progress=progress
        )
        it, outside = claim(found.to_dict()), np.zeros(dim + bias, dtype=np.bool_)
        it.times, it.hull = {}, {}
        if found.verdict in (Separation.QUASI_COMPLETE, Separation.OVERLAP):
            multiplied = np.array(sorted(found.multipliers), dtype=np.int64)
            outside[:] = True
            outside[Points(given.block, bias=bias).touched_by(multiplied)] = False
        at, end, looked, against = 0, taken, list[Looked](), list[Block]()
        while at < len(cut) and not against:
            asked = cluster.map(look, cut[at:end], reading, it, base, outside)
            looked += asked
            against = [block for *_, some in looked for block in some]
            at, end = end, 2 * end
            progress(f"{found.verdict}: {len(rows):,} rows, {min(at, len(cut)):,} shards compared")
        if not against:
            at_all = rows.positions(np.arange(len(rows)))
            found = _for_all(found, looked, at_all, [shard.first for shard in cut[1:]], total)
            places, source = dict[int, str](), data.source
            for i in sorted(found.multipliers)[:MOST_NAMED]:
                shard = next(one for one in reversed(cut) if one.first <= i)
                if isinstance(source, TextFiles):  # others have no lines
                    places |= source.part(shard.parts, shard.first).places([i])
            return replace(found, places=places), source
        for block in against:
            pool.add(block, block.positions(np.arange(len(block))))
        taken *= 2


def _for_all(
    found: Certificate, looked: Sequence[Looked], at: Positions, cuts: list[int], total: int
) -> Certificate:
    """The certificate of the rows at these positions, for all: none of them is against it."""

    def placed(times: Sparse) -> dict[int, int]:
        return dict(sorted((int(at[i]), n) for i, n in times.items()))

    digests, separated, least, radius, _ = zip(*looked, strict=True)
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
        data=replace(found.data, rows=total, fingerprint=str(digest)),
        aliases=None,
        alone=(),
        open=(),
        one_response={},
    )
