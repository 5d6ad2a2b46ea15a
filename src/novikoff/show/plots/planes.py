"""Rows as points of a plane: hyperplanes between them, margins, proofs, and the constant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from novikoff.guarantees.certificate import Certificate
from novikoff.guarantees.exact.arithmetic import Numbers
from novikoff.guarantees.verdict import Separation
from novikoff.guarantees.words import separation
from novikoff.separability import certify
from novikoff.show.plots.axes import Panels, escaped, legend_below, new_axes, new_panels
from novikoff.show.plots.colours import BLACK, GREEN, GREY, POINT_STYLES
from novikoff.show.projection import principal_direction, scaled
from novikoff.sources.in_memory import block_of
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample
from novikoff.stream.printing import count
from novikoff.stream.rows import DenseRows, Vector, dots
from novikoff.stream.sums import dot, length

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CLASSES = ("−1", "+1")
_SECONDS = 20.0  # for each proof in `constant`
_MANY = 1000  # from this number on, points are drawn as an image, which keeps the file small
_LARGE = 1e100  # squares of smaller numbers do not overflow
_UNEQUAL = 20  # the largest ratio of width to height at which both axes have the same unit


@dataclass(frozen=True, slots=True)
class Linear:
    """Weights w and b: the score of a row is w·x + b, and b is 0 without a constant feature."""

    w: Vector
    b: float
    bias: bool

    @classmethod
    def of(cls, weights: Numbers, dim: int, *, bias: bool) -> Linear:
        """The weights of `dim` features, and with `bias` the constant's as the last."""
        if len(weights) != dim + bias:
            also = "and the constant" if bias else "without a constant"
            raise ValueError(f"{len(weights)} weights for {dim} features {also}")
        try:
            numbers = np.array([float(v) for v in weights])
        except OverflowError:
            raise ValueError("a weight is too large for a float; scale the weights") from None
        if not np.isfinite(numbers).all():
            k = int(np.flatnonzero(~np.isfinite(numbers))[0])
            raise ValueError(f"weight {k} is {numbers[k]}; weights must be finite")
        largest = float(np.abs(numbers).max(initial=0.0))
        if largest and not 1 / _LARGE < largest < _LARGE:
            raise ValueError(f"the largest weight is {largest:.3g}; scale the weights")
        return cls(numbers[:dim], float(numbers[dim]) if bias else 0.0, bias)

    @property
    def whole(self) -> Vector:
        """The weights, with `bias` the constant's last."""
        return np.append(self.w, self.b) if self.bias else self.w

    @property
    def equation(self) -> str:
        """The equation of the hyperplane."""
        return "w·x + b = 0" if self.bias else "w·x = 0"

    def margins(self, block: Block) -> Vector:
        """y(w·x + b) of each row: above 0 for the rows on the correct side."""
        signed: Vector = block.labels * dots(block.rows, self.whole, bias=self.bias)
        return signed


@dataclass(frozen=True, slots=True)
class View:
    """The places of the rows in a plane, and the names of its axes.

    `basis` holds two orthonormal directions (for a single feature: that feature, and 0). If w is in
    its span, the score of a row is normal(w)·place + b.
    """

    places: Vector
    basis: Vector
    axes: tuple[str, str]

    @classmethod
    def of(cls, block: Block, w: Vector, names: Sequence[str] | None = None) -> View:
        """The rows on their own axes; with more than two, projected on w and across it."""
        expect_rows(block)
        rows, d = block.rows, block.rows.dim
        if names is not None and len(names) != d:
            raise ValueError(f"{len(names)} names for {d} features")
        if d == 0:
            raise BadExample("the rows have no features, so there is nothing to draw")
        if d <= 2:
            basis = np.eye(2, d)
            own = ["x"] if d == 1 else ["x₁", "x₂"]
            own = own if names is None else [escaped(name) for name in names]
            axes = own[0], own[1] if d == 2 else ""
        else:
            if size := length(w):
                first = w / size
                axes = "w·x/‖w‖: the distance along w", "first principal direction orthogonal to w"
            else:
                first = principal_direction(rows, ())
                axes = "first principal direction", "second principal direction"
            basis = np.stack([first, principal_direction(rows, (first,))])
        places = np.column_stack([dots(rows, e) for e in basis])
        if d == 1:
            places[:, 1] = np.where(block.labels > 0, 0.12, -0.12)  # no class covers the other
        return cls(places, basis, axes)

    @property
    def dim(self) -> int:
        """The number of features of the rows."""
        return int(self.basis.shape[1])

    def normal(self, w: Vector) -> Vector:
        """The weights w, seen in the plane."""
        return np.array([dot(e, w) for e in self.basis])


