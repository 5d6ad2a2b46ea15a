"""The lessons of the page: their words are in static/lessons.json, their runs are made here.

What a lesson asks is checked against these runs; `export` writes the page with them as files, which
need no server. The presets of Explore are in static/presets.json; their coordinates are multiples
of 1/32, so that sums are exact and a cycle can be proved.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from novikoff import concepts, guarantees, sources
from novikoff.concepts.examples import truths_of_row
from novikoff.concepts.learners import VersionSpace
from novikoff.learners import Additive, Learner, Winnow2
from novikoff.ledger.kernels import dense
from novikoff.online.delayed_labels import Protocol
from novikoff.runs.loop import play
from novikoff.show.lab import beyond_lines
from novikoff.show.web.replay import replay
from novikoff.stream.blocks import Block
from novikoff.stream.rows import DenseRows

STATIC = Path(__file__).parent / "static"
NATURE: dict[str, Any] = {"rounds": 7, "sampler": concepts.each_on(0.7), "seed": 2}


@cache
def outlines(file: str = "lessons.json") -> list[dict[str, Any]]:
    """The lessons without their runs."""
    found: list[dict[str, Any]] = json.loads((STATIC / file).read_text(encoding="utf-8"))
    return found


def presets() -> list[dict[str, Any]]:
    """The presets: `about` is true of the points; `now`, of the perceptron's run on them."""
    return [_shaped(one) for one in outlines("presets.json")]


@cache
def lesson(number: int) -> dict[str, Any]:
    """A lesson, counted from 1, with each of its runs as the engine makes it."""
    outline = outlines()[number - 1]
    runs = outline["runs"]
    made = {name: _made({**runs.get(spec.get("of"), {}), **spec}) for name, spec in runs.items()}
    return {**outline, "number": number, "runs": made}


def export(folder: Path) -> int:
    """Write the page into a folder that is new or empty; return the size of its files in bytes."""
    if folder.is_dir() and any(folder.iterdir()):
        raise FileExistsError(f"{folder} is not empty; choose a new folder")
    shutil.copytree(STATIC, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.json"))
    recorded = [{**one, "recorded": replay(one)} for one in presets()]
    files: dict[str, Any] = {
        "api/presets": {"presets": recorded, "max_bytes": 0, "opened": None, "recorded": True},
        "lessons/titles.json": [one["title"] for one in outlines()],
        **{f"lessons/{n}.json": lesson(n) for n in range(1, len(outlines()) + 1)},
    }
    for name, content in files.items():
        file = folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(content, allow_nan=False), encoding="utf-8")
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _made(spec: Mapping[str, Any]) -> dict[str, Any]:
    if "conjunction" in spec:
        return _protocols(spec["conjunction"], spec["variables"], spec["protocols"])
    if "attributes" in spec:
        return _attributes(spec["attributes"])
    if "late" in spec:
        return _late(spec["points"], spec["labels"], spec["late"])
    if n := spec.get("unit_vectors"):
        spec = {"points": np.eye(n).tolist(), "labels": [1] * n, "bias": False}
    spec = _shaped(spec)
    made = {**spec, **replay({**spec, "every": "shape" not in spec})}
    if found := made["regions"]:  # the steps of a lesson are after 1, 2, 4, … updates, and the last
        signs, sent = found["signs"], made["sent"]
        found["signs"] = {k: s for k, s in signs.items() if k & (k - 1) == 0 or k >= sent}
    return made


