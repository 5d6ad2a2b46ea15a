"""A run of the real learner and its proof, as JSON for the page, which only plays it back."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias, TypeGuard

import numpy as np

from novikoff import _core, guarantees
from novikoff.guarantees import known, words
from novikoff.guarantees.certificate import Certificate
from novikoff.guarantees.exact.arithmetic import ExactVector, root
from novikoff.guarantees.margin import Achieved
from novikoff.guarantees.novikoff_bound import mistake_bound
from novikoff.guarantees.verdict import Separation, Verdict
from novikoff.learners import Dual, Multiplicative
from novikoff.ledger.ledger import Ledger
from novikoff.ledger.readings import mean_of_weights, trajectory, vote
from novikoff.runs.loop import Run, play
from novikoff.separability import certify
from novikoff.show.projection import principal_direction, scaled
from novikoff.show.web.request import Choices, Refused, points_of, window_of
from novikoff.sources import Data
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample
from novikoff.stream.order import arranged
from novikoff.stream.printing import count, listed, plural, short
from novikoff.stream.rows import DenseRows, Vector
from novikoff.stream.sums import length

MAX_SENT = 5_000  # updates that the page can step through
MAX_DRAWN = 400  # the same in a kernel's space, where each has a grid of signs
GRID = 80  # places on a side of it
MAX_SECONDS = 4.0  # for the search for a certificate
Weights: TypeAlias = Sequence[float] | Vector
MAX_WEIGHT = 1e100  # the squares of larger weights overflow when the page computes a line


def replay(given: Mapping[str, Any]) -> dict[str, Any]:
    """Make the requested run, and return everything that the page shows of it.

    `ledger` has a column for each fact about the updates that are sent: the round and the pass
    (from 1), the row (from 0), its label, its score before the update and, without a kernel, the
    weights after it (the bias last) and, except for Winnow, their average so far.
    `every`, if asked for, has the row and the score of each round, whether it was an update or not,
    and `right` says which of the last weights, their average and their vote are right about all
    points; a vote over thousands of points takes many seconds. `regions` has, of a kernel, the
    signs of the scores in the picture.
    """
    points, choices = points_of(given), Choices.of(given)
    block = points.block
    if choices.order == "shuffled":  # the ledger still numbers rows as they were placed
        block = arranged(block, choices.seed)
    learner = choices.new_learner(block)
    run = play(block, learner, epochs=choices.passes_over(block))
    ledger, average = run.ledger, learner.average if learner.averaging else None
    weights = averages = right = regions = None
    it, sent = _Finished(points, choices, run, learner.weights, average), len(ledger)
    if isinstance(learner, Dual):
        it, sent = _InSpace(points, choices, run, *_sums(ledger, len(block))), min(sent, MAX_DRAWN)
        regions = _regions(it, window_of(given, points), sent)
    else:
        sent = min(sent, MAX_SENT)
        moments = [*trajectory(ledger, range(1, sent + 1))]
        weights = [moment.weights.tolist() for moment in moments]
        if isinstance(learner, Multiplicative):
            weights = _winnow_weights(np.array(weights), learner.alpha).tolist()
        else:
            pairs = zip(moments, ledger.rounds.tolist(), strict=False)
            averages = [moment.average(t).tolist() for moment, t in pairs]
            if choices.every:
                last, mean, _ = map(_separates, it.margins)
                votes = bool((vote(ledger, block.rows) * block.labels > 0).all())
                right = {"last": last, "average": mean, "vote": votes}
    return {
        "noun": choices.noun,
        "margin": choices.eta,
        "rounds": ledger.n_rounds,
        "passes": run.epochs,
        "mistakes": len(ledger),
        "mistaken": len(np.unique(ledger.rows)),
        "sent": sent,
        "ledger": {
            "round": ledger.rounds[:sent].tolist(),
            "pass": (np.searchsorted(ledger.epoch_ends, ledger.rounds[:sent]) + 1).tolist(),
            "row": ledger.rows[:sent].tolist(),
            "label": ledger.labels[:sent].tolist(),
            "score": ledger.scores[:sent].tolist(),
            "weights": weights,
            "average": averages,
        },
        "final": None if regions else it.final.tolist(),
        "average": None if average is None else average.tolist(),
        "every": _every_round(block, choices, ledger.n_rounds) if choices.every else None,
        "right": right,
        "radius_squared": str(it.radius_squared),
        "view": None if regions else _view(points, it.final),
        "regions": regions,
        **it.proof(sent, weights),
    }


def _every_round(block: Block, choices: Choices, rounds: int) -> dict[str, list[Any]]:
    """The run once more, a round at a time: the row of each, and its score before the round."""
    learner = choices.new_learner(block)
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


def certificate_of(points: Data, choices: Choices) -> Certificate:
    """Whether the points are separable, with a proof that `novikoff verify` can check."""
    return certify(
        points,
        kernel=choices.space,
        fit_intercept=choices.bias,
        margin_rtol=1e-6 if choices.space is None else None,
        max_seconds=MAX_SECONDS,
    )


@dataclass(frozen=True)
class _Finished:
    """A finished run over the points, and what is known of them; it ended with these weights."""

    points: Data
    choices: Choices
    run: Run
    final: Vector
    average: Vector | None

    @cached_property
    def certificate(self) -> Certificate:
        return certificate_of(self.points, self.choices)

    @cached_property
    def proved(self) -> tuple[Separation, str, Mapping[int, int]]:
        """Whether the points are separable; why that is undecided, if it is; and multipliers."""
        it = self.certificate
        return it.verdict, it.why_undecided, it.multipliers

    @cached_property
    def witness(self) -> Weights | None:
        """Weights of nearly the largest margin, if the points are separable."""
        return self.certificate.weights if self.proved[0] == Separation.COMPLETE else None

    def reached(self, weights: Weights | None) -> Achieved | None:
        """The exact margin of the weights on the points; None if they are 0 or not finite."""
        if weights is None or not any(weights):
            return None
        if any(isinstance(w, float) and not math.isfinite(w) for w in weights):
            return None
        return guarantees.achieved_margin(weights, self.points.block)

    @cached_property
    def margins(self) -> tuple[Achieved | None, Achieved | None, Achieved | None]:
        """The margins of the last weights, of their average and of the witness."""
        return self.reached(self.final), self.reached(self.average), self.reached(self.witness)

    @property
    def radius_squared(self) -> Fraction:
        """R² of all points."""
        return self.certificate.radius_squared

    confirmed = "Exact arithmetic confirms the result."
    shown = "the thick line"
    where = ""

    @property
    def by(self) -> str:
        """What would separate the points."""
        return self.line if self.choices.bias else f"{self.line} through the origin"

    @property
    def line(self) -> str:
        return "hyperplane" if self.points.block.rows.dim > 2 else "line"

    @property
    def why_no_witness(self) -> str:
        is_undecided = self.proved[0] == Separation.UNDECIDED
        separates = "is known to separate" if is_undecided else "separates"
        return f"no {self.by} {separates} the points"

    def proof(self, sent: int, weights: Sequence[Sequence[float]] | None) -> dict[str, Any]:
        """The bound, the inequalities of its proof, and the verdict."""
        sandwich, caption = self._sandwich(sent)
        most, run, eta, why = self.bound_of_data, self.run, self.choices.eta, ""
        u, in_space = self.witness, self.choices.space is not None
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
                "certified": str(self.proved[0]),
                "title": _capital(ended.headline),
                "words": " ".join([f"{_capital(ended.meaning)}.", *self._sentences(weights)]),
                "facts": self._facts(),
                "multipliers": self.multipliers,
                "witness": None if in_space or u is None else scaled([*u]).tolist(),
            },
        }

    @property
    def bound_of_data(self) -> int | None:
        """The bound on the updates of any run over the points; None if there is none."""
        best = self.margins[-1]
        if self.choices.outside or not _separates(best):
            return None
        above = self.radius_squared + 2 * Fraction(self.choices.eta)
        return mistake_bound(above, best.weights_squared, best.smallest)

    def _sandwich(self, sent: int) -> tuple[dict[str, Any] | None, str]:
        """kγ ≤ ⟨w,u⟩ ≤ ‖w‖ ≤ R√k after each update k; without u, only the right half; a caption."""
        if self.choices.outside:
            return None, f"this proof {self.choices.outside}"
        ledger, eta = self.run.ledger, self.choices.eta
        root, growth = "√(k(R² + 2η))" if eta > 0 else "R√k", ledger.radius**2 + 2 * eta
        steps, scores, squares = (c[:sent] for c in (ledger.steps, ledger.scores, ledger.squares))
        grown = np.cumsum(steps * (2 * scores + steps * squares)).clip(0)  # ‖w + sx‖² − ‖w‖²
        drawn: dict[str, Any] = {"lower": None, "progress": None, "holds": True, "root": root}
        drawn["norm"] = np.sqrt(grown).tolist()
        drawn["upper"] = np.sqrt(growth * np.arange(1, sent + 1)).tolist()
        left, why = self._left_half(sent)
        caption = f"kγ ≤ w·u ≤ ‖w‖ ≤ {root}" if left else f"only ‖w‖ ≤ {root}: {why}"
        return drawn | left, caption

    def _left_half(self, sent: int) -> tuple[dict[str, Any], str]:
        """kγ and ⟨w,u⟩, with ‖w‖ and R√k in exact arithmetic; or why there are none."""
        s, why = known.running_sandwich(self.run.ledger, self.witness, margin=self.choices.eta)
        if s is None:
            return {}, why if self.witness else f"{self.why_no_witness}, so there is no u"
        curves = {"lower": s.lower, "progress": s.progress, "norm": s.norm, "upper": s.upper}
        return {"holds": s.holds, **{k: v[:sent].tolist() for k, v in curves.items()}}, ""

    def _sentences(self, weights: Sequence[Sequence[float]] | None) -> Iterator[str]:
        """What the page adds to the words for the verdict."""
        run, (verdict, why, _), (last, average, _) = self.run, self.proved, self.margins
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
            if _separates(last):
                yield self.confirmed
            else:
                yield (
                    "But this is due to rounding: in exact arithmetic, a point lies on the "
                    f"{self.by} or on its wrong side."
                )
            if self.choices.learner == "averaged" and average is not None:
                does = "separates" if _separates(average) else "does not separate"
                yield "That is about the last weights."
                yield f"Their average, {self.shown}, {does} the points."
            return
        if weights is not None and (again := self._repeated(weights)) is not None:
            yield (
                f"The weights after pass {count(again[1])} equal those after pass "
                f"{count(again[0])}, so more passes would only repeat these updates."
            )
        about = words.separation(verdict, of="points", by=self.by)
        yield f"{_capital(about.meaning)}."
        if self.multipliers is not None:
            yield (
                "The points with numbers prove it: each times its label and its number, they sum "
                f"to 0{self.where}."
            )
        if why:
            yield f"{_capital(why)}."

    def _repeated(self, weights: Sequence[Sequence[float]]) -> tuple[int, int] | None:
        """Two passes after which Winnow's weights are the same; the perceptron's are a cycle."""
        ledger, seen = self.run.ledger, dict[tuple[float, ...], int]()
        if self.choices.learner != "winnow" or len(weights) < len(ledger):
            return None
        made = np.searchsorted(ledger.rounds, ledger.epoch_ends, side="right")
        for number, k in enumerate(made.tolist(), 1):
            if (first := seen.setdefault(tuple(weights[k - 1]), number)) < number:
                return first, number
        return None

    def _facts(self) -> list[tuple[str, str]]:
        """What is proved, each with its name."""
        facts, eta, block = list[tuple[str, str]](), self.choices.eta, self.points.block
        bound, _ = known.applicable_bound(
            self.run.ledger, witness=self.witness, data=block, margin=eta
        )
        last, average, best = self.margins
        if last is not None and self.run.verdict == Verdict.SEPARATED:
            facts.append(("margin of w", self._said(last, self.final)))
        if self.choices.learner == "averaged" and average is not None:
            facts.append(("margin of the average", self._said(average, None)))
        if best is not None and self.choices.space is None:
            seen = self._distance(best, self.witness)
            facts.append(("best margin γ", f"{self.certificate.margin}{seen}"))
        if (most := self.bound_of_data) is not None:
            said, R = plural(most, self.choices.noun), root(self.radius_squared)
            why = f"{'(R² + 2η)/γ²' if eta else '(R/γ)²'}, R = {short(R, 6)}"
            facts.append(("bound", f"at most {said}, {words.BOUND_OF_DATA}: {why}"))
        if bound is not None:
            name = "tighter, for this run" if self.witness else "bound by losses, for this run"
            rest = words.uninformative(bound.bound, self.run.ledger.n_rounds)
            facts.append((name, f"{bound}{rest}"))
        if self.multipliers is not None:
            each = zip(self.multipliers["rows"], self.multipliers["shown"], strict=True)
            facts.append(("multipliers", listed([f"point {i} ×{times}" for i, times in each], 12)))
        if best is not None and self.choices.space is not None:
            facts.append(
                ("", "Margins, R and γ are those of the kernel's space: R² = max K(x, x).")
            )
        elif best is not None and self.choices.bias:
            facts.append(("", "With the bias on, R and γ are those of the points (x, 1)."))
        return facts

    def _said(self, reached: Achieved, weights: Weights | None) -> str:
        """A margin exactly and, of these weights, the distance in the picture if it is another."""
        top, below = _fraction(reached.smallest), _fraction(reached.weights_squared)
        seen = self._distance(reached, weights)
        value = short(reached.value, 6)
        return f"{value}, at point {reached.row}: exactly ({top}) / √({below}){seen}"

    def _distance(self, reached: Achieved, weights: Weights | None) -> str:
        """How far the nearest point is from the line in the picture, if that is not the margin."""
        w = () if weights is None else weights[: self.points.block.rows.dim]
        square = sum(Fraction(x) ** 2 for x in w)
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
        elif found := self.proved[2]:
            rows, values = sorted(found), tuple(Fraction(found[i]) for i in sorted(found))
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


class _InSpace(_Finished):
    """The same in a kernel's space, where weights are a sum of points: a number for each point."""

    confirmed = "In the kernel's space the boundary is a hyperplane."
    shown = "whose sides the tints show"
    where = " in the kernel's space"
    by = line = "hyperplane of the kernel's space"

    @cached_property
    def gram(self) -> Vector:
        assert self.choices.space is not None
        rows = self.points.block.rows
        gram = self.choices.space.gram(rows, rows, np.arange(len(rows)))
        if not gram.diagonal().max() < MAX_WEIGHT:
            raise Refused("the kernel of these points is too large: scale the columns to about 1")
        return gram

    @property
    def radius_squared(self) -> Fraction:
        return Fraction(float(self.gram.diagonal().max()))

    @cached_property
    def proved(self) -> tuple[Separation, str, Mapping[int, int]]:
        if self.run.verdict == Verdict.SEPARATED:
            return Separation.COMPLETE, "", {}
        try:
            return super().proved
        except BadExample as error:  # the kernels of some points are not exact
            return Separation.UNDECIDED, str(error), {}

    @cached_property
    def witness(self) -> Weights | None:
        if self.run.verdict == Verdict.SEPARATED:
            return self.final
        found = super().witness  # of integers that may be too long for floats
        return None if found is None else scaled([*found])

    def reached(self, weights: Weights | None) -> Achieved | None:
        if weights is None:
            return None
        w = np.asarray(weights, dtype=np.float64)
        scores = self.gram @ w
        signed, square = self.points.block.labels * scores, float(w @ scores)
        row = int(signed.argmin())
        return Achieved(row, Fraction(signed[row]), Fraction(square)) if square > 0 else None

    def _left_half(self, sent: int) -> tuple[dict[str, Any], str]:
        best, u, ledger = self.margins[-1], self.witness, self.run.ledger
        if not _separates(best) or u is None:
            return {}, f"{self.why_no_witness}, so there is no u"
        scores = self.gram @ np.asarray(u, dtype=np.float64) / root(best.weights_squared)
        progress = np.cumsum((ledger.steps * scores[ledger.rows])[:sent])
        lower = best.value * np.arange(1, sent + 1)
        return {"lower": lower.tolist(), "progress": progress.tolist()}, ""

    def _said(self, reached: Achieved, _: Weights | None) -> str:
        return f"{short(reached.value, 6)}, at point {reached.row}"


