"""Draw docs/sandwich.svg from real runs: python docs/make_picture.py [PATH].

Left: the line of a perceptron turns at each mistake. Right: the two curves of Novikoff's proof
enclose the run of the spam filter of `novikoff demo`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from novikoff import guarantees, sources
from novikoff.cli.demo import find_witness, split
from novikoff.learners import Additive
from novikoff.ledger.readings import trajectory
from novikoff.runs.loop import play
from novikoff.show.plots.colours import GREEN, MINUS, PLUS, PURPLE
from novikoff.stream.blocks import Block
from novikoff.stream.printing import count, plural
from novikoff.stream.rows import Vector
from novikoff.stream.scaling import unit_length
from novikoff.stream.sums import length

TARGET = Path(__file__).parent / "sandwich.svg"
GREY = "#888888"
SIDE = 300.0


def line(points: Iterable[tuple[float, float]], colour: str, extra: str = "") -> str:
    """A polyline through the points."""
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{path}" fill="none" stroke="{colour}" {extra}/>'


def text(x: float, y: float, words: str, extra: str = "") -> str:
    """Words at a place."""
    return f'<text x="{x:.1f}" y="{y:.1f}" {extra}>{words}</text>'


def turning() -> tuple[list[str], str]:
    """The line after each mistake, earlier ones fainter, and the points; those mistaken circled."""
    block = next(iter(sources.separable(80, [1, 0.45], margin=0.03, seed=23)))
    run = play(block, Additive(2), epochs=100)
    values = np.asarray(block.rows.values)
    half = SIDE / 2

    def place(p: Vector) -> tuple[float, float]:
        return half + 0.95 * half * float(p[0]), half - 0.95 * half * float(p[1])

    drawn = []
    for moment in trajectory(run.ledger):
        w = moment.weights
        along = np.array([-w[1], w[0]]) / length(w)
        last = moment.mistakes == len(run.ledger)
        opacity, width = (1, 2.5) if last else (0.1 + 0.4 * moment.mistakes / len(run.ledger), 1)
        faint = f'stroke-width="{width}" opacity="{opacity:.2f}"'
        drawn.append(line([place(-1.03 * along), place(1.03 * along)], "#000000", faint))
    mistaken = set(run.ledger.rows.tolist())
    for i, (point, label) in enumerate(zip(values, block.labels, strict=True)):
        x, y = place(point)
        colour, mark = (PLUS, f"M{x - 4:.1f},{y:.1f}h8M{x:.1f},{y - 4:.1f}v8") if label > 0 else (
            MINUS, f"M{x - 4:.1f},{y:.1f}h8")  # fmt: skip
        drawn.append(f'<path d="{mark}" stroke="{colour}" stroke-width="2"/>')
        if i in mistaken:
            drawn.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="7" fill="none" stroke="{colour}"/>')
    made = plural(len(run.ledger), "mistake")
    return drawn, f"{made} on the {len(mistaken)} circled points turn the line"


def closing_in() -> tuple[list[str], str]:
    """kγ ≤ w·u ≤ ‖w‖ ≤ R√k on the spam filter, up to where the outer curves meet."""
    block, words = sources.spamassassin()
    train, _ = split(Block(unit_length(block.rows), block.labels), 0)
    run = play(train, Additive(len(words), bias=True), epochs=1000)
    witness = find_witness(train)
    trace = guarantees.sandwich(run.ledger, witness)
    bound = guarantees.novikoff(run.ledger, witness).bound
    made = len(run.ledger)
    wide, gamma, radius = 1.08 * bound, trace.lower[-1] / made, trace.upper[-1] / np.sqrt(made)
    tall = 1.1 * radius * np.sqrt(bound)

    def place(k: float, height: float) -> tuple[float, float]:
        return SIDE * float(k) / wide, SIDE * (1 - float(height) / tall)

    some = np.unique(np.linspace(0, made - 1, 120).astype(int))
    whole = np.linspace(0, wide, 160)
    x, y = place(bound, radius * np.sqrt(bound))
    at = place(made, 0)[0]
    drawn = [
        line([(0, 0), (0, SIDE), (SIDE, SIDE)], GREY),
        line([place(k, radius * np.sqrt(k)) for k in whole], PURPLE, 'stroke-width="2"'),
        line([(0, SIDE), place(wide, gamma * wide)], GREEN, 'stroke-dasharray="6 3"'),
        line([place(trace.k[i], trace.norm[i]) for i in some], "#000000", 'stroke-width="2"'),
        line([place(trace.k[i], trace.progress[i]) for i in some], GREEN, 'stroke-width="2"'),
        line([(at, SIDE), place(made, 1.02 * trace.upper[-1])], GREY, 'stroke-dasharray="3 3"'),
        line([(x, SIDE), (x, y)], GREY, 'stroke-dasharray="3 3"'),
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4"/>',
        text(x - 8, y - 10, f"bound (R/γ)² = {count(bound)}", 'text-anchor="end"'),
        text(at + 5, SIDE - 8, f"{count(made)} made"),
        text(*place(0.30 * bound, 1.16 * radius * np.sqrt(0.30 * bound)), "R√k",
             f'fill="{PURPLE}" text-anchor="end"'),
        text(*place(0.62 * bound, 0.49 * radius * np.sqrt(bound)), "kγ", f'fill="{GREEN}"'),
        text(at + 5, place(0, trace.norm[-1])[1] - 4, "‖w‖"),
        text(at + 5, place(0, trace.progress[-1])[1] + 4, "w·u", f'fill="{GREEN}"'),
    ]  # fmt: skip
    return drawn, f"the {count(made)} mistakes of a spam filter, inside the proof"


def picture() -> str:
    """The whole drawing."""
    left, left_caption = turning()
    right, right_caption = closing_in()
    style = 'font-family="sans-serif" font-size="12"'
    rows = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="760" height="370" {style}>',
        '<rect width="760" height="370" fill="#ffffff"/>',
        '<g transform="translate(40,20)">',
        *left,
        "</g>",
        '<g transform="translate(420,20)">',
        *right,
        "</g>",
        text(190, 350, left_caption, 'text-anchor="middle"'),
        text(570, 350, right_caption, 'text-anchor="middle"'),
        "</svg>",
    ]
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET
    target.write_text(picture(), encoding="utf-8")
