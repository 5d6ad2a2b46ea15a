"""Examples written as files of every text format, and the bytes of the models trained on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, TypeAlias
from unittest import mock

from hypothesis import strategies as st

from novikoff.learners.rule import Kind, Rule
from novikoff.models.model import Model
from novikoff.models.training import Plan, Training
from novikoff.sources import LabelsAsClasses, LabelsAsSigns, Numbered, ReadOptions, open_files
from novikoff.sources.features import Features
from novikoff.sources.files import text as pieces

Example: TypeAlias = tuple[int, dict[int, float]]  # a sign or class, and values by column from 1
Format: TypeAlias = Literal["svmlight", "vw", "jsonl", "csv"]

COLUMNS = 6
KINDS: tuple[Kind, ...] = (
    "perceptron",
    "margin",
    "averaged",
    "voted",
    "adaptive",
    "adaptive-averaged",
    "winnow",
)


@dataclass(frozen=True)
class TextFormat:
    """A text format, and how its features are numbered."""

    format: Format
    hash_bits: int | None = None
    joint: bool = False  # many classes, learned jointly

    def text(self, examples: Sequence[Example]) -> str:
        head = "a1,a2,a3,a4,a5,a6,y\n" if self.format == "csv" else ""
        return head + "".join(f"{self.line(y, x)}\n" for y, x in examples)

    def line(self, y: int, x: dict[int, float]) -> str:
        if self.format == "csv":
            return ",".join(repr(x.get(j, 0)) for j in range(1, COLUMNS + 1)) + f",{y}"
        if self.format == "jsonl":
            inside = "".join(f', "a{j}": {v!r}' for j, v in x.items())
            return f'{{"label": {y}{inside}}}'
        if self.format == "vw":
            return f"{y} |" + "".join(f" a{j}:{v!r}" for j, v in x.items())
        return f"{y}" + "".join(f" {j}:{v!r}" for j, v in sorted(x.items()))

    def blocks(
        self, path: Path, features: Features | None = None, classes: Sequence[str] = ()
    ) -> Numbered:
        source = open_files(path, ReadOptions(self.format, threads=0))
        features = features or Features(hash_bits=self.hash_bits)
        labelling = LabelsAsClasses(classes) if self.joint else LabelsAsSigns(("-1", "1"))
        return Numbered(source, features, labelling)


TEXT_FORMATS = {
    "indexed": TextFormat("svmlight"),
    "indexed and hashed": TextFormat("svmlight", 4),
    "in a dictionary": TextFormat("jsonl"),
    "hashed": TextFormat("vw", 6),
    "dense": TextFormat("csv"),
}


class Stopped(Exception):  # noqa: N818  (it is not an error)
    """Raised to end a run after a block, as a kill would."""


class TrainingFolder:
    """A folder with a data file and a model file."""

    def __init__(self, folder: Path) -> None:
        self.model, self.data = folder / "model", folder / "data"

    def train(
        self,
        way: TextFormat,
        examples: Sequence[Example],
        plan: Plan,
        *,
        initial: Model | None = None,
        after_block: Callable[[Training], None] | None = None,
    ) -> Training:
        """Train to the end, and save the model."""
        self.data.write_text(way.text(examples))
        known = (None, ()) if initial is None else (initial.features, initial.classes)
        blocks = way.blocks(self.data, *known)
        training = Training(blocks, plan, initial=initial, data="d")
        training.run(after_block)
        training.model.save(self.model)
        return training

    def learned(self, way: TextFormat, examples: Sequence[Example], plan: Plan) -> bytes:
        self.train(way, examples, plan)
        return self.model.read_bytes()

    def stopped_after(
        self,
        blocks: int,
        way: TextFormat,
        examples: Sequence[Example],
        plan: Plan,
        *,
        initial: Model | None = None,
    ) -> bool:
        """Train on the first `blocks` blocks and save; False if the run ended before."""
        met = 0

        def stop(training: Training) -> None:
            nonlocal met
            met += 1
            if met == blocks:
                training.save(self.model)
                raise Stopped

        try:
            self.train(way, examples, plan, initial=initial, after_block=stop)
        except Stopped:
            return True
        return False


@contextmanager
def training_folder(piece_bytes: int = 64) -> Iterator[TrainingFolder]:
    """A temporary folder; text is read in small pieces, so there are many blocks."""
    with (
        TemporaryDirectory() as folder,
        mock.patch.object(pieces, "PIECE_BYTES", piece_bytes),
        mock.patch("os.fsync"),  # a thousand calls would take most of the time
    ):
        yield TrainingFolder(Path(folder))


def plans() -> st.SearchStrategy[Plan]:
    return st.builds(
        lambda kind, bias, keep: Plan(
            Rule(kind, bias=bias, margin=0.7 if kind == "margin" else 0.0), keep=keep
        ),
        st.sampled_from(KINDS),
        bias=st.booleans(),
        keep=st.sampled_from(("counts", "positions", "examples")),
    )


def repeated(plan: Plan, passes: int) -> Plan:
    return replace(plan, passes=passes)


# tenths are rounded, so every change in the order of a sum shows
tenths = st.integers(-20, 20).map(lambda n: n / 10)


def example_lists(
    values: st.SearchStrategy[float] = tenths, *, columns: int = COLUMNS, max_size: int = 30
) -> st.SearchStrategy[list[Example]]:
    """At least two examples; later ones may have columns that earlier ones lack."""
    features = st.dictionaries(st.integers(1, columns), values, max_size=5)
    return st.lists(st.tuples(st.sampled_from((-1, 1)), features), min_size=2, max_size=max_size)
