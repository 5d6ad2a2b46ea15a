"""scikit-learn's and river's conventions over the same learners: parameters, checks, attributes.

What learns is the engine in `online`, the rules are in `learners`, and nothing else imports
scikit-learn.
"""

from novikoff.estimators.adaptive import AdaptivePerceptron
from novikoff.estimators.kernel import KernelPerceptron
from novikoff.estimators.perceptrons import (
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
