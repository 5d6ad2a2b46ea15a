"""Hostile requests to the page: any JSON, any upload, forged certificates, wrong headers.

The page answers each with its result or with an error that says why; never with status 500, and
"proved" only if it is true of the points.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from attack.arena import Attack, Fault
from attack.forgeries import Lie, check_truth, resealed
from attack.mutations import bytes_changed, changed
from attack.tables import random_table
from attack.texts import ORIGINALS, PIECES
from novikoff import certify
from novikoff.show.web.server import new_app

PORT = 1962
FINE = (200, 400, 403, 404, 405, 413, 415, 422, 503)
CHOICES: dict[str, Any] = {
    "learner": "perceptron",
    "order": "placed",
    "seed": 0,
    "passes": 5,
    "margin": 1.0,
    "rate": 1.0,
    "bias": True,
    "names": ["x", "y"],
    "classes": ["a", "b"],
    "label": "kind",
}


@cache
def the_app() -> Any:
    """The application of the page, one for all attempts of a process, because it has threads."""
    return new_app(PORT)


async def asked(app: Any, path: str, body: bytes, headers: dict[str, str], query: str) -> Any:
    """The status and the body of the answer."""
    given = {"host": f"127.0.0.1:{PORT}", "content-length": str(len(body))} | headers
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(errors="replace"),
        "headers": [(k.lower().encode(), v.encode("latin-1")) for k, v in given.items()],
        "server": ("127.0.0.1", PORT),
        "client": ("127.0.0.1", 5),
    }
    sent: list[Any] = []
    left = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Any:
        if not left:  # the client waits for its answer
            await asyncio.Event().wait()
        return left.pop()

    async def send(message: Any) -> None:
        sent.append(message)

    await app(scope, receive, send)
    content = b"".join(message.get("body", b"") for message in sent[1:])
    return sent[0]["status"], content


def points(dice: Random) -> dict[str, Any]:
    """A request with a few points."""
    n, d = dice.randint(1, 6), dice.randint(1, 3)
    X = [[dice.choice((0, 1, 2, -1, 0.5, 3)) for _ in range(d)] for _ in range(n)]
    some = {k: v for k, v in CHOICES.items() if dice.random() < 0.3}
    if d != 2:
        some.pop("names", None)
    return {"points": X, "labels": [dice.choice((-1, 1)) for _ in X], **some}


def request(dice: Random) -> tuple[str, bytes, dict[str, str], str, dict[str, Any] | None]:
    """Where to, the body, headers, the query, and the request as JSON if it is that."""
    kind = dice.choice(("replay", "certify", "verify", "verify", "upload"))
    headers = {}
    if dice.random() < 0.05:
        headers = {
            dice.choice(("host", "origin", "content-length")): dice.choice(("", "x", "9" * 30))
        }
    if kind == "upload":
        table = random_table(dice)
        content = dice.choice((table.content, *ORIGINALS.values()))
        name = dice.choice(
            (table.file, "a.csv", "../../etc/passwd", "", "x" * 999, "a%00b.csv", ".")
        )
        if dice.random() < 0.7:
            content = bytes_changed(dice, content, PIECES)
        return "/api/upload", content, headers, f"name={name}", None
    given = points(dice)
    if kind == "verify":
        it = certify(given["points"], given["labels"], fit_intercept=dice.random() < 0.5).to_dict()
        given["certificate"] = resealed(changed(dice, it, times=dice.choice((0, 1, 1, 2))))
    if dice.random() < 0.5:
        given = changed(dice, given, times=dice.choice((1, 1, 2)))
        if isinstance(given.get("certificate"), dict):
            given["certificate"] = resealed(given["certificate"])
    body = json.dumps(given).encode()
    if dice.random() < 0.1:
        body = bytes_changed(dice, body)
        return f"/api/{kind}", body, headers, "", None
    return f"/api/{kind}", body, headers, "", given


def is_proved_falsely(given: dict[str, Any]) -> str | None:
    """What is false in a certificate that the page calls proved for these points."""
    try:
        it, labels = given["certificate"], given["labels"]
        rows = [
            [Fraction(x) for x in row] + [Fraction(1)] * it["data"]["bias"]
            for row in given["points"]
        ]
        z = tuple(tuple(y * x for x in row) for y, row in zip(labels, rows, strict=True))
        if it["data"]["rows"] != len(z) or it["data"]["columns"] != len(given["points"][0]):
            return "it speaks of other points"
        check_truth(it, z)
    except Lie as lie:
        return str(lie)
    except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError) as error:
        return f"a part of it means nothing ({type(error).__name__})"
    return None


def attempt(dice: Random) -> Iterator[Exception | None]:
    """Send requests to the page."""
    for _ in range(20):
        path, body, headers, query, given = request(dice)
        Path("attempt.body").write_bytes(body)
        try:
            status, content = asyncio.run(asked(the_app(), path, body, headers, query))
        except Exception as error:
            yield error
            continue
        if status not in FINE:
            yield Fault(f"{path}: status {status}", answer=content)
            continue
        lie = None
        if path == "/api/verify" and status == 200 and given is not None:
            answer = json.loads(content)
            lie = is_proved_falsely(given) if answer["proved"] else None
        yield Fault(f"the page accepts: {lie}") if lie else None


ATTACKS = [Attack("page", "hostile requests to the page", attempt, share=0.5, megabytes=1000)]
