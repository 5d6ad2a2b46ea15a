"""Winnow as a scikit-learn estimator: weights multiplied on a mistake."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from novikoff.estimators.base import LinearClassifier
from novikoff.learners import Ties
from novikoff.learners.multiplicative import VARIANTS, Variant
from novikoff.learners.rule import WINNOWS, Rule
from novikoff.ledger.ledger import KeepOrAuto
from novikoff.stream.number_text import is_finite_number


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
    ties: Ties = "mistake"
    keep: KeepOrAuto = "auto"
    hash_bits: int | None = None
    max_names: int | None = None

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
