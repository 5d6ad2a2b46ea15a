"""The four perceptrons: plain, with a margin, averaged, voted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np

from novikoff.estimators.schemes import Multiclass
from novikoff.estimators.sums import SumOfMistakes
from novikoff.learners import Ties
from novikoff.ledger.ledger import Keep
from novikoff.ledger.readings import Reading
from novikoff.stream.order import Shuffle


class Perceptron(SumOfMistakes):
    """Add the example to the weights whenever its sign was wrong.

    On a stream with ‖x‖ ≤ R that some unit vector separates with margin γ it makes at most (R/γ)²
    mistakes, however long the stream and whatever its order. `fit` passes over the data until a
    whole pass makes no mistake; it never stops because progress seems slow.

    Parameters
    ----------
    fit_intercept
        Fold a constant feature 1 into the weights; it counts in the radius and in the margin.
    max_iter
        The passes allowed. Fewer are made when one makes no mistake, or the weights repeat.
    shuffle
        "once" draws one order from random_state and keeps it; True draws a new one for each pass;
        False keeps the order of the rows.
    eta0
        The learning rate r > 0. From a start at 0 it only scales the weights: the mistakes are the
        same for every r.
    ties
        What a score of exactly 0 means while learning: "mistake" (always wrong), "positive" or
        "negative" (that sign).
    multiclass
        What is done with more than two classes. "ovr": a run for each against the rest. "joint":
        one run with weights for each class, in which a mistaken example is added to those of its
        class and taken from those of the class in its way, as in :class:`novikoff.Joint`: at most
        2(R/γ)² mistakes. New classes may then appear in any call of `partial_fit`. With two classes
        `coef_` is the difference of their weights, and twice that of "ovr".
    class_weight
        Factors of the rate by class, a dict or "balanced", as scikit-learn means it.
    keep
        What the ledger keeps of a mistake: "examples" copies each mistaken row once, so that any
        reading can be asked for; "positions" says which row; "counts" keeps totals, for streams
        without end.
    hash_bits
        For `learn_one` and `learn_many` with named features: give a name the column hash mod
        2^hash_bits, so that memory is bounded; names that fall together share a weight.
    max_names
        For the same: when there are more names, the least used (those of the fewest examples, and
        of these the ones not met for longest) are forgotten, down to three quarters. Their weights
        become 0, so the mistake bound no longer speaks of the run. It needs keep="counts".
    random_state
        Seeds the order, and a random start.
    verbose
        Print a line for each pass.

    Attributes
    ----------
    coef_, intercept_, classes_, n_iter_, n_features_in_, feature_names_in_
        As in scikit-learn.
    verdict_
        "separated" when the last pass of `fit` made no mistake, "cycle" when the weights came back
        to where they were, which proves that nothing separates the data (`runs_[0].cycle`),
        "budget" when max_iter was reached first (and after `partial_fit`, which sees no end),
        "interrupted" when Ctrl-C was pressed: KeyboardInterrupt is raised, and if it is caught the
        model works as it stands.
    n_mistakes_, mistakes_per_epoch_
        How many updates were made, in all and in each pass; all `partial_fit` calls are one pass.
    radius_
        The largest ‖x‖ over the mistaken examples, the constant feature included.
    ledger_, runs_
        The ledger of mistakes, and the run it comes from; with more than two classes that are not
        learned jointly a tuple of ledgers, one for each class against the rest. A joint ledger
        numbers the classes as they became known: in `fit`, in the order of `classes_`.

    References
    ----------
    Rosenblatt (1958); Novikoff (1962), Theorem 1; Freund & Schapire (1999), Theorem 1; Crammer &
    Singer (2003) for many classes jointly.

    Examples
    --------
    >>> from novikoff import Perceptron
    >>> clf = Perceptron(shuffle=False).fit([[2, 1], [1, 3], [-1, -2], [-2, 1]], [1, 1, 0, 0])
    >>> clf.verdict_, clf.n_mistakes_, clf.coef_.tolist(), clf.predict([[3, 0]]).tolist()
    ('separated', 1, [[2.0, 1.0]], [1])
    """

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        shuffle: Shuffle = "once",
        eta0: float = 1.0,
        ties: Ties = "mistake",
        multiclass: Multiclass = "ovr",
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        keep: Keep = "examples",
        hash_bits: int | None = None,
        max_names: int | None = None,
        random_state: int | np.random.RandomState | None = 0,
        verbose: int = 0,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.eta0 = eta0
        self.ties = ties
        self.multiclass = multiclass
        self.class_weight = class_weight
        self.keep = keep
        self.hash_bits = hash_bits
        self.max_names = max_names
        self.random_state = random_state
        self.verbose = verbose


class MarginPerceptron(SumOfMistakes):
    """Add the example also when it was right, but not by enough: y(w·x) ≤ margin.

    With ‖x‖ ≤ R, best margin γ and rate 1 it makes at most (R² + 2η)/γ² updates, and then separates
    the data with a margin of more than γη/(R² + 2η); η = R² = 1 gives 3/γ² and γ/3.

    Parameters
    ----------
    margin
        η ≥ 0, in the units of a score. It can generalise better than 0, and needs choosing: what
        matters is its size beside R² times the rate.

    All other parameters, and the attributes, are those of :class:`Perceptron`; the rate is no
    longer a mere scale, for it weighs against the margin.

    References
    ----------
    Krauth & Mézard (1987); Duda & Hart (1973), section 5.5; Harvey (2018), lecture 7.
    """

    def __init__(
        self,
        *,
        margin: float = 1.0,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        shuffle: Shuffle = "once",
        eta0: float = 1.0,
        ties: Ties = "mistake",
        multiclass: Multiclass = "ovr",
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        keep: Keep = "examples",
        hash_bits: int | None = None,
        max_names: int | None = None,
        random_state: int | np.random.RandomState | None = 0,
        verbose: int = 0,
    ) -> None:
        self.margin = margin
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.eta0 = eta0
        self.ties = ties
        self.multiclass = multiclass
        self.class_weight = class_weight
        self.keep = keep
        self.hash_bits = hash_bits
        self.max_names = max_names
        self.random_state = random_state
        self.verbose = verbose


class AveragedPerceptron(Perceptron):
    """Learn as the perceptron does; predict with the average of its weights over all rounds.

    Weights that survived long count more. `coef_` is the average; the mistakes, and so the bound
    (R/γ)², are those of :class:`Perceptron`, whose parameters and attributes it has.

    References
    ----------
    Freund & Schapire (1999), section 5; Collins (2002), section 2.
    """

    _reading: ClassVar[Reading] = "average"


class VotedPerceptron(SumOfMistakes):
    """Learn as the perceptron does; predict by the vote of every weight vector met on the way.

    Each votes with the number of rounds it survived. The vectors are not stored, only the
    mistakes they differ by, so memory is in proportion to the mistakes. A random one of the
    vectors errs, on data like those of a first pass with M mistakes in n rounds, with probability
    at most (M + 1)/(n + 1) on average. `coef_` holds the last of the voters. Parameters and
    attributes are those of :class:`Perceptron`, but for `keep` and `max_names`: the examples are
    always kept, and with them all names.

    References
    ----------
    Freund & Schapire (1999), Figure 1, Theorem 3 and Corollary 1.
    """

    _reading: ClassVar[Reading] = "vote"

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        shuffle: Shuffle = "once",
        eta0: float = 1.0,
        ties: Ties = "mistake",
        multiclass: Multiclass = "ovr",
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        hash_bits: int | None = None,
        random_state: int | np.random.RandomState | None = 0,
        verbose: int = 0,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.eta0 = eta0
        self.ties = ties
        self.multiclass = multiclass
        self.class_weight = class_weight
        self.hash_bits = hash_bits
        self.random_state = random_state
        self.verbose = verbose

    def predict_one(self, x: Any) -> Any:
        """The label that the vote says for x: a plain object; None if no label was met yet.

        It takes time in proportion to the mistakes made so far.
        """
        return self.predict_many([x]).tolist()[0]

    def decision_one(self, x: Any) -> float | dict[Any, float]:
        """The vote on x: positive for classes_[1]; of more than two classes, one for each."""
        if self._opened() is None:
            return super().decision_one(x)
        votes = self.decision_function([x])[0]
        if votes.ndim == 0:
            return float(votes)
        return dict(zip(self.classes_.tolist(), votes.tolist(), strict=True))
