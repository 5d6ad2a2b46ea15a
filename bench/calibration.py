"""Log loss and calibration error of `novikoff train` beside CalibratedClassifierCV.

Each set is split 70/30 at random, sets of fewer than 5,000 rows five times; both learn from the
same rows. The command trains with its defaults, on the whole file and as a stream; scikit-learn's
peer is CalibratedClassifierCV(LogisticRegression()). The probabilities of all splits are judged
together. A probability that is right has a calibration error above 0, too, because the examples are
few: the column "floor" is the mean error of labels drawn from the peer's probabilities themselves.
The peer takes very long on news20, so it is left out there.

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
INTERVALS, MOST, SMALL = 15, 60_000, 5000
TOO_SLOW = {"news20 (20 classes)"}  # for the peer


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


def novikoff(folder: Path, train: Any, test: Any, *options: str) -> Any:
    """The probability of each label in order, of each test row, by the command."""
    for name, (X, y) in (("train.svm", train), ("test.svm", test)):
        dump_svmlight_file(X, y, str(folder / name), zero_based=False)
    labels = np.unique(train[1])
    many = ("--multiclass",) if len(labels) > 2 else ()
    model = folder / "model"
    command("train", folder / "train.svm", "-o", model, "-q", *many, *options)
    said = command("predict", model, folder / "test.svm", "--probabilities")
    p = np.array([[float(x) for x in line.split("\t")] for line in said.splitlines()])
    if not many:
        return np.column_stack([1 - p, p])
    known = [float(label) for label in json.loads(command("inspect", model, "--json"))["classes"]]
    return p[:, np.argsort(known)]


def judged(chances: list[Any], labels: list[Any]) -> str:
    """Log loss and calibration error."""
    p, y = np.concatenate(chances), np.concatenate(labels)
    classes = np.unique(y)
    return f"{log_loss(y, p, labels=classes):.4f}, {error(*watched(p, classes, y)):.3f}"


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    given.add_argument("--data", type=Path, required=True)
    given.add_argument("names", nargs="*", default=list(FILES))
    options = given.parse_args()
    warnings.simplefilter("ignore")
    print("| set | test rows | train, whole | train, stream | CalibratedClassifierCV | floor |")
    print("|---|---|---|---|---|---|")
    dice = np.random.default_rng(0)
    for name in options.names:
        X, y = examples(name, options.data)
        whole, stream, peers, labels = (list[Any]() for _ in range(4))
        for split in range(5 if len(y) < SMALL else 1):
            order = np.random.default_rng(split).permutation(len(y))[:MOST]
            cut = int(0.7 * len(order))
            train, test = ((X[part], y[part]) for part in (order[:cut], order[cut:]))
            labels.append(test[1])
            with tempfile.TemporaryDirectory() as folder:
                whole.append(novikoff(Path(folder), train, test))
                stream.append(novikoff(Path(folder), train, test, "--stream"))
            if name not in TOO_SLOW:
                peer = CalibratedClassifierCV(LogisticRegression()).fit(*train)
                peers.append(peer.predict_proba(test[0]))
        cells = [judged(each, labels) if each else "–" for each in (whole, stream, peers)]
        p = np.concatenate(peers or whole)
        chances, _ = watched(p, np.unique(y), np.concatenate(labels))
        floor = np.mean([error(chances, dice.random(len(chances)) < chances) for _ in range(9)])
        print(f"| {name} | {len(p):,} | {' | '.join(cells)} | {floor:.3f} |", flush=True)


if __name__ == "__main__":
    main()
