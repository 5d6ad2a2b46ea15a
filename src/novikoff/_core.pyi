"""The compiled core of novikoff: passes over rows that NumPy owns."""

from collections.abc import Sequence
from typing import Annotated, Any, overload

import numpy
from numpy.typing import NDArray


avx2: bool

avx512: bool

def accumulate(values: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, dim: int, *, example: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], step: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], bias: bool, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Adds step[k] times row example[k] to w, for each k in turn."""

def ascend(values: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, dim: int, *, labels: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], squares: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], bias: bool, alpha: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> float:
    """
    One sweep of coordinate ascent towards the widest margin over rows[order], in place.

    Returns the smallest y <w, x>. Score the rows first: that checks them.
    """

def echelon(*, matrix: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], columns: int, pivots: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> int:
    """
    The reduced row echelon form modulo 2^63 - 25, in place: returns the rank, and writes the column where each row begins.
    """

def squares(values: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, dim: int, *, bias: bool, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """The squared norms of the rows. Score the rows first: that checks them."""

def vote(stored_values: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)], stored_indices: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, stored_starts: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, values: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, dim: int, *, begin: int, end: int, example: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], step: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], survived: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], bias: bool, zero_is_positive: bool, start_scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    The votes on rows[begin:end] of every weight vector of a run, by rounds survived.

    Score the rows first: that checks them.
    """

def copy_spans(source: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], *, start: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], to: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Copies spans of bytes, side by side, into out."""

def fill_order(*, run: int, mix: int, seed: int, out: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Fills out with a seeded order of its own positions."""

SCORE_BINS: int = 4096

SCORE_COUNTS: int = 16385

def count_scores(scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], importances: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, classes: int, counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Counts the scores of examples that were not learned from; with classes, a row of scores each.
    """

def middle_of_bin(bin: int) -> float:
    """The middle of the scores of a bin."""

def logarithms(numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    The natural logarithms, with the same bits on every machine; -inf for 0.
    """

def learn(values: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, dim: int, *, labels: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], importances: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, begin: int, end: int, threshold: tuple[float, float], step: tuple[float, float], unit: float, bias: bool, rounds: int, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], u: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, round: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], row: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], score: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], taken: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], square: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')] | None = None, ends: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')] | None = None, until: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> tuple[int, int, int]:
    """
    One mistake-driven pass over rows[order[begin:end]], updating w, and u if there is one, in place.

    Returns the first position not learned, the flaw there (0: none), and the number of mistakes recorded. The scores of the rows before they were learned from are counted in counts. With ends, up to as many passes are made, until one learns nothing or ends with weights that, times unit, equal until; each entry gets the number of mistakes recorded by the end of its pass.
    """

def learn_together(values: NDArray[Any], indices: NDArray[Any] | None, starts: NDArray[Any] | None, dim: int, *, of: list[tuple[Any, ...]], importances: NDArray[numpy.float64] | None, order: NDArray[numpy.int64] | None, begin: int, end: int, unit: float, bias: bool, narrow: NDArray[numpy.float32], is_filled: bool, round: NDArray[numpy.int64], row: NDArray[numpy.int64], score: NDArray[numpy.float64], taken: NDArray[numpy.float64], square: NDArray[numpy.float64]) -> tuple[int, int, list[int]]:
    """
    The same pass for up to 32 perceptrons (labels, threshold, step, rounds, w, u, counts) over the same sparse rows.

    Returns the first position that not all have learned, how many of the first have, and the number of mistakes of each. The records of each come after those of the one before it, in equal shares. narrow has room for a copy of all weights; it is filled if it comes from a call with the same weights.
    """

def adapt(values: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, dim: int, *, labels: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], importances: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, begin: int, end: int, step: tuple[float, float], r: float, full: bool, bias: bool, rounds: int, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], variance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], u: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, round: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], row: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], score: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], taken: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], square: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')] | None = None) -> tuple[int, int, int]:
    """
    The same pass with a variance for each weight, or with a full matrix of them, updating both in place; returns the same.
    """

