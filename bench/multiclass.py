"""Many classes: learned jointly and one against the rest, beside scikit-learn, at equal passes.

Digits ship with scikit-learn (the first two thirds are learned from); DIRECTORY/text has
news20_train_multiclass.svm.gz and news20_test_multiclass.svm.gz. Rows have length 1. All learners
meet the same rows in the same order, drawn once, without an intercept (scikit-learn's is damped on
sparse rows) and without a tolerance. Times are the best of five fits.

Run: python bench/multiclass.py [DIRECTORY]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_digits, load_svmlight_file
from sklearn.linear_model import Perceptron as TheirPerceptron
from sklearn.linear_model import SGDClassifier
from sklearn.preprocessing import normalize

from novikoff import AveragedPerceptron, MarginPerceptron, Perceptron, VotedPerceptron

PASSES = (1, 10)
OURS = (Perceptron, MarginPerceptron, AveragedPerceptron, VotedPerceptron)


class Data(NamedTuple):
    """A training set in the order it is met in, and a test set."""

    name: str
    X: Any
    y: Any
    X_test: Any
    y_test: Any


def sets(directory: Path | None) -> Iterator[Data]:
    """Digits and, if there is a directory, news20."""
    X, y = load_digits(return_X_y=True)
    X, n = normalize(X), 2 * len(y) // 3
    yield shuffled("digits", X[:n], y[:n], X[n:], y[n:])
    if directory is not None:
        file = str(directory / "text" / "news20_{}_multiclass.svm.gz")
        X, y = load_svmlight_file(file.format("train"))
        X_test, y_test = load_svmlight_file(file.format("test"), n_features=X.shape[1])
        yield shuffled("news20", normalize(X), y, normalize(X_test), y_test)


def shuffled(name: str, X: Any, y: Any, X_test: Any, y_test: Any) -> Data:
    order = np.random.default_rng(0).permutation(len(y))
    return Data(f"{name}, {X.shape[0]} × {X.shape[1]}", X[order], y[order], X_test, y_test)


def learners() -> Iterator[tuple[str, str, Callable[[int], Any]]]:
    """What each is called, its scheme, and how to make it for so many passes."""
    for kind in OURS:
        for scheme in ("joint", "ovr"):
            yield f"novikoff `{kind.__name__}`", scheme, partial(ours, kind, scheme)
    yield "scikit-learn `Perceptron`", "ovr", partial(theirs, TheirPerceptron)
    hinge = partial(theirs, partial(SGDClassifier, loss="hinge"))
    yield "scikit-learn `SGDClassifier()`", "ovr", hinge
    average = partial(theirs, partial(SGDClassifier, loss="hinge", average=True))
    yield "scikit-learn `SGDClassifier(average=True)`", "ovr", average


def ours(kind: Any, scheme: str, passes: int) -> Any:
    return kind(multiclass=scheme, max_iter=passes, shuffle=False, fit_intercept=False)


def theirs(kind: Any, passes: int) -> Any:
    return kind(max_iter=passes, tol=None, shuffle=False, fit_intercept=False)


def seconds(model: Any, data: Data) -> float:
    began = time.perf_counter()
    model.fit(data.X, data.y)
    return time.perf_counter() - began


def compare(data: Data) -> None:
    """The rows of the table for one set of data; a round fits every learner once."""
    each = list(learners())
    rounds = [[[seconds(make(n), data) for n in PASSES] for *_, make in each] for _ in range(5)]
    best = np.array(rounds).min(axis=0)
    for (name, scheme, make), times in zip(each, best, strict=True):
        cells = []
        for n, t in zip(PASSES, times, strict=True):
            predicted = make(n).fit(data.X, data.y).predict(data.X_test)
            cells += [f"{(predicted == data.y_test).mean():.2%}", f"{t * 1e3:,.1f} ms"]
        print(f"| {data.name} | {name} | {scheme} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    directory = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    heads = [f"{what}, {n} pass{'es' * (n > 1)}" for n in PASSES for what in ("right", "fit")]
    print(f"| data | learner | scheme | {' | '.join(heads)} |")
    print("|---" * (3 + len(heads)) + "|")
    for data in sets(directory):
        compare(data)


if __name__ == "__main__":
    main()
