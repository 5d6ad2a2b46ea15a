"""Predict now, learn later: predictions wait under tickets for their labels, and are counted."""

from __future__ import annotations

import operator
import reprlib
import secrets
import typing
from collections import OrderedDict
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, SupportsIndex

import numpy as np

from novikoff.guarantees.exact.arithmetic import Number
from novikoff.guarantees.risk import RiskBound, average_risk
from novikoff.online.locks import Rank, new_lock
from novikoff.stream.printing import plural

_POINTS = 2000  # of the curve, at most


def whole_number(given: Any, name: str, *, least: int) -> int:
    """The number as an int; an error calls it `name` if it is not a whole one from `least`."""
    if isinstance(given, bool) or not hasattr(given, "__index__"):
        raise TypeError(f"{name} must be a whole number or None, not {given!r}")
    if operator.index(given) < least:
        raise ValueError(f"{name} must be at least {least} or None, not {given!r}")
    return operator.index(given)


class BadTicket(ValueError):  # noqa: N818  (it names the thing that is wrong)
    """A ticket that is not waiting for a label here; the message says why."""


class OneByOne(typing.Protocol):
    """What a Protocol needs of a learner; novikoff's estimators and river's classifiers have it."""

    def predict_one(self, x: Any, /) -> Any:
        """A label, or None if there is no prediction yet; learns nothing."""

    def learn_one(self, x: Any, y: Any, /) -> Any:
        """Learn from one example; an error must leave the learner unchanged."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """A prediction: its number, from 1, and the predicted label."""

    number: int
    prediction: Any
    of: str = field(repr=False)  # which Protocol issued it


class Protocol:
    """Predict x now, get y later, out of order, or never; and count the mistakes.

    A late label is compared with the prediction that was made at the time; then the learner learns
    from the example as it was. If every label comes at once, this is the online protocol itself,
    and its mistakes are those that the mistake bounds count, with two exceptions: a learner may
    also update when its prediction was right (within a margin, or at a score of exactly 0), and it
    cannot predict a label that it has never seen, which costs one mistake for each label.

    Threads may share one Protocol; they take turns, a prediction or an update at a time. This does
    not protect a learner that is also used directly.

    Ctrl-C may come between learning and counting; `progressive_validation` holds it back.
    A Protocol can be pickled and copied, also while other threads use it.

    Parameters
    ----------
    learner
        An object with `predict_one(x)` and `learn_one(x, y)`. A prediction of None is a mistake.
    max_waiting
        How many predictions may wait at the same time. One more drops the one that has waited
        longest, which counts in `dropped`. By default there is no limit.

    Attributes
    ----------
    asked, labelled
        How many predictions were made, and for how many of them the label came.
    mistakes
        How many of the labels that came differ from the prediction.

    Examples
    --------
    >>> class Last:
    ...     said = "ham"
    ...     def predict_one(self, x): return self.said
    ...     def learn_one(self, x, y): self.said = y
    >>> protocol = Protocol(Last())
    >>> first, second = protocol.ask({"free": 1}), protocol.ask({"meeting": 1})
    >>> protocol.tell(second, "ham")
    True
    >>> protocol.tell(first.number, "spam")  # as it may come back from a table
    False
    >>> protocol
    Protocol(Last: 2 asked, 2 labelled, 1 mistake, 0 waiting, 0 dropped)
    """

    def __init__(self, learner: OneByOne, *, max_waiting: int | None = None) -> None:
        if isinstance(learner, type):
            raise TypeError(f"pass a learner, not its class: {learner.__name__}()")
        for verb in ("predict_one", "learn_one"):
            if not callable(getattr(learner, verb, None)):
                raise TypeError(
                    f"a Protocol needs a learner with predict_one and learn_one; "
                    f"{type(learner).__name__} has no {verb}"
                )
        if max_waiting is not None:
            whole_number(max_waiting, "max_waiting", least=1)
        self.learner, self._max_waiting = learner, max_waiting
        self._name = secrets.token_hex(8)
        self._waiting: OrderedDict[int, tuple[Any, Any]] = OrderedDict()
        self.asked = self.labelled = self.mistakes = 0
        self._stride, self._marks = 1, list[int]()
        self._turn = new_lock(Rank.PROTOCOL)

    def ask(self, x: Any) -> Ticket:
        """Predict x, and keep a copy of it until its label comes.

        Pass the ticket, or its number, to `tell` with the label. The values of a dict are not
        copied. If the learner raises an error, nothing is counted.
        """
        if isinstance(x, dict | np.ndarray):
            x = x.copy()
        else:
            x = dict(x) if isinstance(x, Mapping) else deepcopy(x)
        with self._turn:
            prediction = self.learner.predict_one(x)
            if len(self._waiting) == self._max_waiting:
                self._waiting.popitem(last=False)
            self.asked += 1
            self._waiting[self.asked] = (x, prediction)
            return Ticket(self.asked, prediction, self._name)

    def tell(self, ticket: Ticket | SupportsIndex, y: Any) -> bool:
        """Compare the prediction with its label, and learn; returns whether it was right.

        Raises BadTicket if the ticket is not waiting here. If the learner raises an error, the
        ticket keeps waiting and nothing is counted.
        """
        if y is None:
            raise ValueError("the label is None; call drop() if none will arrive")
        with self._turn:
            number = self._find(ticket)
            x, prediction = self._waiting[number]
            same = prediction == y
            right = same is True or (isinstance(same, np.bool_) and bool(same))
            self.learner.learn_one(x, y)
            del self._waiting[number]
            self.labelled += 1
            self.mistakes += not right
            if self.labelled % self._stride == 0:
                self._marks.append(self.mistakes)
            if len(self._marks) > _POINTS:
                self._marks, self._stride = self._marks[1::2], 2 * self._stride
        return right

    def drop(self, ticket: Ticket | SupportsIndex) -> None:
        """Drop an example whose label will not come; BadTicket if it is not waiting."""
        with self._turn:
            del self._waiting[self._find(ticket)]

    def __contains__(self, ticket: Ticket | SupportsIndex) -> bool:
        """Whether the ticket, or the ticket of this number, is waiting here."""
        with self._turn:
            try:
                self._find(ticket)
            except BadTicket:
                return False
            return True

    @property
    def waiting(self) -> int:
        """How many predictions wait for their labels."""
        return len(self._waiting)

    @property
    def dropped(self) -> int:
        """How many were dropped, by `drop` or because of `max_waiting`."""
        with self._turn:
            return self.asked - self.labelled - len(self._waiting)

    @property
    def tickets(self) -> list[Ticket]:
        """The waiting tickets, the oldest first."""
        with self._turn:
            return [Ticket(n, said, self._name) for n, (_, said) in self._waiting.items()]

    @property
    def error_rate(self) -> float:
        """Mistakes divided by labels received; nan before the first."""
        with self._turn:
            return self.mistakes / self.labelled if self.labelled else float("nan")

    @property
    def curve(self) -> list[tuple[int, int]]:
        """How the mistakes grew: points (labels received, mistakes among them), up to now.

        Each point is exact. Up to two thousand labels there is a point for each, later for every
        2nd, 4th, 8th, ..., so that a long run takes no more memory than a short one.
        """
        with self._turn:
            points = [(self._stride * k, made) for k, made in enumerate(self._marks, start=1)]
            if self.labelled % self._stride:
                points.append((self.labelled, self.mistakes))
            return points

    def risk_bound(
        self, *, confidence: Number = 0.95, unlabelled_as_mistakes: bool = False
    ) -> RiskBound:
        """A bound on the error rate on new examples, averaged over the predictors that were asked.

        It is that of `guarantees.average_risk`, with n the labels received and M the mistakes.
        Labels may come late: h_i, the predictor at the time x_i was asked, was made from some of
        the earlier examples, so given these, (x_i, y_i) is still a fresh draw, and the differences
        between risk and mistake are a martingale in the order of asking. The assumptions are:

        - The examples are independent draws from one distribution, each asked once, and the learner
          has not seen them otherwise (what it learned before from others does not matter).
        - Which examples have been labelled by now does not depend on the examples. This holds if
          all have been labelled, no matter when, or if labels come after a fixed time or are lost
          at random; not if they come only for doubtful cases, or sooner for spam than for ham.
        - The moment to look was not chosen by the counts. To look k times, use a confidence of
          1 − δ/k each time.

        Parameters
        ----------
        confidence
            1 − δ, between 0 and 1.
        unlabelled_as_mistakes
            Count every prediction without a label as a mistake. This can only overestimate, so the
            second assumption is not needed.

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

    def _find(self, ticket: Ticket | SupportsIndex) -> int:
        """The number of a ticket, which must be waiting."""
        if isinstance(ticket, Ticket):
            if ticket.of != self._name:
                raise BadTicket(f"ticket {ticket.number} was issued by another Protocol")
            ticket = ticket.number
        elif isinstance(ticket, bool) or not hasattr(ticket, "__index__"):
            raise TypeError(
                f"pass a Ticket or its number, not {type(ticket).__name__}: {reprlib.repr(ticket)}"
            )
        number = operator.index(ticket)
        if number in self._waiting:
            return number
        if not 1 <= number <= self.asked:
            last = f"the last one is {self.asked}" if self.asked else "there are none yet"
            raise BadTicket(f"ticket {number} was never issued; {last}")
        raise BadTicket(f"ticket {number} is not waiting: it was already labelled or dropped")

    def __getstate__(self) -> dict[str, Any]:
        with self._turn:  # another thread may be teaching the learner
            state = {k: v for k, v in vars(self).items() if k not in ("_turn", "learner")}
            state |= {"_waiting": self._waiting.copy(), "_marks": self._marks.copy()}
            return state | {"learner": deepcopy(self.learner)}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        vars(self).update(state)
        self._turn = new_lock(Rank.PROTOCOL)

    def __repr__(self) -> str:
        with self._turn:
            return (
                f"Protocol({type(self.learner).__name__}: {self.asked} asked, "
                f"{self.labelled} labelled, {plural(self.mistakes, 'mistake')}, "
                f"{self.waiting} waiting, {self.dropped} dropped)"
            )
