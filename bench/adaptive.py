"""One pass of the adaptive perceptron beside the averaged one, on the same rows in the same order.

The adaptive rule updates on every row that is not right by 1, so on noisy data it makes more
updates; a perceptron with a large margin shows what updates cost. Processor time, best of seven.

Run: python bench/adaptive.py
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from novikoff import Adaptive, Additive, play
from novikoff.learners import Learner
from novikoff.stream.blocks import Block
from novikoff.stream.rows import DenseRows, Rows, SparseRows, dots

TIMES = 7
NOISE = 0.7
MARGIN = 150.0


def labelled(rows: Rows, dice: np.random.Generator, numbers: int) -> Block:
    """Labels by random weights, with noise beside the score."""
    scores = dots(rows, dice.standard_normal(rows.dim)) / np.sqrt(numbers)
    noisy = scores + NOISE * dice.standard_normal(len(rows))
    return Block(rows, np.where(noisy > 0, 1, -1).astype(np.int8))


def data() -> Iterator[tuple[str, Block]]:
    dice = np.random.default_rng(0)
    n, dim = 1_000_000, 28
    dense = DenseRows(dice.standard_normal((n, dim)))
    yield f"dense {n:,} × {dim}", labelled(dense, dice, dim)
    n, dim, drawn = 400_000, 47_000, 60
    columns = np.exp(dice.random((n, drawn)) * np.log(dim)).astype(np.int32) - 1
    columns.sort(axis=1)
    new = np.ones_like(columns, dtype=np.bool_)
    new[:, 1:] = columns[:, 1:] != columns[:, :-1]
    starts = np.concatenate([[0], np.cumsum(new.sum(axis=1))]).astype(np.int32)
    values = dice.standard_normal(int(starts[-1]))
    sparse = SparseRows(values, columns[new], starts, dim)
    yield f"sparse {n:,} × {dim:,}", labelled(sparse, dice, drawn)


def main() -> None:
    """Print a table in Markdown."""
    print("| rows | learner | updates | processor time | against the averaged |")
    print("|---|---|---|---|---|")
    for name, block in data():
        dim = block.rows.dim
        learners: dict[str, Callable[[], Learner]] = {
            "averaged perceptron": partial(Additive, dim, bias=True, averaging=True),
            f"the same with margin {MARGIN:g}": partial(
                Additive, dim, bias=True, averaging=True, margin=MARGIN
            ),
            "adaptive": partial(Adaptive, dim, bias=True),
            "adaptive, averaged": partial(Adaptive, dim, bias=True, averaging=True),
        }
        best, updates = dict.fromkeys(learners, np.inf), dict.fromkeys(learners, 0.0)
        for _ in range(TIMES):
            for who, make in learners.items():
                learner = make()
                began = time.process_time()
                ledger = play(block, learner, ledger=learner.open_ledger("counts")).ledger
                best[who] = min(best[who], time.process_time() - began)
                updates[who] = ledger.n_updates / ledger.n_rounds
        first = best["averaged perceptron"]
        for who, seconds in best.items():
            print(
                f"| {name} | {who} | {updates[who]:.0%} | {seconds * 1e3:.0f} ms "
                f"| {seconds / first:.2f}× |"
            )


if __name__ == "__main__":
    main()
