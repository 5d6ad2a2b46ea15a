"""The server run on the loopback address until Ctrl-C."""

from __future__ import annotations

import socket
from collections.abc import Callable

import uvicorn

from novikoff.web.app import new_app

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
