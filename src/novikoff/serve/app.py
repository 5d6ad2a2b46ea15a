"""The HTTP of the service: requests become work for the journal's thread, results become JSON."""

from __future__ import annotations

import asyncio
import hashlib
import heapq
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import parse_qs

import msgspec
from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from novikoff.serve.metrics import Metrics
from novikoff.serve.openapi import schema
from novikoff.serve.served import Answer, Failed, Problem, Reply, Served, encode, failed, made_of
from novikoff.serve.service import Service, Unavailable, Work, deliver
from novikoff.serve.settings import Settings, checked, label_text
from novikoff.serve.tokens import Tokens
from novikoff.show.web.guard import LOOPBACK, Guard
from novikoff.storage.file_format import BadModel
from novikoff.stream.input_problems import BadExample

STATIC = Path(__file__).parent / "static"
NDJSON = b"application/x-ndjson"
_JSON, _PROBLEM = b"application/json", b"application/problem+json"
_PART = 1 << 20  # bytes of a stream of lines that are answered together
_WEIGHTS = 100


class Example(Struct, forbid_unknown_fields=True):
    """An example: its features by name, or a text; `id` is the client's own name for it."""

    features: dict[str, Any] | None = None
    text: str | None = None
    id: str | None = None


class Labelled(Struct, forbid_unknown_fields=True):
    """An example with its label."""

    label: str | int | float | bool
    features: dict[str, Any] | None = None
    text: str | None = None


class Reveal(Struct, forbid_unknown_fields=True):
    """The label of a prediction."""

    ticket: str
    label: str | int | float | bool


class Drop(Struct, forbid_unknown_fields=True):
    """A prediction whose label will never come."""

    ticket: str


class Batch(Struct, forbid_unknown_fields=True):
    """Several elements in one request."""

    examples: list[msgspec.Raw]


Item: TypeAlias = Example | Labelled | Reveal | Drop
VERBS: dict[str, tuple[type[Struct], str]] = {
    "predict": (Example, "predict"),
    "reveal": (Reveal, "reveal"),
    "learn": (Labelled, "reveal"),
    "drop": (Drop, "reveal"),
}
_SETTINGS = msgspec.json.Decoder(Settings)
_BATCH = msgspec.json.Decoder(Batch)


class Refusal(Exception):  # noqa: N818  (it names what is sent)
    """A request that is answered with a problem."""

    def __init__(self, status: int, title: str, detail: str, *, limit: str | None = None) -> None:
        self.problem = Problem(title, status, detail, limit=limit)


def over(service: Service, limit: str, what: str, status: int = 422) -> Refusal:
    """The refusal of something that exceeds a limit: which, and its value."""
    value = getattr(service.limits, limit)
    out = Refusal(status, "limit exceeded", f"{what}; the limit {limit} is {value:,}", limit=limit)
    out.problem.value = value
    return out


