"""The core reads arrays that another thread keeps damaging: python racing_arrays.py SECONDS.

It runs in a process of its own, where reading outside an array is likely to be fatal.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from novikoff import _core

core: Any = _core  # called with arguments of any kind
N, DIM, EACH, WIDTH = 300, 64, 40, 16


def race(seconds: float) -> int:
    """How many calls the core answered."""
    dice = np.random.default_rng(0)
    columns = [np.sort(dice.choice(DIM, EACH, replace=False)) for _ in range(N)]
    values, indices = dice.random(N * EACH), np.concatenate(columns)
    starts, order, example = np.arange(0, N * EACH + 1, EACH), np.arange(N), np.arange(N)
    right, rival = np.zeros(N, np.int32), np.ones(N, np.int32)
    labels = np.where(np.arange(N) % 2, 1, -1).astype(np.int8)
    codes = np.where(np.arange(N) % 2, 0, 3).astype(np.int32)

    csr: Any = values, indices, starts
    rows: Any = *csr, DIM
    part: dict[str, Any] = {"importances": None, "order": order, "begin": 0, "end": N, "rounds": 0}
    span: dict[str, Any] = {"begin": 0, "end": N, "bias": True}
    made: dict[str, Any] = {"example": example, "step": np.ones(N)}
    pairs: dict[str, Any] = {"right": right, "rival": rival}
    two: dict[str, Any] = {"threshold": (1e9, 1e9), "step": (1.0, 1.0)}
    survived = np.ones(N + 1, np.int64)
    w, u, w_joint, out = (np.zeros(k) for k in (DIM + 1, DIM + 1, (DIM + 1) * WIDTH, N * WIDTH))
    places: dict[str, Any] = {name: np.empty(N, np.int64) for name in ("round", "row")}
    numbers: dict[str, Any] = {name: np.empty(N) for name in ("score", "taken", "square")}
    room = {**places, **numbers}
    found: dict[str, Any] = {name: np.empty(N, np.int32) for name in ("right", "rival")}
    winnow: dict[str, Any] = {"alpha": 1.5, "balanced": True, "erases": False, "theta": 0.0}
    joint: dict[str, Any] = {"threshold": 1e9, "step": np.ones(WIDTH), "unit": 1.0, "classes": 0}
    literals: dict[str, Any] = {"plain": np.zeros(DIM, np.int64), "negated": np.ones(DIM, np.int64)}
    jobs: list[Callable[[], Any]] = [
        partial(core.learn, *rows, labels=labels, **part, **two, bias=True, unit=1.0, w=w, **room),
        partial(
            core.multiply,
            *rows,
            labels=labels,
            **part,
            **two,
            bias=True,
            **winnow,
            powers=u,
            w=w,
            **room,
        ),
        partial(core.scores, *rows, **span, w=w, out=out),
        partial(
            core.joint_learn,
            *rows,
            labels=codes,
            **part,
            bias=True,
            **joint,
            width=WIDTH,
            w=w_joint,
            **room,
            **found,
        ),
        partial(core.joint_scores, *rows, **span, w=w_joint, width=WIDTH, out=out),
        partial(core.accumulate, *rows, **made, bias=True, w=w),
        partial(core.joint_accumulate, *rows, **made, **pairs, bias=True, width=WIDTH, w=w_joint),
        partial(
            core.vote,
            *csr,
            *rows,
            **span,
            **made,
            survived=survived,
            zero_is_positive=True,
            start_scores=np.zeros(N),
            out=out,
        ),
        partial(
            core.joint_vote,
            *csr,
            *rows,
            **span,
            **made,
            **pairs,
            survived=survived,
            classes=4,
            start_scores=np.zeros(4 * N),
            out=out,
        ),
        partial(
            core.ascend,
            *rows,
            labels=labels,
            order=order,
            squares=np.ones(N),
            bias=True,
            alpha=np.zeros(N),
            w=w,
        ),
        partial(core.squares, *rows, bias=True, out=np.empty(N)),
        partial(
            core.eliminate,
            *rows,
            labels=labels,
            **part,
            sign=1,
            **literals,
            drops=0,
            left=DIM,
            **places,
            square=numbers["square"],
        ),
        partial(core.conjoin, *rows, begin=0, end=N, **literals, drops=0, left=DIM, out=out),
        partial(core.renumber, *csr, columns=np.arange(DIM)[::-1].copy()),
        partial(
            core.copy_spans,
            np.zeros(N, np.uint8),
            start=order,
            to=np.append(order, N),
            out=np.empty(N, np.uint8),
        ),
    ]
    spoilt: list[tuple[Any, int]] = [
        (array, value)
        for array, values in [
            (indices, (2**40, -1)),
            (starts, (2**40, -(2**40))),
            (order, (2**40, -1)),
            (example, (2**40, -1)),
            (right, (2**30, -1)),
            (rival, (2**30, -1)),
            (codes, (2**30, -1)),
        ]
        for value in values
    ]
    stop = threading.Event()

    def damage() -> None:
        while not stop.is_set():
            for array, value in spoilt:
                sound = array.copy()
                array[::7] = value
                array[:] = sound

    sys.setswitchinterval(1e-5)
    thread = threading.Thread(target=damage)
    thread.start()
    calls, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        for job in jobs:
            calls += 1
            with suppress(ValueError):  # the core saw the damage
                job()
    stop.set()
    thread.join()
    return calls


if __name__ == "__main__":
    print(race(float(sys.argv[1])))
