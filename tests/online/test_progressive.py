"""Progressive validation: streams with labels at once, late, in any order and never."""

from __future__ import annotations

import math
import pickle
import signal
from collections.abc import Iterator
from types import FrameType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from novikoff import (
    Additive,
    BadExample,
    Block,
    Perceptron,
    Protocol,
    Unfinished,
    guarantees,
    play,
    progressive_validation,
    sources,
)
from novikoff.learners import Ties


class Signs:
    """The perceptron on rows or on dicts of columns, example by example; it predicts +1 at 0."""

    def __init__(self, dim: int, ties: Ties = "mistake") -> None:
        self.additive, self.updates = Additive(dim, ties=ties), 0

    def _block(self, x: Any, y: int) -> Block:
        if isinstance(x, dict):
            columns = np.array([0] * len(x)), np.array(list(x), dtype=np.int64)
            x = sparse.csr_array((list(x.values()), columns), shape=(1, self.additive.dim))
        return sources.block(x if sparse.issparse(x) else np.atleast_2d(x), [y])

    def predict_one(self, x: Any) -> int:
        return 1 if self.additive.scores(self._block(x, 1).rows)[0] >= 0 else -1

    def learn_one(self, x: Any, y: int) -> None:
        _, mistakes = self.additive.learn(self._block(x, y), 0, 1)
        self.updates += len(mistakes.rounds)


class Told:
    """Writes down what it is told, and predicts nothing."""

    def __init__(self) -> None:
        self.labels: list[Any] = []

    def predict_one(self, x: Any) -> None:
        if isinstance(x, str):
            raise BadExample("a bad x")

    def learn_one(self, x: Any, y: Any) -> None:
        if y == "bad":
            raise BadExample("a bad label")
        self.labels.append(y)


def noisy(n: int = 300) -> tuple[Any, Any]:
    dice = np.random.default_rng(3)
    X = dice.standard_normal((n, 8)) * (dice.random((n, 8)) < 0.6)
    return X, np.where(X[:, 0] + 0.5 * dice.standard_normal(n) > 0, 1, -1)


@pytest.mark.parametrize("delay", [None, 0])
def test_with_every_label_at_once_it_is_one_pass(delay: int | None) -> None:
    X, y = noisy()
    block = sources.block(X, y)
    ledger = play(block, Additive(8, ties="positive")).ledger
    for stream in (block, sources.block(sparse.csr_array(X), y), zip(X, y, strict=True)):
        learner = Signs(8, "positive")
        p = progressive_validation(stream, learner, delay=delay)
        assert (p.labelled, p.mistakes) == (300, ledger.n_mistakes)
        assert p.curve == [(t, ledger.mistakes_by(t)) for t in range(1, 301)]
        final = Additive(8, ties="positive")
        play(block, final)
        assert np.array_equal(learner.additive.weights, final.weights)
        assert p.risk_bound() == guarantees.risk_bound(ledger)


@pytest.mark.parametrize("first", [-1, 1])
def test_an_estimator_asked_and_told_makes_the_mistakes_of_one_pass(first: int) -> None:
    X, y = noisy()
    y[0] = first
    block = sources.block(X, y)
    ledger = play(block, Additive(8, bias=True, ties="positive")).ledger
    for stream in (block, sources.block(sparse.csr_array(X), y), zip(X, y.tolist(), strict=True)):
        clf = Perceptron(ties="positive")
        p = progressive_validation(stream, clf)
        assert np.array_equal(clf.ledger_.rounds, ledger.rounds)
        # of the first it says nothing, which is no mistake of the weights if the label is +1
        assert p.mistakes == ledger.n_mistakes + (first == 1)


