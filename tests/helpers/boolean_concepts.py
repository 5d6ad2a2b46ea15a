"""Boolean concepts evaluated in plain Python, small concept classes, and strategies for both."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from hypothesis import strategies as st

from novikoff.concepts import (
    AtLeast,
    Concept,
    ConceptClass,
    Conjunction,
    DecisionList,
    Disjunction,
    LinearThreshold,
    Parity,
    TruthTable,
)
from novikoff.concepts.examples import Truths
from novikoff.stream.rows import Positions

Bits = Sequence[int]


def cube(n: int) -> list[tuple[int, ...]]:
    """All examples of n variables; the first variable changes fastest."""
    return [x[::-1] for x in product((0, 1), repeat=n)]


def holds(literal: int, x: Bits) -> bool:
    return (x[abs(literal) - 1] == 1) == (literal > 0)


def value(concept: Concept, x: Bits) -> bool:
    """The concept's value at the example, evaluated one variable at a time."""
    match concept:
        case Conjunction():
            return all(holds(i, x) for i in concept.literals)
        case Disjunction():
            return any(holds(i, x) for i in concept.literals)
        case AtLeast():
            return sum(holds(i, x) for i in concept.literals) >= concept.r
        case Parity():
            return (sum(x[i - 1] for i in concept.variables) % 2 == 1) == concept.odd
        case LinearThreshold():
            w = concept.weights
            return sum(w[i] * x[i] for i in range(len(w))) >= concept.threshold
        case DecisionList():
            fires = (value for i, value in concept.rules if holds(i, x))
            return next(fires, concept.default)
        case TruthTable():
            place = sum(x[i] << i for i in range(concept.n))
            return concept.bits >> place & 1 == 1
    raise AssertionError(f"unknown kind of concept: {concept}")


def literals(most: int) -> st.SearchStrategy[tuple[int, ...]]:
    """Distinct literals; a variable may occur both plain and negated."""
    return st.lists(_literal(most), max_size=5, unique=True).map(tuple)


def literals_of_different_variables(most: int) -> st.SearchStrategy[tuple[int, ...]]:
    """One or more literals, each of another variable."""
    return st.lists(_literal(most), min_size=1, max_size=5, unique_by=abs).map(tuple)


def _literal(most: int) -> st.SearchStrategy[int]:
    return st.integers(1, most).flatmap(lambda i: st.sampled_from((i, -i)))


@st.composite
def tables(draw: st.DrawFn, most: int = 4) -> TruthTable:
    n = draw(st.integers(1, most))
    return TruthTable(n, draw(st.integers(0, (1 << (1 << n)) - 1)))


def concepts(most: int = 6) -> st.SearchStrategy[Concept]:
    """Concepts of every kind over the first `most` variables, degenerate ones among them."""
    weights = st.lists(st.integers(-9, 9), max_size=most).map(tuple)
    rules = st.lists(st.tuples(_literal(most), st.booleans()), max_size=5)
    sets = st.lists(st.integers(1, most), max_size=5, unique=True)
    return st.one_of(
        st.builds(Conjunction, literals(most)),
        st.builds(Disjunction, literals(most)),
        st.builds(AtLeast, literals(most), st.integers(0, 6)),
        st.builds(Parity, sets.map(tuple), st.booleans()),
        st.builds(LinearThreshold, weights, st.integers(-9, 9)),
        st.builds(DecisionList, rules.map(tuple), st.booleans()),
        tables(min(4, most)),
    )


class Tables(ConceptClass):
    """The concepts with these truth tables."""

    def __init__(self, n: int, tables: Sequence[int]) -> None:
        self.n, self.size, self.tables = n, len(tables), tuple(tables)

    def __str__(self) -> str:
        return f"{self.size} tables of {self.n} variables: {self.tables}"

    def _concept(self, place: int) -> Concept:
        return TruthTable(self.n, self.tables[place])

    def _values(self, places: Positions, x: Truths) -> Truths:
        row = sum(1 << i for i, on in enumerate(x.tolist()) if on)
        return np.array([self.tables[p] >> row & 1 == 1 for p in places], dtype=np.bool_)


@st.composite
def small_classes(draw: st.DrawFn, *, most: int = 8, n: int | None = None) -> Tables:
    """Up to `most` different functions of one to three variables."""
    n = draw(st.integers(1, 3)) if n is None else n
    every = st.integers(0, (1 << (1 << n)) - 1)
    return Tables(n, draw(st.lists(every, min_size=1, max_size=most, unique=True)))


def thresholds(n: int) -> Tables:
    """The initial segments of the line of all 2ⁿ examples: 2ⁿ + 1 nested concepts."""
    return Tables(n, [(1 << m) - 1 for m in range((1 << n) + 1)])
