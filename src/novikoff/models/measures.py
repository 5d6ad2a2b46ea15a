"""Predictions compared with labels: accuracy beside a baseline, confusion, precision, ranking."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.models.calibration import logarithms
from novikoff.stream.blocks import Codes, Labels
from novikoff.stream.rows import Positions, Vector

INTERVALS = 15  # of probabilities, to compare them with what happened
_UNITS = 2.0**32


@dataclass(slots=True)
class Confusion:
    """How many examples of each class got each prediction; of two labels, +1 is class 1."""

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

    @property
    def commonest(self) -> int:
        """The class with the most examples, the first among equals."""
        each = self.of_classes(0)
        return max(range(len(each)), key=lambda c: each[c].examples, default=0)

    @property
    def baseline(self) -> float:
        """The accuracy of always predicting the commonest class; NaN without examples."""
        most = max((one.examples for one in self.of_classes(0)), default=0)
        return _share(most, self.examples)

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

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; NaN if it never occurs."""
        return _share(2 * self.right, self.examples + self.predicted)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")


@dataclass(frozen=True)
class Ranking:
    """How scores order the examples of two labels: exact counts at each score that occurs."""

    scores: Vector  # the different ones, the highest first
    positive: Positions  # how many positive examples have at least that score
    negative: Positions

    @classmethod
    def of(cls, labels: NDArray[Any], scores: Vector) -> Ranking:
        """The ranking of examples; a label above 0, or True, is positive."""
        levels, level = np.unique(scores, return_inverse=True)
        is_positive = np.asarray(labels) > 0
        counts = (
            np.bincount(level[which], minlength=len(levels))
            for which in (is_positive, ~is_positive)
        )
        positive, negative = (np.cumsum(each[::-1], dtype=np.int64) for each in counts)
        return cls(levels[::-1], positive, negative)

    @cached_property
    def roc_area(self) -> float:
        """The area under the ROC curve; NaN if one of the labels is missing.

        It is the share of pairs, one example of each label, that the scores put in the right order;
        a tie counts half (Hanley & McNeil 1982).
        """
        if not len(self.scores):
            return float("nan")
        negative = np.diff(self.negative, prepend=0)
        before = np.concatenate([[0], self.positive[:-1]])
        twice = sum((negative * (before + self.positive)).tolist())
        return _share(twice, 2 * int(self.positive[-1]) * int(self.negative[-1]))

    @cached_property
    def average_precision(self) -> float:
        """The mean, over the positive examples, of the precision among all with such a score."""
        total = int(self.positive[-1]) if len(self.scores) else 0
        more = np.diff(self.positive, prepend=0)
        at = np.flatnonzero(more)
        precision = self.positive[at] / (self.positive[at] + self.negative[at])
        parts = (more[at] / max(1, total)) * precision
        return math.fsum(parts.tolist()) if total else float("nan")


@dataclass(frozen=True, slots=True)
class Reliability:
    """How probabilities compare with what happened: of two labels, those of the positive one.

    Of many classes, they are those of the class with the highest probability. The last three are
    for 15 intervals of equal width (NaN without examples). A label that the model does not know
    makes the `log_loss` infinite.
    """

    log_loss: float  # the mean of −ln p, p the probability that the right label was given
    examples: tuple[int, ...]
    predicted: tuple[float, ...]  # the mean of their probabilities
    observed: tuple[float, ...]  # the share of them for which it happened

    @property
    def calibration_error(self) -> float:
        """The mean distance of the predicted from the observed shares, weighted by examples."""
        columns = zip(self.examples, self.predicted, self.observed, strict=True)
        apart = math.fsum(n * abs(p - share) for n, p, share in columns if n)
        return apart / sum(self.examples) if any(self.examples) else float("nan")


@dataclass(frozen=True, slots=True)
class Evaluation:
    """How predictions compare with labels, those of the model first."""

    confusion: Confusion
    labels: tuple[str, ...]
    ranking: Ranking | None = None
    reliability: Reliability | None = None


class Judge:
    """Compares scores with labels as they come."""

    def __init__(self, *, many: bool) -> None:
        self.confusion, self._has_many = Confusion(), many
        self._positive, self._scores = list[NDArray[np.bool_]](), list[Vector]()
        # sums in units of 2⁻³²: whole numbers, which do not depend on the order
        self._bins = np.zeros((3, INTERVALS), dtype=np.int64)  # examples, probabilities, happened
        self._loss, self._is_surprised = 0, False

    def add(
        self,
        labels: Labels | Codes,
        scores: Vector,
        predicted: Codes,
        probabilities: Vector | None = None,
    ) -> None:
        """Compare scores, predicted classes and probabilities, a column a class, with labels."""
        codes = labels if self._has_many else (labels > 0).astype(np.int32)
        self.confusion.count(codes, predicted)
        if probabilities is not None and len(codes):
            self._add_probabilities(codes, probabilities)
        if not self._has_many:
            self._positive.append(labels > 0)
            self._scores.append(np.asarray(scores))

    def absorb(self, later: Judge, numbers: Sequence[int]) -> None:
        """Add what another judge has compared; its class k is class `numbers[k]` here."""
        for (true, predicted), n in later.confusion.counts.items():
            self.confusion.counts[numbers[true], numbers[predicted]] += n
        self._positive += later._positive
        self._scores += later._scores
        self._bins += later._bins
        self._loss += later._loss
        self._is_surprised |= later._is_surprised

    def _add_probabilities(self, codes: NDArray[Any], probabilities: Vector) -> None:
        known = codes < probabilities.shape[1]
        self._is_surprised |= not known.all()
        given = probabilities[np.flatnonzero(known), codes[known]]
        self._loss += int((-logarithms(given) * _UNITS).astype(np.int64).sum())
        if self._has_many:
            best = probabilities.argmax(axis=1)
            p, happened = probabilities[np.arange(len(codes)), best], best == codes
        else:
            p, happened = probabilities[:, 1], codes > 0
        interval = np.minimum((p * INTERVALS).astype(np.int64), INTERVALS - 1)
        for row, amounts in enumerate((np.ones(len(p)), np.floor(p * _UNITS), happened)):
            np.add.at(self._bins[row], interval, amounts.astype(np.int64))

    def _reliability(self) -> Reliability | None:
        examples, chances, happened = self._bins.tolist()
        if not (total := sum(examples)):
            return None
        return Reliability(
            math.inf if self._is_surprised else self._loss / (total * _UNITS),
            tuple(examples),
            tuple(
                _share(chance, n * int(_UNITS)) for chance, n in zip(chances, examples, strict=True)
            ),
            tuple(map(_share, happened, examples)),
        )

    def evaluation(self, labels: tuple[str, ...]) -> Evaluation:
        """The result; `labels` are those of the classes."""
        ranking = None
        if not self._has_many:
            positive = np.concatenate([np.zeros(0, dtype=np.bool_), *self._positive])
            ranking = Ranking.of(positive, np.concatenate([np.zeros(0), *self._scores]))
        return Evaluation(self.confusion, labels, ranking, self._reliability())
