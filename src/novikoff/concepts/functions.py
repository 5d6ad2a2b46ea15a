"""Boolean functions as concepts; a literal is a signed variable: 3 is x₃ and −3 is ¬x₃."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from novikoff.concepts.examples import (
    Truths,
    number_of,
    rows_of_examples,
    truths,
    truths_of_columns,
)
from novikoff.stream.input_problems import BadExample
from novikoff.stream.printing import cut
from novikoff.stream.rows import DenseRows, Rows

MOST_VARIABLES = (1 << 31) - 1
MOST_TABLED = 20  # variables: a table of a million bits
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def variable(i: int) -> str:
    """`x₁₀₀`, for instance."""
    return "x" + str(i).translate(_SUBSCRIPTS)


def literal(signed: int) -> str:
    """`x₂` or `¬x₂`."""
    return variable(signed) if signed > 0 else "¬" + variable(-signed)


class Concept(ABC):
    """A Boolean function of some of the variables x₁, x₂, …; its `str` is its formula.

    Concepts are equal when their formulas are. `variables` are the numbers of those it depends on,
    in increasing order.
    """

    variables: tuple[int, ...]

    @abstractmethod
    def values(self, inputs: Truths) -> Truths:
        """Its value in each row of inputs, which have one column for each of `variables`."""

    @abstractmethod
    def __str__(self) -> str: ...

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Concept) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    @property
    def width(self) -> int:
        """The largest number of a variable: the fewest attributes an example can have."""
        return max(self.variables, default=0)

    def __call__(self, x: Any) -> bool:
        """Its value at one example, given as numbers 0 and 1 or as a text like "0110"."""
        row = truths(x)
        return bool(self.evaluate(DenseRows(row[None, :].astype(np.float32)))[0])

    def evaluate(self, X: Rows | Any) -> Truths:
        """Its value at many examples: rows or an array, dense or sparse, or a list of texts."""
        columns = np.array(self.variables, dtype=np.int64) - 1
        rows: Rows = X if hasattr(X, "core") else rows_of_examples(X)
        return self.values(truths_of_columns(rows, columns))


def expect_width(concept: Any, n: int | None) -> int:
    """Return n, by default the concept's width; reject a smaller n, and anything but a concept."""
    if not isinstance(concept, Concept):
        cure = f"; use parse({concept!r})" if isinstance(concept, str) else ""
        raise TypeError(f"{concept!r} is a {type(concept).__name__}, not a concept{cure}")
    if n is None:
        return concept.width
    if concept.width > n:
        raise ValueError(f"{concept} depends on x{concept.width}, but there are only {n} variables")
    return n


def expect_literals(literals: Iterable[int]) -> tuple[int, ...]:
    """The literals as Python integers."""
    given = tuple(literals)
    for one in given:
        if not isinstance(one, int | np.integer) or isinstance(one, bool) or one == 0:
            raise ValueError(
                f"{one!r} is not a literal; write i for variable i and -i for its negation"
            )
        if abs(int(one)) > MOST_VARIABLES:
            raise ValueError(f"variable {abs(one)} is too large; the last is {MOST_VARIABLES}")
    return tuple(map(int, given))


def _sorted(literals: Iterable[int], *, counted: bool = False) -> tuple[int, ...]:
    """The literals sorted, each once; if they are counted, a repeated one is an error."""
    given = expect_literals(literals)
    once = sorted(set(given), key=lambda i: (abs(i), -i))
    if counted and len(once) < len(given):
        twice = next(i for i in given if given.count(i) > 1)
        raise ValueError(f"{literal(twice)} occurs twice; write each literal once")
    return tuple(once)


@dataclass(frozen=True, eq=False)
class OfLiterals(Concept):
    """A function of how many of its literals are true."""

    literals: tuple[int, ...]

    def __post_init__(self) -> None:
        literals = _sorted(self.literals)
        object.__setattr__(self, "literals", literals)
        object.__setattr__(self, "variables", tuple(dict.fromkeys(map(abs, literals))))

    @property
    def monotone(self) -> bool:
        """Whether no literal is negated."""
        return all(i > 0 for i in self.literals)

    def satisfied(self, inputs: Truths) -> Truths:
        """Which literals (the columns) are true in each row."""
        numbers = np.array(self.literals, dtype=np.int64)
        return np.asarray(inputs[:, np.searchsorted(self.variables, abs(numbers))] == (numbers > 0))


