"""A process forks while threads learn: the child finds everything whole, and learns on."""

from __future__ import annotations

import os
import signal
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

import pytest

from helpers.dict_streams import learn_in_turn, learned_state, stream
from novikoff import Perceptron
from novikoff.online.delayed_labels import Protocol

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")


def in_child(work: Callable[[], object], seconds: float = 5.0) -> None:
    """Do the work in a forked process; an error if it fails there, or does not end."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks with threads, from 3.12 on
        child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        finally:
            os._exit(1)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            assert status == 0
            return
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    raise AssertionError("the child hangs")


def held(lock: Any, then: Callable[[], None]) -> None:
    """What a fork does while another thread holds the lock for a moment."""
    begun = threading.Event()

    def hold() -> None:
        with lock:
            begun.set()
            threading.Event().wait(0.1)

    thread = threading.Thread(target=hold)
    thread.start()
    assert begun.wait(60)
    then()
    thread.join()


def test_a_child_does_not_wait_for_a_thread_that_it_does_not_have() -> None:
    clf = learn_in_turn(Perceptron(), stream(3))
    assert clf._engine is not None

    def work() -> None:
        clf.learn_one({"new": 1.0}, 0)
        assert clf.ledger_.n_rounds == len(stream(3)) + 1

    held(clf._engine.lock, lambda: in_child(work))
    protocol = Protocol(clf)
    held(protocol._turn, lambda: in_child(lambda: protocol.tell(protocol.ask({"a": 1.0}), 0)))
    held(clf._engine.lock, lambda: in_child(lambda: Perceptron().learn_one({"a": 1.0}, 0)))


class Waits:
    """A number that waits until another thread lets it go on."""

    def __init__(self) -> None:
        self.asked, self.go = threading.Event(), threading.Event()

    def __float__(self) -> float:
        self.asked.set()
        assert self.go.wait(60)
        return 2.0


@pytest.mark.parametrize("by_name", [True, False])
def test_a_child_learns_though_another_thread_was_learning_from_a_block(by_name: bool) -> None:
    examples = stream(3)
    clf, alone = (learn_in_turn(Perceptron(), examples) for _ in range(2))
    odd = Waits()
    block = threading.Thread(
        target=lambda: (
            clf.learn_many([{"f1": 1.0}, {"slow": odd}], [1, 0])
            if by_name
            else Perceptron().fit([[1.0, odd]] * 2, [0, 1])
        )
    )
    block.start()
    assert odd.asked.wait(60)

    def work() -> None:
        for each in (clf, alone):
            learn_in_turn(each, stream(4))
            each.learn_many([{"many": 1.0}, {"more": 2.0}], [0, 1])
        assert learned_state(clf) == learned_state(alone)
        assert "slow" not in clf.named_weights

    try:
        in_child(work)
    finally:
        odd.go.set()
        block.join()


def test_forks_among_learning_threads_all_come_through() -> None:
    clf, done = learn_in_turn(Perceptron(), stream(3)), threading.Event()

    def learns(k: int) -> None:
        i = 0
        while not done.is_set():
            i += 1
            clf.learn_one({f"w{k} {i % 99}": 1.0, f"v{i}": 1.0}, i % 2)
            if i % 40 == 0:
                _ = clf.ledger_, clf.coef_

    threads = [threading.Thread(target=learns, args=(k,)) for k in range(3)]
    for thread in threads:
        thread.start()

    def work() -> None:
        made = clf.ledger_.n_rounds
        clf.learn_one({"child": 1.0}, 1)
        assert clf.ledger_.n_rounds == made + 1

    try:
        for _ in range(20):
            in_child(work)
    finally:
        done.set()
        for thread in threads:
            thread.join()
