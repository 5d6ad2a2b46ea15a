"""Estimators as model files: an estimator becomes the model that it has learned, and back."""

from __future__ import annotations

import os
from copy import deepcopy
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler

from novikoff.estimators import classifiers
from novikoff.estimators.base import LinearClassifier
from novikoff.estimators.text import TextFeatures
from novikoff.estimators.validation import check_common
from novikoff.learners.kernel import Dual
from novikoff.learners.multiplicative import ALPHAS, Multiplicative, usual_threshold
from novikoff.learners.rule import ADAPTIVE, READINGS, WINNOWS, Kind
from novikoff.models.model import ORDER, Model
from novikoff.online.engine import Engine, Names, names_of
from novikoff.sources.features import Features
from novikoff.sources.in_memory import RowsOfModel
from novikoff.sources.read_options import TextRule
from novikoff.storage.checked import Settings
from novikoff.storage.file_format import BadModel, Place, name_of
from novikoff.stream import multiclass
from novikoff.stream.labels import as_values, is_positive_alone, negative_and_positive, written

_CLASSES: dict[Kind, type[LinearClassifier]] = {
    "perceptron": classifiers.Perceptron,
    "margin": classifiers.MarginPerceptron,
    "averaged": classifiers.AveragedPerceptron,
    "voted": classifiers.VotedPerceptron,
    **dict.fromkeys(ADAPTIVE, classifiers.AdaptivePerceptron),
    **dict.fromkeys(WINNOWS, classifiers.Winnow),
}


def load(path: Place) -> LinearClassifier:
    """The estimator of a model file, whether `save` wrote it or `novikoff train`.

    It predicts, explains and continues to learn to the same bits as the one that was saved. New
    examples are read as the command line reads them: a frame by the names of its columns, a list of
    dicts as JSON lines, a list of texts if the model was trained on texts, and an array if its
    columns have no names. Labels that are all numbers in a file of the command line become numbers.
    Nothing in the file is executed; a file that is not a model raises :class:`BadModel`.
    """
    model = Model.load(path)
    try:
        return of_model(model)
    except (ValueError, TypeError) as error:
        raise BadModel(f"{name_of(path)}: {error}") from None


def save(estimator: Any, path: str | os.PathLike[str]) -> None:
    """Write an estimator to a model file, as its own `save` does, or a pipeline that ends in one.

    Before the estimator, a pipeline may have a `StandardScaler` or a `TextFeatures`; `load` then
    gives one estimator that takes what the pipeline takes. Of a search for parameters the best
    estimator is written.
    """
    estimator = getattr(estimator, "best_estimator_", estimator)
    steps = [one for _, one in getattr(estimator, "steps", [("", estimator)])]
    *before, last = [one for one in steps if one not in (None, "passthrough")] or [None]
    if not isinstance(last, LinearClassifier):
        raise TypeError(f"{type(last).__name__} is not an estimator of novikoff; pickle it")
    last._learned()  # or its error, before that of a step
    to_model(last, _columns_before(before, last) if before else None).save(path)


def _columns_before(before: list[Any], last: LinearClassifier) -> tuple[Features, Settings]:
    """What the columns of a pipeline's estimator are, and how to read them."""
    first, is_read = before[0], last._reader is not None
    if len(before) > 1 or not isinstance(first, StandardScaler | TextFeatures) or is_read:
        said = [type(one).__name__ for one in before] + ["a loaded estimator"] * is_read
        raise ValueError(
            f"a model file holds one StandardScaler or TextFeatures before the estimator, not "
            f"{' and '.join(said)}; pickle the pipeline, or do that step before it"
        )
    if isinstance(first, TextFeatures):
        rule = asdict(TextRule(first.grams, first.values, first.unit_length))
        field = [first.field]
        about = {"label": None, "missing": "refuse", "features": field, "texts": []}
        return deepcopy(first.features_), about | {"words": field, "text_rule": rule}
    dim = first.n_features_in_
    header = getattr(first, "feature_names_in_", None)
    names = None if header is None else [str(name) for name in header]
    scale = np.ones(dim) if first.scale_ is None else np.array(first.scale_, dtype=np.float64)
    shift = np.array(first.mean_, dtype=np.float64) if first.with_mean else np.zeros(dim)
    return Features.of_columns(dim, names, (scale, shift)), _options_of(names)


