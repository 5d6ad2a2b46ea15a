"""A run of the real learner and its proof, as JSON for the page, which only plays it back."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff import _core, guarantees
from novikoff.guarantees.certificate import Certificate
from novikoff.guarantees.margin import Achieved
from novikoff.guarantees.novikoff_bound import Bound
from novikoff.guarantees.verdict import Separation, Verdict
from novikoff.learners import Additive, BalancedWinnow
from novikoff.ledger.ledger import Ledger
from novikoff.runs.loop import Run, play
from novikoff.separability import certify
from novikoff.show.web.request import Choices, Points, Refused
from novikoff.stream.format import count, short, some
from novikoff.stream.rows import Vector

MAX_SENT = 5_000  # updates that the page can step through
MAX_SECONDS = 4.0  # for the search for a certificate
MAX_WEIGHT = 1e100  # the squares of larger weights overflow when the page computes a line

Matrix = NDArray[np.float64]


def replay(given: Mapping[str, Any]) -> dict[str, Any]:
    """Make the requested run, and return everything that the page shows of it.

    `ledger` has a column for each fact about an update, with entries for the first MAX_SENT
    updates: the round and the pass (from 1), the row (from 0), its label, its score before the
    update, the weights after it (the bias last) and, except for Winnow, their average so far.
    """
    points, choices = Points.of(given), Choices.of(given)
    block = choices.arranged(points.block)
    learner = choices.new_learner(block.rows.dim)
    run = play(block, learner, epochs=choices.passes_over(block))
    ledger, sent = run.ledger, min(len(run.ledger), MAX_SENT)
    extended = _extended(points.values, bias=choices.bias)[ledger.rows[:sent]]
    weights = _weights(ledger, learner, extended)
    return {
        "noun": choices.noun,
        "margin": choices.eta,
        "rounds": ledger.n_rounds,
        "passes": run.epochs,
        "mistakes": len(ledger),
        "sent": sent,
        "ledger": {
            "round": ledger.rounds[:sent].tolist(),
            "pass": _passes(ledger)[:sent].tolist(),
            "row": ledger.rows[:sent].tolist(),
            "label": ledger.labels[:sent].tolist(),
            "score": ledger.scores[:sent].tolist(),
            "weights": weights.tolist(),
            "average": _averages(ledger, extended, weights),
        },
        "final": learner.weights.tolist(),
        "average": learner.average.tolist() if isinstance(learner, Additive) else None,
        "view": _view(points, learner.weights),
        **_proof(points, choices, run, learner, weights),
    }


def _extended(X: Matrix, *, bias: bool) -> Matrix:
    return np.hstack([X, np.ones((len(X), 1))]) if bias else X


def _passes(ledger: Ledger) -> NDArray[np.int64]:
    return np.searchsorted(np.array(ledger.epoch_ends), ledger.rounds, side="left") + 1


def _weights(ledger: Ledger, learner: Additive | BalancedWinnow, extended: Matrix) -> Matrix:
    """The weights after each update, bit for bit the learner's: added up in the same order."""
    sums: Matrix = np.cumsum(ledger.steps[: len(extended), None] * extended, axis=0)
    if isinstance(learner, Additive):
        return ledger.unit * sums
    out, powers = np.empty(sums.size), np.ascontiguousarray(sums.ravel())
    _core.weights_of(alpha=learner.alpha, balanced=True, powers=powers, out=out)
    if not (np.abs(out) < MAX_WEIGHT).all():
        raise Refused(
            "balanced Winnow multiplies its weights, and for points with such large coordinates "
            "they become too large to draw: scale the columns to about 1, or choose another "
            "algorithm"
        )
    return out.reshape(sums.shape)