def test_rows_come_in_the_order_of_their_blocks() -> None:
    X, y = np.eye(3, dtype=np.float32), np.array([1, -1, 1], dtype=np.int8)
    rows = sources.rows_of(X)
    blocks = [Block(rows, y, order=np.array([2, 0])), Block(rows, y, first=3, order=np.array([1]))]
    learner, seen = Told(), list[Any]()
    progressive_validation(blocks, learner, delay=lambda x, y: seen.append(x))
    assert [x.tolist() for x in seen] == [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
    progressive_validation(blocks, learner)
    assert learner.labels == [1, 1, -1]
    wide = sparse.csr_array(([1.0, 2.0, 4.0], [5, 2, 5], [0, 3]), shape=(1, 9))
    progressive_validation(sources.block(wide, [1]), Told(), delay=lambda x, y: seen.append(x))
    assert seen[-1] == {5: 5.0, 2: 2.0}  # a column stored twice is its sum


def test_delay_counts_the_predictions_before_the_label() -> None:
    when: list[tuple[int, int]] = []

    class Clock(Told):
        asked = 0

        def predict_one(self, x: Any) -> None:
            self.asked += 1

        def learn_one(self, x: Any, y: Any) -> None:
            when.append((self.asked, y))

    progressive_validation([({}, t) for t in range(1, 6)], Clock(), delay=2)
    assert when == [(3, 1), (4, 2), (5, 3), (5, 4), (5, 5)]


def test_labels_overtake_each_other_and_some_never_come() -> None:
    delays = {1: 3, 2: 0, 3: None, 4: 9, 5: 8, 6: 0}
    learner = Told()
    p = progressive_validation([({}, t) for t in delays], learner, delay=lambda x, y: delays[y])
    assert learner.labels == [2, 1, 6, 4, 5]
    assert (p.asked, p.labelled, p.waiting, p.dropped) == (6, 5, 1, 0)
    assert [ticket.id for ticket in p.tickets] == [3]


def test_a_label_that_comes_when_its_example_was_dropped_is_ignored() -> None:
    learner = Told()
    p = progressive_validation(
        [({}, t) for t in range(1, 6)],
        learner,
        delay=lambda x, y: 4 if y == 1 else 1,
        max_waiting=2,
    )
    assert learner.labels == [2, 3, 4, 5]
    assert (p.labelled, p.waiting, p.dropped) == (4, 0, 1)


def test_a_given_protocol_continues() -> None:
    p = Protocol(Told(), max_waiting=5)
    ticket = p.ask({})
    assert progressive_validation([({}, 1), ({}, 2)], p, delay=1) is p
    assert (p.asked, p.labelled, p.waiting) == (3, 2, 1)
    assert ticket in p
    with pytest.raises(ValueError, match="has its own max_waiting; 3 cannot be set"):
        progressive_validation([], p, max_waiting=3)


@pytest.mark.parametrize(
    ("stream", "options", "error", "words"),
    [
        ([({}, 1), ({}, 1, 2)], {}, BadExample, "^example 2 of the stream is .*, not a pair"),
        ([{"a": 1, "b": 2}], {}, BadExample, "is {'a': 1, 'b': 2}, not a pair"),
        ([({}, 1)], {"delay": -1}, ValueError, "delay must be at least 0 or None, not -1"),
        ([({}, 1)], {"delay": 1.5}, TypeError, "delay must be a whole number or None, not 1.5"),
        ([({}, 1)], {"delay": True}, TypeError, "delay must be a whole number or None, not True"),
        ([({}, 1)], {"delay": lambda x, y: -2}, ValueError, "\nexample 1 of the stream$"),
    ],
)  # fmt: skip
def test_a_wrong_stream_or_delay_is_refused(
    stream: Any, options: dict[str, Any], error: type[Exception], words: str
) -> None:
    p = Protocol(Told())
    with pytest.raises(error, match=words):
        progressive_validation(stream, p, **options)
    assert p.asked == p.labelled == len(stream) - 1


def test_importances_are_refused_since_learn_one_takes_none() -> None:
    rows, labels = sources.rows_of(np.eye(1)), np.array([1], dtype=np.int8)
    block = Block(rows, labels, first=7, importances=np.ones(1))
    with pytest.raises(BadExample, match="the block at row 7 has importances"):
        progressive_validation(block, Told())


def test_errors_of_the_learner_name_the_example() -> None:
    p = Protocol(Told())
    with pytest.raises(BadExample, match="a bad x") as refused:
        progressive_validation([({}, 1), ("bad", 1)], p)
    assert refused.value.__notes__ == ["example 2 of the stream"]
    assert (p.asked, p.labelled) == (1, 1)
    with pytest.raises(BadExample, match="a bad label") as refused:
        progressive_validation([({}, "bad"), ({}, 1)], p, delay=1)
    assert refused.value.__notes__ == ["the label of ticket 2"]
    assert (p.asked, p.labelled, p.waiting) == (3, 1, 2)


class Pressing(Told):
    """Somebody presses Ctrl-C while label 5 is being learned, before it is."""

    def learn_one(self, x: Any, y: Any) -> None:
        if y == 5:
            signal.raise_signal(signal.SIGINT)
        super().learn_one(x, y)


@pytest.mark.parametrize("delay", [0, 2, 99])
def test_ctrl_c_leaves_whole_examples(delay: int) -> None:
    learner = Pressing()
    with pytest.raises(Unfinished, match=r"interrupted after \d+ examples, 5 labelled") as stopped:
        progressive_validation([({}, t) for t in range(1, 10)], learner, delay=delay)
    p = stopped.value.protocol
    assert learner.labels == [1, 2, 3, 4, 5]
    assert (p.asked, p.labelled, p.waiting) == (min(5 + delay, 9), 5, min(delay, 4))
    assert [(t.id, t.id) for t in p.tickets] == stopped.value.under_way
    again = pickle.loads(pickle.dumps(stopped.value))
    assert again.protocol.labelled == 5
    assert again.under_way == stopped.value.under_way
    for number, y in stopped.value.under_way:
        p.tell(number, y)
    progressive_validation([({}, t) for t in range(p.asked + 1, 10)], p)
    assert learner.labels == [1, 2, 3, 4, 5, 6, 7, 8, 9]


def test_ctrl_c_is_answered_at_once_while_an_example_is_awaited() -> None:
    def stream() -> Iterator[tuple[Any, int]]:
        yield {}, 1
        signal.raise_signal(signal.SIGINT)
        raise AssertionError("not reached")

    with pytest.raises(Unfinished) as stopped:
        progressive_validation(stream(), Told())
    assert stopped.value.protocol.labelled == 1


def test_a_program_with_its_own_handler_continues_after_ctrl_c() -> None:
    calls = []

    def handler(which: int, frame: FrameType | None) -> None:
        calls.append(which)

    before = signal.signal(signal.SIGINT, handler)
    try:
        p = progressive_validation([({}, t) for t in range(1, 10)], Pressing())
        assert signal.getsignal(signal.SIGINT) is handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert (p.labelled, calls) == (9, [signal.SIGINT])


def test_ctrl_c_at_the_last_label_loses_nothing() -> None:
    with pytest.raises(Unfinished) as stopped:
        progressive_validation([({}, 5)], Pressing())
    assert stopped.value.protocol.labelled == 1
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans(), st.integers(0, 4))))
def test_late_labels_cost_no_more_mistakes_than_the_bound_says(
    steps: list[tuple[int, bool, int]],
) -> None:
    """M ≤ (1 + d)(R/γ)², with d the most that waited besides the one that was labelled."""
    u = np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
    learner, most = Signs(6), 0

    def waiting(x: Any, y: int) -> None:
        nonlocal most
        most = max(most, p.waiting - 1)
        Signs.learn_one(learner, x, y)

    learner.learn_one = waiting  # type: ignore[method-assign]
    p = Protocol(learner)
    delays = iter([delay for _, _, delay in steps])
    examples = [(np.eye(6)[k] * (2 if far else 1), int(u[k])) for k, far, _ in steps]
    progressive_validation(examples, p, delay=lambda x, y: next(delays))
    bound = 4 * 6  # R = 2, γ = 1/√6
    assert learner.updates <= bound
    assert p.mistakes <= (1 + most) * min(bound, learner.updates)


