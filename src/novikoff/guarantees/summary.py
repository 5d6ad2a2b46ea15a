"""The summary of a run, with a field for each thing that happened or is known."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np

from novikoff import guarantees
from novikoff.guarantees import known, words
from novikoff.guarantees.certificate import MarginInterval
from novikoff.guarantees.cycle import Cycle
from novikoff.guarantees.exact.arithmetic import Number, root
from novikoff.guarantees.exact.mistaken import Mistaken, NotAWitness, expect_ledger
from novikoff.guarantees.known import Chain
from novikoff.guarantees.novikoff_bound import Bound
from novikoff.guarantees.risk import RiskBound
from novikoff.ledger import readings
from novikoff.ledger.ledger import Ledger
from novikoff.stream.blocks import Stream, blocks_of
from novikoff.stream.rows import Vector

_SURE = Fraction(95, 100)


@dataclass(frozen=True, slots=True)
class Summary:
    """What happened in a run and what is known of it; its `str` says it in words, on one screen.

    Attributes
    ----------
    verdict, cycle
        How the run ended; for "cycle", the proof that no weights separate the data.
    classes
        How many classes were learned jointly; None if there were two labels.
    epochs, rounds, pass_lengths
        The whole passes, the examples met, and the fewest and the most of them in a pass.
    mistakes, first_pass, last_pass
        The updates in all, in the first whole pass and in the last.
    threshold, right_already
        η: an example with y⟨w,x⟩ ≤ η was an update; and the updates on examples that were right,
        but not by more. None when the ledger kept counts only, which do not show it.
    radius, radius_squared
        R, the largest ‖x‖ over the mistaken examples, and R² exactly.
    separates, wrong_row, examples
        Whether the final weights have the examples strictly on their right sides, in exact
        arithmetic; if not, a row that is not; and how many examples that is about, None for the
        mistaken ones alone.
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
        Why there is no bound, sandwich or error bound, or little known of the margin, if so.
    """

    verdict: str
    cycle: Cycle | None
    classes: int | None
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
            The final weights; of many classes learned jointly, a row a class. By default they are
            added up from the ledger. For a run by a rule that does not add up neither they nor the
            data are looked at: its mistakes are counted, and what rests on sums is left out.
        data
            What each pass was made over. What is said of the margin is then about all of it, and a
            run that did not separate it has a bound.
        margin
            η of a margin perceptron. By default the largest y⟨w,x⟩ of any update.
        """
        expect_ledger(ledger, None)
        if verdict not in words.MEANING:
            raise ValueError(f"verdict must be one of {', '.join(words.MEANING)}, not {verdict!r}")
        if ledger.rule not in ("additive", "joint"):
            return cls._of_counts(ledger, verdict)
        blocks = None if data is None else [block for block in blocks_of(data) if len(block)]
        if blocks is not None:
            known.expect_data_of(ledger, blocks)
            ledger = known.with_examples(ledger, blocks)
        threshold, right_already = known.threshold(ledger, margin)
        eta, unknown = threshold or Fraction(0), dict[str, str]()
        kept = ledger.keep == "examples" or len(ledger) == 0
        seen = Mistaken.of(ledger, None, rule=ledger.rule) if kept and len(ledger) else None
        if weights is None and kept:
            weights = readings.final(ledger)

        bound, reached, separates, wrong_row = None, Fraction(0), None, None
        if kept and weights is not None:
            try:
                bound = known.by_witness(ledger, weights, eta)
            except NotAWitness as flaw:
                separates, wrong_row = False, flaw.row
        if bound is not None and bound.margin is not None:
            separates, reached = True, bound.margin**2 / bound.witness_squared
        if blocks is not None and weights is not None:
            reached, wrong_row = known.squared_margin_on(weights, blocks)
            separates = reached > 0

        ceiling = None
        if seen is not None and ledger.rule == "additive":
            ceiling = guarantees.margin_at_most(ledger).squared
        if cycle is not None:
            reached = ceiling = Fraction(0)
        R2 = bound_interval = sandwich = None
        if seen is not None:
            R2 = seen.radius_squared if bound is None else bound.radius_squared
        if seen is not None and R2 is not None and ceiling and ledger.start is None:
            bound_interval = known.bound_interval(seen, R2, eta, reached, ceiling)
            if bound is not None and weights is not None:
                sandwich = known.chain(ledger, seen, bound, weights, ceiling, eta)
        if bound is None:
            bound, unknown["bound"] = known.by_losses(ledger, blocks, eta)
        if not kept:
            unknown["margin"] = known.NOT_KEPT
        elif ledger.rule == "joint" and len(ledger) and not reached:
            unknown["margin"] = "the final weights do not separate the examples"
        if sandwich is None:
            unknown["sandwich"] = known.why_no_chain(ledger, kept=kept)
        error_bound, unknown["error_bound"] = known.error_bound(ledger, _SURE)
        return cls(
            verdict=str(verdict),
            cycle=cycle,
            classes=ledger.n_classes if ledger.rule == "joint" else None,
            **known.counts(ledger),
            threshold=threshold,
            right_already=right_already,
            radius=ledger.radius if R2 is None else root(R2.numerator, R2.denominator),
            radius_squared=R2,
            separates=separates,
            wrong_row=wrong_row,
            examples=None if blocks is None else sum(map(len, blocks)),
            margin=MarginInterval(reached, ceiling),
            bound=bound,
            bound_interval=bound_interval,
            sandwich=sandwich,
            error_bound=error_bound,
            unknown={what: why for what, why in unknown.items() if why},
        )

    @classmethod
    def _of_counts(cls, ledger: Ledger, verdict: str) -> Self:
        """What is known of a run whatever its rule: of a sum of mistakes it would be more."""
        error_bound, why_not = known.error_bound(ledger, _SURE)
        return cls(
            verdict=str(verdict),
            cycle=None,
            classes=None,
            **known.counts(ledger),
            threshold=None,
            right_already=None,
            radius=ledger.radius,
            radius_squared=None,
            separates=None,
            wrong_row=None,
            examples=None,
            margin=MarginInterval(Fraction(0), None),
            bound=None,
            bound_interval=None,
            sandwich=None,
            error_bound=error_bound,
            unknown=known.OTHER_RULE | ({"error_bound": why_not} if why_not else {}),
        )

    def __str__(self) -> str:
        return words.screen(self)

    def to_dict(self) -> dict[str, Any]:
        """All of it but the witness, ready for JSON.

        An exact number is a text, p or p/q, in hexadecimal when long: int(p, 0) reads either.
        """
        out: dict[str, Any] = {f.name: _plain(getattr(self, f.name)) for f in fields(self)}
        out["margin"] |= {"low": _plain(self.margin.low), "high": _plain(self.margin.high)}
        if self.bound is not None:
            out["bound"] |= {"holds": self.bound.holds, "unit_margin": self.bound.unit_margin}
        return out


@dataclass(frozen=True, slots=True)
class Summaries:
    """A summary for each class against the rest; its `str` is a table, a line for each class."""

    classes: tuple[Any, ...]
    each: tuple[Summary, ...]

    def __len__(self) -> int:
        return len(self.each)

    def __getitem__(self, k: int) -> Summary:
        return self.each[k]

    def __str__(self) -> str:
        return words.table(self.classes, self.each)

    def to_dict(self) -> dict[str, Any]:
        """The classes and, in their order, the dict of each summary; ready for JSON."""
        named = [c if isinstance(c, int | float | str) else str(c) for c in self.classes]
        return {"classes": named, "summaries": [one.to_dict() for one in self.each]}


_LEFT_OUT = ("witness", "hull")


def _plain(value: Any) -> Any:
    """The value as JSON has it; a number that is not finite is none."""
    if isinstance(value, Fraction):
        write = str if max(abs(value.numerator), value.denominator) < 10**30 else hex
        over, under = write(value.numerator), write(value.denominator)
        return over if value.denominator == 1 else f"{over}/{under}"
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return dict(value)
    if is_dataclass(value):
        names = [f.name for f in fields(value) if f.name not in _LEFT_OUT]
        return {name: _plain(getattr(value, name)) for name in names}
    return value