def adapt_again(values: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, dim: int, *, example: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], round: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], step: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], importance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], r: float, full: bool, bias: bool, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], variance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], u: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None) -> None:
    """Repeats the updates that `adapt` recorded, in place."""

def multiply(values: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, dim: int, *, labels: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], importances: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, begin: int, end: int, threshold: tuple[float, float], step: tuple[float, float], bias: bool, rounds: int, alpha: float, balanced: bool, erases: bool, theta: float, powers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], round: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], row: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], score: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], taken: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], square: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')] | None = None) -> tuple[int, int, int]:
    """
    The same pass with weights alpha^powers, updating both in place; returns the same.
    """

def scores(values: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, dim: int, *, begin: int, end: int, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], bias: bool, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], signs: bool = False) -> tuple[int, int]:
    """
    The scores <w, x> of rows[begin:end]; returns the first row not scored, and its flaw. If only their signs are needed, faster.
    """

def predict(values: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, dim: int, *, begin: int, end: int, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], bias: bool, zero_is_positive: bool, labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int]:
    """
    For each of rows[begin:end] the second of two labels if its score is positive, otherwise the first; returns the same.
    """

def power_scores(values: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, dim: int, *, begin: int, end: int, alpha: float, balanced: bool, theta: float, powers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], bias: bool, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int]:
    """
    The scores <w, x> - theta of rows[begin:end] with weights alpha^powers; returns the same.
    """

def weights_of(*, alpha: float, balanced: bool, powers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """The weights that have these powers."""

def evaluate_subsets(*, x: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], turned: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], n: int, k: int, signs: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], table: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], at: int, out: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Writes the answer of each set of k of n variables on the example x, as bits from bit `at`.

    The patterns of signs follow one another; from bit `at` on, out must be 0 and have room.
    """

def count_both(a: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int:
    """The number of bits that are on in both sets."""

def keep(a: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu')], b: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, on: bool) -> None:
    """
    Turns off, in place, the bits of a that are off in b; with on=False, those that are on.
    """

def places(a: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, out: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> int:
    """
    Writes the positions of the bits that are on, while there is room; returns their number.
    """

def eliminate(values: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, dim: int, *, labels: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], importances: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, begin: int, end: int, sign: int, rounds: int, plain: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], negated: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], drops: int, left: int, round: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], row: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], square: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int, int, int]:
    """
    Learns a conjunction from rows of zeros and ones by dropping literals, in place.

    Returns the position after the last row used, a flaw, the number of mistakes, and the
    number of plain literals left.
    """

def conjoin(values: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, dim: int, *, begin: int, end: int, plain: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], negated: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], drops: int, left: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int]:
    """
    Writes 1 for each row that makes all remaining literals true, otherwise -1.

    Returns the position after the last row used, and a flaw.
    """

def joint_learn(values: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, dim: int, *, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], importances: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, begin: int, end: int, threshold: float, step: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], unit: float, bias: bool, rounds: int, width: int, classes: int, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], u: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, round: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], row: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], score: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], taken: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], square: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], right: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], rival: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')] | None = None) -> tuple[int, int, int, int]:
    """
    One mistake-driven pass for many classes over rows[order[begin:end]], updating w, and u if there is one.

    Returns the first position not learned, the flaw there (0: none), the number of mistakes recorded, and the number of classes met.
    """

def joint_adapt(values: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, dim: int, *, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], importances: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, begin: int, end: int, step: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], r: float, bias: bool, rounds: int, width: int, classes: int, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], variance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], u: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, round: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], row: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], score: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], taken: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], square: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], right: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], rival: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')] | None = None) -> tuple[int, int, int, int]:
    """
    The same pass with a variance for each weight, updating both in place; returns the same.
    """

def joint_adapt_again(values: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, dim: int, *, example: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], round: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], step: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], importance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], rival: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], r: float, bias: bool, width: int, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], variance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], u: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None) -> None:
    """Repeats the updates that `joint_adapt` recorded, in place."""

def joint_scores(values: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, dim: int, *, begin: int, end: int, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], bias: bool, width: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int]:
    """
    The scores of rows[begin:end] for every class; returns the first row not scored, and its flaw.
    """

def joint_accumulate(values: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, dim: int, *, example: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], step: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], rival: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], bias: bool, width: int, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Adds step[k] times row example[k] to class right[k] and takes it from rival[k].
    """

