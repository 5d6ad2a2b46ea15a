"""Predict now, learn later: what a Protocol counts, whatever the order of the labels."""

from __future__ import annotations

import copy
import math
import pickle
import sys
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff import BadExample, BadTicket, Protocol, Ticket, guarantees
from novikoff.online.delayed_labels import OneByOne


class Last:
    """Predicts the label it was told last; takes dicts, and the labels spam and ham."""

    def __init__(self) -> None:
        self.said: str | None = None
        self.met: list[tuple[Any, str]] = []

    def predict_one(self, x: Any) -> str | None:
        if not isinstance(x, dict):
            raise BadExample(f"x must be a dict, not {type(x).__name__}")
        return self.said

    def learn_one(self, x: Any, y: str) -> None:
        if y not in ("spam", "ham"):
            raise BadExample(f"label {y!r} is not one of spam, ham")
        self.said = y
        self.met.append((x, y))


def counts(p: Protocol) -> tuple[int, int, int, int, int]:
    assert p.asked == p.labelled + p.waiting + p.dropped
    return p.asked, p.labelled, p.mistakes, p.waiting, p.dropped


def test_a_mistake_is_counted_against_the_prediction_that_was_made() -> None:
    learner = Last()
    p = Protocol(learner)
    a, b, c = (p.ask({"n": n}) for n in range(3))
    assert (a.prediction, a.number, c.number) == (None, 1, 3)
    assert not p.tell(b, "spam")  # nothing had been predicted
    d = p.ask({"n": 3})
    assert d.prediction == "spam"
    assert not p.tell(a, "ham")
    assert p.tell(d, "spam")  # it would be ham now
    assert p.learner is learner
    assert learner.met == [({"n": 1}, "spam"), ({"n": 0}, "ham"), ({"n": 3}, "spam")]
    assert counts(p) == (4, 3, 2, 1, 0)
    assert p.tickets == [c]
    assert [t in p for t in (a, c, 3, 99)] == [False, True, True, False]


def test_a_ticket_can_be_given_by_its_number() -> None:
    p = Protocol(Last())
    first, second, third = (p.ask({}).number for _ in range(3))
    p.tell(third, "ham")
    p.tell(np.int64(first), "ham")
    p.drop(second)
    assert counts(p) == (3, 2, 2, 0, 1)


class Keeps:
    """Takes anything, and keeps what it is told."""

    def __init__(self) -> None:
        self.met: list[Any] = []

    def predict_one(self, x: Any) -> int:
        return 0

    def learn_one(self, x: Any, y: Any) -> None:
        self.met.append(x)


def test_an_example_is_learned_from_as_it_was_when_asked() -> None:
    learner = Keeps()
    p = Protocol(learner)
    named, row, listed = {"a": 1.0}, np.arange(3.0), [[1.0], [2.0]]
    inside = {"b": 1}
    tickets = [p.ask(x) for x in (named, row[::2], listed, MappingProxyType(inside), "text")]
    named["a"] = named["new"] = 2.0
    row[:] = 9.0
    listed[0][0] = 9.0
    inside.clear()
    for ticket in tickets:
        p.tell(ticket, 1)
    assert learner.met[0] == {"a": 1.0}
    assert learner.met[1].tolist() == [0.0, 2.0]
    assert learner.met[2:] == [[[1.0], [2.0]], {"b": 1}, "text"]


def test_max_waiting_drops_the_oldest_prediction() -> None:
    p = Protocol(Last(), max_waiting=2)
    a, b, c = p.ask({}), p.ask({}), p.ask({})
    assert counts(p) == (3, 0, 0, 2, 1)
    with pytest.raises(
        BadTicket, match=r"^ticket 1 is not waiting: it was already labelled or dropped$"
    ):
        p.tell(a, "spam")
    p.tell(c, "spam")
    p.ask({})
    assert b in p
    p.ask({})
    assert b not in p
    with pytest.raises(BadTicket, match="ticket 2 .*: it was already labelled or dropped"):
        p.tell(b, "spam")
    assert counts(p) == (5, 1, 1, 2, 2)


def state(p: Protocol) -> Any:
    return counts(p), p.tickets, p.curve, copy.deepcopy(vars(p.learner))


