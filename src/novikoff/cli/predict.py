"""`novikoff predict`: the labels or the scores that a model gives to examples, one a line."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

from novikoff.cli.main import Option
from novikoff.cli.options import (
    DataFiles,
    Format,
    Label,
    Missing,
    MissingRule,
    ModelFile,
    SkipBad,
    Threads,
    load,
    one_line_errors,
    reading,
    refuse_what_cannot_be_written,
    say_left_out,
    say_skipped,
)

if TYPE_CHECKING:
    from novikoff.models.model import Model
    from novikoff.sources.chunks import Source


class Output(StrEnum):
    """What is printed for an example."""

    LABELS = "labels"
    SCORES = "scores"
    BOTH = "both"


def predict(
    model: ModelFile,
    data: DataFiles,
    what: Annotated[
        Output,
        Option(
            "--print",
            help="The label, the score (of many classes, one each), or both; with tabs between.",
        ),
    ] = Output.LABELS,
    output: Annotated[
        Path | None,
        Option("-o", "--output", metavar="FILE", help="Write to this file, not to stdout."),
    ] = None,
    label: Label = None,
    format: Format = None,
    missing: Missing = MissingRule.REFUSE,
    skip_bad: SkipBad = 0,
    threads: Threads = 2,
) -> None:
    """Predict the labels of examples, in their order; labels they have are not looked at.

    Features that the model has not met are left out. A score of 0 or more is the positive label.

    Of many classes the one with the highest score is predicted, the first of equals. `scores` then
    are those of all classes, in the order that `novikoff inspect` gives them; `both` is the label
    and its score.

    Exit status: 0 done, 2 bad input, 130 interrupted.
    """
    with one_line_errors(data[0]):
        from novikoff.sources import open_files

        if output is not None:
            refuse_what_cannot_be_written(output, [model, *data], "predictions")
        found = load(model)
        how = reading(format, label, missing, None, None, skip_bad, threads, labelled=False)
        how = replace(how.following(found.reading), eager=data == ["-"])
        source = open_files(data, how)
    if output is None:
        with one_line_errors("standard output"):
            if isinstance(sys.stdout, io.TextIOWrapper):
                sys.stdout.reconfigure(encoding="utf-8", errors="strict")  # labels as they are
            write(found, source, what, sys.stdout)
    else:
        with one_line_errors(str(output)):
            write_file(found, source, what, output)
    say_skipped(source)
    say_left_out(found)


def write(model: Model, source: Source, what: Output, out: IO[str]) -> None:
    """A line for each example."""
    for lines in predictions(model, source, what):
        out.write(lines)
        out.flush()


def write_file(model: Model, source: Source, what: Output, output: Path) -> None:
    """The same to a file, which is replaced when all of it has been written."""
    from novikoff.storage.atomic_write import replacing

    with replacing(output) as file:
        for lines in predictions(model, source, what):
            file.write(lines.encode())


def predictions(model: Model, source: Source, what: Output) -> Iterator[str]:
    """What is printed for each chunk."""
    from novikoff.models.prediction import labels_of, scored

    for _, scores in scored(model, source):
        if what is Output.LABELS:
            lines = labels_of(model, scores)
        elif what is Output.SCORES:
            rows = scores.tolist()
            one_each = model.is_joint
            lines = ["\t".join(map(repr, r)) for r in rows] if one_each else list(map(repr, rows))
        else:
            best = scores.max(axis=1) if model.is_joint else scores
            pairs = zip(labels_of(model, scores), best.tolist(), strict=True)
            lines = [f"{name}\t{score!r}" for name, score in pairs]
        yield "".join(f"{line}\n" for line in lines)