def joint_vote(stored_values: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)], stored_indices: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, stored_starts: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, values: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, dim: int, *, begin: int, end: int, example: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], step: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], rival: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], survived: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], bias: bool, classes: int, start_scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    The votes for each class on rows[begin:end] of every step of a run, by rounds survived.

    Score the rows first: that checks them.
    """

def kernel_learn_within(*, gram: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], importances: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, threshold: tuple[float, float], step: tuple[float, float], unit: float, rounds: int, count: int, seed: int, made: int, kept: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], steps: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], met: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], round: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], row: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], score: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], taken: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], square: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int, int, int]:
    """
    A pass that keeps as many mistakes as `kept` has room for; returns as `learn` does, and how many are kept.
    """

def kernel_squares(values: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, dim: int, *, shape: int, degree: int, gamma: float, constant: float, bias: bool, begin: int, end: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int]:
    """
    The kernel of each of rows[begin:end] with itself; returns the first row without one, and its flaw.
    """

def kernel_gram(stored_values: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)], stored_indices: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, stored_starts: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, which: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, values: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, dim: int, *, shape: int, degree: int, gamma: float, constant: float, bias: bool, begin: int, end: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int]:
    """
    The kernels of all (or these) stored rows with rows[begin:end]: out has a row for each stored row, and a column for each row; returns the first row not read, and its flaw.
    """

def kernel_sums(*, gram: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n: int, example: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], column: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], step: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], s: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Adds the mistakes to the scores of n rows, one by one, in place: each to its column.
    """

def kernel_scores(stored_values: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)], stored_indices: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, stored_starts: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, which: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)], indices: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, starts: Annotated[NDArray[Any], dict(order='C', device='cpu', writable=False)] | None, dim: int, *, shape: int, degree: int, gamma: float, constant: float, bias: bool, begin: int, end: int, example: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], column: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], step: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], late: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, s: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], u: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None) -> tuple[int, int]:
    """
    Adds the mistakes to the scores of rows[begin:end], as `kernel_sums` does, with the kernels of these stored rows, whose numbers in `example` do not decrease; returns the first row not read, and its flaw.
    """

def kernel_votes(*, gram: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], example: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], step: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], survived: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], zero_is_positive: bool, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """The votes on the rows of a Gram matrix, by rounds survived."""

def kernel_joint_votes(*, gram: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], example: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], step: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], rival: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], survived: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: int, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    The votes for each class on the rows of a Gram matrix, by rounds survived.
    """

def kernel_joint_learn(*, gram: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], importances: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, threshold: float, step: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], unit: float, rounds: int, classes: int, s: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], u: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, round: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], row: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], score: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], taken: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], square: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], right: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], rival: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')] | None) -> tuple[int, int, int, int]:
    """
    A pass over rows with these kernels and scores, many classes jointly; returns as `joint_learn` does.
    """

def kernel_learn(*, gram: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], importances: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, threshold: tuple[float, float], step: tuple[float, float], unit: float, rounds: int, s: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], u: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, met: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], round: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], row: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], score: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], taken: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], square: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> tuple[int, int, int]:
    """
    One mistake-driven pass over rows with these kernels and scores, which are updated in place; returns as `learn` does.
    """

class OnlineRuns:
    """The runs that learn from each example, over weights that NumPy owns."""

    def __init__(self, dim: int, *, bias: bool, keep: str) -> None: ...

    def add_perceptron(self, *, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], u: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, threshold: tuple[float, float], step: tuple[float, float], unit: float, rounds: int, mean: bool) -> None:
        """A perceptron; with `mean` it predicts by the average."""

    def add_adaptive(self, *, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], variance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], u: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, step: tuple[float, float], r: float, rounds: int, mean: bool) -> None:
        """An adaptive perceptron; with `mean` it predicts by the average."""

    def count_scores(self, counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Let the run that was added last count its scores before learning."""

    def add_winnow(self, *, powers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threshold: tuple[float, float], step: tuple[float, float], alpha: float, balanced: bool, erases: bool, theta: float, rounds: int) -> None:
        """Winnow."""

    def add_joint(self, *, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], u: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, threshold: float, step: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], unit: float, classes: int, rounds: int, mean: bool) -> None:
        """A perceptron for many classes; it must be the only run."""

    def add_joint_adaptive(self, *, w: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], variance: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], u: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None, step: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], r: float, classes: int, rounds: int, mean: bool) -> None:
        """An adaptive perceptron for many classes; it must be the only run."""

