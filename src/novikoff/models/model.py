"""A model as one file: what was learned, from which features and labels, and how far it got."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from typing import Any, Literal, Self, TypeAlias

import numpy as np

from novikoff.learners import Additive, Joint, Multiplicative
from novikoff.learners.multiplicative import Variant
from novikoff.ledger.ledger import Ledger
from novikoff.ledger.readings import Reading, class_votes, vote
from novikoff.ledger.weights import class_scores, columns_for
from novikoff.sources.features import Features
from novikoff.storage import file_format as storage
from novikoff.storage.checked import Arrays, Settings, Stored, prefixed, with_prefix
from novikoff.stream.rows import Rows, Vector, dots

Kind: TypeAlias = Literal[
    "perceptron", "margin", "averaged", "voted", "winnow", "winnow1", "winnow2"
]

READINGS: dict[Kind, Reading] = {
    "perceptron": "final",
    "margin": "final",
    "averaged": "average",
    "voted": "vote",
    "winnow": "final",
    "winnow1": "final",
    "winnow2": "final",
}
# The kinds that multiply, and what their learner calls itself.
WINNOWS: dict[Kind, Variant] = {
    "winnow": "balanced",
    "winnow1": "winnow1",
    "winnow2": "winnow2",
}


SCORES_AT_ONCE = 1 << 22


@dataclass(slots=True)
class Model:
    """A learner with what it needs to meet new examples: the features, the labels, its record.

    Parameters
    ----------
    kind
        Which rule learned, and which reading of the run predicts: the final weights, their average,
        or the vote.
    classes
        The labels that are −1 and +1; where many are learned jointly, all that were met, in the
        order of their numbers.
    ledger
        The record of the run; with the mistakes themselves if the model is to vote.
    order
        How the examples were ordered, and the seed of it.
    reading
        How the data were read, where that must be known again: their label, what becomes of
        missing values; of a table also its columns, and which of them hold texts.
    examples
        How many examples have been met, each counted once however many passes were made.
    unfinished, watch
        Where a run stands that is to be gone on with; None for a run that ended.
    """

    kind: Kind
    learner: Additive | Multiplicative | Joint
    features: Features
    classes: tuple[str, ...]
    ledger: Ledger
    order: dict[str, Any] = field(default_factory=dict)
    reading: dict[str, Any] = field(default_factory=dict)
    examples: int = 0
    unfinished: dict[str, Any] | None = None
    watch: Arrays = field(default_factory=dict)
    _read: tuple[int, int, Vector] | None = field(default=None, init=False, repr=False)

    @property
    def is_joint(self) -> bool:
        """Whether any number of classes were learned jointly, and not two labels."""
        return isinstance(self.learner, Joint)

    @property
    def rows_at_once(self) -> int:
        """How many rows to ask for the scores of, so that these do not fill the memory."""
        return max(1, SCORES_AT_ONCE // len(self.classes)) if self.is_joint else sys.maxsize

    @property
    def weights(self) -> Vector:
        """The weights that predict, the constant's last: final or average; a vote has none.

        Where many classes were learned jointly they are a table, with a row for each.
        """
        weights = self._average() if self.kind == "averaged" else self.learner.weights
        dim, bias = self.features.dim, self.learner.bias
        used = [weights[..., :dim], weights[..., weights.shape[-1] - bias :]]
        return self._of_all_classes(np.concatenate(used, axis=-1), axis=0)

    def scores(self, rows: Rows) -> Vector:
        """The score of each row: it says +1 where that is 0 or more.

        A vote's score is the votes for +1 less those for −1, as a share of all. Where many classes
        were learned jointly a row has a score for each, a vote's being the share of all votes: it
        says the class with the highest, the first of equals.
        """
        self.widen(rows.dim)
        if self.is_joint:
            return self._of_all_classes(self._class_scores(rows), axis=1)
        if self.kind == "voted":
            return vote(self.ledger, rows) / max(1, self.ledger.n_rounds)
        if self.kind == "averaged":
            return dots(rows, self._held_average(), bias=self.learner.bias)
        return self.learner.scores(rows)

    def _class_scores(self, rows: Rows) -> Vector:
        if self.kind == "voted":
            return class_votes(self.ledger, rows) / max(1, self.ledger.n_rounds)
        if self.kind == "averaged":
            scores = class_scores(rows, self._held_average(), bias=self.learner.bias)
            return scores[:, : len(self.classes)]
        return self.learner.scores(rows)

    def _of_all_classes(self, table: Vector, axis: int) -> Vector:
        """With zeros for classes that are known by name only: no example of them was learned."""
        if not self.is_joint or table.shape[axis] == len(self.classes):
            return table
        more = [(0, 0), (0, 0)]
        more[axis] = (0, len(self.classes) - table.shape[axis])
        return np.pad(table, more)

    def _held_average(self) -> Vector:
        """The average, which is computed once however many rows are asked for."""
        rounds, dim = self.learner.rounds, self.learner.dim
        if self._read is None or self._read[:2] != (rounds, dim):
            average = self._average()
            if self.is_joint:  # as the core takes it: a column a class
                more = columns_for(len(average)) - len(average)
                average = np.ascontiguousarray(np.pad(average, ((0, more), (0, 0))).T)
            self._read = rounds, dim, average
        return self._read[2]

    def _average(self) -> Vector:
        assert not isinstance(self.learner, Multiplicative)
        return self.learner.average

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
        except storage.BadModel as error:
            raise storage.BadModel(f"{os.fspath(path)}: {error}") from None

    @classmethod
    def _restored(cls, header: Settings, arrays: Arrays) -> Self:
        stored = Stored("model", header, arrays)
        classes = tuple(stored.texts("classes"))
        parts = {name: stored.settings(name) for name in ("learner", "ledger", "features")}
        unfinished = None if header.get("unfinished") is None else stored.settings("unfinished")
        out = cls(
            stored.choice("kind", tuple(READINGS)),
            _restored_learner(parts["learner"], with_prefix("learner", arrays)),
            Features.restored(parts["features"], with_prefix("features", arrays)),
            classes,
            Ledger.restored(parts["ledger"], with_prefix("ledger", arrays)),
            stored.settings("order"),
            _checked_reading(stored.settings("reading")),
            stored.count("examples"),
            unfinished,
            with_prefix("watch", arrays),
        )
        out._check(stored)
        return out

    def _check(self, stored: Stored) -> None:
        """The parts must fit together: the core trusts that they do."""
        learner, ledger = self.learner, self.ledger
        if not learner.dim == ledger.dim == self.features.dim or learner.bias != ledger.bias:
            stored.refuse("its learner, ledger and features are not of one size")
        if isinstance(learner, Joint):
            right = self.kind not in WINNOWS and ledger.rule == "joint"
            right &= (self.kind == "averaged") == learner.averaging
            self._check_classes(learner, stored)
        elif isinstance(learner, Multiplicative):
            right = WINNOWS.get(self.kind) == learner.variant and ledger.rule == "multiplicative"
        else:
            right = self.kind not in WINNOWS and ledger.rule == "additive"
            right &= (self.kind == "averaged") == learner.averaging
        if not self.is_joint and len(self.classes) != 2:
            stored.refuse(f"it has {len(self.classes)} labels, not two")
        if not right:
            stored.refuse(f"its learner is not that of kind {self.kind!r}")
        if self.kind == "voted" and ledger.keep != "examples":
            stored.refuse("it votes, and its ledger keeps no examples")
        if self.unfinished is not None:
            stopped = Stored("unfinished run", self.unfinished, {})
            for name in ("passes", "passes_made", "position", "met"):
                stopped.count(name)
            stopped.text("data")
            stopped.settings("watch")

    def _check_classes(self, learner: Joint, stored: Stored) -> None:
        if not 0 <= learner.n_classes <= len(self.classes) or len(self.classes) == 0:
            stored.refuse(
                f"it has {len(self.classes)} labels, and weights for {learner.n_classes} of them"
            )
        if self.ledger.n_classes != learner.n_classes:
            stored.refuse("its learner and its ledger have not met the same classes")


def _restored_learner(settings: Settings, arrays: Arrays) -> Additive | Multiplicative | Joint:
    if settings.get("rule") == "joint":
        return Joint.restored(settings, arrays)
    if settings.get("rule") == "multiplicative":
        return Multiplicative.restored(settings, arrays)
    return Additive.restored(settings, arrays)


def _checked_reading(reading: Settings) -> Settings:
    if reading:
        stored = Stored("way of reading", reading, {})
        stored.choice("missing", ("refuse", "zero", "indicate"))
        if "features" in reading:
            stored.texts("features")
            stored.texts("texts")
        if not isinstance(reading.get("label"), str | int | None):
            stored.refuse("its label is not a column")
    return reading
