"""Work on a journal without a server: check it, export its examples, shorten it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from novikoff.serve.journal import Damaged, Event, Journal, Snapshot
from novikoff.serve.messages import encode
from novikoff.serve.served import Served, name_of
from novikoff.serve.service import Service, replay
from novikoff.stream.printing import quoted_list


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
