"""Winnow: a mistaken example multiplies the weights of its attributes."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Literal, Self, TypeAlias, get_args

import numpy as np

from novikoff import _core
from novikoff.learners.compiled_pass import THRESHOLDS, Compiled, Ties, check_sizes, thresholds_of
from novikoff.ledger.ledger import Mistakes
from novikoff.ledger.weights import parted, turned, whole, widened
from novikoff.storage.checked import Arrays, Settings, Stored
from novikoff.stream.blocks import Block
from novikoff.stream.rows import Rows, Vector, scored

Variant: TypeAlias = Literal["winnow1", "winnow2", "balanced"]

VARIANTS: tuple[Variant, ...] = get_args(Variant)
# 1.1 is near the best of what was tried for balanced Winnow on standardised numbers, where 2 fails,
# and still makes half as many mistakes as the perceptron, or fewer, on disjunctions.
ALPHAS: dict[Variant, float] = {"winnow1": 2.0, "winnow2": 2.0, "balanced": 1.1}


def usual_threshold(variant: Variant, dim: int) -> float:
    """θ if none is given: the value that the known bounds use for `dim` attributes."""
    return {"winnow1": dim / 2, "winnow2": float(dim), "balanced": 0.0}[variant]


class Multiplicative(Compiled):
    """Multiply the weights of the attributes of a mistaken example by α^x, or divide by it.

    The weights are αᵖ, where the powers p are the sum of the mistakes y·x. A score is w·x − θ; a
    row whose score would exceed the largest float is scored by its largest powers. With α = 2 and
    attributes 0 or 1 everything is exact as long as the weights of a row span at most 53 bits.

    Winnow1 and Winnow2 start with weights 1, need attributes of at least 0, and have no constant
    unless `bias` is set. Balanced Winnow has weights αᵖ − α⁻ᵖ of either sign, which start at 0.

    `alpha` and `threshold` are α > 1 and θ; None means `ALPHAS` and `usual_threshold`. `ties` is
    as for :class:`Additive`, of scores w·x − θ; the bounds hold for "mistake". The weight of a
    class is how many mistakes one mistake counts as.
    """

    rule = "multiplicative"
    averaging = False
    variant: ClassVar[Variant]

    def __init__(
        self,
        dim: int,
        *,
        alpha: float | None = None,
        threshold: float | None = None,
        bias: bool | None = None,
        ties: Ties = "mistake",
        class_weights: tuple[float, float] = (1.0, 1.0),
    ) -> None:
        variant = self.variant
        alpha = ALPHAS[variant] if alpha is None else alpha
        threshold = usual_threshold(variant, dim) if threshold is None else threshold
        if not 1 < alpha < math.inf:
            raise ValueError(f"alpha must be a finite number above 1, not {alpha!r}")
        if not (math.isfinite(threshold) and (threshold > 0 or variant == "balanced")):
            above = "" if variant == "balanced" else " above 0"
            raise ValueError(f"threshold must be a finite number{above}, not {threshold!r}")
        check_sizes(class_weights)
        self._thresholds = thresholds_of(ties)
        self.rounds, self._balanced = 0, variant == "balanced"
        self.dim, self.ties = dim, ties
        self.bias = self._balanced if bias is None else bool(bias)
        self.alpha, self.threshold = float(alpha), float(threshold)
        self._steps = (float(class_weights[0]), float(class_weights[1]))
        self._become(np.zeros(dim + self.bias))

    def _become(self, powers: Vector) -> None:
        self._p, self._w = powers, np.empty(len(powers))
        _core.weights_of(alpha=self.alpha, balanced=self._balanced, powers=powers, out=self._w)

    @property
    def powers(self) -> Vector:
        """p: the sum of the mistakes, the constant's last; −∞ where Winnow1 set the weight to 0."""
        return self._p.copy()

    @property
    def weights(self) -> Vector:
        """The present weights, the constant's last, cut off at the largest float."""
        largest = np.finfo(np.float64).max
        return self._w.clip(-largest, largest)

    @property
    def average(self) -> Vector:
        """There is none: this raises ValueError."""
        raise ValueError("Winnow has no average: its weights are not a sum of its mistakes")

    def widen(self, dim: int) -> None:
        """Make room for `dim` attributes, as :class:`Additive` does; the threshold stays."""
        self._become(widened(self._p, dim, bias=self.bias))
        self.dim = dim

    def turn_round(self) -> None:
        """Swap the two labels, exactly, of a rule that `is_symmetric`."""
        self._become(turned(self._p))
        self.honest = None if self.honest is None else self.honest.turned()

    @property
    def is_symmetric(self) -> bool:
        """Whether the rule treats the two labels alike."""
        return super().is_symmetric and self._balanced and self.threshold == 0

    def share_weights(self, runs: _core.OnlineRuns, *, mean: bool) -> None:
        """Share the weights with the online core, which updates them in place."""
        self._own_weights()
        runs.add_winnow(**self._for_core())

    def _for_core(self) -> dict[str, Any]:
        return self._powers_and_weights | {
            "threshold": self._thresholds,
            "step": self._steps,
            "erases": self.variant == "winnow1",
            "rounds": self.rounds,
        }

    @property
    def _powers_and_weights(self) -> dict[str, Any]:
        """What the core needs for a score."""
        how = {"alpha": self.alpha, "balanced": self._balanced, "theta": self.threshold}
        return how | {"powers": self._p, "w": self._w}

    def _own_state(self, dim: int) -> tuple[Settings, Arrays]:
        settings = {
            "variant": self.variant,
            "alpha": self.alpha,
            "threshold": self.threshold,
            "ties": self.ties,
        }
        powers, constant = parted(self._p, dim, bias=self.bias)
        steps = np.array(self._steps)
        return settings, {"powers": powers, "constant": constant, "steps": steps}

    @classmethod
    def _from(cls, stored: Stored, dim: int, *, bias: bool) -> Self:
        powers = stored.vector("powers", dim)
        constant = stored.vector("constant", 1)
        of_variant: Any = OF_VARIANT[stored.choice("variant", VARIANTS)]
        learner: Self = stored.made(
            of_variant,
            0,
            alpha=stored.number("alpha"),
            threshold=stored.number("threshold"),
            bias=bias,
            ties=stored.choice("ties", tuple(THRESHOLDS)),
            class_weights=stored.vector("steps", 2).tolist(),
        )
        p = whole(powers, constant, bias=bias)
        erased = (p == -np.inf) & (learner.variant == "winnow1")
        if not (np.isfinite(p) | erased).all():
            stored.refuse("its powers are not finite")
        learner.dim = dim
        learner._become(p)
        return learner

    def _for_ledger(self) -> dict[str, Any]:
        return {"start": self.powers if self._p.any() else None}

    def scores(self, rows: Rows) -> Vector:
        """w·x − θ for each row, summed exactly as when learning; at most the largest float."""

        def core(begin: int, end: int, out: Vector) -> tuple[int, int]:
            own = self._powers_and_weights
            return _core.power_scores(
                *rows.core, begin=begin, end=end, bias=self.bias, out=out, **own
            )

        return scored(rows, core)

    def learn(self, block: Block, begin: int, end: int) -> tuple[int, Mistakes]:
        """Learn from examples begin..end of the block, as `Learner.learn` says."""
        at, _, mistakes = self.learned(_core.multiply, block, begin, end)
        return at, mistakes


class Winnow1(Multiplicative):
    """Multiply by α when a positive example was missed; set to 0 when a negative one was accepted.

    On a monotone disjunction of k of n attributes, each 0 or 1, at most αk(log_α θ + 1) + n/θ
    mistakes (Littlestone 1988); one wrong label can do lasting damage. Usual: α = 2, θ = n/2.
    """

    variant = "winnow1"


class Winnow2(Multiplicative):
    """Multiply by α when a positive example was missed, divide when a negative one was accepted.

    Usual are α = 2 and θ = n: at most 2 + 3k(1 + log₂ n) mistakes on a monotone disjunction of k of
    n (Blum 1998). `guarantees.winnow2_bound` has Littlestone's (1988) for other functions.
    """

    variant = "winnow2"


class BalancedWinnow(Multiplicative):
    """Two weights for each attribute, αᵖ and α⁻ᵖ, subtracted: for numbers of either sign.

    The constant attribute takes the place of the threshold; larger attributes need a smaller α. No
    bound is claimed (Littlestone 1989; Dagan, Karov & Roth 1997).
    """

    variant = "balanced"


OF_VARIANT: dict[Variant, type[Multiplicative]] = {
    one.variant: one for one in (Winnow1, Winnow2, BalancedWinnow)
}
