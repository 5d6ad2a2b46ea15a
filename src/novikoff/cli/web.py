"""`novikoff web`: open a local page that shows the perceptron learning."""

from __future__ import annotations

import os
import socket
import webbrowser
from pathlib import Path
from threading import Thread

from novikoff.cli import options
from novikoff.cli.errors import fail, needing, show

OPTIONS = """
DATA                    A file to show first; more can be loaded on the page.
--browser               Open the page in a browser.
--export DIR            Write the page as files into this new folder instead.
"""


def web(
    data: str | None = None,
    port: int = 1962,
    browser: bool = True,
    export: str | None = None,
    *,
    reading: options.DataReading,
) -> None:
    """Open a page with lessons on the perceptron, where you also explore points of your own.

    The server runs on this machine, accepts no connections from others, and stops with Ctrl-C. With
    --export there is no server: the lessons are written with recorded runs, for a course page.

    Exit status: 0 stopped by Ctrl-C, or the files are written; 2 bad input, the port is in use, or
    a library is missing.
    """
    with needing("the page", "web", "starlette", "uvicorn"):
        from novikoff.show.web.lessons import export as write_files
        from novikoff.show.web.request import shown
        from novikoff.show.web.server import HOST, serve
    if export is not None:
        if data is not None:
            fail("--export writes the lessons and the presets; leave out DATA")
        try:
            size = write_files(Path(export))
        except OSError as error:
            fail(str(error))
        show(f"{export}: {size / 1e6:.1f} MB. Try it: python -m http.server --directory {export}")
        return
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
