"""Figures of fitted linear classifiers: novikoff's own, or any with scikit-learn's attributes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Any

import numpy as np

from novikoff.ledger.kernels import dense
from novikoff.ledger.ledger import Ledger
from novikoff.ledger.readings import scores_by_reading
from novikoff.online.engine import Engine
from novikoff.runs.loop import Run
from novikoff.show.plots.axes import Axes, escaped, new_axes
from novikoff.show.plots.colours import BLACK, COLOURS, MARKERS, MINUS, PLUS, POINT_STYLES
from novikoff.show.plots.planes import expect_rows, plane
from novikoff.sources.arrays import rows_of
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample
from novikoff.stream.rows import DenseRows, Positions, Rows, Vector

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
        some = islice(zip(cycle(MARKERS), cycle(COLOURS)), len(names))
        styles = [{"marker": marker, "color": colour} for marker, colour in some]
        colours = [style["color"] for style in styles]
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
