"""The classifiers: perceptrons of several kinds, Winnow, and the perceptron with a kernel."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, NoReturn

import numpy as np
from numpy.typing import NDArray

from novikoff.estimators.base import LinearClassifier
from novikoff.estimators.validation import check_multiclass
from novikoff.learners import Ties
from novikoff.learners.multiplicative import VARIANTS, Variant
from novikoff.learners.rule import WINNOWS, Kind, Rule
from novikoff.ledger.kernels import AnyKernel, Gamma, Kernel
from novikoff.ledger.ledger import KeepOrAuto, Matrix
from novikoff.ledger.readings import Reading
from novikoff.stream.multiclass import Multiclass
from novikoff.stream.number_text import is_finite_number

_KINDS: dict[Reading, Kind] = {"final": "perceptron", "average": "averaged", "vote": "voted"}


def _rule_of(estimator: Any, kind: Kind, margin: float = 0.0) -> Rule:
    """The rule of a perceptron; its numbers are checked where the learner is made."""
    eta0, multiclass = estimator.eta0, estimator.multiclass
    if not (is_finite_number(eta0) and eta0 > 0):
        raise ValueError(f"eta0 must be a finite number above 0, not {eta0!r}")
    check_multiclass(multiclass)
    return Rule(
        kind,
        bias=bool(estimator.fit_intercept),
        margin=margin,
        rate=eta0,
        ties=estimator.ties,
        joint=multiclass == "joint",
    )


@dataclass(kw_only=True, eq=False, repr=False)
class Perceptron(LinearClassifier):
    """Add the example to the weights whenever its sign was wrong.

    On a stream with ‖x‖ ≤ R that some unit vector separates with margin γ it makes at most (R/γ)²
    mistakes, however long the stream and whatever its order. `fit` passes over the data until a
    whole pass makes no mistake; it never stops because progress is slow.

    Parameters
    ----------
    fit_intercept
        Add a constant feature 1; it counts in the radius and in the margin.
    max_iter
        The most passes to make. `fit` stops earlier when a pass makes no mistake, or when the
        weights repeat. If it makes all the usual 1000 passes, scikit-learn's ConvergenceWarning
        says so; whoever sets another number is not warned.
    shuffle
        "once" draws one order from random_state and keeps it; True draws a new one for each pass;
        False keeps the order of the rows.
    eta0
        The learning rate r > 0. From a start at 0 it only scales the weights.
    ties
        What a score of exactly 0 means while learning: "mistake" (always wrong), "positive" or
        "negative" (that sign).
    multiclass
        How to learn more than two classes. "ovr": one run for each class against the rest.
        "joint": one run with a weight vector for each class, as in :class:`novikoff.Joint`, with at
        most 2(R/γ)² mistakes. New classes may then appear in any call of `partial_fit`. With two
        classes `coef_` is the difference of their weights, twice that of "ovr".
    class_weight
        Factors of the rate by class: a dict or "balanced", as in scikit-learn.
    keep
        What the ledger keeps of a mistake: "examples" copies each mistaken row once, so that any
        reading is possible; "positions" keeps the row's number; "counts" keeps totals only. "auto"
        keeps examples until they and the mistakes take 16 MB, then totals (and from the start with
        `max_names`). Averages and votes of other estimators than their own, bounds and
        `ledger_.rows` then need keep="examples".
    hash_bits
        For named features: give each name the column hash mod 2^hash_bits, so that memory is
        bounded. Names with the same hash share a weight.
    max_names
        Another bound for named features: when there are more names, forget the least used, down to
        three quarters. Their weights become 0, so the mistake bound no longer holds for the run.
        Needs keep="auto" or "counts".
    revisit
        "mistakes": after each pass over the data, go over the rows mistaken so far until they are
        all right, or 100 times. `max_iter` counts the passes over all data, which are then far
        fewer. The mistake bound holds as before.
    random_state
        Seed of the order, and of a random start.
    verbose
        Print a line for each pass.

    Attributes
    ----------
    coef_, intercept_, classes_, n_iter_, n_features_in_, feature_names_in_
        As in scikit-learn.
    verdict_
        "separated" if the last pass of `fit` made no mistake; "cycle" if the weights repeated,
        which proves that nothing separates the data (`runs_[0].cycle`); "budget" if max_iter was
        reached first, and after `partial_fit`; "interrupted" after Ctrl-C, which raises
        KeyboardInterrupt and leaves a working model.
    n_mistakes_, mistakes_per_epoch_, n_updates_
        How many predictions were wrong, in all and in each pass; and how many updates were made,
        which with a margin are more. All `partial_fit` calls are one pass.
    radius_
        The largest ‖x‖ over the mistaken examples, the constant feature included.
    ledger_, runs_
        The ledger of mistakes, and the runs. With more than two classes, unless they are learned
        jointly, `ledger_` is a tuple with a ledger for each class. A joint ledger numbers classes
        as they became known: in `fit`, in the order of `classes_`.

    References: Rosenblatt (1958); Novikoff (1962), Theorem 1; Freund & Schapire (1999), Theorem 1;
    Crammer & Singer (2003) for many classes jointly.

    Examples
    --------
    >>> from novikoff import Perceptron
    >>> clf = Perceptron(shuffle=False).fit([[2, 1], [1, 3], [-1, -2], [-2, 1]], [1, 1, 0, 0])
    >>> clf.verdict_, clf.n_mistakes_, clf.coef_.tolist(), clf.predict([[3, 0]]).tolist()
    ('separated', 1, [[2.0, 1.0]], [1])
    """

    _separates = True

    def _rule(self, _classes: int = 2) -> Rule:
        return _rule_of(self, "perceptron")


@dataclass(kw_only=True, eq=False, repr=False)
class MarginPerceptron(LinearClassifier):
    """Add the example also when it was right by a small margin only: y(w·x) ≤ margin.

    With ‖x‖ ≤ R, best margin γ and rate 1 it makes at most (R² + 2η)/γ² updates, and then separates
    the data with a margin of more than γη/(R² + 2η); η = R² = 1 gives 3/γ² and γ/3.

    η ≥ 0 is in the units of a score; compare it with R² times the rate, which matters here. All
    other parameters, and the attributes, are those of :class:`Perceptron`. With revisit="mistakes"
    the margin applies to the rows that are visited again, and with a margin of about R² very few
    passes over all data are needed. References: Krauth & Mézard (1987); Duda & Hart (1973), section
    5.5; Harvey (2018), lecture 7.
    """

    margin: float = 1.0

    _separates = True

    def _rule(self, _classes: int = 2) -> Rule:
        return _rule_of(self, "perceptron" if self.margin == 0 else "margin", self.margin)


@dataclass(kw_only=True, eq=False, repr=False)
class AveragedPerceptron(LinearClassifier):
    """Learn as the perceptron does; predict with the average of its weights over all rounds.

    Weights that survived long count more. `coef_` is the average; the mistakes, and so the bound
    (R/γ)², are those of :class:`Perceptron`, whose parameters and attributes it has. It makes 20
    passes by default: on scaled data the average changes little after that. References: Freund &
    Schapire (1999), section 5; Collins (2002), section 2.
    """

    max_iter: int = 20
    revisit: None = field(default=None, init=False)

    def _rule(self, _classes: int = 2) -> Rule:
        return _rule_of(self, "averaged")


@dataclass(kw_only=True, eq=False, repr=False)
class VotedPerceptron(LinearClassifier):
    """Learn as the perceptron does; predict by the vote of all weight vectors of the run.

    Each vector has as many votes as rounds it survived. Memory is proportional to the mistakes.
    After a first pass with M mistakes in n rounds, a random one of the vectors errs on such data
    with probability at most (M + 1)/(n + 1) on average. `coef_` holds the last vector. Parameters
    and attributes are those of :class:`Perceptron` without `keep` and `max_names`: all examples and
    names are kept. It makes 20 passes by default, and gives no probabilities. Reference: Freund &
    Schapire (1999), Figure 1, Theorem 3 and Corollary 1.
    """

    max_iter: int = 20
    keep: KeepOrAuto = field(default="examples", init=False)
    max_names: None = field(default=None, init=False)
    revisit: None = field(default=None, init=False)

    @property
    def gives_probabilities(self) -> bool:
        """False: to count the votes before each example would take too long."""
        return False

    def _rule(self, _classes: int = 2) -> Rule:
        return _rule_of(self, "voted")

    def predict_one(self, x: Any) -> Any:
        """The label that the vote gives x; it takes time in proportion to the mistakes."""
        return self.predict_many([x]).tolist()[0]

    def decision_one(self, x: Any) -> float | dict[Any, float]:
        """The vote on x: positive for classes_[1]; with more than two classes, one for each."""
        return super().decision_one(x) if self._opened() is None else self._decided(x)


@dataclass(kw_only=True, eq=False, repr=False)
class AdaptivePerceptron(LinearClassifier):
    """Learn from every example that is not right by 1; a feature's step shrinks as it is seen.

    This is adaptive regularisation of weights (AROW), as in :class:`novikoff.Adaptive`. It depends
    less on the scale of the features than a perceptron does; standardise columns of very different
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
    multiclass
        "ovr" or "joint", as for :class:`Perceptron`. "auto" learns more than two classes jointly
        and predicts with the average of the weights; with matrix="full", each against the rest.
    class_weight
        Factors of the importance by class, which divides r: a dict or "balanced".
    keep
        As for :class:`Perceptron`, but "counts" by default: on noisy data most rows lead to an
        update, so that keeping them would copy the data.
    fit_intercept, max_iter, shuffle, hash_bits, max_names, random_state, verbose
        As for :class:`Perceptron`; a forgotten name starts again with weight 0 and variance 1.

    Attributes
    ----------
    verdict_
        "separated" if the last pass made no update: every example was right by 1 or more;
        otherwise "budget" or "interrupted".
    variances_
        The variance of each weight: 1 at first, and the smaller, the more was learned about the
        feature. A row a run, or a class if they are learned jointly; the constant's last. With
        matrix="full", a matrix in place of each row.

    All other attributes are those of :class:`Perceptron`. There is no vote. References: Crammer,
    Kulesza & Dredze (2009).

    Examples
    --------
    >>> from novikoff import AdaptivePerceptron
    >>> X, y = [[200, 1], [100, 3], [150, -2], [250, -1]], [1, 1, 0, 0]
    >>> clf = AdaptivePerceptron().fit(X, y)
    >>> clf.predict(X).tolist(), clf.verdict_, clf.n_iter_
    ([1, 1, 0, 0], 'budget', 5)
    """

    regularisation: float = 1.0
    matrix: Matrix = "diagonal"
    average: bool = False
    max_iter: int = 5
    multiclass: Multiclass | Literal["auto"] = "auto"
    keep: KeepOrAuto = "counts"
    eta0: float = field(default=1.0, init=False)
    ties: Ties = field(default="mistake", init=False)
    revisit: None = field(default=None, init=False)

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


@dataclass(kw_only=True, eq=False, repr=False)
class Winnow(LinearClassifier):
    """Multiply the weights of the attributes of a mistaken example instead of adding to them.

    If only k of n attributes matter, the mistakes grow as k·log n; those of the perceptron can grow
    as n. The bounds `guarantees.winnow1_bound`, `winnow2_bound` and `doubling_bound` hold for one
    run with two classes and `ties="mistake"`. More than two classes are learned one against the
    rest.

    Parameters
    ----------
    variant
        "balanced": weights of either sign, for any numbers. "winnow1" and "winnow2": weights that
        are never negative, for attributes of at least 0, best 0 or 1; a mistake on a negative
        example sets the weights of its attributes to 0 ("winnow1") or divides them ("winnow2").
    alpha
        α > 1; by default 1.1 if balanced, 2 otherwise. With balanced Winnow, standardise attributes
        that are not 0 or 1, and try values nearer to 1.
    threshold
        The decision threshold θ: a score is w·x − θ. By default 0 if balanced, n/2 for "winnow1",
        n for "winnow2".
    fit_intercept
        Whether balanced Winnow has a constant attribute 1; the others never have.
    max_iter, shuffle, ties, keep, hash_bits, max_names, random_state, verbose
        As for :class:`Perceptron`; a tie is w·x = θ.

    Attributes
    ----------
    coef_, intercept_
        The weights, and the constant's weight less θ; `decision_function` is X·coef_ + intercept_,
        except that weights beyond the largest float are cut off at it.
    verdict_
        "separated", "budget" or "interrupted", as for :class:`Perceptron`.

    All other attributes are those of :class:`Perceptron`. There is no average and no vote.
    References: Littlestone (1988); Littlestone (1989) for the balanced variant.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff import Perceptron, Winnow
    >>> X = np.random.default_rng(0).random((400, 1000)) < 0.1
    >>> y = X[:, 3] | X[:, 14] | X[:, 15]
    >>> Winnow(variant="winnow2").fit(X, y).n_mistakes_, Perceptron().fit(X, y).n_mistakes_
    (38, 211)
    """

    variant: Variant = "balanced"
    alpha: float | None = None
    threshold: float | None = None
    eta0: float = field(default=1.0, init=False)
    multiclass: Multiclass = field(default="ovr", init=False)
    class_weight: None = field(default=None, init=False)
    revisit: None = field(default=None, init=False)

    def _rule(self, _classes: int = 2) -> Rule:
        if self.variant not in VARIANTS:
            raise ValueError(f"variant must be one of {', '.join(VARIANTS)}, not {self.variant!r}")
        for name in ("alpha", "threshold"):
            given = getattr(self, name)
            if given is not None and not is_finite_number(given):
                raise ValueError(f"{name} must be a finite number or None, not {given!r}")
        return Rule(
            next(kind for kind, variant in WINNOWS.items() if variant == self.variant),
            bias=bool(self.fit_intercept),
            ties=self.ties,
            alpha=self.alpha,
            threshold=self.threshold,
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        monotone = self.variant != "balanced"
        tags.input_tags.positive_only = monotone
        tags.classifier_tags.poor_score = monotone
        return tags


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
    eta0: float = field(default=1.0, init=False)
    keep: KeepOrAuto = field(default="examples", init=False)
    hash_bits: None = field(default=None, init=False)
    max_names: None = field(default=None, init=False)

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

    def weights(self, reading: Reading | None = None) -> NoReturn:
        """There are none that could be written down."""
        raise AttributeError("weights in a kernel's space have no coordinates; see ledger_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags
