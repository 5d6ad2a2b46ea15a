"""Boolean functions as concepts, some as threshold units with the bound of a perceptron on them.

A literal is a signed variable: 3 is x₃ and −3 is ¬x₃.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from novikoff.concepts.examples import Truths, number_of, truths, truths_of_columns
from novikoff.guarantees import mistake_bound
from novikoff.stream.input_problems import BadExample
from novikoff.stream.printing import cut
from novikoff.stream.rows import DenseRows, Rows

MOST_VARIABLES = (1 << 31) - 1
MOST_TABLED = 20  # variables: a table of a million bits
MOST_WEIGHTS = 1_000_000
_MOST_SUM = 1 << 62
_MOST_SUMS = 1 << 24
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

    def _set(self, **attributes: Any) -> None:
        """Set what `__post_init__` has checked; nothing changes afterwards."""
        vars(self).update(attributes)

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
        return self.values(truths_of_columns(X, columns))


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
    """True where at least `needed` of its literals are true."""

    literals: tuple[int, ...]
    _sign: ClassVar[str]
    _without: ClassVar[str]

    def __post_init__(self) -> None:
        literals = _sorted(self.literals)
        self._set(literals=literals, variables=tuple(dict.fromkeys(map(abs, literals))))

    @property
    def needed(self) -> int:
        """How many of the literals must be true."""
        return len(self.literals)

    @property
    def monotone(self) -> bool:
        """Whether no literal is negated."""
        return all(i > 0 for i in self.literals)

    def values(self, inputs: Truths) -> Truths:
        """Whether enough literals are true."""
        numbers = np.array(self.literals, dtype=np.int64)
        true = inputs[:, np.searchsorted(self.variables, abs(numbers))] == (numbers > 0)
        return np.asarray(true.sum(axis=1) >= self.needed)

    def __str__(self) -> str:
        return self._sign.join(map(literal, self.literals)) or self._without


class Conjunction(OfLiterals):
    """True where all literals are true; without literals, ⊤."""

    _sign, _without = " ∧ ", "⊤"


class Disjunction(OfLiterals):
    """True where at least one literal is true; without literals, ⊥."""

    needed = 1
    _sign, _without = " ∨ ", "⊥"


@dataclass(frozen=True, eq=False)
class AtLeast(OfLiterals):
    """True where at least r literals are true."""

    r: int = 1

    def __post_init__(self) -> None:
        _sorted(self.literals, counted=True)
        if not isinstance(self.r, int | np.integer) or self.r < 0:
            raise ValueError(f"r must be an integer from 0 on, not {self.r}")
        super().__post_init__()

    @property
    def needed(self) -> int:
        """`r`."""
        return self.r

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
        self._set(variables=variables)

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
        self._set(_table=table.astype(np.bool_), variables=tuple(range(1, self.n + 1)))

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


@dataclass(frozen=True, eq=False)
class DecisionList(Concept):
    """The value of the first rule whose literal is true; `default` if there is none."""

    rules: tuple[tuple[int, bool], ...]
    default: bool

    def __post_init__(self) -> None:
        literals = expect_literals(i for i, _ in self.rules)
        values = [_truth(value) for _, value in self.rules]
        self._set(rules=tuple(zip(literals, values, strict=True)), default=_truth(self.default))
        self._set(variables=tuple(sorted(set(map(abs, literals)))))

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


@dataclass(frozen=True, eq=False)
class LinearThreshold(Concept):
    """True where Σ wᵢxᵢ ≥ t, with an integer weight for each variable from x₁ on."""

    weights: tuple[int, ...]
    threshold: int

    def __post_init__(self) -> None:
        for number in (*self.weights, self.threshold):
            if not isinstance(number, int | np.integer) or isinstance(number, bool):
                raise ValueError(f"weights and threshold must be integers, not {number!r}")
        weights, threshold = list(map(int, self.weights)), int(self.threshold)
        if sum(map(abs, weights)) + abs(threshold) > _MOST_SUM:
            raise ValueError("the weights and the threshold add up to more than 2^62")
        while weights and not weights[-1]:
            weights.pop()
        if len(weights) > MOST_WEIGHTS:
            raise ValueError(f"{len(weights):,} weights; at most {MOST_WEIGHTS:,} are supported")
        used = tuple(i for i, w in enumerate(weights, 1) if w)
        self._set(weights=tuple(weights), threshold=threshold, variables=used)

    def values(self, inputs: Truths) -> Truths:
        """Whether the weighted sum reaches the threshold."""
        w = np.array([w for w in self.weights if w], dtype=np.int64)
        return np.asarray(inputs.astype(np.int64) @ w >= self.threshold)

    def __str__(self) -> str:
        terms = "".join(
            f" {'−' if w < 0 else '+'} {abs(w) if abs(w) > 1 else ''}{variable(i)}"
            for i, w in enumerate(self.weights, start=1)
            if w
        )
        left = terms.removeprefix(" + ").replace(" − ", "−", int(terms.startswith(" −"))) or "0"
        return f"{left} ≥ {str(self.threshold).replace('-', '−')}"


TRUE = Conjunction(())
FALSE = Disjunction(())


@dataclass(frozen=True, slots=True)
class ThresholdUnit:
    """Weights u for which the sign of u·x is the concept, and the perceptron's mistake bound."""

    concept: Concept
    weights: tuple[int, ...]  # n integers, and the weight of the constant last
    radius_squared: int  # R² = n + 1, the squared length of the example of ones
    margin_squared: Fraction  # γ² = (least |u·x|)²/‖u‖², exactly
    bound: int  # ⌊R²/γ²⌋

    def __str__(self) -> str:
        rule = LinearThreshold(self.weights[:-1], -self.weights[-1])
        return (
            f"{self.concept} as {rule}: at most {self.bound} mistakes "
            f"(R² = {self.radius_squared}, γ² = {self.margin_squared})"
        )


