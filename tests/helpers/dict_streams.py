"""Streams of dicts, estimators that learn them one at a time, and the exact state they reach."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pytest

from novikoff import (
    AdaptivePerceptron,
    AveragedPerceptron,
    MarginPerceptron,
    Perceptron,
    VotedPerceptron,
    Winnow,
)
from novikoff.online.engine import names_of

Estimator: TypeAlias = Perceptron | MarginPerceptron | VotedPerceptron | Winnow
Maker: TypeAlias = Callable[[], Estimator]
Stream: TypeAlias = list[tuple[dict[str, Any], Any]]


MAKERS: dict[str, Maker] = {
    "plain": Perceptron,
    "a rate and no constant": lambda: Perceptron(eta0=0.3, fit_intercept=False),
    "ties and class weights": lambda: Perceptron(ties="negative", class_weight={0: 1.5, 1: 0.3}),
    "positions": lambda: MarginPerceptron(margin=0.7, keep="positions"),
    "counts": lambda: AveragedPerceptron(keep="counts"),
    "averaged": lambda: AveragedPerceptron(eta0=0.7),
    "voted": VotedPerceptron,
    "balanced": Winnow,
    "winnow2": lambda: Winnow(variant="winnow2", threshold=3.0),
    "hashed": lambda: AveragedPerceptron(hash_bits=3),
    "jointly": lambda: Perceptron(multiclass="joint", class_weight={1: 0.3}),
    "adaptive": lambda: AdaptivePerceptron(keep="examples"),
    "adaptive counts": lambda: AdaptivePerceptron(average=True, regularisation=0.7),
    "jointly adaptive": lambda: AdaptivePerceptron(multiclass="joint", keep="examples"),
    "jointly averaged": lambda: AveragedPerceptron(multiclass="joint", eta0=0.3),
    "jointly voted": lambda: VotedPerceptron(multiclass="joint"),
}


makers = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())


def stream(seed: int, n: int = 40, *, names: int = 30, classes: int = 2) -> Stream:
    """Dicts of rounded numbers, truth values and texts, with new names appearing as they go."""
    dice = np.random.default_rng(seed)
    out: Stream = []
    for i in range(n):
        some = dice.choice(2 + min(names, 1 + i), dice.integers(0, 9), replace=True)
        x: dict[str, Any] = {f"f{j}": abs(float(dice.standard_normal()) / 3) for j in some}
        if dice.random() < 0.5:
            x["from"] = str(dice.choice(["x.com", "y.org", "ä.de"]))
        if dice.random() < 0.3:
            x["from=x.com"] = bool(dice.random() < 0.5)
        out.append((x, int(dice.integers(classes))))
    return out


def learned_state(clf: Any) -> dict[str, Any]:
    """All that an estimator learned, bit for bit."""
    learned: dict[str, Any] = {
        "classes": clf.classes_.tolist(),
        "passes": (clf.n_iter_, clf.mistakes_per_epoch_.tolist(), clf.verdict_, clf.radius_),
        "updates": clf.n_updates_,
        "coef": [part.tobytes() for part in clf.weights()],
        "names": names_of(clf._opened().core).names if clf._opened().by_name else None,
    }
    for k, run in enumerate(clf.runs_):
        settings, arrays = run.ledger.state()
        learned[f"ledger {k}"] = settings, {name: a.tobytes() for name, a in arrays.items()}
        settings, arrays = clf._engine.learners[k].state()
        learned[f"learner {k}"] = settings, {name: a.tobytes() for name, a in arrays.items()}
    return learned


def learn_in_turn(clf: Any, examples: Stream, **first: Any) -> Any:
    for x, y in examples:
        clf.learn_one(x, y, **first)
        first = {}
    return clf
