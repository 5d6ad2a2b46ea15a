"""The two kinds of verdict: how a run ended, with its proof, and whether data are separable."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Literal, TypeAlias

import numpy as np

from novikoff.stream.printing import plural
from novikoff.stream.rows import Positions


class Verdict(StrEnum):
    """How a run ended; `guarantees.words.run_ended` says what each one means."""

    SEPARATED = "separated"
    CYCLE = "cycle"
    BUDGET = "budget"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Cycle:
    """Rows and positive multipliers λ with Σ λ y x = 0, exactly: no weights separate the rows.

    The weights after pass `until` were those after pass `since`, counted from 1 where `play` began,
    or, if mistaken rows were visited again, in the ledger; λ is the sum of the steps taken on each
    row in between. With many classes, `rivals` is the class that each multiplier is against.
    References: Gordan (1873) for the proof; Block & Levin (1970) for why the weights return.
    """

    since: int
    until: int
    rows: Positions = field(repr=False)
    multipliers: tuple[Fraction, ...] = field(repr=False)
    rivals: Positions | None = field(default=None, repr=False)

    def __str__(self) -> str:
        n = plural(len(np.unique(self.rows)), "row")
        return (
            f"the weights after pass {self.until} equal those after pass {self.since}: the updates "
            f"in between, on {n}, sum to 0, so no weights separate the rows"
        )


# the regression models that `certify` is asked about
ModelName: TypeAlias = Literal["binary", "poisson", "multinomial", "ordinal"]


class Separation(StrEnum):
    """Whether some weights put the rows on their right sides (Albert & Anderson 1984).

    `complete`: every row strictly. `quasi-complete`: no row is on its wrong side and some are
    strictly right, but never all. `overlap`: neither. `undecided`: no proof was found either way.
    """

    COMPLETE = "complete"
    QUASI_COMPLETE = "quasi-complete"
    OVERLAP = "overlap"
    UNDECIDED = "undecided"
