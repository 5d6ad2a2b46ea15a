"""The check of a certificate at the speed of reading; `guarantees/check.py` is the slow one.

What a certificate says and what follows from facts about the rows is decided in `check.py`, for
both. The facts themselves are found here for all rows at once, exactly: floating point with a bound
on its error decides most signs, and integers the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from novikoff.guarantees.certificate import examples, fingerprint, ranges, spans_text
from novikoff.guarantees.check import (
    Claim,
    Evidence,
    Facts,
    Rejected,
    Whole,
    check_reading,
    check_row,
    claim,
    conclude,
    dot,
    require,
    row_vector,
)
from novikoff.guarantees.exact.arithmetic import ExactVector, packed
from novikoff.guarantees.exact.rows import ExactRows, ExactSum
from novikoff.separability.exact_linear import rank_of
from novikoff.separability.points import orthogonal_to
from novikoff.stream.blocks import Block
from novikoff.stream.rows import Positions, SparseRows


def check_block(certificate: Mapping[str, Any], data: Evidence, block: Block) -> None:
    """Raise Rejected, with the reason, unless the certificate proves its verdict on the block.

    It decides as `check` does; the rows must have passed `usable`.

    References: Gordan (1873); Albert & Anderson (1984); Novikoff (1962) for the margin.
    """
    it = claim(certificate)
    check_reading(it, data)
    # nothing is made that is as large as the claim says before its size is that of the data
    require(0 < len(block) == it.n, f"the data have {len(block)} rows, not {it.n}")
    conclude(it, _facts(it, block), rank_of)


def _facts(it: Claim, block: Block) -> Facts:
    labels, exact = block.signs, ExactRows(block.rows, bias=it.bias)
    w = ExactVector.sparse(it.w, it.d + it.bias)
    side = labels * exact.signs(w) if it.w else np.zeros_like(labels)
    above, others = np.flatnonzero(side > 0), np.flatnonzero(side <= 0)
    multiplied = np.array(sorted(it.times), dtype=np.int64)
    bad = side < 0
    bad[multiplied] |= side[multiplied] > 0
    if it.verdict == "complete":
        bad |= side == 0
    elif it.verdict != "undecided" and it.complement:
        at = np.flatnonzero(side == 0)
        on = ExactRows(block.rows.take(at), bias=it.bias)
        bad[at] |= ~orthogonal_to(on, it.complement)
    return Facts(
        rows=len(block),
        fingerprint=fingerprint(block),
        flaw=_flaw(it, block, int(np.argmax(bad))) if bad.any() else None,
        separated=spans_text(ranges(side > 0)),
        least=exact.least(above, labels[above], w)[1] if len(above) else Fraction(0),
        radius=exact.largest_square(),
        unseparated=_columns(it, block, others),
        multiplied=_wholes(it, block, multiplied),
        cancels=_sum(it, block, it.times).is_zero,
        hull=_sum(it, block, it.hull).squared,
    )


def _flaw(it: Claim, block: Block, i: int) -> Rejected | None:
    (x,) = _wholes(it, block, np.array([i]))
    try:
        check_row(it, i, x, int(block.labels[i]) * dot(it.w, x))
    except Rejected as error:
        return error
    raise AssertionError(f"row {i} is not where the certificate says, but the check allows it")


def _wholes(it: Claim, block: Block, at: Positions) -> list[Whole]:
    """The rows at these positions, each as integers over its own denominator."""
    out = []
    for _, row in examples(Block(block.rows.take(at), block.labels[at])):
        x, below = row_vector((c, v) for c, v in row if v)
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


def _sum(it: Claim, block: Block, times: Mapping[int, int]) -> ExactSum:
    """The sum of these rows, each times its number and the sign of its label."""
    total, at = ExactSum(it.d + it.bias), np.array(sorted(times), dtype=np.int64)
    if len(at):
        signed = [times[i] * int(y) for i, y in zip(at.tolist(), block.labels[at], strict=True)]
        total.add(block.rows, at, packed(signed), Fraction(1))
    return total
