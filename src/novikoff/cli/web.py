"""`novikoff web`: open a local page that shows the perceptron learning."""

from __future__ import annotations

import os
import socket
import webbrowser
from threading import Thread

from novikoff.cli import options
from novikoff.cli.errors import fail, needing, show

OPTIONS = """
DATA                    A file to begin with; the others are loaded on the page.
--browser               Open the page in a browser.
"""


def web(
    data: str | None = None,
    port: int = 1962,
    browser: bool = True,
    *,
    reading: options.DataReading,
) -> None:
    """Open a page with lessons on the perceptron, where you also explore points of your own.

    The server runs on this machine, accepts no connections from others, and stops with Ctrl-C.

    Exit status: 0 stopped by Ctrl-C, 2 bad input, the port is in use, or a library is missing.
    """
    with needing("the page", "web", "starlette", "uvicorn"):
        from novikoff.show.web.request import shown
        from novikoff.show.web.server import HOST, serve
    opened = None
    if data is not None:
        name = "<stdin>" if data == "-" else os.path.basename(data.rstrip("/"))
        opened = shown(name, reading.scan(data, zero_based=False).whole())
    try:
        sock = socket.create_server((HOST, port))
    except OSError as error:
        why = os.strerror(error.errno or 0).lower()
        fail(f"port {port}: {why}; choose another --port, or 0 for any free one")

    def started(address: str) -> None:
        show(f"{address}\nPress Ctrl-C to stop.")
        if browser:  # in a thread: a text browser would keep the server from answering
            Thread(target=webbrowser.open, args=[address], daemon=True).start()

    serve(sock, started, opened)
