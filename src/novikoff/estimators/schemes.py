"""Two schemes for more than two classes: a run for each against the rest, or one for all jointly.

A scheme knows the classes in their order, which is that of `coef_`, and what the runs call them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from novikoff.stream.blocks import Codes, Labels
from novikoff.stream.rows import Vector

Multiclass: TypeAlias = Literal["ovr", "joint"]


@dataclass(frozen=True, eq=False)
class AgainstTheRest:
    """A run for each class against the rest; for two classes one, in which the second is +1.

    While one of two has been met alone, `alone_is_positive` says which of them it is.
    """

    classes: NDArray[Any]
    alone_is_positive: bool = False

    @classmethod
    def begun(cls, named: NDArray[Any] | None) -> Self:
        """For a stream of these classes, which it must know."""
        if named is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        if len(named) < 2:
            raise ValueError(f"at least 2 classes are needed, got {named.tolist()}")
        return cls(named)

    def met(self, y: NDArray[Any], named: NDArray[Any] | None) -> Self:
        """The scheme itself: no class may be named that was not, and a label is looked at later."""
        if named is not None and not np.array_equal(named, self.classes):
            raise ValueError(
                f"classes {named.tolist()} are not those of the first call: {self.classes.tolist()}"
            )
        return self

    def labels(self, codes: NDArray[Any], k: int) -> Labels:
        """The labels of run k, for rows of the classes at these places."""
        positive = codes == (1 if len(self.classes) == 2 else k)
        if len(self.classes) == 1:
            positive = np.full(len(codes), self.alone_is_positive)
        signs: Labels = positive.view(np.int8) * np.int8(2) - np.int8(1)
        return signs

    def name(self, k: int) -> str:
        """What to print before what is said of run k."""
        return "" if len(self.classes) == 2 else f"{self.classes[k]} against the rest, "


@dataclass(frozen=True, eq=False)
class Jointly:
    """One run for all classes, whose numbers are in the order in which they became known.

    `numbers` has the number of each class, in the order of `classes`.
    """

    classes: NDArray[Any]
    numbers: Codes

    @classmethod
    def of(cls, classes: NDArray[Any]) -> Self:
        """Of classes that are all known beforehand: numbered in their order."""
        return cls(classes, np.arange(len(classes), dtype=np.int32))

    @classmethod
    def begun(cls) -> Self:
        """For a stream of which no class is known yet."""
        return cls.of(np.empty(0))

    def met(self, y: NDArray[Any], named: NDArray[Any] | None) -> Self:
        """The scheme with the classes named, and with those in y in the order they appear in."""
        check_classification_targets(y)
        labels, first = np.unique(y, return_index=True)
        grown = self if named is None else self._with(named)
        return grown._with(labels[np.argsort(first)])

    def _with(self, labels: NDArray[Any]) -> Self:
        if len(self.classes) == 0:
            return type(self)(*_sorted(labels, np.arange(len(labels), dtype=np.int32)))
        new = labels[~np.isin(labels, self.classes)]
        if len(new) == 0:
            return self
        if _is_text(new) != _is_text(self.classes):
            raise ValueError(
                f"label {new.tolist()[0]!r} cannot be sorted among the classes "
                f"{self.classes.tolist()}: labels are all texts or all numbers"
            )
        n = len(self.classes)
        numbers = np.concatenate([self.numbers, np.arange(n, n + len(new), dtype=np.int32)])
        return type(self)(*_sorted(np.concatenate([self.classes, new]), numbers))

    def labels(self, codes: NDArray[Any], _k: int) -> Codes:
        """The numbers of the classes at these places."""
        return self.numbers[codes.astype(np.intp)]

    def number_of(self, labels: NDArray[Any]) -> list[int]:
        """The numbers of these classes, all of which are known."""
        return [int(n) for n in self.numbers[np.searchsorted(self.classes, labels)]]

    def in_order(self, table: Vector) -> Vector:
        """What the run has a row a number for, a row a class; of two, the second less the first."""
        rows = table[self.numbers]
        return rows[1:] - rows[:1] if len(rows) == 2 else rows

    def by_number(self, each: Sequence[Any] | Vector) -> list[Any]:
        """What there is for each class, in the order of their numbers."""
        return [each[int(i)] for i in np.argsort(self.numbers)]

    def start(self, vectors: Sequence[Vector | None]) -> Vector | None:
        """The rows to start from; of two classes the one given is their difference, in halves."""
        given = [v for v in vectors if v is not None]
        if not given:
            return None
        if len(self.classes) == 2:
            given = [-given[0] / 2, given[0] / 2]
        return np.stack(self.by_number(given))

    def name(self, _k: int) -> str:
        """What to print before what is said of the run: there is no other."""
        return ""


Scheme: TypeAlias = AgainstTheRest | Jointly


def _sorted(labels: NDArray[Any], numbers: Codes) -> tuple[NDArray[Any], Codes]:
    order = np.argsort(labels, kind="stable")
    return labels[order], numbers[order]


def _is_text(labels: NDArray[Any]) -> bool:
    return labels.dtype.kind not in "biuf"
