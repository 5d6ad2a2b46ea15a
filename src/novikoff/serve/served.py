"""One model of the service: what each kind of event does to its Protocol, and what it answers."""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from io import BytesIO
from typing import Any, cast

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.json import decode

from novikoff.estimators.base import LinearClassifier
from novikoff.estimators.saved import of_model, to_model
from novikoff.guarantees.known import Summary
from novikoff.models.explanation import Explanation
from novikoff.models.model import Model
from novikoff.online.delayed_labels import BadTicket, Protocol
from novikoff.serve import messages as m
from novikoff.serve.journal import End, Event, Journal, Kept, Snapshot
from novikoff.serve.messages import Failed, Features, Form, Result, answered, encode, failed
from novikoff.serve.settings import USUAL_WAITING, Settings, label_text
from novikoff.sources.interactions import ALL
from novikoff.sources.read_options import ReadOptions
from novikoff.stream.input_problems import BadExample, Problem
from novikoff.stream.labels import MOST_CLASSES

# What a client can do about a problem.
CURES = {
    Problem.TWO_LABELS_ONLY: "choose perceptron, margin, averaged, voted or adaptive",
    Problem.UNKNOWN_FEATURE_COUNT: 'set "threshold" or "hash_bits"',
}


class Reply(Struct, omit_defaults=True):
    """What the journal holds of a request besides its body, so that it is answered alike again.

    `refused` are elements that exceed limits, by their places. `key` is the client's, if it may
    send the request again, and `digest` that of the request.
    """

    refused: dict[int, Failed] = {}
    key: str | None = None
    digest: bytes = b""


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


def said(error: Exception) -> str:
    """What is wrong, and what a client can do about it."""
    return error.with_cure(CURES) if isinstance(error, BadExample) else str(error)


