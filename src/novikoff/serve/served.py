"""One model of the service: what each kind of event does to its Protocol, and what it answers."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import msgspec
import numpy as np
from msgspec import Struct

from novikoff.estimators.base import LinearClassifier
from novikoff.estimators.saved import of_model, to_model
from novikoff.guarantees.summary import Summary
from novikoff.models.model import Model
from novikoff.online.delayed_labels import BadTicket, DriftWarning, Protocol
from novikoff.serve.journal import Event, Journal, Kept, Snapshot, Told
from novikoff.serve.settings import USUAL_WAITING, Settings
from novikoff.sources.read_options import ReadOptions
from novikoff.stream.input_problems import BadExample
from novikoff.stream.labels import MOST_CLASSES

Features: TypeAlias = dict[str, Any]
encode = msgspec.json.encode


class Predicted(Struct):
    """A prediction that waits for its label; `round` counts the predictions of the model.

    There is no ticket if the prediction could not be written.
    """

    ticket: str | None
    label: str | None
    score: float | None
    probability: float | None
    round: int


class Revealed(Struct):
    """Whether a prediction was wrong; `round` counts labels, `delay` the predictions since."""

    mistake: bool
    mistakes: int
    round: int
    delay: int


class Learned(Struct):
    """What was predicted for an example before it was learned from, and whether that was wrong."""

    label: str | None
    mistake: bool
    mistakes: int
    round: int


class Dropped(Struct):
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


class Failed(Struct):
    """An element of a batch without a result."""

    error: Problem


class Reply(Struct, omit_defaults=True):
    """How the results of an event become an answer.

    `refused` are elements of a batch that were not written, by their places. `key` is the client's,
    if it may send the request again, and `digest` that of the request.
    """

    is_batch: bool = False
    refused: dict[int, Failed] = {}
    key: str | None = None
    digest: bytes = b""

    def answer(self, results: list[Result]) -> Answer:
        """The status and the body; without a result there is nothing to say."""
        if self.refused:
            found = iter(results)
            places = range(len(results) + len(self.refused))
            results = [self.refused[k] if k in self.refused else next(found) for k in places]
        if self.is_batch:
            return 200, encode({"results": results})
        if not results:
            return 200, b""
        (one,) = results
        if isinstance(one, Failed):
            return one.error.status, encode(one.error)
        return 200, encode(one)


Answer: TypeAlias = tuple[int, bytes]
Result: TypeAlias = Predicted | Revealed | Learned | Dropped | Failed | msgspec.Raw
_ITEMS: dict[str, msgspec.json.Decoder[Any]] = {
    "predict": msgspec.json.Decoder(list[tuple[Features, str | None]]),
    "learn": msgspec.json.Decoder(list[tuple[Features, str]]),
    "reveal": msgspec.json.Decoder(list[tuple[int, str]]),
    "drop": msgspec.json.Decoder(list[int]),
}
_REPLY = msgspec.json.Decoder(Reply)
_MADE_OF = msgspec.json.Decoder(tuple[str, Settings, bytes])


def made_of(name: str, settings: Settings, start: bytes = b"") -> bytes:
    """What a model is made of: its name, settings, and the model file that it begins with, if any.

    The learner and the texts of the file replace those of the settings.
    """
    return encode((name, settings, start))


def name_of(about: bytes) -> str:
    """The name of the model that is made of this."""
    return _MADE_OF.decode(about)[0]


def failed(status: int, title: str, detail: str) -> Failed:
    """A problem of one element."""
    return Failed(Problem(title, status, detail))


def items_of(kind: str, body: bytes) -> Sequence[Any]:
    """The elements of an event."""
    items: Sequence[Any] = _ITEMS[kind].decode(body)
    return items


@contextmanager
def _file(content: bytes = b"") -> Iterator[Path]:
    """A file with this content, for what reads and writes files only."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "it")
        path.write_bytes(content)
        yield path


