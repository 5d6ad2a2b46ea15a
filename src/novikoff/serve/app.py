"""The HTTP of the service: who may ask, what becomes work for the journal's thread, and metrics."""

from __future__ import annotations

import asyncio
import hashlib
import heapq
import hmac
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import msgspec
from prometheus_client import CollectorRegistry, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from novikoff import __version__
from novikoff.serve import messages as m
from novikoff.serve.messages import Answer, Failed, Problem, Refusal, encode, over
from novikoff.serve.served import Reply, Served, made_of, said
from novikoff.serve.service import Service, Unavailable, Work, deliver
from novikoff.serve.settings import Settings, checked
from novikoff.show.web.guard import LOOPBACK, Guard
from novikoff.storage.file_format import BadModel

STATIC = Path(__file__).parent / "static"
ROLES = ("predict", "reveal", "admin")
NDJSON = b"application/x-ndjson"
_JSON, _PROBLEM = "application/json", "application/problem+json"
_PART = 1 << 20  # bytes of a stream of lines that are answered together
_SENT = 0, b""  # the answer has been sent already
_NUMBERS: dict[str, tuple[str, Callable[[Served], float | None]]] = {
    "predictions": ("Predictions made.", lambda one: one.protocol.asked),
    "reveals": ("Labels received.", lambda one: one.protocol.labelled),
    "mistakes": ("Predictions whose label differed.", lambda one: one.protocol.mistakes),
    "dropped": ("Predictions whose label will not come.", lambda one: one.protocol.dropped),
    "waiting": ("Predictions that wait for their labels.", lambda one: one.protocol.waiting),
    "recent_error_ratio": ("Recent mistakes.", lambda one: one.protocol.recent_error_rate),
    "drift_labels": (
        "Labels after which the error rate last rose.",
        lambda one: one.protocol.drift.labelled if one.protocol.drift else None,
    ),
    "label_shift_ratio": ("Change of the predicted labels.", lambda one: one.label_shift),
}


class Request:
    """One request: its headers and body, which is read within the limits; headers of the answer."""

    def __init__(self, service: Service, scope: Scope, receive: Receive, send: Send) -> None:
        self._limits, self._receive, self.send = service.limits, receive, send
        self.method, self.headers = scope["method"], dict(scope["headers"])
        self.name: str = scope.get("path_params", {}).get("name", "")
        self.path, self.query = scope["path"], scope["query_string"]
        self.answer_headers: dict[bytes, bytes] = {}

    async def _pieces(self) -> AsyncIterator[bytes]:
        """The body piece by piece; Refusal if the client takes too long."""
        more = True
        while more:
            try:
                async with asyncio.timeout(self._limits.max_seconds):
                    message = await self._receive()
            except TimeoutError:
                words = "the request is too slow"
                raise Refusal(over(self._limits, "max_seconds", words, 408)) from None
            if message["type"] == "http.disconnect":
                raise ClientDisconnect
            more = message.get("more_body", False)
            yield message.get("body", b"")

    async def body(self) -> bytes:
        """The whole body."""
        size, pieces = int(self.headers.get(b"content-length", b"0")), list[bytes]()
        if size <= self._limits.max_body:
            size = 0
            async for piece in self._pieces():
                pieces.append(piece)
                size += len(piece)
                if size > self._limits.max_body:
                    break
        if size > self._limits.max_body:
            problem = over(self._limits, "max_body", f"the request has {size:,} bytes or more", 413)
            raise Refusal(problem, {b"connection": b"close"})
        return b"".join(pieces)

    async def lines(self) -> AsyncIterator[list[bytes]]:
        """The lines of the body that are not empty, as they arrive, about a megabyte at a time."""
        rest = b""
        async for piece in self._pieces():
            rest += piece
            if len(rest) >= _PART and b"\n" in rest:
                whole, _, rest = rest.rpartition(b"\n")
                yield [line for line in whole.split(b"\n") if line.strip()]
            if len(rest) > self._limits.max_body:
                raise Refusal(over(self._limits, "max_body", "a line is longer", 413))
        yield [line for line in rest.split(b"\n") if line.strip()]

    async def begin(self, status: int, headers: dict[bytes, bytes]) -> None:
        """Send the head of the answer."""
        start = {"type": "http.response.start", "status": status, "headers": [*headers.items()]}
        await self.send(start)

    async def send_part(self, part: bytes, *, more: bool = True) -> None:
        """Send a part of the answer."""
        await self.send({"type": "http.response.body", "body": part, "more_body": more})


