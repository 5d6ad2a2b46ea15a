"""The check of a certificate at the speed of reading; `guarantees/check.py` is the slow one.

What a certificate says and what follows from facts about the rows is decided in `check.py`, for
both. The facts themselves are found here for all rows at once, exactly: floating point with a bound
on its error decides most signs, and integers the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.guarantees import check
from novikoff.guarantees.certificate import add_to_fingerprint, examples, merged, ranges, spans_text
from novikoff.guarantees.check import Claim, Evidence, Facts, Fingerprint, Rejected, Whole, claim
from novikoff.guarantees.exact.arithmetic import ExactVector, packed
from novikoff.guarantees.exact.rows import ExactRows, ExactSum, GramRows
from novikoff.separability.exact_linear import rank_of
from novikoff.separability.points import orthogonal_to
from novikoff.stream.blocks import Block, Labels
from novikoff.stream.rows import Positions, SparseRows


def check_blocks(
    certificate: Mapping[str, Any], data: Evidence, rows: int, blocks: Iterable[Block]
) -> None:
    """Raise Rejected, with the reason, unless the certificate proves its verdict on the blocks.

    It decides as `check` does, and holds one block at a time; the rows must have passed `usable`.

    References: Gordan (1873); Albert & Anderson (1984); Novikoff (1962) for the margin.
    """
    it = claim(certificate)
    check.check_reading(it, data)
    # nothing is made that is as large as the claim says before its size is that of the data
    check.require(0 < rows == it.n, f"the data have {rows} rows, not {it.n}")
    gathered = Gathered(it)
    for block in blocks:
        gathered.add(block)
    check.conclude(it, gathered.facts(), rank_of)


class Gathered:
    """What rows that come in blocks say about a claim; `first` is the position of the first one."""

    def __init__(self, it: Claim, first: int = 0) -> None:
        self._it, self._first, self._at = it, first, first
        self._w = ExactVector.sparse(it.w, it.d + it.bias)
        self._zero, self._hull = (ExactSum(it.d + it.bias) for _ in range(2))
        self._multiplied, self._unseparated = list[Whole](), set[int]()
        self._flaw: Rejected | None = None
        self.digest, self.separated, self.radius = Fingerprint(), list[range](), Fraction(0)
        self.least: Fraction | None = None
        self._gram: GramRows | None = None

    def add(self, block: Block) -> tuple[Labels, NDArray[np.bool_]]:
        """On which side of the weights each row is: 1 is its own; and which rows are flaws."""
        it, labels, exact = self._it, block.signs, ExactRows(block.rows, bias=self._it.bias)
        if it.model is not None and it.model.kernel:
            is_positive = it.model.kernel != "precomputed"
            # a matrix comes in one block
            self._gram = exact = GramRows(block.rows, bias=it.bias, is_positive=is_positive)
            self._signs = labels
        side = labels * exact.signs(self._w) if it.w else np.zeros_like(labels)
        above, others = np.flatnonzero(side > 0), np.flatnonzero(side <= 0)
        bad = side < 0
        if it.verdict == "complete":
            bad |= side == 0
        elif it.verdict != "undecided" and it.complement:
            at = np.flatnonzero(side == 0)
            on = ExactRows(block.rows.take(at), bias=it.bias)
            left = [v for v in it.complement if not exact.all_orthogonal(v)]
            bad[at] |= ~orthogonal_to(on, left)
        multiplied = self._add_to(self._zero, it.times, block)
        self._multiplied += _wholes(it, block, multiplied)
        bad[multiplied] |= side[multiplied] > 0
        self._add_to(self._hull, it.hull, block)
        if self._flaw is None and bad.any():
            self._flaw = _flaw(it, block, int(np.argmax(bad)), self._at)
        self.separated += [range(self._at + r.start, self._at + r.stop) for r in ranges(side > 0)]
        if len(above):
            least = exact.least(above, labels[above], self._w)[1]
            self.least = least if self.least is None else min(least, self.least)
        self.radius = max(self.radius, exact.largest_square())
        self._unseparated |= _columns(it, block, others)
        cuts = sorted(cut - self._at for cut in it.cuts if 0 <= cut - self._at < len(block))
        for k, rows in enumerate(np.split(np.arange(len(block)), cuts)):
            if k:
                self.digest.cut(self._at + cuts[k - 1])
            add_to_fingerprint(self.digest, block, rows)
        self._at += len(block)
        return side, bad

    def _add_to(self, total: ExactSum, times: Mapping[int, int], block: Block) -> Positions:
        """Add those rows that are multiplied, with the signs of their labels, and say which."""
        within = sorted(i - self._at for i in times if 0 <= i - self._at < len(block))
        at = np.array(within, dtype=np.int64)
        if within:
            signs = block.labels[at].tolist()
            signed = [times[i + self._at] * y for i, y in zip(within, signs, strict=True)]
            total.add(block.rows, at, packed(signed))
        return at

    def facts(self) -> Facts:
        """What all rows so far say."""
        size, hull = self._w.squared, self._hull.squared
        if self._gram is not None:
            size = self._gram.square_of(self._w)
            hull = self._gram.square_of_sum(self._it.hull, self._signs)
        return Facts(
            rows=self._at - self._first,
            fingerprint=str(self.digest),
            flaw=self._flaw,
            separated=spans_text(merged(self.separated)),
            least=self.least or Fraction(0),
            radius=self.radius,
            size=size,
            unseparated=self._unseparated,
            multiplied=self._multiplied,
            cancels=self._zero.is_zero,
            hull=hull,
        )


def _flaw(it: Claim, block: Block, i: int, first: int) -> Rejected:
    (x,) = _wholes(it, block, np.array([i]))
    try:
        check.check_row(it, first + i, x, int(block.labels[i]) * check.dot(it.w, x))
    except Rejected as error:
        return error
    raise AssertionError(f"row {i} is not where the certificate says, but the check allows it")


def _wholes(it: Claim, block: Block, at: Positions) -> list[Whole]:
    """The rows at these positions, each as integers over its own denominator."""
    out = []
    for _, row in examples(Block(block.rows.take(at), block.labels[at])):
        x, below = check.row_vector((c, v) for c, v in row if v)
        if it.bias:
            x[it.d] = below
        out.append(x)
    return out


def _columns(it: Claim, block: Block, at: Positions) -> set[int]:
    """The columns that the rows at these positions use."""
    rows = block.rows if len(at) == len(block) else block.rows.take(at)
    used = np.zeros(rows.dim, dtype=np.bool_)
    if isinstance(rows, SparseRows):
        used[rows.indices[rows.values != 0]] = True
    else:
        used |= rows.values.any(axis=0)
    return {*np.flatnonzero(used).tolist(), *([it.d] if it.bias and len(at) else [])}
