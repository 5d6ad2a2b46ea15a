"""Predict now, learn later: what a Protocol counts, whatever the order of the labels."""

from __future__ import annotations

import copy
import math
import pickle
import random
import sys
import warnings
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff import (
    AdaptivePerceptron,
    BadExample,
    BadModel,
    BadTicket,
    DriftWarning,
    Perceptron,
    Protocol,
    Ticket,
    VotedPerceptron,
    Winnow,
    guarantees,
)
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
    assert (a.prediction, len({a.id, b.id, c.id})) == (None, 3)
    assert not p.tell(b, "spam")  # nothing had been predicted
    d = p.ask({"n": 3})
    assert d.prediction == "spam"
    assert not p.tell(a, "ham")
    assert p.tell(d, "spam")  # it would be ham now
    assert p.learner is learner
    assert learner.met == [({"n": 1}, "spam"), ({"n": 0}, "ham"), ({"n": 3}, "spam")]
    assert counts(p) == (4, 3, 2, 1, 0)
    assert p.tickets == [c]
    assert [t in p for t in (a, c, c.id, 99)] == [False, True, True, False]


@pytest.mark.parametrize(
    "learner",
    [
        Perceptron(),
        AdaptivePerceptron(hash_bits=4),
        Perceptron(multiclass="joint"),
        VotedPerceptron(),
    ],
    ids=lambda one: type(one).__name__,
)
def test_many_examples_at_once_are_asked_and_told_as_one_by_one(learner: Any) -> None:
    dice = random.Random(3)
    one, many = (
        Protocol(copy.deepcopy(learner), probabilities=hasattr(learner, "calibrated"), window=7)
        for _ in range(2)
    )
    labels = ("ham", "spam", "other") if getattr(learner, "multiclass", "") == "joint" else _TWO
    for start in range(0, 200, 20):
        keys = range(start, start + 20)
        X = [{f"w{dice.randrange(9)}": dice.random() for _ in range(3)} for _ in keys]
        assert many.ask_many(X, keys) == [one.ask(x, key=k) for x, k in zip(X, keys, strict=True)]
        told = {k: dice.choice(labels) for k in dice.sample(keys, 19)}
        found = many.tell_many(told)
        assert found == [one.tell(k, y) for k, y in told.items()]
        assert (counts(many), many.curve, many.drift) == (counts(one), one.curve, one.drift)
        assert many.recent_error_rate == one.recent_error_rate
    before = counts(many)
    with pytest.raises(BadTicket):
        many.tell_many({start: "ham", 999: "ham"})
    with pytest.raises(BadTicket):
        many.ask_many([{}, {}], [500, 500])
    with pytest.raises((TypeError, ValueError)):
        many.ask_many([{"a": 1}, 7], [501, 502])
    assert counts(many) == before
    a, b = many.ask_many([{"a": 1}, {"a": 1}], [601, 602])
    if labels == _TWO:  # a bad label is an error of its own
        bad, good = many.tell_many({a.id: "a third", b.id: "ham"})
        assert isinstance(bad, ValueError)
        assert isinstance(good, bool)
        assert [one.id in many for one in (a, b)] == [True, False]


_TWO = ("ham", "spam")


def test_a_ticket_can_be_given_by_its_id_or_by_the_key_of_the_caller() -> None:
    p = Protocol(Last())
    first = p.ask({}).id
    assert (p.ask({}, key="mail 7").id, p.ask({}, key=7).id) == ("mail 7", 7)
    p.tell(7, "ham")
    p.tell(first, "ham")
    p.drop("mail 7")
    assert counts(p) == (3, 2, 2, 0, 1)
    for key in (True, 1.0, ("a",)):
        with pytest.raises(TypeError, match="a key must be a text or a whole number"):
            p.ask({}, key=key)  # type: ignore[arg-type]


def test_a_key_that_waits_is_refused_and_may_be_used_again_afterwards() -> None:
    p = Protocol(Last())
    p.ask({"n": 1}, key="a")
    with pytest.raises(BadTicket, match="^'a' is already waiting for its label; choose another"):
        p.ask({"n": 2}, key="a")
    assert counts(p) == (1, 0, 0, 1, 0)
    p.tell("a", "ham")
    p.ask({"n": 3}, key="a")
    assert counts(p) == (2, 1, 1, 1, 0)


