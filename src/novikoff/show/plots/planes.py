"""Figures of a plane: rows and hyperplanes, margins, proofs, the constant, runs, one update."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from novikoff.guarantees.certificate import Certificate
from novikoff.guarantees.exact.arithmetic import Numbers
from novikoff.guarantees.verdict import Separation
from novikoff.guarantees.words import run_in_brief, separation
from novikoff.ledger import readings
from novikoff.ledger.kernels import dense
from novikoff.ledger.ledger import Ledger
from novikoff.ledger.readings import scores_by_reading, trajectory
from novikoff.online.engine import Engine
from novikoff.runs.loop import Run
from novikoff.show.plots.axes import Axes, Panels, escaped, legend_below, new_axes, new_panels
from novikoff.show.plots.colours import (
    BLACK,
    COLOURS,
    GREEN,
    GREY,
    MARKERS,
    MINUS,
    PLUS,
    POINT_STYLES,
)
from novikoff.show.projection import principal_direction, scaled
from novikoff.sources.arrays import block_of, rows_of
from novikoff.stream.blocks import Block, Labels
from novikoff.stream.input_problems import BadExample
from novikoff.stream.printing import count
from novikoff.stream.rows import DenseRows, Vector, dots
from novikoff.stream.sums import dot, length, total

CLASSES = ("−1", "+1")
_SECONDS, _CLOSE = 20.0, 1e-6  # for each proof in `constant`: time, and how good its margin is
_MANY = 1000  # from this number on, points are drawn as an image, which keeps the file small
_FEW = 12  # multipliers that are written beside their points, and points above their shadow
_RINGS = 60  # the most points with rings around them
_LARGE = 1e100  # squares of smaller numbers do not overflow
_UNEQUAL = 20  # the largest ratio of width to height at which both axes have the same unit
_LINES = 40  # the most lines drawn
_PLACES = 89  # on each side of the grid on which labels are predicted


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
        return r"$w\cdot x + b = 0$" if self.bias else r"$w\cdot x = 0$"

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
            own = ["$x$"] if d == 1 else ["$x_1$", "$x_2$"]
            own = own if names is None else [escaped(name) for name in names]
            axes = own[0], own[1] if d == 2 else ""
        else:
            if size := length(w):
                first = w / size
                along = r"$w\cdot x/\|w\|$: the distance along $w$"
                axes = along, "first principal direction orthogonal to $w$"
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
    otherwise the others are. The margin counts a constant as a feature; the legend also gives the
    distance. More than two features are projected on w and on the first principal direction
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
            gamma = least / length(line.whole)
            words = f"margin of $w$: {gamma:.4g}"
            if bias:
                words = f"nearest at {least / length(line.w):.4g}; margin of $(w, b)$: {gamma:.4g}"
            style: dict[str, Any] = {"color": GREY, "ls": "--", "lw": 1}
            one = draw_line(ax, normal, line.b - least, label=words, **style)
            far = draw_line(ax, normal, line.b + least, **style)
            ax.fill(*np.vstack([one, far[::-1]]).T, color=GREY, alpha=0.12, lw=0, zorder=0)
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
    the area of a point shows its multiplier λ in Σ λ y x = 0 (Gordan 1873; Albert & Anderson 1984),
    and in the plane one sees the argument: with a constant, a point that is a mean of both classes;
    without one, that the origin is a mean of the signed points.
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
        free = ax is None or ax.get_autoscalex_on()
        each = [it.multipliers.get(i, 0) / most for i in range(len(block))]
        ax, view = draw_rows(block, line, names=names, classes=classes, multipliers=each, ax=ax)
        if length(line.w):
            draw_line(ax, view.normal(line.w), line.b, label=line.equation)
        if it.multipliers and view.dim <= 2:
            _draw_balance(ax, view, it, block.signs, free=free)
        legend_below(ax)
    ax.set_title(_title(it), fontsize="medium")
    return ax


def _draw_balance(ax: Axes, view: View, it: Certificate, signs: Labels, *, free: bool) -> None:
    """The multipliers beside their points, and the hulls whose common point they give.

    `free` axes get room for what is outside.
    """
    rows = sorted(it.multipliers)
    numbers, places = [it.multipliers[i] for i in rows], view.places[rows].copy()
    if len(rows) <= _FEW:
        short = max(numbers) < 1000
        for place, number in zip(places, numbers, strict=True):
            shown = f"{number}" if short else f"{100 * number / sum(numbers):.2g}%"
            words = rf"$\lambda$ = {shown}"
            ax.annotate(words, tuple(place), (9, 9), textcoords="offset points", zorder=6)
    if view.dim == 1:
        return
    signed = signs[rows] if it.data.bias else np.ones(len(rows), dtype=np.int8)
    if not it.data.bias:  # each negative point is moved through the origin
        mirrored = signs[rows] < 0
        places[mirrored] *= -1
        ax.plot(*places[mirrored].T, "s", mfc="none", mec=GREY, ls="", label="negative, as −$x$")
    shares = np.array([number / sum(numbers) for number in numbers])
    for sign in (-1, 1):
        if (signed == sign).any():
            corners = _hull(places[signed == sign])
            colour = (MINUS, PLUS)[sign > 0] if it.data.bias else GREY
            ax.fill(*corners.T, color=colour, alpha=0.15, lw=0, zorder=0)
            ax.plot(*np.vstack([corners, corners[:1]]).T, color=colour, lw=1, ls=":", zorder=1)
    these = signed > 0
    mean = [dot(shares[these], places[these, j]) / total(shares[these]) for j in (0, 1)]
    label = rf"mean{' of both' * it.data.bias}, weighted by $\lambda$"
    ax.plot(*mean, "x", color=BLACK, ms=9, mew=2, ls="", label=label, zorder=7)
    for along, limits in ((0, ax.get_xlim()), (1, ax.get_ylim())) if free else ():
        low, high = min(limits[0], places[:, along].min()), max(limits[1], places[:, along].max())
        room = 0.08 * (high - low)
        (ax.set_xlim, ax.set_ylim)[along](low - room, high + room)


def _hull(places: Vector) -> Vector:
    """The corners of the convex hull in order; of points on one line, its two ends."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        return places[ConvexHull(places).vertices]
    except QhullError:
        return places[np.lexsort(places.T)[[0, -1]]]


