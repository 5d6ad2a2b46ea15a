"""A model on new examples: scores, labels, and how the predictions compare with given labels."""

from __future__ import annotations

from collections.abc import Iterator

from novikoff.learners.rule import READINGS
from novikoff.models.explanation import Explanation, explain
from novikoff.models.measures import Evaluation, Judge
from novikoff.models.model import Model
from novikoff.sources.chunks import Chunk, Source
from novikoff.sources.numbered import feature_rows, parts_of
from novikoff.stream.labels import LabelsAsClasses, LabelsAsSigns
from novikoff.stream.rows import Rows, Vector


def scored(model: Model, source: Source) -> Iterator[tuple[Chunk, Vector]]:
    """Each chunk of the source, or part of one, with the scores of its examples."""
    for part, _, scores in scored_rows(model, source):
        yield part, scores


def explained(
    model: Model, source: Source, threshold: float | None = None, *, most: int
) -> Iterator[Explanation]:
    """Why each example of the source gets its label; with the mistakes behind `most` features."""
    reading, name = READINGS[model.kind], model.features.name_of
    for _, rows, scores in scored_rows(model, source):
        chosen = model.predicted(scores, threshold).tolist()
        yield from explain(rows, model.runs, reading, model.classes, chosen, name, most=most)


def scored_rows(model: Model, source: Source) -> Iterator[tuple[Chunk, Rows, Vector]]:
    """Each chunk of the source, or part of one, with its rows and their scores."""
    model.features.frozen = True
    model.widen(model.features.room)
    most = model.rows_at_once
    for whole in source:
        for chunk in parts_of(whole, model.features):
            for begin in range(0, len(chunk), most):
                end = min(len(chunk), begin + most)
                part = chunk if len(chunk) <= most else chunk.part(begin, end)
                rows = feature_rows(source, part, model.features)
                yield part, rows, model.scores(rows)


def evaluate(model: Model, source: Source, *, threshold: float | None = None) -> Evaluation:
    """Compare a model's predictions with the labels of a source.

    A model of many classes is wrong about every label that it does not know; a model of two labels
    rejects one.
    """
    judge, labels = judged(model, source, threshold)
    return judge.evaluation(labels)


def judged(model: Model, source: Source, threshold: float | None) -> tuple[Judge, tuple[str, ...]]:
    """The comparison of `evaluate` before it is summed up, and the labels by number."""
    judge = Judge(many=model.has_many_classes)
    labels: LabelsAsClasses | LabelsAsSigns
    if model.has_many_classes:
        labels = LabelsAsClasses(model.classes, most=None)
    else:
        negative, positive = model.classes
        labels = LabelsAsSigns((negative, positive))
    for chunk, scores in scored(model, source):
        chances = model.probabilities(scores) if model.gives_probabilities else None
        predicted = model.predicted(scores, threshold)
        judge.add(chunk.coded(labels), scores, predicted, chances)
    source.check_unchanged()
    return judge, labels.classes
