"""Where points of more than two columns are drawn: on a plane that shows the final boundary.

A real run, written down mistake by mistake for the page, which only plays it back.

How a run ended and what proves it, in words and numbers for the page.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff import _core, guarantees
from novikoff.guarantees.certificate import Certificate
from novikoff.guarantees.novikoff_bound import Bound
from novikoff.guarantees.verdict import Verdict
from novikoff.learners import Additive, BalancedWinnow
from novikoff.ledger import readings
from novikoff.ledger.ledger import Ledger
from novikoff.runs.loop import Run, play
from novikoff.separability import certify
from novikoff.show.web.request import Choices, Placed, Refused
from novikoff.stream.rows import Vector


def view(placed: Placed, weights: Vector) -> dict[str, Any] | None:
    """The plane of w and the first principal direction orthogonal to it; None in two dimensions.

    A point x is drawn at (⟨x,across⟩, ⟨x,up⟩). The final hyperplane is a vertical line there, and
    each point is as far from it as in all dimensions; other hyperplanes are shown where they cut
    the plane. One column is drawn along a line, without a plane of its own.
    """
    X, dim = placed.values, placed.values.shape[1]
    if dim <= 2:
        return None
    w = weights[:dim]
    across = np.eye(dim)[0]
    if w.any():
        across = w / np.abs(w).max()  # first, for the squares of very large weights are infinite
        across = across / np.linalg.norm(across)
    spread = X - X.mean(axis=0)
    spread = spread - np.outer(spread @ across, across)
    covariance = spread.T @ spread
    # what is taken away makes w itself the last direction, though nothing else may have any spread
    covariance -= (1 + np.trace(covariance)) * np.outer(across, across)
    up = np.linalg.eigh(covariance)[1][:, -1]
    return {
        "across": across.tolist(),
        "up": up.tolist(),
        "words": (
            f"{dim} columns, all learned from; drawn on the final weights (across) and the first "
            "principal direction orthogonal to them (up)"
        ),
    }


MOST_SENT = 5_000
LARGEST = 1e100  # weights beyond which a line can no longer be computed from their squares

Matrix = NDArray[np.float64]


def replay(given: Mapping[str, Any]) -> dict[str, Any]:
    """Run the learner that the request asks for on its points, and tell all that happened.

    The columns of `ledger` have an entry for each of the first MOST_SENT mistakes: the round and
    the pass (from 1), the row (from 0), its label, its score before the update and the weights
    after it, the constant's last; and, for sums, the average of the weights over the rounds so far.
    """
    placed, choices = Placed.of(given), Choices.of(given)
    block = choices.arranged(placed.block)
    learner = choices.new_learner(block.rows.dim)
    run = play(block, learner, epochs=choices.passes_over(block))
    ledger, sent = run.ledger, min(len(run.ledger), MOST_SENT)
    certificate = certificate_of(placed, choices.bias)
    lifted = _lifted(placed.values, bias=choices.bias)[ledger.rows[:sent]]
    weights = _weights(ledger, learner, lifted)
    return {
        "points": len(block),
        "dim": placed.values.shape[1],
        "bias": choices.bias,
        "margin": choices.eta,
        "rounds": ledger.n_rounds,
        "passes": run.epochs,
        "mistakes": len(ledger),
        "radius": ledger.radius,
        "sent": sent,
        "ledger": {
            "round": ledger.rounds[:sent].tolist(),
            "pass": _passes(ledger)[:sent].tolist(),
            "row": ledger.rows[:sent].tolist(),
            "label": ledger.labels[:sent].tolist(),
            "score": ledger.scores[:sent].tolist(),
            "weights": weights.tolist(),
            "average": _averages(ledger, lifted, weights),
        },
        "final": learner.weights.tolist(),
        **_averaged(placed, learner),
        "view": view(placed, learner.weights),
        **proof(placed, choices, run, learner.weights, certificate),
    }


def _averaged(placed: Placed, learner: Additive | BalancedWinnow) -> dict[str, Any]:
    """The average of the weights over all rounds, and the margin it has on the points."""
    if not isinstance(learner, Additive):
        return {"average": None, "average_margin": None}
    average = learner.average
    margin = None
    if average.any():
        reached = guarantees.achieved_margin(average, placed.block)
        margin = {"value": reached.value, "row": reached.row}
    return {"average": average.tolist(), "average_margin": margin}


def _lifted(X: Matrix, *, bias: bool) -> Matrix:
    return np.hstack([X, np.ones((len(X), 1))]) if bias else X


def _passes(ledger: Ledger) -> NDArray[np.int64]:
    return np.searchsorted(np.array(ledger.epoch_ends), ledger.rounds, side="left") + 1


def _weights(ledger: Ledger, learner: Additive | BalancedWinnow, lifted: Matrix) -> Matrix:
    """The weights after each mistake, bit for bit the learner's: sums taken in the same order."""
    sums: Matrix = np.cumsum(ledger.steps[: len(lifted), None] * lifted, axis=0)
    if isinstance(learner, Additive):
        return ledger.unit * sums
    out, powers = np.empty(sums.size), np.ascontiguousarray(sums.ravel())
    _core.weights_of(alpha=learner.alpha, balanced=True, powers=powers, out=out)
    if not (np.abs(out) < LARGEST).all():
        raise Refused(
            "balanced Winnow multiplies its weights, and on points this large they outgrow what "
            "can be drawn: scale the columns to about 1, or choose another rule"
        )
    return out.reshape(sums.shape)