class Served:
    """A model that is served: made of `about` (`made_of`) by event `id`; `state` is its Protocol's.

    `learned` is called with each example that is learned from, as the client sent it, its label and
    weight. `label_shift` says how much the shares of labels among the last `window` predictions
    differ from those of all before since the start: half the sum of the differences, from 0 to 1.
    It is None at first.
    """

    def __init__(self, id: int, about: bytes, state: bytes = b"") -> None:
        self.id, self.about, self._prefix = id, about, f"{id}:"
        self.name, self.settings, start = _MADE_OF.decode(about)
        self.learned: Callable[[Features, str, float], object] | None = None
        self._sent: dict[int, Features] = {}  # what waits, as it was sent, if `learned` wants it
        self.label_shift: float | None = None
        self._recent, self._before = Counter[str](), Counter[str]()  # predicted labels
        if start:
            learner, self.settings = _continued(start, self.settings)
        else:
            learner = self.settings.estimator()
        self._most_waiting = self.settings.max_waiting or USUAL_WAITING
        self.protocol = Protocol(
            learner,
            classes=None if start else self.settings.classes,
            probabilities=learner.gives_probabilities,
            window=self.settings.window,
        )
        # what reads the examples of a model, if something must, knows its texts and factors
        is_plain = learner._reader is None
        self._texts = self.settings.text if is_plain else []
        self._factors = self.settings.class_weight if is_plain else {}
        if state:
            self.protocol = Protocol.load(BytesIO(state))
        self.learner = cast(LinearClassifier, self.protocol.learner)

    def snapshot(self, seq: int, chain: bytes) -> Snapshot:
        """The state as of an event."""
        state = BytesIO()
        if self.protocol.asked:
            self.protocol.save(state)
        return Snapshot(self.id, seq, chain, self.about, state.getvalue())

    def model_file(self) -> bytes:
        """The file that `train` writes of the same examples; ValueError before the first label."""
        if not self.learner.__sklearn_is_fitted__():
            raise ValueError("no label has been revealed yet")
        model = to_model(self.learner)
        model.labels, model.parameters = None, {}
        model.read_options = model.read_options or self.settings.read_options.remembered(None)
        model.save(file := BytesIO())
        return file.getvalue()

    @property
    def names(self) -> int:
        """How many names of features the model has learned."""
        if (reader := self.learner._reader) is not None:
            return reader.features.dim
        weights = getattr(self.learner, "_core", None)
        return 0 if weights is None else len(weights)

    @property
    def classes(self) -> Mapping[str, int]:
        """The labels that have been met; of more than two, each has weights of its own."""
        engine = self.learner._engine
        return {} if engine is None else engine.labels.coded

    @property
    def counts(self) -> dict[str, int]:
        """How many predictions were asked, labelled, wrong, and how many wait."""
        names = ("asked", "labelled", "mistakes", "waiting")
        return {name: getattr(self.protocol, name) for name in names}

    @property
    def etag(self) -> str:
        """What tells this model from others of the same name."""
        return f'"{self.id}"'

    # events

    def apply(self, event: Event, form: Form, items: Sequence[Any], journal: Journal) -> m.Answer:
        """Do what the event says to its elements, and answer.

        It depends on the events before and on nothing else; an error of an element changes nothing.
        """
        reply = Reply() if event.reply is None else _REPLY.decode(event.reply)
        if isinstance(items, m.Objects) and (reply.refused or not self._takes(items)):
            items = items.examples()
        refused = {k: one for k, one in enumerate(items) if type(one) is Failed} | reply.refused
        good = [one for k, one in enumerate(items) if k not in refused] if refused else items
        self._seq, self._journal = event.seq, journal
        found = self._all_at_once(event.kind, good) or self._one_by_one(event.kind, good)
        if refused:
            rest = iter(found)
            found = [refused[k] if k in refused else next(rest) for k in range(len(items))]
        status, body = answered(form, found)
        if (key := reply.key) is not None:
            journal.keep(Kept(self.id, "key", key, event.seq, reply.digest, status, body))
        return status, body

    def _one_by_one(self, kind: str, sent: Sequence[Any]) -> list[Result]:
        verb: Callable[[Any], Result] = getattr(self, f"_{kind}")  # _predict, _learn, ...
        out = list[Result]()
        for one in sent.examples() if isinstance(sent, m.Objects) else sent:
            try:
                out.append(verb(one))
            except BadTicket as error:
                out.append(failed(404, "unknown ticket", str(error)))
            except (ValueError, TypeError) as error:
                out.append(failed(422, "bad example", said(error)))
        return out

    def _all_at_once(self, kind: str, sent: Sequence[Any]) -> list[Result] | None:
        """The results of a batch that needs no look at single elements; None of others."""
        with suppress(TypeError, ValueError):  # one is bad: they are taken one by one
            if len(sent) > 1 and kind == "predict" and self.learned is None:
                return self._predict_all(sent)
            if len(sent) > 1 and kind == "reveal" and self.learned is None and not self._factors:
                return self._reveal_all(sent)
        return None

    def _predict_all(self, sent: m.Objects | Sequence[m.Example]) -> list[Result] | None:
        if len(sent) > self._most_waiting - self.protocol.waiting:
            return None
        if not isinstance(sent, m.Objects) and any(one.id for one in sent):
            return None
        first = self.protocol.asked + 1
        given = sent if isinstance(sent, m.Objects) else [self._read(one) for one in sent]
        numbers = range(first, first + len(sent))
        tickets = self.protocol.ask_many(given, numbers)
        labels, *rest = ([one[k] for one in tickets] for k in (1, 2, 3))
        self._watch(labels)
        names = [f"{self._prefix}{n}" for n in numbers]
        return [*map(m.Predicted, names, labels, *rest, numbers)]

    def _predict(self, one: m.Example) -> Result:
        digest = b""
        if one.id is not None:
            x = one.features if one.text is None else {"text": one.text}
            digest = hashlib.sha256(encode(x, order="deterministic")).digest()
            if (known := self._journal.kept(self.id, "id", one.id, self._seq)) is not None:
                if known.digest != digest:
                    words = f"the id {one.id!r} was used before, with other features"
                    return failed(409, "id used twice", words)
                return msgspec.Raw(known.answer)
        given, n = self._read(one), self.protocol.asked + 1
        if self.protocol.waiting >= self._most_waiting:
            self._end_oldest()
        _, label, score, chance = self.protocol.ask(given, key=n, copy=False)
        self._watch([label])
        if self.learned is not None:
            self._sent[n] = _features(one)
        out = m.Predicted(f"{self._prefix}{n}", label, score, chance, n)
        if one.id is not None:
            self._journal.keep(Kept(self.id, "id", one.id, self._seq, digest, 200, encode(out)))
        return out

    def _watch(self, predicted: Sequence[Any]) -> None:
        """Count predicted labels, and compare a whole window of them with all before."""
        self._recent.update(label for label in predicted if label is not None)
        recent, n = self._recent, self._recent.total()
        if n < self.settings.window:
            return
        if before := self._before.total():
            shares = (recent[y] / n - self._before[y] / before for y in recent | self._before)
            self.label_shift = math.fsum(map(abs, shares)) / 2
        self._before += recent
        self._recent = Counter()

    def _learn(self, one: m.Labelled) -> Result:
        protocol, label = self.protocol, self._checked(label_text(one.label))
        weight, before, n = self._weight(one.weight, label), protocol.asked, protocol.asked + 1
        ticket = protocol.ask(self._read(one), key=n, copy=False)
        try:
            right = protocol.tell(n, label, weight=weight)
        except Exception:
            protocol.drop(n)
            protocol.asked = before
            raise
        if self.learned is not None:
            self.learned(_features(one), label, 1.0 if one.weight is None else one.weight)
        return m.Learned(ticket.prediction, not right, protocol.mistakes, protocol.labelled)

    def _reveal_all(self, sent: Sequence[m.Reveal]) -> list[Result] | None:
        protocol, cut = self.protocol, len(self._prefix)
        numbers = [int(one.ticket[cut:]) for one in sent]
        labels = dict(zip(numbers, [label_text(one.label) for one in sent], strict=True))
        is_plain = len(labels) == len(sent) and all(one.weight is None for one in sent)
        is_plain &= [f"{self._prefix}{n}" for n in numbers] == [one.ticket for one in sent]
        if not (is_plain and self.classes.keys() >= {*labels.values()}):
            return None
        mistakes, rounds, asked = protocol.mistakes, protocol.labelled, protocol.asked
        out, ends = list[Result](), dict[int, End]()
        for (n, label), right in zip(labels.items(), protocol.tell_many(labels), strict=True):
            if isinstance(right, Exception):
                out.append(failed(422, "bad example", said(right)))
                continue
            rounds, mistakes = rounds + 1, mistakes + (not right)
            one = m.Revealed(not right, mistakes, rounds, asked - n)
            out.append(one)
            ends[n] = label, one
        self._journal.end(self.id, self._seq, ends)
        return out

    def _reveal(self, one: m.Reveal) -> Result:
        n, label = self._number(one.ticket), self._checked(label_text(one.label))
        return self._tell(n, label, one.weight) if n in self.protocol else self._ended(n, label)

    def _tell(self, n: int, label: str, given: float | None = None) -> Result:
        protocol = self.protocol
        right = protocol.tell(n, label, weight=self._weight(given, label))
        if self.learned is not None:
            self.learned(self._sent.pop(n), label, 1.0 if given is None else given)
        out = m.Revealed(not right, protocol.mistakes, protocol.labelled, protocol.asked - n)
        self._journal.end(self.id, self._seq, {n: (label, out)})
        return out

    def _ended(self, n: int, label: str | None) -> Result:
        """The answer about a ticket that does not wait."""
        ticket, told = f"{self._prefix}{n}", self._journal.told(self.id, n, self._seq)
        if not 1 <= n <= self.protocol.asked:
            return failed(404, "unknown ticket", f"there is no ticket {ticket}")
        if told is None:
            words = f"the label of ticket {ticket} is not known any more, or it never waited"
            return failed(410, "ticket is gone", words)
        if told[0] == label:
            return m.Dropped(ticket) if label is None else told[1]
        if told[0] is None:
            return failed(410, "ticket is gone", f"ticket {ticket} was dropped")
        words = f"ticket {ticket} was revealed before, with the label {told[0]!r}"
        return failed(409, "label differs", words)

    def _drop(self, one: m.Drop) -> Result:
        if (n := self._number(one.ticket)) not in self.protocol:
            return self._ended(n, None)
        self._forget(n)
        return m.Dropped(one.ticket)

    def _forget(self, n: int) -> None:
        self.protocol.drop(n)
        self._sent.pop(n, None)
        self._journal.end(self.id, self._seq, {n: (None, None)})

    def _end_oldest(self) -> None:
        """End the wait of the oldest ticket, as the settings say."""
        oldest, label = self.protocol.oldest, self.settings.overdue_label
        assert oldest is not None
        if label is not None:
            with suppress(ValueError, TypeError):  # it cannot be learned from
                self._tell(int(oldest.id), label)
                return
        self._forget(int(oldest.id))

    def _takes(self, objects: m.Objects) -> bool:
        """Whether the learner can read these as they are."""
        keys = [f'"{key}"'.encode() for key in ("label", self.settings.weight) if key is not None]
        is_plain = self.learned is None and self.learner._reader is None and not self._texts
        return is_plain and not any(key in one for key in keys for one in objects)

    def only_predict(self, sent: Sequence[m.Example]) -> list[Result]:
        """Predictions that nothing remembers, so without tickets."""
        return self._one_by_one("only_predict", sent)

    def _only_predict(self, one: m.Example) -> Result:
        ((label, score),) = self.learner.answer_each([self._read(one)])
        shown = score[label] if isinstance(score, dict) else score
        return m.Predicted(None, label, shown, None, self.protocol.asked)

    def _number(self, ticket: str) -> int:
        """Which prediction of this model a ticket is of."""
        number = ticket[len(self._prefix) :] if ticket.startswith(self._prefix) else ""
        if not number.isdecimal() or len(number) > 18:
            raise BadTicket(f"there is no ticket {ticket!r} of model {self.name!r}")
        return int(number)

    def _checked(self, label: str) -> str:
        """The label; BadExample if it cannot be one of the classes."""
        known, named, many = self.classes, self.settings.classes, self.settings.multiclass
        most = (self.settings.max_classes or MOST_CLASSES) if many else 2
        if label not in known and (len(known) >= most or label not in (named or [label])):
            others = " and ".join(map(repr, known)) if most == 2 else f"{most:,} others"
            cure = "" if many else '; make a model with "multiclass": true for more than two'
            raise BadExample(f"label {label!r} is not one of the classes, {others}{cure}")
        return label

    def _weight(self, given: float | None, label: str) -> float | None:
        """How much an example counts: the client's weight times the factor of its label."""
        if given is not None and self.settings.weight is None:
            raise BadExample('this model takes no weights; make one with "weight": "weight"')
        if given is None and label not in self._factors:
            return None
        return (1.0 if given is None else given) * self._factors.get(label, 1.0)

    def _read(self, one: m.Example | m.Labelled) -> Features:
        """The features of an example, with the words of its texts in place of these."""
        x = _features(one)
        if one.text is not None and "text" not in self.settings.text:
            raise BadExample('this model reads no texts; make one with "text": ["text"]')
        for key in ("label", self.settings.weight):
            if key in x:
                raise BadExample(f"{key!r} cannot be the name of a feature; files use it")
        for key in self._texts:
            if (text := x.get(key)) is None:
                continue
            if not isinstance(text, str):
                raise BadExample(f"feature {key!r} must be a text")
            content = np.frombuffer(text.encode(), dtype=np.uint8)
            starts = np.array([0, len(content)], dtype=np.int64)
            rows, names = self.settings.text_rule.rows(content, starts, key)
            x = {name: value for name, value in x.items() if name != key}
            texts = [name.decode() for name in names]
            pairs = zip(rows.indices.tolist(), rows.values.tolist(), strict=True)
            x |= {texts[j]: value for j, value in pairs}
        return x

    # what is known

    def summary(self) -> dict[str, Any]:
        """Counts, curve, drift and the bound on the risk, as JSON takes them."""
        risk = self.protocol.risk_bound() if self.protocol.labelled else None
        names = ("error_rate", "recent_error_rate", "dropped", "drift", "curve")
        return {
            "name": self.name,
            "settings": self.settings,
            **self.counts,
            **{name: getattr(self.protocol, name) for name in names},
            "label_shift": self.label_shift,
            "risk_bound": None if risk is None else risk.value,
        }

    def bound(self) -> dict[str, Any]:
        """The mistake bound of the theorem for this run, or why there is none."""
        if not self.protocol.labelled:
            return {"bound": None, "no_bound": "no label has been revealed yet"}
        found = self.learner.summary()
        if not isinstance(found, Summary):
            return {"bound": None, "no_bound": "each class has a run of its own"}
        bound = None if found.bound is None else found.bound.bound
        why = found.unknown.get("bound")  # what a caller in Python could do about it is left out
        return {"bound": bound, "no_bound": why and re.split("[:;] ", why)[0]}

    def explain(self, ticket: str) -> Explanation:
        """What each feature adds to the score of a waiting prediction."""
        if (n := self._number(ticket)) not in self.protocol:
            raise BadTicket("only a waiting prediction can be explained")
        x = self.protocol.example(n)
        return self.learner.explain(decode(x) if isinstance(x, bytes) else x)


