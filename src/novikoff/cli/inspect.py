"""`novikoff inspect`: what a model is, how it was trained, and its weights."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from itertools import islice, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from novikoff.cli.main import Option
from novikoff.cli.options import (
    ModelFile,
    fail,
    load,
    one_line_errors,
    refuse_what_cannot_be_written,
    said_of_labels,
)
from novikoff.cli.test import in_columns

if TYPE_CHECKING:
    from novikoff.models.model import Model
    from novikoff.stream.rows import Positions, Vector

LABELS_SHOWN, CLASSES_SHOWN = 40, 10

KINDS = {
    "perceptron": "perceptron, the final weights",
    "margin": "perceptron with a margin, the final weights",
    "averaged": "averaged perceptron",
    "voted": "voted perceptron",
    "winnow": "balanced Winnow",
    "winnow1": "Winnow1",
    "winnow2": "Winnow2",
}


def inspect(
    model: ModelFile,
    most: Annotated[
        int,
        Option(
            "-n", "--most", min=0, help="How many weights of either sign to show, of each class."
        ),
    ] = 10,
    weights: Annotated[
        Path | None,
        Option(metavar="FILE", help="Write every weight that was learned to this file, as CSV."),
    ] = None,
    as_json: Annotated[bool, Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Show what a model is, how it was trained, and its largest weights by name.

    Exit status: 0 done, 2 not a model.
    """
    with one_line_errors(model):
        if weights is not None:
            refuse_what_cannot_be_written(weights, [model], "weights")
        found = load(model)
    if weights is not None:
        with one_line_errors(str(weights)):
            write_weights(found, weights)
    with one_line_errors("standard output"):
        print(json.dumps(to_dict(found, most), indent=1) if as_json else words(found, most))


def examples_of(model: Model) -> int:
    """How many different examples were met, those of a run that is not over included."""
    return model.examples + (0 if model.unfinished is None else int(model.unfinished["met"]))


class Weights:
    """The weights of a model by the names of their features; of many classes, those of one."""

    def __init__(self, model: Model, values: Vector, name: Callable[[int], str]) -> None:
        from novikoff.learners import Multiplicative

        learner, dim = model.learner, model.features.dim
        # what is 0 where nothing was learned: the weights, or for Winnow their powers
        learned = learner.powers if isinstance(learner, Multiplicative) else values
        used = learned[:dim].nonzero()[0]
        self._columns = np.append(used, dim) if learner.bias else used
        self._values, self._name = values, name
        # those of Winnow1 and Winnow2 are never negative: less than 1, as they began, tells of −1
        self._middle = 1.0 if model.kind in ("winnow1", "winnow2") else 0.0

    def __iter__(self) -> Iterator[tuple[str, float]]:
        """Every feature with a weight that was learned, and that weight; the constant last."""
        return self._named(self._columns)

    def _named(self, columns: Positions) -> Iterator[tuple[str, float]]:
        return ((self._name(j), float(self._values[j])) for j in columns.tolist())

    def largest(self, most: int) -> tuple[list[tuple[str, float]], list[tuple[str, float]]]:
        """Those that tell most of +1 and of −1, or for a class and against it."""
        by_weight = self._columns[np.argsort(self._values[self._columns], kind="stable")]
        positive = [one for one in self._named(by_weight[::-1][:most]) if one[1] > self._middle]
        negative = [one for one in self._named(by_weight[:most]) if one[1] < self._middle]
        return positive, negative


def weights_of(model: Model) -> Iterator[tuple[str, Weights]]:
    """The weights for each class, by its label; of two labels, those for the positive one."""
    values, name = model.weights, namer(model)
    if model.is_joint:
        for label, row in zip(model.classes, values, strict=True):
            yield label, Weights(model, row, name)
    else:
        yield model.classes[1], Weights(model, values, name)


def namer(model: Model) -> Callable[[int], str]:
    """What says how a column is called."""
    features = model.features
    # of hashed ones there may be millions, and few of them used
    names = features.names if features.hash_bits is None else None

    def name(column: int) -> str:
        if column == features.dim:
            return "(constant)"
        return features.name_of(column) if names is None else names[column]

    return name


def write_weights(model: Model, path: Path) -> None:
    """All weights as CSV, exactly: feature,weight; of many classes feature,class,weight."""
    from novikoff.storage.atomic_write import replacing

    if model.kind == "voted":
        fail(f"{path}: a vote has no weights: every vector of its run votes")
    with replacing(path) as file:
        file.write(b"feature,class,weight\n" if model.is_joint else b"feature,weight\n")
        for label, weights in weights_of(model):
            of_class = (label,) if model.is_joint else ()
            text = io.StringIO()
            table = csv.writer(text, lineterminator="\n")
            table.writerows((name, *of_class, repr(weight)) for name, weight in weights)
            file.write(text.getvalue().encode())


