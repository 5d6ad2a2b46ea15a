"""The facts of a report: the origin of the data, the certificate, a run, its bounds, a test."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, get_args

import numpy as np

from novikoff import guarantees, separability
from novikoff.guarantees.certificate import Certificate
from novikoff.guarantees.known import applicable_bound, error_bound, running_sandwich
from novikoff.guarantees.novikoff_bound import Bound, KernelBound, Sandwich
from novikoff.guarantees.verdict import Separation
from novikoff.learners import Additive, Dual
from novikoff.ledger import readings
from novikoff.ledger.kernels import Kernel
from novikoff.ledger.ledger import Ledger
from novikoff.ledger.readings import Reading
from novikoff.models.measures import Confusion
from novikoff.runs.loop import play
from novikoff.separability.models import Regression
from novikoff.sources import Data
from novikoff.sources.inputs import Input, inputs_of
from novikoff.sources.open import format_of
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample
from novikoff.stream.labels import predicts_positive
from novikoff.stream.order import arranged, seeded_order
from novikoff.stream.printing import count, listed, plain
from novikoff.stream.rows import Vector

UNTIL_SEPARATED, ENOUGH = 1000, 10  # passes over separable data, and over others
MARGIN_RTOL = 0.01
# The time for the vote is proportional to mistakes times test rows.
MOST_LEARNED, MOST_TESTED, TEST_PASSES = 20_000, 1000, 5
MOST_EXACT = 1000  # rows whose kernels with each other are computed in exact arithmetic


class File(NamedTuple):
    """A file's name, its size in bytes, and the SHA-256 of its bytes."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the data came from: the paths in words, and their files; a pipe has none."""

    given: tuple[str, ...] = ()
    files: tuple[File, ...] = ()
    format: str = "arrays"
    command: str = ""
    verify: str = ""

    @property
    def title(self) -> str:
        """What to call the data: the names of the files without their directories."""
        return listed([Path(name).name for name in self.given], 3) or "the data"


def origin_of(
    paths: Sequence[str],
    data: Data | Regression,
    *,
    inputs: Sequence[Input] | None = None,
    format: str | None = None,
    command: str = "",
    verify: str = "",
) -> Origin:
    """Describe the files at these paths, with the SHA-256 of the bytes that the data came from."""
    files = list[File]()
    inputs = inputs_of(paths) if inputs is None else inputs
    if not any(one.is_pipe for one in inputs):  # reading its first bytes would take them away
        format = format or format_of(inputs[0])
        if len(inputs) != len(data.files):
            raise BadExample(
                f"{paths[0]}: files came or went while they were read; read them again"
            )
        for one, digest in zip(inputs, data.files, strict=True):
            files.append(File(one.name, one.size or 0, digest.removeprefix("sha256:")))
    given = tuple("the standard input" if path == "-" else path for path in paths)
    return Origin(given, tuple(files), format or "", command, verify)


@dataclass(frozen=True, slots=True)
class Settings:
    """How to make a report; with a kernel, in its space and without a constant."""

    bias: bool = True
    passes: int | None = None
    seed: int = 0
    max_seconds: float = math.inf
    kernel: Kernel | None = None


@dataclass(frozen=True, slots=True)
class Trial:
    """A run over some rows, and for each reading of it what it predicts on the test rows."""

    ledger: Ledger
    learned: int
    test: Block
    by: Mapping[Reading, Confusion]
    sampled: bool

    @property
    def majority(self) -> int:
        """How many test rows have the more frequent label."""
        return max(label.examples for label in self.by["average"].of_classes(2))


