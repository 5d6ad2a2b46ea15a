"""The rows that training prints on stderr."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

from novikoff.cli.progress import Progress
from novikoff.models.training import Training
from novikoff.sources.chunks import Source


def test_bytes_are_counted_over_all_passes() -> None:
    meter = SimpleNamespace(done=0, total=10)
    model = SimpleNamespace(ledger=SimpleNamespace(n_rounds=5, n_mistakes=1))
    training = SimpleNamespace(passes_made=2, model=model, is_revisiting=False)
    progress = Progress(cast("Training", training), 5, quiet=True)
    # a pass may be one block, and be followed by passes over mistaken examples, which read nothing
    for made, done, again in ((2, 4, 0), (2, 10, 0), (3, 10, 0), (4, 10, 1), (4, 10, 1), (4, 5, 0)):
        training.passes_made, meter.done, training.is_revisiting = made, done, bool(again)
        progress.update(cast("Training", training), cast("Source", meter))
    assert progress.bytes_read == 25
