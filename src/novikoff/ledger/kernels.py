"""Kernels: inner products of rows in another space, and the scores that mistakes give in it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from novikoff import _core
from novikoff.storage.checked import Settings, Stored
from novikoff.stream.input_problems import BadExample
from novikoff.stream.number_text import is_finite_number
from novikoff.stream.rows import DenseRows, Flaw, Positions, Rows, Vector, explain, for_core, scored
from novikoff.stream.sums import total

FileKernel: TypeAlias = Literal["linear", "poly", "rbf"]  # of rows of features, as files have
KernelName: TypeAlias = FileKernel | Literal["precomputed"]
AnyKernel: TypeAlias = KernelName | Callable[[Vector, Vector], Any]
Gamma: TypeAlias = float | Literal["auto", "scale"]

_SHAPES: dict[Any, int] = {"linear": 0, "poly": 1, "rbf": 2}
NAMES: tuple[KernelName, ...] = ("linear", "poly", "rbf", "precomputed")
_AT_ONCE = 1 << 21  # kernels held at a time: 16 MB
_MISTAKES = 2048  # whose kernels with the rows are held at a time
_WORTH_THREADS = 256  # rows; each thread first spreads the rows that they are multiplied with
_UNEVEN = 1e-9  # by how much rounding may make a matrix unsymmetric, or its pairs too large


class NotPositive(UserWarning):
    """A matrix that is no kernel: no rows in any space have these inner products."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """K(x, z), with scikit-learn's names: linear, poly, rbf, precomputed, or any function.

    "linear" is x·z, "poly" (gamma x·z + coef0)^degree, and "rbf" exp(−gamma ‖x − z‖²). They are
    summed in a fixed order, so they have the same bits on every machine; of dyadic numbers, linear
    and poly are exact until they exceed 53 bits. A function of two matrices returns their Gram
    matrix. With "precomputed", row i holds the kernels of example i with all examples of the data.
    """

    name: AnyKernel = "poly"
    degree: int = 3
    gamma: Gamma = 1.0
    coef0: float = 1.0

    def __post_init__(self) -> None:
        if not callable(self.name) and self.name not in NAMES:
            known = ", ".join(NAMES)
            raise ValueError(f"kernel must be one of {known}, or a function, not {self.name!r}")
        degree, gamma = self.degree, self.gamma
        is_named = isinstance(gamma, str) and gamma in ("auto", "scale")
        if type(degree) is bool or not isinstance(degree, int | np.integer) or degree < 1:
            raise ValueError(f"degree must be a whole number from 1, not {degree!r}")
        if not is_named and (isinstance(gamma, str) or not is_finite_number(gamma) or gamma <= 0):
            raise ValueError(f"gamma must be 'auto', 'scale' or a number above 0, not {gamma!r}")
        if not (is_finite_number(self.coef0) and self.coef0 >= 0):
            raise ValueError(f"coef0 must be a finite number from 0, not {self.coef0!r}")

    def __str__(self) -> str:
        if self.name == "poly":
            return f"kernel poly ({self.gamma:g} x·z + {self.coef0:g})^{self.degree}"
        return f"kernel rbf, gamma {self.gamma:g}" if self.name == "rbf" else f"kernel {self.name}"

    @property
    def is_precomputed(self) -> bool:
        """Whether rows hold kernels, not features."""
        return self.name == "precomputed"

    def measured(self, rows: Rows, *, whole: bool) -> Kernel:
        """The kernel for data like these rows, which may be the `whole` of them.

        "auto" is 1 over the number of features, and "scale" that over the variance of all values. A
        precomputed matrix is checked.
        """
        if self.is_precomputed:
            if not whole:
                raise ValueError("a precomputed kernel needs all examples at once: use fit")
            _check_matrix(rows)
        if not isinstance(self.gamma, str):
            return self
        gamma = 1.0 / max(1, rows.dim)
        if self.gamma == "scale":
            if not whole:
                raise ValueError(
                    "gamma='scale' needs all examples, which a stream does not have; pass a number"
                )
            values, n = rows.values.reshape(-1).astype(np.float64), max(1, len(rows) * rows.dim)
            mean = total(values) / n
            variance = total(values * values) / n - mean * mean
            gamma = gamma / variance if variance > 0 else 1.0
        return replace(self, gamma=gamma)

    def flaw(self, rows: Rows, *, bias: bool = False) -> tuple[int, Flaw]:
        """The first row that has no kernel with itself, and why; their number if there is none."""
        n, how = len(rows), self._settings(bias=bias)
        at, flaw = _core.kernel_squares(*rows.core, **how, begin=0, end=n, out=np.empty(n))
        return at, Flaw(flaw)

    def gram(self, rows: Rows, of: Rows | None, at: Positions, *, bias: bool = False) -> Vector:
        """A row for each row of `of`, at these positions in the data: its kernels with all `rows`.

        `bias` adds 1: a constant feature in the kernel's space.
        """
        if self.is_precomputed:
            return np.ascontiguousarray(dense(rows).T[at]) + bias
        assert of is not None
        if callable(self.name):
            return np.ascontiguousarray(_called(self.name, rows, of).T) + float(bias)
        out = np.empty((len(of), len(rows)))
        how = {**self._settings(bias=bias), "out": out.reshape(-1)}
        _on_threads(_core.kernel_gram, rows, of, None, len(of), how)
        return out

    def add(
        self,
        tables: Sequence[Vector],
        steps: Sequence[Vector],
        rows: Rows,
        of: Rows | None,
        at: Positions,
        which: Positions,
        example: Positions,
        column: Positions,
        *,
        bias: bool,
    ) -> None:
        """Add step·K of the mistakes, in turn, each to its column of each table, in place.

        The k-th mistake is on row `which[example[k]]` of `of`, and `example` does not decrease. A
        table has a row for each column, and steps of its own.
        """
        if of is not None and not callable(self.name):
            s, *u = (table.reshape(-1) for table in tables)
            how = {**self._settings(bias=bias), "example": example, "column": column}
            how |= {"step": steps[0], "late": steps[1] if u else None}
            how |= {"s": s, "u": u[0] if u else None}
            _on_threads(_core.kernel_scores, rows, of, which, len(which), how)
            return
        for begin in range(0, len(which), _MISTAKES):
            some = which[begin : begin + _MISTAKES]
            gram = self.gram(rows, None if of is None else of.take(some), at[some], bias=bias)
            span = slice(*np.searchsorted(example, [begin, begin + len(gram)]))
            for table, step in zip(tables, steps, strict=True):
                add_mistakes(gram, example[span] - begin, column[span], step[span], table)

    def sums(
        self,
        rows: Rows,
        of: Rows | None,
        at: Positions,
        example: Positions,
        steps: tuple[Vector, ...],
        column: Positions,
        columns: int,
        *,
        bias: bool,
    ) -> tuple[Vector, ...]:
        """Σ step·K(x, row) over the mistakes, each on the row `example` of `of`, for all steps.

        Each mistake is added to its own of so many columns.
        """
        out = tuple(np.zeros((columns, len(rows))) for _ in steps)
        for part, gram in self.parts(rows, of, at, bias=bias):
            for s, step in zip(out, steps, strict=True):
                own = np.zeros((columns, gram.shape[1]))
                add_mistakes(gram, example, column, step, own)
                s[:, part] = own
        return out

    def parts(
        self, rows: Rows, of: Rows | None, at: Positions, *, bias: bool
    ) -> Iterator[tuple[slice, Vector]]:
        """Some of the rows at a time, with their kernels as `gram` has them."""
        size = max(1, _AT_ONCE // max(1, len(at)))
        if self.is_precomputed:  # the core does not read these rows
            _check_finite(rows)
        for first in range(0, len(rows), size):
            which = np.arange(first, min(len(rows), first + size))
            some = rows if len(which) == len(rows) else rows.take(which)
            yield slice(first, first + len(which)), self.gram(some, of, at, bias=bias)

    def _settings(self, *, bias: bool) -> dict[str, Any]:
        """What the core takes; rows of other kernels are checked as those of the linear one."""
        assert not isinstance(self.gamma, str)
        return {
            "shape": _SHAPES.get(self.name, 0),
            "degree": int(self.degree),
            "gamma": float(self.gamma),
            "constant": float(self.coef0),
            "bias": bias,
        }

    def state(self) -> Settings:
        """The kernel as JSON takes it; ValueError for a function."""
        if callable(self.name):
            raise ValueError("a model file cannot hold a kernel that is a function; pickle it")
        return asdict(self)

    @classmethod
    def restored(cls, settings: Settings) -> Kernel:
        """The kernel that `state` described."""
        stored = Stored("kernel", settings, {})
        name, gamma = stored.choice("name", NAMES), stored.number("gamma")
        return stored.made(cls, name, stored.count("degree"), gamma, stored.number("coef0"))


def add_mistakes(
    gram: Vector, example: Positions, column: Positions, step: Vector, s: Vector
) -> None:
    """Add step·K of the mistakes, one by one, each to its column of the scores s, in place.

    Row `example` of `gram` has the kernels of a mistake; s has a row for each column.
    """
    made: dict[str, Any] = {"example": example, "column": column, "step": step}
    _core.kernel_sums(gram=gram.reshape(-1), n=gram.shape[1], s=s.reshape(-1), **made)


def _on_threads(
    core: Any, rows: Rows, of: Rows, which: Positions | None, width: int, how: dict[str, Any]
) -> None:
    """Let the core multiply so many of these rows with `rows`, which threads share."""

    def part(begin: int, end: int, _: Vector) -> tuple[int, int]:
        found: tuple[int, int] = core(*of.core[:3], which, *rows.core, **how, begin=begin, end=end)
        return found

    scored(rows, part, 0, width * (len(rows) >= _WORTH_THREADS), parts_each=1)


def dense(rows: Rows) -> Vector:
    """The rows as one matrix of float64."""
    if isinstance(rows, DenseRows):
        return rows.values.astype(np.float64, copy=False)
    out, (of_row, columns, values) = np.zeros((len(rows), rows.dim)), rows.entries()
    out[of_row, columns] = values
    return out


def _check_finite(rows: Rows) -> None:
    wrong = np.flatnonzero(~np.isfinite(dense(rows)).all(axis=1))
    if len(wrong):
        raise explain(Flaw.VALUE, rows, int(wrong[0]))


def _called(kernel: Callable[[Vector, Vector], Any], rows: Rows, of: Rows) -> Vector:
    """The Gram matrix that a caller's function returns, checked."""
    found = np.asarray(kernel(dense(rows), dense(of)))
    if found.shape != (len(rows), len(of)):
        raise BadExample(
            f"the kernel returned shape {found.shape} for {len(rows)} and {len(of)} rows"
        )
    if found.dtype.kind not in "biuf" or not np.isfinite(found).all():
        raise BadExample("the kernel returned values that are not finite numbers")
    return for_core(found.astype(np.float64))


