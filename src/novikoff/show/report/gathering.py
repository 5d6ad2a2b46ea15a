"""Where the data of a report came from: files, their bytes, and the command that read them.

A trial on rows held out: learn from four fifths of the data, be tested on the others.

What a report tells, gathered: the certificate, a run, its bounds, and a trial on unseen rows.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from novikoff import guarantees, separability
from novikoff.guarantees.certificate import Certificate
from novikoff.guarantees.exact.mistaken import NotAWitness
from novikoff.guarantees.novikoff_bound import Bound
from novikoff.guarantees.risk import RiskBound
from novikoff.guarantees.running_sandwich import Sandwich
from novikoff.guarantees.verdict import Separation
from novikoff.learners import Additive
from novikoff.ledger import readings
from novikoff.ledger.ledger import Ledger
from novikoff.runs.loop import Run, play
from novikoff.sources import Data
from novikoff.sources.inputs import inputs_of
from novikoff.sources.open import format_of
from novikoff.stream.blocks import Block
from novikoff.stream.order import arranged, seeded_order
from novikoff.stream.problems import BadExample
from novikoff.stream.rows import Vector, dots

_AT_ONCE = 1 << 20


@dataclass(frozen=True, slots=True)
class File:
    """A file as it was stored: its name, how many bytes it has, and their SHA-256."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Origin:
    """What the data were read from.

    Attributes
    ----------
    given
        The paths as they were given: files, directories or patterns.
    files
        What these named. Of a pipe there is nothing to name: its bytes are gone.
    format
        How they were read; empty when it was told from the first bytes of a pipe.
    command, verify
        The command lines that make the report again, and that check its certificate.
    """

    given: tuple[str, ...] = ()
    files: tuple[File, ...] = ()
    format: str = "arrays"
    command: str = ""
    verify: str = ""
    piped: bool = False

    @property
    def title(self) -> str:
        """What to call the data: the names of the files without their directories."""
        names = ["the standard input" if one == "-" else Path(one).name for one in self.given]
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        return ", ".join(names[:3]) + more or "the data"


def origin_of(
    paths: Sequence[str], *, format: str | None = None, command: str = "", verify: str = ""
) -> Origin:
    """What paths name: every file is read once for its SHA-256."""
    inputs = inputs_of(paths)
    piped = any(one.is_pipe for one in inputs)
    files = [] if piped else [File(one.name, one.size or 0, _sha256(one.path)) for one in inputs]
    found = format or ("" if piped else format_of(inputs[0]))  # to look would take bytes away
    return Origin(tuple(paths), tuple(files), found, command, verify, piped)


def _sha256(path: str) -> str:
    out = hashlib.sha256()
    with open(path, "rb") as file:
        while some := file.read(_AT_ONCE):
            out.update(some)
    return out.hexdigest()


# The vote takes time in proportion to mistakes times rows tested.
MOST_LEARNED, MOST_TESTED, PASSES = 20_000, 1000, 5


@dataclass(frozen=True, slots=True)
class Trial:
    """A run over some rows and, for each reading of it, how many of the others it got right."""

    ledger: Ledger
    learned: int
    test: Block
    right: Mapping[str, int]
    sampled: bool

    @property
    def passes(self) -> int:
        """How many passes were made; the last of them may have made no mistake."""
        return len(self.ledger.epoch_ends)

    @property
    def majority(self) -> int:
        """How many would be right if the commoner label of the rows tested were always said."""
        positive = int((self.test.labels > 0).sum())
        return max(positive, len(self.test) - positive)


def trial_of(block: Block, *, bias: bool, seed: int) -> Trial | None:
    """The trial, or None when there are fewer than five rows.

    Of large data a random sample is used: at most 20,000 rows to learn from, in 5 passes, and
    1,000 to test on.
    """
    order = seeded_order(block.rows, seed)
    tested = len(order) // 5
    if tested == 0:
        return None
    cut = len(order) - tested
    learned, held = order[:cut][:MOST_LEARNED], order[cut:][:MOST_TESTED]
    train, test = (Block(block.rows.take(part), block.labels[part]) for part in (learned, held))
    ledger = play(train, Additive(block.rows.dim, bias=bias), epochs=PASSES).ledger
    scores = {
        "final": dots(test.rows, readings.final(ledger), bias=bias),
        "average": dots(test.rows, readings.average(ledger), bias=bias),
        "vote": readings.vote(ledger, test.rows),
    }
    right = {name: int(np.sum((s >= 0) == (test.labels > 0))) for name, s in scores.items()}
    sampled = len(learned) < cut or len(held) < tested
    return Trial(ledger, len(learned), test, right, sampled)


