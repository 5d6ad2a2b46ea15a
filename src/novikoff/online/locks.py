"""Locks that do not block a forked process: a fork waits until no other thread holds one.

So the child finds every object whole and every lock free.
"""

from __future__ import annotations

import os
import threading
from enum import IntEnum
from typing import Any
from weakref import WeakSet


class Rank(IntEnum):
    """A thread takes locks in this order, so a fork does too."""

    PROTOCOL = 0
    ESTIMATOR = 1
    ENGINE = 2


_REGISTERING = threading.Lock()  # held while a lock is added, and by a fork that holds all others
_LOCKS: dict[Rank, WeakSet[threading.RLock]] = {rank: WeakSet() for rank in Rank}
_OWNERS: WeakSet[Any] = WeakSet()
_forking = threading.local()


def new_lock(rank: Rank, owner: Any = None) -> threading.RLock:
    """A lock that a fork waits for; then the child calls the owner's `forget_other_threads`."""
    lock = threading.RLock()
    with _REGISTERING:
        _LOCKS[rank].add(lock)
        if owner is not None:
            _OWNERS.add(owner)
    return lock


def _before() -> None:
    """Take every lock. A thread that holds one may make another, so look again before the fork."""
    while True:
        with _REGISTERING:
            known = [lock for rank in Rank for lock in sorted(_LOCKS[rank], key=id)]
        for lock in known:
            lock.acquire()
        _forking.held = known
        _REGISTERING.acquire()
        if sum(map(len, _LOCKS.values())) == len(known):
            return
        _after()


def _after() -> None:
    _REGISTERING.release()
    for lock in _forking.__dict__.pop("held"):
        lock.release()


def _in_child() -> None:
    for owner in list(_OWNERS):
        owner.forget_other_threads()
    _after()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_after, after_in_child=_in_child)