def threshold_unit(concept: Concept, n: int | None = None) -> ThresholdUnit:
    """The concept as a linear threshold unit, with its exact margin and mistake bound.

    A conjunction, a disjunction and "at least r of k" get weights of the best margin
    (docs/proofs.md). A `LinearThreshold` keeps its weights, doubled, and the constant lies midway
    between the nearest sums on its two sides; `certify` finds the widest margin. The examples have
    `n` attributes, by default the fewest that the concept needs. References: Novikoff (1962),
    Theorem 1; Littlestone (1988), for these functions as threshold units.
    """
    n = expect_width(concept, n)
    if isinstance(concept, LinearThreshold):
        weights, t = dict(enumerate(concept.weights, start=1)), concept.threshold
    elif not isinstance(concept, OfLiterals):
        raise ValueError(
            f"{concept}: only conjunctions, disjunctions, 'at least r of' and linear thresholds "
            "have a threshold unit here; for other concepts, certify their labelled examples"
        )
    else:
        given = concept.literals
        weights = {abs(i): 1 if i > 0 else -1 for i in given if -i not in given}
        pairs = (len(given) - len(weights)) // 2  # one of a pair is always true
        t = concept.needed - pairs - list(weights.values()).count(-1)
    constant, margin = _centred(concept, weights.values(), t)
    u = (*(2 * weights.get(i, 0) for i in range(1, n + 1)), constant)
    squared = sum(a * a for a in u)
    bound = mistake_bound(n + 1, squared, margin)
    return ThresholdUnit(concept, u, n + 1, Fraction(margin**2, squared), bound)


def _centred(concept: Concept, w: Collection[int], t: int) -> tuple[int, int]:
    """Of the doubled weights: the constant midway between the sums nearest t, and the margin."""
    lowest, span = sum(a for a in w if a < 0), sum(map(abs, w))
    if span > _MOST_SUMS:
        raise ValueError(
            f"{concept}: the weights add up to {span:,}; at most {_MOST_SUMS:,} is supported"
        )
    if not lowest < t <= lowest + span:
        raise ValueError(
            f"{concept} is {'true' if t <= lowest else 'false'} on every example, so all examples "
            "have one label and there is no margin"
        )
    reached = 1  # bit s is 1 if some example has the sum lowest + s
    for a in w:
        reached |= reached << abs(a)
    place = t - lowest
    above = reached >> place
    least_above = t + (above & -above).bit_length() - 1
    most_below = lowest + (reached & ((1 << place) - 1)).bit_length() - 1
    return -(least_above + most_below), least_above - most_below
