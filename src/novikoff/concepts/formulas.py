"""Formulas of concepts: parsed as concepts print them, and as people type them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from novikoff.concepts import functions
from novikoff.concepts.functions import Concept
from novikoff.stream.printing import cut

MOST_DIGITS = 19  # of a 64-bit integer
_TOKEN = re.compile(
    r"(?P<variable>[xX]_?(?:[0-9]+|[₀-₉]+|\{[0-9]+\}))|(?P<number>[0-9]+)|(?P<word>[^\W\d_]+)"
    r"|(?P<sign>&&|\|\||/\\|\\/|>=|<=|\S)"
)
_SPELLINGS = {
    "∧": ("∧", "&", "&&", "/\\", "and"),
    "∨": ("∨", "|", "||", "\\/", "or"),
    "⊕": ("⊕", "^", "xor"),
    "¬": ("¬", "!", "~", "not"),
    "≥": ("≥", ">="),
    "−": ("−", "-"),
    "·": ("·", "*"),
    "⊤": ("⊤", "true"),
    "⊥": ("⊥", "false"),
}
_MEANING = {text: sign for sign, texts in _SPELLINGS.items() for text in texts}
_DIGITS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789", "xX_{}")
_VALUES = {"⊤": True, "1": True, "⊥": False, "0": False}
_OPERATORS = ("∧", "∨", "⊕")
_END = "the end"

Part = TypeVar("Part")


class FormulaError(ValueError):
    """The text is not a formula; the message names the column and what to write there."""


def parse(text: str) -> Concept:
    """The concept of a formula, as `str` prints it or as people type it.

    - conjunctions: `x₂ ∧ x₃ ∧ ¬x₇`, `x2 & x3 & !x7`, `x_2 and x_3 and not x_7`, or one literal
    - disjunctions: `x₁ ∨ ¬x₂`, `x1 | ~x2`, `x1 or not x2`
    - parities: `x₁ ⊕ x₄`, `x1 ^ x4`, `x1 xor x4`; `⊕ 1` negates
    - `at least 2 of (x1, x2, not x3)`
    - linear thresholds: `2x₁ + x₂ − 3x₄ ≥ 2`, `2*x1 + x2 - 3 x4 >= 2`
    - decision lists: `if x₁ then 1, else if ¬x₃ then 0, else 1`
    - truth tables, from example 00…0 on with x₁ changing fastest: `table 0110 of x₁, x₂`
    - constants: `⊤`, `true`, `1`; `⊥`, `false`, `0`

    FormulaError names the column where the text is wrong, and what to write there.
    """
    if not isinstance(text, str):
        raise TypeError(f"a formula must be a str, not {type(text).__name__}")
    return _Formula(text).formula()


class Token(NamedTuple):
    """A variable, number, word or sign of the text, or its end, with its column from 1."""

    kind: str
    text: str
    column: int

    @property
    def means(self) -> str:
        """The sign that it spells; otherwise its text in lower case."""
        return _MEANING.get(self.text.lower(), self.text.lower())


class _Formula:
    """The grammar, a method for each kind of concept; `next` is the first token not taken yet."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        found = _TOKEN.finditer(text)
        self.tokens = [Token(str(one.lastgroup), one.group(), one.start() + 1) for one in found]
        self.tokens.append(Token(_END, "", len(text.rstrip()) + 1))

    @property
    def next(self) -> Token:
        return self.tokens[self.at]

    def formula(self) -> Concept:
        if self.next.kind == _END:
            raise FormulaError("the formula is empty; write for instance x2 & !x7, or true")
        begins = {"table": self.table, "if": self.decision_list, "at": self.at_least}
        linear = any(token.means in ("≥", "+", "−", "·") for token in self.tokens)
        read = begins.get(self.next.means, self.linear if linear else self.operands)
        found = read()
        if self.next.kind != _END:
            raise self.expected("∧, ∨, ⊕, ≥ or the end" if read == self.operands else _END)
        return found

    def operands(self) -> Concept:
        """Literals with the same operator between them, a single literal, or a constant."""
        operator = next((t.means for t in self.tokens if t.means in _OPERATORS), None)
        found: Concept
        if operator is None and self.next.means in _VALUES:
            found = functions.TRUE if self.truth() else functions.FALSE
        elif operator == "⊕":
            found = self.parity()
        elif operator == "∨":
            found = functions.Disjunction(tuple(self.separated(self.literal, "∨")))
        else:
            found = functions.Conjunction(tuple(self.separated(self.literal, "∧")))
        if self.next.means in _OPERATORS:
            raise self.error(
                f"{self.next.text!r} after {operator}: a formula may use only one kind of "
                "operator; write a truth table instead, such as table 0110 of x1, x2"
            )
        return found

    def parity(self) -> functions.Parity:
        terms = self.separated(self._term, "⊕")
        over = [abs(i) for i, _ in terms if i]
        once = tuple(i for i, count in Counter(over).items() if count % 2)
        return functions.Parity(once, odd=sum(negates for _, negates in terms) % 2 == 0)

    def _term(self) -> tuple[int, bool]:
        """A literal of a parity, 0 for a constant; and whether it negates the parity."""
        if self.next.means in _VALUES:
            return 0, self.truth()
        i = self.literal()
        return i, i < 0

    def at_least(self) -> functions.AtLeast:
        self.expect("at", "least")
        r = self.number()
        self.expect("of", "(")
        first = self.next
        literals = [] if self.next.means == ")" else self.separated(self.literal, ",")
        self.expect(")")
        return self.made(first, lambda: functions.AtLeast(tuple(literals), r))

    def linear(self) -> functions.LinearThreshold:
        start, weights = self.next, Counter[int]()
        sign = -1 if self.takes("−") else 1
        while True:
            i, number = self._weighted()
            weights[i] += sign * number
            if self.next.means not in ("+", "−"):
                break
            sign = -1 if self.take().means == "−" else 1
        if not self.takes("≥"):
            raise self.expected("+, − or ≥")
        constant = weights.pop(0, 0)
        threshold = (-1 if self.takes("−") else 1) * self.number("an integer") - constant
        by_variable = tuple(weights[i] for i in range(1, max(weights, default=0) + 1))
        return self.made(start, lambda: functions.LinearThreshold(by_variable, threshold))

    def _weighted(self) -> tuple[int, int]:
        """A variable and its weight; 0 and a number for a term without a variable."""
        if self.next.kind != "number":
            return self.variable("a term such as 2x1", functions.MOST_WEIGHTS), 1
        number = self.number()
        if self.takes("·") or self.next.kind == "variable":
            return self.variable(most=functions.MOST_WEIGHTS), number
        return 0, number

    def decision_list(self) -> functions.DecisionList:
        rules = list[tuple[int, bool]]()
        while self.takes("if"):
            i = self.literal()
            self.expect("then")
            rules.append((i, self.truth()))
            self.takes(",")
            self.expect("else")
        return functions.DecisionList(tuple(rules), self.truth())

    def table(self) -> Concept:
        self.expect("table")
        if self.next.kind != "number" or self.next.text.strip("01"):
            raise self.expected("a row of digits 0 and 1")
        digits = self.take()
        found = self.made(digits, lambda: functions.truth_table(digits.text))
        if self.takes("of"):
            for i in found.variables:
                if i > 1:
                    self.expect(",")
                start = self.next
                if self.variable() != i:
                    raise self.error(
                        f"expected {functions.variable(i)}, found {start.text!r}", start
                    )
        return found

    def truth(self) -> bool:
        if self.next.means not in _VALUES:
            raise self.expected("0 or 1")
        return _VALUES[self.take().means]

    def literal(self) -> int:
        sign = 1
        while self.takes("¬"):
            sign = -sign
        return sign * self.variable("a literal such as x2 or ¬x2")

    def variable(
        self, expected: str = "a variable such as x2", most: int = functions.MOST_VARIABLES
    ) -> int:
        if self.next.kind != "variable":
            raise self.expected(expected)
        digits = self.next.text.translate(_DIGITS)
        i = int(digits) if len(digits) <= MOST_DIGITS else most + 1
        if not 1 <= i <= most:
            raise self.error(f"{cut(self.next.text)} is out of range; write x1 to x{most}")
        self.take()
        return i

    def take(self) -> Token:
        self.at += 1
        return self.tokens[self.at - 1]

    def takes(self, meaning: str) -> bool:
        """Take the next token if it means this; return whether it does."""
        found = self.next.means == meaning
        self.at += found
        return found

    def expect(self, *meanings: str) -> None:
        for meaning in meanings:
            if not self.takes(meaning):
                raise self.expected(repr(meaning))

    def separated(self, part: Callable[[], Part], separator: str) -> list[Part]:
        found = [part()]
        while self.takes(separator):
            found.append(part())
        return found

    def number(self, expected: str = "a number") -> int:
        if self.next.kind != "number":
            raise self.expected(expected)
        if len(self.next.text) > MOST_DIGITS:
            raise self.error(
                f"{cut(self.next.text)} is too large; write at most {MOST_DIGITS} digits"
            )
        return int(self.take().text)

    def made(self, start: Token, make: Callable[[], Part]) -> Part:
        """Call `make`; a ValueError becomes a FormulaError at the start token."""
        try:
            return make()
        except ValueError as error:
            raise self.error(str(error), start) from None

    def expected(self, what: str) -> FormulaError:
        found = repr(cut(self.next.text)) if self.next.text else _END
        return self.error(f"expected {what}, found {found}")

    def error(self, what: str, at: Token | None = None) -> FormulaError:
        return FormulaError(f"{cut(self.text)!r}, column {(at or self.next).column}: {what}")
