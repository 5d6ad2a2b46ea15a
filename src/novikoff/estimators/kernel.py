"""The kernel perceptron as a scikit-learn estimator: the ledger of mistakes is the classifier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

from novikoff.estimators.base import ClassWeight, LinearClassifier
from novikoff.estimators.validation import check_multiclass
from novikoff.learners import Ties
from novikoff.learners.rule import Kind, Rule
from novikoff.ledger.kernels import AnyKernel, Gamma, Kernel
from novikoff.ledger.readings import Reading
from novikoff.runs.pool import Revisit
from novikoff.stream.multiclass import Multiclass

_KINDS: dict[Reading, Kind] = {"final": "perceptron", "average": "averaged", "vote": "voted"}


@dataclass(kw_only=True, eq=False, repr=False)
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
    these have no coordinates. Examples are rows of numbers, one by one or in blocks, not dicts; the
    first call of `learn_one` must name all labels, `classes=[...]`.

    References: Aizerman, Braverman & Rozonoer (1964); Freund & Schapire (1999), section 5.

    Examples
    --------
    >>> from novikoff import KernelPerceptron
    >>> X, y = [[1, 1], [-1, -1], [1, -1], [-1, 1]], ["same", "same", "other", "other"]
    >>> clf = KernelPerceptron(kernel="poly", degree=2, reading="final").fit(X, y)
    >>> clf.verdict_, clf.predict([[2, 3], [-1, 4]]).tolist()
    ('separated', ['same', 'other'])
    """

    kernel: AnyKernel = "poly"
    degree: int = 3
    gamma: Gamma = "auto"
    coef0: float = 1.0
    reading: Reading = "average"
    margin: float = 0.0
    budget: int | None = None
    fit_intercept: bool = False
    max_iter: int = 20
    ties: Ties = "mistake"
    multiclass: Multiclass = "ovr"
    class_weight: ClassWeight = None
    revisit: Revisit | None = None

    _is_by_blocks = True

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

    def explain(self, x: Any) -> NoReturn:
        """There is no such explanation: a kernel does not add up what features contribute."""
        raise ValueError("a kernel does not add up what each feature contributes; see ledger_")

    def _coefficients(self, _reading: Reading | None) -> NoReturn:
        raise AttributeError("weights in a kernel's space have no coordinates; see ledger_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags
