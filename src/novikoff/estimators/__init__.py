"""scikit-learn's and river's conventions over the same learners: parameters, checks, attributes.

Update rules are in `learners`; what keeps the state of an estimator is the engine in `online`.
"""

from novikoff.estimators.classifiers import (
    AdaptivePerceptron,
    AveragedPerceptron,
    KernelPerceptron,
    MarginPerceptron,
    Perceptron,
    VotedPerceptron,
    Winnow,
)
from novikoff.estimators.text import TextFeatures

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