def _sums(ledger: Ledger, n: int) -> tuple[Vector, Vector]:
    """The weights at the end of a run in a kernel's space, one for each row; and their average."""
    steps, late = ledger.steps, ledger.steps * (ledger.rounds - 1)
    both = (steps, mean_of_weights(steps, late, ledger.n_rounds))
    last, mean = (np.bincount(ledger.rows, one, n).astype(np.float64) for one in both)
    return last, mean


@np.errstate(all="ignore")  # the corners may be far away
def _regions(it: _InSpace, window: Vector, sent: int) -> dict[str, Any]:
    """The signs of the scores on a grid, in hexadecimal: after each update sent, and at the end."""
    ledger, averaged, kernel = it.run.ledger, it.choices.learner == "averaged", it.choices.space
    predicts = it.average if averaged and it.average is not None else it.final
    assert kernel is not None
    low, high = window.tolist()
    across, up = np.meshgrid(*(np.linspace(a, b, GRID) for a, b in zip(low, high, strict=True)))
    places = DenseRows(np.column_stack([across.ravel(), up.ravel()]))
    gram = kernel.gram(places, it.points.block.rows, np.arange(len(it.points.block)))
    each, rounds = ledger.steps[:sent, None] * gram[ledger.rows[:sent]], ledger.rounds[:sent, None]
    scores = np.cumsum(each, axis=0)
    if averaged:
        late = np.cumsum((rounds - 1) * each, axis=0)
        scores = mean_of_weights(scores, late, rounds.astype(np.float64))
    noise = 1e-13 * (np.abs(ledger.steps) @ np.abs(gram).max(axis=1)[ledger.rows])  # by rounding
    signs = {
        k: np.packbits(one >= 0).tobytes().hex() if np.abs(one).max() > noise else ""
        for k, one in enumerate((*scores, predicts @ gram), 1)
    }
    return {"low": low, "high": high, "side": GRID, "signs": signs}


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _separates(reached: Achieved | None) -> TypeGuard[Achieved]:
    return reached is not None and reached.smallest > 0


def _fraction(number: Fraction) -> str:
    """The fraction itself if it is short; otherwise a decimal approximation."""
    return str(number) if len(str(number)) <= 24 else f"≈ {short(number, 6)}"