def expect_rows(block: Block) -> None:
    """Reject a block without rows, or with a feature that cannot be drawn."""
    if len(block) == 0:
        raise BadExample("there are no examples to draw")
    dots(block.rows, np.zeros(block.rows.dim))  # names the row and column of NaN or infinity
    largest = float(np.abs(block.rows.values).max(initial=0.0))
    if largest >= _LARGE:
        raise BadExample(f"the largest feature is {largest:.3g}; scale the features")


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
    """Draw the examples, the line w·x + b = 0, and the examples nearest to it or misclassified.

    If every example is on the correct side, a band reaches to the nearest ones, which are ringed;
    otherwise the others are. With a constant, γ counts it as a feature, and the legend gives the
    distance too. More than two features are projected on w and on the first principal direction
    orthogonal to it; distances to the hyperplane remain true. With `bias` the last weight is the
    constant's; `average` is a second weight vector, and `classes` names the labels −1 and +1.
    """
    line = Linear.of(weights, block.rows.dim, bias=bias)
    other = None if average is None else Linear.of(average, block.rows.dim, bias=bias)
    ax, view = draw_rows(block, line, names=names, classes=classes, ax=ax)
    if length(line.w):
        margins = line.margins(block)
        least = float(margins.min())
        normal = view.normal(line.w)
        draw_line(ax, normal, line.b, label=line.equation)
        if least > 0:
            _draw_band(ax, normal, line, least)
            nearest = margins <= least * (1 + 1e-9)
            ring(ax, view.places[nearest], f"nearest ({count(int(nearest.sum()))})")
        else:
            wrong = margins <= 0
            ring(ax, view.places[wrong], f"not on the correct side ({count(int(wrong.sum()))})")
        if other is not None and length(other.w) and view.dim <= 2:
            draw_line(ax, view.normal(other.w), other.b, label="average", color=GREEN, ls="-.")
        draw_normal(ax, normal, line.b)
    else:
        why = "the weights are all 0"
        if line.b:
            predicted = escaped(classes[line.b > 0])
            why = f"only the constant has a weight, so every prediction is {predicted}"
        ax.set_title(f"no line: {why}", fontsize="medium")
    legend_below(ax)
    return ax


