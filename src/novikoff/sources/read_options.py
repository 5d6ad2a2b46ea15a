"""Options for reading files: the format, the label column, what a missing value means."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from typing import Any, Literal, TypeAlias, get_args

from novikoff import _core
from novikoff.sources.chunks import TableColumns
from novikoff.sources.text_rule import USUAL, TextRule

Format: TypeAlias = Literal[
    "svmlight", "vw", "jsonl", "csv", "parquet", "arrow", "npz", "npy", "folders"
]
Missing: TypeAlias = Literal["refuse", "zero", "indicate"]
Quote: TypeAlias = Literal["double", "none"]
Decimal: TypeAlias = Literal["point", "comma"]
CHOICES: dict[str, tuple[str, ...]] = {
    "format": get_args(Format),
    "missing": get_args(Missing),
    "quote": get_args(Quote),
    "decimal": get_args(Decimal),
}
DELIMITER = re.compile(r"[\x01-\t !#-*,/:-@[-^`{-~\x1c-\x1f]")  # none can be part of a number


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
        for name, choices in CHOICES.items():
            if (given := getattr(self, name)) is not None and given not in choices:
                raise ValueError(f"{name} must be one of {', '.join(choices)}, not {given!r}")
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

    def following(self, model: Mapping[str, Any]) -> ReadOptions:
        """The same options, with the columns of a table read as a model's data were."""
        how = replace(self, like_before=True)
        if not model:
            return how
        how = replace(
            how,
            label=model["label"] if self.label is None else self.label,
            weight=model.get("weight") if self.weight is None else self.weight,
            class_weights=self.class_weights or model.get("class_weights", {}),
            missing=self.missing or model["missing"],
            keep=self.keep or tuple(model.get("keep", ())),
            one_vs_rest=model.get("one_vs_rest"),
            ignore=self.ignore or tuple(model.get("ignore", ())),
            text=tuple(model.get("words", ())),
            text_rule=TextRule(**model["text_rule"]) if "text_rule" in model else self.text_rule,
            delimiter=self.delimiter or model.get("delimiter"),
            decimal=self.decimal or model.get("decimal"),
            quote=self.quote or model.get("quote"),
            header=model.get("header") if self.header is None else self.header,
        )
        if "features" not in model:
            return how
        return replace(how, categorical=tuple(model["texts"]), expect=tuple(model["features"]))

    def remembered(self, table: TableColumns | None) -> dict[str, Any]:
        """What a model must remember to read other data in the same way."""
        label, weight, words = self.label, self.weight, self.text
        if table is not None:
            label, weight, words = table.label, table.weight, table.words
        about: dict[str, Any] = {"label": label, "missing": self.missing_rule}
        is_usual = table is None and about == {"label": None, "missing": "refuse"}
        has_header = table is not None and table.has_header
        more = {
            "features": None if table is None else list(table.features),
            "texts": None if table is None else list(table.texts),
            "weight": weight,
            "class_weights": dict(self.class_weights) or None,
            "keep": list(self.keep) or None,
            "one_vs_rest": self.one_vs_rest,
            # positions, or keys; names are found by the model
            "ignore": None if has_header else list(self.ignore) or None,
            "words": list(words) or None,
            "text_rule": asdict(self.text_rule) if words else None,
            "delimiter": self.delimiter,
            "decimal": None if self.decimal == "point" else self.decimal,
            "quote": None if self.quote == "double" else self.quote,
            "header": self.header,
        }
        given = {name: value for name, value in more.items() if value is not None}
        return {} if is_usual and not given else about | given
