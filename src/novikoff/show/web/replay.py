"""A run of the real learner and its proof, as JSON for the page, which only plays it back."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from novikoff import _core, guarantees
from novikoff.guarantees import known, words
from novikoff.guarantees.certificate import Certificate
from novikoff.guarantees.exact.arithmetic import ExactVector, root
from novikoff.guarantees.margin import Achieved
from novikoff.guarantees.verdict import Separation, Verdict
from novikoff.learners import Additive
from novikoff.ledger.readings import trajectory, vote
from novikoff.runs.loop import Run, play
from novikoff.separability import certify
from novikoff.show.projection import principal_direction, scaled
from novikoff.show.web.request import Choices, Refused, points_of
from novikoff.sources import Data
from novikoff.stream.blocks import Block
from novikoff.stream.order import arranged
from novikoff.stream.printing import count, listed, plural, short
from novikoff.stream.rows import Vector
from novikoff.stream.sums import length, lengths

MAX_SENT = 5_000  # updates that the page can step through
MAX_SECONDS = 4.0  # for the search for a certificate
MAX_WEIGHT = 1e100  # the squares of larger weights overflow when the page computes a line


def replay(given: Mapping[str, Any]) -> dict[str, Any]:
    """Make the requested run, and return everything that the page shows of it.

    `ledger` has a column for each fact about the first MAX_SENT updates: the round and the pass
    (from 1), the row (from 0), its label, its score before the update, the weights after it (the
    bias last) and, except for Winnow, their average so far.
    `every`, if asked for, has the row and the score of each round, whether it was an update or not,
    and `right` says which of the last weights, their average and their vote are right about all
    points; a vote over thousands of points takes many seconds.
    """
    points, choices = points_of(given), Choices.of(given)
    block = points.block
    if choices.order == "shuffled":  # the ledger still numbers rows as they were placed
        block = arranged(block, choices.seed)
    learner = choices.new_learner(block.rows.dim)
    run = play(block, learner, epochs=choices.passes_over(block))
    ledger, sent = run.ledger, min(len(run.ledger), MAX_SENT)
    moments = [*trajectory(ledger, range(1, sent + 1))]
    weights = np.array([moment.weights for moment in moments])
    average = averages = None
    if isinstance(learner, Additive):
        average, rounds = learner.average, ledger.rounds.tolist()
        averages = [m.average(t).tolist() for m, t in zip(moments, rounds, strict=False)]
    else:
        weights = _winnow_weights(weights, learner.alpha)
    certificate = certificate_of(points, choices.bias)
    margins = [_margin(w, points) for w in (learner.weights, average)]
    it = _Finished(points, choices, run, certificate, learner.weights, *margins)
    right = None
    if choices.every and average is not None:
        last, mean = map(_separates, margins)
        votes = bool((vote(ledger, block.rows) * block.labels > 0).all())
        right = {"last": last, "average": mean, "vote": votes}
    return {
        "noun": choices.noun,
        "margin": choices.eta,
        "rounds": ledger.n_rounds,
        "passes": run.epochs,
        "mistakes": len(ledger),
        "sent": sent,
        "ledger": {
            "round": ledger.rounds[:sent].tolist(),
            "pass": (np.searchsorted(ledger.epoch_ends, ledger.rounds[:sent]) + 1).tolist(),
            "row": ledger.rows[:sent].tolist(),
            "label": ledger.labels[:sent].tolist(),
            "score": ledger.scores[:sent].tolist(),
            "weights": weights.tolist(),
            "average": averages,
        },
        "final": learner.weights.tolist(),
        "average": None if average is None else average.tolist(),
        "every": _every_round(block, choices, ledger.n_rounds) if choices.every else None,
        "right": right,
        "radius_squared": str(certificate.radius_squared),
        "view": _view(points, learner.weights),
        **it.proof(weights),
    }


def _every_round(block: Block, choices: Choices, rounds: int) -> dict[str, list[Any]]:
    """The run once more, a round at a time: the row of each, and its score before the round."""
    learner = choices.new_learner(block.rows.dim)
    rows, scores = list[int](), list[float]()
    for t in range(min(rounds, MAX_SENT)):
        i = t % len(block)
        rows.append(block.position(i))
        scores += learner.scores(block.rows.take(np.array([i]))).tolist()
        learner.learn(block, i, i + 1)
    return {"row": rows, "score": scores}


def _winnow_weights(powers: Vector, alpha: float) -> Vector:
    """Balanced Winnow's weights, from the sums of its mistakes; refused if too large to draw."""
    out = np.empty(powers.size)
    _core.weights_of(alpha=alpha, balanced=True, powers=powers.ravel(), out=out)
    if not (np.abs(out) < MAX_WEIGHT).all():
        raise Refused(
            "balanced Winnow multiplies its weights, and for points with such large coordinates "
            "they become too large to draw: scale the columns to about 1, or choose another "
            "algorithm"
        )
    return out.reshape(powers.shape)


