"""A million attributes, five of them relevant: one pass over sparse examples, learner by learner.

All learners meet the same examples in the same order. The
perceptron of scikit-learn makes its pass from the same rows, in memory. Best of five.

Run: python bench/winnow.py
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from scipy.sparse import csr_array, vstack
from sklearn.linear_model import Perceptron

from novikoff import guarantees, play, sources
from novikoff.concepts import EliminateDisjunction
from novikoff.learners import Additive, BalancedWinnow, Learner, Winnow1, Winnow2
from novikoff.stream.blocks import Block
from novikoff.stream.rows import SparseRows

N, K = 1_000_000, 5
STREAMS = ((100_000, 50), (20_000, 1_000))  # how many examples, and attributes on in each

LEARNERS: dict[str, tuple[Callable[[], Learner], int | None]] = {
    "Winnow2, doubling and halving": (lambda: Winnow2(N), guarantees.doubling_bound(N, K).bound),
    "Winnow1": (lambda: Winnow1(N), guarantees.winnow1_bound(N, K).bound),
    "balanced Winnow": (lambda: BalancedWinnow(N), None),
    "elimination": (
        lambda: EliminateDisjunction(N, monotone=True),
        guarantees.elimination_bound(N, monotone=True).bound,
    ),
    "perceptron": (lambda: Additive(N, bias=True), None),
}


def together(blocks: list[Block]) -> Block:
    """The blocks as one, so that no time goes into drawing examples."""
    rows = vstack([_matrix(block.rows) for block in blocks], format="csr")
    joined = SparseRows(rows.data, rows.indices, rows.indptr, N)
    return Block(joined, np.concatenate([block.labels for block in blocks]))


def _matrix(rows: object) -> csr_array:
    assert isinstance(rows, SparseRows)
    return csr_array((rows.values, rows.indices, rows.starts), shape=(len(rows), N))


def best(work: Callable[[], object]) -> float:
    times = []
    for _ in range(5):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)


def _pass_of_the_next(block: Block, learners: Iterator[Learner]) -> None:
    play(block, next(learners))


def compare(examples: int, on: int) -> None:
    """The rows of the table for one stream."""
    block = together(list(sources.few_relevant(examples, N, K, on=on)))
    stream = f"| {examples:,} | {on:,} |"
    for name, (make, bound) in LEARNERS.items():
        made = len(play(block, make()).ledger)
        learners = iter([make() for _ in range(5)])
        seconds = best(partial(_pass_of_the_next, block, learners))
        if name == "perceptron":
            bound = (on + 1) * (4 * K + 1)
        limit = "–" if bound is None else f"{bound:,}"
        print(f"{stream} {name} | {made:,} | {limit} | {seconds * 1e3:.0f} ms |")
    X, y = _matrix(block.rows), block.labels
    theirs = best(lambda: Perceptron(max_iter=1, tol=None, shuffle=False).fit(X, y))
    print(f"{stream} scikit-learn's `Perceptron` | not counted | – | {theirs * 1e3:.0f} ms |")


def main() -> None:
    print("| examples | on | learner | mistakes | bound | time of the pass |")
    print("|---|---|---|---|---|---|")
    for examples, on in STREAMS:
        compare(examples, on)


if __name__ == "__main__":
    main()
