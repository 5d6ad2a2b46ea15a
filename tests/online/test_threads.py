"""One estimator used by many threads: each call takes effect whole, or says that it did not."""

from __future__ import annotations

import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

from helpers.dict_streams import learn_in_turn, learned_state, stream
from novikoff import AveragedPerceptron, BadExample, Perceptron, VotedPerceptron, Winnow
from novikoff.learners import Multiplicative
from novikoff.learners.rule import Rule
from novikoff.ledger import readings
from novikoff.online.engine import Engine, Outcome
from novikoff.runs.interrupts import undisturbed
from novikoff.stream.multiclass import OneAgainstRest


@pytest.fixture(autouse=True)
def _often() -> Iterator[None]:
    """Let threads take turns as often as can be."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def at_once(*works: Callable[[], None]) -> None:
    """Run all of these at the same time; what one of them raises is raised here."""
    start, errors = threading.Barrier(len(works)), []

    def run(work: Callable[[], None]) -> None:
        start.wait()
        try:
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


@pytest.mark.parametrize("begun", [False, True], ids=["from the start", "later"])
def test_many_threads_learn_predict_and_look_at_once(begun: bool) -> None:
    clf = AveragedPerceptron()
    if begun:
        clf.learn_one({"w1 0": 1}, 0)
    n, workers = 300, 4
    dice = np.random.default_rng(0)
    values, labels = dice.integers(-4, 5, (workers, n, 3)), dice.integers(0, 2, (workers, n))

    def work(k: int) -> None:
        for i in range(n):
            x = {f"w{k} {i // 3}": int(values[k, i, 0]), f"w{i}": int(values[k, i, 1]), "all": 1}
            clf.predict_one(x)
            clf.learn_one(x, int(labels[k, i]))
            if i % 50 == 0:
                clf.decision_function([x])
                assert clf.ledger_.n_rounds > i

    at_once(*(partial(work, k) for k in range(workers)))
    ledger = clf.ledger_
    rounds = workers * n + begun
    assert clf._engine is not None
    assert ledger.n_rounds == clf._engine.learners[0].rounds == rounds
    assert ledger.epoch_ends == [rounds]
    assert (np.diff(ledger.rounds) > 0).all()
    assert (np.diff(ledger.rows) > 0).all()
    rows = ledger.examples.sparse()
    total = np.zeros(rows.dim)
    for k, step in zip(ledger.example.tolist(), ledger.steps.tolist(), strict=True):
        columns, x = rows.row(k)
        total[columns] += step * x
    learned = clf.weights("final")[0][0]
    assert np.array_equal(total[: len(learned)], learned)
    names = {f"w{k} {i // 3}" for k in range(workers) for i in range(n)}
    names |= {f"w{i}" for i in range(n)} | {"all"}
    assert set(clf.named_weights) == names


class Waits:
    """A number that lets another thread go on before it says what it is."""

    def __init__(self) -> None:
        self.asked, self.go = threading.Event(), threading.Event()

    def __float__(self) -> float:
        self.asked.set()
        assert self.go.wait(60)
        return 2.0


def test_learning_while_another_thread_learns_from_a_block_raises_an_error() -> None:
    examples = stream(3)
    clf, alone = learn_in_turn(Perceptron(), examples), learn_in_turn(Perceptron(), examples)
    odd, found = Waits(), {}

    def block() -> None:
        clf.learn_many([{"f1": 1.0}, {"slow": odd}], [1, 0])

    def others() -> None:
        assert odd.asked.wait(60)
        found["before"] = clf.predict_one({"f1": 1})
        for verb, *given in (
            (clf.learn_one, {"f1": 1}, 0),
            (clf.learn_many, [{"f1": 1}], [0]),
            (clf.partial_fit, [{"f1": 1}], [0]),
            (clf.fit, [[1.0], [2.0]], [0, 1]),
        ):
            with pytest.raises(RuntimeError, match="another thread is learning"):
                verb(*given)
        with pytest.raises(RuntimeError, match="another thread is learning"):
            clf.learn_one({"f1": 1}, 0, classes=[0, 1])
        odd.go.set()

    at_once(block, others)
    alone.learn_many([{"f1": 1.0}, {"slow": 2.0}], [1, 0])
    assert learned_state(clf) == learned_state(alone)
    assert found["before"] in (0, 1)


class Rows:
    """An array that lets another thread go on before it is one."""

    def __init__(self, X: Any) -> None:
        self.X, self.asked, self.go = np.asarray(X), threading.Event(), threading.Event()

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        self.asked.set()
        assert self.go.wait(60)
        return self.X if dtype is None else self.X.astype(dtype)

    def __len__(self) -> int:
        return len(self.X)


@pytest.mark.parametrize("verb", ["fit", "partial_fit"])
def test_no_stream_starts_while_another_thread_learns_from_rows(verb: str) -> None:
    clf = Perceptron()
    X = Rows([[1.0, 2.0], [2.0, -1.0]])

    def block() -> None:
        if verb == "fit":
            clf.fit(X, [0, 1])
        else:
            clf.partial_fit(X, [0, 1], classes=[0, 1])

    def other() -> None:
        assert X.asked.wait(60)
        with pytest.raises(RuntimeError, match="another thread is learning"):
            clf.learn_one([1.0, 2.0], 0)
        assert clf.predict_one([1.0, 2.0]) is None
        X.go.set()

    at_once(block, other)
    clf.learn_one([1.0, 2.0], 0)
    assert clf.ledger_.n_rounds >= 3


def test_an_odd_number_may_use_the_estimator_it_is_learned_by() -> None:
    clf, plain = Perceptron(), Perceptron()

    class Within:
        def __float__(self) -> float:
            clf.learn_one({"a": 2.0, "within": 1.0}, 1)
            return 3.0

    clf.learn_one({"a": 1.0}, 0)
    clf.learn_one({"b": 1.0, "odd": Within(), "c": 1.0}, 1)
    plain.learn_one({"a": 1.0}, 0)
    plain.learn_one({"a": 2.0, "within": 1.0}, 1)
    plain.learn_one({"b": 1.0, "odd": 3.0, "c": 1.0}, 1)
    assert learned_state(clf) == learned_state(plain)


def test_an_engine_without_an_estimator_says_so_too() -> None:
    engine = Engine(Rule(), OneAgainstRest(np.array([-1, 1])), 8)
    engine.open([])
    with engine.alone():
        with pytest.raises(RuntimeError, match="another thread is learning from a block"):
            engine.learn_one({"a": 1}, 1)
        with (
            pytest.raises(RuntimeError, match="another thread is learning from a block"),
            engine.alone(),
        ):
            pass
        assert engine.decide_one({"a": 1}) == 0.0
    engine.learn_one({"a": 1}, 1)
    assert engine.ledgers[0].n_rounds == 0
    engine.settle()
    assert engine.ledgers[0].n_rounds == engine.learners[0].rounds == 1
    with engine.alone(), undisturbed() as stop:
        engine.learn_block([{"a": -1}, {"b": 1}], [-1, 1], None, stop)
    assert engine.ledgers[0].n_rounds == 3


def test_the_names_of_a_block_are_there_when_it_has_been_learned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clf, odd = learn_in_turn(Winnow(variant="winnow2", threshold=1), [({"a": 1.0}, 1)]), Waits()
    learn = Multiplicative.learn

    def slow(self: Multiplicative, *given: Any) -> Any:
        float(odd)
        return learn(self, *given)

    monkeypatch.setattr(Multiplicative, "learn", slow)

    def block() -> None:
        clf.learn_many([{f"new{j}": 1.0 for j in range(20)}], [0])

    def others() -> None:
        assert odd.asked.wait(60)
        try:
            assert dict(clf.named_weights) == {"a": 2.0}
            assert "new3" not in pickle.loads(pickle.dumps(clf)).named_weights
            with pytest.raises(BadExample, match="feature 'a' is -1"):
                clf.predict([{"a": -1.0}])
        finally:
            odd.go.set()

    at_once(block, others)
    assert len(clf.named_weights) == 21
    assert clf.named_weights["new3"] == 0.5


def test_an_error_in_one_thread_undoes_nothing_of_another() -> None:
    """The labels of the one are bad, and are looked at while the other learns."""
    clf, odd, done = Perceptron(), Waits(), threading.Event()

    def bad_labels() -> Iterator[Any]:
        assert done.wait(60)
        yield None

    class Labels:
        def __iter__(self) -> Iterator[Any]:
            odd.go.set()
            return bad_labels()

        def __len__(self) -> int:
            return 1

    def block() -> None:
        clf.learn_many([{"a": 1.0, "slow": odd}, {"a": -1.0}], [1, 0])
        done.set()

    def refused() -> None:
        assert odd.asked.wait(60)
        with pytest.raises(TypeError, match="row 0: a label must be"):
            clf.partial_fit([{"a": 1.0}], Labels())

    at_once(block, refused)
    clf.learn_one({"a": 1.0}, 1)
    assert clf.ledger_.n_rounds == 3


def test_predictions_and_copies_are_consistent_while_others_learn() -> None:
    clf = learn_in_turn(AveragedPerceptron(), stream(4))
    done = threading.Event()

    def learns() -> None:
        try:
            for i in range(4000):
                clf.learn_one({"a": 1.0, "b": i % 7 - 3.0}, i % 3 == 0)
        finally:
            done.set()

    def looks() -> None:
        while not done.is_set():
            still = pickle.loads(pickle.dumps(clf))
            ledger = still.ledger_
            assert still._engine.learners[0].rounds == ledger.n_rounds
            columns = still.coef_.shape[1]
            assert np.array_equal(still.coef_[0], readings.average(ledger)[:columns])

    at_once(learns, looks)


def test_reading_ledgers_and_summaries_loses_no_mistakes() -> None:
    examples = [
        ({"a": i % 2 - 0.5, "b": i % 7 - 3.0, f"n{i % 50}": 1.0}, i % 3 == 0) for i in range(20_000)
    ]
    clf, alone = (learn_in_turn(Perceptron(), examples[:2]) for _ in range(2))
    done = threading.Event()

    def learns() -> None:
        try:
            learn_in_turn(clf, examples[2:])
        finally:
            done.set()

    def looks() -> None:
        while not done.is_set():
            ledger = clf.ledger_
            assert len(ledger.rounds) == len(ledger.examples) == ledger.n_mistakes
            assert ledger.survivals().sum() == ledger.n_rounds
            clf.summary()

    at_once(learns, looks, looks)
    assert learned_state(clf) == learned_state(learn_in_turn(alone, examples[2:]))


LOOKS: dict[str, Callable[[Any], Any]] = {
    "predict_one": lambda clf: clf.predict_one({"a": 1.0, "b": 2.0}),
    "decision_one": lambda clf: clf.decision_one({"a": 1.0, "b": 2.0}),
    "predict": lambda clf: clf.predict([{"a": 1.0, "b": 2.0}]),
    "vote": lambda clf: clf.predict([{"a": 1.0, "b": 2.0}], reading="vote"),
    "decision_function": lambda clf: clf.decision_function([{"a": 1.0}]),
    "coef_": lambda clf: clf.coef_,
    "named_weights": lambda clf: [dict(w) for w in dict(clf.named_weights).values()],
    "summary": lambda clf: clf.summary(),
}


@pytest.mark.parametrize(
    ("make", "look"),
    [*((AveragedPerceptron, look) for look in LOOKS), (VotedPerceptron, "decision_one")],
)
def test_predicting_goes_on_while_another_thread_brings_new_classes(make: Any, look: str) -> None:
    first = [({"a": 1.0}, f"c{k}") for k in range(3)]
    clf, done = learn_in_turn(make(multiclass="joint"), first), threading.Event()

    def learns() -> None:
        try:
            for i in range(9, 400):
                clf.learn_one({"a": 1.0, "b": i % 7 - 3.0, f"n{i % 50}": 1.0}, f"c{i // 3}")
        finally:
            done.set()

    def looks() -> None:
        while not done.is_set():
            LOOKS[look](clf)

    at_once(learns, looks, looks)
    assert len(clf.classes_) == 134


def test_the_end_of_a_block_does_not_let_others_learn_while_a_thread_copies() -> None:
    engine = Engine(Rule(), OneAgainstRest(np.array([-1, 1])), 8)
    engine.open([])
    assert engine.core is not None
    begun, go = threading.Event(), threading.Event()

    def block() -> None:
        with engine.alone():
            begun.set()
            assert go.wait(60)

    thread = threading.Thread(target=block)
    thread.start()
    assert begun.wait(60)
    with engine.still():
        go.set()
        thread.join(0.1)  # it must wait for us
        assert engine.core.learn({"a": 1.0}, 1) == Outcome.HELD
    thread.join()
    assert engine.core.learn({"a": 1.0}, 1) == Outcome.LEARNED
