"""The local web server: it serves the page and answers the page's requests with JSON."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import Any, TypeAlias

import h11
import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from uvicorn.protocols.http.h11_impl import H11Protocol

from novikoff.guarantees.certificate import Certificate
from novikoff.guarantees.check import Rejected
from novikoff.separability import verify
from novikoff.show.web.guard import LOOPBACK, Guard
from novikoff.show.web.lessons import STATIC, lesson, outlines, presets
from novikoff.show.web.replay import certificate_of, replay
from novikoff.show.web.request import PAGE_CURES, Choices, Refused, points_of, read_upload
from novikoff.stream.input_problems import BadExample
from novikoff.stream.printing import plural

HOST = LOOPBACK[0]
MAX_BYTES = 4_000_000
MAX_CONNECTIONS = 100  # a browser opens six
MAX_SECONDS = 20.0  # for sending a request; for reading an answer; between two requests
AT_ONCE = 2  # requests whose answers are computed at the same time
ADMITTED = 12  # requests that are read, wait or are computed, each of at most MAX_BYTES


def serve(
    sock: socket.socket, started: Callable[[str], None], opened: dict[str, Any] | None = None
) -> None:
    """Serve the lessons, or the points `opened`, until Ctrl-C; call `started` with the address."""
    port = int(sock.getsockname()[1])
    try:
        begins = "explore.html" if opened else ""
        # the socket holds requests until the server takes them
        started(f"http://{HOST}:{port}/{begins}")
        uvicorn.Server(config(port, opened)).run(sockets=[sock])
    except KeyboardInterrupt:  # uvicorn raises the signal again after it has shut down
        pass
    finally:
        sock.close()


def config(port: int, opened: dict[str, Any] | None = None) -> uvicorn.Config:
    """How uvicorn serves the page on this port."""
    return uvicorn.Config(
        new_app(port, opened),
        http=LimitedProtocol,
        ws="none",
        log_level="error",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=2,
    )


def new_app(port: int, opened: dict[str, Any] | None = None) -> Starlette:
    """The web application, for a server on this port of the loopback address."""
    beginning = {"presets": presets(), "max_bytes": MAX_BYTES, "opened": opened}
    workers = Workers()
    answers: dict[str, Answer] = {
        "replay": lambda body, _: replay(_object(body)),
        "certify": lambda body, _: _certify(_object(body)),
        "verify": lambda body, _: _verify(_object(body)),
        "upload": read_upload,
    }
    routes = [
        Route("/api/presets", lambda _: JSONResponse(beginning)),
        *(
            Route(f"/api/{k}", workers.endpoint(one), methods=["POST"])
            for k, one in answers.items()
        ),
        Route("/lessons/titles.json", lambda _: JSONResponse([one["title"] for one in outlines()])),
        *(
            Route(f"/lessons/{n}.json", lambda _, n=n: JSONResponse(lesson(n)))
            for n in range(1, len(outlines()) + 1)
        ),
        Mount("/", StaticFiles(directory=STATIC, html=True)),
    ]
    return Starlette(
        routes=routes,
        middleware=[Middleware(Guard, names=LOOPBACK, port=port, refuse=_error)],
        exception_handlers={
            BadExample: lambda _, error: _error(422, error.with_cure(PAGE_CURES)),
            HTTPException: _http_error,
        },
    )


def _error(status: int, message: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"error": message}, status_code=status, headers=headers)


def _http_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    method = f"{request.method!r} is not allowed here"
    words = {404: "there is nothing at this address", 405: method}
    return _error(error.status_code, words.get(error.status_code, error.detail), error.headers)


Answer: TypeAlias = Callable[[bytes, QueryParams], dict[str, Any]]


class Workers:
    """Threads that compute answers: a few requests at once, some wait, the others are refused."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(AT_ONCE, "answer")
        self.admitted = 0

    def endpoint(self, answer: Answer) -> Callable[[Request], Awaitable[Response]]:
        """An endpoint whose answers are computed from the body and the query of a request."""

        async def endpoint(request: Request) -> Response:
            if self.admitted >= ADMITTED:
                words = "the server is busy with other requests; try again in a few seconds"
                raise HTTPException(503, words, {"retry-after": "2"})
            self.admitted += 1
            try:
                body = await _body(request)
                work = self._pool.submit(
                    lambda: json.dumps(answer(body, request.query_params), allow_nan=False).encode()
                )
                return Response(await _unless_gone(request, work), media_type="application/json")
            except ClientDisconnect:
                return Response(status_code=400)  # nobody reads it
            finally:
                self.admitted -= 1

        return endpoint


