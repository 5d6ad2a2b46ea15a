"""Margins: what weights achieve, what no weights exceed, and what a margin perceptron promises.

Many classes that are learned jointly are two, by Kesler's construction.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from novikoff.guarantees.exact import arithmetic, mistaken
from novikoff.guarantees.exact.arithmetic import ExactVector, Number, Numbers, Table, fraction, root
from novikoff.guarantees.exact.mistaken import Mistaken, mistakes_from_zero, with_witness
from novikoff.guarantees.exact.rows import ExactRows, ExactSum, usable
from novikoff.guarantees.novikoff_bound import Bound, mistake_bound
from novikoff.ledger.ledger import Ledger
from novikoff.ledger.weights import class_scores
from novikoff.stream.blocks import Block, Codes
from novikoff.stream.input_problems import BadExample
from novikoff.stream.printing import plural, short
from novikoff.stream.rows import Positions, Rows

_AT_ONCE = 1 << 20  # scores


@dataclass(frozen=True, slots=True)
class Achieved:
    """The margin of some weights: the smallest y⟨w,x⟩, over ‖w‖, and the row that has it."""

    row: int
    smallest: Fraction
    weights_squared: Fraction

    @property
    def value(self) -> float:
        """The distance of the nearest row from the hyperplane; negative if it is misclassified."""
        size = root(self.smallest**2 / self.weights_squared)
        return size if self.smallest >= 0 else -size

    def exceeds(self, squared: Fraction) -> bool:
        """Whether the margin is positive and its square greater than this, exactly."""
        return self.smallest > 0 and self.smallest**2 > squared * self.weights_squared

    def __str__(self) -> str:
        return f"margin {short(self.value, 6)}, at row {self.row}"


@dataclass(frozen=True, slots=True)
class Ceiling:
    """No unit vector has a margin larger than the square root of `squared` on the mistaken rows."""

    squared: Fraction
    mistakes: int

    @property
    def value(self) -> float:
        """The margin that no unit vector exceeds."""
        return root(self.squared)

    def __str__(self) -> str:
        made = plural(self.mistakes, "mistake")
        return f"no margin exceeds {short(self.value, 6)} (proved by {made})"


def achieved_margin(weights: Numbers | Table, block: Block) -> Achieved:
    """The margin of the weights on a block, exactly: min y⟨w,x⟩, ‖w‖², and the row that has it.

    Of weights with a row for each class, min (w_y·x − max w_r·x) and Σ‖w_r‖²; labels −1 and +1 are
    then the classes 0 and 1.
    """
    if not isinstance(block, Block):
        raise TypeError("the weights come first: achieved_margin(weights, block)")
    many, rows = np.asarray(weights).ndim > 1, block.rows
    w = ExactVector.of(weights, "weights", table=many)
    length, each = w.integers.shape[-1], " for each class" * many
    if length not in (rows.dim, rows.dim + 1):
        raise ValueError(f"{length} weights{each} do not fit rows of {rows.dim} features")
    if len(rows) == 0:
        raise BadExample("the block has no rows")
    if w.squared == 0:
        raise ValueError("the weights are all 0, so they have no margin")
    at = np.arange(len(rows))
    if many:
        codes = block.codes
        if int(codes.max()) >= len(w):
            raise BadExample(f"the weights are for {len(w)} classes; a row has class {codes.max()}")
        i, _, smallest = _smallest_lead(rows, at, codes, w)
    else:
        usable(rows)
        exact = ExactRows(rows, bias=length > rows.dim)
        i, smallest = exact.least(at, block.signs, w)
    return Achieved(int(block.positions(np.array([i]))[0]), smallest, w.squared)


def margin_at_most(ledger: Ledger) -> Ceiling:
    """γ ≤ ‖w − w₀‖/Σs: Novikoff's proof read backwards, for any data that contain the mistakes.

    Any start and any margin are allowed; otherwise the parameters are those of `novikoff`. Proof:
    docs/proofs.md, after Novikoff (1962), Theorem 1.
    """
    ledger = mistaken.expect_ledger(ledger)
    if len(ledger) == 0:
        raise ValueError("the run made no mistakes, so it gives no upper bound on the margin")
    seen = Mistaken.of(ledger)
    signed = arithmetic.products(seen.labels.astype(np.int64), seen.steps, summed=len(ledger))
    times = arithmetic.sums_by(seen.which, signed)
    total = ExactSum(seen.rows.dim + seen.bias)
    total.add(seen.rows, np.arange(len(times)), times)
    return Ceiling(total.squared / sum(seen.steps.tolist()) ** 2, len(ledger))


@dataclass(frozen=True, slots=True)
class MarginBound(Bound):
    """A bound on the updates with threshold η, and the margin after a pass without any."""

    threshold: Fraction
    promised_squared: Fraction

    @classmethod
    def of(
        cls, theorem: str, seen: Mistaken | None, gamma: Fraction, u: ExactVector, eta: Fraction,
        *, times: int = 1, **more: Any,
    ) -> Self:  # fmt: skip
        """The bound from the mistakes seen, if a mistake z has ‖z‖² = times · ‖x‖²."""
        if seen is None:
            more |= {"threshold": eta, "promised_squared": Fraction(0)}
            return cls.without_mistakes(theorem, u, **more)
        R2 = seen.radius_squared
        growth = times * seen.largest_step * R2 + 2 * eta
        bound = mistake_bound(growth / seen.smallest_step, u.squared, gamma)
        promised = (gamma * eta / growth) ** 2 / u.squared
        made = len(seen.steps)
        return cls(theorem, bound, made, gamma, R2, u.squared, u.numbers, eta, promised, **more)

    @property
    def counted(self) -> str:
        """Updates, because examples that were right by no more than η count too."""
        return "update" if self.threshold else "mistake"

    @property
    def promised(self) -> float:
        """The margin that the final weights exceed, as a unit vector (see `Achieved.exceeds`)."""
        return root(self.promised_squared)

    def __str__(self) -> str:
        if self.margin is None or not self.threshold:
            return Bound.__str__(self)
        promised = short(self.promised, 6)
        return f"{Bound.__str__(self)}; after a clean pass the margin exceeds {promised}"


def margin_perceptron(ledger: Ledger, witness: Numbers, margin: Number) -> MarginBound:
    """At most (R² + 2η/r)‖u‖²/γ² updates; after a clean pass a margin > γη/((rR² + 2η)‖u‖).

    `margin` is η and r the rate; the other parameters are those of `novikoff`, for a run in which
    every update was on an example with y⟨w,x⟩ ≤ η. Proof: docs/proofs.md. References: Krauth &
    Mézard (1987), for whom η is the stability; the proof is that of Novikoff (1962).
    """
    theorem, (ledger, u) = "Krauth & Mézard 1987", with_witness(ledger, witness)
    eta = fraction(margin, "margin")
    seen = mistakes_from_zero(ledger, eta)
    gamma = Fraction(0) if seen is None else seen.margin(u)
    return MarginBound.of(theorem, seen, gamma, u, eta)


@dataclass(frozen=True, slots=True)
class JointBound(MarginBound):
    """A bound on the mistakes of a run with this many `classes`; the witness has a row for each.

    `margin` is γ: on every mistaken example u_y·x exceeds all other u_r·x by at least γ.
    `witness_squared` is Σ‖u_r‖².
    """

    classes: int


def joint_bound(ledger: Ledger, witness: Table, *, margin: Number = 0) -> JointBound:
    """M ≤ 2(R/γ)²Σ‖u_r‖² mistakes of a joint perceptron, in any order and with any classes.

    By Kesler's construction this is the theorem for two classes with 2R² in place of R²
    (docs/proofs.md). The parameters are those of `margin_perceptron`, for a run with rule "joint";
    the witness has at least one row for each class. References: Duda & Hart (1973), section 5.12,
    for the construction; Crammer & Singer (2003), Theorem 4.
    """
    theorem, (ledger, U) = "Crammer & Singer 2003", with_witness(ledger, witness, "joint")
    eta = fraction(margin, "margin")
    if len(U) < ledger.n_classes:
        raise ValueError(
            f"the witness has rows for {len(U)} classes; the run has {ledger.n_classes}"
        )
    seen = mistakes_from_zero(ledger, eta, "joint")
    gamma = Fraction(0) if seen is None else _margin(seen, ledger.classes, U)
    return JointBound.of(theorem, seen, gamma, U, eta, times=2, classes=ledger.n_classes)


def _margin(seen: Mistaken, classes: Codes, U: ExactVector) -> Fraction:
    """γ: the least lead of a mistaken example's class; NotAWitness unless it is positive."""
    both = seen.which * len(U) + classes
    _, first = np.unique(both, return_index=True)
    i, rival, margin = _smallest_lead(seen.rows, seen.which[first], classes[first], U)
    if margin <= 0:
        pair = (int(classes[first[i]]), rival)
        raise mistaken.NotAWitness(int(seen.positions[first[i]]), margin, pair)
    return margin


