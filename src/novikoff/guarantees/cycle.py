"""Weights that come back to where they were: the updates in between sum to zero, a proof."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from novikoff.stream.rows import Positions


@dataclass(frozen=True, slots=True)
class Cycle:
    """Rows and positive multipliers λ with Σ λ y x = 0, exactly: no weights separate the rows.

    For weights w with y⟨w,x⟩ > 0 on all of them would have 0 < Σ λ y⟨w,x⟩ = ⟨w, Σ λ y x⟩ = 0. They
    were found by a run whose weights after pass `since` were those after pass `until`, counting
    from 1 where `play` began; λ is the sizes of the steps taken on each row in between, added up.

    Of classes learned jointly, `rivals` says against which class each multiplier is, and a row may
    be there with several: for each class, what its own rows add, and what the rows that it was the
    rival of take away, sums to 0. So no weights put each row's class ahead of all the others: in
    Kesler's construction this is the same statement.

    References
    ----------
    Gordan (1873) for the proof; Minsky & Papert (1969), Block & Levin (1970) for why one comes;
    Duda & Hart (1973), section 5.12, for many classes.
    """

    since: int
    until: int
    rows: Positions = field(repr=False)
    multipliers: tuple[Fraction, ...] = field(repr=False)
    rivals: Positions | None = field(default=None, repr=False)

    def __str__(self) -> str:
        n = len(np.unique(self.rows))
        return (
            f"the weights after pass {self.until} are those after pass {self.since}: the updates "
            f"on {n} rows in between sum to 0, so no weights separate them"
        )
