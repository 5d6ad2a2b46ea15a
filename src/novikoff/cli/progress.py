"""What a long job shows on stderr: rows of training progress, or a spinner on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

from novikoff.stream.printing import percent

if TYPE_CHECKING:
    from novikoff.cluster.training import ClusterTraining
    from novikoff.models.training import Training
    from novikoff.sources.cache import Cached
    from novikoff.sources.chunks import Source
    from novikoff.sources.whole import Whole

HEADING = "  examples    mistakes  since last   overall     MB/s  time left"
REFRESH_SECONDS = 0.2


class Rows:
    """Rows on stderr below a heading; a terminal shows one more line, until the next row."""

    heading = HEADING

    def __init__(self, passes: int | None, *, quiet: bool = False) -> None:
        self._passes, self._quiet, self.bytes_read = passes, quiet, 0
        self._is_live, self._started = sys.stderr.isatty() and not quiet, time.perf_counter()
        self._has_heading = False

    def _print(self, row: str, *, end: str = "\n") -> None:
        if not self._has_heading:
            self._has_heading = True
            print(self.heading, file=sys.stderr)
        print(row, end=end, file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Clear the line that a terminal shows in between."""
        if self._is_live:
            print(" " * len(HEADING), end="\r", file=sys.stderr, flush=True)


class Progress(Rows):
    """A row whenever the examples have doubled; a terminal shows the latest between."""

    def __init__(self, training: Training, passes: int | None, *, quiet: bool = False) -> None:
        super().__init__(passes, quiet=quiet)
        ledger, self._refreshed = training.model.ledger, self._started
        self._next_row, self._rounds, self._mistakes = 1, ledger.n_rounds, ledger.n_mistakes
        self._in_earlier_passes = self._in_pass = 0  # bytes
        self._pass = self._first_pass = training.passes_made

    def update(self, training: Training, reading: Source | Cached | Whole) -> None:
        """Look at the run after a block, and print a row if it is time for one."""
        if training.passes_made != self._pass:
            self._in_earlier_passes, self._pass = self.bytes_read, training.passes_made
        self._in_pass = 0 if training.is_revisiting else reading.done
        self.bytes_read = self._in_earlier_passes + self._in_pass
        ledger, now = training.model.ledger, time.perf_counter()
        if self._quiet:
            return
        if ledger.n_rounds >= self._next_row:
            self._print(self._row(training, reading.total, now))
            self._rounds, self._mistakes = ledger.n_rounds, ledger.n_mistakes
            while self._next_row <= ledger.n_rounds:
                self._next_row *= 2
        elif self._is_live and now - self._refreshed > REFRESH_SECONDS:
            self._print(self._row(training, reading.total, now), end="\r")
            self._refreshed = now

    def _row(self, training: Training, total: int | None, now: float) -> str:
        ledger, seconds = training.model.ledger, now - self._started
        rounds, mistakes = ledger.n_rounds - self._rounds, ledger.n_mistakes - self._mistakes
        since = percent(mistakes, rounds, 2) if rounds else ""
        overall = percent(ledger.n_mistakes, ledger.n_rounds, 2)
        is_read = not training.model.order["whole"] and self.bytes_read  # and not in memory
        speed = f"{self.bytes_read / 1e6 / seconds:.0f}" if is_read and seconds > 0.05 else ""
        left = ""
        if total and self._passes is not None and self._in_pass:
            made = training.passes_made - self._first_pass
            share = (made + self._in_pass / total) / (self._passes - self._first_pass)
            left = as_clock(seconds * (1 - share) / share)
        return (
            f"{ledger.n_rounds:10,}  {ledger.n_mistakes:10,}  {since:>10}  {overall:>8}  "
            f"{speed:>7}  {left:>9}"
        )


class RoundProgress(Rows):
    """A row for each round of a cluster; a terminal shows the shards done in between."""

    heading = "  round      shards   rows sent    mistakes     MB/s  time left"
    _shown = 0

    def shard(self, done: int, of: int) -> None:
        """Show how many shards of this round are done."""
        if self._is_live:
            print(f"  {done:,} of {of:,} shards", end="\r", file=sys.stderr, flush=True)

    def update(self, training: Training, _reading: object) -> None:
        """Print a row if a round has ended."""
        sent, seconds = cast("ClusterTraining", training).sent, time.perf_counter() - self._started
        self.bytes_read, shown, self._shown = sent.bytes_read, self._shown, sent.rounds
        if self._quiet or sent.rounds == shown:
            return
        made, of = max(1, training.passes_made), self._passes
        left = "" if of is None else as_clock(seconds * (of - made) / made)
        self._print(
            f"{sent.rounds:7,}  {sent.passes:10,}  {sent.rows:10,}  "
            f"{training.model.ledger.n_mistakes:10,}  {sent.bytes_read / 1e6 / seconds:7.0f}  "
            f"{left:>9}"
        )


def as_clock(seconds: float) -> str:
    """A time as hours, minutes and seconds."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


@contextmanager
def spinner(words: str, *, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """A line on stderr that says what is being done, if stderr is a terminal."""
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status(escape(words)) as status:
        yield lambda more: status.update(escape(more))
