"""How hard a finite class is: its Littlestone and Vapnik–Chervonenkis dimensions, with witnesses.

A set of concepts is a Python integer with one bit for each concept. So is the column of an example:
the set of concepts that are true at it. Of examples that split the class in the same way only one
matters.
"""

from __future__ import annotations

from typing import NamedTuple, Self, TypeAlias

import numpy as np

from novikoff.concepts.classes import ConceptClass, TooLarge, expect_class
from novikoff.concepts.examples import Truths, every_example

Bits: TypeAlias = tuple[int, ...]

MOST_CONCEPTS = 1 << 13
MOST_ANSWERS = 1 << 25
MOST_SPLITS = 1 << 25  # of 512 concepts each: tens of seconds


class MistakeTree(NamedTuple):
    """An example, and the subtrees for the labels false and true: some concept fits each path."""

    x: Bits
    false: MistakeTree | None
    true: MistakeTree | None


def littlestone_dimension(concepts: ConceptClass) -> int:
    """The mistakes that an adversary can force on any learner, and that the best one never exceeds.

    It is the largest depth of a complete binary tree of examples each of whose paths some concept
    fits: VC ≤ d ≤ log₂|C| (Littlestone 1988, Section 3). Raises TooLarge for large classes.
    """
    found = Littlestone(concepts)
    return found.dimension(found.everyone)


def mistake_tree(concepts: ConceptClass) -> MistakeTree | None:
    """A tree as deep as the Littlestone dimension: any learner errs on some path all the way."""
    found = Littlestone(concepts)
    return found.tree(found.everyone, found.dimension(found.everyone))


def vc_dimension(concepts: ConceptClass) -> int:
    """The size of the largest set of examples that the class labels in every possible way."""
    return len(shattered(concepts))


def shattered(concepts: ConceptClass) -> list[Bits]:
    """A largest set of examples that the class labels in every possible way."""
    examples, columns = _columns(concepts)
    return [examples[i] for i in _largest_shattered(columns, (1 << concepts.size) - 1)]


def _columns(concepts: ConceptClass) -> tuple[list[Bits], list[int]]:
    """The examples that split the class in different ways, and the concepts true at each."""
    expect_class(concepts)
    if concepts.size > MOST_CONCEPTS:
        raise _too_large(concepts, f"it has more than {MOST_CONCEPTS:,} concepts")
    every = list(concepts)
    relevant = np.array(sorted({i - 1 for one in every for i in one.variables}), dtype=np.int64)
    if len(every) << len(relevant) > MOST_ANSWERS:
        raise _too_large(
            concepts,
            f"{len(every):,} concepts at 2^{len(relevant)} examples have more than "
            f"{MOST_ANSWERS:,} values",
        )
    examples = every_example(len(relevant))
    values = np.zeros((len(examples), len(every)), dtype=np.bool_)
    for j, one in enumerate(every):
        own = np.searchsorted(relevant, np.array(one.variables, dtype=np.int64) - 1)
        values[:, j] = one.values(examples[:, own])
    split = values ^ values[:, :1]  # the same for a column and its negation
    _, first = np.unique(np.packbits(split, axis=1), axis=0, return_index=True)
    kept = np.array([i for i in np.sort(first) if split[i].any()], dtype=np.int64)
    whole = np.zeros((len(kept), concepts.n), dtype=np.int64)
    whole[:, relevant] = kept[:, None] >> np.arange(len(relevant)) & 1
    return list(map(tuple, whole.tolist())), [mask(row) for row in values[kept]]


def mask(on: Truths) -> int:
    """The set of the places that are true."""
    return int.from_bytes(np.packbits(on, bitorder="little").tobytes(), "little")


def _too_large(concepts: ConceptClass, why: str) -> TooLarge:
    return TooLarge(
        f"{concepts}: {why}; dimensions and Optimal are for small classes, such as monotone "
        "conjunctions of up to 10 variables. Halving needs no dimension"
    )


