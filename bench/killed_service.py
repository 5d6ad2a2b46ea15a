"""Kill the service at random moments under load: nothing that it acknowledged is lost.

    python bench/killed_service.py [moments] [--fail-sync | --power-loss | --cut | --all]

A child serves a folder and writes down each answer before it asks for the next; it is killed (-9)
at a random moment, again and again. After each kill every acknowledged request is repeated and must
get the same answer; at the end the journal must verify, and the model must be that of its examples
learned in a process. With --fail-sync, one sync in ten fails meanwhile; they are counted.

With --power-loss, the writes and syncs of a child are recorded in their order, with its answers. At
random moments the power fails: of what was not synced by then, a random part of the sectors is on
disk, and all that was acknowledged must be there. With --cut, the log is cut off at its end, byte
after byte, 1,049 times as many bytes as moments, so a megabyte for 1,000: what is left must be a
beginning of what was written.

The first two need cc, for a library that is loaded before SQLite's.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from novikoff.serve import service as service_module
from novikoff.serve.journal import NAME, Damaged, Journal
from novikoff.serve.messages import elements, encode
from novikoff.serve.served import Reply, made_of
from novikoff.serve.service import Service, Unavailable, Work
from novikoff.serve.settings import Settings

SECTOR, MEGABYTE = 512, 1 << 20
# Fails one sync in ten of a process with FAILING, and adds a byte to that file for each; SEED says
# which. Records what is done to the journal in the file RECORD.
LIBRARY = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static int record = -1;

static int file_of(int fd) {  /* 1: the journal, 2: its log, 0: another file */
  char link[40], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t n = readlink(link, path, sizeof path - 1);
  if (n < 0) return 0;
  path[n] = 0;
  const char* const name = strstr(path, "journal.sqlite");
  return !name ? 0 : !name[14] ? 1 : !strcmp(name + 14, "-wal") ? 2 : 0;
}

static void note(char what, int fd, long long at, const void* data, long long size) {
  if (record < 0) {
    const char* const path = getenv("RECORD");
    record = path ? open(path, O_WRONLY | O_APPEND | O_CREAT, 0600) : -1;
  }
  const int file = record < 0 ? 0 : file_of(fd);
  if (!file) return;
  struct { long long what, file, at, size; } head = {what, file, at, size};
  struct iovec parts[2] = {{&head, sizeof head}, {(void*)data, data ? size : 0}};
  if (writev(record, parts, 2) < 0) abort();
}

ssize_t pwrite(int fd, const void* data, size_t size, off_t at) {
  ssize_t (*real)(int, const void*, size_t, off_t) = dlsym(RTLD_NEXT, "pwrite");
  const ssize_t n = real(fd, data, size, at);
  if (n > 0) note('w', fd, at, data, n);
  return n;
}
ssize_t pwrite64(int fd, const void* data, size_t size, off_t at) {
  return pwrite(fd, data, size, at);
}
ssize_t write(int fd, const void* data, size_t size) {
  ssize_t (*real)(int, const void*, size_t) = dlsym(RTLD_NEXT, "write");
  const long long at = lseek(fd, 0, SEEK_CUR);
  const ssize_t n = real(fd, data, size);
  if (n > 0 && at >= 0 && fd != record) note('w', fd, at, data, n);
  return n;
}
int ftruncate(int fd, off_t size) {
  int (*real)(int, off_t) = dlsym(RTLD_NEXT, "ftruncate");
  note('t', fd, 0, 0, size);
  return real(fd, size);
}
int ftruncate64(int fd, off_t size) { return ftruncate(fd, size); }
static int fails(void) {
  const char* const path = getenv("FAILING");
  static int count = -1;
  if (path && count < 0) {
    srand(atoi(getenv("SEED")));
    count = open(path, O_WRONLY | O_APPEND | O_CREAT, 0600);
  }
  if (!path || rand() % 10) return 0;
  if (write(count, "x", 1) != 1) abort();
  return 1;
}
int fdatasync(int fd) {
  if (fails()) { errno = EIO; return -1; }
  note('s', fd, 0, 0, 0);
  return 0;  /* the page cache outlives a killed process */
}
int fsync(int fd) { return fdatasync(fd); }
"""


def requests(seed: int) -> Iterator[tuple[str, dict[str, Any], str | None]]:
    """What a client sends, one at a time or in batches.

    It makes predictions with ids or keys, tells their labels, and sends examples with keys. The
    ticket of a prediction is here its id, or the key of its batch and its place there.
    """
    draw, asked = random.Random(seed), list[str]()

    def features() -> dict[str, int]:
        return {f"w{draw.randrange(200)}": 1 for _ in range(5)}

    def reveal() -> dict[str, str]:
        label = draw.choice(("ham", "spam"))
        return {"ticket": asked.pop(draw.randrange(len(asked))), "label": label}

    for k in range(10**9):
        key, some = f"{seed} {k}", draw.randrange(2, 20)
        if draw.random() < 0.2:
            label = draw.choice(("ham", "spam"))
            yield "learn", {"features": features(), "label": label}, key
        elif len(asked) >= some and draw.random() < 0.5:
            yield "reveal", {"examples": [reveal() for _ in range(some)]}, None
        elif asked and draw.random() < 0.3:
            yield "reveal", reveal(), None
        elif draw.random() < 0.5:
            asked += [f"{key} {j}" for j in range(some)]
            yield "predict", {"examples": [{"features": features()} for _ in range(some)]}, key
        else:
            asked.append(key)
            yield "predict", {"features": features(), "id": key}, None


