"""Who may ask, and how much: this machine's own page, and a few megabytes.

The local server: the page's files, and questions about runs answered as JSON.

The server run on the loopback address until Ctrl-C.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from novikoff.guarantees.certificate import Certificate
from novikoff.guarantees.check import Rejected
from novikoff.separability import verify
from novikoff.show.web.presets import presets
from novikoff.show.web.replay import certificate_of, replay
from novikoff.show.web.request import Choices, Placed, Refused, points_of
from novikoff.stream.problems import BadExample

MOST_BYTES = 4_000_000
_HOSTS = ("127.0.0.1", "localhost", "[::1]")
_SAFE = {
    "content-security-policy": "default-src 'self'; img-src 'self' blob: data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class Guard:
    """Refuse requests meant for another host, made by another's page, or too large.

    A name that someone makes point to 127.0.0.1 would let their page read this one: the Host header
    still has that name, and is refused.
    """

    def __init__(self, app: ASGIApp, port: int) -> None:
        self.app = app
        self.hosts = {f"{host}:{port}" for host in _HOSTS}
        if port == 80:
            self.hosts |= set(_HOSTS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or hand on with the body read and its size known to be allowed."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # nothing here speaks anything else
            return

        async def safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                more = [(key.encode(), value.encode()) for key, value in _SAFE.items()]
                message = {**message, "headers": [*message["headers"], *more]}
            await send(message)

        headers = Headers(scope=scope)
        if refusal := self._refusal(headers):
            await refusal(scope, receive, safely)
            return
        body, ended = bytearray(), False
        while not ended:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            body += message.get("body", b"")
            ended = not message.get("more_body", False)
            if len(body) > MOST_BYTES:
                await _too_large()(scope, receive, safely)
                return
        given = [{"type": "http.request", "body": bytes(body), "more_body": False}]

        async def again() -> Message:
            return given.pop() if given else await receive()

        await self.app(scope, again, safely)

    def _refusal(self, headers: Headers) -> JSONResponse | None:
        host, origin = headers.get("host", ""), headers.get("origin")
        if host not in self.hosts:
            return _error(400, f"this server answers to {min(self.hosts)} alone, not to {host!r}")
        if origin is not None and origin != f"http://{host}":
            return _error(403, f"requests are taken from its own page alone, not from {origin!r}")
        length = headers.get("content-length", "0")
        if not length.isdecimal():
            return _error(400, "the length of the request is not a number")
        return _too_large() if int(length) > MOST_BYTES else None


def _too_large() -> JSONResponse:
    return _error(
        413,
        f"that is more than the {MOST_BYTES // 1_000_000} MB the page takes: load fewer rows, or "
        "use novikoff train or certify, which read files of any size",
    )


def _error(status: int, words: str) -> JSONResponse:
    return JSONResponse({"error": words}, status_code=status)


STATIC = Path(__file__).parent / "static"


def new_app(port: int) -> ASGIApp:
    """The application, for a server on this port of the loopback address."""
    routes = [
        Route("/api/presets", _presets, methods=["GET"]),
        Route("/api/replay", _answering(replay), methods=["POST"]),
        Route("/api/certify", _answering(_certify), methods=["POST"]),
        Route("/api/verify", _answering(_verify), methods=["POST"]),
        Route("/api/upload", _upload, methods=["POST"]),
        Mount("/", StaticFiles(directory=STATIC, html=True)),
    ]
    return Guard(Starlette(routes=routes, exception_handlers={BadExample: _refused}), port)


def _refused(_request: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"error": str(error)}, status_code=422)


async def _presets(_request: Request) -> JSONResponse:
    return JSONResponse({"presets": presets()})


async def _upload(request: Request) -> JSONResponse:
    name = request.query_params.get("name", "points.csv")
    return JSONResponse(await run_in_threadpool(points_of, name, await request.body()))


def _certify(given: dict[str, Any]) -> dict[str, Any]:
    placed, choices = Placed.of(given), Choices.of(given)
    certificate = certificate_of(placed, choices.bias)
    return {"certificate": certificate.to_dict(), "words": str(certificate)}


def _verify(given: dict[str, Any]) -> dict[str, Any]:
    placed, written = Placed.of(given), given.get("certificate")
    try:
        if not isinstance(written, dict):
            raise Rejected("it is not a certificate")
        certificate = Certificate.from_dict(written)
        verify(certificate, placed.block)
    except Rejected as reason:
        return {"proved": False, "words": f"rejected: {reason}"}
    decided = certificate.verdict != "undecided"
    held = "proved" if decided else "no verdict, but true so far,"
    words = f"{certificate.verdict}: {held} for these {certificate.data.rows:,} points"
    return {"proved": decided, "words": words}


def _answering(answer: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    """A function of a JSON object as an endpoint; the work is done off the server's own thread."""

    async def endpoint(request: Request) -> JSONResponse:
        try:
            given = json.loads(await request.body())
        except (ValueError, RecursionError):
            raise Refused("the request is not JSON") from None
        if not isinstance(given, dict):
            raise Refused("the request is not a JSON object")
        return JSONResponse(await run_in_threadpool(answer, given))

    return endpoint


HOST = "127.0.0.1"


def bound_socket(port: int) -> socket.socket:
    """A socket on this port of the loopback address, or on any free one if it is 0.

    OSError when the port is taken.
    """
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((HOST, port))
    except OSError:
        sock.close()
        raise
    return sock


def serve(sock: socket.socket, started: Callable[[str], None]) -> None:
    """Serve the page; `started` is called with its address when it answers. Ctrl-C ends it."""
    port = int(sock.getsockname()[1])
    config = uvicorn.Config(
        new_app(port),
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=2,
    )
    server = _Server(config, lambda: started(f"http://{HOST}:{port}/"))
    try:
        server.run(sockets=[sock])
    except KeyboardInterrupt:  # it has stopped already: this is only the signal told once more
        pass
    finally:
        sock.close()


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, started_: Callable[[], None]) -> None:
        super().__init__(config)
        self._tell = started_

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        self._tell()
