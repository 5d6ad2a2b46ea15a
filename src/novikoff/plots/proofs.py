"""Novikoff's proof closing in on a run, and the mistakes of a run under their bound."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol

import numpy as np

from novikoff.guarantees.sandwiches import Sandwich
from novikoff.ledger import Ledger
from novikoff.loop import Run
from novikoff.plots.axes import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    legend_below,
    new_axes,
    say_instead,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