def _averages(ledger: Ledger, lifted: Matrix, weights: Matrix) -> list[list[float]] | None:
    """The mean of the weights over the rounds up to each mistake, its own included."""
    if ledger.rule != "additive":
        return None
    t: Vector = ledger.rounds[: len(lifted), None].astype(np.float64)
    late = ledger.unit * np.cumsum(ledger.steps[: len(lifted), None] * (t - 1) * lifted, axis=0)
    averages: list[list[float]] = readings.mean_of_weights(weights, late, t).tolist()
    return averages


SECONDS = 4.0  # for the certificate
FOLLOWED = 5_000  # mistakes of which the sandwich is followed in exact arithmetic


def certificate_of(placed: Placed, bias: bool) -> Certificate:
    """Whether the points are separable, with the proof, as `novikoff verify` reads it."""
    found = certify(placed.block, fit_intercept=bias, margin_rtol=1e-6, max_seconds=SECONDS)
    return found.named(placed.names, placed.label, placed.classes)


def proof(
    placed: Placed, choices: Choices, run: Run, weights: Vector, certificate: Certificate
) -> dict[str, Any]:
    """The bound, the sandwich of its proof, and the verdict."""
    bound, why = _bound(choices, run, certificate)
    return {
        "bound": None if bound is None else {"bound": bound.bound, "words": str(bound)},
        "why_no_bound": why,
        "sandwich": _sandwich(choices, run, certificate),
        "verdict": {
            "kind": str(run.verdict),
            **_multipliers(run, certificate),
            **_margins(placed, weights, certificate),
            "words": _words(placed, run, weights, certificate),
            "certified": str(certificate.verdict),
        },
    }


def _bound(choices: Choices, run: Run, certificate: Certificate) -> tuple[Bound | None, str]:
    """Novikoff's bound, or Krauth & Mézard's, by the certificate's weights; or why there is none.

    The certificate's weights have nearly the best margin, so the bound is nearly the least there
    is.
    """
    if choices.learner == "winnow":
        return None, "balanced Winnow has no bound of this kind"
    if certificate.verdict != "complete":
        return None, "no line separates the points, so there is no bound"
    if choices.learner == "margin":
        return guarantees.margin_perceptron(run.ledger, certificate.weights, choices.eta), ""
    return guarantees.novikoff(run.ledger, certificate.weights), ""


def _sandwich(choices: Choices, run: Run, certificate: Certificate) -> dict[str, Any] | None:
    """kγ ≤ ⟨w,u⟩ ≤ ‖w‖ ≤ R√k after each mistake k (Novikoff 1962, the proof of Theorem 1)."""
    if choices.learner == "winnow" or certificate.verdict != "complete":
        return None
    if not 0 < len(run.ledger) <= FOLLOWED:
        return None
    s = guarantees.sandwich(run.ledger, certificate.weights, margin=choices.eta)
    return {
        "lower": s.lower.tolist(),
        "progress": s.progress.tolist(),
        "norm": s.norm.tolist(),
        "upper": s.upper.tolist(),
        "holds": s.holds,
    }