class Known:
    """What a report knows: the data certified, a perceptron's run over them, and its guarantees.

    The perceptron sees the rows in one order drawn from the seed, so its first pass is in random
    order, as the bound on future errors requires. `names` are for columns that the data do not
    name; without any, columns have the file's own numbers.

    `unknown` says why there is no certificate, bound, sandwich or risk. `scores` are those of all
    rows by the final weights, and `wrong` counts the rows that these and their average do not get
    right. In the space of a kernel only linear and polynomial ones have certificates, and there is
    no sandwich.
    """

    def __init__(
        self,
        data: Data,
        settings: Settings | None = None,
        *,
        names: Sequence[str] | None = None,
        origin: Origin | None = None,
        progress: Callable[[str], None] | None = None,
    ) -> None:
        settings, say = settings or Settings(), progress or (lambda _: None)
        block, kernel = data.block, settings.kernel
        if kernel is not None:
            settings = replace(settings, bias=False)
        named = data.names if names is None else names
        self.names: Sequence[str] = column_numbers(data) if named is None else named
        self.data, self.settings, self.origin = data, settings, origin or Origin()
        self.unknown = dict[str, str]()
        self.certificate: Certificate | None = None
        try:
            self.certificate = separability.certify(
                data,
                kernel=kernel,
                fit_intercept=settings.bias,
                margin_rtol=MARGIN_RTOL if kernel is None else None,
                max_seconds=settings.max_seconds,
                progress=say,
            )
        except BadExample as error:  # the values of some kernels are not exact
            if kernel is None:
                raise
            self.unknown["certificate"] = str(error)
        it = self.certificate
        witness = it.weights if it is not None and it.verdict == Separation.COMPLETE else None
        self.passes = settings.passes or (ENOUGH if witness is None else UNTIL_SEPARATED)

        def new_learner() -> Additive | Dual:
            dim = block.rows.dim
            return Additive(dim, bias=settings.bias) if kernel is None else Dual(dim, kernel=kernel)

        say("running the perceptron")
        learner = new_learner()
        self.run = play(arranged(block, settings.seed), learner, epochs=self.passes)
        ledger = self.run.ledger
        say("testing on held-out rows")
        self.trial = trial_of(block, new_learner(), seed=settings.seed)
        say("computing the bounds")
        self.bound: Bound | KernelBound | None = None
        self.sandwich: Sandwich | None = None
        self.adaptive: Bound | None = None
        if kernel is None:
            self.bound, why = applicable_bound(ledger, witness=witness, data=block)
            self.sandwich, why_not = running_sandwich(ledger, witness)
            self.unknown |= {"bound": why, "sandwich": why_not}
            self.adaptive = None if witness is None else guarantees.adaptive(ledger, witness)
        elif len(ledger) and len(ledger.examples) > MOST_EXACT:
            why = "the mistaken rows are too many for an exact Gram matrix"
            self.unknown["bound"] = why
        else:
            try:
                self.bound = guarantees.kernel_bound(ledger)
            except ValueError as error:
                self.unknown["bound"] = str(error)
        self.risk, self.unknown["risk"] = error_bound(ledger)
        each: tuple[Reading, ...] = ("final", "average")
        scores = [readings.scores(learner, ledger, one, block.rows) for one in each]
        final, average = (int((block.labels * one <= 0).sum()) for one in scores)
        self.scores, self.wrong = scores[0], (final, average)

    def name(self, column: int) -> str:
        """The name of a column; quoted, as everywhere, if it has control characters."""
        return plain(self.names[column]) if column < len(self.names) else "constant"

    def label(self, sign: int) -> str:
        """The label with the sign −1 or +1, quoted likewise."""
        return plain(self.data.classes[sign > 0])

    @cached_property
    def final(self) -> Vector:
        """The weights at the end of the run."""
        return readings.final(self.run.ledger)

    @cached_property
    def average(self) -> Vector:
        """The average of the weights over all rounds."""
        return readings.average(self.run.ledger)


def column_numbers(data: Data) -> list[str]:
    """The columns of the data as their file numbers them; those of arrays from 0."""
    return [f"column {k}" for k in data.numbers or range(data.block.rows.dim)]


def row_numbers(data: Data | Regression, rows: Iterable[int]) -> list[str]:
    """The lines of these rows as an editor counts them, with several files after their names.

    Rows that are not lines of a file are counted from 0.
    """
    rows, source = [*rows], data.source
    if source is None:
        return [str(i) for i in rows]
    found, one = source.places(rows), len(source.inputs) == 1
    return [found[i].rpartition(":")[2] if one else Path(found[i]).name for i in rows]


def row_spans(data: Data | Regression, rows: Sequence[range], most: int = 10) -> str:
    """Ranges of rows by their numbers: "0–1, 4", "lines 2–3, 6"; of more, the first `most`."""
    ends = row_numbers(data, (i for r in rows[:most] for i in (r[0], r[-1])))
    pairs = zip(ends[::2], ends[1::2], strict=True)
    shown = ", ".join(a if a == b else f"{a}–{b}" for a, b in pairs)
    left = sum(map(len, rows[most:]))
    kind = "" if data.source is None else "line " if ends[1:] == ends[:1] else "lines "
    return f"{kind}{shown}{f' and {count(left)} more' if left else ''}"


def trial_of(block: Block, learner: Additive | Dual, *, seed: int) -> Trial | None:
    """Learn from four fifths of the rows and test on the others; None for fewer than five rows."""
    order = seeded_order(block.rows, seed)
    cut = len(order) - len(order) // 5
    if cut == len(order):
        return None
    learned, held = order[:cut][:MOST_LEARNED], order[cut:][:MOST_TESTED]
    train, test = (Block(block.rows.take(part), block.labels[part]) for part in (learned, held))
    ledger = play(train, learner, epochs=TEST_PASSES).ledger
    by = {reading: Confusion() for reading in get_args(Reading)}
    for reading, scores in readings.scores_by_reading(ledger, test.rows).items():
        by[reading].count(test.labels > 0, predicts_positive(scores).astype(np.int32))
    return Trial(ledger, len(learned), test, by, len(learned) + len(held) < len(order))
