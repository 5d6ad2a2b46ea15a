"""All 65,536 Boolean functions of four variables, certified and verified one by one.

Run: python bench/threshold_functions.py

1,882 of them are linear threshold functions (OEIS A000609). Uses every processor. Exits with
status 1 when a function is undecided, a certificate is rejected, or the count differs.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from itertools import product

import numpy as np

from novikoff import certify, verify

FUNCTIONS, PART = 2**16, 2**9


def decide(first: int) -> Counter[str]:
    X = np.array(list(product((0.0, 1.0), repeat=4)))
    found: Counter[str] = Counter()
    for f in range(first, first + PART):
        y = np.array([f >> i & 1 for i in range(16)])
        it = certify(X, y)
        found[str(it.verdict)] += verify(it, X, y)
    return found


def main() -> int:
    began = time.perf_counter()
    with ProcessPoolExecutor() as pool:
        found = sum(pool.map(decide, range(0, FUNCTIONS, PART)), Counter[str]())
    took = time.perf_counter() - began
    print("| complete | quasi-complete | overlap | undecided | time |\n|---|---|---|---|---|")
    kinds = ("complete", "quasi-complete", "overlap", "undecided")
    print(f"| {' | '.join(f'{found[k]:,}' for k in kinds)} | {took:.0f} s |")
    right = found["complete"] == 1882 and sum(found[k] for k in kinds[:3]) == FUNCTIONS
    return int(not right)


if __name__ == "__main__":
    sys.exit(main())
