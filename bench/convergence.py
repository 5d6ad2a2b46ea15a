"""Which learners finish on separable data: novikoff beside scikit-learn on 300 random sets.

Each set has a known separator with a margin between .001 and .3. Printed: how many sets each
learner leaves with training errors, and how many of those come without a warning.
Run: python bench/convergence.py
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.linear_model import Perceptron as SkPerceptron
from sklearn.linear_model import SGDClassifier

from novikoff import Perceptron, sources

SETS = 300


def separable_sets() -> list[tuple[Any, Any]]:
    """Sets of 20 to 500 points in 2 to 40 dimensions, both classes present."""
    dice = np.random.default_rng(0)
    found: list[tuple[Any, Any]] = []
    while len(found) < SETS:
        n, dim = int(dice.integers(20, 500)), int(dice.integers(2, 40))
        stream = sources.separable(
            n,
            dice.standard_normal(dim),
            margin=float(10 ** dice.uniform(-3, -0.5)),
            seed=int(dice.integers(1 << 30)),
            block=n,
        )
        block = next(iter(stream))
        if abs(int(block.labels.sum())) < n:
            found.append((block.rows.values, block.labels))
    return found


def main() -> None:
    sets = separable_sets()
    learners: list[tuple[str, Any]] = [
        ("novikoff Perceptron(max_iter=1_000_000)", Perceptron(max_iter=1_000_000)),
        ("novikoff Perceptron()", Perceptron()),
        ("scikit-learn Perceptron()", SkPerceptron()),
        ("scikit-learn Perceptron(tol=None, max_iter=1000)", SkPerceptron(tol=None)),
        ("scikit-learn SGDClassifier()", SGDClassifier(random_state=0)),
    ]
    print(f"| {SETS} separable sets | left with errors | of them silently |")
    print("|---|---|---|")
    for name, learner in learners:
        wrong = silent = 0
        for X, y in sets:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                learner.fit(X, y)
            said = bool(caught) or getattr(learner, "verdict_", "separated") != "separated"
            if learner.score(X, y) < 1:
                wrong += 1
                silent += not said
        print(f"| {name} | {wrong} | {silent} |", flush=True)


if __name__ == "__main__":
    main()
