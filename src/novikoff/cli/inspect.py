"""`novikoff inspect`: what a model is, how it was trained, and its weights."""

import csv
import io
import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from novikoff.cli import options
from novikoff.cli.errors import fail, show
from novikoff.learners import Dual, JointDual, Multiplicative
from novikoff.learners.rule import FULL_NAMES
from novikoff.ledger.trace import few
from novikoff.models.model import Model
from novikoff.sources.interactions import ALL
from novikoff.storage.atomic_write import atomic_write
from novikoff.stream.printing import aligned, count, listed, plain, plural
from novikoff.stream.rows import Positions, Vector

LABELS_SHOWN, CLASSES_SHOWN = 40, 10
SETTINGS = ("margin", "regularisation", "matrix", "alpha", "threshold")
GRAMS_IN_WORDS = {
    "words": "words",
    "pairs": "words and pairs of words",
    "characters": "3 to 5 characters within words",
}


OPTIONS = """
-n, --most 0<=N         Number of weights to show for each label.
--weights               Write all learned weights to this file, as CSV.
--mistakes 0<=N         Show the first N mistakes, if the model kept them.
"""


def inspect(
    model: str,
    most: int = 10,
    weights: Path | None = None,
    mistakes: int = 0,
    as_json: bool = False,
) -> None:
    """Show what a model is, how it was trained, its largest weights and its mistakes.

    A model keeps its mistakes if it was trained with `novikoff train --ledger`.

    The largest weights are shown as they were learned: for standardised values if the model
    standardises. --weights writes those for values as they are read: multiplied by the values and
    summed, with the constant, they give the score. If examples are scaled to length 1, they are as
    learned.

    Exit status: 0 done, 2 not a model.
    """
    if weights is not None:
        options.check_output(weights, "weights", [model])
    found = options.load_model(model)
    if weights is not None:
        write_weights(found, weights)
    ledger = found.ledger
    if mistakes and ledger.keep == "counts" and len(ledger):
        fail(f"--mistakes: {model} kept counts only; train it with --ledger")
    if as_json:
        kept = {"first_mistakes": [*map(asdict, islice(ledger, mistakes))]} if mistakes else {}
        show(json.dumps(to_dict(found, most) | kept, indent=1))
        return
    show(in_words(found, most))
    if mistakes:
        shown = f"First {count(min(mistakes, len(ledger)))} of {plural(len(ledger), 'update')}:"
        table = (f"  {line}" for line in aligned(few(ledger, mistakes), left=()))
        show("\n".join(["", shown, *table]))


def to_dict(model: Model, most: int) -> dict[str, Any]:
    """Everything but the smaller weights, as JSON takes it."""
    learner, features = model.learner, model.features
    out: dict[str, Any] = {
        **options.facts(model),
        "feature_kind": features.kind,
        "hash_bits": features.hash_bits,
        "products": ["all" if pair == ALL else "*".join(pair) for pair in features.products],
        "standardised": features.standardise,
        "unit_length": features.to_unit_length,
        "texts": model.read_options.get("words", []),
        "text_rule": model.read_options.get("text_rule"),
        "constant": learner.bias,
        **{name: getattr(learner, name, None) for name in SETTINGS},
        "examples": examples_seen(model),
        "order": model.order,
        "ledger": model.ledger.keep,
        "unfinished": model.unfinished is not None,
    }
    if isinstance(learner, Dual):
        out |= {"kernel": learner.kernel.state(), "budget": learner.budget}
        keys = ("row", "label", "times", "weight")
        out["heaviest_mistakes"] = [
            dict(zip(keys, one, strict=True)) for one in heaviest(model, most)
        ]
    if model.has_weights:
        largest = {}
        for label, weights in weights_by_class(model):
            positive, negative = map(dict, weights.largest(most))
            largest[label] = {"positive": positive, "negative": negative}
        out["largest_weights"] = largest if model.has_many_classes else largest[model.classes[1]]
    return out