def _averages(ledger: Ledger, extended: Matrix, weights: Matrix) -> list[list[float]] | None:
    """The mean of the weights over the rounds up to each update, that round included."""
    if ledger.rule != "additive":
        return None
    t: Vector = ledger.rounds[: len(extended), None].astype(np.float64)
    late = ledger.unit * np.cumsum(ledger.steps[: len(extended), None] * (t - 1) * extended, axis=0)
    averages: list[list[float]] = ((t * weights - late) / t).tolist()
    return averages


def _view(points: Points, weights: Vector) -> dict[str, Any] | None:
    """The plane on which points of more than two columns are drawn; None for one or two columns.

    It is spanned by w and the direction orthogonal to w in which the points spread most. A point x
    is drawn at (⟨x,across⟩, ⟨x,up⟩), so the final boundary is a vertical line, and each point is
    drawn at its true distance from it.
    """
    X, dim = points.values, points.values.shape[1]
    if dim <= 2:
        return None
    w = weights[:dim]
    across = np.eye(dim)[0]
    if w.any():
        across = w / np.abs(w).max()  # first, because the squares of very large weights overflow
        across = across / np.linalg.norm(across)
    spread = X - X.mean(axis=0)
    spread = spread - np.outer(spread @ across, across)
    covariance = spread.T @ spread
    # w gets the smallest eigenvalue, so that it is never chosen, even if nothing else has spread
    covariance -= (1 + np.trace(covariance)) * np.outer(across, across)
    up = np.linalg.eigh(covariance)[1][:, -1]
    return {
        "across": across.tolist(),
        "up": up.tolist(),
        "words": (
            f"The run uses all {dim} columns. The picture is a projection: across, the direction "
            "of the final weights; up, the direction orthogonal to it in which the points spread "
            "most."
        ),
    }


def certificate_of(points: Points, bias: bool) -> Certificate:
    """Whether the points are separable, with a proof that `novikoff verify` can check."""
    found = certify(points.block, fit_intercept=bias, margin_rtol=1e-6, max_seconds=MAX_SECONDS)
    return found.named(points.names, points.label, points.classes)


def _proof(
    points: Points,
    choices: Choices,
    run: Run,
    learner: Additive | BalancedWinnow,
    weights: Matrix,
) -> dict[str, Any]:
    """The bound, the inequalities of its proof, and the verdict."""
    certificate = certificate_of(points, choices.bias)
    by = "hyperplane" if points.values.shape[1] > 2 else "line"
    by += "" if choices.bias else " through the origin"
    bound, why_no_bound = _bound(choices, run, certificate, by)
    sandwich, words = _sandwich(choices, run, certificate, weights, by)
    reached = _margin(learner.weights, points)
    average = _margin(learner.average, points) if isinstance(learner, Additive) else None
    multipliers = _multipliers(run, certificate)
    is_complete = certificate.verdict == Separation.COMPLETE
    return {
        "bound": None if bound is None else bound.bound,
        "why_no_bound": why_no_bound,
        "sandwich": sandwich,
        "sandwich_words": words,
        "verdict": {
            "kind": str(run.verdict),
            "certified": str(certificate.verdict),
            "title": _title(run, by),
            "words": " ".join(_sentences(choices, run, certificate, reached, average, by)),
            "facts": _facts(choices, run, certificate, bound, reached, average, multipliers),
            "multipliers": multipliers,
            "witness": _direction(certificate.weights) if is_complete else None,
        },
    }


def _bound(
    choices: Choices, run: Run, certificate: Certificate, by: str
) -> tuple[Bound | None, str]:
    """The bound on the updates, proved by the certificate's weights; or None, and why.

    These weights have nearly the largest margin, so the bound is nearly the smallest there is.
    """
    if choices.learner == "winnow":
        return None, "the bound is for the perceptron, not for Winnow"
    if certificate.verdict == Separation.UNDECIDED:
        return None, f"it is not known whether a {by} separates the points, so no bound is known"
    if certificate.verdict != Separation.COMPLETE:
        return None, f"no {by} separates the points, so the bound does not apply"
    if choices.eta > 0:
        return guarantees.margin_perceptron(run.ledger, certificate.weights, choices.eta), ""
    return guarantees.novikoff(run.ledger, certificate.weights), ""


