"""From the mistakes of a first pass to the errors to expect on examples still to come."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal, localcontext
from fractions import Fraction

import numpy as np

from novikoff.guarantees.exact.arithmetic import Number, fraction
from novikoff.guarantees.exact.mistaken import expect_ledger
from novikoff.ledger.ledger import Ledger

_PRECISE = Context(prec=60)
_THREE_DIGITS = Context(prec=3, rounding=ROUND_CEILING)
_AGAIN = "examples met again are not independent of the weights that are tested on them"


@dataclass(frozen=True, slots=True)
class RiskBound:
    """What the weights met in a first pass err on new examples, on average over the rounds.

    `azuma` and `bernstein` each hold with the confidence, taken alone: choose between them before
    seeing the numbers. `value` is the smaller of the two when each may fail half as often, so that
    it holds with the confidence whichever it is. All are rounded upwards; 1 says nothing.
    """

    rounds: int
    mistakes: int
    confidence: Fraction
    azuma: float
    bernstein: float
    value: float

    def __str__(self) -> str:
        seen = f"{self.mistakes} mistakes in {self.rounds} rounds"
        sure = f"with confidence {float(self.confidence):.6g}"
        if self.value == 1:
            return f"{seen} say nothing of the average risk {sure}"
        shown = _THREE_DIGITS.create_decimal(Decimal(self.value))
        return f"average risk at most {shown:f} {sure}, from {seen}"


def average_risk(rounds: int, mistakes: int, *, confidence: Number = 0.95) -> RiskBound:
    """Two bounds on the average risk of the weights met in n rounds with M mistakes.

    Each example is drawn anew from the same distribution and is met once, so when it comes it is a
    test of the weights that stand there. With δ = 1 − confidence, the average over the rounds of
    the probability that those weights mistake a new example is at most

    - M/n + √(ln(1/δ)/(2n)), by the inequality of Azuma and Hoeffding (`azuma`);
    - M/n + (36/n) ln((M + 3)/δ) + 2√((M/n²) ln((M + 3)/δ)), by Bernstein's (`bernstein`): better
      when there are few mistakes in very many rounds.

    Weights picked at random among those of the rounds have that risk on average; the majority vote
    of them all, at most twice it. Nothing is said of the last weights alone.

    Parameters
    ----------
    rounds, mistakes
        n and M. A mistake is what the run calls one: a score of 0 is, by default, and with a margin
        so is every update. The risk then counts the same things, and an error is one of them.
    confidence
        1 − δ, between 0 and 1.

    References
    ----------
    Cesa-Bianchi, Conconi & Gentile (2004) for the first; Cesa-Bianchi & Gentile (2008) for the
    second; Freund & Schapire (1999) for the vote.

    Examples
    --------
    >>> risk = average_risk(10_000, 700)
    >>> print(risk)
    average risk at most 0.0836 with confidence 0.95, from 700 mistakes in 10000 rounds
    >>> round(risk.azuma, 4), round(risk.bernstein, 4)
    (0.0822, 0.1207)
    """
    n, M, sure = rounds, mistakes, fraction(confidence, "confidence")
    if n < 1 or not 0 <= M <= n:
        raise ValueError(f"need 0 <= mistakes <= rounds and a round, got {M} and {n}")
    if not 0 < sure < 1:
        raise ValueError(f"confidence must be between 0 and 1, got {confidence}")
    delta = 1 - sure
    half = min(_azuma(n, M, delta / 2), _bernstein(n, M, delta / 2))
    return RiskBound(n, M, sure, _azuma(n, M, delta), _bernstein(n, M, delta), half)


def risk_bound(ledger: Ledger, *, epoch: int = 1, confidence: Number = 0.95) -> RiskBound:
    """The bounds of `average_risk` from the first pass of a run, and from no other.

    In the second pass the weights have been made from the very examples that come, so that what
    they get right there is no test of them: the bounds do not hold, and are refused. The examples
    must have been drawn independently, or be in a random order of a sample so drawn. The weights
    may have started anywhere that was chosen without the examples.

    Parameters
    ----------
    ledger
        Of a learner that had met nothing before it. Totals are enough (`keep="counts"`).
    epoch
        The pass, counted from 1. Any but the first is refused, and the reason given.
    confidence
        As for `average_risk`.

    References
    ----------
    As for `average_risk`.

    Examples
    --------
    >>> from novikoff import guarantees, sources
    >>> from novikoff.learners import Additive
    >>> from novikoff.runs.loop import play
    >>> stream = sources.separable(10_000, [3, 1, -2], margin=0.001, seed=0)
    >>> run = play(stream, Additive(3), epochs=10)
    >>> print(guarantees.risk_bound(run.ledger))
    average risk at most 0.0318 with confidence 0.95, from 182 mistakes in 10000 rounds
    """
    expect_ledger(ledger, None)
    if epoch < 1:
        raise ValueError(f"passes count from 1, got epoch={epoch}")
    if epoch > 1:
        raise ValueError(f"there is no such bound for pass {epoch}: {_AGAIN}")
    if ledger.began > 0:
        raise ValueError(
            f"the learner had met {ledger.began} examples before this ledger, and these may be the "
            f"same ones: {_AGAIN}"
        )
    if not ledger.epoch_ends:
        raise ValueError(
            f"no pass was finished in {ledger.n_rounds} rounds: where a run stops must not depend "
            "on what happened in it (guarantees.average_risk takes the numbers, when it did not)"
        )
    mistakes = ledger.epoch_mistakes[0]
    if ledger.keep != "counts":
        rows, times = np.unique(ledger.rows[:mistakes], return_counts=True)
        if (times > 1).any():
            raise ValueError(f"row {rows[times > 1][0]} was met twice in the first pass: {_AGAIN}")
    return average_risk(ledger.epoch_ends[0], mistakes, confidence=confidence)


def _azuma(n: int, M: int, delta: Fraction) -> float:
    with localcontext(_PRECISE):
        return _upwards(Decimal(M) / n + (_ln(1 / delta) / (2 * n)).sqrt())


def _bernstein(n: int, M: int, delta: Fraction) -> float:
    with localcontext(_PRECISE):
        log = _ln((M + 3) / delta)
        return _upwards((M + 36 * log + 2 * (M * log).sqrt()) / n)


def _ln(x: Fraction) -> Decimal:
    return (Decimal(x.numerator) / x.denominator).ln()


def _upwards(x: Decimal) -> float:
    """The least float not below x, known to some 50 digits; 1 if that is more."""
    x *= 1 + Decimal("1e-50")
    near = float(min(x, Decimal(1)))
    return near if near >= x else min(1.0, math.nextafter(near, 2.0))
