"""Many attributes, few of them relevant: sparse examples labelled by a disjunction of those few."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from novikoff.examples import Block
from novikoff.rows import SparseRows

_ENTRIES = 1 << 22  # of a block, about


class few_relevant:  # noqa: N801  (read as a description: sources.few_relevant(...))
    """Examples of n Boolean attributes, of which k, drawn at random, are relevant.

    An example has `on` attributes on: the others are cut into so many stretches, and one of each
    is on. Half of the examples have a relevant attribute instead of one of these, and are positive.
    Iterated again, it gives the same examples again.

    Attributes
    ----------
    relevant
        The columns of the relevant attributes, in increasing order.
    """

    def __init__(self, examples: int, n: int, k: int, *, on: int = 50, seed: int = 0) -> None:
        if not 1 <= k <= n or not 1 <= on <= n - k:
            raise ValueError(f"need 1 <= k <= n and 1 <= on <= n - k, got {n=}, {k=} and {on=}")
        if n > np.iinfo(np.int32).max:
            raise ValueError(f"columns are 32-bit numbers here: {n=} attributes are too many")
        self.examples, self.n, self.on, self.seed = examples, n, on, seed
        dice = np.random.default_rng((seed, 1988))  # 1988 keeps these draws apart from others
        self.relevant = np.sort(dice.choice(n, size=k, replace=False)).astype(np.int32)
        self._others = np.delete(np.arange(n, dtype=np.int32), self.relevant)

    def __iter__(self) -> Iterator[Block]:
        dice, on = np.random.default_rng((self.seed, 1989)), self.on
        cuts = np.arange(on + 1) * len(self._others) // on
        begins, widths = cuts[:-1].astype(np.int32), np.diff(cuts).astype(np.int32)
        most = max(1, _ENTRIES // on)
        for first in range(0, self.examples, most):
            size = min(most, self.examples - first)
            # one of each stretch: the columns of a row are in order and differ as they are drawn
            within = (dice.random((size, on), dtype=np.float32) * widths).astype(np.int32)
            columns = self._others[np.minimum(within, widths - 1) + begins]
            positive = np.flatnonzero(dice.random(size) < 0.5)
            chosen = self.relevant[dice.integers(len(self.relevant), size=len(positive))]
            place = (columns[positive] < chosen[:, None]).sum(axis=1)
            columns[positive, np.minimum(place, on - 1)] = chosen
            labels = np.full(size, -1, dtype=np.int8)
            labels[positive] = 1
            starts = np.arange(size + 1, dtype=np.int32) * np.int32(on)
            values = np.ones(size * on, dtype=np.float32)
            yield Block(SparseRows(values, columns.ravel(), starts, self.n), labels, first)
