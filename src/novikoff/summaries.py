"""What happened in a run and what is known of it: on one screen, and for programs."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from operator import attrgetter
from typing import Any, Self

import numpy as np

from novikoff import guarantees, readings
from novikoff.examples import Block, Stream, blocks_of
from novikoff.guarantees.bounds import Bound, NotAWitness, mistake_bound
from novikoff.guarantees.cycles import Cycle
from novikoff.guarantees.entries import sum_of_squares
from novikoff.guarantees.exact import ExactVector, Number, fraction, products, root, sums_by
from novikoff.guarantees.losses import Counted
from novikoff.guarantees.mistaken import Mistaken, expect_ledger, expect_threshold
from novikoff.guarantees.risk import RiskBound
from novikoff.guarantees.separation import MarginInterval
from novikoff.ledger import Ledger
from novikoff.rows import BadExample, Vector, join

_MEANING = {
    "separated": "a whole pass made no mistake, so these weights have every example on its right "
    "side",
    "cycle": "the weights came back to where they had been, so no weights separate the data",
    "budget": "the examples or the passes allowed ran out first, which does not say whether any "
    "weights separate the data",
    "interrupted": "Ctrl-C was pressed; this is about the run up to then",
}
_NOT_KEPT = "the ledger did not keep the mistaken examples"
_TO_FOLLOW = 1 << 21  # the weights through all mistakes, in exact arithmetic, takes a second


@dataclass(frozen=True, slots=True)
class Chain:
    """Mγ ≤ ⟨w,u⟩ ≤ ‖w‖ ≤ √Σ‖x‖² ≤ R√M after the last mistake, as in `guarantees.Sandwich`.

    u is the final weights, as a unit vector. `followed` means that the chain was checked after
    every mistake, not the last alone: `failure` is the first exception.
    """

    numbers: tuple[float, ...]
    holds: bool
    followed: bool
    failure: str | None


@dataclass(frozen=True, slots=True)
class Summary:
    """What happened in a run and what is known of it; its `str` says it in words, on one screen.

    Attributes
    ----------
    verdict, cycle
        How the run ended; for "cycle", the proof that no weights separate the data.
    epochs, rounds, pass_lengths
        The whole passes, the examples met, and the fewest and the most of them in a pass.
    mistakes, first_pass, last_pass
        The updates in all, in the first whole pass and in the last.
    threshold, right_already
        η: an example with y⟨w,x⟩ ≤ η was an update; and the updates on examples that were right,
        but not by more. None when the ledger kept counts only, which do not show it.
    radius, radius_squared
        R, the largest ‖x‖ over the mistaken examples, and exactly R².
    separates, wrong_row, examples
        Whether the final weights have the examples strictly on their right sides, in exact
        arithmetic; if not, a row that is not; and how many they are, None for the mistaken ones
        alone.
    margin
        The interval for γ, the best margin that any weights have on those examples.
    bound, bound_interval
        A bound on the mistakes, proved; and what the theorem gives at the largest and at the
        smallest γ of the interval, for a plain run ⌊(R/γ)²⌋. The latter is None when no γ is known
        to be reached.
    sandwich
        The numbers of the theorem's proof.
    error_bound
        What the weights of the first pass err on new examples, on average, with confidence 95 %.
    unknown
        Why there is no bound, sandwich or error bound, if there is none.
    """

    verdict: str
    cycle: Cycle | None
    epochs: int
    rounds: int
    pass_lengths: tuple[int, int] | None
    mistakes: int
    first_pass: int | None
    last_pass: int | None
    threshold: Fraction | None
    right_already: int | None
    radius: float
    radius_squared: Fraction | None
    separates: bool | None
    wrong_row: int | None
    examples: int | None
    margin: MarginInterval
    bound: Bound | None
    bound_interval: tuple[int, int | None] | None
    sandwich: Chain | None
    error_bound: RiskBound | None
    unknown: Mapping[str, str]

    @classmethod
    def of(
        cls,
        ledger: Ledger,
        verdict: str,
        *,
        cycle: Cycle | None = None,
        weights: Vector | None = None,
        data: Stream | None = None,
        margin: Number | None = None,
    ) -> Self:
        """From what a run left behind.

        Parameters
        ----------
        ledger
            One that kept its examples is enough. For one that kept positions the data are needed;
            from counts little can be known.
        weights
            The final weights. By default they are added up from the ledger.
        data
            What each pass was made over. What is said of the margin is then about all of it, and
            runs that did not separate it have a bound.
        margin
            η of a margin perceptron. By default the largest y⟨w,x⟩ of any update.
        """
        expect_ledger(ledger)
        if verdict not in _MEANING:
            raise ValueError(f"verdict must be one of {', '.join(_MEANING)}, not {verdict!r}")
        blocks = None if data is None else [block for block in blocks_of(data) if len(block)]
        if blocks is not None:
            _expect_data_of(ledger, blocks)
            ledger = _with_examples(ledger, blocks)
        eta, right_already = _threshold(ledger, margin)
        known = ledger.keep == "examples" or len(ledger) == 0
        if weights is None and known:
            weights = readings.final(ledger)
        seen = Mistaken.of(ledger, None) if known and len(ledger) else None
        unknown = dict[str, str]()
        bound, wrong_row = None, None
        if known and weights is not None:
            try:
                bound = _bound(ledger, weights, eta or Fraction(0))
            except NotAWitness as flaw:
                wrong_row = flaw.row
        reached = Fraction(0)
        if bound is not None and bound.margin is not None:
            reached = bound.margin**2 / bound.witness_squared
        separates = (reached > 0) if seen else None
        if blocks is not None and weights is not None:
            wrong_row, reached = _on_all(weights, blocks)
            separates = reached > 0
        ceiling = guarantees.margin_at_most(ledger).squared if seen else None
        sandwich = None
        if bound is None:
            bound = _by_losses(ledger, blocks, eta, unknown)
        elif seen and weights is not None and ceiling is not None:
            sandwich = _chain(ledger, seen, weights, bound, ceiling, eta or Fraction(0), unknown)
        try:
            error_bound = guarantees.risk_bound(ledger)
        except ValueError as error:
            error_bound, unknown["error_bound"] = None, str(error)
        if cycle is not None:
            reached = ceiling = Fraction(0)
        lengths = [b - a for a, b in pairwise([0, *ledger.epoch_ends])]
        R2 = seen.radius_squared if seen else None
        return cls(
            verdict=str(verdict),
            cycle=cycle,
            epochs=len(lengths),
            rounds=ledger.n_rounds,
            pass_lengths=(min(lengths), max(lengths)) if lengths else None,
            mistakes=len(ledger),
            first_pass=ledger.epoch_mistakes[0] if lengths else None,
            last_pass=ledger.epoch_mistakes[-1] if lengths else None,
            threshold=eta,
            right_already=right_already,
            radius=ledger.radius if R2 is None else root(R2.numerator, R2.denominator),
            radius_squared=R2,
            separates=separates,
            wrong_row=wrong_row,
            examples=None if blocks is None else sum(map(len, blocks)),
            margin=MarginInterval(reached, ceiling),
            bound=bound,
            bound_interval=_interval(ledger, seen, reached, ceiling, eta),
            sandwich=sandwich,
            error_bound=error_bound,
            unknown=unknown,
        )

    def __str__(self) -> str:
        return "\n".join(
            line
            for name, *paragraphs in _rows(self)
            for k, text in enumerate(paragraphs)
            for line in textwrap.wrap(
                text,
                100,
                initial_indent=f"{'' if k else name:<12}",
                subsequent_indent=" " * 12,
                break_on_hyphens=False,
            )
        )

    def to_dict(self) -> dict[str, Any]:
        """All of it but the witness, ready for JSON.

        An exact number is a text, p or p/q, in hexadecimal when long: int(p, 0) reads both.
        """
        out: dict[str, Any] = {f.name: _plain(getattr(self, f.name)) for f in fields(self)}
        high = None if self.margin.at_most_squared is None else self.margin.high
        out["margin"] |= {"low": self.margin.low, "high": high}
        if self.bound is not None:
            out["bound"] |= {"unit_margin": self.bound.unit_margin, "holds": self.bound.holds}
        return out
