"""The two kinds of verdict: how a run ended, and whether data are separable."""

from __future__ import annotations

from enum import StrEnum


class Verdict(StrEnum):
    """How a run ended; `guarantees.words.run_ended` says what each one means."""

    SEPARATED = "separated"
    CYCLE = "cycle"
    BUDGET = "budget"
    INTERRUPTED = "interrupted"


class Separation(StrEnum):
    """Whether some weights put the rows on their right sides (Albert & Anderson 1984).

    `complete`: every row strictly. `quasi-complete`: no row is on its wrong side and some are
    strictly right, but never all. `overlap`: neither. `undecided`: no proof was found either way.
    """

    COMPLETE = "complete"
    QUASI_COMPLETE = "quasi-complete"
    OVERLAP = "overlap"
    UNDECIDED = "undecided"
