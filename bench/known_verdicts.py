"""Verdicts that are known, on public data: python bench/known_verdicts.py DIRECTORY.

DIRECTORY holds svmlight files of the names below, and in separation/ the data of which R's
detectseparation publishes its answers. Every certificate is verified, and the best margins known
from elsewhere must lie within its interval. Exits with status 1 when anything differs.
"""

from __future__ import annotations

import csv
import json
import math
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_svmlight_file,
    load_wine,
)

from novikoff import Certificate, certify, verify

MARGINS = {
    "mushrooms_train": 0.274755,
    "mushrooms_test": 0.308630,
    "text/rcv1_vw_small_train": 0.041322,
    "text/rcv1_vw_small_test": 0.054545,
    "text/sms_spam": 0.10391,
    "text/imdb5000": 0.13840,
    "text/spamassassin": 0.24209,
}
NOT_COMPLETE = ("a9a", "spambase", "phishing", "skin", "w8a", "covtype20k_2_vs_rest")


class Report:
    """Prints a line for each data set, and remembers whether all were as expected."""

    def __init__(self) -> None:
        self.wrong = 0
        print("| data | verdict | best margin | certify | verify | as expected |")
        print("|---|---|---|---|---|---|")

    def line(self, name: str, X: Any, y: Any, expected: Any, **options: Any) -> Certificate:
        """Certify and verify, and print how it went."""
        began = time.perf_counter()
        it = certify(X, y, **options)
        decided = time.perf_counter()
        right = bool(expected(it)) and verify(it, X, y)
        checked = time.perf_counter()
        self.wrong += not right
        margin = f"{it.margin.low:.6g} to {it.margin.high:.6g}" if it.verdict == "complete" else "0"
        print(
            f"| {name} | {it.verdict} | {margin} | {decided - began:.3f} s "
            f"| {checked - decided:.2f} s | {'yes' if right else 'NO'} |",
            flush=True,
        )
        return it


def separation(report: Report, folder: Path) -> None:
    """The answers of detectseparation: the verdict, and where each estimate goes."""
    inf = math.inf
    with open(folder / "endometrial.csv", encoding="utf-8") as file:
        table = np.array([[float(x) for x in row] for row in list(csv.reader(file))[1:]])
    report.line(
        "endometrial",
        table[:, :3],
        table[:, 3],
        lambda it: it.verdict == "quasi-complete" and it.directions == (inf, 0, 0, 0),
    )
    with open(folder / "silvapulle1981.csv", encoding="utf-8") as file:
        table = np.array([[float(x) for x in row] for row in list(csv.reader(file))[1:]])
    report.line(
        "silvapulle1981",
        table[:, 1:],
        table[:, 0],
        lambda it: it.verdict == "quasi-complete" and it.directions == (inf, -inf),
    )
    X, y = lizards(folder / "lizards.csv")
    report.line("lizards", X, y, lambda it: it.verdict == "overlap")
    doubled = np.hstack([X, X[:, :1]])
    report.line(
        "lizards, a column twice",
        doubled,
        y,
        lambda it: it.verdict == "overlap" and it.aliased == (X.shape[1],),
    )
    report.line(
        "empty model", np.empty((4, 0)), [0, 1, 0, 1],
        lambda it: it.verdict == "overlap", fit_intercept=False,
    )  # fmt: skip
    written = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    for name, verdict in (("counterexample", "complete"), ("overlap", "overlap")):
        given = written[name]
        report.line(
            name, given["X"], given["y"],
            lambda it, verdict=verdict: it.verdict == verdict, fit_intercept=False,
        )  # fmt: skip


def lizards(path: Path) -> tuple[Any, Any]:
    """A row of indicators for each group and species that was seen in it."""
    with open(path, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    factors = ("height", "diameter", "light", "time")
    levels = [(f, v) for f in factors for v in sorted({r[f] for r in rows})[1:]]
    X, y = [], []
    for row in rows:
        for species, label in (("grahami", 1), ("opalinus", 0)):
            if float(row[species]) > 0:
                X.append([float(row[f] == v) for f, v in levels])
                y.append(label)
    return np.array(X), np.array(y)


def bundled(report: Report) -> None:
    """What comes with scikit-learn, each class against the rest."""
    for name, load, complete in (
        ("iris", load_iris, (0,)),
        ("wine", load_wine, (0, 1, 2)),
        ("digits", load_digits, range(8)),
    ):
        X, y = load(return_X_y=True)
        for k in range(int(y.max()) + 1):
            report.line(
                f"{name} {k}", X, y == k,
                lambda it, sure=k in complete: (it.verdict == "complete") == sure,
            )  # fmt: skip
    X, y = load_breast_cancer(return_X_y=True)
    report.line(
        "breast cancer, unscaled, margin exactly", X, y,
        lambda it: 4.1e-5 < it.margin.low <= it.margin.high < 4.2e-5, margin_rtol=0,
    )  # fmt: skip


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    directory, report = Path(sys.argv[1]), Report()
    separation(report, directory / "separation")
    bundled(report)
    for name, margin in MARGINS.items():
        X, y = load_svmlight_file(str(directory / f"{name}.svm.gz"))
        it = report.line(name, X, y, lambda it: it.verdict == "complete")
        report.wrong += not it.margin.low <= margin <= it.margin.high
    for name in NOT_COMPLETE:
        X, y = load_svmlight_file(str(directory / f"{name}.svm.gz"))
        report.line(name, X, y, lambda it: it.verdict in ("quasi-complete", "overlap"))
    return int(report.wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
