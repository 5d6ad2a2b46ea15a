"""Families whose concepts are sets of variables: conjunctions, disjunctions, parities, at least r.

A concept is a set of k of the n variables, each plain or negated, and what it says depends on how
many of these literals are true. So a family is a table of answers for each k, and one loop of the
compiled core asks them all.

Truth tables: any Boolean function of the first n variables, and all of them as a class.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import comb
from typing import Any

import numpy as np

from novikoff import _core
from novikoff.concepts.classes import (
    ConceptClass,
    TooLarge,
    Words,
    chosen,
    chosen_by_each,
    packed,
    words_for,
)
from novikoff.concepts.examples import Truths, number_of, shortened, truths
from novikoff.concepts.functions import AtLeast, Concept, Conjunction, Disjunction, Parity, variable
from novikoff.stream.problems import BadExample
from novikoff.stream.rows import Positions

_MOST_OF_ANY_SIZE = 1000  # variables, when the sets may have any number of them
_LARGEST_SET = 4096  # that the core asks about


@dataclass(frozen=True, slots=True)
class Group:
    """The sets of k variables: what they say by how many literals are true, and their signs.

    `make` writes the concept of some literals; pattern s of `signs` negates the variable in place
    j, from the smallest, where its bit j is 1.
    """

    k: int
    table: tuple[bool, ...]
    signed: bool
    make: Callable[[tuple[int, ...]], Concept]

    def patterns(self) -> int:
        """How many ways there are to negate some of the k variables."""
        return 1 << self.k if self.signed else 1


class Subsets(ConceptClass):
    """Sets of variables in groups, smaller sets first as the groups come.

    Within a group the patterns of signs come one after another, and for each the sets in the order
    of their largest variable, then of the next.
    """

    def __init__(self, name: str, n: int, groups: Sequence[Group]) -> None:
        self._name, self.n, self._groups = name, n, tuple(groups)
        self._sizes = [comb(n, group.k) * group.patterns() for group in self._groups]
        self.size = sum(self._sizes)

    def __str__(self) -> str:
        return self._name

    def concept(self, place: int) -> Concept:
        """The concept at this place."""
        self.expect_place(place)
        at = 0
        while place >= self._sizes[at]:
            place -= self._sizes[at]
            at += 1
        group = self._groups[at]
        pattern, rank = divmod(place, comb(self.n, group.k))
        variables = enumerate(chosen(rank, group.k, self.n))
        return group.make(tuple(-c - 1 if pattern >> j & 1 else c + 1 for j, c in variables))

    def say(self, x: Truths) -> Words:
        """What every concept says of the example, as bits."""
        self.expect_enumerable()
        x = truths(x, self.n)
        out, at = words_for(self.size), 0
        bits, turned = packed(x), packed(~x)
        for group, size in zip(self._groups, self._sizes, strict=True):
            _core.say(
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
        """Refuse a class with more concepts than memory has bits for, or of too many literals."""
        super().expect_enumerable()
        if (k := self._groups[-1].k) > _LARGEST_SET:
            raise TooLarge(f"{self}: a set has {k:,} variables, more than {_LARGEST_SET:,}")

    def say_some(self, places: Positions, x: Truths) -> Truths:
        """What the concepts at these places say of the example."""
        x = truths(x, self.n)
        out = np.zeros(len(places), dtype=np.bool_)
        at = 0
        for group, size in zip(self._groups, self._sizes, strict=True):
            here = np.flatnonzero((places >= at) & (places < at + size))
            if len(here):
                columns, pattern = chosen_by_each(places[here] - at, group.k, self.n)
                # NumPy shifts by more bits than there are to 0
                negated = (pattern[:, None] >> np.arange(group.k, dtype=np.uint64)) & 1 == 1
                true = (x[columns] ^ negated).sum(axis=1)
                out[here] = np.array(group.table, dtype=np.bool_)[true]
            at += size
        return out


def conjunctions(n: int, *, k: int | None = None, monotone: bool = False) -> Subsets:
    """Conjunctions of literals over n variables: 3ⁿ, of exactly k variables 2ᵏ·C(n, k).

    With `monotone` no variable is negated: 2ⁿ and C(n, k). That of no literals is ⊤.

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
    """Parities of some of n variables: 2ⁿ, of exactly k of them C(n, k)."""
    return _family(
        "parities", n, k, False, lambda j: tuple(i % 2 == 1 for i in range(j + 1)), Parity
    )


def at_least(r: int, n: int, *, k: int | None = None) -> Subsets:
    """At least r of some k of n variables are on: C(n, k); of any number of variables from r on."""
    if r < 1:
        raise ValueError(f"at least {r} of the variables says nothing: r counts from 1")
    sizes = [j for j in _sizes(n, k) if j >= r]
    if not sizes:
        raise ValueError(f"at least {r} of {n if k is None else k} variables is never true")
    return Subsets(
        f"at least {r} of {_some(k)}{n} variables",
        n,
        [
            Group(j, tuple(i >= r for i in range(j + 1)), False, lambda some: AtLeast(some, r))
            for j in sizes
        ],
    )


