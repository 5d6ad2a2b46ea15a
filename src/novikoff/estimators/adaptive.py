"""The adaptive perceptron as a scikit-learn estimator: steps that shrink feature by feature."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from novikoff.estimators.base import LinearClassifier
from novikoff.estimators.validation import check_multiclass
from novikoff.learners.rule import Rule
from novikoff.ledger.ledger import KeepOrAuto, Matrix
from novikoff.stream.multiclass import Multiclass
from novikoff.stream.order import Shuffle


class AdaptivePerceptron(LinearClassifier):
    """Learn from every example that is not right by 1; a feature's step shrinks as it is seen.

    This is adaptive regularisation of weights (AROW). Each weight has a variance; features that
    were seen often or with large values have a small one and take small steps. So it depends less
    on the scale of the features than a perceptron does; standardise columns of very different
    scales. A few passes are enough, also on data that are not separable.

    Parameters
    ----------
    regularisation
        r > 0: larger values make smaller steps. 1 was the best value, or nearly, on all data tried.
    matrix
        "diagonal": a variance for each weight. "full": a matrix with all correlations, for at most
        2,048 features, with the mistake bound of the paper; not for single examples, names or
        classes learned jointly.
    average
        Predict with the average of the weights over all rounds, not with the last ones.
    max_iter
        The most passes to make. `fit` stops earlier when a pass makes no update.
    multiclass
        How to learn more than two classes: "ovr", one run for each class against the rest; or
        "joint", one run in which an example moves its class and the best rival apart, as in
        :class:`novikoff.JointAdaptive`. "auto" learns more than two classes jointly and predicts
        with the average of the weights; with matrix="full", each against the rest.
    class_weight
        Factors of the importance by class: a dict or "balanced", as in scikit-learn. An importance
        divides r.
    keep
        As for :class:`Perceptron`, but "counts" by default: on noisy data most rows lead to an
        update, so that keeping them would copy the data.
    fit_intercept, shuffle, hash_bits, max_names, random_state, verbose
        As for :class:`Perceptron`; a forgotten name starts again with weight 0 and variance 1.

    Attributes
    ----------
    verdict_
        "separated" if the last pass made no update: every example was right by 1 or more;
        otherwise "budget" or "interrupted".
    n_mistakes_, mistakes_per_epoch_, n_updates_
        The wrong predictions, in all and in each pass; and the updates, which are more.
    variances_
        The variance of each weight: 1 at first, and the smaller, the more was learned about the
        feature. A row a run, or a class if they are learned jointly; the constant's last. With
        matrix="full", a matrix in place of each row.

    All other attributes are those of :class:`Perceptron`. There is no vote.

    References: Crammer, Kulesza & Dredze (2009).

    Examples
    --------
    >>> from novikoff import AdaptivePerceptron
    >>> X, y = [[200, 1], [100, 3], [150, -2], [250, -1]], [1, 1, 0, 0]
    >>> clf = AdaptivePerceptron().fit(X, y)
    >>> clf.predict(X).tolist(), clf.verdict_, clf.n_iter_
    ([1, 1, 0, 0], 'budget', 5)
    """

    def __init__(
        self,
        *,
        regularisation: float = 1.0,
        matrix: Matrix = "diagonal",
        average: bool = False,
        fit_intercept: bool = True,
        max_iter: int = 5,
        shuffle: Shuffle = "once",
        multiclass: Multiclass | Literal["auto"] = "auto",
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        keep: KeepOrAuto = "counts",
        hash_bits: int | None = None,
        max_names: int | None = None,
        random_state: int | np.random.RandomState | None = 0,
        verbose: int = 0,
    ) -> None:
        self._set_parameters(locals())

    regularisation: float
    matrix: Matrix
    average: bool

    @property
    def variances_(self) -> NDArray[np.float64]:
        """The variance of each weight, a row a run or joint class, the constant's last."""
        return self._learned().variances()

    def _rule(self, classes: int = 2) -> Rule:
        check_multiclass(self.multiclass, "auto")
        if not isinstance(self.average, bool | np.bool_):
            raise ValueError(f"average must be True or False, not {self.average!r}")
        many = self.multiclass == "auto" and classes > 2 and self.matrix != "full"
        rule = Rule(
            "adaptive-averaged" if self.average or many else "adaptive",
            bias=bool(self.fit_intercept),
            regularisation=self.regularisation,
            matrix=self.matrix,
            joint=many or self.multiclass == "joint",
        )
        rule.learner(1)  # refuses settings out of range
        return rule
