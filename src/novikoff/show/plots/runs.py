"""A run in pictures: the line after each mistake, and one update in three steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from novikoff.guarantees.exact.arithmetic import Numbers
from novikoff.guarantees.words import run_in_brief
from novikoff.ledger import readings
from novikoff.ledger.readings import trajectory
from novikoff.show.plots.axes import Axes, Panels, escaped, legend_below, new_panels
from novikoff.show.plots.colours import BLACK, GREEN, GREY, POINT_STYLES
from novikoff.show.plots.estimators import run_of
from novikoff.show.plots.planes import CLASSES, Linear, draw_line, draw_normal, draw_rows, ring
from novikoff.sources.arrays import block_of
from novikoff.stream.blocks import Block
from novikoff.stream.printing import count
from novikoff.stream.rows import Vector
from novikoff.stream.sums import dot, length

_LINES = 40  # the most lines drawn


def turning(
    made: Any,
    data: Block | tuple[Any, Any] | Any,
    y: Any = None,
    *,
    names: Sequence[str] | None = None,
    classes: Sequence[str] = CLASSES,
    ax: Axes | None = None,
) -> Axes:
    """Draw the line after each mistake, at most forty, later ones darker; ring the mistaken points.

    If the run ended in a cycle, the area of a point shows its multiplier in the updates that sum to
    0. With more than two features only the last line is drawn, projected as in `plane`. The run, or
    the fitted estimator that made it, must be of an additive learner that kept its examples, on
    these data: a Block, a pair (X, y), or X and y.
    """
    block: Block = block_of(data if y is None else (data, y))
    run = run_of(made)
    ledger = run.ledger
    if ledger.dim != block.rows.dim:
        raise ValueError(f"the run was on {ledger.dim} features, the block has {block.rows.dim}")
    last = Linear.of(readings.final(ledger), ledger.dim, bias=ledger.bias)
    positions = block.positions(np.arange(len(block)))
    each = None
    if (cycle := run.cycle) is not None:
        multipliers = dict(zip(cycle.rows.tolist(), cycle.multipliers, strict=True))
        each = [float(multipliers.get(i, 0)) for i in positions.tolist()]
    ax, view = draw_rows(block, last, names=names, classes=classes, multipliers=each, ax=ax)
    if cycle is None:
        mistaken = np.isin(positions, ledger.rows)
        n = count(int(mistaken.sum()))
        ring(ax, view.places[mistaken], f"mistaken at least once ({n})")
    earlier = len(ledger) - 1
    drawn = min(_LINES, earlier) if view.dim <= 2 else 0
    after = [1 + i * (earlier - 1) // max(1, drawn - 1) for i in range(drawn)]
    for k, moment in zip(after, trajectory(ledger, after), strict=True):
        line = Linear.of(moment.weights, ledger.dim, bias=ledger.bias)
        if length(line.w):
            age = 0.12 + 0.5 * (k - 1) / earlier
            draw_line(ax, view.normal(line.w), line.b, color=GREY, lw=0.9, alpha=age, zorder=1)
    if length(last.w):
        draw_line(ax, view.normal(last.w), last.b, label=f"at the end: {last.equation}")
        draw_normal(ax, view.normal(last.w), last.b)
    brief = run_in_brief(ledger, run.verdict, of="points")
    ax.set_title(f"The run {brief}", fontsize="medium")
    legend_below(ax)
    return ax


def update(
    weights: Numbers,
    x: Numbers,
    y: int,
    *,
    bias: bool,
    rate: float = 1.0,
    classes: Sequence[str] = CLASSES,
    axes: Sequence[Axes] | None = None,
) -> Panels:
    """Draw the weights before an update, the step r·y·x that is added to them, the weights after.

    y(w·x + b) grows by r‖x‖², and by r more with a constant. More than two features are drawn in
    the plane through w and x, which contains the whole update (Rosenblatt 1958; Novikoff 1962).
    """
    if y not in (-1, 1):
        raise ValueError(f"the label is {y!r}; it must be -1 or +1")
    if not 0 < rate < np.inf:
        raise ValueError(f"the rate is {rate!r}; it must be a finite number above 0")
    example = np.array([float(v) for v in x])
    if not np.isfinite(example).all():
        raise ValueError(f"the example is {example.tolist()}; its features must be finite numbers")
    old, x1 = Linear.of(weights, len(example), bias=bias), np.append(example, [1.0] * bias)
    if not x1.any():
        raise ValueError("the example is all 0, so an update with it changes nothing")
    new = old.whole + rate * y * x1
    score, then = dot(old.whole, x1), dot(new, x1)
    if len(example) == 2:
        basis, names = np.eye(2, len(x1)), ("$x_1$", "$x_2$")
        b, b_after = old.b, float(new[2]) if bias else 0.0
    else:
        basis, names = _basis(old, x1)
        b, b_after = 0.0, 0.0
    w, w_after, point = (np.array([dot(e, v) for e in basis]) for v in (old.whole, new, x1))
    far = float(np.abs([w, w_after, point]).max())
    lines = [abs(c) / length(v) for v, c in ((w, b), (w_after, b_after)) if length(v)]
    reach = 1.45 * max([far, *(d for d in lines if d < 4 * far)]) or 1.0  # 0 if x is all 0
    sign, times = "+" if y > 0 else "-", "" if rate == 1 else rf"{rate:g}\cdot "
    said = f"score {_signed(score)}" if w.any() else "no line yet: $w = 0$"
    turns = "towards" if y > 0 else "away from"
    result = "correct" if y * then > 0 else "not correct yet"
    titles = (
        f"before: a {escaped(classes[y > 0])} example,\n{said}",
        f"during: $w$ turns {turns} $x$,\nthe score changes by {_signed(then - score)}",
        f"after: score {_signed(then)},\n{result}",
    )
    before, during, after = panels = Panels(new_panels(3) if axes is None else axes)
    for ax, title in zip(panels, titles, strict=True):
        ax.set_aspect("equal", adjustable="box")
        ax.set(xlim=(-reach, reach), ylim=(-reach, reach), xlabel=names[0], ylabel=names[1])
        ax.axhline(0, color=GREY, lw=0.4, zorder=0)
        ax.axvline(0, color=GREY, lw=0.4, zorder=0)
        ax.scatter(point[:1], point[1:], s=60, linewidths=1.5, zorder=4, **POINT_STYLES[y])
        where = (6, 6 if point[1] >= 0 else -14)
        ax.annotate("$x$", tuple(point), where, textcoords="offset points")
        ax.set_title(title, fontsize="medium")
        v, c = (w_after, b_after) if ax is after else (w, b)
        if length(v):
            draw_line(ax, v, c, zorder=1)
    origin = np.zeros(2)
    _arrow(before, origin, w, "$w$", BLACK)
    _arrow(during, origin, w, "$w$", BLACK)
    _arrow(during, w, w_after, f"${sign}{times}x$", GREEN, "--")
    _arrow(after, origin, w, "$w$", GREY, ":")
    _arrow(after, origin, w_after, f"$w {sign} {times}x$", BLACK)
    return panels


def _basis(old: Linear, x: Vector) -> tuple[Vector, tuple[str, str]]:
    """Two orthonormal directions of the plane through w and x, and their names."""
    first, name = (old.whole, "w") if old.whole.any() else (x, "x")
    e = first / length(first)
    rest = x - dot(e, x) * e
    size = length(rest)
    f = rest / size if size > 1e-12 * length(x) else np.zeros(len(rest))
    constant = " (with the constant)" if old.bias else ""
    return np.stack([e, f]), (f"along ${name}${constant}", "orthogonal to $w$, on the side of $x$")


def _arrow(ax: Axes, tail: Vector, tip: Vector, words: str, colour: str, dashes: str = "-") -> None:
    """An arrow in the units of the data, with its name beyond its tip."""
    if not (tip - tail).any():
        return
    drawn = {"arrowstyle": "-|>", "color": colour, "lw": 1.8, "ls": dashes, "mutation_scale": 14}
    props = {**drawn, "shrinkA": 0, "shrinkB": 0}
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