def _view(points: Data, weights: Vector) -> dict[str, Any] | None:
    """The plane on which points of more than two columns are drawn; None for one or two columns.

    A point x is drawn at (⟨x,across⟩, ⟨x,up⟩): the final boundary is a vertical line, and each
    point is drawn at its true distance from it.
    """
    dim = points.block.rows.dim
    if dim <= 2:
        return None
    w = scaled(weights[:dim].tolist())  # the squares of very large weights overflow
    across = w / length(w) if w.any() else np.eye(dim)[0]
    up = principal_direction(points.block.rows, [across])
    return {
        "across": across.tolist(),
        "up": up.tolist(),
        "words": (
            f"The run uses all {dim} columns. The picture is a projection: across, the direction "
            "of the final weights; up, the direction orthogonal to it in which the points spread "
            "most."
        ),
    }


def certificate_of(points: Data, bias: bool) -> Certificate:
    """Whether the points are separable, with a proof that `novikoff verify` can check."""
    return certify(points, fit_intercept=bias, margin_rtol=1e-6, max_seconds=MAX_SECONDS)


@dataclass(frozen=True)
class _Finished:
    """A finished run, the certificate of its points, and the margins of its weights on them."""

    points: Data
    choices: Choices
    run: Run
    certificate: Certificate
    final: Vector
    margin: Achieved | None
    average_margin: Achieved | None

    @property
    def witness(self) -> tuple[int, ...] | None:
        """Weights of nearly the largest margin, if the points are separable."""
        is_complete = self.certificate.verdict == Separation.COMPLETE
        return self.certificate.weights if is_complete else None

    @property
    def by(self) -> str:
        """What would separate the points."""
        return self.line if self.choices.bias else f"{self.line} through the origin"

    @property
    def line(self) -> str:
        return "hyperplane" if self.points.block.rows.dim > 2 else "line"

    @property
    def why_no_witness(self) -> str:
        is_undecided = self.certificate.verdict == Separation.UNDECIDED
        separates = "is known to separate" if is_undecided else "separates"
        return f"no {self.by} {separates} the points"

    def proof(self, weights: Vector) -> dict[str, Any]:
        """The bound, the inequalities of its proof, and the verdict."""
        sandwich, caption = self._sandwich(weights)
        most, run, eta, why = self.bound_of_data, self.run, self.choices.eta, ""
        if self.choices.outside:
            bound = "the bound (R/γ)²" if self.choices.learner == "winnow" else "this bound"
            why = f"{bound} {self.choices.outside}"
        elif most is None:
            why = f"{self.why_no_witness}, so (R/γ)² does not apply"
        ended = words.run_ended(
            run.verdict, rule=run.ledger.rule, margin=eta, passes=run.epochs, of="points"
        )
        return {
            "bound": most,
            "why_no_bound": why,
            "sandwich": sandwich,
            "sandwich_words": caption,
            "verdict": {
                "kind": str(run.verdict),
                "certified": str(self.certificate.verdict),
                "title": _capital(ended.headline),
                "words": " ".join([f"{_capital(ended.meaning)}.", *self._sentences(weights)]),
                "facts": self._facts(),
                "multipliers": self.multipliers,
                "witness": None if self.witness is None else scaled(self.witness).tolist(),
            },
        }

    @property
    def bound_of_data(self) -> int | None:
        """The bound on the updates of any run over the points; None if there is none."""
        if self.choices.outside:
            return None
        found = self.certificate.update_bound(self.choices.eta)
        return None if found is None else found[1]

    def _sandwich(self, weights: Vector) -> tuple[dict[str, Any] | None, str]:
        """kγ ≤ ⟨w,u⟩ ≤ ‖w‖ ≤ R√k after each update k; without u, only the right half; a caption."""
        if self.choices.outside:
            return None, f"this proof {self.choices.outside}"
        ledger, eta, sent = self.run.ledger, self.choices.eta, len(weights)
        root = "√(k(R² + 2η))" if eta > 0 else "R√k"
        s, why = known.running_sandwich(ledger, self.witness, margin=eta)
        drawn: dict[str, list[float] | None] = {"lower": None, "progress": None}
        if s is not None:
            curves = {"lower": s.lower, "progress": s.progress, "norm": s.norm, "upper": s.upper}
            drawn = {name: curve[:sent].tolist() for name, curve in curves.items()}
            caption = f"kγ ≤ w·u ≤ ‖w‖ ≤ {root}"
        else:
            growth = ledger.radius**2 + 2 * eta
            drawn["norm"] = lengths(weights).tolist()
            drawn["upper"] = [math.sqrt(growth * k) for k in range(1, sent + 1)]
            why = why if self.witness else f"{self.why_no_witness}, so there is no u"
            caption = f"only ‖w‖ ≤ {root}: {why}"
        return {**drawn, "holds": s is None or s.holds, "root": root}, caption

    def _sentences(self, weights: Vector) -> Iterator[str]:
        """What the page adds to the words for the verdict."""
        run, verdict = self.run, self.certificate.verdict
        if run.cycle is not None:
            yield (
                f"The weights after pass {count(run.cycle.until)} equal those after pass "
                f"{count(run.cycle.since)}, so the updates in between sum to 0. The number at each "
                f"point says how often it counts in that sum. So no {self.by} separates the points."
            )
            return
        made = plural(len(run.ledger), self.choices.noun)
        yield f"The run made {made} in {plural(run.epochs, 'pass', 'passes')}."
        if run.verdict == Verdict.SEPARATED:
            if _separates(self.margin):
                yield "Exact arithmetic confirms the result."
            else:
                yield (
                    "But this is due to rounding: in exact arithmetic, a point lies on the "
                    f"{self.by} or on its wrong side."
                )
            if self.choices.learner == "averaged" and self.average_margin is not None:
                does = "separates" if _separates(self.average_margin) else "does not separate"
                yield "That is about the last weights."
                yield f"Their average, the thick line, {does} the points."
            return
        if (again := self._repeated(weights)) is not None:
            yield (
                f"The weights after pass {count(again[1])} equal those after pass "
                f"{count(again[0])}, so more passes would only repeat these updates."
            )
        about = words.separation(verdict, of="points", by=self.by)
        yield f"{_capital(about.meaning)}."
        if self.multipliers is not None:
            yield (
                "The points with numbers prove it: each times its label and its number, they sum "
                "to 0."
            )
        if verdict == Separation.UNDECIDED:
            yield f"{_capital(self.certificate.why_undecided)}."

    def _repeated(self, weights: Vector) -> tuple[int, int] | None:
        """Two passes after which Winnow's weights are the same; the perceptron's are a cycle."""
        ledger, seen = self.run.ledger, dict[tuple[float, ...], int]()
        if self.choices.learner != "winnow" or len(weights) < len(ledger):
            return None
        made = np.searchsorted(ledger.rounds, ledger.epoch_ends, side="right")
        for number, k in enumerate(made.tolist(), 1):
            if (first := seen.setdefault(tuple(weights[k - 1].tolist()), number)) < number:
                return first, number
        return None

    def _facts(self) -> list[tuple[str, str]]:
        """What is proved, each with its name."""
        facts, eta, block = list[tuple[str, str]](), self.choices.eta, self.points.block
        bound, _ = known.applicable_bound(
            self.run.ledger, witness=self.witness, data=block, margin=eta
        )
        if self.margin is not None and self.run.verdict == Verdict.SEPARATED:
            seen = self._distance(self.margin, self.final)
            facts.append(("margin of w", f"{_exactly(self.margin)}{seen}"))
        if self.choices.learner == "averaged" and self.average_margin is not None:
            facts.append(("margin of the average", _exactly(self.average_margin)))
        if self.witness is not None:
            reached = guarantees.achieved_margin(self.witness, block)
            seen = self._distance(reached, self.witness)
            facts.append(("best margin γ", f"{self.certificate.margin}{seen}"))
        if (most := self.bound_of_data) is not None:
            said, R = plural(most, self.choices.noun), root(self.certificate.radius_squared)
            why = f"{'(R² + 2η)/γ²' if eta else '(R/γ)²'}, R = {short(R, 6)}"
            facts.append(("bound", f"at most {said}, {words.BOUND_OF_DATA}: {why}"))
        if bound is not None:
            name = "tighter, for this run" if self.witness else "bound by losses, for this run"
            facts.append((name, str(bound)))
        if self.multipliers is not None:
            each = zip(self.multipliers["rows"], self.multipliers["shown"], strict=True)
            facts.append(("multipliers", listed([f"point {i} ×{times}" for i, times in each], 12)))
        if self.witness is not None and self.choices.bias:
            facts.append(("", "With the bias on, R and γ are those of the points (x, 1)."))
        return facts

    def _distance(self, reached: Achieved, weights: Sequence[float] | Vector) -> str:
        """How far the nearest point is from the line in the picture, if that is not the margin."""
        square = sum(Fraction(w) ** 2 for w in weights[: self.points.block.rows.dim])
        if not self.choices.bias or reached.smallest <= 0 or not square:
            return ""
        seen = short(root(reached.smallest**2 / square), 6)
        return f"; in the picture the nearest point is {seen} from its {self.line}"

    @cached_property
    def multipliers(self) -> dict[str, Any] | None:
        """Rows and numbers λ > 0 with Σ λ y x = 0 (Gordan 1873): the run's own if it has them.

        `shown` is for people: the numbers in their smallest whole proportions or, if these are
        long, each one's share of the sum.
        """
        if self.run.cycle is not None:
            rows, values = self.run.cycle.rows.tolist(), self.run.cycle.multipliers
        elif self.certificate.multipliers:
            rows = sorted(self.certificate.multipliers)
            values = tuple(Fraction(self.certificate.multipliers[i]) for i in rows)
        else:
            return None
        whole, total = ExactVector.of(values, "multipliers").integers.tolist(), sum(values)
        shares = [float(value / total) for value in values]
        is_short = max(whole) < 10**5
        return {
            "source": "certificate" if self.run.cycle is None else "run",
            "rows": rows,
            "shares": shares,
            "shown": [str(n) for n in whole] if is_short else [f"{100 * x:.2g}%" for x in shares],
        }


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _margin(weights: Vector | None, points: Data) -> Achieved | None:
    """The exact margin of the weights on the points; None if they are 0 or not finite."""
    if weights is None or not (np.isfinite(weights).all() and weights.any()):
        return None
    return guarantees.achieved_margin(weights, points.block)


def _separates(reached: Achieved | None) -> bool:
    return reached is not None and reached.smallest > 0


def _exactly(reached: Achieved) -> str:
    top, below = _fraction(reached.smallest), _fraction(reached.weights_squared)
    return f"{short(reached.value, 6)}, at point {reached.row}: exactly ({top}) / √({below})"


def _fraction(number: Fraction) -> str:
    """The fraction itself if it is short; otherwise a decimal approximation."""
    return str(number) if len(str(number)) <= 24 else f"≈ {short(number, 6)}"
