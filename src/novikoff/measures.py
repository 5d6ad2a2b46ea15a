"""How predictions compare with the truth: the four counts, and the area under the ROC curve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from novikoff.examples import Labels
from novikoff.rows import Vector


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
        if not self.examples:
            return float("nan")
        return (self.true_positive + self.true_negative) / self.examples


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
