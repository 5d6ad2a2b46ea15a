"""Winnow's rule: a mistaken example multiplies the weights of the attributes it has."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from novikoff import _core
from novikoff.learners.compiled_pass import THRESHOLDS, Ties, check_class_weights, one_pass
from novikoff.ledger.ledger import Keep, Ledger, Mistakes
from novikoff.ledger.weights import owned, parted, turned, whole, widened
from novikoff.storage.checked import Arrays, Settings, Stored
from novikoff.stream.blocks import Block
from novikoff.stream.rows import Rows, Vector, scored

Variant: TypeAlias = Literal["winnow1", "winnow2", "balanced"]

VARIANTS: tuple[Variant, ...] = ("winnow1", "winnow2", "balanced")
# 1.1 is near the best of what was tried for balanced Winnow on standardised numbers, where 2 fails,
# and still makes half as many mistakes as the perceptron, or fewer, on disjunctions.
ALPHAS: dict[Variant, float] = {"winnow1": 2.0, "winnow2": 2.0, "balanced": 1.1}


def usual_threshold(variant: Variant, dim: int) -> float:
    """θ where none is given: what the bounds are best known for, with so many attributes."""
    return {"winnow1": dim / 2, "winnow2": float(dim), "balanced": 0.0}[variant]


class Multiplicative:
    """Multiply the weights of the attributes of a mistaken example, by α^x or by 1/α^x.

    The weights are αᵖ where the powers p are the sum of the mistakes y·x; so they can be as large
    as no float is, and a row whose score then would not be one is scored by its largest powers. A
    score is w·x − θ. With α = 2 and attributes that are 0 or 1 all of it is exact as long as the
    weights of a row span no more than 53 bits.

    Parameters
    ----------
    dim, bias
        The number of attributes, and whether a constant 1 follows them.
    variant
        "winnow1" makes the weights of a negative example that was thought positive 0 instead of
        dividing them; "winnow2" divides; both start with weights 1 and need attributes from 0.
        "balanced" has weights αᵖ − α⁻ᵖ, of either sign, which start with 0.
    alpha, threshold
        α > 1 and θ.
    ties
        What w·x = θ says: "mistake" neither, so that it is always wrong, and the bounds of
        `guarantees` hold for that; "positive" and "negative" the label they name.
    class_weights
        How many mistakes one counts as, for labels −1 and +1; it multiplies the importance.
    """

    def __init__(
        self,
        dim: int,
        *,
        variant: Variant,
        alpha: float,
        threshold: float,
        bias: bool = False,
        ties: Ties = "mistake",
        class_weights: tuple[float, float] = (1.0, 1.0),
    ) -> None:
        if variant not in VARIANTS:
            raise ValueError(f"variant must be one of {', '.join(VARIANTS)}, not {variant!r}")
        if not 1 < alpha < math.inf:
            raise ValueError(f"alpha must be a finite number above 1, not {alpha!r}")
        if not (math.isfinite(threshold) and (threshold > 0 or variant == "balanced")):
            above = "" if variant == "balanced" else " above 0"
            raise ValueError(f"threshold must be a finite number{above}, not {threshold!r}")
        check_class_weights(class_weights)
        if ties not in THRESHOLDS:
            raise ValueError(f"ties must be one of {', '.join(THRESHOLDS)}, not {ties!r}")
        self.dim, self.bias, self.variant, self.ties = dim, bool(bias), variant, ties
        self.alpha, self.threshold = float(alpha), float(threshold)
        self.class_weights = (float(class_weights[0]), float(class_weights[1]))
        self.rounds = 0
        self._become(np.zeros(dim + self.bias))

    def _become(self, powers: Vector) -> None:
        self._p, self._w = powers, np.empty(len(powers))
        _core.weights_of(alpha=self.alpha, balanced=self._balanced, powers=powers, out=self._w)

    @property
    def _balanced(self) -> bool:
        return self.variant == "balanced"

    @property
    def powers(self) -> Vector:
        """p: the sum of the mistakes, y times the importance times x, the constant's last.

        −∞ where Winnow1 made the weight 0.
        """
        return self._p.copy()

    @property
    def weights(self) -> Vector:
        """The present weights, the constant's last; the largest float for one that is larger."""
        largest = np.finfo(np.float64).max
        return self._w.clip(-largest, largest)

    @property
    def averaging(self) -> bool:
        """Winnow keeps no average."""
        return False

    @property
    def average(self) -> Vector:
        """There is none: this raises ValueError."""
        raise ValueError("Winnow has no average: its weights are not a sum of its mistakes")

    def widen(self, dim: int) -> None:
        """Go on with `dim` attributes, not fewer than before; the new ones have power 0.

        The threshold stays. Otherwise it is as if they had been there from the start, bit for bit
        if each width is a multiple of 8.
        """
        self._become(widened(self._p, dim, bias=self.bias))
        self.dim = dim

    def turn_round(self) -> None:
        """Let what was the label +1 be −1, and the other way round: bit for bit, if balanced."""
        if not self.is_symmetric:
            raise ValueError("the two labels do not count alike, so they cannot change places")
        self._become(turned(self._p))

    @property
    def is_symmetric(self) -> bool:
        """Whether the two labels count alike."""
        low, high = THRESHOLDS[self.ties]
        alike = low == high and self.class_weights[0] == self.class_weights[1]
        return alike and self._balanced and self.threshold == 0

    def share_weights(self, heads: _core.Heads, *, mean: bool) -> None:
        """Share the weights with the online core, which updates them in place."""
        if mean:
            _ = self.average  # refused
        self._own_weights()
        heads.add_powers(
            powers=self._p,
            w=self._w,
            threshold=THRESHOLDS[self.ties],
            step=self.class_weights,
            alpha=self.alpha,
            balanced=self._balanced,
            erases=self.variant == "winnow1",
            theta=self.threshold,
            rounds=self.rounds,
        )

    def _own_weights(self) -> None:
        self._p = owned(self._p)

    def state(self, dim: int | None = None) -> tuple[Settings, Arrays]:
        """All that the learner is, for `restored`: settings for JSON, and arrays.

        Only the first `dim` attributes are stored, and the constant apart from them; the others
        must have power 0.
        """
        dim = int(self.dim if dim is None else dim)
        settings = {
            "rule": "multiplicative",
            "variant": self.variant,
            "dim": dim,
            "bias": self.bias,
            "alpha": self.alpha,
            "threshold": self.threshold,
            "ties": self.ties,
            "rounds": self.rounds,
        }
        powers, constant = parted(self._p, dim, bias=self.bias)
        steps = np.array(self.class_weights)
        return settings, {"powers": powers, "constant": constant, "steps": steps}

    @staticmethod
    def restored(settings: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Multiplicative:
        """The learner that `state` described: all that follows is the same, bit for bit."""
        stored = Stored("learner", settings, arrays)
        stored.choice("rule", ("multiplicative",))
        dim, bias = stored.count("dim"), stored.flag("bias")
        powers = stored.vector("powers", dim)
        constant = stored.vector("constant", 1)
        low, high = stored.vector("steps", 2).tolist()
        try:
            learner = Multiplicative(
                0,
                variant=stored.choice("variant", VARIANTS),
                alpha=stored.number("alpha"),
                threshold=stored.number("threshold"),
                bias=bias,
                ties=stored.choice("ties", tuple(THRESHOLDS)),
                class_weights=(low, high),
            )
        except ValueError as error:
            stored.refuse(str(error))
        p = whole(powers, constant, bias=bias)
        erased = (p == -np.inf) & (learner.variant == "winnow1")
        if not (np.isfinite(p) | erased).all():
            stored.refuse("its powers are not finite")
        learner.dim, learner.rounds = dim, stored.count("rounds")
        learner._become(p)
        return learner

    def open_ledger(self, keep: Keep = "examples") -> Ledger:
        """An empty ledger that starts where this learner stands."""
        return Ledger(
            self.dim,
            bias=self.bias,
            start=self.powers if self._p.any() else None,
            began=self.rounds,
            keep=keep,
            rule="multiplicative",
        )

    def scores(self, rows: Rows) -> Vector:
        """w·x − θ for each row, added up exactly as when learning.

        A score beyond the largest float is that, with its sign; one that is not 0 never reads 0.
        """

        def core(begin: int, end: int, out: Vector) -> tuple[int, int]:
            return _core.power_scores(
                *rows.core,
                begin=begin,
                end=end,
                alpha=self.alpha,
                balanced=self._balanced,
                theta=self.threshold,
                powers=self._p,
                w=self._w,
                bias=self.bias,
                out=out,
            )

        return scored(rows, core)

    def learn(self, block: Block, begin: int, end: int) -> tuple[int, Mistakes]:
        """Predict, reveal and update for examples begin..end of the block, in its order.

        Stops early before an example it cannot use; asked to begin with that one, it raises
        BadExample and changes nothing. So what is returned is always all that was learned.
        """
        self._own_weights()
        at, _, mistakes = one_pass(
            _core.multiply,
            block,
            begin,
            end,
            labels=block.signs,
            dim=self.dim,
            threshold=THRESHOLDS[self.ties],
            step=self.class_weights,
            bias=self.bias,
            rounds=self.rounds,
            alpha=self.alpha,
            balanced=self._balanced,
            erases=self.variant == "winnow1",
            theta=self.threshold,
            powers=self._p,
            w=self._w,
        )
        self.rounds += at - begin
        return at, mistakes


class Winnow1(Multiplicative):
    """Multiply by α when a positive example was missed; set to 0 when a negative one was accepted.

    On a monotone disjunction of k of n attributes, each 0 or 1, it makes at most
    αk(log_α θ + 1) + n/θ mistakes: with α = 2 and θ = n/2, 2k log₂ n + 2. An attribute of a
    negative example cannot be in the disjunction and is never looked at again, so that one wrong
    label can spoil it for good. Attributes other than 0 and 1 are taken if not negative, without a
    bound: a promotion then multiplies by αˣ, and a demotion is of those with x > 0.

    Parameters
    ----------
    threshold
        θ; n/2 if not given.

    All others are those of :class:`Multiplicative`.

    References
    ----------
    Littlestone (1988).

    Examples
    --------
    >>> from novikoff import guarantees, play, sources
    >>> run = play(sources.forcing_winnow1(64, 32), Winnow1(64))
    >>> len(run.ledger), guarantees.winnow1_bound(64, 1).bound
    (12, 14)
    """

    def __init__(
        self,
        dim: int,
        *,
        alpha: float = ALPHAS["winnow1"],
        threshold: float | None = None,
        ties: Ties = "mistake",
        class_weights: tuple[float, float] = (1.0, 1.0),
    ) -> None:
        super().__init__(
            dim,
            variant="winnow1",
            alpha=alpha,
            threshold=usual_threshold("winnow1", dim) if threshold is None else threshold,
            ties=ties,
            class_weights=class_weights,
        )


class Winnow2(Multiplicative):
    """Multiply by α when a positive example was missed, divide when a negative one was accepted.

    With attributes in [0, 1] and μ ≥ 0 such that μ·x ≥ 1 on positive examples and μ·x ≤ 1 − δ on
    negative ones, α = 1 + δ/2 makes at most 8n/(δ²θ) + (5/δ + 14 ln θ/δ²)Σμ mistakes. On a monotone
    disjunction of k of n, α = 2 and θ = n make at most 2 + 3k(1 + log₂ n).

    Parameters
    ----------
    threshold
        θ; n if not given.

    All others are those of :class:`Multiplicative`.

    References
    ----------
    Littlestone (1988), for the first bound; Blum (1998) for the second.

    Examples
    --------
    >>> from novikoff import guarantees, play, sources
    >>> run = play(sources.forcing_winnow2(64), Winnow2(64))
    >>> len(run.ledger), guarantees.doubling_bound(64, 1).bound
    (18, 23)
    """

    def __init__(
        self,
        dim: int,
        *,
        alpha: float = ALPHAS["winnow2"],
        threshold: float | None = None,
        ties: Ties = "mistake",
        class_weights: tuple[float, float] = (1.0, 1.0),
    ) -> None:
        super().__init__(
            dim,
            variant="winnow2",
            alpha=alpha,
            threshold=usual_threshold("winnow2", dim) if threshold is None else threshold,
            ties=ties,
            class_weights=class_weights,
        )


class BalancedWinnow(Multiplicative):
    """Two weights an attribute, αᵖ and α⁻ᵖ, which count against each other: for any x and any sign.

    It is Winnow over each attribute and its negative, and starts where all of them cancel. It needs
    no threshold, for the constant attribute takes its place. Good where few of very many attributes
    matter; no bound is claimed here.

    Parameters
    ----------
    alpha
        α. What matters is its size beside that of the attributes: larger ones call for a smaller α.

    All others are those of :class:`Multiplicative`.

    References
    ----------
    Littlestone (1989); Dagan, Karov & Roth (1997).

    Examples
    --------
    >>> from novikoff import play, sources
    >>> learner = BalancedWinnow(2, bias=False)
    >>> run = play(sources.block([[1.0, -1.0], [-1.0, 3.0]], [1, -1]), learner, epochs=9)
    >>> str(run.verdict), learner.powers.tolist()
    ('separated', [1.0, -1.0])
    """

    def __init__(
        self,
        dim: int,
        *,
        alpha: float = ALPHAS["balanced"],
        threshold: float = 0.0,
        bias: bool = True,
        ties: Ties = "mistake",
        class_weights: tuple[float, float] = (1.0, 1.0),
    ) -> None:
        super().__init__(
            dim,
            variant="balanced",
            alpha=alpha,
            threshold=threshold,
            bias=bias,
            ties=ties,
            class_weights=class_weights,
        )
