"""Predict now, learn later: predictions wait under tickets for their labels, and are counted."""

from __future__ import annotations

import json
import operator
import reprlib
import secrets
import typing
import warnings
from collections import OrderedDict, deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import asdict, dataclass
from functools import partial
from io import BytesIO
from typing import Any, Self

import numpy as np

from novikoff.guarantees.exact.arithmetic import Number
from novikoff.guarantees.risk import RiskBound, average_risk, rise
from novikoff.online.locks import Rank, new_lock
from novikoff.storage import file_format
from novikoff.storage.checked import Arrays
from novikoff.stream.multiclass import plain_labels
from novikoff.stream.printing import count, plural, share

_POINTS = 2000  # of the curve, at most
_SAVED = (  # what a file holds as it is
    "asked",
    "labelled",
    "mistakes",
    "_max_waiting",
    "_probabilities",
    "_false_alarms",
    "_knows_classes",
    "_reference",
    "_stride",
    "_fit_due",
)
_NESTED = (dict, list, tuple, np.ndarray)  # values that the caller could change


def whole_number(given: Any, name: str, *, least: int) -> int:
    """The number as an int; an error calls it `name` if it is not a whole one from `least`."""
    if isinstance(given, bool) or not hasattr(given, "__index__"):
        raise TypeError(f"{name} must be a whole number or None, not {given!r}")
    if operator.index(given) < least:
        raise ValueError(f"{name} must be at least {least} or None, not {given!r}")
    return operator.index(given)


class BadTicket(ValueError):  # noqa: N818  (it names the thing that is wrong)
    """A ticket that is not waiting for a label here, or a key that already is; says why."""


class DriftWarning(UserWarning):
    """The error rate of a Protocol's predictions has risen; see `Protocol.drift`."""


class OneByOne(typing.Protocol):
    """What a Protocol needs of a learner; novikoff's estimators and river's classifiers have it."""

    def predict_one(self, x: Any, /) -> Any:
        """A label, or None if there is no prediction yet; learns nothing."""

    def learn_one(self, x: Any, y: Any, /) -> Any:
        """Learn from one example; an error must leave the learner unchanged."""


class Ticket(typing.NamedTuple):
    """A prediction that waits for its label.

    `score` and `probability` are those of the predicted label, of two labels the score of the
    positive one; None if the learner or the Protocol gives none.
    """

    id: str | int
    prediction: Any
    score: float | None = None
    probability: float | None = None


@dataclass(frozen=True, slots=True)
class Drift:
    """A rise of the error rate; `chance` bounds the probability of such counts without one."""

    labelled: int
    mistakes_before: int
    labels_before: int
    recent_mistakes: int
    recent_labels: int
    chance: float

    def __str__(self) -> str:
        before = share(self.mistakes_before / self.labels_before)
        recent = share(self.recent_mistakes / self.recent_labels)
        return (
            f"{recent} of the last {count(self.recent_labels)} predictions were wrong, but "
            f"{before} of the {count(self.labels_before)} before"
        )


