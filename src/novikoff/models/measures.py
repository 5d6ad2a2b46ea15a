"""Predictions compared with labels: accuracy, confusion, precision, recall, area under the ROC."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from novikoff.stream.blocks import Codes, Labels
from novikoff.stream.labels import predicts_positive
from novikoff.stream.rows import Vector


@dataclass(slots=True)
class Confusion:
    """How many examples of each of two labels got each prediction."""

    true_positive: int = 0
    false_positive: int = 0
    false_negative: int = 0
    true_negative: int = 0

    def count(self, labels: Labels, scores: Vector) -> None:
        """Add examples with these labels and scores."""
        predicted, positive = predicts_positive(scores), labels > 0
        self.true_positive += int((predicted & positive).sum())
        self.false_positive += int((predicted & ~positive).sum())
        self.false_negative += int((~predicted & positive).sum())
        self.true_negative += int((~predicted & ~positive).sum())

    @property
    def examples(self) -> int:
        """The number of examples."""
        return self.true_positive + self.true_negative + self.mistakes

    @property
    def mistakes(self) -> int:
        """The number of wrong predictions."""
        return self.false_positive + self.false_negative

    @property
    def accuracy(self) -> float:
        """The share of right predictions; NaN without examples."""
        return _share(self.true_positive + self.true_negative, self.examples)


@dataclass(slots=True)
class ClassConfusion:
    """How many examples of each of many classes got each prediction.

    `counts` has the pairs of class and prediction that occurred.
    """

    counts: Counter[tuple[int, int]] = field(default_factory=Counter)

    def count(self, codes: Codes, predicted: Codes) -> None:
        """Add examples of these classes with these predictions."""
        pairs, times = np.unique((codes.astype(np.int64) << 32) | predicted, return_counts=True)
        for pair, n in zip(pairs.tolist(), times.tolist(), strict=True):
            self.counts[pair >> 32, pair & 0xFFFFFFFF] += n

    @property
    def examples(self) -> int:
        """The number of examples."""
        return self.counts.total()

    @property
    def mistakes(self) -> int:
        """The number of wrong predictions."""
        return sum(n for (true, predicted), n in self.counts.items() if true != predicted)

    @property
    def accuracy(self) -> float:
        """The share of right predictions; NaN without examples."""
        return _share(self.examples - self.mistakes, self.examples)

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


def best_classes(scores: Vector) -> Codes:
    """The class with the highest score in each row, the first among equals."""
    best: Codes = scores.argmax(axis=1).astype(np.int32)
    return best


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")


def roc_area(labels: Sequence[Labels], scores: Sequence[Vector]) -> float:
    """The area under the ROC curve; NaN if one of the labels is missing.

    It is the share of pairs, one example of each label, that the scores put in the right order; a
    tie counts half (Hanley & McNeil 1982). The counts are exact integers until the last division.
    """
    y, s = np.concatenate(labels), np.concatenate(scores)
    _, level = np.unique(s, return_inverse=True)
    positive = np.bincount(level, y > 0).astype(np.int64)
    negative = np.bincount(level, y < 0).astype(np.int64)
    pairs = int(positive.sum()) * int(negative.sum())
    if pairs == 0:
        return float("nan")
    below = np.cumsum(negative) - negative
    twice = sum((positive * (2 * below + negative)).tolist())
    return float(twice / (2 * pairs))
