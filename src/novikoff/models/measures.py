"""Predictions compared with the truth: who was taken for whom, and the area under the ROC curve."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from novikoff.stream.blocks import Codes, Labels
from novikoff.stream.rows import Vector


@dataclass(slots=True)
class Confusion:
    """How many examples of each label got each prediction; a score of 0 or more predicts +1."""

    true_positive: int = 0
    false_positive: int = 0
    false_negative: int = 0
    true_negative: int = 0

    def count(self, labels: Labels, scores: Vector) -> None:
        """Add these examples."""
        said, is_so = scores >= 0, labels > 0
        self.true_positive += int((said & is_so).sum())
        self.false_positive += int((said & ~is_so).sum())
        self.false_negative += int((~said & is_so).sum())
        self.true_negative += int((~said & ~is_so).sum())

    @property
    def examples(self) -> int:
        """How many examples there are."""
        return self.true_positive + self.true_negative + self.mistakes

    @property
    def mistakes(self) -> int:
        """How many predictions were wrong."""
        return self.false_positive + self.false_negative

    @property
    def accuracy(self) -> float:
        """The share of predictions that were right; NaN if there are none."""
        return _share(self.true_positive + self.true_negative, self.examples)


@dataclass(slots=True)
class ClassConfusion:
    """How many examples of each class got each prediction, where there are many classes.

    `counts` has an entry for each pair of class and prediction that there was, and no other.
    """

    counts: Counter[tuple[int, int]] = field(default_factory=Counter)

    def count(self, codes: Codes, said: Codes) -> None:
        """Add these examples: of these classes, predicted to be of those."""
        pairs, times = np.unique((codes.astype(np.int64) << 32) | said, return_counts=True)
        for pair, n in zip(pairs.tolist(), times.tolist(), strict=True):
            self.counts[pair >> 32, pair & 0xFFFFFFFF] += n

    @property
    def examples(self) -> int:
        """How many examples there are."""
        return self.counts.total()

    @property
    def mistakes(self) -> int:
        """How many predictions were wrong."""
        return sum(n for (true, said), n in self.counts.items() if true != said)

    @property
    def accuracy(self) -> float:
        """The share of predictions that were right; NaN if there are none."""
        return _share(self.examples - self.mistakes, self.examples)

    def of_classes(self, classes: int) -> list[ClassCounts]:
        """What is counted for each of so many classes, and for any other that was met."""
        examples, said, right = Counter[int](), Counter[int](), Counter[int]()
        for (true, other), n in self.counts.items():
            examples[true] += n
            said[other] += n
            right[true] += n if true == other else 0
        known = max([classes - 1, *examples, *said]) + 1
        return [ClassCounts(examples[c], said[c], right[c]) for c in range(known)]

    def confusions(self) -> list[tuple[int, int, int]]:
        """What was taken for what, and how often; the most frequent first."""
        wrong = [(true, said, n) for (true, said), n in self.counts.items() if true != said]
        return sorted(wrong, key=lambda one: (-one[2], one[0], one[1]))


@dataclass(frozen=True, slots=True)
class ClassCounts:
    """Of one class: how many examples it has, how often it was predicted, how often rightly."""

    examples: int
    said: int
    right: int

    @property
    def precision(self) -> float:
        """The share of its predictions that were right; NaN if it was never predicted."""
        return _share(self.right, self.said)

    @property
    def recall(self) -> float:
        """The share of its examples that were predicted to be of it; NaN if there are none."""
        return _share(self.right, self.examples)


def best_classes(scores: Vector) -> Codes:
    """The class with the highest score in each row of a table, the first of equals."""
    best: Codes = scores.argmax(axis=1).astype(np.int32)
    return best


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")


def roc_area(labels: Sequence[Labels], scores: Sequence[Vector]) -> float:
    """The area under the ROC curve; NaN if one of the labels is missing.

    It is the share of pairs, one example of each label, that the scores put in the right order, a
    tie counting half (Hanley & McNeil 1982): of exact integers until the last division.
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
