"""How far on its side each example is, and how well a run's three readings do as it goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from novikoff import readings as read
from novikoff.examples import Block
from novikoff.guarantees.exact import Numbers
from novikoff.ledger import Ledger
from novikoff.loop import Run
from novikoff.measures import Confusion
from novikoff.mistakes import Mistakes
from novikoff.plots.axes import (
    BLACK,
    BLUE,
    COLOURS,
    MARKERS,
    ORANGE,
    legend_below,
    new_axes,
    say_instead,
)
from novikoff.plots.views import Linear, expect_rows
from novikoff.rows import Positions, Vector, dots

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BINS = 40
_POINTS = 25


def margins(block: Block, weights: Numbers, *, bias: bool, ax: Axes | None = None) -> Axes:
    """How many examples are right by how much: y(w·x + b)/‖w‖, the errors hatched.

    The constant's weight counts in ‖w‖, as in `guarantees.achieved_margin`, which is the left end.
    Exactly 0 claims no side, and is an error.

    Parameters
    ----------
    weights, bias
        As for `plane`.

    References
    ----------
    Novikoff (1962) for the margin, which is the least of them.
    """
    expect_rows(block)
    line = Linear.of(weights, block.rows.dim, bias=bias)
    length = float(np.linalg.norm(line.whole))
    if length == 0:
        raise ValueError("the weights are all 0: they have no hyperplane, and so no margins")
    each = line.right_by(block) / length
    edges = _edges(each)
    counts = _counts(each, edges)
    wrong = edges[1:] <= 0
    ax = new_axes() if ax is None else ax
    for these, words, colour, hatch in (
        (wrong, "errors", ORANGE, "///"),
        (~wrong, "right", BLUE, None),
    ):
        total = int(counts[these].sum())
        ax.bar(
            edges[:-1][these],
            counts[these],
            np.diff(edges)[these],
            align="edge",
            label=f"{words}: {total:,}",
            facecolor="none" if hatch else colour,
            edgecolor=colour if hatch else "white",
            hatch=hatch,
            lw=0.8,
        )
    ax.axvline(0, color=BLACK, lw=1.2)
    least = float(each.min())
    ax.axvline(least, color=BLACK, lw=1, ls=":", label=f"the least: {least:.4g}".replace("-", "−"))
    with_b = "y(w·x + b)/‖(w, b)‖" if bias else "y w·x/‖w‖"
    ax.set_xlabel(f"{with_b}: how far on its right side")
    ax.set_ylabel("examples")
    legend_below(ax)
    return ax


def _edges(values: Vector) -> Vector:
    """Ends of intervals of one width that cover the values, 0 among them."""
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    width = (high - low) / _BINS or 1.0
    edges: Vector = width * np.arange(np.floor(low / width), np.ceil(high / width) + 1)
    edges = np.append(edges, edges[-1] + width) if edges[-1] < high else edges
    return np.concatenate([edges[:1] - width, edges]) if edges[0] >= low else edges


def _counts(values: Vector, edges: Vector) -> Positions:
    """How many are in each interval, its left end not counted in it but its right end."""
    places = np.searchsorted(edges, values, side="left") - 1
    return np.bincount(places, minlength=len(edges) - 1)


def readings(made: Ledger | Run, test: Block, *, most: int = 1000, ax: Axes | None = None) -> Axes:
    """The accuracy of the final weights, their average and the vote on a test set, as a run grows.

    Each point is the reading of the run as it stood after so many rounds, which are spaced evenly
    on a logarithmic axis; the last is the reading of the whole run.

    Parameters
    ----------
    made
        A run of a learner that adds, or its ledger, with its examples kept.
    test
        The examples to try each reading on.
    most
        Of more test examples than this, so many are tried, evenly spaced, and the axis says so: a
        vote takes time in proportion to them and to the mistakes.

    References
    ----------
    Freund & Schapire (1999) for the vote and the average.
    """
    ledger = made.ledger if isinstance(made, Run) else made
    ledger.expect_sums()
    ledger.expect_examples()
    expect_rows(test)
    if test.rows.dim != ledger.dim:
        raise ValueError(f"the run was on {ledger.dim} features, the test has {test.rows.dim}")
    ax = new_axes() if ax is None else ax
    if ledger.n_rounds == 0:
        return say_instead(ax, "no round was played")
    if most < 1:
        raise ValueError(f"most must be at least 1, not {most}")
    of_all = f"{len(test):,}"
    if len(test) > most:
        some = np.linspace(0, len(test) - 1, most).astype(np.int64)
        test = Block(test.rows.take(some), test.labels[some])
        of_all = f"{most:,} of {of_all}"
    rounds = np.unique(np.geomspace(1, ledger.n_rounds, _POINTS).round().astype(np.int64))
    values = np.array([_accuracies(_up_to(ledger, int(t)), test) for t in rounds])
    for k, name in enumerate(("final", "average", "vote")):
        ax.plot(
            rounds,
            values[:, k],
            label=f"{name}: {values[-1, k]:.2%}",
            color=COLOURS[k],
            marker=MARKERS[k],
            ms=5,
            ls=("-", "--", "-.")[k],
            markerfacecolor=COLOURS[k] if k == 0 else "white",
        )
    ax.set_xscale("log")
    ax.set_xlabel("rounds")
    ax.set_ylabel(f"accuracy on {of_all} examples")
    ax.yaxis.set_major_formatter(lambda v, _: f"{v:.0%}")
    legend_below(ax, title="at the end")
    return ax


def _accuracies(ledger: Ledger, test: Block) -> list[float]:
    scores = [
        dots(test.rows, read.final(ledger), bias=ledger.bias),
        dots(test.rows, read.average(ledger), bias=ledger.bias),
        read.vote(ledger, test.rows),
    ]
    found = []
    for each in scores:
        table = Confusion()
        table.count(test.signs, each)
        found.append(table.accuracy)
    return found


def _up_to(ledger: Ledger, t: int) -> Ledger:
    """The ledger as it stood after round t, with rows numbered by their place among the kept."""
    part = Ledger(ledger.dim, bias=ledger.bias, start=ledger.start, unit=ledger.unit)
    n = ledger.mistakes_by(t)
    if n == 0:
        part.n_rounds = t
        return part
    whole = ledger.mistakes
    part.record(
        Mistakes(whole.rounds[:n], ledger.example[:n], whole.scores[:n], whole.steps[:n],
                 whole.squares[:n]), t)  # fmt: skip
    kept = ledger.examples
    part.store(Block(kept, np.ones(len(kept), dtype=np.int8)))
    return part
