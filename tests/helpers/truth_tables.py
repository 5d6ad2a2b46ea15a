"""Small classes given by what their concepts say, for tests that look at every one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from novikoff.concepts import Concept, ConceptClass
from novikoff.concepts.classes import Words, packed
from novikoff.concepts.examples import Truths
from novikoff.stream.rows import Positions


@dataclass(frozen=True)
class Table(Concept):
    """True of example x when bit x of `on` is 1; bit i − 1 of x is variable i."""

    n: int
    on: int

    @property
    def variables(self) -> tuple[int, ...]:
        return tuple(range(1, self.n + 1))

    def of(self, values: Truths) -> Truths:
        return np.array([self.on >> _number(x) & 1 == 1 for x in values], dtype=np.bool_)

    def __str__(self) -> str:
        return f"{self.on:b}"


class Tables(ConceptClass):
    """The concepts with these truth tables."""

    def __init__(self, n: int, tables: Sequence[int]) -> None:
        self.n, self.size, self.tables = n, len(tables), tuple(tables)

    def __str__(self) -> str:
        return f"{self.size} tables of {self.n} variables: {self.tables}"

    def concept(self, place: int) -> Concept:
        return Table(self.n, self.tables[place])

    def say(self, x: Truths) -> Words:
        return packed(self.say_some(np.arange(self.size), x))

    def say_some(self, places: Positions, x: Truths) -> Truths:
        return np.array([self.tables[p] >> _number(x) & 1 == 1 for p in places], dtype=np.bool_)


def _number(x: Truths) -> int:
    return sum(1 << i for i, on in enumerate(x.tolist()) if on)


@st.composite
def small_classes(draw: st.DrawFn, *, most: int = 8, n: int | None = None) -> Tables:
    """Some different functions of one to three variables."""
    n = draw(st.integers(1, 3)) if n is None else n
    every = st.integers(0, (1 << (1 << n)) - 1)
    return Tables(n, draw(st.lists(every, min_size=1, max_size=most, unique=True)))


def thresholds(n: int) -> Tables:
    """The initial segments of the line of all 2ⁿ examples: 2ⁿ + 1 concepts, each in the next."""
    return Tables(n, [(1 << m) - 1 for m in range((1 << n) + 1)])
