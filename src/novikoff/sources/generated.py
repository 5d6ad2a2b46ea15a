"""Data that need no file: random streams with a known separator, and the bundled corpus."""

from collections.abc import Iterator, Sequence
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from novikoff.stream.blocks import Block
from novikoff.stream.rows import DenseRows, SparseRows, Vector
from novikoff.stream.sums import length, lengths, products


class separable:  # noqa: N801  (read as a verb: sources.separable(...))
    """n random points of the unit ball that u separates with at least the given margin."""

    def __init__(
        self,
        n: int,
        u: Sequence[float] | NDArray[np.float64],
        *,
        margin: float,
        seed: int = 0,
        block: int = 4096,
    ) -> None:
        direction = np.asarray(u, dtype=np.float64)
        size = length(direction)
        if size == 0 or not 0 < margin < 1:
            raise ValueError("need a nonzero u and a margin between 0 and 1")
        self.n, self.margin, self.seed, self.block = n, margin, seed, block
        self.u: Vector = direction / size

    def __iter__(self) -> Iterator[Block]:
        # 1962 makes these draws independent of a u drawn from the same seed
        dice = np.random.default_rng((self.seed, 1962))
        for first in range(0, self.n, self.block):
            size = min(self.block, self.n - first)
            points = dice.standard_normal((size, len(self.u)))
            points *= dice.random((size, 1)) / lengths(points)[:, None]
            along = products(points, self.u)
            sign = np.where(along >= 0, 1.0, -1.0)
            across = points - np.outer(along, self.u)
            reach = np.maximum(np.abs(along), self.margin * (1 + 1e-9))
            room = np.sqrt(1 - reach**2)
            width = lengths(across)
            across *= np.minimum(1.0, room / np.maximum(width, 1e-300))[:, None]
            points = across + np.outer(sign * reach, self.u)
            yield Block(DenseRows(points), sign.astype(np.int8), first)


_ENTRIES = 1 << 22  # entries of a block, at most


class few_relevant:  # noqa: N801  (read as a description: sources.few_relevant(...))
    """Sparse examples of n Boolean attributes, labelled by a disjunction of k random ones.

    An example has `on` attributes on: the irrelevant attributes are cut into `on` stretches, and
    one of each stretch is on. In half of the examples a relevant attribute replaces one of them;
    these are positive. Every iteration gives the same examples.

    Attributes
    ----------
    relevant
        The columns of the relevant attributes, in increasing order.
    """

    def __init__(self, examples: int, n: int, k: int, *, on: int = 50, seed: int = 0) -> None:
        if not 1 <= k <= n or not 1 <= on <= n - k:
            raise ValueError(f"need 1 <= k <= n and 1 <= on <= n - k, got {n=}, {k=} and {on=}")
        if n > np.iinfo(np.int32).max:
            raise ValueError(f"n must be below 2^31, not {n}")
        self.examples, self.n, self.on, self.seed = examples, n, on, seed
        dice = np.random.default_rng((seed, 1988))  # 1988 makes these draws independent of others
        self.relevant = np.sort(dice.choice(n, size=k, replace=False)).astype(np.int32)
        self._others = np.delete(np.arange(n, dtype=np.int32), self.relevant)

    def __iter__(self) -> Iterator[Block]:
        dice, on = np.random.default_rng((self.seed, 1989)), self.on
        cuts = np.arange(on + 1) * len(self._others) // on
        begins, widths = cuts[:-1].astype(np.int32), np.diff(cuts).astype(np.int32)
        most = max(1, _ENTRIES // on)
        for first in range(0, self.examples, most):
            size = min(most, self.examples - first)
            # one of each stretch, so the columns of a row are different and in order
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


def spamassassin() -> tuple[Block, list[str]]:
    """Word counts of 6,046 messages, spam +1 and ham −1, and the words of the 25,572 columns.

    The SpamAssassin public corpus (data ODC-PDDL 1.0, contents CC0 1.0). The messages are sorted by
    class, so shuffle them. They are separable: γ = .242 with a bias, R = 4373.
    """
    with (files("novikoff") / "data" / "spamassassin.npz").open("rb") as file, np.load(file) as at:
        words = at["words"].tobytes().decode().split("\n")
        rows = SparseRows(
            at["counts"].astype(np.float64),
            at["columns"].astype(np.int32),
            at["starts"],
            len(words),
        )
        return Block(rows, at["labels"]), words
