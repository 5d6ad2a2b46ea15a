"""scikit-learn's conventions over the same learners: fit, partial_fit, predict, and the ledger.

Every estimator runs the additive rule and keeps its ledger; they differ in the threshold and in
which of the three readings of the run they predict with.
"""

from novikoff.estimators.perceptrons import (
    AveragedPerceptron,
    MarginPerceptron,
    Perceptron,
    VotedPerceptron,
)

__all__ = ["AveragedPerceptron", "MarginPerceptron", "Perceptron", "VotedPerceptron"]
