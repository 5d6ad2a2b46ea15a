"""The perceptron for many classes in one run, with a weight vector for each class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from novikoff import _core
from novikoff.learners.compiled_pass import (
    Core,
    Summed,
    check_sizes,
    finite_numbers,
    one_pass,
    stored_unit,
)
from novikoff.ledger.ledger import Mistakes, Rule
from novikoff.ledger.weights import class_scores, columns_for, times
from novikoff.storage.checked import Arrays, Settings, Stored
from novikoff.stream.blocks import Block
from novikoff.stream.rows import Positions, Rows, Vector


class OfClasses:
    """What learners of many classes in one run know of these: their number and their weights."""

    is_symmetric = False  # classes have no order, so there are no two labels to swap
    zero_is_positive = False  # where none leads, the first class is predicted
    dim: int
    n_classes: int
    _rate: float
    _class_weights: Vector

    def make_room(self, classes: int) -> None:
        """Make room for what is learned of this many classes, if it takes any."""

    def know(self, classes: int) -> None:
        """Know at least this many classes from now on, whether or not they have appeared."""
        self.make_room(classes)
        self.n_classes = max(self.n_classes, classes)

    def weigh(self, first: int, class_weights: Sequence[float]) -> None:
        """Set the factors of the rate for the classes from number `first` on."""
        check_sizes(class_weights)
        weights = np.ones(max(len(self._class_weights), first + len(class_weights)))
        weights[: len(self._class_weights)] = self._class_weights
        weights[first : first + len(class_weights)] = class_weights
        others = np.flatnonzero(weights != 1)  # classes beyond the last of these have 1 anyway
        self._class_weights = weights[: others.max(initial=-1) + 1].copy()

    def _steps_of(self, width: int) -> Vector:
        """The factor with which a mistaken example of each class is added."""
        steps = np.full(width, self._rate)
        some = min(width, len(self._class_weights))
        steps[:some] *= self._class_weights[:some]
        return steps

    def _pass(
        self, core: Core, block: Block, begin: int, end: int, **rule: Any
    ) -> tuple[int, Positions, Mistakes]:
        """As `one_pass`, with the classes of each mistake; the core also says how many it knows."""
        pairs, known = np.empty((2, end - begin), np.int32), self.n_classes

        def counting(*rows: Any, **how: Any) -> tuple[int, int, int]:
            nonlocal known
            at, flaw, made, known = core(*rows, **how, right=pairs[0], rival=pairs[1])
            return at, flaw, made

        labels, dim = block.codes, self.dim
        at, which, mistakes = one_pass(counting, block, begin, end, labels=labels, dim=dim, **rule)
        right, rival = pairs[:, : len(mistakes)].copy()
        self.n_classes = known
        return at, which, replace(mistakes, classes=right, rivals=rival, n_classes=known)


class Joint(OfClasses, Summed):
    """Add a mistaken example to the weights of its class, subtract it from those of its best rival.

    The class with the highest score is predicted; a tie is a mistake. With ‖x‖ ≤ R, and vectors u
    with Σ‖u_r‖² = 1 such that u_y·x − u_r·x ≥ γ for every other class r, it makes at most 2(R/γ)²
    mistakes; with `margin` η, the lead up to which it updates, at most (2R² + 2η)/γ² updates.

    Classes are numbered from 0, and `classes` are known at first. New ones may appear while
    learning and get the next number: until then a class has weights 0 and is nobody's rival. The
    bound holds for new classes too, if an example of a new class counts as right when all other
    classes score below 0. The very first class has no rival, so nothing is learned until there is a
    second.

    The other parameters are those of :class:`Additive`; `start` has a row a class, and class
    weights are those of the first classes, 1 for all others. References: Duda & Hart (1973),
    section 5.12, for Kesler's construction; Crammer & Singer (2003).
    """

    rule: ClassVar[Rule] = "joint"
    _add = "add_joint"
    _learn: ClassVar[Core] = staticmethod(_core.joint_learn)

    def __init__(
        self,
        dim: int,
        *,
        classes: int = 0,
        bias: bool = False,
        margin: float = 0.0,
        rate: float = 1.0,
        averaging: bool = False,
        start: Vector | None = None,
        class_weights: Sequence[float] = (),
    ) -> None:
        check_sizes(class_weights, rate=rate, margin=margin)
        self.dim, self.bias, self.margin, self.rate = dim, bool(bias), margin, rate
        self.rounds = 0
        self.n_classes = classes
        self._w = np.zeros((dim + self.bias, columns_for(classes)))
        self._unit, self._rate = rate, 1.0
        if start is not None:
            given = finite_numbers(start, (classes, dim + self.bias), "start", "weights")
            if given.any():
                self._w[:, :classes] = given.T
                self._unit, self._rate = 1.0, rate
        self._u = np.zeros_like(self._w) if averaging else None
        self._class_weights = np.array(class_weights, dtype=np.float64)
        self._threshold = margin / self._unit

    def _shown(self, w: Vector) -> Vector:
        return times(self._unit, np.ascontiguousarray(w[:, : self.n_classes].T))

    def _met(self, sums: Vector) -> Vector:
        return np.ascontiguousarray(sums[:, : self.n_classes])

    def make_room(self, classes: int) -> None:
        """Make room for the weights of this many classes."""
        more = columns_for(classes) - self._w.shape[1]
        if more > 0:
            self._w = np.pad(self._w, ((0, 0), (0, more)))
            self._u = None if self._u is None else np.pad(self._u, ((0, 0), (0, more)))

    def _for_core(self) -> dict[str, Any]:
        how = {"step": self._steps_of(self._w.shape[1]), "classes": self.n_classes}
        return super()._for_core() | how | self._for_rule()

    def _for_rule(self) -> dict[str, Any]:
        return {"threshold": 0.0 if self.only_mistakes else self._threshold, "unit": self._unit}

    def _for_ledger(self) -> dict[str, Any]:
        return super()._for_ledger() | {"n_classes": self.n_classes}

    def scores(self, rows: Rows) -> Vector:
        """The score of each row for each class, a column a class, summed as when learning."""
        scores = class_scores(rows, self._w, bias=self.bias)
        return times(self._unit, scores[:, : self.n_classes])

    def learned(
        self, core: Core, block: Block, begin: int, end: int, **rule: Any
    ) -> tuple[int, Positions, Mistakes]:
        """As `one_pass`, with room for the classes of the block."""
        self.make_room(int(block.codes.max(initial=-1)) + 1)
        return super().learned(core, block, begin, end, width=self._w.shape[1], **rule)

    def _accumulate(self, rows: Rows, which: Positions, step: Vector, made: Mistakes) -> None:
        assert self._u is not None
        assert made.classes is not None
        assert made.rivals is not None
        _core.joint_accumulate(
            *rows.core,
            example=which,
            step=step,
            right=made.classes,
            rival=made.rivals,
            bias=self.bias,
            width=self._u.shape[1],
            w=self._u.reshape(-1),
        )

    def _own_state(self, dim: int) -> tuple[Settings, Arrays]:
        settings, arrays = super()._own_state(dim)
        settings |= {"margin": float(self.margin), "rate": float(self.rate)}
        settings |= {"classes": self.n_classes, "unit": float(self._unit)}
        return settings, arrays | {"class_weights": self._class_weights}

    @classmethod
    def _from(cls, stored: Stored, dim: int, *, bias: bool) -> Self:
        classes, (unit, rate) = stored.count("classes"), stored_unit(stored)
        if dim and not classes:
            stored.refuse(f"it has {dim} features and no class")
        class_weights = stored.vector("class_weights").tolist()
        how = cls._own_settings(stored)
        learner = stored.made(cls, 0, bias=bias, class_weights=class_weights, **how)
        learner._unit, learner._rate = unit, 1.0 if unit == rate else rate
        learner._threshold = learner.margin / unit
        learner._restore_sums(stored, (dim, classes))
        learner.n_classes = classes
        learner.make_room(classes)
        return learner

    @classmethod
    def _own_settings(cls, stored: Stored) -> dict[str, Any]:
        return {"margin": stored.number("margin"), "rate": stored.number("rate")}
