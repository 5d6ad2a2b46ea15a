"""Attacks on a page that is served: heavy requests, slow clients, clients that go away, noise.

Only the loopback address is used. The server is a process of its own and stopped at the end.
"""

from __future__ import annotations

import json
import re
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from random import Random

from attack.arena import Attack, Fault

CLIENTS = 60
FINE = (200, 400, 403, 404, 405, 408, 413, 422, 503)
MEGABYTES = 600  # that the server may hold, also after the attack
PATIENCE = 3.0  # seconds that the server waits for a client
SECONDS = 5.0  # after which the page must have been served, whatever else goes on
TARGETS = ("/", "/main.js", "/api/presets", "/api/replay", "/api/certify", "/api/verify", "/x")
PIECES = (
    b"GET / HTTP/1.1\r\n", b"POST /api/replay HTTP/1.1\r\n", b"Host: ", b"\r\n\r\n", b"\r\n",
    b"Content-Length: 5", b"Content-Length: -1", b"Transfer-Encoding: chunked", b"0\r\n\r\n",
    b"5\r\n", b"Expect: 100-continue", b"Origin: null",
    b"Connection: Upgrade\r\nUpgrade: websocket\r\n",
    b"\x00", b"\xff" * 20, b"{}", b"[" * 1000, b"a" * 20_000, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
)  # fmt: skip


SERVE = f"""
from novikoff.cli.main import run
from novikoff.show.web import server

server.MAX_SECONDS = {PATIENCE}
run(["web", "--port", "0", "--no-browser"])
"""


