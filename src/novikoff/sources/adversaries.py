"""Sequences made to be hard: the family that meets Novikoff's bound, and one linear in n."""

from __future__ import annotations

import numpy as np

from novikoff.examples import Block
from novikoff.rows import DenseRows


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
