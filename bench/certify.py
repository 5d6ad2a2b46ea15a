"""`certify` beside plain linear programs solved by HiGHS on the same data.

Run: python bench/certify.py [DIRECTORY] [--million]

DIRECTORY holds svmlight files of the names below. "Feasibility" is the program Zw ≥ 1 with w free:
it tells completely separable data from the rest, in floating point. "Maximal support" is the
program that also tells quasi-complete separation from overlap; both are given all rows. `certify`
tells all three apart, with a proof in exact arithmetic; "not complete" is when it had proved that
much. Best of five, alternating (of one, for programs of more than ten seconds).

--million decides a million rows of fifty columns, each way, in processes of their own.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog
from sklearn.datasets import load_svmlight_file

from novikoff import Certificate, certify

SEPARABLE = (
    "mushrooms_train",
    "mushrooms_test",
    "text/rcv1_vw_small_train",
    "text/rcv1_vw_small_test",
    "text/sms_spam",
    "text/imdb5000",
    "text/spamassassin",
)
OTHERS = ("phishing", "spambase", "a9a", "skin", "w8a", "covtype20k_2_vs_rest")
MILLION = ("separable", "hardly separable", "one label wrong", "overlap", "quasi-complete")


def load(path: Path) -> tuple[Any, Any]:
    X, y = load_svmlight_file(str(path))
    return (X.toarray() if X.nnz > 0.3 * X.shape[0] * X.shape[1] else X), y


def signed(X: Any, y: Any) -> Any:
    """The rows y·x with a constant after the features."""
    rows: list[Any] = [sp.csr_array(X), sp.csr_array(np.ones((X.shape[0], 1)))]
    return sp.csr_array(sp.hstack(rows).multiply(y[:, None]))


def feasibility(X: Any, y: Any) -> None:
    n, d = X.shape
    Z = signed(X, y) if sp.issparse(X) else signed(X, y).toarray()
    linprog(np.zeros(d + 1), A_ub=-Z, b_ub=-np.ones(n), bounds=(None, None), method="highs")


def maximal_support(X: Any, y: Any) -> None:
    n, d = X.shape
    Z = signed(X, y)
    linprog(
        np.concatenate([np.zeros(d + 1), -np.ones(n)]),
        A_ub=sp.hstack([-Z, sp.eye_array(n)], format="csr"),
        b_ub=np.zeros(n),
        bounds=[(None, None)] * (d + 1) + [(0.0, 1.0)] * n,
        method="highs",
        options={"time_limit": 120.0},
    )


def timed(job: Any, *arguments: Any) -> float:
    began = time.perf_counter()
    job(*arguments)
    return time.perf_counter() - began


def certified(X: Any, y: Any) -> tuple[Certificate, float, float]:
    """The certificate, how long it took, and when it was known not to be complete."""
    began = time.perf_counter()
    stages: list[tuple[str, float]] = []
    it = certify(X, y, progress=lambda words: stages.append((words, time.perf_counter() - began)))
    took = time.perf_counter() - began
    proved = [at for words, at in stages if "not completely separable" in words]
    return it, took, min([took, *proved])


def compare(directory: Path) -> None:
    print(
        "| data | verdict | feasibility | certify | ratio | not complete | ratio "
        "| maximal support | ratio |\n|---|---|---|---|---|---|---|---|---|"
    )
    for name in (*SEPARABLE, *OTHERS):
        X, y = load(directory / f"{name}.svm.gz")
        plain = ours = first = float("inf")
        for _ in range(5):
            plain = min(plain, timed(feasibility, X, y))
            it, took, proved = certified(X, y)
            ours, first = min(ours, took), min(first, proved)
        both = "—", "—"
        if it.verdict != "complete":
            full = timed(maximal_support, X, y)
            if full < 10:
                full = min(full, *(timed(maximal_support, X, y) for _ in range(4)))
            more = "> " if full > 119 else ""
            both = f"{more}{full * 1e3:.0f} ms", f"{more}{full / ours:.1f}×"
        early = ("—", "—")
        if it.verdict != "complete":
            early = f"{first * 1e3:.1f} ms", f"{plain / first:.1f}×"
        print(
            f"| {name} | {it.verdict} | {plain * 1e3:.1f} ms | {ours * 1e3:.1f} ms "
            f"| **{plain / ours:.1f}×** | {early[0]} | {early[1]} | {both[0]} | {both[1]} |",
            flush=True,
        )


def a_million(kind: str) -> None:
    dice, n, d = np.random.default_rng(0), 1_000_000, 50
    X = dice.standard_normal((n, d))
    u = dice.standard_normal(d) / np.sqrt(d)
    noise = 0.3 * dice.standard_normal(n) if kind in ("overlap", "quasi-complete") else 0.0
    y = np.where(X @ u + noise >= 0, 1, -1)
    if kind in ("separable", "one label wrong"):
        X += np.outer(y * 0.02, u)
    if kind == "one label wrong":
        y[12345] *= -1
    if kind == "quasi-complete":
        X[:, 7] = (dice.random(n) < 0.001) & (y > 0)
    began = time.perf_counter()
    it = certify(X, y)
    took = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"| {kind} | {it.verdict} | {took:.1f} s | {peak:.2f} GB |", flush=True)


def main() -> int:
    words = sys.argv[1:]
    if words[:1] == ["--one-of-the-million"]:
        a_million(words[1])
        return 0
    if not words:
        print(__doc__, file=sys.stderr)
        return 2
    for directory in [Path(word) for word in words if not word.startswith("-")]:
        compare(directory)
    if "--million" in words:
        print("\n| 1,000,000 × 50 | verdict | certify | peak memory, data included |")
        print("|---|---|---|---|", flush=True)
        for kind in MILLION:
            subprocess.run([sys.executable, __file__, "--one-of-the-million", kind], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
