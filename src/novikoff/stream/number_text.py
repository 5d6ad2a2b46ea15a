"""What the readers of text files share: what counts as a number, and how a text is shown."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from novikoff.stream.blocks import Block

Missing: TypeAlias = Literal["refuse", "zero", "indicate"]

# float() would also take 1_000, the digits of other scripts, nan and inf
NUMBER = r"[+-]?+(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][+-]?+[0-9]++)?+"
_NUMBER = re.compile(NUMBER)
_INFINITE = re.compile(r"[+-]?inf(?:inity)?", re.IGNORECASE)
_MISSING = frozenset({"", "?", "na", "n/a", "nan", "+nan", "-nan", "null"})


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


def is_infinite(text: str) -> bool:
    """Whether a text writes an infinity."""
    return _INFINITE.fullmatch(text.strip()) is not None


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
    elif is_infinite(text):
        why = "is not finite; replace it or remove the row"
    else:
        why = "is not a number; encode it first"
    raise ValueError(f"{shown(text)} {why}")
