"""The description of the service for programs (OpenAPI), made of the types of its messages."""

from __future__ import annotations

from typing import Any

import msgspec

from novikoff import __version__
from novikoff.serve.messages import VERBS, Problem
from novikoff.serve.settings import Settings

_ONE = "/v1/models/{name}"
_GET = {
    "/livez": "Whether the server runs.",
    "/readyz": "Whether the journal can be written.",
    "/metrics": "Numbers for Prometheus.",
    "/v1/models": "All models.",
    _ONE: "Settings and counts.",
    f"{_ONE}/summary": "Counts, curve, bounds and drift.",
    f"{_ONE}/weights": "The largest weights.",
    f"{_ONE}/explain": "What each feature adds to the score of a waiting prediction.",
    f"{_ONE}/model": "The model file.",
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
        if method == "put":
            entry["responses"]["201"] = found
        if sent is not None:
            entry["requestBody"] = {"required": True, "content": sent}
        paths.setdefault(path, {"parameters": [name] if "{name}" in path else []})[method] = entry

    for verb, (kind, _, result) in VERBS.items():
        sent = {"anyOf": [of[kind], _many("examples", of[kind])]}
        failed = {"type": "object", "properties": {"error": of[Problem]}, "required": ["error"]}
        got = {"anyOf": [of[result], _many("results", {"anyOf": [of[result], failed]})]}
        about = (kind.__doc__ or "").partition("\n")[0]
        add(f"{_ONE}/{verb}", "post", about, _content(sent), got)
    for path, about in _GET.items():
        add(path, "get", about)
    ticket = {"name": "ticket", "in": "query", "required": True, "schema": {"type": "string"}}
    paths[f"{_ONE}/explain"]["parameters"].append(ticket)
    add(_ONE, "put", "Make a model of settings.", _content(of[Settings]))
    file = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
    add(_ONE, "post", "Make a model that goes on from a model file.", file)
    add(_ONE, "delete", "Delete the model; needs If-Match.")
    info = {"title": "novikoff serve", "version": __version__}
    return {"openapi": "3.1.0", "info": info, "paths": paths, "components": {"schemas": parts}}


def _many(name: str, kind: Any) -> dict[str, Any]:
    properties = {name: {"type": "array", "items": kind}}
    return {"type": "object", "properties": properties, "required": [name]}


def _content(kind: Any, subtype: str = "json") -> dict[str, Any]:
    return {f"application/{subtype}": {"schema": kind}}
