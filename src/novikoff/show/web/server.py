"""The local web server: it serves the page and answers the page's requests with JSON."""

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
from novikoff.show.web.request import PAGE_CURES, Choices, Points, Refused, read_upload
from novikoff.stream.input_problems import BadExample
from novikoff.stream.printing import plural

HOST = "127.0.0.1"
STATIC = Path(__file__).parent / "static"
MAX_BYTES = 4_000_000


def serve(sock: socket.socket, started: Callable[[str], None]) -> None:
    """Serve the page on a listening socket until Ctrl-C; call `started` with its address."""
    port = int(sock.getsockname()[1])
    config = uvicorn.Config(
        new_app(port),
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=2,
    )
    try:
        started(f"http://{HOST}:{port}/")  # the socket holds requests until the server takes them
        uvicorn.Server(config).run(sockets=[sock])
    except KeyboardInterrupt:  # uvicorn raises the signal again after it has shut down
        pass
    finally:
        sock.close()


def new_app(port: int) -> ASGIApp:
    """The web application, for a server on this port of the loopback address."""
    routes = [
        Route("/api/presets", _presets),
        Route("/api/replay", _endpoint(replay), methods=["POST"]),
        Route("/api/certify", _endpoint(_certify), methods=["POST"]),
        Route("/api/verify", _endpoint(_verify), methods=["POST"]),
        Route("/api/upload", _upload, methods=["POST"]),
        Mount("/", StaticFiles(directory=STATIC, html=True)),
    ]
    return Guard(Starlette(routes=routes, exception_handlers={BadExample: _bad_example}), port)


def _bad_example(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, BadExample)
    return _error(422, error.with_cure(PAGE_CURES))


def _error(status: int, message: str) -> JSONResponse:
    return JSONResponse({"error": message}, status_code=status)


async def _presets(_request: Request) -> JSONResponse:
    return JSONResponse({"presets": presets(), "max_bytes": MAX_BYTES})


async def _upload(request: Request) -> JSONResponse:
    name = request.query_params.get("name", "points.csv")
    return JSONResponse(await run_in_threadpool(read_upload, name, await request.body()))


def _endpoint(answer: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    """An endpoint that calls `answer` with the request's JSON object, off the server's thread."""

    async def endpoint(request: Request) -> JSONResponse:
        try:
            given = json.loads(await request.body())
        except (ValueError, RecursionError):
            raise Refused("the request is not JSON") from None
        if not isinstance(given, dict):
            raise Refused("the request is not a JSON object")
        return JSONResponse(await run_in_threadpool(answer, given))

    return endpoint


def _certify(given: dict[str, Any]) -> dict[str, Any]:
    certificate = certificate_of(Points.of(given), Choices.of(given).bias)
    return {"certificate": certificate.to_dict(), "words": str(certificate).splitlines()[0]}


def _verify(given: dict[str, Any]) -> dict[str, Any]:
    points, written = Points.of(given), given.get("certificate")
    try:
        if not isinstance(written, dict):
            raise Rejected("it is not a certificate")
        certificate = Certificate.from_dict(written)
        verify(certificate, points.block)
    except Rejected as reason:
        return {"proved": False, "words": f"rejected: {reason}"}
    n = plural(certificate.data.rows, "point")
    if certificate.verdict == "undecided":
        return {"proved": False, "words": f"undecided: it holds for these {n}, but decides nothing"}
    return {"proved": True, "words": f"{certificate.verdict}: proved for these {n}"}


_HOSTS = (HOST, "localhost", "[::1]")
_SECURITY_HEADERS = {
    "content-security-policy": "default-src 'self'; img-src 'self' blob: data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class Guard:
    """Refuse requests that name another host, come from another site's page, or are too large.

    Another site could point its own domain name at 127.0.0.1 and have its page read this server
    (DNS rebinding). Its requests carry that name in the Host header, so they are refused.
    """

    def __init__(self, app: ASGIApp, port: int) -> None:
        self.app = app
        self.hosts = {f"{host}:{port}" for host in _HOSTS}
        if port == 80:
            self.hosts |= set(_HOSTS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request, or read its body and pass it on."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # a websocket, which the page never opens
            return

        async def send_secured(message: Message) -> None:
            if message["type"] == "http.response.start":
                more = [(key.encode(), value.encode()) for key, value in _SECURITY_HEADERS.items()]
                message = {**message, "headers": [*message["headers"], *more]}
            await send(message)

        if refusal := self._refusal(Headers(scope=scope)):
            await refusal(scope, receive, send_secured)
            return
        body, more_to_come = bytearray(), True
        while more_to_come:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            body += message.get("body", b"")
            more_to_come = message.get("more_body", False)
            if len(body) > MAX_BYTES:
                await _too_large()(scope, receive, send_secured)
                return
        unread = [{"type": "http.request", "body": bytes(body), "more_body": False}]

        async def receive_body() -> Message:
            return unread.pop() if unread else await receive()

        await self.app(scope, receive_body, send_secured)

    def _refusal(self, headers: Headers) -> JSONResponse | None:
        host, origin = headers.get("host", ""), headers.get("origin")
        if host not in self.hosts:
            return _error(400, f"this server is {min(self.hosts)}; the request is for {host!r}")
        if origin is not None and origin != f"http://{host}":
            return _error(403, f"only this server's own page may send requests, not {origin!r}")
        length = headers.get("content-length", "0")
        if not length.isdecimal():
            return _error(400, f"the Content-Length header {length!r} is not a number")
        return _too_large() if int(length) > MAX_BYTES else None


def _too_large() -> JSONResponse:
    return _error(
        413,
        f"the page accepts at most {MAX_BYTES // 1_000_000} MB: load fewer rows, or use the "
        "commands novikoff train and novikoff certify, which have no such limit",
    )
