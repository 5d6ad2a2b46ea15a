"""Weights that come back to where they were: the updates in between sum to zero, a proof."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.examples import Stream, blocks_of
from novikoff.guarantees.entries import ExactSum
from novikoff.guarantees.exact import ExactVector, Integers, packed, products, sums_by
from novikoff.ledger import Mistakes
from novikoff.rows import Positions, Vector
from novikoff.states import Arrays, Settings, Stored
from novikoff.weights import parted, whole, widened


@dataclass(frozen=True, slots=True)
class Cycle:
    """Rows and positive multipliers λ with Σ λ y x = 0, exactly: no weights separate the rows.

    For weights w with y⟨w,x⟩ > 0 on all of them would have 0 < Σ λ y⟨w,x⟩ = ⟨w, Σ λ y x⟩ = 0. They
    were found by a run whose weights after pass `since` were those after pass `until`, counting
    from 1 where `play` began; λ is the sizes of the steps taken on each row in between, added up.

    References
    ----------
    Gordan (1873) for the proof; Minsky & Papert (1969), Block & Levin (1970) for why one comes.
    """

    since: int
    until: int
    rows: Positions = field(repr=False)
    multipliers: tuple[Fraction, ...] = field(repr=False)

    def __str__(self) -> str:
        return (
            f"the weights after pass {self.until} are those after pass {self.since}: the updates "
            f"on {len(self.rows)} rows in between sum to 0, so no weights separate them"
        )


class Repeats:
    """Notice, at the ends of passes, that the weights are those of an earlier pass.

    Brent's method (1980): one saved copy of the weights, renewed after passes 1, 2, 4, 8, …. The
    first time they come back the updates begin to be counted, row by row, and the second time the
    counts are the proof; a run that never comes back pays for looking, not for counting. Weights
    that return every p passes, from pass μ on, have then done so 2p passes after the first power
    of two that is no less than μ and p: before pass 4 max(μ, p).

    On integer data in a fixed order the weights of a run that cannot succeed do come back (Block &
    Levin 1970). In any order it is a proof when they do, unless rounding alone brought them.
    """

    def __init__(self) -> None:
        self._passes = self._since = 0
        self._saved: Vector | None = None
        self._counting = False
        self._updates = Counter[tuple[int, float]]()

    def count(self, mistakes: Mistakes) -> None:
        """Count the updates made in a part of a pass."""
        if not self._counting:
            return
        self._updates.update(zip(mistakes.rows.tolist(), mistakes.steps.tolist(), strict=True))

    def close_pass(self, weights: Vector, stream: Stream) -> Cycle | None:
        """The proof, if the weights after this pass are the saved ones and it is exact."""
        self._passes += 1
        back = self._saved is not None and _same(weights, self._saved)
        if back and self._counting:
            cycle = self._proof(stream, length=len(weights))
            if cycle is not None:
                return cycle
            # Only rounding brought these weights back, and may do so after every pass from now on:
            # the next look is taken with the next copy.
            self._saved, self._counting = None, False
        elif back or self._passes >= 2 * self._since:
            self._saved, self._since = weights.copy(), self._passes
            self._counting = back
            self._updates.clear()
        return None

    def widen(self, dim: int, *, bias: bool) -> None:
        """Let the weights have `dim` features from now on, as the learner's `widen` does."""
        if self._saved is not None:
            self._saved = widened(self._saved, dim, bias=bias)

    def state(self, dim: int, *, bias: bool) -> tuple[Settings, Arrays]:
        """All that was noticed, for `restored`; the copy of the weights as a learner stores them.

        The same whatever the parts in which the updates were counted.
        """
        settings = {
            "passes": self._passes,
            "since": self._since,
            "counting": self._counting,
            "bias": bias,
        }
        counted = sorted((row, step, n) for (row, step), n in self._updates.items())
        arrays: Arrays = {
            "rows": np.array([row for row, _, _ in counted], dtype=np.int64),
            "steps": np.array([step for _, step, _ in counted], dtype=np.float64),
            "times": np.array([n for _, _, n in counted], dtype=np.int64),
        }
        if self._saved is not None:
            arrays["weights"], constant = parted(self._saved, dim, bias=bias)
            arrays["constant"] = constant
        return settings, arrays

    @classmethod
    def restored(cls, settings: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Repeats:
        """What `state` described: a cycle is found at the pass it would have been found at."""
        stored, repeats = Stored("search for a cycle", settings, arrays), cls()
        repeats._passes, repeats._since = stored.count("passes"), stored.count("since")
        repeats._counting = stored.flag("counting")
        if "weights" in stored:
            constant = stored.vector("constant", 1)
            repeats._saved = whole(stored.vector("weights"), constant, bias=stored.flag("bias"))
        rows = stored.positions("rows")
        steps, times = stored.vector("steps", len(rows)), stored.positions("times", len(rows))
        keys = zip(rows.tolist(), steps.tolist(), strict=True)
        repeats._updates.update(dict(zip(keys, times.tolist(), strict=True)))
        return repeats

    def _proof(self, stream: Stream, *, length: int) -> Cycle | None:
        total, rows, multipliers = ExactSum(length), list[Positions](), list[Fraction]()
        updated, sizes, unit = self._sizes()
        for block in blocks_of(stream):
            positions = block.positions(np.arange(len(block)))
            at = np.flatnonzero(np.isin(positions, updated))
            each = sizes[np.searchsorted(updated, positions[at])]
            total.add(block.rows, at, block.signs[at].astype(each.dtype) * each, unit)
            rows.append(positions[at])
            multipliers += [n * unit for n in each.tolist()]
        if not total.is_zero or not multipliers:
            return None
        places = np.concatenate(rows)
        order = np.argsort(places)
        return Cycle(
            self._since, self._passes, places[order], tuple(multipliers[i] for i in order.tolist())
        )

    def _sizes(self) -> tuple[Positions, Integers, Fraction]:
        """The rows updated, in order, and the sizes of the steps on each added up, in a unit.

        Steps too small for a float are 0: they move nothing and prove nothing.
        """
        counted = sorted((row, abs(step), n) for (row, step), n in self._updates.items() if step)
        updated = np.array([row for row, _, _ in counted], dtype=np.int64)
        steps = ExactVector.of(np.array([size for _, size, _ in counted], dtype=float), "steps")
        times = packed([n for _, _, n in counted])
        sizes = sums_by(updated, products(steps.integers, times, summed=len(counted)))
        return np.unique(updated), sizes, steps.unit


def _same(a: Vector, b: Vector) -> bool:
    """Whether the weights are equal: most differ early, and a million are not read to see it."""
    step = 1 << 14
    return all(np.array_equal(a[i : i + step], b[i : i + step]) for i in range(0, len(a), step))
