"""What can be chosen about a run on the page: the learner, its margin, the order, the bias."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from novikoff.examples import Block
from novikoff.learners import Additive, BalancedWinnow
from novikoff.streams import arranged
from novikoff.web.placed import Refused

LEARNERS = ("perceptron", "margin", "averaged", "winnow")
ORDERS = ("placed", "shuffled")
MOST_PASSES = 10_000
MOST_ROUNDS = 2_000_000  # about a second of learning, whatever the number of points
WINNOW_PASSES = 1_000  # its weights do not come back, so passes that cannot succeed are all made


@dataclass(frozen=True, slots=True)
class Choices:
    """How a run is made.

    Parameters
    ----------
    learner
        "averaged" is the perceptron's run, read as the average of its weights.
    margin
        η of the margin perceptron: update when y⟨w,x⟩ ≤ η. The others take no notice of it.
    order, seed
        "placed" meets the points as they were placed, "shuffled" in one order drawn from the seed;
        either is kept for every pass, so that weights which come back are a proof.
    passes
        How many passes are allowed, at most; fewer when the points are very many.
    """

    learner: str = "perceptron"
    margin: float = 1.0
    order: str = "placed"
    seed: int = 0
    bias: bool = True
    passes: int = MOST_PASSES

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """From a request; what it does not say is as above."""
        known = {name: given[name] for name in cls.__slots__ if name in given}
        _one_of("learner", known, LEARNERS)
        _one_of("order", known, ORDERS)
        if not isinstance(known.get("bias", True), bool):
            raise Refused("bias must be true or false")
        _number("seed", known, 0, 2**32 - 1, whole=True)
        _number("passes", known, 1, MOST_PASSES, whole=True)
        _number("margin", known, 0, 1e6, whole=False)
        return cls(**known)

    @property
    def eta(self) -> float:
        """The margin that the learner insists on."""
        return self.margin if self.learner == "margin" else 0.0

    def new_learner(self, dim: int) -> Additive | BalancedWinnow:
        """The learner, before its first round."""
        if self.learner == "winnow":
            return BalancedWinnow(dim, bias=self.bias)
        return Additive(dim, bias=self.bias, margin=self.eta, averaging=True)

    def arranged(self, block: Block) -> Block:
        """The block in the order chosen; the ledger still names rows by where they were placed."""
        return arranged(block, self.seed) if self.order == "shuffled" else block

    def passes_over(self, block: Block) -> int:
        """How many passes are allowed over so many points."""
        most = WINNOW_PASSES if self.learner == "winnow" else MOST_PASSES
        return max(1, min(self.passes, most, MOST_ROUNDS // len(block)))


def _one_of(name: str, known: Mapping[str, Any], allowed: tuple[str, ...]) -> None:
    if name in known and known[name] not in allowed:
        raise Refused(f"{name} must be one of {', '.join(allowed)}, not {known[name]!r}")


def _number(name: str, known: dict[str, Any], low: float, high: float, *, whole: bool) -> None:
    if name not in known:
        return
    value, kinds = known[name], (int,) if whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
        what = "a whole number" if whole else "a number"
        raise Refused(f"{name} must be {what} from {low:g} to {high:g}, not {value!r}")