def _smallest_lead(
    rows: Rows, at: Positions, classes: Codes, U: ExactVector
) -> tuple[int, int, Fraction]:
    """Where in `at` a class has the smallest lead, over which rival, and by how much, exactly."""
    where, rivals = _may_be_least(rows, at, classes, U)
    exact = ExactRows(rows, bias=U.integers.shape[1] > rows.dim)
    least: list[tuple[Fraction, int, int]] = []
    for y, r in np.unique(np.stack([classes[where], rivals]), axis=1).T.tolist():
        some = where[(classes[where] == y) & (rivals == r)]
        between = ExactVector(U.integers[y] - U.integers[r], U.unit)
        for part, numbers, unit in exact.exactly(at[some], between):
            i = int(np.argmin(numbers))
            least.append((int(numbers[i]) * unit, int(some[part][i]), r))
    lead, i, r = min(least)
    return i, r, lead


def _may_be_least(
    rows: Rows, at: Positions, classes: Codes, U: ExactVector
) -> tuple[Positions, Codes]:
    """The places in `at`, each with a rival, that may have the smallest lead."""
    w, bias, K = U.floats(), U.integers.shape[1] > rows.dim, len(U)
    top, open_ = np.inf, list[tuple[NDArray[Any], ...]]()
    step = max(1, _AT_ONCE // K)
    for begin in range(0, len(at), step):
        some = rows.take(at[begin : begin + step])
        own, places = classes[begin : begin + step], np.arange(len(some))
        exact = ExactRows(some, bias=bias)
        scores = class_scores(some, w.T, bias=bias)[:, :K]
        each = [exact.error(ExactVector(u, U.unit), v) for u, v in zip(U.integers, w, strict=True)]
        # the difference rounds once more; the error bounds leave room for that
        lead, error = scores[places, own][:, None] - scores, 2 * np.max(each, axis=0)[:, None]
        others = np.arange(K) != own[:, None]
        top = min(top, float((lead + error)[others].min()))
        i, r = np.nonzero(others & (lead - error <= top))
        open_.append(((lead - error)[i, r], i + begin, r))
    low, where, rivals = (np.concatenate(column) for column in zip(*open_, strict=True))
    return where[low <= top].astype(np.int64), rivals[low <= top].astype(np.int32)
