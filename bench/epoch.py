"""One epoch, `fit` against `fit`, validation included: novikoff beside scikit-learn.

Prints a table of ratios (best of five, alternating in one process), also without copies of the
mistaken rows (keep="counts"), and the share of the machine's one-thread read bandwidth reached.
Run: python bench/epoch.py [--quick]
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.linear_model import Perceptron as SkPerceptron
from sklearn.linear_model import SGDClassifier

from novikoff import AveragedPerceptron, Perceptron
from novikoff.stream.order import Shuffle

warnings.filterwarnings("ignore")


def best_of(times: int, *jobs: Callable[[], Any]) -> list[float]:
    best = [float("inf")] * len(jobs)
    for _ in range(times):
        for k, job in enumerate(jobs):
            began = time.perf_counter()
            job()
            best[k] = min(best[k], time.perf_counter() - began)
    return best


def labels(X: Any, dice: np.random.Generator) -> Any:
    """Labels of a linear rule in which the first columns matter most, right most of the time."""
    dim = X.shape[1]
    scores = X @ (dice.standard_normal(dim) / (1 + np.arange(dim) / 50)).astype(X.dtype)
    noise = 0.15 * scores.std() * dice.standard_normal(len(scores))
    return np.where(scores + noise > np.median(scores), 1, -1)


def sparse(n: int, dim: int, per_row: int, value: type) -> tuple[Any, Any]:
    """Rows like text: common columns far more often than rare ones, all of length 1."""
    dice = np.random.default_rng(0)
    columns = np.sort((dim * dice.random((n, per_row)) ** 4).astype(np.int32), axis=1)
    starts = np.arange(0, n * per_row + 1, per_row, dtype=np.int32)
    X = sp.csr_matrix((dice.random(n * per_row), columns.ravel(), starts), (n, dim))
    X.sum_duplicates()
    norms = np.sqrt(np.add.reduceat(X.data**2, X.indptr[:-1]))
    X.data /= np.repeat(norms, np.diff(X.indptr))
    X = X.astype(value)
    return X, labels(X, dice)


def dense(n: int, dim: int, value: type) -> tuple[Any, Any]:
    """Rows like images or measurements: the first columns vary most."""
    dice = np.random.default_rng(0)
    X = dice.standard_normal((n, dim), dtype=np.float32) / (1 + np.arange(dim) / 50)
    X = X.astype(value)
    return X, labels(X, dice)


def read_bandwidth() -> float:
    """Bytes a second of one thread reading a large array (a dot product of it with itself)."""
    a = np.ones(1 << 27)
    return a.nbytes / best_of(5, lambda: a @ a)[0]


def compare(data: str, X: Any, y: Any, times: int, bandwidth: float) -> None:
    """Print a row for each order of the rows and each pair of estimators."""
    size = X.data.nbytes + X.indices.nbytes if hasattr(X, "indices") else X.nbytes
    orders: tuple[tuple[Shuffle, str], ...] = (("once", "shuffled"), (False, "given"))
    for shuffle, order in orders:
        sk: dict[str, Any] = {"max_iter": 1, "tol": None, "shuffle": bool(shuffle)}
        sgd = SGDClassifier(loss="perceptron", learning_rate="constant", eta0=1.0, penalty=None,
                            average=True, **sk)  # fmt: skip
        pairs: list[tuple[str, Any, Any]] = [
            ("Perceptron", SkPerceptron(**sk), Perceptron(max_iter=1, shuffle=shuffle)),
            ("SGDClassifier(average=True)", sgd, AveragedPerceptron(max_iter=1, shuffle=shuffle)),
        ]
        for name, theirs, ours in pairs:
            lean = clone(ours).set_params(keep="counts")
            slow, fast, faster = best_of(
                times, *(partial(c.fit, X, y) for c in (theirs, ours, lean))
            )
            print(
                f"| {data} | {order} | {ours.n_mistakes_ / len(y):.0%} | {name} "
                f"| {slow * 1e3:.0f} ms | {fast * 1e3:.0f} ms | **{slow / fast:.1f}×** "
                f"| {faster * 1e3:.0f} ms | {slow / faster:.1f}× "
                f"| {size / faster / bandwidth:.0%} |",
                flush=True,
            )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true", help="a tenth of the rows, three times")
    quick = options.parse_args().quick
    scale, times = (10, 3) if quick else (1, 5)
    bandwidth = read_bandwidth()
    print(f"one-thread read bandwidth: {bandwidth / 1e9:.1f} GB/s\n")
    print(
        "| data | order | mistakes | against | its fit | our fit | ratio | keep='counts' | ratio "
        "| share of bandwidth |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    sets: list[tuple[str, Any, Any]] = []
    for value in (np.float64, np.float32):
        name = np.dtype(value).name
        sets = [
            (f"sparse {800_000 // scale} × 47k, 75 a row, {name}",
             *sparse(800_000 // scale, 47_000, 81, value)),
            (f"dense {2_000_000 // scale} × 28, {name}", *dense(2_000_000 // scale, 28, value)),
            (f"dense {20_000 // scale} × 4096, {name}", *dense(20_000 // scale, 4096, value)),
        ]  # fmt: skip
        for data, X, y in sets:
            compare(data, X, y, times, bandwidth)
        del sets


if __name__ == "__main__":
    main()
