"""Figures of the results of lab experiments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from novikoff.show.plots.axes import escaped, new_axes
from novikoff.show.plots.colours import COLOURS, MARKERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from novikoff.show.lab.results import Curves, Result


def experiment(result: Result, *, ax: Axes | None = None) -> Axes:
    """Draw an experiment's curves, or for each claim the bound beside the observed number."""
    ax = new_axes() if ax is None else ax
    if result.curves is None:
        _draw_checks(result, ax)
    else:
        _draw_curves(result, result.curves, ax)
    ax.set_title(result.question, fontsize="medium", wrap=True)
    ax.legend()
    return ax


def _draw_curves(result: Result, curves: Curves, ax: Axes) -> None:
    lines = list(_lines(result, curves))
    for k, (name, points) in enumerate(lines):
        ax.plot(
            [x for x, _ in points],
            [y for _, y in points],
            label=escaped(name),
            color=COLOURS[k % len(COLOURS)],
            marker=MARKERS[k % len(MARKERS)],
        )
    if "x" in curves.logarithmic:
        ax.set_xscale(**_logarithmic([x for _, points in lines for x, _ in points]))
    elif all(isinstance(x, int) for x in result.column(curves.x)):
        ax.locator_params(axis="x", integer=True)
    if "y" in curves.logarithmic:
        ax.set_yscale(**_logarithmic([y for _, points in lines for _, y in points]))
    ax.set_xlabel(curves.x)
    ax.set_ylabel(curves.label or ", ".join(curves.ys))


def _logarithmic(numbers: Iterable[float]) -> dict[str, Any]:
    """A logarithmic scale; if there are zeros, it is linear below the smallest other number."""
    given = sorted(set(numbers))
    if given[:1] != [0] or len(given) < 2:
        return {"value": "log"}
    return {"value": "symlog", "linthresh": given[1], "linscale": 0.5}


def _lines(result: Result, curves: Curves) -> Iterator[tuple[str, list[tuple[Any, Any]]]]:
    """The name and the points of each line; empty cells have no point."""
    kinds = [None] * len(result.rows) if curves.by is None else result.column(curves.by)
    for kind in dict.fromkeys(kinds):
        for name in curves.ys:
            cells = zip(kinds, result.column(curves.x), result.column(name), strict=True)
            points = [(x, y) for k, x, y in cells if k == kind and x is not None and y is not None]
            yield name if kind is None else str(kind), points


def _draw_checks(result: Result, ax: Axes) -> None:
    places = range(len(result.checks))
    bounds = [check.bound for check in result.checks]
    seen = [check.seen for check in result.checks]
    ax.barh([p - 0.2 for p in places], bounds, 0.38, color=COLOURS[0], label="bound")
    ax.barh([p + 0.2 for p in places], seen, 0.38, color=COLOURS[1], hatch="//", label="observed")
    ax.set_yticks(list(places), [check.claim for check in result.checks])
    ax.invert_yaxis()