def test_no_restart_issues_a_ticket_again() -> None:
    p = Protocol(Last())
    saved = pickle.dumps(p)  # before the crash
    lost = p.ask({"old": 1})
    again = pickle.loads(saved)
    again.ask({"new": 1})
    with pytest.raises(BadTicket, match="not waiting here"):
        again.tell(lost, "spam")
    with pytest.raises(BadTicket, match="not waiting here"):
        again.tell(lost.id, "spam")
    assert counts(again) == (1, 0, 0, 1, 0)


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
        BadTicket, match=r"^ticket '[0-9a-f]{24}' is not waiting here: it was labelled or dropped, "
    ):
        p.tell(a, "spam")
    p.tell(c, "spam")
    p.ask({})
    assert b in p
    p.ask({})
    assert b not in p
    with pytest.raises(BadTicket, match="it was labelled or dropped"):
        p.tell(b, "spam")
    assert counts(p) == (5, 1, 1, 2, 2)


def state(p: Protocol) -> Any:
    return counts(p), p.tickets, p.curve, copy.deepcopy(vars(p.learner))


@pytest.mark.parametrize(
    ("ticket", "words"),
    [
        (0, "ticket 0 is not waiting here"),
        (10**30, "is not waiting here"),
        ("told", "ticket 'told' is not waiting here: it was labelled or dropped, or this Proto"),
        (Ticket("elsewhere", None), "ticket 'elsewhere' is not waiting here"),
    ],
)
def test_a_ticket_that_is_not_waiting_changes_nothing(
    ticket: Ticket | int | str, words: str
) -> None:
    p = Protocol(Last())
    p.tell(p.ask({}, key="told"), "spam")
    p.ask({})
    p.ask({})
    before = state(p)
    with pytest.raises(BadTicket, match=words):
        p.tell(ticket, "ham")
    with pytest.raises(BadTicket, match=words):
        p.drop(ticket)
    assert state(p) == before


def test_a_ticket_of_another_protocol_is_refused() -> None:
    p, q = Protocol(Last()), Protocol(Last())
    ticket = p.ask({})
    q.ask({})
    assert ticket not in q
    with pytest.raises(BadTicket, match="or this Protocol never issued it"):
        q.tell(ticket, "spam")
    assert counts(q) == (1, 0, 0, 1, 0)


