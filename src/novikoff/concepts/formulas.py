"""Formulas read: the inverse of how concepts print, and of how people type them.

>>> print(parse("x2 & x_3 and not x7"))
x₂ ∧ x₃ ∧ ¬x₇
"""

from __future__ import annotations

from collections import Counter

from novikoff.concepts.attributes import shortened
from novikoff.concepts.decision_lists import DecisionList
from novikoff.concepts.functions import (
    FALSE,
    MOST_VARIABLES,
    TRUE,
    AtLeast,
    Concept,
    Conjunction,
    Disjunction,
    Parity,
    variable,
)
from novikoff.concepts.tables import truth_table
from novikoff.concepts.thresholds import MOST_WEIGHTS, LinearThreshold
from novikoff.concepts.tokens import MOST_DIGITS, FormulaError, Tokens

_DIGITS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789", "xX_{}")
_VALUES = {"⊤": True, "1": True, "⊥": False, "0": False}
_OPERATORS = ("∧", "∨", "⊕")


def parse(text: str) -> Concept:
    """The concept that a formula writes: what `str` gives, or what people type.

    - conjunctions: `x₂ ∧ x₃ ∧ ¬x₇`, `x2 & x3 & !x7`, `x_2 and x_3 and not x_7`; a single literal
      is one too
    - disjunctions: `x₁ ∨ ¬x₂`, `x1 | ~x2`, `x1 or not x2`
    - parities: `x₁ ⊕ x₄`, `x1 ^ x4`, `x1 xor x4`; ⊕ 1 turns the answer
    - `at least 2 of (x1, x2, not x3)`
    - linear thresholds: `2x₁ + x₂ − 3x₄ ≥ 2`, `2*x1 + x2 - 3 x4 >= 2`
    - decision lists: `if x₁ then 1, else if ¬x₃ then 0, else 1`
    - truth tables, from the example 00…0 on with x₁ changing fastest: `table 0110 of x₁, x₂`
    - constants: `⊤`, `true`, `1`; `⊥`, `false`, `0`

    FormulaError says at which character the text is wrong, and what is expected there.
    """
    if not isinstance(text, str):
        raise TypeError(f"a formula is a text, not {type(text).__name__}")
    return _Formula(text).formula()


class _Formula(Tokens):
    """A text read by the grammar: each kind of concept has its method."""

    def formula(self) -> Concept:
        if self.at_end:
            raise FormulaError("the formula is empty; write for instance x2 & !x7, or true")
        begins = {"table": self.table, "if": self.decision_list, "at": self.at_least}
        linear = any(token.means in ("≥", "+", "−", "·") for token in self.tokens)
        read = begins.get(self.next.means, self.linear if linear else self.operands)
        found = read()
        if not self.at_end:
            raise self.wrong("∧, ∨, ⊕, ≥ or the end" if read == self.operands else "the end")
        return found

    def operands(self) -> Concept:
        """Literals with one operator between them all, a single one, or a constant."""
        operator = next((t.means for t in self.tokens if t.means in _OPERATORS), None)
        found: Concept
        if operator is None and self.next.means in _VALUES:
            found = TRUE if self.truth() else FALSE
        elif operator == "⊕":
            found = self.parity()
        elif operator == "∨":
            found = Disjunction(tuple(self.separated(self.literal, "∨")))
        else:
            found = Conjunction(tuple(self.separated(self.literal, "∧")))
        if self.next.means in _OPERATORS:
            raise self.error(
                f"{self.next.text!r} after {operator}: a formula has one operator; write a truth "
                "table (table 0110 of x1, x2), or a list of formulas"
            )
        return found

    def parity(self) -> Parity:
        terms = self.separated(self._term, "⊕")
        over = [abs(i) for i, _ in terms if i]
        once = tuple(i for i, count in Counter(over).items() if count % 2)
        return Parity(once, odd=sum(turned for _, turned in terms) % 2 == 0)

    def _term(self) -> tuple[int, bool]:
        """A literal or a constant of a parity, and whether it turns the answer."""
        if self.next.means in _VALUES:
            return 0, self.truth()
        i = self.literal()
        return i, i < 0

    def at_least(self) -> AtLeast:
        self.expect("at", "least")
        r = self.number()
        self.expect("of", "(")
        first = self.next
        literals = [] if self.next.means == ")" else self.separated(self.literal, ",")
        self.expect(")")
        return self.made(first, lambda: AtLeast(tuple(literals), r))

    def linear(self) -> LinearThreshold:
        start, weights = self.next, Counter[int]()
        sign = -1 if self.takes("−") else 1
        while True:
            i, number = self._weighted()
            weights[i] += sign * number
            if self.next.means not in ("+", "−"):
                break
            sign = -1 if self.take().means == "−" else 1
        if not self.takes("≥"):
            raise self.wrong("+, − or ≥")
        constant = weights.pop(0, 0)
        threshold = (-1 if self.takes("−") else 1) * self.number("an integer") - constant
        by_variable = tuple(weights[i] for i in range(1, max(weights, default=0) + 1))
        return self.made(start, lambda: LinearThreshold(by_variable, threshold))

    def _weighted(self) -> tuple[int, int]:
        """A variable and its weight; 0 for a term without a variable."""
        if self.next.kind != "number":
            return self.variable("a term such as 2x1", MOST_WEIGHTS), 1
        number = self.number()
        if self.takes("·") or self.next.kind == "variable":
            return self.variable(most=MOST_WEIGHTS), number
        return 0, number

    def decision_list(self) -> DecisionList:
        rules = list[tuple[int, bool]]()
        while self.takes("if"):
            i = self.literal()
            self.expect("then")
            rules.append((i, self.truth()))
            self.takes(",")
            self.expect("else")
        return DecisionList(tuple(rules), self.truth())

    def table(self) -> Concept:
        self.expect("table")
        if self.next.kind != "number" or self.next.text.strip("01"):
            raise self.wrong("a row of digits 0 and 1")
        digits = self.take()
        found = self.made(digits, lambda: truth_table(digits.text))
        if self.takes("of"):
            for i in found.variables:
                if i > 1:
                    self.expect(",")
                start = self.next
                if self.variable() != i:
                    raise self.error(f"found {start.text!r} where {variable(i)} is expected", start)
        return found

    def truth(self) -> bool:
        if self.next.means not in _VALUES:
            raise self.wrong("0 or 1")
        return _VALUES[self.take().means]

    def literal(self) -> int:
        sign = 1
        while self.takes("¬"):
            sign = -sign
        return sign * self.variable("a literal such as x2 or ¬x2")

    def variable(self, expected: str = "a variable such as x2", most: int = MOST_VARIABLES) -> int:
        if self.next.kind != "variable":
            raise self.wrong(expected)
        digits = self.next.text.translate(_DIGITS)
        i = int(digits) if len(digits) <= MOST_DIGITS else most + 1
        if i == 0:
            raise self.error(f"there is no {self.next.text}: variables count from 1")
        if i > most:
            raise self.error(f"{shortened(self.next.text, 20)} is too far: at most x{most} here")
        self.take()
        return i
