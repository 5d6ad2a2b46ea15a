"""The labels of a learner: each learned against the rest, or any number learned jointly.

Both are frozen: a new label makes a new object.
"""

from __future__ import annotations

import math
import reprlib
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from novikoff.stream.blocks import Codes
from novikoff.stream.blocks import Labels as Signs
from novikoff.stream.input_problems import BadExample, why_not_a_name
from novikoff.stream.labels import is_positive_alone, label_key
from novikoff.stream.rows import Vector

Multiclass: TypeAlias = Literal["ovr", "joint"]
Classes: TypeAlias = NDArray[Any]  # different labels, in order
Given: TypeAlias = Sequence[Any] | NDArray[Any]  # a list of plain labels, or an array


def plain_label(y: Any, where: str = "") -> Any:
    """The label as a plain object; TypeError unless it is a truth value, a number or a text."""
    label = y.item() if isinstance(y, np.generic) else y
    if isinstance(label, float) and not math.isfinite(label):
        what = "NaN" if math.isnan(label) else "infinity"
        raise BadExample(f"{where}the label is {what}; leave out examples without a label")
    if isinstance(label, bool | int | float):
        return label
    if isinstance(label, str):
        if why := why_not_a_name(label):
            raise BadExample(f"{where}the label {label!r} {why}")
        return str.__str__(label)
    raise TypeError(
        f"{where}a label must be a truth value, a number or a text, not {type(y).__name__}: "
        f"{reprlib.repr(y)}"
    )


def plain_labels(y: Any) -> list[Any]:
    """The labels of a list, an array or a column of a frame as plain objects."""
    if isinstance(y, str | bytes) or not isinstance(y, Iterable):
        raise TypeError(f"y must hold a label for each example, not be a {type(y).__name__}")
    return [plain_label(one, f"row {i}: ") for i, one in enumerate(y)]


def class_array(labels: Iterable[Any]) -> Classes:
    """The different labels in order, as an array: numbers and texts that read as numbers by size.

    >>> class_array(["10", "9", "10"]).tolist()
    ['9', '10']
    """
    different = sorted(dict.fromkeys(labels), key=lambda label: isinstance(label, str))
    if different and isinstance(different[0], str) != isinstance(different[-1], str):
        text = next(label for label in different if isinstance(label, str))
        number = different[0]
        raise BadExample(f"labels must be all texts or all numbers, not {number!r} and {text!r}")
    return np.array(sorted(different, key=_order))


def _order(label: Any) -> tuple[Any, str]:
    return label_key(label), str(label)


def named_classes(classes: ArrayLike | None) -> Classes | None:
    """The classes that a caller names, in order; ValueError if there are fewer than two."""
    if classes is None:
        return None
    named = class_array(plain_labels(np.unique(np.asarray(classes))))
    if len(named) < 2:
        raise ValueError(f"at least 2 classes are needed, got {named.tolist()}")
    return named


