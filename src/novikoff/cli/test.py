"""`novikoff test`: how well a model predicts the labels of examples."""

import json
import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from novikoff.cli import options
from novikoff.cli.errors import fail, show
from novikoff.models.measures import Evaluation, Judge
from novikoff.models.model import Model
from novikoff.models.prediction import judged
from novikoff.sources import open_files
from novikoff.sources.inputs import parts_in_place
from novikoff.sources.shards import shards_of_files
from novikoff.stream.printing import aligned, count, cut, percent, plain, plural, share

CLASSES_SHOWN = 40
CONFUSIONS_SHOWN = 10


OPTIONS = """
--confusion             Many labels: print the whole confusion table. For two it is always printed.
--roc                   Draw the ROC curve: .png, .svg or .pdf.
--precision-recall      Draw the precision-recall curve: .png, .svg or .pdf.
--reliability           Draw the reliability of the probabilities: .png, .svg or .pdf.
"""


def test(
    model: str,
    data: list[str],
    confusion: bool = False,
    roc: Path | None = None,
    precision_recall: Path | None = None,
    reliability: Path | None = None,
    threshold: float | None = None,
    cost_ratio: float | None = None,
    cluster: str | None = None,
    shards: int | None = None,
    as_json: bool = False,
    *,
    reading: options.ModelReading,
) -> None:
    """Compare a model's predictions with the labels of examples.

    It prints the accuracy, and beside it that of always predicting the commonest label. For two
    labels it then prints the precision, recall and F1 of the positive one, the area under the ROC
    curve (the share of pairs of a positive and a negative example that the scores put in the right
    order), and the confusion table. For many classes it prints the precision, recall and F1 of
    each, and the most frequent confusions. If the model gives probabilities, it prints their log
    loss (the mean of -ln p of the right label) and their calibration error (the mean distance of
    predicted from observed shares, in 15 intervals).

    Exit status: 0 done, 2 bad input, 130 interrupted.
    """
    found = options.load_model(model, data)
    if found.has_many_classes and (roc or precision_recall):
        fail(f"--{'roc' if roc else 'precision-recall'}: the curve is for models of two labels")
    if reliability:
        options.check_probabilities(found, "--reliability")
    least = options.named_threshold(found, threshold, cost_ratio)
    wanted = {"roc": roc, "precision_recall": precision_recall, "reliability": reliability}
    figures = [(name, to, options.axes_for(to)) for name, to in wanted.items() if to is not None]
    how = found.features.hashed_while_read(reading.for_model(found), named=False)
    if cluster is None:
        source = open_files(data, how)
        parts = iter([judged(found, source, least)])
    else:
        cut = shards_of_files(parts_in_place(data), how, shards=shards)
        source = cut.source
        work = partial(judged, threshold=least)
        parts = options.work_of_shards(cluster, cut, found, work, how.skip_bad)
    judge, numbers = Judge(many=found.has_many_classes), {c: k for k, c in enumerate(found.classes)}
    for each, labels in parts:  # labels that the model does not know are met in their order
        judge.absorb(each, [numbers.setdefault(label, len(numbers)) for label in labels])
    tested = judge.evaluation(tuple(numbers))
    if not tested.confusion.examples:
        fail(f"{data[0]}: there are no examples")
    options.warn_of_skipped_lines(source.skipped)
    options.warn_of_unknown_features(found)
    for name, to, ax in figures:
        from novikoff.show import plots

        of = tested.reliability if name == "reliability" else tested.ranking
        plots.save(getattr(plots, name)(of, ax=ax), to)
    if as_json:
        about = options.measures(tested, known=len(found.classes))
        about["unknown_feature_values"] = found.features.left_out
        show(json.dumps(about, indent=1))
        return
    lines = [f"Data      {source.description}", *in_words(found, tested, whole=confusion)]
    show("\n".join(lines))


def in_words(model: Model, tested: Evaluation, *, whole: bool) -> list[str]:
    """The result for a person; of many classes with the whole confusion table if asked for."""
    found, labels, ranking = tested.confusion, _labels(tested), tested.ranking
    lines = [
        f"Accuracy  {percent(found.right, found.examples, 2)}: {count(found.right)} of "
        f"{plural(found.examples, 'example')} right",
        f"Baseline  {options.baseline_in_words(tested)}",
        f"Mistakes  {count(found.mistakes)}",
    ]
    known = len(model.classes)
    if on_unknown := sum(n for (true, _), n in found.counts.items() if true >= known):
        unknown = len(labels) - known
        several = f"{count(unknown)} unknown labels, the first {labels[known]}"
        named = f"an unknown label, {labels[known]}" if unknown == 1 else several
        lines[-1] += f"; {count(on_unknown)} of them on {named}"
    if ranking is not None:
        one, area = found.of_classes(2)[1], ranking.roc_area
        shares = f"precision {share(one.precision)}, recall {share(one.recall)}"
        shown = "undefined: only one label" if math.isnan(area) else f"{area:.4f}"
        lines += [f"Positive  {labels[1]}: {shares}, F1 {share(one.f1)}", f"ROC area  {shown}"]
    if tested.reliability is not None:
        lines.append(f"Log loss  {options.reliability_in_words(tested.reliability)}")
    table = _table(tested, [0, 1]) if ranking else _by_class(tested, whole=whole)
    return [*lines, "", *table]


def _labels(tested: Evaluation) -> list[str]:
    return [cut(plain(label), options.LONGEST_LABEL) for label in tested.labels]


def _table(tested: Evaluation, classes: Sequence[int]) -> list[str]:
    """A row for each true label and a column for each prediction."""
    labels, counts = _labels(tested), tested.confusion.counts
    rows = [("label", *(f"predicted {labels[k]}" for k in classes))]
    rows += [(labels[true], *(count(counts[true, k]) for k in classes)) for true in classes]
    return aligned(rows)


def _by_class(tested: Evaluation, *, whole: bool) -> list[str]:
    """How well each of many classes is predicted, and which are confused."""
    found, labels = tested.confusion, _labels(tested)
    counts = found.of_classes(len(labels))
    table = [("label", "examples", "right", "precision", "recall", "F1")]
    shown = sorted(range(len(labels)), key=lambda k: -counts[k].examples)[:CLASSES_SHOWN]
    for k in shown:
        one = counts[k]
        shares = (share(one.precision), share(one.recall), share(one.f1))
        table.append((labels[k], count(one.examples), count(one.right), *shares))
    lines = aligned(table)
    if (more := len(labels) - CLASSES_SHOWN) > 0:
        lines.append(f"and {plural(more, 'smaller class', 'smaller classes')}; --json lists all")
    if whole:
        return [*lines, "", *_table(tested, shown)]
    if confusions := found.confusions()[:CONFUSIONS_SHOWN]:
        pairs = [(labels[true], "->", labels[other], count(n)) for true, other, n in confusions]
        lines += ["", "Most frequent confusions (label -> prediction):"]
        lines += [f"  {line}" for line in aligned(pairs, left=(0, 1, 2))]
    return lines
