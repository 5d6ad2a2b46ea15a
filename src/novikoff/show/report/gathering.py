"""The facts of a report: the origin of the data, the certificate, a run, its bounds, a test."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from novikoff import guarantees, separability
from novikoff.guarantees.certificate import Certificate
from novikoff.guarantees.known import applicable_bound, error_bound, running_sandwich
from novikoff.guarantees.novikoff_bound import Bound, KernelBound, Sandwich
from novikoff.guarantees.risk import RiskBound
from novikoff.guarantees.verdict import Separation
from novikoff.learners import Additive, Dual
from novikoff.ledger import readings
from novikoff.ledger.kernels import Kernel
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
from novikoff.stream.printing import count, listed, plain
from novikoff.stream.rows import Vector

UNTIL_SEPARATED, ENOUGH = 1000, 10  # passes over separable data, and over others
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What a report on any perceptron knows; if there is no bound or risk, `unknown` says why.

    Columns without names have the file's own numbers. `scores` are those of all rows by the final
    weights, and `wrong` counts the rows that these and their average do not get right.
    """

    data: Data
    names: Sequence[str]
    origin: Origin
    settings: Settings
    passes: int
    run: Run
    scores: Vector
    wrong: tuple[int, int]
    risk: RiskBound | None
    trial: Trial | None
    unknown: Mapping[str, str]

    def name(self, column: int) -> str:
        """The name of a column; quoted, as everywhere, if it has control characters."""
        return plain(self.names[column]) if column < len(self.names) else "constant"

    def label(self, sign: int) -> str:
        """The label with the sign −1 or +1, quoted likewise."""
        return plain(self.data.classes[sign > 0])


@dataclass(frozen=True, slots=True, kw_only=True)
class Known(Facts):
    """The facts of a report on a hyperplane; `shown` is the certificate with the names to read."""

    certificate: Certificate
    shown: Certificate
    final: Vector
    average: Vector
    bound: Bound | None
    adaptive: Bound | None
    sandwich: Sandwich | None


@dataclass(frozen=True, slots=True, kw_only=True)
class InKernel(Facts):
    """The facts of a report on a kernel perceptron; its certificate may be `unknown`."""

    kernel: Kernel
    certificate: Certificate | None
    bound: KernelBound | None


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
    common = _common(data, how, say, complete=complete, names=names, origin=origin)
    ledger = common["run"].ledger
    say("computing the bounds")
    witness = certificate.weights if complete else None
    bound, no_bound = applicable_bound(ledger, witness=witness, data=block)
    sandwich, no_sandwich = running_sandwich(ledger, witness)
    common["unknown"] |= {"bound": no_bound, "sandwich": no_sandwich}
    about = replace(certificate.data, names=tuple(common["names"]))
    return Known(
        **common,
        certificate=certificate,
        shown=replace(certificate, data=about),
        final=readings.final(ledger),
        average=readings.average(ledger),
        bound=bound,
        adaptive=None if witness is None else guarantees.adaptive(ledger, witness),
        sandwich=sandwich,
    )


def gather_in_kernel(data: Data, kernel: Kernel, settings: Settings, **more: Any) -> InKernel:
    """The same in the space of a kernel; a kernel whose values are not exact has no certificate."""
    say, certificate, why = more.get("progress") or (lambda _: None), None, ""
    try:
        certificate = separability.certify(
            data, kernel=kernel, max_seconds=settings.max_seconds, progress=say
        )
    except BadExample as error:
        why = str(error)
    complete = certificate is not None and certificate.verdict == Separation.COMPLETE
    common = _common(data, settings, say, complete=complete, kernel=kernel, **more)
    ledger, bound = common["run"].ledger, None
    try:
        if not len(ledger) or len(ledger.examples) <= MOST_EXACT:
            bound = guarantees.kernel_bound(ledger)
        common["unknown"]["bound"] = "the mistaken rows are too many for an exact Gram matrix"
    except ValueError as error:
        common["unknown"]["bound"] = str(error)
    common["unknown"]["certificate"] = why
    return InKernel(**common, kernel=kernel, certificate=certificate, bound=bound)


def _common(
    data: Data,
    how: Settings,
    say: Callable[[str], None],
    *,
    complete: bool,
    kernel: Kernel | None = None,
    names: Sequence[str] | None = None,
    origin: Origin | None = None,
    **_: Any,
) -> dict[str, Any]:
    """The fields of `Facts`: the run, what it proves, and a test on held-out rows."""
    block, passes = data.block, how.passes or (UNTIL_SEPARATED if complete else ENOUGH)

    def new_learner() -> Additive | Dual:
        dim = block.rows.dim
        return Additive(dim, bias=how.bias) if kernel is None else Dual(dim, kernel=kernel)

    say("running the perceptron")
    learner = new_learner()
    run = play(arranged(block, how.seed), learner, epochs=passes)
    say("testing on held-out rows")
    trial = trial_of(block, new_learner(), seed=how.seed)
    risk, no_risk = error_bound(run.ledger)
    each: tuple[Reading, ...] = ("final", "average")
    scores = [readings.scores(learner, run.ledger, one, block.rows) for one in each]
    named = data.names if names is None else names
    return {
        "data": data,
        "names": column_numbers(data) if named is None else named,
        "origin": origin or Origin(),
        "settings": how,
        "passes": passes,
        "run": run,
        "scores": scores[0],
        "wrong": tuple(int((block.labels * one <= 0).sum()) for one in scores),
        "risk": risk,
        "trial": trial,
        "unknown": {"risk": no_risk},
    }


def trial_of(block: Block, learner: Additive | Dual, *, seed: int) -> Trial | None:
    """Learn from four fifths of the rows and test on the others; None for fewer than five rows."""
    order = seeded_order(block.rows, seed)
    cut = len(order) - len(order) // 5
    if cut == len(order):
        return None
    learned, held = order[:cut][:MOST_LEARNED], order[cut:][:MOST_TESTED]
    train, test = (Block(block.rows.take(part), block.labels[part]) for part in (learned, held))
    ledger = play(train, learner, epochs=TEST_PASSES).ledger
    scores, true = readings.scores_by_reading(ledger, test.rows), test.labels > 0
    said = {reading: predicts_positive(each) for reading, each in scores.items()}
    right = {reading: int((each == true).sum()) for reading, each in said.items()}
    (a, b), (c, d) = (
        [int((said["average"][true == label] == one).sum()) for one in (False, True)]
        for label in (False, True)
    )
    sampled = len(learned) + len(held) < len(order)
    return Trial(ledger, len(learned), test, right, sampled, ((a, b), (c, d)))
