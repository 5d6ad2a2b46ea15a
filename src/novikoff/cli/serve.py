"""`novikoff serve`: the prediction service."""

from __future__ import annotations

import ipaddress
import logging
import signal
import socket
from pathlib import Path
from typing import Annotated, get_type_hints

from novikoff.cli.arguments import Group
from novikoff.cli.errors import fail, needing, rejecting_settings, show
from novikoff.serve.limits import Limits

NEEDED = ("starlette", "uvicorn", "msgspec", "prometheus_client")
OPTIONS = """
folder = DIR            Folder of the journal; made if it does not exist.
--host ADDRESS          Address to listen on.
--token-file            Require tokens. Each line is a role (predict, reveal or admin) and a token.
--tls-cert              Certificate, to serve over TLS.
--tls-key               Private key of the certificate.
--predict-unwritten     While the journal cannot be written, predict without tickets, instead of
                        answering 503.
"""
_LIMITS = get_type_hints(Limits, include_extras=True).items()
_TABLE = (f"--{name.replace('_', '-')} {kind.__metadata__[0]}" for name, kind in _LIMITS)
LIMITS = Group("limits", "\n".join(_TABLE))


def serve(
    folder: str,
    host: str = "127.0.0.1",
    port: int = 1963,
    token_file: Path | None = None,
    tls_cert: Path | None = None,
    tls_key: Path | None = None,
    predict_unwritten: bool = False,
    *,
    limits: Annotated[Limits, LIMITS],
) -> None:
    """Predict over HTTP, and learn when the true labels arrive; nothing acknowledged is lost.

    Every prediction and label is on disk, in DIR, before it is answered. After SIGTERM
    or Ctrl-C, it finishes the requests in progress, and stops.

    Exit status: 0 stopped, 2 the folder is in use, the port is in use, or a library is missing.
    """
    with needing("the service", "serve", *NEEDED):
        import uvicorn

        from novikoff.serve.app import App, Tokens
        from novikoff.serve.journal import Damaged, Locked
        from novikoff.serve.service import Service
        from novikoff.show.web.guard import LOOPBACK
    if not is_loopback(host) and token_file is None:
        fail(f"--host {host}: other machines could use the service; give --token-file")
    if (tls_cert is None) != (tls_key is None):
        fail("TLS needs both --tls-cert and --tls-key")
    with rejecting_settings():
        tokens = Tokens(token_file)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        sock = socket.create_server((host, port), family=family, backlog=limits.max_connections)
    except OSError as error:
        fail(f"{host} port {port}: {(error.strerror or str(error)).lower()}; choose another --port")
    try:
        service = Service(Path(folder), limits)
    except (Damaged, Locked) as error:
        fail(str(error))
    port = int(sock.getsockname()[1])
    names = LOOPBACK if is_loopback(host) else ()
    app = App(service, tokens, port=port, names=names, unjournalled=predict_unwritten)
    config = uvicorn.Config(
        app.asgi,
        ws="none",
        log_level=logging.ERROR,
        access_log=False,
        server_header=False,
        date_header=False,
        limit_concurrency=limits.max_connections,
        timeout_keep_alive=60,
        timeout_graceful_shutdown=30,
        ssl_certfile=tls_cert,
        ssl_keyfile=tls_key,
    )
    server = uvicorn.Server(config)
    for which in (signal.SIGINT, signal.SIGTERM):  # before it runs, and again when it is done
        signal.signal(which, server.handle_exit)
    scheme = "http" if tls_cert is None else "https"
    shown = f"[{host}]" if ":" in host else host
    show(f"{scheme}://{shown}:{port}/\n{folder}: {service.replayed:,} events replayed")
    server.run(sockets=[sock])


def is_loopback(host: str) -> bool:
    """Whether only this machine can connect to the address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
