"""The numbers of the service for Prometheus, read from the models when they are asked for."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator

from prometheus_client import CollectorRegistry, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily, Metric

from novikoff import __version__
from novikoff.serve.served import Served
from novikoff.serve.service import Service

_OF_MODELS: dict[str, tuple[str, Callable[[Served], float | None]]] = {
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


class Metrics:
    """What `/metrics` answers."""

    def __init__(self, service: Service) -> None:
        self._service, self._registry = service, CollectorRegistry()
        seconds = Histogram(
            "novikoff_commit_seconds",
            "Time until a group of requests was on disk.",
            registry=self._registry,
            buckets=(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5),
        )
        service.observe = seconds.observe
        self._registry.register(self)

    def collect(self) -> Iterator[Metric]:
        """The current numbers."""
        service, prefix = self._service, "novikoff_"
        about = {"version": __version__, "sqlite": sqlite3.sqlite_version}
        yield InfoMetricFamily("novikoff", "Versions.", about)
        for name, (help, number) in _OF_MODELS.items():
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

    def text(self) -> bytes:
        """The numbers as Prometheus reads them."""
        return generate_latest(self._registry)
