"""The local web server: it serves the page and answers the page's requests with JSON."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware, base
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

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
_TOO_LARGE = HTTPException(
    413,
    f"the page accepts at most {MAX_BYTES // 1_000_000} MB: load fewer rows, or use the commands "
    "novikoff train and novikoff certify, which have no such limit",
)
_SECURITY_HEADERS = {
    "content-security-policy": "default-src 'self'; img-src 'self' blob: data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


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


def new_app(port: int) -> Starlette:
    """The web application, for a server on this port of the loopback address."""
    routes = [
        Route("/api/presets", _presets),
        Route("/api/replay", _endpoint(replay), methods=["POST"]),
        Route("/api/certify", _endpoint(_certify), methods=["POST"]),
        Route("/api/verify", _endpoint(_verify), methods=["POST"]),
        Route("/api/upload", _upload, methods=["POST"]),
        Mount("/", StaticFiles(directory=STATIC, html=True)),
    ]
    return Starlette(
        routes=routes,
        middleware=[Middleware(base.BaseHTTPMiddleware, dispatch=_guard(port))],
        exception_handlers={
            BadExample: lambda _, error: _error(422, error.with_cure(PAGE_CURES)),
            HTTPException: lambda _, error: _error(error.status_code, error.detail),
        },
    )


def _guard(port: int) -> base.DispatchFunction:
    """Refuse requests that name another host or come from another site's page.

    Another site could point its own domain name at 127.0.0.1 and have its page read this server
    (DNS rebinding). Its requests carry that name in the Host header, so they are refused.
    """
    names = (HOST, "localhost", "[::1]")
    hosts = [f"{name}:{port}" for name in names] + [*names] * (port == 80)

    async def guard(request: Request, call_next: base.RequestResponseEndpoint) -> Response:
        host, origin = request.headers.get("host", ""), request.headers.get("origin")
        response: Response
        if host not in hosts:
            response = _error(400, f"this server is {hosts[0]}; the request is for {host!r}")
        elif origin not in (None, f"http://{host}"):
            words = f"only this server's own page may send requests, not {origin!r}"
            response = _error(403, words)
        else:
            response = await call_next(request)
        response.headers.update(_SECURITY_HEADERS)
        return response

    return guard


def _error(status: int, message: str) -> JSONResponse:
    return JSONResponse({"error": message}, status_code=status)


async def _body(request: Request) -> bytes:
    """The body of a request; one that is too large, or says so, is not read."""
    if int(request.headers.get("content-length", 0)) > MAX_BYTES:
        raise _TOO_LARGE
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > MAX_BYTES:
            raise _TOO_LARGE
    return bytes(body)


async def _presets(_request: Request) -> JSONResponse:
    return JSONResponse({"presets": presets(), "max_bytes": MAX_BYTES})


async def _upload(request: Request) -> JSONResponse:
    name = request.query_params.get("name", "points.csv")
    return JSONResponse(await run_in_threadpool(read_upload, name, await _body(request)))


def _endpoint(answer: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    """An endpoint that calls `answer` with the request's JSON object, off the server's thread."""

    async def endpoint(request: Request) -> JSONResponse:
        try:
            given = json.loads(await _body(request))
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
        certificate = Certificate.from_dict(written)
        # the page has the points of a file, not its bytes
        about_points = replace(certificate, data=replace(certificate.data, files=()))
        verify(about_points, points.data)
    except Rejected as reason:
        return {"proved": False, "words": f"rejected: {reason}"}
    n = plural(certificate.data.rows, "point")
    if certificate.verdict == "undecided":
        return {"proved": False, "words": f"undecided: it holds for these {n}, but decides nothing"}
    return {"proved": True, "words": f"{certificate.verdict}: proved for these {n}"}
