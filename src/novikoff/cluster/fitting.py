"""`fit`: an estimator fitted on a cluster, to files or to Dask's collections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

from novikoff.cluster.driver import Cluster, current_client
from novikoff.cluster.partitions import shards_of_collection
from novikoff.cluster.training import ClusterTraining
from novikoff.estimators.base import LinearClassifier
from novikoff.estimators.saved import of_model, told_by
from novikoff.estimators.validation import check_common
from novikoff.models.training import Plan
from novikoff.runs.pool import Revisit
from novikoff.sources.features import Features
from novikoff.sources.inputs import parts_in_place
from novikoff.sources.numbered import Numbered
from novikoff.sources.read_options import ReadOptions
from novikoff.sources.shards import shards_of_files
from novikoff.stream.input_problems import BadExample, Problem
from novikoff.stream.labels import LabelsAsClasses, LabelsAsSigns, written

E = TypeVar("E", bound=LinearClassifier)

_THIRD = (Problem.THIRD_LABEL, Problem.THIRD_LABEL_IN_LAST_COLUMN)


def fit(
    estimator: E,
    data: Any,
    y: Any = None,
    *,
    client: Any = None,
    read: ReadOptions | None = None,
    shards: int | None = None,
    cache: str | None = None,
) -> E:
    """Fit an estimator on a Dask cluster, and return it.

    A `Perceptron` or `MarginPerceptron` is fitted by exchanging mistakes until the data are
    separated; its `max_iter` counts rounds, and its mistake bound holds as on one machine. Of other
    estimators the weights are mixed after each of `max_iter` passes. The result depends on the data
    and where they are cut, not on the workers. Examples are not shuffled.

    Parameters
    ----------
    estimator
        Any but `VotedPerceptron` and `Winnow`. Of more than two classes it must learn jointly.
    data, y
        Paths, patterns or addresses of files, which every worker must be able to read; a Dask frame
        with a column of labels; a Dask array, whose labels are y, in the same blocks; or a list of
        delayed blocks, each a frame or a pair of rows and labels.
    client
        The client of `distributed`; by default the current one.
    read, shards
        How files or frames are read, and into how many shards files are cut; by default one for
        each 32 MB.
    cache
        A folder on the disk of each worker, in which it keeps what it has parsed of files. Later
        passes, and later fits to the same files, then need not parse them again.
    """
    check_common(estimator)
    how = read or ReadOptions()
    if isinstance(estimator.class_weight, str):
        raise ValueError("on a cluster, class_weight must be a dict of factors")
    if estimator.class_weight is not None:
        factors = {written(label): float(c) for label, c in estimator.class_weight.items()}
        how = replace(how, class_weights=factors)
    is_path = isinstance(data, str) or hasattr(data, "__fspath__")
    is_files = is_path or (isinstance(data, Sequence) and isinstance(data[0], str))
    if is_files:
        cut = shards_of_files(parts_in_place(data), how, shards=shards, cache=cache)
    else:
        cut = shards_of_collection(data, y, how)
    workers = Cluster(current_client() if client is None else client)
    rule = estimator._rule()
    revisit: Revisit | None = "mistakes" if estimator._separates or estimator.revisit else None
    while True:
        plan = Plan(rule, estimator.max_iter, revisit=revisit)
        features = Features(hash_bits=estimator.hash_bits)
        labels = LabelsAsClasses() if rule.joint else LabelsAsSigns()
        blocks = Numbered(cut.source, features, labels, how.class_weights)
        try:
            training = ClusterTraining(workers, cut, blocks, plan, how=how if is_files else None)
            break
        except BadExample as error:
            if error.problem not in _THIRD or not estimator._rule(3).joint:
                raise
            rule = estimator._rule(3)
    training.run()
    model, parameters = training.model, estimator.get_params()
    if is_files or blocks.table is not None:
        model.read_options = how.remembered(blocks.table)
    told = {name: each for name, each in parameters.items() if name not in ("keep", "hash_bits")}
    model.parameters = told_by(told, model, reader=True)
    fitted = of_model(model)
    estimator.__dict__.update(vars(fitted))
    return estimator
