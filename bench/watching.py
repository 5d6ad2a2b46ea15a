"""What watching for a cycle costs: the time spent in the watch over the rest of the run.

Measured inside the run (median of five), and as the ratio to a run whose watch looks at nothing
(best of five, alternating in one process), which also has what the watch does to the caches but, on
a machine that does other work, mostly has that. On noisy data, with keep="counts": the less else is
done, the more the watch weighs.
Run: python bench/watching.py [--quick]
"""

from __future__ import annotations

import argparse
import statistics
import time
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np
import scipy.sparse as sp

from epoch import best_of, dense, sparse
from novikoff.guarantees.verdict import Cycle, Verdict
from novikoff.learners import Additive
from novikoff.ledger.ledger import Ledger, Mistakes
from novikoff.runs.cycles import CycleSearch
from novikoff.runs.loop import play
from novikoff.sources import block
from novikoff.stream.blocks import Block, Stream
from novikoff.stream.order import arranged
from novikoff.stream.rows import Vector

NOISE = 0.05  # labels turned over, for mistakes on 10 to 20 % of the rows in every pass


def categories(n: int) -> tuple[Any, Any]:
    """Rows like a9a: 14 questions with about nine answers each, one of them 1 in a row."""
    dice = np.random.default_rng(0)
    sizes = np.array([9] * 11 + [8] * 3)
    columns = (dice.random((n, 14)) ** 2 * sizes).astype(np.int32)
    columns += (np.cumsum(sizes) - sizes).astype(np.int32)
    starts = np.arange(0, 14 * n + 1, 14, dtype=np.int32)
    X = sp.csr_matrix((np.ones(14 * n), columns.ravel(), starts), (n, int(sizes.sum())))
    scores = X @ dice.standard_normal(X.shape[1]) + 0.3 * dice.standard_normal(n)
    return X, np.where(scores > np.median(scores), 1, -1)


class Blind:
    """A watch that sees nothing."""

    def count(self, *_: Any) -> None:
        """Count nothing."""

    def close_pass(self, *_: Any) -> None:
        """Find nothing."""


class Timed(CycleSearch):
    """A watch that knows how long it took."""

    seconds = 0.0

    def count(self, mistakes: Mistakes) -> None:
        """Count, and add the time."""
        began = time.perf_counter()
        super().count(mistakes)
        Timed.seconds += time.perf_counter() - began

    def close_pass(self, weights: Vector, stream: Stream) -> Cycle | None:
        """Look, and add the time."""
        began = time.perf_counter()
        cycle = super().close_pass(weights, stream)
        Timed.seconds += time.perf_counter() - began
        return cycle


class Read(Additive):
    """A learner that adds the time in which its weights are read."""

    @property
    def weights(self) -> Vector:
        """The weights, as the watch is handed them."""
        began = time.perf_counter()
        weights = super().weights
        Timed.seconds += time.perf_counter() - began
        return weights


class Unread(Additive):
    """A learner whose weights are not copied when the watch is handed them."""

    @property
    def weights(self) -> Vector:
        """The weights themselves."""
        return self._w


def watched(some: Block, passes: int) -> Ledger:
    return run(some, Additive(some.rows.dim, bias=True), passes)


def unwatched(some: Block, passes: int) -> Ledger:
    with patch("novikoff.runs.loop.CycleSearch", Blind):
        return run(some, Unread(some.rows.dim, bias=True), passes)


def share(some: Block, passes: int) -> float:
    """Seconds in the watch over seconds elsewhere."""
    Timed.seconds, began = 0.0, time.perf_counter()
    with patch("novikoff.runs.loop.CycleSearch", Timed):
        run(some, Read(some.rows.dim, bias=True), passes)
    return Timed.seconds / (time.perf_counter() - began - Timed.seconds)


def run(some: Block, learner: Additive, passes: int) -> Ledger:
    ledger = learner.open_ledger("counts")
    assert play(some, learner, epochs=passes, ledger=ledger).verdict is Verdict.BUDGET
    return ledger


def compare(data: str, X: Any, y: Any, times: int, passes: int = 8) -> None:
    """Print a row for each order of the rows."""
    wrong = np.random.default_rng(1).random(len(y)) < NOISE
    given = block(X, np.where(wrong, -y, y))
    for order, some in (("given", given), ("shuffled", arranged(given, 0))):
        ledger = watched(some, passes)
        assert ledger.epoch_mistakes == unwatched(some, passes).epoch_mistakes
        slow, fast = best_of(
            times, partial(watched, some, passes), partial(unwatched, some, passes)
        )
        inside = statistics.median(share(some, passes) for _ in range(times))
        print(
            f"| {data} | {order} | {ledger.n_mistakes / ledger.n_rounds:.0%} "
            f"| {fast / passes * 1e3:.2f} ms | {slow / passes * 1e3:.2f} ms "
            f"| {slow / fast - 1:+.1%} | **{inside:.1%}** |",
            flush=True,
        )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true", help="a tenth of the rows, three times")
    quick = options.parse_args().quick
    scale, times = (10, 3) if quick else (1, 5)
    print("| data | order | mistakes | a pass | a pass, watched | ratio | inside the watch |")
    print("|---|---|---|---|---|---|---|")
    compare(f"sparse {800_000 // scale} × 47k, 75 a row",
            *sparse(800_000 // scale, 47_000, 81, np.float64), times)  # fmt: skip
    compare(f"dense {2_000_000 // scale} × 28", *dense(2_000_000 // scale, 28, np.float64), times)
    compare(f"dense {20_000 // scale} × 4096", *dense(20_000 // scale, 4096, np.float64), times)
    compare(f"sparse {32_561 // scale} × 123, 14 a row", *categories(32_561 // scale), times,
            passes=64)  # fmt: skip
    compare(f"sparse {20_000 // scale} × 1.3M, 455 a row",
            *sparse(20_000 // scale, 1_300_000, 460, np.float64), times)  # fmt: skip


if __name__ == "__main__":
    main()
