"""Sequences made to be hard: for the perceptron, its bound met, or linear in n; for Winnow."""

from __future__ import annotations

import numpy as np

from novikoff.stream.blocks import Block
from novikoff.stream.rows import DenseRows, Positions, SparseRows, Vector


def tight(n: int) -> Block:
    """The n unit vectors, all labelled +1: the perceptron makes (R/γ)² = n mistakes.

    R = 1, and the best unit vector, (1, …, 1)/√n, has margin γ = 1/√n on them; each is
    orthogonal to all before, so each is met with score 0.
    """
    return Block(DenseRows(np.eye(n)), np.ones(n, dtype=np.int8))


def forcing_disjunction(n: int, k: int = 1) -> Block:
    """A sequence labelled by a k-disjunction on which the perceptron errs every time.

    n Boolean attributes; the target is the disjunction of the first k, of which all but the first
    are never on. The rows are those of a Hadamard matrix of order m = 2^p ≤ n − k + 1 with −1
    written as 0: any two share exactly m/4 attributes, so with labels that alternate the score is
    0 or has the sign of the label before. All m − 1 ≥ (n − k)/2 rounds are mistakes: with or
    without a bias and whatever a score of 0 means, as long as the first label (−1) is against it.

    References
    ----------
    After Kivinen, Warmuth & Auer (1997), who prove mistakes linear in n for any such rule.
    """
    if not 1 <= k <= n - 3:
        raise ValueError(f"need 1 <= k <= n - 3, got {n=} and {k=}")
    m = 1 << ((n - k + 1).bit_length() - 1)
    hadamard = np.ones((1, 1), dtype=np.int8)
    while len(hadamard) < m:
        hadamard = np.block([[hadamard, hadamard], [hadamard, -hadamard]])
    ones = hadamard[1:] > 0  # the first row, all ones, is like no other
    rows = np.zeros((m - 1, n))
    rows[:, 0] = ones[:, 1]  # column 1 of a Hadamard matrix alternates: the target
    rows[:, k] = ones[:, 0]
    rows[:, k + 1 : k + m - 1] = ones[:, 2:]
    return Block(DenseRows(rows), np.where(rows[:, 0] > 0, 1, -1).astype(np.int8))


def forcing_winnow1(n: int, threshold: int) -> Block:
    """A sequence on which Winnow1 with α = 2 errs every time, two times short of its bound.

    The target is x₁, and θ a power of two up to n. Each positive example has x₁ and others whose
    weights make the sum exactly θ, a tie, for as long as x₁ can be promoted: log₂ θ + 1 times. Then
    each negative one has attributes of weight exactly θ, until the others do not have as much. That
    is 2 log₂ θ + ⌊n/θ⌋ mistakes; the bound is ⌊2(log₂ θ + 1) + n/θ⌋. It must be met with
    `threshold=threshold` and ties that are mistakes.

    References
    ----------
    After the proof of Littlestone (1988), in which each step is made as large as it is.
    """
    if not 1 <= threshold <= n or threshold.bit_count() != 1:
        raise ValueError(f"need a power of two up to {n=} as the threshold, got {threshold}")
    return _forcing(n, threshold, 0.0)


def forcing_winnow2(n: int) -> Block:
    """A sequence on which Winnow2 with α = 2 and θ = n errs every time: 3 log₂ n mistakes, n = 2^m.

    The target is x₁. It is made as `forcing_winnow1` is, but a demotion halves. Its bound,
    2 + 3(1 + log₂ n), is 5 more: the sum of the weights cannot end near 0, for x₁ ends with 2n and
    the others with n/2. It must be met with ties that are mistakes.

    References
    ----------
    After the proof of `guarantees.doubling_bound`, in which each step is made as large as it is.
    """
    if n < 2 or n.bit_count() != 1:
        raise ValueError(f"need a power of two from 2, got {n=}")
    return _forcing(n, n, 0.5)


def _forcing(n: int, threshold: int, demotion: float) -> Block:
    """Ties with x₁ in them while there can be, then ties without it, by weights kept count of."""
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
    """Attributes other than the first that weigh the target together.

    The weights are powers of two, and none of them larger than the target would need: the largest
    that fit are taken first.
    """
    chosen = []
    for j in np.argsort(-weights[1:], kind="stable") + 1:
        if 0 < weights[j] <= target:
            chosen.append(j)
            target -= weights[j]
    return np.sort(np.array(chosen, dtype=np.int64))