def _protocols(formula: str, n: int, names: list[str]) -> dict[str, Any]:
    """A conjunction of n variables learned by asking, and from a teacher, nature, an adversary."""
    hidden, several = concepts.parse(formula), concepts.conjunctions(n, monotone=True)
    assert isinstance(hidden, concepts.Conjunction)
    asking, taught = concepts.AskingConjunction(n), concepts.AskingConjunction(n)
    pupil = concepts.EliminateConjunction(n, monotone=True)
    halving, con = concepts.Halving(several), concepts.Consistent(several)
    streams: dict[str, tuple[Iterable[Block], Learner]] = {
        "asks": (concepts.Oracle(hidden, n).teach(asking), asking),
        "teacher": (concepts.Teacher(hidden, n).teach(taught), taught),
        "nature": (concepts.Nature(hidden, n, **NATURE).teach(pupil), pupil),
        "halving": (concepts.Adversary(several).against(halving), halving),
        "con": (concepts.Adversary(several).against(con), con),
    }
    made = {}
    for name in names:
        (stream, learner), seen = streams[name], list[dict[str, Any]]()
        ledger = play(_watched(stream, learner, VersionSpace(several), seen), learner).ledger
        made[name] = {
            "seen": seen,
            "examples": len(seen),
            "mistakes": len(ledger),
            "predicts": name not in ("asks", "teacher"),
        }
    return {
        "hidden": str(hidden),
        "size": several.size,
        "concepts": [str(one) for one in several],
        "elimination_bound": guarantees.elimination_bound(n, monotone=True).bound,
        "halving_bound": guarantees.halving_bound(several.size).bound,
        "con_bound": guarantees.consistent_bound(several.size).bound,
        **made,
    }


def _watched(
    stream: Iterable[Block], learner: Learner, space: VersionSpace, seen: list[dict[str, Any]]
) -> Iterator[Block]:
    """The examples; of each, note the prediction, the label and the concepts that it leaves."""
    for block in stream:
        x, label = truths_of_row(block, 0, block.rows.dim), int(block.labels[0])
        said = 1 if learner.scores(block.rows)[0] >= 0 else -1
        space.keep(x, label > 0)
        bits = "".join("1" if bit else "0" for bit in x)
        seen.append({"bits": bits, "said": said, "label": label, "left": space.places().tolist()})
        yield block


def _attributes(sizes: list[int]) -> dict[str, Any]:
    """Mistakes on the sequence that misleads the perceptron, where one of n attributes matters."""
    made: dict[str, list[int]] = {"n": sizes, "perceptron": [], "winnow": [], "limit": []}
    for n in sizes:
        hard = sources.forcing_disjunction(n)
        made["perceptron"].append(len(play(hard, Additive(n, bias=True)).ledger))
        made["winnow"].append(len(play(hard, Winnow2(n)).ledger))
        made["limit"].append(guarantees.doubling_bound(n, 1).bound)
    return {**made, "limit_million": guarantees.doubling_bound(2**20, 1).bound}


def _shaped(spec: Mapping[str, Any]) -> dict[str, Any]:
    """What a preset or a run says, with the points of its shape and the kernel that fits them."""
    if "shape" not in spec:
        return dict(spec)
    block, kernel = beyond_lines(40)[spec["shape"]]
    points, labels = dense(block.rows).tolist(), block.labels.tolist()
    how = {"kernel": kernel.name, "degree": kernel.degree, "gamma": kernel.gamma}
    return {"points": points, "labels": labels, **how, **spec}


class _OneByOne(Additive):
    """The perceptron of the engine, one example at a time; a score of 0 predicts nothing."""

    def predict_one(self, x: list[float]) -> int | None:
        score = self.scores(DenseRows(np.array([x], dtype=np.float64)))[0]
        return int(np.sign(score)) or None

    def learn_one(self, x: list[float], y: int) -> None:
        play(sources.block(np.array([x], dtype=np.float64), [y]), self)


def _late(points: list[list[float]], labels: list[int], late: int) -> dict[str, Any]:
    """Predictions and labels as they come, each label `late` predictions late."""
    machine = _OneByOne(len(points[0]))
    protocol, tickets = Protocol(machine), []
    events: list[dict[str, Any]] = []
    for i in range(len(points) + late):
        if i < len(points):
            tickets.append(protocol.ask(points[i], key=i))
            events.append({"row": i, "said": tickets[i].prediction})
        if (told := i - late) >= 0:
            right = protocol.tell(tickets[told], labels[told])
            weights = machine.weights.tolist()
            events.append({"row": told, "label": labels[told], "right": right, "weights": weights})
    return {"points": points, "labels": labels, "events": events, "mistakes": protocol.mistakes}
