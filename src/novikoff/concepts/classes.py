"""Finite classes of concepts: counted, enumerated, sampled, and evaluated all at once.

Conjunctions, disjunctions, parities and "at least r" are sets of variables, each plain or negated,
whose value depends on how many of these literals are true: one loop of the compiled core evaluates
all. Other classes are decision lists, linear thresholds, all functions, and any list.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from itertools import accumulate, combinations_with_replacement, pairwise, permutations, product
from math import comb
from operator import add
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from novikoff import _core
from novikoff.concepts import functions
from novikoff.concepts.examples import Truths, every_example, number_of, truths, truths_of_columns
from novikoff.concepts.formulas import parse
from novikoff.concepts.functions import Concept, DecisionList, LinearThreshold, TruthTable
from novikoff.stream.input_problems import BadExample
from novikoff.stream.printing import count, plural
from novikoff.stream.rows import Positions

Words: TypeAlias = NDArray[np.uint64]
Integers: TypeAlias = NDArray[np.int64]

MOST_CONCEPTS = 1 << 31  # a set of them takes 256 MB
MOST_ANSWERS = 1 << 28
_MANY = (1 << 64) - 1  # larger than any rank in an array of signed 64-bit integers
_MOST_OF_ANY_SIZE = 1000  # variables of decision lists, or of sets of any size
_LARGEST_SET = 4096  # that the core evaluates
_MOST_COMPARED = 12  # variables: the truth table of a concept takes half a kilobyte
# linear thresholds of n variables, too many to enumerate: OEIS A000609; n = 9 by Gruzling (2006)
_COUNTS = {6: 15028134, 7: 8378070864, 8: 17561539552946, 9: 144130531453121108}
_MOST_ENUMERATED = 5
_LARGEST_WEIGHT = 5  # enough for every threshold function of five variables


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
        examples = truths_of_columns(X)
        if len(examples) and examples.shape[1] != self.n:
            wide = examples.shape[1]
            raise BadExample(f"rows have {wide} attributes, the concepts have {self.n}")
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


class Subsets(ConceptClass):
    """Sets of k of n variables, or of any number of them, some negated if `signed`.

    `make` builds a concept from its literals, of which only the number that are true may matter.
    Within a group of equal k the sign patterns come one after another, and for each the sets by
    rank. Pattern s negates the j-th smallest variable if bit j of s is 1.
    """

    def __init__(
        self,
        kind: str,
        n: int,
        k: int | None,
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
        self._starts = [0, *accumulate(comb(n, j) << (j if signed else 0) for j in self._ks)]
        self.size = self._starts[-1]

    def _concept(self, place: int) -> Concept:
        at = bisect_right(self._starts, place) - 1
        k = self._ks[at]
        pattern, rank = divmod(place - self._starts[at], comb(self.n, k))
        variables = enumerate(chosen(rank, k, self.n))
        return self._make(tuple(-c - 1 if pattern >> j & 1 else c + 1 for j, c in variables))

    def _packed_values(self, x: Truths) -> Words:
        out = words_for(self.size)
        x_and_out: dict[str, Any] = {"x": packed(x), "turned": packed(~x), "n": self.n, "out": out}
        for k, at in zip(self._ks, self._starts, strict=False):
            signs = np.arange(1 << k if self._signed else 1, dtype=np.uint64)
            _core.evaluate_subsets(
                k=k, at=at, signs=signs, table=_by_count(self._make, k), **x_and_out
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
                out[here] = _by_count(self._make, k)[(x[columns] ^ negated).sum(axis=1)]
        return out


@lru_cache(maxsize=256)
def _by_count(make: Callable[[tuple[int, ...]], Concept], k: int) -> Truths:
    """The value of a concept of k literals by how many of these are true."""
    return make(tuple(range(1, k + 1))).values(np.tri(k + 1, k, -1, dtype=np.bool_))


def conjunctions(n: int, *, k: int | None = None, monotone: bool = False) -> Subsets:
    """Conjunctions over n variables: 3ⁿ, or 2ᵏ·C(n, k) of k; `monotone`: 2ⁿ and C(n, k)."""
    kind = f"{'monotone ' * monotone}conjunctions"
    return Subsets(kind, n, k, functions.Conjunction, signed=not monotone)


def disjunctions(n: int, *, k: int | None = None, monotone: bool = False) -> Subsets:
    """Disjunctions of literals over n variables, as many as there are `conjunctions`."""
    kind = f"{'monotone ' * monotone}disjunctions"
    return Subsets(kind, n, k, functions.Disjunction, signed=not monotone)


def parities(n: int, *, k: int | None = None) -> Subsets:
    """Parities of some of n variables: 2ⁿ, or C(n, k) of exactly k of them."""
    return Subsets("parities", n, k, functions.Parity)


def at_least(r: int, n: int, *, k: int | None = None) -> Subsets:
    """At least r of k of the n variables are 1: C(n, k) concepts; without k, of any k ≥ r."""
    if r < 1:
        raise ValueError(f"r must be at least 1, not {r}")
    if r > (n if k is None else k):
        raise ValueError(f"at least {r} of {n if k is None else k} variables is never true")
    return Subsets(f"at least {r}", n, k, partial(functions.AtLeast, r=r), smallest=r)


class _DecisionLists(ConceptClass):
    """The functions that decision lists over n variables compute (docs/proofs.md).

    The order of places: ⊥ and ⊤, then by the number of variables, their set, signs, first value,
    layers.
    """

    def __init__(self, n: int) -> None:
        expect_variables(n)
        if n > _MOST_OF_ANY_SIZE:
            raise TooLarge(f"decision lists can have up to {_MOST_OF_ANY_SIZE} variables, not {n}")
        self.name, self.n = f"decision lists of {plural(n, 'variable')}", n
        self._layerings = _layerings_up_to(n)
        sizes = (comb(n, j) * len(_firsts(j)) * self._layerings[j] << j for j in range(1, n + 1))
        self._starts = list(accumulate(sizes, initial=2))  # of the lists of j + 1 variables
        self.size = self._starts[-1]

    def _concept(self, place: int) -> DecisionList:
        if place < 2:
            return DecisionList((), place == 1)
        j = bisect_right(self._starts, place)
        place, layering = divmod(place - self._starts[j - 1], self._layerings[j])
        place, first = divmod(place, len(_firsts(j)))
        which, signs = divmod(place, 1 << j)
        columns = chosen(which, j, self.n)
        value, rules = _firsts(j)[first], list[tuple[int, bool]]()
        for layer in self._layers(tuple(range(j)), layering):
            rules += [((-1 if signs >> i & 1 else 1) * (columns[i] + 1), value) for i in layer]
            value = not value
        return DecisionList(tuple(rules), value)

    def _packed_values(self, x: Truths) -> Words:
        values = [np.array([False, True])]
        for j in range(1, self.n + 1):
            flips = np.arange(1 << j)
            for number in self._numbers(j, x).tolist():
                as_first = _table(j)[number ^ flips]
                values.append((as_first[:, None, :] == np.array(_firsts(j))[:, None]).ravel())
        return packed(np.concatenate(values))

    def _values(self, places: Positions, x: Truths) -> Truths:
        self.expect_enumerable()
        out: Truths = places == 1
        for j, (at, end) in enumerate(pairwise(self._starts), start=1):
            here = np.flatnonzero((places >= at) & (places < end))
            if len(here):
                shape = (comb(self.n, j), 1 << j, len(_firsts(j)), self._layerings[j])
                which, signs, first, layering = np.unravel_index(places[here] - at, shape)
                as_first = _table(j)[self._numbers(j, x)[which] ^ signs, layering]
                out[here] = as_first == np.array(_firsts(j))[first]
        return out

    def _numbers(self, j: int, x: Truths) -> Positions:
        """The example restricted to each set of j variables, as a number."""
        sets, _ = chosen_by_each(np.arange(comb(self.n, j)), j, self.n)
        return number_of(x[sets])

    def _layers(self, left: tuple[int, ...], layering: int) -> Iterator[tuple[int, ...]]:
        """The layers of these variables in the layering with this number."""
        while layering:
            layering -= 1
            size = 1
            while layering >= (ways := comb(len(left), size) * self._layerings[len(left) - size]):
                layering -= ways
                size += 1
            which, layering = divmod(layering, self._layerings[len(left) - size])
            layer = tuple(left[i] for i in chosen(which, size, len(left)))
            left = tuple(i for i in left if i not in layer)
            yield layer
        yield left


@lru_cache(maxsize=16)
def _table(j: int) -> Truths:
    """For each assignment of j literals and each layering, whether it has the first value."""
    depths = _depths(j)
    firsts = (depths[:, [*true, True]].min(axis=1) for true in every_example(j))
    return np.stack([first % 2 == 0 for first in firsts])


@lru_cache(maxsize=16)
def _depths(j: int) -> NDArray[np.int8]:
    """For each layering of j variables the layer of each, and the number of layers last."""
    blocks = [np.array([[0] * j + [1]], dtype=np.int8)]
    for size in range(1, j - 1):
        rest = _depths(j - size) + np.int8(1)
        for layer in chosen_by_each(np.arange(comb(j, size)), size, j)[0]:
            block = np.zeros((len(rest), j + 1), dtype=np.int8)
            block[:, np.setdiff1d(np.arange(j + 1), layer)] = rest
            blocks.append(block)
    return np.concatenate(blocks)


def _firsts(j: int) -> tuple[bool, ...]:
    """The values of the first layer; a single literal has both already by its sign."""
    return (True,) if j == 1 else (False, True)


def _layerings_up_to(n: int) -> list[int]:
    """For each j ≤ n, in how many ways j variables split into layers, the last of at least two."""
    ways = [0, 1]  # a single variable is a last layer only if it is the only variable
    choose = [1, 1]
    for j in range(2, n + 1):
        choose = [1, *map(add, choose, choose[1:]), 1]
        ways.append(1 + sum(choose[size] * ways[j - size] for size in range(1, j - 1)))
    return ways


def decision_lists(n: int) -> ConceptClass:
    """The functions of 1-decision lists over n variables: 4, 14, 96, 1050, 15036 and so on.

    Up to n = 8 they can be enumerated; for larger n they can be counted, indexed and sampled.
    References: Rivest (1987). Jarrah, Raposa & Laubenbacher (2007) count those that depend on all
    variables (OEIS A005612); the layers are those of Li and others (2013).
    """
    return _DecisionLists(n)


class _LinearThresholds(ConceptClass):
    """The functions in the order of their truth tables, each with the smallest weights found."""

    def __init__(self, n: int) -> None:
        expect_variables(n)
        if n > _MOST_ENUMERATED:
            count = f": {_COUNTS[n]:,}" if n in _COUNTS else ""
            raise TooLarge(
                f"there are too many linear threshold functions of {n} variables{count}; "
                f"take at most {_MOST_ENUMERATED} variables, or list some with concept_list"
            )
        self.name, self.n = f"linear threshold functions of {plural(n, 'variable')}", n
        self.weights, self.thresholds = _every_threshold_function(n)
        self.size = len(self.thresholds)

    def _concept(self, place: int) -> LinearThreshold:
        return LinearThreshold(tuple(self.weights[place].tolist()), int(self.thresholds[place]))

    def _values(self, places: Positions, x: Truths) -> Truths:
        return np.asarray(self.weights[places] @ x >= self.thresholds[places])


def linear_thresholds(n: int) -> ConceptClass:
    """The linear threshold functions of n ≤ 5 variables: 4, 14, 104, 1882, 94572 (Muroga 1971)."""
    return _LinearThresholds(n)


@lru_cache(maxsize=_MOST_ENUMERATED)
def _every_threshold_function(n: int) -> tuple[Integers, Integers]:
    """The weights and threshold of each function, in the order of their truth tables."""
    # weights w₁ ≥ … ≥ wₙ ≥ 0 with every threshold that matters, smallest weights first
    decreasing = combinations_with_replacement(range(_LARGEST_WEIGHT, -1, -1), n)
    found = sorted((sum(w), w, t) for w in decreasing for t in range(sum(w) + 2))
    w, t = _first_of_each(np.array([w for _, w, _ in found]), np.array([t for *_, t in found]))
    orders = np.array(list(permutations(range(n))))
    w, t = _first_of_each(w[:, orders].reshape(-1, n), np.repeat(t, len(orders)))
    # replacing x by 1 − x turns the weight w into −w and lowers the threshold by w
    signs = np.array(list(product((1, -1), repeat=n)))
    turned = (w[:, None, :] * signs).reshape(-1, n)
    lowered = (t[:, None] + np.minimum(w[:, None, :] * signs, 0).sum(axis=2)).ravel()
    weights, thresholds = _first_of_each(turned, lowered)
    weights.flags.writeable = thresholds.flags.writeable = False  # shared by all such classes
    return weights, thresholds


def _first_of_each(w: Integers, t: Integers) -> tuple[Integers, Integers]:
    """The first weights and threshold of each function, in the order of their truth tables."""
    examples = every_example(n := w.shape[1]).astype(np.int64)
    values = w @ examples.T >= t[:, None]
    tables = values @ (1 << np.arange(1 << n, dtype=np.int64))
    _, first = np.unique(tables, return_index=True)
    return w[first], t[first]


class _AllFunctions(ConceptClass):
    """The place of a function is its truth table, in binary."""

    def __init__(self, n: int) -> None:
        if not 1 <= n <= functions.MOST_TABLED:
            raise ValueError(f"n must be from 1 to {functions.MOST_TABLED}, not {n}")
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
        self.n = max(1, widest.width) if n is None else functions.expect_width(widest, n)
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
        return parse(given) if isinstance(given, str) else functions.truth_table(given)
    except ValueError as error:
        raise type(error)(f"concept {at} of the list: {error}") from None
