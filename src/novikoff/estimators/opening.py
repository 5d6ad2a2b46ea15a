"""An estimator made ready for single examples, in step with its blocks and with other threads."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from copy import deepcopy
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from novikoff import _core
from novikoff.estimators.labels import (
    Known,
    Meeting,
    label_of,
    labels_of,
    refuse_measures,
    signs_of,
)
from novikoff.estimators.results import Results
from novikoff.estimators.schemes import Scheme
from novikoff.estimators.validation import restore
from novikoff.guarantees.verdict import Verdict
from novikoff.learners.rule import Kind
from novikoff.ledger.ledger import Keep
from novikoff.ledger.readings import Reading
from novikoff.ledger.weights import LANES
from novikoff.online.engine import Labelled, Online
from novikoff.online.names import Names, check_bounds
from novikoff.online.one_example import are_dicts, by_name, count, first, plain, plain_row, records
from novikoff.runs.interrupts import undisturbed
from novikoff.runs.loop import Run
from novikoff.sources.arrays import rows_of
from novikoff.stream.blocks import Codes
from novikoff.stream.problems import BadExample
from novikoff.stream.rows import Rows, Vector

Bounds: TypeAlias = tuple[int | None, int | None]  # hash_bits, max_names

_BEGINNING = threading.RLock()  # held while an estimator begins, or meets a label it did not know
_BUSY = "another thread is learning with this estimator; begin when it is done"


class Opening(Results):
    """What opens an estimator to single examples, and keeps its ledgers up to date with them."""

    _reading: ClassVar[Reading] = "final"

    class_weight: Mapping[Any, float] | Literal["balanced"] | None
    hash_bits: int | None = None
    max_names: int | None = None
    keep: Keep
    classes_: NDArray[Any]
    n_features_in_: int

    _online: Online | None = None
    _quick: _core.Online  # that of _online: a step less to the core, and nothing to find in a class
    _known: Known
    _numbers: Codes | None
    _learners: list[Any]
    _rows_seen: int

    @abstractmethod
    def predict(self, X: Any) -> NDArray[Any]:
        """The predicted label of each row."""

    @property
    @abstractmethod
    def _kind(self) -> Kind:
        """What a model calls it."""

    @abstractmethod
    def _learner(self, dim: int, weights: tuple[float, float], start: Vector | None) -> Any: ...

    @abstractmethod
    def _check_parameters(self) -> None: ...

    @abstractmethod
    def _factors(self, y: NDArray[Any]) -> Vector: ...

    @abstractmethod
    def _class_weights(self, each: Vector) -> list[tuple[float, float]]: ...

    @abstractmethod
    def _open_runs(self) -> None: ...

    @abstractmethod
    def _begin(self, classes: NDArray[Any] | None, dim: int) -> None: ...

    @abstractmethod
    def _meet(self, y: NDArray[Any], named: NDArray[Any] | None, learners: list[Any]) -> None: ...

    @abstractmethod
    def _codes(self, y: NDArray[Any]) -> NDArray[Any]: ...

    @property
    @abstractmethod
    def _scheme(self) -> Scheme: ...

    @property
    @abstractmethod
    def _is_joint(self) -> bool: ...

    @abstractmethod
    def _validate(self, X: Any, y: Any = ..., *, reset: bool, finite: bool = False) -> Any: ...

    @abstractmethod
    def _rows(self, X: Any, *, finite: bool = False) -> Rows: ...

    @property
    @abstractmethod
    def _zero_is_positive(self) -> bool: ...

    @property
    def _bounds(self) -> Bounds:
        return self.hash_bits, self.max_names

    def _check_names(self) -> None:
        """Refuse settings with which names that are not known beforehand cannot be learned from."""

    def _learn_all(self, xs: Any, labels: list[Any], classes: ArrayLike | None) -> None:
        """Learn from all of these examples, or from none."""
        self._opened()
        with self._alone(), undisturbed() as stop:
            before = dict(vars(self))
            try:
                if self._is_joint:
                    online = self._learn_jointly(xs, labels, classes, stop)
                    self._open_to_all(online)
                    return
                online, meeting = self._ready(first(xs), labels, classes)
                codes = [meeting.codes[label] for label in labels]
                self._learn_block(online, xs, lambda each: signs_of(codes, len(each)), stop)
            except BaseException:
                restore(self, before)
                raise
            self._know(online, meeting)

    def _learn_slowly(self, x: Any, y: Any, classes: ArrayLike | None) -> None:
        """Learn from what the core did not take as it came, or the first time."""
        online, label = self._opened(), label_of(y)
        if online is not None and classes is None and label in online.codes:
            return online.learn_slowly(x, label)
        if self._is_joint:  # a new class makes room for its weights, as a block does
            xs = [plain(x)] if isinstance(x, Mapping) else plain_row(x, None)[None]
            return self._learn_all(xs, [label], classes)
        x = plain(x) if isinstance(x, Mapping) else x
        with _BEGINNING, undisturbed():
            if "_worker" in vars(self):
                raise RuntimeError(_BUSY)
            before = dict(vars(self))
            try:
                online, meeting = self._ready(x, [label], classes)
                online.learn_slowly(x, label, code=meeting.codes[label])
            except BaseException:
                restore(self, before)
                raise
            return self._know(online, meeting)

    def _ready(
        self, x: Any, labels: Sequence[Any], classes: ArrayLike | None
    ) -> tuple[Online, Meeting]:
        """What is to learn from examples such as x, with these labels."""
        online = self._opened()
        if online is not None:
            symmetric = online.is_symmetric
            return online, self._known.meeting(labels, classes, symmetric=symmetric)
        self._check_parameters()
        check_bounds(self.hash_bits, self.max_names, self.keep)
        if self.class_weight == "balanced":
            raise ValueError(
                "class_weight='balanced' needs all labels, which a stream does not have; compute "
                "the weights on a sample and pass them as a dict"
            )
        symmetric = self.class_weight is None and self._learner(1, (1.0, 1.0), None).is_symmetric
        meeting = Known().meeting(labels, classes, symmetric=symmetric)
        return self._begun(x, meeting.known), meeting

    def _begun(self, x: Any, known: Known) -> Online:
        """Learners and ledgers for a stream of such examples, which nobody else sees yet."""
        self.classes_ = np.array(known.labels)
        dim = self._first_width(x)
        pairs = [(1.0, 1.0)]
        if len(known.labels) > 1:
            pairs = self._class_weights(self._factors(self.classes_))
        self._learners = [self._learner(dim, pair, None) for pair in pairs]
        self._open_runs()
        return self._online_of(() if isinstance(x, Mapping) else None, self._bounds)

    def _first_width(self, x: Any) -> int:
        if isinstance(x, Mapping):
            self._check_names()
            return LANES if self.hash_bits is None else 1 << self.hash_bits
        self.n_features_in_ = len(plain_row(x, None))
        return self.n_features_in_

    def _learn_jointly(
        self, X: Any, labels: list[Any], classes: ArrayLike | None, stop: Callable[[], None]
    ) -> Online:
        """Learn in one run for all classes, of which some may be new; what has learned."""
        if len({isinstance(label, str) for label in labels}) > 1:
            raise BadExample("some labels are texts and some are numbers, which have no order")
        refuse_measures(labels)
        online = self._opened()
        if online is None:
            self._check_parameters()
            check_bounds(self.hash_bits, self.max_names, self.keep)
            self._begin(None, self._first_width(first(X)))
            online = self._online_of(() if isinstance(first(X), Mapping) else None, self._bounds)
        y, named = np.array(labels), None if classes is None else np.unique(np.asarray(classes))

        def numbered(learners: list[Any]) -> list[Codes]:
            self._meet(y, named, learners)
            return [self._numbered(y)]

        self._learn_block(online, X, numbered, stop)
        return online

    def _numbered(self, y: NDArray[Any]) -> Codes:
        codes = self._scheme.labels(self._codes(y), 0)
        return codes.astype(np.int32)

    def _online_of(self, names: Names | Sequence[str] | None, bounds: Bounds) -> Online:
        hash_bits, max_names = bounds if names is not None else (None, None)
        return Online(
            self._learners,
            [run.ledger for run in self._runs],
            names=names,
            hash_bits=hash_bits,
            max_names=max_names,
            keep=self._runs[0].ledger.keep,
            mean=self._reading == "average",
            seen=self._rows_seen,
        )

    def _know(self, online: Online, meeting: Meeting) -> None:
        """What was learned stays; its labels become known."""
        if meeting.turns:
            online.turn_round()
        if self._online is None or self._known != meeting.known:
            self._known, self.classes_ = meeting.known, np.array(meeting.known.labels)
            self._open_to_all(online)

    def _open_to_all(self, online: Online) -> None:
        """Let the labels mean what they are known to mean, and everybody learn with this."""
        if self._numbers is not None:
            labels, numbers = self.classes_.tolist(), self._numbers.tolist()
            codes = dict(zip(labels, numbers, strict=True))
            online.name_labels(labels, codes, order=numbers)
        else:
            known = self._known
            online.name_labels(known.predictions, known.codes, self._zero_is_positive)
        self._online, self._quick = online, online.core

    def _opened(self) -> Online | None:
        """What goes on one by one with what was learned before; None if nothing was."""
        if self._online is not None or not self.__sklearn_is_fitted__():
            return self._online
        with _BEGINNING:
            if self._online is not None:
                return self._online
            if "_worker" in vars(self):
                raise RuntimeError(_BUSY)
            names: Names | list[str] | None = None
            bounds, resumes = self._bounds, "_resume" in vars(self)
            if resumes:  # as it was begun, whatever the parameters are by now
                names, bounds = vars(self)["_resume"]
            check_bounds(*bounds, self._runs[0].ledger.keep)
            if not resumes and hasattr(self, "feature_names_in_"):
                names = [str(name) for name in self.feature_names_in_]
                if self.hash_bits is not None:
                    raise ValueError(
                        "hash_bits is for learning by name from the start: here the columns of a "
                        "frame were learned from, and each has a weight of its own"
                    )
            # a copy of the estimator may have the same learners
            self._learners, self._runs = deepcopy(self._learners), deepcopy(self._runs)
            online = self._online_of(names, bounds)
            if "_known" not in vars(self):
                self._known = Known(tuple(self.classes_.tolist()))
            vars(self).pop("_resume", None)
            self._open_to_all(online)
            return online

    def _learn_block(
        self, online: Online, X: Any, labelled: Labelled, stop: Callable[[], None]
    ) -> None:
        if not online.by_name:
            if by_name(X):
                online.readable(X[0], "row 0: ")
            return online.learn_block(self._rows(X, finite=True), labelled, stop)
        if online.max_names is not None:
            return online.learn_in_turn(X, labelled, stop)
        return online.learn_block(online.rows(X, adding=True), labelled, stop)

    def _going_on(self, X: Any = None) -> Online | None:
        """What learns one by one, if it began to, or if X are dicts."""
        return self._opened() if "_resume" in vars(self) or are_dicts(X) else self._online

    def _still(self, X: Any, reading: Reading) -> tuple[Self, Rows]:
        """The estimator as it stands, whatever other threads go on to learn, and the rows of X."""
        online = self._going_on(X)
        if online is None:
            return self, self._rows(X)
        with online.still():
            self._settle()
            still = object.__new__(type(self))
            vars(still).update(vars(self))
            still._online = None
            del still._quick
            still._learners = deepcopy(self._learners)
            if reading != "final":
                still._runs = deepcopy(self._runs)
            return still, self._named_rows(online, X)

    def _named_rows(self, online: Online, X: Any) -> Rows:
        if by_name(X) != online.by_name and count(X) and not hasattr(X, "columns"):
            online.readable(first(X), "row 0: ")
        return online.rows(records(X)) if online.by_name else self._rows(X)

    def _read_data(self, X: Any, y: Any) -> tuple[Rows, NDArray[Any]]:
        """Rows and labels, over the columns that were learned from."""
        online = self._going_on(X)
        if online is None or not online.by_name:
            X, y = self._validate(X, y, reset=False)
            return rows_of(X), y
        return self._named_rows(online, X), np.array(labels_of(y))

    @property
    def _columns(self) -> int | None:
        """How many columns have been met, where there is room for more."""
        online = self._going_on()
        return online.core.columns if online is not None and online.by_name else None

    def _settle(self) -> None:
        online = self._online
        if online is None:
            return
        with online.lock:
            online.settle()
            if self._runs[0].ledger.open_rounds:
                with undisturbed():
                    self._close_passes(online)

    def _close_passes(self, online: Online) -> None:
        for run in self._runs:
            if self._streaming:
                run.ledger.reopen_epoch()
            run.ledger.close_epoch()
        self._runs = tuple(Run(run.ledger, Verdict.BUDGET) for run in self._runs)
        self._rows_seen, self._streaming = online.core.position, True
        self._read_last, self._interrupted = None, False

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Let no other thread learn with this estimator meanwhile."""
        token = object()
        with _BEGINNING:
            if vars(self).setdefault("_worker", token) is not token:
                raise RuntimeError(_BUSY)
        try:
            with nullcontext() if self._online is None else self._online.alone():
                yield
        finally:
            vars(self).pop("_worker", None)

    def _nothing_yet(self, x: Any, answer: Any) -> Any:
        """The answer for any x before anything was learned, if it is an example at all."""
        plain(x) if isinstance(x, Mapping) else plain_row(x, None)
        return answer

    def __getstate__(self) -> dict[str, Any]:
        online = self._online
        with nullcontext() if online is None else online.still():
            self._settle()
            state: dict[str, Any] = dict(super().__getstate__())  # type: ignore[call-overload]
            for name in ("_online", "_quick", "_worker"):
                state.pop(name, None)
            if online is not None:  # what goes on being learned here does not reach the copy
                state["_learners"], state["_runs"] = deepcopy((self._learners, self._runs))
                names = online.names if online.by_name else None
                state["_resume"] = names, (online.hash_bits, online.max_names)
        return state
