"""How a run ends."""

from __future__ import annotations

from enum import StrEnum


class Verdict(StrEnum):
    """How a run ended."""

    SEPARATED = "separated"
    CYCLE = "cycle"
    BUDGET = "budget"
    INTERRUPTED = "interrupted"
