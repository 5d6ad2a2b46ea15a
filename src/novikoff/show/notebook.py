"""A run as a widget for notebooks: HTML with the recorded run, which needs no server."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from novikoff.guarantees import words
from novikoff.ledger.readings import trajectory
from novikoff.runs.loop import Run
from novikoff.show.web.lessons import STATIC
from novikoff.sources.arrays import block_of
from novikoff.stream.blocks import Block, Stream
from novikoff.stream.rows import dots

MAX_SENT, MAX_POINTS = 500, 2_000
_SCRIPTS = ("format.js", "perceptron.js", "regions.js", "views.js", "widget.js")  # in order of need


@dataclass(frozen=True, slots=True)
class Widget:
    """A notebook shows it; `html` is the page inside, which is complete by itself."""

    html: str

    def _repr_html_(self) -> str:
        look = 'sandbox="allow-scripts" style="width:100%;height:30rem;border:0"'
        return f'<iframe {look} srcdoc="{escape(self.html)}"></iframe>'


def widget(run: Run, data: Stream | tuple[Any, Any] | None = None) -> Widget:
    """The run, a step for each update: in the plane if there are two features.

    The plane has the points of the data, if they are given, or else the mistaken ones. For other
    runs the widget shows the mistakes against the rounds.
    """
    ledger, block = run.ledger, block_of(data)
    if ledger.keep == "counts" or ledger.is_joint:
        raise ValueError("the widget shows runs with two labels whose ledger kept the mistakes")
    sent, rows = min(len(ledger), MAX_SENT), ledger.rows
    if not isinstance(block, Block) and ledger.keep == "examples" and len(ledger):
        labels, rows = np.ones(len(ledger.examples), dtype=np.int8), ledger.example
        labels[rows] = ledger.labels
        block = Block(ledger.examples, labels)
    flat = (
        isinstance(block, Block)
        and (block.rows.dim, ledger.rule) == (2, "additive")
        and int(rows.max(initial=-1)) < len(block) <= MAX_POINTS
    )
    ended = words.run_ended(run.verdict, rule=ledger.rule, passes=run.epochs)
    record: dict[str, Any] = {
        "view": "plane" if flat else "history",
        "noun": "update" if ledger.n_updates > ledger.n_mistakes else "mistake",
        "words": f"{ended.headline}: {ended.meaning}.",
        "bias": ledger.bias,
        "rounds": ledger.n_rounds,
        "mistakes": len(ledger),
        "sent": sent,
        "ledger": {
            "round": ledger.rounds[:sent].tolist(),
            "row": rows[:sent].tolist(),
            "label": ledger.labels[:sent].tolist(),
            "score": ledger.scores[:sent].tolist(),
        },
    }
    if flat and isinstance(block, Block):
        weights = [one.weights.tolist() for one in trajectory(ledger, range(1, sent + 1))]
        record["ledger"] |= {"weights": weights}
        record |= {
            "points": np.column_stack([dots(block.rows, e) for e in np.eye(2)]).tolist(),
            "labels": block.labels.tolist(),
            "start": None if ledger.start is None else ledger.start.tolist(),
            "final": weights[-1] if weights else [0.0] * (2 + ledger.bias),
        }
    script = "".join((STATIC / name).read_text(encoding="utf-8") for name in _SCRIPTS)
    script = re.sub(r"^import .*\n|^export ", "", script, flags=re.MULTILINE)
    style = (STATIC / "style.css").read_text(encoding="utf-8")
    recorded = json.dumps(record, allow_nan=False).replace("<", "\\u003c")
    page = (STATIC / "widget.html").read_text(encoding="utf-8")
    for name, content in {"STYLE": style, "RUN": recorded, "SCRIPT": script}.items():
        page = page.replace(f"<!-- {name} -->", content)
    return Widget(page)
