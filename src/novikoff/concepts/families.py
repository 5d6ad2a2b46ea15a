"""Classes of concepts: conjunctions, disjunctions, parities, at least r; all functions; any list.

In the first four a concept is a set of k of the n variables, each plain or negated, and its value
depends on how many of these literals are true. So such a class is a table of values for each k,
and one loop of the compiled core evaluates all its concepts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Group:
    """The concepts on k variables: their values by the number of true literals, and their signs.

    `make` builds a concept from literals. With `signed`, sign pattern s negates the j-th smallest
    variable if bit j of s is 1.
    """

    k: int
    table: tuple[bool, ...]
    signed: bool
    make: Callable[[tuple[int, ...]], Concept]

    def patterns(self) -> int:
        """The number of ways to negate some of the k variables."""
        return 1 << self.k if self.signed else 1


class Subsets(ConceptClass):
    """Sets of variables, in groups of equal size.

    Within a group the sign patterns come one after another, and for each the sets by rank.
    """

    def __init__(self, name: str, n: int, groups: Sequence[Group]) -> None:
        self._name, self.n, self._groups = name, n, tuple(groups)
        self._sizes = [comb(n, group.k) * group.patterns() for group in self._groups]
        self.size = sum(self._sizes)

    def __str__(self) -> str:
        return self._name

    def _concept(self, place: int) -> Concept:
        at = 0
        while place >= self._sizes[at]:
            place -= self._sizes[at]
            at += 1
        group = self._groups[at]
        pattern, rank = divmod(place, comb(self.n, group.k))
        variables = enumerate(chosen(rank, group.k, self.n))
        return group.make(tuple(-c - 1 if pattern >> j & 1 else c + 1 for j, c in variables))

    def _packed_values(self, x: Truths) -> Words:
        out, at = words_for(self.size), 0
        bits, turned = packed(x), packed(~x)
        for group, size in zip(self._groups, self._sizes, strict=True):
            _core.evaluate_subsets(
                x=bits,
                turned=turned,
                n=self.n,
                k=group.k,
                signs=np.arange(group.patterns(), dtype=np.uint64),
                table=np.array(group.table, dtype=np.bool_),
                at=at,
                out=out,
            )
            at += size
        return out

    def expect_enumerable(self) -> None:
        """Raise TooLarge if the class has too many concepts, or too large sets, to enumerate."""
        super().expect_enumerable()
        if (k := self._groups[-1].k) > _LARGEST_SET:
            raise TooLarge(f"{self}: a set has {k:,} variables, more than {_LARGEST_SET:,}")

    def _values(self, places: Positions, x: Truths) -> Truths:
        out = np.zeros(len(places), dtype=np.bool_)
        at = 0
        for group, size in zip(self._groups, self._sizes, strict=True):
            here = np.flatnonzero((places >= at) & (places < at + size))
            if len(here):
                columns, pattern = chosen_by_each(places[here] - at, group.k, self.n)
                # NumPy's shift by more bits than a number has gives 0
                negated = (pattern[:, None] >> np.arange(group.k, dtype=np.uint64)) & 1 == 1
                true = (x[columns] ^ negated).sum(axis=1)
                out[here] = np.array(group.table, dtype=np.bool_)[true]
            at += size
        return out


def conjunctions(n: int, *, k: int | None = None, monotone: bool = False) -> Subsets:
    """Conjunctions of literals over n variables: 3ⁿ, or 2ᵏ·C(n, k) of exactly k variables.

    With `monotone` no variable is negated: 2ⁿ and C(n, k). The empty conjunction is ⊤.

    >>> conjunctions(100, k=5, monotone=True)
    <monotone conjunctions of 5 of 100 variables: 75,287,520 concepts>
    """
    kind = "monotone conjunctions" if monotone else "conjunctions"
    return _family(kind, n, k, not monotone, lambda j: (False,) * j + (True,), Conjunction)


def disjunctions(n: int, *, k: int | None = None, monotone: bool = False) -> Subsets:
    """Disjunctions of literals over n variables, as many as there are `conjunctions`."""
    kind = "monotone disjunctions" if monotone else "disjunctions"
    return _family(kind, n, k, not monotone, lambda j: (False,) + (True,) * j, Disjunction)


def parities(n: int, *, k: int | None = None) -> Subsets:
    """Parities of some of n variables: 2ⁿ, or C(n, k) of exactly k of them."""
    return _family(
        "parities", n, k, False, lambda j: tuple(i % 2 == 1 for i in range(j + 1)), Parity
    )


def at_least(r: int, n: int, *, k: int | None = None) -> Subsets:
    """At least r of k of the n variables are 1: C(n, k) concepts; without k, of any k ≥ r."""
    if r < 1:
        raise ValueError(f"r must be at least 1, not {r}")
    if r > (n if k is None else k):
        raise ValueError(f"at least {r} of {n if k is None else k} variables is never true")
    return _family(
        f"at least {r}",
        n,
        k,
        False,
        lambda j: tuple(i >= r for i in range(j + 1)),
        lambda variables: AtLeast(variables, r),
        smallest=r,
    )


def _family(
    kind: str,
    n: int,
    k: int | None,
    signed: bool,
    table: Callable[[int], tuple[bool, ...]],
    make: Callable[[tuple[int, ...]], Concept],
    smallest: int = 0,
) -> Subsets:
    """The class of all sets of k variables, or of any number from `smallest` on."""
    expect_variables(n)
    if k is not None and not 0 <= k <= n:
        raise ValueError(f"k must be from 0 to {n}, the number of variables, not {k}")
    if k is None and n > _MOST_OF_ANY_SIZE:
        raise TooLarge(
            f"there are too many sets of {n:,} variables; "
            f"give k, or at most {_MOST_OF_ANY_SIZE:,} variables"
        )
    groups = [
        Group(j, table(j), signed, make) for j in (range(smallest, n + 1) if k is None else [k])
    ]
    return Subsets(f"{kind} of {'' if k is None else f'{k} of '}{n} variables", n, groups)


class _AllFunctions(ConceptClass):
    """The place of a function is its truth table, in binary."""

    def __init__(self, n: int) -> None:
        if not 1 <= n <= MOST_TABLED:
            raise ValueError(f"n must be from 1 to {MOST_TABLED}, not {n}")
        self.n, self.size = n, 1 << (1 << n)

    def __str__(self) -> str:
        return f"all functions of {plural(self.n, 'variable')}"

    def _concept(self, place: int) -> Concept:
        return TruthTable(self.n, place)

    def _values(self, places: Positions, x: Truths) -> Truths:
        j = int(number_of(x[None, :])[0])
        found: Truths = (places >> j) & 1 == 1  # NumPy's shift by more than 63 bits gives 0
        return found


def all_functions(n: int) -> ConceptClass:
    """All 2^(2ⁿ) Boolean functions of n variables; up to n = 4 they can be enumerated.

    The examples seen say nothing about the others, so an adversary can make any learner err on
    each of the 2ⁿ examples.

    >>> all_functions(4)
    <all functions of 4 variables: 65,536 concepts>
    """
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

    def __str__(self) -> str:
        return f"a list over {plural(self.n, 'variable')}"

    def _concept(self, place: int) -> Concept:
        return self._concepts[place]

    def _values(self, places: Positions, x: Truths) -> Truths:
        if self._tables is None:
            return np.array([self._concepts[i](x) for i in places.tolist()], dtype=np.bool_)
        j = int(number_of(x[None, :])[0])
        found: Truths = (self._tables[places, j // 8] >> (j % 8)) & 1 == 1
        return found


def concept_list(concepts: Iterable[Any], n: int | None = None) -> ConceptClass:
    """The class of the given concepts, in order: objects, formulas as texts, or truth tables.

    Of duplicates the first one stays. Up to 12 variables concepts with the same truth table are
    duplicates; beyond, concepts with the same formula.

    Parameters
    ----------
    concepts
        At least one. A truth table is a sequence of numbers 0 and 1, as for `truth_table`.
    n
        The number of variables; by default the largest that a concept depends on.

    Examples
    --------
    >>> few = concept_list(["x1 & x2", "at least 2 of (x1, x2)", [0, 1, 1, 0]])
    >>> [str(concept) for concept in few]
    ['x₁ ∧ x₂', 'table 0110 of x₁, x₂']
    """
    return _Listed(concepts, n)


def _concept(given: Any, at: int) -> Concept:
    if isinstance(given, Concept):
        return given
    try:
        return parse(given) if isinstance(given, str) else truth_table(given)
    except ValueError as error:
        raise type(error)(f"concept {at} of the list: {error}") from None