class Tokens:
    """The tokens of a file, one on each line: a role and a token of at least 16 characters.

    An admin may do everything, and any token reads summaries and metrics. Without a file, everybody
    may do everything. Tokens are compared in constant time.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._tokens: list[tuple[str, bytes]] | None = None
        if file is None:
            return
        self._tokens = []
        for number, line in enumerate(file.read_text().splitlines(), 1):
            words = line.split()
            if not words or words[0].startswith("#"):
                continue
            if len(words) != 2 or words[0] not in ROLES or len(words[1]) < 16:
                raise ValueError(
                    f"{file}:{number}: write a role ({', '.join(ROLES)}) and a token of at least "
                    "16 characters"
                )
            self._tokens.append((words[0], words[1].encode()))
        if not self._tokens:
            raise ValueError(f"{file}: there is no token")

    def check(self, header: bytes, roles: Sequence[str]) -> None:
        """Refuse a request whose Authorization header has an unknown token, or one for others."""
        if self._tokens is None:
            return
        scheme, _, given = header.partition(b" ")
        found = set[str]()
        for role, token in self._tokens:  # all of them, whichever matches
            if hmac.compare_digest(token, given) and scheme.lower() == b"bearer":
                found.add(role)
        if not found:
            problem = Problem("unknown token", 401, "send Authorization: Bearer TOKEN")
            raise Refusal(problem, {b"www-authenticate": b"Bearer"})
        if not found & {*roles, "admin"}:
            words = f"this needs a token for {' or '.join(roles)}"
            raise Refusal(Problem("not allowed", 403, words))


class Metrics:
    """What `/metrics` answers."""

    def __init__(self, service: Service) -> None:
        self._service, self.registry = service, CollectorRegistry()
        seconds = Histogram(
            "novikoff_commit_seconds",
            "Time until a group of requests was on disk.",
            registry=self.registry,
            buckets=(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5),
        )
        service.observe = seconds.observe
        self.registry.register(self)

    def collect(self) -> Iterator[Metric]:
        """The current numbers."""
        service, prefix = self._service, "novikoff_"
        about = {"version": __version__, "sqlite": sqlite3.sqlite_version}
        yield InfoMetricFamily("novikoff", "Versions.", about)
        for name, (help, number) in _NUMBERS.items():
            grows = name in ("predictions", "reveals", "mistakes", "dropped")
            kind = CounterMetricFamily if grows else GaugeMetricFamily
            family = kind(prefix + name, help, labels=["model"])
            for model, served in [*service.models.items()]:
                if (found := number(served)) is not None:
                    family.add_metric([model], found)
            yield family
        for name, help, value in (
            ("journal_bytes", "Size of the journal.", service.journal.bytes),
            ("journal_events", "Events in the journal.", service.journal.seq),
            ("journal_writable", "Whether the last attempt to write succeeded.", not service.fault),
            ("queued_requests", "Requests that wait for the disk.", service.queued),
            ("replay_seconds", "Time that the start took.", service.replay_seconds),
        ):
            yield GaugeMetricFamily(prefix + name, help, value=float(value))


class App:
    """The requests of the service, as a web application (`asgi`).

    Pages of hosts other than `names`, at this port, are refused. If `unjournalled`, predictions go
    on, without tickets, while nothing can be written.
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
        self._limits, self._metrics = service.limits, Metrics(service)
        self._in_flight: set[tuple[int, str]] = set()
        self._bounds: dict[int, tuple[int, dict[str, Any]]] = {}
        of: Callable[..., ASGIApp] = self._endpoint
        self._routes: dict[str, dict[str, ASGIApp]] = {
            "*": {
                "GET": of(self._get, "any"),
                "PUT": of(self._create, "admin"),
                "POST": of(self._create, "admin"),
                "DELETE": of(self._delete, "admin"),
            },
            "/v1/models": {"GET": of(self._list, "any")},
            "/livez": {"GET": Response(b'{"status":"live"}', media_type=_JSON)},
            "/readyz": {"GET": of(self._ready, None)},
            "/openapi.json": {"GET": Response(encode(m.schema()), media_type=_JSON)},
            "/metrics": {"GET": of(self._scrape, "any")},
            "*/summary": {"GET": of(self._summary, "any")},
            "*/explain": {"GET": of(self._explain, "any")},
            "*/weights": {"GET": of(self._weights, "admin")},
            "*/model": {"GET": of(self._model, "admin")},
        }
        for verb, about in m.VERBS.items():
            self._routes[f"*/{verb}"] = {"POST": of(partial(self._verb, verb), about.role)}
        self._files = StaticFiles(directory=STATIC, html=True)
        self.asgi: ASGIApp = Guard(self._dispatch, names, port, _nobody)

    async def _dispatch(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Find who answers: this is what a router does, in a tenth of the time."""
        if scope["type"] == "lifespan":
            await self._live_and_die(receive, send)
            return
        path: str = scope["path"]
        if path.startswith("/v1/models/"):  # a name may have a slash, as %2F
            raw = scope["raw_path"].decode("latin-1").removeprefix("/v1/models/")
            name, mark, verb = raw.partition("/")
            scope["path_params"], path = {"name": unquote(name)}, f"*{mark}{verb}"
        if (methods := self._routes.get(path)) is not None:
            app = methods.get(scope["method"]) or _nobody(405, f"allowed: {', '.join(methods)}")
            await app(scope, receive, send)
            return
        try:
            await self._files(scope, receive, send)
        except HTTPException as error:
            await _nobody(error.status_code, "there is nothing here")(scope, receive, send)

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
            request = Request(self._service, scope, receive, send)
            headers = request.answer_headers
            try:
                if role is not None:
                    self._tokens.check(request.headers.get(b"authorization", b""), roles)
                status, body = await answer(request)
            except Refusal as error:
                status, body = error.problem.answer
                headers |= error.headers
            except msgspec.MsgspecError as error:
                status, body = Problem("bad request", 400, str(error)).answer
            except (BadModel, ValueError) as error:
                status, body = Problem("bad request", 422, said(error)).answer
            except ClientDisconnect:
                return
            if (status, body) != _SENT:
                kind = _PROBLEM if status >= 400 else _JSON
                headers.setdefault(b"content-type", kind.encode())
                headers[b"content-length"] = b"%d" % len(body)
                await request.begin(status, headers)
                await request.send_part(body, more=False)

        return endpoint

    def _served(self, request: Request) -> Served:
        served = self._service.models.get(request.name)
        if served is None:
            raise Refusal(Problem("unknown model", 404, f"there is no model {request.name!r}"))
        return served

    async def _do(self, work: Work) -> Any:
        work.done = asyncio.get_running_loop().create_future()
        return await self._service.submit(work)

    async def _of(self, served: Served, ask: Callable[[Served], Any]) -> Any:
        """What `ask` finds in the model, in turn with its events."""
        return await self._do(Work(served.name, "ask", ask=ask))

    # examples

    async def _verb(self, verb: str, request: Request) -> Answer:
        served = self._served(request)
        key = request.headers.get(b"idempotency-key", b"").decode("latin-1")
        if request.headers.get(b"content-type", b"").partition(b";")[0].strip() == NDJSON:
            if key:
                words = "a stream of lines has no key; send a batch"
                raise Refusal(Problem("bad request", 422, words))
            return await self._lines(verb, served, request)
        body = await request.body()
        if not key:
            return await self._apply(verb, served, body)
        if len(key) > self._limits.max_name:
            raise Refusal(over(self._limits, "max_name", "the Idempotency-Key is longer"))
        mark = served.id, key
        if mark in self._in_flight:
            words = f"the request with the key {key!r} is not answered yet"
            raise Refusal(Problem("in progress", 409, words))
        self._in_flight.add(mark)
        try:
            digest = hashlib.sha256(verb.encode() + b"\0" + body).digest()
            return await self._apply(verb, served, body, Reply(key=key, digest=digest))
        finally:
            self._in_flight.remove(mark)

    async def _apply(
        self,
        verb: str,
        served: Served,
        body: bytes,
        reply: Reply | None = None,
        form: m.Form | None = None,
    ) -> Answer:
        """The answer to the elements of a body; what exceeds a limit is not done."""
        as_sent, items = m.elements(verb, body)
        form = form or as_sent
        if len(items) > self._limits.max_batch:
            words = f"there are {len(items):,} elements"
            raise Refusal(over(self._limits, "max_batch", words, 413))
        if isinstance(items, m.Objects) and self._too_large(served, items.most, items.longest):
            items = items.examples()
        refused, bad = dict[int, Failed](), 0
        for k, one in enumerate(() if isinstance(items, m.Objects) else items):
            if type(one) is Failed:
                bad += 1
            elif verb in ("predict", "learn") and (problem := self._excess(served, one)):
                refused[k] = Failed(problem)
        if refused:
            reply = msgspec.structs.replace(reply or Reply(), refused=refused)
        if bad + len(refused) == len(items) and (reply is None or reply.key is None):
            return m.answered(form, [refused.get(k, one) for k, one in enumerate(items)])
        try:
            answer: Answer = await self._do(Work(served.name, verb, body, form, items, reply))
            return answer
        except Unavailable:
            if not (self._unjournalled and verb == "predict") or refused or bad:
                raise
            return m.answered(form, await asyncio.to_thread(served.only_predict, items))

    def _excess(self, served: Served, one: m.Example | m.Labelled) -> Problem | None:
        """The limit that an element exceeds, if there is one."""
        id = one.id if type(one) is m.Example else None
        if id is not None and not 0 < len(id) <= self._limits.max_name:
            return over(self._limits, "max_name", f"the id has {len(id):,} characters")
        longest = max((len(name.encode()) for name in one.features or ()), default=0)
        return self._too_large(served, len(one.features or ()), longest)

    def _too_large(self, served: Served, features: int, longest: int) -> Problem | None:
        """The limit that so many features, or the bytes of the longest name, exceed."""
        is_open = bool(features) and served.settings.hash_bits is None
        names, words = served.names + features, "the model has almost as many; use hash_bits"
        many = len(served.classes) if served.settings.multiclass else 0
        for limit, size, about in (
            ("max_features", features, f"the example has {features:,} features"),
            ("max_name", longest, f"a name has {longest:,} bytes"),
            ("max_names", names * is_open, words),
            ("max_weights", names * many * is_open, words),
        ):
            if size > getattr(self._limits, limit):
                return over(self._limits, limit, about)
        return None

    async def _lines(self, verb: str, served: Served, request: Request) -> Answer:
        """Answer a stream of lines in order, part by part, with a line each."""
        await request.begin(200, {b"content-type": NDJSON})
        most = self._limits.max_batch
        try:
            async for lines in request.lines():
                each = [line if _is_json(line) else b"null" for line in lines]
                for k in range(0, len(each), most):
                    body = b'{"examples":[%s]}' % b",".join(each[k : k + most])
                    _, found = await self._apply(verb, served, body, form="lines")
                    await request.send_part(found)
        except Refusal as error:  # nothing after this has an answer
            await request.send_part(encode(Failed(error.problem)) + b"\n")
        await request.send_part(b"", more=False)
        return _SENT

    # models

    async def _list(self, request: Request) -> Answer:
        found = [{"name": name, **one.counts} for name, one in [*self._service.models.items()]]
        return 200, encode({"models": found})

    async def _get(self, request: Request) -> Answer:
        served = self._served(request)
        request.answer_headers[b"etag"] = served.etag.encode()
        return 200, encode(_described(served))

    async def _create(self, request: Request) -> Answer:
        """Make a model of settings (PUT), or of a model file (POST)."""
        name, limits, body = request.name, self._limits, await request.body()
        if not 0 < len(name) <= 100 or not name.isprintable():
            words = "a model's name has 1 to 100 printable characters"
            raise Refusal(Problem("bad name", 422, words))
        start = body if request.method == "POST" else b""
        if request.method == "POST" and not body:
            raise BadModel("the request has no model file")
        try:
            given = Settings() if start or not body else msgspec.json.decode(body, type=Settings)
            settings = checked(given, limits)
        except msgspec.MsgspecError as error:
            raise Refusal(Problem("bad settings", 422, str(error))) from None
        for limit in ("max_waiting", "max_classes"):
            if getattr(settings, limit) > getattr(limits, limit):
                raise Refusal(over(limits, limit, f"{limit} is more"))
        classes = settings.max_classes if settings.multiclass else 1
        if (classes or 1) << (settings.hash_bits or 0) > limits.max_weights:
            raise Refusal(over(limits, "max_weights", "2^hash_bits for each class are more"))
        about = made_of(name, settings, start)
        if start:
            await asyncio.to_thread(Served, 0, about)  # a bad file is refused before it is written
        known = self._service.models.get(name)
        if known is not None and known.about == about:
            return 200, encode(_described(known))
        status, answer = await self._do(Work(name, "create", about))
        if status >= 400:
            return status, answer
        request.answer_headers[b"location"] = request.path.encode()
        return 201, encode(_described(self._served(request)))

    async def _delete(self, request: Request) -> Answer:
        served, tag = self._served(request), request.headers.get(b"if-match")
        if tag is None:
            words = f"send If-Match: {served.etag}, so that no other model of this name is deleted"
            raise Refusal(Problem("If-Match is missing", 428, words))
        if tag.decode("latin-1") != served.etag:
            words = f"the ETag of {served.name!r} is {served.etag}"
            raise Refusal(Problem("another model", 412, words))
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
        served, n = self._served(request), QueryParams(request.query).get("n", "100")
        if not n.isdecimal() or not 0 < int(n[:9]) <= self._limits.max_batch:
            raise Refusal(over(self._limits, "max_batch", f"n is {n}"))
        return 200, encode(await asyncio.to_thread(_largest, served, int(n)))

    async def _explain(self, request: Request) -> Answer:
        ticket = QueryParams(request.query).get("ticket", "")
        return 200, encode(await self._of(self._served(request), lambda one: one.explain(ticket)))

    async def _model(self, request: Request) -> Answer:
        try:
            content: bytes = await self._of(self._served(request), Served.model_file)
        except ValueError as error:
            raise Refusal(Problem("no model yet", 409, str(error))) from None
        tag = f'"{hashlib.sha256(content).hexdigest()}"'.encode()
        request.answer_headers |= {b"content-type": b"application/octet-stream", b"etag": tag}
        return (304, b"") if request.headers.get(b"if-none-match") == tag else (200, content)

    async def _ready(self, _request: Request) -> Answer:
        work = Work("", "probe", ask=self._service.probe)
        if (fault := await self._do(work)) is not None:
            raise Unavailable(f"the journal cannot be written: {fault}")
        return 200, b'{"status":"ready"}'

    async def _scrape(self, request: Request) -> Answer:
        request.answer_headers[b"content-type"] = CONTENT_TYPE_PLAIN_0_0_4.encode()
        return 200, generate_latest(self._metrics.registry)


def _nobody(status: int, words: str) -> ASGIApp:
    """The answer to a request that nobody answers."""
    _, body = Problem("not answered here", status, words).answer
    return Response(body, status, media_type=_PROBLEM)


def _is_json(line: bytes) -> bool:
    try:
        msgspec.json.decode(line, type=msgspec.Raw)
    except msgspec.MsgspecError:
        return False
    return True


def _described(served: Served) -> dict[str, Any]:
    about = {"name": served.name, "etag": served.etag, "settings": served.settings}
    return about | served.counts


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
