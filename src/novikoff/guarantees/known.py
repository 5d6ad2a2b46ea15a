"""What is known about a run: which bound and sandwich apply, or why none; and its summary."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from fractions import Fraction
from itertools import pairwise
from operator import attrgetter
from typing import Any, Self

import numpy as np

from novikoff import guarantees
from novikoff.guarantees.arow import ArowBound, ArowSandwich
from novikoff.guarantees.certificate import MarginInterval
from novikoff.guarantees.comparators import Counted, LossBound
from novikoff.guarantees.exact import arithmetic, mistaken
from novikoff.guarantees.exact.arithmetic import ExactVector, Number, Numbers, fraction, root
from novikoff.guarantees.exact.mistaken import Mistaken, expect_threshold
from novikoff.guarantees.novikoff_bound import Bound, Sandwich
from novikoff.guarantees.risk import RiskBound
from novikoff.guarantees.verdict import Cycle, Verdict
from novikoff.guarantees.words import RADIUS_OF_RUN, run_ended
from novikoff.ledger import readings
from novikoff.ledger.ledger import Ledger, Rule
from novikoff.stream import printing
from novikoff.stream.blocks import Block, Stream, blocks_of
from novikoff.stream.input_problems import BadExample
from novikoff.stream.printing import count, plural, share_upwards, short
from novikoff.stream.rows import Vector

# The sandwich is followed mistake by mistake if that takes about a second: a limit on the numbers
# to read, each mistake counting as 64 more.
_TO_FOLLOW = 1 << 21
_WIDTH, _INDENT = 100, 15
_LEFT_OUT = ("witness", "hull")  # of JSON: they are long

NOT_KEPT = "the ledger did not keep the mistaken examples"
OTHER_RULE = {
    "margin": "only additive learners reveal the margin",
    "bound": "this bound needs weights that are a sum of the mistakes; for other rules see "
    "guarantees.winnow1_bound, winnow2_bound, doubling_bound and halving_bound",
    "sandwich": "the proof needs weights that are a sum of the mistakes",
}
NOT_SEPARATED = "the final weights do not separate the mistaken examples"
_JOINT_FROM_ZERO = "for many classes a bound is known only for runs from weights 0"


def applicable_bound(
    ledger: Ledger,
    *,
    witness: Numbers | None = None,
    data: Stream | None = None,
    margin: Number = 0,
) -> tuple[Bound | None, str]:
    """The bound that applies to this run, or None and the reason why there is none.

    If no witness is known, the bound is by losses and needs the data of each pass. It holds for
    this run alone; for all data see `Certificate.mistake_bound`.
    """
    ledger = ledger.snapshot()
    if ledger.rule not in ("additive", "joint"):
        return None, OTHER_RULE["bound"]
    if witness is None:
        return bound_by_losses(ledger, data, fraction(margin, "margin"))
    if ledger.keep != "examples" and len(ledger):
        return None, NOT_KEPT
    try:
        bound = bound_by_witness(ledger, witness, margin)
    except guarantees.NotAWitness as error:
        return None, str(error)
    return bound, "" if bound else _JOINT_FROM_ZERO


def bound_by_witness(
    ledger: Ledger, witness: Numbers, margin: Number = 0, *, adaptive: bool = False
) -> Bound | None:
    """The bound of the theorem that covers the run, if any; NotAWitness if it does not separate."""
    if ledger.rule == "joint":
        table = np.asarray(witness)
        covered = ledger.start is None and len(table) > 1
        return guarantees.joint_bound(ledger, table, margin=margin) if covered else None
    if ledger.start is not None:
        return guarantees.from_start(ledger, witness, margin=margin)
    if margin > 0:
        return guarantees.margin_perceptron(ledger, witness, margin)
    return (guarantees.adaptive if adaptive else guarantees.novikoff)(ledger, witness)


def bound_by_losses(
    ledger: Ledger, data: Stream | None, margin: Fraction
) -> tuple[Bound | None, str]:
    """The bound by the losses of the best comparator, or why there is none."""
    if ledger.keep != "examples":
        return None, NOT_KEPT
    joint, begun = ledger.rule == "joint", ledger.start is not None
    if joint and begun:
        return None, _JOINT_FROM_ZERO
    if joint or begun or margin:
        other = "many classes" if joint else "another start than 0" if begun else "a margin"
        only = f"the only bounds known for runs with {other} need weights that do"
        return None, f"{NOT_SEPARATED}, and {only}"
    if data is None:
        return None, f"{NOT_SEPARATED}, and a bound by losses needs all the data: pass them too"
    try:
        return guarantees.best_comparator(ledger, data), ""
    except BadExample as error:
        return None, str(error)


def arow(ledger: Ledger) -> tuple[ArowBound | None, ArowSandwich | None, str]:
    """The bound and the sandwich of an adaptive run for its final weights; or why none."""
    if ledger.is_joint:
        return None, None, "no mistake bound is known for adaptive steps and many classes"
    if ledger.adaptation is None or not ledger.adaptation.is_full:
        return None, None, "no mistake bound is known for diagonal variances; see matrix='full'"
    if ledger.keep != "examples":
        return None, None, NOT_KEPT
    if len(ledger) * (ledger.dim + 1) > _TO_FOLLOW:
        return None, None, "the run is too long for exact sums"
    u = readings.final(ledger)
    try:
        return guarantees.arow_bound(ledger, u), guarantees.arow_sandwich(ledger, u), ""
    except ValueError as error:
        return None, None, str(error)


def can_follow(ledger: Ledger) -> bool:
    """Whether the sandwich of this run can be checked after each mistake in about a second."""
    rows = ledger.examples if len(ledger) else None
    return rows is None or len(ledger) * (rows.values.size / len(rows) + 64) <= _TO_FOLLOW


def running_sandwich(
    ledger: Ledger, witness: Numbers | None, margin: Number = 0
) -> tuple[Sandwich | None, str]:
    """The inequalities of the proof after each mistake, or None and why there are none."""
    ledger = ledger.snapshot()
    if ledger.rule not in ("additive", "joint"):
        return None, OTHER_RULE["sandwich"]
    if why := why_no_sandwich(ledger):
        return None, why
    if witness is None:
        return None, "the proof needs weights that separate the data, and none are known"
    if not can_follow(ledger):
        return None, "the run made too many mistakes to follow the weights exactly"
    return guarantees.sandwich(ledger, witness, margin=margin), ""


def why_no_sandwich(ledger: Ledger) -> str:
    """Why no theorem gives a sandwich for this run, whatever the witness; empty if one does."""
    if len(ledger) == 0:
        return ""
    if ledger.keep != "examples":
        return NOT_KEPT
    if ledger.start is not None:
        return "the weights did not start at 0"
    return "it is shown for two classes only" if ledger.rule == "joint" else ""


@dataclass(frozen=True, slots=True)
class Chain:
    """Mγ ≤ ⟨w,u⟩ ≤ ‖w‖ ≤ √Σ‖x‖² ≤ R√M after the last mistake, or after each one if `followed`."""

    formula: str
    numbers: tuple[float, ...]
    holds: bool
    followed: bool
    failure: str | None


def error_bound(ledger: Ledger) -> tuple[RiskBound | None, str]:
    """The bound on the errors of the first pass's weights, with 95 % confidence, or why not."""
    try:
        return guarantees.risk_bound(ledger, confidence=Fraction(95, 100)), ""
    except ValueError as error:
        return None, str(error)


