"""Predictions compared with labels: accuracy, confusion, precision, recall, area under the ROC."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.stream.blocks import Codes, Labels
from novikoff.stream.labels import predicts_positive
from novikoff.stream.rows import Vector


def predicted_classes(scores: Vector) -> Codes:
    """The class that each score predicts; of two labels, the positive one is class 1.

    A row of scores, one for each class, predicts the class with the highest, the first among
    equals.
    """
    best = scores.argmax(axis=1) if scores.ndim == 2 else predicts_positive(scores)
    return best.astype(np.int32)


@dataclass(slots=True)
class Confusion:
    """How many examples of each class got each prediction.

    `counts` has the pairs of class and prediction that occurred; of two labels, the positive one is
    class 1.
    """

    counts: Counter[tuple[int, int]] = field(default_factory=Counter)

    def count(self, codes: NDArray[Any], predicted: Codes) -> None:
        """Add examples of these classes with these predictions."""
        pairs, times = np.unique((codes.astype(np.int64) << 32) | predicted, return_counts=True)
        for pair, n in zip(pairs.tolist(), times.tolist(), strict=True):
            self.counts[pair >> 32, pair & 0xFFFFFFFF] += n

    @property
    def examples(self) -> int:
        """The number of examples."""
        return self.counts.total()

    @property
    def right(self) -> int:
        """The number of right predictions."""
        return sum(n for (true, predicted), n in self.counts.items() if true == predicted)

    @property
    def mistakes(self) -> int:
        """The number of wrong predictions."""
        return self.examples - self.right

    @property
    def accuracy(self) -> float:
        """The share of right predictions; NaN without examples."""
        return _share(self.right, self.examples)

    def of_classes(self, classes: int) -> list[ClassCounts]:
        """The counts of each class: of the first `classes`, and of any other that occurred."""
        examples, predictions, right = Counter[int](), Counter[int](), Counter[int]()
        for (true, predicted), n in self.counts.items():
            examples[true] += n
            predictions[predicted] += n
            right[true] += n if true == predicted else 0
        known = max([classes - 1, *examples, *predictions]) + 1
        return [ClassCounts(examples[c], predictions[c], right[c]) for c in range(known)]

    def confusions(self) -> list[tuple[int, int, int]]:
        """Class, wrong prediction, and how often; the most frequent first."""
        wrong = [(true, other, n) for (true, other), n in self.counts.items() if true != other]
        return sorted(wrong, key=lambda one: (-one[2], one[0], one[1]))


@dataclass(frozen=True, slots=True)
class ClassCounts:
    """How many examples a class has, how often it was predicted, and how often rightly."""

    examples: int
    predicted: int
    right: int

    @property
    def precision(self) -> float:
        """The share of its predictions that were right; NaN if it was never predicted."""
        return _share(self.right, self.predicted)

    @property
    def recall(self) -> float:
        """The share of its examples that were predicted right; NaN if it has none."""
        return _share(self.right, self.examples)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")


def roc_area(labels: Sequence[Labels], scores: Sequence[Vector]) -> float:
    """The area under the ROC curve; NaN if one of the labels is missing.

    It is the share of pairs, one example of each label, that the scores put in the right order; a
    tie counts half (Hanley & McNeil 1982). The counts are exact integers until the last division.
    """
    if not labels:
        return float("nan")
    y, s = np.concatenate(labels), np.concatenate(scores)
    _, level = np.unique(s, return_inverse=True)
    positive = np.bincount(level, y > 0).astype(np.int64)
    negative = np.bincount(level, y < 0).astype(np.int64)
    pairs = int(positive.sum()) * int(negative.sum())
    below = np.cumsum(negative) - negative
    twice = sum((positive * (2 * below + negative)).tolist())
    return _share(twice, 2 * pairs)