class Served:
    """A model that is served.

    Parameters
    ----------
    id
        The number of the event that made it.
    about
        What it is made of (`made_of`).
    state
        The file of its Protocol, if it has learned.

    Attributes
    ----------
    learned
        Is called with each example that is learned from, as the client sent it, and its label.
    """

    def __init__(self, id: int, about: bytes, state: bytes = b"") -> None:
        self.id, self.about = id, about
        self.name, self.settings, start = _MADE_OF.decode(about)
        self.learned: Callable[[Features, str], object] | None = None
        self._sent: dict[int, Features] = {}  # what waits, as it was sent, if `learned` wants it
        learner = self.settings.estimator()
        if start:
            learner, self.settings = _continued(start, self.settings)
        self.protocol = Protocol(
            learner,
            classes=None if start else self.settings.classes,
            probabilities=learner.gives_probabilities,
            window=self.settings.window,
        )
        self._text_rule, self._texts = self.settings.text_rule, self.settings.text
        if state:
            with _file(state) as path:
                self.protocol = Protocol.load(path)

    def snapshot(self, seq: int, chain: bytes) -> Snapshot | None:
        """The state as of an event; None if just one label has been seen, which no file holds."""
        if not self.protocol.asked:
            return Snapshot(self.id, seq, chain, self.about, b"")
        with _file() as path:
            try:
                self.protocol.save(path)
            except (AttributeError, ValueError):
                return None
            return Snapshot(self.id, seq, chain, self.about, path.read_bytes())

    @property
    def learner(self) -> LinearClassifier:
        """The estimator that learns."""
        learner = self.protocol.learner
        assert isinstance(learner, LinearClassifier)
        return learner

    def model_file(self) -> bytes:
        """The file that `train` writes of the same examples; ValueError before two labels."""
        try:
            model = to_model(self.learner)
        except AttributeError:
            raise ValueError("no label has been revealed yet") from None
        model.labels, model.parameters, rule = None, {}, self.settings.text_rule
        model.read_options = ReadOptions(text=tuple(self._texts), text_rule=rule).remembered(None)
        with _file() as path:
            model.save(path)
            return path.read_bytes()

    @property
    def names(self) -> int:
        """How many names of features the model has learned."""
        weights = getattr(self.learner, "_core", None)
        return 0 if weights is None else len(weights)

    @property
    def classes(self) -> int:
        """How many classes have weights of their own."""
        engine = self.learner._engine
        return 1 if engine is None or not self.settings.multiclass else len(engine.labels.coded)

    @property
    def etag(self) -> str:
        """What tells this model from others of the same name."""
        return f'"{self.id}"'

    def ticket(self, n: int) -> str:
        """How a client knows the n-th prediction of this model."""
        return f"{self.id}:{n}"

    # events

    def apply(self, event: Event, items: Sequence[Any], journal: Journal) -> list[Result]:
        """What the event does, and the result of each element.

        It depends on the events before and on nothing else; an error of an element changes nothing.
        """
        verbs: dict[str, Callable[[Any, int, Journal], Result]] = {
            "predict": self._predict,
            "learn": self._learn,
            "reveal": self._reveal,
            "drop": self._drop,
        }
        verb, out = verbs[event.kind], list[Result]()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DriftWarning)  # the summary says it
            for item in items:
                try:
                    out.append(verb(item, event.seq, journal))
                except BadTicket as error:
                    out.append(failed(404, "unknown ticket", str(error)))
                except BadExample as error:
                    out.append(failed(422, "bad example", error.without_cure))
                except (ValueError, TypeError) as error:
                    out.append(failed(422, "bad example", str(error)))
        if event.reply is not None:
            reply = _REPLY.decode(event.reply)
            assert reply.key is not None
            status, answer = reply.answer(out)
            kept = Kept(self.id, "key", reply.key, event.seq, reply.digest, status, answer)
            journal.keep(kept)
        return out

    def _predict(self, item: tuple[Features, str | None], seq: int, journal: Journal) -> Result:
        x, id = item
        digest = b""
        if id is not None:
            digest = hashlib.sha256(encode(x, order="deterministic")).digest()
            if (known := journal.kept(self.id, "id", id, seq)) is not None:
                if known.digest != digest:
                    words = f"the id {id!r} was used before, with other features"
                    return failed(409, "id used twice", words)
                return msgspec.Raw(known.answer)
        given, n = self._read(x), self.protocol.asked + 1
        if self.protocol.waiting >= (self.settings.max_waiting or USUAL_WAITING):
            self._end_oldest(seq, journal)
        ticket = self.protocol.ask(given, key=n, copy=False)
        if self.learned is not None:
            self._sent[n] = x
        out = Predicted(f"{self.id}:{n}", ticket.prediction, ticket.score, ticket.probability, n)
        if id is not None:
            journal.keep(Kept(self.id, "id", id, seq, digest, 200, encode(out)))
        return out

    def _learn(self, item: tuple[Features, str], seq: int, journal: Journal) -> Result:
        x, label = item
        self._check_class(label)
        before, n = self.protocol.asked, self.protocol.asked + 1
        ticket = self.protocol.ask(self._read(x), key=n, copy=False)
        try:
            right = self.protocol.tell(n, label)
        except Exception:
            self.protocol.drop(n)
            self.protocol.asked = before
            raise
        if self.learned is not None:
            self.learned(x, label)
        return Learned(ticket.prediction, not right, self.protocol.mistakes, self.protocol.labelled)

    def _reveal(self, item: tuple[int, str], seq: int, journal: Journal) -> Result:
        n, label = item
        self._check_class(label)
        try:
            told = self._tell(n, label, seq)
        except BadTicket:
            return self._ended(n, label, seq, journal)
        journal.end(told)
        return Revealed(told.mistake, told.mistakes, told.round, told.delay)

    def _tell(self, n: int, label: str, seq: int) -> Told:
        protocol = self.protocol
        right = protocol.tell(n, label)
        if self.learned is not None:
            self.learned(self._sent.pop(n), label)
        delay = protocol.asked - n
        made, rounds = protocol.mistakes, protocol.labelled
        return Told(self.id, n, seq, label, not right, made, rounds, delay)

    def _ended(self, n: int, label: str | None, seq: int, journal: Journal) -> Result:
        """The answer about a ticket that does not wait."""
        ticket, told = self.ticket(n), journal.told(self.id, n, seq)
        if not 1 <= n <= self.protocol.asked:
            return failed(404, "unknown ticket", f"there is no ticket {ticket}")
        if told is None:
            words = f"the label of ticket {ticket} is not known any more, or it never waited"
            return failed(410, "ticket is gone", words)
        if told.label is None:
            if label is None:
                return Dropped(ticket)
            return failed(410, "ticket is gone", f"ticket {ticket} was dropped")
        if told.label != label:
            words = f"ticket {ticket} was revealed before, with the label {told.label!r}"
            return failed(409, "label differs", words)
        return Revealed(bool(told.mistake), told.mistakes, told.round, told.delay)

    def _drop(self, n: int, seq: int, journal: Journal) -> Result:
        if n not in self.protocol:
            return self._ended(n, None, seq, journal)
        self._forget(n, seq, journal)
        return Dropped(self.ticket(n))

    def _forget(self, n: int, seq: int, journal: Journal) -> None:
        protocol = self.protocol
        protocol.drop(n)
        self._sent.pop(n, None)
        made, delay = protocol.mistakes, protocol.asked - n
        journal.end(Told(self.id, n, seq, None, False, made, protocol.labelled, delay))

    def _end_oldest(self, seq: int, journal: Journal) -> None:
        """End the wait of the oldest ticket, as the settings say."""
        oldest, label = self.protocol.oldest, self.settings.overdue_label
        assert oldest is not None
        n = int(oldest.id)
        try:
            if label is not None:
                journal.end(self._tell(n, label, seq))
                return
        except (ValueError, TypeError):  # it cannot be learned from
            pass
        self._forget(n, seq, journal)

    def _check_class(self, label: str) -> None:
        if not self.settings.multiclass:
            return
        engine = self.learner._engine
        known = () if engine is None else engine.labels.coded
        most, named = self.settings.max_classes or MOST_CLASSES, self.settings.classes
        if label not in known and (len(known) >= most or label not in (named or [label])):
            limit = f"it would be class {most + 1:,}" if len(known) >= most else "others are named"
            raise BadExample(f"label {label!r} is not one of the classes, and {limit}")

    def _read(self, x: Features) -> Features:
        """The features of an example, with the words of its texts in place of these."""
        for key in self._texts:
            if (text := x.get(key)) is None:
                continue
            if not isinstance(text, str):
                raise BadExample(f"feature {key!r} must be a text")
            content = np.frombuffer(text.encode(), dtype=np.uint8)
            starts = np.array([0, len(content)], dtype=np.int64)
            rows, names = self._text_rule.rows(content, starts, key)
            x = {name: value for name, value in x.items() if name != key}
            texts = [name.decode() for name in names]
            pairs = zip(rows.indices.tolist(), rows.values.tolist(), strict=True)
            x |= {texts[j]: value for j, value in pairs}
        return x

    # what is known

    def summary(self) -> dict[str, Any]:
        """Counts, curve, drift and the bound on the risk, as JSON takes them."""
        protocol = self.protocol
        labelled = protocol.labelled
        risk = protocol.risk_bound() if labelled else None
        return {
            "name": self.name,
            "settings": self.settings,
            "asked": protocol.asked,
            "labelled": labelled,
            "mistakes": protocol.mistakes,
            "error_rate": protocol.error_rate if labelled else None,
            "recent_error_rate": protocol.recent_error_rate if labelled else None,
            "waiting": protocol.waiting,
            "dropped": protocol.dropped,
            "drift": None if protocol.drift is None else asdict(protocol.drift),
            "risk_bound": None if risk is None else risk.value,
            "curve": protocol.curve,
        }

    def bound(self) -> dict[str, Any]:
        """The mistake bound of the theorem for this run, or why there is none."""
        if not self.protocol.labelled:
            return {"bound": None, "no_bound": "no label has been revealed yet"}
        found = self.learner.summary()
        if not isinstance(found, Summary):
            return {"bound": None, "no_bound": "each class has a run of its own"}
        bound = found.bound
        why = found.unknown.get("bound")
        return {"bound": None if bound is None else bound.bound, "no_bound": why}

    def only_predict(self, items: Sequence[tuple[Features, str | None]]) -> list[Result]:
        """Predictions that nothing remembers, so without tickets."""
        out = list[Result]()
        for x, _ in items:
            try:
                given = self._read(x)
                label, score = self.learner.predict_one(given), self.learner.decision_one(given)
                shown = score if isinstance(score, float) else score[label]
                out.append(Predicted(None, label, shown, None, self.protocol.asked))
            except (ValueError, TypeError) as error:
                out.append(failed(422, "bad example", str(error)))
        return out


