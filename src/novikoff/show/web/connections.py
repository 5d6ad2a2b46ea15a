"""Limits on connections: how many there may be, and how long a client may send or read."""

from __future__ import annotations

import asyncio
import json

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

MAX_CONNECTIONS = 100  # a browser opens six
MAX_SECONDS = 20.0  # for sending a request; for reading an answer; between two requests


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
