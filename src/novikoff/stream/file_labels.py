"""Which labels there are: of two, which is −1; of any number, the class that each is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np

from novikoff.sources.chunks import Chunk
from novikoff.stream.blocks import Codes, Labels
from novikoff.stream.number_text import is_infinite, is_missing, number, shown
from novikoff.stream.problems import BadExample

Classes: TypeAlias = tuple[str, str]  # the label that is −1, and the one that is +1

MOST_CLASSES = 1000

# numbers first, by size, then texts
_Kind: TypeAlias = tuple[bool, float, str]


class Labelling:
    """The labels of a source as −1 and +1.

    Equal numbers are one label, however they are written. Of two numbers the smaller is negative;
    of two texts the first in the alphabet; of a number and a text the number. A label without
    another is positive, unless it is 0 or -1.

    Parameters
    ----------
    classes
        The negative and the positive label, when they are known beforehand; any other is refused.
    hint
        What to add to the error when there are more than two.
    """

    def __init__(self, classes: Classes | None = None, *, hint: str = "") -> None:
        self._known = classes is not None
        self._hint = hint
        self._texts: dict[_Kind, str] = {_kind(text): text for text in classes or ()}
        if classes is not None and len(self._texts) < 2:
            raise BadExample(
                f"the classes must be two labels, not {classes[0]!r} and {classes[1]!r}"
            )
        self._classes = classes

    @property
    def is_decided(self) -> bool:
        """Whether it is known which label is which."""
        return self._classes is not None or len(self._texts) == 2

    def decide(self) -> None:
        """There are no labels but those met: one alone gets its sign, and another is made up."""
        self._classes = self.classes

    @property
    def classes(self) -> Classes:
        """The negative and the positive label, as they are first written."""
        return self._classes or _classes(self._texts)

    def meet(self, texts: Iterable[str], places: Iterable[str]) -> None:
        """Learn these labels; one that cannot be is refused, with its place."""
        for text, place in zip(texts, places, strict=True):
            kind = _kind_of_label(text, place)
            if kind in self._texts:
                continue
            if len(self._texts) == 2:
                before = " and ".join(map(shown, self._texts.values()))
                cure = f"there must be two; ask about one against the rest{self._hint}"
                third = f"is a third, after {before}; {cure}"
                neither = f"is not one of {before}"
                raise BadExample(
                    f"{place}: label {shown(text)} {neither if self._known else third}"
                )
            self._texts[kind] = text

    def signs(self, chunk: Chunk) -> Labels:
        """The labels of a chunk as −1 and +1."""
        self.meet(chunk.label_texts, chunk.label_places)
        positive = _kind(self.classes[1])
        sign = [1 if _kind(text) == positive else -1 for text in chunk.label_texts]
        _expect_labels(chunk)
        return np.array(sign or [1], dtype=np.int8)[chunk.labels]


class JointLabelling:
    """The labels of a source as classes 0, 1, 2, … in the order in which examples bring them.

    Equal numbers are one label, however they are written. Nothing is read ahead: a label may come
    at any time, and then has the next number.

    Parameters
    ----------
    classes
        The labels that have their numbers beforehand.
    closed
        Whether any other is refused.
    most
        How many there may be (None: any number): more are most likely no labels, but numbers that
        were to be predicted.
    """

    def __init__(
        self, classes: Sequence[str] = (), *, closed: bool = False, most: int | None = MOST_CLASSES
    ) -> None:
        self._texts = list(classes)
        kinds = [_kind_of_label(text, "classes") for text in classes]
        self._numbers = {kind: number for number, kind in enumerate(kinds)}
        if len(self._numbers) < len(classes):
            raise BadExample(f"the classes {', '.join(map(shown, classes))} are not all different")
        self.named, self.closed, self.most = len(self._texts), closed, most

    @property
    def classes(self) -> tuple[str, ...]:
        """The labels met so far, or named beforehand, as they were first written."""
        return tuple(self._texts)

    def codes(self, chunk: Chunk) -> Codes:
        """The labels of a chunk as the numbers of classes; a label that cannot be changes nothing.

        The numbers do not depend on where the source was cut into chunks.
        """
        _expect_labels(chunk)
        kinds = [_kind(text) for text in chunk.label_texts]
        if not all(kind in self._numbers for kind in kinds):
            self._meet(chunk)
        # a label that no example has any more, for the chunk is a part of another, has no number
        numbers = [self._numbers.get(kind, -1) for kind in kinds]
        return np.array(numbers or [0], dtype=np.int32)[chunk.labels]

    def _meet(self, chunk: Chunk) -> None:
        met, first = np.unique(chunk.labels, return_index=True)
        new: dict[_Kind, str] = {}
        for k in met[np.argsort(first)].tolist():
            text, place = chunk.label_texts[k], chunk.label_places[k]
            kind = _kind_of_label(text, place)
            if kind not in self._numbers and kind not in new:
                new[kind] = text
                self._refuse_more(text, place, len(self._texts) + len(new))
        for kind, text in new.items():
            self._numbers[kind] = len(self._texts)
            self._texts.append(text)

    def _refuse_more(self, text: str, place: str, count: int) -> None:
        if self.closed:
            before = _some_labels(self._texts)
            raise BadExample(f"{place}: label {shown(text)} is not one of {before}")
        if self.most is not None and count > self.most:
            raise BadExample(
                f"{place}: label {shown(text)} is one more than the {self.most:,} classes allowed; "
                "if these are labels, and not numbers to be predicted, allow more (--max-classes)"
            )


def _some_labels(labels: Sequence[str], most: int = 10) -> str:
    """The labels with commas between them; of many the first, and how many more there are."""
    rest = len(labels) - most
    return ", ".join(map(shown, labels[:most])) + (f" and {rest:,} more" if rest > 0 else "")


def _expect_labels(chunk: Chunk) -> None:
    if (chunk.labels < 0).any():
        raise BadExample(f"example {chunk.first + int((chunk.labels < 0).argmax())} has no label")


def _kind_of_label(text: str, place: str) -> _Kind:
    if is_missing(text) or is_infinite(text):
        raise BadExample(f"{place}: label {text!r} is not a class; name one or remove the row")
    return _kind(text)


def _kind(text: str) -> _Kind:
    try:
        return False, number(text), ""
    except ValueError:
        return True, 0.0, text


def _classes(texts: dict[_Kind, str]) -> Classes:
    negative, positive = min(texts), max(texts)
    if negative != positive:
        return texts[negative], texts[positive]
    alone = texts[positive]
    by_number = {1.0: ("-1", alone), 0.0: (alone, "1"), -1.0: (alone, "+1")}
    is_text, value, _ = positive
    other = (f"not {alone}", alone)
    return other if is_text else by_number.get(value, other)
