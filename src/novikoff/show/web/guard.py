"""Who may ask a server that has a page: its own page, and programs, but no other site's page."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_HEADERS = {
    b"content-security-policy": b"default-src 'self'; img-src 'self' blob: data:; base-uri 'none'; "
    b"form-action 'none'; frame-ancestors 'none'",
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-resource-policy": b"same-origin",
    b"cache-control": b"no-store",
}


class Guard:
    """Refuse requests that name another host or come from another site's page.

    Another site could point its own domain name at 127.0.0.1 and have its page read this server
    (DNS rebinding). Its requests carry that name in the Host header. Without `names`, any Host is
    this server's. `refuse` makes the answer to a refused request.
    """

    def __init__(
        self, app: ASGIApp, names: Sequence[str], port: int, refuse: Callable[[int, str], ASGIApp]
    ) -> None:
        self._app, self._refuse = app, refuse
        self._hosts = [f"{name}:{port}" for name in names] + [*names] * (port in (80, 443))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse; with headers that keep other sites' pages out."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_HEADERS.items()]
            await send(message)

        headers = dict(scope["headers"])
        host, origin = headers.get(b"host", b"").decode("latin-1"), headers.get(b"origin")
        app = self._app
        if self._hosts and host not in self._hosts:
            words = f"this server is {self._hosts[0]}; the request is for {host!r}"
            app = self._refuse(400, words)
        elif origin is not None and origin.decode("latin-1") != f"{scope['scheme']}://{host}":
            page = origin.decode("latin-1")
            app = self._refuse(403, f"only this server's own page may send requests, not {page!r}")
        await app(scope, receive, with_headers)
