"""The page under attack: hostile requests get a sentence as an answer, slow clients are dropped."""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from typing import Any

import pytest
import uvicorn
from starlette.testclient import TestClient

from novikoff import certify
from novikoff.guarantees.check import seal
from novikoff.show.web import server
from novikoff.show.web.server import HOST, new_app

PORT = 1962
CLIENT = TestClient(new_app(PORT), base_url=f"http://{HOST}:{PORT}", raise_server_exceptions=False)
XOR: dict[str, Any] = {"points": [[0, 0], [0, 1], [1, 0], [1, 1]], "labels": [-1, 1, 1, -1]}
ENDPOINTS = ("replay", "certify", "verify")
OF_A_REQUEST = (
    "points", "labels", "names", "label", "classes", "learner", "margin", "order", "seed", "bias",
    "passes", "certificate",
)  # fmt: skip
HOSTILE = (
    *("null", "true", "-1", "1e308", "1e999", "NaN", "9" * 400, "9" * 4000, "[]", "{}", "[{}]"),
    *('""', '"\\ud800"', '["\\ud800","b"]', f'"{"x" * 10_000}"'),
    *("[" * n + "]" * n for n in (50, 900, 980)),
    '{"a":' * 900 + "1" + "}" * 900,
    "[[1e308,1e308],[1e308,-1e308],[0,0],[1,1]]",
)
SMALL_ITEMS = (
    b'{"points":[' + b"[]," * 500_000 + b"[]]}",
    b'{"points":[' + b'{"a":0},' * 400_000 + b'0],"labels":[1]}',
    b'{"labels":[' + b'"",' * 500_000 + b'""],"points":[[1]]}',
    b"[" * 3_900_000,
)


def is_an_answer(status: int, content: bytes) -> bool:
    """Whether it is a result, or an error with a short sentence."""
    said = json.loads(content)
    return status == 200 or (status in (400, 422) and 10 < len(said["error"]) < 400)


@pytest.mark.parametrize("what", ENDPOINTS)
@pytest.mark.parametrize("key", OF_A_REQUEST)
def test_any_json_is_answered_with_a_result_or_a_sentence(what: str, key: str) -> None:
    proof = certify(XOR["points"], XOR["labels"]).to_dict()
    parts = {name: json.dumps(value) for name, value in {**XOR, "certificate": proof}.items()}
    for hostile in HOSTILE:
        pairs = ",".join(f'"{name}":{value}' for name, value in {**parts, key: hostile}.items())
        answer = CLIENT.post(f"/api/{what}", content=f"{{{pairs}}}")
        assert is_an_answer(answer.status_code, answer.content), (hostile[:50], answer.text[:500])


@pytest.mark.parametrize("body", SMALL_ITEMS, ids=["lists", "objects", "texts", "nested"])
def test_many_small_items_are_refused_with_a_sentence(body: bytes) -> None:
    answer = CLIENT.post("/api/replay", content=body)
    assert answer.status_code == 422
    assert is_an_answer(answer.status_code, answer.content)


@pytest.mark.parametrize("what", ENDPOINTS)
@pytest.mark.parametrize(
    "change", [{"names": ["a", "\ud800"]}, {"classes": ["\udc80", "b"]}, {"label": "\udfff"}]
)
def test_a_text_with_a_lone_surrogate_is_refused(what: str, change: dict[str, Any]) -> None:
    answer = CLIENT.post(f"/api/{what}", content=json.dumps({**XOR, **change}))
    assert answer.status_code == 422
    assert f"{min(change)} must be" in answer.json()["error"]


def test_columns_and_classes_need_different_names() -> None:
    for change, words in (
        ({"names": ["a", "a"]}, "2 columns are called 'a'"),
        ({"names": ["a", "k"], "label": "k"}, "2 columns are called 'k'"),
        ({"classes": ["2", "2.0"]}, "the classes must differ; both are '2'"),
        ({"label": ["k"]}, "label must be a text"),
    ):
        answer = CLIENT.post("/api/certify", json={**XOR, **change})
        assert (answer.status_code, words in answer.json()["error"]) == (422, True)


def test_a_file_is_read_whatever_its_name() -> None:
    for name in ("😀" * 80, "a" * 5000, "\0", "..", "", "a\nb.csv", "{x}.csv", "%s", "-", "\\"):
        answer = CLIENT.post("/api/upload", params={"name": name}, content=b"x,y,k\n1,2,a\n3,4,b\n")
        assert answer.status_code == 200, (name, answer.text)


