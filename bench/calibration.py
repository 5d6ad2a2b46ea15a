"""Log loss and calibration error of `novikoff train` beside CalibratedClassifierCV.

Each set is split 70/30 at random, three times; both learn from the same rows. The command trains
with its defaults (--learner adaptive), on the whole file and as a stream, and is judged on the rest
by `novikoff test`; scikit-learn's CalibratedClassifierCV(LogisticRegression()) on the same rows. A
probability that is right has a calibration error above 0, too, because the examples are few: the
column "floor" is the mean error of labels drawn from the probabilities themselves.

Run: python bench/calibration.py --data FOLDER [NAME ...]
FOLDER holds spambase.svm.gz and the other files named below.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import dump_svmlight_file, load_digits, load_svmlight_file
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

FILES = {
    "spambase": ["spambase.svm.gz"],
    "phishing": ["phishing.svm.gz"],
    "a9a": ["a9a.svm.gz", "a9a.t.svm.gz"],
    "w8a": ["w8a.svm.gz"],
    "covtype20k": ["covtype20k_2_vs_rest.svm.gz"],
    "skin": ["skin.svm.gz"],
    "imdb5000": ["text/imdb5000.svm.gz"],
    "sms": ["text/sms_spam.svm.gz"],
    "spamassassin": ["text/spamassassin.svm.gz"],
    "digits (10 classes)": [],
    "news20 (20 classes)": ["text/news20_train_multiclass.svm.gz"],
}
INTERVALS, SPLITS, MOST = 15, 3, 60_000


def examples(name: str, folder: Path) -> tuple[Any, Any]:
    """The rows and labels of a set."""
    if not FILES[name]:
        X, y = load_digits(return_X_y=True)
        return sparse.csr_matrix(X), y
    parts = [load_svmlight_file(str(folder / file)) for file in FILES[name]]
    width = max(X.shape[1] for X, _ in parts)
    for X, _ in parts:
        X.resize(X.shape[0], width)
    return sparse.vstack([X for X, _ in parts]).tocsr(), np.concatenate([y for _, y in parts])


def error(chances: Any, happened: Any) -> float:
    """The calibration error: predicted and observed shares in 15 intervals."""
    k = np.minimum((chances * INTERVALS).astype(int), INTERVALS - 1)
    apart = np.bincount(k, chances, INTERVALS) - np.bincount(k, happened, INTERVALS)
    return float(np.abs(apart).sum() / len(chances))


def watched(p: Any, classes: Any, y: Any) -> tuple[Any, Any]:
    """The probabilities that are judged, and whether what they are of happened."""
    if len(classes) == 2:
        return p[:, 1], y == classes[1]
    best = p.argmax(axis=1)
    return p.max(axis=1), classes[best] == y


def command(*words: Any) -> str:
    run = [sys.executable, "-m", "novikoff", *map(str, words)]
    return subprocess.run(run, check=True, capture_output=True, text=True).stdout


def novikoff(folder: Path, train: Any, test: Any, *options: str) -> tuple[float, float]:
    """Log loss and calibration error of the command."""
    for name, (X, y) in (("train.svm", train), ("test.svm", test)):
        dump_svmlight_file(X, y, str(folder / name), zero_based=False)
    many = ("--multiclass",) if len(np.unique(train[1])) > 2 else ("--learner", "adaptive")
    model = folder / "model"
    command("train", folder / "train.svm", "-o", model, "-q", *many, *options)
    found = json.loads(command("test", model, folder / "test.svm", "--json"))
    return found["log_loss"], found["calibration_error"]


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    given.add_argument("--data", type=Path, required=True)
    given.add_argument("names", nargs="*", default=list(FILES))
    options = given.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    print("| set | train, whole | train, stream | CalibratedClassifierCV | floor |")
    print("|---|---|---|---|---|")
    dice = np.random.default_rng(0)
    for name in options.names:
        X, y = examples(name, options.data)
        rows: list[list[float]] = []
        for split in range(SPLITS):
            order = np.random.default_rng(split).permutation(len(y))[:MOST]
            cut = int(0.7 * len(order))
            train, test = ((X[part], y[part]) for part in (order[:cut], order[cut:]))
            rival = CalibratedClassifierCV(LogisticRegression()).fit(*train)
            p = rival.predict_proba(test[0])
            chances, happened = watched(p, rival.classes_, test[1])
            floor = np.mean([error(chances, dice.random(len(chances)) < chances) for _ in range(9)])
            with tempfile.TemporaryDirectory() as folder:
                whole = novikoff(Path(folder), train, test)
                stream = novikoff(Path(folder), train, test, "--stream")
            own = log_loss(test[1], p, labels=rival.classes_), error(chances, happened)
            rows.append([*whole, *stream, *own, float(floor)])
        a, b, c, d, e, f, least = np.mean(rows, axis=0)
        pairs = f"{a:.4f}, {b:.3f} | {c:.4f}, {d:.3f} | {e:.4f}, {f:.3f}"
        print(f"| {name} | {pairs} | {least:.3f} |", flush=True)


if __name__ == "__main__":
    main()
