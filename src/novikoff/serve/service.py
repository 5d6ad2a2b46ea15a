"""The service: one thread that writes the journal, lets the models learn, and answers.

Whatever changes a model is written first, many requests in one commit, and learned from afterwards,
in the order of the journal. So the models are at any time what replaying the journal gives.
"""

from __future__ import annotations

import queue
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from novikoff.serve.journal import Event, Journal, Snapshot
from novikoff.serve.limits import Limits
from novikoff.serve.served import (
    Answer,
    Problem,
    Reply,
    Result,
    Served,
    encode,
    failed,
    items_of,
)

SNAPSHOT_EVERY = 500_000  # elements of events, which take some seconds to replay
_MOST_TOGETHER = 4096  # requests in a commit


class Unavailable(Exception):  # noqa: N818  (it names the thing that is wrong)
    """Nothing can be written now; nothing was done."""


@dataclass(slots=True)
class Work:
    """A request for the writing thread: an event, or a question if `ask` is given.

    `reply` makes the answer of the results; its body is what the journal holds of `items`.
    """

    model: str
    kind: str
    items: Sequence[Any] = ()
    body: bytes = b""
    reply: Reply = field(default_factory=Reply)
    ask: Callable[[Any], Any] | None = None
    done: Any = field(default_factory=Future)  # of concurrent.futures, or of asyncio


def deliver(answers: list[tuple[Work, Any]]) -> None:
    """Give each work its answer or its error."""
    for work, answer in answers:
        if work.done.done():  # nobody waits any more
            continue
        if isinstance(answer, Exception):
            work.done.set_exception(answer)
        else:
            work.done.set_result(answer)


