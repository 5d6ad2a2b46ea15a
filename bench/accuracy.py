"""Right by default? `novikoff train` beside the defaults of Vowpal Wabbit and scikit-learn.

Every set is split 70 to 30 at random, sets of fewer than 5,000 rows five times. novikoff gets the
training rows in the order of the original file, which for some is sorted by class; Vowpal Wabbit,
which does not shuffle, gets them shuffled. Neither gets an option besides the format of the labels.
scikit-learn's estimators are fitted to arrays, raw and scaled (StandardScaler; MaxAbsScaler if the
rows are sparse). Times of novikoff and Vowpal Wabbit are those of a whole training process, from
text to model; those of scikit-learn are of `fit` alone.

Run: python bench/accuracy.py DIRECTORY [--peers PYTHON] [--only NAME]
     python bench/accuracy.py DIRECTORY --schemes   many classes, jointly or one against the rest
DIRECTORY has a9a.svm.gz, text/imdb5000.svm.gz, stream/flights3m.csv.gz and so on.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn import datasets
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.preprocessing import MaxAbsScaler, StandardScaler, normalize

from novikoff import (
    AdaptivePerceptron,
    AveragedPerceptron,
    MarginPerceptron,
    Perceptron,
    VotedPerceptron,
)
from processes import add_peers, has_vowpal, measure, novikoff, vowpal

SMALL = 5000
FLIGHTS = 200_000
SVM = {
    "phishing": "phishing",
    "spambase": "spambase",
    "mushrooms": "mushrooms_train",
    "a9a": "a9a",
    "w8a": "w8a",
    "covtype20k": "covtype20k_2_vs_rest",
    "skin": "skin",
    "sms": "text/sms_spam",
    "imdb5000": "text/imdb5000",
    "spamassassin": "text/spamassassin",
}
BUNDLED: dict[str, Callable[..., Any]] = {
    "breast cancer": datasets.load_breast_cancer,
    "iris": datasets.load_iris,
    "wine": datasets.load_wine,
    "digits": datasets.load_digits,
}


class Split(NamedTuple):
    """Rows and classes, numbered from 0, to learn from and to test on."""

    X: Any
    y: Any
    X_test: Any
    y_test: Any


def sets(directory: Path, only: str) -> Iterator[tuple[str, list[Split]]]:
    """Each set whose name begins with `only`, with its splits."""
    for name, load in BUNDLED.items():
        if name.startswith(only):
            X, y = load(return_X_y=True)
            yield name, list(splits(sp.csr_matrix(X), y))
    for name, file in SVM.items():
        if name.startswith(only):
            X, y = datasets.load_svmlight_file(str(directory / f"{file}.svm.gz"))
            yield name, list(splits(X.tocsr(), y))
    if "flights".startswith(only):
        X, y = flights(directory / "stream" / "flights3m.csv.gz")
        yield "flights, 200,000", list(splits(X, y))
    if "wide".startswith(only):
        X, y = datasets.make_classification(  # more columns than rows, drawn for this table
            300, 400, n_informative=20, flip_y=0.05, random_state=11
        )
        yield "wide, synthetic", list(splits(sp.csr_matrix(X), y))
    if "overlapping".startswith(only):
        X, y = datasets.make_classification(
            3000, 40, n_informative=15, n_classes=10, random_state=10
        )
        yield "overlapping, ten classes, synthetic", list(splits(sp.csr_matrix(X), y))
    for name, file in (("rcv1", "rcv1_vw_small_{}"), ("news20", "news20_{}_multiclass")):
        if not name.startswith(only):
            continue
        train, test = (
            str(directory / "text" / f"{file.format(part)}.svm.gz") for part in ("train", "test")
        )
        X, y, Z, z = datasets.load_svmlight_files([train, test])
        for A in (X, Z):  # SGDClassifier takes no other indices
            A.indices, A.indptr = A.indices.astype(np.int32), A.indptr.astype(np.int32)
        yield f"{name}, own split", [Split(X, numbered(y, y), Z, numbered(z, y))]
        if X.shape[0] < SMALL:
            yield name, list(splits(sp.vstack([X, Z]).tocsr(), np.concatenate([y, z])))


def splits(X: Any, y: Any) -> Iterator[Split]:
    y = numbered(y, y)
    for seed in range(5 if len(y) < SMALL else 1):
        order = np.random.default_rng(seed).permutation(len(y))
        cut = round(0.7 * len(y))
        old, new = np.sort(order[:cut]), np.sort(order[cut:])
        yield Split(X[old], y[old], X[new], y[new])


def numbered(y: Any, known: Any) -> Any:
    return np.searchsorted(np.unique(known), y)


def flights(file: Path) -> tuple[Any, Any]:
    """A sample of the flights: numbers as they are, airports one-hot; never the delay itself."""
    places: dict[str, int] = {}
    values, columns, starts, labels = list[float](), list[int](), [0], list[int]()
    kept = np.random.default_rng(7).random(3_000_000) < FLIGHTS / 3e6
    with gzip.open(file, "rt") as lines:
        for row, keep in zip(csv.DictReader(lines), kept, strict=False):
            if keep:
                for name in ("month", "day", "dow", "minute_of_day", "distance"):
                    columns.append(places.setdefault(name, len(places)))
                    values.append(float(row[name]))
                for name in ("origin", "destination"):
                    columns.append(places.setdefault(f"{name}={row[name]}", len(places)))
                    values.append(1.0)
                starts.append(len(values))
                labels.append(int(float(row["label"]) > 0))
    return sp.csr_matrix((values, columns, starts)), np.array(labels)


def write(path: Path, X: Any, y: Any, *, vw: bool) -> None:
    """The rows as svmlight, or as Vowpal Wabbit's text with labels −1 and 1, or from 1 on."""
    bars, two = (" |" if vw else ""), vw and y.max() <= 1
    with path.open("w") as file:
        for i in range(X.shape[0]):
            span = slice(X.indptr[i], X.indptr[i + 1])
            pairs = zip(X.indices[span].tolist(), X.data[span].tolist(), strict=True)
            label = 2 * int(y[i]) - 1 if two else int(y[i]) + vw
            file.write(f"{label}{bars}" + "".join(f" {j + 1}:{v!r}" for j, v in sorted(pairs)))
            file.write("\n")


