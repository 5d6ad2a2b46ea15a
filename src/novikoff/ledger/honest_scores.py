"""Honest scores: how often each score was met before its example was learned from.

In a first pass an example is scored before it is learned from, so its score is that of a new
example. Data that are read whole are scored by fifths, each with weights learned from the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff import _core
from novikoff.storage.checked import Arrays, Settings, Stored
from novikoff.stream.rows import Vector

UNIT = 1 << 16  # an example of importance 1 counts as so many units
_MOST = 1 << 62


class HonestScores:
    """Counts of scores by label, of the last half of the examples at least.

    A score is counted in a bin by its sign, its exponent from −64 to 63, and four bits after the
    point, in whole units of 2⁻¹⁶. Of n examples, those from number 2ᵏ⁻¹ on are counted, where 2ᵏ ≤
    n < 2ᵏ⁺¹; `include` leaves none out. Of many classes, each example counts once for each, by its
    lead over its best rival. Close it (`is_open`) in later passes, whose examples are not new.
    """

    def __init__(self) -> None:
        self.is_open = True
        self.counts: NDArray[np.int64] = np.zeros(_core.SCORE_COUNTS, dtype=np.int64)

    @property
    def examples(self) -> int:
        """How many examples of positive importance were met."""
        return int(self.counts[0])

    @property
    def _tables(self) -> NDArray[np.int64]:
        """The earlier counts and the later ones, by bin and by label, −1 first."""
        return self.counts[1:].reshape(2, _core.SCORE_BINS, 2)

    def by_bin(self) -> tuple[Vector, NDArray[np.int64]]:
        """The middle of each bin that has counts, in increasing order, and its counts by label."""
        both = self._tables[0] + self._tables[1]
        bins = np.flatnonzero(both.any(axis=1))
        return np.array([_core.middle_of_bin(int(k)) for k in bins]), both[bins]

    def include(
        self, scores: Vector, labels: NDArray[np.int32], importances: Vector | None = None
    ) -> None:
        """Count the scores of examples that were not learned from, a row each for many classes."""
        classes = scores.shape[1] if scores.ndim == 2 else 0
        if len(labels):
            flat = np.ascontiguousarray(scores).reshape(-1)
            _core.count_scores(flat, labels, importances, classes, self.counts)

    def absorb(self, others: HonestScores) -> None:
        """Add the counts of other examples."""
        self.counts += others.counts

    @property
    def wrong(self) -> int:
        """The units of the scores of the wrong sign; twice, if a score for each class."""
        below, above = np.split(self._tables.sum(axis=0), 2)
        return int(below[:, 1].sum() + above[:, 0].sum())

    def share_wrong(self, *, joint: bool) -> float:
        """The share of the examples whose prediction was wrong, by their importance."""
        negative, positive = map(int, self._tables.sum(axis=(0, 1)))
        return self.wrong / max(1, 2 * positive if joint else negative + positive)

    def share(self, runs: _core.OnlineRuns) -> None:
        """Let the online run that was added last count its scores here."""
        if self.is_open:
            runs.count_scores(self.counts)

    def turned(self) -> HonestScores:
        """The counts with the labels −1 and +1 swapped, and so the signs of the scores."""
        out = deepcopy(self)
        out._tables[:] = self._tables[:, ::-1, ::-1]
        return out

    def state(self) -> tuple[Settings, Arrays]:
        """Everything that `restored` needs: settings for JSON, and arrays."""
        places = np.flatnonzero(self.counts[1:])
        arrays: Arrays = {"places": places, "units": self.counts[1:][places]}
        return {"examples": self.examples}, arrays

    @classmethod
    def restored(
        cls, settings: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
    ) -> HonestScores:
        """The counts that `state` described."""
        stored = Stored("honest scores", settings, arrays)
        out = cls()
        places = stored.positions("places", most=len(out.counts) - 2)
        units = stored.positions("units", len(places), most=_MOST)
        if (np.diff(places) < 1).any():
            stored.refuse("its places are not in increasing order")
        out.counts[0] = min(stored.count("examples"), _MOST)
        out.counts[1:][places] = units
        return out

    def __getstate__(self) -> dict[str, Any]:
        settings, arrays = self.state()
        return {"is_open": self.is_open, "settings": settings, "arrays": arrays}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.counts = self.restored(state["settings"], state["arrays"]).counts
        self.is_open = state["is_open"]


def counts_of(honest: HonestScores | None) -> NDArray[np.int64] | None:
    """Where the core counts scores; None if it does not."""
    return None if honest is None or not honest.is_open else honest.counts
