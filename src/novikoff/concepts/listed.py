"""A class of any concepts that are given one by one: as objects, formulas or truth tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from novikoff.concepts.classes import MOST_ANSWERS, ConceptClass, Words, packed
from novikoff.concepts.examples import Truths, every_example, number_of, truths
from novikoff.concepts.families import truth_table
from novikoff.concepts.formulas import parse
from novikoff.concepts.functions import Concept
from novikoff.stream.rows import Positions

MOST_COMPARED = 12  # variables: a concept's whole truth table is then half a kilobyte

Tables: TypeAlias = NDArray[np.uint8]


class Listed(ConceptClass):
    """The concepts of a list, in its order, each function once.

    Up to 12 variables concepts with the same truth table are one; beyond, those with the same
    formula. The first of them stays.
    """

    def __init__(self, concepts: Iterable[Any], n: int | None = None) -> None:
        if isinstance(concepts, str):
            raise TypeError(f"{concepts!r} is one formula; give a list of them: [{concepts!r}]")
        given = [_concept(one, at) for at, one in enumerate(concepts)]
        if not given:
            raise ValueError("a class needs at least one concept, and the list is empty")
        widest = max(given, key=lambda concept: concept.width)
        self.n = max(1, widest.width) if n is None else n
        if self.n < max(1, widest.width):
            raise ValueError(f"{widest} depends on x{widest.width}, and there are {n} variables")
        self._concepts = list(dict.fromkeys(given))
        self._tables: Tables | None = None
        if self.n <= MOST_COMPARED and len(self._concepts) << self.n <= MOST_ANSWERS:
            self._tables = self._tabled()
        self.size = len(self._concepts)

    def __str__(self) -> str:
        return f"a list over {self.n} variable{'s' * (self.n > 1)}"

    def concept(self, place: int) -> Concept:
        """The concept at this place of the list."""
        self.expect_place(place)
        return self._concepts[place]

    def say(self, x: Truths) -> Words:
        """What every concept says of the example, as bits."""
        return packed(self.say_some(np.arange(self.size), x))

    def say_some(self, places: Positions, x: Truths) -> Truths:
        """What the concepts at these places say of the example."""
        x = truths(x, self.n)
        if self._tables is None:
            return np.array([self._concepts[i](x) for i in places.tolist()], dtype=np.bool_)
        j = int(number_of(x[None, :])[0])
        found: Truths = (self._tables[places, j // 8] >> (j % 8)) & 1 == 1
        return found

    def _tabled(self) -> Tables:
        """The truth tables as bits, a row a concept, when those with equal ones are one."""
        examples = every_example(self.n)
        by_table = dict[bytes, Concept]()
        for concept in self._concepts:
            table = np.packbits(concept.evaluate(examples), bitorder="little")
            by_table.setdefault(table.tobytes(), concept)
        self._concepts = list(by_table.values())
        return np.stack([np.frombuffer(table, dtype=np.uint8) for table in by_table])


def concept_list(concepts: Iterable[Any], n: int | None = None) -> Listed:
    """A class of any concepts given: as concepts, as formulas in texts, or as truth tables.

    Parameters
    ----------
    concepts
        At least one. A truth table is a sequence of numbers 0 and 1, as for `truth_table`.
    n
        How many variables there are; by default, as many as the concepts speak of.

    Examples
    --------
    >>> some = concept_list(["x1 & x2", "at least 2 of (x1, x2)", [0, 1, 1, 0]])
    >>> [str(concept) for concept in some]
    ['x₁ ∧ x₂', 'table 0110 of x₁, x₂']
    """
    return Listed(concepts, n)


def _concept(given: Any, at: int) -> Concept:
    if isinstance(given, Concept):
        return given
    try:
        return parse(given) if isinstance(given, str) else truth_table(given)
    except ValueError as error:
        raise type(error)(f"concept {at} of the list: {error}") from None