class Online:
    """
    Feature names with their columns, and runs that learn one example at a time.
    """

    def __init__(self, *, by_name: bool, hash_bits: int = 0, most: int = 0) -> None: ...

    def open(self, runs: OnlineRuns, *, seen: int) -> None:
        """Continue these runs, which have seen this many examples."""

    def become(self, other: Online) -> None:
        """Take over the state of another object of the same kind."""

    def name_labels(self, codes: dict[Any, int], labels: tuple[Any, ...], *, zero_is_positive: bool, order: list[int]) -> None:
        """Set the code of each label, and the labels that are predicted."""

    def learn(self, x: object, y: object, /) -> int:
        """Learn one example; 0, or the reason why nothing was learned."""

    def learn_weighed(self, x: object, y: object, importance: float, /) -> int:
        """The same, with an importance that multiplies a step."""

    def learn_as(self, x: object, code: int, importance: float, /) -> int:
        """The same, with the code of the label."""

    def predict(self, x: object, /) -> object:
        """
        The label predicted for x; NotImplemented if it cannot be read or scored.
        """

    def decide(self, x: object, /) -> object:
        """
        The score of x, or a dict of scores by label; NotImplemented as for predict.
        """

    def learn_each(self, xs: list[Any], ys: list[Any], first: int, /) -> int:
        """
        Learn the examples from `first` on while `learn` gives 0; how many that were.
        """

    def answer_each(self, xs: list[Any], /) -> list[Any]:
        """The pair of `predict` and `decide` for each x, or NotImplemented."""

    def rows(self, xs: list[Any], *, adding: bool) -> int | tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """
        The CSR arrays of these dicts; or the index of the first that is not plain.
        """

    def take(self) -> list[dict[str, Any]]:
        """The recorded mistakes of each run that the ledger does not have yet."""

    def undo(self) -> None:
        """Remove the names that were added last."""

    def settle(self) -> None:
        """Keep the names that were added last."""

    def hold(self, held: bool) -> None:
        """Learn nothing until released."""

    @property
    def waits(self) -> bool: ...

    @property
    def single(self) -> bool: ...

    @property
    def flaw(self) -> int: ...

    @property
    def wanted(self) -> int: ...

    @property
    def columns(self) -> int: ...

    @property
    def position(self) -> int: ...

    def __len__(self) -> int: ...

    def column_of(self, name: str) -> int:
        """The column of a name; -1 if it has none."""

    def name_of(self, column: int) -> str | None:
        """The name of a column."""

    def weight(self, run: int, column: int, output: int = 0) -> float:
        """One of the weights that predict."""

    def named(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """The columns that have names, and how often each was used."""

    def put_names(self, names: Sequence[str], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], examples: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], last: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int) -> None:
        """Restore saved names, among `width` columns."""