def to_dict(model: Model, most: int) -> dict[str, Any]:
    """For a program."""
    learner, ledger, features = model.learner, model.ledger, model.features
    out: dict[str, Any] = {
        "kind": model.kind,
        "classes": list(model.classes),
        "multiclass": model.is_joint,
        "features": features.count,
        "feature_kind": features.kind,
        "hash_bits": features.hash_bits,
        "products": ["all" if pair == ("", "") else "*".join(pair) for pair in features.products],
        "standardised": features.standardise,
        "unit_length": features.to_unit_length,
        "constant": learner.bias,
        "margin": getattr(learner, "margin", None),
        "alpha": getattr(learner, "alpha", None),
        "threshold": getattr(learner, "threshold", None),
        "examples": examples_of(model),
        "rounds": ledger.n_rounds,
        "mistakes": ledger.n_mistakes,
        "mistakes_per_pass": ledger.mistakes_per_pass,
        "largest_norm_mistaken": ledger.radius,
        "order": model.order,
        "ledger": ledger.keep,
        "unfinished": model.unfinished is not None,
    }
    if model.kind == "voted":
        return out
    found = {label: weights.largest(most) for label, weights in weights_of(model)}
    told = {
        label: {"positive": dict(positive), "negative": dict(negative)}
        for label, (positive, negative) in found.items()
    }
    out["largest_weights"] = told if model.is_joint else told[model.classes[1]]
    return out


def words(model: Model, most: int) -> str:
    """For a person."""
    learner, ledger, features = model.learner, model.ledger, model.features
    passes = len(ledger.epoch_ends) + bool(ledger.open_rounds)
    rate = f" ({ledger.n_mistakes / ledger.n_rounds:.2%})" if ledger.n_rounds else ""
    seed = f", seed {model.order['seed']}" if model.order.get("shuffle") else ""
    order = "shuffled" if model.order.get("shuffle") else "as they came"
    lines = [
        f"Model     {KINDS[model.kind]}{_settings(model)}",
        f"Labels    {said_of_labels(model, LABELS_SHOWN, what='')}",
        f"Features  {features.count:,}{' and a constant' if learner.bias else ''}{_changes(model)}",
        f"Examples  {examples_of(model):,}, {passes:,} pass{'es' * (passes != 1)}, {order}{seed}",
        f"Mistakes  {ledger.n_mistakes:,} in {ledger.n_rounds:,} rounds{rate}; "
        f"the largest norm mistaken is {ledger.radius:.6g}",
    ]
    if model.kind == "voted":
        return "\n".join([*lines, f"Votes     of {ledger.n_mistakes + 1:,} weight vectors"])
    if model.is_joint:
        return "\n".join([*lines, *_words_of_classes(model, most)])
    _, weights = next(weights_of(model))
    for sign, found in zip(model.classes[::-1], weights.largest(most), strict=True):
        if found:
            width = max(len(name) for name, _ in found)
            lines += ["", f"Most telling of {sign}:"]
            lines += [f"  {name.ljust(width)}  {weight:+.6g}" for name, weight in found]
    return "\n".join(lines)


def _words_of_classes(model: Model, most: int) -> list[str]:
    """The weights that speak for each class, and beside them those that speak against it."""
    lines: list[str] = []
    if not most:
        return lines
    for label, weights in islice(weights_of(model), CLASSES_SHOWN):
        sides = [[(name, f"{w:+.6g}") for name, w in side] for side in weights.largest(most)]
        if any(sides):
            rows = [(*a, "", *b) for a, b in zip_longest(*sides, fillvalue=("", ""))]
            lines += ["", f"Most telling of {label}, and against it:"]
            lines += [f"  {line.rstrip()}" for line in in_columns(rows, left=5)]
    if (more := len(model.classes) - CLASSES_SHOWN) > 0:
        lines += ["", f"and {more:,} more labels; --json has them all, and --weights all weights"]
    return lines


def _settings(model: Model) -> str:
    from novikoff.learners import Multiplicative

    learner = model.learner
    if isinstance(learner, Multiplicative):
        return f", alpha {learner.alpha:g}, threshold {learner.threshold:g}"
    return f", margin {learner.margin:g}" if learner.margin else ""


def _changes(model: Model) -> str:
    features = model.features
    said = []
    if features.hash_bits is not None:
        said.append(f"hashed to {features.hash_bits} bits")
    if features.products:
        said.append("with products")
    if features.standardise:
        said.append("standardised")
    if features.to_unit_length:
        said.append("each example of length 1")
    return "".join(f", {word}" for word in said)
