"""The adaptive perceptron for many classes in one run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff import _core
from novikoff.learners.compiled_pass import check_regularisation
from novikoff.learners.joint import Joint
from novikoff.ledger.ledger import Adaptation, Keep, Ledger, Mistakes
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

    def share_weights(self, runs: _core.OnlineRuns, *, mean: bool) -> None:
        """Share the weights with the online core, which updates them in place."""
        self._own_weights()
        own: dict[str, Any] = {"variance": self._s.reshape(-1), "r": self.regularisation}
        runs.add_joint_adaptive(mean=mean, **own, **self._for_core())

    def open_ledger(self, keep: Keep = "examples") -> Ledger:
        """An empty ledger that starts from the present weights and variances."""
        variances = self._s[:, : self.n_classes].copy() if (self._s != 1).any() else None
        ledger = super().open_ledger(keep)
        ledger.rule = "joint-adaptive"
        ledger.adaptation = Adaptation(self.regularisation, variances)
        return ledger

    def learn(self, block: Block, begin: int, end: int) -> tuple[int, Mistakes]:
        """Learn from examples begin..end of the block, as `Learner.learn` says."""
        self._make_ready(block)
        how = {"r": self.regularisation, "variance": self._s.reshape(-1)}
        at, which, mistakes = self._pass(_core.joint_adapt, block, begin, end, late=True, **how)
        of_rows = None if block.importances is None else block.importances[which]
        return at, self.weighed(mistakes, of_rows)

    def weighed(self, mistakes: Mistakes, importances: Vector | None) -> Mistakes:
        """The mistakes with the importance of each: that of its row, times its class weight."""
        each = self._steps_of(self._w.shape[1])[mistakes.classes]
        if importances is not None:
            each *= importances
        return replace(mistakes, importances=each)

    def state(self, dim: int | None = None) -> tuple[Settings, Arrays]:
        """Everything `restored` needs to make the same learner: settings for JSON, and arrays."""
        settings, arrays = super().state(dim)
        settings |= {"rule": "joint-adaptive", "regularisation": self.regularisation}
        own = self._met(self._s)
        arrays["variances"] = variances_narrowed(own, settings["dim"], bias=self.bias)
        return settings, arrays

    @classmethod
    def restored(cls, settings: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Joint:
        """The learner that `state` described; it continues with the same bits."""
        stored = Stored("learner", settings, arrays)
        stored.choice("rule", ("joint-adaptive",))
        plain = Joint.restored({**settings, "rule": "joint"}, arrays)
        regularisation = stored.number("regularisation")
        learner = stored.made(cls, 0, bias=plain.bias, regularisation=regularisation)
        if (plain.margin, plain.rate) != (0.0, 1.0):
            stored.refuse("an adaptive learner has neither a margin nor a rate")
        vars(learner).update(vars(plain))
        shape = (plain.dim + plain.bias, plain.n_classes)
        learner._s = stored.array("variances", ("float64",), shape)
        if not ((learner._s > 0) & (learner._s <= 1)).all():
            stored.refuse("its variances are not all above 0 and at most 1")
        learner.make_room(plain.n_classes)
        return learner
