"""The figures of a report, as SVG inside the page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from novikoff.guarantees.verdict import Separation
from novikoff.ledger.readings import weights_after
from novikoff.show import plots
from novikoff.show.plots.axes import Axes, escaped, legend_below
from novikoff.show.plots.planes import kernel_regions
from novikoff.show.projection import scaled, squared_lengths
from novikoff.show.report.gathering import Known, row_spans
from novikoff.show.report.html import Html, tag
from novikoff.stream.blocks import Block
from novikoff.stream.printing import count, plural
from novikoff.stream.rows import dots

DRAWN = 1500  # the most points in a figure: more make a file of megabytes and cover each other
_FAR = 3  # a row is left out if it is this many times farther than 95 % of the rows
_WIDTH, _HEIGHT, _TALL = 5.6, 4.2, 5.4  # inches; letters are still large enough on a phone
_NARROW = 3.2  # of panels side by side


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure to be drawn: `draw` is given its panels, stacked or side by side."""

    name: str
    title: str
    draw: Callable[..., Any]
    caption: str
    height: float = _HEIGHT
    panels: int = 1
    stacked: bool = True

    def axes(self) -> tuple[Axes, ...]:
        """Draw it on new axes."""
        width, stacked = _WIDTH if self.stacked else _NARROW, self.stacked
        panels = plots.new_panels(self.panels, width=width, height=self.height, stacked=stacked)
        self.draw(*panels)
        return panels

    def svg(self) -> Html:
        """The drawing, or a sentence that says why it cannot be drawn."""
        try:
            panels = self.axes()
            for ax in panels:  # transparent, because the page may be light or dark
                ax.figure.set_facecolor("none")
                ax.set_facecolor("none")
            label = f"{self.title}. {self.caption}"
            return Html(plots.svg(panels[0], label=label, name=self.name))
        except (ValueError, OverflowError) as error:
            why = error if isinstance(error, ValueError) else "the numbers are too large"
            return tag("p", f"Not drawn: {why}.", class_="more")


def figures(known: Known) -> Iterator[Figure]:
    """All figures that these facts allow."""
    ledger, trial = known.run.ledger, known.trial
    bound = None if known.bound is None else known.bound.bound
    in_kernel = known.settings.kernel is not None
    named: dict[str, Any] = {"names": known.names, "classes": known.data.classes}
    block, it = known.data.block, known.certificate
    if in_kernel:
        yield from _of_kernel(known)
    elif block.rows.dim:
        yield from _hyperplane(known, named)
        if it and it.multipliers and len(block) <= DRAWN:
            yield Figure(
                "proof",
                "The rows that cancel out",
                lambda ax: plots.certificate(it, block, **named, ax=ax),
                "The proof that not all rows can be separated. The area of a point shows its "
                "multiplier λ. Each row times its sign and its λ, they sum to 0 in every column.",
                _TALL,
            )
    at_most = "" if bound is None else f"; the bound says at most {count(bound)}"
    yield Figure(
        "mistakes",
        "Mistakes, round by round",
        lambda ax: plots.mistakes(ledger, bound=bound, ax=ax),
        f"In each round the perceptron sees one row. It made {plural(len(ledger), 'mistake')} in "
        f"{plural(ledger.n_rounds, 'round')}{at_most}.",
    )
    if (trace := known.sandwich) is not None:
        yield Figure(
            "sandwich",
            "The proof of the bound",
            lambda ax: plots.sandwich(trace, ax=ax),
            "After k mistakes w·u is at least kγ, which grows as k, and ‖w‖ is at most R√k, which "
            "grows as √k. Since w·u ≤ ‖w‖, the mistakes end at the latest where the two meet.",
        )
    yield from () if in_kernel else _lines(known, named)
    if trial is not None:
        yield Figure(
            "readings",
            "Learning curves on held-out rows",
            lambda ax: plots.readings(trial.ledger, trial.test, ax=ax),
            f"Three predictors from one run over {plural(trial.learned, 'row')}, tested on "
            f"{plural(len(trial.test), 'other')}: its final weights, their average over all "
            "rounds, and the vote of every weight vector it had.",
        )


def _of_kernel(known: Known) -> Iterator[Figure]:
    block, ledger = known.data.block, known.run.ledger
    if block.rows.dim == 2 and len(block) <= DRAWN:

        def draw(ax: Axes) -> None:
            kernel_regions(ledger, block, known.data.classes, ax=ax)
            ax.set(xlabel=escaped(known.names[0]), ylabel=escaped(known.names[1]))
            legend_below(ax)

        yield Figure(
            "plane",
            "The rows, and what is predicted where",
            draw,
            "The tint shows the label that the final weights predict at each place. The ringed "
            "rows were mistaken: they are all that the kernel perceptron keeps.",
            _TALL,
        )