async def _body(request: Request) -> bytes:
    """The body of a request; one that is too large, or says so, is not read."""
    announced = request.headers.get("content-length", "0")
    if not announced.isdecimal():
        raise HTTPException(400, "the Content-Length header is not a number")
    size, body, pieces = int(announced[:13]), bytearray(), request.stream()
    while size <= MAX_BYTES:
        piece = await anext(pieces, None)
        if piece is None:
            return bytes(body)
        body += piece
        size = len(body)
    raise HTTPException(
        413,
        f"the page accepts at most {MAX_BYTES // 1_000_000} MB: load fewer rows, or use the "
        "commands novikoff train and novikoff certify, which have no such limit",
    )


async def _unless_gone(request: Request, work: Future[bytes]) -> bytes:
    """The result of the work; if the client goes away before it has begun, it is not done."""
    result, gone = asyncio.wrap_future(work), asyncio.ensure_future(request.receive())
    try:
        await asyncio.wait((result, gone), return_when=asyncio.FIRST_COMPLETED)
        if not result.done():
            raise ClientDisconnect
        return await result
    finally:
        result.cancel()
        gone.cancel()


def _object(body: bytes) -> dict[str, Any]:
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        raise Refused("the request is not JSON") from None
    if not isinstance(given, dict):
        raise Refused("the request is not a JSON object")
    return given


def _certify(given: dict[str, Any]) -> dict[str, Any]:
    certificate = certificate_of(points_of(given), Choices.of(given))
    return {"certificate": certificate.to_dict(), "words": str(certificate).splitlines()[0]}


def _verify(given: dict[str, Any]) -> dict[str, Any]:
    points, written = points_of(given), given.get("certificate")
    try:
        certificate = Certificate.from_dict(written)
        # the page has the points of a file, not its bytes
        about_points = replace(certificate, data=replace(certificate.data, files=()))
        verify(about_points, points)
    except Rejected as reason:
        return {"proved": False, "words": f"rejected: {reason}"}
    n, proved = plural(certificate.data.rows, "point"), certificate.verdict != "undecided"
    what = f"proved for these {n}" if proved else f"it holds for these {n}, but decides nothing"
    return {"proved": proved, "words": f"{certificate.verdict}: {what}"}


class LimitedProtocol(H11Protocol):
    """HTTP that does not wait forever for the rest of a request, or for an answer to be read."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request, unless there are too many connections."""
        super().connection_made(transport)
        self._start_clock()
        if len(self.connections) > MAX_CONNECTIONS:
            self._refuse("503 Service Unavailable", "there are too many connections; try again")

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self._start_clock()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Wait until the client has read what was sent."""
        self._start_clock()
        super().pause_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_clock()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """Close the connection now: Ctrl-C does not wait for answers."""
        super().shutdown()
        self.transport.close()

    def _start_clock(self) -> None:
        self._stop_clock()
        self._deadline = self.loop.call_later(MAX_SECONDS, self._end_if_slow)

    def _stop_clock(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()

    def _end_if_slow(self) -> None:
        if self.flow.write_paused:
            self.transport.abort()
        elif self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            words = f"the request did not arrive within {MAX_SECONDS:g} seconds"
            self._refuse("408 Request Timeout", words)

    def _refuse(self, status: str, words: str) -> None:
        """Answer with an error, unless there was an answer already, and close the connection."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nRetry-After: 5\r\n"
            body = json.dumps({"error": words})
            self.transport.write(f"{head}Connection: close\r\n\r\n{body}".encode())
        self.transport.close()
