"""Which texts are numbers, and which of them say that a value is missing or infinite."""

import math
import numbers
import re
from collections.abc import Iterable
from typing import Any

from novikoff.stream.printing import quoted

# float() would also take 1_000, the digits of other scripts, nan and inf. A character that could
# end one part and begin the next is never both, so matching takes linear time without possessive
# quantifiers, which Python 3.11.2 gets wrong: with them "1e" was a number.
NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_NUMBER = re.compile(NUMBER)
_INFINITE = re.compile(r"[+-]?inf(?:inity)?", re.IGNORECASE | re.ASCII)
_MISSING = frozenset({"", "?", "na", "n/a", "nan", "+nan", "-nan", "null"})


def is_finite_number(value: Any) -> bool:
    """Whether the value is a real number, finite and not a truth value."""
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    return is_number and math.isfinite(value)


def number(text: str) -> float | None:
    """The finite number that a text writes; None if it writes none."""
    text = text.strip()
    if _NUMBER.fullmatch(text):
        value = float(text)
        if math.isfinite(value):
            return value
    return None


def is_missing(text: str) -> bool:
    """Whether a text is one of the usual ways to write that there is no value."""
    return text.strip().lower() in _MISSING


def present(texts: Iterable[str]) -> list[str]:
    """The texts that are not missing."""
    return [text for text in texts if not is_missing(text)]


def which_are_words(texts: Iterable[str]) -> list[int]:
    """The places of the texts that are neither numbers, in any way to write one, nor missing."""
    return [i for i, text in enumerate(texts) if not (is_float(text) or is_missing(text))]


def is_float(text: str) -> bool:
    """Whether Python reads the text as a float."""
    try:
        float(text)  # inf and 1_0 are bad numbers, but not words either
    except ValueError:
        return False
    return True


def is_missing_or_infinite(text: str) -> bool:
    """Whether a text writes an infinity, or that there is no value."""
    return is_missing(text) or _INFINITE.fullmatch(text.strip()) is not None


def why_not_number(text: str) -> str:
    """Why a text is not a finite number; '' if it is one."""
    if number(text) is not None:
        return ""
    text = text.strip()
    if not text:
        return "the value is missing; fill it in or remove the row"
    if _NUMBER.fullmatch(text):
        why = "is too large for float64; scale it"
    elif is_missing(text):
        why = "is missing; fill it in or remove the row"
    elif is_missing_or_infinite(text):
        why = "is not finite; replace it or remove the row"
    else:
        why = "is not a number"
    return f"{quoted(text)} {why}"
