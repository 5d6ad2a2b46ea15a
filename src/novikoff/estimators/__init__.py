"""scikit-learn's conventions over the same learners: fit, partial_fit, predict, and the ledger.

The perceptrons run the additive rule and keep its ledger; they differ in the threshold and in
which of the three readings of the run they predict with. Winnow runs the multiplicative rule.
"""

from novikoff.estimators.perceptrons import (
    AveragedPerceptron,
    MarginPerceptron,
    Perceptron,
    VotedPerceptron,
)
from novikoff.estimators.winnow import Winnow

__all__ = ["AveragedPerceptron", "MarginPerceptron", "Perceptron", "VotedPerceptron", "Winnow"]
