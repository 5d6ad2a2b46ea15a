"""How far on its side each example is, and how well a run's three readings do as it goes on.

Novikoff's proof closing in on a run, and the mistakes of a run under their bound.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol

import numpy as np

from novikoff.guarantees.exact.arithmetic import Numbers
from novikoff.guarantees.running_sandwich import Sandwich
from novikoff.ledger import readings as read
from novikoff.ledger.ledger import Ledger, Mistakes
from novikoff.models.measures import Confusion
from novikoff.runs.loop import Run
from novikoff.show.plots.axes import (
    BLACK,
    BLUE,
    COLOURS,
    GREEN,
    GREY,
    MARKERS,
    ORANGE,
    legend_below,
    new_axes,
    say_instead,
)
from novikoff.show.plots.planes import Linear, expect_rows
from novikoff.stream.blocks import Block
from novikoff.stream.rows import Positions, Vector, dots

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


_AHEAD = 8  # how many times the mistakes made the proof is followed to where its curves meet
_APART = 30  # how many times the lower curve the upper one may be and both still be told from 0


class HasBound(Protocol):
    """What a guarantee says: so many mistakes at most."""

    @property
    def bound(self) -> int:
        """The number."""


def sandwich(trace: Sandwich, *, ax: Axes | None = None) -> Axes:
    """kγ ≤ w·u ≤ ‖w‖ ≤ √(Σ‖x‖²) ≤ R√k after each mistake k: the two outer curves close in.

    One grows as k, the other as its root, so they meet, at k = (R/γ)², and no run goes on beyond.
    Where all steps were alike and it is not too far away, the two are continued, in dots, to there;
    where they are very far apart, both axes are logarithmic.

    Parameters
    ----------
    trace
        What `guarantees.sandwich` found.

    References
    ----------
    Novikoff (1962), the proof of Theorem 1.
    """
    ax = new_axes() if ax is None else ax
    if len(trace.k) == 0:
        return say_instead(ax, "no mistake was made: there is nothing to close in on")
    for values, words, colour, dashes in (
        (trace.upper, "R√k, from above", ORANGE, "-"),
        (trace.root_sum, "√Σ‖x‖²", GREY, ":"),
        (trace.norm, "‖w‖", BLACK, "-"),
        (trace.progress, "w·u", GREEN, "-."),
        (trace.lower, "kγ, from below", BLUE, "--"),
    ):
        few = "." if len(trace.k) < 25 else None
        ax.plot(trace.k, values, label=words, color=colour, ls=dashes, lw=1.8, marker=few)
    _continue(trace, ax)
    if trace.lower[0] > 0 and trace.upper[-1] > _APART * trace.lower[-1]:
        ax.set_xscale("log")
        ax.set_yscale("log")
    else:
        ax.set_xlim(left=0)
        ax.set_ylim(0, 1.12 * ax.get_ylim()[1])
    ax.set_xlabel("mistakes k")
    ax.set_ylabel("length, along the unit vector u and of w")
    if trace.failure is not None:
        ax.set_title(str(trace.failure), fontsize="medium", wrap=True)
    legend_below(ax, columns=5)
    return ax


def _continue(trace: Sandwich, ax: Axes) -> None:
    """The outer curves from the last mistake to where they meet."""
    made = float(trace.k[-1])
    gamma, radius = float(trace.lower[-1]) / made, float(trace.upper[-1]) / math.sqrt(made)
    alike = np.allclose(trace.lower, gamma * trace.k, rtol=1e-9)
    if not alike or gamma <= 0 or radius / gamma > math.sqrt(_AHEAD * made):
        return
    meet = (radius / gamma) ** 2
    ks = np.linspace(made, max(meet, made), 200)
    ax.plot(ks, radius * np.sqrt(ks), color=ORANGE, ls=":", lw=1.2)
    ax.plot(ks, gamma * ks, color=BLUE, ls=":", lw=1.2)
    ax.plot([meet], [gamma * meet], "o", color=BLACK, zorder=4)
    ax.axvline(made, color=GREY, lw=0.8, ls=(0, (2, 3)), zorder=0)
    ax.annotate(f"{trace.k[-1]:,} made", (made, 0), (4, 6), textcoords="offset points")
    ax.annotate(
        f"they meet at (R/γ)² = {meet:,.4g}",
        (meet, gamma * meet),
        (-8, 8),
        textcoords="offset points",
        ha="right",
        va="bottom",
    )


def mistakes(
    made: Ledger | Run,
    *,
    bound: int | HasBound | None = None,
    ax: Axes | None = None,
) -> Axes:
    """The mistakes made up to each round, the ends of the passes, and the bound above them.

    When the bound is more than ten times what was made, heights above 1 are logarithmic. Of a
    ledger that kept counts only, the ends of the passes are all that is known, and drawn.

    Parameters
    ----------
    made
        A run, or its ledger; a learner's of any kind, and a concept learner's.
    bound
        A number, or what a function of `guarantees` returned.
    """
    ledger = made.ledger if isinstance(made, Run) else made
    ax = new_axes() if ax is None else ax
    if ledger.n_rounds == 0:
        return say_instead(ax, "no round was played")
    n = ledger.n_mistakes
    if ledger.keep == "counts":
        rounds = np.array([0, *ledger.epoch_ends, ledger.n_rounds])
        counts = np.array([0, *np.cumsum(ledger.epoch_mistakes), n])
        ax.plot(rounds, counts, "o-", color=BLUE, lw=1.8, label=f"{n:,} mistakes, by passes")
    else:
        rounds = np.concatenate([[0], ledger.rounds, [ledger.n_rounds]])
        counts = np.append(np.arange(n + 1), n)
        ax.step(rounds, counts, where="post", color=BLUE, lw=1.8, label=f"{n:,} mistakes")
    if 1 < len(ledger.epoch_ends) <= 60:
        for k, end in enumerate(ledger.epoch_ends):
            label = "end of a pass" if k == 0 else None
            ax.axvline(end, color=GREY, lw=0.6, ls=":", zorder=0, label=label)
    limit = bound if bound is None or isinstance(bound, int | np.integer) else bound.bound
    if limit is not None:
        _draw_bound(ax, int(limit), n)
    ax.set_xlim(0, ledger.n_rounds)
    ax.set_ylim(bottom=0)
    ax.set_xlabel("rounds")
    ax.set_ylabel("mistakes so far")
    ax.legend(loc="best")
    return ax


def _draw_bound(ax: Axes, limit: int, made: int) -> None:
    try:
        height = float(limit)
    except OverflowError:
        power = int(math.log10(limit))
        ax.plot([], [], color=ORANGE, ls="--", label=f"at most 10^{power}, far above the figure")
        return
    if height > 10 * max(1, made):
        ax.set_yscale("symlog", linthresh=1)
    words = f"at most {limit:,}" if limit < 10**12 else f"at most {height:.3g}"
    ax.axhline(height, color=ORANGE, ls="--", lw=1.8, label=words)
