"""What a report tells, gathered: the certificate, a run, its bounds, and a trial on unseen rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from novikoff import guarantees, readings, separability, streams
from novikoff.guarantees.bounds import Bound, NotAWitness
from novikoff.guarantees.certificates import Certificate
from novikoff.guarantees.risk import RiskBound
from novikoff.guarantees.sandwiches import Sandwich
from novikoff.guarantees.separation import Separation
from novikoff.learners import Additive
from novikoff.loop import Run, play
from novikoff.report.origins import Origin
from novikoff.report.trials import Trial, trial_of
from novikoff.rows import BadExample, Vector, dots
from novikoff.sources import Data

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
    run = play(
        streams.arranged(block, how.seed), Additive(block.rows.dim, bias=how.bias), epochs=passes
    )
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
