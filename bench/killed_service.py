"""Kill the service at random moments under load: nothing that it acknowledged is lost.

    python bench/killed_service.py [moments] [--fail-sync]

A child serves a folder and writes down each answer before it asks for the next; it is killed (-9)
at a random moment, again and again. After each kill every acknowledged request is repeated and must
get the same answer; at the end the journal must verify, and the model must be that of its examples
learned in a process. With --fail-sync, one sync in ten fails meanwhile (by LD_PRELOAD; needs cc).
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from novikoff.serve import service as service_module
from novikoff.serve import upkeep
from novikoff.serve.journal import Journal
from novikoff.serve.served import Reply, encode, made_of
from novikoff.serve.service import Service, Unavailable, Work
from novikoff.serve.settings import Settings

FAILING = """
#include <errno.h>
#include <stdlib.h>
int fdatasync(int f) {
    if (getenv("FAILING") && rand() % 10 == 0) { errno = EIO; return -1; }
    return 0;
}
int fsync(int f) { return fdatasync(f); }
"""


def requests(seed: int) -> Iterator[tuple[str, list[Any], str | None]]:
    """What a client sends: predictions with ids, labels, and examples with keys."""
    draw, asked = random.Random(seed), list[str]()
    for k in range(10**9):
        x = {f"w{draw.randrange(200)}": 1 for _ in range(5)}
        label = draw.choice(("ham", "spam"))
        if draw.random() < 0.3:
            yield "learn", [(x, label)], f"{seed} {k}"
        elif asked and draw.random() < 0.5:
            yield "reveal", [(asked.pop(draw.randrange(len(asked))), label)], None
        else:
            asked.append(f"{seed} {k}")
            yield "predict", [(x, asked[-1])], None


def send(service: Service, verb: str, items: list[Any], key: str | None) -> bytes | None:
    """The answer, or None if there was none."""
    reply = Reply(key=key, digest=b"" if key is None else encode(items))
    with contextlib.suppress(Unavailable):
        answer = service.submit(Work("m", verb, items, encode(items), reply)).result()[1]
        assert isinstance(answer, bytes)
        return answer
    return None


def serve(folder: Path, seed: int, out: int) -> None:
    """Send requests for ever, and write down each with its answer."""
    service, tickets = Service(folder), dict[str, int]()
    if not service.models:
        service.submit(Work("m", "create", (), made_of("m", Settings(max_waiting=50)))).result()
    for verb, items, key in requests(seed):
        if verb == "reveal":
            ticket = tickets.get(items[0][0])
            if ticket is None:
                continue
            items = [(ticket, items[0][1])]
        answer = send(service, verb, items, key)
        if answer is None:
            continue
        if verb == "predict":
            tickets[items[0][1]] = int(json.loads(answer)["ticket"].partition(":")[2])
        os.write(out, json.dumps([verb, items, key, answer.decode()]).encode() + b"\n")


def killed(folder: Path, seed: int, seconds: float) -> list[Any]:
    """What a child had acknowledged when it was killed after so many seconds of serving."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        os.environ["FAILING"] = "yes"  # in the child only
        try:
            serve(folder, seed, writer)
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
    for verb, items, key, answer in acknowledged:
        again = None
        while again is None:
            again = send(service, verb, [tuple(one) for one in items], key)
        if again.decode() != answer:
            raise SystemExit(f"{verb} {items}: {answer} became {again.decode()}")
    if service.models["m"].protocol.labelled != before:
        raise SystemExit("a repeated request was learned from again")
    service.close()


def main() -> None:
    words = [word for word in sys.argv[1:] if word != "--fail-sync"]
    moments = int(words[0]) if words else 1000
    if "--fail-sync" in sys.argv and "LD_PRELOAD" not in os.environ:
        with TemporaryDirectory() as place:
            library = f"{place}/failing.so"
            compiler = ["cc", "-shared", "-fPIC", "-o", library, "-x", "c", "-"]
            subprocess.run(compiler, input=FAILING.encode(), check=True)
            run = [sys.executable, *sys.argv]
            done = subprocess.run(run, env=os.environ | {"LD_PRELOAD": library}, check=False)
            sys.exit(done.returncode)
    draw, n = random.Random(1), 0
    service_module.SNAPSHOT_EVERY = 300
    with TemporaryDirectory() as place:
        folder = Path(place, "service")
        for moment in range(moments):
            acknowledged = killed(folder, moment, draw.uniform(0, 0.2))
            n += len(acknowledged)
            check(folder, acknowledged)
        with Journal(folder, to_read=True) as journal:
            models, compared = upkeep.verify(journal)
            lines = list[bytes]()
            upkeep.export(journal, "m", lines.append)
        alone = Service(Path(place, "alone"))
        alone.submit(Work("m", "create", (), made_of("m", Settings()))).result()
        pairs = [json.loads(line) for line in lines]
        for x in pairs:
            send(alone, "learn", [(x, x.pop("label"))], None)
        if alone.models["m"].model_file() != models["m"].model_file():
            raise SystemExit("the model is not that of its examples")
        alone.close()
    print(
        f"{moments} kills, {n:,} acknowledged requests, {len(pairs):,} examples, "
        f"{compared} snapshots compared: nothing was lost"
    )


if __name__ == "__main__":
    main()
