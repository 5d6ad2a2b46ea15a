"""A fork waits for all locks, and nobody waits for the fork in turn."""

from __future__ import annotations

import threading
from typing import Any

from novikoff.online import locks
from novikoff.online.locks import Rank, new_lock


class Watched:
    """A lock that says when somebody waits for it."""

    def __init__(self) -> None:
        self.wanted, self.free = threading.Event(), threading.Event()

    def acquire(self) -> None:
        self.wanted.set()
        assert self.free.wait(60)

    def release(self) -> None:
        pass


def test_a_thread_that_a_fork_waits_for_can_make_a_lock() -> None:
    held: Any = Watched()
    locks._LOCKS[Rank.ENGINE].add(held)
    made: list[Any] = []

    def forks() -> None:
        locks._before()
        taken.append(len(locks._forking.held))
        locks._after()

    taken: list[int] = []
    fork = threading.Thread(target=forks, daemon=True)
    fork.start()
    assert held.wanted.wait(60)
    maker = threading.Thread(target=lambda: made.append(new_lock(Rank.ENGINE)), daemon=True)
    maker.start()
    maker.join(10)
    assert made, "the fork holds up a thread that it waits for"
    held.free.set()
    fork.join(10)
    assert not fork.is_alive()
    assert taken == [sum(map(len, locks._LOCKS.values()))]  # the new one too
