"""Who may ask, and how much: this machine's own page, and a few megabytes."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