def ours(split: Split, folder: Path, _: str) -> tuple[float, float]:
    """Accuracy and seconds of `novikoff train` with its defaults."""
    old, new, model = folder / "old.svm", folder / "new.svm", folder / "model"
    write(old, split.X, split.y, vw=False)
    write(new, split.X_test, split.y_test, vw=False)
    model.unlink(missing_ok=True)
    many = ["--multiclass"] if split.y.max() > 1 else []
    took = measure(novikoff("train", old, "-o", model, "-q", *many)).seconds
    said = measure(novikoff("test", model, new, "--json")).output
    return json.loads(said[said.index("{") :])["accuracy"], took


def vowpals(split: Split, folder: Path, python: str) -> tuple[float, float]:
    """Accuracy and seconds of Vowpal Wabbit with its defaults; many classes with --oaa."""
    old, new, model = folder / "old.vw", folder / "new.vw", folder / "vw.model"
    order = np.random.default_rng(0).permutation(len(split.y))
    write(old, split.X[order], split.y[order], vw=True)
    write(new, split.X_test, split.y_test, vw=True)
    many = ["--oaa", str(split.y.max() + 1)] if split.y.max() > 1 else []
    took = measure(vowpal(python, "--quiet", "-d", old, "-f", model, *many)).seconds
    out = folder / "predictions"
    measure(vowpal(python, "--quiet", "-t", "-i", model, "-d", new, "-p", out))
    said = np.loadtxt(out)
    return float(((said - 1 if many else said > 0) == split.y_test).mean()), took


def theirs(kind: Any, *, scaled: bool) -> Callable[[Split, Path, str], tuple[float, float]]:
    """An estimator of scikit-learn with its defaults."""

    def run(split: Split, _: Path, __: str) -> tuple[float, float]:
        wide = split.X.shape[1] > 1000
        X, Z = (A if wide else A.toarray() for A in (split.X, split.X_test))
        began = time.perf_counter()
        if scaled:
            scaler = (MaxAbsScaler() if wide else StandardScaler()).fit(X)
            X, Z = scaler.transform(X), scaler.transform(Z)
        clf = kind().fit(X, split.y)
        took = time.perf_counter() - began
        return float(clf.score(Z, split.y_test)), took

    return run


