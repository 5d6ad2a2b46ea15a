"""`novikoff inspect`: what a model is, how it was trained, and its weights."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from novikoff.cli.arguments import Option
from novikoff.cli.common import fail, one_line_errors, refuse_what_cannot_be_written
from novikoff.cli.models import ModelFile, load

if TYPE_CHECKING:
    from novikoff.model import Model
    from novikoff.rows import Vector

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
        int, Option("-n", "--most", min=0, help="How many weights of either sign to show.")
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


def named_weights(model: Model) -> list[tuple[str, float]]:
    """Every feature with a weight that was learned, by name, and that weight; the constant last."""
    values, dim = model.weights, model.features.dim
    used = learned(model)[:dim].nonzero()[0].tolist()
    found = [(name, float(values[j])) for name, j in zip(names_of(model, used), used, strict=True)]
    if model.learner.bias:
        found.append(("(constant)", float(values[dim])))
    return found


def learned(model: Model) -> Vector:
    """What is 0 where nothing was learned: the weights, or for Winnow their powers."""
    from novikoff.learners import Multiplicative

    return model.learner.powers if isinstance(model.learner, Multiplicative) else model.weights


def names_of(model: Model, columns: list[int]) -> list[str]:
    """What these columns are called."""
    if model.features.hash_bits is not None:  # there may be millions, and few of them used
        return [model.features.name_of(j) for j in columns]
    names = model.features.names
    return [str(j) if names is None else names[j] for j in columns]


def write_weights(model: Model, path: Path) -> None:
    """All weights as CSV, exactly: name,weight."""
    from novikoff.replacing import replacing

    if model.kind == "voted":
        fail(f"{path}: a vote has no weights: every vector of its run votes")
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(("feature", "weight"))
    table.writerows((name, repr(weight)) for name, weight in named_weights(model))
    with replacing(path) as file:
        file.write(text.getvalue().encode())


def to_dict(model: Model, most: int) -> dict[str, Any]:
    """For a program."""
    learner, ledger, features = model.learner, model.ledger, model.features
    out: dict[str, Any] = {
        "kind": model.kind,
        "classes": list(model.classes),
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
    if model.kind != "voted":
        positive, negative = largest(model, most)
        out["largest_weights"] = {"positive": dict(positive), "negative": dict(negative)}
    return out


def largest(model: Model, most: int) -> tuple[list[tuple[str, float]], list[tuple[str, float]]]:
    """The features with the weights that tell most of +1 and of −1.

    Those of Winnow1 and Winnow2 are never negative: less than 1, where they began, tells of −1.
    """
    middle = 1.0 if model.kind in ("winnow1", "winnow2") else 0.0
    by_weight = sorted(named_weights(model), key=lambda pair: pair[1])
    positive = [pair for pair in by_weight[::-1][:most] if pair[1] > middle]
    negative = [pair for pair in by_weight[:most] if pair[1] < middle]
    return positive, negative


def words(model: Model, most: int) -> str:
    """For a person."""
    learner, ledger, features = model.learner, model.ledger, model.features
    negative, positive = model.classes
    passes = len(ledger.epoch_ends) + bool(ledger.open_rounds)
    rate = f" ({ledger.n_mistakes / ledger.n_rounds:.2%})" if ledger.n_rounds else ""
    seed = f", seed {model.order['seed']}" if model.order.get("shuffle") else ""
    order = "shuffled" if model.order.get("shuffle") else "as they came"
    lines = [
        f"Model     {KINDS[model.kind]}{_settings(model)}",
        f"Labels    {positive} is +1, {negative} is -1",
        f"Features  {features.count:,}{' and a constant' if learner.bias else ''}{_changes(model)}",
        f"Examples  {examples_of(model):,}, {passes:,} pass{'es' * (passes != 1)}, {order}{seed}",
        f"Mistakes  {ledger.n_mistakes:,} in {ledger.n_rounds:,} rounds{rate}; "
        f"the largest norm mistaken is {ledger.radius:.6g}",
    ]
    if model.kind == "voted":
        return "\n".join([*lines, f"Votes     of {ledger.n_mistakes + 1:,} weight vectors"])
    for sign, found in zip((positive, negative), largest(model, most), strict=True):
        if found:
            width = max(len(name) for name, _ in found)
            lines += ["", f"Most telling of {sign}:"]
            lines += [f"  {name.ljust(width)}  {weight:+.6g}" for name, weight in found]
    return "\n".join(lines)


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
