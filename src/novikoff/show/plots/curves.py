"""Curves and counts: margins, readings, mistakes and their bound, scores, lab experiments."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from dataclasses import replace
from decimal import Context, Decimal
from itertools import cycle, product
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from novikoff.guarantees.exact.arithmetic import Numbers
from novikoff.guarantees.novikoff_bound import Sandwich
from novikoff.guarantees.risk import share_interval
from novikoff.ledger.ledger import Ledger
from novikoff.ledger.readings import scores_by_reading
from novikoff.models.measures import Ranking, Reliability
from novikoff.show.plots.axes import Axes, escaped, legend_below, new_axes, write_instead
from novikoff.show.plots.colours import BLACK, COLOURS, GOLD, GREEN, GREY, MARKERS, PURPLE
from novikoff.show.plots.planes import Linear, expect_rows, kernel_regions, ledger_of
from novikoff.stream.blocks import Block
from novikoff.stream.labels import predicts_positive
from novikoff.stream.printing import count, plural, share
from novikoff.stream.rows import Positions, Vector
from novikoff.stream.sums import length

if TYPE_CHECKING:
    from novikoff.show.lab import Curves, Result

_DECIMAL = Context(prec=28)  # powers are the same on every machine, unlike libm's
_BINS = 40  # of the histogram
_HATCHED: dict[str, Any] = {"facecolor": "none", "edgecolor": BLACK, "hatch": "///"}
_FILLED: dict[str, Any] = {"facecolor": GREY, "edgecolor": "white"}
_ZERO: dict[str, Any] = {"facecolor": GOLD, "edgecolor": BLACK, "zorder": 3}
_POINTS, _TESTED = 25, 1000  # of a learning curve; examples on which it is tested, at most
_AHEAD = 8  # the proof's curves are continued to where they meet if that is within 8 times k
_APART = 30  # the ratio of the proof's curves from which on both axes are logarithmic
_FINEST = 2000  # corners closer than a two-thousandth of an axis look the same


def margins(block: Block, weights: Numbers, *, bias: bool, ax: Axes | None = None) -> Axes:
    """A histogram of y(w·x + b)/‖w‖, the margin of each example, with errors hatched.

    The least is that of `guarantees.achieved_margin`. Margins of exactly 0, which are errors too,
    have a bar of their own.
    """
    expect_rows(block)
    line = Linear.of(weights, block.rows.dim, bias=bias)
    size = length(line.whole)
    if size == 0:
        raise ValueError("the weights are all 0, so there is no hyperplane and no margin")
    each = line.margins(block) / size
    edges, zero = _edges(each), each == 0
    # an interval includes its right end but not its left
    counts = np.bincount(np.searchsorted(edges, each[~zero]) - 1, minlength=len(edges) - 1)
    left, widths = edges[:-1], np.diff(edges)
    wrong = edges[1:] <= 0
    ax = new_axes() if ax is None else ax
    for where, width, heights, words, style in (
        (left[wrong], widths[wrong], counts[wrong], "wrong side", _HATCHED),
        (left[~wrong], widths[~wrong], counts[~wrong], "correct side", _FILLED),
        (-widths[:1] / 4, widths[:1] / 2, zero.sum(keepdims=True), "exactly 0", _ZERO),
    ):
        if (n := int(heights.sum())) or words != "exactly 0":
            words = f"{words}: {count(n)}"
            ax.bar(where, heights, width, align="edge", label=words, lw=0.8, **style)
    ax.axvline(0, color=BLACK, lw=1.2)
    least = float(each.min())
    ax.axvline(least, color=BLACK, lw=1, ls=":", label=f"the least: {least:.4g}".replace("-", "−"))
    with_b = r"$y(w\cdot x + b)/\|(w, b)\|$" if bias else r"$y\,w\cdot x/\|w\|$"
    ax.set(xlabel=f"margin {with_b}", ylabel="examples")
    legend_below(ax)
    return ax


def _edges(values: Vector) -> Vector:
    """The ends of intervals of equal width that cover the values; one of them is 0."""
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    width = (high - low) / _BINS or 1.0
    edges: Vector = width * np.arange(np.floor(low / width), np.ceil(high / width) + 1)
    edges = np.append(edges, edges[-1] + width) if edges[-1] < high else edges
    return np.concatenate([edges[:1] - width, edges]) if edges[0] >= low else edges


def readings(made: Any, test: Block, *, ax: Axes | None = None) -> Axes:
    """Learning curves: the accuracy on test examples of the final weights, the average, the vote.

    Each point is a reading of the run after that number of rounds (Freund & Schapire 1999), and the
    shades are 95 % intervals for the accuracy on new examples, one at a time. The
    run, ledger or fitted estimator is of an additive or a kernel learner that kept its examples; of
    more than 1,000 test examples only 1,000 are used.
    """
    ledger = ledger_of(made)
    if ledger.kernel is None:
        ledger.expect_sums()
    ledger.expect_examples()
    expect_rows(test)
    if test.rows.dim != ledger.dim:
        raise ValueError(f"the run was on {ledger.dim} features, the test has {test.rows.dim}")
    ax = new_axes() if ax is None else ax
    if ledger.n_rounds == 0:
        return write_instead(ax, "no round was played")
    tested = plural(len(test), "example")
    if len(test) > _TESTED:
        tested = f"{count(_TESTED)} of {tested}"
        chosen = np.arange(_TESTED) * (len(test) - 1) // (_TESTED - 1)
        test = Block(test.rows.take(chosen), test.labels[chosen])
    powers = (_DECIMAL.power(ledger.n_rounds, Decimal(k) / (_POINTS - 1)) for k in range(_POINTS))
    rounds = sorted(set(map(round, powers)))
    each = [scores_by_reading(_up_to(ledger, t), test.rows) for t in rounds]
    for k, name in enumerate(each[0]):
        right = [predicts_positive(scores[name]) == (test.signs > 0) for scores in each]
        correct = [int(those.sum()) for those in right]
        accuracies = [n / len(test) for n in correct]
        low, high = zip(*(share_interval(n, len(test)) for n in correct), strict=True)
        ax.fill_between(rounds, low, high, color=COLOURS[k], alpha=0.1, lw=0, zorder=1)
        ax.plot(
            rounds,
            accuracies,
            label=f"{name}: {share(accuracies[-1])}",
            color=COLOURS[k],
            marker=MARKERS[k],
            ms=5,
            ls=("-", "--", "-.")[k],
            markerfacecolor=COLOURS[k] if k == 0 else "white",
        )
    ax.set(xscale="log", xlabel="rounds", ylabel=f"accuracy on {tested}")
    ax.yaxis.set_major_formatter(lambda v, _: f"{v:.0%}")
    legend_below(ax, title="at the end; shaded: 95 % intervals")
    return ax


def _up_to(ledger: Ledger, t: int) -> Ledger:
    """The ledger as it was after round t; its rows are numbered by their place in `examples`."""
    part = Ledger(
        ledger.dim,
        bias=ledger.bias,
        start=ledger.start,
        unit=ledger.unit,
        rule=ledger.rule,
        kernel=ledger.kernel,
    )
    n = ledger.updates_by(t)
    if n == 0:
        part.n_rounds = t
        return part
    block = Block(ledger.examples, np.ones(len(ledger.examples), dtype=np.int8))
    part.record(replace(ledger.mistakes.part(0, n), rows=ledger.example[:n]), t, block)
    return part


def sandwich(trace: Sandwich, *, ax: Axes | None = None) -> Axes:
    """Draw kγ ≤ w·u ≤ ‖w‖ ≤ √(Σ‖x‖²) ≤ R√k after each mistake k, the proof of Novikoff's bound.

    The lower curve grows as k and the upper one as √k, so they meet, at k = (R/γ)², and no run can
    go beyond. `trace` comes from `guarantees.sandwich`.
    """
    ax = new_axes() if ax is None else ax
    if len(trace.k) == 0:
        return write_instead(ax, "no mistake was made, so there is nothing to bound")
    for values, words, colour, dashes in (
        (trace.upper, "$R$√$k$, from above", PURPLE, "-"),
        (trace.root_sum, r"√($\sum\|x\|^2$)", GREY, ":"),
        (trace.norm, r"$\|w\|$", BLACK, "-"),
        (trace.progress, r"$w\cdot u$", GREEN, "-"),
        (trace.lower, r"$k\gamma$, from below", GREEN, "--"),
    ):
        few = "." if len(trace.k) < 25 else None
        ax.plot(trace.k, values, label=words, color=colour, ls=dashes, lw=1.8, marker=few)
    _continue(trace, ax)
    if trace.lower[0] > 0 and trace.upper[-1] > _APART * trace.lower[-1]:
        ax.set(xscale="log", yscale="log")
    else:
        ax.set_xlim(left=0)
        ax.set_ylim(0, 1.12 * ax.get_ylim()[1])
    ax.set(xlabel="mistakes $k$", ylabel="length: along the unit vector $u$, and of $w$")
    if trace.failure is not None:
        ax.set_title(str(trace.failure), fontsize="medium", wrap=True)
    legend_below(ax, columns=5)
    return ax


def _continue(trace: Sandwich, ax: Axes) -> None:
    """Continue the outer curves from the last mistake to where they meet."""
    made = float(trace.k[-1])
    gamma, radius = float(trace.lower[-1]) / made, float(trace.upper[-1]) / math.sqrt(made)
    alike = np.allclose(trace.lower, gamma * trace.k, rtol=1e-9)
    if not alike or gamma <= 0 or radius / gamma > math.sqrt(_AHEAD * made):
        return
    meet = (radius / gamma) ** 2
    ks = np.linspace(made, max(meet, made), 200)
    ax.plot(ks, radius * np.sqrt(ks), color=PURPLE, ls=":", lw=1.2)
    ax.plot(ks, gamma * ks, color=GREEN, ls=":", lw=1.2)
    ax.plot([meet], [gamma * meet], "o", color=BLACK, zorder=4)
    ax.axvline(made, color=GREY, lw=0.8, ls=(0, (2, 3)), zorder=0)
    ax.annotate(f"{count(int(trace.k[-1]))} made", (made, 0), (4, 6), textcoords="offset points")
    ax.annotate(
        rf"they meet at $(R/\gamma)^2$ = {meet:,.4g}",
        (meet, gamma * meet),
        (-8, 8),
        textcoords="offset points",
        ha="right",
        va="bottom",
    )


def mistakes(made: Any, *, bound: Any = None, ax: Axes | None = None) -> Axes:
    """Draw the mistakes made up to each round, the ends of the passes, and a bound above them.

    They are those of a run, of a ledger, or of a fitted estimator. The updates are drawn too if
    they are more. The bound is a number, or the result of a function of `guarantees`; if it is far
    above, heights are logarithmic. From a ledger that kept counts only, all is drawn by passes.
    """
    ledger = ledger_of(made)
    ax = new_axes() if ax is None else ax
    if ledger.n_rounds == 0:
        return write_instead(ax, "no round was played")
    has_more = ledger.n_updates > ledger.n_mistakes
    for what in ("mistake", "update") if has_more else ("mistake",):
        wrong = what == "mistake"
        n, dashes = (ledger.n_mistakes, "-") if wrong else (ledger.n_updates, "--")
        style: dict[str, Any] = {"color": BLACK if wrong else GREEN, "lw": 1.8}
        if ledger.keep == "counts":
            each = ledger.epoch_mistakes if wrong else ledger.epoch_updates
            heights, words = [0, *np.cumsum(each), n], f"{plural(n, what)}, by passes"
            ends = [0, *ledger.epoch_ends, ledger.n_rounds]
            ax.plot(ends, heights, f"o{dashes}", label=words, **style)
        else:
            made = ledger.rounds[ledger.mistakes.wrong] if wrong else ledger.rounds
            rounds, counts = [0, *made.tolist(), ledger.n_rounds], [*range(n + 1), n]
            ax.step(rounds, counts, dashes, where="post", label=plural(n, what), **style)
    if 1 < len(ledger.epoch_ends) <= 60:
        for k, end in enumerate(ledger.epoch_ends):
            label = "end of a pass" if k == 0 else None
            ax.axvline(end, color=GREY, lw=0.6, ls=":", zorder=0, label=label)
    if bound is not None:
        limit = int(getattr(bound, "bound", bound))
        words = f"at most {count(limit)}"
        style = {"color": PURPLE, "ls": "--"}
        if limit > sys.float_info.max:
            ax.plot([], [], label=f"{words}, far above the figure", **style)
        else:
            if limit > 10 * max(1, ledger.n_updates):
                ax.set_yscale("symlog", linthresh=1)
            ax.axhline(float(limit), lw=1.8, label=words, **style)
    ax.set_ylim(bottom=0)
    ax.set(xlim=(0, ledger.n_rounds), xlabel="rounds", ylabel="mistakes so far")
    ax.legend(loc="best")
    return ax


def experiment(result: Result, *, ax: Axes | None = None) -> Axes:
    """Draw an experiment's curves or regions, or the bound of each claim beside what was seen."""
    ax = new_axes() if ax is None else ax
    if result.pictures:
        return _draw_pictures(result, ax)
    if result.curves is not None:
        _draw_curves(result, result.curves, ax)
    else:
        places, checks = np.arange(len(result.checks)), result.checks
        style: dict[str, Any] = {"height": 0.38, "color": COLOURS[0], "label": "bound"}
        ax.barh(places - 0.2, [check.bound for check in checks], **style)
        style = {"height": 0.38, "color": COLOURS[1], "label": "observed", "hatch": "//"}
        ax.barh(places + 0.2, [check.seen for check in checks], **style)
        ax.set_yticks(places, [check.claim for check in checks])
        ax.invert_yaxis()
    ax.set_title(result.question, fontsize="medium", wrap=True)
    ax.legend()
    return ax


