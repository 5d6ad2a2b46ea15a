"""One example at a time, by the names of its features: learn_one, predict_one and their like."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from copy import deepcopy
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from novikoff import _core
from novikoff.estimators.doors import restore
from novikoff.estimators.labels import Known, Meeting, label_of, labels_of
from novikoff.estimators.results import Results
from novikoff.examples import Labels
from novikoff.learners.named import Online
from novikoff.learners.naming import Names, check_bounds
from novikoff.learners.plain import are_dicts, by_name, first, plain, plain_row, records
from novikoff.ledger import Keep
from novikoff.loop import Run, Verdict
from novikoff.readings import Reading
from novikoff.rows import BadExample, Rows, Vector
from novikoff.sources.arrays import rows_of
from novikoff.weights import LANES

_BEGINNING = threading.RLock()  # held while an estimator begins, or meets a label it did not know
_BUSY = "another thread is learning with this estimator; begin when it is done"


class OneAtATime(Results):
    """The estimators as streams use them: an example is a dict of named features, or a row."""

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
    _learners: list[Any]
    _rows_seen: int

    def learn_one(self, x: Any, y: Any, *, classes: ArrayLike | None = None) -> None:
        """Meet one example and, if it is mistaken, learn from it.

        It is `partial_fit` on one row, to the last bit, and the two can alternate.

        Parameters
        ----------
        x
            A dict from names to values. A number (or truth value) is the value of the feature; a
            text v under the name c is the feature `c=v` with value 1; a name may also be a whole
            number. What is left out is 0. Names are added as they are met. Or a row of numbers,
            where columns are positions: an estimator goes by names or by positions, as it began.
        y
            The label: a truth value, a number or a text. The first two met are the classes; with
            them sorted, the second is the positive one.
        classes
            All the labels there will be, in the first call: needed if there are more than two, or
            if the rule does not treat the two alike and the first label is not one of 1, 0 and −1.
        """
        if classes is None:
            try:
                if not self._quick.learn(x, y):
                    return
            except (AttributeError, TypeError):  # nothing is open yet; or x or y is None
                pass
        self._learn_slowly(x, y, classes)

    def predict_one(self, x: Any) -> Any:
        """The label predicted for x: a plain object; None if no label was met yet.

        Features not met before count for nothing.
        """
        try:
            label = self._quick.predict(x)
        except (AttributeError, TypeError):
            label = NotImplemented
        if label is not NotImplemented:
            return label
        online = self._opened()
        return self._nothing_yet(x, None) if online is None else online.predict_one(x)

    def decision_one(self, x: Any) -> float | dict[Any, float]:
        """The score of x: positive for classes_[1]; of more than two classes, a score for each."""
        online = self._opened()
        if online is None:
            return float(self._nothing_yet(x, 0.0))
        scores = online.decide_one(x)
        if isinstance(scores, float):
            return scores
        return dict(zip(self._known.labels, scores, strict=True))

    def learn_many(self, X: Any, y: Any, *, classes: ArrayLike | None = None) -> None:
        """Meet these examples in order: as learning from them one by one, but all of them or none.

        X is a list of dicts, a frame whose columns are names (texts v in column c are the feature
        `c=v`), or a two-dimensional array where columns are positions.
        """
        xs = records(X) if by_name(X) else X
        labels = labels_of(y)
        if len(xs) != len(labels):
            raise BadExample(f"{len(xs)} examples but {len(labels)} labels")
        if not labels:
            return
        self._opened()
        with self._alone():
            before = dict(vars(self))
            try:
                online, meeting = self._ready(first(xs), labels, classes)
                self._learn_block(online, xs, [meeting.codes[label] for label in labels])
            except BaseException:
                restore(self, before)
                raise
            self._know(online, meeting)

    def predict_many(self, X: Any) -> NDArray[Any]:
        """The label predicted for each example of X, which is as for `learn_many`."""
        if not self.__sklearn_is_fitted__():
            return np.full(len(records(X) if by_name(X) else X), None)
        return self.predict(X)

    @property
    def named_weights(self) -> Any:  # Weights; with more than two classes a dict of them, hence Any
        """The weights by the names of features: a read-only mapping that is always up to date.

        They are those that predict, as in `coef_`. With more than two classes there is a mapping
        for each.
        """
        self._expect_runs()
        online = self._opened()
        assert online is not None
        if len(online.learners) == 1:
            return online.weights()
        return {label: online.weights(k) for k, label in enumerate(self._known.labels)}

    @abstractmethod
    def predict(self, X: Any) -> NDArray[Any]:
        """The predicted label of each row."""

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
    def _validate(self, X: Any, y: Any = ..., *, reset: bool, finite: bool = False) -> Any: ...

    @abstractmethod
    def _rows(self, X: Any, *, finite: bool = False) -> Rows: ...

    @property
    @abstractmethod
    def _zero_is_positive(self) -> bool: ...

    def _check_names(self) -> None:
        """Refuse settings with which names that are not known beforehand cannot be learned from."""

    def _check_one_at_a_time(self) -> None:
        """Refuse settings with which examples cannot be learned from one at a time."""

    def _learn_slowly(self, x: Any, y: Any, classes: ArrayLike | None) -> None:
        """Learn from what the core did not take as it came, or the first time."""
        online, label = self._opened(), label_of(y)
        if online is not None and classes is None and label in self._known.codes:
            return online.learn_slowly(x, label)
        x = plain(x) if isinstance(x, Mapping) else x
        with _BEGINNING:
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
        named = isinstance(x, Mapping)
        if named:
            self._check_names()
            dim = LANES if self.hash_bits is None else 1 << self.hash_bits
        else:
            dim = len(plain_row(x, None))
            self.n_features_in_ = dim
        pairs = [(1.0, 1.0)]
        if len(known.labels) > 1:
            pairs = self._class_weights(self._factors(self.classes_))
        self._learners = [self._learner(dim, pair, None) for pair in pairs]
        self._open_runs()
        return self._online_of(() if named else None)

    def _online_of(self, names: Names | Sequence[str] | None) -> Online:
        return Online(
            self._learners,
            [run.ledger for run in self._runs],
            names=names,
            hash_bits=None if names is None else self.hash_bits,
            max_names=None if names is None else self.max_names,
            keep=self.keep,
            mean=self._reading == "average",
            seen=self._rows_seen,
        )

    def _know(self, online: Online, meeting: Meeting) -> None:
        """What was learned stays; its labels become known."""
        if meeting.turns:
            online.turn_round()
        if self._online is None or self._known != meeting.known:
            self._known, self.classes_ = meeting.known, np.array(meeting.known.labels)
            self._name_labels(online)
        self._online, self._quick = online, online.core

    def _name_labels(self, online: Online) -> None:
        online.name_labels(self._known.predictions, self._known.codes, self._zero_is_positive)

    def _opened(self) -> Online | None:
        """What goes on one by one with what was learned before; None if nothing was."""
        self._check_one_at_a_time()
        if self._online is not None or not self.__sklearn_is_fitted__():
            return self._online
        with _BEGINNING:
            if self._online is not None:
                return self._online
            if "_worker" in vars(self):
                raise RuntimeError(_BUSY)
            check_bounds(self.hash_bits, self.max_names, self.keep)
            names: Names | list[str] | None = None
            if "_resume" in vars(self):
                names = vars(self)["_resume"]
            elif hasattr(self, "feature_names_in_"):
                names = [str(name) for name in self.feature_names_in_]
                if self.hash_bits is not None:
                    raise ValueError(
                        "hash_bits is for learning by name from the start: here the columns of a "
                        "frame were learned from, and each has a weight of its own"
                    )
            # a copy of the estimator may have the same learners
            self._learners, self._runs = deepcopy(self._learners), deepcopy(self._runs)
            online = self._online_of(names)
            if "_known" not in vars(self):
                self._known = Known(tuple(self.classes_.tolist()))
            self._name_labels(online)
            vars(self).pop("_resume", None)
            self._online, self._quick = online, online.core
            return online

    def _learn_block(self, online: Online, X: Any, codes: list[int]) -> None:
        each = np.array(codes, dtype=np.int64)
        runs = len(online.learners)
        signs = [_signs(each == (1 if runs == 1 else k)) for k in range(runs)]
        if not online.by_name:
            if by_name(X):
                online.readable(X[0], "row 0: ")
            return online.learn_block(self._rows(X, finite=True), signs)
        if online.max_names is None:
            return online.learn_block(online.rows(X, adding=True), signs)
        return online.learn_in_turn(X, codes)

    def _going_on(self, X: Any = None) -> Online | None:
        """What learns one by one, if it began to, or if X are dicts."""
        return self._opened() if "_resume" in vars(self) or are_dicts(X) else self._online

    def _still(self, X: Any, reading: Reading) -> tuple[Self, Rows]:
        """The estimator as it stands, whatever other threads go on to learn, and the rows of X."""
        online = self._going_on(X)
        if online is None:
            return self, self._rows(X)
        with online.lock:
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
        if by_name(X) != online.by_name and len(X) and not hasattr(X, "columns"):
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
            if not self._runs[0].ledger.open_rounds:
                return
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
        self._settle()
        state: dict[str, Any] = dict(super().__getstate__())  # type: ignore[call-overload]
        online = state.pop("_online", None)
        for name in ("_quick", "_worker"):
            state.pop(name, None)
        if online is not None:
            state["_resume"] = online.names if online.by_name else None
        return state


def _signs(positive: NDArray[np.bool_]) -> Labels:
    signs: Labels = positive.view(np.int8) * np.int8(2) - np.int8(1)
    return signs