def _sandwich(
    choices: Choices, run: Run, certificate: Certificate, weights: Matrix, by: str
) -> tuple[dict[str, Any] | None, str]:
    """kγ ≤ ⟨w,u⟩ ≤ ‖w‖ ≤ R√k after each update k, and the formula (Novikoff 1962, Theorem 1).

    Without a separating u there is only the right half.
    """
    if choices.learner == "winnow":
        return None, "this proof is for the perceptron, not for Winnow"
    root = "√(k(R² + 2η))" if choices.eta > 0 else "R√k"
    ledger, sent = run.ledger, len(weights)
    if certificate.verdict == Separation.COMPLETE and 0 < len(ledger) <= MAX_SENT:
        s = guarantees.sandwich(ledger, certificate.weights, margin=choices.eta)
        curves = {"lower": s.lower, "progress": s.progress, "norm": s.norm, "upper": s.upper}
        drawn = {name: curve[:sent].tolist() for name, curve in curves.items()}
        return {**drawn, "holds": s.holds, "root": root}, f"kγ ≤ w·u ≤ ‖w‖ ≤ {root}"
    growth = ledger.radius**2 + 2 * choices.eta
    drawn = {
        "norm": [math.hypot(*w) for w in weights.tolist()],
        "upper": [math.sqrt(growth * k) for k in range(1, sent + 1)],
    }
    why = {
        Separation.COMPLETE: "too many updates to check kγ ≤ w·u exactly",
        Separation.UNDECIDED: f"no {by} is known to separate the points, so there is no u",
    }.get(certificate.verdict, f"no {by} separates the points, so there is no u")
    half = {"lower": None, "progress": None, "holds": True, "root": root}
    return {**half, **drawn}, f"‖w‖ ≤ {root} only: {why}"


def _margin(weights: Vector, points: Points) -> Achieved | None:
    """The exact margin of the weights on the points; None if they are 0 or not finite."""
    if not (np.isfinite(weights).all() and weights.any()):
        return None
    return guarantees.achieved_margin(weights, points.block)


def _title(run: Run, by: str) -> str:
    return {
        Verdict.SEPARATED: "Separated",
        Verdict.CYCLE: f"A cycle: no {by} separates these points",
    }.get(run.verdict, "Out of passes")


def _sentences(
    choices: Choices,
    run: Run,
    certificate: Certificate,
    reached: Achieved | None,
    average: Achieved | None,
    by: str,
) -> list[str]:
    """What happened, and why it is certain."""
    made = some(len(run.ledger), choices.noun)
    if run.verdict == Verdict.CYCLE and run.cycle is not None:
        return [
            f"The weights after pass {count(run.cycle.until)} equal those after pass "
            f"{count(run.cycle.since)}, so the run would repeat for ever.",
            "The updates in between sum to 0 in exact arithmetic; the numbers at the points say "
            f"how often each one counts. This proves that no {by} separates the points.",
        ]
    if run.verdict == Verdict.SEPARATED:
        told = [f"Pass {count(run.epochs)} made no {choices.noun}, after {made} before it."]
        if reached is not None and reached.smallest > 0:
            told.append(f"So the {by} has every point on its right side, in exact arithmetic too.")
        else:
            told.append(
                f"But this is due to rounding: in exact arithmetic a point is on the {by}, or on "
                "its wrong side."
            )
        if choices.learner == "averaged" and average is not None:
            does = "separates" if average.smallest > 0 else "does not separate"
            told.append(f"The average of the weights {does} them.")
        return told
    told = [f"The run was stopped after pass {count(run.epochs)}, with {made}."]
    match certificate.verdict:
        case Separation.COMPLETE:
            told.append(f"More passes would separate the points: some {by} does.")
        case Separation.QUASI_COMPLETE:
            told.append(
                f"No {by} has every point strictly on its right side, though one has no point on "
                "its wrong side. The points with numbers stay on it: times their labels and "
                "numbers, they sum to 0."
            )
        case Separation.OVERLAP:
            told.append(
                f"No {by} separates the points: those with numbers, times their labels and "
                "numbers, sum to 0."
            )
        case _:
            told.append(f"No proof was found either way: {certificate.why_undecided}.")
    return told