def send(service: Service, verb: str, sent: Any, key: str | None) -> bytes | None:
    """The answer, or None if there was none."""
    body = encode(sent)
    reply = None if key is None else Reply(key=key, digest=body)
    with contextlib.suppress(Unavailable):
        work = Work("m", verb, body, *elements(verb, body), reply)
        answer = service.submit(work).result()[1]
        assert isinstance(answer, bytes)
        return answer
    return None


def create(service: Service, **settings: Any) -> None:
    """Make the model."""
    service.submit(Work("m", "create", made_of("m", Settings(**settings)))).result()


def acknowledged_by(service: Service, seed: int) -> Iterator[bytes]:
    """Send requests for ever; each with its answer, as a line."""
    tickets = dict[str, str]()
    for verb, sent, key in requests(seed):
        for one in sent.get("examples", [sent]) if verb == "reveal" else ():
            one["ticket"] = tickets.get(one["ticket"], "never asked")
        answer = send(service, verb, sent, key)
        if answer is None:
            continue
        if verb == "predict":
            found = json.loads(answer)
            each = {sent["id"]: found} if "id" in sent else {}
            each |= {f"{key} {j}": one for j, one in enumerate(found.get("results", ()))}
            tickets |= {name: one["ticket"] for name, one in each.items()}
        yield json.dumps([verb, sent, key, answer.decode()]).encode() + b"\n"


