"""A run, looked at: the line after each mistake, and the points that turned it.

One update, looked at: the weights before it, what is added to them, and the weights after.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from novikoff.guarantees.exact.arithmetic import Numbers
from novikoff.guarantees.verdict import Verdict
from novikoff.ledger import readings
from novikoff.runs.loop import Run
from novikoff.show.plots.axes import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    expect_panels,
    legend_below,
    letters,
)
from novikoff.show.plots.planes import (
    CLASSES,
    Linear,
    View,
    draw_line,
    draw_normal,
    draw_points,
    frame,
    plane_axes,
    ring,
)
from novikoff.stream.blocks import Block
from novikoff.stream.rows import Positions, Vector

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from novikoff.ledger.ledger import Ledger


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


def update(
    weights: Numbers,
    x: Numbers,
    y: int,
    *,
    bias: bool,
    rate: float = 1.0,
    classes: Sequence[str] = CLASSES,
    axes: Sequence[Axes] | None = None,
) -> tuple[Axes, Axes, Axes]:
    """The weights before an update, the step r·y·x that is added to them, and the weights after.

    A positive example pulls w towards itself, a negative one pushes it away; either way y(w·x + b)
    grows by r‖x‖² (and by r more with a constant), so that the line turns, and with a constant
    moves, until the example is on its right side or at least nearer to it.

    Two features are drawn as they are. Otherwise the drawing is in the plane through w and x (the
    constant counted as a feature), in which all of it happens; the axes say so.

    Parameters
    ----------
    weights, bias, classes
        As for `plane`.
    x, y
        The example: its features, and its label, −1 or +1.
    rate
        r, the length of a step.

    References
    ----------
    Rosenblatt (1958) for the rule; Novikoff (1962) for what it comes to.
    """
    if y not in (-1, 1):
        raise ValueError(f"the label is {y!r}; it must be -1 or +1")
    if not 0 < rate < np.inf:
        raise ValueError(f"the rate is {rate!r}; it must be a finite number above 0")
    example = np.array([float(v) for v in x])
    if not np.isfinite(example).all():
        raise ValueError(f"the example {example.tolist()} holds what is not a number")
    step = _Step.of(Linear.of(weights, len(example), bias=bias), example, y, rate)
    panels = expect_panels(axes, 3)
    times = "" if rate == 1 else f"{rate:g}·"
    for ax in panels:
        _prepare(ax, step)
        marker: dict[str, Any] = {"marker": "o", "color": BLUE}
        if y < 0:
            marker = {"marker": "s", "facecolors": "none", "edgecolors": ORANGE}
        ax.scatter(step.point[:1], step.point[1:], s=60, linewidths=1.5, zorder=4, **marker)
        where = (6, 6) if step.point[1] >= 0 else (6, -14)
        ax.annotate("x", tuple(step.point), where, textcoords="offset points", style="italic")
    before, during, after = panels
    for ax, w, b in (
        (before, step.before, step.constants[0]),
        (during, step.before, step.constants[0]),
        (after, step.after, step.constants[1]),
    ):
        if w.any():
            draw_line(ax, w, b, zorder=1)
    _arrow(before, np.zeros(2), step.before, "w", BLACK)
    _arrow(during, np.zeros(2), step.before, "w", BLACK)
    _arrow(during, step.before, step.after, f"{'+' if y > 0 else '−'}{times}x", GREEN, "--")
    _arrow(after, np.zeros(2), step.before, "w", GREY, ":")
    _arrow(after, np.zeros(2), step.after, f"w {'+' if y > 0 else '−'} {times}x", BLACK)
    score, then = step.scores
    said = "no line yet: w = 0" if not step.before.any() else f"score {_signed(score)}"
    before.set_title(f"before: a {letters(classes[y > 0])} example,\n{said}", fontsize="medium")
    turned = "towards" if y > 0 else "away from"
    during.set_title(f"during: w turns {turned} x,\nthe score changes by {_signed(then - score)}",
                     fontsize="medium")  # fmt: skip
    verdict = "right" if y * then > 0 else "not right yet"
    after.set_title(f"after: score {_signed(then)},\n{verdict}", fontsize="medium")
    return before, during, after


@dataclass(frozen=True, slots=True)
class _Step:
    """An update in the plane it is drawn in; the scores are those before and after."""

    before: Vector
    after: Vector
    point: Vector
    constants: tuple[float, float]
    scores: tuple[float, float]
    axes: tuple[str, str]

    @classmethod
    def of(cls, old: Linear, x: Vector, y: int, rate: float) -> _Step:
        whole = np.append(x, 1.0) if old.bias else x
        if not whole.any():
            raise ValueError("the example is all 0: an update with it changes nothing")
        new = old.whole + rate * y * whole
        scores = float(old.whole @ whole), float(new @ whole)
        if len(x) == 2:
            constants = (old.b, float(new[2]) if old.bias else 0.0)
            return cls(old.w, new[:2], x, constants, scores, ("x₁", "x₂"))
        with_constant = " (with the constant)" if old.bias else ""
        first = old.whole if old.whole.any() else whole
        name = "w" if old.whole.any() else "x"
        e = first / np.linalg.norm(first)
        rest = whole - (e @ whole) * e
        size = float(np.linalg.norm(rest))
        f = rest / size if size > 1e-12 * np.linalg.norm(whole) else np.zeros(len(rest))
        before, after, point = (np.array([e @ v, f @ v]) for v in (old.whole, new, whole))
        axes = (f"along {name}{with_constant}", "orthogonal to w, on the side of x")
        return cls(before, after, point, (0.0, 0.0), scores, axes)

    @property
    def reach(self) -> float:
        """How far the drawing goes from the origin, to both sides."""
        far = float(np.abs([self.before, self.after, self.point]).max())
        lines = [
            abs(b) / float(np.linalg.norm(w))
            for w, b in zip((self.before, self.after), self.constants, strict=True)
            if w.any()
        ]
        return 1.45 * max([far, *(d for d in lines if d < 4 * far)])


def _prepare(ax: Axes, step: _Step) -> None:
    ax.set_aspect("equal", adjustable="box")
    reach = step.reach or 1.0  # of an example that is all 0 only the constant changes
    ax.set_xlim(-reach, reach)
    ax.set_ylim(-reach, reach)
    ax.axhline(0, color=GREY, lw=0.4, zorder=0)
    ax.axvline(0, color=GREY, lw=0.4, zorder=0)
    ax.set_xlabel(step.axes[0])
    ax.set_ylabel(step.axes[1])


def _arrow(ax: Axes, tail: Vector, tip: Vector, words: str, colour: str, dashes: str = "-") -> None:
    """An arrow in the units of the data, its name beyond its tip."""
    if not (tip - tail).any():
        return
    props = {"arrowstyle": "-|>", "color": colour, "lw": 1.8, "ls": dashes,
             "shrinkA": 0, "shrinkB": 0, "mutation_scale": 14}  # fmt: skip
    ax.annotate("", tuple(tip), tuple(tail), arrowprops=props, zorder=3)
    beyond = (tip - tail) / np.linalg.norm(tip - tail)
    ax.annotate(
        words,
        tuple(tip),
        tuple(beyond * (8 + 2.6 * len(words) * abs(beyond[0]))),
        textcoords="offset points",
        ha="center",
        va="center",
        color=colour,
        zorder=5,
    )


def _signed(number: float) -> str:
    return f"{number:+.3g}".replace("-", "−")
