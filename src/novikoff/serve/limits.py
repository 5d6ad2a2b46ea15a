"""How much a client may send, and how much the server takes on at once."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What a client may send at most, and the server takes on at once: the options of `serve`."""

    max_body: int = 8_000_000
    max_batch: int = 10_000
    max_features: int = 10_000
    max_name: int = 250
    max_names: int = 10_000_000
    max_weights: int = 1 << 25
    max_models: int = 100
    max_waiting: int = 1_000_000
    max_classes: int = 1_000
    max_queue: int = 1_000
    max_connections: int = 1_000
    max_seconds: float = 30.0
