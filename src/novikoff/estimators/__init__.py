"""scikit-learn's and river's conventions over the same learners: parameters, checks, attributes.

Update rules are in `learners`; what keeps the state of an estimator is the engine in `online`.
"""

from novikoff.estimators.kernel import KernelPerceptron
from novikoff.estimators.perceptrons import (
    AdaptivePerceptron,
    AveragedPerceptron,
    MarginPerceptron,
    Perceptron,
    VotedPerceptron,
)
from novikoff.estimators.text import TextFeatures
from novikoff.estimators.winnow import Winnow

__all__ = [
    "AdaptivePerceptron",
    "AveragedPerceptron",
    "KernelPerceptron",
    "MarginPerceptron",
    "Perceptron",
    "TextFeatures",
    "VotedPerceptron",
    "Winnow",
]