@dataclass(frozen=True)
class Server:
    """A server of the page in another process."""

    process: subprocess.Popen[str]
    address: tuple[str, int]

    @property
    def host(self) -> str:
        """What the Host header must be."""
        return f"{self.address[0]}:{self.address[1]}"

    @property
    def megabytes(self) -> int:
        """The memory that it holds now."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(r"VmRSS:\s*(\d+) kB", status)
        return int(found[1]) >> 10 if found else 0

    def request(self, path: str, body: bytes = b"", method: str = "POST", more: str = "") -> bytes:
        """A whole request."""
        length = f"Content-Length: {len(body)}\r\nConnection: close\r\n"
        return (
            f"{method} {path} HTTP/1.1\r\nHost: {self.host}\r\n{length}{more}\r\n".encode() + body
        )

    def answer(self, request: bytes, seconds: float = 120) -> tuple[int, bytes]:
        """The status and the whole answer; status 0 if the connection was closed without one."""
        with socket.create_connection(self.address, seconds) as sock:
            with suppress(ConnectionError):  # it may be refused before it is sent
                sock.sendall(request)
            got = bytearray()
            with suppress(ConnectionError):
                while piece := sock.recv(1 << 16):
                    got += piece
        found = re.match(rb"HTTP/1.1 (\d+)", got)
        return int(found[1]) if found else 0, bytes(got)


@contextmanager
def served() -> Iterator[Server]:
    """A server that runs until the end of the block; whatever it prints on stderr is a fault."""
    command = [sys.executable, "-c", SERVE]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            host, port = process.stdout.readline().strip().strip("/").split("//")[1].split(":")
            yield Server(process, (host, int(port)))
        finally:
            process.send_signal(signal.SIGINT)
            errors = process.stderr.read()
    if errors:
        raise Fault(f"the server printed {errors.splitlines()[-1]}", stderr=errors)


def heavy_request(dice: Random, points: int) -> bytes:
    """Points that take the learner, the search for a proof and the answer long."""
    rows = [[dice.randrange(10) for _ in range(24)] for _ in range(points)]
    given = {"points": rows, "labels": [dice.choice((-1, 1)) for _ in rows], "learner": "averaged"}
    return json.dumps(given, separators=(",", ":")).encode()


def attempt(dice: Random) -> Iterator[Exception | None]:
    """Start a server, attack it in one of the ways below, and see whether it serves as before."""
    with served() as server:
        attack = dice.choice((heavy_requests, clients_that_leave, slow_clients, noise, noise))
        for wrong in chain(attack(server, dice), still_served(server)):
            yield None if wrong is None else Fault(wrong)


def still_served(server: Server) -> Iterator[str | None]:
    """Whether the page and a replay are answered as ever, and the memory was let go."""
    began = time.monotonic()
    status, _ = server.answer(server.request("/", method="GET"))
    while status == 503:
        status, _ = server.answer(server.request("/", method="GET"))
    took = time.monotonic() - began
    yield None if status == 200 else f"the page: status {status}"
    yield None if took < SECONDS else f"the page took {took:.0f} seconds"
    small = {"points": [[0, 1], [1, 0]], "labels": [1, -1]}
    status, answer = 503, b""
    while status == 503:
        status, answer = server.answer(server.request("/api/replay", json.dumps(small).encode()))
    yield None if status == 200 and b"separated" in answer else f"a replay: status {status}"
    held = server.megabytes
    yield None if held < MEGABYTES else f"the server holds {held} MB"


def heavy_requests(server: Server, dice: Random) -> Iterator[str | None]:
    """Ask for sixty heavy replays at once; the page must be served meanwhile."""
    request = server.request("/api/replay", heavy_request(dice, dice.choice((2000, 6000))))
    with ThreadPoolExecutor(CLIENTS) as pool:
        waiting = [pool.submit(server.answer, request) for _ in range(CLIENTS)]
        slowest, most = 0.0, 0
        while not all(one.done() for one in waiting):
            began = time.monotonic()
            status, _ = server.answer(server.request("/", method="GET"))
            slowest, most = max(slowest, time.monotonic() - began), max(most, server.megabytes)
            yield None if status in (200, 503) else f"the page: status {status}"
        answers = [one.result() for one in waiting]
    yield None if slowest < SECONDS else f"the page was silent for {slowest:.0f} seconds"
    yield None if most < MEGABYTES else f"the server took {most} MB"
    for status, answer in answers:
        yield None if status in (200, 503) else f"a heavy replay: status {status}"
        if status == 503 and b"retry-after" not in answer.lower():
            yield "503 without Retry-After"
    if 200 not in {status for status, _ in answers}:
        yield "no heavy replay was answered"


def clients_that_leave(server: Server, dice: Random) -> Iterator[str | None]:
    """Send requests, or parts of them, and leave at any moment."""
    request = server.request("/api/replay", heavy_request(dice, 2000))
    for _ in range(CLIENTS):
        with socket.create_connection(server.address, 120) as sock:
            whole = dice.random() < 0.7
            with suppress(ConnectionError):
                sock.sendall(request if whole else request[: dice.randrange(len(request))])
            select.select([sock], [], [], dice.choice((0, 0, 0.01, 0.1)))
        yield None


def slow_clients(server: Server, dice: Random) -> Iterator[str | None]:
    """Hold many connections open that send a byte now and then; they must be dropped."""
    request = server.request("/api/replay", b"{}" * 50)
    began = time.monotonic()
    with ExitStack() as open_ones:
        held = {
            open_ones.enter_context(socket.create_connection(server.address, 120)): iter(
                request[: dice.randrange(len(request))]
            )
            for _ in range(3 * CLIENTS)
        }
        while held:
            readable, _, _ = select.select(list(held), [], [], 0.5)
            for sock in readable:  # an answer, or the end
                with suppress(ConnectionError):
                    got = sock.recv(1 << 16)
                    status = int(got[9:12] or 0)
                    yield None if status in (0, *FINE) else f"a slow client: status {status}"
                del held[sock]
            for sock, rest in list(held.items()):
                try:
                    for byte in rest:
                        sock.sendall(bytes([byte]))
                        break
                except ConnectionError:
                    del held[sock]
            if time.monotonic() - began > 60:
                yield f"{len(held)} slow clients are still connected after a minute"
                return


def noise(server: Server, dice: Random) -> Iterator[str | None]:
    """Send wrong methods, hosts and headers, and pieces of requests in any order."""
    for _ in range(10 * CLIENTS):
        kind = dice.randrange(3)
        if kind == 0:
            request = b"".join(dice.choices(PIECES, k=dice.randrange(1, 12)))
        else:
            method = dice.choice(("GET", "POST", "PUT", "HEAD", "OPTIONS", "DELETE", "FOO"))
            body = bytes(dice.randrange(256) for _ in range(dice.randrange(200)))
            more = dice.choice(("", "Origin: http://evil.example\r\n", "Cookie: a=b\r\n"))
            request = server.request(dice.choice(TARGETS), body, method, more)
            if kind == 2:
                at = dice.randrange(len(request))
                request = request[:at] + bytes([dice.randrange(256)]) + request[at + 1 :]
        with socket.create_connection(server.address, 120) as sock:
            with suppress(ConnectionError):
                sock.sendall(request)
                sock.shutdown(socket.SHUT_WR)
            got = b""
            with suppress(ConnectionError):
                got = sock.recv(1 << 16)
        found = re.match(rb"HTTP/1.1 (\d+)", got)
        wrong = found is not None and int(found[1]) not in (*FINE, 100, 206, 304)
        yield f"status {int(found[1])} for {request[:200]!r}" if found and wrong else None


ATTACKS = [
    Attack(
        "served",
        "a page that is served, with heavy, slow and noisy clients",
        attempt,
        share=0.5,
        seconds=60,
        megabytes=3000,
    )
]
