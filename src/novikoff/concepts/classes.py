"""Finite classes of concepts: counted, enumerated, sampled, and evaluated all at once."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from math import comb
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from novikoff.concepts.examples import Truths, rows_of_examples, truths, truths_of_columns
from novikoff.concepts.functions import Concept
from novikoff.stream.input_problems import BadExample
from novikoff.stream.printing import count
from novikoff.stream.rows import Positions

Words: TypeAlias = NDArray[np.uint64]

MOST_CONCEPTS = 1 << 31  # a set of them takes 256 MB
MOST_ANSWERS = 1 << 28
_MANY = (1 << 64) - 1  # larger than any rank in an array of signed 64-bit integers


class TooLarge(ValueError):  # noqa: N818  (it says what the class is)
    """The class has too many concepts for this operation."""


class ConceptClass(ABC):
    """Finitely many concepts over n variables, each known by its place from 0 to size − 1."""

    name: str
    n: int
    size: int

    def __str__(self) -> str:
        return self.name

    @abstractmethod
    def _concept(self, place: int) -> Concept:
        """The concept at this place, which is at least 0 and less than the size."""

    @abstractmethod
    def _values(self, places: Positions, x: Truths) -> Truths:
        """The values at the example, of n attributes, of the concepts at these places."""

    def _packed_values(self, x: Truths) -> Words:
        return packed(self._values(np.arange(self.size), x))

    def values(self, places: Positions, x: Truths) -> Truths:
        """The values at the example of the concepts at these places."""
        return self._values(places, truths(x, self.n))

    def packed_values(self, x: Truths) -> Words:
        """The values at the example of all concepts, as bits in order, and then bits 0."""
        self.expect_enumerable()
        return self._packed_values(truths(x, self.n))

    def __len__(self) -> int:
        if self.size > sys.maxsize:
            raise OverflowError(
                f"{self} has {count(self.size)} concepts, too many for len(); use .size"
            )
        return self.size

    def __bool__(self) -> bool:
        return self.size > 0

    def __deepcopy__(self, _memo: object) -> Self:
        return self  # a class never changes, so copies of a learner can share it

    def __getitem__(self, place: int) -> Concept:
        if not -self.size <= place < self.size:
            raise IndexError(f"there is no concept {place} in {self!r}")
        return self._concept(place % self.size)

    def __repr__(self) -> str:
        return f"<{self}: {count(self.size)} concepts>"

    def __iter__(self) -> Iterator[Concept]:
        self.expect_enumerable()
        return map(self._concept, range(self.size))

    def sample(self, count: int, *, seed: int = 0) -> list[Concept]:
        """Concepts drawn uniformly at random, with replacement."""
        dice = np.random.default_rng(seed)
        bits = self.size.bit_length() + 64  # 64 more than needed make the remainder nearly uniform
        draws = (int.from_bytes(dice.bytes(bits // 8 + 1), "little") for _ in range(count))
        return [self._concept(draw % self.size) for draw in draws]

    def evaluate(self, X: Any) -> Truths:
        """The value of each concept (a column) at each example (a row)."""
        rows = rows_of_examples(X)
        if len(rows) and rows.dim != self.n:
            raise BadExample(f"rows have {rows.dim} attributes, the concepts have {self.n}")
        examples = truths_of_columns(rows, np.arange(rows.dim))
        self.expect_enumerable()
        if self.size * len(examples) > MOST_ANSWERS:
            raise TooLarge(
                f"{self.size:,} concepts at {len(examples):,} examples have more than "
                f"{MOST_ANSWERS:,} values; evaluate fewer examples at a time"
            )
        out = np.zeros((len(examples), self.size), dtype=np.bool_)
        for row, x in zip(out, examples, strict=True):
            row[:] = unpacked(self._packed_values(x), self.size)
        return out

    def expect_enumerable(self) -> None:
        """Raise TooLarge if the concepts, a bit each, do not fit in memory."""
        if self.size > MOST_CONCEPTS:
            raise TooLarge(
                f"{self} has {count(self.size)} concepts, more than the {MOST_CONCEPTS:,} that can "
                "be enumerated; elimination and Winnow need no enumeration"
            )


def expect_class(given: Any) -> None:
    """Reject an empty class, and anything that is not a class, such as a list of formulas."""
    if not isinstance(given, ConceptClass):
        raise TypeError(
            f"expected a class of concepts, not {type(given).__name__}; make one with "
            "concept_list([...]) from formulas, or with conjunctions(n) and its like"
        )
    if given.size < 1:
        raise ValueError(f"{given}: the class has no concepts")


def expect_variables(n: int) -> None:
    """Reject a number of variables below 1."""
    if n < 1:
        raise ValueError(f"n must be at least 1, not {n}")


def words_for(size: int) -> Words:
    """Words with a 0 bit for each of `size` concepts."""
    return np.zeros((size + 63) // 64, dtype=np.uint64)


def packed(values: Truths) -> Words:
    """Truth values as the bits of words."""
    out = words_for(len(values))
    given = np.packbits(values, bitorder="little")
    out.view(np.uint8)[: len(given)] = given
    return out


def unpacked(words: Words, size: int) -> Truths:
    """The first `size` bits of words as truth values."""
    return np.unpackbits(words.view(np.uint8), count=size, bitorder="little").view(np.bool_)


def chosen(rank: int, k: int, n: int) -> tuple[int, ...]:
    """The set of k of 0 … n − 1 with this rank, in increasing order; the rank may be any size."""
    found, below = list[int](), n
    for j in range(k, 0, -1):
        # the largest c < below with C(c, j) ≤ rank
        below = bisect_right(range(below), rank, key=lambda c: comb(c, j)) - 1
        found.append(below)
        rank -= comb(below, j)
    return tuple(reversed(found))


def chosen_by_each(places: Positions, k: int, n: int) -> tuple[Positions, NDArray[np.uint64]]:
    """For each place, a row with the set whose rank is its remainder; and the quotients."""
    rounds, ranks = np.divmod(places.astype(np.uint64), np.uint64(min(comb(n, k), _MANY)))
    found = np.zeros((len(ranks), k), dtype=np.int64)
    for j in range(k, 0, -1):
        ways = _ways(j, n - k + j)
        found[:, j - 1] = np.searchsorted(ways, ranks, side="right") - 1
        ranks = ranks - ways[found[:, j - 1]]
    return found, rounds


@lru_cache(maxsize=64)
def _ways(j: int, most: int) -> NDArray[np.uint64]:
    """C(m, j) for each m below `most`: the number of sets of j whose largest is less than m."""
    return np.array([min(comb(m, j), _MANY) for m in range(most)], dtype=np.uint64)
