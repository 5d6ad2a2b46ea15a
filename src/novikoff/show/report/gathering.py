"""The facts of a report: the origin of the data, the certificate, a run, its bounds, a test."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from novikoff import guarantees, separability
from novikoff.guarantees.certificate import Certificate
from novikoff.guarantees.known import applicable_bound, error_bound, running_sandwich
from novikoff.guarantees.novikoff_bound import Bound
from novikoff.guarantees.risk import RiskBound
from novikoff.guarantees.running_sandwich import Sandwich
from novikoff.guarantees.verdict import Separation
from novikoff.learners import Additive
from novikoff.ledger import readings
from novikoff.ledger.ledger import Ledger
from novikoff.ledger.readings import Reading
from novikoff.runs.loop import Run, play
from novikoff.separability.models import Regression
from novikoff.sources import Data
from novikoff.sources.inputs import Input, inputs_of
from novikoff.sources.open import format_of
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample
from novikoff.stream.labels import predicts_positive
from novikoff.stream.order import arranged, seeded_order
from novikoff.stream.printing import listed, plain
from novikoff.stream.rows import Vector, dots

UNTIL_SEPARATED, ENOUGH = 1000, 10  # passes over separable data, and over others
# The time for the vote is proportional to mistakes times test rows.
MOST_LEARNED, MOST_TESTED, TEST_PASSES = 20_000, 1000, 5


class File(NamedTuple):
    """A file's name, its size in bytes, and the SHA-256 of its bytes."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the data came from: the paths as given, and their files; a pipe has none."""

    given: tuple[str, ...] = ()
    files: tuple[File, ...] = ()
    format: str = "arrays"
    command: str = ""
    verify: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The paths in words."""
        return tuple("the standard input" if path == "-" else path for path in self.given)

    @property
    def title(self) -> str:
        """What to call the data: the names of the files without their directories."""
        return listed([Path(name).name for name in self.names], 3) or "the data"


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
    return Origin(tuple(paths), tuple(files), format or "", command, verify)


@dataclass(frozen=True, slots=True)
class Settings:
    """How to make a report; the certificate is made as by `certify`."""

    bias: bool = True
    passes: int | None = None
    seed: int = 0
    margin_rtol: float = 0.01
    max_seconds: float = math.inf


@dataclass(frozen=True, slots=True)
class Trial:
    """A run over some rows, and for each reading of it the number of test rows it got right.

    `confusion[label][predicted]` counts the test rows of the average, negative before positive.
    """

    ledger: Ledger
    learned: int
    test: Block
    right: Mapping[Reading, int]
    sampled: bool
    confusion: tuple[tuple[int, int], tuple[int, int]]

    @property
    def majority(self) -> int:
        """How many test rows have the more frequent label."""
        positive = int((self.test.labels > 0).sum())
        return max(positive, len(self.test) - positive)


@dataclass(frozen=True, slots=True)
class Known:
    """The facts of a report; if there is no bound, sandwich or risk, `unknown` says why."""

    data: Data
    names: Sequence[str] | None
    origin: Origin
    settings: Settings
    passes: int
    certificate: Certificate
    run: Run
    final: Vector
    average: Vector
    wrong: tuple[int, int]
    bound: Bound | None
    adaptive: Bound | None
    sandwich: Sandwich | None
    risk: RiskBound | None
    trial: Trial | None
    unknown: Mapping[str, str]

    def name(self, column: int) -> str:
        """The name of a column; quoted, as everywhere, if it has control characters."""
        if self.names is not None and column < len(self.names):
            return plain(self.names[column])
        return self.certificate.data.name(column)

    def label(self, sign: int) -> str:
        """The label with the sign −1 or +1, quoted likewise."""
        return plain(self.data.classes[sign > 0])


def gather(
    data: Data,
    settings: Settings | None = None,
    *,
    names: Sequence[str] | None = None,
    origin: Origin | None = None,
    progress: Callable[[str], None] | None = None,
) -> Known:
    """Certify the data, run a perceptron over them, and ask the guarantees about the run.

    The perceptron sees the rows in one order drawn from the seed, so its first pass is in random
    order, as the bound on future errors requires. `names` are for columns that the data do not
    name.
    """
    how = settings or Settings()
    say = progress or (lambda _: None)
    block, bias = data.block, how.bias
    certificate = separability.certify(
        data,
        fit_intercept=bias,
        margin_rtol=how.margin_rtol,
        max_seconds=how.max_seconds,
        progress=say,
    )
    complete = certificate.verdict == Separation.COMPLETE
    passes = how.passes or (UNTIL_SEPARATED if complete else ENOUGH)
    say("running the perceptron")
    run = play(arranged(block, how.seed), Additive(block.rows.dim, bias=bias), epochs=passes)
    say("computing the bounds")
    witness = certificate.weights if complete else None
    bound, no_bound = applicable_bound(run.ledger, witness=witness, data=block)
    sandwich, no_sandwich = running_sandwich(run.ledger, witness)
    risk, no_risk = error_bound(run.ledger)
    say("testing on held-out rows")
    trial = trial_of(block, bias=bias, seed=how.seed)
    final, average = readings.final(run.ledger), readings.average(run.ledger)

    def wrong(w: Vector) -> int:
        return int((block.labels * dots(block.rows, w, bias=bias) <= 0).sum())

    return Known(
        data=data,
        names=data.names if names is None else names,
        origin=origin or Origin(),
        settings=how,
        passes=passes,
        certificate=certificate,
        run=run,
        final=final,
        average=average,
        wrong=(wrong(final), wrong(average)),
        bound=bound,
        adaptive=None if witness is None else guarantees.adaptive(run.ledger, witness),
        sandwich=sandwich,
        risk=risk,
        trial=trial,
        unknown={"bound": no_bound, "sandwich": no_sandwich, "risk": no_risk},
    )


def trial_of(block: Block, *, bias: bool, seed: int) -> Trial | None:
    """Learn from four fifths of the rows and test on the others; None for fewer than five rows."""
    order = seeded_order(block.rows, seed)
    cut = len(order) - len(order) // 5
    if cut == len(order):
        return None
    learned, held = order[:cut][:MOST_LEARNED], order[cut:][:MOST_TESTED]
    train, test = (Block(block.rows.take(part), block.labels[part]) for part in (learned, held))
    ledger = play(train, Additive(block.rows.dim, bias=bias), epochs=TEST_PASSES).ledger
    scores, true = readings.scores_by_reading(ledger, test.rows), test.labels > 0
    said = {reading: predicts_positive(each) for reading, each in scores.items()}
    right = {reading: int((each == true).sum()) for reading, each in said.items()}
    (a, b), (c, d) = (
        [int((said["average"][true == label] == one).sum()) for one in (False, True)]
        for label in (False, True)
    )
    sampled = len(learned) + len(held) < len(order)
    return Trial(ledger, len(learned), test, right, sampled, ((a, b), (c, d)))