def _draw_curves(result: Result, curves: Curves, ax: Axes) -> None:
    kinds = [None] * len(result.rows) if curves.by is None else result.column(curves.by)
    lines = dict[str, list[tuple[Any, Any]]]()
    for kind, column in product(dict.fromkeys(kinds), curves.ys):
        cells = zip(kinds, result.column(curves.x), result.column(column), strict=True)
        lines[column if kind is None else str(kind)] = [
            (x, y) for k, x, y in cells if k == kind and None not in (x, y)
        ]
    for (name, points), colour, marker in zip(lines.items(), cycle(COLOURS), cycle(MARKERS)):
        style: dict[str, Any] = {"marker": marker, "ls": "-", "ms": 6}
        if name.endswith("at most"):
            style = {"ls": "--", "lw": 1.2}
        elif not curves.joined:
            style |= {"ls": "", "ms": 9}
        xs, ys = [x for x, _ in points], [y for _, y in points]
        ax.plot(xs, ys, label=escaped(name), color=colour, **style)
    if "x" in curves.logarithmic:
        ax.set_xscale(**_logarithmic([x for points in lines.values() for x, _ in points]))
    elif all(isinstance(x, int) for x in result.column(curves.x)):
        ax.locator_params(axis="x", integer=True)
    if "y" in curves.logarithmic:
        ax.set_yscale(**_logarithmic([y for points in lines.values() for _, y in points]))
    ax.set(xlabel=curves.x, ylabel=curves.label or ", ".join(curves.ys))


