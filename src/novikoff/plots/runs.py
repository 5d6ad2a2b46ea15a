"""A run, looked at: the line after each mistake, and the points that turned it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from novikoff import readings
from novikoff.examples import Block
from novikoff.loop import Run, Verdict
from novikoff.plots.axes import GREY, legend_below
from novikoff.plots.planes import draw_line, draw_normal, draw_points, frame, plane_axes, ring
from novikoff.plots.views import CLASSES, Linear, View
from novikoff.rows import Positions, Vector

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from novikoff.ledger import Ledger

_LINES = 40  # of a longer run some lines are left out


def turning(
    run: Run,
    block: Block,
    *,
    names: Sequence[str] | None = None,
    classes: Sequence[str] = CLASSES,
    ax: Axes | None = None,
) -> Axes:
    """The line that each mistake left behind, the later the darker, and the mistaken points ringed.

    Of more than forty lines some are left out. If the run ended in a cycle, the points whose
    updates sum to 0 are the larger the larger their multipliers. With more than two features the
    points are projected as `plane` does it, on the final weights; then only the last line is drawn,
    for the others are not in that plane.

    Parameters
    ----------
    run, block
        A run of a learner that adds, with its examples kept, and the examples it was made on.
    names, classes
        As for `plane`.

    References
    ----------
    Novikoff (1962) if it comes to an end; Block & Levin (1970) if it goes round.
    """
    ledger = run.ledger
    if ledger.dim != block.rows.dim:
        raise ValueError(f"the run was on {ledger.dim} features, the block has {block.rows.dim}")
    last = Linear.of(readings.final(ledger).tolist(), ledger.dim, bias=ledger.bias)
    view = View.of(block, last.w, names)
    ax = plane_axes(view) if ax is None else ax
    frame(ax, view, last)
    sizes = None
    if run.cycle is not None:
        given = dict(zip(run.cycle.rows.tolist(), run.cycle.multipliers, strict=True))
        sizes = sized([float(given.get(int(i), 0)) for i in _positions(block)])
    draw_points(ax, view.places, block.signs, classes, sizes)
    mistaken = np.isin(_positions(block), ledger.rows)
    if sizes is None:
        ring(ax, view.places[mistaken], f"mistaken at least once ({int(mistaken.sum()):,})")
    if view.dim <= 2:
        _draw_earlier(ax, view, ledger)
    if last.length:
        draw_line(ax, view.basis @ last.w, last.b, label=f"at the end: {last.equation}")
        draw_normal(ax, view.basis @ last.w, last.b)
    ax.set_title(
        f"{len(ledger):,} mistakes in {run.epochs:,} passes: {_ending(run)}", fontsize="medium"
    )
    legend_below(ax)
    return ax


def sized(multipliers: Sequence[float]) -> Vector:
    """Areas of points in proportion to multipliers; a small one where there is none."""
    m = np.array(multipliers)
    largest = float(m.max(initial=0.0))
    return np.where(m > 0, np.maximum(30, 260 * m / largest), 10.0) if largest else m + 30.0


def weights_after(ledger: Ledger) -> Vector:
    """The weights after each mistake, a row each."""
    ledger.expect_sums()
    start = np.zeros(ledger.dim + ledger.bias) if ledger.start is None else ledger.start
    if len(ledger) == 0:
        return start[None, :][:0]
    kept = ledger.examples
    x = np.zeros((len(kept), len(start)))
    for i in range(len(kept)):
        columns, values = kept.row(i)
        x[i, columns] = values
    x[:, ledger.dim :] = 1.0
    after: Vector = ledger.unit * (
        start + np.cumsum(ledger.steps[:, None] * x[ledger.example], axis=0)
    )
    return after


def _draw_earlier(ax: Axes, view: View, ledger: Ledger) -> None:
    each = weights_after(ledger)[:-1]
    for k in np.unique(np.linspace(0, len(each) - 1, min(_LINES, len(each))).astype(np.int64)):
        w, b = each[k, : ledger.dim], float(each[k, -1]) if ledger.bias else 0.0
        if w.any():
            age = 0.12 + 0.5 * k / len(each)
            draw_line(ax, view.basis @ w, b, color=GREY, lw=0.9, alpha=float(age), zorder=1)


def _positions(block: Block) -> Positions:
    return block.positions(np.arange(len(block)))


def _ending(run: Run) -> str:
    if run.verdict is Verdict.SEPARATED:
        return "separated"
    if run.verdict is Verdict.CYCLE:
        return "a cycle, so nothing separates them"
    return "the passes were used up" if run.verdict is Verdict.BUDGET else "interrupted"