@pytest.mark.parametrize("ticket", [True, b"1", 1.0, None])
def test_an_object_that_is_not_a_ticket_raises_type_error(ticket: Any) -> None:
    p = Protocol(Last())
    p.ask({})
    with pytest.raises(
        TypeError, match=f"pass a Ticket or its id, not {type(ticket).__name__}: {ticket!r}"
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
    waiting: OrderedDict[int | str, str | None] = OrderedDict()
    labelled, mistakes, gone, curve = 0, 0, 0, []
    for step, k in steps:
        if step == "a":
            waiting[p.ask({}).id] = said
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
    assert [t.id for t in p.tickets] == list(waiting)


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
        assert [again.ask({}, key=k).id for k in range(4)] == [0, 1, 2, 3]
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
    p = Protocol(learner, window=10**6)

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


def test_a_ticket_has_the_score_and_the_probability_of_its_prediction() -> None:
    clf = AdaptivePerceptron()
    p, plain = Protocol(clf, probabilities=True), Protocol(clf)
    assert (p.ask({"a": 1}).score, p.ask({"a": 1}).probability) == (None, None)
    for k in range(40):
        p.tell(p.ask({"a": 1.0, "b": float(k % 3)}), "yes" if k % 3 else "no")
    ticket = p.ask({"a": 1.0, "b": 0.0})
    assert ticket.prediction == "no"
    assert ticket.score == clf.decision_one({"a": 1.0, "b": 0.0})
    assert ticket.probability == clf.predict_proba_one({"a": 1.0, "b": 0.0})["no"] > 0.5
    assert plain.ask({"a": 1.0, "b": 0.0}) == ticket._replace(
        id=plain.tickets[-1].id, probability=None
    )
    many = Perceptron(multiclass="joint")
    for label in "abc":
        many.learn_one({label: 1}, label)
    scores = many.decision_one({"b": 1})
    assert isinstance(scores, dict)
    assert Protocol(many).ask({"b": 1}).score == scores["b"]
    with pytest.raises(TypeError, match="VotedPerceptron has no predict_proba_one"):
        Protocol(VotedPerceptron(), probabilities=True)


def test_a_weight_reaches_the_learner_and_the_mistake_counts_once() -> None:
    one, other = Perceptron(), Perceptron()
    p = Protocol(one)
    for x, y, weight in (({"a": 1}, 1, 2.5), ({"a": 1}, 0, 0.5), ({"b": 1}, 0, None)):
        p.tell(p.ask(x), y, weight=weight)
        other.learn_one(x, y, weight=weight)
    assert dict(one.named_weights) == dict(other.named_weights)
    assert (p.labelled, p.mistakes) == (3, 3)


def test_the_learner_can_be_swapped_while_examples_wait() -> None:
    first, second = Last(), Last()
    p = Protocol(first)
    p.tell(p.ask({}), "spam")
    waiting = p.ask({"n": 1})
    assert p.swap(second) is first
    assert p.ask({}).prediction is None
    assert p.tell(waiting, "spam")  # the prediction of the first learner
    assert second.met == [({"n": 1}, "spam")]
    with pytest.raises(TypeError, match="int has no predict_one"):
        p.swap(3)  # type: ignore[arg-type]
    assert p.learner is second


THREE = [({"a": 1}, "x"), ({"b": 1}, "y"), ({"c": 1}, "z"), ({"c": 1}, "z")]


def test_the_error_about_a_third_label_names_cures_that_work() -> None:
    p = Protocol(Perceptron())
    for x, y in THREE[:2]:
        p.tell(p.ask(x), y)
    third = p.ask({"c": 1})
    with pytest.raises(BadExample, match=r"third class.*classes=\[\.\.\.\].*multiclass='joint'"):
        p.tell(third, "z")
    assert (p.labelled, p.waiting) == (2, 1)
    cured: list[Protocol] = [
        Protocol(Winnow(threshold=1.0), classes=["x", "y", "z"]),
        Protocol(Perceptron(), classes=["x", "y", "z"]),
        Protocol(Perceptron(multiclass="joint")),
    ]
    for q in cured:
        for x, y in THREE:
            q.tell(q.ask(x), y)
        assert q.ask({"c": 1}).prediction == "z"
    p.swap(Perceptron(multiclass="joint"))
    p.tell(p.tickets[0], "z")
    cured[1].swap(Perceptron())  # the new learner is told the classes, too
    for x, y in THREE:
        cured[1].tell(cured[1].ask(x), y)


def test_a_nested_example_is_learned_from_as_it_was_when_asked() -> None:
    learner = Keeps()
    p = Protocol(learner)
    x: dict[str, Any] = {"user": {"age": 3}, "tags": ["a"], "row": np.zeros(1)}
    ticket = p.ask(x)
    x["user"]["age"], x["row"][0] = 4, 1.0
    x["tags"].append("b")
    p.tell(ticket, 1)
    assert learner.met == [{"user": {"age": 3}, "tags": ["a"], "row": np.zeros(1)}]


def told(p: Protocol, rate: float, labels: int, dice: np.random.Generator) -> None:
    p.swap(Always())
    for wrong in dice.random(labels) < rate:
        p.tell(p.ask({}), "no" if wrong else "yes")


class Always:
    def predict_one(self, x: Any) -> str:
        return "yes"

    def learn_one(self, x: Any, y: str) -> None:
        pass


def test_the_recent_error_rate_is_that_of_the_last_window() -> None:
    p = Protocol(Always(), window=4)
    assert math.isnan(p.recent_error_rate)
    rates = []
    for y in ("no", "yes", "no", "no", "yes", "yes"):
        p.tell(p.ask({}), y)
        rates.append(p.recent_error_rate)
    assert rates == [1, 1 / 2, 2 / 3, 3 / 4, 2 / 4, 2 / 4]
    with pytest.raises(ValueError, match="window must be at least 1"):
        Protocol(Always(), window=0)
    with pytest.raises(ValueError, match="false_alarms must be between 0 and 1, not 0"):
        Protocol(Always(), false_alarms=0)


def test_a_rise_of_the_error_rate_gives_one_warning_and_a_fall_none() -> None:
    dice = np.random.default_rng(1)
    p = Protocol(Always(), window=200)
    told(p, 0.3, 1000, dice)
    told(p, 0.1, 3000, dice)
    assert p.drift is None
    with pytest.warns(
        DriftWarning, match=r"^\d+\.\d\d% of the last 200 predictions were wrong"
    ) as got:
        told(p, 0.35, 4000, dice)
    assert len(got) == 1
    assert p.drift is not None
    assert 4000 < p.drift.labelled <= 4600
    assert pickle.loads(pickle.dumps(p)).drift == p.drift


def test_false_alarms_are_as_rare_as_promised() -> None:
    dice, alarms = np.random.default_rng(0), 0
    for _ in range(200):
        p = Protocol(Always(), window=20, false_alarms=0.2)
        with warnings.catch_warnings(record=True) as got:
            warnings.simplefilter("always")
            told(p, 0.25, 400, dice)
        alarms += bool(got)
    assert 0 < alarms <= 40  # 200 × 0.2, though the test is made nineteen times in each


@pytest.mark.parametrize("by_name", [True, False])
def test_a_saved_protocol_goes_on_as_if_nothing_had_happened(by_name: bool, tmp_path: Path) -> None:
    dice = np.random.default_rng(0)

    def x() -> Any:
        numbers = dice.integers(-3, 4, 3).astype(np.float32)
        return {"a": {"b": numbers[0]}, "c": int(numbers[1]), "t": ["u"]} if by_name else numbers

    p = Protocol(AdaptivePerceptron(), max_waiting=50, window=30, probabilities=True)
    waiting = [p.ask(x(), key=f"mail {k}" if k % 2 else None) for k in range(60)]
    for k in range(10, 55):
        p.tell(waiting[k], "yes" if k % 3 else "no", weight=1.5)
    p.save(tmp_path / "inbox")
    lost = p.ask(x())  # after the file was written: the process crashes
    q = Protocol.load(tmp_path / "inbox")
    assert (counts(q), q.tickets, q.curve) == ((60, 45, p.mistakes, 5, 10), p.tickets[:-1], p.curve)
    assert (q.recent_error_rate, q.drift) == (p.recent_error_rate, p.drift)
    with pytest.raises(BadTicket, match="not waiting here"):
        q.tell(lost, "yes")
    p.drop(lost)
    for ticket in waiting[55:]:
        assert q.tell(ticket.id, "no") == p.tell(ticket.id, "no")
    for k in range(40):
        new = x()
        a, b = p.ask(new), q.ask(new)
        assert (a.prediction, a.score, a.probability) == (b.prediction, b.score, b.probability)
        assert p.tell(a, "yes" if k % 3 else "no") == q.tell(b, "yes" if k % 3 else "no")
    p.learner.save(tmp_path / "one")  # type: ignore[attr-defined]
    q.learner.save(tmp_path / "other")  # type: ignore[attr-defined]
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()
    q.save(tmp_path / "again")
    Protocol.load(tmp_path / "again").save(tmp_path / "inbox")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "inbox").read_bytes()


