"""A model and new examples: scores, labels, and how these compare with the truth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from novikoff.models.measures import ClassConfusion, Confusion, best_classes, roc_area
from novikoff.models.model import Model
from novikoff.sources.chunks import Chunk, Source
from novikoff.sources.numbered import parts_of, rows_of
from novikoff.stream.blocks import Labels
from novikoff.stream.labels import LabelsAsClasses, LabelsAsSigns
from novikoff.stream.rows import Vector


def scored(model: Model, source: Source) -> Iterator[tuple[Chunk, Vector]]:
    """Each chunk of the source in turn, or part of one, and the scores of its examples.

    Features that the model has no weight for are left out; `model.features.left_out` counts them.
    """
    model.features.frozen = True
    model.widen(model.features.room)
    whole = (part for chunk in source for part in parts_of(chunk, model.features))
    for chunk in whole:
        for part in _scored_at_once(chunk, model):
            yield part, model.scores(rows_of(source, part, model.features))


def _scored_at_once(chunk: Chunk, model: Model) -> Iterator[Chunk]:
    """The chunk, in parts if it would have very many scores."""
    most = model.rows_at_once
    if len(chunk) <= most:
        yield chunk
        return
    for begin in range(0, len(chunk), most):
        yield chunk.part(begin, min(len(chunk), begin + most))


def labels_of(model: Model, scores: Vector) -> list[str]:
    """The label each score stands for; or the scores of each row, where there are many classes."""
    if model.is_joint:
        return [model.classes[k] for k in best_classes(scores).tolist()]
    negative, positive = model.classes
    return [positive if right else negative for right in (scores >= 0).tolist()]


@dataclass(slots=True)
class Tested:
    """How a model of two labels did on labelled examples."""

    confusion: Confusion = field(default_factory=Confusion)
    labels: list[Labels] = field(default_factory=list)
    scores: list[Vector] = field(default_factory=list)

    @property
    def roc_area(self) -> float:
        """The area under the ROC curve of the scores."""
        return roc_area(self.labels, self.scores) if self.labels else float("nan")


@dataclass(slots=True)
class TestedClasses:
    """How a model of many classes did on labelled examples.

    `labels` are those of the model, in its order, and then others that the examples had.
    """

    __test__ = False  # though its name begins as that of a test does

    confusion: ClassConfusion
    labels: tuple[str, ...]


def tested(model: Model, source: Source) -> Tested:
    """Compare the predictions of a model of two labels with the labels of a source.

    Nine bytes an example are held, for the area under the ROC curve; the examples are not.
    """
    negative, positive = model.classes
    labelling = LabelsAsSigns((negative, positive))
    found = Tested()
    for chunk, scores in scored(model, source):
        labels = chunk.signs(labelling)
        found.confusion.count(labels, scores)
        found.labels.append(labels)
        found.scores.append(np.asarray(scores))
    return found


def tested_classes(model: Model, source: Source) -> TestedClasses:
    """Compare the predictions of a model of many classes with the labels of a source.

    A label that the model does not know is a mistake, whatever was predicted.
    """
    labelling = LabelsAsClasses(model.classes, most=None)
    found = ClassConfusion()
    for chunk, scores in scored(model, source):
        found.count(chunk.class_numbers(labelling), best_classes(scores))
    return TestedClasses(found, labelling.classes)