class Protocol:
    """Predict x now, get y later, out of order, or never; and count the mistakes.

    A late label is compared with the prediction that was made at the time; then the learner learns
    from the example as it was. If every label comes at once, its mistakes are those that the
    mistake bounds count, with two exceptions: a learner may also update when its prediction was
    right (within a margin, or at a score of exactly 0), and it cannot predict a label that it has
    never seen, which costs one mistake for each label. Threads may share one Protocol, but not a
    learner that is also used directly. It can be pickled, copied and saved at any time.

    Parameters
    ----------
    learner
        An object with `predict_one(x)` and `learn_one(x, y)`. A prediction of None is a mistake.
    max_waiting
        How many predictions may wait at the same time. One more drops the one that has waited
        longest, which counts in `dropped`. By default there is no limit.
    classes
        All labels, passed to the learner with the first one. Needed for more than two, unless the
        learner takes new ones at any time (multiclass="joint").
    probabilities
        Whether tickets have the probability of the prediction, too. The map from scores to
        probabilities is fitted again whenever the labels have grown by 1/64.
    window
        How many labels `recent_error_rate` and `drift` look back.
    false_alarms
        The probability with which a DriftWarning may ever come while the error rate does not rise.

    Examples
    --------
    >>> class Last:
    ...     said = "ham"
    ...     def predict_one(self, x): return self.said
    ...     def learn_one(self, x, y): self.said = y
    >>> protocol = Protocol(Last())
    >>> first, second = protocol.ask({"free": 1}), protocol.ask({"meeting": 1}, key="mail 2")
    >>> protocol.tell(second, "ham")
    True
    >>> protocol.tell(first.id, "spam")  # as it may come back from a table
    False
    >>> protocol
    Protocol(Last: 2 asked, 2 labelled, 1 mistake, 0 waiting, 0 dropped)
    """

    def __init__(
        self,
        learner: OneByOne,
        *,
        max_waiting: int | None = None,
        classes: Sequence[Any] | None = None,
        probabilities: bool = False,
        window: int = 1000,
        false_alarms: float = 0.01,
    ) -> None:
        if max_waiting is not None:
            whole_number(max_waiting, "max_waiting", least=1)
        if not 0 < false_alarms < 1:
            raise ValueError(f"false_alarms must be between 0 and 1, not {false_alarms!r}")
        self._max_waiting, self._classes = max_waiting, classes
        self._probabilities, self._false_alarms = probabilities, false_alarms
        self._adopt(learner)
        self._waiting: OrderedDict[str | int, tuple[Any, Ticket]] = OrderedDict()
        self.asked = self.labelled = self.mistakes = 0
        self._stride, self._marks = 1, list[int]()
        self._recent = deque[bool](maxlen=whole_number(window, "window", least=1))
        self._reference = (0, 0)  # labels and mistakes that a new window is compared with
        self.drift: Drift | None = None
        self._turn = new_lock(Rank.PROTOCOL)

    def _adopt(self, learner: OneByOne) -> None:
        """Make this the learner; TypeError if it cannot be one."""
        if isinstance(learner, type):
            raise TypeError(f"pass a learner, not its class: {learner.__name__}()")
        needed = ["predict_one", "learn_one", *["predict_proba_one"] * self._probabilities]
        for verb in needed:
            if not callable(getattr(learner, verb, None)):
                raise TypeError(
                    f"a Protocol needs a learner with {' and '.join(needed)}; "
                    f"{type(learner).__name__} has no {verb}"
                )
        self.learner, self._knows_classes = learner, self._classes is None
        self._fit: Any = None  # what learner.calibrated() gave
        self._fit_due = 0  # the number of labels from which on it is fitted again
        self._calibrates = self._probabilities and hasattr(learner, "calibrated")

    def swap(self, learner: OneByOne) -> OneByOne:
        """Go on with another learner, which learns from what waits; returns the one before."""
        with self._turn:
            before = self.learner
            self._adopt(learner)
        return before

    def ask(self, x: Any, *, key: str | int | None = None, copy: bool = True) -> Ticket:
        """Predict x, and keep a copy of it until its label comes; or x itself if nobody changes it.

        With a `key` that is the ticket's id; BadTicket if that key is waiting already. If the
        learner raises an error, nothing is counted.
        """
        if not copy:
            pass
        elif isinstance(x, np.ndarray):
            x = x.copy()
        elif isinstance(x, Mapping) and not any(isinstance(v, _NESTED) for v in x.values()):
            x = dict(x)
        else:
            x = deepcopy(x)
        if key is not None and (isinstance(key, bool) or not isinstance(key, str | int)):
            raise TypeError(f"a key must be a text or a whole number, not {reprlib.repr(key)}")
        with self._turn:
            if key in self._waiting:
                raise BadTicket(f"{key!r} is already waiting for its label; choose another key")
            return self._asked([x], [secrets.token_hex(12) if key is None else key])[0]

    def ask_many(self, X: Sequence[Any], keys: Sequence[str | int]) -> list[Ticket]:
        """`ask` an estimator about each x with its key, not copied; after an error, about none."""
        with self._turn:
            if not self._waiting.keys().isdisjoint(keys) or len({*keys}) < len(keys):
                raise BadTicket("a key is already waiting for its label; choose others")
            return self._asked(X, keys)

    def _asked(self, X: Sequence[Any], keys: Sequence[str | int]) -> list[Ticket]:
        """The tickets of these examples, which wait from now on."""
        learner: Any = self.learner
        if hasattr(learner, "answer_each"):
            found = learner.answer_each(X)
        else:
            decide = getattr(learner, "decision_one", lambda _: None)
            labels = [learner.predict_one(x) for x in X]
            found = [(y, None if y is None else decide(x)) for x, y in zip(X, labels, strict=True)]
        chances: Sequence[float | None] = [None] * len(found)
        if self._calibrates and found and found[0][0] is not None:
            chances = self._calibration().each(found)
        elif self._probabilities and not self._calibrates:
            each = zip(X, found, strict=True)
            chances = [learner.predict_proba_one(x).get(label) for x, (label, _) in each]
        labels = [label for label, _ in found]
        scores = [s if type(s) is float else _of_label(s, label) for label, s in found]
        tickets = [*map(_TICKET, zip(keys, labels, scores, chances, strict=True))]
        for one in zip(X, tickets, strict=True):
            if len(self._waiting) == self._max_waiting:
                self._waiting.popitem(last=False)
            self._waiting[one[1].id] = one
        self.asked += len(tickets)
        return tickets

    def _calibration(self) -> Any:
        """What gives probabilities, fitted again if the labels have grown."""
        if self._fit is None or self.labelled >= self._fit_due:
            self._fit = self.learner.calibrated()  # type: ignore[attr-defined]  # it was looked up
            self._fit_due = self.labelled + self.labelled // 64 + 1
        return self._fit

    def tell(self, ticket: Ticket | str | int, y: Any, *, weight: float | None = None) -> bool:
        """Compare the prediction with its label, and learn; returns whether it was right.

        A `weight` says how much the learner learns from the example; the mistake counts once. If
        the learner raises an error, the ticket keeps waiting and nothing is counted.
        """
        if y is None:
            raise ValueError("the label is None; call drop() if none will arrive")
        with self._turn:
            id = self._find(ticket)
            x, asked = self._waiting[id]
            right = _is_same(asked.prediction, y)
            more: dict[str, Any] = {} if weight is None else {"weight": weight}
            if not self._knows_classes:
                more["classes"] = self._classes
            self.learner.learn_one(x, y, **more)
            self._knows_classes = True
            del self._waiting[id]
            drift = self._count([not right])
        if drift is not None:
            warnings.warn(str(drift), DriftWarning, stacklevel=2)
        return right

    def tell_many(self, labels: Mapping[Any, Any]) -> list[bool | Exception]:
        """`tell` an estimator each id's label; an error stands in place of its own result only.

        The learner must know its classes. Raises BadTicket, and does nothing, if one does not wait.
        """
        learner: Any = self.learner
        with self._turn:
            if missing := labels.keys() - self._waiting.keys():
                self._find(missing.pop())
            waiting, given = [self._waiting[id] for id in labels], [*labels.values()]
            errors = learner.learn_each([x for x, _ in waiting], given)
            same = map(_is_same, [asked.prediction for _, asked in waiting], given)
            out = [errors.get(k, right) for k, right in enumerate(same)]
            for k, id in enumerate(labels):
                if k not in errors:
                    del self._waiting[id]
            drift = self._count([not one for one in out if type(one) is bool])
        if drift is not None:
            warnings.warn(str(drift), DriftWarning, stacklevel=2)
        return out

    def _count(self, mistaken: Sequence[bool]) -> Drift | None:
        """Count labels that came, mistaken or right; the last rise of the error rate they show.

        The mistakes of each window of labels are compared with those of all labels before it, since
        the last rise. The k-th comparison may be wrong with probability false_alarms/(k(k + 1)).
        """
        w, found = self._recent.maxlen, None
        assert w is not None
        while mistaken:
            until = min(size - self.labelled % size for size in (w, self._stride))
            part, mistaken = mistaken[:until], mistaken[until:]
            self.labelled += len(part)
            self.mistakes += sum(part)
            self._recent.extend(part)
            if self.labelled % self._stride == 0:
                self._marks.append(self.mistakes)
            if len(self._marks) > _POINTS:
                self._marks, self._stride = self._marks[1::2], 2 * self._stride
            if self.labelled % w == 0:
                found = self._compared(w) or found
        return found

    def _compared(self, w: int) -> Drift | None:
        """Whether the error rate rose in the window of labels that is complete now."""
        labels, mistakes = self._reference
        recent, k = sum(self._recent), self.labelled // w - 1
        self._reference = labels + w, mistakes + recent
        if not labels:
            return None
        chance = rise((labels, mistakes), (w, recent))
        if chance * k * (k + 1) > self._false_alarms:
            return None
        self._reference = w, recent
        self.drift = Drift(self.labelled, mistakes, labels, recent, w, chance)
        return self.drift

    def drop(self, ticket: Ticket | str | int) -> None:
        """Drop an example whose label will not come; BadTicket if it is not waiting."""
        with self._turn:
            del self._waiting[self._find(ticket)]

    def __contains__(self, ticket: Ticket | str | int) -> bool:
        """Whether the ticket, or the ticket with this id, is waiting here."""
        with suppress(BadTicket), self._turn:
            self._find(ticket)
            return True
        return False

    @property
    def waiting(self) -> int:
        """How many predictions wait for their labels."""
        return len(self._waiting)

    @property
    def dropped(self) -> int:
        """How many were dropped, by `drop` or because of `max_waiting`."""
        with self._turn:
            return self.asked - self.labelled - len(self._waiting)

    def example(self, ticket: Ticket | str | int) -> Any:
        """The copy of the example that waits under this ticket; BadTicket if none does."""
        with self._turn:
            return self._waiting[self._find(ticket)][0]

    @property
    def oldest(self) -> Ticket | None:
        """The ticket that has waited longest; None if none waits."""
        with self._turn:
            return next((ticket for _, ticket in self._waiting.values()), None)

    @property
    def tickets(self) -> list[Ticket]:
        """The waiting tickets, the oldest first."""
        with self._turn:
            return [ticket for _, ticket in self._waiting.values()]

    @property
    def error_rate(self) -> float:
        """Mistakes divided by labels received; nan before the first."""
        with self._turn:
            return self.mistakes / self.labelled if self.labelled else float("nan")

    @property
    def recent_error_rate(self) -> float:
        """The error rate on the last `window` labels received; nan before the first."""
        with self._turn:
            return sum(self._recent) / len(self._recent) if self._recent else float("nan")

    @property
    def curve(self) -> list[tuple[int, int]]:
        """How the mistakes grew: exact points (labels received, mistakes among them), up to now."""
        with self._turn:
            points = [(self._stride * k, made) for k, made in enumerate(self._marks, start=1)]
            if self.labelled % self._stride:
                points.append((self.labelled, self.mistakes))
            return points

    def risk_bound(
        self, *, confidence: Number = 0.95, unlabelled_as_mistakes: bool = False
    ) -> RiskBound:
        """A bound on the error rate on new examples, averaged over the predictors that were asked.

        It is that of `guarantees.average_risk`, with n the labels received, late or not, and M the
        mistakes. It assumes that the examples are independent draws from one distribution, each
        asked once and not seen otherwise; that which of them have been labelled by now does not
        depend on the examples, which is not needed with `unlabelled_as_mistakes`; and that the
        moment to look was not chosen by the counts. To look k times, use a confidence of 1 − δ/k
        each time.

        References: Cesa-Bianchi, Conconi & Gentile (2004); Cesa-Bianchi & Gentile (2008): see
        `guarantees.average_risk`.
        """
        with self._turn:
            n, M, asked = self.labelled, self.mistakes, self.asked
        if unlabelled_as_mistakes:
            n, M = asked, M + asked - n
        if n == 0:
            raise ValueError(f"no label has been given yet ({asked} asked), so there is no bound")
        return average_risk(n, M, confidence=confidence)

    def _find(self, ticket: Ticket | str | int) -> str | int:
        """The id of a ticket, which must be waiting."""
        id = ticket.id if isinstance(ticket, Ticket) else ticket
        if type(id) is not int and (isinstance(id, bool) or not isinstance(id, str | int)):
            raise TypeError(f"pass a Ticket or its id, not {type(id).__name__}: {reprlib.repr(id)}")
        if id not in self._waiting:
            raise BadTicket(
                f"ticket {id!r} is not waiting here: it was labelled or dropped, or this Protocol "
                "never issued it"
            )
        return id

    def save(self, path: file_format.Place) -> None:
        """Write the Protocol to a file, with an estimator as its learner, and all that waits."""
        if not callable(save := getattr(self.learner, "save", None)):
            raise TypeError(f"{type(self.learner).__name__} has no save(); pickle the Protocol")
        with self._turn:
            header: dict[str, Any] = {name: getattr(self, name) for name in _SAVED}
            header["new"] = _settings(self.learner)
            learner = BytesIO()
            if header["new"] is None:
                save(learner)
            header["classes"] = None if self._classes is None else plain_labels(self._classes)
            header["window"] = self._recent.maxlen
            header["drift"] = None if self.drift is None else asdict(self.drift)
            header["waiting"] = [_as_json(x, ticket) for x, ticket in self._waiting.values()]
            arrays: Arrays = {
                "learner": np.frombuffer(learner.getbuffer(), dtype=np.uint8),
                "marks": np.array(self._marks, dtype=np.int64),
                "recent": np.array(self._recent, dtype=np.int8),
            }
            if self._fit is not None:
                arrays |= {f"fit {k}": table for k, table in enumerate(self._fit.tables)}
            file_format.save(path, header, arrays, kind="protocol")

    @classmethod
    def load(cls, path: file_format.Place) -> Self:
        """The Protocol that `save` wrote; BadModel if the file is damaged or something else."""
        import novikoff

        header, arrays = file_format.load(path, kind="protocol")
        try:
            if header["new"] is None:
                learner = novikoff.load(BytesIO(arrays["learner"].tobytes()))
            else:
                kind, given = header["new"]
                given = {name: dict(v) if isinstance(v, list) else v for name, v in given.items()}
                learner = getattr(novikoff, kind)(**given)
            out = cls(
                learner,
                max_waiting=header["_max_waiting"],
                classes=header["classes"],
                probabilities=header["_probabilities"],
                window=header["window"],
                false_alarms=header["_false_alarms"],
            )
            for name in _SAVED:
                setattr(out, name, header[name])
            out._reference = int(header["_reference"][0]), int(header["_reference"][1])
            out.drift = None if header["drift"] is None else Drift(**header["drift"])
            out._marks = arrays["marks"].tolist()
            out._recent.extend(map(bool, arrays["recent"].tolist()))
            waiting = [_from_json(text) for text in header["waiting"]]
            if fit := [arrays[name] for name in arrays if name.startswith("fit ")]:
                out._fit = learner.calibrated(fit)
        except (KeyError, TypeError, ValueError) as error:
            raise file_format.BadModel(f"{file_format.name_of(path)}: damaged: {error}") from None
        out._waiting.update((ticket.id, (x, ticket)) for x, ticket in waiting)
        return out

    def __getstate__(self) -> dict[str, Any]:
        with self._turn:  # another thread may be teaching the learner
            state = {k: v for k, v in vars(self).items() if k not in ("_turn", "learner", "_fit")}
            for name in ("_waiting", "_marks", "_recent"):
                state[name] = state[name].copy()
            return state | {"learner": deepcopy(self.learner), "_fit": None, "_fit_due": 0}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        vars(self).update(state)
        self._turn = new_lock(Rank.PROTOCOL)

    def __repr__(self) -> str:
        with self._turn:
            return (
                f"Protocol({type(self.learner).__name__}: {count(self.asked)} asked, "
                f"{count(self.labelled)} labelled, {plural(self.mistakes, 'mistake')}, "
                f"{count(self.waiting)} waiting, {count(self.dropped)} dropped)"
            )


