"""Predict now, learn later: questions that wait for their labels, and what is counted of them."""

from __future__ import annotations

import operator
import reprlib
import secrets
import typing
from collections import OrderedDict
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, SupportsIndex

import numpy as np

from novikoff.guarantees.exact.arithmetic import Number
from novikoff.guarantees.risk import RiskBound, average_risk

_POINTS = 2000  # of the curve, at most


class BadTicket(ValueError):  # noqa: N818  (it names the thing that is wrong)
    """A ticket that is not waiting for its label here; says why."""


class OneByOne(typing.Protocol):
    """What a Protocol needs of a learner: novikoff's estimators and river's classifiers have it."""

    def predict_one(self, x: Any, /) -> Any:
        """A label, or None when there is nothing to say yet; changes nothing that is counted."""

    def learn_one(self, x: Any, y: Any, /) -> Any:
        """Learn from one example; when it is refused, by an error, nothing has changed."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """A question that was answered: its number, from 1, and the prediction that was made."""

    number: int
    prediction: Any
    of: str = field(repr=False)  # which Protocol gave it out


class Protocol:
    """See x, predict, be told y later, or out of order, or never: and count what was wrong.

    A label that comes late is compared with the prediction that was made, not with one made now;
    then the learner learns from the example as it was. When every label comes at once this is the
    online protocol itself, and its mistakes are those that the mistake bounds count, except that
    a learner may also update where its prediction was right (a margin, or a score of exactly 0),
    and that nobody can say a label before it was told once, which is a mistake a label.

    Threads may share one Protocol: they take turns, a prediction or an update at a time. That
    holds for what goes through the Protocol, not for a learner that is also used beside it.

    Ctrl-C may come between learning and counting, as between any two steps of Python; in
    `progressive_validation` it is held back.

    It can be pickled and copied, whole and at one moment, also while other threads use it: a copy
    has a learner of its own, the same counts, and what was waiting goes on waiting in it, under the
    same tickets.

    Parameters
    ----------
    learner
        What has `predict_one(x)` and `learn_one(x, y)`. A prediction of None is a mistake.
    max_waiting
        How many may wait at the same time. When one more is asked, the one that has waited longest
        is let go, and counted in `let_go`. By default all wait until they are told.

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
    Protocol(Last: 2 asked, 2 told, 1 mistake, 0 waiting, 0 let go)
    """

    def __init__(self, learner: OneByOne, *, max_waiting: int | None = None) -> None:
        if isinstance(learner, type):
            raise TypeError(f"a Protocol needs a learner, not its class: {learner.__name__}()")
        for verb in ("predict_one", "learn_one"):
            if not callable(getattr(learner, verb, None)):
                raise TypeError(
                    f"a Protocol needs a learner with predict_one and learn_one; "
                    f"{type(learner).__name__} has no {verb}"
                )
        if max_waiting is None:
            pass
        elif isinstance(max_waiting, bool) or not hasattr(max_waiting, "__index__"):
            raise TypeError(f"max_waiting must be a whole number, or None, not {max_waiting!r}")
        elif operator.index(max_waiting) < 1:
            raise ValueError(f"max_waiting must be at least 1, or None, not {max_waiting!r}")
        self._learner, self._max_waiting = learner, max_waiting
        self._name = secrets.token_hex(8)
        self._waiting: OrderedDict[int, tuple[Any, Any]] = OrderedDict()
        self._asked = self._told = self._mistakes = 0
        self._stride, self._marks = 1, list[int]()
        self._turn = Lock()

    def ask(self, x: Any) -> Ticket:
        """Predict for x, and keep a copy of it until its label comes.

        The prediction is `ticket.prediction`; the ticket, or its number, is what to `tell` the
        label with. A dict or an array may be changed or used again afterwards (what the values of a
        dict contain is not copied). When the learner refuses x, nothing was asked.
        """
        x = _copy(x)
        with self._turn:
            prediction = self._learner.predict_one(x)
            if len(self._waiting) == self._max_waiting:
                self._waiting.popitem(last=False)
            self._asked += 1
            self._waiting[self._asked] = (x, prediction)
            return Ticket(self._asked, prediction, self._name)

    def tell(self, ticket: Ticket | SupportsIndex, y: Any) -> bool:
        """Count whether the prediction was right, and learn from the example; returns whether.

        BadTicket, if it is not waiting: told already, let go, never given out, or another
        Protocol's. When the learner refuses the label, the ticket waits on and nothing is counted.
        """
        if y is None:
            raise ValueError(
                f"{_named(ticket)}: the label is None; a label that never comes is not told, and "
                "`drop` lets the example go"
            )
        with self._turn:
            number = self._find(ticket)
            x, prediction = self._waiting[number]
            same = prediction == y
            right = same is True or (isinstance(same, np.bool_) and bool(same))
            self._learner.learn_one(x, y)
            del self._waiting[number]
            self._told += 1
            self._mistakes += not right
            self._mark()
        return right

    def drop(self, ticket: Ticket | SupportsIndex) -> None:
        """Let go of an example whose label will not come; BadTicket, if it is not waiting."""
        with self._turn:
            del self._waiting[self._find(ticket)]

    def __contains__(self, ticket: Ticket | SupportsIndex) -> bool:
        """Whether the ticket, or the one of this number, is waiting here."""
        with self._turn:
            try:
                self._find(ticket)
            except BadTicket:
                return False
            return True

    @property
    def learner(self) -> OneByOne:
        """What learns."""
        return self._learner

    @property
    def asked(self) -> int:
        """How many predictions were made: those told, waiting and let go."""
        return self._asked

    @property
    def told(self) -> int:
        """How many labels came."""
        return self._told

    @property
    def mistakes(self) -> int:
        """How many of the labels that came were not what had been predicted."""
        return self._mistakes

    @property
    def waiting(self) -> int:
        """How many predictions wait for their labels."""
        return len(self._waiting)

    @property
    def let_go(self) -> int:
        """How many will not be told: dropped, or too many for `max_waiting`."""
        with self._turn:
            return self._asked - self._told - len(self._waiting)

    @property
    def tickets(self) -> list[Ticket]:
        """The tickets that are waiting, the one asked first first."""
        with self._turn:
            return [Ticket(n, said, self._name) for n, (_, said) in self._waiting.items()]

    @property
    def error_rate(self) -> float:
        """Mistakes by labels told; nan before the first."""
        with self._turn:
            return self._mistakes / self._told if self._told else float("nan")

    @property
    def curve(self) -> list[tuple[int, int]]:
        """How the mistakes grew: points (labels told, mistakes among them), the last one now.

        Each point is exact. Up to two thousand labels there is one for every label; later for every
        2nd, 4th, 8th, ..., so that a long run takes no more memory than a short one.
        """
        with self._turn:
            points = [(self._stride * k, made) for k, made in enumerate(self._marks, start=1)]
            if self._told % self._stride:
                points.append((self._told, self._mistakes))
            return points

    def risk_bound(
        self, *, confidence: Number = 0.95, untold_as_mistakes: bool = False
    ) -> RiskBound:
        """How often the predictors that were asked err on new examples, on average over them.

        Both bounds of `guarantees.average_risk`, with n the labels told and M the mistakes: `azuma`
        and `bernstein`, each for itself, and `value`, which holds whichever of the two it is.

        They need no label to come at once. Number the examples as they were asked, not as they were
        told, and let h_i be the predictor that stood when x_i was asked. It was made from examples
        asked earlier, those of them that had been told by then, so given these x_i and y_i are
        still a fresh draw, and the mistake on them has the risk of h_i as its expectation. The
        differences between risk and mistake are therefore those of a martingale in the order of
        asking, and the two inequalities ask for nothing more. It takes that

        - the examples are independent draws from one distribution, each asked once, and the learner
          has met none of them otherwise (what it had learned before from others does not matter);
        - which of them have been told by now does not depend on the examples. If labels come after
          some time, or are lost, whatever is in the mail, that is so; and if all that were asked
          have been told, each may have come when it liked. It is not so if labels come for what
          looked doubtful, or only when somebody complained, or spam is told sooner than ham and
          some are waiting. Nobody can see this in the counts;
        - the moment to look was not chosen by what was counted. To look k times, ask each time for
          a confidence of 1 − δ/k.

        Parameters
        ----------
        confidence
            1 − δ, between 0 and 1.
        untold_as_mistakes
            Count all that were asked, and those that were not told as mistakes. That can only be
            too many, so the second condition falls away, whatever labels come for.

        References
        ----------
        Cesa-Bianchi, Conconi & Gentile (2004); Cesa-Bianchi & Gentile (2008): see
        `guarantees.average_risk`.
        """
        with self._turn:
            n, M, asked = self._told, self._mistakes, self._asked
        if untold_as_mistakes:
            n, M = asked, M + asked - n
        if n == 0:
            raise ValueError(f"no label has been told, so nothing is known; {asked} were asked")
        return average_risk(n, M, confidence=confidence)

    def _find(self, ticket: Ticket | SupportsIndex) -> int:
        """The number of a ticket that is waiting."""
        if isinstance(ticket, Ticket):
            if ticket.of != self._name:
                raise BadTicket(f"{_named(ticket)} was given out by another Protocol")
            ticket = ticket.number
        elif isinstance(ticket, bool) or not hasattr(ticket, "__index__"):
            raise TypeError(
                f"a Ticket or its number is needed, not {type(ticket).__name__}: "
                f"{reprlib.repr(ticket)}"
            )
        number = operator.index(ticket)
        if number in self._waiting:
            return number
        if not 1 <= number <= self._asked:
            upto = f"the last one is {self._asked}" if self._asked else "none has been"
            raise BadTicket(f"ticket {number} was never given out; {upto}")
        raise BadTicket(f"ticket {number} is not waiting: it was {self._gone()} already")

    def _gone(self) -> str:
        if not self._told:
            return "let go"
        return "told" if self._asked == self._told + len(self._waiting) else "told or let go"

    def _mark(self) -> None:
        if self._told % self._stride == 0:
            self._marks.append(self._mistakes)
        if len(self._marks) > _POINTS:
            self._marks, self._stride = self._marks[1::2], 2 * self._stride

    def __getstate__(self) -> dict[str, Any]:
        with self._turn:  # a learner that another thread goes on teaching must not be half written
            state = {k: v for k, v in vars(self).items() if k not in ("_turn", "_learner")}
            state |= {"_waiting": self._waiting.copy(), "_marks": self._marks.copy()}
            return state | {"_learner": deepcopy(self._learner)}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        vars(self).update(state)
        self._turn = Lock()

    def __repr__(self) -> str:
        with self._turn:
            waiting, made = len(self._waiting), self._mistakes
            gone = self._asked - self._told - waiting
            return (
                f"Protocol({type(self._learner).__name__}: {self._asked} asked, {self._told} told, "
                f"{made} mistake{'' if made == 1 else 's'}, {waiting} waiting, {gone} let go)"
            )


def _copy(x: Any) -> Any:
    if isinstance(x, dict | np.ndarray):
        return x.copy()
    return dict(x) if isinstance(x, Mapping) else deepcopy(x)


def _named(ticket: Ticket | SupportsIndex) -> str:
    return f"ticket {ticket.number if isinstance(ticket, Ticket) else ticket}"
