"""Hypothesis strategies for labelled rows, storage layouts and learner settings."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias, TypedDict

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from novikoff.learners import Ties
from novikoff.stream.blocks import Block, Labels
from novikoff.stream.rows import DenseRows, Positions, Rows, SparseRows, Values, Vector

Layout: TypeAlias = Literal["dense", "csr of int32", "csr of int64"]
Precision: TypeAlias = Literal["float32", "float64"]

LAYOUTS: tuple[Layout, ...] = ("dense", "csr of int32", "csr of int64")
PRECISIONS: tuple[Precision, ...] = ("float32", "float64")
TIES: tuple[Ties, ...] = ("mistake", "positive", "negative")
# one feature, sizes around one and two times the eight lanes, and more
WIDTHS = (1, 2, 3, 7, 8, 9, 15, 16, 17, 21)


@dataclass(frozen=True)
class Data:
    """Rows and their labels, in no particular storage layout."""

    X: NDArray[np.float64]
    y: Labels

    def __len__(self) -> int:
        return len(self.y)

    @property
    def dim(self) -> int:
        return int(self.X.shape[1])

    def rows(self, layout: Layout = "dense", precision: Precision = "float64") -> Rows:
        return stored(self.X, layout, precision)

    def block(
        self,
        layout: Layout = "dense",
        precision: Precision = "float64",
        *,
        first: int = 0,
        order: Positions | None = None,
        importances: Vector | None = None,
    ) -> Block:
        rows = self.rows(layout, precision)
        return Block(rows, self.y, first, order, importances=importances)

    def pieces(
        self, cuts: list[int], layout: Layout = "dense", precision: Precision = "float64"
    ) -> list[Block]:
        """The same examples in consecutive blocks that end at the cuts."""
        ends = [0, *sorted(cuts), len(self)]
        spans = [(a, b) for a, b in pairwise(ends) if b > a]
        return [
            Block(stored(self.X[a:b], layout, precision), self.y[a:b], first=a) for a, b in spans
        ]


def stored(X: NDArray[np.float64], layout: Layout, precision: Precision) -> Rows:
    """X in the layout; CSR rows leave out the zeros."""
    given: Values = np.ascontiguousarray(X.astype(precision))
    if layout == "dense":
        return DenseRows(given)
    of_row, columns = (np.ascontiguousarray(places) for places in np.nonzero(given))
    starts = np.searchsorted(of_row, np.arange(len(given) + 1))
    sparse = SparseRows(given[of_row, columns], columns, starts, given.shape[1])
    if layout == "csr of int32":
        sparse.indices, sparse.starts = columns.astype(np.int32), starts.astype(np.int32)
    return sparse


def untidy(X: NDArray[np.float64], dice: np.random.Generator) -> SparseRows:
    """X in CSR with explicit zeros, unsorted entries, and some entries split in two."""
    values, indices, starts = [], [], [0]
    for x in X:
        entries = []
        for j in dice.permutation(len(x)):
            part = float(dice.integers(-4, 5)) if dice.random() < 0.5 else None
            entries += [(j, x[j])] if part is None else [(j, x[j] - part), (j, part)]
        mixed = [entries[k] for k in dice.permutation(len(entries))]
        indices += [j for j, _ in mixed]
        values += [v for _, v in mixed]
        starts.append(len(values))
    return SparseRows(
        np.array(values, dtype=np.float64),
        np.array(indices, dtype=np.int32),
        np.array(starts, dtype=np.int32),
        X.shape[1],
    )


layouts = st.sampled_from(LAYOUTS)
precisions = st.sampled_from(PRECISIONS)
ties = st.sampled_from(TIES)
seeds = st.integers(0, 2**32 - 1)


@st.composite
def dyadic_data(draw: st.DrawFn, *, most_rows: int = 10) -> Data:
    """Small integers over a power of two, with rows of zeros and repeated rows.

    Every sum and product of them is exact in float64, and they are exact in float32, so learners
    must agree with the textbook to the last bit.
    """
    width = draw(st.sampled_from(WIDTHS))
    distinct = draw(st.lists(st.binary(min_size=width, max_size=width), min_size=1, max_size=6))
    known = [np.frombuffer(bytes_, np.int8).astype(np.float64) for bytes_ in distinct]
    known = [np.where(np.abs(x) > 16, 0.0, x) for x in known]
    known.append(np.zeros(width))
    picked = draw(st.lists(st.integers(0, len(known) - 1), min_size=1, max_size=most_rows))
    scale = 2.0 ** -draw(st.integers(0, 4))
    return Data(np.array([known[i] for i in picked]) * scale, draw(labels(len(picked))))


@st.composite
def float_data(draw: st.DrawFn, *, most_rows: int = 24) -> Data:
    """Numbers with every bit of a float32 in use, of many magnitudes, a third of them zeros.

    They are float32 numbers so that both precisions hold the same data; their products and sums
    round.
    """
    width = draw(st.sampled_from(WIDTHS))
    n = draw(st.integers(1, most_rows))
    dice = np.random.default_rng(draw(seeds))
    spread = draw(st.sampled_from((0.0, 1.0, 6.0)))
    X = dice.standard_normal((n, width)) * 10.0 ** dice.uniform(-spread, spread, (n, width))
    X[dice.random((n, width)) < 1 / 3] = 0.0
    if draw(st.booleans()):
        X = X[dice.integers(0, n, n)]
    return Data(X.astype(np.float32).astype(np.float64), draw(labels(n)))


@st.composite
def separable_data(draw: st.DrawFn) -> tuple[Data, NDArray[np.float64]]:
    """Points with small integer coordinates, and a vector through 0 that separates them."""
    width = draw(st.integers(1, 10))
    dice = np.random.default_rng(draw(seeds))
    u = dice.integers(-3, 4, width).astype(np.float64)
    u[dice.integers(width)] = 1.0
    X = dice.integers(-5, 6, (draw(st.integers(1, 12)), width)).astype(np.float64)
    X[X @ u == 0] += u
    return Data(X, np.where(X @ u > 0, 1, -1).astype(np.int8)), u


def labels(n: int) -> st.SearchStrategy[Labels]:
    each = st.lists(st.sampled_from((-1, 1)), min_size=n, max_size=n)
    return each.map(lambda y: np.array(y, dtype=np.int8))


def dyadic_weights(length: int) -> st.SearchStrategy[Vector]:
    each = st.lists(st.integers(-32, 32), min_size=length, max_size=length)
    return each.map(lambda w: np.array(w, dtype=np.float64) / 8)


class Options(TypedDict):
    """The settings of `Additive`."""

    bias: bool
    margin: float
    rate: float
    ties: Ties
    start: Vector | None
    class_weights: tuple[float, float]


@st.composite
def dyadic_options(draw: st.DrawFn, dim: int) -> Options:
    """Settings of `Additive` in which every number is dyadic."""
    bias = draw(st.booleans())
    return {
        "bias": bias,
        "margin": draw(st.sampled_from((0.0, 0.0, 0.25, 1.0, 6.0))),
        "rate": draw(st.sampled_from((1.0, 0.5, 4.0, 0.75, 3.0))),
        "ties": draw(ties),
        "start": draw(st.none() | dyadic_weights(dim + bias)),
        "class_weights": draw(st.sampled_from(((1.0, 1.0), (1.0, 0.5), (3.0, 2.0)))),
    }


def orders(n: int) -> st.SearchStrategy[Positions | None]:
    """None, or a permutation of n rows."""
    mixed = st.permutations(range(n)).map(lambda order: np.array(order, dtype=np.int64))
    return st.none() | mixed


def dyadic_importances(n: int) -> st.SearchStrategy[Vector | None]:
    """None, or an importance for each of n rows, possibly 0."""
    each = st.lists(st.sampled_from((0.0, 0.25, 1.0, 1.5, 3.0)), min_size=n, max_size=n)
    return st.none() | each.map(lambda h: np.array(h, dtype=np.float64))
