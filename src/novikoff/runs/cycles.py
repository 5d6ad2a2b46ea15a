"""The search for weights that return to earlier values, which proves that no weights separate."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import repeat
from typing import Self

import numpy as np

from novikoff.guarantees.exact.arithmetic import ExactVector, Integers
from novikoff.guarantees.exact.rows import ExactSum
from novikoff.guarantees.verdict import Cycle
from novikoff.ledger.ledger import Mistakes
from novikoff.ledger.weights import parted, whole, widened
from novikoff.storage.checked import Arrays, Settings, Stored
from novikoff.stream.blocks import Stream, blocks_of
from novikoff.stream.rows import Positions, Vector

_NO_RIVAL = -1  # of a mistake with two labels


class CycleSearch:
    """Compare the weights at the end of each pass with those of an earlier pass.

    Brent's method (1980) keeps one copy of the weights, renewed after passes 1, 2, 4, 8, …. After
    the weights first return to it, the search counts the updates on each row; when they return
    again, the counts are the proof. Weights that return every p passes, from pass μ on, are found
    before pass 4 max(μ, p).

    On integer data in a fixed order, the weights do cycle if no weights separate the data (Block &
    Levin 1970). In any order a return is a proof, unless rounding alone caused it.
    """

    def __init__(self) -> None:
        self._passes = self._since = self._began = 0
        self._saved: Vector | None = None
        self.is_counting = False
        self._updates = Counter[tuple[int, int, float]]()  # row, rival, step

    def count(self, mistakes: Mistakes) -> None:
        """Count the updates made in a part of a pass; only needed while `is_counting`."""
        rivals = repeat(_NO_RIVAL) if mistakes.rivals is None else mistakes.rivals.tolist()
        rows, steps = mistakes.rows.tolist(), mistakes.steps.tolist()
        self._updates.update(zip(rows, rivals, steps))  # noqa: B905  (rivals may be endless)

    def close_pass(self, weights: Vector, stream: Stream) -> Cycle | None:
        """The proof, if the weights after this pass equal the saved ones and the proof is exact."""
        weights = weights.T
        self._passes += 1
        back = self._saved is not None and np.array_equal(weights, self._saved)
        if back and self.is_counting:
            cycle = self._proof(stream, weights.shape)
            if cycle is not None:
                return cycle
            # Rounding alone caused this return, and may do so after every pass from now on, so wait
            # for the next copy.
            self._saved, self.is_counting = None, False
        elif back or self._passes >= 2 * self._since - self._began:
            self._saved, self._since = weights.copy(), self._passes
            self.is_counting = back
            self._updates.clear()
        return None

    @property
    def watched(self) -> tuple[int, Vector | None]:
        """How many passes until `close_pass` is due, unless one ends with these weights."""
        return 2 * self._since - self._began - self._passes, self._saved

    def skip(self, passes: int) -> None:
        """Take note of passes after which the weights were not those watched for."""
        self._passes += passes

    def restart(self, passes: int) -> None:
        """Forget the saved weights: after so many passes, the order is another."""
        self._saved, self._passes = None, passes
        self._since = self._began = passes
        self.is_counting = False
        self._updates.clear()

    def widen(self, dim: int, *, bias: bool) -> None:
        """Give the saved weights `dim` features, as the learner's `widen` does."""
        if self._saved is not None:
            self._saved = widened(self._saved, dim, bias=bias)

    def state(self, dim: int, *, bias: bool) -> tuple[Settings, Arrays]:
        """The state of the search, for `restored`, with the weights as a learner stores them."""
        settings = {
            "passes": self._passes,
            "since": self._since,
            "began": self._began,
            "counting": self.is_counting,
            "bias": bias,
        }
        counted = sorted((*update, n) for update, n in self._updates.items())
        columns = zip(*counted, strict=True) if counted else [()] * 4
        arrays: Arrays = {
            name: np.array(column, dtype=np.float64 if name == "steps" else np.int64)
            for name, column in zip(("rows", "rivals", "steps", "times"), columns, strict=True)
        }
        if self._saved is not None:
            arrays["weights"], arrays["constant"] = parted(self._saved, dim, bias=bias)
        return settings, arrays

    @classmethod
    def restored(
        cls, settings: Settings, arrays: Arrays, dim: int, classes: int | None = None
    ) -> Self:
        """The search that `state` described, for `dim` features and classes learned jointly."""
        stored, search = Stored("search for a cycle", settings, arrays), cls()
        counts = (stored.count(name) for name in ("passes", "since", "began"))
        search._passes, search._since, search._began = counts
        search.is_counting = stored.flag("counting")
        joint = classes is not None
        if "weights" in stored:
            features = stored.array("weights", ("float64",), (dim, *[-1] * joint))
            constant = stored.array("constant", ("float64",), (1, *features.shape[1:]))
            search._saved = whole(features, constant, bias=stored.flag("bias"))
        rows = stored.positions("rows")
        rivals = stored.array("rivals", ("int64",), rows.shape)
        lowest, highest = (_NO_RIVAL, _NO_RIVAL) if classes is None else (0, classes - 1)
        if len(rows) and not lowest <= rivals.min() <= rivals.max() <= highest:
            stored.refuse(f"its rivals are not all from {lowest} to {highest}")
        times, steps = stored.positions("times", len(rows)), stored.vector("steps", len(rows))
        if len(rows) and (times.min() < 1 or not np.isfinite(steps).all()):
            stored.refuse("its updates were not made, or are not finite")
        keys = zip(rows.tolist(), rivals.tolist(), steps.tolist(), strict=True)
        search._updates.update(dict(zip(keys, times.tolist(), strict=True)))
        return search

    def _proof(self, stream: Stream, shape: tuple[int, ...]) -> Cycle | None:
        """The cycle, if the counted updates sum to 0 exactly on the rows of the stream."""
        rows, rivals, sizes, unit = self._sizes()
        classes = shape[1] if len(shape) > 1 else None
        totals = [ExactSum(shape[0]) for _ in range(classes or 1)]
        found = list[Positions]()
        for block in filter(len, blocks_of(stream)):
            positions = block.positions(np.arange(len(block)))
            order = np.argsort(positions)
            place = np.searchsorted(positions, rows, sorter=order).clip(max=len(block) - 1)
            at = order[place]
            here = np.flatnonzero(positions[at] == rows)
            at, each = at[here], sizes[here]
            found.append(here)
            if classes is None:
                totals[0].add(block.rows, at, block.signs[at].astype(each.dtype) * each)
                continue
            for c, total in enumerate(totals):
                own, other = block.codes[at] == c, rivals[here] == c
                some = own | other
                total.add(block.rows, at[some], np.where(own, each, -each)[some])
        counted = np.sort(np.concatenate(found))
        if not len(counted) or not all(total.is_zero for total in totals):
            return None
        multipliers = tuple(n * unit for n in sizes[counted].tolist())
        against = None if classes is None else rivals[counted]
        return Cycle(self._since, self._passes, rows[counted], multipliers, against)

    def _sizes(self) -> tuple[Positions, Positions, Integers, Fraction]:
        """The updated rows in order, their rivals, and the sums of their steps, integers in a unit.

        Steps that underflowed to 0 are left out: they changed nothing.
        """
        sizes = dict[tuple[int, int], Fraction]()
        for (row, rival, step), n in sorted(self._updates.items()):
            if step:
                before = sizes.get((row, rival), Fraction(0))
                sizes[row, rival] = before + n * abs(Fraction(step))
        rows, rivals = np.array([*sizes], dtype=np.int64).reshape(-1, 2).T
        exact = ExactVector.of([*sizes.values()], "steps")
        return rows, rivals, exact.integers, exact.unit