@pytest.mark.parametrize("told", [0, 1, 2])
def test_a_protocol_is_saved_before_its_learner_has_seen_two_labels(
    told: int, tmp_path: Path
) -> None:
    learner = AdaptivePerceptron(class_weight={"spam": 2.0})
    p = Protocol(learner, probabilities=True, classes=["spam", "ham"])
    for k in range(4):
        p.ask({"free": k, "text": 1}, key=f"m{k}")
    for k in range(told):
        p.tell(f"m{k}", "spam")
    p.save(tmp_path / "p")
    q = Protocol.load(tmp_path / "p")
    assert q.learner.get_params() == p.learner.get_params()  # type: ignore[attr-defined]
    for one in (p, q):
        one.tell("m2", "ham")
        one.tell("m3", "spam")
        one.save(tmp_path / str(one is p))
    assert (tmp_path / "True").read_bytes() == (tmp_path / "False").read_bytes()


def test_what_cannot_be_saved_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "p"
    with pytest.raises(TypeError, match="Last has no save.*; pickle the Protocol"):
        Protocol(Last()).save(file)
    p = Protocol(Perceptron())
    for k in range(4):
        p.tell(p.ask({"a": k}), k % 2)
    p.save(file)
    before = file.read_bytes()
    p._waiting["odd"] = ({"a": {1}}, Ticket("odd", 1))
    with pytest.raises(TypeError, match="ticket 'odd' cannot be saved: its example holds a set"):
        p.save(file)
    assert file.read_bytes() == before
    for damaged in (before[:-1], before[:200] + b"?" + before[201:], b""):
        (tmp_path / "bad").write_bytes(damaged)
        with pytest.raises(BadModel):
            Protocol.load(tmp_path / "bad")
    p.learner.save(tmp_path / "model")  # type: ignore[attr-defined]
    with pytest.raises(BadModel, match="this is a model, not a protocol"):
        Protocol.load(tmp_path / "model")
