"""A run in pictures: the line after each mistake, and one update in three steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from novikoff.guarantees.exact.arithmetic import Numbers
from novikoff.guarantees.words import run_in_brief
from novikoff.ledger import readings
from novikoff.ledger.trajectory import trajectory
from novikoff.runs.loop import Run
from novikoff.show.plots.axes import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    escaped,
    expect_panels,
    legend_below,
)
from novikoff.show.plots.planes import (
    CLASSES,
    Linear,
    View,
    draw_line,
    draw_normal,
    draw_points,
    plane_axes,
    ring,
    set_limits,
)
from novikoff.stream.blocks import Block
from novikoff.stream.printing import count
from novikoff.stream.rows import Vector
from novikoff.stream.sums import dot, length

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from novikoff.ledger.ledger import Ledger

_LINES = 40  # the most lines drawn


def turning(
    run: Run,
    block: Block,
    *,
    names: Sequence[str] | None = None,
    classes: Sequence[str] = CLASSES,
    ax: Axes | None = None,
) -> Axes:
    """Draw the line after each mistake, later ones darker, and ring the mistaken points.

    Of more than forty lines only some are drawn. If the run ended in a cycle, the area of a point
    shows its multiplier in the updates that sum to 0. With more than two features the points are
    projected as in `plane`, on the final weights; then only the last line is drawn, because the
    others do not lie in that plane.

    Parameters
    ----------
    run, block
        A run of an additive learner that kept its examples, and the data of the run.
    names, classes
        As for `plane`.

    References
    ----------
    Novikoff (1962) for runs that end; Block & Levin (1970) for runs that cycle.
    """
    ledger = run.ledger
    if ledger.dim != block.rows.dim:
        raise ValueError(f"the run was on {ledger.dim} features, the block has {block.rows.dim}")
    last = Linear.of(readings.final(ledger), ledger.dim, bias=ledger.bias)
    view = View.of(block, last.w, names)
    ax = plane_axes(view) if ax is None else ax
    set_limits(ax, view, last)
    positions = block.positions(np.arange(len(block)))
    if run.cycle is not None:
        multipliers = dict(zip(run.cycle.rows.tolist(), run.cycle.multipliers, strict=True))
        areas = areas_of([float(multipliers.get(i, 0)) for i in positions.tolist()])
        draw_points(ax, view.places, block.signs, classes, areas)
    else:
        draw_points(ax, view.places, block.signs, classes)
        mistaken = np.isin(positions, ledger.rows)
        n = count(int(mistaken.sum()))
        ring(ax, view.places[mistaken], f"mistaken at least once ({n})")
    if view.dim <= 2:
        _draw_earlier_lines(ax, view, ledger)
    if length(last.w):
        draw_line(ax, view.normal(last.w), last.b, label=f"at the end: {last.equation}")
        draw_normal(ax, view.normal(last.w), last.b)
    ax.set_title(run_in_brief(ledger, run.verdict, of="points"), fontsize="medium")
    legend_below(ax)
    return ax


def areas_of(multipliers: Sequence[float]) -> Vector:
    """Areas of points in proportion to their multipliers; a small one for multiplier 0."""
    m = np.array(multipliers)
    largest = float(m.max(initial=0.0))
    return np.where(m > 0, np.maximum(30, 260 * m / largest), 10.0) if largest else m + 30.0


def _draw_earlier_lines(ax: Axes, view: View, ledger: Ledger) -> None:
    """The lines after all mistakes but the last, evenly spaced if there are too many."""
    earlier = len(ledger) - 1
    drawn = min(_LINES, earlier)
    after = [1 + i * (earlier - 1) // max(1, drawn - 1) for i in range(drawn)]
    for k, moment in zip(after, trajectory(ledger, after), strict=True):
        line = Linear.of(moment.weights, ledger.dim, bias=ledger.bias)
        if length(line.w):
            age = 0.12 + 0.5 * (k - 1) / earlier
            draw_line(ax, view.normal(line.w), line.b, color=GREY, lw=0.9, alpha=age, zorder=1)


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
    """Draw the weights before an update, the step r·y·x that is added to them, the weights after.

    A positive example pulls w towards itself, a negative one pushes it away. Either way y(w·x + b)
    grows by r‖x‖², and by r more with a constant: the line turns, and with a constant also moves,
    until the example is on the correct side or at least nearer to it.

    Two features are drawn as they are. Otherwise the drawing is in the plane through w and x (the
    constant counts as a feature), which contains the whole update; the axes say so.

    Parameters
    ----------
    weights, bias, classes
        As for `plane`.
    x, y
        The example: its features, and its label, −1 or +1.
    rate
        r, the learning rate.

    References
    ----------
    Rosenblatt (1958) for the rule; Novikoff (1962) for its bound.
    """
    if y not in (-1, 1):
        raise ValueError(f"the label is {y!r}; it must be -1 or +1")
    if not 0 < rate < np.inf:
        raise ValueError(f"the rate is {rate!r}; it must be a finite number above 0")
    example = np.array([float(v) for v in x])
    if not np.isfinite(example).all():
        raise ValueError(f"the example is {example.tolist()}; its features must be finite numbers")
    step = _Step.of(Linear.of(weights, len(example), bias=bias), example, y, rate)
    before, during, after = expect_panels(axes, 3)
    for ax, w, b in (
        (before, step.before, step.constants[0]),
        (during, step.before, step.constants[0]),
        (after, step.after, step.constants[1]),
    ):
        _draw_example(ax, step, y)
        if length(w):
            draw_line(ax, w, b, zorder=1)
    sign, times = "+" if y > 0 else "−", "" if rate == 1 else f"{rate:g}·"
    origin = np.zeros(2)
    _arrow(before, origin, step.before, "w", BLACK)
    _arrow(during, origin, step.before, "w", BLACK)
    _arrow(during, step.before, step.after, f"{sign}{times}x", GREEN, "--")
    _arrow(after, origin, step.before, "w", GREY, ":")
    _arrow(after, origin, step.after, f"w {sign} {times}x", BLACK)
    score, then = step.scores
    said = f"score {_signed(score)}" if step.before.any() else "no line yet: w = 0"
    turns = "towards" if y > 0 else "away from"
    result = "correct" if y * then > 0 else "not correct yet"
    for ax, title in (
        (before, f"before: a {escaped(classes[y > 0])} example,\n{said}"),
        (during, f"during: w turns {turns} x,\nthe score changes by {_signed(then - score)}"),
        (after, f"after: score {_signed(then)},\n{result}"),
    ):
        ax.set_title(title, fontsize="medium")
    return before, during, after


@dataclass(frozen=True, slots=True)
class _Step:
    """An update in the plane it is drawn in, with the scores before and after."""

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
            raise ValueError("the example is all 0, so an update with it changes nothing")
        new = old.whole + rate * y * whole
        scores = dot(old.whole, whole), dot(new, whole)
        if len(x) == 2:
            constants = (old.b, float(new[2]) if old.bias else 0.0)
            return cls(old.w, new[:2], x, constants, scores, ("x₁", "x₂"))
        first, name = (old.whole, "w") if old.whole.any() else (whole, "x")
        e = first / length(first)
        rest = whole - dot(e, whole) * e
        size = length(rest)
        f = rest / size if size > 1e-12 * length(whole) else np.zeros(len(rest))
        before, after, point = (np.array([dot(e, v), dot(f, v)]) for v in (old.whole, new, whole))
        axes = (
            f"along {name}{' (with the constant)' if old.bias else ''}",
            "orthogonal to w, on the side of x",
        )
        return cls(before, after, point, (0.0, 0.0), scores, axes)

    @property
    def reach(self) -> float:
        """How far the drawing extends from the origin, in each direction."""
        far = float(np.abs([self.before, self.after, self.point]).max())
        lines = [
            abs(b) / length(w)
            for w, b in zip((self.before, self.after), self.constants, strict=True)
            if length(w)
        ]
        return 1.45 * max([far, *(d for d in lines if d < 4 * far)])


def _draw_example(ax: Axes, step: _Step, y: int) -> None:
    """The example, in axes with the origin in their middle."""
    ax.set_aspect("equal", adjustable="box")
    reach = step.reach or 1.0  # 0 if x is all 0 and only the constant changes
    ax.set_xlim(-reach, reach)
    ax.set_ylim(-reach, reach)
    ax.axhline(0, color=GREY, lw=0.4, zorder=0)
    ax.axvline(0, color=GREY, lw=0.4, zorder=0)
    ax.set_xlabel(step.axes[0])
    ax.set_ylabel(step.axes[1])
    marker: dict[str, Any] = (
        {"marker": "o", "color": BLUE}
        if y > 0
        else {"marker": "s", "facecolors": "none", "edgecolors": ORANGE}
    )
    ax.scatter(step.point[:1], step.point[1:], s=60, linewidths=1.5, zorder=4, **marker)
    where = (6, 6) if step.point[1] >= 0 else (6, -14)
    ax.annotate("x", tuple(step.point), where, textcoords="offset points", style="italic")


def _arrow(ax: Axes, tail: Vector, tip: Vector, words: str, colour: str, dashes: str = "-") -> None:
    """An arrow in the units of the data, with its name beyond its tip."""
    if not (tip - tail).any():
        return
    props = {
        "arrowstyle": "-|>",
        "color": colour,
        "lw": 1.8,
        "ls": dashes,
        "shrinkA": 0,
        "shrinkB": 0,
        "mutation_scale": 14,
    }
    ax.annotate("", tuple(tip), tuple(tail), arrowprops=props, zorder=3)
    beyond = (tip - tail) / length(tip - tail)
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
