"""Names chosen to share a slot of the tables of names are no slower than others.

The public hash of a name chooses its column with `hash_bits`, so anyone can compute it. If it also
chose the slot, a stranger could send names that all meet in one slot.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from novikoff import _core

MANY, BITS = 1_000, 11  # a table of 2^11 slots holds 1,000 names
TAIL = np.array([list(b"%05d" % k) for k in range(100_000)], dtype=np.uint8)


@cache
def chosen() -> tuple[bytes, ...]:
    """Names of nine digits whose public hashes end in the same 11 bits."""
    found: list[bytes] = []
    starts = np.arange(0, 9 * len(TAIL) + 1, 9)
    for head in range(10_000):
        names = np.empty((len(TAIL), 9), dtype=np.uint8)
        names[:, :4], names[:, 4:] = list(b"%04d" % head), TAIL
        hashes = _core.hash_names(names.reshape(-1), starts)
        found += [bytes(names[k]) for k in np.flatnonzero(hashes % np.uint64(2**BITS) == 0)]
        if len(found) >= MANY:
            break
    return tuple(found[:MANY])


def usual() -> tuple[bytes, ...]:
    return tuple(b"%09d" % k for k in np.random.default_rng(0).choice(10**9, MANY, replace=False))


def from_dicts(names: tuple[bytes, ...]) -> Callable[[], object]:
    x = dict.fromkeys([name.decode() for name in names], 1.0)
    return lambda: _core.Online(by_name=True).rows([x], adding=True)


def from_text(names: tuple[bytes, ...]) -> Callable[[], object]:
    line = b"1 | " + b" ".join(names) + b"\n"
    text = np.frombuffer(line + bytes(64), dtype=np.uint8)
    return lambda: _core.parse_vw(text, length=len(line), allowed=0, labelled=True)


def fastest(job: Callable[[], object]) -> float:
    times = []
    for _ in range(5):
        began = time.thread_time()
        job()
        times.append(time.thread_time() - began)
    return min(times)


@pytest.mark.parametrize("read", [from_dicts, from_text])
def test_names_chosen_by_their_public_hash_are_as_fast_as_others(
    read: Callable[[tuple[bytes, ...]], Callable[[], object]],
) -> None:
    assert len(set(chosen())) == MANY
    assert fastest(read(chosen())) < 3 * fastest(read(usual()))