@pytest.mark.parametrize(
    ("ticket", "words"),
    [
        (0, "ticket 0 was never issued; the last one is 3"),
        (4, "ticket 4 was never issued; the last one is 3"),
        (-1, "ticket -1 was never issued"),
        (10**30, "was never issued"),
        (1, "ticket 1 is not waiting: it was already labelled or dropped"),
        (Ticket(1, None, "elsewhere"), "ticket 1 was issued by another Protocol"),
    ],
)
def test_a_ticket_that_is_not_waiting_changes_nothing(ticket: Ticket | int, words: str) -> None:
    p = Protocol(Last())
    p.tell(p.ask({}), "spam")
    p.ask({})
    p.ask({})
    before = state(p)
    with pytest.raises(BadTicket, match=words):
        p.tell(ticket, "ham")
    with pytest.raises(BadTicket, match=words):
        p.drop(ticket)
    assert state(p) == before
    with pytest.raises(BadTicket, match="ticket 1 was never issued; there are none yet"):
        Protocol(Last()).tell(1, "spam")


def test_a_ticket_of_another_protocol_is_refused_though_its_number_is_waiting() -> None:
    p, q = Protocol(Last()), Protocol(Last())
    ticket = p.ask({})
    q.ask({})
    assert ticket not in q
    with pytest.raises(BadTicket, match="another Protocol"):
        q.tell(ticket, "spam")
    assert counts(q) == (1, 0, 0, 1, 0)


@pytest.mark.parametrize("ticket", [True, "1", 1.0, None])
def test_an_object_that_is_not_a_ticket_raises_type_error(ticket: Any) -> None:
    p = Protocol(Last())
    p.ask({})
    with pytest.raises(
        TypeError, match=f"pass a Ticket or its number, not {type(ticket).__name__}: {ticket!r}"
    ):
        p.tell(ticket, "spam")


