"""How much a client may send, and how much the server takes on at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated


@dataclass(frozen=True)
class Limits:
    """What a client may send at most, and the server takes on at once: the options of `serve`.

    Beside the type of each are its range and its help, as in the tables of options.
    """

    max_body: Annotated[int, "1000<=N  Bytes of a request."] = 8_000_000
    max_batch: Annotated[int, "1<=N  Examples in a request."] = 10_000
    max_features: Annotated[int, "1<=N  Features of an example."] = 10_000
    max_name: Annotated[int, "1<=N  Bytes of a feature's name, or of an id."] = 250
    max_names: Annotated[int, "1<=N  Names of a model without hash_bits."] = 10_000_000
    max_weights: Annotated[int, "8<=N  Weights of a model, of all classes."] = 1 << 25
    max_models: Annotated[int, "1<=N  Models."] = 100
    max_waiting: Annotated[
        int, "1<=N  Largest max_waiting of a model: predictions without a label."
    ] = 1_000_000
    max_classes: Annotated[int, "2<=N  Largest max_classes of a model."] = 1_000
    max_queue: Annotated[int, "1<=N  Requests that wait for the disk."] = 1_000
    max_connections: Annotated[int, "1<=N  Open connections."] = 1_000
    max_seconds: Annotated[float, "0.1<=X  Time for sending a request."] = 30.0
