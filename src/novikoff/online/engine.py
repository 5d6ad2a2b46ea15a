"""The engine: learners with labels, feature names and ledgers, for blocks and single examples.

The compiled core reads single examples and updates the learners' weights in place; mistakes are
written to the ledgers when these are read.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from novikoff import _core
from novikoff.guarantees.verdict import Verdict
from novikoff.learners.adaptive import Adaptive, JointAdaptive
from novikoff.learners.compiled_pass import Steps, in_turn, learn_parts
from novikoff.learners.joint import OfClasses
from novikoff.learners.kernel import unite
from novikoff.learners.multiplicative import Multiplicative
from novikoff.learners.rule import Linear, Rule
from novikoff.learners.together import companies
from novikoff.ledger import readings
from novikoff.ledger.ledger import MOST_BYTES, Keep, KeepOrAuto, Ledger, Mistakes
from novikoff.ledger.readings import Reading
from novikoff.ledger.weights import LANES, room_for
from novikoff.online.locks import Rank, new_lock
from novikoff.online.one_example import negative, plain, plain_row, unscored
from novikoff.runs.interrupts import Interrupts, ctrl_c_stops, undisturbed
from novikoff.runs.loop import Interrupted, Run, playing
from novikoff.runs.pool import Revisit
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample
from novikoff.stream.multiclass import Classes, Given, JointLabels, Labels
from novikoff.stream.order import Shuffle, Shuffled, arranged
from novikoff.stream.rows import (
    DenseRows,
    Flaw,
    Rows,
    SparseRows,
    Vector,
    dots,
    explain,
    workers_for,
)

Examples: TypeAlias = Rows | Sequence[Any]  # rows, or dicts

BUSY = "another thread is learning from a block; try again when it is done"


class Outcome(IntEnum):
    """What the core did with an example; all but LEARNED changed nothing."""

    LEARNED = 0
    UNREAD = 1  # not a dict or row that the core reads
    LABEL = 2  # an unknown label
    ROOM = 3  # needs more columns or classes
    FULL = 4  # the mistakes must be taken to the ledger first
    CROWDED = 5  # more features than max_names
    HELD = 6  # another thread learns from a block
    FLAW = 7  # the score would not be finite, or a number is negative


class Names(NamedTuple):
    """Names of features, with columns, uses and last rounds; `width` counts all columns."""

    names: list[str]
    columns: NDArray[np.int32]
    examples: NDArray[np.int64]
    last: NDArray[np.int64]
    width: int

    @classmethod
    def unused(cls, names: Sequence[str], columns: Sequence[int], width: int) -> Names:
        """These names, which no example has used yet."""
        none = np.zeros(len(names), dtype=np.int64)
        return cls([*names], np.array(columns, dtype=np.int32), none, none, width)


def names_of(core: _core.Online) -> Names:
    """The names that the core knows, with their columns and uses."""
    columns, examples, last = core.named()
    named = [str(core.name_of(j)) for j in columns.tolist()]
    return Names(named, columns, examples, last, core.columns)


@dataclass(frozen=True, eq=False, repr=False)
class Weights(Mapping[str, float]):
    """The weights of a run by the names of features: read-only and always up to date.

    With hash_bits, iteration gives the first name of each column, and lookup also finds the others.
    """

    _core: _core.Online
    _lock: threading.RLock
    _run: int
    _number: int
    _less: int | None

    def __getitem__(self, name: str) -> float:
        core = self._core
        with self._lock:  # a name that another thread learns has its weight when the lock is free
            try:
                column = core.column_of(name)
            except TypeError:  # not a text, or not UTF-8
                column = -1
            if column < 0:
                raise KeyError(name)
            weight = core.weight(self._run, column, self._number)
            if self._less is None:
                return weight
            return weight - core.weight(self._run, column, self._less)

    def __iter__(self) -> Iterator[str]:
        return iter(names_of(self._core).names)

    def __len__(self) -> int:
        return len(self._core)

    def __repr__(self) -> str:
        return f"<weights of {len(self)} features by name>"


def check_bounds(hash_bits: int | None, max_names: int | None, keep: Keep) -> None:
    """Raise ValueError if a bound on the number of names is out of range, or there are two."""
    for name, given, low, high in (
        ("hash_bits", hash_bits, 3, 31),
        ("max_names", max_names, 4, 2**31 - 1),
    ):
        if given is not None and (type(given) is not int or not low <= given <= high):
            raise ValueError(f"{name} must be a whole number from {low} to {high}, not {given!r}")
    if max_names is None:
        return
    if hash_bits is not None:
        raise ValueError("hash_bits and max_names both bound the memory; choose one of them")
    if keep != "counts":
        raise ValueError(
            f"max_names needs keep='counts', not {keep!r}: the columns of forgotten names are used "
            "again, so rows in the ledger would mean other features"
        )


class Engine:
    """What learns in an estimator: everything that `fit`, `partial_fit` and `learn_one` change.

    Learning from one example is a block's pass over one row, so examples learned one by one and in
    blocks give the same bits. Calls from several threads take effect one after another. While one
    thread learns from a block, others can predict, but get a RuntimeError if they learn.

    There is room for `dim` features. `class_weights` are factors of a step for the classes known
    now, `later_weights` by label for those that appear later. `starts` are where the rows of
    `coef_` start. Or there are `runs` to continue, of which the `cycled` ended in a cycle, with the
    `names` of their features if single examples are dicts, after `seen` examples.
    """

    def __init__(
        self,
        rule: Rule,
        labels: Labels,
        dim: int,
        *,
        class_weights: Vector | None = None,
        starts: Sequence[Vector] | None = None,
        later_weights: Mapping[Any, float] | None = None,
        keep: KeepOrAuto = "examples",
        hash_bits: int | None = None,
        max_names: int | None = None,
        runs: Sequence[tuple[Linear, Ledger]] = (),
        names: Names | None = None,
        seen: int = 0,
        cycled: Sequence[int] = (),
    ) -> None:
        is_bounded = keep == "auto"
        if keep == "auto":  # the columns of forgotten names are used again, so rows mean nothing
            keep = "examples" if max_names is None else "counts"
        self.rule, self.labels = rule, labels
        self.keep: Keep = keep
        self.hash_bits, self.max_names = hash_bits, max_names
        self.later_weights = later_weights or {}
        self.learners: list[Linear] = [learner for learner, _ in runs]
        if not runs:
            n = len(labels.classes)
            factors = labels.class_weights(np.ones(n) if class_weights is None else class_weights)
            start = [None] * len(factors) if starts is None else labels.starts(starts)
            for f, s in zip(factors, start, strict=True):
                self.learners.append(rule.learner(dim, classes=n, class_weights=f, start=s))
                self.learners[-1].honest = rule.honest_scores()
        ledgers = [ledger for _, ledger in runs] or [one.open_ledger(keep) for one in self.learners]
        self.runs = [
            Run(ledger, Verdict.CYCLE if k in cycled else _verdict(ledger))
            for k, ledger in enumerate(ledgers)
        ]
        if is_bounded:
            for run in self.runs:
                run.ledger.most_bytes = MOST_BYTES // len(self.runs)
        self.is_stream = self.is_interrupted = False
        self.by_name = self.is_online = names is not None
        self.core: _core.Online | None = None
        self.lock = new_lock(Rank.ENGINE, self)
        self._seen = seen
        self._names = names  # of a copy whose core is not open yet, or of a file
        if dim > self.dim:
            self._widen(dim)
        if self.ledgers[0].open_rounds:
            self._close_passes()
        self._busy: int | None = None  # the thread that learns from a block
        self._is_held = False

    @property
    def dim(self) -> int:
        """How many columns there is room for."""
        return self.learners[0].dim

    @property
    def zero_is_positive(self) -> bool:
        """Whether a score of 0 predicts the positive label of two."""
        return self.learners[0].zero_is_positive

    @property
    def _used(self) -> int:
        """How many columns mean something: those with names, if there are names."""
        return self.core.columns if self.core is not None and self.by_name else self.dim

    @property
    def seen(self) -> int:
        """How many examples were learned from: the position of the next one in the ledger."""
        return self._seen if self.core is None else self.core.position

    # passes over data

    def fit(
        self,
        rows: Rows,
        codes: NDArray[Any],
        *,
        epochs: int,
        importances: Vector | None = None,
        shuffle: Shuffle = False,
        seed: int = 0,
        progress: Callable[[str, Ledger], None] | None = None,
        revisit: Revisit | None = None,
        together: bool = True,
    ) -> None:
        """Pass over the rows until a pass makes no mistake, the weights repeat, or `epochs` passes.

        After each pass, or after several made `together`, `progress` is called with the title of
        the run, if there are several, and its ledger. Ctrl-C raises Interrupted, and what was
        learned until then stays.
        """
        self._seen = len(codes)
        order = numbers = None
        if shuffle == "once":
            all_of = Block(rows, codes.astype(np.int32, copy=False), importances=importances)
            shown = arranged(all_of, seed)
            rows, codes, importances = shown.rows, shown.labels, shown.importances
            order, numbers = shown.order, shown.numbers

        turn, interrupts = threading.Lock(), Interrupts()

        def run(k: int) -> Steps[None]:
            learner, ledger = self.learners[k], self.runs[k].ledger
            block = Block(rows, self.labels.of_run(codes, k), 0, order, numbers, importances)
            again = shuffle != "once" and shuffle
            stream = Shuffled(block, seed=seed, again=True) if again else block
            title = f"{self.labels.classes[k]} against the rest, " if len(self.runs) > 1 else ""

            def after_pass(ledger: Ledger) -> None:
                if learner.honest is not None:  # after the first pass the examples are not new
                    learner.honest.is_open = False
                if interrupts.seen:
                    raise Interrupted(Run(ledger, Verdict.INTERRUPTED))
                if progress is not None:
                    with turn:
                        progress(title, ledger)

            try:
                self.runs[k] = yield from playing(
                    stream, learner, epochs, ledger, after_pass, revisit=revisit, together=together
                )
            except Interrupted as stopped:
                self.runs[k], self.is_interrupted = stopped.run, True
                raise
            finally:
                if learner.honest is not None:
                    learner.honest.is_open = True  # what comes next is new
                learner.company = None

        each = range(len(self.runs))
        workers = workers_for(rows, len(self.runs)) if ctrl_c_stops() else 1
        tasks = [each] if unite(self.learners) else companies(self.learners, rows, workers)
        together &= len(tasks) == len(each)
        workers = min(len(tasks), workers)
        if len(each) == 1 or (workers == 1 and len(tasks) > 1) or not ctrl_c_stops():
            for task in tasks:
                in_turn([run(k) for k in task])
            return
        # all classes at once; Ctrl-C stops each run after its pass
        from concurrent.futures import ThreadPoolExecutor

        with suppress(BadExample):  # the first run says it in its own words
            dots(rows, np.zeros(rows.dim))
        with interrupts, ThreadPoolExecutor(workers) as pool:
            try:
                for done in [pool.submit(in_turn, [run(k) for k in task]) for task in tasks]:
                    done.result()
            except BaseException:
                pool.shutdown(cancel_futures=True)
                interrupts.seen = False
                raise

    def learn_block(
        self,
        examples: Examples,
        y: Given,
        named: Classes | None,
        stop: Callable[[], None],
        importances: Vector | None = None,
    ) -> None:
        """Learn from the examples in order: all, or none if `stop` raises an error in between."""
        if not isinstance(examples, Sequence):
            rows = examples
        elif self.max_names is None:
            rows = self.rows(examples, adding=True)
        else:
            self._learn_in_turn(examples, y, named, stop, importances)
            return
        first = self.seen
        try:
            labels, codes = self._met(y, named)
            turned = labels.is_turned(self.labels)
            learners, parts, steps = deepcopy(self.learners), list[Ledger](), list[Steps[int]]()
            self._make_ready(learners, labels, named)
            unite(learners)
            for k, learner in enumerate(learners):
                of_run = labels.of_run(1 - codes if turned else codes, k)
                block = Block(rows, of_run, first, importances=importances)
                if rows.dim > learner.dim:
                    learner.widen(rows.dim)
                parts.append(learner.open_ledger(self.keep))
                steps.append(learn_parts(learner, block, parts[k], lambda _: stop()))
            in_turn(steps)
            for learner in learners:
                if turned and not isinstance(learner, OfClasses):
                    learner.turn_round()
            stop()
        except BaseException:
            if self.core is not None:
                self.core.undo()
            raise
        with self.lock:
            if self.core is not None:
                self.core.settle()
            self.learners[:] = learners
            for run, part in zip(self.runs, parts, strict=True):
                run.ledger.widen(rows.dim)
                run.ledger.absorb(part)
                if turned:
                    run.ledger.turn_round()
            self.labels, self._seen = labels, first + len(rows)
            if self.core is not None:
                self._connect(self._seen)
                self._name_labels()
            self._close_passes()

    def _met(self, y: Given, named: Classes | None) -> tuple[Labels, NDArray[Any]]:
        """The labels after those of y, and the codes of y; an error if y cannot be learned."""
        symmetric = all(learner.is_symmetric for learner in self.learners)
        labels = self.labels.met(y, named, symmetric=symmetric)
        return labels, labels.codes(y, learning=True)

    def _make_ready(
        self, learners: Sequence[Linear], labels: Labels, named: Classes | None
    ) -> None:
        """Give a joint learner the factors of its new classes."""
        learner, before = learners[0], len(self.labels.classes)
        if not isinstance(learner, OfClasses):
            return
        assert isinstance(labels, JointLabels)
        new = sorted(labels.coded, key=labels.coded.__getitem__)[before:]
        learner.weigh(before, [self.later_weights.get(label, 1.0) for label in new])
        if named is not None:
            learner.know(int(labels.codes(named).max()) + 1)

    def _learn_in_turn(
        self,
        xs: Sequence[Any],
        y: Given,
        named: Classes | None,
        stop: Callable[[], None],
        importances: Vector | None,
    ) -> None:
        """As `learn_block`, one by one on a copy: names may be forgotten in between."""
        labels, codes = self._met(y, named)
        turned = labels.is_turned(self.labels)
        trial = self.twin()
        self._make_ready(trial.learners, labels, named)
        trial.open()
        each = [1.0] * len(xs) if importances is None else importances.tolist()
        for i, (x, code, weight) in enumerate(zip(xs, codes.tolist(), each, strict=True)):
            where = f"row {i}: "
            code = 1 - code if turned else code
            trial._learn_coded(trial.readable(x, where), code, weight, where)
        if turned:
            trial._change(trial._turn_round)
        trial.settle()
        stop()
        with self.lock:
            assert self.core is not None
            assert trial.core is not None
            self.learners[:] = trial.learners
            self.runs[:] = trial.runs
            self.core.become(trial.core)
            self.labels, self.is_stream = labels, trial.is_stream
            self.is_interrupted = False
            self._name_labels()

    # one example at a time

    def open(self, names: Sequence[str] | None = None) -> None:
        """Make ready for single examples: dicts if there are names of columns, otherwise rows."""
        known = self._names
        if not self.is_online and names is not None:
            known = Names.unused(names, range(len(names)), len(names))
        check_bounds(self.hash_bits, self.max_names, self.keep)
        self.by_name = known is not None
        bounds = (self.hash_bits or 0, self.max_names or 0) if self.by_name else (0, 0)
        core = _core.Online(by_name=self.by_name, hash_bits=bounds[0], most=bounds[1])
        if known is not None:
            core.put_names(*known)
            self._widen(room_for(max(LANES, core.columns), self.dim))
        self._connect(self._seen, core)
        self.core, self.is_online, self._names = core, True, None
        self._name_labels()

    def _connect(self, seen: int, core: _core.Online | None = None) -> None:
        """Let the core learn with the learners as they are now."""
        core = self._core if core is None else core
        runs = _core.OnlineRuns(self.dim, bias=self.learners[0].bias, keep=self.keep)
        for learner in self.learners:
            learner.share_weights(runs, mean=self.rule.reading == "average")
            if learner.honest is not None:
                learner.honest.share(runs)
        core.open(runs, seen=seen)

    @property
    def _core(self) -> _core.Online:
        assert self.core is not None, "open() comes first"
        return self.core

    def _name_labels(self) -> None:
        """Tell the core what labels mean."""
        labels = self.labels
        order = labels.numbers.tolist() if isinstance(labels, JointLabels) else []
        self._core.name_labels(
            labels.coded,
            labels.predictions,
            zero_is_positive=self.zero_is_positive,
            order=order,
        )

    def learn_one(
        self, x: Any, y: Any, named: Classes | None = None, importance: float = 1.0
    ) -> None:
        """Learn from one example with a plain label; an error changes nothing."""
        x = self.readable(x)
        with self.lock:
            if named is None and y in self.labels.coded:
                self._learn_coded(x, self.labels.coded[y], importance)
                return
        # a new class of a joint learner may change more than the room for weights
        is_weighed = named is not None or self.later_weights.get(y, 1.0) != 1.0
        if isinstance(self.labels, JointLabels) and is_weighed:
            one = [x] if self.by_name else DenseRows(x[None])
            with self.alone(), undisturbed() as stop:
                self.learn_block(one, [y], named, stop, np.array([importance]))
            return
        with self.lock, undisturbed():
            labels, (code,) = self._met([y], named)
            turned = labels.is_turned(self.labels)
            self._learn_coded(x, int(1 - code if turned else code), importance)
            if turned:
                self._change(self._turn_round)
            if labels is not self.labels:
                self.labels = labels
                self._name_labels()

    def _learn_coded(self, x: Any, code: int, importance: float, where: str = "") -> None:
        """Learn from an example that the core can read, and make room for it."""
        with self.lock:
            if importance == 0:
                for run in self.runs:
                    run.ledger.has_weightless = True
            while outcome := self._core.learn_as(x, code, importance):
                if outcome == Outcome.ROOM:
                    self._change(self._widen, room_for(self._core.wanted, self.dim), code)
                elif outcome == Outcome.FULL:
                    self._take_mistakes()
                elif outcome == Outcome.HELD:
                    raise RuntimeError(BUSY)
                elif outcome == Outcome.CROWDED:
                    raise BadExample(
                        f"{where}the example has {len(x)} features, more than "
                        f"max_names={self.max_names}"
                    )
                elif self._core.flaw == Flaw.STEP:
                    raise BadExample(f"{where}its weight times the rate is too large for float64")
                else:
                    raise self._explained(x, self._core.position, where)

    def readable(self, x: Any, where: str = "") -> Any:
        """The example as the core reads it; an error if it cannot be read."""
        return plain(x, where) if self.by_name else plain_row(x, self.dim, where)

    def _explained(self, x: Any, position: int, where: str = "") -> BadExample:
        """Why x, which can be read, cannot be scored or learned from."""
        if not self.by_name:
            flaw = Flaw.SIGN if self._from_zero and bool((x < 0).any()) else Flaw.VALUE
            return explain(flaw, DenseRows(x[None]), 0, position=position)
        return unscored(x, where, from_zero=self._from_zero)

    @property
    def _from_zero(self) -> bool:
        """Whether the rule takes no negative numbers."""
        return self.rule.kind in ("winnow1", "winnow2")

    def predict_one(self, x: Any) -> Any:
        """The label predicted for x; unknown features count for nothing."""
        return self._answer(self._core.predict, x)

    def decide_one(self, x: Any) -> float | dict[Any, float]:
        """The score of x; a score for each class if there are more than two."""
        score: float | dict[Any, float] = self._answer(self._core.decide, x)
        return score

    def _answer(self, question: Callable[[Any], Any], x: Any) -> Any:
        answer = NotImplemented if x is None else question(x)
        if answer is NotImplemented:
            x = self.readable(x)
            answer = question(x)
        if answer is NotImplemented:
            raise self._explained(x, 0)
        return answer

    def rows(self, xs: Sequence[Any], *, adding: bool = False) -> Rows:
        """These examples as rows; unknown names are left out, or added, to be learned or undone."""
        if not self.by_name:
            return DenseRows(np.stack([self.readable(x, f"row {i}: ") for i, x in enumerate(xs)]))
        core, dim = self._core, self.dim
        read = core.rows(list(xs), adding=adding)
        if isinstance(read, int):
            tidy = [self.readable(x, f"row {i}: ") for i, x in enumerate(xs)]
            read = core.rows(tidy, adding=adding)
            assert not isinstance(read, int)
        values, columns, starts = read
        if self._from_zero and values.min(initial=0.0) < 0:
            k = int(np.argmin(values))
            name, row = core.name_of(int(columns[k])), np.searchsorted(starts, k, "right") - 1
            if adding:  # otherwise they may be those of a block that another thread learns from
                core.undo()
            raise negative(name, float(values[k]), f"row {row}: ")
        return SparseRows(*read, room_for(core.columns, dim) if adding else dim)

    # what was learned

    def predict(self, rows: Rows, reading: Reading) -> NDArray[Any]:
        """The label predicted for each row."""
        found = None
        if len(self.runs) == 1 and not isinstance(self.labels, JointLabels):
            (run,) = self.pairs
            two = self.labels.classes.take([0, -1])  # while there is only one, always that
            found = readings.labels(*run, reading, rows, two)
        if found is not None:
            return found
        zero = self.zero_is_positive
        return self.labels.predict(self.scores(rows, reading), zero_is_positive=zero)

    def scores(self, rows: Rows, reading: Reading) -> Vector:
        """The score of each row; many classes have columns."""
        runs = [readings.scores(*run, reading, rows) for run in self.pairs]
        if isinstance(self.labels, JointLabels):
            runs = [runs[0].T]
        columns = self.labels.by_class(runs)
        return columns[0] if len(columns) == 1 else np.column_stack(list(columns))

    def coefficients(self, reading: Reading | None = None) -> tuple[Vector, Vector]:
        """Coefficients and intercepts of a reading, a row for each class; of two classes, one row.

        By default they are the weights that predict, or the final ones if a vote predicts.
        """
        own: Reading = "average" if self.rule.reading == "average" else "final"
        with self.still():
            found = [readings.weights(*run, reading or own) for run in self.pairs]
            w = np.stack(list(self.labels.by_class(found)))
            learner = self.learners[0]
            threshold = learner.threshold if isinstance(learner, Multiplicative) else 0.0
            constant = w[:, -1] if learner.bias else np.zeros(len(w))
            return w[:, : self._used].copy(), constant - threshold

    def variances(self) -> Vector:
        """The variances (or matrices) of an adaptive rule, one a run or class; constant last."""
        with self.still():
            rules = [one for one in self.learners if isinstance(one, Adaptive | JointAdaptive)]
            S = np.stack([rule.variances for rule in rules])
            if isinstance(self.labels, JointLabels):
                S = S[0][self.labels.numbers]
            own = np.array([*range(self._used), *range(S.shape[-1] - rules[0].bias, S.shape[-1])])
            return S[..., own] if S.ndim == 2 else S[:, own[:, None], own]

    def named_weights(self, run: int = 0, number: int = 0, less: int | None = None) -> Weights:
        """The weights of a run, or of a class less those of another, by the names of features."""
        return Weights(self._core, self.lock, run, number, less)

    @property
    def pairs(self) -> list[tuple[Linear, Ledger]]:
        """The learner and the ledger of each run."""
        return [*zip(self.learners, self.ledgers, strict=True)]

    @property
    def ledgers(self) -> list[Ledger]:
        """The ledgers of the runs."""
        return [run.ledger for run in self.runs]

    def settle(self) -> None:
        """Bring the ledgers up to date with the examples learned one by one."""
        if self.core is None:
            return
        with self.lock:
            if self.core.waits:
                self._take_mistakes()
            if self.runs[0].ledger.open_rounds:
                with undisturbed():
                    self._close_passes()

    def _take_mistakes(self) -> None:
        with undisturbed():
            single = self._core.single
            for waiting, (learner, ledger) in zip(self._core.take(), self.pairs, strict=True):
                learner.rounds += waiting["met"]
                joint = dict[str, Any]()
                if isinstance(learner, OfClasses):
                    learner.n_classes = waiting["classes"]
                    classes, rivals = waiting["pairs"]
                    joint = {"classes": classes, "rivals": rivals, "n_classes": learner.n_classes}
                if self.keep == "counts":
                    ledger.count(
                        waiting["met"],
                        updates=waiting["made"],
                        mistakes=waiting["wrong"],
                        largest_square=waiting["largest"],
                        n_classes=joint.get("n_classes", 0),
                    )
                    continue
                rows: Rows | None = None
                if self.keep == "examples" and waiting["made"]:
                    values, indices, starts = waiting["rows"]
                    if self.by_name:
                        rows = SparseRows(values, indices, starts, self.dim)
                    else:
                        dense = values.reshape(-1, self.dim)
                        rows = DenseRows(dense.astype(np.float32) if single else dense)
                mistakes = Mistakes(*waiting["mistakes"], **joint)
                if isinstance(learner, Adaptive | JointAdaptive):
                    mistakes = learner.weighed(mistakes, waiting["importances"])
                ledger.record(mistakes, waiting["met"], rows)

    def _close_passes(self) -> None:
        """Close the pass of a stream; a clean pass over a part proves nothing about the rest."""
        for ledger in self.ledgers:
            if self.is_stream:
                ledger.reopen_epoch()
            ledger.close_epoch()
        self.runs[:] = [Run(ledger, Verdict.BUDGET) for ledger in self.ledgers]
        self.is_stream, self.is_interrupted = True, False

    # changes that other threads must not see half done

    def _turn_round(self) -> None:
        """Swap the labels −1 and +1."""
        for learner, ledger in self.pairs:
            assert not isinstance(learner, OfClasses)
            learner.turn_round()
            ledger.turn_round()

    def _widen(self, dim: int, code: int = -1) -> None:
        for learner in self.learners:
            if isinstance(learner, OfClasses):
                # a quarter more, so that classes that come one by one seldom copy the weights
                learner.make_room(code + 1 + code // 4)
            if dim > learner.dim:
                learner.widen(dim)
        for ledger in self.ledgers:
            ledger.widen(dim)

    def _change(self, what: Callable[..., None], *args: Any) -> None:
        """Change the learners while no other thread learns, and reconnect the core to them."""
        with self.still():
            # they get new arrays; if that fails, all keep the arrays that the core uses
            changed = [*self.learners, *self.ledgers]
            before = [dict(vars(one)) for one in changed]
            try:
                what(*args)
                self._connect(self.seen)
            except BaseException:
                for one, had in zip(changed, before, strict=True):
                    vars(one).update(had)
                raise

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other threads from learning; RuntimeError if one is learning from a block."""
        with self.lock:
            if self._busy is not None:
                raise RuntimeError(BUSY)
            self._busy = threading.get_ident()
            self._hold(True)
        try:
            self.settle()
            yield
        finally:
            with self.lock:  # another thread may be copying what must not change meanwhile
                self._busy = None
                self._hold(False)

    @contextmanager
    def still(self) -> Iterator[None]:
        """Settle, and let nothing change: threads that want to learn wait."""
        with self.lock:
            before = self._is_held
            self._hold(True)
            try:
                self.settle()
                yield
            finally:
                self._hold(before)

    def _hold(self, held: bool) -> None:
        self._is_held = held
        if self.core is not None:
            self.core.hold(held)

    # copies

    def forget_other_threads(self) -> None:
        """After a fork: the child does not have the thread that was learning from a block."""
        if self._busy not in (None, threading.get_ident()):
            self._busy = None
            self._hold(False)
            if self.core is not None:
                self.core.undo()

    def view(self) -> Engine:
        """Runs, labels and counts of one moment. The learners are shared, and may change."""
        with self.lock:
            self.settle()
            return self._copied()

    def snapshot(self) -> Engine:
        """A copy to read from, which does not change when the engine learns more."""
        with self.still():
            out = self._copied()
            if self.core is not None:  # it changes the weights in place
                out.learners = deepcopy(self.learners)
            return out

    def twin(self) -> Engine:
        """A copy that learns on its own."""
        with self.still():
            out = self._copied()
            out.learners = deepcopy(self.learners)
            if self.core is not None:
                out._seen = self.seen
                out._names = names_of(self.core) if self.by_name else None
            out.lock = new_lock(Rank.ENGINE, out)
            return out

    def _copied(self) -> Engine:
        out = object.__new__(Engine)
        vars(out).update(vars(self))
        out.learners = list(self.learners)
        out.runs = [replace(run, ledger=run.ledger.snapshot()) for run in self.runs]
        out.core, out.lock = None, threading.RLock()
        out._busy, out._is_held = None, False
        return out

    def __getstate__(self) -> dict[str, Any]:
        state = dict(vars(self.twin() if self.core is not None else self))
        del state["core"], state["lock"]
        return state | {"_busy": None, "_is_held": False}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        vars(self).update(state)
        self.core, self.lock = None, new_lock(Rank.ENGINE, self)


def _verdict(ledger: Ledger) -> Verdict:
    """How a run ended, as far as its ledger tells."""
    is_clean = not ledger.open_rounds and ledger.epoch_updates[-1:] == [0]
    is_clean &= len(ledger.epoch_ends) - 1 not in ledger.revisits
    return Verdict.SEPARATED if is_clean else Verdict.BUDGET
