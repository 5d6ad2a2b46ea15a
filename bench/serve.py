"""The service under load: durable examples a second, one at a time and in batches.

    python bench/serve.py [--seconds 5] [--vowpal PYTHON] [--many 10000000] [--events 10000000]

The load generator runs in this process, beside the server: 64 connections that each predict, wait
for the answer, tell the label, and so on; then 8 connections with batches of 500. The same with the
journal on a file system in memory without syncing shows what durability costs. With the Python of
an environment that has vowpalwabbit, its daemon, which writes nothing down, predicts and learns the
same examples on one connection: one line at a time, and 500 lines before it waits for the answers.

With --many, so many examples are predicted and revealed in batches, and the memory of the server is
printed as they grow; then it is killed, and the time of its start is printed.

With --events, the journal of a start has so many events of one example each. All but the last ones
are labels of a ticket that does not wait, which are written and change nothing, so they are put
into the journal without a server. The last ones are examples that are learned, as many as there can
be before the next snapshot.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from novikoff.serve.journal import Journal
from novikoff.serve.messages import elements
from novikoff.serve.served import made_of
from novikoff.serve.service import SNAPSHOT_EVERY, Service, Work
from novikoff.serve.settings import Settings

SERVER = """
import sys
if sys.argv[1] == "off":
    from novikoff.serve import journal
    opened = journal.Journal.__init__
    def without_sync(self, *given, **more):
        opened(self, *given, **more)
        self._base.execute("PRAGMA synchronous=OFF")
    journal.Journal.__init__ = without_sync
from novikoff.cli.main import main
sys.argv[1:] = ["serve", sys.argv[2], "--port", "0"]
main()
"""
LABELS = ("ham", "spam")


def examples(n: int) -> list[tuple[dict[str, Any], str]]:
    """Examples of ten words of 50,000, some of which tell the label."""
    draw = random.Random(1)
    out = []
    for _ in range(n):
        words = {f"w{int(50_000 * draw.random() ** 3)}": 1 for _ in range(10)}
        out.append((words, LABELS[sum(map(hash, words)) % 97 < 48]))
    return out


def started(folder: str, journal: str) -> tuple[subprocess.Popen[str], int]:
    """A server, and its port."""
    command = [sys.executable, "-c", SERVER, journal, folder]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, int(process.stdout.readline().rpartition(":")[2].strip("/\n"))


class Connection:
    """A connection that sends a request and reads its answer."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def open(self) -> Connection:
        """Connect."""
        made = await asyncio.open_connection("127.0.0.1", self._port, limit=1 << 24)
        self._reader, self._writer = made
        return self

    async def send(self, path: str, body: bytes, method: str = "POST") -> bytes:
        """The body of the answer."""
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n"
        self._writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        start = await self._reader.readuntil(b"\r\n\r\n")
        length = int(start.lower().partition(b"content-length: ")[2].partition(b"\r")[0])
        found = await self._reader.readexactly(length)
        if not start.startswith((b"HTTP/1.1 200", b"HTTP/1.1 201")):
            raise RuntimeError(found.decode())
        return found


async def one_at_a_time(port: int, seconds: float, connections: int) -> tuple[int, list[float]]:
    """Examples predicted and revealed, and the seconds of each request."""
    some, took, end = examples(5000), list[float](), time.perf_counter() + seconds
    asks = [json.dumps({"features": x}).encode() for x, _ in some]

    async def client(k: int) -> int:
        line, n = await Connection(port).open(), 0
        while (began := time.perf_counter()) < end:
            i = (k + connections * n) % len(some)
            found = await line.send("/v1/models/m/predict", asks[i])
            middle = time.perf_counter()
            ticket = found.partition(b'"ticket":"')[2].partition(b'"')[0].decode()
            told = f'{{"ticket":"{ticket}","label":"{some[i][1]}"}}'
            await line.send("/v1/models/m/reveal", told.encode())
            took.extend((middle - began, time.perf_counter() - middle))
            n += 1
        return n

    return sum(await asyncio.gather(*map(client, range(connections)))), took


async def in_batches(port: int, seconds: float, connections: int) -> tuple[int, list[float]]:
    """The same in batches of 500."""
    some, took, end = examples(20_000), list[float](), time.perf_counter() + seconds
    parts = [some[k : k + 500] for k in range(0, len(some), 500)]
    asks = [json.dumps({"examples": [{"features": x} for x, _ in part]}).encode() for part in parts]

    async def client(k: int) -> int:
        line, n = await Connection(port).open(), 0
        while (began := time.perf_counter()) < end:
            i = (k + connections * n) % len(parts)
            found = await line.send("/v1/models/m/predict", asks[i])
            middle = time.perf_counter()
            first = found.partition(b'"ticket":"')[2].partition(b'"')[0].decode()
            model, _, number = first.partition(":")
            told = ",".join(
                f'{{"ticket":"{model}:{int(number) + j}","label":"{y}"}}'
                for j, (_, y) in enumerate(parts[i])
            )
            await line.send("/v1/models/m/reveal", f'{{"examples":[{told}]}}'.encode())
            took.extend((middle - began, time.perf_counter() - middle))
            n += 1
        return 500 * n

    return sum(await asyncio.gather(*map(client, range(connections)))), took