def _facts(
    choices: Choices,
    run: Run,
    certificate: Certificate,
    bound: Bound | None,
    reached: Achieved | None,
    average: Achieved | None,
    multipliers: dict[str, Any] | None,
) -> list[tuple[str, str]]:
    """What is proved, each with its name."""
    facts = []
    if reached is not None and run.verdict == Verdict.SEPARATED:
        facts.append(("margin of w", _exactly(reached)))
    if average is not None and choices.learner == "averaged":
        facts.append(("margin of the average", _exactly(average)))
    if certificate.verdict == Separation.COMPLETE:
        low, high = short(certificate.margin.low, 6), short(certificate.margin.high, 6)
        is_known = low == high or not math.isfinite(certificate.margin.high)
        facts.append(("largest margin γ", low if is_known else f"between {low} and {high}"))
    if bound is not None:
        facts.append(("bound", str(bound)))
    if multipliers is not None:
        each = zip(multipliers["rows"], multipliers["shown"], strict=True)
        shown = [f"point {row} ×{times}" for row, times in each]
        more = f" and {len(shown) - 12} more" if len(shown) > 12 else ""
        facts.append(("multipliers", ", ".join(shown[:12]) + more))
    if facts and choices.bias and certificate.verdict == Separation.COMPLETE:
        facts.append(
            ("", "Margins count the constant input 1 of the bias as a coordinate, so they can be "
             "smaller than the distances in the picture.")
        )  # fmt: skip
    return facts


def _exactly(reached: Achieved) -> str:
    value, top, below = reached.value, reached.smallest, reached.weights_squared
    return f"{short(value, 6)}, at point {reached.row}: {_fraction(top)} / √({_fraction(below)})"


def _fraction(number: Fraction) -> str:
    """The fraction itself if it is short; otherwise a decimal approximation."""
    text = str(number)
    if len(text) <= 24:
        return text
    try:
        return f"≈ {float(number):.6g}"
    except OverflowError:
        return "more than a float holds"


def _multipliers(run: Run, certificate: Certificate) -> dict[str, Any] | None:
    """Rows and numbers λ > 0 with Σ λ y x = 0 (Gordan 1873): the run's own if it has them.

    `shown` is for people: the numbers in their smallest whole proportions or, if these are long,
    each one's share of the sum.
    """
    if run.cycle is not None:
        source, rows, values = "run", run.cycle.rows.tolist(), run.cycle.multipliers
    elif certificate.multipliers:
        source, rows = "certificate", sorted(certificate.multipliers)
        values = tuple(Fraction(certificate.multipliers[i]) for i in rows)
    else:
        return None
    whole, total = _smallest_whole(values), sum(values)
    shares = [float(value / total) for value in values]
    is_short = max(whole) < 10**5
    shown = [str(n) for n in whole] if is_short else [f"{100 * share:.2g}%" for share in shares]
    return {"source": source, "rows": rows, "values": [str(n) for n in whole], "shares": shares,
            "shown": shown}  # fmt: skip


def _smallest_whole(values: Sequence[Fraction]) -> list[int]:
    """Positive numbers in their smallest whole proportions."""
    below = math.lcm(*(n.denominator for n in values))
    whole = [int(n * below) for n in values]
    common = math.gcd(*whole)
    return [n // common for n in whole]


def _direction(weights: tuple[int, ...]) -> list[float]:
    """The weights divided by the largest, because integers may be too long for floats."""
    largest = max(abs(w) for w in weights)
    return [float(Fraction(w, largest)) for w in weights]
