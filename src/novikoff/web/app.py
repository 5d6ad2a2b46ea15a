"""The local server: the page's files, and questions about runs answered as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from novikoff.guarantees.certificates import Certificate
from novikoff.guarantees.check import Rejected
from novikoff.rows import BadExample
from novikoff.separability import verify
from novikoff.web.choices import Choices
from novikoff.web.guards import Guard
from novikoff.web.placed import Placed, Refused
from novikoff.web.presets import presets
from novikoff.web.proofs import certificate_of
from novikoff.web.replays import replay
from novikoff.web.uploads import points_of

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
