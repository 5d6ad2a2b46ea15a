"""An estimator that learned by name as a model, which is one file and what the commands use."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import numpy as np

from novikoff.learners.rule import Kind
from novikoff.ledger.ledger import Ledger
from novikoff.models.model import Model
from novikoff.online.engine import Linear
from novikoff.online.names import Names
from novikoff.sources.features import Features


def model_of(
    kind: Kind,
    learner: Linear,
    ledger: Ledger,
    names: Names,
    *,
    hash_bits: int | None,
    classes: Sequence[Any],
    seen: int,
) -> Model:
    """The model of one run whose columns have these names; it shares nothing with the run."""
    columns = names.columns.tolist()
    if hash_bits is None and columns != list(range(len(columns))):
        raise ValueError("names were forgotten in this run: a model has a name for each column")
    features = Features.of(names.names, columns, hash_bits)
    if features.room != learner.dim:
        raise ValueError(
            "this run began with a frame of other columns; a model is of a run that began by name"
        )
    ledger = deepcopy(ledger)
    if ledger.epoch_ends:  # the stream may go on, as part of the same pass
        ledger.reopen_epoch()
    return Model(
        kind,
        deepcopy(learner),
        features,
        tuple(map(label_text, classes)),
        ledger,
        examples=seen,
    )


def label_text(label: Any) -> str:
    """The label as files write it."""
    if isinstance(label, bool | np.bool_):
        return "true" if label else "false"
    return str(label)
