"""`novikoff test`: how well a model predicts the labels of examples."""

import json
import math
from typing import Any

from novikoff.cli.errors import fail, show
from novikoff.cli.options import (
    DataFiles,
    FormatOption,
    JsonOption,
    ModelFile,
    ModelLabelOption,
    ModelMissingOption,
    SkipBadOption,
    ThreadsOption,
    load_model,
    warn_of_skipped_lines,
    warn_of_unknown_features,
)
from novikoff.models.model import Model
from novikoff.models.prediction import (
    ClassEvaluation,
    Evaluation,
    evaluate,
    evaluate_classes,
)
from novikoff.sources import Reading, open_files
from novikoff.stream.printing import aligned, count, cut, percent, plural, share

CLASSES_SHOWN = 40
CONFUSIONS_SHOWN = 10
LONGEST_LABEL = 24


def test(
    model: ModelFile,
    data: DataFiles,
    as_json: JsonOption = False,
    label: ModelLabelOption = None,
    format: FormatOption = None,
    missing: ModelMissingOption = "refuse",
    skip_bad: SkipBadOption = 0,
    threads: ThreadsOption = 2,
) -> None:
    """Compare a model's predictions with the labels of examples.

    For two labels it prints the accuracy, the confusion matrix, and the area under the ROC curve:
    the share of pairs of a positive and a negative example that the scores put in the right order.
    For many classes it prints the precision and recall of each, and the most frequent confusions.

    Exit status: 0 done, 2 bad input, 130 interrupted.
    """
    found = load_model(model)
    how = Reading(format, label, missing=missing, skip_bad=skip_bad, threads=threads)
    source = open_files(data, how.following(found.reading))
    tested = evaluate_classes(found, source) if found.is_joint else evaluate(found, source)
    if not tested.confusion.examples:
        fail(f"{data[0]}: there are no examples")
    warn_of_skipped_lines(source)
    warn_of_unknown_features(found)
    if isinstance(tested, ClassEvaluation):
        shown = classes_to_dict(found, tested) if as_json else classes_in_words(found, tested)
    else:
        shown = two_labels_to_dict(found, tested) if as_json else two_labels_in_words(found, tested)
    if isinstance(shown, str):
        show(f"Data      {source.description}\n{shown}")
    else:
        show(json.dumps(shown, indent=1))


def two_labels_to_dict(model: Model, tested: Evaluation) -> dict[str, Any]:
    """The result for two labels, as JSON takes it."""
    confusion = tested.confusion
    negative, positive = model.classes
    return {
        "examples": confusion.examples,
        "mistakes": confusion.mistakes,
        "accuracy": confusion.accuracy,
        "roc_area": _or_none(tested.roc_area),
        "confusion": {
            negative: {negative: confusion.true_negative, positive: confusion.false_positive},
            positive: {negative: confusion.false_negative, positive: confusion.true_positive},
        },
        "features_left_out": model.features.left_out,
    }


def two_labels_in_words(model: Model, tested: Evaluation) -> str:
    """The result for two labels, for a person."""
    confusion, area = tested.confusion, tested.roc_area
    negative, positive = (cut(label, LONGEST_LABEL) for label in model.classes)
    table = [
        ("label", f"predicted {negative}", f"predicted {positive}"),
        (negative, count(confusion.true_negative), count(confusion.false_positive)),
        (positive, count(confusion.false_negative), count(confusion.true_positive)),
    ]
    lines = [
        *_accuracy(confusion.examples, confusion.mistakes),
        "ROC area  " + ("undefined: only one label" if math.isnan(area) else f"{area:.4f}"),
        "",
        *aligned(table),
    ]
    return "\n".join(lines)


def classes_to_dict(model: Model, tested: ClassEvaluation) -> dict[str, Any]:
    """The result for many classes, as JSON takes it; the confusion lists only pairs that occur."""
    found, labels = tested.confusion, tested.labels
    confusion: dict[str, dict[str, int]] = {}
    for (true, predicted), n in sorted(found.counts.items()):
        confusion.setdefault(labels[true], {})[labels[predicted]] = n
    return {
        "examples": found.examples,
        "mistakes": found.mistakes,
        "accuracy": found.accuracy,
        "classes": {
            label: {
                "examples": one.examples,
                "predicted": one.predicted,
                "right": one.right,
                "precision": _or_none(one.precision),
                "recall": _or_none(one.recall),
            }
            for label, one in zip(labels, found.of_classes(len(labels)), strict=True)
        },
        "unknown_labels": list(labels[len(model.classes) :]),
        "confusion": confusion,
        "features_left_out": model.features.left_out,
    }


def classes_in_words(model: Model, tested: ClassEvaluation) -> str:
    """The result for many classes, for a person."""
    found, labels = tested.confusion, [cut(label, LONGEST_LABEL) for label in tested.labels]
    counts = found.of_classes(len(labels))
    accuracy, mistakes = _accuracy(found.examples, found.mistakes)
    table = [("label", "examples", "right", "precision", "recall")]
    for k in sorted(range(len(labels)), key=lambda k: -counts[k].examples)[:CLASSES_SHOWN]:
        one = counts[k]
        shares = (share(one.precision), share(one.recall))
        table.append((labels[k], count(one.examples), count(one.right), *shares))
    lines = [accuracy, mistakes + _on_unknown_labels(model, tested), "", *aligned(table)]
    if (more := len(labels) - CLASSES_SHOWN) > 0:
        lines.append(f"and {plural(more, 'smaller class', 'smaller classes')}; --json lists all")
    if confusions := found.confusions()[:CONFUSIONS_SHOWN]:
        pairs = [
            (labels[true], "->", labels[predicted], count(n)) for true, predicted, n in confusions
        ]
        lines += ["", "Most frequent confusions (label -> prediction):"]
        lines += [f"  {line}" for line in aligned(pairs, left=(0, 1, 2))]
    return "\n".join(lines)


def _accuracy(examples: int, mistakes: int) -> list[str]:
    right = examples - mistakes
    return [
        f"Accuracy  {percent(right, examples, 2)}: {count(right)} of "
        f"{plural(examples, 'example')} right",
        f"Mistakes  {count(mistakes)}",
    ]


def _on_unknown_labels(model: Model, tested: ClassEvaluation) -> str:
    known = len(model.classes)
    mistakes = sum(n for (true, _), n in tested.confusion.counts.items() if true >= known)
    if not mistakes:
        return ""
    unknown = len(tested.labels) - known
    first = cut(tested.labels[known], LONGEST_LABEL)
    named = f"an unknown label, {first}" if unknown == 1 else (
        f"{count(unknown)} unknown labels, the first {first}"
    )  # fmt: skip
    return f"; {count(mistakes)} of them on {named}"


def _or_none(x: float) -> float | None:
    return None if math.isnan(x) else x