def _family(
    kind: str,
    n: int,
    k: int | None,
    signed: bool,
    table: Callable[[int], tuple[bool, ...]],
    make: Callable[[tuple[int, ...]], Concept],
) -> Subsets:
    groups = [Group(j, table(j), signed, make) for j in _sizes(n, k)]
    return Subsets(f"{kind} of {_some(k)}{n} variables", n, groups)


def _some(k: int | None) -> str:
    return "" if k is None else f"{k} of "


def _sizes(n: int, k: int | None) -> Sequence[int]:
    """How many variables a set can have: k, or any number up to n."""
    if n < 1:
        raise ValueError(f"there must be at least one variable, got {n=}")
    if k is not None:
        if not 0 <= k <= n:
            raise ValueError(f"need 0 <= k <= n, got {n=} and {k=}")
        return [k]
    if n > _MOST_OF_ANY_SIZE:
        raise TooLarge(
            f"sets of any number of {n:,} variables are more than is counted here; "
            f"give k, or at most {_MOST_OF_ANY_SIZE:,} variables"
        )
    return range(n + 1)


MOST_TABLED = 20  # variables: a table of a million bits


@dataclass(frozen=True, eq=False)
class TruthTable(Concept):
    """Any function of x₁ … xₙ: bit j of `bits` is its value at example j.

    Examples are numbered as `every_example` gives them: variable i is bit i − 1 of j. So a table
    is written from the example 00…0 on, x₁ changing fastest.

    >>> print(TruthTable(2, 0b0010))
    table 0100 of x₁, x₂
    """

    n: int
    bits: int
    _table: Truths = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not 1 <= self.n <= MOST_TABLED:
            raise ValueError(f"a truth table has 1 to {MOST_TABLED} variables, not {self.n}")
        if not 0 <= self.bits < 1 << (1 << self.n):
            raise ValueError(f"a table of {self.n} variables is a number of {1 << self.n} bits")
        given = self.bits.to_bytes(max(1, (1 << self.n) // 8), "little")
        bits = np.frombuffer(given, dtype=np.uint8)
        table = np.unpackbits(bits, count=1 << self.n, bitorder="little")
        object.__setattr__(self, "_table", table.astype(np.bool_))

    @property
    def variables(self) -> tuple[int, ...]:
        """x₁ … xₙ."""
        return tuple(range(1, self.n + 1))

    def of(self, values: Truths) -> Truths:
        """What the table says of each row."""
        return self._table[number_of(values)]

    def __str__(self) -> str:
        digits = "".join("01"[value] for value in self._table.tolist())
        return f"table {digits} of {', '.join(map(variable, self.variables))}"


def truth_table(values: Any) -> TruthTable:
    """The function with these 2ⁿ values, numbers 0 and 1 or a text, in the order of the examples.

    >>> truth_table("0001")([1, 1])
    True
    """
    try:
        given = truths(values)
    except BadExample:
        raise ValueError(
            f"{shortened(repr(values))} is no truth table: give 2ⁿ values 0 and 1, such as '0110'"
        ) from None
    n = len(given).bit_length() - 1
    if len(given) != 1 << max(n, 1):
        raise ValueError(f"a truth table has 2, 4, 8, … values, not {len(given)}")
    return TruthTable(n, int.from_bytes(np.packbits(given, bitorder="little").tobytes(), "little"))


class AllFunctions(ConceptClass):
    """Every Boolean function of n variables; place and bits of the table are one number."""

    def __init__(self, n: int) -> None:
        if not 1 <= n <= MOST_TABLED:
            raise ValueError(f"all functions of 1 to {MOST_TABLED} variables, not of {n}")
        self.n, self.size = n, 1 << (1 << n)

    def __str__(self) -> str:
        return f"all functions of {self.n} variable{'s' * (self.n > 1)}"

    def concept(self, place: int) -> Concept:
        """The function whose table is the place, in binary."""
        self.expect_place(place)
        return TruthTable(self.n, place)

    def say(self, x: Truths) -> Words:
        """What every function says of the example, as bits."""
        self.expect_enumerable()
        return packed(self.say_some(np.arange(self.size, dtype=np.int64), x))

    def say_some(self, places: Positions, x: Truths) -> Truths:
        """What the functions at these places say of the example."""
        j = int(number_of(truths(x, self.n)[None, :])[0])
        found: Truths = (places >> j) & 1 == 1  # NumPy shifts by more bits than there are to 0
        return found


def all_functions(n: int) -> AllFunctions:
    """All 2^(2ⁿ) Boolean functions of n variables; up to 4 of them can be enumerated.

    Nothing can be learned of this class but what was seen: a learner can be made to err on each of
    the 2ⁿ examples.

    >>> all_functions(4)
    <all functions of 4 variables: 65,536 concepts>
    """
    return AllFunctions(n)
