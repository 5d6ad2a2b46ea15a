"""Boolean functions as concepts: each knows its variables, its value, and how to write itself.

Literals are signed numbers of variables: 3 is x₃ and −3 is ¬x₃.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.concepts.examples import Truths, rows_of_examples, truths, truths_of_columns
from novikoff.stream.rows import DenseRows, Rows

MOST_VARIABLES = (1 << 31) - 1
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def variable(i: int) -> str:
    """`x₁₀₀`, for instance."""
    return "x" + str(i).translate(_SUBSCRIPTS)


def literal(signed: int) -> str:
    """`x₂` or `¬x₂`."""
    return variable(signed) if signed > 0 else "¬" + variable(-signed)


class Concept(ABC):
    """A Boolean function of some of the variables x₁, x₂, …: its `str` is its formula.

    Concepts are equal when they are written alike: of one literal, a conjunction and a disjunction
    are the same concept.
    """

    @property
    @abstractmethod
    def variables(self) -> tuple[int, ...]:
        """The numbers of the variables it depends on, in increasing order."""

    @abstractmethod
    def of(self, values: Truths) -> Truths:
        """Its value in each row of truth values, one column for each of `variables`."""

    @abstractmethod
    def __str__(self) -> str: ...

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Concept) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    @property
    def width(self) -> int:
        """The largest number of a variable: an example needs at least so many attributes."""
        return max(self.variables, default=0)

    def __call__(self, x: Any) -> bool:
        """Its value on one example, of numbers 0 and 1 or as a text like "0110"."""
        row = truths(x)
        return bool(self.evaluate(DenseRows(row[None, :].astype(np.float32)))[0])

    def evaluate(self, X: Rows | Any) -> Truths:
        """Its value on many examples: rows or an array, dense or sparse; or a list of texts.

        Only the attributes it depends on are looked at.
        """
        columns = np.array(self.variables, dtype=np.int64) - 1
        rows: Rows = X if hasattr(X, "core") else rows_of_examples(X)
        return self.of(truths_of_columns(rows, columns))


def expect_concept(given: Any) -> None:
    """Refuse what is no concept, such as a formula that is not parsed yet."""
    if not isinstance(given, Concept):
        made = f": parse({given!r}) makes one" if isinstance(given, str) else ""
        raise TypeError(f"{given!r} is a {type(given).__name__}, not a concept{made}")


def expect_literals(literals: Iterable[int]) -> tuple[int, ...]:
    """The literals as Python's integers; refuses what is none."""
    given = tuple(literals)
    for one in given:
        if not isinstance(one, int | np.integer) or isinstance(one, bool) or one == 0:
            raise ValueError(f"{one!r} is not a literal: i for a variable, -i for its negation")
        if abs(int(one)) > MOST_VARIABLES:
            raise ValueError(f"there is no variable {abs(one)}: the last is {MOST_VARIABLES}")
    return tuple(map(int, given))


def _sorted(literals: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted(set(expect_literals(literals)), key=lambda i: (abs(i), -i)))


def _sorted_once(literals: Iterable[int]) -> tuple[int, ...]:
    """Sorted, where one given twice would count twice."""
    given = expect_literals(literals)
    if len(set(given)) < len(given):
        twice = next(i for i in given if given.count(i) > 1)
        raise ValueError(f"{literal(twice)} is there twice")
    return _sorted(given)


@dataclass(frozen=True, eq=False)
class OfLiterals(Concept):
    """What is said of a set of literals."""

    literals: tuple[int, ...]
    _columns: NDArray[np.int64] = field(init=False, repr=False)
    _wanted: Truths = field(init=False, repr=False)

    def __post_init__(self) -> None:
        literals = _sorted(self.literals)
        numbers = np.array([abs(i) for i in literals], dtype=np.int64)
        object.__setattr__(self, "literals", literals)
        object.__setattr__(self, "_columns", np.searchsorted(np.unique(numbers), numbers))
        object.__setattr__(self, "_wanted", np.array([i > 0 for i in literals], dtype=np.bool_))

    @property
    def variables(self) -> tuple[int, ...]:
        """The numbers of the variables it depends on, in increasing order."""
        return tuple(sorted({abs(i) for i in self.literals}))

    @property
    def monotone(self) -> bool:
        """Whether no literal is negated."""
        return all(i > 0 for i in self.literals)

    def satisfied(self, values: Truths) -> Truths:
        """Which literals are true, in each row: a column for each literal."""
        found: Truths = values[:, self._columns] == self._wanted
        return found


class Conjunction(OfLiterals):
    """All the literals are true; of none, ⊤.

    >>> print(Conjunction((3, 2, -7)))
    x₂ ∧ x₃ ∧ ¬x₇
    """

    def of(self, values: Truths) -> Truths:
        """Whether all are true."""
        return np.asarray(self.satisfied(values).all(axis=1))

    def __str__(self) -> str:
        return " ∧ ".join(map(literal, self.literals)) or "⊤"


class Disjunction(OfLiterals):
    """At least one of the literals is true; of none, ⊥.

    >>> print(Disjunction((1, -2)))
    x₁ ∨ ¬x₂
    """

    def of(self, values: Truths) -> Truths:
        """Whether any is true."""
        return np.asarray(self.satisfied(values).any(axis=1))

    def __str__(self) -> str:
        return " ∨ ".join(map(literal, self.literals)) or "⊥"


@dataclass(frozen=True, eq=False)
class AtLeast(OfLiterals):
    """At least r of the literals are true.

    >>> print(AtLeast((1, 2, 3), 2))
    at least 2 of (x₁, x₂, x₃)
    """

    r: int = 1

    def __post_init__(self) -> None:
        _sorted_once(self.literals)
        if not isinstance(self.r, int | np.integer) or self.r < 0:
            raise ValueError(f"at least {self.r} of the literals: r counts from 0")
        super().__post_init__()

    def of(self, values: Truths) -> Truths:
        """Whether so many are true."""
        return np.asarray(self.satisfied(values).sum(axis=1) >= self.r)

    def __str__(self) -> str:
        return f"at least {self.r} of ({', '.join(map(literal, self.literals))})"


@dataclass(frozen=True, eq=False)
class Parity(Concept):
    """An odd number of the variables are on; with `odd` False, an even number.

    >>> print(Parity((1, 4)))
    x₁ ⊕ x₄
    """

    over: tuple[int, ...]
    odd: bool = True

    def __post_init__(self) -> None:
        over = _sorted_once(self.over)
        if any(i < 0 for i in over):
            raise ValueError("a parity is of variables; x ⊕ ¬y is x ⊕ y with odd=False")
        object.__setattr__(self, "over", over)

    @property
    def variables(self) -> tuple[int, ...]:
        """The numbers of the variables it depends on, in increasing order."""
        return self.over

    def of(self, values: Truths) -> Truths:
        """Whether an odd number is on, or an even one."""
        return np.asarray(values.sum(axis=1) % 2 == self.odd)

    def __str__(self) -> str:
        if not self.over:
            return "⊥" if self.odd else "⊤"
        return " ⊕ ".join([variable(i) for i in self.over] + ["1"] * (not self.odd))


TRUE = Conjunction(())
FALSE = Disjunction(())