class Conjunction(OfLiterals):
    """True where all literals are true; without literals, ⊤."""

    def values(self, inputs: Truths) -> Truths:
        """Whether all literals are true."""
        return np.asarray(self.satisfied(inputs).all(axis=1))

    def __str__(self) -> str:
        return " ∧ ".join(map(literal, self.literals)) or "⊤"


class Disjunction(OfLiterals):
    """True where at least one literal is true; without literals, ⊥."""

    def values(self, inputs: Truths) -> Truths:
        """Whether any literal is true."""
        return np.asarray(self.satisfied(inputs).any(axis=1))

    def __str__(self) -> str:
        return " ∨ ".join(map(literal, self.literals)) or "⊥"


@dataclass(frozen=True, eq=False)
class AtLeast(OfLiterals):
    """True where at least r literals are true."""

    r: int = 1

    def __post_init__(self) -> None:
        _sorted(self.literals, counted=True)
        if not isinstance(self.r, int | np.integer) or self.r < 0:
            raise ValueError(f"r must be an integer from 0 on, not {self.r}")
        super().__post_init__()

    def values(self, inputs: Truths) -> Truths:
        """Whether at least r literals are true."""
        return np.asarray(self.satisfied(inputs).sum(axis=1) >= self.r)

    def __str__(self) -> str:
        return f"at least {self.r} of ({', '.join(map(literal, self.literals))})"


@dataclass(frozen=True, eq=False)
class Parity(Concept):
    """True where an odd number of the variables are 1; with `odd` False, an even number."""

    variables: tuple[int, ...]
    odd: bool = True

    def __post_init__(self) -> None:
        variables = _sorted(self.variables, counted=True)
        if any(i < 0 for i in variables):
            raise ValueError("a parity has no negated variables; write x ⊕ ¬y as x ⊕ y, odd=False")
        object.__setattr__(self, "variables", variables)

    def values(self, inputs: Truths) -> Truths:
        """Whether the number of variables that are 1 is odd, or even."""
        return np.asarray(inputs.sum(axis=1) % 2 == self.odd)

    def __str__(self) -> str:
        if not self.variables:
            return "⊥" if self.odd else "⊤"
        return " ⊕ ".join([variable(i) for i in self.variables] + ["1"] * (not self.odd))


@dataclass(frozen=True, eq=False)
class TruthTable(Concept):
    """Any function of x₁ … xₙ: bit j of `bits` is its value at example j of `every_example`."""

    n: int
    bits: int
    _table: Truths = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not 1 <= self.n <= MOST_TABLED:
            raise ValueError(f"a truth table has 1 to {MOST_TABLED} variables, not {self.n}")
        if not 0 <= self.bits < 1 << (1 << self.n):
            raise ValueError(
                f"bits of a table of {self.n} variables must be a number of {1 << self.n} bits"
            )
        given = self.bits.to_bytes(max(1, (1 << self.n) // 8), "little")
        bits = np.frombuffer(given, dtype=np.uint8)
        table = np.unpackbits(bits, count=1 << self.n, bitorder="little")
        object.__setattr__(self, "_table", table.astype(np.bool_))
        object.__setattr__(self, "variables", tuple(range(1, self.n + 1)))

    def values(self, inputs: Truths) -> Truths:
        """The entry of the table for each row."""
        return self._table[number_of(inputs)]

    def __str__(self) -> str:
        digits = "".join("01"[value] for value in self._table.tolist())
        return f"table {digits} of {', '.join(map(variable, self.variables))}"


def truth_table(values: Any) -> TruthTable:
    """The function with these 2ⁿ values, 0 and 1 or a text, in the order of the examples."""
    try:
        given = truths(values)
    except BadExample:
        raise ValueError(
            f"{cut(repr(values))} is not a truth table; give 2ⁿ values 0 and 1, such as '0110'"
        ) from None
    n = len(given).bit_length() - 1
    if len(given) != 1 << max(n, 1):
        raise ValueError(f"a truth table has 2, 4, 8, … values, not {len(given)}")
    return TruthTable(n, int.from_bytes(np.packbits(given, bitorder="little").tobytes(), "little"))


TRUE = Conjunction(())
FALSE = Disjunction(())
