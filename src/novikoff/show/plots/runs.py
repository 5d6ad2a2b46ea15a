"""Runs and fitted classifiers: their line or regions, the line after each mistake, one update."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from novikoff.guarantees.exact.arithmetic import Numbers
from novikoff.guarantees.words import run_in_brief
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
from novikoff.show.plots.planes import (
    CLASSES,
    Linear,
    draw_line,
    draw_normal,
    draw_rows,
    expect_rows,
    plane,
    ring,
)
from novikoff.sources.arrays import block_of, rows_of
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample
from novikoff.stream.printing import count
from novikoff.stream.rows import DenseRows, Positions, Rows, Vector
from novikoff.stream.sums import dot, length

_LINES = 40  # the most lines drawn
_PLACES = 89  # on each side of the grid on which labels are predicted


@dataclass(frozen=True)
class Fitted:
    """A fitted estimator as `plane` takes it; the constant's weight is the last."""

    block: Block
    weights: Vector
    average: Vector | None
    names: tuple[str, ...] | None
    classes: tuple[str, str]


def fitted(clf: Any, X: Any, y: Any, *, of: Any = None, average: bool = False) -> Fitted:
    """Convert a fitted linear classifier and examples to what the figures take, with a constant.

    `clf` is anything with `coef_`, `intercept_` and `classes_`. With more than two classes, `of` is
    the one to draw against the rest. `average` includes the averaged weights, of novikoff's
    estimators only.
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
    averaged = None
    if average:
        if not hasattr(clf, "weights"):
            raise ValueError(f"{type(clf).__name__} has no averaged weights; leave average out")
        averaged = _weights(k, *clf.weights("average"))
    labels: list[Any] = np.asarray(y).tolist()
    for i, label in enumerate(labels):
        if label not in kinds:
            raise BadExample(f"row {i}: label {label!r} is not one of the classes {kinds}")
    signs = np.array([1 if label == positive else -1 for label in labels], dtype=np.int8)
    named = getattr(X, "columns", None)
    return Fitted(
        Block(rows_of(X), signs),
        _weights(k, clf.coef_, clf.intercept_),
        averaged,
        None if named is None else tuple(str(name) for name in named),
        classes,
    )


def estimator(
    clf: Any, X: Any, y: Any, *, of: Any = None, average: bool = False, ax: Axes | None = None
) -> Axes:
    """Draw the line of a fitted estimator, of a vote the last, as `plane` does; see `fitted`."""
    it = fitted(clf, X, y, of=of, average=average)
    ax = plane(**vars(it), bias=True, ax=ax)
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
    numbers = {label: k for k, label in enumerate(kinds)}
    runs: tuple[Run, ...] = getattr(clf, "runs_", ())
    return draw_regions(
        rows_of(X),
        np.array([numbers.get(label, -1) for label in np.asarray(y).tolist()]),
        [str(kind) for kind in kinds],
        lambda places: np.array([numbers[label] for label in clf.predict(places).tolist()]),
        [run.ledger for run in runs],
        ax=ax,
    )


def draw_regions(
    rows: Rows,
    labels: Positions,
    names: Sequence[str],
    predict: Callable[[Vector], Positions],
    ledgers: Sequence[Ledger] = (),
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw the number of the label predicted at each place, and the rows; see `regions`."""
    if rows.dim != 2:
        raise ValueError(f"regions are drawn for 2 features, not for {rows.dim}")
    expect_rows(Block(rows, np.ones(len(rows), dtype=np.int8)))
    points, ax = dense(rows), new_axes() if ax is None else ax
    low, high = points.min(axis=0), points.max(axis=0)
    room = np.where(high > low, high - low, 1.0) / 20
    sides = [np.linspace(a, b, _PLACES) for a, b in zip(low - room, high + room, strict=True)]
    across, up = np.meshgrid(*sides)
    at = predict(np.column_stack([across.reshape(-1), up.reshape(-1)])).reshape(across.shape)
    styles, colours = [POINT_STYLES[-1], POINT_STYLES[1]], [MINUS, PLUS]
    if len(names) > 2:
        colours = [COLOURS[k % len(COLOURS)] for k in range(len(names))]
        markers = [MARKERS[k % len(MARKERS)] for k in range(len(names))]
        styles = [{"marker": m, "color": c} for m, c in zip(markers, colours, strict=True)]
    levels = np.arange(len(names) + 1) - 0.5
    ax.contourf(*sides, at, levels=levels, colors=colours, alpha=0.2)
    for k, (name, style) in enumerate(zip(names, styles, strict=True)):
        across, up = points[labels == k].T
        ax.scatter(across, up, s=14, label=escaped(name), **style)
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

    def predict(places: Vector) -> Positions:
        return (scores_by_reading(ledger, DenseRows(places))["final"] >= 0).astype(np.int64)

    codes = (block.labels > 0).astype(np.int64)
    return draw_regions(block.rows, codes, names, predict, [ledger], ax=ax)


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


def _weights(k: int, coef: Any, intercept: Any) -> Vector:
    """The weights of class k, the constant's last; some estimators have a single 0.0 for it."""
    rows = np.atleast_2d(np.asarray(coef, dtype=np.float64))
    constants = np.broadcast_to(np.asarray(intercept, dtype=np.float64), (len(rows),))
    return np.append(rows[k], constants[k])


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
