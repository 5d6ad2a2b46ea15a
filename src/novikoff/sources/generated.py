"""Data that need no file: random streams, sequences that force mistakes, the bundled corpus."""

from collections.abc import Iterator, Sequence
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from novikoff.stream.blocks import Block
from novikoff.stream.rows import DenseRows, Positions, SparseRows, Vector
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
            raise ValueError("u must not be 0, and the margin must be between 0 and 1")
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


def tight(n: int) -> Block:
    """The n unit vectors, all labelled +1: the perceptron makes (R/γ)² = n mistakes.

    R = 1, and the best unit vector, (1, …, 1)/√n, has margin γ = 1/√n. Each row is orthogonal to
    all before it, so its score is 0.
    """
    return Block(DenseRows(np.eye(n)), np.ones(n, dtype=np.int8))


def forcing_disjunction(n: int, k: int = 1) -> Block:
    """A sequence labelled by a k-disjunction on which the perceptron errs in every round.

    There are n Boolean attributes; the target is the disjunction of the first k, of which all but
    the first are never on. The rows are those of a Hadamard matrix of order m = 2^p ≤ n − k + 1
    with −1 written as 0: any two share exactly m/4 attributes, and the labels alternate, so the
    score is 0 or has the sign of the previous label. All m − 1 ≥ (n − k)/2 rounds are mistakes,
    with or without a bias, if the first prediction (from a score of 0) is +1 or counts as wrong.

    After Kivinen, Warmuth & Auer (1997), who prove mistakes linear in n for any such rule.
    """
    if not 1 <= k <= n - 3:
        raise ValueError(f"need 1 <= k <= n - 3, got {n=} and {k=}")
    m = 1 << ((n - k + 1).bit_length() - 1)
    hadamard = np.ones((1, 1), dtype=np.int8)
    while len(hadamard) < m:
        hadamard = np.block([[hadamard, hadamard], [hadamard, -hadamard]])
    ones = hadamard[1:] > 0  # without the first row, which is all ones
    rows = np.zeros((m - 1, n))
    rows[:, 0] = ones[:, 1]  # column 1 of a Hadamard matrix alternates: the target
    rows[:, k] = ones[:, 0]
    rows[:, k + 1 : k + m - 1] = ones[:, 2:]
    return Block(DenseRows(rows), np.where(rows[:, 0] > 0, 1, -1).astype(np.int8))


def forcing_winnow1(n: int, threshold: int) -> Block:
    """A sequence on which Winnow1 with α = 2 errs in every round, two mistakes below its bound.

    The target is x₁, and θ is a power of two up to n. Each positive example has x₁ and others that
    make the sum exactly θ, a tie, for as long as x₁ can be promoted: log₂ θ + 1 times. Then each
    negative example has attributes of weight exactly θ, while the others have that much. That makes
    2 log₂ θ + ⌊n/θ⌋ mistakes; the bound is ⌊2(log₂ θ + 1) + n/θ⌋. The learner must have
    `threshold=threshold` and count ties as mistakes.

    After the proof of Littlestone (1988), with every step as large as the proof allows.
    """
    if not 1 <= threshold <= n or threshold.bit_count() != 1:
        raise ValueError(f"threshold must be a power of two up to {n=}, not {threshold}")
    return _forcing(n, threshold, 0.0)


def forcing_winnow2(n: int) -> Block:
    """A sequence of 3 log₂ n rounds, n = 2^m, on which Winnow2 with α = 2 and θ = n always errs.

    The target is x₁. It is built like `forcing_winnow1`, but a demotion halves. The bound,
    2 + 3(1 + log₂ n), is 5 more: the weights cannot end near 0, because x₁ ends with 2n and the
    others with n/2. The learner must count ties as mistakes.

    After the proof of `guarantees.doubling_bound`, with every step as large as it allows.
    """
    if n < 2 or n.bit_count() != 1:
        raise ValueError(f"n must be a power of two from 2, not {n}")
    return _forcing(n, n, 0.5)


def _forcing(n: int, threshold: int, demotion: float) -> Block:
    """Ties with x₁ as long as possible, then ties without it; the weights are simulated."""
    weights, rows, labels = np.ones(n), list[Positions](), list[int]()
    while weights[0] <= threshold:
        rows.append(np.append(0, _of_weight(weights, threshold - weights[0])))
        weights[rows[-1]] *= 2
        labels.append(1)
    while weights[1:].sum() >= threshold:
        rows.append(_of_weight(weights, threshold))
        weights[rows[-1]] *= demotion
        labels.append(-1)
    starts = np.cumsum([0, *map(len, rows)])
    columns = np.concatenate(rows)
    stored = SparseRows(np.ones(len(columns)), columns, starts, n)
    return Block(stored, np.array(labels, dtype=np.int8))


def _of_weight(weights: Vector, target: float) -> Positions:
    """Attributes other than the first whose weights sum to the target.

    The weights are powers of two, so taking the largest that fits each time reaches it.
    """
    chosen = []
    for j in np.argsort(-weights[1:], kind="stable") + 1:
        if 0 < weights[j] <= target:
            chosen.append(j)
            target -= weights[j]
    return np.sort(np.array(chosen, dtype=np.int64))


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