class Littlestone:
    """The Littlestone dimensions of sets of concepts, computed once each."""

    def __init__(self, concepts: ConceptClass) -> None:
        self.examples, self.columns = _columns(concepts)
        self.everyone = (1 << concepts.size) - 1  # the set of all concepts
        self._reached: dict[int, int] = {}
        self._missed: dict[int, int] = {}
        self._splits = 0

    def __deepcopy__(self, _memo: object) -> Self:
        return self  # dimensions never change, so copies of a learner can share them

    def dimension(self, left: int) -> int:
        """The dimension of a set of concepts; −1 for the empty set."""
        if not left:
            return -1
        d = self._reached.get(left, 0)
        while self.reaches(left, d + 1):
            d += 1
        return d

    def reaches(self, left: int, d: int) -> bool:
        """Whether the dimension of the set is at least d."""
        if left.bit_count() < 1 << d or d >= self._missed.get(left, d + 1):
            return False
        if d <= self._reached.get(left, 0):
            return True
        known = self._missed if self._question(left, d) is None else self._reached
        known[left] = d
        return known is self._reached

    def tree(self, left: int, d: int) -> MistakeTree | None:
        """A mistake tree of depth d of a set that reaches d."""
        i = self._question(left, d) if d else None
        if i is None:
            return None
        true = left & self.columns[i]
        false = self.tree(left ^ true, d - 1)
        return MistakeTree(self.examples[i], false, self.tree(true, d - 1))

    def _question(self, left: int, d: int) -> int | None:
        """An example that splits the set into two that both reach d − 1."""
        cost = 1 + left.bit_length() // 512
        if self._splits > MOST_SPLITS:
            raise _not_found("Littlestone")
        tried = set[int]()
        for i, column in enumerate(self.columns):
            self._splits += cost
            true = left & column
            false = left ^ true
            fewer, more = (true, false) if true.bit_count() <= false.bit_count() else (false, true)
            if fewer.bit_count() < 1 << (d - 1) or fewer in tried:
                continue
            tried |= {fewer, more}
            if self.reaches(fewer, d - 1) and self.reaches(more, d - 1):
                return i
        return None


def _largest_shattered(columns: list[int], everyone: int) -> list[int]:
    """The places of the most columns that split the concepts in all ways.

    A column that leaves too small a part does so in every larger set too, so each set passes on
    only the columns that may still lead to a larger set than the best found.
    """
    best, splits = list[int](), 0

    def split(parts: list[int], i: int) -> list[int]:
        true = [part & columns[i] for part in parts]
        return true + [part ^ on for part, on in zip(parts, true, strict=True)]

    def may_grow(size: int, parts: list[int]) -> bool:
        """Whether it may grow larger than the best: m concepts can be halved log₂ m times."""
        fewest = min(part.bit_count() for part in parts)
        return size + fewest.bit_length() - 1 > len(best)

    def extend(chosen: list[int], parts: list[int], candidates: list[int]) -> None:
        nonlocal best, splits
        size = len(chosen) + 1
        if not may_grow(size - 1, parts):
            return
        splits += len(parts) * len(candidates) * (1 + parts[-1].bit_length() // 512)
        if splits > MOST_SPLITS:
            raise _not_found("VC")
        able = [i for i in candidates if may_grow(size, split(parts, i))]
        for k, i in enumerate(able):
            if size > len(best):  # no part is empty, or it would not be in `able`
                best = [*chosen, i]
            extend([*chosen, i], split(parts, i), able[k + 1 :])

    # start from a set found greedily, which for many classes is the largest there is
    parts, most = [everyone], everyone.bit_count().bit_length() - 1
    for i in range(len(columns)):
        finer = split(parts, i)
        fewest = min(part.bit_count() for part in finer)
        if fewest and len(best) + fewest.bit_length() == most:
            best, parts = [*best, i], finer
    extend([], [everyone], list(range(len(columns))))
    return best


def _not_found(name: str) -> TooLarge:
    return TooLarge(
        f"the {name} dimension takes more than {MOST_SPLITS:,} splits; take a smaller class, or "
        "Halving, which needs no dimension"
    )
