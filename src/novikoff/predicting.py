"""A model and new examples: scores, labels, and how these compare with the truth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from novikoff.chunks import Chunk, Source
from novikoff.examples import Labels
from novikoff.measures import Confusion, roc_area
from novikoff.model import Model
from novikoff.rows import Vector
from novikoff.sources.classes import Labelling
from novikoff.sources.numbering import parts_of, rows_of


def scored(model: Model, source: Source) -> Iterator[tuple[Chunk, Vector]]:
    """Each chunk of the source in turn, and the scores of its examples.

    Features that the model has no weight for are left out; `model.features.left_out` counts them.
    """
    model.features.frozen = True
    model.widen(model.features.room)
    whole = (part for chunk in source for part in parts_of(chunk, model.features))
    for chunk in whole:
        yield chunk, model.scores(rows_of(source, chunk, model.features))


def labels_of(model: Model, scores: Vector) -> list[str]:
    """The label each score stands for."""
    negative, positive = model.classes
    return [positive if right else negative for right in (scores >= 0).tolist()]


@dataclass(slots=True)
class Tested:
    """How a model did on labelled examples."""

    confusion: Confusion = field(default_factory=Confusion)
    labels: list[Labels] = field(default_factory=list)
    scores: list[Vector] = field(default_factory=list)

    @property
    def roc_area(self) -> float:
        """The area under the ROC curve of the scores."""
        return roc_area(self.labels, self.scores) if self.labels else float("nan")


def tested(model: Model, source: Source) -> Tested:
    """Compare the model's predictions with the labels of a source.

    Nine bytes an example are held, for the area under the ROC curve; the examples are not.
    """
    labelling = Labelling(model.classes)
    found = Tested()
    for chunk, scores in scored(model, source):
        labels = labelling.signs(chunk)
        found.confusion.count(labels, scores)
        found.labels.append(labels)
        found.scores.append(np.asarray(scores))
    return found