def measured(
    load: Callable[..., Any], journal: str, seconds: float, connections: int
) -> tuple[float, float, float, float]:
    """Examples a second, median and 99th percentile of a request in ms, CPU µs an example.

    The processor time is that of the server; on a busy machine it says more than the rate.
    """
    beside = "/dev/shm" if journal == "off" and os.path.isdir("/dev/shm") else None
    with TemporaryDirectory(dir=beside) as folder:
        process, port = started(folder, journal)
        try:

            async def run() -> tuple[int, list[float], float]:
                line = await Connection(port).open()
                await line.send("/v1/models/m", b'{"hash_bits": 18}', "PUT")
                await load(port, 0.5, connections)
                before = processor_seconds(process.pid)
                n, took = await load(port, seconds, connections)
                return n, took, processor_seconds(process.pid) - before

            n, took, busy = asyncio.run(run())
        finally:
            process.terminate()
            process.communicate()
    took.sort()
    median, worst = (1e3 * took[len(took) * k // 100] for k in (50, 99))
    return n / seconds, median, worst, 1e6 * busy / n


def processor_seconds(pid: int) -> float:
    """How long a process has run on a processor (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def many(folder: str, n: int) -> None:
    """The memory of the server while it meets n examples, and the time of a start after a kill."""
    process, port = started(folder, "on")
    line = await Connection(port).open()
    await line.send("/v1/models/m", b'{"hash_bits": 18}', "PUT")
    try:
        for _ in range(10):
            done = 0
            while done < n // 10:
                more, _ = await in_batches(port, 5.0, 4)
                done += more
            held = re.search(r"VmRSS:\s*(\d+)", Path(f"/proc/{process.pid}/status").read_text())
            asked = json.loads(await line.send("/v1/models/m", b"", "GET"))["asked"]
            megabytes = int(held[1]) // 1024 if held else 0
            print(f"| {asked:,} | {megabytes:,} MB |", flush=True)
    finally:
        process.kill()
        process.communicate()
    began = time.perf_counter()
    process, port = started(folder, "on")
    print(f"started in {time.perf_counter() - began:.1f} s")
    process.terminate()
    process.communicate()


def start_after(folder: str, n: int) -> None:
    """The time of a start after n events of one example each, at the worst moment."""
    service = Service(Path(folder))
    told = b'{"ticket":"1:1","label":"ham"}'
    service.submit(Work("m", "create", made_of("m", Settings(hash_bits=18)))).result()
    bodies = [json.dumps({"features": x, "label": y}).encode() for x, y in examples(20_000)]
    last = SNAPSHOT_EVERY // 11 - 10  # an event of one counts as eleven elements
    body = b'{"examples":[%s]}' % b",".join(bodies[:2000])
    service.submit(Work("m", "learn", body, *elements("learn", body))).result()
    service.close()
    with Journal(Path(folder)) as journal:
        newest, group = journal.snapshots()[-1], [(1, "reveal", None, told)] * 4096
        for _ in range((n - last) // len(group)):
            journal.append(group)
        journal.add_snapshot(newest._replace(seq=journal.seq, chain=journal.chain))
        learned = [(1, "learn", None, bodies[k % len(bodies)]) for k in range(last)]
        journal.append(learned)
        print(f"{journal.seq:,} events, {journal.bytes / 1e6:,.0f} MB", flush=True)
    began = time.perf_counter()
    process, _ = started(folder, "on")
    print(f"started in {time.perf_counter() - began:.1f} s; {last:,} of them were replayed")
    process.terminate()
    process.communicate()


async def vowpal(port: int, seconds: float, at_once: int) -> tuple[int, list[float]]:
    """Lines that its daemon predicted and learned on one connection, so many before it waits."""
    some, took, end = examples(5000), list[float](), time.perf_counter() + seconds
    lines = [f"{1 if y == 'spam' else -1} |f {' '.join(x)}\n".encode() for x, y in some]
    parts = [b"".join(lines[k : k + at_once]) for k in range(0, len(lines), at_once)]
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)
    n = 0
    while (began := time.perf_counter()) < end:
        writer.write(parts[n % len(parts)])
        answered = 0
        while answered < at_once:
            answered += (await reader.read(1 << 16)).count(b"\n")
        took.append(time.perf_counter() - began)
        n += 1
    writer.close()
    return n * at_once, took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--vowpal", type=Path, help="a vw program, or a Python that has it")
    parser.add_argument("--many", type=int, help="only this many examples, for the memory")
    parser.add_argument("--events", type=int, help="only a start after so many events")
    given = parser.parse_args()
    if given.many or given.events:
        with TemporaryDirectory() as folder:
            if given.events:
                start_after(folder, given.events)
            else:
                asyncio.run(many(folder, given.many))
        return
    print("| load | journal | examples/s | median ms | p99 ms | CPU µs |")
    print("|---|---|---|---|---|---|")
    for name, load, connections in (
        ("one at a time, 64 connections", one_at_a_time, 64),
        ("batches of 500, 8 connections", in_batches, 8),
    ):
        for journal in ("on", "off"):
            rate, *times = measured(load, journal, given.seconds, connections)
            shown = " | ".join(f"{one:.1f}" for one in times)
            print(f"| {name} | {journal} | {rate:,.0f} | {shown} |", flush=True)
    for at_once in (1, 500) if given.vowpal is not None else ():
        code = "from vowpalwabbit import Workspace; Workspace(arg_list=sys.argv[1:]).run_parser()"
        drive = ["-c", f"import sys; {code}"] if "python" in given.vowpal.name else []
        words = ["--daemon", "--foreground", "--port", "26542", "--num_children", "1", "--quiet"]
        command = [str(given.vowpal), *drive, *words, "-b", "18"]
        process = subprocess.Popen(command, start_new_session=True)  # it has a child
        try:
            time.sleep(3)
            n, took = asyncio.run(vowpal(26542, given.seconds, at_once))
            took.sort()
            median, worst = (1e3 * took[len(took) * k // 100] for k in (50, 99))
            shown = f"{n / given.seconds:,.0f} | {median:.1f} | {worst:.1f}"
            print(f"| vw --daemon, {at_once} at once | none | {shown} | |", flush=True)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


if __name__ == "__main__":
    main()
