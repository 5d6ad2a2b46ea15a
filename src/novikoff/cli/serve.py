"""`novikoff serve`: the prediction service."""

from __future__ import annotations

import dataclasses
import ipaddress
import logging
import signal
import socket
from pathlib import Path
from typing import Annotated, TypeAlias

from novikoff.cli.arguments import Argument, Group, Option
from novikoff.cli.errors import fail, needing, show
from novikoff.serve.limits import Limits

NEEDED = ("starlette", "uvicorn", "msgspec", "prometheus_client")


@dataclasses.dataclass(frozen=True)
class LimitOptions:
    """The options that change limits."""

    max_body: Annotated[int, Option("Bytes of a request.", min=1000)] = Limits.body
    max_batch: Annotated[int, Option("Examples in a request.", min=1)] = Limits.batch
    max_features: Annotated[int, Option("Features of an example.", min=1)] = Limits.features
    max_name: Annotated[int, Option("Bytes of a feature's name.", min=1)] = Limits.name
    max_names: Annotated[int, Option("Names of a model without hash_bits.", min=1)] = Limits.names
    max_weights: Annotated[int, Option("Weights of a model, of all classes.", min=8)] = (
        Limits.weights
    )
    max_models: Annotated[int, Option("Models.", min=1)] = Limits.models
    max_waiting: Annotated[
        int, Option("Largest max_waiting of a model: predictions without a label.", min=1)
    ] = Limits.waiting
    max_classes: Annotated[int, Option("Largest max_classes of a model.", min=2)] = Limits.classes
    max_queue: Annotated[int, Option("Requests that wait for the disk.", min=1)] = Limits.queue
    max_connections: Annotated[int, Option("Open connections.", min=1)] = Limits.connections
    max_seconds: Annotated[float, Option("Time for sending a request.", min=0.1)] = Limits.seconds


LimitGroup: TypeAlias = Annotated[LimitOptions, Group("limits")]


def serve(
    folder: Annotated[str, Argument("DIR", "Folder of the journal; made if it does not exist.")],
    host: Annotated[str, Option("Address to listen on.", metavar="ADDRESS")] = "127.0.0.1",
    port: Annotated[
        int, Option("Port of the server; 0 for any free port.", metavar="N", min=0, max=65535)
    ] = 1963,
    token_file: Annotated[
        Path | None,
        Option("Ask for tokens: lines of a role (predict, reveal or admin) and a token."),
    ] = None,
    tls_cert: Annotated[Path | None, Option("Certificate, to serve over TLS.")] = None,
    tls_key: Annotated[Path | None, Option("Private key of the certificate.")] = None,
    predict_unwritten: Annotated[
        bool,
        Option("Predict, without tickets, while the journal cannot be written; otherwise 503."),
    ] = False,
    *,
    limits: LimitGroup,
) -> None:
    """Predict over HTTP now, and learn the truth when it comes; nothing acknowledged is lost.

    Every prediction and label is on disk, in DIR, before it is answered. SIGTERM or Ctrl-C finishes
    what was begun.

    Exit status: 0 stopped, 2 the folder is in use, the port is in use, or a library is missing.
    """
    with needing("the service", "serve", *NEEDED):
        import uvicorn

        from novikoff.serve.app import App
        from novikoff.serve.journal import Damaged, Locked
        from novikoff.serve.service import Service
        from novikoff.serve.tokens import Tokens
        from novikoff.show.web.guard import LOOPBACK
    if not is_loopback(host) and token_file is None:
        fail(f"--host {host}: other machines could use the service; give --token-file")
    if (tls_cert is None) != (tls_key is None):
        fail("TLS needs both --tls-cert and --tls-key")
    values = dataclasses.asdict(limits)
    chosen = Limits(**{name.removeprefix("max_"): value for name, value in values.items()})
    try:
        tokens = Tokens(token_file)
    except ValueError as error:
        fail(str(error))
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        sock = socket.create_server((host, port), family=family, backlog=chosen.connections)
    except OSError as error:
        fail(f"{host} port {port}: {(error.strerror or str(error)).lower()}; choose another --port")
    try:
        service = Service(Path(folder), chosen)
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
        limit_concurrency=chosen.connections,
        timeout_keep_alive=60,
        timeout_graceful_shutdown=30,
        ssl_certfile=tls_cert,
        ssl_keyfile=tls_key,
    )
    scheme = "http" if tls_cert is None else "https"
    shown = f"[{host}]" if ":" in host else host
    show(f"{scheme}://{shown}:{port}/\n{folder}: {service.replayed:,} events replayed")
    for which in (signal.SIGINT, signal.SIGTERM):  # uvicorn raises them again when it is done
        signal.signal(which, lambda *_: None)
    uvicorn.Server(config).run(sockets=[sock])


def is_loopback(host: str) -> bool:
    """Whether only this machine can connect to the address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
