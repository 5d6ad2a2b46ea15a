"""A service in this process, without HTTP, and what its clients send."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from novikoff.serve.limits import Limits
from novikoff.serve.messages import elements, encode
from novikoff.serve.served import Reply, made_of
from novikoff.serve.service import Service, Work
from novikoff.serve.settings import Settings

Pair = tuple[dict[str, Any], str]


class Local:
    """What a client does, straight to the thread of a service."""

    def __init__(self, folder: Path, limits: Limits | None = None) -> None:
        self.service = Service(folder, limits)

    def create(self, name: str = "m", start: bytes = b"", **settings: Any) -> int:
        about = made_of(name, msgspec.convert(settings, Settings), start)
        status: int = self.service.submit(Work(name, "create", about)).result()[0]
        return status

    def do(self, verb: str, items: Sequence[Any], name: str = "m", **more: Any) -> Any:
        """The results of pairs (x, id), (x, label), (n, label), or of tickets n."""
        found = self.send(name, verb, self.body(verb, items, name).decode(), **more)
        return found.get("results", found)

    def send(self, name: str, verb: str, text: str, **more: Any) -> Any:
        """The answer to a body, which may be no JSON."""
        body = text.encode()
        try:
            found = elements(verb, body)
        except msgspec.MsgspecError as error:
            return {"title": "bad request", "status": 400, "detail": str(error)}
        work = Work(name, verb, body, *found, Reply(**more) if more else None)
        return json.loads(self.service.submit(work).result()[1])

    def body(self, verb: str, items: Sequence[Any], name: str = "m") -> bytes:
        second = {"predict": "id"}.get(verb, "label")
        sent = [one if isinstance(one, tuple) else (one,) for one in items]
        of_tickets, id = verb in ("reveal", "drop"), self.service.models[name].id
        keys = ("ticket" if of_tickets else "features", second, "weight")
        full = [(f"{id}:{one[0]}" if of_tickets else one[0], *one[1:]) for one in sent]
        given = [zip(keys, one, strict=False) for one in full]
        return encode({"examples": [{k: v for k, v in one if v is not None} for one in given]})

    def model(self, name: str = "m") -> bytes:
        return self.service.models[name].model_file()

    def close(self) -> None:
        self.service.close()


def examples(n: int, labels: Sequence[str] = ("ham", "spam"), seed: int = 1) -> list[Pair]:
    dice = random.Random(seed)
    names = [f"w{k}" for k in range(40)]
    sizes = [1, 2, 0.5, True, "red", "blue"]
    return [
        ({name: dice.choice(sizes) for name in dice.sample(names, 5)}, dice.choice(labels))
        for _ in range(n)
    ]


def texts(n: int) -> list[Pair]:
    dice = random.Random(2)
    words = ["Free", "money", "lunch", "see", "you", "café", "naïve", "42", "prize", "now"]
    return [
        ({"text": " ".join(dice.choices(words, k=6))}, dice.choice(["ham", "spam"]))
        for _ in range(n)
    ]


def late(local: Local, some: Sequence[Pair], wait: int = 7) -> None:
    """Predict the examples in small batches; labels come `wait` batches later, then some never."""
    parts = [some[k : k + 5] for k in range(0, len(some), 5)]
    for k in range(len(parts) + wait):
        if k < len(parts):
            local.do("predict", [(x, None) for x, _ in parts[k]])
        if k >= wait:
            first = 5 * (k - wait) + 1
            pairs = [(first + j, y) for j, (_, y) in enumerate(parts[k - wait])]
            local.do("reveal", [pair for pair in pairs if pair[0] % 9 or not wait])


def copied(folder: Path, to: Path) -> Path:
    """The files as a crash leaves them."""
    return Path(shutil.copytree(folder, to))
