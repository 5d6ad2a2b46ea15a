"""Decision lists, in which the first rule that applies decides, and the class of all of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from math import comb
from operator import add

import numpy as np
from numpy.typing import NDArray

from novikoff.concepts.classes import (
    ConceptClass,
    TooLarge,
    Words,
    chosen,
    chosen_by_each,
    expect_variables,
    packed,
)
from novikoff.concepts.examples import Truths, every_example, number_of
from novikoff.concepts.functions import Concept, expect_literals, literal
from novikoff.stream.printing import plural
from novikoff.stream.rows import Positions

_MOST_COUNTED = 1000


@dataclass(frozen=True, eq=False)
class DecisionList(Concept):
    """The value of the first rule whose literal is true; `default` if there is none."""

    rules: tuple[tuple[int, bool], ...]
    default: bool

    def __post_init__(self) -> None:
        literals = expect_literals(i for i, _ in self.rules)
        values = [_truth(value) for _, value in self.rules]
        object.__setattr__(self, "rules", tuple(zip(literals, values, strict=True)))
        object.__setattr__(self, "default", _truth(self.default))
        object.__setattr__(self, "variables", tuple(sorted(set(map(abs, literals)))))

    def values(self, inputs: Truths) -> Truths:
        """The value of the first rule that applies."""
        out = np.full(len(inputs), self.default)
        column = {i: j for j, i in enumerate(self.variables)}
        for i, value in reversed(self.rules):
            out[inputs[:, column[abs(i)]] == (i > 0)] = value
        return out

    def __str__(self) -> str:
        if not self.rules:
            return "⊤" if self.default else "⊥"
        rules = ", else ".join(f"if {literal(i)} then {value:d}" for i, value in self.rules)
        return f"{rules}, else {self.default:d}"


def _truth(value: object) -> bool:
    if not isinstance(value, bool | np.bool_ | int | np.integer) or value not in (0, 1):
        raise ValueError(f"a value of a decision list must be 0 or 1, not {value!r}")
    return bool(value)


class _DecisionLists(ConceptClass):
    """The functions that decision lists over n variables compute (docs/proofs.md).

    The order of places: ⊥ and ⊤, then by the number of variables, their set, signs, first value,
    layers.
    """

    def __init__(self, n: int) -> None:
        expect_variables(n)
        if n > _MOST_COUNTED:
            raise TooLarge(f"decision lists can have up to {_MOST_COUNTED} variables, not {n}")
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
