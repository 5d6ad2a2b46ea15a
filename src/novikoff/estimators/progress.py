"""What `fit` shows of its passes: a line for each, or, if it takes long, how far it is."""

from __future__ import annotations

import sys
import time

from novikoff.ledger.ledger import Ledger
from novikoff.stream.printing import count, percent

PATIENCE_SECONDS = 2.0
REFRESH_SECONDS = 0.2


class ShownPasses:
    """Called after each pass of a fit; a context, so that a line in progress is cleared at the end.

    If `verbose`, it prints a line for each pass. Otherwise, and only on a terminal or in a
    notebook, stderr shows the latest of `most` passes once the fit has taken two seconds.
    """

    def __init__(self, most: int, *, verbose: bool) -> None:
        self._most, self._verbose = most, verbose
        self._next = time.monotonic() + PATIENCE_SECONDS
        self._width = 0

    def __enter__(self) -> ShownPasses:
        return self

    def __exit__(self, *_: object) -> None:
        if self._width:
            self._show("")

    def __call__(self, title: str, ledger: Ledger) -> None:
        """Show the pass that the ledger has just closed."""
        if not self._verbose and time.monotonic() < self._next:
            return
        passes, made = len(ledger.scans), ledger.epoch_mistakes[-1]
        shown = ledger.epoch_ends[-1] - (ledger.epoch_ends[-2] if passes > 1 else 0)
        if self._verbose:
            words = f"{title}epoch {passes}: {made} mistakes in {shown} examples"
            updates = ledger.epoch_updates[-1]
            learned = "" if ledger.n_updates == ledger.n_mistakes else f"; {updates} updates"
            words = f"{words} ({made / shown:.2%}), {ledger.n_mistakes} in all{learned}"
            print(words, flush=True)
        elif sys.stderr is not None and (
            sys.stderr.isatty() or type(sys.stderr).__module__.startswith("ipykernel")
        ):
            self._next = time.monotonic() + REFRESH_SECONDS
            words = f"{title}pass {count(passes)} of at most {count(self._most)}"
            self._show(f"{words}: {percent(made, shown, 2)} mistakes")

    def _show(self, words: str) -> None:
        print(words.ljust(self._width), end="\r", file=sys.stderr, flush=True)
        self._width = len(words)
