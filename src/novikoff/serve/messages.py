"""What clients send and what they are answered, as JSON; and its description (OpenAPI)."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec
from msgspec import Struct

from novikoff import __version__
from novikoff._core import plain_batch
from novikoff.serve.limits import Limits
from novikoff.serve.settings import Settings

Features: TypeAlias = dict[str, Any]
Label: TypeAlias = str | int | float | bool
Answer: TypeAlias = tuple[int, bytes]  # a status, and a body
Form: TypeAlias = Literal["one", "batch", "lines"]
encode = msgspec.json.encode
_encoder = msgspec.json.Encoder()


class Example(Struct, forbid_unknown_fields=True, gc=False):
    """An example: its features by name, or a text; `id` is the client's own name for it."""

    features: Features | None = None
    text: str | None = None
    id: str | None = None


class Objects(list[bytes]):
    """The features of a batch of plain examples, as JSON; `most` and `longest` are their names'."""

    def __init__(self, objects: list[bytes], most: int, longest: int) -> None:
        super().__init__(objects)
        self.most, self.longest = most, longest

    def examples(self) -> list[Example]:
        """The examples one by one."""
        return [Example(msgspec.json.decode(one)) for one in self]


class Labelled(Struct, forbid_unknown_fields=True, gc=False):
    """An example with its label, and how much it counts."""

    label: Label
    features: Features | None = None
    text: str | None = None
    weight: float | None = None


class Reveal(Struct, forbid_unknown_fields=True, gc=False):
    """The label of a prediction, and how much the example counts."""

    ticket: str
    label: Label
    weight: float | None = None


class Drop(Struct, forbid_unknown_fields=True, gc=False):
    """A prediction whose label will never come."""

    ticket: str


class Predicted(Struct, gc=False):
    """A prediction that waits for its label; `round` counts the predictions of the model.

    There is no ticket if the prediction could not be written.
    """

    ticket: str | None
    label: str | None
    score: float | None
    probability: float | None
    round: int


class Revealed(Struct, gc=False):
    """Whether a prediction was wrong; `round` counts labels, `delay` the predictions since."""

    mistake: bool
    mistakes: int
    round: int
    delay: int


class Learned(Struct, gc=False):
    """What was predicted for an example before it was learned from, and whether that was wrong."""

    label: str | None
    mistake: bool
    mistakes: int
    round: int


class Dropped(Struct, gc=False):
    """A ticket that waits no longer."""

    dropped: str


class Problem(Struct, omit_defaults=True):
    """Why there is no result, as problem details (RFC 9457)."""

    title: str
    status: int
    detail: str
    type: str = "about:blank"
    limit: str | None = None
    value: float | None = None

    @property
    def answer(self) -> Answer:
        """The answer to a request that has this problem."""
        return self.status, encode(self)


class Refusal(Exception):  # noqa: N818  (it names what is sent)
    """A request that is answered with a problem."""

    def __init__(self, problem: Problem, headers: dict[bytes, bytes] | None = None) -> None:
        self.problem, self.headers = problem, headers or {}


class Failed(Struct):
    """An element of a batch without a result."""

    error: Problem


Result: TypeAlias = Predicted | Revealed | Learned | Dropped | Failed | msgspec.Raw


class Verb(NamedTuple):
    """What is sent for it, who may, and what the result is."""

    sent: type[Struct]
    role: str
    result: type[Struct]


VERBS = {
    "predict": Verb(Example, "predict", Predicted),
    "reveal": Verb(Reveal, "reveal", Revealed),
    "learn": Verb(Labelled, "reveal", Learned),
    "drop": Verb(Drop, "reveal", Dropped),
}
_ONE: dict[str, msgspec.json.Decoder[Any]] = {
    verb: msgspec.json.Decoder(one.sent) for verb, one in VERBS.items()
}
_MANY: dict[str, msgspec.json.Decoder[Any]] = {
    verb: msgspec.json.Decoder(
        msgspec.defstruct("Batch", [("examples", list[one.sent])], forbid_unknown_fields=True)  # type: ignore[name-defined]
    )
    for verb, one in VERBS.items()
}
_RAW = msgspec.json.Decoder(msgspec.defstruct("Batch", [("examples", list[msgspec.Raw])]))


def failed(status: int, title: str, detail: str) -> Failed:
    """A problem of one element."""
    return Failed(Problem(title, status, detail))