def threshold(ledger: Ledger, margin: Number | None) -> Fraction | None:
    """η, as given or as the updates show; None if the ledger kept only counts."""
    given = None if margin is None else fraction(margin, "margin")
    if len(ledger) == 0:
        return given or Fraction(0)
    if ledger.keep == "counts":
        return given
    if given is None:
        given = Fraction(float((ledger.labels * ledger.scores).max(initial=0.0)))
    expect_threshold(ledger, given)
    return given


def squared_margin_on(weights: Vector, blocks: Sequence[Block]) -> tuple[Fraction, int | None]:
    """The squared margin of the weights on all examples; or 0 and a row that is not right."""
    if not weights.any():
        return Fraction(0), None
    reached = (guarantees.achieved_margin(weights, block) for block in blocks)
    least = min(reached, key=attrgetter("smallest"))
    if least.smallest <= 0:
        return Fraction(0), least.row
    return least.smallest**2 / least.weights_squared, None


def chain(
    ledger: Ledger, seen: Mistaken, bound: Bound, weights: Vector, ceiling: Fraction, eta: Fraction
) -> Chain:
    """The numbers of the proof for a run from 0, checked after each mistake if that is quick."""
    plain = eta == 0 and seen.smallest_step == seen.largest_step == 1
    formula = (
        "Mγ ≤ ⟨w,u⟩ ≤ ‖w‖ ≤ √Σ‖x‖² ≤ R√M"
        if plain
        else "γΣr ≤ ⟨w,u⟩ ≤ ‖w‖ ≤ √Σ(r²‖x‖² + 2rη) ≤ √(M(r²R² + 2rη))"
    )
    if can_follow(ledger):
        s = guarantees.sandwich(ledger, weights, margin=eta)
        traces = (s.lower, s.progress, s.norm, s.root_sum, s.upper)
        failure = None if s.failure is None else str(s.failure)
        return Chain(formula, tuple(float(trace[-1]) for trace in traces), s.holds, True, failure)
    # the squares of the five numbers after the last mistake, reading each example once
    R2, U2, gamma = bound.radius_squared, bound.witness_squared, bound.margin or Fraction(0)
    b, steps = seen.largest_step, sum(seen.steps.tolist())
    total = steps * seen.unit
    # for a c that no y⟨u,x⟩ exceeds, Σ s max(0, c − y⟨u,x⟩) is c Σs − ⟨w,u⟩
    c = U2 * R2 + 1
    u = ExactVector.of(weights, "weights")
    along = c * steps - Counted.mistakes(seen).hinges(u, c)[0]
    squares = (
        (gamma * total) ** 2 / U2,
        (along * seen.unit) ** 2 / U2,
        ceiling * total**2,
        seen.sum_of_squares + 2 * eta * total,
        len(seen.steps) * (b * b * R2 + 2 * b * eta),
    )
    holds = all(a <= b for a, b in pairwise(squares))
    return Chain(formula, tuple(map(root, squares)), holds, False, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What happened in a run and what is known about it; its `str` says it in words, on one screen.

    `classes` counts classes that were learned jointly. `epochs` are whole passes over the data,
    `pass_lengths` the shortest and the longest, and `revisits` passes over the examples mistaken so
    far; `first_pass` and `last_pass` count the mistakes in those. `updates` may also be on examples
    that were right, but by too little: with y⟨w,x⟩ ≤ η, the `threshold`. The radius is R over the
    mistaken examples.

    `separates` says whether the final weights put the examples strictly on their correct sides, in
    exact arithmetic, `wrong_row` where they fail, and `examples` how many were checked (None: only
    the mistaken ones); `margin` is the interval for the best margin on those. `bound` is a proved
    bound on the updates; `bound_interval` is the theorem's at the largest and at the smallest γ,
    ⌊(R/γ)²⌋ for a plain run. `sandwich` has the numbers of the theorem's proof, `arow` and
    `arow_sandwich` those of an adaptive run with the full matrix. `error_bound` is about new
    examples, on average over the weights of the first pass, with 95 % confidence. `unknown` says
    why a bound, sandwich or margin is not known.
    """

    verdict: str
    cycle: Cycle | None = None
    rule: Rule
    classes: int | None = None
    epochs: int
    rounds: int
    pass_lengths: tuple[int, int] | None
    revisits: int = 0
    mistakes: int
    first_pass: int | None
    last_pass: int | None
    updates: int
    threshold: Fraction | None = None
    radius: float
    radius_squared: Fraction | None = None
    separates: bool | None = None
    wrong_row: int | None = None
    examples: int | None = None
    margin: MarginInterval = field(default_factory=MarginInterval)
    bound: Bound | None = None
    bound_interval: tuple[int, int | None] | None = None
    sandwich: Chain | None = None
    arow: ArowBound | None = None
    arow_sandwich: ArowSandwich | None = None
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
        """The summary of a run, from its ledger; of one that kept only counts little is known.

        The final `weights`, a row a class if many are learned jointly, are by default summed from
        the ledger. With the `data` of each pass the margin is about all examples, and a run that
        did not separate them has a bound by losses. `margin` is η of a margin perceptron, by
        default the largest y⟨w,x⟩ of any update.
        """
        ledger = mistaken.expect_ledger(ledger, None)
        if verdict not in set(Verdict):
            raise ValueError(f"verdict must be one of {', '.join(Verdict)}, not {verdict!r}")
        ends, scans = [0, *ledger.epoch_ends], ledger.scans
        lengths = [ends[k + 1] - ends[k] for k in scans]
        of_errors, why_not = error_bound(ledger)
        counts = cls(
            verdict=str(verdict),
            rule=ledger.rule,
            classes=ledger.n_classes if ledger.rule in ("joint", "joint-adaptive") else None,
            epochs=len(scans),
            rounds=ledger.n_rounds,
            pass_lengths=(min(lengths), max(lengths)) if lengths else None,
            revisits=len(ends) - 1 - len(scans),
            mistakes=ledger.n_mistakes,
            first_pass=ledger.epoch_mistakes[0] if lengths else None,
            last_pass=ledger.epoch_mistakes[scans[-1]] if lengths else None,
            updates=ledger.n_updates,
            radius=ledger.radius,
            error_bound=of_errors,
            unknown=OTHER_RULE | ({"error_bound": why_not} if why_not else {}),
        )
        if ledger.adaptation is not None:
            made, sides, why = arow(ledger)
            unknown = {**counts.unknown, "bound": why, "sandwich": why}
            return replace(counts, arow=made, arow_sandwich=sides, unknown=unknown)
        if ledger.rule not in ("additive", "joint"):
            return counts
        blocks = None if data is None else [block for block in blocks_of(data) if len(block)]
        if blocks is not None:
            ledger.expect_data(blocks)
            ledger = ledger.with_examples(blocks) if ledger.keep == "positions" else ledger
        kept = ledger.keep == "examples" or len(ledger) == 0
        if weights is None and kept:
            weights = readings.final(ledger)
        seen = Mistaken.of(ledger, rule=ledger.rule) if kept and len(ledger) else None
        given = threshold(ledger, margin)
        eta = given or Fraction(0)

        bound, reached, separates, wrong_row = None, Fraction(0), None, None
        if kept and weights is not None:
            try:
                bound = bound_by_witness(ledger, weights, eta, adaptive=True)
            except guarantees.NotAWitness as flaw:
                separates, wrong_row = False, flaw.row
        if bound is not None and bound.margin is not None:
            separates, reached = True, bound.margin**2 / bound.witness_squared
        if blocks is not None and weights is not None:
            reached, wrong_row = squared_margin_on(weights, blocks)
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
            growth = (seen.largest_step * R2 + 2 * eta) / seen.smallest_step
            bound_interval = growth // ceiling, growth // reached if reached else None
            if bound is not None and weights is not None:
                sandwich = chain(ledger, seen, bound, weights, ceiling, eta)
        unknown = {"error_bound": why_not}
        if bound is None:
            bound, unknown["bound"] = bound_by_losses(ledger, blocks, eta)
        if not kept:
            unknown["margin"] = NOT_KEPT
        elif ledger.rule == "joint" and len(ledger) and not reached:
            unknown["margin"] = "the final weights do not separate the examples"
        if sandwich is None and len(ledger):
            unknown["sandwich"] = why_no_sandwich(ledger) or NOT_SEPARATED
        return replace(
            counts,
            cycle=cycle,
            threshold=given,
            radius=ledger.radius if R2 is None else root(R2),
            radius_squared=R2,
            separates=separates,
            wrong_row=wrong_row,
            examples=None if blocks is None else sum(map(len, blocks)),
            margin=MarginInterval(reached, ceiling),
            bound=bound,
            bound_interval=bound_interval,
            sandwich=sandwich,
            unknown={what: why for what, why in unknown.items() if why},
        )

    def __str__(self) -> str:
        return "\n".join(
            line
            for name, *paragraphs in _paragraphs(self)
            for k, text in enumerate(paragraphs)
            for line in textwrap.wrap(
                text,
                _WIDTH,
                initial_indent=f"{'' if k else name:<{_INDENT}}",
                subsequent_indent=" " * _INDENT,
                break_on_hyphens=False,
            )
        )

    def _repr_html_(self) -> str:
        return printing.html_table([(name, " ".join(said)) for name, *said in _paragraphs(self)])

    def to_dict(self) -> dict[str, Any]:
        """All fields except the witness, ready for JSON; exact numbers as by `fraction_text`."""
        out: dict[str, Any] = {f.name: _plain(getattr(self, f.name)) for f in fields(self)}
        out["margin"] |= {"low": _plain(self.margin.low), "high": _plain(self.margin.high)}
        if self.bound is not None:
            out["bound"] |= {"holds": self.bound.holds, "unit_margin": self.bound.unit_margin}
        return out


@dataclass(frozen=True, slots=True)
class Summaries:
    """The summaries of one run for each class against the rest; its `str` is a table."""

    classes: tuple[Any, ...]
    each: tuple[Summary, ...]

    def __len__(self) -> int:
        return len(self.each)

    def __getitem__(self, k: int) -> Summary:
        return self.each[k]

    def __str__(self) -> str:
        return "\n".join(printing.aligned(self._table(), left=(0, 1)))

    def _repr_html_(self) -> str:
        return printing.html_table(self._table(), has_heads=True)

    def _table(self) -> list[list[str]]:
        heads = ["class", "verdict", "passes", "mistakes", "at most", "R", "margin γ"]
        return [[*heads, "future errors"], *map(_cells, self.classes, self.each)]

    def to_dict(self) -> dict[str, Any]:
        """The classes and, in the same order, their summaries; ready for JSON."""
        named = [c if isinstance(c, int | float | str) else str(c) for c in self.classes]
        return {"classes": named, "summaries": [one.to_dict() for one in self.each]}


def _plain(value: Any) -> Any:
    """The value as JSON can hold it; a float that is not finite becomes None."""
    if isinstance(value, Fraction):
        return arithmetic.fraction_text(value)
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


def _cells(name: Any, s: Summary) -> list[str]:
    low, high = short(s.margin.low, 3), short(s.margin.high, 3)
    gamma = f"{low} – {high}" if s.margin.low < s.margin.high else low
    if s.margin.high == math.inf:
        gamma = f"≥ {low}" if s.margin.low else "?"
    return [
        printing.cut(str(name), 16),
        s.verdict,
        count(s.epochs),
        count(s.mistakes),
        "?" if s.bound is None else count(s.bound.bound),
        short(s.radius),
        gamma,
        "?" if s.error_bound is None else f"≤ {share_upwards(s.error_bound.value)}",
    ]


def _paragraphs(s: Summary) -> Iterator[list[str]]:
    yield ["verdict", f"{s.verdict}: {_verdict(s)}"]
    yield ["passes", _passes(s)]
    yield ["mistakes", _mistakes(s)]
    if s.updates:
        yield ["radius R", f"{short(s.radius, 6)}, {RADIUS_OF_RUN}"]
    yield ["margin γ", _margin(s)]
    yield ["bound", *_bound(s)]
    yield ["sandwich", *_sandwich(s)]
    yield ["future errors", _errors(s)]


def _verdict(s: Summary) -> str:
    margin = 0.0 if s.revisits else float(s.threshold or 0)
    words = run_ended(s.verdict, rule=s.rule, margin=margin)
    checked = s.separates and s.examples is not None
    if s.verdict == Verdict.SEPARATED:
        if s.separates is False:
            wrong = f"row {s.wrong_row} is not on its correct side"
            if s.wrong_row is None:
                wrong = "the weights are all 0, so they predict nothing"
            return f"{words.meaning}; but in exact arithmetic {wrong}"
        return words.meaning + "; checked in exact arithmetic" * bool(checked)
    if s.cycle is not None:
        return f"{words.meaning} (proof: {plural(len(s.cycle.rows), 'row')})"
    if checked:
        return f"{words.meaning}; but the final weights separate them, in exact arithmetic"
    if s.verdict == Verdict.BUDGET and s.classes is None and s.rule != "concepts":
        return f"{words.meaning}; certify(X, y) decides whether any weights separate the examples"
    return str(words)


def _passes(s: Summary) -> str:
    total = f"{plural(s.rounds, 'example')} in all"
    if s.pass_lengths is None:
        return f"none was finished; {total}"
    low, high = s.pass_lengths
    if low == high:
        lengths = plural(high, "example") + " each" * (s.epochs > 1)
    else:
        lengths = f"{count(low)} to {plural(high, 'example')}"
    more = ""
    if s.revisits:
        more = f", and {count(s.revisits)} over the examples mistaken so far"
    return f"{count(s.epochs)}, of {lengths}{more}; {total}"


def _mistakes(s: Summary) -> str:
    text = count(s.mistakes)
    if s.first_pass is not None and s.last_pass is not None:
        if s.epochs == 1 and s.first_pass == s.mistakes:
            text += ", in the one pass"
        else:
            text += f": {count(s.first_pass)} in the first pass, {count(s.last_pass)} in the last"
    if s.updates > s.mistakes:
        right = s.updates - s.mistakes
        text += (
            f"; {plural(s.updates, 'update')}, {count(right)} of them on examples that were right, "
            "but by too little"
        )
    return text


def _margin(s: Summary) -> str:
    low, high = s.margin.at_least_squared, s.margin.at_most_squared
    which = "mistaken examples" if s.examples is None else plural(s.examples, "example")
    if high == 0:
        why = "" if s.cycle is not None else "the mistakes sum to 0, so "
        return f"0: {why}no weights put all examples on their correct sides"
    if high is None and low == 0:
        return f"not known: {s.unknown.get('margin', 'the run made no mistake')}"
    if low == 0:
        return f"at most {short(s.margin.high, 6)}, as the mistakes prove; no lower bound is known"
    if s.classes is not None:
        return f"{s.margin}, the best lead of the right class that any weights reach on all {which}"
    return (
        f"{s.margin}, the largest possible distance of the nearest of the {which} from the boundary"
    )


def _bound(s: Summary) -> Iterator[str]:
    if s.updates == 0:
        yield "the run made no mistake"
        return
    if s.arow is not None:
        yield f"{s.arow}, for the final weights"
    elif s.bound is None:
        yield f"none: {s.unknown['bound']}"
    else:
        by_losses = isinstance(s.bound, LossBound)
        counted = "mistake" if s.updates == s.mistakes else "update"
        but = ""
        if not s.bound.holds:
            but = ", more than the bound because of rounding"
        elif by_losses and s.bound.bound >= s.rounds:
            but = f", not below the number of rounds, {count(s.rounds)}, so of no use"
        prover = (
            "the best of the run's own weights and averages" if by_losses else "the final weights"
        )
        yield (
            f"at most {plural(s.bound.bound, counted)}, {count(s.updates)} made{but}: "
            f"{s.bound.theorem}, proved by {prover}"
        )
    R2, least, most = s.radius_squared, s.margin.at_least_squared, s.margin.at_most_squared
    if s.bound_interval is None or R2 is None:
        return
    low, high = s.bound_interval
    plain = most and s.bound_interval == (R2 // most, R2 // least if least else None)
    name = "(R/γ)²" if plain else "the theorem's bound"
    if high is None:
        yield f"{name} is at least {count(low)}, if any weights separate the data"
    elif low == high:
        yield f"{name} is {count(low)}"
    else:
        yield f"{name} is between {count(low)} and {count(high)}, for γ in its interval"


def _sandwich(s: Summary) -> Iterator[str]:
    if s.arow_sandwich is not None:
        yield "(k − Σg)/r ≤ ⟨u,Aw⟩ ≤ √(uᵀAu)√(wᵀAw) ≤ √(uᵀAu)√((ln det A + U)/r), u = w at the end"
        yield str(s.arow_sandwich)
        return
    if s.sandwich is None:
        why = s.unknown.get("sandwich")
        yield f"none: {why}" if why else "the run made no mistake"
        return
    yield f"{s.sandwich.formula}: the proof of the bound, with u = w/‖w‖ at the end"
    numbers = " ≤ ".join(short(x, 6) for x in s.sandwich.numbers)
    if not s.sandwich.holds:
        yield f"{numbers}: {s.sandwich.failure or 'it fails'} because of rounding"
    elif s.sandwich.followed:
        yield f"{numbers}: it holds after each mistake"
    else:
        yield f"{numbers}: it holds after the last mistake; the run is too long to check every one"


def _errors(s: Summary) -> str:
    if s.error_bound is None:
        return f"no bound: {s.unknown['error_bound']}"
    if s.error_bound.value == 1:
        return "no bound: the first pass was too short or made too many mistakes"
    share = share_upwards(s.error_bound.value)
    return (
        f"the weights of the first pass, not the final ones, err on at most {share} of new "
        "examples, on average, with 95% confidence, if the examples are drawn and ordered at random"
    )
