"""`novikoff web`: a local page where the perceptron moves."""

from __future__ import annotations

import webbrowser
from threading import Thread
from typing import Annotated

from novikoff.cli.main import Option
from novikoff.cli.options import fail


def web(
    port: Annotated[
        int,
        Option(metavar="N", min=0, max=65535, help="The port to serve on; 0 takes any free one."),
    ] = 1962,
    browser: Annotated[bool, Option(help="Whether to open the page in a browser.")] = True,
) -> None:
    """Open a page to place points on, and watch the perceptron learn them.

    It is served to this machine alone, uses no network, and ends with Ctrl-C.

    Exit status: 0 ended by Ctrl-C, 2 the port is taken or a library is missing.
    """
    try:
        from novikoff.show.web.server import bound_socket, serve
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library not in ("starlette", "uvicorn"):
            raise
        fail(f"the page needs {library}: pip install 'novikoff[web]'")
    try:
        sock = bound_socket(port)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        fail(f"port {port}: {why}; say another, or 0 for any free one")

    def started(address: str) -> None:
        print(f"{address}\nCtrl-C ends it.", flush=True)
        if browser:  # on a thread: a browser in the terminal would keep the server from answering
            Thread(target=webbrowser.open, args=[address], daemon=True).start()

    serve(sock, started)
