"""A trained model: a learner with its features, labels and ledger, saved as one file."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from mmap import mmap
from typing import Any, Self

import numpy as np

from novikoff.learners import Adaptive, Joint, JointAdaptive, Multiplicative
from novikoff.learners.compiled_pass import is_finite_number
from novikoff.learners.rule import ADAPTIVE, KINDS, READINGS, WINNOWS, Kind, Linear, restored
from novikoff.ledger import readings
from novikoff.ledger.honest_scores import HonestScores
from novikoff.ledger.ledger import Ledger
from novikoff.ledger.readings import Reading
from novikoff.models.calibration import Calibration, jointly, of_two
from novikoff.runs.cycles import CycleSearch
from novikoff.sources.features import Features
from novikoff.sources.read_options import DELIMITER, MISSING_RULES, QUOTES
from novikoff.sources.text_rule import GRAMS, TEXT_VALUES
from novikoff.storage import file_format as storage
from novikoff.storage.checked import Arrays, Settings, Stored, prefixed, with_prefix
from novikoff.stream.rows import Rows, Vector

SCORES_AT_ONCE = 1 << 22
ORDER: dict[str, Any] = {"whole": False, "shuffle": False, "seed": None, "holdout": None}


@dataclass(slots=True)
class Model:
    """A learner with what it needs to score new examples and to continue learning.

    Parameters
    ----------
    kind
        Which rule learned, and which reading of its run predicts.
    classes
        The labels of −1 and +1; a joint model has all labels seen so far, in the order of their
        numbers.
    ledger
        The record of the run; it has the mistaken examples if the model votes.
    order
        Whether the examples were read whole or as a stream, how they were ordered, with the seed,
        and which were held out; by default they were a stream, all learned from in turn.
    read_options
        How to read more data of the same kind: the label, what to do with missing values, and for a
        table its columns, and which of them hold text.
    examples
        How many examples were learned from; each counts once, however many passes were made.
    unfinished, watch
        The state of an interrupted run; None and empty for a run that ended.
    """

    kind: Kind
    learner: Linear
    features: Features
    classes: tuple[str, ...]
    ledger: Ledger
    order: dict[str, Any] = field(default_factory=ORDER.copy)
    read_options: dict[str, Any] = field(default_factory=dict)
    examples: int = 0
    unfinished: dict[str, Any] | None = None
    watch: Arrays = field(default_factory=dict)
    _mapped: mmap | None = field(default=None, repr=False)  # the file it came from, if not copied
    _average: tuple[int, int, Vector] | None = field(default=None, init=False, repr=False)

    @property
    def is_joint(self) -> bool:
        """Whether the model has any number of classes, learned jointly, and not two labels."""
        return isinstance(self.learner, Joint)

    @property
    def rows_at_once(self) -> int:
        """How many rows to score at a time, so that the scores fit in memory."""
        return max(1, SCORES_AT_ONCE // len(self.classes)) if self.is_joint else sys.maxsize

    @property
    def weights(self) -> Vector:
        """The final or average weights, the constant's last; those of a voted model are the final.

        A joint model has a row for each class.
        """
        storage.check_whole(self._mapped)
        reading: Reading = "average" if READINGS[self.kind] == "average" else "final"
        weights = readings.weights(self.learner, self.ledger, reading)
        dim, bias = self.features.dim, self.learner.bias
        used = [weights[..., :dim], weights[..., weights.shape[-1] - bias :]]
        return self._with_unseen_classes(np.concatenate(used, axis=-1), axis=0)

    def scores(self, rows: Rows) -> Vector:
        """The score of each row; a score of 0 or more predicts +1.

        A voted model's score is the share of votes for +1 less the share for −1. A joint model
        scores each class, by its share of the votes if it votes, and predicts the class with the
        highest score, the first among equals.
        """
        self.widen(rows.dim)
        reading = READINGS[self.kind]
        average = None
        if reading == "average":  # computed once until the model learns more
            rounds, dim = self.learner.rounds, self.learner.dim
            if self._average is None or self._average[:2] != (rounds, dim):
                average = readings.weights(self.learner, self.ledger, "average")
                self._average = rounds, dim, average
            average = self._average[2]
        scores = readings.scores(self.learner, self.ledger, reading, rows, average=average)
        return self._with_unseen_classes(scores, axis=1)

    @property
    def gives_probabilities(self) -> bool:
        """Whether scores were counted before learning, so that there are probabilities."""
        return self.learner.honest is not None

    def probabilities(self, scores: Vector) -> Vector:
        """The probability of each class for each score of `scores`, or row of scores.

        They rest on the scores that examples had before they were learned from
        (`models/calibration.py`). Of two labels, the positive one is the second column.
        """
        honest = self.learner.honest
        if honest is None:
            raise ValueError(
                f"{self.kind} predicts by other weights than it learns with, so it "
                "has no honest scores to make probabilities of"
            )
        return (jointly if self.is_joint else of_two)(Calibration.of(honest), scores)

    def _with_unseen_classes(self, table: Vector, axis: int) -> Vector:
        """The table with zeros for classes that are named but were not in any example."""
        if not self.is_joint or table.shape[axis] == len(self.classes):
            return table
        more = [(0, 0), (0, 0)]
        more[axis] = (0, len(self.classes) - table.shape[axis])
        return np.pad(table, more)

    def widen(self, dim: int) -> None:
        """Make room for rows of `dim` features."""
        storage.check_whole(self._mapped)
        if dim > self.learner.dim:
            self.learner.widen(dim)
            self.ledger.widen(dim)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, atomically.

        The bytes depend only on the examples, their order and the settings: not on the time, the
        names of files, or how often the run was interrupted.
        """
        storage.check_whole(self._mapped)
        dim = self.features.dim
        parts = {
            "learner": self.learner.state(dim),
            "ledger": self.ledger.state(dim),
            "features": self.features.state(),
        }
        if self.learner.honest is not None:
            parts["scores"] = self.learner.honest.state()
        header: Settings = {name: settings for name, (settings, _) in parts.items()}
        header |= {
            "kind": self.kind,
            "classes": list(self.classes),
            "order": self.order,
            "reading": self.read_options,
            "examples": self.examples,
            "unfinished": self.unfinished,
        }
        held = {name: arrays for name, (_, arrays) in parts.items()}
        storage.save(path, header, prefixed({**held, "watch": self.watch}), kind="model")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a model from a file. The file is checked first, and nothing in it is executed."""
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
            stored.choice("kind", KINDS),
            restored(parts["learner"], with_prefix("learner", arrays)),
            Features.restored(parts["features"], with_prefix("features", arrays)),
            classes,
            Ledger.restored(parts["ledger"], with_prefix("ledger", arrays)),
            _checked_order(stored.settings("order")),
            _checked_options(stored.settings("reading")),
            stored.count("examples"),
            unfinished,
            with_prefix("watch", arrays),
            storage.mapped_file(arrays),
        )
        if "scores" in header:
            scores = with_prefix("scores", arrays)
            out.learner.honest = HonestScores.restored(stored.settings("scores"), scores)
        out._check(stored)
        return out

    def _check(self, stored: Stored) -> None:
        """Raise BadModel if the parts do not fit together: the core trusts that they do."""
        learner, ledger = self.learner, self.ledger
        if not learner.dim == ledger.dim == self.features.dim or learner.bias != ledger.bias:
            stored.refuse("its learner, ledger and features differ in size")
        if len(set(self.classes)) < len(self.classes):
            stored.refuse("two of its labels are the same")
        if isinstance(learner, Joint):
            known = len(self.classes)
            if known == 0 or not 0 <= learner.n_classes <= known:
                stored.refuse(f"it has {known} labels, but weights for {learner.n_classes}")
            if ledger.n_classes != learner.n_classes:
                stored.refuse("its learner and its ledger differ in the number of classes")
        elif len(self.classes) != 2:
            stored.refuse(f"it has {len(self.classes)} labels, not two")
        if isinstance(learner, Multiplicative):
            right = WINNOWS.get(self.kind) == learner.variant and ledger.rule == "multiplicative"
        else:
            adaptive = isinstance(learner, Adaptive | JointAdaptive)
            one, many = ("adaptive", "joint-adaptive") if adaptive else ("additive", "joint")
            right = ledger.rule == (many if self.is_joint else one)
            right &= (self.kind in ADAPTIVE) == adaptive
            right &= self.kind not in WINNOWS
            right &= (READINGS[self.kind] == "average") == learner.averaging
        if not right:
            stored.refuse(f"the learner does not match the model's kind, {self.kind!r}")
        if isinstance(learner, Adaptive | JointAdaptive) and ledger.adaptation is not None:
            right = ledger.adaptation.regularisation == learner.regularisation
            right &= ledger.adaptation.matrix == getattr(learner, "matrix", "diagonal")
        if not right:
            stored.refuse("its learner and its ledger differ in their regularisation or matrix")
        if (learner.honest is not None) != (READINGS[self.kind] == "final"):
            stored.refuse(f"its honest scores do not match its kind, {self.kind!r}")
        if self.kind == "voted" and ledger.keep != "examples":
            stored.refuse("a voted model needs its examples, and the ledger keeps none")
        if learner.rounds != ledger.began + ledger.n_rounds:
            stored.refuse("its learner and its ledger differ in the number of rounds")
        if self.unfinished is not None:
            stopped = Stored("unfinished run", self.unfinished, {})
            counts = ("passes", "passes_made", "position", "met")
            passes, made, position, met = map(stopped.count, counts)
            if made >= passes or position > met:
                stopped.refuse(f"it is in pass {made + 1} of {passes}, at example {position}")
            stopped.text("data")
            if (passes > 1) != bool(stopped.settings("watch")):
                stopped.refuse("only a run of several passes looks for a cycle")
            self.restored_search()

    def restored_search(self) -> CycleSearch | None:
        """The search for a cycle of an unfinished run, if it makes several passes."""
        settings = self.unfinished and self.unfinished["watch"]
        if not settings:
            return None
        classes = len(self.classes) if self.is_joint else None
        return CycleSearch.restored(settings, self.watch, self.features.dim, classes)


def _checked_options(options: Settings) -> Settings:
    stored = Stored("read options", options, {})
    if options:
        stored.choice("missing", MISSING_RULES)
        label = options.get("label", False)
        if type(label) not in (str, int, type(None)):
            stored.refuse("its label is not a column")
        if type(options.get("weight", "")) not in (str, int):
            stored.refuse("its weight is not a column")
        factors = options.get("class_weights", {})
        if not isinstance(factors, dict) or not all(
            is_finite_number(factor) and factor > 0 for factor in factors.values()
        ):
            stored.refuse("its class weights are not numbers above 0")
        for name in {"keep", "ignore"} & {*options}:
            stored.texts(name)
        if "one_vs_rest" in options:
            stored.text("one_vs_rest")
        if "features" in options:
            names = stored.texts("features")
            if len({*names, label}) <= len(names) or not {*stored.texts("texts")} <= {*names}:
                stored.refuse("its columns are not all different, or its texts are not columns")
        if "words" in options:
            words = set(stored.texts("words"))
            if "features" in options and not words <= {*names} - {*stored.texts("texts")}:
                stored.refuse("its columns of words are not columns, or they are texts")
            rule = Stored("rule for texts", stored.settings("text_rule"), {})
            rule.choice("grams", GRAMS)
            rule.choice("values", TEXT_VALUES)
            rule.flag("unit_length")
        if "delimiter" in options and not DELIMITER.fullmatch(stored.text("delimiter")):
            stored.refuse("its delimiter is not a valid character")
        if "quote" in options:
            stored.choice("quote", QUOTES)
        if "header" in options:
            stored.flag("header")
    return options


def _checked_order(order: Settings) -> Settings:
    stored = Stored("order of examples", order, {})
    stored.flag("whole")
    stored.flag("shuffle")
    for name in ("seed", "holdout"):
        if type(order.get(name, False)) not in (int, type(None)):
            stored.refuse(f"its {name} is not a whole number or nothing")
    return order
