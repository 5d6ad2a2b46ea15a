"""The figures of a report, as SVG inside the page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from novikoff.guarantees.verdict import Separation
from novikoff.show import plots
from novikoff.show.report.gathering import Known
from novikoff.show.report.html import Html, tag
from novikoff.show.report.sections import Step, steps
from novikoff.stream.blocks import Block
from novikoff.stream.format import count, some
from novikoff.stream.rows import Vector, dots

if TYPE_CHECKING:
    pass

_FAR = 3  # times the size that one row in twenty exceeds
DRAWN = 1500  # points: more make a file of megabytes, and cover each other
_WIDTH, _HEIGHT, _TALL = 5.6, 4.2, 5.4  # inches: on a phone letters are still large enough


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing, what it is called and what it shows."""

    name: str
    title: str
    svg: Html
    caption: str


def hyperplane(known: Known) -> tuple[Vector, str]:
    """The weights that figures show, and whose they are.

    The certificate's when they separate the data, for they are nearly as far from all rows as any
    can be; else those that the run ended with.
    """
    if known.certificate.verdict != Separation.COMPLETE:
        return _scaled(known.final.tolist()), "the weights that the run ended with"
    return _scaled(known.certificate.weights), "the weights of the certificate"


def _scaled(weights: Sequence[float]) -> Vector:
    """Weights of the same hyperplane whose largest is 1, however large or small these are."""
    most = max(map(abs, weights), default=0) or 1
    return np.array([w / most for w in weights], dtype=np.float64)


def figures(known: Known) -> Iterator[Figure]:
    """Each figure that can be drawn of what is known."""
    data, ledger, bias = known.data, known.run.ledger, known.settings.bias
    block = data.block
    weights, whose = hyperplane(known)
    if block.rows.dim and weights.any():
        near, far = without_far(block, weights, bias=bias)
        left_out = f" {some(far, 'row')} very far out {'is' if far == 1 else 'are'} not drawn."
        yield _plane(known, near, weights, f"The hyperplane of {whose}.{left_out * (far > 0)}")
        constant = ", the constant counting as a column" if bias else ""
        yield _figure(
            "margins",
            "How far each row is from the hyperplane",
            lambda ax: plots.margins(near, weights, bias=bias, ax=ax),
            f"The distance of {some(len(near), 'row')} from the hyperplane of {whose}, counted "
            f"positive on the right side{constant}. Rows left of 0 are on the wrong one."
            f"{left_out * (far > 0)}",
        )
    it = known.certificate
    if it.multipliers and block.rows.dim and len(block) <= DRAWN:
        yield _figure(
            "proof",
            "The rows that cancel out",
            lambda ax: plots.certificate(it, block, names=data.names, classes=data.classes, ax=ax),
            "The proof that not all rows can be told apart. The larger a point, the larger its "
            "multiplier λ; each times its sign and its λ, they sum to 0 in every column.",
            _TALL,
        )
    bound = None if known.bound is None else known.bound.bound
    yield _figure(
        "mistakes",
        "Mistakes, round by round",
        lambda ax: plots.mistakes(ledger, bound=bound, ax=ax),
        f"Each round shows the perceptron one row. It made {some(len(ledger), 'mistake')} in "
        f"{some(ledger.n_rounds, 'round')}"
        + ("." if bound is None else f"; the bound says at most {count(bound)}."),
    )
    if (trace := known.sandwich) is not None:
        yield _figure(
            "sandwich",
            "The proof closing in",
            lambda ax: plots.sandwich(trace, ax=ax),
            "After k mistakes w·u is at least kγ, which grows as k, and ‖w‖ at most R√k, which "
            "grows as its root. As w·u ≤ ‖w‖, there can be no more mistakes than where they meet.",
        )
    yield from (_update(known, step) for step in steps(ledger))
    if block.rows.dim in (1, 2) and len(block) <= DRAWN:
        yield from _in_the_plane(known)
    if (trial := known.trial) is not None:
        yield _figure(
            "readings",
            "Learning curves on rows held out",
            lambda ax: plots.readings(trial.ledger, trial.test, ax=ax),
            f"Three ways to read one run over {some(trial.learned, 'row')}, tested on "
            f"{count(len(trial.test))} others: its final weights, their average over all rounds, "
            "and the vote of every weight vector it had.",
        )


def _update(known: Known, step: Step) -> Figure:
    kind = known.label(step.label)
    told = "towards" if step.label > 0 else "away from"
    return _figure(
        f"update-{'positive' if step.label > 0 else 'negative'}",
        f"A mistake on {kind}",
        lambda *axes: plots.update(
            step.before,
            step.x,
            step.label,
            bias=known.settings.bias,
            classes=known.data.classes,
            axes=axes,
        ),
        f"Mistake {count(step.mistake)}, on row {count(step.row)}, which is {kind}: the weights w "
        f"turn {told} it.",
        _HEIGHT,
        panels=3,
    )


