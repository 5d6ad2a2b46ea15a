"""Passes over all data, and processor time, until a perceptron separates them, in three orders.

Run: python bench/until_separated.py [DIRECTORY] [--narrow]

DIRECTORY holds svmlight files of the names below: as they are, in the given order; and with rows of
length 1, shuffled once. "Plain" passes over the data again and again; "revisit" goes over the
mistaken rows in between (their passes come after the +), without a margin and, for rows of equal
length, with one of R². --narrow makes 400,000 × 1,000 numbers with a narrow gap.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from novikoff import Additive, play, sources
from novikoff.runs.pool import Revisit
from novikoff.sources.features import Features
from novikoff.stream.blocks import Block
from novikoff.stream.order import arranged
from novikoff.stream.rows import DenseRows

NAMES = ("text/spamassassin", "text/imdb5000", "text/sms_spam", "mushrooms_train")
GAP, MOST = 0.001, 400


@cache
def narrow(n: int = 400_000, d: int = 1000, at_once: int = 20_000) -> Block:
    """Rows of length 1, moved apart along a direction by a gap on either side."""
    dice = np.random.default_rng(0)
    u = dice.standard_normal(d).astype(np.float32)
    u /= np.linalg.norm(u)
    X, y = np.empty((n, d), dtype=np.float32), np.empty(n, dtype=np.int8)
    for at in range(0, n, at_once):
        x = dice.standard_normal((at_once, d), dtype=np.float32)
        x /= np.linalg.norm(x, axis=1, keepdims=True)
        side = np.sign(x @ u)
        X[at : at + at_once], y[at : at + at_once] = x + np.outer(side * np.float32(GAP), u), side
    return Block(DenseRows(X), y)


def narrow_part(k: int, shards: int) -> tuple[Any, Any]:
    """Part k of the rows, and their labels; on a worker in this process it is not copied."""
    block = narrow()
    rows = slice(len(block) * k // shards, len(block) * (k + 1) // shards)
    return block.rows.values[rows], block.labels[rows]


def measured(block: Block, revisit: Revisit | None, margin: float) -> Iterator[str]:
    """The passes over all data, and the processor time."""
    learner = Additive(block.rows.dim, bias=True, margin=margin)
    ledger, began = learner.open_ledger("counts"), time.process_time()
    run = play(block, learner, epochs=MOST, ledger=ledger, revisit=revisit)
    took = time.process_time() - began
    more = "" if run.verdict == "separated" else "> "
    yield f"{more}{run.epochs}" + (f" + {len(ledger.revisits)}" if revisit else "")
    yield f"{took * 1e3:,.0f} ms"


def row(name: str, block: Block, *, with_margin: bool) -> None:
    """Print a row of the table."""
    cells = [*measured(block, None, 0.0), *measured(block, "mistakes", 0.0)]
    cells += measured(block, "mistakes", 2.0) if with_margin else "——"
    print(f"| {name} | {' | '.join(cells)} |", flush=True)


def main() -> int:
    words = sys.argv[1:]
    if not words:
        print(__doc__, file=sys.stderr)
        return 2
    print(
        "| data | plain | time | revisit | time | with margin R² | time |",
        "|---" * 7 + "|",
        sep="\n",
    )
    for word in words:
        if word == "--narrow":
            row("400,000 × 1,000, narrow gap", narrow(), with_margin=True)
            continue
        for name in NAMES:
            block = sources.read(Path(word) / f"{name}.svm.gz").block
            row(name, block, with_margin=False)
            rows = Features(to_unit_length=True, standardise=False).scaled(block.rows)
            unit = arranged(Block(rows, block.signs), 0)
            row(f"{name}, length 1, shuffled", unit, with_margin=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
