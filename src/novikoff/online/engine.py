"""Learners that meet examples one at a time: dicts of named features, or single rows of numbers.

The names and what one example does to the weights are the compiled core's. The weights themselves
stay in the learners, where they are seen and saved as ever, and each mistake comes to the ledger
when somebody looks.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from typing import Any, TypeAlias

import numpy as np

from novikoff import _core
from novikoff.learners.additive import Additive
from novikoff.learners.compiled_pass import met
from novikoff.learners.joint import Joint
from novikoff.learners.multiplicative import Multiplicative
from novikoff.ledger.ledger import Keep, Ledger, Mistakes
from novikoff.ledger.weights import LANES, room_for
from novikoff.online.names import Met, Names, Weights, check_bounds, placed
from novikoff.online.one_example import negative, plain, plain_row, unscored
from novikoff.runs.interrupts import undisturbed
from novikoff.stream.blocks import Block, Codes, Labels
from novikoff.stream.problems import BadExample
from novikoff.stream.rows import DenseRows, Flaw, Indices, Rows, SparseRows, Vector, explain

Linear: TypeAlias = Additive | Multiplicative | Joint
# What labels an example has for each run; it may first make these learners ready for new classes.
Labelled: TypeAlias = Callable[[list[Linear]], Sequence[Labels | Codes]]


class Online:
    """Learners, names and ledgers, for examples that come one at a time.

    Learning from an example is the block's pass over a block of one row, so what was learned one
    by one is what is learned from the same rows as a block, bit for bit, and the two can alternate.

    Calls from several threads each take effect as a whole, one after another. While a block is
    being learned from, which takes longer, other threads that want to learn are refused with a
    RuntimeError; they can predict.

    Parameters
    ----------
    learners, ledgers
        One learner, or one for each class against the rest; they must have the same width. The list
        is kept, and always holds the present ones. Their ledgers are opened if none are given.
    names
        The names of the first columns; None if columns are positions, and examples rows.
    hash_bits
        Give a name the column hash mod 2^bits, as `Features` does; the learners have that width.
    max_names
        Forget the least used names, those of the fewest examples and of these the ones not met for
        longest, whenever there are more: down to three quarters. Their weights become 0, so that
        no mistake bound speaks of such a run, and the ledger must keep counts only.
    mean
        Predict by the average of the weights.
    seen
        How many examples were met before, by which the ledger numbers those to come.

    Examples
    --------
    >>> from novikoff import Additive
    >>> online = Online([Additive(8, bias=True)])
    >>> online.learn_one({"free": 2, "from": "x.com"}, 1)
    >>> online.learn_one({"free": 1, "from": "y.org"}, -1)
    >>> dict(online.weights()), online.decide_one({"from": "y.org", "size": 7})
    ({'free': 1.0, 'from=x.com': 1.0, 'from=y.org': -1.0}, -1.0)
    """

    def __init__(
        self,
        learners: list[Linear],
        ledgers: Sequence[Ledger] | None = None,
        *,
        names: Sequence[str] | Names | None = (),
        hash_bits: int | None = None,
        max_names: int | None = None,
        keep: Keep = "examples",
        mean: bool = False,
        seen: int = 0,
    ) -> None:
        check_bounds(hash_bits, max_names, keep)
        self.learners = learners
        self.ledgers = (
            [one.open_ledger(keep) for one in learners] if ledgers is None else [*ledgers]
        )
        self.by_name, self.keep, self.mean = names is not None, keep, mean
        self.hash_bits, self.max_names = hash_bits, max_names
        self._begin(placed(names), seen)
        self.name_labels((-1, 1), {-1: 0, 1: 1})

    def _begin(self, names: Names | None, seen: int) -> None:
        self.lock, self._busy = threading.RLock(), False
        self.core = _core.Online(
            by_name=self.by_name, hash_bits=self.hash_bits or 0, most=self.max_names or 0
        )
        if names is not None:
            self.core.put_names(*names)
            self._widen(room_for(max(LANES, self.core.columns), self.dim))
        self._open(seen)

    def _open(self, seen: int) -> None:
        """Let the core go on with the learners as they are now."""
        heads = _core.Heads(self.dim, bias=self.learners[0].bias, keep=self.keep)
        for learner in self.learners:
            learner.enter(heads, mean=self.mean)
        self.core.open(heads, seen=seen)

    @property
    def dim(self) -> int:
        """How many columns there is room for."""
        return self.learners[0].dim

    def name_labels(
        self,
        labels: Sequence[Any],
        codes: Mapping[Any, int],
        zero_is_positive: bool = True,
        order: Sequence[int] = (),
    ) -> None:
        """Say what labels mean: 0 for −1 and 1 for +1; of several runs, which is the class's own.

        `labels` are what predictions are called. Of classes learned jointly, `order` has their
        numbers in the order of the labels, in which the first of equals is predicted.
        """
        self.codes = dict(codes)
        self._labels = tuple(labels), self.codes, zero_is_positive, tuple(order)
        self.core.name_labels(
            self.codes, tuple(labels), zero_is_positive=zero_is_positive, order=list(order)
        )

    def learn_one(self, x: Any, y: Any) -> None:
        """Meet one example; anything wrong with it leaves everything as it was."""
        if x is None or y is None or self.core.learn(x, y):
            self.learn_slowly(x, y)

    def learn_slowly(self, x: Any, y: Any, *, code: int | None = None, where: str = "") -> None:
        """Learn from what the core did not take as it came, or from a label it was not told of."""
        x = self.readable(x, where)
        with self.lock:
            while met := self.core.learn(x, y) if code is None else self.core.learn_as(x, code):
                if met == Met.ROOM:
                    wanted = room_for(self.core.wanted, self.dim)
                    self._change(self._widen, wanted, self.codes[y] if code is None else code)
                elif met == Met.FULL:
                    self.settle()
                else:
                    self._refuse(Met(met), x, y, where)

    def _refuse(self, met: Met, x: Any, y: Any, where: str = "") -> None:
        if met is Met.HELD:
            raise RuntimeError(
                "another thread is learning from a block; learn from this example when it is done"
            )
        if met is Met.LABEL:
            raise BadExample(f"label {y!r} is not one that was named")
        if met is Met.CROWDED:
            raise BadExample(
                f"{where}the example has {len(x)} features, more names than "
                f"max_names={self.max_names}"
            )
        raise self._explained(x, self.core.position, where)

    def readable(self, x: Any, where: str = "") -> Any:
        """The example as the core reads it; refused if it cannot be."""
        return plain(x, where) if self.by_name else plain_row(x, self.dim, where)

    def _explained(self, x: Any, position: int, where: str = "") -> BadExample:
        """Why x, which can be read, cannot be scored or learned from."""
        if not self.by_name:
            flaw = Flaw.SIGN if self._from_zero and bool((x < 0).any()) else Flaw.VALUE
            return explain(flaw, DenseRows(x[None]), 0, position=position)
        return unscored(x, where, from_zero=self._from_zero)

    @property
    def _from_zero(self) -> bool:
        """Whether no number may be negative."""
        first = self.learners[0]
        return isinstance(first, Multiplicative) and first.variant != "balanced"

    def predict_one(self, x: Any) -> Any:
        """The label predicted for x; features not met before count for nothing."""
        return self._asked(self.core.predict, x)

    def decide_one(self, x: Any) -> float | list[float]:
        """The score of x; of several runs, a score each."""
        score: float | list[float] = self._asked(self.core.decide, x)
        return score

    def _asked(self, question: Callable[[Any], Any], x: Any) -> Any:
        answer = NotImplemented if x is None else question(x)
        if answer is NotImplemented:
            x = self.readable(x)
            answer = question(x)
        if answer is NotImplemented:
            raise self._explained(x, 0)
        return answer

    def rows(self, xs: Sequence[Any], *, adding: bool = False) -> Rows:
        """These dicts as rows over the columns; names not met before are left out, or added.

        Rows that are being learned from have room for the names they added, and are to be followed
        by `learn_block`, or by `core.undo`.
        """
        if not self.by_name:
            return DenseRows(np.stack([self.readable(x, f"row {i}: ") for i, x in enumerate(xs)]))
        dim = self.dim
        read = self.core.rows(list(xs), adding=adding)
        if isinstance(read, int):
            tidy = [self.readable(x, f"row {i}: ") for i, x in enumerate(xs)]
            read = self.core.rows(tidy, adding=adding)
            assert not isinstance(read, int)
        values, columns, starts = read
        if self._from_zero and values.min(initial=0.0) < 0:
            k = int(np.argmin(values))
            name, row = self.core.name_of(int(columns[k])), np.searchsorted(starts, k, "right") - 1
            if adding:  # otherwise they may be those of a block that another thread learns from
                self.core.undo()
            raise negative(name, float(values[k]), f"row {row}: ")
        return SparseRows(*read, room_for(self.core.columns, dim) if adding else dim)

    def learn_many(self, xs: Sequence[Any], labels: Sequence[Labels | Codes]) -> None:
        """Meet these dicts or rows in order, with their labels for each run: all of them or none.

        It is as if they had been learned from one by one.
        """
        with self.alone(), undisturbed() as stop:
            self.learn_block(self.rows(xs, adding=True), lambda _: labels, stop)

    def learn_block(self, rows: Rows, labelled: Labelled, stop: Callable[[], None]) -> None:
        """Meet the rows in order, whole or not at all; within `alone` and `undisturbed`.

        By an error `stop`, which is called when all is ready, can prevent that anything changes.
        """
        first = self.core.position
        try:
            learners = deepcopy(self.learners)
            parts = [
                met(Block(rows, labels, first), learner, self.keep)
                for learner, labels in zip(learners, labelled(learners), strict=True)
            ]
            stop()
        except BaseException:
            self.core.undo()
            raise
        with self.lock:
            self.core.settle()
            self.learners[:] = learners
            for ledger, part in zip(self.ledgers, parts, strict=True):
                ledger.widen(rows.dim)
                ledger.absorb(part)
            self._open(first + len(rows))

    def learn_in_turn(
        self, xs: Sequence[Any], labelled: Labelled, stop: Callable[[], None]
    ) -> None:
        """As `learn_block`, for dicts: where names are forgotten they are met one by one."""
        trial = deepcopy(self)
        labels = labelled(trial.learners)
        trial._open(trial.core.position)
        for i, (x, *of_runs) in enumerate(zip(xs, *labels, strict=True)):
            code = of_runs.index(1) if len(of_runs) > 1 else max(0, int(of_runs[0]))
            trial.learn_slowly(x, None, code=code, where=f"row {i}: ")
        trial.settle()
        stop()
        with self.lock:
            self.learners[:] = trial.learners
            for ledger, later in zip(self.ledgers, trial.ledgers, strict=True):
                vars(ledger).update(vars(later))
            self.core.become(trial.core)

    @property
    def is_symmetric(self) -> bool:
        """Whether the two labels count alike."""
        return all(learner.is_symmetric for learner in self.learners)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Let no other thread learn meanwhile; RuntimeError if one is learning from a block."""
        with self.lock:
            if self._busy:
                self._refuse(Met.HELD, None, None)
            self._busy = True
            self.core.hold(True)
        try:
            self.settle()
            yield
        finally:
            self.core.hold(False)
            self._busy = False

    def settle(self) -> None:
        """Write down in the ledgers what was learned one by one since they were last looked at."""
        with self.lock:
            if self.core.waits:
                with undisturbed():
                    self._write_down()

    def _write_down(self) -> None:
        single = self.core.single
        taken = zip(self.core.take(), self.learners, self.ledgers, strict=True)
        for waiting, learner, ledger in taken:
            learner.rounds += waiting["met"]
            if isinstance(learner, Joint):
                learner.n_classes = ledger.n_classes = waiting["classes"]
            if self.keep == "counts":
                ledger.count(waiting["met"], waiting["made"], waiting["largest"])
                continue
            pairs = waiting["pairs"] if isinstance(learner, Joint) else ()
            rows = self._rows_of(*waiting["rows"], single=single) if waiting["made"] else None
            ledger.write_down(Mistakes(*waiting["mistakes"], *pairs), waiting["met"], rows)

    def _rows_of(
        self, values: Vector, indices: Indices, starts: Indices, *, single: bool
    ) -> Rows | None:
        if self.keep != "examples":
            return None
        if self.by_name:
            return SparseRows(values, indices, starts, self.dim)
        dense = values.reshape(-1, self.dim)
        return DenseRows(dense.astype(np.float32) if single else dense)

    def turn_round(self) -> None:
        """Let what was the label +1 be −1, and the other way round."""
        self._change(self._turn_round)

    def _turn_round(self) -> None:
        for learner, ledger in zip(self.learners, self.ledgers, strict=True):
            assert not isinstance(learner, Joint)
            learner.turn_round()
            ledger.turn_round()

    def _widen(self, dim: int, code: int = -1) -> None:
        for learner in self.learners:
            if isinstance(learner, Joint):
                learner.make_room(code + 1)
            if dim > learner.dim:
                learner.widen(dim)
        for ledger in self.ledgers:
            ledger.widen(dim)

    def _change(self, what: Callable[..., None], *args: Any) -> None:
        """Change the learners while no other thread learns from an example, and go on with them."""
        with self.still():
            # they get other arrays, and if one cannot be had all keep those that the core knows
            changed = [*self.learners, *self.ledgers]
            before = [dict(vars(one)) for one in changed]
            try:
                what(*args)
                self._open(self.core.position)
            except BaseException:
                for one, had in zip(changed, before, strict=True):
                    vars(one).update(had)
                raise

    @contextmanager
    def still(self) -> Iterator[None]:
        """Have everything written down and nothing change meanwhile: who would learn waits."""
        with self.lock:
            self.core.hold(True)
            try:
                self.settle()
                yield
            finally:
                self.core.hold(self._busy)

    @property
    def names(self) -> Names:
        """The names and their columns; with max_names, also how often and when each was met."""
        columns, examples, last = self.core.named()
        named = [str(self.core.name_of(j)) for j in columns.tolist()]
        return Names(named, columns, examples, last, self.core.columns)

    def weights(self, run: int = 0, number: int = 0, less: int | None = None) -> Weights:
        """The weights of a run by the names of features, as they are whenever they are read.

        Of classes that are learned jointly, those of this number, less those of that.
        """
        if not self.by_name:
            raise ValueError(
                "the columns learned from are positions without names: their weights are in coef_"
            )
        return Weights(self, run, number, less)

    def __getstate__(self) -> dict[str, Any]:
        self.settle()
        state = {k: v for k, v in vars(self).items() if k not in ("core", "lock", "_busy")}
        return state | {"names": self.names if self.by_name else None, "seen": self.core.position}

    def __setstate__(self, state: dict[str, Any]) -> None:
        names, seen, labels = (state.pop(key) for key in ("names", "seen", "_labels"))
        vars(self).update(state)
        self._begin(names, seen)
        self.name_labels(*labels)