def in_words(model: Model, most: int) -> str:
    """The model and its largest weights, for a person."""
    learner, ledger, features = model.learner, model.ledger, model.features
    passes = plural(len(ledger.scans) + bool(ledger.open_rounds), "pass", "passes")
    if ledger.revisits:
        passes += f" and {count(len(ledger.revisits))} over mistaken examples"
    shuffled = model.order["shuffle"]
    order = f"shuffled, seed {model.order['seed']}" if shuffled else "in the given order"
    order = f"read {'whole' if model.order['whole'] else 'as a stream'}, {order}"
    constant = " and a constant" if learner.bias else ""
    given = {name: getattr(learner, name, None) for name in SETTINGS}
    is_full = given.pop("matrix") == "full"
    numbers = [(name, x) for name, x in given.items() if x is not None and (x or name != "margin")]
    settings = "".join(f", {name} {x:g}" for name, x in numbers) + ", full matrix" * is_full
    if isinstance(learner, Dual):
        settings += f", {learner.kernel}"
        settings += "" if learner.budget is None else f", at most {count(learner.budget)} mistakes"
    transforms = {
        f", hashed to {features.hash_bits} bits": features.hash_bits is not None,
        ", with interactions": bool(features.products),
        ", standardised": features.standardise,
        ", examples scaled to length 1": features.to_unit_length,
    }
    transformed = "".join(words for words, applies in transforms.items() if applies)
    mistakes = f"{options.mistakes_in_words(ledger)}; radius R {ledger.radius:.6g}"
    if model.others:
        about = options.facts(model)
        made = f"{count(about['mistakes'])} in {plural(about['rounds'], 'round')}"
        runs = f"{len(model.runs)} runs, each class against the rest"
        updates = plural(about["updates"], "update")
        mistakes = f"{made} of {runs}; {updates}; radius R {about['radius']:.6g}"
    read_as = ""
    if texts := model.read_options.get("words"):
        rule = model.read_options["text_rule"]
        length = ", each text scaled to length 1" if rule["unit_length"] else ""
        values = {"counts": "counts", "binary": "0 or 1", "log": "ln(1 + count)"}[rule["values"]]
        read_as = f"{listed(texts)}: {GRAMS_IN_WORDS[rule['grams']]}, {values}{length}"
    votes = plural(ledger.n_updates + 1, "weight vector")
    titles = {
        "Model": f"{FULL_NAMES[model.kind]}{settings}",
        "Labels": options.labels_in_words(model, LABELS_SHOWN),
        "Features": f"{count(features.count)}{constant}{transformed}",
        "Texts": read_as,
        "Examples": f"{count(examples_seen(model))}, {passes}, {order}",
        "Mistakes": mistakes,
        "Votes": votes if model.kind == "voted" else "",
    }
    lines = [f"{title:9} {words}" for title, words in titles.items() if words]
    for title, rows, left in _tables(model, most):
        if rows:
            lines += ["", title, *(f"  {line}" for line in aligned(rows, left))]
    if most and model.has_weights and (more := len(model.classes) - CLASSES_SHOWN) > 0:
        classes = plural(more, "more class", "more classes")
        lines += ["", f"and {classes}; --json lists all, --weights writes all weights"]
    return "\n".join(lines)


def _tables(
    model: Model, most: int
) -> Iterator[tuple[str, Sequence[Sequence[str]], Collection[int]]]:
    """The mistakes or features of most weight: a title, the rows, and which columns are text."""
    if isinstance(model.learner, Dual):
        heavy = heaviest(model, most)
        rows = [(f"row {row}", label, f"{n}×", f"{w:+.6g}") for row, label, n, w in heavy]
        yield "Mistakes that carry the most weight:", rows, (0, 1)
    shown = CLASSES_SHOWN if model.has_weights else 0
    for label, weights in islice(weights_by_class(model), shown):
        sides = [[(name, f"{w:+.6g}") for name, w in side] for side in weights.largest(most)]
        if model.has_many_classes:
            beside = [(*a, "", *b) for a, b in zip_longest(*sides, fillvalue=("", ""))]
            yield f"Largest weights for {plain(label)}, and against it:", beside, range(5)
        else:
            for one, side in zip(model.classes[::-1], sides, strict=True):
                yield f"Largest weights for {plain(one)}:", side, (0, 1)


