"""The words and signs of a formula, taken one after another, and where one of them is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from novikoff.concepts.attributes import shortened

MOST_DIGITS = 19  # a 64-bit integer has no more
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
_END = "the end"

Part = TypeVar("Part")


class FormulaError(ValueError):
    """A text that is no formula; says where, and what is expected there."""


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text: a variable, number, word, sign or the end, and the column it is at."""

    kind: str
    text: str
    column: int

    @property
    def means(self) -> str:
        """The sign it stands for; otherwise itself, in small letters."""
        return _MEANING.get(self.text.lower(), self.text.lower())


class Tokens:
    """The tokens of a text; `next` is the one not taken yet, at last the end."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.tokens = [
            Token(str(found.lastgroup), found.group(), found.start() + 1)
            for found in _TOKEN.finditer(text)
        ]
        self.tokens.append(Token(_END, "", len(text.rstrip()) + 1))

    @property
    def next(self) -> Token:
        """The token that comes."""
        return self.tokens[self.at]

    @property
    def at_end(self) -> bool:
        """Whether all was taken."""
        return self.next.kind == _END

    def take(self) -> Token:
        """The token that comes, which is passed; the end stays."""
        token = self.next
        self.at += not self.at_end
        return token

    def takes(self, meaning: str) -> bool:
        """Whether what comes means this; it is then taken."""
        if self.next.means != meaning:
            return False
        self.take()
        return True

    def expect(self, *meanings: str) -> None:
        """Take tokens with these meanings, or refuse the text."""
        for meaning in meanings:
            if not self.takes(meaning):
                raise self.wrong(repr(meaning))

    def separated(self, part: Callable[[], Part], separator: str) -> list[Part]:
        """One or more parts, as long as a separator follows."""
        found = [part()]
        while self.takes(separator):
            found.append(part())
        return found

    def number(self, expected: str = "a number") -> int:
        """Take a number without a sign."""
        if self.next.kind != "number":
            raise self.wrong(expected)
        if len(self.next.text) > MOST_DIGITS:
            raise self.error(f"the number {shortened(self.next.text, 20)} is too large")
        return int(self.take().text)

    def made(self, start: Token, make: Callable[[], Part]) -> Part:
        """What is made; where that cannot be, an error at its start."""
        try:
            return make()
        except ValueError as error:
            raise self.error(str(error), start) from None

    def wrong(self, expected: str) -> FormulaError:
        """What comes is not what is expected."""
        found = repr(shortened(self.next.text, 20)) if self.next.text else _END
        return self.error(f"found {found} where {expected} is expected")

    def error(self, what: str, at: Token | None = None) -> FormulaError:
        """The text, the column of a token (by default of what comes), and what is wrong there."""
        column = (at or self.next).column
        return FormulaError(f"{shortened(self.text)!r}, column {column}: {what}")
