"""Runs whose mistakes and epochs are known, on public data: python bench/known_runs.py DIRECTORY.

DIRECTORY holds svmlight files of the names below. The plain perceptron with a bias starts at 0,
keeps the order of the file and updates at y·s ≤ 0.
Exits with status 1 when a run differs.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from sklearn.datasets import load_svmlight_file

from novikoff import Perceptron

KNOWN = {
    "mushrooms_train": (139, 15),
    "mushrooms_test": (101, 12),
    "text/sms_spam": (568, 24),
    "text/imdb5000": (12122, 59),
    "text/spamassassin": (5331, 240),
    "text/rcv1_vw_small_train": (406, 7),
    "text/rcv1_vw_small_test": (254, 7),
}


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    wrong = 0
    print("| data | mistakes / epochs expected | seen | fit |")
    print("|---|---|---|---|")
    for name, expected in KNOWN.items():
        X, y = load_svmlight_file(str(Path(sys.argv[1]) / f"{name}.svm.gz"))
        began = time.perf_counter()
        clf = Perceptron(shuffle=False).fit(X, y)
        took = time.perf_counter() - began
        seen = (clf.n_mistakes_, clf.n_iter_)
        wrong += seen != expected
        print(f"| {name} | {expected[0]} / {expected[1]} | {seen[0]} / {seen[1]} | {took:.3f} s |")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
