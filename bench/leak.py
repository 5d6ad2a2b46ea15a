"""A hundred million examples, one at a time: the memory of the process must not grow.

Run: python bench/leak.py
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import count, cycle, islice
from pathlib import Path
from typing import Any

from made_data import number_dicts, word_dicts
from novikoff import AveragedPerceptron, Perceptron

EXAMPLES, DIFFERENT = 100_000_000, 2_000


def resident() -> float:
    """The memory of this process, in MB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 2**20


def new_names() -> Iterator[tuple[dict[str, Any], bool]]:
    """Ten numbers over and over, each time with a name that was never met before."""
    for (x, y), k in zip(cycle(number_dicts(DIFFERENT, 10)), count(), strict=False):
        yield x | {f"once {k}": 1.0}, y


def main() -> None:
    streams: dict[str, tuple[Any, Iterator[tuple[dict[str, Any], bool]], float]] = {
        "75 words, averaged": (AveragedPerceptron, cycle(word_dicts(DIFFERENT)), 0.1),
        "10 numbers": (Perceptron, cycle(number_dicts(DIFFERENT, 10)), 0.8),
        "a new name each, max_names=10,000": (
            partial(Perceptron, max_names=10_000),
            new_names(),
            0.1,
        ),
    }
    print("| stream | examples | resident at a tenth | at the end |\n|---|---|---|---|")
    for name, (make, drawn, share) in streams.items():
        model, n, sizes = make(keep="counts"), int(EXAMPLES * share), []
        for part in (n // 10, n - n // 10):
            for x, y in islice(drawn, part):
                model.predict_one(x)
                model.learn_one(x, y)
            sizes.append(resident())
        print(f"| {name} | {n:,} | {sizes[0]:.1f} MB | {sizes[1]:.1f} MB |", flush=True)


if __name__ == "__main__":
    main()
