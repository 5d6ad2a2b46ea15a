"""The hidden function of the lecture on mistake-driven learning, and the examples it comes with."""

from __future__ import annotations

from novikoff.concepts.attributes import labelled, truths
from novikoff.concepts.functions import Conjunction
from novikoff.examples import Block

LECTURE_TARGET = Conjunction((2, 3, 4, 5, 100))
_MIDDLE = "0" * 93

_EXAMPLES = (
    "1" * 100,
    "111" + "0" * 97,
    "11111" + _MIDDLE + "11",
    "10111" + _MIDDLE + "11",
    "11111" + _MIDDLE + "01",
    "10100" + _MIDDLE + "11",
    "1" * 98 + "01",
    "01010" + _MIDDLE + "11",
)


def lecture_examples() -> Block:
    """The eight examples of 100 variables that nature draws, labelled by x₂ ∧ x₃ ∧ x₄ ∧ x₅ ∧ x₁₀₀.

    Elimination ends with x₁ too many: x₁ is on in every positive one.

    >>> lecture_examples().labels.tolist()
    [1, -1, 1, -1, 1, -1, 1, -1]
    """
    X = [truths(text) for text in _EXAMPLES]
    return labelled(X, LECTURE_TARGET.evaluate(X))
