"""Options for reading: the format, the label, missing values, and how a text becomes features."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from typing import Any, Literal, Self, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from novikoff import _core
from novikoff.sources.chunks import Names, TableColumns
from novikoff.stream.rows import Positions, SparseRows

Format: TypeAlias = Literal[
    "svmlight", "vw", "jsonl", "csv", "parquet", "arrow", "npz", "npy", "folders"
]
Missing: TypeAlias = Literal["refuse", "zero", "indicate"]
Quote: TypeAlias = Literal["double", "none"]
Decimal: TypeAlias = Literal["point", "comma"]
Grams: TypeAlias = Literal["words", "pairs", "characters"]
TextValues: TypeAlias = Literal["counts", "binary", "log"]
CHOICES: dict[str, tuple[str, ...]] = {
    "format": get_args(Format),
    "missing": get_args(Missing),
    "quote": get_args(Quote),
    "decimal": get_args(Decimal),
    "grams": get_args(Grams),
    "values": get_args(TextValues),
}
# What a model's data decide, where nothing else is given; and what a model need not remember.
_AS_TRAINED = (
    *("label", "weight", "class_weights", "missing", "keep", "ignore"),
    *("delimiter", "decimal", "quote", "header"),
)
_NOT_GIVEN: tuple[object, ...] = (None, (), {})
_USUAL = {"missing": "refuse", "decimal": "point", "quote": "double"}
DELIMITER = re.compile(r"[\x01-\t !#-*,/:-@[-^`{-~\x1c-\x1f]")  # none can be part of a number


def _check_choices(options: object) -> None:
    """Raise ValueError if one of the options is not among its choices."""
    for name, choices in CHOICES.items():
        if (given := getattr(options, name, None)) is not None and given not in choices:
            raise ValueError(f"{name} must be one of {', '.join(choices)}, not {given!r}")


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
        _check_choices(self)

    @property
    def for_core(self) -> tuple[int, int, bool]:
        """The rule in the core's numbers."""
        grams, values = CHOICES["grams"].index(self.grams), CHOICES["values"].index(self.values)
        return grams, values, self.unit_length

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


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to read files.

    Parameters
    ----------
    format
        By default detected from the first file's name, else from its content.
    label
        Tables: the label's column, by name or by position from 0; by default the last one that is
        neither ignored nor in `text`. JSON lines: its key, by default "label".
    labelled
        Whether every example must have a label. If not, a table is searched for a label column only
        if `label` names it, or if it has no header and one column more than `expect`.
    weight, weighed
        The column or key that says how much each example counts, and whether each must have it.
    class_weights
        By label: the factor by which the weights of its examples are multiplied while learning.
    missing
        "refuse" a missing value, take it as "zero", or "indicate" it by a feature of its own, named
        after the column and "=". By default as a model was trained, else "refuse".
    keep, one_vs_rest
        The labels to read, by default all; and one label against all others, which become one.
    ignore
        Columns of a table to leave out, by name or position; keys of JSON lines.
    categorical
        Columns or keys to read as categories, though they hold numbers, dates or long texts.
    text, text_rule
        Columns or keys whose words are features, and how a text becomes features.
    delimiter
        CSV: the character between fields; a run of spaces is one. By default as in the first line.
    decimal, quote
        CSV: "point" or "comma"; "double" if fields may be in double quotes, or "none". By default
        as a model was trained, else "point" and "double".
    header
        CSV: whether the first line names the columns; by default it is judged by its content.
    expect
        The feature columns that a model was trained on. They are found by name, in any order, and
        other columns are left out; in a table without a header they are the columns in turn.
    skip_bad, threads
        How many bad lines to skip, and how many threads parse text.
    eager
        Whether to yield examples as soon as they arrive, as from a pipe, not megabytes at a time.
    hash_bits, most_names, known
        Hash the names of features while they are read, and keep at most so many names, if the
        format can (CSV, Vowpal Wabbit); not those of columns whose names are known already.
    like_before
        Whether the data are read as those of a model were, so that no column is refused.
    """

    format: Format | None = None
    label: str | int | None = None
    labelled: bool = True
    weight: str | int | None = None
    weighed: bool = True
    class_weights: Mapping[str, float] = field(default_factory=dict)
    missing: Missing | None = None
    keep: tuple[str, ...] = ()
    one_vs_rest: str | None = None
    ignore: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    text_rule: TextRule = USUAL
    delimiter: str | None = None
    decimal: Decimal | None = None
    quote: Quote | None = None
    header: bool | None = None
    expect: tuple[str, ...] | None = None
    skip_bad: int = 0
    threads: int = 2
    eager: bool = False
    hash_bits: int | None = None
    most_names: int = 0
    known: _core.SlotNames | None = None
    like_before: bool = False

    def __post_init__(self) -> None:
        _check_choices(self)
        if self.delimiter is not None and not DELIMITER.fullmatch(self.delimiter):
            raise ValueError(
                "the delimiter must be one character that is no letter, digit, quote, sign or "
                f"point, not {self.delimiter!r}"
            )
        uses = {"ignored": self.ignore, "categorical": self.categorical, "text": self.text}
        for (one, columns), (other, others) in combinations(uses.items(), 2):
            if both := sorted({*columns} & {*others}):
                raise ValueError(f"column {both[0]!r} cannot be both {one} and {other}")

    @property
    def missing_rule(self) -> Missing:
        """What to do with a missing value."""
        return self.missing or "refuse"

    def following(self, model: Mapping[str, Any]) -> Self:
        """The same options, with the columns of a table read as a model's data were."""
        if not model:
            return replace(self, like_before=True)
        ours = {name for name in _AS_TRAINED if getattr(self, name) not in _NOT_GIVEN}
        known = {name: model[name] for name in _AS_TRAINED if name in model and name not in ours}
        known |= {"one_vs_rest": model.get("one_vs_rest"), "text": model.get("words", [])}
        if "text_rule" in model:
            known["text_rule"] = TextRule(**model["text_rule"])
        if "features" in model:
            known |= {"categorical": model["texts"], "expect": model["features"]}
        known = {name: tuple(x) if isinstance(x, list) else x for name, x in known.items()}
        return replace(self, like_before=True, **known)

    def remembered(self, table: TableColumns | None) -> dict[str, Any]:
        """What a model must remember to read other data in the same way."""
        found = {name: getattr(self, name) for name in (*_AS_TRAINED, "one_vs_rest")}
        found |= {"words": self.text} if table is None else asdict(table)
        if found.pop("has_header", False):
            del found["ignore"]  # the model finds the others by their names
        given = {k: x for k, x in found.items() if x not in (*_NOT_GIVEN, _USUAL.get(k))}
        if table is None and not given:
            return {}
        if "words" in given:
            given["text_rule"] = asdict(self.text_rule)
        always: dict[str, Any] = {"label": None, "missing": self.missing_rule}
        always |= {} if table is None else {"features": [], "texts": []}
        return always | {k: list(x) if isinstance(x, tuple) else x for k, x in given.items()}
