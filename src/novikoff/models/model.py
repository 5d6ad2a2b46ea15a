"""A trained model: a learner with its features, labels and ledger, saved as one file."""

from __future__ import annotations

import os
import sys
from copy import copy
from dataclasses import dataclass, field, replace
from mmap import mmap
from typing import Any, Self, get_args

import numpy as np

from novikoff.learners import Adaptive, Dual, JointAdaptive
from novikoff.learners.joint import OfClasses
from novikoff.learners.rule import ADAPTIVE, KINDS, READINGS, WINNOWS, Kind, Linear, restored
from novikoff.ledger import readings
from novikoff.ledger.honest_scores import HonestScores
from novikoff.ledger.ledger import Ledger
from novikoff.ledger.readings import Reading
from novikoff.models.calibration import Calibration, probabilities
from novikoff.runs.cycles import CycleSearch
from novikoff.runs.pool import Pool, Revisit
from novikoff.sources.features import Features
from novikoff.sources.read_options import CHOICES, DELIMITER
from novikoff.storage import file_format as storage
from novikoff.storage.checked import Arrays, Settings, Stored, prefixed, with_prefix
from novikoff.stream.blocks import Codes
from novikoff.stream.labels import in_order, negative_and_positive, predicts_positive, written
from novikoff.stream.number_text import is_finite_number
from novikoff.stream.rows import Rows, Vector
from novikoff.stream.sums import dot

SCORES_AT_ONCE = 1 << 22
ORDER: dict[str, Any] = {"whole": False, "shuffle": False, "seed": None, "holdout": None}


