"""Rows as points of a plane: one or two features as they are, more of them projected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from novikoff.examples import Block
from novikoff.guarantees.exact import Numbers
from novikoff.plots.axes import letters
from novikoff.rows import BadExample, Rows, Vector, dots

CLASSES = ("−1", "+1")
_ITERATIONS = 300
_LARGE = 1e100  # the squares of numbers within it are still numbers


@dataclass(frozen=True, slots=True)
class Linear:
    """Weights w and the constant's b: the score of a row is w·x + b."""

    w: Vector
    b: float
    bias: bool

    @classmethod
    def of(cls, weights: Numbers, dim: int, *, bias: bool) -> Linear:
        """The weights of so many features, the constant's last, as floats; refused if not that."""
        given = list(weights)
        if len(given) != dim + bias:
            also = " and the constant" if bias else " without a constant"
            raise ValueError(f"{len(given)} weights for {dim} features{also}")
        try:
            numbers = np.array([float(v) for v in given])
        except OverflowError:
            raise ValueError(
                "a weight is too large for a float: scale the weights to draw them"
            ) from None
        if not np.isfinite(numbers).all():
            k = int(np.flatnonzero(~np.isfinite(numbers))[0])
            raise ValueError(f"weight {k} is {numbers[k]}, not a number to draw with")
        largest = float(np.abs(numbers).max(initial=0.0))
        if largest and not 1 / _LARGE < largest < _LARGE:
            raise ValueError(f"the largest weight is {largest:.3g}: scale the weights to draw them")
        return cls(numbers[:dim], float(numbers[dim]) if bias else 0.0, bias)

    @property
    def whole(self) -> Vector:
        """The weights with the constant's, if there is one, last."""
        return np.append(self.w, self.b) if self.bias else self.w

    @property
    def length(self) -> float:
        """‖w‖ of the features' weights."""
        return float(np.linalg.norm(self.w))

    @property
    def equation(self) -> str:
        """What holds on its hyperplane."""
        return "w·x + b = 0" if self.bias else "w·x = 0"

    def right_by(self, block: Block) -> Vector:
        """y(w·x + b) of each row: above 0 where it is on its right side."""
        right: Vector = block.labels * dots(block.rows, self.whole, bias=self.bias)
        return right


@dataclass(frozen=True, slots=True)
class View:
    """The places of rows in a plane, and what its axes are called.

    `basis` holds two orthonormal directions (for a single feature, that one and none), so that a
    place is `basis @ x`; weights w in their span have the score (basis @ w)·place + b.
    """

    places: Vector
    basis: Vector
    axes: tuple[str, str]

    @property
    def dim(self) -> int:
        """How many features the rows have."""
        return int(self.basis.shape[1])

    @classmethod
    def of(cls, block: Block, w: Vector, names: Sequence[str] | None = None) -> View:
        """The rows on their own axes or, if these are more than two, on w and across it."""
        expect_rows(block)
        d = block.rows.dim
        if names is not None and len(names) != d:
            raise ValueError(f"{len(names)} names for {d} features")
        x = csr(block.rows)
        if d > 2:
            return cls._projected(x, w)
        if d == 0:
            raise BadExample("the rows have no features: there is nothing to draw")
        called = ["x₁", "x₂"] if d == 2 else ["x"]
        called = called if names is None else [letters(name) for name in names]
        values = x.toarray()
        if d == 1:  # the classes a little apart, so that neither covers the other
            height = np.where(block.labels > 0, 0.12, -0.12)
            return cls(np.column_stack([values, height]), np.array([[1.0], [0.0]]), (called[0], ""))
        return cls(values, np.eye(2), (called[0], called[1]))

    @classmethod
    def _projected(cls, x: csr_array, w: Vector) -> View:
        length = float(np.linalg.norm(w))
        if length:
            first, along = w / length, "w·x/‖w‖: the distance along w"
            across = "first principal direction orthogonal to w"
        else:
            first, along = principal(x, ()), "first principal direction"
            across = "second principal direction"
        basis = np.stack([first, principal(x, (first,))])
        return cls(np.asarray(x @ basis.T), basis, (along, across))


def expect_rows(block: Block) -> None:
    """Refuse a block without rows, or with a number that cannot be drawn."""
    if len(block) == 0:
        raise BadExample("there are no examples to draw")
    dots(block.rows, np.zeros(block.rows.dim))  # names the row and column of NaN or infinity
    largest = float(np.abs(block.rows.values).max(initial=0.0))
    if largest >= _LARGE:
        raise BadExample(f"the largest feature is {largest:.3g}: scale the features to draw them")


def csr(rows: Rows) -> csr_array:
    """The rows as scipy knows them, in float64."""
    rows.put_in_order()
    kept = rows.sparse()
    parts = (kept.values.astype(np.float64), kept.indices, kept.starts)
    return csr_array(parts, shape=(len(kept), kept.dim))


def principal(x: csr_array, orthogonal_to: Sequence[Vector]) -> Vector:
    """The unit vector orthogonal to those given along which the rows vary most.

    By power iteration on their covariance from the row farthest from the mean, so that it is the
    same each time; its largest entry is positive. Where the rows do not vary, some unit vector
    that is orthogonal.
    """
    mean = np.asarray(x.mean(axis=0)).ravel()

    def freed(v: Vector) -> Vector:
        for e in (*orthogonal_to, *orthogonal_to):  # twice: once leaves a trace of rounding
            v = v - (e @ v) * e
        return v

    squares = np.asarray(x.multiply(x).sum(axis=1)).ravel() - 2 * (x @ mean)
    starts = (x[[int(np.argmax(squares))]].toarray().ravel() - mean, *np.eye(len(mean), 3).T)
    spread = float(np.sqrt(x.multiply(x).sum() / x.shape[0])) or 1.0
    v = np.zeros(len(mean))
    for start in starts:
        v = freed(start)
        if np.linalg.norm(v) > 1e-9 * (spread if start is starts[0] else 1.0):
            break
    v = v / np.linalg.norm(v)
    for _ in range(_ITERATIONS):
        along = x @ v - mean @ v
        after = freed(np.asarray(x.T @ along) - mean * along.sum())
        size = float(np.linalg.norm(after))
        if size <= 1e-12 * spread**2 * x.shape[0]:
            break
        after /= size
        still = float(np.abs(after - v).max()) < 1e-12
        v = after
        if still:
            break
    return v if v[int(np.argmax(np.abs(v)))] > 0 else -v