@dataclass(frozen=True, eq=False)
class _Labels:
    """What both kinds of labels share: the labels seen so far, in order, and their codes."""

    classes: Classes
    coded: dict[Any, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        vars(self)["coded"] = self._coded()

    def _coded(self) -> dict[Any, int]:
        return {label: k for k, label in enumerate(self.classes.tolist())}

    @property
    def predictions(self) -> tuple[Any, ...]:
        """The label to predict, by the order of `classes`."""
        return tuple(self.classes.tolist())

    def codes(self, y: Given, *, learning: bool = False) -> Codes:
        """The code of each label of y; BadExample if one is unknown, or one too many to learn."""
        coded, n, which = self.coded, len(y), None
        if isinstance(y, np.ndarray):
            different, which = distinct(y)
            y = different.tolist()
        for i, label in enumerate(y):
            if label not in coded:
                row = i if which is None else int(np.flatnonzero(which == i)[0])
                where = f"row {row}: " if n > 1 else ""
                raise self._third(label, where) if learning else self._unknown(label, where)
        codes = np.array([coded[label] for label in y], dtype=np.int32)
        return codes if which is None else codes[which]

    def _unknown(self, label: Any, where: str) -> BadExample:
        known = self.classes.tolist()
        return BadExample(f"{where}label {label!r} is not one of the classes {known}")

    _third = _unknown

    def is_turned(self, before: Labels) -> bool:
        """Whether the label that was alone before has changed sides."""
        is_second = len(before.classes) == 1 and len(self.classes) == 2
        return is_second and bool(before.coded.items() - self.coded.items())

    def starts(self, vectors: Sequence[Vector]) -> Sequence[Vector]:
        """Where each run starts, from the rows of `coef_init`."""
        return vectors

    def by_class(self, of_runs: Sequence[Vector]) -> Sequence[Vector]:
        """Results of the runs, a row for each row of `coef_`."""
        return of_runs

    def predict(self, scores: Vector, *, zero_is_positive: bool) -> NDArray[Any]:
        """The label that each score predicts; of a score for each class, the first highest."""
        if len(self.classes) == 1:
            return np.repeat(self.classes, len(scores))
        if scores.ndim == 1:
            chosen = scores >= 0 if zero_is_positive else scores > 0
            return self.classes.take(chosen.view(np.int8))  # half the time of classes[...]
        return np.asarray(self.classes[scores.argmax(axis=1)])


@dataclass(frozen=True, eq=False)
class OneAgainstRest(_Labels):
    """Two labels, learned in one run: code 0 is −1, and code 1, the greater label, is +1.

    Or more, named at first: each is learned against the rest in a run of its own. While only one
    label has been seen, `alone_is_positive` says which of two it is.
    """

    alone_is_positive: bool = True

    def _coded(self) -> dict[Any, int]:
        first = int(self.alone_is_positive) if len(self.classes) == 1 else 0
        return {label: k for k, label in enumerate(self.classes.tolist(), first)}

    @property
    def predictions(self) -> tuple[Any, ...]:
        """What each code predicts: while only one label has been seen, always that one."""
        labels = tuple(self.classes.tolist())
        return labels * 2 if len(labels) == 1 else labels

    def met(self, y: Given, named: Classes | None, *, symmetric: bool) -> OneAgainstRest:
        """The labels after those of y; unless `symmetric`, it must be known which is positive."""
        if len(self.classes) > 1:
            known = self.classes.tolist()
            if named is not None and named.tolist() != known:
                raise ValueError(
                    f"classes {named.tolist()} are not those of the first call: {known}"
                )
            return self
        if len(self.classes) == 1:
            return self._second(y, named, symmetric=symmetric)
        if named is not None:
            return OneAgainstRest(named)
        found = class_array(y)
        if len(found) > 1:
            return OneAgainstRest(found[:2])  # `codes` rejects a third
        label = found.tolist()[0]
        if label not in (1, 0, -1) and not symmetric:  # True and False are 1 and 0
            raise ValueError(
                f"cannot tell yet whether {label!r} is the positive label, which matters with "
                "these settings; pass both, classes=[...], in the first call or to the Protocol"
            )
        return OneAgainstRest(found, is_positive_alone(label))

    def _second(self, y: Given, named: Classes | None, *, symmetric: bool) -> OneAgainstRest:
        alone = self.classes.tolist()[0]
        if named is not None and (alone not in named.tolist() or len(named) > 2):
            raise ValueError(
                f"classes {named.tolist()} come too late: {alone!r} has been learned as one of two "
                "labels"
            )
        both = class_array([alone, *y]) if named is None else named
        if len(both) == 1:
            return self
        if len(both) > 2:
            other = next(label for label in y if label != alone)
            OneAgainstRest(class_array([alone, other])).codes(y, learning=True)  # rejects the third
        after = OneAgainstRest(both)
        if after.is_turned(self) and not symmetric:
            side = "positive" if self.alone_is_positive else "negative"
            raise ValueError(
                f"label {alone!r} was learned as the {side} one of two, but of {both.tolist()} it "
                "is the other one; start again and pass both in the first call, classes=[...]"
            )
        return after

    def _third(self, label: Any, where: str) -> BadExample:
        known = self.classes.tolist()
        if len(known) > 2:
            return self._unknown(label, where)
        if isinstance(label, str) != isinstance(known[0], str):
            return BadExample(
                f"{where}labels must be all texts or all numbers, not {known[0]!r} and {label!r}"
            )
        return BadExample(
            f"{where}label {label!r} is a third class, after {known[0]!r} and {known[-1]!r}: pass "
            "all classes, classes=[...], in the first call or to the Protocol, to learn each "
            "against the rest; or use multiclass='joint', which accepts new classes at any time"
        )

    def of_run(self, codes: NDArray[Any], k: int) -> Signs:
        """The labels of run k: +1 for its class, the second of two, and −1 for all others."""
        positive = codes == (k if len(self.classes) > 2 else 1)
        signs: Signs = positive.view(np.int8) * np.int8(2) - np.int8(1)
        return signs

    def class_weights(self, each: Vector) -> list[Sequence[float]]:
        """For each run, the factors of a step for −1 and for +1, from those of the classes."""
        if len(each) > 2:
            return [(1.0, float(weight)) for weight in each]
        return [(float(each[0]), float(each[1]))] if len(each) == 2 else [(1.0, 1.0)]


@dataclass(frozen=True, eq=False)
class JointLabels(_Labels):
    """Any number of classes learned in one run, numbered in order of appearance."""

    numbers: Codes

    def _coded(self) -> dict[Any, int]:
        return dict(zip(self.classes.tolist(), self.numbers.tolist(), strict=True))

    def met(self, y: Given, named: Classes | None, *, symmetric: bool = False) -> JointLabels:
        """The labels with those that a caller named, and then those of y, as they appear."""
        if isinstance(y, np.ndarray):
            labels, first = np.unique(y, return_index=True)
            y = plain_labels(labels[np.argsort(first)])
        known = self.coded
        given = [*([] if named is None else named.tolist()), *y]
        new = [label for label in dict.fromkeys(given) if label not in known]
        if not new:
            return self
        for label in new:
            if isinstance(label, float) and not label.is_integer():
                raise BadExample(
                    f"label {label!r} is not a whole number: labels that may appear at any time "
                    "must be texts, truth values or whole numbers"
                )
        if len(new) == 1 and self.classes.dtype.kind == np.array(new).dtype.kind in "iU":
            return self._with(new[0])
        classes = class_array([*known, *new])
        codes = known | {label: len(known) + k for k, label in enumerate(new)}
        return JointLabels(
            classes, np.array([codes[label] for label in classes.tolist()], dtype=np.int32)
        )

    def _with(self, label: Any) -> JointLabels:
        """With one more class, inserted in order: classes may come one by one by the thousand."""
        at = bisect_left(self.classes, _order(label), key=_order)
        parts = self.classes[:at], np.array([label]), self.classes[at:]
        out, number = object.__new__(JointLabels), len(self.numbers)
        vars(out)["classes"] = np.concatenate(parts)
        vars(out)["numbers"] = np.insert(self.numbers, at, number)
        vars(out)["coded"] = self.coded | {label: number}
        return out

    def of_run(self, codes: NDArray[Any], _k: int) -> Codes:
        """The labels of the run: the codes themselves."""
        return codes.astype(np.int32, copy=False)

    def class_weights(self, each: Vector) -> list[Sequence[float]]:
        """For the one run, the factor of a step of each class, by code."""
        return [self._by_code(each.tolist())]

    def starts(self, vectors: Sequence[Vector]) -> Sequence[Vector]:
        """Where the run starts; one vector for two classes is their difference, halved."""
        if len(self.classes) == 2:
            vectors = [-vectors[0] / 2, vectors[0] / 2]
        return [np.stack(self._by_code(vectors))]

    def by_class(self, of_runs: Sequence[Vector]) -> Sequence[Vector]:
        """Results of the run, a row for each row of `coef_`: of two classes, their difference."""
        rows: Vector = of_runs[0][self.numbers]
        return list(rows[1:] - rows[:1] if len(rows) == 2 else rows)

    def _by_code(self, each: Sequence[Any]) -> list[Any]:
        return [each[i] for i in np.argsort(self.numbers).tolist()]


Labels: TypeAlias = OneAgainstRest | JointLabels


def labels_of(classes: Classes, *, joint: bool = False) -> Labels:
    """The labels of a learner that knows these classes beforehand; none for a new stream."""
    if joint:
        return JointLabels(classes, np.arange(len(classes), dtype=np.int32))
    return OneAgainstRest(classes)


def distinct(y: NDArray[Any]) -> tuple[Classes, NDArray[Any]]:
    """The different labels in order, and for each row the place of its label among them.

    Two whole numbers, the usual case, are found as the least and the greatest: sorting two million
    labels would take longer than learning from their rows.
    """
    if y.dtype.kind in "biu" and len(y):
        low, high = y.min(), y.max()
        is_high = y == high
        if low != high and np.count_nonzero(y == low) + np.count_nonzero(is_high) == len(y):
            return np.array([low, high]), is_high.view(np.int8)
    labels, which = np.unique(y, return_inverse=True)
    if labels.dtype.kind in "biuf":
        return labels, which
    found = labels.tolist()
    for label in found:
        if why := why_not_a_name(str(label)):
            raise BadExample(f"the label {label!r} {why}")
    order = sorted(range(len(found)), key=lambda i: (label_key(found[i]), str(found[i])))
    return labels[order], np.argsort(order)[which]
