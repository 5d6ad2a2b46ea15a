"""Points, the line that divides them, the band of its margin, and the points nearest to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from novikoff.examples import Block, Labels
from novikoff.guarantees.exact import Numbers
from novikoff.plots.axes import BLACK, BLUE, GREEN, GREY, ORANGE, legend_below, letters, new_axes
from novikoff.plots.views import CLASSES, Linear, View
from novikoff.rows import Vector

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MANY = 1000  # points from which a drawing of each would make a large file
_UNEQUAL = 20  # how many times wider than high before a unit may differ on the two axes


def plane(
    block: Block,
    weights: Numbers,
    *,
    bias: bool,
    average: Numbers | None = None,
    names: Sequence[str] | None = None,
    classes: Sequence[str] = CLASSES,
    ax: Axes | None = None,
) -> Axes:
    """The examples, the line where w·x + b = 0, and what is near it or on its wrong side.

    When every example is on its right side, the band reaches to the nearest of them, which are
    ringed: its lines are y(w·x + b) = min. Without a constant half its width is the margin γ of
    `guarantees.achieved_margin`; with one, γ counts the constant as a feature and is smaller, and
    the legend says both. Otherwise there is no band, and the examples on the wrong side (or on the
    line, which claims no side) are ringed.

    Examples of one feature lie on a line. With more than two features they are projected on w and
    on the first principal direction orthogonal to it, which the axes say: the distances to the
    hyperplane are then still true.

    Parameters
    ----------
    bias
        Whether the last of the weights is the constant's.
    average
        Other weights, such as the average, whose line is drawn as well, for up to two features.
    names
        What the features are called.
    classes
        What the labels −1 and +1 are called.

    References
    ----------
    Novikoff (1962) for the margin.
    """
    line = Linear.of(weights, block.rows.dim, bias=bias)
    view = View.of(block, line.w, names)
    other = None if average is None else Linear.of(average, block.rows.dim, bias=bias)
    ax = plane_axes(view) if ax is None else ax
    frame(ax, view, line)
    draw_points(ax, view.places, block.signs, classes)
    if line.length == 0:
        ax.set_title(no_line(line, classes), fontsize="medium")
        legend_below(ax)
        return ax
    right_by = line.right_by(block)
    draw_line(ax, view.basis @ line.w, line.b, label=line.equation)
    least = float(right_by.min())
    if least > 0:
        _draw_band(ax, view, line, least)
        near = right_by <= least * (1 + 1e-9)
        ring(ax, view.places[near], f"nearest ({int(near.sum()):,})")
    else:
        wrong = right_by <= 0
        ring(ax, view.places[wrong], f"not on the right side ({int(wrong.sum()):,})")
    if other is not None and other.length and view.dim <= 2:
        draw_line(ax, view.basis @ other.w, other.b, label="average", color=GREEN, ls="-.")
    draw_normal(ax, view.basis @ line.w, line.b)
    legend_below(ax)
    return ax


def plane_axes(view: View) -> Axes:
    """New axes for points of a plane, or of a line."""
    return new_axes(width=6.4, height=6 if view.dim > 1 else 2.8)


def no_line(line: Linear, classes: Sequence[str]) -> str:
    """Why weights that are all 0 draw no line."""
    if line.b == 0:
        return "no line: the weights are all 0"
    says = letters(classes[line.b > 0])
    return f"no line: only the constant has a weight, so every score says {says}"


def frame(ax: Axes, view: View, line: Linear) -> None:
    """Limits around the points, and around the line if it is near; a unit the same on both axes.

    But for features of which one varies more than twenty times as much as the other.
    """
    places = view.places
    centre = places.mean(axis=0)
    size = float(np.linalg.norm(np.ptp(places, axis=0))) or 1.0
    feet = [_foot(centre, view.basis @ line.w, line.b)] if line.length else []
    if not line.bias:  # its line, whatever the weights, passes through the origin
        feet.append(np.zeros(2))
    near = [foot for foot in feet if np.linalg.norm(foot - centre) < 2 * size]
    places = np.vstack([places, *near])
    low, high = places.min(axis=0), places.max(axis=0)
    middle, half = (low + high) / 2, (high - low) / 2
    half[half == 0] = half.max() or 1.0
    half = np.maximum(half, 1e-9 * np.abs(middle))  # limits must differ as floats
    equal = view.dim > 1 and half.max() <= _UNEQUAL * half.min()
    if equal:
        half = np.maximum(half, half.max() / 2)
        ax.set_aspect("equal", adjustable="box")
    half = 1.1 * half
    if view.dim == 1:
        middle[1], half[1] = 0.0, 1.0
        ax.set_yticks([])
        ax.axhline(0, color=GREY, lw=0.8, zorder=0)
    ax.set_xlim(middle[0] - half[0], middle[0] + half[0])
    ax.set_ylim(middle[1] - half[1], middle[1] + half[1])
    ax.set_xlabel(view.axes[0])
    ax.set_ylabel(view.axes[1])


def draw_points(
    ax: Axes,
    places: Vector,
    labels: Labels,
    classes: Sequence[str] = CLASSES,
    sizes: NDArray[np.float64] | None = None,
) -> None:
    """Filled circles for the positive examples and open squares for the negative ones."""
    if len(classes) != 2:
        raise ValueError(f"two classes have names, the negative first, not {len(classes)}")
    base = 32.0 if len(labels) < 200 else 14.0 if len(labels) < MANY else 4.0
    size = np.full(len(labels), base) if sizes is None else sizes
    kinds: tuple[tuple[int, str, dict[str, Any]], ...] = (
        (1, "o", {"color": BLUE}),
        (-1, "s", {"facecolors": "none", "edgecolors": ORANGE}),
    )
    for label, marker, style in kinds:
        these = labels == label
        if these.any():
            ax.scatter(
                places[these, 0],
                places[these, 1],
                s=size[these],
                marker=marker,
                linewidths=1.2 if base > 4 else 0.6,
                label=letters(classes[label > 0]),
                rasterized=len(labels) >= MANY,
                zorder=3,
                **style,
            )


def ring(ax: Axes, places: Vector, label: str) -> None:
    """Rings around some of the points."""
    if len(places):
        ax.scatter(
            places[:, 0],
            places[:, 1],
            s=120 if len(places) < MANY else 12,
            facecolors="none",
            edgecolors=BLACK,
            linewidths=1.0,
            label=label,
            rasterized=len(places) >= MANY,
            zorder=4,
        )


def draw_line(
    ax: Axes, normal: Vector, b: float, *, label: str | None = None, **style: Any
) -> None:
    """The line normal·p + b = 0, across the axes."""
    ends = _ends(ax, normal, b)
    style = {"color": BLACK, "lw": 1.8, "zorder": 2, **style}
    ax.plot(ends[:, 0], ends[:, 1], label=label, scalex=False, scaley=False, **style)


def draw_normal(ax: Axes, normal: Vector, b: float) -> None:
    """An arrow from the line, the way the weights point: to the positive side."""
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    foot = _foot(np.array([left + right, low + high]) / 2, normal, b)
    if not (left < foot[0] < right and low < foot[1] < high):
        return
    if ax.get_aspect() == "auto" and normal[1] != 0:
        return  # it would not look orthogonal to its line
    reach = 0.13 * (right - left if normal[1] == 0 else min(right - left, high - low))
    tip = tuple(foot + reach * normal / np.linalg.norm(normal))
    ax.annotate(
        "",
        tip,
        tuple(foot),
        arrowprops={"arrowstyle": "-|>", "color": BLACK, "lw": 1.4, "shrinkA": 0},
    )
    ax.annotate(
        "w",
        tip,
        (4, 4),
        textcoords="offset points",
        fontweight="bold",
        zorder=5,
        bbox={"facecolor": "white", "alpha": 0.75, "lw": 0, "pad": 0.6},
    )


def _draw_band(ax: Axes, view: View, line: Linear, least: float) -> None:
    normal = view.basis @ line.w
    gamma = least / float(np.linalg.norm(line.whole))
    words = f"margin γ = {gamma:.4g}"
    if line.bias:
        words = f"nearest at {least / line.length:.4g}; γ = {gamma:.4g}"
    edges = [_ends(ax, normal, line.b + side * least) for side in (-1, 1)]
    for k, ends in enumerate(edges):
        label = None if k else words
        ax.plot(*ends.T, color=GREY, ls="--", lw=1, label=label, scalex=False, scaley=False)
    ax.fill(*np.vstack([edges[0], edges[1][::-1]]).T, color=GREY, alpha=0.12, lw=0, zorder=0)


def _foot(point: Vector, normal: Vector, b: float) -> Vector:
    """The point of the line that is nearest to this one."""
    n = normal / np.linalg.norm(normal)
    foot: Vector = point - (n @ point + b / np.linalg.norm(normal)) * n
    return foot


def _ends(ax: Axes, normal: Vector, b: float) -> Vector:
    """Two points of the line, beyond the limits of the axes."""
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    foot = _foot(np.array([left + right, low + high]) / 2, normal, b)
    along = np.array([-normal[1], normal[0]]) / np.linalg.norm(normal)
    reach = float(np.hypot(right - left, high - low))
    return np.stack([foot - reach * along, foot + reach * along])
