"""What a certificate proves, looked at; and what the constant feature is good for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from novikoff.guarantees.certificate import Certificate
from novikoff.guarantees.verdict import Separation
from novikoff.separability import certify
from novikoff.show.plots.axes import BLACK, GREY, expect_panels, legend_below
from novikoff.show.plots.planes import (
    CLASSES,
    Linear,
    View,
    draw_line,
    draw_points,
    frame,
    plane,
    plane_axes,
)
from novikoff.show.plots.runs import sized
from novikoff.stream.blocks import Block
from novikoff.stream.rows import DenseRows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SECONDS = 20.0


def certificate(
    it: Certificate,
    block: Block,
    *,
    names: Sequence[str] | None = None,
    classes: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """The proof of a verdict on separability, drawn on the data it is about.

    Complete: the line of the certificate's weights, with its margin, as `plane` draws it. Overlap
    and quasi-complete: the points of the proof are the larger the larger their multipliers λ, with
    Σ λ y x = 0, which no weights could be on the right side of; a quasi-complete separation also
    has its line, with those points on it. Undecided: what is known so far.

    Parameters
    ----------
    it, block
        The certificate, and the examples it was made for.
    names, classes
        As for `plane`; by default those in the certificate.

    References
    ----------
    Gordan (1873); Albert & Anderson (1984).
    """
    about = it.data
    if (len(block), block.rows.dim) != (about.rows, about.columns):
        raise ValueError(
            f"the certificate is about {about.rows} rows of {about.columns} columns, the block has "
            f"{len(block)} of {block.rows.dim}"
        )
    names = about.names if names is None else names
    if classes is None:
        classes = CLASSES if about.classes == ("-1", "1") else about.classes
    largest = max(map(abs, it.weights), default=0) or 1
    weights = [w / largest for w in it.weights]  # they may be too large for floats
    if it.verdict == Separation.COMPLETE:
        ax = plane(block, weights, bias=about.bias, names=names, classes=classes, ax=ax)
        ax.set_title("complete: the line has every point on its right side", fontsize="medium")
        return ax
    line = Linear.of(weights, block.rows.dim, bias=about.bias)
    view = View.of(block, line.w, names)
    ax = plane_axes(view) if ax is None else ax
    frame(ax, view, line)
    most = max(it.multipliers.values(), default=1)
    sizes = sized([it.multipliers.get(i, 0) / most for i in range(len(block))])
    draw_points(ax, view.places, block.signs, classes, sizes)
    if line.length:
        draw_line(ax, view.basis @ line.w, line.b, label=line.equation)
    ax.set_title(_said(it), fontsize="medium")
    legend_below(ax)
    return ax


def _said(it: Certificate) -> str:
    if it.verdict == Separation.UNDECIDED:
        return f"undecided: {it.why_undecided}"
    used = f"the {len(it.multipliers):,} larger points balance, Σ λ y x = 0"
    if it.verdict == Separation.OVERLAP:
        return f"overlap: {used}"
    return f"quasi-complete: {len(it.separated_rows):,} points are separated;\n{used}"


def constant(
    block: Block,
    *,
    names: Sequence[str] | None = None,
    classes: Sequence[str] = CLASSES,
    axes: Sequence[Axes] | None = None,
) -> tuple[Axes, Axes]:
    """The same data without and with the constant feature 1, and what separates them then.

    Without it the line must pass through the origin (for one feature: the threshold is 0). With it
    one feature becomes two: the points lie at height 1, a line through the origin divides them, and
    where it crosses that height is the threshold; of two features the line may pass anywhere. The
    verdict above each side is `certify`'s, and so proved.

    Parameters
    ----------
    block
        Examples of one or two features.
    names, classes
        As for `plane`.
    axes
        Two axes, to draw into.

    References
    ----------
    Gordan (1873) for why the verdict is certain either way.
    """
    d = block.rows.dim
    if d not in (1, 2):
        raise ValueError(f"the constant is shown for one or two features, not {d}; choose columns")
    without, with_it = expect_panels(axes, 2, height=4.6 if d == 2 else 3.6)
    for ax, bias in ((without, False), (with_it, True)):
        found = certify(block, fit_intercept=bias, max_seconds=_SECONDS)
        found = found.named(names)
        if bias and d == 1:
            _lifted(found, block, classes, ax)
        else:
            certificate(found, block, classes=classes, ax=ax)
        if not bias:
            ax.plot([0], [0], "+", color=BLACK, ms=14, label="the origin", zorder=5)
        legend_below(ax, columns=2)
        said = "with the constant" if bias else "without the constant"
        ax.set_title(f"{said}: {found.verdict}", fontsize="medium")
    return without, with_it


def _lifted(found: Certificate, block: Block, classes: Sequence[str], ax: Axes) -> None:
    """Points of one feature at height 1 of the plane, divided by a line through its origin."""
    values = np.zeros((len(block), 2))
    for i in range(len(block)):
        columns, stored = block.rows.row(i)
        values[i, columns] = stored
    values[:, 1] = 1.0
    lifted = Block(DenseRows(values), block.labels)
    called = "x" if found.data.names is None else found.data.names[0]
    largest = max(map(abs, found.weights), default=0) or 1
    weights = [w / largest for w in found.weights]
    plane(lifted, weights, bias=False, names=(called, "the constant"),
          classes=classes, ax=ax)  # fmt: skip
    ax.plot([0], [0], "+", color=BLACK, ms=14, label="the origin", zorder=5)
    ax.axhline(1, color=GREY, lw=0.8, zorder=0)
    if weights[0]:
        threshold = -weights[1] / weights[0]
        ax.plot([threshold], [1], "v", color=BLACK, label=f"threshold {threshold:.4g}", zorder=5)
