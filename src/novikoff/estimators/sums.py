"""What the perceptrons share: weights that are a sum of the mistakes, and its three readings."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal, Self

from numpy.typing import ArrayLike

from novikoff import readings
from novikoff.estimators.base import MistakeDriven
from novikoff.estimators.doors import is_finite_number, starts, unchanged_by_errors
from novikoff.examples import Block
from novikoff.learners import Additive
from novikoff.loop import Interrupted
from novikoff.readings import Reading
from novikoff.rows import Rows, Vector, dots
from novikoff.summaries import Summary


class SumOfMistakes(MistakeDriven):
    """The estimators that run the additive rule."""

    eta0: float
    margin: float = 0.0  # only where an estimator has no such parameter
    _learners: list[Additive]

    @unchanged_by_errors(but_for=(Interrupted,))
    def fit(
        self,
        X: Any,
        y: Any,
        coef_init: ArrayLike | Literal["random"] | None = None,
        intercept_init: ArrayLike | None = None,
    ) -> Self:
        """Pass over the data until a pass makes no mistake, the weights repeat, or max_iter passes.

        Stops early for no other reason. On data with ‖x‖ ≤ R and margin γ (the constant feature
        counted in both) a clean pass comes after at most (R/γ)² mistakes (Novikoff 1962).

        Parameters
        ----------
        X, y
            Rows (array, frame, or scipy sparse in any format) and their labels, of any two or
            more kinds; more than two are learned one against the rest.
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

    def _summary(self, k: int, block: Block | None) -> Summary:
        learner = self._learners[k]
        return self.runs_[k].summary(block, weights=learner.weights, margin=learner.margin)

    def _read(self, k: int, reading: Reading) -> tuple[Vector, float]:
        learner = self._learners[k]
        w = self._vector(k, reading)
        return w[: learner.dim].copy(), float(w[-1]) if learner.bias else 0.0

    def _vector(self, k: int, reading: Reading) -> Vector:
        learner = self._learners[k]
        if reading == "final":
            return learner.weights
        if reading == "average":
            own = self._reading == "average"
            return learner.average if own else readings.average(self.runs_[k].ledger)
        raise ValueError(f"reading must be 'final' or 'average', not {reading!r}")

    def _scores(self, rows: Rows, reading: Reading) -> list[Vector]:
        """A column of scores for each run. The final weights score as they did while learning."""
        if reading == "final":
            return [learner.scores(rows) for learner in self._learners]
        if reading == "vote":
            positive = self._zero_is_positive
            return [
                readings.vote(run.ledger, rows, zero_is_positive=positive) for run in self.runs_
            ]
        return [
            dots(rows, self._vector(k, "average"), bias=learner.bias)
            for k, learner in enumerate(self._learners)
        ]
