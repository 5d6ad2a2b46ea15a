"""The rows that training prints on stderr."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

from novikoff.cli.progress import Progress
from novikoff.models.training import Training


def test_bytes_are_counted_over_all_passes() -> None:
    meter = SimpleNamespace(done=0, total=10)
    training = SimpleNamespace(
        passes_made=2, model=SimpleNamespace(ledger=SimpleNamespace(n_rounds=5, n_mistakes=1))
    )
    progress = Progress(meter, 5, quiet=True)
    progress.start(cast("Training", training))
    for made, done in ((2, 4), (2, 10), (3, 10), (4, 5)):  # a pass may be one block
        training.passes_made, meter.done = made, done
        progress.update(cast("Training", training))
    assert progress.bytes_read == 25
