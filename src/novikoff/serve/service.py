"""The service: one thread that writes the journal, lets the models learn, and answers.

Whatever changes a model is written first, many requests in one commit, and learned from afterwards,
in the order of the journal. So the models are at any time what replaying the journal gives. A
journal is also checked, exported and shortened here, without a server.
"""

from __future__ import annotations

import queue
import sqlite3
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from novikoff.online.delayed_labels import DriftWarning
from novikoff.serve.journal import Damaged, Event, Journal, Snapshot
from novikoff.serve.limits import Limits
from novikoff.serve.messages import Answer, Form, Problem, Refusal, elements, encode, over
from novikoff.serve.served import Reply, Served, name_of
from novikoff.stream.printing import quoted_list

SNAPSHOT_EVERY = 500_000  # elements of batches, which take about two seconds to replay
_OF_ONE = 10  # elements of a batch take as long to replay as an event of one
_SNAPSHOT_BYTES = 1000  # of a snapshot for each element since the last one, at most
_MOST_TOGETHER = 4096  # requests in a commit


class Unavailable(Refusal):
    """Nothing can be written now; nothing was done."""

    def __init__(self, words: str) -> None:
        super().__init__(Problem("not available", 503, words), {b"retry-after": b"1"})


@dataclass(slots=True)
class Work:
    """A request for the writing thread: an event, or a question if `ask` is given.

    The journal holds `body`, whose elements are `items`, and `reply` if there is one.
    """

    model: str
    kind: str
    body: bytes = b""
    form: Form = "one"
    items: Sequence[Any] = ()
    reply: Reply | None = None
    ask: Callable[[Any], Any] | None = None
    done: Any = None  # a future, of asyncio or of concurrent.futures


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

    `fault` says why the last attempt to write failed, `broken` why nothing is answered any more.
    `observe` is called with the seconds of each commit, and `deliver` with the answers that follow.
    The start took `replay_seconds`, for so many events `replayed`.
    """

    def __init__(self, folder: Path, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self.fault: str | None = None
        self.observe: Callable[[float], None] = lambda _seconds: None
        self.deliver: Callable[[list[tuple[Work, Any]]], object] = deliver
        self._queue: queue.SimpleQueue[Work | None] = queue.SimpleQueue()
        self.broken: str | None = None
        self._since_snapshot, self._sizes = Counter[int](), Counter[int]()
        # the summary tells it
        warnings.filterwarnings("ignore", category=DriftWarning, module=r"novikoff\.serve\.")
        began = time.perf_counter()
        self.journal = Journal(folder)
        try:
            newest = {one.model: one for one in self.journal.snapshots()}
            self.models, self.replayed = replay(self.journal, [*newest.values()])
            behind = (one.model for one in newest.values() if one.seq < self.journal.seq)
            self._since_snapshot.update(behind)
            self._sizes.update({one.model: len(one.state) for one in newest.values()})
        except BaseException:
            self.journal.close()
            raise
        self.replay_seconds = time.perf_counter() - began
        self._thread = threading.Thread(target=self._work, name="journal", daemon=True)
        self._thread.start()

    @property
    def queued(self) -> int:
        """How many requests wait for the disk."""
        return self._queue.qsize()

    def submit(self, work: Work) -> Any:
        """Hand work to the thread; raises Unavailable if too much waits already."""
        if self.broken is not None:
            raise Unavailable(self.broken)
        if self.queued >= self.limits.max_queue:
            raise Unavailable("too many requests wait for the disk")
        work.done = work.done or Future()
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
                reply = None if work.reply is None else encode(work.reply)
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
            found = work.form, work.items
            out.append((work, apply(event, found, self.models, self.journal)))
            self._since_snapshot[event.model] += _OF_ONE + len(work.items)
        self.deliver(out)
        for served in self.models.values():  # all events are applied now
            few = max(SNAPSHOT_EVERY, self._sizes[served.id] // _SNAPSHOT_BYTES)
            if self._since_snapshot[served.id] >= few:
                self._snapshot(served)

    def _early(self, work: Work, served: Served | None) -> Answer | None:
        """The answer of a request that writes nothing: for no model, or made before."""
        if work.kind == "probe":
            return None
        if served is None and work.kind != "create":
            return Problem("unknown model", 404, f"there is no model {work.model!r}").answer
        if served is not None and work.kind == "create":
            return Problem("model exists", 409, f"there is a model {work.model!r} already").answer
        if work.kind == "create" and len(self.models) >= self.limits.max_models:
            return over(self.limits, "max_models", "there are as many models").answer
        if served is None or work.reply is None or (key := work.reply.key) is None:
            return None
        known = self.journal.kept(served.id, "key", key, self.journal.seq + 1)
        if known is None or known.digest == work.reply.digest:
            return known and (known.status, known.answer)
        words = f"the Idempotency-Key {key!r} came before, with another request"
        return Problem("key used twice", 422, words).answer

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
            self.journal.add_snapshot(one)
            self._sizes[served.id] = len(one.state)
            self._since_snapshot[served.id] = 0
        except (sqlite3.Error, OSError) as error:  # the events are there; it is tried later
            self.fault = str(error)
            self._since_snapshot[served.id] = SNAPSHOT_EVERY // 2


def apply(
    event: Event,
    found: tuple[Form, Sequence[Any]] | None,
    models: dict[str, Served],
    journal: Journal,
) -> Answer:
    """Do what an event says, and answer; its elements are read again unless they are given."""
    if event.kind == "create":
        served = Served(event.model, event.body)
        models[served.name] = served
        return 200, b""
    served = next(one for one in models.values() if one.id == event.model)
    if event.kind == "delete":
        del models[served.name]
        return 200, b""
    form, items = found or elements(event.kind, event.body)
    return served.apply(event, form, items, journal)


def replay(
    journal: Journal,
    starts: Sequence[Snapshot],
    answers: Journal | None = None,
    after: Callable[[Event, dict[str, Served]], None] = lambda _event, _models: None,
    *,
    whole: bool = False,
) -> tuple[dict[str, Served], int]:
    """The models at the end of a journal, and how many events that took.

    Each model begins with its snapshot in `starts`; without one it is left out or, if the `whole`
    journal is replayed, begins with the event that made it. Answers are kept in the journal itself,
    or in `answers`. `after` is called after each event.
    """
    models = {one.name: one for one in (Served(s.model, s.about, s.state) for s in starts)}
    begun, n = {one.model: one.seq for one in starts}, 0
    first = min([int(journal.about("seq")) if answers else journal.seq, *begun.values()])
    for event in journal.events(first):
        if event.seq > begun.get(event.model, 0 if whole else journal.seq):
            kept = answers or journal
            apply(event, None, models, kept)
            if kept.unwritten > _MOST_TOGETHER * 16:
                kept.append([])
            n += 1
        after(event, models)
    return models, n


def verify(journal: Journal, *, from_snapshots: bool = False) -> tuple[dict[str, Served], int]:
    """Replay a journal from its beginning, and compare the models with its snapshots byte by byte.

    Returns the models and how many snapshots were the same; Damaged if one is not. A journal that
    was compacted begins with the snapshots that were taken then. With `from_snapshots` each model
    begins with the older of its two; the hashes of all events are compared all the same.
    """
    stored = {(one.model, one.seq): one for one in journal.snapshots() if one.state}
    compared = 0

    def compare(event: Event, models: dict[str, Served]) -> None:
        nonlocal compared
        for served in models.values():
            one = stored.get((served.id, event.seq))
            if one is not None and one.seq > begun.get(served.id, 0):
                compared += 1
                if served.snapshot(one.seq, event.chain) != one:
                    words = f"event {one.seq}: replaying gives another model {served.name!r}"
                    raise Damaged(f"{journal.path}: {words} than the snapshot")

    starts = beginnings(journal, journal.seq if from_snapshots else None)
    begun = {one.model: one.seq for one in starts}
    return _replayed(journal, starts, compare, whole=not from_snapshots), compared


def beginnings(journal: Journal, upto: int | None = None) -> list[Snapshot]:
    """The oldest snapshots of models made up to an event, or whose first events were compacted."""
    first = int(journal.about("seq")) if upto is None else upto
    oldest = {one.model: one for one in reversed(journal.snapshots()) if one.model <= first}
    return [*oldest.values()]


def export(journal: Journal, model: str, write: Callable[[bytes], object]) -> Served:
    """Write the examples that a model learned from, in order, as JSON lines; returns the model."""
    first = int(journal.about("seq"))
    ids = {name_of(one.about): one.model for one in journal.snapshots()}
    if model not in ids:
        raise ValueError(f"there is no model {model!r}; the models are {quoted_list([*ids])}")
    if ids[model] <= first:
        raise ValueError(f"the events up to {first:,} were compacted, and the examples with them")

    def listen(event: Event, models: dict[str, Served]) -> None:
        if event.seq == ids[model]:
            weight = models[model].settings.weight
            models[model].learned = lambda x, y, w: write(
                encode({"label": y, **({} if weight is None else {weight: w})} | x) + b"\n"
            )

    return _replayed(journal, beginnings(journal), listen)[model]


def _replayed(
    journal: Journal,
    starts: list[Snapshot],
    after: Callable[[Event, dict[str, Served]], None],
    *,
    whole: bool = True,
) -> dict[str, Served]:
    """The models of a whole journal; the answers, which ids need, are kept in a file meanwhile."""
    with TemporaryDirectory() as folder, Journal(Path(folder)) as answers:
        return replay(journal, starts, answers, after, whole=whole)[0]


def compact(folder: Path, *, answers: bool) -> int:
    """Remove the events that snapshots replace, and return how many; no server may run."""
    service = Service(folder)
    service.close()
    with Journal(folder) as journal:
        newest = {one.model: one.seq for one in journal.snapshots()}
        before, upto = int(journal.about("seq")), int(min([journal.seq, *newest.values()]))
        if upto > before:
            journal.compact(upto, answers=answers)
        return upto - before