COLUMNS: dict[str, Callable[[Split, Path, str], tuple[float, float]]] = {
    "novikoff train": ours,
    "VW": vowpals,
    "LogisticRegression": theirs(LogisticRegression, scaled=False),
    "SGDClassifier": theirs(SGDClassifier, scaled=False),
    "scaled LogisticRegression": theirs(LogisticRegression, scaled=True),
    "scaled SGDClassifier": theirs(SGDClassifier, scaled=True),
}


def schemes(directory: Path) -> None:
    """Both ways to learn many classes, 1 and 10 passes over the same rows, without an intercept."""
    plain: dict[str, Any] = {"shuffle": False, "fit_intercept": False}
    X, y = datasets.load_digits(return_X_y=True)
    cut = 2 * len(y) // 3
    parts = {"digits": Split(X[:cut], y[:cut], X[cut:], y[cut:])}
    parts["news20"] = next(sets(directory, "news20"))[1][0]
    for name, split in parts.items():
        order = np.random.default_rng(0).permutation(len(split.y))
        X, y, Z = normalize(split.X)[order], split.y[order], normalize(split.X_test)
        for passes in (1, 10):
            made: dict[str, Any] = {
                f"{kind.__name__} | {scheme}": kind(multiclass=scheme, max_iter=passes, **plain)
                for kind in (Perceptron, MarginPerceptron, AveragedPerceptron, VotedPerceptron)
                for scheme in ("joint", "ovr")
            }
            for words, more in (("", {}), ("average=True", {"average": True})):
                sgd = SGDClassifier(max_iter=passes, tol=None, **more, **plain)
                made[f"scikit-learn SGDClassifier({words}) | ovr"] = sgd
            for learner, clf in made.items():
                right = clf.fit(X, y).score(Z, split.y_test)
                print(f"| {name} | {passes} | {learner} | {right:.2%} |", flush=True)
    names = ("iris", "wine", "digits", "overlapping")
    each = {name: next(sets(directory, name))[1] for name in names} | {"news20": [parts["news20"]]}
    for name, some in each.items():
        for scheme in ("ovr", "joint"):
            for average in (False, True):
                clf = AdaptivePerceptron(multiclass=scheme, average=average)
                right = np.mean([clf.fit(s.X, s.y).score(s.X_test, s.y_test) for s in some])
                print(f"| {name} | {scheme}, {average=} | {right:.1%} |", flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("directory", type=Path)
    options.add_argument("--only", default="", help="sets whose name begins so")
    options.add_argument("--schemes", action="store_true", help="many classes in both ways")
    add_peers(options)
    given = options.parse_args()
    warnings.simplefilter("ignore")
    if given.schemes:
        return schemes(given.directory)
    names = [name for name in COLUMNS if name != "VW" or has_vowpal(given.peers)]
    print("set | rows × features |", " | ".join(["majority", *names, "behind"]), flush=True)
    for name, splits_of in sets(given.directory, given.only):
        found: dict[str, tuple[float, float]] = {}
        with tempfile.TemporaryDirectory() as folder:
            for column in names:
                each = [COLUMNS[column](one, Path(folder), given.peers) for one in splits_of]
                found[column] = (
                    sum(a for a, _ in each) / len(each),
                    sum(t for _, t in each) / len(each),
                )
        rows = sum(len(part) for part in (splits_of[0].y, splits_of[0].y_test))
        share = np.mean([np.bincount(one.y_test).max() / len(one.y_test) for one in splits_of])
        peers = [found[c][0] for c in ("VW", "LogisticRegression") if c in found]
        cells = [f"{100 * a:.1f} ({t:.2f} s)" for a, t in found.values()]
        behind = f"{100 * (found['novikoff train'][0] - max(peers)):+.1f}"
        size = f"{rows:,} × {splits_of[0].X.shape[1]:,}"
        print(name, size, f"{100 * share:.1f}", *cells, behind, sep=" | ", flush=True)
    return None


if __name__ == "__main__":
    main()
