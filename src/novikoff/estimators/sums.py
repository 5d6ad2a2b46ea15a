"""What the perceptrons share: weights that are a sum of the mistakes, and its three readings."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from novikoff.estimators.base import MistakeDriven
from novikoff.estimators.schemes import Jointly, Multiclass, Scheme
from novikoff.estimators.validation import is_finite_number, starts
from novikoff.guarantees.summary import Summary
from novikoff.learners import Additive, Joint
from novikoff.learners.rule import Kind
from novikoff.ledger import readings
from novikoff.ledger.readings import Reading
from novikoff.ledger.weights import class_scores
from novikoff.stream.blocks import Block
from novikoff.stream.rows import Rows, Vector, dots


class SumOfMistakes(MistakeDriven):
    """The estimators that run the additive rule, or its form for many classes."""

    eta0: float
    multiclass: Multiclass
    margin: float = 0.0  # only where an estimator has no such parameter
    _learners: list[Additive | Joint]

    def fit(
        self,
        X: Any,
        y: Any,
        coef_init: ArrayLike | Literal["random"] | None = None,
        intercept_init: ArrayLike | None = None,
    ) -> Self:
        """Pass over the data until a pass makes no mistake, the weights repeat, or max_iter passes.

        Stops early for no other reason. On data with ‖x‖ ≤ R and margin γ (the constant feature
        counted in both) a clean pass comes after at most (R/γ)² mistakes (Novikoff 1962); where
        many classes are learned jointly, after at most 2(R/γ)² (Crammer & Singer 2003).

        Parameters
        ----------
        X, y
            Rows (array, frame, or scipy sparse in any format) and their labels, of any two or
            more kinds; more than two are learned as `multiclass` says.
        coef_init, intercept_init
            Where to start, in the shapes of `coef_` and `intercept_`; `coef_init="random"` draws
            standard normal weights (and intercepts) from random_state. Zero if not given.
        """
        begin = partial(
            starts, coef=coef_init, intercept=intercept_init, fit_intercept=self.fit_intercept
        )
        return self._fit(X, y, begin)

    def _check_parameters(self) -> None:
        if not (is_finite_number(self.eta0) and self.eta0 > 0):
            raise ValueError(f"eta0 must be a finite number above 0, not {self.eta0!r}")
        if not (is_finite_number(self.margin) and self.margin >= 0):
            raise ValueError(f"margin must be a finite number from 0, not {self.margin!r}")
        if self.multiclass not in ("ovr", "joint"):
            raise ValueError(f"multiclass must be 'ovr' or 'joint', not {self.multiclass!r}")
        if self.multiclass == "joint" and self.ties != "mistake":
            raise ValueError(
                f"ties={self.ties!r} is for a score of 0 between two classes; jointly learned "
                "classes that are level are always a mistake: leave ties at 'mistake'"
            )
        super()._check_parameters()

    def _learner(self, dim: int, weights: tuple[float, float], start: Vector | None) -> Additive:
        return Additive(
            dim,
            bias=bool(self.fit_intercept),
            margin=self.margin,
            rate=self.eta0,
            ties=self.ties,
            averaging=self._reading == "average",
            start=start,
            class_weights=weights,
        )

    def _scheme_of(self, classes: NDArray[Any]) -> Scheme:
        return Jointly.of(classes) if self.multiclass == "joint" else super()._scheme_of(classes)

    def _scheme_begun(self, named: NDArray[Any] | None) -> Scheme:
        return Jointly.begun() if self.multiclass == "joint" else super()._scheme_begun(named)

    def _made(self, dim: int, each: Vector, starts: list[Vector | None]) -> list[Any]:
        scheme = self._scheme
        if not isinstance(scheme, Jointly):
            return super()._made(dim, each, starts)
        return [
            Joint(
                dim,
                classes=len(scheme.classes),
                bias=bool(self.fit_intercept),
                margin=self.margin,
                rate=self.eta0,
                averaging=self._reading == "average",
                start=scheme.start(starts),
                class_weights=scheme.by_number(each),
            )
        ]

    def _meet(self, y: NDArray[Any], named: NDArray[Any] | None, learners: list[Any]) -> None:
        before = len(self.classes_)
        super()._meet(y, named, learners)
        scheme = self._scheme
        if not isinstance(scheme, Jointly):
            return
        new = scheme.by_number(self.classes_)[before:]
        factors = self.class_weight if isinstance(self.class_weight, Mapping) else {}
        learners[0].weigh(before, [factors.get(label, 1.0) for label in new])
        if named is not None:
            learners[0].know(max(scheme.number_of(named)) + 1)

    @property
    def _kind(self) -> Kind:
        if self._reading != "final":
            return "averaged" if self._reading == "average" else "voted"
        return "margin" if self.margin > 0 else "perceptron"

    @property
    def _is_joint(self) -> bool:
        if self.__sklearn_is_fitted__():
            return super()._is_joint
        return self.multiclass == "joint"

    @property
    def _zero_is_positive(self) -> bool:
        return self._numbers is None and super()._zero_is_positive

    def _summary(self, k: int, block: Block | None) -> Summary:
        learner = self._learners[k]
        return self.runs_[k].summary(block, weights=learner.weights, margin=learner.margin)

    def _read(self, k: int, reading: Reading) -> tuple[Vector, float]:
        learner = self._learners[k]
        w = self._vector(k, reading)
        return w[: learner.dim].copy(), float(w[-1]) if learner.bias else 0.0

    def _read_all(self, reading: Reading) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        scheme = self._scheme
        if not isinstance(scheme, Jointly):
            return super()._read_all(reading)
        learner = self._learners[0]
        w = scheme.in_order(self._vector(0, reading))
        return w[:, : learner.dim].copy(), w[:, -1].copy() if learner.bias else np.zeros(len(w))

    def _vector(self, k: int, reading: Reading) -> Vector:
        """The weights of a run; where many classes are learned jointly, a row a number."""
        learner = self._learners[k]
        if reading == "final":
            return learner.weights
        if reading == "average":
            own = self._reading == "average"
            return learner.average if own else readings.average(self.runs_[k].ledger)
        raise ValueError(f"reading must be 'final' or 'average', not {reading!r}")

    def _scores(self, rows: Rows, reading: Reading) -> list[Vector]:
        """The columns of scores. The final weights score as they did while learning."""
        if isinstance(scheme := self._scheme, Jointly):
            return list(scheme.in_order(self._joint_scores(rows, reading).T))
        if reading == "final":
            return [learner.scores(rows) for learner in self._learners]
        if reading == "vote":
            positive = self._zero_is_positive
            ledgers = [run.ledger for run in self.runs_]
            return [readings.vote(one, rows, zero_is_positive=positive) for one in ledgers]
        return [
            dots(rows, self._vector(k, "average"), bias=learner.bias)
            for k, learner in enumerate(self._learners)
        ]

    def _joint_scores(self, rows: Rows, reading: Reading) -> Vector:
        """A column for each class, in the order of their numbers."""
        learner, ledger = self._learners[0], self.runs_[0].ledger
        if reading == "final":
            return learner.scores(rows)
        if reading == "vote":
            return readings.class_votes(ledger, rows)
        w = self._vector(0, "average").T
        return class_scores(rows, w, bias=learner.bias)[:, : w.shape[1]]
