"""Boolean concepts a second time, in plain Python, and what Hypothesis draws of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from hypothesis import strategies as st

from novikoff.concepts import (
    AtLeast,
    Concept,
    Conjunction,
    DecisionList,
    Disjunction,
    LinearThreshold,
    Parity,
    TruthTable,
)

Bits = Sequence[int]


def cube(n: int) -> list[tuple[int, ...]]:
    """All examples of n variables; the first variable changes fastest."""
    return [x[::-1] for x in product((0, 1), repeat=n)]


def holds(literal: int, x: Bits) -> bool:
    return (x[abs(literal) - 1] == 1) == (literal > 0)


def value(concept: Concept, x: Bits) -> bool:
    """What the concept says of the example, one variable at a time."""
    match concept:
        case Conjunction():
            return all(holds(i, x) for i in concept.literals)
        case Disjunction():
            return any(holds(i, x) for i in concept.literals)
        case AtLeast():
            return sum(holds(i, x) for i in concept.literals) >= concept.r
        case Parity():
            return (sum(x[i - 1] for i in concept.over) % 2 == 1) == concept.odd
        case LinearThreshold():
            w = concept.weights
            return sum(w[i] * x[i] for i in range(len(w))) >= concept.threshold
        case DecisionList():
            fires = (said for i, said in concept.rules if holds(i, x))
            return next(fires, concept.default)
        case TruthTable():
            place = sum(x[i] << i for i in range(concept.n))
            return concept.bits >> place & 1 == 1
    raise AssertionError(f"{concept} is of no known kind")


def literals(most: int) -> st.SearchStrategy[tuple[int, ...]]:
    """Some literals, each once; a variable may be there both ways."""
    return st.lists(_literal(most), max_size=5, unique=True).map(tuple)


def literals_of_different_variables(most: int) -> st.SearchStrategy[tuple[int, ...]]:
    """One or more, each variable one way."""
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