def test_an_example_that_the_learner_rejects_is_not_counted() -> None:
    p = Protocol(Last(), max_waiting=1)
    ticket = p.ask({})
    before = state(p)
    with pytest.raises(BadExample, match="x must be a dict, not list"):
        p.ask([1.0])
    for y in ("egg", np.array(["spam", "ham"])):
        with pytest.raises(ValueError, match="is not one of spam, ham|ambiguous"):
            p.tell(ticket, y)
    with pytest.raises(ValueError, match=r"^the label is None; call drop\(\) if none will arrive"):
        p.tell(ticket, None)
    assert state(p) == before
    assert not p.tell(ticket, "spam")


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        (Last, "pass a learner, not its class: Last"),
        (object(), "object has no predict_one"),
        (type("Deaf", (), {"predict_one": len})(), "Deaf has no learn_one"),
    ],
)
def test_a_protocol_needs_predict_one_and_learn_one(learner: Any, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        Protocol(learner)


def test_max_waiting_is_at_least_one() -> None:
    with pytest.raises(ValueError, match="max_waiting must be at least 1 or None, not 0"):
        Protocol(Last(), max_waiting=0)
    for wrong in (1.5, "5", True):
        with pytest.raises(TypeError, match=f"max_waiting must be a whole .* not {wrong!r}"):
            Protocol(Last(), max_waiting=wrong)  # type: ignore[arg-type]


@given(
    st.lists(st.tuples(st.sampled_from("atd"), st.integers(0, 9))), st.integers(1, 4) | st.none()
)
def test_whatever_the_order_it_counts_as_a_list_would(
    steps: list[tuple[str, int]], room: int | None
) -> None:
    p, said = Protocol(Last(), max_waiting=room), None
    waiting: OrderedDict[int, str | None] = OrderedDict()
    labelled, mistakes, gone, curve = 0, 0, 0, []
    for step, k in steps:
        if step == "a":
            waiting[p.ask({}).number] = said
            if room is not None and len(waiting) > room:
                waiting.popitem(last=False)
                gone += 1
        elif waiting:
            number = list(waiting)[k % len(waiting)]
            if step == "d":
                p.drop(number)
                del waiting[number]
                gone += 1
            else:
                y = "spam" if k % 2 else "ham"
                right = waiting.pop(number) == y
                assert p.tell(number, y) == right
                labelled, mistakes, said = labelled + 1, mistakes + (not right), y
                curve.append((labelled, mistakes))
        assert counts(p)[1:] == (labelled, mistakes, len(waiting), gone)
    assert p.curve == curve
    assert [t.number for t in p.tickets] == list(waiting)


def test_the_curve_is_exact_and_its_length_bounded() -> None:
    p, dice = Protocol(Last()), np.random.default_rng(0)
    made = [0]
    for y in dice.choice(["spam", "ham"], 9001):
        made.append(made[-1] + (not p.tell(p.ask({}), str(y))))
        if len(made) in (2, 2001, 2002, 4002):
            assert p.curve == [(t, made[t]) for t, _ in p.curve]
            assert p.curve[-1][0] == len(made) - 1
            assert len(p.curve) == {2: 1, 2001: 2000, 2002: 1001, 4002: 2001}[len(made)]
    curve = p.curve
    assert [t for t, _ in curve] == [*range(8, 9001, 8), 9001]
    assert [m for _, m in curve] == [made[t] for t, _ in curve]
    assert p.error_rate == made[-1] / 9001
    assert p.mistakes == made[-1]


def test_before_the_first_label_nothing_is_known() -> None:
    p = Protocol(Last())
    assert math.isnan(p.error_rate)
    assert p.curve == []
    p.ask({})
    with pytest.raises(
        ValueError, match=r"no label has been given yet \(1 asked\), so there is no bound"
    ):
        p.risk_bound()
    assert p.risk_bound(unlabelled_as_mistakes=True).value == 1


def test_the_bound_is_that_of_the_labels_told() -> None:
    p = Protocol(Last())
    for k in range(1000):
        p.tell(p.ask({}), "spam" if k % 100 else "ham")
    for _ in range(500):
        p.ask({})
    assert p.risk_bound(confidence=0.9) == guarantees.average_risk(1000, 20, confidence=0.9)
    with_all = p.risk_bound(unlabelled_as_mistakes=True)
    assert (with_all.rounds, with_all.mistakes) == (1500, 520)


def test_a_protocol_is_saved_with_what_is_waiting() -> None:
    p = Protocol(Last(), max_waiting=3)
    a, b = p.ask({"n": 0}), p.ask({"n": 1})
    p.tell(a, "spam")
    for again in (pickle.loads(pickle.dumps(p)), copy.deepcopy(p), copy.copy(p)):
        assert state(again) == state(p)
        assert again.tell(pickle.loads(pickle.dumps(b)), "ham") is False
        assert vars(again.learner)["met"] == [({"n": 0}, "spam"), ({"n": 1}, "ham")]
        assert [again.ask({}).number for _ in range(4)] == [3, 4, 5, 6]
        assert again.dropped == 1
    assert (counts(p), p.curve) == ((2, 1, 1, 1, 0), [(1, 1)])  # each copy went its own way
    assert p.learner.predict_one({}) == "spam"


class Counter:
    """Loses counts if two threads are in it at once, and says how many waited while it learned."""

    def __init__(self) -> None:
        self.learned, self.inside = 0, 0

    def predict_one(self, x: Any) -> int:
        return self._alone(0)

    def learn_one(self, x: Any, y: Any) -> None:
        self.learned = self._alone(self.learned) + 1

    def _alone(self, value: int) -> int:
        self.inside += 1
        assert self.inside == 1
        for _ in range(20):
            value = int(str(value))
        assert self.inside == 1
        self.inside -= 1
        return value

    def __deepcopy__(self, memo: Any) -> Counter:
        taken = Counter()
        taken.learned = self._alone(self.learned)
        return taken


def test_threads_take_turns() -> None:
    learner: OneByOne = Counter()
    p = Protocol(learner)

    def work(k: int) -> int:
        wrong = 0
        for n in range(300):
            tickets = [p.ask({"k": k}), p.ask({"n": n})]
            wrong += not p.tell(tickets[n % 2], k % 2)
            if n % 3 == 0:
                p.drop(tickets[1 - n % 2])
            if n % 50 == 0:
                saved = pickle.loads(pickle.dumps(p))
                assert saved.learner.learned == saved.labelled == saved.curve[-1][0]
        return wrong

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            wrong = sum(pool.map(work, range(8)))
    finally:
        sys.setswitchinterval(interval)
    assert counts(p) == (4800, 2400, 1200, 1600, 800)
    assert wrong == p.mistakes
    assert isinstance(p.learner, Counter)
    assert p.learner.learned == 2400