_NOT_CONTINUED = (
    "the service continues models of named features, or of words, as they are: train it on JSON "
    "lines or Vowpal Wabbit's format with --stream, which neither standardises nor reads ahead"
)


def _continued(start: bytes, settings: Settings) -> tuple[LinearClassifier, Settings]:
    """The estimator of a model file, with labels as texts, and the settings that it shows."""
    with _file(start) as path:
        model = Model.load(path)
        options = model.read_options
        rule, words = options.get("text_rule", {}), options.get("words", [])
        if options and options != ReadOptions().following(options).remembered(None):
            raise BadExample(_NOT_CONTINUED)
        model.labels, model.read_options, model.parameters = model.classes, {}, {}
        learner = of_model(model)
    if learner._reader is not None or model.features.kind != "names":
        raise BadExample(_NOT_CONTINUED)
    shown = {
        "learner": model.kind,
        "bias": model.learner.bias,
        "hash_bits": model.features.hash_bits,
        "multiclass": model.is_joint,
        "ledger": model.ledger.keep == "examples" and model.kind != "voted",
        "text": words,
        **{f"text_{name}": value for name, value in rule.items()},
    }
    for name in ("margin", "regularisation", "alpha", "threshold"):
        value = getattr(model.learner, name, None)
        shown[name] = value if value or name == "regularisation" else None
    return learner, msgspec.structs.replace(settings, **shown)
