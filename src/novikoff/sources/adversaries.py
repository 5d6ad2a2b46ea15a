"""Adversarial sequences, which force the perceptron or Winnow to make many mistakes."""

import numpy as np

from novikoff.stream.blocks import Block
from novikoff.stream.rows import DenseRows, Positions, SparseRows, Vector


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
