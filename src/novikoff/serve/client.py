"""A client of the service that may try again: every request it repeats is known by a name."""

from __future__ import annotations

import http.client
import json
import random
import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any
from urllib.parse import quote, urlsplit

Example = Mapping[str, Any] | str  # features, or a text
Label = str | float | bool


class Refused(ValueError):  # noqa: N818  (it names what the server did)
    """The server answered with a problem: `status`, and `problem` as it was sent."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        super().__init__(f"{status} {problem.get('title', '')}: {problem.get('detail', '')}")
        self.status, self.problem = status, problem


class Client:
    """Predict and reveal over HTTP; needs nothing but the standard library.

    A request that gets no answer, or 503, is sent again after a pause. That is safe: predictions
    have an `id`, the others an idempotency key, and the server answers a repeated one as the first
    time. Threads may share a client; each has a connection of its own.

    Parameters
    ----------
    url
        Where the server is: "http://127.0.0.1:1963".
    token
        A token of the server's token file, if it has one.
    attempts, seconds
        How often a request is sent at most, and how long to wait for an answer.
    pause
        Called with the seconds to wait before the next attempt.
    """

    def __init__(
        self,
        url: str = "http://127.0.0.1:1963",
        *,
        token: str | None = None,
        attempts: int = 6,
        seconds: float = 60.0,
        pause: Callable[[float], object] = time.sleep,
    ) -> None:
        self._url, self._attempts = urlsplit(url), attempts
        self._seconds, self._pause = seconds, pause
        self._headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self._own = threading.local()

    def close(self) -> None:
        """Close the connection of this thread; the next request opens another."""
        if (line := self._own.__dict__.pop("line", None)) is not None:
            line.close()

    def create(self, model: str, **settings: Any) -> dict[str, Any]:
        """Make a model with these options of `novikoff train`; the same again changes nothing."""
        return self._json("PUT", model, sent=settings)

    def start(self, model: str, file: bytes) -> dict[str, Any]:
        """Make a model that goes on from a model file."""
        return self._json("POST", model, sent=file)

    def delete(self, model: str) -> None:
        """Delete a model."""
        tag = self._json("GET", model)["etag"]
        self._json("DELETE", model, headers={"If-Match": tag})

    def summary(self, model: str) -> dict[str, Any]:
        """What is known about a model: counts, curve, bounds, drift."""
        return self._json("GET", model, "summary")

    def model_file(self, model: str) -> bytes:
        """The model as a file, which is the one that `novikoff train` writes."""
        return self._send("GET", self._path(model, "model"), b"", {})

    def predict(self, model: str, example: Example, *, id: str | None = None) -> dict[str, Any]:
        """Predict one example; `id` is the caller's own name for it, and random without one."""
        return self._json("POST", model, "predict", _sent(example, id=id or _new()))

    def predict_many(self, model: str, examples: Sequence[Example]) -> list[dict[str, Any]]:
        """Predict some examples; a result each, or {"error": problem}."""
        return self._batch(model, "predict", [_sent(one) for one in examples])

    def reveal(self, model: str, ticket: str, label: Label) -> dict[str, Any]:
        """Tell the label of a prediction."""
        return self._json("POST", model, "reveal", {"ticket": ticket, "label": label})

    def reveal_many(self, model: str, labels: Mapping[str, Label]) -> list[dict[str, Any]]:
        """Tell the labels of some tickets; a result each, or {"error": problem}."""
        pairs = [{"ticket": ticket, "label": label} for ticket, label in labels.items()]
        return self._batch(model, "reveal", pairs)

    def learn(self, model: str, examples: Sequence[tuple[Example, Label]]) -> list[dict[str, Any]]:
        """Learn examples whose labels are known; a result each, or {"error": problem}."""
        return self._batch(model, "learn", [_sent(x, label=y) for x, y in examples])

    def drop(self, model: str, ticket: str) -> dict[str, Any]:
        """Say that a label will never come."""
        return self._json("POST", model, "drop", {"ticket": ticket})

    # requests

    def _path(self, model: str, verb: str) -> str:
        return f"{self._url.path.rstrip('/')}/v1/models/{quote(model, safe='')}/{verb}".rstrip("/")

    def _batch(self, model: str, verb: str, examples: list[dict[str, Any]]) -> list[dict[str, Any]]:
        key, sent = {"Idempotency-Key": _new()}, {"examples": examples}
        out: list[dict[str, Any]] = self._json("POST", model, verb, sent, key)["results"]
        return out

    def _json(
        self,
        method: str,
        model: str,
        verb: str = "",
        sent: Any = b"",
        headers: Mapping[str, str] = MappingProxyType({}),
    ) -> dict[str, Any]:
        body = sent if isinstance(sent, bytes) else json.dumps(sent, allow_nan=False).encode()
        answer = self._send(method, self._path(model, verb), body, headers)
        found: dict[str, Any] = json.loads(answer)
        return found

    def _send(self, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> bytes:
        for attempt in range(1, self._attempts + 1):
            wait = random.uniform(0.5, 1.0) * min(0.1 * 2**attempt, 10.0)
            try:
                line = self._connection()
                line.request(method, path, body, {**self._headers, **headers})
                answer = line.getresponse()
                content = answer.read()
            except (OSError, http.client.HTTPException):
                self.close()
                if attempt == self._attempts:
                    raise
            else:
                if answer.status < 400:
                    return content
                if answer.status != 503 or attempt == self._attempts:
                    raise Refused(answer.status, json.loads(content))
                wait = max(wait, float(answer.headers.get("Retry-After", 0)))
            self._pause(wait)
        raise AssertionError("attempts is at least 1")

    def _connection(self) -> http.client.HTTPConnection:
        """The connection of this thread."""
        line: http.client.HTTPConnection | None = self._own.__dict__.get("line")
        if line is None:
            is_safe = self._url.scheme == "https"
            kind = http.client.HTTPSConnection if is_safe else http.client.HTTPConnection
            line = kind(self._url.hostname or "", self._url.port, timeout=self._seconds)
            self._own.line = line
        return line


def _sent(example: Example, **more: Any) -> dict[str, Any]:
    return {"text" if isinstance(example, str) else "features": example, **more}


def _new() -> str:
    return secrets.token_hex(16)
