"""Texts as features in plain Python: the reference for the core's reader of words."""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Iterator

from novikoff.sources.read_options import TextRule

UNICODE = "14.0.0"  # of the core's tables


def folded(character: str) -> str:
    """The character without case, if that is one character."""
    lower = (character.casefold(), character.lower())
    return next((other for other in lower if len(other) == 1), character)


def words(text: str) -> list[str]:
    """The maximal runs of letters, marks and numbers, folded."""
    kept = [folded(c) if unicodedata.category(c)[0] in "LMN" else " " for c in text]
    return [word for word in "".join(kept).split(" ") if word]


def parts(text: str, grams: str) -> Iterator[str]:
    """The words, pairs or characters of a text; a word comes before the pair that it completes."""
    found = words(text)
    for i, word in enumerate(found):
        if grams == "characters":
            padded = f" {word} "
            for at in range(len(padded)):
                yield from (padded[at : at + n] for n in (3, 4, 5) if at + n <= len(padded))
            continue
        yield word
        if grams == "pairs" and i:
            yield f"{found[i - 1]} {word}"


def features(text: str, rule: TextRule, field: str = "text") -> dict[str, float]:
    """The features of a text, in the order of their first occurrence."""
    counts = Counter(parts(text, rule.grams))
    values = {
        name: float(n)
        if rule.values == "counts"
        else math.log(1 + n)
        if rule.values == "log"
        else 1.0
        for name, n in counts.items()
    }
    if rule.unit_length:
        norm = math.sqrt(math.fsum(x * x for x in values.values()))
        values = {name: x / norm for name, x in values.items()}
    return {f"{field}={name}": x for name, x in values.items()}
