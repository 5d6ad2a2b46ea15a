"""How a run ended and what proves it, in words and numbers for the page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from novikoff import guarantees
from novikoff.guarantees.bounds import Bound
from novikoff.guarantees.certificates import Certificate
from novikoff.loop import Run, Verdict
from novikoff.rows import Vector
from novikoff.separability import certify
from novikoff.web.choices import Choices
from novikoff.web.placed import Placed

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
