"""Labels as they come: plain objects, of which the first two met are the classes."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from novikoff.stream.blocks import Labels
from novikoff.stream.problems import BadExample

_POSITIVE = frozenset({1})  # True is 1, and False is 0
_NEGATIVE = frozenset({0, -1})


def label_of(y: Any, where: str = "") -> Any:
    """The label as a plain object; refused unless it is a truth value, a number or a text."""
    label = y.item() if isinstance(y, np.generic) else y
    if isinstance(label, float) and math.isnan(label):
        raise BadExample(f"{where}the label is NaN; leave out examples whose label is not known")
    if isinstance(label, float) and math.isinf(label):
        raise BadExample(f"{where}the label is infinity, which is no class")
    if isinstance(label, bool | int | float):
        return label
    if isinstance(label, str):
        if label.endswith("\0"):
            raise BadExample(
                f"{where}the label {label!r} ends with a NUL, which arrays do not keep"
            )
        return str.__str__(label)
    raise TypeError(
        f"{where}a label must be a truth value, a number or a text, not {type(y).__name__}: "
        f"{reprlib.repr(y)}"
    )


def labels_of(y: Any) -> list[Any]:
    """The labels of a list, an array or a column of a frame."""
    if isinstance(y, str | bytes) or not isinstance(y, Iterable):
        raise TypeError(f"y must hold a label for each example, not be a {type(y).__name__}")
    return [label_of(one, f"row {i}: ") for i, one in enumerate(y)]


def refuse_measures(labels: Sequence[Any]) -> None:
    """Refuse numbers that are not whole: they measure something, and many would be as many classes.

    With two labels alone they are allowed, since a third is refused.
    """
    for i, label in enumerate(labels):
        if isinstance(label, float) and not label.is_integer():
            where = f"row {i}: " if len(labels) > 1 else ""
            raise BadExample(
                f"{where}label {label!r} is not a whole number: classes that may appear at any "
                "time are texts, truth values or whole numbers"
            )


@dataclass(frozen=True, slots=True)
class Known:
    """The labels there are, in order; one alone may be the positive one of two, or the other."""

    labels: tuple[Any, ...] = ()
    alone_is_positive: bool = True

    @property
    def codes(self) -> dict[Any, int]:
        """The place of each label; of one alone, 1 if it is the positive one."""
        if len(self.labels) == 1:
            return {self.labels[0]: int(self.alone_is_positive)}
        return {label: k for k, label in enumerate(self.labels)}

    @property
    def predictions(self) -> tuple[Any, ...]:
        """What is predicted for each code: while there is one label alone, always that."""
        return self.labels * 2 if len(self.labels) == 1 else self.labels

    def meeting(
        self, labels: Sequence[Any], classes: ArrayLike | None, *, symmetric: bool
    ) -> Meeting:
        """What is known after these labels; refused if they cannot be among the classes.

        Unless it is `symmetric`, which of two labels is the positive one must be known from the
        start.
        """
        named = None if classes is None else _in_order(labels_of(np.unique(np.asarray(classes))))
        if named is not None and len(named) < 2:
            raise ValueError(f"at least 2 classes are needed, got {list(named)}")
        if len(self.labels) > 1:
            if named is not None and named != self.labels:
                raise ValueError(
                    f"classes {list(named)} are not those of the first call: {list(self.labels)}"
                )
            return self._within(labels)
        if not self.labels:
            return self._first(labels, named, symmetric=symmetric)
        return self._second(labels, named, symmetric=symmetric)

    def _within(self, labels: Sequence[Any]) -> Meeting:
        codes = self.codes
        for label in labels:
            if label in codes:
                continue
            if len(codes) == 2:
                a, b = self.labels
                if isinstance(label, str) != isinstance(a, str):
                    raise BadExample(
                        f"label {label!r} is of another kind than {a!r} and {b!r}: labels are all "
                        "texts or all numbers"
                    )
                raise BadExample(
                    f"label {label!r} is a third class, after {a!r} and {b!r}: name all classes in "
                    "the first call, classes=[...], to learn each against the rest; or learn with "
                    "multiclass='joint', which takes new classes as they appear"
                )
            raise BadExample(f"label {label!r} is not one of the classes {list(self.labels)}")
        return Meeting(self, codes)

    def _first(
        self, labels: Sequence[Any], named: tuple[Any, ...] | None, *, symmetric: bool
    ) -> Meeting:
        if named is not None:
            return Known(named)._within(labels)
        found = _in_order(labels)
        if len(found) > 1:
            return Known(found[:2])._within(labels)
        (label,) = found
        if label not in _POSITIVE | _NEGATIVE and not symmetric:
            raise ValueError(
                f"it is not known yet whether {label!r} is the positive label of the two, which "
                "matters with these settings: name both in the first call, classes=[...]"
            )
        known = Known((label,), alone_is_positive=label not in _NEGATIVE)
        return Meeting(known, known.codes)

    def _second(
        self, labels: Sequence[Any], named: tuple[Any, ...] | None, *, symmetric: bool
    ) -> Meeting:
        (alone,) = self.labels
        both = _in_order([alone, *labels]) if named is None else named
        if alone not in both or len(both) > 2:
            if named is None:
                return Known(both[:2])._within(labels)
            raise ValueError(
                f"classes {list(both)} come too late: examples of label {alone!r} were learned "
                "from as one of two classes"
            )
        if len(both) == 1:
            return Meeting(self, self.codes)
        known, was = Known(both), int(self.alone_is_positive)
        known._within(labels)
        turns = known.codes[alone] != was
        if turns and not symmetric:
            raise ValueError(
                f"label {alone!r} was taken as the {'positive' if was else 'negative'} one of two, "
                f"but of {list(both)} it is not; begin again, and name both in the first call, "
                "classes=[...]"
            )
        return Meeting(known, {label: was if label == alone else 1 - was for label in both}, turns)


@dataclass(frozen=True, slots=True)
class Meeting:
    """The labels known after some were met, and what they mean as long as nothing is turned."""

    known: Known
    codes: dict[Any, int] = field(default_factory=dict)
    turns: bool = False


def _in_order(labels: Iterable[Any]) -> tuple[Any, ...]:
    try:
        return tuple(sorted(dict.fromkeys(labels)))
    except TypeError:
        kinds = sorted({type(label).__name__ for label in labels})
        raise BadExample(f"labels of kinds {' and '.join(kinds)} have no order") from None


def signs_of(codes: Sequence[int], runs: int) -> list[Labels]:
    """For each run, +1 for the examples of its class and −1 for others; of one run, for code 1."""
    each = np.array(codes)
    return [np.where(each == (1 if runs == 1 else k), 1, -1).astype(np.int8) for k in range(runs)]