@pytest.mark.parametrize(
    ("about", "separated"),
    [
        ({"rows": 10**12}, f"0-{10**12 - 1}"),
        ({"columns": 10**12}, ""),
        ({"rows": 10**12, "columns": 10**12}, f"0-{10**12 - 1}"),
        ({}, ",".join(["0-3"] * 100_000)),
    ],
)
def test_a_certificate_of_a_trillion_rows_takes_no_memory(
    about: dict[str, int], separated: str
) -> None:
    forged = certify(XOR["points"], XOR["labels"]).to_dict()
    forged["data"] |= about
    forged["separated"] = separated
    forged["seal"] = seal(forged)
    answer = CLIENT.post("/api/verify", json={**XOR, "certificate": forged})
    assert answer.status_code == 200, answer.text
    assert answer.json()["proved"] is False


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "OPTIONS", "TRACE", "NONSENSE"])
def test_other_methods_and_paths_are_refused_with_a_sentence(method: str) -> None:
    for path in ("/api/replay", "/api/upload", "/api", "/nothing", "/%00", "/" + "a" * 5000):
        answer = CLIENT.request(method, path)
        assert answer.status_code in (404, 405)
        assert answer.json()["error"] in (
            "there is nothing at this address", f"{method!r} is not allowed here"
        )  # fmt: skip
        assert "content-security-policy" in answer.headers


@pytest.mark.parametrize("length", ["", "x", "-1", "9" * 5000])
def test_a_length_that_is_no_number_is_refused(length: str) -> None:
    answer = CLIENT.post("/api/upload", content=b"1", headers={"content-length": length})
    assert answer.status_code in (400, 413)


class Blocked:
    """An answer that is not ready until `release` is set, and the threads that compute it."""

    def __init__(self) -> None:
        self.release = threading.Event()
        self.asked: list[Any] = []
        self.workers = server.Workers()

    def __call__(self, given: dict[str, Any]) -> dict[str, Any]:
        self.asked.append(given)
        assert self.release.wait(60)
        return {"asked": given}

    def until(self, *, admitted: int) -> None:
        """Wait until so many requests are admitted, and as many as can be are computed."""
        deadline = time.monotonic() + 60
        while (self.workers.admitted, len(self.asked)) != (admitted, server.AT_ONCE):
            assert time.monotonic() < deadline
            time.sleep(0.01)


@pytest.fixture
def blocked(monkeypatch: pytest.MonkeyPatch) -> Iterator[Blocked]:
    one = Blocked()
    monkeypatch.setattr(server, "replay", one)
    monkeypatch.setattr(server, "ADMITTED", 4)
    monkeypatch.setattr(server, "Workers", lambda: one.workers)
    yield one
    one.release.set()


@contextmanager
def running() -> Iterator[tuple[str, int]]:
    """A server on the loopback address, in a thread."""
    with closing(socket.create_server((HOST, 0))) as sock:
        port = int(sock.getsockname()[1])
        one = uvicorn.Server(server.config(port))
        thread = threading.Thread(target=one.run, kwargs={"sockets": [sock]}, daemon=True)
        thread.start()
        try:
            yield HOST, port
        finally:
            one.should_exit = True
            thread.join(60)
            assert not thread.is_alive()


def request_for(address: tuple[str, int], path: str, body: bytes = b"{}") -> bytes:
    length = f"Content-Length: {len(body)}\r\nConnection: close\r\n"
    return (
        f"POST {path} HTTP/1.1\r\nHost: {address[0]}:{address[1]}\r\n{length}\r\n".encode() + body
    )


def page_request(address: tuple[str, int]) -> bytes:
    return f"GET / HTTP/1.1\r\nHost: {address[0]}:{address[1]}\r\n\r\n".encode()


def read_to_the_end(sock: socket.socket) -> bytes:
    sock.settimeout(60)
    return b"".join(iter(lambda: sock.recv(1 << 16), b""))


def status(answer: bytes) -> int:
    found = re.match(rb"HTTP/1.1 (\d+)", answer)
    return int(found[1]) if found else 0