def to_model(
    estimator: LinearClassifier, columns: tuple[Features, Settings] | None = None
) -> Model:
    """The model of what an estimator has learned; `columns` if it does not tell what they are."""
    engine = estimator._learned()
    labels = engine.labels
    if engine.max_names is not None:
        raise ValueError(
            "a model keeps all names, but max_names forgets some; use hash_bits, or pickle it"
        )
    with engine.still():
        features, read_options = columns or _columns_of(estimator, engine)
        runs = deepcopy(engine.pairs)
        for _, ledger in runs:
            if engine.is_stream:  # it may continue, as part of the same pass
                ledger.reopen_epoch()
        (learner, ledger), *others = runs
        seed = estimator.random_state if isinstance(estimator.random_state, int) else None
        whole = {"whole": True, "shuffle": bool(estimator.shuffle), "holdout": None}
        fitted = estimator._order or whole | {"seed": seed if estimator.shuffle else None}
        coded = labels.coded
        values = tuple(sorted(coded, key=coded.__getitem__))
        is_alone = len(values) == 1 and not engine.rule.joint
        texts = negative_and_positive(values) if is_alone else tuple(map(written, values))
        if len(set(texts)) < len(texts):
            raise ValueError("two labels are written alike in a model file")
        out = Model(
            engine.rule.kind,
            learner,
            features,
            texts,
            ledger,
            dict(ORDER if engine.is_stream else fitted),
            read_options,
            engine.seen,
            others=tuple(others),
            labels=None if values == as_values(texts) else values,
            cycled=tuple(k for k, run in enumerate(engine.runs) if run.verdict == "cycle"),
        )
    has_reader = bool(columns) or estimator._reader is not None
    out.parameters = told_by(estimator.get_params(), out, reader=has_reader)
    return out


def told_by(parameters: Settings, model: Model, *, reader: bool) -> Settings:
    """Those of an estimator's parameters that its model does not tell."""
    kind, usual = _parameters_of(model, reader=reader)
    given = {name: _storable(value) for name, value in parameters.items()}
    known = kind().get_params()
    return {
        name: value
        for name, value in given.items()
        if name in known and value != usual.get(name, known[name])
    }


def _columns_of(estimator: LinearClassifier, engine: Engine) -> tuple[Features, Settings]:
    """What each column of an engine is, and how to read more data of the kind."""
    if estimator._reader is not None:
        return deepcopy(estimator._reader.features), dict(estimator._reader.read_options)
    header = getattr(estimator, "feature_names_in_", None)
    if not engine.by_name or (header is not None and engine.core is not None):
        names = None if header is None else [str(name) for name in header]
        dim = engine.dim if names is None else len(names)
        if engine.by_name and engine.core is not None and engine.core.columns > dim:
            raise ValueError(
                "this estimator was fitted on a frame and then met other names; a model needs a "
                "run that learned from named features from the start"
            )
        return Features.of_columns(dim, names), _options_of(names)
    assert engine.core is not None
    known = names_of(engine.core)
    return Features.of(known.names, known.columns.tolist(), engine.hash_bits), {}


def _options_of(header: list[str] | None) -> Settings:
    """How the command line reads tables with these columns."""
    if header is None:
        return {}
    return {"label": None, "missing": "refuse", "features": header, "texts": []}


