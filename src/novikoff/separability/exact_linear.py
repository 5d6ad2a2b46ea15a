"""Exact linear algebra: which rows are independent, and the solution of a square system."""

from __future__ import annotations

from typing import Any

import flint
import numpy as np

from novikoff.guarantees.check import PRIME
from novikoff.guarantees.exact.arithmetic import Integers, largest
from novikoff.stream.rows import Positions

MOST_NUMBERS = 30_000_000  # in a matrix, as Python integers some gigabytes
MOST_WORK = 3e8  # n² numbers, k right sides, bits of each: about half a minute


class TooLarge(Exception):  # noqa: N818  (it says what is the matter)
    """A matrix too large for exact arithmetic; how large."""


def expect_room(rows: int, columns: int) -> None:
    """Refuse a matrix too large for exact arithmetic before it is made."""
    if rows * columns > MOST_NUMBERS:
        raise TooLarge(f"{rows:,} rows of {columns:,} columns are too many for exact arithmetic")


def independent_columns(matrix: Integers) -> Positions:
    """The first column that is not 0, then each that is no sum of those before it.

    They are found modulo a prime. What is independent then is so in truth; a column may, if the
    prime divides a determinant, be left out wrongly, so who relies on that must check it.
    """
    rows, columns = matrix.shape
    if rows == 0 or columns == 0:
        return np.zeros(0, dtype=np.int64)
    reduced, rank = flint.nmod_mat(rows, columns, (matrix % PRIME).ravel().tolist(), PRIME).rref()
    found, j = [], 0
    for i in range(rank):
        while int(reduced[i, j]) == 0:
            j += 1
        found.append(j)
    return np.array(found, dtype=np.int64)


def independent_rows(matrix: Integers) -> Positions:
    """The first row that is not 0, then each that is no sum of those before it."""
    return independent_columns(np.ascontiguousarray(matrix.T))


def solve(matrix: Integers, right: Integers, *, most: float = MOST_WORK) -> tuple[Integers, int]:
    """Integers X and d > 0 with matrix · X = d · right, for a square matrix of full rank."""
    n, k = right.shape
    if n == 0 or k == 0:
        return np.zeros((n, k), dtype=object), 1
    if n * n * k * largest(matrix).bit_length() > most:
        raise TooLarge(f"a system of {n:,} equations with {k:,} right sides is too large to solve")
    left = flint.fmpz_mat(n, n, matrix.ravel().tolist())
    solution: Any = left.solve(flint.fmpz_mat(n, k, right.ravel().tolist()))
    over, under = solution.numer_denom()
    return np.array([int(x) for x in over.entries()], dtype=object).reshape(n, k), int(under)
