"""The kernel perceptron as a scikit-learn estimator: the ledger of mistakes is the classifier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from novikoff.estimators.base import LinearClassifier
from novikoff.estimators.validation import check_multiclass
from novikoff.learners import Ties
from novikoff.learners.rule import Kind, Rule
from novikoff.ledger.kernels import AnyKernel, Gamma, Kernel
from novikoff.ledger.readings import Reading
from novikoff.online.one_example import are_dicts
from novikoff.runs.pool import Revisit
from novikoff.stream.multiclass import Multiclass
from novikoff.stream.order import Shuffle

_KINDS: dict[Reading, Kind] = {"final": "perceptron", "average": "averaged", "vote": "voted"}


class KernelPerceptron(LinearClassifier):
    """Learn as the perceptron does, in the space of a kernel: for data no hyperplane separates.

    The score of x is Σ step·K(x_k, x) over the mistakes x_k, so the ledger of mistakes is the
    classifier. All readings come from it: the last weights, their average and their vote. With
    K(x, x) ≤ R² and a unit vector of the kernel's space that separates the data with margin γ, it
    makes at most (R/γ)² mistakes.

    Parameters
    ----------
    kernel
        "linear" is x·z, "poly" (gamma x·z + coef0)^degree, "rbf" exp(−gamma ‖x − z‖²). With
        "precomputed", X is the square matrix of kernels of the training examples in `fit`, and has
        their columns in `predict`. A function of two matrices returns the matrix of their kernels;
        a model file cannot hold it.
    degree, gamma, coef0
        As in scikit-learn: gamma is a number, "auto" (1 over the number of features) or "scale"
        (that over the variance of X; `fit` only). coef0 is 1 by default, so that all powers up to
        `degree` take part; 0 keeps that of `degree` alone.
    reading
        What predicts: the "final" weights, their "average" over all rounds, or the "vote" of all.
        `predict` and `decision_function` can ask for another one of the same run.
    margin
        Also update when y·f(x) ≤ margin.
    fit_intercept
        Add 1 to the kernel: a constant feature in its space.
    budget
        Keep at most so many mistakes for each class, as :class:`Dual` does, with reading="final".
    max_iter, shuffle, ties, class_weight, revisit, random_state, verbose
        As for :class:`Perceptron`.
    multiclass
        How more than two classes are learned: "ovr", one against the rest, all runs in step; or
        "joint", in one run as in :class:`JointDual`.

    Attributes
    ----------
    ledger_
        The mistakes and their rows, the whole classifier; with a budget, counts only.
    radius_
        The largest √K(x, x) over the mistaken examples.

    The other attributes are those of :class:`Perceptron`, without weights: in the kernel's space
    these have no coordinates. Examples are rows of numbers, one by one or in blocks, not dicts.

    References: Aizerman, Braverman & Rozonoer (1964); Freund & Schapire (1999), section 5.

    Examples
    --------
    >>> from novikoff import KernelPerceptron
    >>> X, y = [[1, 1], [-1, -1], [1, -1], [-1, 1]], ["same", "same", "other", "other"]
    >>> clf = KernelPerceptron(kernel="poly", degree=2, reading="final").fit(X, y)
    >>> clf.verdict_, clf.predict([[2, 3], [-1, 4]]).tolist()
    ('separated', ['same', 'other'])
    """

    kernel: AnyKernel
    degree: int
    gamma: Gamma
    coef0: float
    reading: Reading
    margin: float
    budget: int | None
    hash_bits = None

    def __init__(
        self,
        *,
        kernel: AnyKernel = "poly",
        degree: int = 3,
        gamma: Gamma = "auto",
        coef0: float = 1.0,
        reading: Reading = "average",
        margin: float = 0.0,
        budget: int | None = None,
        fit_intercept: bool = False,
        max_iter: int = 20,
        shuffle: Shuffle = "once",
        ties: Ties = "mistake",
        multiclass: Multiclass = "ovr",
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        revisit: Revisit | None = None,
        random_state: int | np.random.RandomState | None = 0,
        verbose: int = 0,
    ) -> None:
        self._set_parameters(locals())

    def _rule(self, _classes: int = 2) -> Rule:
        if self.reading not in _KINDS:
            raise ValueError(f"reading must be 'final', 'average' or 'vote', not {self.reading!r}")
        check_multiclass(self.multiclass)
        kind = "margin" if self.margin and self.reading == "final" else _KINDS[self.reading]
        return Rule(
            kind,
            bias=bool(self.fit_intercept),
            margin=self.margin,
            ties=self.ties,
            joint=self.multiclass == "joint",
            kernel=Kernel(self.kernel, self.degree, self.gamma, self.coef0),
            budget=self.budget,
            seed=self.random_state if self.budget and isinstance(self.random_state, int) else 0,
        )

    @property
    def gives_probabilities(self) -> bool:
        """Not by a vote: to count the votes before each example would take too long."""
        return self.reading != "vote"

    def learn_one(
        self, x: Any, y: Any, *, classes: ArrayLike | None = None, weight: float | None = None
    ) -> None:
        """Predict one row of numbers and, if that is a mistake, learn from it: a block of one.

        `classes` must name all labels in the first call.
        """
        weights = None if weight is None else [weight]
        self.learn_many([x], [y], classes=classes, sample_weight=weights)

    def learn_many(
        self,
        X: Any,
        y: Any,
        *,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> None:
        """Learn from these rows in order, as if one by one; an error undoes the whole call."""
        if self._reader is not None or are_dicts(X):
            super().learn_many(X, y, classes=classes, sample_weight=sample_weight)
        else:
            self.partial_fit(X, y, classes=classes, sample_weight=sample_weight)

    def predict_one(self, x: Any) -> Any:
        """The label predicted for a row of numbers; None before the first label."""
        return self.predict_many([x]).tolist()[0]

    def decision_one(self, x: Any) -> float | dict[Any, float]:
        """The score of x: positive for classes_[1]; with more than two classes, one for each."""
        return 0.0 if self._engine is None else self._decided(x)

    def explain(self, x: Any) -> NoReturn:
        """There is no such explanation: a kernel does not add up what features contribute."""
        raise ValueError("a kernel does not add up what each feature contributes; see ledger_")

    def _coefficients(self, _reading: Reading | None) -> NoReturn:
        raise AttributeError("weights in a kernel's space have no coordinates; see ledger_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags
