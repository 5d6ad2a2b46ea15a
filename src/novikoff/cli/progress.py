"""What a long job shows on stderr: rows of training progress, or a spinner on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from novikoff.stream.printing import percent

if TYPE_CHECKING:
    from novikoff.cluster.training import Sent
    from novikoff.models.training import Training
    from novikoff.sources.cache import Cached
    from novikoff.sources.chunks import Source
    from novikoff.sources.whole import Whole

HEADING = "  examples    mistakes  since last   overall     MB/s  time left"
REFRESH_SECONDS = 0.2


class Progress:
    """A row on stderr whenever the examples have doubled; a terminal shows the latest between."""

    def __init__(self, training: Training, passes: int | None, *, quiet: bool = False) -> None:
        self._passes, self._quiet = passes, quiet
        self._is_live = sys.stderr.isatty() and not quiet
        self._started = self._refreshed = time.perf_counter()
        ledger = training.model.ledger
        self._next_row, self._rounds, self._mistakes = 1, ledger.n_rounds, ledger.n_mistakes
        self._bytes_of_earlier_passes = self._bytes = 0
        self._pass = self._first_pass = training.passes_made
        self._has_heading = False

    @property
    def bytes_read(self) -> int:
        """Bytes read in all passes."""
        return self._bytes_of_earlier_passes + self._bytes

    def update(self, training: Training, reading: Source | Cached | Whole) -> None:
        """Look at the run after a block, and print a row if it is time for one."""
        if training.passes_made != self._pass:
            self._bytes_of_earlier_passes += self._bytes
            self._pass = training.passes_made
        self._bytes = 0 if training.is_revisiting else reading.done
        if self._quiet:
            return
        ledger, now = training.model.ledger, time.perf_counter()
        if ledger.n_rounds >= self._next_row:
            self._print(self._row(training, reading.total, now), end="\n")
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
        read = self.bytes_read
        is_read = not training.model.order["whole"]  # and not in memory
        speed = f"{read / 1e6 / seconds:.0f}" if read and is_read and seconds > 0.05 else ""
        return (
            f"{ledger.n_rounds:10,}  {ledger.n_mistakes:10,}  {since:>10}  {overall:>8}  "
            f"{speed:>7}  {self._time_left(training, total, seconds):>9}"
        )

    def _time_left(self, training: Training, total: int | None, seconds: float) -> str:
        if not total or self._passes is None or not self._bytes:
            return ""
        made = training.passes_made - self._first_pass
        share = (made + self._bytes / total) / (self._passes - self._first_pass)
        return as_clock(seconds * (1 - share) / share)

    def _print(self, row: str, *, end: str) -> None:
        if not self._has_heading:
            self._has_heading = True
            print(HEADING, file=sys.stderr)
        print(row, end=end, file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Clear the row that a terminal shows in between."""
        if self._is_live and self._has_heading:
            print(" " * len(HEADING), end="\r", file=sys.stderr, flush=True)


class RoundProgress:
    """A row on stderr for each round of a cluster; a terminal shows the shards done in between."""

    heading = "  round      shards   rows sent    mistakes     MB/s  time left"

    def __init__(self, passes: int | None, *, quiet: bool = False) -> None:
        self._passes, self._quiet, self._shown, self.bytes_read = passes, quiet, 0, 0
        self.sent: Sent | None = None  # of the training, once there is one
        self._is_live, self._started = sys.stderr.isatty() and not quiet, time.perf_counter()

    def shard(self, done: int, of: int) -> None:
        """Show how many shards of this round are done."""
        if self._is_live:
            print(f"  {done:,} of {of:,} shards", end="\r", file=sys.stderr, flush=True)

    def update(self, training: Training, _reading: object) -> None:
        """Print a row if a round has ended."""
        sent, seconds = self.sent, time.perf_counter() - self._started
        assert sent is not None
        self.bytes_read, shown, self._shown = sent.bytes_read, self._shown, sent.rounds
        if self._quiet or sent.rounds == shown:
            return
        made, of = max(1, training.passes_made), self._passes
        left = "" if of is None else as_clock(seconds * (of - made) / made)
        row = (
            f"{sent.rounds:7,}  {sent.passes:10,}  {sent.rows:10,}  "
            f"{training.model.ledger.n_mistakes:10,}  {sent.bytes_read / 1e6 / seconds:7.0f}  "
            f"{left:>9}"
        )
        print(row if shown else f"{self.heading}\n{row}", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Clear the row that a terminal shows in between."""
        if self._is_live:
            print(" " * 40, end="\r", file=sys.stderr, flush=True)


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
