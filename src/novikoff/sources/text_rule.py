"""How a text becomes features: words, pairs of neighbouring words, or characters within words."""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from novikoff import _core
from novikoff.sources.chunks import Names
from novikoff.stream.rows import Positions, SparseRows

Grams: TypeAlias = Literal["words", "pairs", "characters"]
TextValues: TypeAlias = Literal["counts", "binary", "log"]
GRAMS: tuple[Grams, ...] = get_args(Grams)
TEXT_VALUES: tuple[TextValues, ...] = get_args(TextValues)


@dataclass(frozen=True, slots=True)
class TextRule:
    """Which parts of a text are features, and what their values are.

    A word is a maximal run of letters, marks and numbers (Unicode's general categories L, M and N).
    Each character is folded: to its case folding if that is one character, else to its lower case
    if that is one character. The tables are those of Unicode 14.0, whatever the version of Python.
    Word w of column c is feature "c=w"; v followed by w, whatever is between them, is "c=v w".

    Parameters
    ----------
    grams
        "words"; "pairs", for words and pairs of neighbouring words; or "characters", for the runs
        of 3 to 5 characters of each word with a space before and after it.
    values
        Of a feature that occurs n times: n for "counts", 1 for "binary", ln(1 + n) for "log".
    unit_length
        Whether the values of a text are then divided by their Euclidean norm.
    """

    grams: Grams = "pairs"
    values: TextValues = "log"
    unit_length: bool = True

    def __post_init__(self) -> None:
        for name, given, choices in (
            ("grams", self.grams, GRAMS),
            ("values", self.values, TEXT_VALUES),
        ):
            if given not in choices:
                raise ValueError(f"{name} must be one of {', '.join(choices)}, not {given!r}")

    @property
    def for_core(self) -> tuple[int, int, bool]:
        """The rule in the core's numbers."""
        return GRAMS.index(self.grams), TEXT_VALUES.index(self.values), self.unit_length

    def rows(
        self, text: NDArray[np.uint8], starts: Positions, field: str
    ) -> tuple[SparseRows, Names]:
        """The features of each text[starts[k]:starts[k + 1]], in UTF-8, and their names."""
        read: dict[str, Any] = _core.parse_texts(
            text, starts, prefix=f"{field}=", rule=self.for_core
        )
        names = Names(*read["names"])
        return SparseRows(read["values"], read["indices"], read["starts"], len(names)), names


USUAL = TextRule()