def _check_matrix(rows: Rows) -> None:
    """Raise BadExample unless rows are a square, symmetric matrix; warn if it is not positive.

    It is not if some pair has K(x, z)² > K(x, x) K(z, z), against Cauchy and Schwarz.
    """
    K: NDArray[np.float64] = dense(rows)
    if K.shape[0] != K.shape[1]:
        raise BadExample(f"a precomputed kernel must be a square matrix, not of shape {K.shape}")
    _check_finite(rows)
    room = _UNEVEN * max(1e-300, float(np.abs(K).max(initial=0.0)))
    if (np.abs(K - K.T) > room).any():
        i, j = np.argwhere(np.abs(K - K.T) > room)[0]
        raise BadExample(
            f"a precomputed kernel must be symmetric, but the pair ({i}, {j}) has {K[i, j]:g} and "
            f"{K[j, i]:g}"
        )
    own = np.maximum(np.diag(K), 0.0)
    wrong = np.abs(K) > np.sqrt(own[:, None] * own) + room
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        warnings.warn(
            f"the kernel matrix is not positive: the pair ({i}, {j}) has {K[i, j]:g}, but "
            f"K({i}, {i}) = {K[i, i]:g} and K({j}, {j}) = {K[j, j]:g}; the bounds do not hold",
            NotPositive,
            stacklevel=2,
        )