def _title(it: Certificate) -> str:
    balance = rf"the {count(len(it.multipliers))} larger points balance, $\sum\lambda y x = 0$"
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
    divides them. Two features are drawn on the same ranges without and with it, and then at height
    1 above the plane, where a plane through the origin divides them. The verdicts above the panels
    come from `certify`, so they are proved.
    """
    from novikoff.separability import certify  # with scipy.optimize, 0.2 s of every figure

    d = block.rows.dim
    if d not in (1, 2):
        raise ValueError(f"constant takes one or two features, not {d}; choose columns")
    panels = new_panels(1 + d, height=4.6 if d == 2 else 3.6) if axes is None else axes
    for ax, bias in zip(panels, (False, True), strict=False):
        found = certify(block, fit_intercept=bias, margin_rtol=_CLOSE, max_seconds=_SECONDS)
        if bias and d == 2:
            ax.set(xlim=panels[0].get_xlim(), ylim=panels[0].get_ylim(), aspect="equal")
        if bias and d == 1:
            at_1 = DenseRows(np.column_stack([dots(block.rows, np.ones(1)), np.ones(len(block))]))
            weights, both = scaled(found.weights), ((names or "x")[0], "the constant")
            plane(
                Block(at_1, block.labels), weights, bias=False, names=both, classes=classes, ax=ax
            )
            ax.axhline(1, color=GREY, lw=0.8, zorder=0)
            if weights[0]:
                threshold = -weights[1] / weights[0]
                words = f"threshold {threshold:.4g}"
                ax.plot([threshold], [1], "v", color=BLACK, ls="", label=words, zorder=5)
        else:
            certificate(found, block, names=names, classes=classes, ax=ax)
        ax.plot([0], [0], "+", color=BLACK, ms=14, ls="", label="the origin", zorder=5)
        legend_below(ax, columns=2)
        which = "with" if bias else "without"
        ax.set_title(f"{which} the constant: {found.verdict}", fontsize="medium")
    if d == 2:
        _draw_above(found, block, panels[2])
    return Panels(panels)


def _draw_above(found: Certificate, block: Block, ax: Axes) -> None:
    """Points of two features at height 1 above their plane, and what divides them there."""
    features = np.column_stack([dots(block.rows, e) for e in np.eye(2)])
    size = 1.1 * float(np.abs(features).max()) or 1.0

    def seen(places: Vector, height: float) -> Vector:  # from above and the side
        x, y = np.atleast_2d(places).T
        return np.column_stack([x + 0.45 * y, 0.35 * y + 0.8 * size * height])

    low, high = np.minimum(features.min(axis=0), 0), np.maximum(features.max(axis=0), 0)
    square = np.array([low, [high[0], low[1]], high, [low[0], high[1]]])
    middle = (low + high) / 2
    square = middle + 1.1 * (square - middle)
    for height, words in ((0.0, "$x$"), (1.0, "$(x, 1)$")):
        corners = seen(square, height)
        ax.fill(*corners.T, facecolor="none", edgecolor=GREY, lw=0.8, zorder=0)
        ax.annotate(words, tuple(corners[1]), (4, 2), textcoords="offset points", color=GREY)
    for sign, style in POINT_STYLES.items():
        these = block.signs == sign
        across, up = seen(features[these], 1).T
        ax.scatter(across, up, s=32, linewidths=1.2, zorder=3, **style)
        for x in features[these][:_FEW]:
            ax.plot(*np.vstack([seen(x, 0), seen(x, 1)]).T, color=GREY, lw=0.5, ls=":", zorder=0)
    w = scaled(found.weights)
    if length(w[:2]):
        foot = _foot(middle, w[:2], float(w[2]))
        along = 0.6 * length(high - low) * np.array([-w[1], w[0]]) / length(w[:2])
        cut = seen(np.stack([foot - along, foot + along]), 1)
        ax.plot(*cut.T, color=BLACK, lw=1.8, label="where the plane cuts height 1")
        ax.fill(*np.vstack([seen(np.zeros(2), 0), cut]).T, color=GREY, alpha=0.25, lw=0, zorder=1)
    ax.plot(*seen(np.zeros(2), 0).T, "+", color=BLACK, ms=14, ls="", label="the origin", zorder=5)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_axis_off()
    ax.set_title("the same, with the constant as height", fontsize="medium")
    legend_below(ax, columns=1)


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
            across, up = view.places[these].T
            ax.scatter(
                across,
                up,
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
    """Choose limits around the points and a line that is near, unless they are set; name axes."""
    ax.set(xlabel=view.axes[0], ylabel=view.axes[1])
    if not ax.get_autoscalex_on():
        return
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
    ax.set(xlim=(left, right), ylim=(low, high))


def ring(ax: Axes, places: Vector, label: str) -> None:
    """Draw a ring around each of these points; of many, a small cross, as rings make a blob."""
    style: dict[str, Any] = {"marker": "x", "s": 12, "color": BLACK, "lw": 0.6, "alpha": 0.5}
    if len(places) <= _RINGS:
        style = {"s": 120, "facecolors": "none", "edgecolors": BLACK, "linewidths": 1.0}
    if len(places):
        crowd = len(places) >= _MANY
        ax.scatter(*places.T, label=label, rasterized=crowd, zorder=4, **style)


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
    ax.annotate("$w$", tip, (4, 4), textcoords="offset points", zorder=5, bbox=box)


def _foot(point: Vector, normal: Vector, b: float) -> Vector:
    """The point of the line normal·p + b = 0 nearest to this one."""
    n = normal / length(normal)
    foot: Vector = point - (dot(n, point) + b / length(normal)) * n
    return foot


@dataclass(frozen=True)
class Fitted:
    """A fitted estimator as `plane` takes it; the constant's weight is the last."""

    block: Block
    weights: Vector
    names: tuple[str, ...] | None
    classes: tuple[str, str]


