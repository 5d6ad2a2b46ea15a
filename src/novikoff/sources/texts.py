"""What the readers of text files share: what counts as a number, and which two labels there are."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from novikoff.examples import Block, Labels
from novikoff.rows import BadExample

# float() would also take 1_000, the digits of other scripts, nan and inf
NUMBER = r"[+-]?+(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][+-]?+[0-9]++)?+"
_NUMBER = re.compile(NUMBER)
_INFINITE = re.compile(r"[+-]?inf(?:inity)?", re.IGNORECASE)
_MISSING = frozenset({"", "?", "na", "n/a", "nan", "+nan", "-nan", "null"})

# numbers first, by size, then texts
_Kind: TypeAlias = tuple[bool, float, str]


@dataclass(frozen=True, slots=True)
class Data:
    """The examples of a file, and what the file calls things.

    Parameters
    ----------
    block
        The rows and their labels, −1 or +1.
    names
        What the header calls the columns of the rows, so without the label's; None if there is no
        header.
    classes
        The label that became −1 and the one that became +1, as the file first writes them. When it
        holds one only, the other is made up: "-1" for 1, "+1" for -1, "1" for 0, and "not spam"
        for "spam" or whatever else there is.
    label
        What the header calls the column of the labels; its position from 0 if there is no header,
        or another column is called the same; None for svmlight.
    """

    block: Block
    names: tuple[str, ...] | None
    classes: tuple[str, str]
    label: str | None = None


def shown(text: str) -> str:
    """The text in quotes, cut when it is long."""
    return repr(text if len(text) <= 40 else text[:39] + "…")


def is_missing(text: str) -> bool:
    """Whether a text is one of the usual ways to write that there is no value."""
    return text.strip().lower() in _MISSING


def number(text: str) -> float:
    """The finite number that a text writes; a ValueError says why there is none and what to do."""
    text = text.strip()
    if _NUMBER.fullmatch(text):
        value = float(text)
        if math.isfinite(value):
            return value
        why = "is too large for float64; scale it"
    elif is_missing(text):
        why = "is missing; fill it in or remove the row"
    elif _INFINITE.fullmatch(text):
        why = "is not finite; replace it or remove the row"
    else:
        why = "is not a number; encode it first"
    raise ValueError(f"{shown(text)} {why}")


def two_classes(
    labels: Sequence[str],
    where: Callable[[int], str],
    *,
    classes: tuple[str, str] | None = None,
    hint: str = "",
) -> tuple[Labels, tuple[str, str]]:
    """The labels as −1 and +1, and the texts of the negative and of the positive one.

    Equal numbers are one label, however they are written. Of two numbers the smaller is negative;
    of two texts the first in the alphabet; of a number and a text the number. A label without
    another is positive, unless it is 0 or -1.

    Parameters
    ----------
    where
        Says where the label at a position stands, to begin an error with.
    classes
        The negative and the positive label, when they are known beforehand.
    hint
        What to add when there are more than two.
    """
    kinds: dict[str, _Kind] = {}
    texts: dict[_Kind, str] = {_kind(text): text for text in classes or ()}
    for text in dict.fromkeys(labels):
        if is_missing(text) or _INFINITE.fullmatch(text):
            at = where(labels.index(text))
            raise BadExample(f"{at}: label {text!r} is not a class; name one or remove the row")
        kinds[text] = _kind(text)
        if kinds[text] not in texts and (classes or len(texts) == 2):
            at, before = where(labels.index(text)), " and ".join(map(shown, texts.values()))
            cure = f"there must be two; ask about one against the rest{hint}"
            third = f"is a third, after {before}; {cure}"
            neither = f"is not one of {before}"
            raise BadExample(f"{at}: label {shown(text)} {neither if classes else third}")
        texts.setdefault(kinds[text], text)
    classes = classes or _classes(texts)
    sign = {text: 1 if texts[kind] == classes[1] else -1 for text, kind in kinds.items()}
    return np.fromiter(map(sign.__getitem__, labels), np.int8, len(labels)), classes


def _kind(text: str) -> _Kind:
    try:
        return False, number(text), ""
    except ValueError:
        return True, 0.0, text


def _classes(texts: dict[_Kind, str]) -> tuple[str, str]:
    negative, positive = min(texts), max(texts)
    if negative != positive:
        return texts[negative], texts[positive]
    alone = texts[positive]
    by_number = {1.0: ("-1", alone), 0.0: (alone, "1"), -1.0: (alone, "+1")}
    is_text, value, _ = positive
    other = (f"not {alone}", alone)
    return other if is_text else by_number.get(value, other)
