"""Threads that read an estimator while another learns, and forks in between.

When one thread learns and others only read, what was learned is what the same examples give
without the others. A reader must see something whole, a process forked meanwhile must go on, and
nobody may wait for ever.
"""

from __future__ import annotations

import copy
import os
import pickle
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from attack.arena import Attack, Fault
from novikoff import AveragedPerceptron, MarginPerceptron, Perceptron, VotedPerceptron, Winnow
from novikoff.estimators.saved import to_model

MAKERS: dict[str, Callable[[], Any]] = {
    "plain": Perceptron,
    "margin": lambda: MarginPerceptron(margin=0.7),
    "averaged": AveragedPerceptron,
    "counts": lambda: AveragedPerceptron(keep="counts"),
    "voted": VotedPerceptron,
    "winnow": Winnow,
    "hashed": lambda: AveragedPerceptron(hash_bits=4),
    "few names": lambda: Perceptron(max_names=20, keep="counts"),
    "joint": lambda: Perceptron(multiclass="joint"),
    "joint averaged": lambda: AveragedPerceptron(multiclass="joint"),
    "joint voted": lambda: VotedPerceptron(multiclass="joint"),
}
PROBE = {"f1": 1.0, "f2": -0.5, "new": 2.0, "from": "x.com"}


def stream(dice: Random, n: int, classes: int, *, positive: bool) -> list[tuple[Any, int]]:
    """Dicts with names and labels that appear as they go."""
    out = []
    for i in range(n):
        low = 0 if positive else -4
        x: dict[str, Any] = {
            f"f{dice.randrange(2 + i // 4)}": float(dice.randint(low, 4)) for _ in range(4)
        }
        if dice.random() < 0.3:
            x["from"] = dice.choice(("x.com", "y.org"))
        out.append((x, i if i < 2 else dice.randrange(min(classes, 2 + i // 10))))
    return out


def state(clf: Any) -> dict[str, Any]:
    """All that an estimator learned, bit for bit."""
    learned: dict[str, Any] = {
        "classes": clf.classes_.tolist(),
        "mistakes": np.asarray(clf.mistakes_per_epoch_).tolist(),
        "weights": [part.tobytes() for part in clf.weights()],
    }
    for k, run in enumerate(clf.runs_):
        settings, arrays = run.ledger.state()
        learned[f"ledger {k}"] = settings, {name: a.tobytes() for name, a in arrays.items()}
    return learned


def whole_ledger(clf: Any) -> None:
    """Look at every column of the ledger: they must have one length."""
    ledgers = clf.ledger_ if isinstance(clf.ledger_, tuple) else (clf.ledger_,)
    for ledger in ledgers:
        if ledger.keep == "counts":
            continue
        rounds, steps, scores = ledger.rounds, ledger.steps, ledger.scores
        if not len(rounds) <= len(steps) <= len(scores) or (np.diff(rounds) <= 0).any():
            raise Fault("a reader sees half a mistake")
        if ledger.keep == "examples":
            assert len(ledger.examples) >= 0


READS: dict[str, Callable[[Any], object]] = {
    "ledger": whole_ledger,
    "summary": lambda clf: str(clf.summary()),
    "predict_one": lambda clf: clf.predict_one(PROBE),
    "predict": lambda clf: clf.predict([PROBE, {}]),
    "scores": lambda clf: clf.decision_function([PROBE, {}]),
    "decision_one": lambda clf: clf.decision_one(PROBE),
    "weights": lambda clf: clf.weights(),
    "names": lambda clf: dict(clf.named_weights) if not isinstance(clf.named_weights, dict) else 0,
    "pickle": lambda clf: state(pickle.loads(pickle.dumps(clf))),
    "copy": lambda clf: state(copy.deepcopy(clf)),
    "model": to_model,
    "attributes": lambda clf: (clf.n_mistakes_, clf.radius_, clf.verdict_, clf.n_iter_),
}


# a model has a name for every column; a view of the names that stay is not a copy
REFUSED = {("few names", "model"), ("few names", "names")}


def at_once(*works: Callable[[], None]) -> list[BaseException]:
    """Run all of these at the same time; what they raise."""
    start, errors = threading.Barrier(len(works)), list[BaseException]()

    def run(work: Callable[[], None]) -> None:
        start.wait()
        try:
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(work,), daemon=True) for work in works]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    return errors


def forked(clf: Any) -> None:
    """Use the estimator in a child; it must not wait for a thread that it does not have."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            clf.predict_one(PROBE)
            clf.learn_one({"f1": 1.0}, 0)
            whole_ledger(clf)
            status = 0
        except BaseException:
            Path("attempt.child").write_text(traceback.format_exc())
        finally:
            os._exit(status)
    until = time.monotonic() + 10
    while time.monotonic() < until:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            if status:
                raise Fault(f"a forked child ended with {os.waitstatus_to_exitcode(status)}")
            return
        time.sleep(0.001)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    raise Fault("a forked child waits for ever")


def learn(clf: Any, examples: list[tuple[Any, int]], dice: Random) -> None:
    """Learn one by one and in blocks."""
    i = 0
    while i < len(examples):
        n = dice.choice((1, 1, 1, 1, 5))
        some = examples[i : i + n]
        if n == 1:
            clf.learn_one(*some[0])
        else:
            clf.learn_many([x for x, _ in some], [y for _, y in some])
        i += n


def threads(dice: Random) -> Iterator[Exception | None]:
    """One thread learns, others read."""
    name = dice.choice(list(MAKERS))
    classes = dice.choice((2, 12)) if "joint" in name else 2
    examples = stream(dice, dice.choice((100, 300, 800)), classes, positive=name == "winnow")
    seed, first = dice.randrange(2**32), examples[:6]
    clf, alone = MAKERS[name](), MAKERS[name]()
    for one in (clf, alone):
        one.learn_many([x for x, _ in first], [y for _, y in first])
    learn(alone, examples[6:], Random(seed))
    reads = dice.sample([read for read in READS if (name, read) not in REFUSED], 2)
    if dice.random() < 0.1:
        reads[0] = "fork"
    done = threading.Event()

    def learns() -> None:
        try:
            learn(clf, examples[6:], Random(seed))
        finally:
            done.set()

    def looks(k: int) -> None:
        read = forked if reads[k] == "fork" else READS[reads[k]]
        while not done.is_set():
            read(clf)

    errors = at_once(learns, lambda: looks(0), lambda: looks(1))
    what = f"{name}, learning against {' and '.join(sorted(reads))}"
    for error in errors:
        if isinstance(error, Fault):
            yield error
        else:
            text = f"{type(error).__name__}: {str(error)[:80]}"
            yield Fault(f"{name} against {'/'.join(sorted(reads))}: {text}").with_traceback(
                error.__traceback__
            )
    if not errors:
        differ = sorted(k for k, v in state(clf).items() if v != state(alone).get(k))
        yield Fault(f"{what}: other {differ}") if differ else None


def writers(dice: Random) -> Iterator[Exception | None]:
    """Several threads learn: what succeeded was learned once, and nothing else was."""
    name = dice.choice(list(MAKERS))
    parts = [stream(dice, 60, 2, positive=name == "winnow") for _ in range(3)]
    clf = MAKERS[name]()
    clf.learn_many([{"f0": 1.0}, {"f1": 1.0}], [0, 1])
    learned = [2]

    def work(examples: list[tuple[Any, int]]) -> None:
        i = 0
        while i < len(examples):
            some = examples[i : i + (5 if i % 4 == 0 else 1)]
            try:
                if len(some) == 1:
                    clf.learn_one(*some[0])
                else:
                    clf.learn_many([x for x, _ in some], [y for _, y in some])
                learned.append(len(some))
            except RuntimeError as error:
                if "another thread" not in str(error):
                    raise
                continue
            i += len(some)

    errors = at_once(*(lambda part=part: work(part) for part in parts))
    for error in errors:
        yield Fault(f"{name}, three learners: {type(error).__name__}: {str(error)[:80]}")
    ledger = clf.ledger_ if not isinstance(clf.ledger_, tuple) else clf.ledger_[0]
    if not errors and ledger.n_rounds != sum(learned):
        yield Fault(f"{name}: learned other than what three threads gave it")
    elif not errors:
        yield None


def arrays_change(dice: Random) -> Iterator[Exception | None]:
    """Arrays that another thread changes while they are learned from."""
    n, d = 200, 10
    rng = np.random.default_rng(dice.randrange(2**32))
    X = sp.csr_matrix(rng.integers(0, 3, (n, d)) * 1.0)
    y = (rng.random(n) < 0.5).astype(int)
    clf = dice.choice((Perceptron, AveragedPerceptron, VotedPerceptron))(max_iter=20)
    done = threading.Event()
    good = X.indices.copy()

    def learns() -> None:
        try:
            for _ in range(5):
                try:
                    clf.fit(X, y)
                    clf.predict(X)
                except (ValueError, RuntimeError):
                    pass
        finally:
            done.set()

    def spoils() -> None:
        while not done.is_set():
            X.indices[dice.randrange(len(good))] = dice.choice((2**30, -1, -(2**31), d))
            X.indices[:] = good

    errors = at_once(learns, spoils)
    for error in errors:
        yield error if isinstance(error, Exception) else Fault(repr(error))
    if not errors:
        yield None


def bad_arrays(dice: Random) -> Iterator[Exception | None]:
    """Sparse arrays with indices out of range, misaligned and odd ones, by every way in."""
    n, d = 5, 4
    rng = np.random.default_rng(dice.randrange(2**32))
    name = dice.choice(list(MAKERS))
    y = np.array([0, 1, 0, 1, 1])
    X = sp.csr_matrix(np.abs(rng.integers(0, 3, (n, d))).astype(float) + np.eye(n, d))
    clf = MAKERS[name]()
    if dice.random() < 0.5:
        clf.learn_one(np.ones(d), 0)
        clf.learn_one(np.arange(d) * 1.0, 1)
    which = dice.choice(("indices", "indptr", "data"))
    part = getattr(X, which)
    at = dice.randrange(len(part))
    if which == "data":
        part[at] = dice.choice((np.nan, np.inf, 1.7e308, -1.7e308, 5e-324, -0.0))
    else:
        part[at] = dice.choice((-1, -(2**31), 2**30, 2**31 - 1, d, d - 1, 0, 10**6))
    if dice.random() < 0.2:  # misaligned
        raw = np.zeros(part.nbytes + 1, np.uint8)
        odd = raw[1:].view(part.dtype)
        odd[:] = part
        setattr(X, which, odd)
    for verb in dice.sample(
        ("fit", "partial_fit", "learn_many", "predict", "decision_function"), 3
    ):
        try:
            if verb in ("predict", "decision_function"):
                getattr(clf, verb)(X)
            elif verb == "partial_fit":
                clf.partial_fit(X, y, classes=[0, 1])
            else:
                getattr(clf, verb)(X, y)
        except (ValueError, TypeError, IndexError, RuntimeError) as error:
            yield None if str(error) else Fault(f"{verb}: an error without words")
        except (RuntimeWarning, ConvergenceWarning):  # the second: 1,000 passes of a tiny number
            yield None
        except Exception as error:
            if type(error).__name__ == "NotFittedError":
                yield None
            else:
                yield error
        else:
            yield None


ATTACKS = [
    Attack(
        "threads",
        "one thread learns, others read, copy, save and fork",
        threads,
        share=1.5,
        seconds=60,
        megabytes=2000,
    ),
    Attack("writers", "several threads learn", writers, share=0.5, seconds=60, megabytes=2000),
    Attack(
        "changing arrays",
        "arrays that change while they are learned from",
        arrays_change,
        share=0.3,
        seconds=60,
        megabytes=2000,
    ),
    Attack(
        "bad arrays",
        "sparse arrays with indices out of range, misaligned arrays",
        bad_arrays,
        share=0.5,
    ),
]