class Door:
    """Reads the elements of one verb; what is refused here is never written."""

    def __init__(self, service: Service, verb: str) -> None:
        self._service, self.verb = service, verb
        kind = VERBS[verb][0]
        self._one: msgspec.json.Decoder[Any] = msgspec.json.Decoder(kind)
        many = msgspec.defstruct("Many", [("examples", list[kind])])  # type: ignore[valid-type]
        self._many: msgspec.json.Decoder[Any] = msgspec.json.Decoder(many)

    def one(self, served: Served, raw: bytes | msgspec.Raw) -> Any:
        """The element of the journal; Refusal if it cannot be one."""
        try:
            return self._item(served, self._one.decode(raw))
        except msgspec.MsgspecError as error:
            raise Refusal(400, "bad request", str(error)) from None

    def many(self, served: Served, body: bytes) -> list[Any]:
        """The elements of a batch; a Failed in place of each that is refused."""
        try:
            given = self._many.decode(body).examples
        except msgspec.MsgspecError:
            try:
                given = _BATCH.decode(body).examples
            except msgspec.MsgspecError as error:
                raise Refusal(400, "bad request", str(error)) from None
        return self.each(served, given)

    def each(self, served: Served, given: Sequence[Any]) -> list[Any]:
        """The elements; a Failed in place of each that is refused."""
        if len(given) > self._service.limits.batch:
            raise over(self._service, "batch", f"there are {len(given):,} elements", 413)
        out = []
        for one in given:
            try:
                out.append(
                    self.one(served, one)
                    if isinstance(one, bytes | msgspec.Raw)
                    else self._item(served, one)
                )
            except Refusal as refusal:
                out.append(Failed(refusal.problem))
        return out

    def _item(self, served: Served, one: Item) -> Any:
        if isinstance(one, Example):
            if one.id is not None and not 0 < len(one.id) <= self._service.limits.name:
                raise over(self._service, "name", f"the id has {len(one.id):,} characters")
            return self._features(served, one), one.id
        try:
            if isinstance(one, Labelled):
                return self._features(served, one), label_text(one.label)
            id, _, number = one.ticket.partition(":")
            if id != str(served.id) or not number.isdecimal() or len(number) > 18:
                words = f"there is no ticket {one.ticket!r} of model {served.name!r}"
                raise Refusal(404, "unknown ticket", words)
            return int(number) if isinstance(one, Drop) else (int(number), label_text(one.label))
        except BadExample as error:
            raise Refusal(422, "bad label", error.without_cure) from None

    def _features(self, served: Served, one: Example | Labelled) -> dict[str, Any]:
        limits, x = self._service.limits, one.features
        if (x is None) == (one.text is None):
            raise Refusal(422, "bad example", "give either features or text")
        if x is None:
            if "text" not in served.settings.text:
                words = 'this model reads no texts; make one with "text": ["text"]'
                raise Refusal(422, "bad example", words)
            return {"text": one.text}
        if len(x) > limits.features:
            raise over(self._service, "features", f"the example has {len(x):,} features")
        if "label" in x:
            words = "'label' cannot be the name of a feature; it is where files have the label"
            raise Refusal(422, "bad example", words)
        if x and max(map(len, x)) * 4 > limits.name:
            for name in x:
                if len(name.encode()) > limits.name:
                    raise over(self._service, "name", f"a name has {len(name.encode()):,} bytes")
        if served.settings.hash_bits is None:
            names, words = served.names + len(x), "the model has almost as many; use hash_bits"
            if names > limits.names:
                raise over(self._service, "names", words)
            if names * served.classes > limits.weights:
                raise over(self._service, "weights", words)
        return x


