"""Truth tables: any Boolean function of the first n variables, and all of them as a class."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from novikoff.concepts.attributes import Truths, number_of, shortened, truths
from novikoff.concepts.classes import ConceptClass, Words, packed
from novikoff.concepts.functions import Concept, variable
from novikoff.rows import BadExample, Positions

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
