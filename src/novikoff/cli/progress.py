"""How training is getting on: a row whenever the examples have doubled."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from novikoff.models.training import Training

HEADING = "  examples    mistakes  since last   overall     MB/s      left"


class Meter(Protocol):
    """What knows how much of the present pass has been read."""

    @property
    def done(self) -> int:
        """How many bytes have been read."""

    @property
    def total(self) -> int | None:
        """How many there are, if that is known."""


class Progress:
    """Rows on stderr; on a terminal the last one is renewed in between."""

    def __init__(self, meter: Meter, passes: int | None, *, quiet: bool = False) -> None:
        self._meter, self._passes, self._quiet = meter, passes, quiet
        self._live = sys.stderr.isatty() and not quiet
        self._began = self._shown_at = time.perf_counter()
        self._next, self._rounds, self._mistakes = 1, 0, 0
        self._bytes_before = self._bytes = self._pass = self._first_pass = 0
        self._headed = False

    def begin(self, training: Training) -> None:
        """Count from where the run stands."""
        ledger = training.model.ledger
        self._rounds, self._mistakes = ledger.n_rounds, ledger.n_mistakes
        self._pass = self._first_pass = training.passes_made

    @property
    def read(self) -> int:
        """How many bytes have been read, in all passes."""
        return self._bytes_before + self._bytes

    def block(self, training: Training) -> None:
        """Look at the run after a block; print a row if it is time for one."""
        ledger = training.model.ledger
        if training.passes_made != self._pass:
            self._bytes_before += self._bytes
            self._pass = training.passes_made
        self._bytes = self._meter.done
        if self._quiet:
            return
        now = time.perf_counter()
        if ledger.n_rounds >= self._next:
            self._print(self._row(training, now), end="\n")
            self._rounds, self._mistakes = ledger.n_rounds, ledger.n_mistakes
            while self._next <= ledger.n_rounds:
                self._next *= 2
        elif self._live and now - self._shown_at > 0.2:
            self._print(self._row(training, now), end="\r")
            self._shown_at = now

    def _row(self, training: Training, now: float) -> str:
        ledger = training.model.ledger
        rounds, mistakes = ledger.n_rounds - self._rounds, ledger.n_mistakes - self._mistakes
        since = f"{mistakes / rounds:.2%}" if rounds else ""
        overall = f"{ledger.n_mistakes / ledger.n_rounds:.2%}"
        seconds = now - self._began
        speed = f"{self.read / 1e6 / seconds:.0f}" if self.read and seconds > 0.05 else ""
        return (
            f"{ledger.n_rounds:10,}  {ledger.n_mistakes:10,}  {since:>10}  {overall:>8}  "
            f"{speed:>7}  {self._left(training, seconds):>8}"
        )

    def _left(self, training: Training, seconds: float) -> str:
        total = self._meter.total
        if not total or self._passes is None or not self._bytes:
            return ""
        made = training.passes_made - self._first_pass
        share = (made + self._bytes / total) / (self._passes - self._first_pass)
        left = seconds * (1 - share) / share
        minutes, rest = divmod(round(left), 60)
        hours, minutes = divmod(minutes, 60)
        return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"

    def _print(self, row: str, *, end: str) -> None:
        if not self._headed:
            self._headed = True
            print(HEADING, file=sys.stderr)
        print(row, end=end, file=sys.stderr, flush=True)

    def close(self) -> float:
        """Clear the row that was renewed; how many seconds have passed."""
        if self._live and self._headed:
            print(" " * len(HEADING), end="\r", file=sys.stderr, flush=True)
        return time.perf_counter() - self._began