UNTIL_SEPARATED, ENOUGH = 1000, 10
# Numbers to read, a mistake counting as 64 more: so many are followed in some seconds.
_TO_FOLLOW = 1 << 23


@dataclass(frozen=True, slots=True)
class Settings:
    """How a report is made.

    Parameters
    ----------
    bias
        Whether the hyperplane may miss the origin.
    passes
        The most that the perceptron makes; None: 1000 if the data are separable, else 10.
    seed
        Draws the order of the rows, the held-out ones and those that figures show.
    margin_rtol, max_seconds
        As for `certify`; the time is for the certificate alone.
    """

    bias: bool = True
    passes: int | None = None
    seed: int = 0
    margin_rtol: float = 0.01
    max_seconds: float = math.inf


@dataclass(frozen=True, slots=True)
class Known:
    """All that a report tells, each number as the library gives it.

    `wrong` counts the rows that the final weights and their average have on a wrong side. Where
    there is no bound, sandwich or risk, `unknown` says why. `adaptive` is the bound by the lengths
    of the mistaken rows, when the data are separable.
    """

    data: Data
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
    unknown: dict[str, str]

    def name(self, column: int) -> str:
        """What to call a column."""
        return self.certificate.data.name(column)

    def label(self, sign: int) -> str:
        """What the data call a label."""
        return self.data.classes[sign > 0]


def gather(
    data: Data,
    settings: Settings | None = None,
    *,
    origin: Origin | None = None,
    progress: Callable[[str], None] | None = None,
) -> Known:
    """Certify the data, run a perceptron over them, and ask the guarantees about the run.

    The run is the plain perceptron's, from weights 0, over the rows in one order drawn from the
    seed; so the first pass meets them in random order, as the bound on new errors needs it.
    """
    how = settings or Settings()
    say = progress or (lambda _: None)
    block = data.block
    certificate = separability.certify(
        block,
        fit_intercept=how.bias,
        margin_rtol=how.margin_rtol,
        max_seconds=how.max_seconds,
        progress=say,
    ).named(data.names, data.label, data.classes)
    complete = certificate.verdict == Separation.COMPLETE
    passes = how.passes or (UNTIL_SEPARATED if complete else ENOUGH)
    say("running the perceptron")
    run = play(arranged(block, how.seed), Additive(block.rows.dim, bias=how.bias), epochs=passes)
    unknown: dict[str, str] = {}
    say("asking the guarantees")
    bound = _bound(run, data, certificate, unknown)
    sandwich = _sandwich(run, certificate, unknown)
    try:
        risk = guarantees.risk_bound(run.ledger)
    except ValueError as error:
        risk, unknown["risk"] = None, str(error)
    say("trying it on rows held out")
    trial = trial_of(block, bias=how.bias, seed=how.seed)
    final, average = readings.final(run.ledger), readings.average(run.ledger)
    right = [block.labels * dots(block.rows, w, bias=how.bias) > 0 for w in (final, average)]
    wrong = (int(np.sum(~right[0])), int(np.sum(~right[1])))
    return Known(
        data=data,
        origin=origin or Origin(),
        settings=how,
        passes=passes,
        certificate=certificate,
        run=run,
        final=final,
        average=average,
        wrong=wrong,
        bound=bound,
        adaptive=guarantees.adaptive(run.ledger, certificate.weights) if complete else None,
        sandwich=sandwich,
        risk=risk,
        trial=trial,
        unknown=unknown,
    )


def _bound(run: Run, data: Data, certificate: Certificate, unknown: dict[str, str]) -> Bound | None:
    """Novikoff's for data that the certificate's weights separate, else one by losses."""
    try:
        if certificate.verdict == Separation.COMPLETE:
            return guarantees.novikoff(run.ledger, certificate.weights)
        return guarantees.best_comparator(run.ledger, data.block)
    except (NotAWitness, BadExample) as error:
        unknown["bound"] = str(error)
        return None


def _sandwich(run: Run, certificate: Certificate, unknown: dict[str, str]) -> Sandwich | None:
    """The proof's two inequalities after each mistake, for the certificate's weights."""
    ledger = run.ledger
    if certificate.verdict != Separation.COMPLETE:
        none = "none are known" if certificate.why_undecided else "there are none"
        unknown["sandwich"] = f"the proof needs weights that separate the data, and {none}"
    elif len(ledger) * (ledger.examples.values.size / len(ledger.examples) + 64) > _TO_FOLLOW:
        unknown["sandwich"] = "there are too many mistakes to follow the weights exactly"
    else:
        return guarantees.sandwich(ledger, certificate.weights)
    return None
