"""The rows that training prints on stderr."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

from novikoff.cli.progress import Progress
from novikoff.models.training import Training
from novikoff.sources.chunks import Source


def test_bytes_are_counted_over_all_passes() -> None:
    meter = SimpleNamespace(done=0, total=10)
    training = SimpleNamespace(
        passes_made=2, model=SimpleNamespace(ledger=SimpleNamespace(n_rounds=5, n_mistakes=1))
    )
    progress = Progress(cast("Training", training), 5, quiet=True)
    for made, done in ((2, 4), (2, 10), (3, 10), (4, 5)):  # a pass may be one block
        training.passes_made, meter.done = made, done
        progress.update(cast("Training", training), cast("Source", meter))
    assert progress.bytes_read == 25