def fitted(clf: Any, X: Any, y: Any, *, of: Any = None) -> Fitted:
    """Convert a fitted linear classifier and examples to what the figures take, with a constant.

    `clf` is anything with `coef_`, `intercept_` and `classes_`. With more than two classes, `of` is
    the one to draw against the rest.
    """
    for name in ("coef_", "intercept_", "classes_"):
        if not hasattr(clf, name):
            raise ValueError(f"{type(clf).__name__} has no {name}; pass a fitted linear classifier")
    kinds: list[Any] = np.asarray(clf.classes_).tolist()
    if len(kinds) == 2:
        if of is not None:
            raise ValueError(f"of={of!r} is for more than two classes; leave it out")
        k, positive, classes = 0, kinds[1], (str(kinds[0]), str(kinds[1]))
    elif of in kinds:
        k, positive, classes = kinds.index(of), of, (f"not {of}", str(of))
    else:
        raise ValueError(
            f"of must be one of the classes {kinds}, to draw it against the rest; got {of!r}"
        )
    labels: list[Any] = np.asarray(y).tolist()
    for i, label in enumerate(labels):
        if label not in kinds:
            raise BadExample(f"row {i}: label {label!r} is not one of the classes {kinds}")
    signs = np.array([1 if label == positive else -1 for label in labels], dtype=np.int8)
    rows = np.atleast_2d(np.asarray(clf.coef_, dtype=np.float64))
    constants = np.broadcast_to(np.asarray(clf.intercept_), (len(rows),))  # some have a single 0.0
    named = getattr(X, "columns", None)
    return Fitted(
        Block(rows_of(X), signs),
        np.append(rows[k], constants[k]),
        None if named is None else tuple(str(name) for name in named),
        classes,
    )