class Service:
    """The models of a folder and their journal, in the hands of one thread.

    Attributes
    ----------
    fault, broken
        Why the last attempt to write failed, and why nothing is answered any more; or None.
    observe, deliver
        Called with the seconds of each commit, and with the answers that follow it.
    replay_seconds, replayed
        How long the start took, and how many events were replayed.
    """

    def __init__(self, folder: Path, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self.fault: str | None = None
        self.observe: Callable[[float], None] = lambda _seconds: None
        self.deliver: Callable[[list[tuple[Work, Any]]], object] = deliver
        self._queue: queue.SimpleQueue[Work | None] = queue.SimpleQueue()
        self.broken: str | None = None
        self._since_snapshot = Counter[int]()
        began = time.perf_counter()
        self.journal = Journal(folder)
        try:
            newest = {one.model: one for one in self.journal.snapshots()}
            self.models, self.replayed = replay(self.journal, [*newest.values()])
            behind = (one.model for one in newest.values() if one.seq < self.journal.seq)
            self._since_snapshot.update(behind)
        except BaseException:
            self.journal.close()
            raise
        self.replay_seconds = time.perf_counter() - began
        self._thread = threading.Thread(target=self._work, name="journal")
        self._thread.start()

    @property
    def queued(self) -> int:
        """How many requests wait for the disk."""
        return self._queue.qsize()

    def submit(self, work: Work) -> Any:
        """Hand work to the thread; raises Unavailable if too much waits already."""
        if self.broken is not None:
            raise Unavailable(self.broken)
        if self.queued >= self.limits.queue:
            raise Unavailable("too many requests wait for the disk")
        self._queue.put(work)
        return work.done

    def close(self) -> None:
        """Finish what was submitted, take snapshots, and close the journal."""
        self._queue.put(None)
        self._thread.join()

    # in the thread

    def _work(self) -> None:
        ends = False
        while not ends:
            group = [self._queue.get()]
            while len(group) < _MOST_TOGETHER and not self._queue.empty():
                group.append(self._queue.get())
            ends = None in group
            works = [one for one in group if one is not None]
            try:
                # a new or deleted model concerns what follows, so it is written alone
                for alone, some in groupby(works, lambda one: one.kind in ("create", "delete")):
                    for together in [[one] for one in some] if alone else [list(some)]:
                        self._answer(together)
            except Exception as error:  # what the models know is uncertain: a start replays it
                self.broken = self.fault = f"stopped by {error!r}; start the service again"
                self.deliver([(one, Unavailable(self.broken)) for one in works])
        for served in self.models.values() if self.broken is None else ():
            if self._since_snapshot[served.id]:
                self._snapshot(served)
        self.journal.close()

    def _answer(self, works: list[Work]) -> None:
        """Write the events of these works in one commit, apply them, and answer."""
        ready, events, out = list[tuple[Work, Served | None]](), [], list[tuple[Work, Any]]()
        for work in works:
            served = self.models.get(work.model)
            if (answer := self._early(work, served)) is not None:
                out.append((work, answer))
                continue
            ready.append((work, served))
            if work.ask is None:
                id = self.journal.seq + 1 if served is None else served.id
                reply = None if work.reply.key is None else encode(work.reply)
                events.append((id, work.kind, reply, work.body))
        began = time.perf_counter()
        try:
            written = iter(self.journal.append(events) if events else ())
        except sqlite3.Error as error:
            self.fault = str(error)
            wrong = Unavailable(f"the journal cannot be written: {error}")
            self.deliver([*out, *((work, wrong) for work, _ in ready)])
            return
        if events:
            self.fault = None
            self.observe(time.perf_counter() - began)
        for work, served in ready:
            if work.ask is not None:
                try:
                    out.append((work, work.ask(served)))
                except Exception as error:  # the request's own
                    out.append((work, error))
                continue
            event = next(written)
            results = apply(event, work.items, self.models, self.journal)
            out.append((work, work.reply.answer(results)))
            self._since_snapshot[event.model] += len(work.items)
        self.deliver(out)
        for served in self.models.values():  # all events are applied now
            if self._since_snapshot[served.id] >= SNAPSHOT_EVERY:
                self._snapshot(served)

    def _early(self, work: Work, served: Served | None) -> Answer | None:
        """The answer of a request that writes nothing: for no model, or made before."""
        if work.kind == "probe":
            return None
        if served is None and work.kind != "create":
            return _problem(404, "unknown model", f"there is no model {work.model!r}")
        if served is not None and work.kind == "create":
            return _problem(409, "model exists", f"there is a model {work.model!r} already")
        if work.kind == "create" and len(self.models) >= self.limits.models:
            return problem_of_limit("models", self.limits.models, "there are as many models")
        key = work.reply.key
        if key is None or served is None:
            return None
        known = self.journal.kept(served.id, "key", key, self.journal.seq + 1)
        if known is None:
            return None
        if known.digest != work.reply.digest:
            words = f"the Idempotency-Key {key!r} came before, with another request"
            return _problem(422, "key used twice", words)
        return known.status, known.answer

    def probe(self, _served: object = None) -> str | None:
        """Try to write, if the last attempt failed; the fault, if there still is one."""
        if self.fault is not None:
            try:
                self.journal.probe()
                self.fault = None
            except sqlite3.Error as error:
                self.fault = str(error)
        return self.fault

    def _snapshot(self, served: Served) -> None:
        try:
            one = served.snapshot(self.journal.seq, self.journal.chain)
            if one is not None:
                self.journal.add_snapshot(one)
            self._since_snapshot[served.id] = 0
        except (sqlite3.Error, OSError) as error:  # the events are there; it is tried later
            self.fault = str(error)
            self._since_snapshot[served.id] = SNAPSHOT_EVERY // 2


def apply(
    event: Event, items: Sequence[Any] | None, models: dict[str, Served], journal: Journal
) -> list[Result]:
    """Do what an event says; the results of its elements, which are read unless they are given."""
    if event.kind == "create":
        served = Served(event.model, event.body)
        models[served.name] = served
        return []
    served = next(one for one in models.values() if one.id == event.model)
    if event.kind == "delete":
        del models[served.name]
        return []
    if items is None:
        items = items_of(event.kind, event.body)
    return served.apply(event, items, journal)


def replay(
    journal: Journal,
    starts: Sequence[Snapshot],
    answers: Journal | None = None,
    after: Callable[[Event, dict[str, Served]], None] = lambda _event, _models: None,
) -> tuple[dict[str, Served], int]:
    """The models at the end of a journal, and how many events that took.

    Each model begins with its snapshot in `starts`, or with the event that made it. Answers are
    kept in the journal itself, or in `answers`. `after` is called after each event.
    """
    models = {one.name: one for one in (Served(s.model, s.about, s.state) for s in starts)}
    begun, n = {one.model: one.seq for one in starts}, 0
    first = min([int(journal.about("seq")) if answers else journal.seq, *begun.values()])
    for event in journal.events(first):
        if event.seq > begun.get(event.model, 0 if answers else journal.seq):
            kept = answers or journal
            apply(event, None, models, kept)
            if kept.unwritten > _MOST_TOGETHER * 16:
                kept.append([])
            n += 1
        after(event, models)
    return models, n


def _problem(status: int, title: str, detail: str) -> Answer:
    problem = failed(status, title, detail).error
    return status, encode(problem)


def problem_of_limit(name: str, value: float, words: str, status: int = 422) -> Answer:
    """The answer to a request that exceeds a limit: which, and its value."""
    detail = f"{words}: the limit {name} is {value:,}"
    return status, encode(Problem("limit exceeded", status, detail, limit=name, value=value))
