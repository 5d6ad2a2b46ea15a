"""`novikoff test`: how well a model predicts the labels of examples."""

import json
import math
from dataclasses import asdict
from typing import Any

from novikoff.cli import options
from novikoff.cli.errors import fail, show
from novikoff.models.measures import Confusion
from novikoff.models.model import Model
from novikoff.models.prediction import Evaluation, evaluate
from novikoff.sources import ReadOptions, open_files
from novikoff.stream.printing import aligned, count, cut, percent, plain, plural, share

CLASSES_SHOWN = 40
CONFUSIONS_SHOWN = 10
LONGEST_LABEL = 24


def test(
    model: options.ModelFile,
    data: options.DataFiles,
    as_json: options.Json = False,
    label: options.ModelLabel = None,
    format: options.Format = None,
    missing: options.ModelMissing = "refuse",
    skip_bad: options.SkipBad = 0,
    threads: options.Threads = 2,
) -> None:
    """Compare a model's predictions with the labels of examples.

    For two labels it prints the accuracy, the confusion matrix, and the area under the ROC curve:
    the share of pairs of a positive and a negative example that the scores put in the right order.
    For many classes it prints the precision and recall of each, and the most frequent confusions.

    Exit status: 0 done, 2 bad input, 130 interrupted.
    """
    found = options.load_model(model, data)
    how = ReadOptions(format, label, missing=missing, skip_bad=skip_bad, threads=threads)
    source = open_files(data, how.following(found.read_options))
    tested = evaluate(found, source)
    if not tested.confusion.examples:
        fail(f"{data[0]}: there are no examples")
    options.warn_of_skipped_lines(source)
    options.warn_of_unknown_features(found)
    if as_json:
        show(json.dumps(to_dict(found, tested), indent=1))
        return
    lines = classes_in_words(found, tested) if found.is_joint else two_labels_in_words(tested)
    show("\n".join([f"Data      {source.description}", *lines]))


def to_dict(model: Model, tested: Evaluation) -> dict[str, Any]:
    """The result as JSON takes it; for many classes, the confusion lists only pairs that occur."""
    found, labels = tested.confusion, tested.labels
    confusion: dict[str, dict[str, int]] = {}
    every_pair = () if model.is_joint else ((0, 0), (0, 1), (1, 0), (1, 1))
    for true, predicted in sorted({*found.counts, *every_pair}):
        row = confusion.setdefault(labels[true], {})
        row[labels[predicted]] = found.counts[true, predicted]
    about: dict[str, Any] = {"roc_area": _or_none(tested.roc_area)}
    if model.is_joint:
        classes = {
            label: asdict(one)
            | {"precision": _or_none(one.precision), "recall": _or_none(one.recall)}
            for label, one in zip(labels, found.of_classes(len(labels)), strict=True)
        }
        about = {"classes": classes, "unknown_labels": list(labels[len(model.classes) :])}
    return {
        "examples": found.examples,
        "mistakes": found.mistakes,
        "accuracy": found.accuracy,
        **about,
        "confusion": confusion,
        "unknown_feature_values": model.features.left_out,
    }


def two_labels_in_words(tested: Evaluation) -> list[str]:
    """The result for two labels, for a person."""
    counts, area = tested.confusion.counts, tested.roc_area
    labels = [cut(plain(label), LONGEST_LABEL) for label in tested.labels]
    table = [("label", *(f"predicted {label}" for label in labels))]
    table += [(label, count(counts[k, 0]), count(counts[k, 1])) for k, label in enumerate(labels)]
    shown = "undefined: only one label" if math.isnan(area) else f"{area:.4f}"
    return [*_accuracy(tested.confusion), f"ROC area  {shown}", "", *aligned(table)]


def classes_in_words(model: Model, tested: Evaluation) -> list[str]:
    """The result for many classes, for a person."""
    found, labels = tested.confusion, [cut(plain(label), LONGEST_LABEL) for label in tested.labels]
    counts = found.of_classes(len(labels))
    accuracy, mistakes = _accuracy(found)
    table = [("label", "examples", "right", "precision", "recall")]
    for k in sorted(range(len(labels)), key=lambda k: -counts[k].examples)[:CLASSES_SHOWN]:
        one = counts[k]
        shares = (share(one.precision), share(one.recall))
        table.append((labels[k], count(one.examples), count(one.right), *shares))
    lines = [accuracy, mistakes + _on_unknown_labels(model, tested), "", *aligned(table)]
    if (more := len(labels) - CLASSES_SHOWN) > 0:
        lines.append(f"and {plural(more, 'smaller class', 'smaller classes')}; --json lists all")
    if confusions := found.confusions()[:CONFUSIONS_SHOWN]:
        pairs = [(labels[true], "->", labels[other], count(n)) for true, other, n in confusions]
        lines += ["", "Most frequent confusions (label -> prediction):"]
        lines += [f"  {line}" for line in aligned(pairs, left=(0, 1, 2))]
    return lines


def _accuracy(found: Confusion) -> list[str]:
    return [
        f"Accuracy  {percent(found.right, found.examples, 2)}: {count(found.right)} of "
        f"{plural(found.examples, 'example')} right",
        f"Mistakes  {count(found.mistakes)}",
    ]


def _on_unknown_labels(model: Model, tested: Evaluation) -> str:
    known = len(model.classes)
    mistakes = sum(n for (true, _), n in tested.confusion.counts.items() if true >= known)
    if not mistakes:
        return ""
    unknown = len(tested.labels) - known
    first = cut(plain(tested.labels[known]), LONGEST_LABEL)
    several = f"{count(unknown)} unknown labels, the first {first}"
    named = f"an unknown label, {first}" if unknown == 1 else several
    return f"; {count(mistakes)} of them on {named}"


def _or_none(x: float) -> float | None:
    return None if math.isnan(x) else x