def _lines(known: Known, named: dict[str, Any]) -> Iterator[Figure]:
    """How the line turns: two updates and, in a plane, the whole run; and what a constant does."""
    block, ledger = known.data.block, known.run.ledger
    for label in (-1, 1):
        made = np.flatnonzero(ledger.labels == label)
        if len(made):  # before the first mistake of all the weights are 0: there is no line to turn
            yield _update(known, int(made[0] if made[0] > 0 or len(made) == 1 else made[1]))
    if block.rows.dim in (1, 2) and len(block) <= DRAWN:
        yield Figure(
            "turning",
            "The line after each mistake",
            lambda ax: plots.turning(known.run, block, **named, ax=ax),
            "Later lines are darker. Rows that were mistaken at least once are ringed; if the run "
            "cycled, the area of a point shows its multiplier instead.",
            _TALL,
        )
        yield Figure(
            "constant",
            "Without and with a constant",
            lambda *axes: plots.constant(block, **named, axes=axes),
            "Without a constant the line must pass through the origin; with one it need not.",
            _TALL,
            panels=1 + block.rows.dim,
        )


def _hyperplane(known: Known, named: dict[str, Any]) -> Iterator[Figure]:
    """The rows and a hyperplane, and their distances; rows very far out are not drawn."""
    block, bias, dim = known.data.block, known.settings.bias, known.data.block.rows.dim
    weights, whose = scaled(known.final.tolist()), "the final weights of the run"
    it = known.certificate
    if it and it.verdict == Separation.COMPLETE:  # nearly as far from all rows as any
        weights, whose = scaled(it.weights), "the weights of the certificate"
    if not weights.any():
        return
    margins = block.labels * dots(block.rows, weights, bias=bias)
    least = int(np.argmin(margins))
    distances = (np.abs(margins), np.sqrt(squared_lengths(block.rows)))
    kept = np.all([d <= _FAR * np.quantile(d, 0.95) for d in distances], axis=0)
    kept[least] = True
    which = np.flatnonzero(kept)
    near = shown = block if kept.all() else Block(block.rows.take(which), block.labels[which])
    far = len(block) - len(near)
    left_out = f" {plural(far, 'row')} very far out {'is' if far == 1 else 'are'} not drawn."
    left_out *= far > 0
    caption = f"The hyperplane belongs to {whose}.{left_out}"
    if len(near) > DRAWN:
        drawn = np.random.default_rng(known.settings.seed).choice(which, DRAWN - 1, replace=False)
        which = np.unique(np.append(drawn, least))
        shown = Block(block.rows.take(which), block.labels[which])
        caption += (
            f" Of {plural(len(near), 'row')}, {count(len(shown))} random ones are drawn, among "
            "them the one with the smallest margin. The counts in the legend are for these."
        )
    if dim > 2:
        caption += (
            f" The {count(dim)} columns are projected on two directions: the normal of the "
            "hyperplane, so that distances to it are true, and the direction within it along which "
            "the rows vary most."
        )
    average = scaled(known.average.tolist()) if dim <= 2 else None
    yield Figure(
        "plane",
        "The rows and the hyperplane",
        lambda ax: plots.plane(shown, weights, bias=bias, average=average, **named, ax=ax),
        caption,
        _TALL,
    )
    constant = ", the constant counting as a column" if bias else ""
    yield Figure(
        "margins",
        "How far each row is from the hyperplane",
        lambda ax: plots.margins(near, weights, bias=bias, ax=ax),
        f"The distance of {plural(len(near), 'row')} from the hyperplane of {whose}, positive on "
        f"the correct side{constant}. Rows left of 0 are on the wrong side.{left_out}",
    )


def _update(known: Known, k: int) -> Figure:
    """The update after mistake k, counted from 0."""
    ledger = known.run.ledger
    sign, x = int(ledger.labels[k]), np.zeros(ledger.dim)
    columns, values = ledger.examples.row(int(ledger.example[k]))
    x[columns] = values
    at = int(ledger.rows[k])
    where = row_spans(known.data, [range(at, at + 1)])
    label, turns = known.label(sign), "towards" if sign > 0 else "away from"
    how: dict[str, Any] = {"bias": known.settings.bias, "classes": known.data.classes}
    return Figure(
        f"update-{'positive' if sign > 0 else 'negative'}",
        f"A mistake on {label}",
        lambda *axes: plots.update(weights_after(ledger, k), x, sign, **how, axes=axes),
        f"Mistake {count(k + 1)}, on {'row ' * (known.data.source is None)}{where}, which is "
        f"{label}: the weights w turn {turns} it.",
        _NARROW,
        panels=3,
        stacked=False,
    )
