"""Predict and learn, one example at a time: beside river by name, beside scikit-learn by row.

All meet the same examples in the same order: 2,000 of them five times, so that what is measured is
the learner and not the memory that dicts are fetched from. A dict's names are the same objects in
every example, as when they stand in a program, or made anew for each, as when they come out of
JSON. Best of five, each from the beginning.

Run: python bench/one_at_a_time.py          (needs river)
     python bench/one_at_a_time.py --leak   a hundred million examples, and the memory they take
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from itertools import count, cycle, islice
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from sklearn.linear_model import SGDClassifier

from novikoff import AveragedPerceptron, Perceptron, Winnow

Stream: TypeAlias = list[tuple[dict[str, Any], bool]]

EXAMPLES, PASSES, ROUNDS = 2_000, 5, 5
CLASSES = np.array([0, 1])


def numbers(n: int, width: int = 10) -> Stream:
    """So many measurements each, always the same."""
    dice = np.random.default_rng(0)
    names = [f"measurement {j}" for j in range(width)]
    u, X = dice.standard_normal(width), dice.standard_normal((n, width))
    y = X @ u + dice.standard_normal(n) / 2 > 0
    return [
        (dict(zip(names, x, strict=True)), label)
        for x, label in zip(X.tolist(), y.tolist(), strict=True)
    ]


def words(n: int) -> Stream:
    """Seventy-five words each, of twenty thousand."""
    dice = np.random.default_rng(0)
    vocabulary = [f"word{j}" for j in range(20_000)]
    u = dice.standard_normal(len(vocabulary))
    drawn = dice.zipf(1.3, (n, 400)) % len(vocabulary)
    out: Stream = []
    for row in drawn:
        some = list(dict.fromkeys(row.tolist()))[:75]
        out.append((dict.fromkeys((vocabulary[j] for j in some), 1.0), bool(u[some].sum() > 0)))
    return out


def fresh(stream: Stream) -> Stream:
    """The same examples with names that are objects of their own."""
    return [({"".join(list(name)): v for name, v in x.items()}, y) for x, y in stream]


def best(works: dict[str, tuple[Callable[[], Any], Callable[[Any], int]]]) -> dict[str, float]:
    """Seconds for one example, of each: all take turns, so that they have the same machine."""
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(ROUNDS):
        for name, (make, meet) in works.items():
            model = make()
            began = time.perf_counter()
            met = meet(model)
            times[name].append((time.perf_counter() - began) / met)
    return {name: min(of_one) for name, of_one in times.items()}


def by_name() -> None:
    from river import linear_model

    rivals: dict[str, Callable[[], Any]] = {
        "Perceptron": Perceptron,
        'Perceptron, keep="counts"': lambda: Perceptron(keep="counts"),
        "AveragedPerceptron": AveragedPerceptron,
        "Winnow": Winnow,
    }
    print("| predict and learn | river's Perceptron | " + " | ".join(rivals) + " |")
    print("|---|---|" + "---|" * len(rivals))
    streams = {
        "10 numbers": numbers(EXAMPLES),
        "75 numbers": numbers(EXAMPLES, 75),
        "75 words": words(EXAMPLES),
    }
    for name, stream in streams.items():
        for objects, examples in (("", stream), (", fresh strings", fresh(stream))):

            def meet(model: Any, examples: Stream = examples) -> int:
                for _ in range(PASSES):
                    for x, y in examples:
                        model.predict_one(x)
                        model.learn_one(x, y)
                return PASSES * len(examples)

            all_ = {"river": linear_model.Perceptron, **rivals}
            river, *ours = best({one: (make, meet) for one, make in all_.items()}).values()
            cells = [f"{river * 1e6:.2f} µs"]
            cells += [f"{t * 1e6:.2f} µs ({river / t:.1f}×)" for t in ours]
            print(f"| {name}{objects} | " + " | ".join(cells) + " |", flush=True)


def by_row() -> None:
    print("\n| learn from one row | scikit-learn's partial_fit | Perceptron |")
    print("|---|---|---|")
    for width in (10, 75, 1000):
        dice = np.random.default_rng(0)
        X = dice.standard_normal((EXAMPLES, width))
        y = (X @ dice.standard_normal(width) > 0).astype(int)

        def theirs(model: Any, X: Any = X, y: Any = y) -> int:
            for i in range(len(X)):
                model.partial_fit(X[i : i + 1], y[i : i + 1], classes=CLASSES)
            return len(X)

        def ours(model: Any, X: Any = X, y: Any = y) -> int:
            for _ in range(PASSES):
                for x, label in zip(X, y, strict=True):
                    model.learn_one(x, label)
            return PASSES * len(X)

        sgd, own = best({"sgd": (_sgd, theirs), "ours": (Perceptron, ours)}).values()
        print(f"| {width} | {sgd * 1e6:.1f} µs | {own * 1e6:.2f} µs ({sgd / own:.0f}×) |")


def _sgd() -> Any:
    return SGDClassifier(loss="perceptron", penalty=None)


def resident() -> int:
    """The memory of this process, in bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


def endless() -> Iterator[tuple[dict[str, Any], bool]]:
    """The ten numbers over and over, each time with a name that was never met before."""
    for (x, y), k in zip(cycle(numbers(EXAMPLES)), count(), strict=False):
        yield x | {f"once {k}": 1.0}, y


def leak(examples: int) -> None:
    """What learning from so many examples leaves behind."""
    streams: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
        "75 words, averaged": (
            lambda: AveragedPerceptron(keep="counts"),
            lambda: cycle(words(EXAMPLES)),
        ),
        "10 numbers": (lambda: Perceptron(keep="counts"), lambda: cycle(numbers(EXAMPLES))),
        "a new name each, max_names=10,000": (
            lambda: Perceptron(keep="counts", max_names=10_000),
            endless,
        ),
    }
    print("| stream | examples | resident at a tenth | at the end |")
    print("|---|---|---|---|")
    for (name, (make, stream)), share in zip(streams.items(), (0.1, 0.8, 0.1), strict=True):
        model, drawn, n = make(), stream(), int(examples * share)
        sizes = []
        for part in (n // 10, n - n // 10):
            for x, y in islice(drawn, part):
                model.predict_one(x)
                model.learn_one(x, y)
            sizes.append(resident() / 2**20)
        print(f"| {name} | {n:,} | {sizes[0]:.1f} MB | {sizes[1]:.1f} MB |", flush=True)


if __name__ == "__main__":
    if "--leak" in sys.argv:
        leak(100_000_000)
    else:
        by_name()
        by_row()