def examples_seen(model: Model) -> int:
    """How many different examples were seen, those of an unfinished run included."""
    return model.examples + (0 if model.unfinished is None else int(model.unfinished["met"]))


class Weights:
    """The weights of a model, or of one of its classes, by the names of their features."""

    def __init__(self, model: Model, values: Vector) -> None:
        learner, dim = model.learner, model.features.dim
        # what is 0 where nothing was learned: the weights, or for Winnow their powers
        learned = learner.powers if isinstance(learner, Multiplicative) else values
        used = learned[:dim].nonzero()[0]
        has_constant = len(values) > dim and (learner.bias or values[dim] != 0)
        self.columns = np.append(used, dim) if has_constant else used  # the constant last
        self._values, self._features = values, model.features
        # Winnow1 and Winnow2 start at 1 and stay positive: below 1 favours the negative label
        self._neutral = 1.0 if model.kind in ("winnow1", "winnow2") else 0.0

    def named(self, columns: Positions) -> list[tuple[str, float]]:
        """The features in these columns, with their weights."""
        dim, name_of = self._features.dim, self._features.name_of
        names = ("(constant)" if j == dim else name_of(j) for j in columns.tolist())
        return list(zip(names, self._values[columns].tolist(), strict=True))

    def largest(self, most: int) -> tuple[list[tuple[str, float]], list[tuple[str, float]]]:
        """The largest weights for the positive label and for the negative one."""
        by_weight = self.columns[np.argsort(self._values[self.columns], kind="stable")]
        values = self._values[by_weight]
        positive, negative = by_weight[values > self._neutral], by_weight[values < self._neutral]
        return self.named(positive[::-1][:most]), self.named(negative[:most])


def heaviest(model: Model, most: int) -> list[tuple[int, str, int, float]]:
    """The mistakes with the largest weights in a kernel's space: row, label, times and weight."""
    found = []
    kept = [learner.kept() for learner, _ in model.runs if isinstance(learner, Dual)]
    if isinstance(learner := model.learner, JointDual):
        kept = [learner.kept(k) for k in range(len(model.classes))]
    for k, (at, steps) in enumerate(kept):
        rows, which = np.unique(at, return_inverse=True)
        total = np.bincount(which, steps, len(rows))
        for row, times, weight in zip(rows.tolist(), np.bincount(which), total, strict=True):
            label = model.classes[k if model.has_many_classes else int(weight > 0)]
            found.append((row, label, int(times), float(weight)))
    return sorted(found, key=lambda one: -abs(one[3]))[:most]


def weights_by_class(model: Model, *, raw: bool = False) -> Iterator[tuple[str, Weights]]:
    """The weights of each class with its label; of two labels, those of the positive one."""
    rows = model.weights
    if raw:
        w, constant = model.raw_weights
        rows = np.concatenate([w, constant[..., None]], axis=-1)
    labels = model.classes if model.has_many_classes else model.classes[1:]
    for label, row in zip(labels, np.atleast_2d(rows), strict=True):
        yield label, Weights(model, row)


def write_weights(model: Model, path: Path) -> None:
    """Write all weights, for values as they are read: feature,weight or feature,class,weight."""
    if isinstance(model.learner, Dual):
        fail(f"{path}: a kernel model has no weights of features, only mistakes")
    if not model.has_weights:
        fail(f"{path}: a voted model has no single weights; each vector of its run votes")
    many = model.has_many_classes
    with atomic_write(path) as file:
        text = io.TextIOWrapper(file, "utf-8", newline="")
        table = csv.writer(text, lineterminator="\n")
        table.writerow(["feature", *["class"] * many, "weight"])
        for label, weights in weights_by_class(model, raw=True):
            named = weights.named(weights.columns)
            table.writerows((name, *[label] * many, repr(w)) for name, w in named)
        text.detach()
