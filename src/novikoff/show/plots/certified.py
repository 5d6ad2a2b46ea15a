"""The proof in a certificate, drawn on its data; and what the constant feature changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from novikoff.guarantees.certificate import Certificate
from novikoff.guarantees.verdict import Separation
from novikoff.guarantees.words import separation
from novikoff.separability import certify
from novikoff.show.plots.axes import Panels, legend_below, new_panels
from novikoff.show.plots.colours import BLACK, GREY
from novikoff.show.plots.planes import CLASSES, Linear, draw_line, draw_rows, plane
from novikoff.show.projection import scaled
from novikoff.sources.in_memory import block_of
from novikoff.stream.blocks import Block
from novikoff.stream.printing import count
from novikoff.stream.rows import DenseRows, dots
from novikoff.stream.sums import length

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SECONDS = 20.0  # for each proof in `constant`


def certificate(
    it: Certificate,
    data: Block | tuple[Any, Any],
    *,
    names: Sequence[str] | None = None,
    classes: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the proof of a verdict on separability on the data it is about.

    Complete: the line of the certificate's weights with its margin, as `plane` draws it. Overlap
    and quasi-complete: the area of a point shows its multiplier λ in Σ λ y x = 0, which rules out
    weights with all these points on their correct sides. For quasi-complete separation the line is
    drawn as well; those points are on it. Undecided: what is known so far. `names` and `classes`
    are as for `plane`, by default those in the certificate. The data are a Block or a pair (X, y).
    Reference: Gordan (1873); Albert & Anderson (1984).
    """
    block: Block = block_of(data)
    about = it.data
    if (len(block), block.rows.dim) != (about.rows, about.columns):
        raise ValueError(
            f"the certificate is about {about.rows} rows of {about.columns} columns, the block has "
            f"{len(block)} of {block.rows.dim}"
        )
    names = about.names if names is None else names
    if classes is None:
        classes = CLASSES if about.classes == ("-1", "1") else about.classes
    weights = scaled(it.weights)
    if it.verdict == Separation.COMPLETE:
        ax = plane(block, weights, bias=about.bias, names=names, classes=classes, ax=ax)
    else:
        line = Linear.of(weights, block.rows.dim, bias=about.bias)
        most = max(it.multipliers.values(), default=1)
        each = [it.multipliers.get(i, 0) / most for i in range(len(block))]
        ax, view = draw_rows(block, line, names=names, classes=classes, multipliers=each, ax=ax)
        if length(line.w):
            draw_line(ax, view.normal(line.w), line.b, label=line.equation)
        legend_below(ax)
    ax.set_title(_title(it), fontsize="medium")
    return ax


def _title(it: Certificate) -> str:
    balance = f"the {count(len(it.multipliers))} larger points balance, Σ λ y x = 0"
    match it.verdict:
        case Separation.COMPLETE:
            by = "line" if it.data.columns <= 2 else "hyperplane"
            return f"complete: {separation(it.verdict, of='points', by=by).meaning}"
        case Separation.QUASI_COMPLETE:
            return (
                f"quasi-complete: {count(sum(map(len, it.separated)))} points separated;\n{balance}"
            )
        case Separation.OVERLAP:
            return f"overlap: {balance}"
        case Separation.UNDECIDED:
            return f"undecided: {it.why_undecided}"


def constant(
    block: Block,
    *,
    names: Sequence[str] | None = None,
    classes: Sequence[str] = CLASSES,
    axes: Sequence[Axes] | None = None,
) -> Panels:
    """Draw data of one or two features without and with the constant, and what separates them.

    Without it the line must pass through the origin (for one feature: the threshold is 0). With it
    one feature becomes two: the points are at height 1, and a line through the origin divides them.
    The verdicts above the panels come from `certify`, so they are proved. `names` and `classes` are
    as for `plane`. Reference: Gordan (1873) for the proof of either verdict.
    """
    d = block.rows.dim
    if d not in (1, 2):
        raise ValueError(f"constant takes one or two features, not {d}; choose columns")
    height = 4.6 if d == 2 else 3.6
    without, with_it = new_panels(2, height=height) if axes is None else axes
    for ax, bias in ((without, False), (with_it, True)):
        found = certify(block, fit_intercept=bias, max_seconds=_SECONDS)
        if bias and d == 1:
            _draw_lifted(found, block, "x" if names is None else names[0], classes, ax)
        else:
            certificate(found, block, names=names, classes=classes, ax=ax)
        if not bias or d == 1:
            ax.plot([0], [0], "+", color=BLACK, ms=14, label="the origin", zorder=5)
        legend_below(ax, columns=2)
        which = "with" if bias else "without"
        ax.set_title(f"{which} the constant: {found.verdict}", fontsize="medium")
    return Panels((without, with_it))


def _draw_lifted(
    found: Certificate, block: Block, name: str, classes: Sequence[str], ax: Axes
) -> None:
    """Points of one feature at height 1 of a plane, divided by a line through its origin."""
    lifted = np.column_stack([dots(block.rows, np.ones(1)), np.ones(len(block))])
    weights = scaled(found.weights)
    plane(
        Block(DenseRows(lifted), block.labels),
        weights,
        bias=False,
        names=(name, "the constant"),
        classes=classes,
        ax=ax,
    )
    ax.axhline(1, color=GREY, lw=0.8, zorder=0)
    if weights[0]:
        threshold = -weights[1] / weights[0]
        ax.plot([threshold], [1], "v", color=BLACK, label=f"threshold {threshold:.4g}", zorder=5)
