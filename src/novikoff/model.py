"""A model as one file: what was learned, from which features and labels, and how far it got."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, Literal, Self, TypeAlias

import numpy as np

from novikoff import storage
from novikoff.features import Features
from novikoff.learners import Additive
from novikoff.ledger import Ledger
from novikoff.readings import Reading, vote
from novikoff.rows import Rows, Vector, dots
from novikoff.states import Arrays, Settings, Stored, prefixed, with_prefix
from novikoff.storage import BadModel

Kind: TypeAlias = Literal["perceptron", "margin", "averaged", "voted"]

READINGS: dict[Kind, Reading] = {
    "perceptron": "final",
    "margin": "final",
    "averaged": "average",
    "voted": "vote",
}


@dataclass(slots=True)
class Model:
    """A learner with what it needs to meet new examples: the features, the labels, its record.

    Parameters
    ----------
    kind
        Which reading of the run predicts: the final weights, their average, or the vote.
    classes
        The labels that are −1 and +1.
    ledger
        The record of the run; with the mistakes themselves if the model is to vote.
    order
        How the examples were ordered, and the seed of it.
    reading
        How the columns of a table were read: its label, which hold names, which were left out.
    examples
        How many examples have been met, each counted once however many passes were made.
    unfinished, watch
        Where a run stands that is to be gone on with; None for a run that ended.
    """

    kind: Kind
    learner: Additive
    features: Features
    classes: tuple[str, str]
    ledger: Ledger
    order: dict[str, Any] = field(default_factory=dict)
    reading: dict[str, Any] = field(default_factory=dict)
    examples: int = 0
    unfinished: dict[str, Any] | None = None
    watch: Arrays = field(default_factory=dict)

    @property
    def weights(self) -> Vector:
        """The weights that predict, the constant's last: final or average; a vote has none."""
        weights = self.learner.average if self.kind == "averaged" else self.learner.weights
        dim, bias = self.features.dim, self.learner.bias
        return np.concatenate([weights[:dim], weights[len(weights) - bias :]])

    def scores(self, rows: Rows) -> Vector:
        """The score of each row: it says +1 where that is 0 or more.

        A vote's score is the votes for +1 less those for −1, as a share of all.
        """
        self.widen(rows.dim)
        if self.kind == "voted":
            return vote(self.ledger, rows) / max(1, self.ledger.n_rounds)
        if self.kind == "averaged":
            return dots(rows, self.learner.average, bias=self.learner.bias)
        return self.learner.scores(rows)

    def widen(self, dim: int) -> None:
        """Make room for rows of so many features."""
        if dim > self.learner.dim:
            self.learner.widen(dim)
            self.ledger.widen(dim)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, which is replaced all at once or not at all.

        The bytes depend on the examples that were learned from, their order and the settings, and
        on nothing else: not on the time, the names of files, or how often the run was interrupted.
        """
        dim = self.features.dim
        parts = {
            "learner": self.learner.state(dim),
            "ledger": self.ledger.state(dim),
            "features": self.features.state(),
        }
        header: Settings = {name: settings for name, (settings, _) in parts.items()}
        header |= {
            "kind": self.kind,
            "classes": list(self.classes),
            "order": self.order,
            "reading": self.reading,
            "examples": self.examples,
            "unfinished": self.unfinished,
        }
        arrays = prefixed("watch", self.watch)
        for name, (_, held) in parts.items():
            arrays |= prefixed(name, held)
        storage.save(path, header, arrays, kind="model")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """The model of a file, which is checked first; nothing in it is ever run."""
        header, arrays = storage.load(path, kind="model")
        try:
            return cls._restored(header, arrays)
        except BadModel as error:
            raise BadModel(f"{os.fspath(path)}: {error}") from None
        except MemoryError:
            raise BadModel(f"{os.fspath(path)}: it asks for more memory than there is") from None

    @classmethod
    def _restored(cls, header: Settings, arrays: Arrays) -> Self:
        stored = Stored("model", header, arrays)
        learner, ledger, features = (
            stored.part(name) for name in ("learner", "ledger", "features")
        )
        classes, unfinished = header.get("classes"), header.get("unfinished")
        if not isinstance(classes, list) or len(classes) != 2 or not all(map(_is_text, classes)):
            stored.refuse("its labels are not two texts")
        reading = stored.part("reading")[0]
        listed = [reading.get(key, []) for key in ("features", "texts")]
        if not all(isinstance(names, list) and all(map(_is_text, names)) for names in listed):
            stored.refuse("its columns are not texts")
        if unfinished is not None:
            unfinished = stored.part("unfinished")[0]
        found = cls(
            stored.choice("kind", tuple(READINGS)),
            Additive.restored(*learner),
            Features.restored(*features),
            (classes[0], classes[1]),
            Ledger.restored(*ledger),
            stored.part("order")[0],
            reading,
            stored.count("examples"),
            unfinished,
            with_prefix("watch", arrays),
        )
        if not found.features.dim == found.learner.dim == found.ledger.dim:
            stored.refuse("its parts are not of the same number of features")
        return found


def _is_text(value: object) -> bool:
    return isinstance(value, str)
