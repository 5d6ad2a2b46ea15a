"""What a finite class of concepts is: counted, enumerated, sampled, and asked all at once.

Sets of k of n things as numbers, in the order of their largest, then of the next.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache
from math import comb
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from novikoff.concepts.examples import Truths, truths_of_examples
from novikoff.concepts.functions import Concept
from novikoff.stream.rows import Positions

Words: TypeAlias = NDArray[np.uint64]

MOST_CONCEPTS = 1 << 31  # a set of them is then 256 MB
MOST_ANSWERS = 1 << 28


class TooLarge(ValueError):  # noqa: N818  (it says what the class is)
    """A class with too many concepts for what was asked of it."""


class ConceptClass(ABC):
    """Finitely many concepts over n variables, each known by its place from 0 to size − 1.

    Attributes
    ----------
    n, size
        How many variables, and how many concepts: any number, also one too large to enumerate.
    """

    n: int
    size: int

    @abstractmethod
    def concept(self, place: int) -> Concept:
        """The concept at this place; IndexError if there is none."""

    @abstractmethod
    def __str__(self) -> str: ...

    @abstractmethod
    def say(self, x: Truths) -> Words:
        """What every concept says of the example: bit i of the words is concept i's answer.

        The bits after the last concept are 0. TooLarge if the class cannot be enumerated.
        """

    @abstractmethod
    def say_some(self, places: Positions, x: Truths) -> Truths:
        """What the concepts at these places say of the example."""

    def __len__(self) -> int:
        if self.size > sys.maxsize:
            raise OverflowError(f"{self} has {_about(self.size)} concepts, too many for len: .size")
        return self.size

    def __bool__(self) -> bool:
        return self.size > 0

    def __deepcopy__(self, _memo: object) -> Self:
        return self  # a class never changes, so that a learner and its copy ask the same one

    def __getitem__(self, place: int) -> Concept:
        return self.concept(place + self.size if place < 0 else place)

    def __repr__(self) -> str:
        return f"<{self}: {_about(self.size)} concepts>"

    def __iter__(self) -> Iterator[Concept]:
        self.expect_enumerable()
        return map(self.concept, range(self.size))

    def sample(self, count: int, *, seed: int = 0) -> list[Concept]:
        """Concepts drawn at random, each with the same chance, and put back."""
        dice = np.random.default_rng(seed)
        bits = self.size.bit_length() + 64  # so many more that the remainder is as good as fair
        draws = (int.from_bytes(dice.bytes(bits // 8 + 1), "little") for _ in range(count))
        return [self.concept(draw % self.size) for draw in draws]

    def evaluate(self, X: Any) -> Truths:
        """What each concept (a column) says of each example (a row)."""
        examples = truths_of_examples(X, self.n)
        self.expect_enumerable()
        if self.size * len(examples) > MOST_ANSWERS:
            raise TooLarge(
                f"{self.size:,} concepts on {len(examples):,} examples are more than "
                f"{MOST_ANSWERS:,} answers; ask about fewer examples at a time"
            )
        out = np.zeros((len(examples), self.size), dtype=np.bool_)
        for row, x in zip(out, examples, strict=True):
            bits = np.unpackbits(self.say(x).view(np.uint8), count=self.size, bitorder="little")
            row[:] = bits
        return out

    def expect_place(self, place: int) -> None:
        """Refuse a place where there is no concept."""
        if not 0 <= place < self.size:
            raise IndexError(f"there is no concept {place} among {_about(self.size)}")

    def expect_enumerable(self) -> None:
        """Refuse a class with more concepts than memory has bits for."""
        if self.size > MOST_CONCEPTS:
            raise TooLarge(
                f"{self} has {_about(self.size)} concepts, more than the {MOST_CONCEPTS:,} that "
                "can be enumerated; elimination and Winnow need no list of them"
            )


def expect_class(given: Any) -> None:
    """Refuse what is no class, such as a list of formulas, and a class without concepts."""
    if not isinstance(given, ConceptClass):
        raise TypeError(
            f"{type(given).__name__} is no class of concepts: concept_list([...]) makes one of "
            "formulas, and conjunctions(n) is another"
        )
    if given.size < 1:
        raise ValueError(f"{given}: there are no concepts to learn")


def words_for(size: int) -> Words:
    """Words with a bit 0 for each of so many concepts."""
    return np.zeros((size + 63) // 64, dtype=np.uint64)


def packed(answers: Truths) -> Words:
    """Truth values as bits of words, in their order."""
    out = words_for(len(answers))
    given = np.packbits(answers, bitorder="little")
    out.view(np.uint8)[: len(given)] = given
    return out


def _about(size: int) -> str:
    # by logarithm: Python refuses to write integers of more than some thousand digits
    return f"{size:,}" if size < 10**15 else f"about 10^{Decimal(size).adjusted()}"


_MANY = (1 << 64) - 1  # more than any rank in an array, which are 64-bit integers with a sign

Counts: TypeAlias = NDArray[np.uint64]


def chosen(rank: int, k: int, n: int) -> tuple[int, ...]:
    """The set of k of 0 … n − 1 with this rank, in increasing order; the rank may be any size.

    >>> [chosen(rank, 2, 4) for rank in range(6)]
    [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)]
    """
    found, below = list[int](), n
    for j in range(k, 0, -1):
        below = _largest(rank, j, below)
        found.append(below)
        rank -= comb(below, j)
    return tuple(reversed(found))


def chosen_by_each(places: Positions, k: int, n: int) -> tuple[Positions, Counts]:
    """A row for each place: the set of k of 0 … n − 1 with that rank, in increasing order.

    Places beyond the last set begin with the first again: how often is the second answer.
    """
    rounds, ranks = np.divmod(places.astype(np.uint64), np.uint64(min(comb(n, k), _MANY)))
    found = np.zeros((len(ranks), k), dtype=np.int64)
    for j in range(k, 0, -1):
        ways = _ways(j, n - k + j)
        found[:, j - 1] = np.searchsorted(ways, ranks, side="right") - 1
        ranks = ranks - ways[found[:, j - 1]]
    return found, rounds


@lru_cache(maxsize=64)
def _ways(j: int, most: int) -> Counts:
    """C(m, j) for each m below `most`: how many sets of j there are before m is their largest."""
    return np.array([min(comb(m, j), _MANY) for m in range(most)], dtype=np.uint64)


def _largest(rank: int, j: int, below: int) -> int:
    """The largest c < below for which c choose j is not above the rank."""
    low, high = j - 1, below - 1
    while low < high:
        middle = (low + high + 1) // 2
        if comb(middle, j) <= rank:
            low = middle
        else:
            high = middle - 1
    return low