def asking(address: tuple[str, int], open_ones: ExitStack, by: str) -> socket.socket:
    """A client that has sent a request for a replay."""
    sock = open_ones.enter_context(socket.create_connection(address, 60))
    sock.sendall(request_for(address, "/api/replay", json.dumps({"by": by}).encode()))
    return sock


def test_beyond_a_few_requests_the_server_says_that_it_is_busy(blocked: Blocked) -> None:
    with running() as address, ExitStack() as open_ones:
        admitted = [asking(address, open_ones, "all") for _ in range(server.ADMITTED)]
        blocked.until(admitted=server.ADMITTED)
        refusal = read_to_the_end(asking(address, open_ones, "one more"))
        assert status(refusal) == 503
        assert b"retry-after: 2" in refusal
        assert b"the server is busy with other requests" in refusal
        with socket.create_connection(address, 60) as sock:  # the page itself is still served
            sock.sendall(page_request(address))
            assert status(sock.recv(100)) == 200
        blocked.release.set()
        assert {status(sock.recv(100)) for sock in admitted} == {200}


def test_a_request_whose_client_is_gone_is_not_computed(blocked: Blocked) -> None:
    with running() as address, ExitStack() as open_ones:
        first = [asking(address, open_ones, "first") for _ in range(server.AT_ONCE)]
        blocked.until(admitted=server.AT_ONCE)
        waiting = range(server.ADMITTED - server.AT_ONCE)
        gone = [asking(address, open_ones, "gone") for _ in waiting]
        blocked.until(admitted=server.ADMITTED)
        for sock in gone:
            sock.close()
        blocked.until(admitted=server.AT_ONCE)
        last = [asking(address, open_ones, "last") for _ in waiting]
        blocked.until(admitted=server.ADMITTED)
        blocked.release.set()
        assert {status(sock.recv(100)) for sock in first + last} == {200}
        assert sorted(one["by"] for one in blocked.asked) == ["first"] * 2 + ["last"] * len(last)


def test_a_server_that_is_stopped_drops_its_requests_quietly(
    blocked: Blocked, capfd: pytest.CaptureFixture[str]
) -> None:
    with ExitStack() as open_ones:
        with running() as address:
            asked = [asking(address, open_ones, "all") for _ in range(server.ADMITTED)]
            blocked.until(admitted=server.ADMITTED)
        assert {read_to_the_end(sock) for sock in asked} == {b""}
        blocked.release.set()
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    "part",
    [
        b"",
        b"GET / HTTP/1.1\r\nHos",
        b"POST /api/replay HTTP/1.1\r\nHost: H\r\nContent-Length: 9\r\n\r\n{",
    ],
    ids=["nothing", "headers", "body"],
)
def test_a_client_that_sends_too_slowly_is_dropped(
    part: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "MAX_SECONDS", 0.2)
    with running() as address, socket.create_connection(address, 60) as sock:
        sock.sendall(part.replace(b"Host: H", b"Host: %s:%d" % (HOST.encode(), address[1])))
        answer = read_to_the_end(sock)
        assert status(answer) == 408
        assert b"within" in answer


def test_a_client_that_does_not_read_its_answer_is_dropped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(server, "MAX_SECONDS", 0.2)
    monkeypatch.setattr(server, "replay", lambda given: {"long": "x" * (50 << 20)})
    with running() as address, socket.create_connection(address, 60) as sock:
        sock.sendall(request_for(address, "/api/replay"))
        with suppress(ConnectionError):
            while True:  # until the server has closed the connection
                sock.sendall(b"\r\n")


def test_beyond_many_connections_new_ones_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MAX_CONNECTIONS", 3)
    with running() as address, ExitStack() as open_ones:
        held = [open_ones.enter_context(socket.create_connection(address, 60)) for _ in range(3)]
        for sock in held:  # all of them are known to the server
            sock.sendall(page_request(address))
            assert status(sock.recv(100)) == 200
        with socket.create_connection(address, 60) as sock:
            answer = read_to_the_end(sock)
            assert status(answer) == 503
            assert b"retry-after: " in answer.lower()
        held[0].close()
        answers = set[int]()
        while 200 not in answers:  # until the server has noticed
            with socket.create_connection(address, 60) as sock:
                sock.sendall(page_request(address))
                answers.add(status(sock.recv(100)))
        assert answers <= {200, 503}
