"""The adaptive perceptron (AROW), of two labels and of many classes: weights with variances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self, get_args

import numpy as np

from novikoff import _core
from novikoff.learners.compiled_pass import Summed, check_sizes, finite_numbers
from novikoff.learners.joint import Joint
from novikoff.ledger.ledger import Adaptation, Matrix, Mistakes
from novikoff.ledger.weights import variances_narrowed, variances_widened
from novikoff.storage.checked import Arrays, Settings, Stored
from novikoff.stream.blocks import Block
from novikoff.stream.input_problems import BadExample, Problem
from novikoff.stream.rows import Vector

MOST_FEATURES = 2048  # of a full matrix: 32 MB


class Adaptive(Summed):
    """Learn from an example unless it is right by 1; a feature's step shrinks as it is seen.

    Each weight has a variance, 1 at first. With m = y(w·x) < 1, v = Σ S_j x_j² and β = 1/(v + r),
    the weights become w + (1 − m)β y S∘x and the variances S − β (S∘x)². So the rule depends less
    on the scale of the features than a perceptron does; standardise columns of very different
    scales. This S is the diagonal of the matrix of the paper, for which the mistake bound was
    proved; `guarantees.risk_bound` holds for both.

    Importance c and class weights divide r: β = 1/(v + r/c). With the full matrix this equals
    showing the example c times (docs/proofs.md). For c = 0 it is scored but not learned from.

    A larger `regularisation` r > 0 makes smaller steps; 1 was the best value, or nearly, on all
    data tried. The `matrix` is "diagonal", for any number of features, or "full", which takes time
    and memory in proportion to their square, so there are at most 2,048; where v/r exceeds about
    10¹² it loses precision. The rest is as for :class:`Additive`; class weights are factors of the
    importance.

    References: Crammer, Kulesza & Dredze (2009).
    """

    rule, _add = "adaptive", "add_adaptive"

    def __init__(
        self,
        dim: int,
        *,
        bias: bool = False,
        regularisation: float = 1.0,
        matrix: Matrix = "diagonal",
        averaging: bool = False,
        start: Vector | None = None,
        class_weights: tuple[float, float] = (1.0, 1.0),
    ) -> None:
        check_sizes(class_weights, regularisation=regularisation)
        if matrix not in get_args(Matrix):
            raise ValueError(f"matrix must be 'diagonal' or 'full', not {matrix!r}")
        self.matrix = matrix
        self._check_size(dim)
        self.dim, self.bias, self.regularisation = dim, bool(bias), float(regularisation)
        self._steps = (float(class_weights[0]), float(class_weights[1]))
        self.rounds = 0
        length = dim + self.bias
        self._w: Vector = np.zeros(length)
        self._s: Vector = np.eye(length) if self._is_full else np.ones(length)
        if start is not None:
            self._w = finite_numbers(start, (length,), "start", "numbers")
        self._u = np.zeros(length) if averaging else None

    @property
    def variances(self) -> Vector:
        """S, the present variance of each weight, the constant's last; a matrix if it is full."""
        return self._s.copy()

    @property
    def _is_full(self) -> bool:
        return self.matrix == "full"

    def _check_size(self, dim: int) -> None:
        if self._is_full and dim > MOST_FEATURES:
            raise BadExample(
                f"a full matrix has at most {MOST_FEATURES:,} features, but the data have {dim:,}",
                Problem.TOO_MANY_FOR_MATRIX,
            )

    def widen(self, dim: int) -> None:
        """Make room for `dim` features, as :class:`Additive` does; new ones have variance 1."""
        self._check_size(dim)
        super().widen(dim)
        self._s = variances_widened(self._s, dim, bias=self.bias, full=self._is_full)

    def share_weights(self, runs: _core.OnlineRuns, *, mean: bool) -> None:
        """Share the weights with the online core, which updates them in place."""
        if self._is_full:
            raise ValueError(
                "matrix='full' learns from blocks of rows, not from single examples or names"
            )
        super().share_weights(runs, mean=mean)

    def _for_core(self) -> dict[str, Any]:
        how = {"step": self._steps, "r": self.regularisation}
        return super()._for_core() | how | {"variance": self._s.reshape(-1)}

    def _own_state(self, dim: int) -> tuple[Settings, Arrays]:
        settings, arrays = super()._own_state(dim)
        settings |= {"regularisation": self.regularisation, "matrix": self.matrix}
        arrays["class_weights"], full = np.array(self._steps), self._is_full
        arrays["variances"] = variances_narrowed(self._s, dim, bias=self.bias, full=full)
        return settings, arrays

    @classmethod
    def _from(cls, stored: Stored, dim: int, *, bias: bool) -> Self:
        length = dim + bias
        stored.vector("w", dim)  # is so long: nothing is made of a size that is only claimed
        learner = stored.made(
            cls,
            dim,
            bias=bias,
            regularisation=stored.number("regularisation"),
            matrix=stored.choice("matrix", get_args(Matrix)),
            class_weights=stored.vector("class_weights", 2).tolist(),
        )
        learner._restore_sums(stored, (dim,))
        shape = (length, length) if learner._is_full else (length,)
        variances = stored.array("variances", ("float64",), shape)
        own = variances.diagonal() if learner._is_full else variances
        if not ((own > 0) & (own <= 1)).all():
            stored.refuse("its variances are not all above 0 and at most 1")
        if learner._is_full and not (
            np.isfinite(variances).all() and np.array_equal(variances, variances.T)
        ):
            stored.refuse("its variances are not a symmetric matrix")
        learner._s = variances
        return learner

    def _for_ledger(self) -> dict[str, Any]:
        at_first = np.eye(len(self._w)) if self._is_full else np.ones(len(self._w))
        variances = None if np.array_equal(self._s, at_first) else self._s.copy()
        about = Adaptation(self.regularisation, variances, self.matrix)
        return super()._for_ledger() | {"adaptation": about}

    def learn(self, block: Block, begin: int, end: int, **rule: Any) -> tuple[int, Mistakes]:
        """Learn from examples begin..end of the block, as `Learner.learn` says."""
        rule["full"] = self._is_full
        at, which, mistakes = self.learned(_core.adapt, block, begin, end, **rule)
        of_rows = None if block.importances is None else block.importances[which]
        return at, self.weighed(mistakes, of_rows)

    def weighed(self, mistakes: Mistakes, importances: Vector | None) -> Mistakes:
        """The mistakes with the importance of each: that of its row, times its class weight."""
        if self.is_symmetric:
            each = np.full(len(mistakes), self._steps[0])
        else:
            each = np.where(mistakes.steps < 0, *self._steps)
        if importances is not None:
            each *= importances
        return replace(mistakes, importances=each)


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
        check_sizes(class_weights, regularisation=regularisation)
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

    def learn(self, block: Block, begin: int, end: int, **rule: Any) -> tuple[int, Mistakes]:
        """Learn from examples begin..end of the block, as `Learner.learn` says."""
        at, which, mistakes = self.learned(_core.joint_adapt, block, begin, end, **rule)
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

    @classmethod
    def _from(cls, stored: Stored, dim: int, *, bias: bool) -> Self:
        learner = super()._from(stored, dim, bias=bias)
        learner._s = stored.array("variances", ("float64",), (dim + bias, learner.n_classes))
        if not ((learner._s > 0) & (learner._s <= 1)).all():
            stored.refuse("its variances are not all above 0 and at most 1")
        learner.make_room(learner.n_classes)
        return learner