def _logarithmic(numbers: Iterable[float]) -> dict[str, Any]:
    """A logarithmic scale; if there are zeros, it is linear below the smallest other number."""
    given = sorted(set(numbers))
    if given[:1] != [0] or len(given) < 2:
        return {"value": "log"}
    return {"value": "symlog", "linthresh": given[1], "linscale": 0.5}


def _draw_pictures(result: Result, ax: Axes) -> Axes:
    """The regions of runs in a kernel's space, side by side."""
    ax.set_axis_off()
    width = 1 / len(result.pictures)
    for k, (name, block, ledger) in enumerate(result.pictures):
        inset = ax.inset_axes((k * width, 0, 0.92 * width, 1))
        kernel_regions(ledger, block, ("−1", "+1"), ax=inset)
        made = plural(len(ledger), "mistake")
        inset.set_title(f"{name}: {made}\n{ledger.kernel}", fontsize="small")
        inset.set(xticks=[], yticks=[])
        if k == 1:
            legend_below(inset)
    return ax


def roc(ranking: Ranking, *, ax: Axes | None = None) -> Axes:
    """Draw the ROC curve: the recall of both labels at each threshold; a cross marks 0."""
    ax = new_axes(width=5.5, height=5.5) if ax is None else ax
    area = ranking.roc_area
    if math.isnan(area):
        return write_instead(ax, "only one label: there is no ROC curve")
    right = np.concatenate([[0], ranking.positive]) / int(ranking.positive[-1])
    wrong = np.concatenate([[0], ranking.negative]) / int(ranking.negative[-1])
    at = _corners(wrong, right)
    ax.plot([0, 1], [0, 1], ls=":", color=GREY, label="by chance: 0.5")
    ax.plot(wrong[at], right[at], color=GREEN, lw=1.8, label=f"area {area:.4f}")
    _mark(ax, wrong, right, ranking)
    ax.set_xlabel("share of negative examples predicted positive")
    ax.set_ylabel("share of positive examples predicted positive")
    return _framed(ax, "lower right")


