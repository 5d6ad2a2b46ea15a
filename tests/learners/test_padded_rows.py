"""Dense rows are learned eight columns at a time, with the same bits as sparse ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray

from novikoff import Adaptive, Additive, play
from novikoff.ledger.honest_scores import HonestScores
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample
from novikoff.stream.rows import DenseRows, Rows, SparseRows

RULES: list[Any] = [Additive, Adaptive]


def made(n: int, dim: int, value: Any = np.float64, *, noise: float = 0.5) -> Any:
    """Rows with zeros among their numbers, and labels of a linear rule, some of them flipped."""
    dice = np.random.default_rng(n + dim)
    X = (dice.standard_normal((n, dim)) * dice.choice([0.0, 0.3, 1.0, 7.0], (n, dim))).astype(value)
    y = np.where(X.sum(axis=1) + noise * dice.standard_normal(n) > 0, 1, -1)
    return X, y.astype(np.int8)


def csr(X: NDArray[Any]) -> SparseRows:
    found: Any = sp.csr_matrix(X)
    return SparseRows(found.data, found.indices, found.indptr, X.shape[1])


def learned(make: Any, rows: Rows, y: Any, order: Any, *, bias: bool, counting: bool) -> Any:
    """Everything that a run leaves: bits of the weights, of their mean, and of the ledger."""
    learner = make(rows.dim, bias=bias, averaging=True)
    learner.honest = HonestScores() if counting else None
    ledger = play(Block(rows, y, order=order), learner, epochs=2).ledger
    columns = ledger.mistakes
    numbers = [learner.weights, learner.average, columns.scores, columns.steps, columns.squares]
    numbers.append(getattr(learner, "variances", learner.weights))
    numbers.append(learner.honest.counts if learner.honest else learner.weights)
    return [a.tobytes() for a in numbers], columns.rounds.tolist(), columns.rows.tolist()


@pytest.mark.parametrize("counting", [False, True])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("dim", [0, 1, 3, 4, 7, 8, 9, 15, 16, 17, 28])
@pytest.mark.parametrize("make", RULES)
def test_every_width_gives_the_bits_of_sparse_rows(
    make: Any, dim: int, bias: bool, counting: bool
) -> None:
    for value in (np.float32, np.float64):
        X, y = made(60, dim, value)
        for order in (None, np.random.default_rng(0).permutation(60)):
            how: dict[str, Any] = {"bias": bias, "counting": counting}
            dense = learned(make, DenseRows(X), y, order, **how)
            assert dense == learned(make, csr(X), y, order, **how)


@pytest.mark.parametrize("make", RULES)
def test_bits_stay_the_same_while_few_rows_are_learned_from(make: Any) -> None:
    X, y = made(10_000, 5, noise=0.0)  # after 4,096 rows most are right by 1
    how: dict[str, Any] = {"bias": True, "counting": False}
    assert learned(make, DenseRows(X), y, None, **how) == learned(make, csr(X), y, None, **how)


@pytest.mark.parametrize("dim", [5, 8, 12])
@pytest.mark.parametrize("make", RULES)
def test_what_lies_behind_a_row_is_not_part_of_it(make: Any, dim: int) -> None:
    X, y = made(20, dim)
    y[:] = np.where(np.arange(20) % 2, 1, -1)  # so that many rows are learned from
    alone = make(dim, bias=True)
    play(Block(DenseRows(X[:10].copy()), y[:10]), alone)
    X[10] = np.nan
    learner = make(dim, bias=True)
    with pytest.raises(BadExample, match="row 10"):
        play(Block(DenseRows(X), y), learner)
    assert learner.weights.tobytes() == alone.weights.tobytes()