def estimator(clf: Any, X: Any, y: Any, *, of: Any = None, ax: Axes | None = None) -> Axes:
    """Draw the line of a fitted estimator, of a vote the last, as `plane` does; see `fitted`."""
    ax = plane(**vars(fitted(clf, X, y, of=of)), bias=True, ax=ax)
    engine = getattr(clf, "_engine", None)
    if isinstance(engine, Engine) and engine.rule.reading == "vote":
        ax.set_title("the last of the voting lines", fontsize="medium")
    return ax


def regions(clf: Any, X: Any, y: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the label that a fitted classifier predicts at each place, and the examples.

    X has two features; there may be any number of classes. The mistaken examples that an estimator
    of novikoff has kept are ringed: those of a kernel perceptron are all that it knows.
    """
    kinds: list[Any] = np.asarray(clf.classes_).tolist()
    numbers, rows = {label: k for k, label in enumerate(kinds)}, rows_of(X)
    if rows.dim != 2:
        raise ValueError(f"regions are drawn for 2 features, not for {rows.dim}")
    expect_rows(Block(rows, np.ones(len(rows), dtype=np.int8)))
    points, ax = dense(rows), new_axes() if ax is None else ax
    low, high = points.min(axis=0), points.max(axis=0)
    room = np.where(high > low, high - low, 1.0) / 20
    sides = [np.linspace(a, b, _PLACES) for a, b in zip(low - room, high + room, strict=True)]
    across, up = np.meshgrid(*sides)
    predicted = clf.predict(np.column_stack([across.reshape(-1), up.reshape(-1)])).tolist()
    at = np.array([numbers[label] for label in predicted]).reshape(across.shape)
    styles, colours = [POINT_STYLES[-1], POINT_STYLES[1]], [MINUS, PLUS]
    if len(kinds) > 2:
        colours = [COLOURS[k % len(COLOURS)] for k in range(len(kinds))]
        markers = [MARKERS[k % len(MARKERS)] for k in range(len(kinds))]
        styles = [{"marker": m, "color": c} for m, c in zip(markers, colours, strict=True)]
    levels = np.arange(len(kinds) + 1) - 0.5
    ax.contourf(*sides, at, levels=levels, colors=colours, alpha=0.2)
    labels = np.array([numbers.get(label, -1) for label in np.asarray(y).tolist()])
    for k, (kind, style) in enumerate(zip(kinds, styles, strict=True)):
        across, up = points[labels == k].T
        ax.scatter(across, up, s=14, label=escaped(kind), **style)
    ledgers = [run.ledger for run in getattr(clf, "runs_", ())]
    if kept := [one for one in ledgers if one.keep == "examples" and len(one)]:
        rung = np.unique(np.vstack([dense(ledger.examples) for ledger in kept]), axis=0)
        across, up = rung.T
        ax.scatter(across, up, s=70, facecolors="none", edgecolors=BLACK, label="mistaken")
    ax.set_aspect("equal")
    return ax


def kernel_regions(
    ledger: Ledger, block: Block, names: Sequence[str], *, ax: Axes | None = None
) -> Axes:
    """Draw the regions of the final weights of a run in a kernel's space; see `regions`."""
    kinds = np.array(names, dtype=object)

    def predict(places: Vector) -> Any:
        scores = scores_by_reading(ledger, DenseRows(places))["final"]
        return kinds[(scores >= 0).astype(np.int64)]

    runs = (SimpleNamespace(ledger=ledger),)
    clf = SimpleNamespace(classes_=kinds, predict=predict, runs_=runs)
    return regions(clf, dense(block.rows), kinds[(block.labels > 0).astype(np.int64)], ax=ax)


def run_of(made: Any) -> Run:
    """The run itself, or the run of a fitted estimator of novikoff."""
    what = type(made)
    if not hasattr(what, "runs_"):
        if not isinstance(made, Run):
            raise TypeError(f"pass a Run or a fitted estimator of novikoff, not {what.__name__}")
        return made
    runs: tuple[Run, ...] = made.runs_
    if len(runs) > 1:
        raise ValueError(
            f"this {what.__name__} made {len(runs)} runs, one for each class; pass one of its runs_"
        )
    return runs[0]


def ledger_of(made: Any) -> Ledger:
    """The ledger itself, or that of a run or of a fitted estimator of novikoff."""
    return made if isinstance(made, Ledger) else run_of(made).ledger


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
    classes: Sequence[str] = CLASSES,
    axes: Sequence[Axes] | None = None,
) -> Panels:
    """Draw the weights before an update, the step y·x that is added to them, the weights after.

    y(w·x + b) grows by ‖x‖², and by 1 more with a constant. More than two features are drawn in
    the plane through w and x, which contains the whole update (Rosenblatt 1958; Novikoff 1962).
    """
    if y not in (-1, 1):
        raise ValueError(f"the label is {y!r}; it must be -1 or +1")
    example = np.array([float(v) for v in x])
    if not np.isfinite(example).all():
        raise ValueError(f"the example is {example.tolist()}; its features must be finite numbers")
    old, x1 = Linear.of(weights, len(example), bias=bias), np.append(example, [1.0] * bias)
    if not x1.any():
        raise ValueError("the example is all 0, so an update with it changes nothing")
    new = old.whole + y * x1
    score, then = dot(old.whole, x1), dot(new, x1)
    if len(example) == 2:
        basis, names = np.eye(2, len(x1)), ("$x_1$", "$x_2$")
        b, b_after = old.b, float(new[2]) if bias else 0.0
    else:
        first, name = (old.whole, "w") if old.whole.any() else (x1, "x")
        e = first / length(first)
        rest = x1 - dot(e, x1) * e
        size = length(rest)
        f = rest / size if size > 1e-12 * length(x1) else np.zeros(len(rest))
        along = f"along ${name}$" + " (with the constant)" * bias
        basis, names = np.stack([e, f]), (along, "orthogonal to $w$, on the side of $x$")
        b, b_after = 0.0, 0.0
    w, w_after, point = (np.array([dot(e, v) for e in basis]) for v in (old.whole, new, x1))
    far = float(np.abs([w, w_after, point]).max())
    lines = [abs(c) / length(v) for v, c in ((w, b), (w_after, b_after)) if length(v)]
    reach = 1.45 * max([far, *(d for d in lines if d < 4 * far)]) or 1.0  # 0 if x is all 0
    sign = "+" if y > 0 else "-"
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
    _arrow(during, w, w_after, f"${sign}x$", GREEN, "--")
    _arrow(after, origin, w, "$w$", GREY, ":")
    _arrow(after, origin, w_after, f"$w {sign} x$", BLACK)
    return panels


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