def precision_recall(ranking: Ranking, *, ax: Axes | None = None) -> Axes:
    """Draw precision against recall of the positive label at each threshold; a cross marks 0."""
    ax = new_axes(width=5.5, height=5.5) if ax is None else ax
    if math.isnan(area := ranking.average_precision):
        return write_instead(ax, "no positive example: there is no precision-recall curve")
    predicted = ranking.positive + ranking.negative
    recall, precision = ranking.positive / int(ranking.positive[-1]), ranking.positive / predicted
    before = np.concatenate([[0.0], recall[:-1]])
    x, y = np.column_stack([before, recall]).ravel(), np.repeat(precision, 2)
    at = _corners(x, y)
    base = int(ranking.positive[-1]) / int(predicted[-1])
    ax.axhline(base, ls=":", color=GREY, label=f"always positive: {share(base)}")
    ax.plot(x[at], y[at], color=GREEN, lw=1.8, label=f"average precision {area:.4f}")
    _mark(ax, np.append(0.0, recall), np.append(precision[0], precision), ranking)
    ax.set_xlabel("recall: share of positive examples predicted positive")
    ax.set_ylabel("precision: share of predicted positives that are positive")
    return _framed(ax, "lower left")


def reliability(measured: Reliability, *, ax: Axes | None = None) -> Axes:
    """Draw the observed share of positive examples against the predicted probability.

    If the probabilities are right, about 95 of 100 points are on their thin lines; the bars show
    the share of examples in each of 15 intervals. Of many classes, the probability is that of the
    likeliest class, and the share is that of right predictions (Murphy & Winkler 1977).
    """
    ax = new_axes(width=5.5, height=5.5) if ax is None else ax
    examples = np.array(measured.examples)
    used = np.flatnonzero(examples)
    predicted, observed = np.array(measured.predicted)[used], np.array(measured.observed)[used]
    width = 1 / len(examples)
    shares = examples / max(1, int(examples.sum()))
    middles = (np.arange(len(examples)) + 0.5) * width
    ax.bar(middles, shares, 0.9 * width, color=GREY, alpha=0.35, label="share of examples")
    ax.plot([0, 1], [0, 1], ls=":", color=GREY, label="as predicted")
    error = f"calibration error {measured.calibration_error:.4f}"
    apart = 2 * np.sqrt(predicted * (1 - predicted) / examples[used])  # two standard errors
    low, high = np.maximum(predicted - apart, 0), np.minimum(predicted + apart, 1)
    ax.vlines(predicted, low, high, color=GREY, lw=1, label="95% if as predicted")
    ax.plot(predicted, observed, "o", color=GREEN, ms=5, label=error)
    ax.set(xlabel="predicted probability", ylabel="observed share")
    return _framed(ax, "upper left")


def _corners(x: Vector, y: Vector) -> Positions:
    """The first and last point, and those between that are not too close to the one before."""
    cells = np.rint(x * _FINEST) * (_FINEST + 1) + np.rint(y * _FINEST)
    moved = np.flatnonzero(np.diff(cells) != 0)
    return np.unique(np.concatenate([[0], moved, moved + 1, [len(x) - 1]]))


def _mark(ax: Axes, x: Vector, y: Vector, ranking: Ranking) -> None:
    k = int(np.searchsorted(-ranking.scores, 0.0, side="right"))
    ax.plot(x[k], y[k], "x", color=BLACK, ms=9, mew=2, label="threshold 0")


def _framed(ax: Axes, corner: Literal["lower left", "lower right", "upper left"]) -> Axes:
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    ax.legend(loc=corner)
    return ax
