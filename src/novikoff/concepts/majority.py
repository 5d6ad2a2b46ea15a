"""Weighted majority: concepts that err lose weight, and none is ever ruled out."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from novikoff.concepts.attributes import Truths
from novikoff.concepts.classes import ConceptClass, TooLarge
from novikoff.concepts.functions import Concept
from novikoff.concepts.online import ConceptLearner
from novikoff.rows import Positions

MOST_COUNTED = 1 << 24
_COUNTS = 1 << 22  # looked at in some tens of milliseconds
_LEAST = math.ulp(0.0)


class WeightedMajority(ConceptLearner):
    """Predict what the heavier concepts say; each that was wrong weighs β times as much from then.

    When some concept is wrong on k of the examples, at most (k·ln(1/β) + ln|C|)/ln(2/(1 + β))
    mistakes are made, so labels may be wrong. A concept loses weight in every round in which it was
    wrong. The bound needs only that the total weight never grows, and that a mistake leaves at most
    (1 + β)/2 of it: so it would also hold if only mistakes cost weight; but every round has
    something to teach, and so β = 0 is the halving algorithm. With β = 0, and only then, there may
    be no concept left that fits.

    A concept's weight is β to the number of times it was wrong. These numbers are kept, and votes
    are compared in integers, so the prediction is exact however small the weights. The score is
    the share of the weight that says true less the share that says false, rounded, but never to
    another sign; a tie says +1.

    Parameters
    ----------
    beta
        0 ≤ β < 1, as a fraction or a float, which is taken as the fraction it is.

    References
    ----------
    Littlestone & Warmuth (1994), Section 2.
    """

    def __init__(self, concepts: ConceptClass, beta: Fraction | float = Fraction(1, 2)) -> None:
        super().__init__(concepts)
        if not 0 <= beta < 1:
            raise ValueError(f"beta must be at least 0 and less than 1, not {beta!r}")
        if concepts.size > MOST_COUNTED:
            raise TooLarge(
                f"{concepts} has {concepts.size:,} concepts; weighted majority counts the errors "
                f"of each, for up to {MOST_COUNTED:,} of them"
            )
        self.beta = Fraction(beta)
        self._wrong = np.zeros(concepts.size, dtype=np.int64)

    @property
    def left(self) -> int:
        """How many concepts have any weight: all of them, unless β is 0."""
        return self.concepts.size if self.beta else int(np.count_nonzero(self._wrong == 0))

    @property
    def fewest(self) -> int:
        """k: on how many of the examples met the best concept was wrong."""
        return int(self._wrong.min())

    @property
    def hypothesis(self) -> Concept:
        """The concept that was wrong least often; the first of these."""
        return self.concepts[int(self._wrong.argmin())]

    @property
    def most_examples(self) -> int:
        """How many examples are met before `play` may be interrupted."""
        return max(1, min(1 << 10, _COUNTS // self.concepts.size))

    def score(self, x: Truths) -> float:
        """The share of the weight that says true less the share that says false."""
        said, least = self._says(x), self.fewest
        counts = np.bincount(self._wrong - least)
        leads = 2 * np.bincount((self._wrong - least)[said], minlength=len(counts)) - counts
        weights = float(self.beta) ** np.arange(len(counts))
        share, sign = float(leads @ weights) / float(counts @ weights), self._lead(leads, counts)
        if sign == 0:
            return 0.0
        return max(share, _LEAST) if sign > 0 else min(share, -_LEAST)

    def take(self, x: Truths, label: bool) -> bool:
        """Count who was wrong; False, and no change, if β is 0 and no concept fits."""
        wrong = self._says(x) != label
        if self.beta == 0 and not (~wrong & (self._wrong == 0)).any():
            return False
        self._wrong += wrong
        return True

    def _says(self, x: Truths) -> Truths:
        bits = self.concepts.say(x).view(np.uint8)
        return np.unpackbits(bits, count=self.concepts.size, bitorder="little").astype(np.bool_)

    def _lead(self, leads: Positions, counts: Positions) -> int:
        """A number with the sign of Σ leads[c]·βᶜ, when |leads| ≤ counts; exactly.

        Up to c the sum is total/qᶜ, for β = p/q; those to come weigh at most later·(p/q)ᶜ⁺¹.
        """
        p, q = self.beta.as_integer_ratio()
        total, power, later = 0, 1, int(counts.sum())
        for lead, count in zip(leads.tolist(), counts.tolist(), strict=True):
            total = total * q + lead * power
            power *= p
            later -= count
            if abs(total) * q > later * power:
                break
        return total