def over(limits: Limits, name: str, words: str, status: int = 422) -> Problem:
    """The problem of something that exceeds a limit: which, and its value."""
    value = getattr(limits, name)
    detail = f"{words}; the limit {name} is {value:,}"
    return Problem("limit exceeded", status, detail, limit=name, value=value)


def elements(verb: str, body: bytes) -> tuple[Form, list[Any]]:
    """Whether a body has one element or a batch, and the elements; a Failed for each that is none.

    Raises a MsgspecError if nothing can be read.
    """
    if not body[:40].lstrip()[1:].lstrip().startswith(b'"examples"'):
        return "one", [_ONE[verb].decode(body)]
    if verb == "predict" and (plain := plain_batch(body)) is not None:
        return "batch", Objects(*plain)
    try:
        return "batch", _MANY[verb].decode(body).examples
    except msgspec.MsgspecError:
        found = list[Any]()
        for raw in _RAW.decode(body).examples:  # type: ignore[attr-defined]  # of the made class
            try:
                found.append(_ONE[verb].decode(raw))
            except msgspec.MsgspecError as error:
                found.append(failed(400, "bad request", str(error)))
        return "batch", found


def answered(form: Form, results: list[Result]) -> Answer:
    """The answer that has these results."""
    if form == "lines":
        return 200, _encoder.encode_lines(results)
    if form == "batch":
        return 200, encode({"results": results})
    (one,) = results
    return one.error.answer if isinstance(one, Failed) else (200, encode(one))


_MODEL = "/v1/models/{name}"
_GET = {
    "/livez": "Whether the server runs.",
    "/readyz": "Whether the journal can be written.",
    "/metrics": "Numbers for Prometheus.",
    "/v1/models": "All models.",
    _MODEL: "Settings and counts.",
    f"{_MODEL}/summary": "Counts, curve, bounds and drift.",
    f"{_MODEL}/weights": "The largest weights.",
    f"{_MODEL}/explain": "What each feature adds to the score of a waiting prediction.",
    f"{_MODEL}/model": "The model file.",
}


def schema() -> dict[str, Any]:
    """The document at /openapi.json."""
    sides = [kind for verb in VERBS.values() for kind in (verb.sent, verb.result)]
    types = [*sides, Problem, Settings]
    refs, parts = msgspec.json.schema_components(types, ref_template="#/components/schemas/{name}")
    of = dict(zip(types, refs, strict=True))
    problem = {"description": "A problem.", "content": _content(of[Problem], "problem+json")}
    name = {"name": "name", "in": "path", "required": True, "schema": {"type": "string"}}
    paths: dict[str, Any] = {}

    def add(path: str, method: str, about: str, sent: Any = None, got: Any = None) -> None:
        found: dict[str, Any] = {"description": "Done."}
        if got is not None:
            found["content"] = _content(got)
        entry: dict[str, Any] = {"summary": about, "responses": {"200": found, "default": problem}}
        if path == _MODEL and sent is not None:  # a model is made
            entry["responses"]["201"] = found
        if sent is not None:
            entry["requestBody"] = {"required": True, "content": sent}
        paths.setdefault(path, {"parameters": [name] if "{name}" in path else []})[method] = entry

    for verb, (kind, _, result) in VERBS.items():
        sent = {"anyOf": [of[kind], _many("examples", of[kind])]}
        failed = {"type": "object", "properties": {"error": of[Problem]}, "required": ["error"]}
        got = {"anyOf": [of[result], _many("results", {"anyOf": [of[result], failed]})]}
        about = (kind.__doc__ or "").partition("\n")[0]
        add(f"{_MODEL}/{verb}", "post", about, _content(sent), got)
    for path, about in _GET.items():
        add(path, "get", about)
    ticket = {"name": "ticket", "in": "query", "required": True, "schema": {"type": "string"}}
    paths[f"{_MODEL}/explain"]["parameters"].append(ticket)
    add(_MODEL, "put", "Make a model of settings.", _content(of[Settings]))
    file = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
    add(_MODEL, "post", "Make a model that goes on from a model file.", file)
    add(_MODEL, "delete", "Delete the model; needs If-Match.")
    info = {"title": "novikoff serve", "version": __version__}
    return {"openapi": "3.1.0", "info": info, "paths": paths, "components": {"schemas": parts}}


def _many(name: str, kind: Any) -> dict[str, Any]:
    properties = {name: {"type": "array", "items": kind}}
    return {"type": "object", "properties": properties, "required": [name]}


def _content(kind: Any, subtype: str = "json") -> dict[str, Any]:
    return {f"application/{subtype}": {"schema": kind}}
