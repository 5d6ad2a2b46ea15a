"""Options for reading files: the format, the label column, what a missing value means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, get_args

from novikoff.sources.chunks import TableColumns

Format: TypeAlias = Literal["svmlight", "vw", "jsonl", "csv", "parquet", "arrow", "npz"]
FORMATS: tuple[Format, ...] = get_args(Format)
Missing: TypeAlias = Literal["refuse", "zero", "indicate"]
MISSING_RULES: tuple[Missing, ...] = get_args(Missing)


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How to read files.

    Parameters
    ----------
    format
        By default detected from the first file's name, else from its content.
    label
        Tables: the label's column, by name or by position from 0; by default the last one that is
        not ignored. JSON lines: its key, by default "label".
    labelled
        Whether every example must have a label. If not, a table is searched for a label column only
        if `label` names it, or if it has no header and one column more than `expect`.
    weight
        Tables: the column that says how much each example counts, by name or by position from 0.
        JSON lines: its key. By default each counts 1.
    weighed
        Whether every example must have a weight, if `weight` names one; if not, those without one
        count 1.
    class_weights
        By label, as `stream.labels.written` writes it: the factor by which the weights of its
        examples are multiplied while learning.
    missing
        What to do with a missing value (in text: empty, "NA", "?", "null"; in binary tables null or
        NaN): "refuse" it, take it as "zero", or "indicate" it by a feature of its own, named after
        the column and "=".
    ignore
        Columns of a table to leave out, by name or position.
    categorical
        Columns of a table to read as texts, though they hold numbers, dates or truth values.
    expect
        The feature columns that a model was trained on. They are found by name, in any order, and
        other columns are left out; in a table without a header they are the columns in turn. Only
        `categorical` columns are then texts.
    skip_bad
        How many bad lines to skip.
    threads
        How many threads parse text.
    eager
        Whether to yield examples as soon as they arrive, as from a pipe, not megabytes at a time.
    """

    format: Format | None = None
    label: str | int | None = None
    labelled: bool = True
    weight: str | int | None = None
    weighed: bool = True
    class_weights: Mapping[str, float] = field(default_factory=dict)
    missing: Missing = "refuse"
    ignore: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    expect: tuple[str, ...] | None = None
    skip_bad: int = 0
    threads: int = 2
    eager: bool = False

    def __post_init__(self) -> None:
        if self.format is not None and self.format not in FORMATS:
            raise ValueError(f"format must be one of {', '.join(FORMATS)}, not {self.format!r}")
        if self.missing not in MISSING_RULES:
            raise ValueError(
                f"missing must be one of {', '.join(MISSING_RULES)}, not {self.missing!r}"
            )
        if both := sorted({*self.ignore} & {*self.categorical}):
            raise ValueError(f"column {both[0]!r} cannot be both ignored and categorical")

    def following(self, model: Mapping[str, Any]) -> ReadOptions:
        """The same options, with the columns of a table read as a model's data were."""
        if not model:
            return self
        how = replace(
            self,
            label=model["label"] if self.label is None else self.label,
            weight=model.get("weight") if self.weight is None else self.weight,
            class_weights=self.class_weights or model.get("class_weights", {}),
            missing=model["missing"] if self.missing == "refuse" else self.missing,
        )
        if "features" not in model:
            return how
        return replace(how, categorical=tuple(model["texts"]), expect=tuple(model["features"]))

    def remembered(self, table: TableColumns | None) -> dict[str, Any]:
        """What a model must remember to read other data in the same way."""
        about: dict[str, Any]
        if table is None:
            weight = self.weight
            about = {"label": self.label, "missing": self.missing}
            is_usual = self.label is None and self.missing == "refuse"
        else:
            weight, is_usual = table.weight, False
            about = {
                "label": table.label,
                "missing": self.missing,
                "features": list(table.features),
                "texts": list(table.texts),
            }
        more: dict[str, Any] = {} if weight is None else {"weight": weight}
        if self.class_weights:
            more["class_weights"] = dict(self.class_weights)
        return {} if is_usual and not more else about | more
