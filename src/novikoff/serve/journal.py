"""The journal: what clients sent, on disk before it is answered, in one file with a hash chain.

One connection writes and checkpoints. SQLite's log is synced at every commit, so what is committed
survives a power cut. Answers are kept beside the events, for clients that ask again; they follow
from the events, so they are written with the next commit, and a crash loses none of them.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeAlias

import msgspec

NAME, FORMAT = "journal.sqlite", 1
encode = msgspec.json.encode
_SCHEMA = """
CREATE TABLE about(name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE events(seq INTEGER PRIMARY KEY, model INTEGER NOT NULL, kind TEXT NOT NULL,
    reply BLOB, body BLOB NOT NULL, chain BLOB NOT NULL);
CREATE TABLE snapshots(model INTEGER, seq INTEGER, chain BLOB, about BLOB, state BLOB,
    PRIMARY KEY(model, seq));
CREATE TABLE told(model INTEGER, ticket INTEGER, seq INTEGER, tickets BLOB,
    PRIMARY KEY(model, ticket)) WITHOUT ROWID;
CREATE TABLE answers(model INTEGER, kind TEXT, name TEXT, seq INTEGER, digest BLOB, status INTEGER,
    answer BLOB, PRIMARY KEY(model, kind, name)) WITHOUT ROWID;
"""
_PROBED = 100_000  # bytes
_OF_MODELS = ("snapshots", "told", "answers")


class Damaged(Exception):  # noqa: N818  (it names the thing that is wrong)
    """The journal is not what was written; says where."""


class Locked(Exception):  # noqa: N818  (it names the thing that is wrong)
    """Another process uses the journal."""


class Event(NamedTuple):
    """One request that changed a model: `seq` counts all of them.

    `reply` says how it is answered again, if the client gave it an idempotency key.
    """

    seq: int
    model: int
    kind: str
    reply: bytes | None
    body: bytes
    chain: bytes

    def after(self, before: bytes) -> bytes:
        """The hash of this event and of all before it."""
        about = encode([self.seq, self.model, self.kind, self.reply])
        return hashlib.sha256(before + about + self.body).digest()


class Kept(NamedTuple):
    """An answer to give again: to an `id` of a prediction or to an idempotency `key`."""

    model: int
    kind: str
    name: str
    seq: int
    digest: bytes
    status: int
    answer: bytes


class Snapshot(NamedTuple):
    """The state of a model after an event: what it was made of, and the file of its Protocol.

    The file is empty for a model that has just been made.
    """

    model: int
    seq: int
    chain: bytes
    about: bytes
    state: bytes


End: TypeAlias = tuple[str | None, Any]  # of a ticket: its label, or None if dropped; the answer
_ENDS = msgspec.json.Decoder(list[tuple[str | None, msgspec.Raw]])


class Journal:
    """The journal of a folder; Locked if another process has it open, Damaged if it is unreadable.

    With `to_read`, a running server keeps writing meanwhile, and nothing here writes. `seq` is the
    last event, and `chain` the hash of all.
    """

    def __init__(self, folder: Path, *, to_read: bool = False) -> None:
        self.path, self._lock = folder / NAME, -1
        if to_read or folder.is_file():
            self.path.stat()  # an error that names what is not there, or is no folder
        if not to_read:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(self._lock)
                raise Locked(f"{folder}: another process serves this folder") from None
        uri = f"{self.path.absolute().as_uri()}?mode={'ro' if to_read else 'rwc'}"
        self._base = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
        self._told: list[tuple[int, int, int, bytes]] = []  # not written yet
        self._kept: dict[tuple[int, str, str], Kept] = {}
        try:
            self._base.execute("PRAGMA mmap_size=0")
            if not to_read:
                self._base.execute("PRAGMA journal_mode=WAL")
                self._base.execute("PRAGMA synchronous=FULL")
                if not self._base.execute("SELECT 1 FROM sqlite_master").fetchone():
                    values = f"('format', {FORMAT}), ('seq', 0), ('chain', zeroblob(32))"
                    self._base.executescript(
                        f"BEGIN; {_SCHEMA} INSERT INTO about VALUES {values}; COMMIT;"
                    )
            else:
                self._base.execute("BEGIN")  # everything is read as it is now
            is_known = self.about("format") == FORMAT
            last = self._base.execute("SELECT * FROM events ORDER BY seq DESC LIMIT 1").fetchone()
        except sqlite3.Error as error:
            self.close()
            raise Damaged(f"{self.path}: {error}; restore a backup") from None
        if not is_known:
            self.close()
            raise Damaged(f"{self.path}: not a journal of this version of novikoff")
        self.seq, self.chain = int(self.about("seq")), bytes(self.about("chain"))
        if last:
            self.seq, self.chain = last[0], last[5]

    def about(self, name: str) -> Any:
        """What the journal says about itself: its format, and the event before the first one."""
        found = self._base.execute("SELECT value FROM about WHERE name=?", (name,)).fetchone()
        return None if found is None else found[0]

    def _note(self, **values: Any) -> None:
        self._base.executemany("INSERT OR REPLACE INTO about VALUES(?, ?)", values.items())

    # events

    def append(self, new: Sequence[tuple[int, str, bytes | None, bytes]]) -> list[Event]:
        """Write events (model, kind, reply, body) and whatever waits; they are then on disk.

        If that fails with an sqlite3.Error, nothing has changed.
        """
        events, chain = list[Event](), self.chain
        for seq, (model, kind, reply, body) in enumerate(new, self.seq + 1):
            event = Event(seq, model, kind, reply, body, b"")
            chain = event.after(chain)
            events.append(event._replace(chain=chain))
        run = self._base.executemany
        try:
            self._base.execute("BEGIN IMMEDIATE")
            run("INSERT INTO events VALUES(?, ?, ?, ?, ?, ?)", events)
            run("INSERT OR REPLACE INTO told VALUES(?, ?, ?, ?)", self._told)
            run("INSERT OR REPLACE INTO answers VALUES(?, ?, ?, ?, ?, ?, ?)", self._kept.values())
            for one in events:  # a new model begins with its settings, a deleted one keeps nothing
                if one.kind == "create":
                    row = Snapshot(one.model, one.seq, one.chain, one.body, b"")
                    self._base.execute("INSERT INTO snapshots VALUES(?, ?, ?, ?, ?)", row)
                for table in _OF_MODELS if one.kind == "delete" else ():
                    self._base.execute(f"DELETE FROM {table} WHERE model=?", (one.model,))
            self._base.execute("COMMIT")
        except sqlite3.Error:
            if self._base.in_transaction:
                self._base.execute("ROLLBACK")
            raise
        self._told.clear()
        self._kept.clear()
        self.seq, self.chain = self.seq + len(events), chain
        return events

    def events(self, after: int = 0) -> Iterator[Event]:
        """The events after this one, in order; Damaged if they are not those that were written."""
        first, chain = int(self.about("seq")), bytes(self.about("chain"))
        if after > first:
            found = self._base.execute("SELECT chain FROM events WHERE seq=?", (after,)).fetchone()
            if found is None:
                raise Damaged(f"{self.path}: event {after} is missing; restore a backup")
            first, chain = after, found[0]
        rows = self._base.execute("SELECT * FROM events WHERE seq>? ORDER BY seq", (first,))
        try:
            for event in map(Event._make, rows):
                is_next = event.seq == first + 1 and isinstance(event.body, bytes)
                if not is_next or event.after(chain) != event.chain:
                    raise Damaged(f"{self.path}: event {first + 1} has changed; restore a backup")
                first, chain = event.seq, event.chain
                yield event
        except sqlite3.Error as error:
            raise Damaged(f"{self.path}: {error}; restore a backup") from None

    # answers to give again

    def told(self, model: int, ticket: int, before: int) -> End | None:
        """How a ticket ended, in an event before this one or in this process."""
        # a row has consecutive tickets of one event; each ticket ends once, so no two rows overlap
        where = "WHERE model=? AND ticket<=? ORDER BY ticket DESC LIMIT 1"
        row = self._base.execute(f"SELECT * FROM told {where}", (model, ticket)).fetchone()
        # after a crash, rows of events that are being replayed are there already
        written = [] if row is None or row[2] >= before else [row]
        for one, first, _, ends in (*reversed(self._told), *written):
            if one == model and first <= ticket:
                found, at = _ENDS.decode(ends), int(ticket - first)
                if at < len(found):
                    return found[at]
        return None

    def kept(self, model: int, kind: str, name: str, before: int) -> Kept | None:
        """The answer that was kept under this name, in an event before this one."""
        if (found := self._kept.get((model, kind, name))) is not None:
            return found
        where = "WHERE model=? AND kind=? AND name=? AND seq<?"
        given = (model, kind, name, before)
        row = self._base.execute(f"SELECT * FROM answers {where}", given).fetchone()
        return None if row is None else Kept(*row)

    def end(self, model: int, seq: int, ends: Mapping[int, End]) -> None:
        """Remember with the next commit how tickets ended; consecutive ones are one row."""
        tickets = sorted(ends)
        cuts = [k for k, n in enumerate(tickets) if k == 0 or tickets[k - 1] != n - 1]
        for k, end in zip(cuts, [*cuts[1:], None], strict=True):
            run = encode([ends[n] for n in tickets[k:end]])
            self._told.append((model, tickets[k], seq, run))

    def keep(self, one: Kept) -> None:
        """Remember an answer with the next commit."""
        self._kept[one[:3]] = one

    @property
    def unwritten(self) -> int:
        """How many answers wait for the next commit."""
        return len(self._told) + len(self._kept)

    # snapshots

    def snapshots(self) -> list[Snapshot]:
        """The snapshots in the order of events, the newest two of each model."""
        rows = self._base.execute("SELECT * FROM snapshots ORDER BY seq").fetchall()
        return [Snapshot(*row) for row in rows]

    def add_snapshot(self, one: Snapshot) -> None:
        """Write a snapshot, after all answers up to it; the newest two are kept."""
        self.append([])
        keep = "SELECT seq FROM snapshots WHERE model=? ORDER BY seq DESC LIMIT 2"
        with self._base:
            self._base.execute("BEGIN IMMEDIATE")
            self._base.execute("INSERT OR REPLACE INTO snapshots VALUES(?, ?, ?, ?, ?)", one)
            old = f"DELETE FROM snapshots WHERE model=? AND seq NOT IN ({keep})"
            self._base.execute(old, (one.model, one.model))

    def probe(self) -> None:
        """Write as much as a batch, to see whether that is possible; an sqlite3.Error if not."""
        self._note(probe=bytes(_PROBED))

    def compact(self, upto: int, *, answers: bool) -> None:
        """Remove the events up to this one, and if asked the answers that they gave."""
        (chain,) = self._base.execute("SELECT chain FROM events WHERE seq=?", (upto,)).fetchone()
        with self._base:
            self._base.execute("BEGIN IMMEDIATE")
            self._note(seq=upto, chain=chain)
            self._base.execute("DELETE FROM events WHERE seq<=?", (upto,))
            for table in ("told", "answers") if answers else ():
                self._base.execute(f"DELETE FROM {table} WHERE seq<=?", (upto,))
            self._base.execute("DELETE FROM snapshots WHERE seq<?", (upto,))
        self._base.execute("VACUUM")

    def backup(self, folder: Path) -> None:
        """Write a copy into a new folder, which can be served; the server may go on."""
        folder.mkdir(parents=True)
        self._base.execute("END")
        path = folder / NAME
        self._base.execute("VACUUM INTO ?", (str(path),))
        for one in (path, folder):  # SQLite does not sync the copy
            handle = os.open(one, os.O_RDONLY)
            os.fsync(handle)
            os.close(handle)

    @property
    def bytes(self) -> int:
        """The size of the files."""
        files = (self.path, Path(f"{self.path}-wal"))
        return sum(file.stat().st_size for file in files if file.exists())

    def close(self) -> None:
        """Close the files; another process may then open them."""
        self._base.close()
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