class App:
    """The requests of the service, as a web application (`asgi`).

    Parameters
    ----------
    names, port
        The names of this host, if pages of other hosts are to be refused, and its port.
    unjournalled
        Whether predictions go on, without tickets, while nothing can be written.
    """

    def __init__(
        self,
        service: Service,
        tokens: Tokens,
        *,
        port: int,
        names: Sequence[str] = LOOPBACK,
        unjournalled: bool = False,
    ) -> None:
        self._service, self._tokens, self._unjournalled = service, tokens, unjournalled
        self._metrics = Metrics(service)
        self._in_flight: set[tuple[int, str]] = set()
        self._doors = {verb: Door(service, verb) for verb in VERBS}
        self._bounds: dict[int, tuple[int, dict[str, Any]]] = {}
        self._schema = encode(schema(VERBS))
        self._routes: dict[str, dict[str, ASGIApp]] = {
            "*": {
                "GET": self._endpoint(self._get, "any"),
                "PUT": self._endpoint(self._create, "admin"),
                "POST": self._endpoint(self._create, "admin"),
                "DELETE": self._endpoint(self._delete, "admin"),
            },
            "/v1/models": {"GET": self._endpoint(self._list, "any")},
            "/livez": {"GET": self._endpoint(self._live, None)},
            "/readyz": {"GET": self._endpoint(self._ready, None)},
            "/openapi.json": {"GET": self._endpoint(self._openapi, None)},
            "/metrics": {"GET": self._endpoint(self._scrape, "any")},
            "*/summary": {"GET": self._endpoint(self._summary, "any")},
            "*/explain": {"GET": self._endpoint(self._explain, "any")},
            "*/weights": {"GET": self._endpoint(self._weights, "admin")},
            "*/model": {"GET": self._endpoint(self._model, "admin")},
        }
        for verb, (_, role) in VERBS.items():
            self._routes[f"*/{verb}"] = {"POST": self._endpoint(partial(self._verb, verb), role)}
        self._files = StaticFiles(directory=STATIC, html=True)
        self.asgi: ASGIApp = Guard(self._dispatch, names, port, _refusal)

    async def _dispatch(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Find who answers: this is what a router does, in a tenth of the time."""
        if scope["type"] == "lifespan":
            await self._live_and_die(receive, send)
            return
        path: str = scope["path"]
        if path.startswith("/v1/models/"):
            name, mark, verb = path.removeprefix("/v1/models/").partition("/")
            scope["path_params"], path = {"name": name}, f"*{mark}{verb}"
        if (methods := self._routes.get(path)) is not None:
            app = methods.get(scope["method"]) or _refusal(405, f"allowed: {', '.join(methods)}")
            await app(scope, receive, send)
            return
        try:
            await self._files(scope, receive, send)
        except HTTPException as error:
            await _refusal(error.status_code, "there is nothing here")(scope, receive, send)

    async def _live_and_die(self, receive: Receive, send: Send) -> None:
        """Let the answers of the journal's thread come to this loop; at the end, let it finish."""
        loop = asyncio.get_running_loop()
        await receive()
        self._service.deliver = lambda answers: loop.call_soon_threadsafe(deliver, answers)
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await asyncio.to_thread(self._service.close)
        await send({"type": "lifespan.shutdown.complete"})

    def _endpoint(self, answer: Callable[..., Awaitable[Answer]], role: str | None) -> ASGIApp:
        """An endpoint that answers those who have the role, and puts problems into words."""
        roles = ("predict", "reveal") if role == "any" else (role or "",)

        async def endpoint(scope: Scope, receive: Receive, send: Send) -> None:
            headers = dict(scope["headers"])
            more: dict[bytes, bytes] = {}
            try:
                if role is not None:
                    allowed = self._tokens.allow(headers.get(b"authorization", b""), roles)
                    if allowed is None:
                        more[b"www-authenticate"] = b"Bearer"
                        raise Refusal(401, "unknown token", "send Authorization: Bearer TOKEN")
                    if not allowed:
                        needs = " or ".join(roles)
                        raise Refusal(403, "not allowed", f"this needs a token for {needs}")
                request = Request(self._service, scope, headers, receive, send)
                status, body = await answer(request)
                more |= request.answer_headers
            except Refusal as refusal:
                status, body = refusal.problem.status, encode(refusal.problem)
            except Unavailable as error:
                more[b"retry-after"] = b"1"
                status, body = 503, encode(Problem("not available", 503, str(error)))
            except (BadExample, BadModel, ValueError) as error:
                words = error.without_cure if isinstance(error, BadExample) else str(error)
                status, body = 422, encode(Problem("bad request", 422, words))
            except Gone:
                return
            if status:
                kind = _PROBLEM if status >= 400 else _JSON
                await _respond(send, status, {b"content-type": kind} | more, body)

        return endpoint

    def _served(self, request: Request) -> Served:
        name = request.name
        served = self._service.models.get(name)
        if served is None:
            raise Refusal(404, "unknown model", f"there is no model {name!r}")
        return served

    async def _do(self, work: Work) -> Any:
        work.done = asyncio.get_running_loop().create_future()
        return await self._service.submit(work)

    async def _of(self, served: Served, ask: Callable[[Served], Any]) -> Any:
        """What `ask` finds in the model, in turn with its events."""
        return await self._do(Work(served.name, "ask", ask=ask))

    # examples

    async def _verb(self, verb: str, request: Request) -> Answer:
        served, door = self._served(request), self._doors[verb]
        if request.headers.get(b"content-type", b"").partition(b";")[0].strip() == NDJSON:
            return await self._lines(door, served, request)
        body = await request.body()
        key = request.headers.get(b"idempotency-key", b"").decode("latin-1") or None
        if is_batch := _is_batch(body):
            items = door.many(served, body)
        else:
            items = [door.one(served, body)]
        reply = Reply(is_batch)
        if key is None:
            return await self._apply(verb, served, items, reply)
        if len(key) > self._service.limits.name:
            raise over(self._service, "name", "the Idempotency-Key is longer")
        mark = served.id, key
        if mark in self._in_flight:
            words = f"the request with the key {key!r} is not answered yet"
            raise Refusal(409, "in progress", words)
        self._in_flight.add(mark)
        try:
            reply.key, reply.digest = key, hashlib.sha256(verb.encode() + b"\0" + body).digest()
            return await self._apply(verb, served, items, reply)
        finally:
            self._in_flight.remove(mark)

    async def _apply(self, verb: str, served: Served, items: Sequence[Any], reply: Reply) -> Answer:
        """The answer to these elements; those that were refused have it already."""
        reply.refused = {k: one for k, one in enumerate(items) if type(one) is Failed}
        good = items
        if reply.refused:
            good = [one for one in items if type(one) is not Failed]
        if not good:
            return reply.answer([])
        try:
            answer: Answer = await self._do(Work(served.name, verb, good, encode(good), reply))
            return answer
        except Unavailable:
            if not (self._unjournalled and verb == "predict"):
                raise
            return reply.answer(await asyncio.to_thread(served.only_predict, good))

    async def _lines(self, door: Door, served: Served, request: Request) -> Answer:
        """Answer a stream of lines in order, part by part, with a line each."""
        if b"idempotency-key" in request.headers:
            raise Refusal(422, "bad request", "a stream of lines has no key; send a batch")
        await _respond(request.send, 200, {b"content-type": NDJSON}, b"", more=True)
        most = self._service.limits.batch
        try:
            async for lines in request.lines():
                for k in range(0, len(lines), most):
                    items = door.each(served, lines[k : k + most])
                    _, body = await self._apply(door.verb, served, items, Reply(is_batch=True))
                    part = b"".join(bytes(one) + b"\n" for one in _RESULTS.decode(body).results)
                    await request.send_part(part, more=True)
        except Refusal as refusal:  # nothing after this has an answer
            await request.send_part(encode(Failed(refusal.problem)) + b"\n", more=True)
        except Unavailable as error:
            wrong = failed(503, "not available", str(error))
            await request.send_part(encode(wrong) + b"\n", more=True)
        await request.send_part(b"", more=False)
        return 0, b""

    # models

    async def _list(self, request: Request) -> Answer:
        found = [{"name": name, **_counts(one)} for name, one in [*self._service.models.items()]]
        return 200, encode({"models": found})

    async def _get(self, request: Request) -> Answer:
        served = self._served(request)
        request.answer_headers[b"etag"] = served.etag.encode()
        return 200, encode(_described(served))

    async def _create(self, request: Request) -> Answer:
        """Make a model of settings (PUT), or of a model file (POST)."""
        name, limits, body = request.name, self._service.limits, await request.body()
        if not 0 < len(name) <= 100 or not name.isprintable():
            raise Refusal(422, "bad name", "a model's name has 1 to 100 printable characters")
        start = body if request.scope["method"] == "POST" else b""
        try:
            settings = checked(_SETTINGS.decode(b"{}" if start else body or b"{}"), limits)
        except msgspec.MsgspecError as error:
            raise Refusal(422, "bad settings", str(error)) from None
        for limit in ("waiting", "classes"):
            if getattr(settings, f"max_{limit}") > getattr(limits, limit):
                raise over(self._service, limit, f"max_{limit} is more")
        classes = settings.max_classes if settings.multiclass else 1
        if (classes or 1) << (settings.hash_bits or 0) > limits.weights:
            raise over(self._service, "weights", "2^hash_bits for each class are more")
        about = made_of(name, settings, start)
        if start:
            await asyncio.to_thread(Served, 0, about)  # a bad file is refused before it is written
        known = self._service.models.get(name)
        if known is not None and known.about == about:
            return 200, encode(_described(known))
        status, answer = await self._do(Work(name, "create", (), about))
        if status >= 400:
            return status, answer
        request.answer_headers[b"location"] = request.scope["path"].encode()
        return 201, encode(_described(self._served(request)))

    async def _delete(self, request: Request) -> Answer:
        served, tag = self._served(request), request.headers.get(b"if-match")
        if tag is None:
            words = f"send If-Match: {served.etag}, so that no other model of this name is deleted"
            raise Refusal(428, "If-Match is missing", words)
        if tag.decode("latin-1") != served.etag:
            raise Refusal(412, "another model", f"the ETag of {served.name!r} is {served.etag}")
        await self._do(Work(served.name, "delete"))
        return 200, encode({"deleted": served.name})

    # what is known

    async def _summary(self, request: Request) -> Answer:
        served = self._served(request)
        found = await self._of(served, Served.summary)
        updates = found["labelled"]
        if self._bounds.get(served.id, (-1, None))[0] != updates:
            self._bounds[served.id] = updates, await asyncio.to_thread(served.bound)
        return 200, encode(found | self._bounds[served.id][1])

    async def _weights(self, request: Request) -> Answer:
        served, n = self._served(request), request.query("n", str(_WEIGHTS))
        if not n.isdecimal() or not 0 < int(n[:9]) <= self._service.limits.batch:
            raise over(self._service, "batch", f"n is {n}")
        return 200, encode(await asyncio.to_thread(_largest, served, int(n)))

    async def _explain(self, request: Request) -> Answer:
        served = self._served(request)
        n = self._doors["drop"].one(served, encode({"ticket": request.query("ticket", "")}))

        def explain(served: Served) -> Any:
            if n not in served.protocol:
                raise Refusal(410, "ticket is gone", "only a waiting prediction can be explained")
            return asdict(served.learner.explain(served.protocol.example(n)))

        return 200, encode(await self._of(served, explain))

    async def _model(self, request: Request) -> Answer:
        try:
            content: bytes = await self._of(self._served(request), Served.model_file)
        except ValueError as error:
            raise Refusal(409, "no model yet", str(error)) from None
        tag = f'"{hashlib.sha256(content).hexdigest()}"'.encode()
        headers = {b"content-type": b"application/octet-stream", b"etag": tag}
        is_same = request.headers.get(b"if-none-match") == tag
        await _respond(request.send, 304 if is_same else 200, headers, b"" if is_same else content)
        return 0, b""

    async def _live(self, _request: Request) -> Answer:
        return 200, b'{"status":"live"}'

    async def _ready(self, _request: Request) -> Answer:
        work = Work("", "probe", ask=self._service.probe)
        if (fault := await self._do(work)) is not None:
            raise Unavailable(f"the journal cannot be written: {fault}")
        return 200, b'{"status":"ready"}'

    async def _openapi(self, _request: Request) -> Answer:
        return 200, self._schema

    async def _scrape(self, request: Request) -> Answer:
        kind, body = self._metrics.text()
        await _respond(request.send, 200, {b"content-type": kind}, body)
        return 0, b""


class Gone(Exception):  # noqa: N818  (it names what the client is)
    """The client went away."""


class Request:
    """One request: its name, headers and body, which is read within the limits."""

    def __init__(
        self,
        service: Service,
        scope: Scope,
        headers: Mapping[bytes, bytes],
        receive: Receive,
        send: Send,
    ) -> None:
        self._service, self._receive = service, receive
        self.scope, self.headers, self.send = scope, headers, send
        self.name: str = scope.get("path_params", {}).get("name", "")
        self.answer_headers: dict[bytes, bytes] = {}

    def query(self, name: str, usual: str) -> str:
        """The value of a parameter in the address."""
        given: str = self.scope["query_string"].decode("latin-1")
        return parse_qs(given).get(name, [usual])[-1]

    async def _pieces(self) -> AsyncIterator[bytes]:
        """The body piece by piece; Refusal if the client takes too long."""
        more = True
        while more:
            try:
                async with asyncio.timeout(self._service.limits.seconds):
                    message = await self._receive()
            except TimeoutError:
                raise over(self._service, "seconds", "the request is too slow", 408) from None
            if message["type"] == "http.disconnect":
                raise Gone
            more = message.get("more_body", False)
            yield message.get("body", b"")

    async def body(self) -> bytes:
        """The whole body."""
        announced = self.headers.get(b"content-length", b"0")
        pieces, size = list[bytes](), int(announced)
        most = self._service.limits.body
        async for piece in self._pieces() if size <= most else _none():
            pieces.append(piece)
            size = max(size, sum(map(len, pieces)))
            if size > most:
                break
        if size > most:
            self.answer_headers[b"connection"] = b"close"
            raise over(self._service, "body", f"the request has {size:,} bytes or more", 413)
        return b"".join(pieces)

    async def send_part(self, part: bytes, *, more: bool) -> None:
        """Send a part of the answer."""
        await self.send({"type": "http.response.body", "body": part, "more_body": more})

    async def lines(self) -> AsyncIterator[list[bytes]]:
        """The lines of the body that are not empty, as they arrive, about a megabyte at a time."""
        rest = b""
        async for piece in self._pieces():
            rest += piece
            if len(rest) >= _PART and b"\n" in rest:
                whole, _, rest = rest.rpartition(b"\n")
                yield [line for line in whole.split(b"\n") if line.strip()]
            if len(rest) > self._service.limits.body:
                raise over(self._service, "body", "a line is longer", 413)
        yield [line for line in rest.split(b"\n") if line.strip()]


class _Results(Struct):
    results: list[msgspec.Raw]


_RESULTS = msgspec.json.Decoder(_Results)


async def _respond(
    send: Send, status: int, headers: Mapping[bytes, bytes], body: bytes, *, more: bool = False
) -> None:
    length = [] if more else [(b"content-length", b"%d" % len(body))]
    start = {"type": "http.response.start", "status": status}
    await send(start | {"headers": [*headers.items(), *length]})
    await send({"type": "http.response.body", "body": body, "more_body": more})


def _refusal(status: int, words: str) -> ASGIApp:
    """The answer to a request that nobody answers."""
    problem = Problem("not answered here", status, words)
    return Response(encode(problem), status, media_type=_PROBLEM.decode())


async def _none() -> AsyncIterator[bytes]:
    return
    yield b""


def _is_batch(body: bytes) -> bool:
    """Whether the body is a batch: an object whose first key is "examples"."""
    return body[:40].lstrip()[1:].lstrip().startswith(b'"examples"')


def _counts(served: Served) -> dict[str, Any]:
    protocol = served.protocol
    return {
        "asked": protocol.asked,
        "labelled": protocol.labelled,
        "mistakes": protocol.mistakes,
        "waiting": protocol.waiting,
    }


def _described(served: Served) -> dict[str, Any]:
    about = {"name": served.name, "etag": served.etag, "settings": served.settings}
    return about | _counts(served)


def _largest(served: Served, n: int) -> dict[str, Any]:
    """The largest weights, of each class if there are more than two."""
    weights = getattr(served.learner, "named_weights", {}) if served.protocol.labelled else {}
    many = isinstance(weights, dict) and bool(weights)
    each = weights if many else {"": weights}
    top = {
        label: heapq.nlargest(n, some.items(), key=lambda pair: (abs(pair[1]), pair[0]))
        for label, some in each.items()
    }
    return {"weights": top if many else top[""], "names": served.names}
