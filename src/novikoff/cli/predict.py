"""`novikoff predict`: the labels or scores that a model gives to examples, one per line."""

import io
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from novikoff.cli import options
from novikoff.cli.errors import fail, reason, show
from novikoff.models.model import Model
from novikoff.models.prediction import explained, scored
from novikoff.sources import open_files
from novikoff.sources.chunks import Source
from novikoff.sources.inputs import is_remote, parts_in_place, write_file
from novikoff.sources.shards import shards_of_files
from novikoff.storage.atomic_write import atomic_write
from novikoff.stream.printing import plain

What: TypeAlias = Literal["labels", "scores", "both"]


OPTIONS = """
what = --print          Print labels, scores, or both with a tab between.
--probabilities         Print probabilities; with --print both, the label and its probability.
--explain               Print each label with its score and the features that add most to it.
-n, --most 0<=N         With --explain: number of features to print.
as_json = --json        With --explain: print one JSON object per example, each on a line.
-o, --output            Write to this file. [stdout]
--parts FOLDER          With --cluster: workers write the predictions of each shard to a file of its
                        own in this folder, or below this address, which all of them must share.
"""


def predict(
    model: str,
    data: list[str],
    what: What = "labels",
    probabilities: bool = False,
    explain: bool = False,
    most: int = 10,
    as_json: bool = False,
    threshold: float | None = None,
    cost_ratio: float | None = None,
    output: Path | None = None,
    parts: str | None = None,
    cluster: str | None = None,
    shards: int | None = None,
    *,
    reading: options.ModelReading,
) -> None:
    """Predict the labels of examples, in order; labels in the data are not used.

    A score of 0 or more predicts the positive label. Features that the model does not know are
    ignored. A label that holds control characters is printed in quotes and escaped.

    A model of many classes predicts the class with the highest score; of equal ones, the label that
    comes first in order. For such a model `scores` prints the scores of all classes, in the order
    in which `novikoff inspect` lists them; `both` prints the label and its score.

    With --explain, each example has a line with its label and score, and then a line for each of
    the features that add most to the score: the amount (its weight times its value, as the learner
    sees it: standardised or scaled) and, if the model has a ledger (`train --ledger`), the mistakes
    that changed the weight most. All amounts and the constant add up to the score; with more than
    two classes, to the lead over the next best class. With --json, each example is one line.

    With --probabilities, each line is the probability of the positive label; or of each class, in
    the same order. With --print both, it is the label and its probability.

    Exit status: 0 done, 2 bad input, 130 interrupted.
    """
    if output is not None:
        options.check_output(output, "predictions", [model, *data])
    found = options.load_model(model, data)
    if probabilities:
        options.check_probabilities(found, "--probabilities")
    least = options.named_threshold(found, threshold, cost_ratio)
    if explain and (probabilities or what != "labels"):
        fail("--explain prints the label and the score; leave out --print and --probabilities")
    if as_json and not explain:
        fail("--json is for --explain; --print both prints labels and scores with a tab between")
    if explain and not found.has_weights:
        fail("--explain: votes and kernels have no weights to explain a score with")
    if explain and cluster is not None:
        fail("--explain works on one machine; leave out --cluster")
    if parts is not None and (cluster is None or output is not None):
        fail("--parts needs --cluster, and replaces -o: workers write the predictions themselves")
    if reading.keep:
        fail("--keep: predict answers for every example, whatever its label; leave it out")
    how = replace(reading.for_model(found, labelled=False), eager=data == ["-"])
    how = found.features.hashed_while_read(how, named=False)
    printed: dict[str, Any] = {"what": what, "threshold": least, "probabilities": probabilities}
    lines: Iterator[str]
    if cluster is not None:
        cut = shards_of_files(parts_in_place(data), how, shards=shards)
        source, digits = cut.source, len(str(len(cut.shards) - 1))
        to = None if parts is None else f"{_new_folder(parts)}/part-"
        work = partial(_of_shard, to=to, digits=digits, **printed)
        lines = options.work_of_shards(cluster, cut, found, work, how.skip_bad)
    else:
        source = open_files(data, how)
        lines = predictions(found, source, **printed)
    if explain:
        each = explained(found, source, least, most=most)
        lines = (
            f"{json.dumps(one.to_dict(most)) if as_json else one.in_words(most)}\n" for one in each
        )
    if output is None:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8", errors="strict")  # labels as they are
        for some in lines:
            show(some, end="")
    else:
        with atomic_write(output) as file:
            for some in lines:
                file.write(some.encode())
    options.warn_of_skipped_lines(source.skipped)
    options.warn_of_unknown_features(found)


def _of_shard(model: Model, source: Source, *, to: str | None, digits: int, **how: Any) -> str:
    """The lines for a shard; they may go `to` a file each, where `first` numbers the shards."""
    lines = "".join(predictions(model, source, **how))
    if to is None:
        return lines
    write_file(f"{to}{source.first:0{digits}}", lines.encode())
    return ""


def _new_folder(parts: str) -> str:
    """The folder, which is made here, or the address; it must hold nothing yet."""
    if is_remote(parts):
        return parts.rstrip("/")
    folder = Path(parts).absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            fail(f"--parts {parts}: the folder is not empty; name another one")
    except OSError as error:
        fail(f"--parts {parts}: {reason(error)}")
    return str(folder)


def predictions(
    model: Model, source: Source, *, what: What, threshold: float | None, probabilities: bool
) -> Iterator[str]:
    """The lines for each chunk of examples."""
    shown = [plain(label) for label in model.classes]
    for _, scores in scored(model, source):
        chosen = model.predicted(scores, threshold)
        numbers = scores
        if probabilities:
            chances = model.probabilities(scores)
            numbers = chances if model.has_many_classes else chances[:, 1]
        if what == "scores" or (probabilities and what == "labels"):
            rows = numbers.reshape(len(scores), -1).tolist()
            lines = ["\t".join(map(repr, row)) for row in rows]
        else:
            lines = [shown[k] for k in chosen.tolist()]
        if what == "both":
            table = chances if probabilities else scores
            own = table if table.ndim == 1 else table[np.arange(len(table)), chosen]
            lines = [f"{label}\t{x!r}" for label, x in zip(lines, own.tolist(), strict=True)]
        yield "".join(f"{line}\n" for line in lines)
