"""`novikoff test`: how well a model does on labelled examples."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Annotated, Any

from novikoff.cli import classes
from novikoff.cli.arguments import Option
from novikoff.cli.common import fail, one_line_errors
from novikoff.cli.models import ModelFile, load, say_left_out, say_skipped
from novikoff.cli.options import (
    DataFiles,
    Format,
    Label,
    Missing,
    MissingRule,
    SkipBad,
    Threads,
    reading,
)

if TYPE_CHECKING:
    from novikoff.model import Model
    from novikoff.predicting import Tested, TestedClasses


def grade(
    model: ModelFile,
    data: DataFiles,
    as_json: Annotated[bool, Option("--json", help="Print it as JSON.")] = False,
    label: Label = None,
    format: Format = None,
    missing: Missing = MissingRule.REFUSE,
    skip_bad: SkipBad = 0,
    threads: Threads = 2,
) -> None:
    """Compare a model's predictions with the labels of examples.

    Prints the accuracy, how often each label got each prediction, and the area under the ROC curve:
    the share of pairs, one example of each label, whose scores are in the right order. Of many
    classes it prints how each did, and what was most often taken for what.

    Exit status: 0 done, 2 bad input, 130 interrupted.
    """
    with one_line_errors(data[0]):
        from novikoff import predicting
        from novikoff.sources import open_files

        found = load(model)
        how = reading(format, label, missing, None, None, skip_bad, threads)
        source = open_files(data, how.following(found.reading))
        test = predicting.tested_classes if found.is_joint else predicting.tested
        result: Tested | TestedClasses = test(found, source)
        if not result.confusion.examples:
            fail(f"{data[0]}: there are no examples")
    say_skipped(source)
    say_left_out(found)
    with one_line_errors("standard output"):
        if as_json:
            print(json.dumps(to_dict(found, result), indent=1))
        else:
            print(f"Data      {source.description}\n{words(found, result)}")


def to_dict(model: Model, tested: Tested | TestedClasses) -> dict[str, Any]:
    """For a program."""
    from novikoff.predicting import TestedClasses

    if isinstance(tested, TestedClasses):
        return classes.tested_dict(model, tested)
    counts = tested.confusion
    negative, positive = model.classes
    area = tested.roc_area
    return {
        "examples": counts.examples,
        "mistakes": counts.mistakes,
        "accuracy": counts.accuracy,
        "roc_area": None if math.isnan(area) else area,
        "confusion": {
            negative: {negative: counts.true_negative, positive: counts.false_positive},
            positive: {negative: counts.false_negative, positive: counts.true_positive},
        },
        "features_left_out": model.features.left_out,
    }


def words(model: Model, tested: Tested | TestedClasses) -> str:
    """For a person."""
    from novikoff.predicting import TestedClasses

    if isinstance(tested, TestedClasses):
        return classes.tested_words(model, tested)
    counts, area = tested.confusion, tested.roc_area
    names = [classes.cut(name) for name in model.classes]
    rows = [
        ("", *(f"said {name}" for name in names)),
        (f"is {names[0]}", f"{counts.true_negative:,}", f"{counts.false_positive:,}"),
        (f"is {names[1]}", f"{counts.false_negative:,}", f"{counts.true_positive:,}"),
    ]
    widths = [max(len(row[k]) for row in rows) for k in range(3)]
    right = counts.examples - counts.mistakes
    lines = [
        f"Accuracy  {counts.accuracy:.2%}: {right:,} of {counts.examples:,} examples right",
        f"Mistakes  {counts.mistakes:,}",
        "ROC area  " + ("not defined: one label only" if math.isnan(area) else f"{area:.4f}"),
        "",
    ]
    lines += ["  ".join(cell.rjust(w) for cell, w in zip(row, widths, strict=True)) for row in rows]
    return "\n".join(lines)