def test_late_labels_can_cost_as_many_mistakes_as_the_bound_says() -> None:
    n, d = 5, 3
    stream = [(np.eye(n)[k], -1) for k in range(n) for _ in range(1 + d)]
    # the copies of one example are all asked before the first of their labels comes
    ahead = iter([d - i % (1 + d) for i in range(len(stream))])
    p = progressive_validation(stream, Signs(n), delay=lambda x, y: next(ahead))
    assert p.mistakes == (1 + d) * n  # R = 1, γ = 1/√n


@pytest.mark.parametrize("d", [0, 3])
def test_a_new_label_costs_a_mistake_for_each_prediction_that_waits(d: int) -> None:
    """R = γ = 1, so there is one update: the weights are right about ham before it was heard of."""
    spam, ham = ({"a": 1.0}, "spam"), ({"a": -1.0}, "ham")
    p = Protocol(Perceptron(fit_intercept=False))
    progressive_validation([spam], p)
    late = iter([d - i for i in range(1 + d)] + [0] * 5)
    progressive_validation([ham] * (1 + d) + [spam, ham] * 2, p, delay=lambda x, y: next(late))
    assert p.learner.n_mistakes_ == 1  # type: ignore[attr-defined]
    assert p.mistakes == 1 + (1 + d)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 4)), max_size=40))