def killed(folder: Path, seed: int, seconds: float) -> list[Any]:
    """What a child had acknowledged when it was killed after so many seconds of serving."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        os.environ |= {"FAILING": f"{folder}.failed", "SEED": str(seed)}  # in the child only
        try:
            service = Service(folder)
            if not service.models:
                create(service, max_waiting=100)
            for line in acknowledged_by(service, seed):
                os.write(writer, line)
        finally:
            os._exit(1)
    os.close(writer)
    said, file = list[bytes](), os.fdopen(reader, "rb")
    said.append(file.readline())  # it serves
    time.sleep(seconds)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    with file:
        said += file.readlines()
    return [json.loads(line) for line in said if line.endswith(b"\n")]


def check(folder: Path, acknowledged: list[Any]) -> None:
    """Repeat what was acknowledged: the answers must be the same."""
    service = Service(folder)
    before = service.models["m"].protocol.labelled
    for verb, sent, key, answer in acknowledged:
        again = None
        while again is None:
            again = send(service, verb, sent, key)
        if again.decode() != answer:
            raise SystemExit(f"{verb} {sent}: {answer} became {again.decode()}")
    if service.models["m"].protocol.labelled != before:
        raise SystemExit("a repeated request was learned from again")
    service.close()


def kills(moments: int, place: Path) -> str:
    """Kill a child so many times."""
    draw, n, folder = random.Random(1), 0, place / "service"
    for moment in range(moments):
        acknowledged = killed(folder, moment, draw.uniform(0, 0.2))
        n += len(acknowledged)
        check(folder, acknowledged)
    with Journal(folder, to_read=True) as journal:
        models, compared = service_module.verify(journal)
        lines = list[bytes]()
        service_module.export(journal, "m", lines.append)
    alone = Service(place / "alone")
    create(alone)
    for x in map(json.loads, lines):
        send(alone, "learn", {"label": x.pop("label"), "features": x}, None)
    if alone.models["m"].model_file() != models["m"].model_file():
        raise SystemExit("the model is not that of its examples")
    alone.close()
    count, failed = Path(f"{folder}.failed"), ""
    if "LD_PRELOAD" in os.environ:
        if not count.exists():
            raise SystemExit("no sync has failed")
        failed = f"{count.stat().st_size:,} syncs failed, "
    return (
        f"{moments} kills, {failed}{n:,} acknowledged requests, {len(lines):,} examples, "
        f"{compared} snapshots compared"
    )


def power_losses(moments: int, place: Path) -> str:
    """Record what a child does, and let the power fail at so many moments of that."""
    record, draw, folder = place / "record", random.Random(1), place / "service"
    os.environ["RECORD"] = str(record)
    pid = os.fork()
    if pid == 0:
        try:
            service, file = Service(folder), os.open(record, os.O_WRONLY | os.O_APPEND)
            create(service, max_waiting=100)
            for k, line in enumerate(acknowledged_by(service, 1)):
                os.writev(file, [struct.pack("qqqq", ord("a"), 0, 0, len(line)), line])
                if k == min(400, 20 * moments):
                    break
        finally:
            os._exit(1)
    os.waitpid(pid, 0)
    del os.environ["RECORD"]
    done, content = list[tuple[str, int, int, bytes, int]](), record.read_bytes()
    while content:
        what, file, at, size = struct.unpack_from("qqqq", content)
        length = size if chr(what) in "wa" else 0
        done.append((chr(what), file, at, content[32 : 32 + length], size))
        content = content[32 + length :]
    first = next(k for k, one in enumerate(done) if one[0] == "a")
    lost = 0
    for moment in range(moments):
        end, files = draw.randrange(first, len(done)), {1: bytearray(), 2: bytearray()}
        synced = {
            file: max((k for k in range(end) if done[k][:2] == ("s", file)), default=-1)
            for file in files
        }
        for k, (what, file, at, data, size) in enumerate(done[:end]):
            if what == "t" and k < synced[file]:
                del files[file][size:]
            for offset in range(0, len(data), SECTOR) if what == "w" else ():
                part = data[offset : offset + SECTOR]
                if k > synced[file] and draw.random() < 0.5:
                    lost += 1
                    continue
                to = files[file]
                to.extend(bytes(max(0, at + offset + len(part) - len(to))))
                to[at + offset : at + offset + len(part)] = part
        after = place / f"after {moment}"
        after.mkdir()
        for file, name in ((1, NAME), (2, f"{NAME}-wal")):
            (after / name).write_bytes(files[file])
        check(after, [json.loads(one[3]) for one in done[:end] if one[0] == "a"])
        shutil.rmtree(after)
    return f"{moments} power losses, {lost:,} sectors that were not synced left out"


def cuts(moments: int, place: Path) -> str:
    """Cut the log at each of its last bytes, up to a megabyte."""
    most = min(1049 * moments, MEGABYTE)
    chains = log_to_cut(place, most + 100_000)
    size = (place / "cut" / f"{NAME}-wal").stat().st_size
    return cut_at(range(size, size - most - 1, -1), place / "cut", chains)


def log_to_cut(place: Path, size: int) -> dict[int, bytes]:
    """Make a journal with a log of this size in the folder `cut`; the chain of each event."""
    service, chains = Service(place / "service"), {0: bytes(32)}
    service.journal._base.execute("PRAGMA wal_autocheckpoint=0")
    create(service)
    lines = acknowledged_by(service, 1)
    while (place / "service" / f"{NAME}-wal").stat().st_size < size:
        next(lines)
        chains[service.journal.seq] = service.journal.chain
    shutil.copytree(place / "service", place / "cut")
    service.close()
    (place / "cut" / f"{NAME}-shm").unlink()
    return chains


def cut_at(ends: range, folder: Path, chains: dict[int, bytes]) -> str:
    """Cut the log at these places, from the last to the first, and read the journal each time.

    A cut that gives the same bytes of the base as the one before was checked with that one.
    """
    cut, refused, lengths, known = folder / f"{NAME}-wal", 0, set[int](), b""
    for end in ends:
        os.truncate(cut, end)
        try:
            with Journal(folder, to_read=True) as journal:
                if (found := journal._base.serialize()) != known:
                    is_beginning = chains.get(journal.seq) == journal.chain
                    if not is_beginning or sum(1 for _ in journal.events()) != journal.seq:
                        raise SystemExit(f"cut at {end}: {journal.seq} events are not a beginning")
                    lengths.add(journal.seq)
                    known = found
        except Damaged:
            refused += 1
        (folder / f"{NAME}-shm").unlink(missing_ok=True)
    return f"cut at {len(ends):,} places, {len(lengths)} beginnings, {refused} refused"


def main() -> None:
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    moments = int(words[0]) if words else 1000
    if {"--fail-sync", "--power-loss", "--all"} & {*sys.argv} and "LD_PRELOAD" not in os.environ:
        with TemporaryDirectory() as place:
            library = f"{place}/library.so"
            compiler = ["cc", "-shared", "-fPIC", "-O1", "-o", library, "-x", "c", "-", "-ldl"]
            subprocess.run(compiler, input=LIBRARY.encode(), check=True)
            run = [sys.executable, *sys.argv]
            done = subprocess.run(run, env=os.environ | {"LD_PRELOAD": library}, check=False)
            sys.exit(done.returncode)
    service_module.SNAPSHOT_EVERY = 300
    ways = {"--power-loss": power_losses, "--cut": cuts, "--all": kills}
    chosen = [ways[word] for word in sys.argv if word in ways] or [kills]
    for way in ways.values() if "--all" in sys.argv else chosen:
        with TemporaryDirectory() as place:
            print(f"{way(moments, Path(place))}: nothing was lost")


if __name__ == "__main__":
    main()
