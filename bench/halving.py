"""Halving over the 75,287,520 monotone conjunctions of 5 of 100 variables, a process for each run.

At most ⌊log₂ 75,287,520⌋ = 26 mistakes are possible. "random" draws each attribute on with chance
0.87, so that about half of the conjunctions hold, and a hidden one labels; "even splits" takes, of
some random examples, the one that splits the concepts left most evenly, and the label that Halving
does not expect; most of its time goes into finding them. Memory is the peak of the whole process,
interpreter and libraries included.

Run: python bench/halving.py
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator

import numpy as np

from novikoff import play
from novikoff.concepts import Halving, conjunctions, labelled
from novikoff.stream.blocks import Block
from processes import measure

CANDIDATES = 12


def random(learner: Halving, seed: int) -> Iterator[Block]:
    """Examples labelled by a hidden concept, until it is the only one left."""
    dice = np.random.default_rng(seed)
    target = learner.concepts.sample(1, seed=seed)[0]
    t = 0
    while learner.left > 1:
        x = dice.random((1, learner.dim)) < 0.87
        yield labelled(x, target.evaluate(x), first=t)
        t += 1


def even_splits(learner: Halving, seed: int) -> Iterator[Block]:
    """Examples after which, as nearly as can be found, half are left and Halving was wrong."""
    dice = np.random.default_rng(seed)
    t = 0
    while learner.left > 1:
        X = dice.random((CANDIDATES, learner.dim)) < dice.uniform(0.8, 0.95, (CANDIDATES, 1))
        x = max(X, key=lambda x: min(learner.space.split(x)))
        if all(learner.space.split(x)):
            yield labelled(x[None], np.array([learner.score(x) < 0]), first=t)
            t += 1


STREAMS = {"random": random, "even splits": even_splits}


def run(name: str, seed: int) -> None:
    """Print rounds, mistakes, the bound and the seconds of one run, as cells of a table."""
    began = time.perf_counter()
    concepts = conjunctions(100, k=5, monotone=True)
    learner = Halving(concepts)
    ledger = play(STREAMS[name](learner, seed), learner).ledger
    seconds = time.perf_counter() - began
    bound = concepts.size.bit_length() - 1
    print(f"{ledger.n_rounds} | {ledger.n_mistakes} | {bound} | {seconds:.2f}")


def main() -> None:
    if len(sys.argv) == 3:
        run(sys.argv[1], int(sys.argv[2]))
        return
    print("| examples | rounds | mistakes | bound | seconds | peak MB |", flush=True)
    print("|---|---|---|---|---|---|", flush=True)
    for name in STREAMS:
        for seed in range(3):
            seen = measure([sys.executable, __file__, name, str(seed)])
            cells = seen.output.strip()
            print(f"| {name}, seed {seed} | {cells} | {seen.peak:.0f} |", flush=True)


if __name__ == "__main__":
    main()