def test_an_estimator_with_delayed_labels_keeps_to_the_bound(
    steps: list[tuple[int, int]],
) -> None:
    most = 0

    class Watched(Perceptron):
        def learn_one(self, x: Any, y: Any, **classes: Any) -> None:
            nonlocal most
            most = max(most, p.waiting - 1)
            super().learn_one(x, y, **classes)

    p = Protocol(Watched(fit_intercept=False))
    delays = iter([delay for _, delay in steps])
    # u = (1, −1, 1)/√3 has the margin 1/√3, and some examples are the negatives of others
    examples = [({k % 3: 1.0 if k < 3 else -1.0}, ((k % 3 == 1) == (k < 3))) for k, _ in steps]
    progressive_validation(examples, p, delay=lambda x, y: next(delays))
    assert p.mistakes <= (1 + most) * (3 + 1)


def circle(seed: int, told: Any, n: int = 150) -> tuple[float, Protocol]:
    """A run on a circle, labels flipped by noise, and the true average risk of its predictors."""
    dice = np.random.default_rng(seed)
    angles, flipped = 2 * math.pi * dice.random(n), dice.random(n) < 0.2
    risks = []

    class Risky(Signs):
        def predict_one(self, x: Any) -> int:
            w = self.additive.weights
            off = abs(math.atan2(w[1], w[0])) / math.pi if w.any() else 0.5
            risks.append(0.2 + 0.6 * off)  # the target is the sign of x[0]
            return super().predict_one(x)

    X = np.column_stack([np.cos(angles), np.sin(angles)])
    y = np.where((X[:, 0] >= 0) ^ flipped, 1, -1)
    p = Protocol(Risky(2))
    for i in range(n):
        p.ask(X[i], key=i + 1)
        for number, label in told(i, y, p, dice):
            p.tell(number, label)
    return float(np.mean(risks)), p


def at_random(i: int, y: Any, p: Protocol, dice: Any) -> list[tuple[int, int]]:
    """Any that is waiting, and at the end all the rest backwards."""
    waiting = [int(t.id) for t in p.tickets]
    if i == len(y) - 1:
        return [(number, int(y[number - 1])) for number in waiting[::-1]]
    chosen = int(dice.choice(waiting))
    return [(chosen, int(y[chosen - 1]))] if dice.random() < 0.8 else []


def if_right(i: int, y: Any, p: Protocol, dice: Any) -> list[tuple[int, int]]:
    """Only the label of a prediction that was right: somebody hides the mistakes."""
    ticket = p.tickets[-1]
    return [(i + 1, int(y[i]))] if ticket.prediction == y[i] else []


def test_the_bound_holds_with_labels_out_of_order_as_often_as_it_says() -> None:
    runs = [circle(seed, at_random) for seed in range(60)]
    failed = sum(risk > p.risk_bound(confidence=0.5).azuma for risk, p in runs)
    assert failed <= 30  # in fact about a dozen; without the root more than half
    assert sum(risk > p.error_rate for risk, p in runs) > 15


def test_delays_that_depend_on_labels_break_the_bound_unless_missing_ones_are_mistakes() -> None:
    risk, p = circle(0, if_right)
    assert p.mistakes == 0
    assert risk > p.risk_bound().value
    assert risk <= p.risk_bound(unlabelled_as_mistakes=True).value
