"""Rows as points of a plane: one or two features as they are, more of them projected.

Points, the line that divides them, the band of its margin, and the points nearest to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from novikoff.guarantees.exact.arithmetic import Numbers
from novikoff.show.plots.axes import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    legend_below,
    letters,
    new_axes,
)
from novikoff.stream.blocks import Block, Labels
from novikoff.stream.problems import BadExample
from novikoff.stream.rows import Rows, Vector, dots

if TYPE_CHECKING:
    from matplotlib.axes import Axes


CLASSES = ("−1", "+1")
_ITERATIONS = 300
_LARGE = 1e100  # the squares of numbers within it are still numbers


@dataclass(frozen=True, slots=True)
class Linear:
    """Weights w and the constant's b: the score of a row is w·x + b."""

    w: Vector
    b: float
    bias: bool

    @classmethod
    def of(cls, weights: Numbers, dim: int, *, bias: bool) -> Linear:
        """The weights of so many features, the constant's last, as floats; refused if not that."""
        given = list(weights)
        if len(given) != dim + bias:
            also = " and the constant" if bias else " without a constant"
            raise ValueError(f"{len(given)} weights for {dim} features{also}")
        try:
            numbers = np.array([float(v) for v in given])
        except OverflowError:
            raise ValueError(
                "a weight is too large for a float: scale the weights to draw them"
            ) from None
        if not np.isfinite(numbers).all():
            k = int(np.flatnonzero(~np.isfinite(numbers))[0])
            raise ValueError(f"weight {k} is {numbers[k]}, not a number to draw with")
        largest = float(np.abs(numbers).max(initial=0.0))
        if largest and not 1 / _LARGE < largest < _LARGE:
            raise ValueError(f"the largest weight is {largest:.3g}: scale the weights to draw them")
        return cls(numbers[:dim], float(numbers[dim]) if bias else 0.0, bias)

    @property
    def whole(self) -> Vector:
        """The weights with the constant's, if there is one, last."""
        return np.append(self.w, self.b) if self.bias else self.w

    @property
    def length(self) -> float:
        """‖w‖ of the features' weights."""
        return float(np.linalg.norm(self.w))

    @property
    def equation(self) -> str:
        """What holds on its hyperplane."""
        return "w·x + b = 0" if self.bias else "w·x = 0"

    def right_by(self, block: Block) -> Vector:
        """y(w·x + b) of each row: above 0 where it is on its right side."""
        right: Vector = block.labels * dots(block.rows, self.whole, bias=self.bias)
        return right


@dataclass(frozen=True, slots=True)
class View:
    """The places of rows in a plane, and what its axes are called.

    `basis` holds two orthonormal directions (for a single feature, that one and none), so that a
    place is `basis @ x`; weights w in their span have the score (basis @ w)·place + b.
    """

    places: Vector
    basis: Vector
    axes: tuple[str, str]

    @property
    def dim(self) -> int:
        """How many features the rows have."""
        return int(self.basis.shape[1])

    @classmethod
    def of(cls, block: Block, w: Vector, names: Sequence[str] | None = None) -> View:
        """The rows on their own axes or, if these are more than two, on w and across it."""
        expect_rows(block)
        d = block.rows.dim
        if names is not None and len(names) != d:
            raise ValueError(f"{len(names)} names for {d} features")
        x = csr(block.rows)
        if d > 2:
            return cls._projected(x, w)
        if d == 0:
            raise BadExample("the rows have no features: there is nothing to draw")
        called = ["x₁", "x₂"] if d == 2 else ["x"]
        called = called if names is None else [letters(name) for name in names]
        values = x.toarray()
        if d == 1:  # the classes a little apart, so that neither covers the other
            height = np.where(block.labels > 0, 0.12, -0.12)
            return cls(np.column_stack([values, height]), np.array([[1.0], [0.0]]), (called[0], ""))
        return cls(values, np.eye(2), (called[0], called[1]))

    @classmethod
    def _projected(cls, x: csr_array, w: Vector) -> View:
        length = float(np.linalg.norm(w))
        if length:
            first, along = w / length, "w·x/‖w‖: the distance along w"
            across = "first principal direction orthogonal to w"
        else:
            first, along = principal(x, ()), "first principal direction"
            across = "second principal direction"
        basis = np.stack([first, principal(x, (first,))])
        return cls(np.asarray(x @ basis.T), basis, (along, across))


def expect_rows(block: Block) -> None:
    """Refuse a block without rows, or with a number that cannot be drawn."""
    if len(block) == 0:
        raise BadExample("there are no examples to draw")
    dots(block.rows, np.zeros(block.rows.dim))  # names the row and column of NaN or infinity
    largest = float(np.abs(block.rows.values).max(initial=0.0))
    if largest >= _LARGE:
        raise BadExample(f"the largest feature is {largest:.3g}: scale the features to draw them")


def csr(rows: Rows) -> csr_array:
    """The rows as scipy knows them, in float64."""
    rows.put_in_order()
    kept = rows.sparse()
    parts = (kept.values.astype(np.float64), kept.indices, kept.starts)
    return csr_array(parts, shape=(len(kept), kept.dim))


def principal(x: csr_array, orthogonal_to: Sequence[Vector]) -> Vector:
    """The unit vector orthogonal to those given along which the rows vary most.

    By power iteration on their covariance from the row farthest from the mean, so that it is the
    same each time; its largest entry is positive. Where the rows do not vary, some unit vector
    that is orthogonal.
    """
    mean = np.asarray(x.mean(axis=0)).ravel()

    def freed(v: Vector) -> Vector:
        for e in (*orthogonal_to, *orthogonal_to):  # twice: once leaves a trace of rounding
            v = v - (e @ v) * e
        return v

    squares = np.asarray(x.multiply(x).sum(axis=1)).ravel() - 2 * (x @ mean)
    starts = (x[[int(np.argmax(squares))]].toarray().ravel() - mean, *np.eye(len(mean), 3).T)
    spread = float(np.sqrt(x.multiply(x).sum() / x.shape[0])) or 1.0
    v = np.zeros(len(mean))
    for start in starts:
        v = freed(start)
        if np.linalg.norm(v) > 1e-9 * (spread if start is starts[0] else 1.0):
            break
    v = v / np.linalg.norm(v)
    for _ in range(_ITERATIONS):
        along = x @ v - mean @ v
        after = freed(np.asarray(x.T @ along) - mean * along.sum())
        size = float(np.linalg.norm(after))
        if size <= 1e-12 * spread**2 * x.shape[0]:
            break
        after /= size
        still = float(np.abs(after - v).max()) < 1e-12
        v = after
        if still:
            break
    return v if v[int(np.argmax(np.abs(v)))] > 0 else -v


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
