"""What mistakes say about new examples: a bound on the errors, and whether they have risen."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal, localcontext
from fractions import Fraction

import numpy as np

from novikoff.guarantees.exact.arithmetic import Number, fraction
from novikoff.guarantees.exact.mistaken import expect_ledger
from novikoff.ledger.ledger import Ledger
from novikoff.stream import sums
from novikoff.stream.printing import plural, short

_THREE_DIGITS = Context(prec=3, rounding=ROUND_CEILING)
_ROUNDING = 1 + 2.0**-30  # more than the rounding of a few thousand products and sums
_AGAIN = "the weights already depend on examples that come again, so these do not test them"


@dataclass(frozen=True, slots=True)
class RiskBound:
    """A bound on the error of a first pass's weights on new examples, averaged over the rounds.

    `azuma` and `bernstein` each hold with the given confidence if chosen before seeing the numbers,
    and `value`, their smaller at half the failure probability, in any case. All are rounded
    upwards.
    """

    rounds: int
    mistakes: int
    confidence: Fraction
    azuma: float
    bernstein: float
    value: float

    def __str__(self) -> str:
        seen = f"{plural(self.mistakes, 'mistake')} in {plural(self.rounds, 'round')}"
        sure = f"with confidence {short(self.confidence, 6)}"
        if self.value == 1:
            return f"{seen} give no useful risk bound {sure}"
        shown = _THREE_DIGITS.create_decimal(Decimal(self.value))
        return f"average risk at most {shown:f} {sure}, from {seen}"


def average_risk(rounds: int, mistakes: int, *, confidence: Number = 0.95) -> RiskBound:
    """Two bounds on the average risk of the weights of n rounds with M mistakes.

    Each example is drawn independently from the same distribution and comes once. `azuma` is M/n +
    √(ln(1/δ)/(2n)) with δ = 1 − confidence, and `bernstein`, M/n + (36/n) ln((M + 3)/δ) + 2√((M/n²)
    ln((M + 3)/δ)), is better when there are few mistakes in very many rounds. The vote over all
    rounds has at most twice that risk; the last weights alone are not covered. References:
    Cesa-Bianchi, Conconi & Gentile (2004) for the first; Cesa-Bianchi & Gentile (2008) for the
    second; Freund & Schapire (1999) for the vote.
    """
    n, M, sure = rounds, mistakes, fraction(confidence, "confidence")
    if n < 1 or not 0 <= M <= n:
        raise ValueError(f"need 0 <= mistakes <= rounds and rounds >= 1, got {M} and {n}")
    if not 0 < sure < 1:
        raise ValueError(f"confidence must be between 0 and 1, got {confidence}")
    delta = 1 - sure
    return RiskBound(n, M, sure, *_bounds(n, M, delta), min(_bounds(n, M, delta / 2)))


def share_interval(part: int, whole: int) -> tuple[float, float]:
    """Wilson's (1927) 95 % interval for a probability, from `part` successes in `whole` trials.

    >>> [round(end, 3) for end in share_interval(11, 15)]
    [0.48, 0.891]
    """
    n, z = Decimal(whole), Decimal("1.959963984540054")
    with localcontext(Context(prec=60)):
        p = part / n
        middle = p + z * z / (2 * n)
        spread = z * (p * (1 - p) / n + z * z / (4 * n * n)).sqrt()
        low, high = ((middle + sign * spread) / (1 + z * z / n) for sign in (-1, 1))
    return max(0.0, float(low)), min(1.0, float(high))


def risk_bound(ledger: Ledger, *, confidence: Number = 0.95) -> RiskBound:
    """The bounds of `average_risk` from the first pass of a run; totals are enough.

    The examples must be drawn independently, or be a random order of a sample so drawn, and the
    starting weights must not depend on them.
    """
    ledger = expect_ledger(ledger, None)
    if ledger.began > 0:
        raise ValueError(
            f"the learner had met {ledger.began} examples before this run, perhaps the same ones: "
            f"{_AGAIN}"
        )
    if not ledger.epoch_ends:
        raise ValueError(
            f"no pass was finished in {ledger.n_rounds} rounds; if the number of rounds was fixed "
            "beforehand, use guarantees.average_risk"
        )
    if ledger.has_weightless:
        raise ValueError("examples of weight 0 count as no mistakes, so they test nothing")
    mistakes = ledger.epoch_mistakes[0]
    if ledger.keep != "counts":
        rows, times = np.unique(ledger.rows[: ledger.epoch_updates[0]], return_counts=True)
        if (times > 1).any():
            raise ValueError(f"row {rows[times > 1][0]} came twice in the first pass: {_AGAIN}")
    return average_risk(ledger.epoch_ends[0], mistakes, confidence=confidence)


def _bounds(n: int, M: int, delta: Fraction) -> tuple[float, float]:
    """Azuma's and Bernstein's, rounded upwards."""
    with localcontext(Context(prec=60)):
        one, other = (
            (Decimal(x.numerator) / x.denominator).ln() for x in (1 / delta, (M + 3) / delta)
        )
        azuma = Decimal(M) / n + (one / (2 * n)).sqrt()
        bernstein = (M + 36 * other + 2 * (M * other).sqrt()) / n
        return _upwards(azuma), _upwards(bernstein)


def _upwards(x: Decimal) -> float:
    """The least float not below x, which has about 50 correct digits; at most 1."""
    x *= 1 + Decimal("1e-50")
    near = float(min(x, Decimal(1)))
    return near if near >= x else min(1.0, math.nextafter(near, 2.0))


def rise(before: tuple[int, int], recent: tuple[int, int]) -> float:
    """The probability of so many recent mistakes, or more, if the error rate has not risen.

    Both are pairs of the number of predictions and the mistakes among them. Predictions may depend
    on the mistakes before, as those of a learner do: docs/proofs.md has what is assumed. The result
    is rounded upwards; 1 stands for anything that says nothing. Reference: Fisher (1935).
    """
    (n, a), (w, b) = before, recent
    total = a + b
    low, high = max(0, total - n), min(w, total)
    middle = min(high, max(low, (w + 1) * (total + 1) // (n + w + 2)))
    if b <= middle:
        return 1.0
    # the weights of the hypergeometric distribution, relative to its largest
    j = np.arange(middle, high, dtype=np.float64)
    above = np.cumprod((w - j) * (total - j) / ((j + 1) * (n - total + j + 1)), dtype=np.float64)
    j = np.arange(middle, low, -1, dtype=np.float64)
    below = np.cumprod(j * (n - total + j) / ((w - j + 1) * (total - j + 1)), dtype=np.float64)
    whole = 1 + sums.total(above) + sums.total(below)
    return min(1.0, sums.total(above[b - middle - 1 :]) / whole * _ROUNDING) or 5e-324