class SlotNames:
    """The first name that used each of 2^bits columns."""

    def __init__(self, bits: int, most: int) -> None:
        """No more than `most` names are held."""

    def __len__(self) -> int: ...

    def meet(self, slots: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Hold each name whose column has none."""

    def held(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
        """The columns with a name in order, and the names."""

    def __getitem__(self, slot: int) -> bytes | None:
        """The name of a column; None if none is held."""

def parse_svmlight(text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], *, length: int, allowed: int) -> dict[str, Any]:
    """
    The examples of text[:length], and the lines that cannot be read: it stops when these are
    more than allowed. The text needs 16 bytes more after its length.
    """

def parse_vw(text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], *, length: int, allowed: int, labelled: bool, bits: int = 0, most_names: int = 0, known: SlotNames | None = None) -> dict[str, Any]:
    """
    The same for Vowpal Wabbit's text, which ends with a line's end or right before one. If
    labelled, a line without a label is bad. With bits, names are hashed to 2^bits columns, and
    those of columns that have a name among the known ones are left out of names.
    """

def parse_jsonl(text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], *, length: int, allowed: int, label: str, labelled: bool, weight: str, weighed: bool, missing: str, ignored: Sequence[str], texts: Sequence[str], rule: tuple[int, int, bool]) -> dict[str, Any]:
    """
    The same for an object of JSON on each line: the key called label is the label, and the one
    called weight, if that is not empty, the importance, which each line must have if weighed;
    null is refused, zero (nothing), or indicated by a feature of its own, as missing says;
    whatever is at the keys ignored is left out, and texts at the keys texts are read by words,
    as the rule says.
    """

def plain_batch(body: bytes) -> tuple[list[bytes], int, int] | None:
    """
    The objects of {"examples": [{"features": {...}}, ...]}, the members of the largest one, and
    the length of the longest key; None if one is not plain: flat, with keys and texts of
    printable ASCII characters without escapes, and no key twice.
    """

def parse_texts(text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, prefix: str, rule: tuple[int, int, bool]) -> dict[str, Any]:
    """
    The words of each text[starts[k]:starts[k + 1]], in UTF-8, as features whose names begin
    with the prefix. The rule: 0 for words, 1 for pairs, 2 for characters; 0 for counts, 1 for
    ones, 2 for logarithms; whether the features of a text have length 1.
    """

def csv_cut(text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], *, length: int, separator: str, quotes: bool) -> int:
    """
    The number of bytes of text[:length] that are whole records of a table; if the separator is
    a space, a run of spaces is one.
    """

def csv_records(text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], *, length: int, separator: str, quotes: bool, most: int) -> list[Any]:
    """
    The first records of a table: of each the line it begins on and the one after it, from 0,
    where it ends, its fields, and what is wrong with its quotes (0: nothing).
    """

def parse_csv(text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], *, length: int, allowed: int, separator: str, quotes: bool, decimal_comma: bool, kinds: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], positions: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], names: Sequence[bytes], missing: int, labelled: bool, rule: tuple[int, int, bool], bits: int, most_names: int, known: SlotNames | None = None) -> dict[str, Any]:
    """
    The examples of a table without its header: rows of numbers, each at its column's position,
    or named features if a column holds texts or what is missing is to be a feature. The rule
    is that of parse_texts. With bits, names are hashed to 2^bits columns at once: the rows are
    over these, in order, and names are the first ones of their columns, with these as hashes,
    but for columns that have a name among the known ones.
    """

def read_number(text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], *, length: int) -> float | None:
    """
    The number that text[:length] writes: None if none, infinity if it is too large.
    """

def hash_names(text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
    """The hash of each name text[starts[k]:starts[k + 1]]."""

@overload
def renumber(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], int]:
    """
    Rows whose columns are columns[index], or the index itself, sorted along a row, equal ones added up, those below 0
    left out: values, indices, starts, and how many were left out.
    """

@overload
def renumber(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], indices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, columns: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], int]: ...

class NamePlaces:
    """The columns of names: 0, 1, 2 and so on, as they appear."""

    def __init__(self) -> None: ...

    def __len__(self) -> int: ...

    def find(self, text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """
        The column of each name text[starts[k]:starts[k + 1]]; -1 if it has none.
        """

    def place(self, text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """The same, but new names get the next columns."""

    def held(self) -> tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
        """The names in the order of their columns: text and starts."""

    def __getitem__(self, column: int) -> bytes:
        """The name of a column."""
