"""Which two labels there are, and which of them is −1."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np

from novikoff.chunks import Chunk
from novikoff.examples import Labels
from novikoff.rows import BadExample
from novikoff.sources.texts import is_infinite, is_missing, number, shown

Classes: TypeAlias = tuple[str, str]  # the label that is −1, and the one that is +1

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
            if is_missing(text) or is_infinite(text):
                raise BadExample(
                    f"{place}: label {text!r} is not a class; name one or remove the row"
                )
            kind = _kind(text)
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
        if (chunk.labels < 0).any():
            raise BadExample(
                f"example {chunk.first + int((chunk.labels < 0).argmax())} has no label"
            )
        return np.array(sign or [1], dtype=np.int8)[chunk.labels]


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