_TICKET = partial(tuple.__new__, Ticket)  # Ticket._make without a call of Python


def _is_same(prediction: Any, label: Any) -> bool:
    same = prediction == label
    return same is True or (isinstance(same, np.bool_) and bool(same))


def _of_label(score: Any, label: Any) -> float | None:
    """The score of a label among those of all, or the only one; None without a label."""
    found: float | None = score[label] if type(score) is dict else score
    return None if label is None else found


def _settings(learner: Any) -> tuple[str, dict[str, Any]] | None:
    """The class and the parameters of an estimator that has not learned yet; None of others."""
    if learner.__sklearn_is_fitted__():
        return None
    given = learner.get_params()
    weights = given["class_weight"]
    if isinstance(weights, Mapping):  # JSON's keys are texts
        given["class_weight"] = [[*pair] for pair in weights.items()]
    return type(learner).__name__, given


def _as_json(x: Any, ticket: Ticket) -> str:
    """An example that waits, and its ticket, as a text for a file."""
    dtype = str(x.dtype) if isinstance(x, np.ndarray) else None
    x = json.loads(x) if isinstance(x, bytes) else x
    try:
        return json.dumps([x, dtype, ticket._asdict()], default=_plain, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise TypeError(f"ticket {ticket.id!r} cannot be saved: {error}") from None


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"its example holds a {type(value).__name__}")


def _from_json(text: str) -> tuple[Any, Ticket]:
    x, dtype, ticket = json.loads(text)
    return x if dtype is None else np.array(x, dtype=dtype), Ticket(**ticket)