def _features(one: m.Example | m.Labelled) -> Features:
    """An example as files have it."""
    if (one.features is None) == (one.text is None):
        raise BadExample("give either features or text")
    return {"text": one.text} if one.features is None else one.features


def _continued(start: bytes, settings: Settings) -> tuple[LinearClassifier, Settings]:
    """The estimator of a model file, with labels as texts, and the settings that it shows."""
    model = Model.load(BytesIO(start))
    options, features = model.read_options, model.features
    if features.names is None or {"keep", "one_vs_rest"} & {*options}:
        raise BadExample(
            "the service continues models of named features that learned all labels as they are"
        )
    model.labels, model.parameters = model.classes, {}
    if options == ReadOptions().following(options).remembered(None):  # no table, so no columns
        model.read_options = {}
    if (learner := of_model(model))._reader is not None:
        model.read_options = options
        learner = of_model(model)
    shown = {
        "learner": model.kind,
        "bias": model.learner.bias,
        "hash_bits": features.hash_bits,
        "interactions": ["all" if pair == ALL else "*".join(pair) for pair in features.products],
        "unit_length": bool(features.to_unit_length),
        "multiclass": model.is_joint,
        "ledger": model.ledger.keep == "examples" and model.kind != "voted",
        "weight": options.get("weight"),
        "class_weight": options.get("class_weights", {}),
        "text": options.get("words", []),
        **{f"text_{name}": value for name, value in options.get("text_rule", {}).items()},
    }
    for name in ("margin", "regularisation", "alpha", "threshold"):
        value = getattr(model.learner, name, None)
        shown[name] = value if value or name == "regularisation" else None
    return learner, msgspec.structs.replace(settings, **shown)
