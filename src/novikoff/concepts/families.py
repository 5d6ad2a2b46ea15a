"""Classes of concepts: conjunctions, disjunctions, parities, at least r; all functions; any list.

In the first four a concept is a set of variables, each plain or negated, and its value depends on
how many of these literals are true: one loop of the compiled core evaluates all.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from itertools import accumulate, pairwise
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff import _core
from novikoff.concepts.classes import (
    MOST_ANSWERS,
    ConceptClass,
    TooLarge,
    Words,
    chosen,
    chosen_by_each,
    expect_variables,
    packed,
    words_for,
)
from novikoff.concepts.examples import Truths, every_example, number_of
from novikoff.concepts.formulas import parse
from novikoff.concepts.functions import (
    MOST_TABLED,
    AtLeast,
    Concept,
    Conjunction,
    Disjunction,
    Parity,
    TruthTable,
    expect_width,
    truth_table,
)
from novikoff.stream.printing import plural
from novikoff.stream.rows import Positions

_MOST_OF_ANY_SIZE = 1000  # variables, when the sets may have any size
_LARGEST_SET = 4096  # that the core evaluates
_MOST_COMPARED = 12  # variables: the truth table of a concept takes half a kilobyte


class Subsets(ConceptClass):
    """Sets of k of n variables, or of any number of them, some negated if `signed`.

    `table(k)` has the values of a concept by the number of its true literals; `make` builds it from
    its literals. Within a group of equal k the sign patterns come one after another, and for each
    the sets by rank. Pattern s negates the j-th smallest variable if bit j of s is 1.
    """

    def __init__(
        self,
        kind: str,
        n: int,
        k: int | None,
        table: Callable[[int], list[bool]],
        make: Callable[[tuple[int, ...]], Concept],
        *,
        signed: bool = False,
        smallest: int = 0,
    ) -> None:
        expect_variables(n)
        if k is not None and not 0 <= k <= n:
            raise ValueError(f"k must be from 0 to {n}, the number of variables, not {k}")
        if k is None and n > _MOST_OF_ANY_SIZE:
            raise TooLarge(
                f"there are too many sets of {n:,} variables; "
                f"give k, or at most {_MOST_OF_ANY_SIZE:,} variables"
            )
        self.name = f"{kind} of {'' if k is None else f'{k} of '}{n} variables"
        self.n, self._make, self._signed = n, make, signed
        self._ks = range(smallest, n + 1) if k is None else range(k, k + 1)
        self._tables = {j: np.array(table(j), dtype=np.bool_) for j in self._ks}
        self._starts = [0, *accumulate(comb(n, j) << (j if signed else 0) for j in self._ks)]
        self.size = self._starts[-1]

    def _concept(self, place: int) -> Concept:
        at = bisect_right(self._starts, place) - 1
        k = self._ks[at]
        pattern, rank = divmod(place - self._starts[at], comb(self.n, k))
        variables = enumerate(chosen(rank, k, self.n))
        return self._make(tuple(-c - 1 if pattern >> j & 1 else c + 1 for j, c in variables))

    def _packed_values(self, x: Truths) -> Words:
        out, bits, turned = words_for(self.size), packed(x), packed(~x)
        for k, at in zip(self._ks, self._starts, strict=False):
            _core.evaluate_subsets(
                x=bits,
                turned=turned,
                n=self.n,
                k=k,
                signs=np.arange(1 << k if self._signed else 1, dtype=np.uint64),
                table=self._tables[k],
                at=at,
                out=out,
            )
        return out

    def expect_enumerable(self) -> None:
        """Raise TooLarge if the class has too many concepts, or too large sets, to enumerate."""
        super().expect_enumerable()
        if (k := self._ks[-1]) > _LARGEST_SET:
            raise TooLarge(f"{self}: a set has {k:,} variables, more than {_LARGEST_SET:,}")

    def _values(self, places: Positions, x: Truths) -> Truths:
        out = np.zeros(len(places), dtype=np.bool_)
        for k, (at, end) in zip(self._ks, pairwise(self._starts), strict=True):
            here = np.flatnonzero((places >= at) & (places < end))
            if len(here):
                columns, pattern = chosen_by_each(places[here] - at, k, self.n)
                # NumPy's shift by more bits than a number has gives 0
                negated = (pattern[:, None] >> np.arange(k, dtype=np.uint64)) & 1 == 1
                out[here] = self._tables[k][(x[columns] ^ negated).sum(axis=1)]
        return out


def conjunctions(n: int, *, k: int | None = None, monotone: bool = False) -> Subsets:
    """Conjunctions over n variables: 3ⁿ, or 2ᵏ·C(n, k) of k; `monotone`: 2ⁿ and C(n, k)."""
    kind = "monotone conjunctions" if monotone else "conjunctions"
    return Subsets(kind, n, k, lambda j: [False] * j + [True], Conjunction, signed=not monotone)


def disjunctions(n: int, *, k: int | None = None, monotone: bool = False) -> Subsets:
    """Disjunctions of literals over n variables, as many as there are `conjunctions`."""
    kind = "monotone disjunctions" if monotone else "disjunctions"
    return Subsets(kind, n, k, lambda j: [False] + [True] * j, Disjunction, signed=not monotone)


def parities(n: int, *, k: int | None = None) -> Subsets:
    """Parities of some of n variables: 2ⁿ, or C(n, k) of exactly k of them."""
    return Subsets("parities", n, k, lambda j: [i % 2 == 1 for i in range(j + 1)], Parity)


def at_least(r: int, n: int, *, k: int | None = None) -> Subsets:
    """At least r of k of the n variables are 1: C(n, k) concepts; without k, of any k ≥ r."""
    if r < 1:
        raise ValueError(f"r must be at least 1, not {r}")
    if r > (n if k is None else k):
        raise ValueError(f"at least {r} of {n if k is None else k} variables is never true")

    def make(variables: tuple[int, ...]) -> Concept:
        return AtLeast(variables, r)

    def table(j: int) -> list[bool]:
        return [i >= r for i in range(j + 1)]

    return Subsets(f"at least {r}", n, k, table, make, smallest=r)


class _AllFunctions(ConceptClass):
    """The place of a function is its truth table, in binary."""

    def __init__(self, n: int) -> None:
        if not 1 <= n <= MOST_TABLED:
            raise ValueError(f"n must be from 1 to {MOST_TABLED}, not {n}")
        self.name = f"all functions of {plural(n, 'variable')}"
        self.n, self.size = n, 1 << (1 << n)

    def _concept(self, place: int) -> Concept:
        return TruthTable(self.n, place)

    def _values(self, places: Positions, x: Truths) -> Truths:
        j = int(number_of(x[None, :])[0])
        return np.asarray((places >> j) & 1 == 1)  # NumPy's shift by more than 63 bits gives 0


def all_functions(n: int) -> ConceptClass:
    """All 2^(2ⁿ) Boolean functions of n variables; up to n = 4 they can be enumerated."""
    return _AllFunctions(n)


class _Listed(ConceptClass):
    def __init__(self, concepts: Iterable[Any], n: int | None = None) -> None:
        if isinstance(concepts, str):
            raise TypeError(f"{concepts!r} is one formula; give a list: [{concepts!r}]")
        given = [_concept(one, at) for at, one in enumerate(concepts)]
        if not given:
            raise ValueError("the list is empty; give at least one concept")
        widest = max(given, key=lambda concept: concept.width)
        self.n = max(1, widest.width) if n is None else expect_width(widest, n)
        self.name = f"a list over {plural(self.n, 'variable')}"
        expect_variables(self.n)
        self._concepts = list(dict.fromkeys(given))
        self._tables: NDArray[np.uint8] | None = None  # the truth tables as bits, a row each
        if self.n <= _MOST_COMPARED and len(self._concepts) << self.n <= MOST_ANSWERS:
            examples, by_table = every_example(self.n), dict[bytes, Concept]()
            for one in self._concepts:
                table = np.packbits(one.evaluate(examples), bitorder="little")
                by_table.setdefault(table.tobytes(), one)
            self._concepts = list(by_table.values())
            self._tables = np.stack([np.frombuffer(table, dtype=np.uint8) for table in by_table])
        self.size = len(self._concepts)

    def _concept(self, place: int) -> Concept:
        return self._concepts[place]

    def _values(self, places: Positions, x: Truths) -> Truths:
        if self._tables is None:
            return np.array([self._concepts[i](x) for i in places.tolist()], dtype=np.bool_)
        j = int(number_of(x[None, :])[0])
        return np.asarray((self._tables[places, j // 8] >> (j % 8)) & 1 == 1)


def concept_list(concepts: Iterable[Any], n: int | None = None) -> ConceptClass:
    """The class of the given concepts, in order: objects, formulas as texts, or truth tables.

    By default `n` is the largest variable that a concept depends on. Of duplicates the first one
    stays: up to 12 variables those with the same truth table, beyond those with the same formula.
    """
    return _Listed(concepts, n)


def _concept(given: Any, at: int) -> Concept:
    if isinstance(given, Concept):
        return given
    try:
        return parse(given) if isinstance(given, str) else truth_table(given)
    except ValueError as error:
        raise type(error)(f"concept {at} of the list: {error}") from None
