"""The kernel perceptron on MNIST: Freund & Schapire's table, and the time of the same run in NumPy.

    python bench/kernels.py MNIST_FOLDER [--passes 1 2 4] [--rows 60000] [--no-numpy] [--svc]

K(x, z) = (1 + x·z)⁴ with pixels in [0, 1], ten classes, each against the rest. NumPy's run holds
the mistakes of all classes in one matrix and multiplies blocks of rows with it. `--svc` adds
scikit-learn's SVC with the same kernel. Times are of the clock, with those of the processor (all
cores together) in brackets.
"""

from __future__ import annotations

import argparse
import gzip
import resource
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import numpy as np

from novikoff import KernelPerceptron
from novikoff.ledger.readings import Reading

BLOCK = 512


def numbers(path: Path, skip: int) -> Any:
    return np.frombuffer(gzip.decompress(path.read_bytes()), np.uint8, offset=skip)


def mnist(folder: Path) -> tuple[Any, Any, Any, Any]:
    parts = []
    for name in ("train", "t10k"):
        pixels = numbers(folder / f"{name}-images-idx3-ubyte.gz", 16)
        parts += [pixels.reshape(-1, 784) / 255.0]
        parts += [numbers(folder / f"{name}-labels-idx1-ubyte.gz", 8)]
    return tuple(parts)


def in_numpy(X: Any, y: Any, passes: int, seed: int = 0) -> Iterator[int]:
    """The same algorithm with matrix products: all classes share the mistaken rows.

    Yields the number of mistakes after each pass.
    """
    order, sign = (
        np.random.default_rng(seed).permutation(len(X)),
        np.where(np.eye(10)[y], 1.0, -1.0),
    )
    rows, steps, n = np.empty((0, X.shape[1])), np.empty((0, 10)), 0
    place, mistakes = np.full(len(X), -1), 0
    for _ in range(passes):
        for at in range(0, len(X), BLOCK):
            which = order[at : at + BLOCK]
            B = X[which]
            scores = (1 + B @ rows[:n].T) ** 4 @ steps[:n]
            own = (1 + B @ B.T) ** 4
            for k, i in enumerate(which):
                wrong = sign[i] * scores[k] <= 0
                if not wrong.any():
                    continue
                mistakes += int(wrong.sum())
                step = np.where(wrong, sign[i], 0.0)
                scores[k + 1 :] += own[k, k + 1 :, None] * step
                if place[i] < 0:
                    if n == len(rows):
                        rows = np.concatenate([rows, np.empty((max(1024, n), X.shape[1]))])
                        steps = np.concatenate([steps, np.zeros((max(1024, n), 10))])
                    place[i], rows[n], n = n, B[k], n + 1
                steps[place[i]] += step
        yield mistakes


class Clock:
    """The time since it was made, by the clock and by the processor."""

    def __init__(self) -> None:
        self._began = time.perf_counter(), time.process_time()

    def __str__(self) -> str:
        wall, work = self._began
        return f"{time.perf_counter() - wall:.1f} ({time.process_time() - work:.1f})"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--passes", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--rows", type=int, default=60_000)
    parser.add_argument("--no-numpy", action="store_true")
    parser.add_argument("--svc", action="store_true")
    given = parser.parse_args()
    X, y, X_test, y_test = mnist(given.folder)
    X, y = X[: given.rows], y[: given.rows]
    print("| T | mistakes | final | average | vote | fit, s | predict, s |")
    print("|---" * 7 + "|")
    for passes in given.passes:
        clock = Clock()
        clf = KernelPerceptron(degree=4, gamma=1.0, max_iter=passes).fit(X, y)
        fitted, wrong, clock = str(clock), [], Clock()
        for one in get_args(Reading):
            error = np.mean(clf.predict(X_test, reading=one) != y_test)
            wrong.append(f"{100 * error:.2f} %")
        line = (f"{clf.n_mistakes_:,}", *wrong, fitted, f"three: {clock}")
        print(f"| {passes} | {' | '.join(line)} |", flush=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"peak memory {peak:.2f} GB", flush=True)
    if not given.no_numpy:
        clock = Clock()
        for t, made in enumerate(in_numpy(X, y, max(given.passes)), start=1):
            print(f"NumPy, T = {t}: {made:,} mistakes, {clock} s", flush=True)
    if given.svc:
        from sklearn.svm import SVC

        clock = Clock()
        svc = SVC(kernel="poly", degree=4, gamma=1.0, coef0=1.0, cache_size=1000).fit(X, y)
        fitted, clock = str(clock), Clock()
        error = 100 * np.mean(svc.predict(X_test) != y_test)
        print(f"SVC: {error:.2f} %, fit {fitted} s, predict {clock} s")


if __name__ == "__main__":
    main()