def of_model(model: Model) -> LinearClassifier:
    """The estimator of a model, which then belongs to the estimator."""
    if model.unfinished is not None:
        raise ValueError("its training was interrupted; finish it first, with the command line")
    features = model.features
    header = None if features.kind != "columns" or features.names is None else [*features.names]
    names = None
    if features.kind == "columns":
        same = Features.of_columns(features.dim, header)
        is_plain = model.read_options == _options_of(header)
    else:
        named = features.named_columns
        texts, columns = [name for name, _ in named], [column for _, column in named]
        same = Features.of(texts, columns, features.hash_bits)
        is_plain = features.kind == "names" and not model.read_options
        names = Names.unused(texts, columns, features.dim)
    is_plain &= same.state()[0] == features.state()[0]
    kind, usual = _parameters_of(model, reader=not is_plain)
    known = kind().get_params()
    given = dict(model.parameters)
    if isinstance(given.get("class_weight"), list):
        given["class_weight"] = dict(given["class_weight"])
    if unknown := sorted({*given} - {*known}):
        raise ValueError(f"{kind.__name__} has no parameter {unknown[0]!r}")
    out, plain = kind(**usual | given), kind(**usual)
    check_common(out)
    rule, told = out._rule(len(model.classes)), plain._rule(len(model.classes))
    if told.kernel is not None and rule.kernel is not None and isinstance(rule.kernel.gamma, str):
        rule = replace(rule, kernel=replace(rule.kernel, gamma=told.kernel.gamma))
    told = replace(told, alpha=rule.alpha, threshold=rule.threshold, bias=rule.bias)
    fits = out.hash_bits == plain.hash_bits or features.kind == "columns"
    fits = fits and out.keep in ("auto", plain.keep) and out.max_names is None
    if not fits or rule != told or rule.kind != model.kind:
        raise ValueError("its parameters do not match its learner")
    factors = out.class_weight if isinstance(out.class_weight, dict) else {}
    engine = Engine(
        rule,
        _labels_of(model),
        features.room,
        keep=out.keep,
        hash_bits=out.hash_bits,
        later_weights=factors,
        runs=deepcopy(model.runs),
        names=names if is_plain else None,
        seen=model.examples,
        cycled=model.cycled,
    )
    about: dict[str, Any] = {"n_features_in_": features.count}
    if header is not None:
        about["feature_names_in_"] = np.array(header, dtype=object)
    out._take(engine, {} if is_plain and names is not None else about)
    out._order = model.order
    if not is_plain:
        out._reader = RowsOfModel(features, model.read_options)
    return out


def _labels_of(model: Model) -> multiclass.Labels:
    values = as_values(model.classes) if model.labels is None else model.labels
    if model.is_joint:
        classes = multiclass.class_array(values)
        numbers = [values.index(label) for label in classes.tolist()]
        return multiclass.JointLabels(classes, np.array(numbers, dtype=np.int32))
    is_positive = len(values) != 1 or is_positive_alone(values[0])
    return multiclass.OneAgainstRest(np.array(values), is_positive)


def _parameters_of(model: Model, *, reader: bool) -> tuple[type[LinearClassifier], Settings]:
    """The class of the estimator of a model, and the parameters that its learner tells."""
    learner, kind = model.learner, _CLASSES[model.kind]
    if isinstance(learner, Dual):
        kind = classifiers.KernelPerceptron
    told: Settings = {
        "fit_intercept": learner.bias,
        "keep": model.ledger.keep,
        "multiclass": "joint" if model.is_joint else "ovr",
        "hash_bits": None if reader else model.features.hash_bits,
        "eta0": getattr(learner, "rate", None),
        "ties": getattr(learner, "ties", "mistake"),
        "average": model.kind == "adaptive-averaged",
    }
    if isinstance(learner, Dual):
        own = learner.kernel
        told |= {"kernel": own.name, "degree": own.degree, "gamma": own.gamma, "coef0": own.coef0}
        told |= {"reading": READINGS[model.kind], "budget": learner.budget}
        told |= {} if learner.budget is None else {"random_state": learner.seed}
    for name in ("margin", "regularisation", "variant", "alpha", "threshold", "matrix"):
        told[name] = getattr(learner, name, "diagonal" if name == "matrix" else None)
    if isinstance(learner, Multiplicative):
        usual = ALPHAS[learner.variant], usual_threshold(learner.variant, model.features.dim)
        for name, value in zip(("alpha", "threshold"), usual, strict=True):
            told[name] = None if told[name] == value else told[name]
    for average in (True, False) if model.kind in ADAPTIVE else ():  # the usual one last
        adaptive = classifiers.AdaptivePerceptron(matrix=told["matrix"], average=average)
        rule = adaptive._rule(len(model.classes))
        if (rule.kind, rule.joint) == (model.kind, model.is_joint):
            told |= {"multiclass": "auto", "average": average}
    return kind, {name: told[name] for name in kind().get_params() if name in told}


def _storable(value: Any) -> Any:
    """A parameter as JSON takes it."""
    if isinstance(value, np.random.RandomState):
        return 0  # the usual one
    if isinstance(value, dict):
        return [[multiclass.plain_label(label), float(factor)] for label, factor in value.items()]
    return value.item() if isinstance(value, np.generic) else value
