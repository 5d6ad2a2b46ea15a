"""A model on new examples: scores, labels, and how the predictions compare with given labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from novikoff.models.measures import ClassConfusion, Confusion, best_classes, roc_area
from novikoff.models.model import Model
from novikoff.sources.chunks import Chunk, Source
from novikoff.sources.numbered import feature_rows, parts_of
from novikoff.stream.blocks import Labels
from novikoff.stream.labels import LabelsAsClasses, LabelsAsSigns, predicts_positive
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
                part = (
                    chunk
                    if len(chunk) <= most
                    else chunk.part(begin, min(len(chunk), begin + most))
                )
                yield part, model.scores(feature_rows(source, part, model.features))


def labels_of(model: Model, scores: Vector) -> list[str]:
    """The label that each score predicts; for many classes, each row of scores."""
    if model.is_joint:
        return [model.classes[k] for k in best_classes(scores).tolist()]
    negative, positive = model.classes
    return [positive if yes else negative for yes in predicts_positive(scores).tolist()]


@dataclass(slots=True)
class Evaluation:
    """How a model of two labels predicts labelled examples."""

    confusion: Confusion = field(default_factory=Confusion)
    labels: list[Labels] = field(default_factory=list)
    scores: list[Vector] = field(default_factory=list)

    @property
    def roc_area(self) -> float:
        """The area under the ROC curve of the scores."""
        return roc_area(self.labels, self.scores) if self.labels else float("nan")


@dataclass(slots=True)
class ClassEvaluation:
    """How a model of many classes predicts labelled examples.

    `labels` are those of the model, in its order, and then others that the examples have.
    """

    confusion: ClassConfusion
    labels: tuple[str, ...]


def evaluate(model: Model, source: Source) -> Evaluation:
    """Compare the predictions of a model of two labels with the labels of a source.

    It holds nine bytes per example, for the area under the ROC curve; it does not hold examples.
    """
    negative, positive = model.classes
    signs = LabelsAsSigns((negative, positive))
    found = Evaluation()
    for chunk, scores in scored(model, source):
        labels = chunk.signs(signs)
        found.confusion.count(labels, scores)
        found.labels.append(labels)
        found.scores.append(np.asarray(scores))
    return found


def evaluate_classes(model: Model, source: Source) -> ClassEvaluation:
    """Compare the predictions of a model of many classes with the labels of a source.

    Every prediction for a label that the model does not know is a mistake.
    """
    numbers = LabelsAsClasses(model.classes, most=None)
    found = ClassConfusion()
    for chunk, scores in scored(model, source):
        found.count(chunk.class_numbers(numbers), best_classes(scores))
    return ClassEvaluation(found, numbers.classes)