@dataclass(slots=True)
class Model:
    """A learner with what it needs to score new examples and to continue learning."""

    kind: Kind
    learner: Linear
    features: Features
    classes: tuple[str, ...]  # of −1 and +1; of a joint model all labels, by number
    ledger: Ledger
    order: dict[str, Any] = field(default_factory=ORDER.copy)  # how the examples were read
    read_options: dict[str, Any] = field(default_factory=dict)  # to read more data alike
    examples: int = 0  # each counts once, however many passes were made
    unfinished: dict[str, Any] | None = None  # the state of an interrupted run
    watch: Arrays = field(default_factory=dict)  # its arrays
    others: tuple[tuple[Linear, Ledger], ...] = ()  # runs of all classes but the first
    labels: tuple[Any, ...] | None = None  # an estimator's, if their texts do not tell
    parameters: dict[str, Any] = field(default_factory=dict)  # of the estimator
    cycled: tuple[int, ...] = ()  # which runs ended because their weights repeated
    _mapped: mmap | None = field(default=None, repr=False)  # the file it came from, if not copied
    _averages: dict[int, tuple[int, int, Vector]] = field(
        default_factory=dict, init=False, repr=False
    )

    @property
    def is_joint(self) -> bool:
        """Whether the model has any number of classes, learned jointly."""
        return isinstance(self.learner, OfClasses)

    @property
    def has_many_classes(self) -> bool:
        """Whether there is a score for each class, and not one for two labels."""
        return self.is_joint or bool(self.others)

    @property
    def has_weights(self) -> bool:
        """Whether weights of the features predict, not a vote or a kernel."""
        return self.kind != "voted" and not isinstance(self.learner, Dual)

    @property
    def runs(self) -> tuple[tuple[Linear, Ledger], ...]:
        """The learner and the ledger of each run: one, or one for each class."""
        return ((self.learner, self.ledger), *self.others)

    @property
    def rows_at_once(self) -> int:
        """How many rows to score at a time, so that the scores fit in memory."""
        return max(1, SCORES_AT_ONCE // len(self.classes)) if self.has_many_classes else sys.maxsize

    @property
    def weights(self) -> Vector:
        """The final or average weights, the constant's last; many classes have a row each."""
        storage.check_whole(self._mapped)
        reading: Reading = "average" if READINGS[self.kind] == "average" else "final"
        each = [readings.weights(*run, reading) for run in self.runs]
        weights = np.stack(each) if self.others else each[0]
        dim, bias = self.features.dim, self.learner.bias
        used = [weights[..., :dim], weights[..., weights.shape[-1] - bias :]]
        return self._with_unseen_classes(np.concatenate(used, axis=-1), axis=0)

    @property
    def raw_weights(self) -> tuple[Vector, Vector]:
        """Weights w and constant c for values as they are read: w·x + c is the score.

        Rows that are scaled to length 1 have no such weights: there these are as learned.
        """
        weights, dim, bias = self.weights, self.features.dim, self.learner.bias
        w = weights[..., :dim]
        constant = weights[..., -1] if bias else np.zeros(weights.shape[:-1])
        if self.features.to_unit_length:
            return w, constant
        scale, shift = self.features.scaling(dim)
        w = w / scale
        means = [dot(each, shift) for each in w.reshape(-1, dim)]
        return w, constant - np.array(means).reshape(constant.shape)

    def scores(self, rows: Rows) -> Vector:
        """The score of each row of two labels, or a column of scores for each class."""
        self.widen(rows.dim)
        each = [self._scores(k, rows) for k in range(len(self.runs))]
        return np.column_stack(each) if self.others else self._with_unseen_classes(each[0], axis=1)

    def _scores(self, run: int, rows: Rows) -> Vector:
        (learner, ledger), reading = self.runs[run], READINGS[self.kind]
        average = None
        if reading == "average" and self.has_weights:  # computed once until the model learns more
            known = self._averages.get(run)
            if known is None or known[:2] != (learner.rounds, learner.dim):
                average = readings.weights(learner, ledger, "average")
                known = self._averages[run] = learner.rounds, learner.dim, average
            average = known[2]
        return readings.scores(learner, ledger, reading, rows, average=average)

    def predicted(self, scores: Vector, threshold: float | None = None) -> Codes:
        """The class that each score predicts; among equals, the first of the labels in order."""
        if threshold is not None:
            return (self.probabilities(scores)[:, 1] >= threshold).astype(np.int32)
        if self.has_many_classes:
            numbers = {label: k for k, label in enumerate(self.classes)}
            order = np.array([numbers[label] for label in in_order(self.classes)], dtype=np.int32)
            return np.asarray(order[scores[:, order].argmax(axis=1)])
        positive = predicts_positive(scores) if self.learner.zero_is_positive else scores > 0
        return positive.astype(np.int32)

    @property
    def gives_probabilities(self) -> bool:
        """Whether scores were counted before learning, so that there are probabilities."""
        return self.learner.honest is not None

    def probabilities(self, scores: Vector) -> Vector:
        """The probability of each class for each score; of two labels, the positive one last."""
        counts = [learner.honest for learner, _ in self.runs if learner.honest is not None]
        if not counts:
            raise ValueError(
                f"{self.kind} predicts by a vote, whose scores before learning would take too long "
                "to count, so it has no probabilities"
            )
        maps = [Calibration.of(honest) for honest in counts]
        return probabilities(maps, scores, joint=self.is_joint)

    def _with_unseen_classes(self, table: Vector, axis: int) -> Vector:
        """The table with zeros for classes that are named but were not in any example."""
        if not self.is_joint or table.shape[axis] == len(self.classes):
            return table
        more = [(0, (len(self.classes) - table.shape[axis]) * (k == axis)) for k in (0, 1)]
        return np.pad(table, more)

    def widen(self, dim: int) -> None:
        """Make room for rows of `dim` features."""
        storage.check_whole(self._mapped)
        for learner, ledger in self.runs:
            if dim > learner.dim:
                learner.widen(dim)
                ledger.widen(dim)

    def apart(self) -> Model:
        """A copy that needs no file and counts unknown features by itself, for another machine."""
        features = copy(self.features)
        features.left_out = 0
        return replace(self, features=features, _mapped=None)

    def save(self, path: storage.Place) -> None:
        """Write the model to a file; the bytes depend on the examples and the settings alone."""
        storage.check_whole(self._mapped)
        dim = self.features.dim
        header, arrays = _state_of(self.learner, self.ledger, dim)
        settings, held = self.features.state()
        header |= {
            "features": settings,
            "kind": self.kind,
            "classes": list(self.classes),
            "order": self.order,
            "reading": self.read_options,
            "examples": self.examples,
            "unfinished": self.unfinished,
        }
        arrays |= prefixed({"features": held, "watch": self.watch})
        for k, run in enumerate(self.others, 1):
            name = f"class {k}"
            header[name], more = _state_of(*run, dim)
            arrays |= prefixed({name: more})
        rest = {"labels": self.labels, "parameters": self.parameters, "cycled": self.cycled}
        header |= {name: value for name, value in rest.items() if value}
        storage.save(path, header, arrays, kind="model")

    @classmethod
    def load(cls, path: storage.Place) -> Self:
        """Read a model from a file. The file is checked first, and nothing in it is executed."""
        header, arrays = storage.load(path, kind="model")
        try:
            return cls._restored(header, arrays)
        except storage.BadModel as error:
            raise storage.BadModel(f"{storage.name_of(path)}: {error}") from None

    @staticmethod
    def is_unfinished(path: str | os.PathLike[str]) -> bool:
        """Whether a run that can be resumed is in the file; its parts are not made."""
        return storage.header(path, kind="model").get("unfinished") is not None

    @classmethod
    def _restored(cls, header: Settings, arrays: Arrays) -> Self:
        stored = Stored("model", header, arrays)
        classes = tuple(stored.texts("classes"))
        unfinished = None if header.get("unfinished") is None else stored.settings("unfinished")
        learner, ledger = _restored_run(header, arrays)
        cycled = header.get("cycled", [])
        others: list[tuple[Linear, Ledger]] = []
        while (name := f"class {len(others) + 1}") in header:
            others.append(_restored_run(stored.settings(name), with_prefix(name, arrays)))
        out = cls(
            stored.choice("kind", KINDS),
            learner,
            Features.restored(stored.settings("features"), with_prefix("features", arrays)),
            classes,
            ledger,
            _checked_order(stored.settings("order")),
            _checked_options(stored.settings("reading")),
            stored.count("examples"),
            unfinished,
            with_prefix("watch", arrays),
            tuple(others),
            _checked_labels(header.get("labels"), stored, classes),
            stored.settings("parameters") if "parameters" in header else {},
            tuple(cycled) if isinstance(cycled, list) else (-1,),
            storage.mapped_file(arrays),
        )
        out._check(stored)
        return out

    def _check(self, stored: Stored) -> None:
        """Raise BadModel if the parts do not fit together: the core trusts that they do."""
        known = len(self.classes)
        if len(set(self.classes)) < known:
            stored.refuse("two of its labels are the same")
        if self.others and (
            known != len(self.runs) or self.is_joint or self.unfinished is not None
        ):
            stored.refuse(f"it has {known} labels, but {len(self.runs)} runs")
        if not self.has_many_classes and known != 2:
            stored.refuse(f"it has {known} labels, not two")
        if [*self.cycled] != [k for k in range(len(self.runs)) if k in self.cycled]:
            stored.refuse("its runs that ended in a cycle are wrong")
        for run in self.runs:
            self._check_run(*run, stored)
        if self.unfinished is not None:
            stopped = Stored("unfinished run", self.unfinished, {})
            counts = ("passes", "passes_made", "position", "met")
            passes, made, position, met = map(stopped.count, counts)
            pool = self.restored_pool()
            is_over = made > passes if pool is not None and pool.is_open else made >= passes
            if is_over or position > met:
                stopped.refuse(f"it is in pass {made + 1} of {passes}, at example {position}")
            stopped.text("data")
            if (passes > 1 or pool is not None) != bool(stopped.settings("watch")):
                stopped.refuse("only a run of several passes looks for a cycle")
            self.restored_search()

    def _check_run(self, learner: Linear, ledger: Ledger, stored: Stored) -> None:
        if not learner.dim == ledger.dim == self.features.dim or learner.bias != ledger.bias:
            stored.refuse("its learner, ledger and features differ in size")
        if isinstance(learner, OfClasses):
            known = len(self.classes)
            if known == 0 or self.others or not 0 <= learner.n_classes <= known:
                stored.refuse(f"it has {known} labels, but weights for {learner.n_classes}")
            if ledger.n_classes != learner.n_classes:
                stored.refuse("its learner and its ledger differ in the number of classes")
        kernel = learner.kernel if isinstance(learner, Dual) and learner.budget is None else None
        if ledger.kernel != kernel:
            stored.refuse("its learner and its ledger differ in their kernel")
        adaptive = isinstance(learner, Adaptive | JointAdaptive)
        right = ledger.rule == learner.rule and (self.kind in ADAPTIVE) == adaptive
        right &= WINNOWS.get(self.kind) == getattr(learner, "variant", None)
        right &= (READINGS[self.kind] == "average") == learner.averaging
        if not right:
            stored.refuse(f"the learner does not match the model's kind, {self.kind!r}")
        if isinstance(learner, Adaptive | JointAdaptive) and ledger.adaptation is not None:
            right = ledger.adaptation.regularisation == learner.regularisation
            right &= ledger.adaptation.matrix == getattr(learner, "matrix", "diagonal")
        if not right:
            stored.refuse("its learner and its ledger differ in their regularisation or matrix")
        if (learner.honest is None) != (READINGS[self.kind] == "vote"):
            stored.refuse(f"its honest scores do not match its kind, {self.kind!r}")
        if self.kind == "voted" and ledger.keep != "examples":
            stored.refuse("a voted model needs its examples, and the ledger keeps none")
        if learner.rounds != ledger.began + ledger.n_rounds:
            stored.refuse("its learner and its ledger differ in the number of rounds")

    def restored_search(self) -> CycleSearch | None:
        """The search for a cycle of an unfinished run, if it makes several passes."""
        settings = self.unfinished and self.unfinished["watch"]
        return CycleSearch.restored(settings, self.watch, *self._size) if settings else None

    def restored_pool(self) -> Pool | None:
        """The mistaken rows of an unfinished run, if it visits them again."""
        if self.unfinished is None or "revisit" not in self.order:
            return None
        settings = Stored("unfinished run", self.unfinished, {}).settings("pool")
        return Pool.restored(settings, with_prefix("pool", self.watch), *self._size)

    @property
    def _size(self) -> tuple[int, int | None]:
        return self.features.dim, len(self.classes) if self.is_joint else None


def _state_of(learner: Linear, ledger: Ledger, dim: int) -> tuple[Settings, Arrays]:
    """The settings and arrays of a run, for a model file."""
    parts = {"learner": learner.state(dim), "ledger": ledger.state(dim)}
    if learner.honest is not None:
        parts["scores"] = learner.honest.state()
    held = prefixed({name: arrays for name, (_, arrays) in parts.items()})
    return {name: settings for name, (settings, _) in parts.items()}, held


def _restored_run(header: Settings, arrays: Arrays) -> tuple[Linear, Ledger]:
    """The run that `_state_of` described."""
    stored = Stored("model", header, arrays)
    learner = restored(stored.settings("learner"), with_prefix("learner", arrays))
    ledger = Ledger.restored(stored.settings("ledger"), with_prefix("ledger", arrays))
    if isinstance(learner, Dual) and ledger.kernel is not None:
        learner.recall(ledger)
    if "scores" in header:
        scores = with_prefix("scores", arrays)
        learner.honest = HonestScores.restored(stored.settings("scores"), scores)
    return learner, ledger


def _checked_labels(
    labels: Any, stored: Stored, classes: tuple[str, ...]
) -> tuple[Any, ...] | None:
    if labels is None:
        return None
    plain = isinstance(labels, list) and all(type(one) in (bool, int, float, str) for one in labels)
    plain = plain and len(set(labels)) == len(labels)
    if not plain or classes not in (tuple(map(written, labels)), negative_and_positive(labels)):
        stored.refuse("its labels do not match their texts")
    return tuple(labels)


def _checked_options(options: Settings) -> Settings:
    if not options:
        return options
    stored = Stored("read options", options, {})
    for name in ("missing", *({"decimal", "quote"} & {*options})):
        stored.choice(name, CHOICES[name])
    label, factors = options.get("label", False), options.get("class_weights", {})
    if type(label) not in (str, int, type(None)):
        stored.refuse("its label is not a column")
    if type(options.get("weight", "")) not in (str, int):
        stored.refuse("its weight is not a column")
    if not isinstance(factors, dict) or not all(
        is_finite_number(factor) and factor > 0 for factor in factors.values()
    ):
        stored.refuse("its class weights are not numbers above 0")
    lists = {name: {*stored.texts(name)} for name in ("keep", "ignore", "words") if name in options}
    if "one_vs_rest" in options:
        stored.text("one_vs_rest")
    if "features" in options:
        names, texts = stored.texts("features"), {*stored.texts("texts")}
        if len({*names, label}) <= len(names) or not texts <= {*names}:
            stored.refuse("its columns are not all different, or its texts are not columns")
        if not lists.get("words", set()) <= {*names} - texts:
            stored.refuse("its columns of words are not columns, or they are texts")
    if "words" in options:
        rule = Stored("rule for texts", stored.settings("text_rule"), {})
        for name in ("grams", "values"):
            rule.choice(name, CHOICES[name])
        rule.flag("unit_length")
    if "delimiter" in options and not DELIMITER.fullmatch(stored.text("delimiter")):
        stored.refuse("its delimiter is not a valid character")
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
    if "revisit" in order:
        stored.choice("revisit", get_args(Revisit))
    return order