def _in_the_plane(known: Known) -> Iterator[Figure]:
    """What one or two columns let see: the line after each mistake, and what the constant does."""
    block, names, classes = known.data.block, known.data.names, known.data.classes
    yield _figure(
        "turning",
        "The line after each mistake",
        lambda ax: plots.turning(known.run, block, names=names, classes=classes, ax=ax),
        "The later the line, the darker; rows that were mistaken at least once are ringed, or, if "
        "the run went round, drawn by their multipliers.",
        _TALL,
    )
    yield _figure(
        "constant",
        "Without and with a constant",
        lambda *axes: plots.constant(block, names=names, classes=classes, axes=axes),
        "Without a constant the line must pass through the origin; with one it need not.",
        _TALL,
        panels=2,
    )


def _plane(known: Known, block: Block, weights: Vector, told: str) -> Figure:
    dim = block.rows.dim
    shown = sample(block, weights, bias=known.settings.bias, seed=known.settings.seed)
    if len(shown) < len(block):
        told += (
            f" Of {some(len(block), 'row')} {count(len(shown))} are drawn, at random; the one that "
            "is least on its right side is among them. Counts in the legend are of these."
        )
    if dim > 2:
        told += (
            f" The {count(dim)} columns are projected on two directions: across the hyperplane, "
            "so that distances from it are true, and the one along it in which the rows differ "
            "most."
        )
    return _figure(
        "plane",
        "The rows and the hyperplane",
        lambda ax: plots.plane(
            shown,
            weights,
            bias=known.settings.bias,
            average=_scaled(known.average.tolist()) if dim <= 2 else None,
            names=known.data.names,
            classes=known.data.classes,
            ax=ax,
        ),
        told,
        _TALL,
    )


def without_far(block: Block, weights: Vector, *, bias: bool) -> tuple[Block, int]:
    """The block without rows very far from the hyperplane or the origin, and how many these are.

    They would leave all others on one spot of a figure.
    """
    scores = dots(block.rows, weights, bias=bias)
    kept = block.rows.sparse()
    of_row = np.repeat(np.arange(len(block)), np.diff(kept.starts))
    span = slice(int(kept.starts[0]), int(kept.starts[-1]))
    squares = np.bincount(of_row, kept.values[span].astype(np.float64) ** 2, len(block))
    sizes = (np.abs(scores), np.sqrt(squares))
    near = np.all([size <= _FAR * np.quantile(size, 0.95) for size in sizes], axis=0)
    near[int(np.argmin(block.labels * scores))] = True
    which = np.flatnonzero(near)
    if len(which) == len(block):
        return block, 0
    return Block(block.rows.take(which), block.labels[which]), len(block) - len(which)


def sample(block: Block, weights: Vector, *, bias: bool, seed: int) -> Block:
    """The block, or rows drawn at random with the one that is least on its right side."""
    if len(block) <= DRAWN:
        return block
    least = int(np.argmin(block.labels * dots(block.rows, weights, bias=bias)))
    drawn = np.random.default_rng(seed).choice(len(block), DRAWN - 1, replace=False)
    which = np.unique(np.append(drawn, least)).astype(np.int64)
    return Block(block.rows.take(which), block.labels[which])


def _figure(
    name: str,
    title: str,
    draw: Callable[..., Any],
    caption: str,
    height: float = _HEIGHT,
    panels: int = 1,
) -> Figure:
    """What `draw` draws, given so many axes, one under another."""
    axes = plots.new_column(panels, width=_WIDTH, height=height)
    try:
        draw(*axes)
        for ax in axes:  # the page's own colour shows through, light or dark
            ax.figure.set_facecolor("none")
            ax.set_facecolor("none")
        drawn = inlined(plots.svg(axes[0], label=f"{title}. {caption}"), name)
    except (ValueError, OverflowError) as error:
        why = error if isinstance(error, ValueError) else "the numbers are too large"
        drawn = tag("p", f"Not drawn: {why}.", class_="more")
    return Figure(name, title, drawn, caption)


def inlined(svg: str, name: str) -> Html:
    """An SVG to stand beside others in a page: its ids are its own, and nothing points outside."""
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r' id="([^"]*)"', rf' id="{name}-\1"', svg)
    svg = re.sub(r'((?:xlink:)?href="#|url\(#)', rf"\1{name}-", svg)
    return Html(svg.strip())