def certificate(
    it: Certificate,
    data: Block | tuple[Any, Any],
    *,
    names: Sequence[str] | None = None,
    classes: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the proof of a verdict on separability on the data, a Block or a pair (X, y).

    Complete: the line of the certificate's weights with its margin, as `plane` draws it. Otherwise
    the area of a point shows its multiplier λ in Σ λ y x = 0 (Gordan 1873; Albert & Anderson 1984).
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

    With it one feature becomes two: the points are at height 1, and a line through the origin
    divides them. The verdicts above the panels come from `certify`, so they are proved.
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


def draw_rows(
    block: Block,
    line: Linear,
    *,
    names: Sequence[str] | None,
    classes: Sequence[str],
    ax: Axes | None,
    multipliers: Sequence[float] | None = None,
) -> tuple[Axes, View]:
    """Draw the rows as points, with room for the line; areas show the multipliers, if given."""
    if len(classes) != 2:
        raise ValueError(f"classes must be two names, the negative one first; got {len(classes)}")
    view, labels = View.of(block, line.w, names), block.signs
    ax = new_axes(width=6.4, height=6 if view.dim > 1 else 2.8) if ax is None else ax
    _set_limits(ax, view, line)
    area = 32.0 if len(labels) < 200 else 14.0 if len(labels) < _MANY else 4.0
    areas = np.full(len(labels), area) if multipliers is None else areas_of(multipliers)
    for label, style in POINT_STYLES.items():
        these = labels == label
        if these.any():
            ax.scatter(
                view.places[these, 0],
                view.places[these, 1],
                s=areas[these],
                linewidths=1.2 if area > 4 else 0.6,
                label=escaped(classes[label > 0]),
                rasterized=len(labels) >= _MANY,
                zorder=3,
                **style,
            )
    return ax, view


def areas_of(multipliers: Sequence[float]) -> Vector:
    """Areas of points in proportion to their multipliers; a small one for multiplier 0."""
    m = np.array(multipliers)
    largest = float(m.max(initial=0.0))
    return np.where(m > 0, np.maximum(30, 260 * m / largest), 10.0) if largest else m + 30.0


def _set_limits(ax: Axes, view: View, line: Linear) -> None:
    """Choose limits around the points, and around the line if it is near; name the axes."""
    low, high = view.places.min(axis=0), view.places.max(axis=0)
    centre, size = (low + high) / 2, length(high - low) or 1.0
    feet = [_foot(centre, view.normal(line.w), line.b)] if length(line.w) else []
    if not line.bias:  # without a constant every line passes through the origin
        feet.append(np.zeros(2))
    near = [foot for foot in feet if length(foot - centre) < 2 * size]
    low, high = np.min([low, *near], axis=0), np.max([high, *near], axis=0)
    middle, half = (low + high) / 2, (high - low) / 2
    half[half == 0] = half.max() or 1.0
    half = np.maximum(half, 1e-9 * np.abs(middle))  # limits must differ as floats
    if view.dim > 1 and half.max() <= _UNEQUAL * half.min():
        half = np.maximum(half, half.max() / 2)
        ax.set_aspect("equal", adjustable="box")
    half = 1.1 * half
    if view.dim == 1:
        middle[1], half[1] = 0.0, 1.0
        ax.set_yticks([])
        ax.axhline(0, color=GREY, lw=0.8, zorder=0)
    (left, low), (right, high) = middle - half, middle + half
    ax.set(xlim=(left, right), ylim=(low, high), xlabel=view.axes[0], ylabel=view.axes[1])


def ring(ax: Axes, places: Vector, label: str) -> None:
    """Draw a ring around each of these points."""
    if len(places):
        ax.scatter(
            places[:, 0],
            places[:, 1],
            s=120 if len(places) < _MANY else 12,
            facecolors="none",
            edgecolors=BLACK,
            linewidths=1.0,
            label=label,
            rasterized=len(places) >= _MANY,
            zorder=4,
        )


def draw_line(
    ax: Axes, normal: Vector, b: float, *, label: str | None = None, **style: Any
) -> Vector:
    """Draw the line normal·p + b = 0 across the axes, and return its ends, which are outside."""
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    foot = _foot(np.array([left + right, low + high]) / 2, normal, b)
    along = np.array([-normal[1], normal[0]]) / length(normal)
    reach = length(np.array([right - left, high - low]))
    ends = np.stack([foot - reach * along, foot + reach * along])
    style = {"color": BLACK, "lw": 1.8, "zorder": 2, **style}
    ax.plot(*ends.T, label=label, scalex=False, scaley=False, **style)
    return ends


def _draw_band(ax: Axes, normal: Vector, line: Linear, least: float) -> None:
    gamma = least / length(line.whole)
    words = f"margin γ = {gamma:.4g}"
    if line.bias:
        words = f"nearest at {least / length(line.w):.4g}; γ = {gamma:.4g}"
    one, other = (
        draw_line(ax, normal, line.b + side * least, label=label, color=GREY, ls="--", lw=1)
        for side, label in ((-1, words), (1, None))
    )
    ax.fill(*np.vstack([one, other[::-1]]).T, color=GREY, alpha=0.12, lw=0, zorder=0)


def draw_normal(ax: Axes, normal: Vector, b: float) -> None:
    """Draw w as an arrow from its line to the positive side, if there is room for it."""
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    foot = _foot(np.array([left + right, low + high]) / 2, normal, b)
    if not (left < foot[0] < right and low < foot[1] < high):
        return
    if ax.get_aspect() == "auto" and normal[1] != 0:
        return  # with two units it would not look orthogonal to its line
    reach = 0.13 * (right - left if normal[1] == 0 else min(right - left, high - low))
    tip = tuple(foot + reach * normal / length(normal))
    arrow = {"arrowstyle": "-|>", "color": BLACK, "lw": 1.4, "shrinkA": 0}
    ax.annotate("", tip, tuple(foot), arrowprops=arrow)
    box = {"facecolor": "white", "alpha": 0.75, "lw": 0, "pad": 0.6}
    ax.annotate("w", tip, (4, 4), textcoords="offset points", weight="bold", zorder=5, bbox=box)


def _foot(point: Vector, normal: Vector, b: float) -> Vector:
    """The point of the line normal·p + b = 0 nearest to this one."""
    n = normal / length(normal)
    foot: Vector = point - (dot(n, point) + b / length(normal)) * n
    return foot
