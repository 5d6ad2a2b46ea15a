"""The adaptive perceptron for many classes in one run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from novikoff import _core
from novikoff.learners.compiled_pass import check_regularisation
from novikoff.learners.joint import Joint
from novikoff.ledger.ledger import Adaptation, Mistakes
from novikoff.ledger.weights import variances_narrowed, variances_widened
from novikoff.storage.checked import Arrays, Settings, Stored
from novikoff.stream.blocks import Block
from novikoff.stream.rows import Vector


class JointAdaptive(Joint):
    """Learn from an example unless its class leads every other by 1; steps shrink as in `Adaptive`.

    Each class has weights w_c and variances S_c. Let c be the best rival of class y, and m = w_y·x
    − w_c·x < 1. With v = Σ (S_y + S_c)∘x² and β = 1/(v + r), the weights of y become w_y + (1 − m)β
    S_y∘x, those of the rival w_c − (1 − m)β S_c∘x, and both variances S − β (S∘x)². Classes appear
    as in :class:`Joint`; the parameters are those of it and of :class:`Adaptive`. References:
    Crammer, Kulesza & Dredze (2009), section 7, for many classes.
    """

    rule, _add = "joint-adaptive", "add_joint_adaptive"

    def __init__(
        self,
        dim: int,
        *,
        classes: int = 0,
        bias: bool = False,
        regularisation: float = 1.0,
        averaging: bool = False,
        start: Vector | None = None,
        class_weights: Sequence[float] = (),
    ) -> None:
        check_regularisation(regularisation)
        self.regularisation = float(regularisation)
        super().__init__(
            dim,
            classes=classes,
            bias=bias,
            averaging=averaging,
            start=start,
            class_weights=class_weights,
        )
        self._s = np.ones_like(self._w)

    @property
    def variances(self) -> Vector:
        """The present variances of the weights, a row a class, the constant's last."""
        return np.ascontiguousarray(self._s[:, : self.n_classes].T)

    def widen(self, dim: int) -> None:
        """Make room for `dim` features, at least as many as now; new variances are 1."""
        super().widen(dim)
        self._s = variances_widened(self._s, dim, bias=self.bias)

    def make_room(self, classes: int) -> None:
        """Make room for the weights of this many classes."""
        super().make_room(classes)
        more = self._w.shape[1] - self._s.shape[1]
        if more > 0:
            self._s = np.pad(self._s, ((0, 0), (0, more)), constant_values=1.0)

    def _for_rule(self) -> dict[str, Any]:
        return {"r": self.regularisation, "variance": self._s.reshape(-1)}

    def _for_ledger(self) -> dict[str, Any]:
        variances = self._s[:, : self.n_classes].copy() if (self._s != 1).any() else None
        return super()._for_ledger() | {"adaptation": Adaptation(self.regularisation, variances)}

    def learn(self, block: Block, begin: int, end: int) -> tuple[int, Mistakes]:
        """Learn from examples begin..end of the block, as `Learner.learn` says."""
        at, which, mistakes = self.learned(_core.joint_adapt, block, begin, end)
        of_rows = None if block.importances is None else block.importances[which]
        return at, self.weighed(mistakes, of_rows)

    def weighed(self, mistakes: Mistakes, importances: Vector | None) -> Mistakes:
        """The mistakes with the importance of each: that of its row, times its class weight."""
        each = self._steps_of(self._w.shape[1])[mistakes.classes]
        if importances is not None:
            each *= importances
        return replace(mistakes, importances=each)

    def _own_state(self, dim: int) -> tuple[Settings, Arrays]:
        settings, arrays = super()._own_state(dim)
        arrays["variances"] = variances_narrowed(self._met(self._s), dim, bias=self.bias)
        return settings | {"regularisation": self.regularisation}, arrays

    @classmethod
    def _own_settings(cls, stored: Stored) -> dict[str, Any]:
        if (stored.number("margin"), stored.number("rate")) != (0.0, 1.0):
            stored.refuse("an adaptive learner has neither a margin nor a rate")
        return {"regularisation": stored.number("regularisation")}

    def _restore_variances(self, stored: Stored, classes: int) -> None:
        self._s = stored.array("variances", ("float64",), (self.dim + self.bias, classes))
        if not ((self._s > 0) & (self._s <= 1)).all():
            stored.refuse("its variances are not all above 0 and at most 1")
