"""How much a client may send, and how much the server takes on at once."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What a client may send at most, and how much the server takes on at once.

    Attributes
    ----------
    body, batch
        Bytes of a request, and examples in it; of a stream of lines, of each part.
    features, name
        Features of an example, and bytes of the name of one.
    names, weights, models
        Names that a model may learn without hash_bits; weights, of all classes; and models.
    waiting, classes
        The largest max_waiting and max_classes of a model.
    queue, connections
        Requests that wait for the disk, and open connections.
    seconds
        How long a client may take to send a request.
    """

    body: int = 8_000_000
    batch: int = 10_000
    features: int = 10_000
    name: int = 250
    names: int = 10_000_000
    weights: int = 1 << 25
    models: int = 100
    waiting: int = 1_000_000
    classes: int = 1_000
    queue: int = 1_000
    connections: int = 1_000
    seconds: float = 30.0
