"""What `test` and `inspect` say of a model of many classes, in words and for a program.

`novikoff test`: how well a model does on labelled examples.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

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
    fail,
    load,
    one_line_errors,
    reading,
    say_left_out,
    say_skipped,
)

if TYPE_CHECKING:
    from novikoff.models.model import Model
    from novikoff.models.prediction import Tested, TestedClasses


CLASSES_SHOWN = 40
CONFUSIONS_SHOWN = 10


def tested_dict(model: Model, tested: TestedClasses) -> dict[str, Any]:
    """What a test found, for a program; a pair that the confusion does not list never occurred."""
    found, labels = tested.confusion, tested.labels
    confusion: dict[str, dict[str, int]] = {}
    for (true, said), n in sorted(found.counts.items()):
        confusion.setdefault(labels[true], {})[labels[said]] = n
    rows = zip(labels, found.of_classes(len(labels)), strict=True)
    return {
        "examples": found.examples,
        "mistakes": found.mistakes,
        "accuracy": found.accuracy,
        "classes": {
            label: {
                "examples": one.examples,
                "predicted": one.said,
                "right": one.right,
                "precision": _or_none(one.precision),
                "recall": _or_none(one.recall),
            }
            for label, one in rows
        },
        "unknown_labels": list(labels[len(model.classes) :]),
        "confusion": confusion,
        "features_left_out": model.features.left_out,
    }


def tested_words(model: Model, tested: TestedClasses) -> str:
    """What a test found, for a person."""
    found, labels = tested.confusion, [cut(label) for label in tested.labels]
    counts = found.of_classes(len(labels))
    right = found.examples - found.mistakes
    lines = [
        f"Accuracy  {found.accuracy:.2%}: {right:,} of {found.examples:,} examples right",
        f"Mistakes  {found.mistakes:,}{_of_unknown(model, tested)}",
        "",
    ]
    by_size = sorted(range(len(labels)), key=lambda k: -counts[k].examples)
    table = [("label", "examples", "right", "precision", "recall")]
    for k in by_size[:CLASSES_SHOWN]:
        one = counts[k]
        shares = (_percent(one.precision), _percent(one.recall))
        table.append((labels[k], f"{one.examples:,}", f"{one.right:,}", *shares))
    lines += in_columns(table)
    if (more := len(labels) - CLASSES_SHOWN) > 0:
        lines.append(f"and {more:,} more labels with no more examples each; --json has them all")
    if wrong := found.confusions()[:CONFUSIONS_SHOWN]:
        lines += ["", "Most often taken for another:"]
        pairs = [(labels[true], "->", labels[said], f"{n:,}") for true, said, n in wrong]
        lines += [f"  {line}" for line in in_columns(pairs, left=3)]
    return "\n".join(lines)


def _of_unknown(model: Model, tested: TestedClasses) -> str:
    """How many examples have labels that the model does not know, and the first of these."""
    known = len(model.classes)
    n = sum(count for (true, _), count in tested.confusion.counts.items() if true >= known)
    if not n:
        return ""
    label = cut(tested.labels[known])
    rest = len(tested.labels) - known - 1
    what = f"a label the model does not know, {label}"
    if rest:
        what = f"{rest + 1:,} labels the model does not know, the first {label}"
    return f"; {n:,} of them on {what}"


def cut(label: str) -> str:
    """A label that fits in a table."""
    return label if len(label) <= 24 else label[:23] + "…"


def in_columns(rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """Lines of a table: so many columns to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = zip(row, widths, strict=True)
        lines.append(
            "  ".join(c.ljust(w) if k < left else c.rjust(w) for k, (c, w) in enumerate(cells))
        )
    return lines


def _or_none(share: float) -> float | None:
    return None if math.isnan(share) else share


def _percent(share: float) -> str:
    return "-" if math.isnan(share) else f"{share:.2%}"


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
        from novikoff.models import prediction as predicting
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
    from novikoff.models.prediction import TestedClasses

    if isinstance(tested, TestedClasses):
        return tested_dict(model, tested)
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
    from novikoff.models.prediction import TestedClasses

    if isinstance(tested, TestedClasses):
        return tested_words(model, tested)
    counts, area = tested.confusion, tested.roc_area
    names = [cut(name) for name in model.classes]
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
