"""A model on new examples: scores, labels, and how the predictions compare with given labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from novikoff.models.measures import Confusion, predicted_classes, roc_area
from novikoff.models.model import Model
from novikoff.sources.chunks import Chunk, Source
from novikoff.sources.numbered import feature_rows, parts_of
from novikoff.stream.blocks import Labels
from novikoff.stream.labels import LabelsAsClasses, LabelsAsSigns
from novikoff.stream.rows import Vector


def scored(model: Model, source: Source) -> Iterator[tuple[Chunk, Vector]]:
    """Each chunk of the source, or part of one, with the scores of its examples.

    Features that the model does not know are left out; `model.features.left_out` counts them.
    """
    model.features.frozen = True
    model.widen(model.features.room)
    most = model.rows_at_once
    for whole in source:
        for chunk in parts_of(whole, model.features):
            for begin in range(0, len(chunk), most):
                end = min(len(chunk), begin + most)
                part = chunk if len(chunk) <= most else chunk.part(begin, end)
                yield part, model.scores(feature_rows(source, part, model.features))


def labels_of(model: Model, scores: Vector) -> list[str]:
    """The label that each score predicts; for many classes, each row of scores."""
    return [model.classes[k] for k in predicted_classes(scores).tolist()]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """How a model predicts labelled examples.

    Attributes
    ----------
    labels
        The label of each class: those of the model, in its order, and then others that the examples
        have.
    roc_area
        The area under the ROC curve; NaN for many classes, and if one of two labels is missing.
    """

    confusion: Confusion
    labels: tuple[str, ...]
    roc_area: float


def evaluate(model: Model, source: Source) -> Evaluation:
    """Compare a model's predictions with the labels of a source.

    A model of many classes is wrong about every label that it does not know; a model of two labels
    rejects one. For two labels it holds nine bytes per example, for the area under the ROC curve.
    """
    confusion = Confusion()
    if model.is_joint:
        numbers = LabelsAsClasses(model.classes, most=None)
        for chunk, scores in scored(model, source):
            confusion.count(chunk.coded(numbers), predicted_classes(scores))
        source.check_unchanged()
        return Evaluation(confusion, numbers.classes, float("nan"))
    negative, positive = model.classes
    signs = LabelsAsSigns((negative, positive))
    all_labels, all_scores = list[Labels](), list[Vector]()
    for chunk, scores in scored(model, source):
        all_labels.append(chunk.coded(signs).astype(np.int8, copy=False))
        all_scores.append(np.asarray(scores))
        confusion.count(all_labels[-1] > 0, predicted_classes(scores))
    source.check_unchanged()
    return Evaluation(confusion, model.classes, roc_area(all_labels, all_scores))