def _multipliers(run: Run, certificate: Certificate) -> dict[str, Any]:
    """Rows and λ > 0 with Σ λ y x = 0 (Gordan 1873): the run's own if it has them."""
    if run.cycle is not None:
        return _told("run", run.cycle.rows.tolist(), run.cycle.multipliers)
    if certificate.multipliers:
        rows = sorted(certificate.multipliers)
        return _told("certify", rows, [Fraction(certificate.multipliers[i]) for i in rows])
    return {"multipliers": None}


def _told(by: str, rows: list[int], values: Sequence[Fraction]) -> dict[str, Any]:
    total = sum(values)
    shares = [float(value / total) for value in values]
    told = {"rows": rows, "values": _smallest(values), "shares": shares, "from": by}
    return {"multipliers": told}


def _smallest(given: Sequence[Fraction]) -> list[str]:
    """Positive numbers in their smallest whole proportions."""
    below = math.lcm(*(n.denominator for n in given))
    whole = [int(n * below) for n in given]
    common = math.gcd(*whole)
    return [str(n // common) for n in whole]


def _margins(placed: Placed, weights: Vector, certificate: Certificate) -> dict[str, Any]:
    """The exact margin of the final weights, and the interval and the direction of the best."""
    best, out = certificate.margin, dict[str, Any](achieved=None, best=None, witness=None)
    if np.isfinite(weights).all() and weights.any():
        reached = guarantees.achieved_margin(weights, placed.block)
        out["achieved"] = {
            "value": reached.value,
            "row": reached.row,
            "smallest": _short(reached.smallest),
            "weights_squared": _short(reached.weights_squared),
        }
    if certificate.verdict == "complete":
        out["best"] = {"low": best.low, "high": best.high if math.isfinite(best.high) else None}
        out["witness"] = _direction(certificate.weights)
    return out


def _short(number: Fraction) -> str:
    """The fraction itself if it is short, else a decimal that is near."""
    text = str(number)
    if len(text) <= 24:
        return text
    try:
        return f"≈ {float(number):.6g}"
    except OverflowError:
        return "more than a float holds"


def _direction(weights: tuple[int, ...]) -> list[float]:
    """The weights over the largest of them: whole numbers may be too long for floats."""
    largest = max(abs(w) for w in weights)
    return [float(Fraction(w, largest)) for w in weights]


def _words(placed: Placed, run: Run, weights: Vector, certificate: Certificate) -> str:
    """What happened and why it is certain, in a few sentences."""
    made = _count(len(run.ledger), "mistake")
    if run.verdict == Verdict.CYCLE and run.cycle is not None:
        return (
            f"The weights after pass {run.cycle.until} are those after pass {run.cycle.since}: it "
            f"would go round for ever. The updates in between, on {len(run.cycle.rows)} points, "
            "sum to zero in exact arithmetic; the numbers at the points say how often each counts. "
            "So no weights separate them."
        )
    if run.verdict == Verdict.SEPARATED:
        exact = guarantees.achieved_margin(weights, placed.block).smallest > 0
        held = "is right about every point, checked in exact arithmetic" if exact else (
            "made no mistake in floating point; in exact arithmetic a point is on it or behind it"
        )  # fmt: skip
        return f"Pass {run.epochs} was clean after {made}: the line {held}. {_best(certificate)}"
    used = "1 pass was allowed and is" if run.epochs == 1 else (
        f"{run.epochs:,} passes were allowed and are"
    )  # fmt: skip
    return f"{used} used up, with {made}: that alone proves nothing. {_best(certificate)}"


def _best(certificate: Certificate) -> str:
    """What the certificate adds."""
    if certificate.verdict == "complete":
        return f"The best margin any line has: {certificate.margin}."
    if certificate.verdict == "quasi-complete":
        return (
            "novikoff certify: no line has every point strictly on its right side, though one has "
            "none on its wrong side; the points with numbers stay on it, for they sum to zero."
        )
    if certificate.verdict == "overlap":
        return (
            "novikoff certify: no line separates them. The points with numbers, each times its "
            "sign and its number, sum to zero."
        )
    return f"novikoff certify found no proof either way: {certificate.why_undecided}."


def _count(n: int, one: str) -> str:
    return f"{n:,} {one}{'s' * (n != 1)}"
